"""Tries to be imported in place of others: modules named as NumPy, pytest, the grader and the standard library are.

Harmless: files in a folder of the test's.
Shows: Python, started in that folder, imports them.
"""

import pathlib
import subprocess
import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


NAMES = (
    "numpy",
    "pytest",
    "_pytest",
    "grader",
    "json",
    "socket",
    "struct",
    "ast",
    "sitecustomize",
    "usercustomize",
    "yaml",
)


def build(folder, target):
    work = folder / "work"
    (work / "exercises" / "numpy").mkdir(parents=True)
    for place in (work, work / "exercises"):
        for name in NAMES:
            (place / f"{name}.py").write_text("import os\nos._exit(0)\n")
    (work / "exercises" / "numpy" / "__init__.py").write_text("import os\nos._exit(0)\n")
    (work / "exercises" / "mine.pth").write_text("import os; os._exit(0)\n")
    (work / "exercises" / "causal_mask.py").write_text("def causal_mask(seq_len):\n    return None\n")
    return work


def attack(target):
    work = build(pathlib.Path(target["folder"]), target)
    script = "import sys\nsys.path.insert(0, '')\nimport numpy\nsys.exit(1)"
    ran = subprocess.run([sys.executable, "-S", "-c", script], cwd=work, capture_output=True)
    return "imported" if ran.returncode == 0 else ""
