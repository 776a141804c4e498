import numpy as np


def softmax(x, axis=-1):
    rows, columns = x.shape
    if axis in (0, -2):
        return softmax(x.T, axis=1).T
    result = np.zeros((rows, columns))
    for i in range(rows):
        e = np.exp(x[i] - x[i].max())
        result[i] = e / e.sum()
    return result
