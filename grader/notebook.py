"""The code of a notebook as text: a learner's own, without magics, locked cells and calls of `grader`."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from grader.bounds import MAX_CODE_BYTES, MAX_NOTEBOOK_BYTES, MAX_NOTEBOOK_CELLS, MAX_NOTES, MEBIBYTE
from grader.definitions import assigned_names
from grader.slicing import blank
from grader.source import Fault, Module, Unreadable, encodable, find_fault, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

OUT_OF_ORDER = "the cells were run in another order than they stand; they are graded top to bottom"

SHELL = "get_ipython"
WRAPPING_MAGICS = frozenset({"capture", "prun", "time"})  # the body of their cell runs as any other

# Looked for only where a statement starts, and only in cells that are no plain Python.
MAGIC_LINE = re.compile(
    r"""  [%!?]                           # %matplotlib inline   !ls   ?name
        | [\w., \[\]]+ = [ ]* [%!](?!=)   # files = !ls          here = %pwd
        | [\w.*]+ \?{1,2} $               # name?   name??
    """,
    re.VERBOSE,
)
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
LONG_QUOTES = ("'''", '"""')
# `\\.` keeps the search linear: without it each escaped quote would start a string that never ends.
TOKEN = re.compile(r"""\#.*|'{3}|"{3}|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[()\[\]{}]|\\$|\\.""")


@dataclass(frozen=True, slots=True)
class Cell:
    """One code cell: its text, and its execution count where it was run."""

    text: str
    count: int | None
    locked: bool


def read_notebook(name: str, file: str, data: bytes) -> Module:
    """The code cells of nbformat 3 or 4 joined. Unreadable where it is no notebook, or is too large."""
    cells = _code_cells(data)
    codes = {number: "" if cell.locked else _python(cell.text) for number, cell in enumerate(cells, 1)}
    faults = {number: fault for number, code in codes.items() if (fault := find_fault(code))}
    text, starts = _joined(["" if number in faults else code for number, code in codes.items()])
    broken = "\n".join(cells[number - 1].text for number in faults)
    notes = (*_fault_notes(faults), *_order_notes(cells))
    return Module(name, file, text, statements=True, notes=notes, broken=broken, cells=starts)


def _joined(codes: list[str]) -> tuple[str, tuple[int, ...]]:
    """The cells' code one after another, and the line at which each starts. An empty cell takes no line."""
    lines: list[str] = []
    starts: list[int] = []
    imported: set[str] = set()
    for code in codes:
        starts.append(len(lines) + 1)
        lines += _without_grader(code, imported).split("\n") if code.strip() else []
    return "\n".join([*lines, ""]), tuple(starts)


# ── what is a code cell ────────────────────────────────────────────────────────────────────────────


def _code_cells(data: bytes) -> list[Cell]:
    if len(data) > MAX_NOTEBOOK_BYTES:
        limit = MAX_NOTEBOOK_BYTES // MEBIBYTE
        raise Unreadable(f"it is larger than {limit} MiB; clear its outputs and save it")
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no notebook: its text is not JSON") from error
    cells = [_cell(raw) for raw in _raw_cells(notebook) if _is_code(raw)]
    if len(cells) > MAX_NOTEBOOK_CELLS:
        raise Unreadable(f"it has more than {MAX_NOTEBOOK_CELLS} code cells")
    if sum(len(cell.text) for cell in cells if not _is_foreign(cell.text)) > MAX_CODE_BYTES:
        raise Unreadable(f"it holds more than {MAX_CODE_BYTES // 1024} KiB of code")
    return cells


def _raw_cells(notebook: Any) -> list[Any]:
    """The cells of nbformat 4, or of all worksheets of nbformat 3."""
    holders = [notebook] if isinstance(notebook, dict) else []
    if holders and isinstance(notebook.get("worksheets"), list):
        holders = [sheet for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
    found = [holder["cells"] for holder in holders if isinstance(holder.get("cells"), list)]
    if not found:
        raise Unreadable("it is no notebook: it has no list of cells")
    return [cell for cells in found for cell in cells]


def _is_code(raw: Any) -> bool:
    if not isinstance(raw, dict) or raw.get("cell_type") != "code":
        return False
    return raw.get("language") in (None, "python")


def _cell(raw: dict[str, Any]) -> Cell:
    source = raw.get("source", raw.get("input", ""))
    text = "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else source
    count = raw.get("execution_count", raw.get("prompt_number"))
    text = encodable(text if isinstance(text, str) else "").replace("\r\n", "\n").replace("\r", "\n")
    return Cell(text, count if type(count) is int else None, _is_locked(raw))


def _is_locked(raw: dict[str, Any]) -> bool:
    metadata = raw.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return isinstance(nbgrader, dict) and nbgrader.get("locked") is True


# ── what of a cell is Python ───────────────────────────────────────────────────────────────────────


def _python(text: str) -> str:
    """The cell without its magics, line for line so that numbers stay true; "" where none of it is Python."""
    if not find_fault(text):
        return text
    lines = _dedented(text.split("\n"))
    for index, line in enumerate(lines):
        words = line.split()
        if line.startswith("%%"):
            if words[0].removeprefix("%%") not in WRAPPING_MAGICS:
                return ""
            lines[index] = ""
        elif words:
            break
    return "\n".join(_without_magic_lines(lines))


def _is_foreign(text: str) -> bool:
    """Whether the whole cell is for something else than Python: `%%html`."""
    first = text.split(maxsplit=1)[:1]
    return bool(first) and first[0].startswith("%%") and first[0].removeprefix("%%") not in WRAPPING_MAGICS


def _dedented(lines: list[str]) -> list[str]:
    """A cell indented as a whole runs in a notebook, so it is read as one here."""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(indent) for line in lines]


