"""`grade nbgrader`."""

from __future__ import annotations

import os
import sys
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.group import SomePath, Whole, main, with_course
from grader.cli.pasting import pasted
from grader.cli.screen import warn
from grader.cli.stopping import stoppable
from grader.cli.work import course_at
from grader.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from grader.course import Course
    from grader.desk import Terms
    from grader.ledger import Ledger
    from grader.nbgrader_batch import ClassAutograde

BY_HAND = "in the course's folder `jupyter lab`, then Nbgrader > Formgrader > Manual Grading"


@main.group(short_help="A course for nbgrader, and its grades.")
def nbgrader() -> None:
    """A course for nbgrader, and its grades.

    \b
    Examples:
      grade nbgrader init autumn     a course folder, with a page on the steps
      grade nbgrader batch autumn    autograde all that was handed in, fast

    Exit status: 0 it is done, 2 it could not be; each command says more.
    """  # noqa: D301 - click wants a real \b


@nbgrader.command("init", short_help="Make a course folder for nbgrader.")
@click.argument("folder", type=SomePath(path_type=Path))
@click.option("--course-id", metavar="NAME", help="The course's name in nbgrader. Default: its name in course.yml.")
@click.option(
    "--written/--no-written",
    default=True,
    show_default=True,
    help="Whether the notebook has the lesson's written question, which is marked by hand.",
)
@with_course
def nbgrader_init(folder: Path, course_id: str | None, written: bool, course_path: Path | None) -> None:
    """Make a course folder for nbgrader: the notebook, the configuration, and a page on the steps to take.

    \b
    Examples:
      grade nbgrader init autumn                     the folder autumn
      grade nbgrader init autumn --course-id ml-2    the name that students see
      grade nbgrader init autumn --no-written        nothing to mark by hand

    Exit status: 0 it is there, 2 it could not be made.
    """  # noqa: D301 - click wants a real \b
    import shlex

    from grader.nbgrader_course import init

    course = course_at(course_path)
    paths = init(course, folder, course_id=course.name if course_id is None else course_id, written=written)
    click.echo("\n".join(f"  {path}" for path in paths))
    commands = [f"cd {pasted(folder)}", f"nbgrader generate_assignment {shlex.quote(course.name)}"]
    click.echo(f"\nRead {paths[-1]}, then run:\n  " + "\n  ".join(commands))


@nbgrader.command("batch", short_help="Autograde a whole class, many times faster.")
@click.argument("folder", metavar="COURSE", type=SomePath(path_type=Path))
@click.option("--assignment", metavar="NAME", help="The assignment to grade. Default: the course's name.")
@click.option("--workers", type=Whole(1), metavar="N", help="How many to grade at a time. Default: one a processor.")
@click.option("--force", is_flag=True, help="Grade everything again. Default: what is new, or newer than its grades.")
@with_course
def nbgrader_batch(
    folder: Path, assignment: str | None, workers: int | None, force: bool, course_path: Path | None
) -> None:
    """Autograde a whole class, fast: what `nbgrader autograde` does in the folder COURSE.

    What is graded, how, and where the grades go is said by its nbgrader_config.py. Formgrader, `nbgrader
    generate_feedback` and `nbgrader export` go on from there. Stopped for whatever reason, the same command goes on
    where it was.

    \b
    Examples:
      grade nbgrader batch autumn                           what is new
      grade nbgrader batch autumn --assignment attention    of that assignment
      grade nbgrader batch autumn --force                   everything, again

    Exit status: 0 all were graded, whatever their scores, 2 some could not be, or nothing could.
    """  # noqa: D301 - click wants a real \b
    from grader.nbgrader_course import require

    require("nbgrader")
    if not folder.is_dir():
        raise UsageError("there is no such folder", where=str(folder), remedy="`grade nbgrader init` makes one.")
    named = course_path and course_path.absolute()
    with (
        stoppable(),
        chdir(folder),
    ):  # where nbgrader looks for its configuration, and what runs in it for everything else
        from grader.crew import processors
        from grader.nbgrader_batch import class_autograde

        converter = class_autograde(Path.cwd(), force=force)
        course = course_at(named or _configured())
        name = assignment or converter.coursedir.assignment_id or course.name
        _autograde(converter, course, name, workers or processors(), fresh=force)
    _conclude(converter)


def _configured() -> Path | None:
    """The course that the configuration names, which has been loaded by now."""
    path = os.environ.get("GRADE_COURSE", "")
    return Path(path) if path else None


def _autograde(converter: ClassAutograde, course: Course, assignment: str, workers: int, *, fresh: bool) -> None:
    """Grade what nbgrader would, and say how the class did."""
    from grader.batch import Batch
    from grader.cli.marks import say_summary
    from grader.cli.pace import shown_progress
    from grader.crew import on_this_machine
    from grader.nbgrader_gradebook import one_gradebook

    where = converter.coursedir
    root = Path(where.root)
    with one_gradebook(where.db_url, where.course_id) as book:
        number = converter.open(book, assignment)
        terms = _terms(course, root)
        with _ledger(root, assignment, fresh=fresh) as ledger:
            with on_this_machine(workers) as crew, shown_progress(number) as progress:
                batch = Batch(course, terms, crew, ledger, progress, converter.put)
                batch.run(converter.entries(), converter.read)
            ledger.keep(converter.names())
            converter.count_by_hand()
            say_summary(ledger, None)


def _ledger(root: Path, assignment: str, *, fresh: bool) -> AbstractContextManager[Ledger]:
    from grader.ledger import open_ledger

    folder = root / ".grade"
    folder.mkdir(exist_ok=True)
    return open_ledger(folder / f"{assignment}.jsonl", fresh=fresh)


def _terms(course: Course, root: Path) -> Terms:
    """What `nbgrader autograde` would grade with: the seed of the course, kept where its configuration says."""
    from grader.desk import SEED_FILE_VARIABLE, Terms
    from grader.seed import secret_seed

    seed = secret_seed(Path(os.environ.get(SEED_FILE_VARIABLE) or root / ".grade" / "seed"))
    return Terms(str(course.root), seed, secret=True, counts=True, maps=True, cells=True)


def _conclude(converter: ClassAutograde) -> None:
    """Say what was left as it is, whose notebooks could not be graded and why, and what is to be done next."""
    if converter.skipped:
        warn(f"{_left(converter.skipped)}; --force grades all again")
    for student, why in converter.failed.items():
        warn(f"nothing was recorded of {student}: {why}")
    if converter.by_hand:
        have = "1 submission has" if converter.by_hand == 1 else f"{converter.by_hand} submissions have"
        warn(f"{have} answers to be marked by hand: {BY_HAND}")
    if converter.failed:
        sys.exit(2)
    first = "once they are marked, " if converter.by_hand else ""
    warn(f"{first}next is `nbgrader generate_feedback {converter.coursedir.assignment_id}`")


def _left(number: int) -> str:
    """Why so many were not graded: nbgrader takes what has no timestamp.txt for no newer."""
    was, they = ("1 was", "it is") if number == 1 else (f"{number} were", "they are")
    return f"{was} graded before, and no timestamp.txt says that {they} newer"
