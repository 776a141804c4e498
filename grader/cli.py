"""The command `grade`: the only place that prints, exits and asks the terminal. Every command imports late."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from grader import __version__
from grader.errors import GraderError, SubmissionError, UsageError

if TYPE_CHECKING:
    from grader.course import Course
    from grader.report import Report
    from grader.worker.launch import Launcher

NARROW = 60  # columns below which the plain report reads better
INTERRUPTED = 130  # what shells give a program that Ctrl-C ended; never a student's 1
STYLES = {".json": "json", ".xml": "junit"}  # what a report's file name says of its format
FORMATS = ("rich", "plain", "json", "junit")


class Grade(click.Group):
    """`grade` alone means `grade run`; errors of the grader become exit status 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` in front where no command is named."""
        if not args or args[0] not in {*self.commands, "--help", "-h", "--version"}:
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the grader cannot do ends with its reason and remedy on stderr."""
        try:
            return super().invoke(ctx)
        except GraderError as error:
            click.echo(f"grade: {error}", err=True)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except (KeyboardInterrupt, click.Abort):
            click.echo("grade: stopped.", err=True)
            return ctx.exit(INTERRUPTED)
        except Exception as error:  # a fault of ours must not look like a student's exit status 1
            if "GRADE_DEBUG" in os.environ:
                raise
            where = f"{type(error).__name__}: {error}"
            click.echo(f"grade: the grader itself failed, not your code: {where}", err=True)
            click.echo("  Please report it with what `GRADE_DEBUG=1 grade …` prints.", err=True)
        return ctx.exit(2)


class SomePath(click.Path):
    """A path that is not empty: an unset variable in a script must not grade the folder it runs in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse the empty text."""
        if value == "":
            self.fail("the path is empty; perhaps a variable is not set", param, ctx)
        return super().convert(value, param, ctx)


def _number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and value != value:
        raise click.BadParameter("expected a number of points", ctx, param)
    return value


def with_course(command: Any) -> Any:
    """The option every command has."""
    return click.option(
        "--course",
        "course_path",
        envvar="GRADE_COURSE",
        type=click.Path(path_type=Path),
        help="A course folder (holds course.yml). Default: the course installed with this package.",
    )(command)


@click.group(cls=Grade, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="grade")
def main() -> None:
    """Grade exercises on scaled dot-product attention, and say what went wrong.

    Without a command: grade the workspace you are in.

    Exit status: 0 the score reaches the pass mark, 1 it does not, 2 the command, the course or the machine is at fault.
    """


@main.command()
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.option(
    "--submission",
    type=SomePath(path_type=Path),
    help="A folder, .py, .ipynb, .zip or .tar.gz. Default: this workspace.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    help="Default: rich in a terminal; json or junit where --output ends so; else plain.",
)
@click.option("--output", type=SomePath(path_type=Path, dir_okay=False), help="Write the report to a file.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Draws the numbers of the hidden tests.",
)
@click.option(
    "--pass-mark",
    type=click.FloatRange(0, max_open=False),
    callback=_number,
    help="Points that make exit status 0. Default: all of them.",
)
@click.option("--show-output", is_flag=True, help="Show all that your code printed, not the first 20 lines.")
@with_course
def run(
    exercises: tuple[str, ...],
    submission: Path | None,
    style: str | None,
    output: Path | None,
    seed: int,
    pass_mark: float | None,
    show_output: bool,
    course_path: Path | None,
) -> None:
    """Grade: the score, the checks that failed and why, the mistakes, the next step.

    \b
    Examples:
      grade                                    everything in this workspace
      grade run softmax                        one exercise, with its own pass mark
      grade run --submission work.ipynb        a notebook, a file, a folder or an archive
      grade run --format json --output r.json  for a script
    """  # noqa: D301 - click wants a real \b
    if output is not None:
        _check_writable(output)
    report = _grade(course_path, submission, exercises, seed)
    style = style or _best_style(output)
    text = _render(report, style, show_output)
    if output is None:
        _say_what_can_be_said()
        click.echo(text.encode() if style in STYLES.values() else text, nl=not text.endswith("\n"), color=True)
    else:
        _write(output, text)
        click.echo(f"grade: {report.score:g} of {report.max_score:g} points; the report is in {output}", err=True)
    if not report.graded:
        click.echo("grade: the grader failed, not the submission; nothing here is a student's zero.", err=True)
        sys.exit(2)
    if submission is None and _course(course_path).quiz is not None:
        _note_for_the_quiz(report)
    sys.exit(0 if report.score >= (report.max_score if pass_mark is None else pass_mark) else 1)


@main.command()
@click.argument("exercise", required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Every hint at once, the right result of a small example included."
)
@click.option("--submission", type=SomePath(path_type=Path), help="Default: this workspace.")
@with_course
def hint(exercise: str | None, everything: bool, submission: Path | None, course_path: Path | None) -> None:
    """The next hint for what is wrong now, in the exercise named or the first unsolved one.

    Each call goes one rung up the ladder, from a question to the place in the code. A workspace remembers how far
    you are, and forgets it once the mistake is gone; with --submission nothing is remembered.
    """
    from grader.evidence import expected
    from grader.hints import every_hint, next_hint
    from grader.state import State, load_state, save_state
    from grader.workspace import find_workspace

    report = _grade(course_path, submission, (exercise,) if exercise else (), 0)
    if not report.graded:
        raise GraderError("the grader failed, so there is nothing to hint at", remedy="`grade run` says what failed.")
    course = _course(course_path)
    workspace = None if submission or everything else find_workspace(_here())
    state, note = load_state(workspace) if workspace else (State(), "")
    if note:
        click.echo(f"grade: {note}", err=True)
    right = expected(course)
    if everything:
        _say(every_hint(report, course, exercise, right))
        return
    _say(next_hint(report, course, exercise, state, right, remembered=workspace is not None))
    if workspace and report.graded:
        save_state(workspace, state)


@main.command()
@click.option("--topic", "topics", multiple=True, metavar="NAME", help="This topic alone; can be given several times.")
@click.option("--count", type=click.IntRange(1), default=20, show_default=True, help="Questions in this session.")
@click.option("--new", type=click.IntRange(0), default=10, show_default=True, help="New questions a day.")
@click.option("--seed", type=click.IntRange(0), help="Draws numbers and shuffles choices. Default: the day's own.")
@click.option("--answers", type=SomePath(path_type=Path), help="A file to answer from: one a line, # for comments.")
@click.option("--stats", is_flag=True, help="Ask nothing: say how each topic stands and what is due.")
@with_course
def quiz(answers: Path | None, course_path: Path | None, **options: Any) -> None:
    """Practise: questions that come back when you are about to forget them.

    First what is due, then what the last report of your code points to, then what is new. Every answer is kept at
    once, in .grade/ of the workspace you are in; outside of one, in .grade/ of your home folder.

    Exit status: 0, however many answers are right.
    """
    from grader.quiz_session import hold, memory_near, terminal

    _say_what_can_be_said()
    talk = terminal(answers, width=min(_width(), 80), colour=_best_style(None) == "rich")
    hold(_course(course_path), memory_near(_here()), talk, **options)


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@with_course
def start(folder: Path, course_path: Path | None) -> None:
    """Make a fresh workspace: the exercises to fill in, and the lesson."""
    import shlex

    from grader.workspace import start as fill

    written = fill(_course(course_path), folder)
    click.echo("\n".join(f"  {path}" for path in written))
    way = shlex.quote(str(folder))
    click.echo(f"\nRead {written[-1]}, fill in the functions, then run:\n  cd {way}\n  grade")


@main.group()
def nbgrader() -> None:
    """A course for nbgrader, and its grades."""


@nbgrader.command("init")
@click.argument("folder", type=SomePath(path_type=Path))
@click.option("--course-id", help="The course's name in nbgrader. Default: its name in course.yml.")
@click.option(
    "--written/--no-written",
    default=True,
    show_default=True,
    help="Whether the notebook ends with the lesson's written question, which is marked by hand.",
)
@with_course
def nbgrader_init(folder: Path, course_id: str | None, written: bool, course_path: Path | None) -> None:
    """Make a course folder for nbgrader: the notebook, the configuration, and a page on the steps to take.

    \b
    Examples:
      grade nbgrader init autumn                        the folder autumn, with everything
      grade nbgrader init autumn --course-id ml-2       under the name that students see
      grade nbgrader init autumn --no-written           without the question that is marked by hand
    """  # noqa: D301 - click wants a real \b
    import shlex

    from grader.nbgrader_course import init

    course = _course(course_path)
    paths = init(course, folder, course_id=course.name if course_id is None else course_id, written=written)
    click.echo("\n".join(f"  {path}" for path in paths))
    commands = [f"cd {shlex.quote(str(folder))}", f"nbgrader generate_assignment {shlex.quote(course.name)}"]
    click.echo(f"\nRead {paths[-1]}, then run:\n  " + "\n  ".join(commands))


@main.command()
@click.option("--machine", is_flag=True, help="Only say what isolation this machine gives to student code.")
@click.option("--write-stubs", is_flag=True, help="Make the stubs afresh from the solutions.")
@click.option(
    "--pairs", is_flag=True, help="Try every pair of mistakes as well, which takes minutes, and list what is found."
)
@with_course
def verify(machine: bool, write_stubs: bool, pairs: bool, course_path: Path | None) -> None:
    """The course checks itself: solutions get all points, stubs none, every known mistake is caught and named.

    Exit status: 0 all is well, 2 something is not.
    """
    from grader import verify as verification

    if write_stubs:
        for path in verification.write_stubs(_course(course_path, stubs=False)):
            click.echo(f"wrote {path}")
        return
    course = _course(course_path)
    with _launcher() as launcher:
        checks = verification.machine(launcher) if machine else verification.verify(course, launcher, pairs=pairs)
        failed = 0
        for check in checks:
            failed += bool(check.problems)
            click.echo(f"{'FAILED' if check.problems else 'ok':<7} {check.title}")
            for problem in (*check.problems, *(check.notes if pairs else ())):
                click.echo(f"        {problem}")
    if failed:
        sys.exit(2)


# ── shared by the commands ─────────────────────────────────────────────────────────────────────────


def _grade(course_path: Path | None, submission: Path | None, names: tuple[str, ...], seed: int) -> Report:
    with _launcher() as launcher:  # first: the warm parent starts while the rest is being imported
        from grader.submission import read_submission
        from grader.workspace import find_workspace

        course = _course(course_path)
        exercises = [course.exercise(name, also=list(main.commands)) for name in dict.fromkeys(names)]
        path = submission or find_workspace(_here())
        try:
            work = read_submission(path)
        except SubmissionError as error:  # ours, so there is a report that says so
            from grader.grading import not_graded

            click.echo(f"grade: {error}", err=True)
            return not_graded(str(path), course, seed, launcher, str(error), exercises)

        from grader.grading import grade

        return grade(work, course, seed, launcher, exercises)


def _course(path: Path | None, *, stubs: bool = True) -> Course:
    from grader.course import default_root, load_course

    return load_course(path or default_root(), stubs=stubs)


@contextmanager
def _launcher() -> Iterator[Launcher]:
    from grader.worker.launch import make_launcher

    signal.signal(signal.SIGTERM, _stop)  # so that workers and their scratch folders are cleared away
    launcher = make_launcher()
    try:
        yield launcher
    finally:
        launcher.close()


def _stop(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


def _note_for_the_quiz(report: Report) -> None:
    from datetime import UTC, datetime

    from grader.quiz import remember_report
    from grader.workspace import find_workspace

    if note := remember_report(find_workspace(_here()), report, datetime.now(UTC)):
        click.echo(f"grade: {note}", err=True)


def _best_style(output: Path | None) -> str:
    if output is not None and output.suffix in STYLES:
        return STYLES[output.suffix]
    wide_terminal = output is None and sys.stdout.isatty() and _width() >= NARROW
    plain_words = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return "rich" if wide_terminal and not plain_words else "plain"


def _width() -> int:
    import shutil

    return shutil.get_terminal_size().columns


def _say(text: str) -> None:
    """Print prose at the terminal's width; lines of code stay whole, for they are made to be pasted."""
    from grader.render.characters import visible
    from grader.render.lines import wrapped

    _say_what_can_be_said()
    width = min(_width(), 80)
    for line in visible(text).split("\n"):
        is_code = line.startswith(("import ", " ", "[")) or (" " not in line.partition("(")[0] and "(" in line)
        click.echo(line if is_code else "\n".join(wrapped(line, width)))


def _say_what_can_be_said() -> None:
    """A terminal that has no √ gets its escape in place of an exception."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _render(report: Report, style: str, show_output: bool) -> str:
    if style == "rich":
        from grader.render import terminal

        return terminal.render(
            report, width=min(_width(), 100), colour=not os.environ.get("NO_COLOR"), show_output=show_output
        )
    if style == "plain":
        from grader.render import plain

        return plain.render(report, width=min(_width(), 80), show_output=show_output)
    from grader.render import json_text, junit

    return json_text.render(report) if style == "json" else junit.render(report)


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError("the folder this runs in is gone", remedy="Change into a folder that exists.") from error


def _check_writable(path: Path) -> None:
    """Say before grading that a report could not be written."""
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise UsageError(
            f"the report cannot be written: this {what}", where=str(path), remedy="Choose another --output."
        )


def _write(path: Path, text: str) -> None:
    """Write whole or not at all; a pipe or a device is written to as it is, and a link is followed."""
    import tempfile

    path = path.resolve()
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".grade-", delete=False) as unfinished:
            unfinished.write(text.encode())
        Path(unfinished.name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(unfinished.name).replace(path)
    except OSError as error:
        where = str(path)
        raise GraderError(f"cannot write: {error.strerror}", where=where, remedy="Choose another --output.") from error


if __name__ == "__main__":
    main(prog_name="grade")
