"""How the hidden suites judge an answer: its shape, that it is finite, its numbers, in that order.

A check that fails says in one sentence what was asked and what came, and never what was expected in numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray


class Expect:
    """The checks. `case` opens the sentence a learner reads: "For scores near 10,000"."""

    def shape(self, got: NDArray[Any], shape: tuple[int, ...], case: str) -> None:
        """`got` has this shape."""
        assert got.shape == shape, f"{case}, the result should have shape {shape}; yours has shape {got.shape}."

    def finite(self, got: NDArray[Any], case: str) -> None:
        """`got` holds neither nan nor infinity."""
        assert np.isfinite(got).all(), f"{case}, {_some(~np.isfinite(got))} not finite (nan or infinity)."

    def close(
        self, got: NDArray[Any], wanted: NDArray[Any], case: str, dtype: DTypeLike = np.float64
    ) -> None:
        """`got` equals `wanted` within what arithmetic in the inputs' `dtype` allows."""
        self.shape(got, wanted.shape, case)
        self.finite(got, case)
        rtol, atol = (1e-2, 1e-3) if dtype == np.float16 else (1e-4, 1e-6)
        target = wanted.astype(np.float64)
        gap = np.abs(got.astype(np.float64) - target)
        off = gap > atol + rtol * np.abs(target)
        assert not off.any(), f"{case}, {_some(off)} off, by up to {gap.max():.2g}."

    def weights(self, got: NDArray[Any], shape: tuple[int, ...], axis: int, case: str) -> None:
        """`got` holds weights: none negative, and along `axis` they sum to 1."""
        self.shape(got, shape, case)
        self.finite(got, case)
        assert (got >= 0).all(), f"{case}, weights are never negative; {_some(got < 0)}."
        gap = np.abs(got.sum(axis=axis, dtype=np.float64) - 1)
        off = gap > 1e-4
        assert not off.any(), f"{case}, weights sum to 1; {_some(off, 'sums')} off, by up to {gap.max():.2g}."

    def increasing(self, got: NDArray[Any], scores: NDArray[Any], case: str) -> None:
        """`got` is larger wherever `scores`, a vector of distinct numbers, is larger."""
        self.shape(got, scores.shape, case)
        self.finite(got, case)
        falls = np.diff(got[np.argsort(scores)].astype(np.float64)) <= 0
        assert not falls.any(), f"{case}, a larger score must weigh more; {_some(falls, 'steps')} not upwards."

    def unchanged(self, after: Sequence[NDArray[Any]], before: Mapping[str, NDArray[Any]], case: str) -> None:
        """A call left its arguments as they were; `before` names them in the order of the call."""
        for left, (name, given) in zip(after, before.items(), strict=True):
            same = np.array_equal(left, given)
            assert same, f"{case}, your function changed {name} in place; the caller still needs it as it was."


def _some(chosen: NDArray[np.bool_], things: str = "numbers") -> str:
    count = np.count_nonzero(chosen)
    return f"{count} of {chosen.size} {things} {'is' if count == 1 else 'are'}"


@pytest.fixture
def expect() -> Expect:
    """The checks that all suites share."""
    return Expect()
