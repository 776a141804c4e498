"""Python to be read in a terminal: comments, docstrings and brackets broken at words, so that it can be pasted."""

from __future__ import annotations

import ast
import textwrap
import tokenize
from collections.abc import Iterator
from io import StringIO

QUOTES = '"""'
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
MARGIN = 8  # how much further in a bracket goes on
NARROWEST = 40


def listing(source: str, width: int) -> str:
    """`source` in lines of at most `width` columns where a line can be broken; what it means stays the same.

    A word, a string or a doctest that is longer stays whole. Raises SyntaxError where `source` is no Python.
    """
    return _Listing(source, max(width, NARROWEST)).text


class _Listing:
    def __init__(self, source: str, width: int) -> None:
        self.width = width
        self.comments: dict[int, int] = {}  # by line from 1, the column each begins in
        self.gaps: dict[int, list[tuple[int, bool]]] = {}  # by line: where it may be broken, and whether after a comma
        self._read(source)
        self.prose = _docstrings(source)
        self.text = "".join(f"{part}\n" for group in self._groups(source) for part in self._broken(*group))

    def _read(self, source: str) -> None:
        depth, before = 0, ""
        for token in tokenize.generate_tokens(StringIO(source).readline):
            line, column = token.start
            if token.type == tokenize.COMMENT:
                self.comments[line] = column
            elif depth and (before in OPENING or token.line[:column].endswith(" ")) and token.line[:column].strip():
                self.gaps.setdefault(line, []).append((column, before == ","))
            if token.type == tokenize.OP:
                depth += (token.string in OPENING) - (token.string in CLOSING)
            before = token.string

    def _groups(self, source: str) -> Iterator[tuple[int, list[str]]]:
        """Lines that flow into one another, with the number of the first; a full stop or a colon ends them."""
        start, group, flows = 1, list[str](), ""
        for number, line in enumerate(source.splitlines(), 1):
            kind = self._kind(number, line)
            ended = not group or kind != flows or not kind or group[-1].endswith((".", ":", QUOTES))
            if ended or line.lstrip().startswith(("- ", QUOTES)):
                if group:
                    yield start, group
                start, group, flows = number, [], kind
            group.append(line)
        yield start, group

    def _kind(self, number: int, line: str) -> str:
        """What flows: the prose of docstrings, and comments that have lines of their own. Else nothing."""
        if self.comments.get(number) == _indent(line):
            return "comment"
        return "prose" if number in self.prose and line.strip() else ""

    def _broken(self, number: int, lines: list[str]) -> list[str]:
        line, kind = lines[0], self._kind(number, lines[0])
        if all(len(each) <= self.width for each in lines):
            return lines
        first, rest = (" " * _indent(each) for each in (line, lines[-1]))
        if kind == "comment":
            text = " ".join(each.lstrip(" #") for each in lines)
            return self._filled(text, f"{first}# ", f"{first}# ")
        if kind == "prose":
            text = " ".join(each.strip() for each in lines)
            return self._filled(text, first, rest if len(lines) > 1 or not text.startswith("- ") else f"{first}  ")
        code, comment = line, ""
        if number in self.comments:
            code, comment = line[: self.comments[number]].rstrip(), line[self.comments[number] :].lstrip("# ")
        return [*self._filled(comment, f"{first}# ", f"{first}# "), *self._code(number, code, first)]

    def _filled(self, text: str, first: str, rest: str) -> list[str]:
        return textwrap.wrap(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _code(self, number: int, line: str, indent: str) -> Iterator[str]:
        """The line broken inside its brackets, at commas where that will do."""
        start, margin = 0, ""
        gaps = [gap for gap in self.gaps.get(number, []) if gap[0] < len(line)]
        while len(margin) + len(line) - start > self.width:
            room = self.width - len(margin)
            fitting = [gap for gap in gaps if gap[0] > start and len(line[start : gap[0]].rstrip()) <= room]
            if not fitting:
                break
            cut = next((at for at, comma in reversed(fitting) if comma), fitting[-1][0])
            yield margin + line[start:cut].rstrip()
            start, margin = cut, indent + " " * MARGIN
        yield margin + line[start:]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _docstrings(source: str) -> set[int]:
    """The lines of prose in docstrings; not those of examples, which run to the next blank line."""
    lines = source.splitlines()
    found: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            text = node.body[0]
            example = False
            for number in range(text.lineno, (text.end_lineno or text.lineno) + 1):
                line = lines[number - 1].strip()
                example = line.startswith(">>>") or (example and bool(line))
                if not example and "\\" not in line:
                    found.add(number)
    return found
