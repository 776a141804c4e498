import numpy as np


def softmax(x, axis=-1):
    moved = np.moveaxis(x, axis, -1)
    out = np.zeros_like(moved)
    for i in np.ndindex(moved.shape[:-1]):
        row = moved[i]
        e = np.exp(row - row.max())
        total = e.sum()
        for j in range(len(row)):
            out[i + (j,)] = e[j] / total
    return np.moveaxis(out, -1, axis)
