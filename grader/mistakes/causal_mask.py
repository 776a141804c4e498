"""The causal mask taken in steps, and the ways in which each can go wrong."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

SWITCHES: dict[str, dict[str, str]] = {
    "diagonal": {"hidden": "hides-self", "one beyond": "sees-next"},
    "side": {"transposed": "transposed-mask", "inverted": "inverted-mask"},
    "form": {
        "1 and 0": "not-boolean",
        "0 and -inf": "not-boolean",  # or any number so large that adding it hides
        "0 and -1": "not-boolean",
        "0 and -10": "not-boolean",
        "0 and -100": "not-boolean",
        "0 and -1000": "not-boolean",
    },
}


class State(NamedTuple):
    """How many tokens there are, the last column that row 0 allows, and what is allowed."""

    size: int
    last: int = 0
    allowed: Array | None = None


def causal_mask(seq_len: int, **settings: str) -> Array:
    """Allow token i to see token j where j <= i; `settings` say which steps are taken otherwise."""
    state: Any = begin(seq_len)
    for step in (diagonal, side, form):
        state = step(state, settings.get(step.__name__, "right"))
    return state


def begin(seq_len: int) -> State:
    """Nothing but the number of tokens."""
    return State(seq_len)


def diagonal(now: State, how: str = "right") -> State:
    """Where the triangle ends."""
    return now._replace(last={"right": 0, "hidden": -1, "one beyond": 1}[how])


def side(now: State, how: str = "right") -> State:
    """Which of the two triangles is allowed."""
    lower = np.tri(now.size, k=now.last, dtype=bool)
    return now._replace(allowed={"right": lower, "transposed": lower.T, "inverted": ~lower}[how])


def form(now: State, how: str = "right") -> Array:
    """How allowed and forbidden are written down."""
    if how == "right":
        return now.allowed
    if how == "1 and 0":
        return now.allowed.astype(float)
    return np.where(now.allowed, 0.0, float(how.removeprefix("0 and ")))


def probes(rng: np.random.Generator) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Draw a few lengths: the smallest, where whole mistakes vanish, and larger ones."""
    larger = rng.choice(np.arange(5, 12), size=2, replace=False)
    return [((int(size),), {}) for size in (4, 3, 2, 1, *larger)]


def examples() -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """List the smallest lengths, two tokens first: one alone hides what most mistakes do."""
    return [((size,), {}) for size in (2, 1, 3)]


def maps() -> list[tuple[str, str, str, tuple[tuple[Any, ...], dict[str, Any]]]]:
    """Show the mask itself."""
    return [("who may attend to whom (1: may)", "query", "key", ((6,), {}))]
