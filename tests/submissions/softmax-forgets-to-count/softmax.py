import numpy as np


def row_total(row):
    total = 0.0
    i = 0
    while i < len(row):
        total = total + row[i]
    return total


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    totals = np.apply_along_axis(row_total, axis, e)
    return e / np.expand_dims(totals, axis)
