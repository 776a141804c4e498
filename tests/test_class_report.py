"""What a class shows: numbers that add up, names where they belong, and nothing of whose an example is.

The golden page is written anew by `python -m tests.test_class_report`; read the difference.
"""

from __future__ import annotations

import gc
import re
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.class_summary import ClassSummary, Doubt, Example, Seed, Spread, anonymous, costs, summarise
from grader.course import Course
from grader.doubt import NO_FUNCTION, doubt
from grader.evidence import right_result
from grader.movement import Movement, Movements, movements
from grader.render import class_html, class_plain
from grader.render.characters import visible
from grader.render.lines import cells, one_line
from grader.report import Report
from tests.test_html import Element, read, words

GOLDEN = Path(__file__).parent / "golden" / "class" / "plain-80.txt"

# ── records as a batch writes them ─────────────────────────────────────────────────────────────────

TITLES = {
    "overflow": "Exponentiates large scores without subtracting the maximum",
    "missing-scaling": "Does not divide the scores by √d_k",
    "mask-ignored": "Does not use the mask it is given",
    "unexplained": "Gives wrong results that no known mistake reproduces",
}
MAX = {"softmax": 30.0, "attention": 50.0}
SHOWN = ["import numpy as np; from softmax_of_zoe import softmax", "softmax(np.array([1000.0]))"]


def mistake(
    code: str, certainty: str = "matched", got: str = "", title: str = "", call: str = SHOWN[1]
) -> dict[str, Any]:
    made = {"code": code, "certainty": certainty, "title": title or TITLES.get(code, code), "explanation": "Because."}
    return made | ({"evidence": {"lines": [SHOWN[0], call], "got": got}} if got else {})


def check(name: str, outcome: str = "passed", title: str = "") -> dict[str, Any]:
    return {"name": name, "title": title or f"The check {name}", "outcome": outcome, "points": 0.0, "max_points": 1.0}


def part(name: str, score: float, *mistakes: dict[str, Any], **more: Any) -> dict[str, Any]:
    known = {"name": name, "score": score, "max_score": MAX.get(name, 30.0), "status": "failed", "tests": []}
    return known | {"notes": [], "mistakes": list(mistakes)} | more


