"""Exact attention in tiles, after Dao et al., FlashAttention (2022)."""

from math import sqrt

import numpy as np

ROWS = 16
COLS = 8


def attention(Q, K, V, mask=None):
    dtype = np.promote_types(Q.dtype, np.float32)
    out = np.empty((Q.shape[0], V.shape[1]), dtype=dtype)
    for r in range(0, Q.shape[0], ROWS):
        rows = slice(r, r + ROWS)
        visible = None if mask is None else mask[rows]
        out[rows] = _row_block(Q[rows].astype(dtype), K, V, visible, dtype)
    return out


def _row_block(q, K, V, visible, dtype):
    q = q * dtype.type(1 / sqrt(q.shape[1]))
    m = np.full((len(q), 1), -np.inf, dtype=dtype)
    ell = np.zeros((len(q), 1), dtype=dtype)
    acc = np.zeros((len(q), V.shape[1]), dtype=dtype)
    for c in range(0, K.shape[0], COLS):
        cols = slice(c, c + COLS)
        s = q @ K[cols].astype(dtype).T
        if visible is not None:
            s[~visible[:, cols]] = -np.inf
        m_new = np.maximum(m, s.max(axis=1, keepdims=True))
        m_safe = np.where(m_new == -np.inf, dtype.type(0), m_new)
        p = np.exp(s - m_safe)
        shrink = np.exp(m - m_safe)
        ell = shrink * ell + p.sum(axis=1, keepdims=True)
        acc = shrink * acc + p @ V[cols].astype(dtype)
        m = m_new
    return acc / ell
