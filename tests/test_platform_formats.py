"""What Gradescope, GitHub Classroom, spreadsheets, Canvas and Moodle are given is what they publish that they read."""

from __future__ import annotations

import base64
import csv
import io
import itertools
import json
import math
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grader.render import canvas, github, gradescope, marks_csv, moodle
from grader.render.roster import Unfilled
from grader.report import ExerciseReport, Mistake, Outcome, Receipt, Report

RECEIPT = Receipt(
    sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    seed=0,
    isolation="landlock+seccomp",
    grader="0.1.0",
    course_version="3f9c2e71",
    python="3.11.7",
    numpy="2.4.6",
)
OVERFLOW = Mistake("overflow", "matched", "Exponentiates large scores as they are", "exp(710) is inf.")
HIDES = Mistake("hides-self", "suspected", "Hides each token from itself", "i <= j")
HOSTILE = 'a "quoted", b; \x1b[31mred\x1b[0m \x00 \ud800 \u202e <b>&amp;</b> 漢字 √\n::notice title=x::1\r##[error]no\\'


def check(name: str, points: float, of: float, outcome: Any = "failed", **more: Any) -> Outcome:
    return Outcome(name, f"The {name} is right", points, of, "passed" if points == of else outcome, **more)


def exercise(name: str, *tests: Outcome, status: Any = None, **more: Any) -> ExerciseReport:
    score, of = math.fsum(test.points for test in tests), math.fsum(test.max_points for test in tests)
    return ExerciseReport(name, score, of, status or ("passed" if score == of else "failed"), tests, **more)


def report(*exercises: ExerciseReport, **more: Any) -> Report:
    known = {
        "course": "attention",
        "title": "Attention",
        "submission": "lesson.py",
        "graded": True,
        "score": round(math.fsum(each.score for each in exercises), 6),
        "max_score": math.fsum(each.max_score for each in exercises),
        "next_step": "Read the hint.",
        "receipt": RECEIPT,
    }
    return Report(exercises=exercises, **known | more)


def full() -> Report:
    return report(exercise("unit", check("shape", 40, 40)), exercise("square", check("value", 60, 60)))


def partial() -> Report:
    lost = check("large", 0.0, 10.0, message="It gives nan.", targets=("overflow",), example=("import x", "x.f(1)"))
    other = check("row", 0.0, 0.3, message="Row 1 is wrong.", targets=("underflow",))
    return report(
        exercise("unit", check("shape", 40.1, 40.1), lost, other, mistakes=(OVERFLOW, HIDES)),
        exercise("square", check("value", 0.2, 0.2), check("sign", 0.0, 49.4, "skipped", message="Not run.")),
    )


def fault() -> Report:
    """The grader failed at half of one exercise and at the whole of another."""
    broken = check("sign", 0.0, 30.0, "error", message="no worker could be started.")
    return report(
        exercise("unit", check("shape", 40.0, 40.0), broken, status="not-graded"),
        ExerciseReport("square", 0.0, 30.0, "not-graded", notes=("the suite could not be read.",)),
        graded=False,
        max_score=100.0,
    )


def nothing() -> Report:
    """The grader failed before it came to any exercise."""
    return report(graded=False, max_score=100.0)


def hostile() -> Report:
    mistake = Mistake("unexplained", "suspected", HOSTILE, HOSTILE)
    test = check("value", 0.0, 100.0, message=HOSTILE, output=HOSTILE)
    return report(exercise("unit", test, mistakes=(mistake,), notes=(HOSTILE,)), submission=HOSTILE, title=HOSTILE)


CASES = {"full": full, "partial": partial, "fault": fault, "nothing": nothing, "hostile": hostile}


# ── Gradescope ─────────────────────────────────────────────────────────────────────────────────────

# The keys, kinds and choices of "Output format" in https://gradescope-autograders.readthedocs.io/en/latest/specs/,
# where no other key is known.
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
POINTS = {"type": "number"}
TEXT = {"type": "string"}
RESULTS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": POINTS,
        "execution_time": POINTS,
        "output": TEXT,
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": POINTS,
                    "max_score": POINTS,
                    "status": {"enum": ["passed", "failed"]},
                    "name": TEXT,
                    "name_format": FORMAT,
                    "number": TEXT,
                    "output": TEXT,
                    "output_format": FORMAT,
                    "tags": {"type": "array", "items": TEXT},
                    "visibility": VISIBILITY,
                    "extra_data": {"type": "object"},
                },
            },
        },
        "leaderboard": {
            "type": "array",
            "items": {"type": "object", "required": ["name", "value"]},
        },
    },
}
# What that page demands of a result that counts: a score at the top, or one in every test.
COUNTS = {
    "anyOf": [
        {"required": ["score"]},
        {"required": ["tests"], "properties": {"tests": {"minItems": 1, "items": {"required": ["score"]}}}},
    ]
}
# The page's example, told in our words.
EXAMPLE = {
    "score": 44.0,
    "execution_time": 136,
    "output": "About the whole submission",
    "output_format": "simple_format",
    "test_output_format": "text",
    "test_name_format": "text",
    "visibility": "after_due_date",
    "stdout_visibility": "visible",
    "extra_data": {},
    "tests": [
        {
            "score": 2.0,
            "max_score": 2.0,
            "status": "passed",
            "name": "A name",
            "name_format": "text",
            "number": "1.1",
            "output": "Several lines",
            "output_format": "text",
            "tags": ["one", "two"],
            "visibility": "visible",
            "extra_data": {},
        }
    ],
    "leaderboard": [{"name": "Accuracy", "value": 0.926}, {"name": "Time", "value": 15.1, "order": "asc"}],
}