def record(student: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    made_with = {"sha256": f"of {student}", "seed": 1, "grader": "0.1.0", "course_version": "aa"}
    return {
        "schema": 1,
        "course": "attention",
        "title": "Attention from the Math Up",
        "student": student,
        "submission": f"{student}.py",
        "graded": True,
        "score": sum(each["score"] for each in parts),
        "max_score": sum(each["max_score"] for each in parts),
        "exercises": list(parts),
    } | {**more, "receipt": made_with | more.get("receipt", {})}


def scored(*scores: float, of: float = 30.0) -> ClassSummary:
    parts = [part("softmax", score, max_score=of) for score in scores]
    return summarise(record(f"s{number}", each) for number, each in enumerate(parts))


def failed(student: str) -> dict[str, Any]:
    """A record of which the grader, not the student, made nothing."""
    return record(student, part("softmax", 0.0, mistake("overflow"), status="not-graded"), graded=False, likeness="x")


# ── how many, and how much ─────────────────────────────────────────────────────────────────────────


def test_a_fault_of_the_grader_counts_nowhere_else() -> None:
    """A record that is not graded is named and counted, and changes no other number."""
    right = [record("ann", part("softmax", 30.0), likeness="x"), record("bob", part("softmax", 10.0))]
    alone, beside = summarise(right), summarise([failed("zoe"), *right])
    assert beside.not_graded == ("zoe",)
    assert (beside.graded, beside.full) == (2, 1)
    names = [name for name in ClassSummary.__dataclass_fields__ if name != "not_graded"]
    assert [getattr(beside, name) for name in names] == [getattr(alone, name) for name in names]


def test_scores_are_spread_as_statistics_has_it() -> None:
    """Mean, quartiles and the ends are those of the scores in whatever order they come."""
    assert scored(30, 0, 10, 20).spread == Spread(15.0, 0, 7.5, 15.0, 22.5, 30)
    assert scored(12).spread == Spread(12.0, 12, 12, 12, 12, 12)
    assert scored().spread is None


@pytest.mark.parametrize(
    ("most", "width", "count"),
    [(100, 10, 10), (30, 5, 6), (65, 10, 7), (7, 1, 7), (1, 0.1, 10), (0.3, 0.05, 6), (1000, 100, 10)],
)
def test_bins_are_round(most: float, width: float, count: int) -> None:
    """At most ten bins of a width that is 1, 2 or 5 times a power of ten, up to the most points there are."""
    bins = scored(0, most, of=most).bins
    assert len(bins) == count
    assert (bins[0].low, bins[0].high) == (0, pytest.approx(width))
    assert bins[-1].high == most
    assert [each.count for each in (bins[0], bins[-1])] == [1, 1]
    assert all(one.high == other.low for one, other in pairwise(bins))


@pytest.mark.parametrize("most", [300.0, 30.0, 3.0, 0.3])
def test_every_score_is_in_its_bin(most: float) -> None:
    """A score on an edge counts above it, full marks in the last bin, and none is lost to binary fractions."""
    scores = [round(each * most / 300, 6) for each in range(301)]
    bins = scored(*scores, of=most).bins
    for each in bins:
        last = each is bins[-1]
        assert each.count == sum(each.low <= score < each.high or (last and score == most) for score in scores)


def test_bins_of_nothing() -> None:
    """Where there are no points to be had there are no bins."""
    assert scored(0.0, of=0.0).bins == ()


def test_each_exercise_has_its_mean_and_full_marks() -> None:
    """An exercise counts the submissions it is in."""
    records = [
        record("ann", part("softmax", 30.0), part("attention", 10.0)),
        record("bob", part("softmax", 15.0)),
    ]
    softmax, attention = summarise(records).exercises
    assert (softmax.name, softmax.mean, softmax.full, softmax.submissions) == ("softmax", 22.5, 1, 2)
    assert (attention.name, attention.mean, attention.full, attention.submissions) == ("attention", 10.0, 0, 1)


def test_tests_failed_by_most_come_first() -> None:
    """A test counts where it was run: skipped is not failed, and what nobody fails is not listed."""
    tests = [
        [check("a", "failed"), check("b", "failed"), check("c")],
        [check("a", "passed"), check("b", "failed"), check("c")],
        [check("a", "skipped"), check("b", "skipped"), check("c", "skipped")],
    ]
    summary = summarise(record(f"s{at}", part("softmax", 0.0, tests=each)) for at, each in enumerate(tests))
    assert [(each.name, each.failed, each.run, each.share) for each in summary.tests] == [
        ("b", 2, 2, 1),
        ("a", 1, 2, 0.5),
    ]


# ── what a mistake costs ───────────────────────────────────────────────────────────────────────────

IF_BOTH = [{"repaired": ["overflow"], "score": 18.0}, {"repaired": ["mask-ignored"], "score": 26.0}]


def test_a_mistake_costs_what_its_repair_gives() -> None:
    """Where the score with a mistake repaired is known, the difference is what it costs; never less than 0."""
    two = mistake("overflow"), mistake("mask-ignored")
    assert costs(part("softmax", 14.0, *two, what_if=IF_BOTH)) == {"overflow": 4.0, "mask-ignored": 12.0}
    worse = [{"repaired": ["overflow"], "score": 10.0}]
    assert costs(part("softmax", 14.0, two[0], what_if=worse)) == {"overflow": 0.0}


def test_what_is_not_known_is_shared_equally() -> None:
    """Without what_if the points lost are shared; a repair of several at once says nothing of one."""
    two = mistake("overflow"), mistake("mask-ignored")
    assert costs(part("softmax", 14.0, *two)) == {"overflow": 8.0, "mask-ignored": 8.0}
    both = [{"repaired": ["overflow", "mask-ignored"], "score": 30.0}]
    assert costs(part("softmax", 14.0, *two, what_if=both)) == {"overflow": 8.0, "mask-ignored": 8.0}
    assert costs(part("softmax", 14.0, *two, what_if=IF_BOTH[:1])) == {"overflow": 4.0, "mask-ignored": 8.0}
    assert costs(part("softmax", 30.0, mistake("forbidden"))) == {"forbidden": 0.0}
    assert costs(part("softmax", 14.0)) == {}


def test_mistakes_never_cost_more_than_was_lost() -> None:
    """Where repairs overlap, all costs are scaled down to the points the exercise lost."""
    overlap = [{"repaired": [code], "score": score} for code, score in (("overflow", 30.0), ("mask-ignored", 22.0))]
    made = part("softmax", 14.0, mistake("overflow"), mistake("mask-ignored"), what_if=overlap)
    assert costs(made) == pytest.approx({"overflow": 16 * 16 / 24, "mask-ignored": 8 * 16 / 24})


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 30), st.lists(st.none() | st.floats(0, 30), min_size=1, max_size=5))
def test_costs_stay_between_nothing_and_what_was_lost(score: float, repaired: list[float | None]) -> None:
    """Whatever is known of repairs, no mistake costs less than nothing and all together no more than was lost."""
    made = [mistake(f"m{at}") for at in range(len(repaired))]
    known = [{"repaired": [f"m{at}"], "score": each} for at, each in enumerate(repaired) if each is not None]
    found = costs(part("softmax", score, *made, what_if=known))
    assert min(found.values()) >= 0
    assert sum(found.values()) <= 30 - score + 1e-9


def test_mistakes_come_with_the_students_behind_them() -> None:
    """The most frequent mistake comes first, among equals the dearest; an exercise's mistakes are its own."""
    records = [
        record("ann", part("softmax", 14.0, mistake("overflow")), part("attention", 40.0, mistake("overflow"))),
        record("bob", part("softmax", 20.0, mistake("overflow", "suspected"))),
        record("cem", part("softmax", 0.0, mistake("timeout"))),
    ]
    found = [(each.exercise, each.code, each.points, each.students) for each in summarise(records).mistakes]
    assert found == [
        ("softmax", "overflow", 26.0, ("ann", "bob")),
        ("softmax", "timeout", 30.0, ("cem",)),
        ("attention", "overflow", 10.0, ("ann",)),
    ]
    assert [each.suspected for each in summarise(records).mistakes] == [1, 0, 0]


# ── nothing to grade, and what to look at by hand ──────────────────────────────────────────────────


def test_nothing_to_grade_is_no_mistake() -> None:
    """Stubs and functions that are not there are counted by exercise, apart from mistakes, with what they cost."""
    records = [
        record("ann", part("softmax", 0.0, mistake("not-implemented")), part("attention", 0.0, mistake("timeout"))),
        record("bob", part("softmax", 0.0, mistake("missing-function")), part("attention", 50.0)),
    ]
    summary = summarise(records)
    assert [(each.exercise, each.code) for each in summary.mistakes] == [("attention", "timeout")]
    assert [(each.exercise, each.points, each.students) for each in summary.nothing] == [
        ("softmax", 60.0, ("ann", "bob"))
    ]
    said = "Nothing to grade: 2 for softmax (60 points in all)."
    assert said in " ".join(class_plain.render(summary).split())
    page = read(class_html.document(summary))
    assert said in words(page)
    assert [words(each) for each in page.all("details") if "softmax (2)" in words(each)] == ["softmax (2) annbob"]


