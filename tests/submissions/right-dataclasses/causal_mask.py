from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Grid(NamedTuple):
    query: npt.NDArray[np.intp]
    key: npt.NDArray[np.intp]

    @classmethod
    def square(cls, side: int) -> Grid:
        return cls(*np.indices((side, side)))

    def past(self) -> npt.NDArray[np.bool_]:
        return self.key <= self.query


def causal_mask(seq_len: int) -> npt.NDArray[np.bool_]:
    return Grid.square(seq_len).past()