def results(made: Report) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(gradescope.render(made))
    return data


def is_valid(data: dict[str, Any], schema: dict[str, Any]) -> bool:
    return Draft202012Validator(schema).is_valid(data)


def test_gradescopes_own_example_is_valid() -> None:
    """The schema takes what the platform publishes, and refuses a key it does not have."""
    assert is_valid(EXAMPLE, RESULTS)
    assert is_valid(EXAMPLE, COUNTS)
    assert not is_valid(EXAMPLE | {"mark": 1}, RESULTS)


@pytest.mark.parametrize("case", CASES)
def test_gradescope_is_given_what_it_reads(case: str) -> None:
    """Every report keeps to the published format; one that is graded counts."""
    made = CASES[case]()
    Draft202012Validator(RESULTS).validate(results(made))
    assert is_valid(results(made), COUNTS) == made.graded


def test_gradescope_shows_every_check() -> None:
    """A test a check: its points and outcome, why it failed, the mistakes behind it as tags, seen by the student."""
    made = results(partial())
    assert (made["score"], made["visibility"]) == (40.3, "visible")
    assert [test["number"] for test in made["tests"]] == ["1.1", "1.2", "1.3", "2.1", "2.2"]
    assert [(test["score"], test["max_score"], test["status"]) for test in made["tests"]] == [
        (40.1, 40.1, "passed"),
        (0.0, 10.0, "failed"),
        (0.0, 0.3, "failed"),
        (0.2, 0.2, "passed"),
        (0.0, 49.4, "failed"),
    ]
    assert made["tests"][1]["name"] == "unit: The large is right"
    assert made["tests"][1]["output"] == (
        "It gives nan.\n\nMistake found: Exponentiates large scores as they are.\n\n"
        "To try it yourself, paste into Python:\nimport x\nx.f(1)"
    )
    # What a check looks for is named alone; where none of that was found, one of the others is to blame.
    assert [test["tags"] for test in made["tests"]] == [[], ["overflow"], ["overflow", "hides-self"], [], []]
    assert made["tests"][0]["output"] == ""


def test_gradescope_keeps_the_whole_report() -> None:
    """The page for people is the output, and extra_data is the report itself."""
    made = results(partial())
    assert "unit: 40.1 of 50.4, 2 checks failed" in made["output"]
    assert Report.from_json(made["extra_data"]) == partial()


@pytest.mark.parametrize("case", ["fault", "nothing"])
def test_gradescope_gets_no_zero_of_ours(case: str) -> None:
    """Where the grader failed there is no score and no test to take one from, and the output says whose fault it is."""
    made = results(CASES[case]())
    assert not {"score", "tests", "leaderboard"} & set(made)
    assert "This is not your fault: the grader failed" in made["output"]
    assert made["extra_data"]["graded"] is False


def test_no_text_steers_gradescope() -> None:
    """Nothing in the file is a control character, an escape sequence or half a character, written out or escaped."""

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            for each in value.values() if isinstance(value, dict) else value:
                yield from texts(each)

    text = gradescope.render(hostile())
    assert text.isascii()
    assert all(line.isprintable() for each in texts(json.loads(text)) for line in each.split("\n"))
    assert "漢字" in json.loads(text)["tests"][0]["output"]


# ── GitHub Classroom ───────────────────────────────────────────────────────────────────────────────

# Version 3 as the actions publish it: a step's result in
# https://github.com/classroom-resources/autograding-python-grader, read by src/*.js of
# https://github.com/classroom-resources/autograding-grading-reporter.
STATUS = {"enum": ["pass", "fail", "error"]}
RESULT = {
    "type": "object",
    "required": ["version", "status", "max_score", "tests"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": 3},
        "status": STATUS,
        "message": TEXT,
        "max_score": {"type": "number", "minimum": 0},
        "tests": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name", "status", "score"],
                "additionalProperties": False,
                "properties": {
                    "name": TEXT,
                    "status": STATUS,
                    "message": TEXT,
                    "score": POINTS,
                    "test_code": TEXT,
                    "line_no": {"type": "integer"},
                    "output": TEXT,
                },
            },
        },
    },
}


def result(made: Report) -> dict[str, Any]:
    line = github.render(made)
    assert line.endswith("\n")
    data: dict[str, Any] = json.loads(base64.b64decode(line.strip(), validate=True))
    return data


def announced(*made: dict[str, Any]) -> tuple[float, float] | None:
    """Points and maximum as notify-classroom.js works them out; None where it says nothing."""
    points = most = 0.0
    for each in made:
        if each["max_score"]:
            most += each["max_score"]
            for test in each["tests"]:
                points += test["score"]
    return (points, most) if most else None