def test_an_untouched_stubs_checks_count_nowhere() -> None:
    """A check that a stub fails says nothing of the class; of those who wrote something every one counts."""
    checks = [check("a", "failed"), check("b", "passed")]
    records = [
        record(
            "ann", part("softmax", 0.0, mistake("not-implemented"), tests=[check("a", "failed"), check("b", "failed")])
        ),
        record("bob", part("softmax", 0.0, status="not-implemented", tests=[check("b", "failed")])),
        record("cem", part("softmax", 10.0, mistake("overflow"), tests=checks)),
    ]
    assert [(each.name, each.failed, each.run) for each in summarise(records).tests] == [("a", 1, 1)]


def test_a_classs_points_have_the_digits_that_help() -> None:
    """Sums are whole from 10 on, in tenths below, means in tenths; a score stands as it is; 100 % is one word."""
    third = mistake("overflow"), mistake("underflow"), mistake("timeout")
    summary = summarise([record("ann", part("softmax", 0.5, *third)), record("bob", part("softmax", 28.25, *third))])
    text = class_plain.render(summary)
    for shown in (" ".join(text.split()), words(read(class_html.document(summary)))):
        assert "mean 14.4, median 14.4; the middle half from 7.4 to 21.3, all from 0.5 to 28.25." in shown
    assert re.search(r"^ +2 +10  softmax: overflow$", text, re.MULTILINE)
    assert re.findall(r">\d+ %<", class_html.document(scored(30.0, 30.0))) == []
    assert "100\u00a0%" in class_html.document(scored(30.0, 30.0))
    assert "(100 %)" in class_plain.render(scored(30.0, 30.0))


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        ((30.0, 31.0), "mean 30.5, median 30.5;"),
        ((79.0, 80.0), "mean 79.5, median 79.5;"),
        ((10.0, 20.0, 30.0), "mean 20, median 20;"),
        ((10.25, 10.25), "mean 10.3, median 10.3;"),
        ((0.25, 0.25), "mean 0.3, median 0.3;"),
        ((14.05, 14.05), "mean 14.1, median 14.1;"),
    ],
)
def test_means_are_told_in_tenths(scores: tuple[float, ...], shown: str) -> None:
    """Of the class and of each exercise, in the text and on the page; halves are rounded up, as at school."""
    summary = scored(*scores, of=80.0)
    mean = shown.partition(",")[0]
    for text in (" ".join(class_plain.render(summary).split()), words(read(class_html.document(summary)))):
        assert shown in text
        assert mean.removeprefix("mean ") + " of 80" in text


@pytest.mark.parametrize(
    ("some", "every", "shown"),
    [(5, 8, "63"), (3, 8, "38"), (1, 8, "13"), (29, 200, "15"), (1, 400, "1"), (399, 400, "99"), (0, 3, "0")],
)
def test_percentages_are_rounded_half_up(some: int, every: int, shown: str) -> None:
    """62.5 % is 63 %, and 14.5 % is 15 % though no float is; nearly none is not 0, nor nearly all 100."""
    assert class_plain.percent(some / every) == f"{shown}\u00a0%"


def test_sums_are_rounded_half_up() -> None:
    """Of the points a mistake costs, too: 10.5 and 12.5 are 11 and 13."""
    assert [class_plain.about(each) for each in (10.5, 12.5, 164.49, 0.25, 2.0)] == ["11", "13", "164", "0.3", "2"]


def missing(*notes: str) -> dict[str, Any]:
    return part("softmax", 0.0, mistake("missing-function"), notes=list(notes))


ELSEWHERE = "softmax is also defined in b.py; a.py was graded."
UNTOUCHED = part("attention", 0.0, mistake("not-implemented"))


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([missing("x.ipynb: it is no notebook")], "x.ipynb: it is no notebook"),
        ([missing("x.zip: broken"), part("attention", 50.0, notes=["x.zip: broken"])], "x.zip: broken"),
        ([missing(), missing()], NO_FUNCTION),
        ([missing(), UNTOUCHED], ""),
        ([UNTOUCHED], ""),
        ([part("softmax", 30.0, notes=[ELSEWHERE])], ""),
        ([part("softmax", 4.0, mistake("overflow"), notes=["one", ELSEWHERE])], ELSEWHERE),
        ([part("softmax", 4.0, mistake("overflow"), notes=["a.py, line 3: ValueError: no"])], ""),
        ([part("softmax", 0.0, tests=[check("a", "skipped")])], NO_FUNCTION),  # a course that names no mistakes
        ([part("softmax", 0.0, tests=[check("a", "failed")])], ""),
        ([missing("x" * 9999)], "x" * 300 + " …"),
    ],
)
def test_what_to_look_at_by_hand(parts: list[dict[str, Any]], why: str) -> None:
    """What was not read or stands elsewhere, and work without any function; never a stub or a mistake."""
    assert doubt(record("ann", *parts)) == why
    assert doubt(record("ann", *parts, graded=False)) == ""
    assert summarise([record("ann", *parts)]).by_hand == ((Doubt("ann", why),) if why else ())


