"""The group of commands: `grade` alone means `grade run`, and errors of the grader become exit status 2."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from grader import __version__
from grader.errors import GraderError

INTERRUPTED = 130  # what shells give a program that Ctrl-C ended; never a student's 1


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