@pytest.mark.parametrize("case", CASES)
def test_github_is_given_what_it_reads(case: str) -> None:
    """Every report is one line of base64 of the published result, with tests also where there was an error."""
    made = CASES[case]()
    Draft202012Validator(RESULT).validate(result(made))
    assert github.render(made).count("\n") == 1
    status = "pass" if made.score == made.max_score else "fail"
    assert result(made)["status"] == (status if made.graded else "error")


@pytest.mark.parametrize("case", ["full", "partial", "hostile"])
def test_github_announces_the_score(case: str) -> None:
    """What the reporter adds up is the report's score, exactly, of its maximum."""
    made = CASES[case]()
    assert announced(result(made)) == (made.score, made.max_score)


def test_points_add_up_to_the_last_bit() -> None:
    """Added one by one, the scores give the total even where binary fractions do not; none moves by more than noise."""
    draw = random.Random(7)
    for _ in range(20_000):
        points = [draw.choice((0.0, 0.1, 0.3, 1 / 3, 2.5, draw.random() * 10)) for _ in range(draw.randint(1, 40))]
        to = round(math.fsum(points), 6)
        moved = github.adding_up(points, to)
        total = 0.0
        for value in moved:
            total += value
        assert total == to or not any(points)
        assert all(abs(new - old) < 1e-5 for new, old in zip(moved, points, strict=True))
        assert [value for value in moved if value < 0] == []


@pytest.mark.parametrize("case", ["fault", "nothing"])
def test_github_announces_nothing_where_the_grader_failed(case: str) -> None:
    """The run fails as an error that names what was not graded, and no points are announced, least of all zero."""
    made = result(CASES[case]())
    assert announced(made) is None
    errors = [test for test in made["tests"] if test["status"] == "error"]
    assert all("grader failed" in test["message"] or "no worker" in test["message"] for test in errors)
    assert [test["name"] for test in errors] == {
        "fault": ["unit: The sign is right", "square could not be graded"],
        "nothing": ["Attention could not be graded"],
    }[case]


def test_github_tells_why() -> None:
    """A test has its message and mistake; the outcome is a word that the reporter knows."""
    made = result(partial())
    assert [test["status"] for test in made["tests"]] == ["pass", "fail", "fail", "pass", "fail"]
    assert "Mistake found: Exponentiates large scores as they are." in made["tests"][1]["message"]
    assert {test["line_no"] for test in made["tests"]} == {0}


def test_no_text_commands_githubs_runner() -> None:
    """What the reporter prints holds no workflow command: a student cannot announce a score."""
    forged = '::notice title=Autograding report::{"totalPoints":100,"maxPoints":100}'
    message = f"wrong\n{forged}\r  {forged}\n\t::stop-commands::x\nx[::2] ##[set-output name=a]b"
    made = result(report(exercise("unit", check("value", 0.0, 100.0, message=message))))
    (test,) = made["tests"]
    lines = f"❌ {test['name']}\nError: {test['message']}".splitlines()
    assert [line for line in lines if line.lstrip().startswith("::") or "##[" in line] == []
    assert "x[::2]" in test["message"]
    assert "\x1b" not in base64.b64decode(github.render(hostile())).decode()


def test_github_results_fit_an_environment_variable() -> None:
    """However long the messages are: Linux refuses to start a step with a variable above 128 KiB."""
    for amount in (20, 60, 120, 500):
        tests = [check(f"t{number}", 0.0, 1.0, message=f"{'漢' * 300}\n" * 20) for number in range(amount)]
        line = github.render(report(exercise("unit", *tests)))
        assert len(line) < 128 * 1024 - len("GRADE_RESULTS=")
        made = json.loads(base64.b64decode(line))
        assert announced(made) == (0.0, amount)
        assert ("漢" in made["tests"][0]["message"]) == (amount < 500)


# ── the command ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("submission", "status"), [("solutions", 0), ("exercises", 1)])
@pytest.mark.parametrize("style", ["gradescope", "github"])
def test_the_command_writes_both(root: Path, tmp_path: Path, style: str, submission: str, status: int) -> None:
    """`grade run --format` prints and writes the same, and its exit status is what it is in any format."""
    command = [sys.executable, "-c", "from grader.cli import main; main()", "run", "--submission", submission]
    printed = subprocess.run(
        [*command, "--format", style], cwd=root, capture_output=True, encoding="utf-8", check=False
    )
    assert printed.returncode == status, printed.stderr
    file = tmp_path / "results.json"
    subprocess.run([*command, "--format", style, "--output", file], cwd=root, capture_output=True, check=False)
    assert file.read_text(encoding="utf-8") == printed.stdout
    data = json.loads(printed.stdout if style == "gradescope" else base64.b64decode(printed.stdout))
    Draft202012Validator(RESULTS if style == "gradescope" else RESULT).validate(data)
    assert math.fsum(test["score"] for test in data["tests"]) == pytest.approx(100 if status == 0 else 0)


# ── a class as CSV ─────────────────────────────────────────────────────────────────────────────────


def record(student: str, made: Report | None = None, **more: Any) -> dict[str, Any]:
    return (made or partial()).to_json() | {"student": student, "submission": f"{student}.py"} | more