@pytest.mark.parametrize(
    "name", ["cut.ipynb", "broken.zip", "essay.docx", "other.py", "two", "beside", "stub.py", "right"]
)
def test_what_the_grader_notes_is_known(
    grade_path: Callable[..., Report], tmp_path: Path, root: Path, name: str
) -> None:
    """What cannot be read, or stands in a file that was not graded, is told from a stub and from right work."""
    right, stub = (root / folder / "softmax.py" for folder in ("solutions", "exercises"))
    files = {
        "cut.ipynb": {"work.ipynb": b'{"cells": [{"cell_type"'},
        "broken.zip": {"work.zip": b"PK\3\4 no more"},
        "essay.docx": {"essay.docx": b"An essay."},
        "other.py": {"hello.py": b"print('hello')\n"},
        "two": {"a.py": b"def softmax(x, axis=-1): return x\n", "b.py": right.read_bytes()},
        "beside": {"exercises/softmax.py": stub.read_bytes(), "softmax.py": right.read_bytes()},
        "stub.py": {"softmax.py": stub.read_bytes()},
        "right": {"softmax.py": right.read_bytes()},
    }
    (tmp_path / "exercises").mkdir()
    for file, data in files[name].items():
        (tmp_path / file).write_bytes(data)
    if name != "beside":
        (tmp_path / "exercises").rmdir()
    made = grade_path(tmp_path, "softmax").to_json() | {"student": "ann"}
    assert bool(doubt(made)) == (name not in ("stub.py", "right"))


def test_the_teacher_is_told_whom_to_look_at() -> None:
    """Names and reasons stand in the text, of many the first dozen, and closed on the page, all of them."""
    summary = summarise(record(f"name-{at:02d}", missing(f"work-{at:02d}.zip: broken")) for at in range(14))
    text = " ".join(class_plain.render(summary, width=120).split())
    assert "To look at by hand: 14 students." in text
    assert "- name-11: work-11.zip: broken - 2 more; --report and --format csv name all." in text
    assert "name-12: " not in text
    root = read(class_html.document(summary))
    assert "To look at by hand" in [each.text for each in root.all("h2")]
    items = [item.text for each in root.all("details") for item in each.all("li")]
    assert [each for each in items if ": " in each] == [f"name-{at:02d}: work-{at:02d}.zip: broken" for at in range(14)]
    assert root.text.count("work-") == 14


def test_the_seed_is_told() -> None:
    """Which seed it was, of a secret one its digest; several where results of several are there, and no fault's."""
    parts = part("softmax", 30.0)
    secret = record("ann", parts, receipt={"seed": 0x1234ABCD, "secret": True})
    assert summarise([secret, failed("zoe")]).seeds == (Seed(0x1234ABCD, secret=True),)
    assert "Graded with the class's own seed, digest 1234abcd." in " ".join(
        class_plain.render(summarise([secret])).split()
    )
    seven = record("bob", parts, receipt={"seed": 7})
    for told in (class_plain.render(summarise([seven]), width=200), words(page_of([seven]))):
        assert "Graded with seed 7." in told
    several = [record(f"s{at}", parts, receipt={"seed": at}) for at in range(5)]
    assert "Graded with seed 0 and seed 1 and seed 2 and 2 more." in class_plain.render(summarise(several), width=200)


# ── examples ───────────────────────────────────────────────────────────────────────────────────────


def example_of(*parts: dict[str, Any]) -> Example | None:
    return summarise(record(f"s{at}", each) for at, each in enumerate(parts)).mistakes[0].example


def test_the_example_is_the_first_typical_one() -> None:
    """Shown is the first with evidence that is matched and the only mistake; else the nearest to that."""
    doubtful = part("softmax", 0.0, mistake("overflow", "suspected", got="[1.]"))
    one_of_two = part("softmax", 0.0, mistake("overflow", got="[2.]"), mistake("timeout"))
    typical = part("softmax", 0.0, mistake("overflow", got="[3.]"))
    later = part("softmax", 0.0, mistake("overflow", got="[4.]"))
    bare = part("softmax", 0.0, mistake("overflow"))
    for parts, got in (
        ((doubtful, one_of_two, bare, typical, later), "[3.]"),
        ((bare, doubtful, one_of_two), "[2.]"),
        ((doubtful, bare), "[1.]"),
    ):
        example = example_of(*parts)
        assert example is not None
        assert example.got == got
    assert example_of(bare) is None


def test_an_example_does_not_say_whose_it_is() -> None:
    """Of the evidence the call is shown, not the line that names the student's file."""
    assert example_of(part("softmax", 0.0, mistake("overflow", got="[nan]"))) == Example(SHOWN[1], "[nan]")


def test_the_right_result_stands_beside_a_students(course: Course) -> None:
    """On the page, where the course knows the call; a call of an older course has no right result and is no error."""
    call = "softmax(np.array([1000.0, 1001.0]))"
    right = right_result(course)
    assert right(call) == "[0.2689, 0.7311]"
    assert right("softmax(np.array([3.25]))") == right("nothing()") == right("") == ""
    made = [record("ann", part("softmax", 14.0, mistake("overflow", got="[nan, nan]", call=call)))]
    summary = summarise(made)
    blocks = [each.text for each in read(class_html.document(summary, right)).all("pre")]
    assert blocks == [f"{call}\n\n[nan, nan]", "[0.2689, 0.7311]"]
    assert class_plain.RIGHT_IS not in class_html.document(summary)


def test_points_are_said_to_be_the_classs() -> None:
    """Wherever a mistake's points stand, they are the whole class's."""
    summary = summarise([one("ann", 14.0, "overflow"), one("bob", 20.0, "overflow")])
    page = read(class_html.document(summary))
    assert "2 students; 26 points in all." in words(page)
    assert "points in all" in [each.text for each in page.all("th")]
    assert "points that each costs the whole class" in " ".join(class_plain.render(summary).split())
    assert "Because." in words(page)  # the explanation, also where there is no example


