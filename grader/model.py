"""A model of being wrong: an exercise's reference taken in steps, each of which can go wrong in ways that have names.

Its file lies beside the words of the exercise's mistakes. It imports NumPy and the standard library alone, is
loaded by its path, and holds:

    SWITCHES   step -> wrong setting -> code of the catalogue, in the order in which the steps are taken. The code ""
               marks a way that is right by itself and shows only once something else is wrong.
    begin      makes the first state out of a call's arguments.
    a function for each step, of its name: `step(state)` does it right, `step(state, setting)` otherwise. It raises
               as a student's code would; the last one returns what the exercise's function returns.
    the exercise's function itself: the call, with settings by name of their steps; without any it is the reference.
    probes     a random generator -> calls, each as (positional arguments, keyword arguments), the most telling first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from grader.errors import CourseError

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

RIGHT = "right"

Probe: TypeAlias = "tuple[tuple[Any, ...], Mapping[str, Any]]"


@dataclass(frozen=True, eq=False)
class Model:
    """A loaded model. `switches` has every step's settings with their codes: the right one first, then what is right too."""

    function: Callable[..., Any]
    begin: Callable[..., Any]
    steps: tuple[Callable[..., Any], ...]
    switches: Mapping[str, Mapping[str, str]]
    draw: Callable[[np.random.Generator], list[Probe]]

    def probes(self, seed: int) -> tuple[Probe, ...]:
        """The calls to put to a student's function, the same for a seed every time."""
        return tuple(self.draw(np.random.default_rng(seed)))


@lru_cache(maxsize=64)
def load_model(path: Path, function: str) -> Model:
    """The model in the file `path` for the exercise's `function`. Raises CourseError, naming what is wrong with it."""
    module = _run(path)
    try:
        return Model(
            function=getattr(module, function),
            begin=module.begin,
            steps=tuple(getattr(module, step) for step in module.SWITCHES),
            switches={step: _by_rank(codes) for step, codes in module.SWITCHES.items()},
            draw=module.probes,
        )
    except AttributeError as error:
        problem = f"a model has SWITCHES, begin, probes, the function and one for each step: {error}"
        raise CourseError([problem], where=str(path)) from error


def _run(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise CourseError([f"{type(error).__name__}: {error}"], where=str(path), remedy="Mend the model.") from error
    return module


def _by_rank(codes: Mapping[str, str]) -> dict[str, str]:
    """All settings, those first that are no mistake: where two come to the same, the harmless one is to be met first."""
    return {RIGHT: ""} | dict(sorted(codes.items(), key=lambda item: item[1] != ""))


# ── the tree of what a probe can become ────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Failed:
    """The exception that a step raised: it ends the call, so what later steps do makes no difference."""

    error: Exception


class Node:
    """What a probe has become after some steps. Settings of the next step that come to the same share one child."""

    __slots__ = ("_children", "_found", "depth", "model", "state")

    def __init__(self, model: Model, state: Any, depth: int = 0) -> None:
        self.model = model
        self.state = state
        self.depth = depth
        self._children: dict[str, Node] = {}
        self._found: dict[Any, Node] = {}

    @property
    def ended(self) -> bool:
        """Whether `state` is what the call returned or raised."""
        return self.depth == len(self.model.steps) or isinstance(self.state, Failed)

    def child(self, setting: str) -> Node:
        """What the next step makes of it."""
        if setting not in self._children:
            state = self._after(setting)
            self._children[setting] = self._found.setdefault(
                _same_as(self.state, state), Node(self.model, state, self.depth + 1)
            )
        return self._children[setting]

    def _after(self, setting: str) -> Any:
        try:
            return self.model.steps[self.depth](self.state, setting)
        except Exception as error:
            return Failed(error)


# Numbers that agree in their leading 16 of 52 bits, to about 1e-5, count as the same: rounding alone differs less.
_DROPPED_BITS = 36


def _same_as(before: Any, after: Any) -> Any:
    """A key that is alike for two states made from one, where nothing that follows could tell them apart."""
    if after is before:
        return None
    if isinstance(after, Failed):
        return Failed
    if type(after) is type(before):
        return tuple(() if new is old else (_digest(new),) for old, new in zip(before, after, strict=True))
    return _digest(after)


def _digest(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_digest(item) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype == np.float64:
        bits = np.ascontiguousarray(value).view(np.int64)
        value = (bits + (1 << _DROPPED_BITS - 1)) >> _DROPPED_BITS
    return value.shape, value.dtype.char, value.tobytes()
