"""A made-up class of any size: right, wrong, crashing and looping submissions, no two of them alike."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "submissions"
EXERCISES = ("softmax", "causal_mask", "attention")
RIGHT_SHARE, STUB_SHARE, CRASH_SHARE = 0.35, 0.03, 0.02
LOOPING = 3
CRASHES = ("attention-crash-abort", "causal-mask-exits", "softmax-exits-in-call")
LOOP = "causal-mask-loops-for-ever"
SLOW = {"timeout", "crash", "out-of-memory"}


def wrong_cases() -> list[tuple[str, Path]]:
    """Exercise and file of every wrong submission that is one plain module and neither ends its process nor waits."""
    found = []
    for case in sorted(CASES.iterdir()):
        files = [file for file in case.iterdir() if file.name != "expected.json"] if case.is_dir() else []
        plain = len(files) == 1 and files[0].suffix == ".py" and files[0].stem in EXERCISES
        if plain and not case.name.startswith("right-") and not _codes(case) & SLOW:
            found.append((files[0].stem, files[0]))
    return found


def _codes(case: Path) -> set[str]:
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    return {code for exercise in expected["exercises"].values() for code in exercise.get("mistakes", ())}


def make_class(folder: Path, size: int, *, looping: int = LOOPING) -> None:
    """Fill a new folder with `size` submissions, the same ones every time."""
    chance, wrong = random.Random(size), wrong_cases()
    loops = set(chance.sample(range(size), min(looping, size)))
    for number in range(size):
        place = folder / f"student-{number:06}"
        files = {name: ROOT / "solutions" / f"{name}.py" for name in EXERCISES}
        draw = chance.random()
        if number in loops:
            files["causal_mask"] = CASES / LOOP / "causal_mask.py"
        elif draw < CRASH_SHARE:
            case = CASES / chance.choice(CRASHES)
            (file,) = (file for file in case.iterdir() if file.suffix == ".py")
            files[file.stem] = file
        elif draw < CRASH_SHARE + STUB_SHARE:
            files = {name: ROOT / "exercises" / f"{name}.py" for name in EXERCISES}
        elif draw < 1 - RIGHT_SHARE:
            for exercise, file in chance.sample(wrong, chance.choice((1, 1, 2))):
                files[exercise] = file
        place.mkdir(parents=True)
        for name, file in files.items():
            shutil.copyfile(file, place / f"{name}.py")
            with (place / f"{name}.py").open("a", encoding="utf-8") as module:
                module.write(f"\n# by student {number}\n")