@pytest.mark.parametrize(
    ("got", "shown"),
    [
        ("[[0.9526, 1.e+05],\n [nan, -inf]]", None),
        ("([True, False], [-1, 0])", None),
        ("[0. , 1. , ..., 2. ]", None),
        ("an array of shape (3, 100000) (float64)", None),
        ("None", None),
        ("a list", None),
        ("a dict", None),
        ("a text", None),
        ("an array of Python objects", None),
        ("a complex128 array", None),
        ("SystemExit", None),
        ("ValueError: I am Zoe", "ValueError"),
        ("AxisError: axis 1 is out of bounds", "AxisError"),
        ("ZoeError: 1", "an exception"),
        ("timeout: ran longer than 2 s", "no answer in time"),
        ("crash: ended itself with Zoe", "no answer: it ended its process"),
        ("a ZoeArray", "something that is no array of numbers"),
        ("Zoe", "something that is no array of numbers"),
        ("", "something that is no array of numbers"),
        ("a print", "something that is no array of numbers"),
    ],
)
def test_no_answer_brings_a_students_words(got: str, shown: str | None) -> None:
    """Numbers and the grader's words stand as they are; messages and names of the student's own do not."""
    assert anonymous(got) == (got if shown is None else shown)


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1, max_size=30))
def test_no_exceptions_message_is_shown(message: str) -> None:
    """Whatever an exception says, its kind alone is told."""
    assert anonymous(f"ValueError: {message}") == "ValueError"
    assert anonymous(f"ZoeError: {message}") == "an exception"


def test_no_answer_takes_long_to_judge() -> None:
    """An answer that is nearly all numbers, as a type named by a student can be, is judged at once."""
    start = time.process_time()
    for nearly in ("-", "--", "e-", "nan", "1", "masked", "inf "):
        assert anonymous(nearly * 20_000 + "x") == "something that is no array of numbers"
    assert time.process_time() - start < 1


# ── groups ─────────────────────────────────────────────────────────────────────────────────────────


def test_unexplained_functions_cluster_by_their_numbers() -> None:
    """Equal digests of unexplained functions of one exercise are a cluster; others, and one alone, are none."""
    wrong = mistake("unexplained", "suspected", got="[0.5]")
    records = [
        record("ann", part("softmax", 3.0, wrong, probe_digest="d1")),
        record("bob", part("attention", 3.0, wrong, probe_digest="d1")),
        record("cem", part("softmax", 3.0, wrong, probe_digest="d2")),
        record("dil", part("softmax", 3.0, wrong, probe_digest="d1")),
        record("emi", part("softmax", 3.0, mistake("overflow"), probe_digest="d1")),
        record("fay", part("softmax", 3.0, wrong, probe_digest="")),
        record("gus", part("softmax", 3.0, wrong)),
    ]
    (found,) = summarise(records).clusters
    assert (found.exercise, found.students, found.example) == ("softmax", ("ann", "dil"), Example(SHOWN[1], "[0.5]"))


def test_the_same_code_is_a_group() -> None:
    """Submissions of equal likeness are a group, the largest first; without code there is no likeness."""
    kinds = {"ann": "a", "bob": "b", "cem": "b", "dil": "a", "emi": "a", "fay": "c", "gus": "", "hal": ""}
    records = [record(name, part("softmax", 7.0), likeness=kind) for name, kind in kinds.items()]
    found = [(each.students, each.score) for each in summarise(records).identical]
    assert found == [(("ann", "dil", "emi"), 7.0), (("bob", "cem"), 7.0)]


def test_records_are_let_go() -> None:
    """A class is read as a stream: what is kept of a submission is far less than the submission."""

    def many() -> Iterator[dict[str, Any]]:
        for at in range(4000):
            made = part(
                "softmax", 14.0, mistake("overflow", got="[nan]"), tests=[check("a", "failed", "x" * 20_000 + str(at))]
            )
            yield record(f"student {at}", made, likeness=f"{at:064d}")

    for read_all in (summarise, lambda records: movements(records, [])):
        tracemalloc.start()
        kept = read_all(many())
        gc.collect()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert kept
        assert peak < 4000 * 1500


# ── who moved ──────────────────────────────────────────────────────────────────────────────────────


def one(student: str, score: float, *codes: str, **more: Any) -> dict[str, Any]:
    return record(student, part("softmax", score, *map(mistake, codes)), **more)


def single(old: dict[str, Any] | None, new: dict[str, Any] | None) -> Movement:
    (found,) = movements([old] if old else [], [new] if new else []).moved
    return found


def test_a_movement_has_its_size_and_reasons() -> None:
    """By how much, which mistakes went and came, and what was not the same."""
    new = one("ann", 21.0, "underflow", receipt={"course_version": "bb", "sha256": "other", "seed": 2, "grader": "2"})
    found = single(one("ann", 14.0, "overflow"), new)
    assert found.points == 7.0
    assert found.gone == (("softmax", "overflow"),)
    assert found.new == (("softmax", "underflow"),)
    assert found.changed == ("submission", "course", "grader", "seed")


