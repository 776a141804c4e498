import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    # rows: keys, columns: queries
    grid = K.astype(np.float64) @ Q.astype(np.float64).T / np.sqrt(Q.shape[1])
    if mask is not None:
        grid = np.where(mask.T, grid, -1e9)
    share = softmax(grid, axis=-1)
    return share.T @ V
