"""The hidden suite of `causal_mask`: 20 points.

Numbers in place of booleans cost their own test alone: the others read them for what they mean. Where a
property also holds for a mask that allows everything, or nothing, `seen` asks that the tokens see differently much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

SIZES = (1, 2, 5, 64)
PATTERNS = ("transposed-mask", "inverted-mask", "hides-self", "sees-next")


def allowed(mask: NDArray[Any]) -> NDArray[np.bool_]:
    """What a mask of booleans, of 1 and 0, or of 0 and negative numbers to add, allows."""
    return mask == 0 if mask.dtype.kind != "b" and (mask < 0).any() else mask != 0


def seen(mask: NDArray[Any], size: int, expect: Any) -> NDArray[np.bool_]:
    """What a mask for `size` tokens allows, once it is a square whose rows allow differently much."""
    case = f"For {size} tokens"
    expect.shape(mask, (size, size), case)
    counts = np.unique(allowed(mask).sum(axis=1))
    # `size` different numbers of visible tokens; one fewer where every token also sees the next.
    varied = counts.size >= size - 1
    assert varied, f"{case}, each token should see more or fewer than its neighbour; yours see {_numbers(counts)}."
    return allowed(mask)


def right_mask(size: int) -> NDArray[np.bool_]:
    """Key j is allowed for query i where j <= i."""
    return np.tri(size, dtype=bool)


def _numbers(counts: NDArray[Any]) -> str:
    return f"{counts[0]} each" if counts.size == 1 else f"only {counts.size} different numbers of tokens"


@pytest.mark.points(2)
@pytest.mark.targets("wrong-shape")
@pytest.mark.example("causal_mask(3).shape")
def test_shape(causal_mask: Any, expect: Any) -> None:
    """The mask has a row and a column for every token"""
    for size in SIZES:
        seen(causal_mask(size), size, expect)


@pytest.mark.points(5)
@pytest.mark.targets("not-boolean")
@pytest.mark.example("causal_mask(3).dtype")
def test_booleans(causal_mask: Any, expect: Any) -> None:
    """The mask is made of True and False, not of numbers"""
    for size in SIZES:
        mask = causal_mask(size)
        seen(mask, size, expect)
        kind = mask.dtype
        assert kind == bool, f"For {size} tokens, the mask should be boolean; yours holds numbers of type {kind}."


@pytest.mark.points(1)
@pytest.mark.targets("hides-self", "inverted-mask", "not-boolean")  # a lone 0 may be one to add, and may not
@pytest.mark.example("causal_mask(1)")
def test_one_token(causal_mask: Any, expect: Any) -> None:
    """A single token sees itself"""
    seen(causal_mask(5), 5, expect)
    assert seen(causal_mask(1), 1, expect).all(), "For 1 token, the mask should be True in its only place."


@pytest.mark.points(3)
@pytest.mark.targets("hides-self", "inverted-mask")
@pytest.mark.example("causal_mask(3).diagonal()")
def test_sees_itself(causal_mask: Any, expect: Any) -> None:
    """Every token sees itself: the diagonal is True"""
    for size in (5, 64):
        hidden = size - np.count_nonzero(seen(causal_mask(size), size, expect).diagonal())
        assert not hidden, f"For {size} tokens, all should see themselves; {hidden} of them cannot."


@pytest.mark.points(3)
@pytest.mark.targets("transposed-mask", "inverted-mask")
@pytest.mark.example("causal_mask(3)[2]")
def test_sees_the_past(causal_mask: Any, expect: Any) -> None:
    """Every token sees all of its past: True below the diagonal"""
    for size in (5, 64):
        past = seen(causal_mask(size), size, expect)[np.tril_indices(size, -1)]
        hidden = past.size - np.count_nonzero(past)
        assert not hidden, f"For {size} tokens, {hidden} of the {past.size} places below the diagonal are hidden."


@pytest.mark.points(4)
@pytest.mark.targets("sees-next", "transposed-mask", "inverted-mask")
@pytest.mark.example("causal_mask(3)[0]")
def test_sees_no_future(causal_mask: Any, expect: Any) -> None:
    """No token sees its future: False above the diagonal"""
    for size in (5, 64):
        future = seen(causal_mask(size), size, expect)[np.triu_indices(size, 1)]
        shown = np.count_nonzero(future)
        assert not shown, f"For {size} tokens, {shown} of the {future.size} places above the diagonal are allowed."


@pytest.mark.points(1)
@pytest.mark.targets(*PATTERNS)
@pytest.mark.example("causal_mask(2)")
def test_small_sequences(causal_mask: Any, expect: Any) -> None:
    """Two and five tokens get the right mask, however often it is asked"""
    for size in (2, 5, 2, 5):
        mask = seen(causal_mask(size), size, expect)
        wrong = np.count_nonzero(mask != right_mask(size))
        assert not wrong, f"For {size} tokens, {wrong} of {mask.size} places are wrong."


@pytest.mark.points(1)
@pytest.mark.targets(*PATTERNS)
@pytest.mark.example("causal_mask(4)")
def test_any_length(causal_mask: Any, rng: Generator, expect: Any) -> None:
    """A sequence of any length gets the right mask"""
    for size in rng.choice(np.arange(6, 40), size=2, replace=False).tolist():
        mask = seen(causal_mask(size), size, expect)
        wrong = np.count_nonzero(mask != right_mask(size))
        assert not wrong, f"For {size} tokens, {wrong} of {mask.size} places are wrong."