def test_movements_are_sorted_by_size() -> None:
    """The furthest come first, whichever way; then equal scores, who came, who left; the unmoved are counted."""
    old = [one("a", 10.0), one("b", 10.0), one("c", 10.0), one("d", 10.0, "x"), one("e", 10.0), one("z", 10.0)]
    new = [
        one("a", 11.0),
        one("b", 2.0),
        one("c", 13.0),
        one("d", 10.0),
        one("e", 10.0, receipt={"seed": 9}),
        one("f", 1.0),
    ]
    found = movements(old, new)
    assert [each.student for each in found.moved] == ["b", "c", "a", "d", "f", "z"]
    assert found.unchanged == 1
    assert [each.points for each in found.moved] == [-8.0, 3.0, 1.0, 0.0, None, None]


def test_what_changed_for_everyone_is_said_once() -> None:
    """A new course version for all is told once, a new file of one student with that student."""
    old = [one("a", 10.0), one("b", 10.0)]
    new = [
        one("a", 11.0, receipt={"course_version": "bb"}),
        one("b", 10.0, receipt={"course_version": "bb", "sha256": "x"}),
    ]
    found = movements(old, new)
    assert found.everywhere == ("course",)
    assert movements(old, new[:1]).everywhere == ("course",)
    assert movements(old, []).everywhere == ()


def test_a_fault_of_the_grader_is_no_movement_in_points() -> None:
    """A score that is not known is not 0: there is no distance to it, and no mistakes went or came."""
    for old, new in ((failed("zoe"), one("zoe", 30.0)), (one("zoe", 30.0, "x"), failed("zoe"))):
        found = single(old, new)
        assert (found.points, found.gone, found.new) == (None, (), ())
    assert movements([failed("zoe")], [failed("zoe")]).unchanged == 1
    assert "zoe: not graded, 30 points before." in told(movements([one("zoe", 30.0)], [failed("zoe")]))
    assert "zoe: 30 points, not graded before." in told(movements([failed("zoe")], [one("zoe", 30.0)]))


def test_of_several_records_the_last_counts() -> None:
    """A student who stands in a file twice is one student, as graded last."""
    found = movements([one("a", 1.0), one("a", 2.0)], [one("a", 3.0), one("a", 4.0)])
    assert [each.points for each in found.moved] == [2.0]


def told(found: Movements, width: int = 200) -> str:
    return class_plain.render(summarise([]), found, width=width)


def test_movements_are_told_in_words() -> None:
    """Up and down, the reasons, what changed for all, who came and who left; nothing known is said as well."""
    old = [one("a", 10.0, "overflow"), one("b", 10.0), one("z", 10.0), one("d", 5.0, "x")]
    new = [one("a", 20.5, receipt={"sha256": "x"}), one("b", 9.0), one("f", 1.0), one("d", 5.0, "y")]
    said = told(movements(old, new))
    assert (
        "Against the earlier grading: 1 higher, 1 lower, 1 otherwise changed, 1 newly there, 1 gone, 0 unchanged."
        in said
    )
    assert "- a: 10.5 points up, from 10 to 20.5. No longer named: softmax: overflow. Changed: submission.\n" in said
    assert "- b: 1 point down, from 10 to 9. Nothing on record says why.\n" in said
    assert "- d: 5 points as before. No longer named: softmax: x. Newly named: softmax: y.\n" in said
    assert "- f: newly there, 1 point.\n" in said
    assert "- z: gone, 10 points before.\n" in said
    everyone = told(movements([one("a", 1.0)], [one("a", 2.0, receipt={"grader": "0.2.0"})]))
    assert "Changed for every student of both: grader." in everyone
    assert "- a: 1 point up, from 1 to 2.\n" in everyone


# ── the pages ──────────────────────────────────────────────────────────────────────────────────────

HOSTILE = (
    "\"><script>alert(1)</script> ' onmouseover='alert(2)' \x1b[31m\u202e\x00\ud800 {0} %s \\",
    "</li></ul></details></td></th></table></article></main></title></style><img src=x onerror=a()>",
    "<!-- <![CDATA[ ]]> <?php <svg/onload=alert(3)> javascript:alert(4) <plaintext> -->",
    "x" * 255,
    "عمر\u2067 אב",
)


def school(odd: str = "Zoë Özil 1041", text: str = "") -> list[dict[str, Any]]:
    """A class with something of everything: `odd` is one student's name; `text` stands wherever a record has words."""
    checks = ("large_scores", "failed", text or "Scores of ±10,000 get finite and right weights"), ("shift", "passed")
    tests = [check(*each) for each in checks]
    wrong = mistake("unexplained", "suspected", got=text or "[[0.3333, 0.6667]]", title=text)
    scale = mistake("missing-scaling", got="ValueError: who reads this?", title=text, call=f"attention({'0.5,' * 99})")
    over = [mistake("overflow", *rest, got="[nan]", title=text) for rest in ((), ("suspected",))]
    records = [failed("Nils"), failed(f"{odd} jr")]
    for at in range(24):
        gone = part(
            "softmax", 0.0, mistake("missing-function", title=text), notes=[text or "work.zip: it is cut short"]
        )
        soft = part("softmax", 30.0) if at % 3 else part("softmax", 20.0 - at, over[at % 2], tests=tests)
        attend = part("attention", 50.0 - at, scale) if at % 5 == 4 else part("attention", 50.0)
        if at in (7, 8):
            attend = part("attention", 12.5, wrong, probe_digest="d")
        soft = gone if at == 22 else soft
        student = odd if at == 7 else f"student-{at:02d}"
        records.append(record(student, soft, attend, likeness="same" if at in (0, 1, 3, 7) else str(at)))
    return records


def earlier() -> list[dict[str, Any]]:
    return [*school()[2:20], one("Nils", 3.0), record("student-20", part("softmax", 30.0), part("attention", 2.0))]


