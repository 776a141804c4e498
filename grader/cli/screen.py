"""What is shown, and how wide: the only place that asks the terminal."""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from grader.report import Report

STYLES = {".json": "json", ".xml": "junit", ".html": "html"}  # what a report's file name says of its format


def best_style(output: Path | None) -> str:
    """The style of a report that is asked for in none: what the file's name says, or what the terminal can do."""
    if output is not None and output.suffix in STYLES:
        return STYLES[output.suffix]
    plain_words = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return "rich" if output is None and sys.stdout.isatty() and not plain_words else "plain"


def width(*, of_messages: bool = False) -> int:
    """Columns of the terminal; those of the terminal that messages go to, where what is printed goes elsewhere."""
    import shutil

    fallback = 80
    if of_messages and in_sight(sys.stderr):
        with suppress(OSError):
            fallback = os.get_terminal_size(sys.stderr.fileno()).columns or fallback
    return shutil.get_terminal_size((fallback, 24)).columns


def in_sight(stream: TextIO | None) -> bool:
    """Whether that is a terminal; a stream that is closed is None."""
    return stream is not None and stream.isatty()


def say(text: str) -> None:
    """Print prose at the terminal's width."""
    say_what_can_be_said()
    click.echo(prose(text))


def warn(text: str) -> None:
    """Print a message on stderr: broken at words on a terminal, and as it is where scripts read it."""
    message = f"grade: {text}"
    click.echo(fitting(message, width(of_messages=True)) if in_sight(sys.stderr) else message, err=True)


def prose(text: str) -> str:
    """Broken at the terminal's width; lines of code stay whole, for they are made to be pasted."""
    from grader.render.characters import visible

    room = min(width(), 80)
    lines: list[str] = []
    for line in visible(text).split("\n"):
        is_code = line.startswith(("import ", " ", "[")) or (" " not in line.partition("(")[0] and "(" in line)
        lines += [line] if is_code else _parts(line, room)
    return "\n".join(lines)


def fitting(text: str, room: int) -> str:
    """Each line broken at its spaces, but never in a path, a long word or `a command`: these are made to be pasted.

    What is longer than a line is left for the terminal to go on with. A line that is indented goes on further in.
    """
    from grader.render.characters import visible

    return "\n".join(part for line in visible(text).split("\n") for part in _parts(line, min(room, 80)))


def _parts(line: str, room: int) -> list[str]:
    from grader.render.lines import NO_BREAK, cells

    indent = " " * (len(line) - len(line.lstrip(" ")))
    parts = [indent]
    for word in re.findall(r"(?:`[^`]+`|[^ ])+ *", line):
        if parts[-1].strip() and cells(parts[-1] + word.rstrip()) > room:
            parts.append(f"{indent}  " if indent else "")
        parts[-1] += word
    return [part.rstrip().replace(NO_BREAK, " ") for part in parts]


def say_what_can_be_said() -> None:
    """A terminal that has no √ gets its escape in place of an exception."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def render(report: Report, style: str, show_output: bool) -> str:
    """The report as text in that style."""
    if style == "rich":
        from grader.render import terminal

        return terminal.render(
            report, width=min(width(), 100), colour=not os.environ.get("NO_COLOR"), show_output=show_output
        )
    if style == "plain":
        from grader.render import plain

        return plain.render(report, width=min(width(), 80), show_output=show_output)
    from grader.render import github, gradescope, html, json_text, junit

    formats: dict[str, Callable[[Report], str]] = {
        "json": json_text.render,
        "junit": junit.render,
        "html": html.document,
        "gradescope": gradescope.render,
        "github": github.render,
    }
    return formats[style](report)
