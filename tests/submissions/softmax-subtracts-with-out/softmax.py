import numpy as np


def softmax(x, axis=-1):
    rows = np.swapaxes(x, axis, -1)
    answer = np.zeros(rows.shape)
    for k in np.ndindex(*rows.shape[:-1]):
        row = rows[k]
        np.subtract(row, row.max(), out=row)
        answer[k] = np.exp(row) / np.exp(row).sum()
    return np.swapaxes(answer, axis, -1)
