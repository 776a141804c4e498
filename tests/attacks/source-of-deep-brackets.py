"""Tries to take down whatever reads its source: brackets, signs and blocks nested as deep as a file can hold.

Harmless: files of some hundred KiB in a folder of the test's.
Shows: Python's own parser gives up, by MemoryError, RecursionError or a crash.
"""

import ast

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


SOURCES = {
    "causal_mask": "x = " + "-" * 200_000 + "1\ndef causal_mask(n):\n    return None\n",
    "signs": "x = " + "not " * 50_000 + "1\n",
    "attributes": "x = a" + ".a" * 200_000 + "\n",
    "brackets": "x = " + "[" * 199 + "]" * 199 + "\n",
    "sums": "x = " + "1+" * 200_000 + "1\n",
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(99)) + " " * 99 + "pass\n",
    "calls": "x = f" + "()" * 200_000 + "\n",
    "numbers": "x = " + "9" * 500_000 + "\n",
    "elses": "if x: pass\n" + "elif x: pass\n" * 20_000,
}


def build(folder, target):
    work = folder / "work"
    work.mkdir()
    for name, source in SOURCES.items():
        (work / f"{name}.py").write_text(source)
    return work


def attack(target):
    try:
        ast.parse(SOURCES["causal_mask"])
    except (MemoryError, RecursionError, SyntaxError) as error:
        return type(error).__name__
    return ""
