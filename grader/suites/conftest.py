"""How the hidden suites judge an answer: its shape, that it is finite, its numbers, in that order.

A failed check says in one sentence what was asked and what came, and never which numbers were expected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import DTypeLike, NDArray


class Expect:
    """The checks. `case` opens the sentence that a learner reads: "For scores near 10,000"."""

    def shape(self, got: NDArray[Any], shape: tuple[int, ...], case: str) -> None:
        """`got` has this shape."""
        assert got.shape == shape, f"{case}, the result should have shape {shape}; yours has {got.shape}."

    def finite(self, got: NDArray[Any], case: str) -> None:
        """`got` holds neither nan nor infinity."""
        odd = ~np.isfinite(got)
        assert not odd.any(), f"{case}, {_some(odd)} not finite (nan or infinity)."

    def close(self, got: NDArray[Any], wanted: NDArray[Any], case: str, dtype: DTypeLike = np.float64) -> None:
        """`got` is `wanted`, as nearly as inputs of this dtype allow."""
        self.shape(got, wanted.shape, case)
        self.finite(got, case)
        rtol, atol = (1e-2, 1e-3) if dtype == np.float16 else (1e-4, 1e-6)
        gap = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
        off = gap > atol + rtol * np.abs(wanted.astype(np.float64))
        assert not off.any(), f"{case}, {_some(off)} off, by up to {_size(gap.max())}."

    def weights(self, got: NDArray[Any], shape: tuple[int, ...], axis: int, case: str) -> None:
        """`got` has this shape, none of its numbers is negative, and along `axis` they sum to 1."""
        self.shape(got, shape, case)
        self.finite(got, case)
        negative = got < 0
        assert not negative.any(), f"{case}, no weight should be negative; {_some(negative)}."
        gap = np.abs(got.sum(axis=axis, dtype=np.float64) - 1)
        off = gap > 1e-4
        assert not off.any(), f"{case}, weights should sum to 1; {_some(off, 'sum')} off, by up to {_size(gap.max())}."

    def increasing(self, got: NDArray[Any], scores: NDArray[Any], case: str) -> None:
        """`got` is larger where `scores`, a vector of different numbers, is larger."""
        self.shape(got, scores.shape, case)
        self.finite(got, case)
        falling = np.diff(got[np.argsort(scores)].astype(np.float64)) <= 0
        assert not falling.any(), f"{case}, a larger score should always weigh more; yours does not."

    def unchanged(self, after: Sequence[NDArray[Any]], before: Mapping[str, NDArray[Any]], case: str) -> None:
        """A call left its arguments as they were; `before` names them in the order of the call."""
        left = dict(zip(before, after, strict=False))  # an array made something else does not come back
        for name, given in before.items():
            same = name in left and np.array_equal(left[name], given)
            assert same, f"{case}, your function changed {name} itself; the caller needs it as it was."


def _some(chosen: NDArray[np.bool_], thing: str = "number") -> str:
    """How many of how many, with its verb: "1 of 15 numbers is"."""
    count = np.count_nonzero(chosen)
    things = thing if chosen.size == 1 else f"{thing}s"
    return f"{count} of {chosen.size} {things} {'is' if count == 1 else 'are'}"


def _size(gap: float) -> str:
    """Two digits of it, written out where that is not long: 100, 0.02, 3.1e-09."""
    text = f"{gap:.2g}"
    return np.format_float_positional(float(text), trim="-") if 1e-4 <= gap < 1e6 else text


@pytest.fixture(scope="session")
def expect() -> Iterator[Expect]:
    """The checks that all suites share. Absurd answers may overflow in them, which is no news to anyone."""
    with np.errstate(all="ignore"):
        yield Expect()
