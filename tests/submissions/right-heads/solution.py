"""Multi-head attention; the exercise is the case of one head."""

from typing import Optional

import numpy as np

__all__ = ["softmax", "causal_mask", "attention"]


class Heads:
    def __init__(self, count: int = 1) -> None:
        self.count = count

    def split(self, x: np.ndarray) -> np.ndarray:
        """(n, heads * d) -> (heads, n, d)"""
        return x.reshape(x.shape[0], self.count, -1).transpose(1, 0, 2)

    def join(self, x: np.ndarray) -> np.ndarray:
        """(heads, n, d) -> (n, heads * d)"""
        return x.transpose(1, 0, 2).reshape(x.shape[1], -1)

    def __call__(self, q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Optional[np.ndarray]) -> np.ndarray:
        q, k, v = (self.split(a.astype(np.float64)) for a in (q, k, v))
        logits = np.matmul(q, k.transpose(0, 2, 1)) / np.sqrt(q.shape[-1])
        if mask is not None:
            logits = np.where(mask[np.newaxis], logits, -np.inf)
        return self.join(np.matmul(softmax(logits), v))


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def causal_mask(seq_len: int) -> np.ndarray:
    return np.add.accumulate(np.identity(seq_len), axis=0).astype(bool)


def attention(Q, K, V, mask=None):
    return Heads(1)(Q, K, V, mask)
