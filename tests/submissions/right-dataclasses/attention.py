from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .softmax import softmax

Matrix = npt.NDArray[np.floating[Any]]
Mask = npt.NDArray[np.bool_]


@dataclass
class Head:
    queries: Matrix
    keys: Matrix
    values: Matrix
    mask: Mask | None = None

    def __post_init__(self) -> None:
        self.precision = np.promote_types(self.queries.dtype, np.float32)

    @property
    def scores(self) -> Matrix:
        product = self.queries.astype(self.precision) @ self.keys.astype(self.precision).T
        return product / np.sqrt(self.keys.shape[1], dtype=self.precision)

    @property
    def weights(self) -> Matrix:
        scores = self.scores
        if self.mask is not None:
            scores[~self.mask] = -np.inf
        return softmax(scores)

    def output(self) -> Matrix:
        return self.weights @ self.values.astype(self.precision)


def attention(Q: Matrix, K: Matrix, V: Matrix, mask: Mask | None = None) -> Matrix:
    return Head(Q, K, V, mask).output()