def table(*records: dict[str, Any]) -> list[dict[str, str]]:
    text = "".join(marks_csv.text(iter(records)))
    assert text.encode().startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))


def test_a_row_has_what_a_teacher_needs() -> None:
    """Student, score, each exercise, the mistakes once each, whether it was graded, and what was handed in."""
    both = exercise("square", check("value", 0.2, 0.2), check("sign", 0.0, 49.4), mistakes=(OVERFLOW,))
    made = replace(partial(), exercises=(partial().exercises[0], both))
    assert table(record("amy", made)) == [
        {
            "student": "amy",
            "score": "40.3",
            "max_score": "100",
            "unit": "40.1",
            "square": "0.2",
            "mistakes": "overflow hides-self",
            "graded": "yes",
            "submission": "amy.py",
            "notes": "",
        }
    ]


def test_notes_are_in_the_last_column() -> None:
    """Each once, safe, on one line and bounded: a hand-in that could not be read says so there."""
    first = replace(partial().exercises[0], notes=("=work.zip: it is\nbroken", "b"))
    made = replace(partial(), exercises=(first, replace(first, name="square", notes=("b", "\x1b[31mc"))))
    (row,) = table(record("amy", made))
    assert list(row)[-1] == "notes"
    assert row["notes"] == "'=work.zip: it is broken | b | c"
    long = replace(made, exercises=(replace(first, notes=("x" * 99_999,)),))
    assert len(table(record("amy", long))[0]["notes"]) < 1100


def test_a_fault_of_the_grader_is_no_zero_in_the_table() -> None:
    """What was not graded has an empty score, and a word says so; the exercises come from the first that has any."""
    first, second, third = table(record("bo", nothing()), record("cy", fault()), record("amy"))
    assert (first["score"], first["unit"], first["square"], first["graded"]) == ("", "", "", "no")
    assert (second["score"], second["unit"], second["square"], second["graded"]) == ("", "", "", "no")
    assert (third["score"], third["graded"]) == ("40.3", "yes")
    assert table(record("bo", nothing()))[0]["graded"] == "no"
    assert table() == []


def test_cells_come_back_as_they_were() -> None:
    """Commas, quotes, line breaks and letters of any script are quoted, not lost, and lines end as RFC 4180 wants."""
    students = ["O'Neil, Jr.", 'the "one"', "two\nlines", "Zoë 漢字 Łukasz", "semi; colon", " spaced ", "007"]
    assert [row["student"] for row in table(*map(record, students))] == students
    assert all(line.endswith("\r\n") for line in marks_csv.text(map(record, students)))


FORMULAS = [
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\tx", "\rx", "\x00=1", "  =1", "\u00a0=1", "\u3000=1"),
    *("＝1+1", "＋1", "－1", "＠x", '"=1', "a;=1", "a, -1", "a\t@x", "x\n=1", 'a;"=1'),
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://x","y")',
]


@pytest.mark.parametrize("student", FORMULAS)
def test_no_cell_is_a_formula(student: str) -> None:
    """What a spreadsheet would run, set to commas, semicolons or tabs, has an apostrophe before it."""
    text = "".join(marks_csv.text([record(student), record("amy", submission=student)])).removeprefix("\ufeff")
    for separator in ",;\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            for cell in row:
                assert not cell.strip().lstrip('"').startswith(tuple("=+-@＝＋－＠")), separator
                assert not cell.startswith(("\t", "\r", "\n", "\x00")) or not cell
    assert table(record(student))[0]["student"].replace("'", "").split()[-1:] == [
        student.replace("'", "").replace("\x00", "\\x00").split()[-1]
    ]


def test_ordinary_ids_have_no_apostrophe() -> None:
    """An id that is no formula is shown as it is."""
    for student in ("anne-marie", "a+b@example.org", "x=y", "O'Neil", "Doe, Jane", "jane_12345", "1e5"):
        assert marks_csv.safe(student) == student


def test_a_table_is_streamed() -> None:
    """A line is out before the next record is asked for, so no class is too large."""
    asked: list[int] = []

    def endless() -> Iterator[dict[str, Any]]:
        for number in range(10_000_000):
            asked.append(number)
            yield record(f"s{number}")

    lines = marks_csv.text(endless())
    assert next(lines).startswith("\ufeffstudent,")
    assert next(lines).startswith("s0,")
    assert next(lines).startswith("s1,")
    assert len(asked) == 2


# ── Canvas ─────────────────────────────────────────────────────────────────────────────────────────

# As lib/gradebook_exporter.rb of https://github.com/instructure/canvas-lms writes it: four columns about the student,
# a teacher's own column, assignments, totals; a row for manual posting; points possible; the test student last.
EXPORT = """\
Student,ID,SIS User ID,SIS Login ID,Section,Notes,Essay (41),Attention (42),Assignments Current Score,Final Score
,,,,,,,Manual Posting,,
    Points Possible,,,,,,10.00,100.00,(read only),(read only)
"Doe, Jane",101,S-1,jane@example.org,"A, ""B"" C",,9.50,,95.00,47.50
"Łuk, Zoë",102,S-2,zoe,A,late,,50.00,,
"Lee, Ann",103,S-3,ann,A,,,,,
"Lee, Ann",104,S-4,ann2,B,,7.00,EX,,
"Po, Li",105,S-5,li,B,,,N/A,,
"Student, Test",106,,,A,,,,,
"""


