"""Which names a source defines, judged on its text without running it."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from grader.layout import WORKSPACE
from grader.source import Module, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# What is bound inside these is not bound around them.
SCOPES = (*FUNCTIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def defines(module: Module, name: str, modules: Mapping[str, Module]) -> bool:
    """Whether `module` binds `name` to something of its own, or imports it from one of `modules` that does.

    `modules` maps dotted names to the sources of the submission. Nothing is run.
    """
    pending, seen = [(module, name)], set()
    while pending:
        source, wanted = pending.pop()
        if defines_itself(source, wanted) or _renames(source, wanted, modules):
            return True
        seen.add((source.name, wanted))
        pending += [way for way in _ways(source, wanted, modules) if (way[0].name, way[1]) not in seen]
    return False


def defines_itself(module: Module, name: str) -> bool:
    """Whether `module` binds `name` at module level by def, class or assignment."""
    outline = _outline(module.text)
    return mentions(module.text, name) if outline is None else name in outline[0]


def mentions(text: str, name: str) -> bool:
    """Whether text that does not parse looks as if it defined `name`."""
    word = re.escape(name)
    pattern = rf"^[ \t\f]*(?:async[ \t]+)?(?:def|class)[ \t]+{word}\b|^{word}[ \t]*(?::[^=\n]*)?=(?!=)"
    return re.search(pattern, text, re.MULTILINE) is not None


def assigned_names(statements: Iterable[ast.stmt]) -> set[str]:
    """The names that statements bind in their own scope by def, class or any kind of assignment."""
    names: set[str] = set()
    for node in own_scope(statements):
        if isinstance(node, FUNCTIONS):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def own_scope(statements: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes but those in inner scopes and bare annotations. No recursion: hostile trees are deep."""
    pending: list[ast.AST] = list(statements)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, SCOPES) and not (isinstance(node, ast.AnnAssign) and node.value is None):
            pending += ast.iter_child_nodes(node)


@lru_cache(maxsize=1024)
def _outline(text: str) -> tuple[frozenset[str], tuple[ast.ImportFrom, ...]] | None:
    """The names a text assigns and its `from … import` statements; None where it does not parse."""
    try:
        body = parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    imports = tuple(node for node in own_scope(body) if isinstance(node, ast.ImportFrom))
    return frozenset(assigned_names(body)), imports


def _renames(module: Module, name: str, modules: Mapping[str, Module]) -> bool:
    """Whether it takes another package's function under this name: `from numpy import tri as causal_mask`."""
    outline = _outline(module.text)
    foreign = [node for node in outline[1] if not _source(module, node, modules)] if outline else []
    taken = [alias for node in foreign if not node.level for alias in node.names]
    return any(alias.asname == name != alias.name for alias in taken)


def _ways(module: Module, name: str, modules: Mapping[str, Module]) -> Iterator[tuple[Module, str]]:
    """The (source, name) pairs of the submission from which `module` imports `name`, stars included."""
    outline = _outline(module.text)
    for node in outline[1] if outline else ():
        source = _source(module, node, modules)
        for alias in node.names if source else ():
            if source and alias.name == "*":
                yield source, name
            elif source and (alias.asname or alias.name) == name:
                yield source, alias.name


def _source(module: Module, node: ast.ImportFrom, modules: Mapping[str, Module]) -> Module | None:
    """The source of the submission that a `from … import` names, seen from `module`."""
    name = node.module or ""
    if not node.level:
        return modules.get(name) or modules.get(name.removeprefix(f"{WORKSPACE}."))
    package = module.name.split(".")
    drop = node.level - module.file.endswith("__init__.py")
    return modules.get(".".join([*package[: max(0, len(package) - drop)], *filter(None, [name])]))
