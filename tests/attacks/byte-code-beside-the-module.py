"""Tries to hand in more than its source: byte code and an extension module beside it that answer for it.

Harmless: files in a folder of the test's.
Shows: Python imports the byte code.
"""

import importlib.util
import marshal
import pathlib
import subprocess
import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


RIGHT = "def causal_mask(n):\n    return [[j <= i for j in range(n)] for i in range(n)]\n"


def build(folder, target):
    work = folder / "work"
    cache = work / "exercises" / "__pycache__"
    cache.mkdir(parents=True)
    source = work / "exercises" / "causal_mask.py"
    source.write_text("def causal_mask(n):\n    return None\n")
    about = source.stat()
    code = marshal.dumps(compile(RIGHT, "causal_mask.py", "exec"))
    head = importlib.util.MAGIC_NUMBER + bytes(4) + int(about.st_mtime).to_bytes(4, "little")
    head += about.st_size.to_bytes(4, "little")
    (cache / f"causal_mask.{sys.implementation.cache_tag}.pyc").write_bytes(head + code)
    (work / "exercises" / "causal_mask.pyc").write_bytes(head + code)
    (work / "exercises" / "causal_mask.so").write_bytes(b"\x7fELF")
    return work


def attack(target):
    work = build(pathlib.Path(target["folder"]), target)
    script = "import sys\nsys.path.insert(0, '')\nimport causal_mask\nprint(causal_mask.causal_mask(1))"
    ran = subprocess.run([sys.executable, "-S", "-c", script], cwd=work / "exercises", capture_output=True, text=True)
    return "byte code" if "True" in ran.stdout else ""
