from __future__ import annotations

import numpy as np


def _last_axis(scores: np.ndarray) -> np.ndarray:
    highest = scores.max(-1)[..., None]
    odds = np.exp(scores - highest)
    return odds / odds.sum(-1)[..., None]


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.swapaxes(_last_axis(np.swapaxes(x, axis, -1)), axis, -1)
