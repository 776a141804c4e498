"""`grade explore`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.completion import experiment_names
from grader.cli.group import SomePath, Whole, main, with_course
from grader.cli.output import check_writable, write
from grader.cli.screen import in_sight, say, say_what_can_be_said, warn, width
from grader.cli.work import course_at, here, launcher, read_work
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.course import Course
    from grader.explore import Experiment
    from grader.finding import Finding
    from grader.submission import Submission
    from grader.worker.launch import Launcher

ENDINGS = (".png", ".svg")


@main.command(short_help="Experiments on your own functions, drawn.")
@click.argument("what", required=False, shell_complete=experiment_names)
@click.option("--reference", is_flag=True, help="Explore the course's own functions in place of yours.")
@click.option(
    "--submission", type=SomePath(path_type=Path), help="Whose functions, as in `grade run`. Default: this workspace's."
)
@click.option(
    "--output",
    type=SomePath(path_type=Path, dir_okay=False),
    help="Draw it into a file as well, .png or .svg; needs matplotlib.",
)
@click.option("--seed", type=Whole(0), metavar="N", default=0, show_default=True, help="Draws the numbers.")
@with_course
def explore(
    what: str | None,
    reference: bool,
    submission: Path | None,
    output: Path | None,
    seed: int,
    course_path: Path | None,
) -> None:
    """See why attention is built as it is: experiments on your own functions, drawn in the terminal.

    Without WHAT: list the experiments. Each ends with one sentence that has the measured numbers in it.

    \b
    Examples:
      grade explore                           list them
      grade explore scaling                   why scores are divided by √d_k
      grade explore lookup --reference        before yours is written
      grade explore cost --output cost.png    as a picture for a page

    Exit status: 0 it was shown, 1 your function does not give what it needs yet, 2 the command, the course or the
    machine is at fault.
    """  # noqa: D301 - click wants a real \b
    if reference and submission is not None:
        raise UsageError("--reference and --submission name different functions", remedy="Give one of them.")
    if what is None and output is not None:
        raise UsageError("--output is for one experiment", remedy="Name it: `grade explore` lists them.")
    if output is not None:
        _check(output)
    say_what_can_be_said()
    course = course_at(course_path)
    if what is None:
        _list(course)
        return
    with launcher() as workers:
        from grader.explore import NothingToShow, choose, load_experiments

        experiment = choose(load_experiments(course), what)
        work = None if reference else _work(submission, what)
        try:
            finding = _found(experiment, course, work, workers, seed)
        except NothingToShow as nothing:
            say(f"There is nothing to explore in {nothing.whose} yet.\n\n{nothing.why}\n")
            say(f"`{nothing.grade}` says what to do; `grade explore {what} --reference` shows what a right one does.")
            sys.exit(1)
    click.echo(_drawn(finding).encode(), nl=False, color=True)
    if output is not None:
        from grader.render import figure

        write(output, figure.render(finding, output.suffix.lower().removeprefix(".")))
        warn(f"the picture is in {output}")


def _drawn(finding: Finding) -> str:
    from grader.render import picture

    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return picture.render(finding, width=width(), colour=not plain)


def _check(output: Path) -> None:
    """Say before any work is done that no picture could be written."""
    from importlib.util import find_spec

    if output.suffix.lower() not in ENDINGS:
        raise UsageError(
            "its name does not say what picture it is", where=str(output), remedy="End it in .png or .svg."
        )
    check_writable(output)
    if find_spec("matplotlib") is None:
        raise UsageError(
            "pictures in files are drawn by matplotlib, which is not installed here",
            remedy=f"Install it beside the grader: `{shlex.quote(sys.executable)} -m pip install matplotlib`\n"
            "  Without --output nothing else is needed.",
        )


def _list(course: Course) -> None:
    from grader.explore import load_experiments
    from grader.render.lines import wrapped

    experiments = load_experiments(course)
    room = max(len(each.name) for each in experiments) + 2
    for each in experiments:
        click.echo("\n".join(wrapped(each.about, min(width(), 80), first=each.name.ljust(room))))
    first = experiments[0].name
    say(f"\nStart with `grade explore {first}`, or `grade explore {first} --reference` before yours is written.")


def _work(submission: Path | None, what: str) -> Submission:
    """What is to be explored. Raises UsageError where there is none, with the way to go on without."""
    from grader.submission import read_submission
    from grader.workspace import find_workspace

    if submission is not None:
        return read_work(submission)
    named = f"name your work: `grade explore {what} --submission PATH`"
    others = f"look at the course's own functions: `grade explore {what} --reference`"
    return read_submission(find_workspace(here(), named, others))


def _found(experiment: Experiment, course: Course, work: Submission | None, workers: Launcher, seed: int) -> Finding:
    """Do the experiment on a submission, or on the reference where that is None."""
    from grader.explore import Laboratory, conduct
    from grader.job import course_as_submission

    owner, label = ("the reference's", "reference") if work is None else ("your", "yours")
    with _progress(experiment.name) as progress:
        laboratory = Laboratory(
            course,
            work or course_as_submission(course, "solution"),
            workers,
            seed,
            owner=owner,
            label=label,
            grade_with="" if work is None else _option(work),
            say=progress,
        )
        return conduct(experiment, laboratory)


def _option(work: Submission) -> str:
    return "" if work.workspace else f" --submission {shlex.quote(work.path)}"


@contextmanager
def _progress(name: str) -> Iterator[Callable[[str], None]]:
    """How far it is, on one line of stderr that is gone at the end; nothing where that is no terminal."""
    if not in_sight(sys.stderr):
        yield lambda _: None
        return
    room = max(width(of_messages=True) - 1, 1)

    def show(words: str) -> None:
        click.echo(f"\r{f'{name}: {words} …'[:room].ljust(room)}", nl=False, err=True)

    show("asking")
    try:
        yield show
    finally:
        click.echo(f"\r{' ' * room}\r", nl=False, err=True)
