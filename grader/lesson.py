"""The lesson: one Markdown text, marked so that it serves a folder of files and a notebook alike.

Marks are HTML comments, invisible wherever Markdown is shown:

    <!-- files --> … <!-- /files -->    only for the lesson as a file: left out of notebooks
    <!-- notebook TEXT -->              only for notebooks
    <!-- exercise NAME -->              here come the cells of that exercise
    <!-- quick-check ID -->             here come the choices of that question of the bank, and its cells
    <!-- written POINTS QUESTION -->    here comes a question that is answered in words and graded by hand

A mark stands in the middle of a sentence, or alone on its lines: then it takes them with it, and one of the blank lines
around it. One space or line break behind the first word and one before the end are the mark's own. Between `files` and
`/files` there is no other mark. In code a mark is code. No other comments: what is meant for nobody is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from grader.errors import CourseError
from grader.spelling import did_you_mean


@dataclass(frozen=True, slots=True)
class Text:
    """A section of the lesson as notebooks show it, or the part of one before or behind an exercise."""

    markdown: str


@dataclass(frozen=True, slots=True)
class Exercise:
    """The place of an exercise's cells; `line` is where the lesson says so."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class QuickCheck:
    """The place of a question of the bank, by its id, that is answered by a letter."""

    question: str
    line: int


@dataclass(frozen=True, slots=True)
class Written:
    """A question answered in words, for so many points given by hand."""

    points: float
    markdown: str


Part = Text | Exercise | QuickCheck | Written


def read_lesson(text: str, *, where: str = "the lesson") -> tuple[Part, ...]:
    """The lesson as a notebook has it, in order. Raises CourseError with the line of every faulty mark."""
    reader = _Reader(text)
    for mark in _marks(text):
        reader.take(mark)
    parts = reader.end()
    if reader.problems:
        raise CourseError(reader.problems, where=where, remedy="grader/lesson.py says how marks are written.")
    return parts


def without_marks(text: str) -> str:
    """The lesson as a file of its own: no marks, and nothing that is for notebooks only. Other comments stay."""
    kept: list[str] = []
    position = 0
    for mark in _marks(text):
        if mark.word in _RULES:
            kept.append(text[position : mark.start])
            position = mark.end
    rest = "".join([*kept, text[position:]])
    return rest.rstrip("\n") + "\n" if 0 < position == len(text) else rest


# ── marks ──────────────────────────────────────────────────────────────────────────────────────────

# What has to stand behind each mark's first word, and how to say so.
_RULES = {
    "files": (r"", "takes nothing else; it ends at <!-- /files -->"),
    "/files": (r"", "takes nothing else"),
    "notebook": (r".*\S.*", "needs a text: <!-- notebook TEXT -->"),
    "exercise": (r"\S+", "needs one name: <!-- exercise NAME -->"),
    "quick-check": (r"\S+", "needs one question of the bank: <!-- quick-check ID -->"),
    "written": (r"\d+(\.\d+)?\s+\S.*", "needs points and a question: <!-- written 10 QUESTION -->"),
}

_TOKEN = re.compile(
    r"""  ^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[`~]*[ ]*$        # a block of code
        | (?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)
        | <!--(?P<inside>.*?)(?P<closed>-->|\Z)
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A comment: its first word and the rest. `tail` is what it takes of the lines behind it, up to `end`."""

    word: str
    rest: str
    line: int
    start: int
    end: int
    tail: str
    closed: bool


def _marks(text: str) -> Iterator[_Mark]:
    before = end = 0  # where the run of marks began that this one belongs to, and where the last one ended
    for found in _TOKEN.finditer(text):
        if found["inside"] is not None:
            before = before if found.start() == end else found.start()
            end = _end(text, before, *found.span())
            inside = found["inside"].lstrip()
            word = inside.split(maxsplit=1)[0] if inside else ""
            rest = inside[len(word) + 1 :]
            yield _Mark(
                word=word,
                rest=rest[:-1] if rest[-1:].isspace() else rest,
                line=text.count("\n", 0, found.start()) + 1,
                start=found.start(),
                end=end,
                tail=text[found.end() : end],
                closed=bool(found["closed"]),
            )


def _end(text: str, before: int, start: int, end: int) -> int:
    """Where a mark's own ends: behind its line where it stands alone there, and behind a blank one if that is left."""
    if text[:start].endswith("\n") or not start:
        end += text.startswith("\n", end)
        blank = text[:before].endswith("\n\n") or not before
        return end + (blank and text[end - 1 : end + 1] == "\n\n")
    return end


class _Reader:
    """Takes the marks of a text one by one; collects the parts of the notebook, and every problem."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[str] = []
        self._parts: list[Part] = []
        self._shown: list[str] = []
        self._position = 0
        self._files: _Mark | None = None

    def take(self, mark: _Mark) -> None:
        """The text before the mark, and what the mark stands for."""
        self._show(mark.start)
        self._position = mark.end
        if problem := _problem(mark, self._files):
            self._fault(mark, problem)
        elif mark.word in ("files", "/files"):
            self._files = mark if mark.word == "files" else None
        elif mark.word == "notebook":
            self._shown.append(mark.rest + mark.tail)
        else:
            self._parts += [*self._sections(), _part(mark)]

    def end(self) -> tuple[Part, ...]:
        """All parts, with the text behind the last mark."""
        if self._files:
            self._fault(self._files, "`files` is not closed. Put <!-- /files --> where notebooks go on.")
        self._show(len(self.text))
        return (*self._parts, *self._sections())

    def _show(self, until: int) -> None:
        if self._files is None:
            self._shown.append(self.text[self._position : until])

    def _sections(self) -> Iterator[Text]:
        markdown = "".join(self._shown)
        self._shown = []
        for start, end in pairwise([*_headings(markdown), len(markdown)]):
            if section := markdown[start:end].strip():
                yield Text(section)

    def _fault(self, mark: _Mark, problem: str) -> None:
        self.problems.append(f"line {mark.line}: {problem}")


def _problem(mark: _Mark, files: _Mark | None) -> str:
    """What is wrong with a mark, given the `files` it stands in, and the remedy."""
    if not mark.closed:
        return "a comment without its end. Put --> behind it."
    if mark.word not in _RULES:
        return f"unknown mark {mark.word!r}. {did_you_mean(mark.word, _RULES)}The marks are: {', '.join(_RULES)}."
    if files and mark.word != "/files":
        return f"`{mark.word}` inside the `files` of line {files.line}. Close those with <!-- /files --> first."
    if mark.word == "/files" and not files:
        return "`/files` closes nothing. Take it out, or put <!-- files --> before it."
    pattern, rule = _RULES[mark.word]
    return "" if re.fullmatch(pattern, mark.rest.strip(), re.DOTALL) else f"`{mark.word}` {rule}"


def _part(mark: _Mark) -> Part:
    if mark.word == "exercise":
        return Exercise(mark.rest.strip(), mark.line)
    if mark.word == "quick-check":
        return QuickCheck(mark.rest.strip(), mark.line)
    points, question = mark.rest.split(maxsplit=1)
    return Written(float(points), question.strip())


def _headings(markdown: str) -> Iterable[int]:
    """Where sections start: the beginning, and each second-level heading that is no comment in a block of code."""
    yield 0
    fenced, position = False, 0
    for line in markdown.splitlines(keepends=True):
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        elif line.startswith("## ") and not fenced:
            yield position
        position += len(line)