def filled(
    text: str, *records: dict[str, Any], title: str = "Attention", separator: str = ","
) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """The rows of the filled export by Canvas's id (the header under ID), and the notes."""
    made, notes = canvas.fill(text, iter(records), title)
    rows = csv.reader(io.StringIO(made.removeprefix("\ufeff"), newline=""), delimiter=separator, strict=True)
    return {row[1] or row[0].strip(): row for row in rows}, notes


def column(text: str, *records: dict[str, Any], at: int = 7, **more: Any) -> dict[str, str]:
    return {name: row[at] for name, row in filled(text, *records, **more)[0].items() if name.isdigit()}


@pytest.mark.parametrize(
    ("student", "more"),
    [
        ("doejane", {"platform_id": "101"}),
        ("doejane_101", {"platform_id": 101}),
        ("_101", {"platform_id": "101"}),  # whose name has no letters that Canvas keeps
        ("s-1", {}),
        ("jane@example.org", {}),
        ("doejane", {}),
        ("Doe, Jane", {}),
        ("doejane_101", {}),
    ],
)
def test_canvas_students_are_found(student: str, more: dict[str, Any]) -> None:
    """By Canvas's id, the SIS id, the login, the name as files have it and as the gradebook has it."""
    marks = column(EXPORT, record(student, **more))
    assert marks == {"101": "40.30", "102": "50.00", "103": "", "104": "EX", "105": "N/A", "106": ""}


def test_canvas_changes_one_cell_and_no_other_byte() -> None:
    """Everything but the marks comes back to the letter, quotes, spaces, line ends and BOM included."""
    for before in (EXPORT, "\ufeff" + EXPORT.replace("\n", "\r\n"), EXPORT.rstrip("\n")):
        made, _ = canvas.fill(before, [record("zoe")], "Attention")
        assert made == before.replace("late,,50.00,", "late,,40.30,")
        assert canvas.fill(before, [], "Attention")[0] == before


def test_canvas_gets_semicolons_commas_and_quotes_where_it_has_them() -> None:
    """A decimal comma, the separator and quotes around everything are kept."""
    rows = list(csv.reader(io.StringIO(EXPORT, newline="")))
    commas = [[cell.replace(".", ",") if cell[-3:-2] == "." else cell for cell in row] for row in rows]
    for separator, quoting in itertools.product(",;", (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)):
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=separator, quoting=quoting).writerows(commas)
        assert column(out.getvalue(), record("ann"), separator=separator)["103"] == "40,30"
        made, _ = canvas.fill(out.getvalue(), [record("ann")], "Attention")
        ruled = io.StringIO(newline="")
        read = list(csv.reader(io.StringIO(made, newline=""), delimiter=separator))
        csv.writer(ruled, delimiter=separator, quoting=quoting).writerows(read)
        assert made == ruled.getvalue()


def test_canvas_gets_a_new_column_with_its_points() -> None:
    """Where the assignment is not there, a column at the end has its title and points, and every row is as long."""
    rows, notes = filled(EXPORT, record("zoe"), title='Heads, "many"')
    assert {len(row) for row in rows.values()} == {11}
    assert rows["ID"][-1] == 'Heads, "many"'
    assert rows["Points Possible"][-1] == "100.00"
    assert (rows["102"][-1], rows["101"][-1], rows["102"][7]) == ("40.30", "", "50.00")
    assert 'no column "Heads, "many""' in notes[0]
    assert notes[0].endswith(' name it with --column: "Essay (41)", "Attention (42)".')
    calculated = EXPORT.replace("10.00,100.00", "(read only),100.00")
    assert filled(calculated, record("zoe"), title="No")[1][0].endswith(' --column: "Attention (42)".')
    quoted = '"Student","ID","Section"\n\n"Doe, Jane","101","A"\n'
    made, (note, *_) = canvas.fill(quoted, [record("doejane")], "New")
    assert "--column" not in note
    assert made == '"Student","ID","Section","New"\n\n"Doe, Jane","101","A","40.30"\n'


def test_canvas_takes_first_and_last_names_apart() -> None:
    """The export with LastName and FirstName is read as well."""
    header = "LastName,FirstName,ID,SIS Login ID,Section,Attention (42)"
    text = f"{header}\n    Points Possible,,,,,100\nDoe,Jane,101,jane,A,\n"
    assert canvas.fill(text, [record("doejane")], "Attention (42)")[0] == text.replace("jane,A,", "jane,A,40.30")


def test_canvas_is_never_guessed() -> None:
    """Who could be two, is nobody, or handed in twice gets no mark, no zero, and is in the notes."""
    records = (
        record("leeann"),  # two have this name
        record("leeann_103"),
        record("nobody"),
        record("doejane", platform_id="999"),  # whoever it is, it is not Jane Doe, 101
        record("x", platform_id="101"),  # who made their own name end in her number
        record("zoe"),
        record("łukzoë"),  # the same student again
    )
    rows, notes = filled(EXPORT, *records)
    assert {name: row[7] for name, row in rows.items() if name.isdigit()} == {
        "101": "",
        "102": "50.00",
        "103": "40.30",
        "104": "EX",
        "105": "N/A",
        "106": "",
    }
    assert notes == (
        "No student in the file fits these submissions, and their marks are not in it: nobody; doejane; x.",
        "More than one student in the file fits these submissions, and nothing was written for them: leeann.",
        "These submissions fit one and the same student, and nothing was written for them: zoe; łukzoë.",
        (
            "No submission was found of these students, and what Canvas has stays as it is: "
            "Doe, Jane; Po, Li; Student, Test."
        ),
    )