def _without_magic_lines(lines: list[str]) -> Iterator[str]:
    """The lines, with `pass` for a magic or shell line, so that a block it stands in keeps a body."""
    state = _Scan()
    continued = False
    for line in lines:
        magic = continued or (state.at_statement and MAGIC_LINE.match(line.strip()) is not None)
        if not magic:
            state.read(line)
            yield line
            continue
        yield "" if continued else line[: len(line) - len(line.lstrip())] + "pass"
        continued = line.endswith("\\")


class _Scan:
    """Whether the next line starts a statement: no bracket, long string or backslash line is open."""

    def __init__(self) -> None:
        self.depth = 0
        self.quote = ""
        self.joined = False

    @property
    def at_statement(self) -> bool:
        return not (self.depth or self.quote or self.joined)

    def read(self, line: str) -> None:
        self.joined = False
        position = 0
        while position < len(line):
            if self.quote:
                position = self._end_of_quote(line, position)
            elif found := TOKEN.search(line, position):
                position = found.end()
                self._take(found.group())
            else:
                return

    def _take(self, text: str) -> None:
        if text in LONG_QUOTES:
            self.quote = text
        elif text in OPENING:
            self.depth += 1
        elif text in CLOSING:
            self.depth = max(0, self.depth - 1)
        else:
            self.joined = text == "\\"

    def _end_of_quote(self, line: str, position: int) -> int:
        """Where the long string ends on this line; the line's end where it does not."""
        end = re.compile(rf"(?:\\.|(?!{self.quote})[^\\])*{self.quote}").match(line, position)
        if not end:
            return len(line)
        self.quote = ""
        return end.end()


# ── what of a cell is the grader's ─────────────────────────────────────────────────────────────────


def _without_grader(code: str, imported: set[str]) -> str:
    """The cell without the statements that only import or call `grader`, or the notebook's own shell.

    What they would give a name to is None. `imported` holds the names by which the cells so far know the grader; it is
    brought up to date.
    """
    if "grader" not in code and SHELL not in code and not imported:
        return code
    lines = [line.encode() for line in code.split("\n")]  # ast counts columns in bytes of UTF-8
    for statement in reversed(list(_grader_statements(parse(code), imported))):
        names = [] if isinstance(statement, ast.Import | ast.ImportFrom) else sorted(assigned_names([statement]))
        blank(lines, statement, "; ".join(f"{name} = None" for name in names) or "pass")
    return b"\n".join(lines).decode()


def _grader_statements(tree: ast.Module, imported: set[str]) -> Iterator[ast.stmt]:
    for statement in tree.body:
        if names := _grader_import(statement):
            imported |= names
            yield statement
        elif _called(statement) in {*imported, SHELL}:
            yield statement
        else:
            imported -= assigned_names([statement])  # the name is the student's own from here on


def _grader_import(statement: ast.stmt) -> set[str]:
    """The names a statement binds that imports of `grader` alone; none of any other statement."""
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        names = {alias.asname or alias.name for alias in statement.names}
        return (names - {"*"} or {"check"}) if _is_grader(statement.module or "") else set()
    if isinstance(statement, ast.Import) and all(_is_grader(alias.name) for alias in statement.names):
        return {alias.asname or "grader" for alias in statement.names}
    return set()


def _is_grader(module: str) -> bool:
    return module.split(".")[0] == "grader"


def _called(statement: ast.stmt) -> str:
    """The name at the root of a statement that is a call: "grader" of `r = grader.check("softmax").html`."""
    if not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign):
        return ""
    node = statement.value
    called = False
    while isinstance(node, ast.Call | ast.Attribute | ast.NamedExpr):
        called = called or isinstance(node, ast.Call)
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if called and isinstance(node, ast.Name) else ""


# ── what the report says of it ─────────────────────────────────────────────────────────────────────


def _fault_notes(faults: dict[int, Fault]) -> Iterator[str]:
    for number, fault in islice(faults.items(), MAX_NOTES):
        where = f"line {fault.line}: " if fault.line else ""
        yield f"cell {number} does not parse: {where}{fault.message}"
    if len(faults) > MAX_NOTES:
        yield f"{len(faults) - MAX_NOTES} more cells do not parse"


def _order_notes(cells: list[Cell]) -> tuple[str, ...]:
    run = [cell for cell in cells if cell.text.strip() and not cell.locked]
    counts = [cell.count for cell in run if cell.count is not None]
    return (OUT_OF_ORDER,) if any(later <= earlier for earlier, later in pairwise(counts)) else ()
