"""A model of being wrong: an exercise's reference taken in steps, each of which can go wrong in ways that have names.

Its file lies beside the words of the exercise's mistakes, imports NumPy and the standard library alone, and holds:

    SWITCHES   step -> wrong setting -> code of the catalogue, the steps in the order in which they are taken. The
               code "" marks a way that is right by itself and shows only once something else is wrong.
    begin      makes the first state, a NamedTuple, out of a call's arguments.
    <step>     a function for each: `step(state)` does it right, `step(state, setting)` otherwise. Steps change no
               array in place and raise as a student's code would. The last one returns what the call returns.
    <function> the exercise's function itself, taking settings by the names of their steps: without any, the reference.
    probes     a random generator -> the calls to put to a student's function, those first that settle most.
    examples   () -> small calls to show to a learner, the smallest first.
    maps       () -> (title, what a row is, what a column is, call): calls whose answer is a table worth looking
               at. It need not be there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from grader.errors import CourseError

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = "right"

Call: TypeAlias = "tuple[tuple[Any, ...], Mapping[str, Any]]"  # positional arguments, arguments by keyword


@dataclass(frozen=True, eq=False)
class Place:
    """A call whose answer is a table worth looking at, and what its rows and columns are."""

    title: str
    rows: str
    columns: str
    call: Call


_FAULTS = (OSError, SyntaxError, ImportError, NameError, AttributeError, TypeError, ValueError)


@dataclass(frozen=True, eq=False)
class Model:
    """A loaded model. `switches` has every step's settings and their codes, the right one first."""

    function: Callable[..., Any]
    begin: Callable[..., Any]
    steps: tuple[Callable[..., Any], ...]
    switches: Mapping[str, Mapping[str, str]]
    draw: Callable[[np.random.Generator], list[Call]]
    examples: tuple[Call, ...] = ()
    maps: tuple[Place, ...] = ()

    def probes(self, seed: int) -> tuple[Call, ...]:
        """The calls to put to a student's function, the same for a seed every time."""
        return tuple(self.draw(np.random.default_rng(seed)))

    def wrong(self, settings: Mapping[str, str]) -> Callable[..., Any]:
        """The exercise's function as a student would have it who takes these steps otherwise: step -> setting."""
        return partial(self.function, **settings)


@lru_cache(maxsize=64)
def load_model(path: Path, function: str) -> Model:
    """The model in the file `path` for the exercise's `function`. Raises CourseError, naming what is wrong with it."""
    loader = SourceFileLoader(path.stem, str(path))
    module: Any = module_from_spec(ModuleSpec(path.stem, loader, origin=str(path)))
    try:
        loader.exec_module(module)
        return Model(
            function=getattr(module, function),
            begin=module.begin,
            steps=tuple(getattr(module, step) for step in module.SWITCHES),
            switches={step: {RIGHT: "", **codes} for step, codes in module.SWITCHES.items()},
            draw=module.probes,
            examples=tuple(module.examples()),
            maps=tuple(Place(*place) for place in getattr(module, "maps", tuple)()),
        )
    except _FAULTS as error:
        problem = f"no model of mistakes: {type(error).__name__}: {error}"
        raise CourseError([problem], where=str(path), remedy="grader/model.py says what a model holds.") from error


# ── the tree of what a probe can become ────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Failed:
    """The exception that a step raised: it ends the call, so what later steps do makes no difference."""

    error: Exception


class Node:
    """What a probe has become after some steps. Settings of the next step that come to the same share one child."""

    __slots__ = ("_children", "_keys", "depth", "model", "state")

    def __init__(self, model: Model, state: Any, depth: int = 0) -> None:
        self.model = model
        self.state = state
        self.depth = depth
        self._children: dict[str, Node] = {}
        self._keys: dict[Any, Node] = {}

    @property
    def ended(self) -> bool:
        """Whether `state` is what the call returned or raised."""
        return self.depth == len(self.model.steps) or isinstance(self.state, Failed)

    def child(self, setting: str) -> Node:
        """What the next step makes of it."""
        found = self._children.get(setting)
        if found is None:
            found = self._children[setting] = self._shared(Node(self.model, self._after(setting), self.depth + 1))
        return found

    def _after(self, setting: str) -> Any:
        try:
            return self.model.steps[self.depth](self.state, setting)
        except (ValueError, IndexError, TypeError) as error:
            return Failed(error)

    def _shared(self, made: Node) -> Node:
        """The child that is there already, where one is like it. An only child needs no key."""
        if not self._children:
            return made
        if not self._keys:
            first = next(iter(self._children.values()))
            self._keys[_difference(self.state, first.state)] = first
        return self._keys.setdefault(_difference(self.state, made.state), made)


def _difference(before: Any, after: Any) -> Any:
    """A key that is alike for two states made from one, where nothing that follows could tell them apart."""
    if after is before:
        return None
    if isinstance(after, Failed):
        return Failed
    if type(after) is not type(before):
        return _digest(after)
    fields = enumerate(zip(before, after, strict=True))
    return tuple((field, _digest(new)) for field, (old, new) in fields if new is not old)


# Numbers that agree in their leading 16 of 52 bits, to about 1e-5, count as the same: rounding alone differs less.
_DROPPED_BITS = 36


def _digest(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_digest(item) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype == np.float64:
        bits = np.ascontiguousarray(value).view(np.int64)
        value = (bits + (1 << _DROPPED_BITS - 1)) >> _DROPPED_BITS
    return value.shape, value.dtype.char, value.tobytes()