def page_of(records: Sequence[dict[str, Any]]) -> Element:
    return read(class_html.document(summarise(records)))


def drawn(width: int = 80) -> str:
    return class_plain.render(summarise(school()), movements(earlier(), school()), width=width)


def test_the_text_is_the_golden_one() -> None:
    """At 80 columns the class is the text that was looked at and found good."""
    assert drawn() == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("odd", ["Zoë", *HOSTILE])
@pytest.mark.parametrize("width", [20, 33, 50, 80, 140])
def test_lines_keep_to_the_width(width: int, odd: str) -> None:
    """No line is wider than asked for, none ends in spaces, and nothing in it steers a terminal."""
    found = movements(earlier(), school(odd))
    text = class_plain.render(summarise(school(odd, odd)), found, width=width)
    assert [line for line in text.splitlines() if cells(line) > width] == []
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
    assert all(line.isprintable() for line in text.split("\n"))


def test_each_code_has_its_title_below() -> None:
    """From 50 columns on the table says what a code means, as the page does; what is narrower has the codes alone."""
    for width in (50, 80):
        shown = class_plain.render(summarise(school()), width=width)
        for code, title in TITLES.items():
            if code in shown:
                assert re.search(rf": {code}(?: \(\d of them suspected\))? {title}", " ".join(shown.split()))
    narrow = class_plain.render(summarise(school()), width=49)
    assert "overflow" in narrow
    assert "Exponentiates" not in narrow


def test_a_text_bar_is_as_long_as_its_count() -> None:
    """The longest bar stands for the most students, others in proportion, one student is never nothing."""
    lines = class_plain.render(scored(*[30] * 60, *[10] * 30, 0), width=80).splitlines()
    bars = {int(line.split()[-2]): line.split()[-1] for line in lines if line.endswith("#")}
    assert [(count, len(bar)) for count, bar in sorted(bars.items())] == [(1, 1), (30, 25), (60, 50)]
    assert any(line.endswith(" 0") for line in lines)
    narrow = class_plain.render(scored(*[3e6] * 12, of=1e7), width=20).splitlines()
    assert max(map(cells, narrow)) <= 20
    assert not any("#" in line for line in narrow)


def test_long_lists_of_names_are_cut_in_the_text() -> None:
    """Of a large group the text names the first dozen and counts the rest; the page names all."""
    records = [record(f"name-{at:03d}", part("softmax", 0.0), likeness="x") for at in range(40)]
    text = class_plain.render(summarise(records))
    assert "name-011 and 28 more" in " ".join(text.split())
    assert "name-012" not in text
    assert words(page_of(records)).count("name-") == 40


def test_those_not_graded_are_all_named_in_the_text() -> None:
    """Whom the grader failed has to be graded again: none is left out."""
    text = class_plain.render(summarise(failed(f"name-{at:03d}") for at in range(40)))
    assert text.count("name-") == 40
    assert "No submission was graded." in text


@pytest.mark.parametrize("records", [[], [failed("ann")], [record("ann", part("softmax", 30.0))], [one("ann", 0.0)]])
def test_small_classes_have_a_page(records: list[dict[str, Any]]) -> None:
    """Nobody, nobody graded, one student with nothing wrong, one with nothing named: each has a text and a page."""
    text = class_plain.render(summarise(records), movements(records, records))
    assert ("No submission was graded." in text) == (not records or not records[0]["graded"])
    assert "of them" not in words(page_of(records))
    assert ("No mistakes were named." in text) == ("No mistakes were named." in words(page_of(records)))


def test_the_page_says_what_the_text_says() -> None:
    """Counts, spread, rule, mistakes and groups stand on the page in the same words as in the text."""
    summary = summarise(school())
    page = words(read(class_html.document(summary)))
    sentences = [class_plain.graded(summary), class_plain.not_graded(summary), class_plain.RULE]
    sentences += [class_plain.THE_SAME, class_plain.EXPLAINED_NOT]
    sentences += [class_plain.spread(summary.spread, 80)] if summary.spread else []
    sentences += [class_plain.mistake(each) for each in summary.mistakes]
    sentences += [class_plain.check(each) for each in summary.tests]
    sentences += [class_plain.identical(each) for each in summary.identical]
    text = " ".join(class_plain.render(summary).split())
    for sentence in sentences:
        assert sentence in text
        assert sentence in page


def test_names_are_closed_away() -> None:
    """Every student's name stands in a closed <details> and nowhere else, so that the page can be projected."""
    root = page_of(school())
    names = [each["student"] for each in school()]
    closed = [each for each in root.all("details") if not each.all("details")[1:]]
    assert all("open" not in each.attributes for each in root.all("details"))
    listed = [item.text.removesuffix(": work.zip: it is cut short") for each in closed for item in each.all("li")]
    assert set(listed) <= set(names)
    assert {"Nils", "Zoë Özil 1041", "student-03"} <= set(listed)
    for name in {*names}:
        assert root.text.count(name) == sum(each.count(name) for each in listed)
    # Each mistake names the students behind it.
    behind = [[item.text for item in article.all("li")] for article in root.all("article")]
    assert [list(each.students) for each in summarise(school()).mistakes] == behind[: len(summarise(school()).mistakes)]


def test_examples_hold_no_students_words() -> None:
    """Neither the student's file nor an exception's message comes onto the page or into the text."""
    assert "ValueError" in words(page_of(school()))
    for text in (class_html.document(summarise(school())), drawn()):
        assert "who reads this" not in text
        assert "softmax_of_zoe" not in text


