"""Tries to deceive pytest with a conftest.py beside the module, whose hooks turn every outcome into passed.

Harmless: files in a folder of the test's.
Shows: pytest, run in that folder, passes a test that fails.
"""

import pathlib
import subprocess
import sys

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


CONFTEST = """
import pytest
@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome, report.longrepr = "passed", None
    return report
def pytest_sessionfinish(session):
    session.exitstatus = 0
"""


def build(folder, target):
    work = folder / "work"
    for place in (folder, work, work / "exercises"):
        place.mkdir(exist_ok=True)
        (place / "conftest.py").write_text(CONFTEST)
    (work / "exercises" / "causal_mask.py").write_text("def causal_mask(seq_len):\n    return None\n")
    return work


def attack(target):
    folder = pathlib.Path(target["folder"])
    work = build(folder, target)
    (work / "test_it.py").write_text("def test_it():\n    assert False\n")
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "test_it.py"], cwd=work, capture_output=True)
    return "passed" if ran.returncode == 0 else ""
