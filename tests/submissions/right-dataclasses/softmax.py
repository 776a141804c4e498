from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

LAST: Final[int] = -1


@dataclass(frozen=True, slots=True)
class Shifted:
    """Scores with the maximum of their axis taken off."""

    values: npt.NDArray[np.floating[Any]]
    axis: int = field(default=LAST)

    @classmethod
    def of(cls, x: npt.NDArray[Any], axis: int) -> Shifted:
        return cls(x - x.max(axis=axis, keepdims=True), axis)

    @property
    def powers(self) -> npt.NDArray[np.floating[Any]]:
        return np.exp(self.values)

    def normalised(self) -> npt.NDArray[np.floating[Any]]:
        powers = self.powers
        return powers / powers.sum(axis=self.axis, keepdims=True)


def softmax(x: npt.NDArray[Any], axis: int = LAST) -> npt.NDArray[np.floating[Any]]:
    return Shifted.of(x, axis).normalised()