def test_rarer_mistakes_are_folded() -> None:
    """Ten mistakes stand open, the others in one closed box, and all of them have their article."""
    made = [one(f"s{at}", 0.0, *[f"m{code:02d}" for code in range(at + 1)]) for at in range(14)]
    root = page_of(made)
    assert [words(each.all("h3")[0]) for each in root.all("article")] == [f"softmax: m{at:02d}" for at in range(14)]
    (rarer,) = (each for each in root.all("details") if each.all("article"))
    assert len(rarer.all("article")) == 4
    assert words(rarer.children[0]) == "Rarer mistakes (4)"


def test_the_page_stands_alone() -> None:
    """It has language, title, viewport and policy, no script, and loads nothing."""
    text = class_html.document(summarise(school()))
    root = read(text)
    assert text.startswith("<!doctype html>\n")
    assert root.all("title")[0].text == root.all("h1")[0].text == "Attention from the Math Up: the class"
    assert root.all("html")[0].attributes == {"lang": "en"}
    assert "default-src 'none'; style-src 'unsafe-inline'" in [
        each.attributes.get("content") for each in root.all("meta")
    ]
    assert not root.all("script", "link", "img", "iframe")
    assert not {"src", "href", "action", "id"} & {name for each in root.walk() for name in each.attributes}
    assert not re.search(r"url\(|@import|https?:", text)


def test_tables_have_captions_and_scopes() -> None:
    """Every table says what it is, every column of words has a head, every row begins with its own."""
    for table in page_of(school()).all("table"):
        assert table.children[0].name == "caption"
        assert table.children[0].text
        assert {each.attributes["scope"] for each in table.all("thead")[0].all("th")} == {"col"}
        rows = table.all("tbody")[0].all("tr")
        assert rows
        assert all(row.children[0].attributes["scope"] == "row" for row in rows)
        assert len({len(row.children) for row in table.all("tr")}) == 1


def test_bars_repeat_numbers() -> None:
    """A bar holds no words, is hidden from screen readers, and is as long as the number beside it says."""
    root = page_of([record(f"s{at}", part("softmax", score)) for at, score in enumerate((30.0, 30.0, 0.0))])
    chart, exercises = root.all("table")
    widths = [each.children[0].style["width"] for each in chart.all("div") if "aria-hidden" in each.attributes]
    assert widths == ["50.0%", *["0.0%"] * 4, "100.0%"]
    assert [row.children[1].text for row in chart.all("tbody")[0].all("tr")] == ["1", "0", "0", "0", "0", "2"]
    assert [each.children[0].style["width"] for each in exercises.all("div") if "aria-hidden" in each.attributes] == [
        "66.7%"
    ]
    assert not any(each.text for each in root.all("div"))


def test_headings_are_in_order() -> None:
    """One h1, and no level is skipped."""
    levels = [int(each.name[1]) for each in page_of(school()).walk() if re.fullmatch("h[1-6]", each.name)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("text", HOSTILE, ids=("attributes", "ends", "comments", "long", "bidi"))
def test_no_text_brings_markup(text: str) -> None:
    """Whatever a student is called and a record says, the page's elements are those of a harmless class."""
    hostile, harmless = page_of(school(text, text)), page_of(school("harmless", "harmless"))
    assert hostile.skeleton == harmless.skeleton
    name = " ".join(visible(text).split())
    replaced = [each.text.replace("harmless", name) for each in harmless.all("li")]
    replaced[2] = f"student-22: {one_line(visible(text))}"  # a note, which has a bound
    assert [each.text for each in hostile.all("li")] == replaced


def test_explanations_have_their_code() -> None:
    """What stands in backticks is code, and an endless explanation is cut."""
    long = mistake("overflow") | {"explanation": "Take `x - x.max()` here. " + "on and on " * 2000}
    root = page_of([record("ann", part("softmax", 0.0, long))])
    assert "x - x.max()" in [each.text for each in root.all("code")]
    assert len(root.text) < 12_000


# ── in a browser ───────────────────────────────────────────────────────────────────────────────────

Open = Callable[..., Any]


def text_of(records: Sequence[dict[str, Any]]) -> str:
    return class_html.document(summarise(records))


@pytest.mark.tool("chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing(open_page: Open, scheme: str) -> None:
    """axe-core has nothing against the page, with its boxes closed and open, in light and dark, wide and narrow."""
    api = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    for width in (1280, 400):
        page = open_page(text_of(school()), color_scheme=scheme, width=width)
        assert api.Axe().run(page, options=rules).response["violations"] == []
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert api.Axe().run(page, options=rules).response["violations"] == []


@pytest.mark.tool("chromium")
@pytest.mark.parametrize("odd", ["Zoë", *HOSTILE], ids=("plain", "attributes", "ends", "comments", "long", "bidi"))
def test_the_page_fits_every_screen_and_hides_names(open_page: Open, odd: str) -> None:
    """At 400 and 1280 pixels nothing is wider than the screen, and no name is seen until it is asked for."""
    for width in (400, 1280):
        page = open_page(text_of(school(odd)), width=width)
        assert not page.locator("li:visible").count()
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert page.locator("li:visible").count()
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.tool("chromium")
def test_it_prints_on_white(open_page: Open) -> None:
    """Paper is white with black text also where the screen is dark, and a table's row is not torn in two."""
    page = open_page(text_of(school()), color_scheme="dark")
    page.emulate_media(media="print")
    colours = page.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert page.locator("tr").first.evaluate("each => getComputedStyle(each).breakInside") == "avoid"


if __name__ == "__main__":
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    GOLDEN.write_text(drawn(), encoding="utf-8", newline="\n")
