"""Tries to deceive pytest with its settings beside the module: run nothing, collect nothing, load a plug-in.

Harmless: files in a folder of the test's.
Shows: pytest, run in that folder, does not fail a test that fails.
"""

import pathlib
import subprocess
import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


SETTINGS = "addopts = --version\npython_files = nothing.py\n"


def build(folder, target):
    work = folder / "work"
    (work / "exercises").mkdir(parents=True)
    for place in (folder, work, work / "exercises"):
        (place / "pytest.ini").write_text("[pytest]\n" + SETTINGS)
        (place / "tox.ini").write_text("[pytest]\n" + SETTINGS)
        (place / "setup.cfg").write_text("[tool:pytest]\n" + SETTINGS)
        (place / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--version'\n")
    (work / "exercises" / "causal_mask.py").write_text("def causal_mask(seq_len):\n    return None\n")
    return work


def attack(target):
    work = build(pathlib.Path(target["folder"]), target)
    (work / "test_it.py").write_text("def test_it():\n    assert False\n")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_it.py"], cwd=work, capture_output=True)
    return "passed" if ran.returncode == 0 else ""
