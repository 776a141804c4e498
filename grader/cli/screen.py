"""What is shown, and how wide: the only place that asks the terminal."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import Report

STYLES = {".json": "json", ".xml": "junit", ".html": "html"}  # what a report's file name says of its format


def best_style(output: Path | None) -> str:
    """The style of a report that is asked for in none: what the file's name says, or what the terminal can do."""
    if output is not None and output.suffix in STYLES:
        return STYLES[output.suffix]
    plain_words = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return "rich" if output is None and sys.stdout.isatty() and not plain_words else "plain"


def width() -> int:
    """Columns of the terminal."""
    import shutil

    return shutil.get_terminal_size().columns


def say(text: str) -> None:
    """Print prose at the terminal's width."""
    say_what_can_be_said()
    click.echo(prose(text))


def prose(text: str) -> str:
    """Broken at the terminal's width; lines of code stay whole, for they are made to be pasted."""
    from grader.render.characters import visible
    from grader.render.lines import wrapped

    room = min(width(), 80)
    lines: list[str] = []
    for line in visible(text).split("\n"):
        is_code = line.startswith(("import ", " ", "[")) or (" " not in line.partition("(")[0] and "(" in line)
        lines += [line] if is_code else wrapped(line, room) or [""]
    return "\n".join(lines)


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
