"""One source of a submission: its bytes as text, what keeps Python from reading it, and where a line stands.

Nothing here runs or imports a student's code: it is decoded and parsed, no more.
"""

from __future__ import annotations

import ast
import codecs
import warnings
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from grader.bounds import MAX_CODE_BYTES, MAX_SHOWN_CHARS

UTF16_STARTS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SMALL_CHARS = 16 << 10
LARGE_CHARS = 64 << 10  # a tree takes some fifty bytes a character
SAVE_AS_UTF8 = "save the file as UTF-8 text"


class Unreadable(Exception):
    """Why a student's archive or notebook cannot be read, in words for a note. Ends in `submission.py`."""


@dataclass(frozen=True, slots=True)
class Module:
    """One source of a submission: a .py file, or the code cells of a notebook."""

    name: str  # dotted, unique within the submission: "softmax", "pkg.tools"
    file: str  # how messages call it, relative to the submission: "softmax.py", "work.ipynb"
    text: str  # decoded, LF line ends, no BOM; of a notebook the statements of all code cells, joined
    statements: bool = False  # a notebook: run statement by statement
    problem: str = ""  # why it cannot be run at all, in a learner's words
    notes: tuple[str, ...] = ()
    broken: str = ""  # the text of the cells that do not parse
    guessed: bool = False  # `text` is a best guess at bytes that are no text to Python, or too many
    cells: tuple[int, ...] = ()  # the line of `text` at which each code cell starts, from the first cell on


@dataclass(frozen=True, slots=True)
class Fault:
    """What Python says about a text it cannot parse; `line` counts from 1, and is 0 where it names none."""

    line: int
    message: str


def read_source(name: str, file: str, data: bytes) -> Module:
    """A .py file as a Module. What is wrong with it becomes its `problem`; nothing is raised."""
    if len(data) > MAX_CODE_BYTES:
        problem = f"{file} is larger than {MAX_CODE_BYTES // 1024} KiB, more than the grader reads"
        return Module(name, file, _guess(data[:MAX_CODE_BYTES]), problem=problem, guessed=True)
    text = _decode(data)
    if isinstance(text, Fault):
        problem = f"{_where(file, text)}: {text.message}"
        return Module(name, file, _guess(data), problem=problem, guessed=True)
    fault = find_fault(text)
    return Module(name, file, text, problem=_explain(file, text, fault) if fault else "")


def find_fault(text: str) -> Fault | None:
    """What keeps Python from parsing `text`, or None."""
    try:
        parse(text)
    except SyntaxError as error:
        return Fault(error.lineno or 0, printable(error.msg))
    except (RecursionError, MemoryError):
        return Fault(0, "it is nested too deeply, or too long, for Python")
    except ValueError as error:
        return Fault(0, printable(str(error)))
    return None


def parse(text: str) -> ast.Module:
    """The syntax tree of `text`. Nothing is executed, and Python's warnings about the text are not shown.

    Raises SyntaxError, ValueError, RecursionError or MemoryError, as `ast.parse` does. The tree is not to be changed:
    small ones are kept, and the last larger one, since a submission is looked at from many sides.
    """
    if len(text) <= SMALL_CHARS:
        return _kept(text)
    return _last(text) if len(text) <= LARGE_CHARS else _parsed(text)


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


_kept = lru_cache(maxsize=32)(_parsed)
_last = lru_cache(maxsize=1)(_parsed)


def place(module: Module, line: int) -> str:
    """Where a line of `module.text`, from 1, stands for its author: "softmax.py, line 12", "cell 3, line 2".

    Cells are code cells, counted from 1 at the top. A line that does not exist gives the file alone.
    """
    if not 1 <= line <= module.text.count("\n") + 1:
        return module.file
    if not module.cells:
        return f"{module.file}, line {line}"
    number = bisect_right(module.cells, line)
    return f"cell {number}, line {line - module.cells[number - 1] + 1}"


def line_at(module: Module, line: int) -> str:
    """Line `line` (from 1) of the text, stripped and fit to be shown; "" where there is none."""
    return _shown_line(module.text, line)


def printable(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """`text` fit to be shown: no control characters or lone surrogates, at most `limit` characters."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def encodable(text: str) -> str:
    """`text` with lone surrogates, which JSON and odd encodings let through, replaced by question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _shown_line(text: str, line: int) -> str:
    lines = text.split("\n")  # not splitlines: Python ends a line at no form feed
    return printable(lines[line - 1].strip()) if 1 <= line <= len(lines) else ""


def _explain(file: str, text: str, fault: Fault) -> str:
    line = _shown_line(text, fault.line)
    what = f'"{line}" cannot be read; ' if line else ""
    return f"{_where(file, fault)}: {what}Python says: {fault.message}"


def _where(file: str, fault: Fault) -> str:
    return f"{file}, line {fault.line}" if fault.line else file


def _decode(data: bytes) -> str | Fault:
    """Text with LF line ends, by the rules of Python: BOM, coding line, else UTF-8."""
    if data.startswith(UTF16_STARTS):
        return Fault(0, f"it is saved as UTF-16, which Python does not read; {SAVE_AS_UTF8}")
    data = _lf(data)
    encoding = _encoding(data)
    if isinstance(encoding, Fault):
        return encoding
    if b"\0" in data:
        return Fault(data.count(b"\n", 0, data.index(b"\0")) + 1, f"a zero byte is no text; {SAVE_AS_UTF8}")
    try:
        return encodable(data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n"))
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start : error.start + 1].hex()
        return Fault(line, f"the byte 0x{byte} is not {encoding} text; {SAVE_AS_UTF8}")
    except (UnicodeError, LookupError):
        return Fault(0, f"it cannot be read as {encoding}; {SAVE_AS_UTF8}")


def _encoding(data: bytes) -> str | Fault:
    """The name of the encoding that the first two lines declare."""
    head = data.split(b"\n", 2)[:2]
    if not any(b"coding" in line for line in head):
        return "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    import io
    import tokenize  # seldom needed

    try:
        return tokenize.detect_encoding(io.BytesIO(b"\n".join(head)).readline)[0]
    except SyntaxError as error:
        return Fault(0, f"{printable(error.msg)}; {SAVE_AS_UTF8} and remove the coding line")


def _guess(data: bytes) -> str:
    """A best guess at text that is none, good enough to see which names it would define."""
    wide = data.startswith(UTF16_STARTS)
    return encodable(_lf(data).decode("utf-16" if wide else "utf-8", "replace").replace("\0", ""))


def _lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