def test_canvas_keeps_what_we_cannot_better() -> None:
    """The grader's fault leaves the mark there was; excused and not assigned stay so; the notes name them."""
    rows, notes = filled(EXPORT, record("zoe", fault()), record("ann2"), record("li"))
    assert [rows[name][7] for name in ("102", "104", "105")] == ["50.00", "EX", "N/A"]
    assert "The grader failed on these submissions, and what Canvas has stays as it is: zoe." in notes
    assert any("(EX)" in note and note.endswith(": Lee, Ann; Po, Li.") for note in notes)


def test_canvas_columns_that_cannot_be_filled_are_left() -> None:
    """Two of one title, one that Canvas calculates: no file is made, and the error says what to do."""
    twice = EXPORT.replace("Essay (41)", "Attention (41)")
    with pytest.raises(Unfilled, match="2 columns have this title") as told:
        canvas.fill(twice, [record("zoe")], "Attention")
    assert told.value.remedy == 'Give --column with a whole name: "Attention (41)", "Attention (42)".'
    assert column(twice, record("zoe"), title="Attention (42)")["102"] == "40.30"
    assert canvas.fill(twice, [], "")[0]  # looked at before the title is known
    with pytest.raises(Unfilled, match="read only"):
        canvas.fill(EXPORT, [record("zoe")], "Final Score")


def test_canvas_gets_no_file_that_is_of_nobody() -> None:
    """None is in the export, or none is one student's alone: an error. Nothing to write over is none."""
    with pytest.raises(Unfilled, match=r"are called s0, s1, s2 and 2 more; the list has Doe, Jane, Łuk, Zoë, Lee, Ann"):
        canvas.fill(EXPORT, [record(f"s{at}") for at in range(5)], "Attention")
    with pytest.raises(Unfilled, match=r"More than one student in the file fits these submissions.*: Lee, Ann"):
        canvas.fill(EXPORT, [record("Lee, Ann")], "Attention")
    with pytest.raises(Unfilled, match="fit one and the same student"):
        canvas.fill(EXPORT, [record("zoe"), record("S-2")], "Attention")
    assert canvas.fill(EXPORT, [record("li")], "Attention")[0] == EXPORT
    assert canvas.fill(EXPORT, [record("zoe", fault())], "Attention")[0] == EXPORT


def test_canvas_notes_another_scale() -> None:
    """Marks are never scaled in silence: where Canvas has other points, the first note says so."""
    text = EXPORT.replace("10.00,100.00", "10.00,10.00")
    assert "Canvas has 10.00 points" in canvas.fill(text, [record("zoe")], "Attention")[1][0]
    for same in ("100", "100.00", ""):
        notes = canvas.fill(EXPORT.replace("100.00,(read", f"{same},(read"), [record("zoe")], "Attention")[1]
        assert not any("points" in note for note in notes) or not same


@pytest.mark.parametrize("text", ["", "\n", "name,score\namy,1\n", "Email address,ID\n", '"', "\ufeff"])
def test_canvas_wants_its_own_export(text: str) -> None:
    """A file of another kind is refused, with what is missing."""
    with pytest.raises(ValueError, match="Student,ID"):
        canvas.fill(text, [record("amy")], "Attention")


def test_canvas_files_with_odd_lines_stay_whole() -> None:
    """An unclosed quote, an empty line, a short row and a line break in a cell are left as they are."""
    header = "Student,ID,Section,Attention (42)"
    text = f'{header}\n\n"Do\ne, Jane",101,A\n"Po, ""Li""",102,A,\nOdd one,103,A,""\n"lost,104\n'
    made, _ = canvas.fill(
        text, [record("doejane", platform_id="101"), record("oddone", platform_id="103")], "Attention"
    )
    assert made == text.replace("101,A\n", "101,A,40.30\n").replace('103,A,""', '103,A,"40.30"')


# ── Moodle ─────────────────────────────────────────────────────────────────────────────────────────

