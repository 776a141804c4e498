"""Tries to bring its own course: a course.yml, suites and a state of its own beside the module, which give all points.

Harmless: files in a folder of the test's.
Shows: a grader that reads the nearest course.yml reads this one.
"""

import pathlib

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


COURSE = """
name: attention
exercises:
  - {name: causal_mask, module: causal_mask, function: causal_mask, suite: grader/suites/test_causal_mask.py, points: 20}
limits: {call_cpu_seconds: 1000, memory_mebibytes: 1000000}
"""
SUITE = "import pytest\n@pytest.mark.points(20)\ndef test_all(causal_mask):\n    '''All'''\n"


def build(folder, target):
    work = folder / "work"
    for place in ("exercises", "grader/suites", "solutions", ".grade"):
        (work / place).mkdir(parents=True)
    for place in (folder, work, work / "exercises", work / ".grade"):
        (place / "course.yml").write_text(COURSE)
    (work / "grader" / "suites" / "test_causal_mask.py").write_text(SUITE)
    (work / "grader" / "__init__.py").write_text("raise SystemExit(0)\n")
    (work / ".grade" / "progress.json").write_text('{"schema": 1, "score": 20}')
    (work / "exercises" / "causal_mask.py").write_text("def causal_mask(seq_len):\n    return None\n")
    return work


def attack(target):
    work = build(pathlib.Path(target["folder"]), target)
    nearest = next(place for place in (work / "exercises").parents if (place / "course.yml").is_file())
    return "its own course" if "1000000" in (nearest / "course.yml").read_text() else ""
