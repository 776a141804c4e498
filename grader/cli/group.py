"""The group of commands: `grade` alone means `grade run`, and errors of the grader become exit status 2."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import __version__
from grader.cli.screen import fitting, in_sight, warn, width
from grader.errors import GraderError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LEARNING = ("start", "run", "hint", "watch", "progress", "solution", "explore", "quiz")
UNNAMED = f"{__name__}.unnamed"  # set in a context's meta where no command was named: a name may be one misspelt
INTERRUPTED = 130  # what shells give a program that Ctrl-C ended; never a student's 1


class Grade(click.Group):
    """`grade` alone means `grade run`; errors of the grader become exit status 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` in front where no command is named."""
        completing = ctx.resilient_parsing and not args  # then a command may still be named
        if not completing and (not args or args[0] not in {*self.commands, "--help", "-h", "--version"}):
            args = ["run", *args]
            ctx.meta[UNNAMED] = True
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands, and the options of `run`, which need not be named."""
        run = self.commands["run"]
        with run.make_context("run", [], parent=ctx, resilient_parsing=True) as inside:
            items = [*super().shell_complete(ctx, incomplete), *run.shell_complete(inside, incomplete)]
        return list({item.value: item for item in items}.values())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in the order one meets them, those of teachers apart."""
        rest = [name for name in self.list_commands(ctx) if name not in LEARNING]
        for title, names in (("To learn", LEARNING), ("To teach", rest)):
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(80)) for name in names])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the grader cannot do ends with its reason and remedy on stderr."""
        try:
            return super().invoke(ctx)
        except GraderError as error:
            warn(str(error))
        except click.UsageError as error:
            raise _fitting(error) from None
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except (KeyboardInterrupt, click.Abort):
            warn("stopped.")
            return ctx.exit(INTERRUPTED)
        except Exception as error:  # a fault of ours must not look like a student's exit status 1
            if "GRADE_DEBUG" in os.environ:
                raise
            where = f"{type(error).__name__}: {error}"
            remedy = "Please report it with what `GRADE_DEBUG=1 grade …` prints."
            warn(f"the grader itself failed, not your code: {where}\n  {remedy}")
        return ctx.exit(2)


def _fitting(error: click.UsageError) -> click.UsageError:
    """The error that click tells of itself, its sentence broken at words on a terminal."""
    if type(error).show is not click.UsageError.show or not in_sight(sys.stderr):  # one shows a page of help
        return error
    head = "Error: "  # what click puts before it
    text = fitting(f"{head}{error.format_message()}", width(of_messages=True))
    return click.UsageError(text.removeprefix(head), error.ctx)


class Whole(click.IntRange):
    """A whole number in a range, called so where something else was typed."""

    name = "whole number"


class Number(click.FloatRange):
    """A number in a range, called so where something else was typed."""

    name = "number"


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


EPILOG = """\b
Environment:
  GRADE_COURSE      a course folder, as with --course
  GRADE_SEED_FILE   the file with the secret seed that nbgrader's cells and
                    `grade nbgrader batch` grade with
  NO_COLOR          set to anything: no colour
  TERM              dumb: plain words, and nothing that moves
  COLUMNS           the width to write in, in place of the terminal's
  GRADE_DEBUG       set to anything: where the grader itself fails, say where

\b
Completion of commands, options and names, by a line for your shell:
  ~/.bashrc                    eval "$(_GRADE_COMPLETE=bash_source grade)"
  ~/.zshrc                     eval "$(_GRADE_COMPLETE=zsh_source grade)"
  ~/.config/fish/config.fish   _GRADE_COMPLETE=fish_source grade | source
"""


@click.group(cls=Grade, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="grade")
def main() -> None:
    """Grade exercises on scaled dot-product attention, and say what went wrong.

    Without a command: grade the workspace you are in, as `grade run` does. `grade COMMAND --help` tells of one
    command, with examples.

    \b
    Examples:
      grade start my-work       make a workspace; then change into it
      grade                     the score, what failed and why, the next step
      grade hint                help with what is wrong now
      grade batch hand-ins      a whole class

    Exit status: 0 the score reaches the pass mark, 1 it does not, 2 the command, the course or the machine is at fault,
    130 it was interrupted. Commands that give no score end with 0 or 2, and say so where 1 means something to them.
    """  # noqa: D301 - click wants a real \b