# A grading worksheet of an assignment, a list of participants and a gradebook as Moodle exports them (docs.moodle.org,
# "Assignment: offline grading worksheet", "Participants" and "Grade export").
WORKSHEET = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed","Last modified (grade)"
"Participant 12345","Jane Doe",Jane.Doe@example.org,"Submitted for grading",,100.00,Yes,-
"Participant 12346","Zoë Łuk",zoe@example.org,"No submission",,100.00,Yes,-
"Participant 12347","Ann Lee",ann@example.org,"No submission",,100.00,Yes,-
"Participant 12348","Ann Lee",ann2@example.org,"No submission",,100.00,Yes,-
"""
PARTICIPANTS = """\
"First name","Last name","Email address",Groups
Jane,Doe,Jane.Doe@example.org,A
Zoë,Łuk,zoe@example.org,A
Ann,Lee,ann@example.org,A
Ann,Lee,ann2@example.org,B
"""
GRADEBOOK = """\
First name,Last name,ID number,Institution,Department,Email address,Course total (Real)
Jane,Doe,s1,,,Jane.Doe@example.org,-
Zoë,Łuk,s2,,,zoe@example.org,-
Ann,Lee,s3,,,ann@example.org,-
Ann,Lee,s4,,,ann2@example.org,-
"""
GERMAN = WORKSHEET.replace("Participant ", "Teilnehmer/in").replace(
    'Identifier,"Full name","Email address"', 'ID,"Vollständiger Name",E-Mail-Adresse'
)


def imported(*records: dict[str, Any], roster: str | None = None) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """The rows of the file by e-mail address, and the notes."""
    text, notes = moodle.text(iter(records), roster)
    (header, *rows) = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert header == ["Email address", "Attention (points)", "Attention (feedback)"]
    return {row[0]: row[1:] for row in rows}, notes


def test_moodle_gets_a_grade_and_a_feedback() -> None:
    """An address as id is enough: at most two decimals, and one paragraph with the mistakes and the next step."""
    made = replace(partial(), score=40.333333)
    rows, notes = imported(record("amy@example.org", made), record("bo@example.org", full()))
    assert rows == {
        "amy@example.org": [
            "40.33",
            (
                "Mistake found in unit: Exponentiates large scores as they are. Possible mistake in unit: "
                "Hides each token from itself. Next: Read the hint."
            ),
        ],
        "bo@example.org": ["100", "Full marks. Well done. Read the hint."],
    }
    assert notes == ()
    step = "Start with unit: `grade hint unit --submission 'class of 26/amy smith'` helps."
    assert imported(record("di@example.org", replace(full(), next_step="")))[0]["di@example.org"] == [
        "100",
        "Full marks. Well done.",
    ]
    assert imported(record("cy@example.org", partial(), next_step=step))[0]["cy@example.org"][1].endswith(
        "Next: Start with unit: `grade hint unit` helps."
    )


@pytest.mark.parametrize(
    ("roster", "student"),
    [
        (WORKSHEET, "Jane Doe_12345"),
        (WORKSHEET, "Group A-Jane Doe_12345"),
        (WORKSHEET, "Jane Doe"),
        (GERMAN, "Jane Doe_12345"),
        (GERMAN.replace(",", ";"), "Jane Doe_12345"),
        (PARTICIPANTS, "Jane Doe_12345"),
        (PARTICIPANTS, "Doe Jane_12345"),
        ("\ufeff" + PARTICIPANTS.replace("\n", "\r\n").replace(",", "\t"), "jane doe"),
        ("\ufeffUsername,First name,Surname,Email address\njd,Jane,Doe,Jane.Doe@example.org\n", "jd"),
        ("Name;E-Mail\nJane Doe;Jane.Doe@example.org\n", "Jane Doe"),
        (GRADEBOOK, "S1"),
        (GRADEBOOK, "Jane Doe_99"),
        (GRADEBOOK, "jane.doe@EXAMPLE.org"),
        (GRADEBOOK, "jane.doe"),
        (WORKSHEET, "Jane.Doe"),
    ],
)
def test_moodle_students_are_found(roster: str, student: str) -> None:
    """By participant number, name, id number or address, in any language; the address is written as Moodle has it."""
    rows, notes = imported(record(student), roster=roster)
    assert list(rows) == ["Jane.Doe@example.org"]
    missing = (
        "No submission was found of these students, and what Moodle has stays as it is: Zoë Łuk; Ann Lee; Ann Lee."
    )
    assert notes == ((missing,) if "zoe@" in roster else ())


def test_moodle_takes_what_stands_before_the_at_sign_last() -> None:
    """A name, an account or an address says more; two of it are never guessed at."""
    roster = "Username,Full name,Email address\nann,Bo Ek,bo@a.org\nx,An Na,ann@a.org\ny,C,cy@a.org\nz,D,cy@b.org\n"
    assert list(imported(record("ann"), roster=roster)[0]) == ["bo@a.org"]
    rows, notes = imported(record("bo"), record("cy"), roster=roster)
    assert list(rows) == ["bo@a.org"]
    assert notes[0] == "More than one student in the list fits these submissions, and they are not in the file: cy."


def test_moodle_gets_no_file_that_is_of_nobody() -> None:
    """Where no submission is of anyone on the list, the error shows what both have; no submission is no error."""
    with pytest.raises(Unfilled, match=r"are called s0, s1, s2 and 2 more; the list has Jane\.Doe@example\.org, zoe@"):
        moodle.text([record(f"s{at}") for at in range(5)], PARTICIPANTS)
    assert moodle.text([], PARTICIPANTS)[0].count("\n") == 1
    with pytest.raises(Unfilled, match=r"More than one student in the list fits these submissions.*: Ann Lee"):
        moodle.text([record("Ann Lee")], PARTICIPANTS)
    for roster in (PARTICIPANTS, None):
        with pytest.raises(Unfilled, match="fit one and the same student"):
            moodle.text([record("zoe@example.org"), record("ZOE@example.org")], roster)


def test_moodle_without_a_list_gets_no_file_that_is_of_nobody() -> None:
    """Where no submission is called by an address, the error says what they are called, and to give a list."""
    with pytest.raises(Unfilled, match=r"no address is known of any of these submissions: .* a_1, b, c$") as told:
        moodle.text(map(record, ("a_1", "b", "c")), None)
    assert told.value.remedy.startswith("Add --roster FILE")
    assert moodle.text([], None)[0].count("\n") == 1
    assert moodle.text([record("amy@example.org", fault())], None)[0].count("\n") == 1  # ours, and told by the status


def test_moodles_columns_are_called_as_wanted() -> None:
    """The title given is that of both columns."""
    text, _ = moodle.text([record("amy@example.org")], None, "Sheet\x1b[31m 3")
    assert text.startswith("Email address,Sheet 3 (points),Sheet 3 (feedback)")


def test_moodle_is_never_guessed() -> None:
    """Who is unknown, could be two or handed in twice is left out and named: an unknown user stops the import."""
    records = (
        record("Ann Lee"),
        record("Ann Lee_12347"),
        record("Jane Doe_99999"),
        record("Jane Doe_12346"),  # the number is Zoë's
        record("who@example.org"),
        record("zoe@example.org"),
        record("Zoë Łuk_12346"),
    )
    rows, notes = imported(*records, roster=WORKSHEET)
    assert list(rows) == ["ann@example.org"]
    assert notes[:-1] == (
        (
            "No student in the list fits these submissions, and they are not in the file: "
            "Jane Doe_99999; Jane Doe_12346; who@example.org."
        ),
        "More than one student in the list fits these submissions, and they are not in the file: Ann Lee.",
        "These submissions fit one and the same student, and are not in the file: zoe@example.org; Zoë Łuk_12346.",
    )
    assert notes[-1] == ("No submission was found of these students, and what Moodle has stays as it is: Jane Doe.")


def test_moodle_without_a_list_takes_addresses_alone() -> None:
    """What is no address is left out, and the note says what would help; so is one a spreadsheet would run."""
    strange = ["=1+1@example.org", "+a@example.org", "a b@example.org", "@x", "a@-1"]
    students = ["Jane Doe_12345", *strange, "ok@example.org"]
    rows, notes = imported(*map(record, students))
    assert list(rows) == ["ok@example.org"]
    (note,) = notes
    assert "--roster" in note
    assert "Jane Doe_12345; =1+1@example.org" in note
    formula = "Full name,Email address\nJane Doe,=1+1@example.org\nAmy Poe,amy@example.org\n"
    assert imported(record("Jane Doe"), record("Amy Poe"), roster=formula)[0].keys() == {"amy@example.org"}


def test_moodle_gets_no_row_where_the_grader_failed() -> None:
    """A row without a grade would take away the one that is there, so there is none, and the note names the student."""
    rows, notes = imported(record("amy@example.org", fault()), record("bo@example.org"))
    assert list(rows) == ["bo@example.org"]
    assert notes == (
        (
            "The grader failed on these submissions; they are not in the file, so what Moodle has stays as it is: "
            "amy@example.org."
        ),
    )


def test_moodle_shows_text_as_text() -> None:
    """Feedback is shown as HTML and read by a CSV reader that knows backslashes: it holds neither tags nor those."""
    rows, _ = imported(record("amy@example.org", hostile(), title="Attention"))
    grade, feedback = rows["amy@example.org"]
    assert grade == "0"
    assert not set(feedback) & set('<>"\\\n\r\x1b\x00')
    assert "&lt;b&gt;" in feedback
    assert "漢字" in feedback
    assert len(feedback) < 2500


def test_moodle_notes_marks_above_a_hundred() -> None:
    """More than 100 points would fail the import unless the site allows it."""
    made = replace(full(), score=120.0, max_score=120.0)
    assert "unlimitedgrades" in imported(record("amy@example.org", made))[1][0]


@pytest.mark.parametrize("text", ["", "\ufeff", "Identifier,Status\nParticipant 1,done\n", "name\namy\n"])
def test_moodle_wants_a_list_with_addresses(text: str) -> None:
    """A list without addresses, as from blind marking, is refused."""
    with pytest.raises(ValueError, match="e-mail"):
        moodle.text([record("amy")], text)


@pytest.mark.parametrize("hidden", ["\x1b[31m", "\x00", "\u202e", "\n"])
def test_notes_are_safe_to_print(hidden: str) -> None:
    """A stranger's file name in a note steers no terminal and begins no line."""
    student = f"x{hidden}y"
    both = [record(student), record("jane@example.org")]
    notes = (*canvas.fill(EXPORT, both, "Attention")[1], *moodle.text(both, None)[1])
    assert len([note for note in notes if "these submissions" in note]) == 2
    assert all(note.isprintable() for note in notes)
    for make in (lambda: canvas.fill(EXPORT, both[:1], "Attention"), lambda: moodle.text(both[:1], None)):
        with pytest.raises(Unfilled) as told:
            make()
        assert str(told.value).isprintable()
