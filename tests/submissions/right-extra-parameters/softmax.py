import numpy as np


def softmax(x, axis=-1, temperature=1.0, dtype=None, where=True):
    """Softmax with a temperature.

    temperature : divides the scores; above 1 flattens the weights, below 1 sharpens them
    dtype       : precision of the arithmetic; at least float32 when left out
    where       : boolean, entries that are False get weight 0
    """
    if dtype is None:
        dtype = np.result_type(x, np.float32)
    x = np.where(where, np.asarray(x, dtype=dtype), -np.inf)
    x = x - x.max(axis=axis, keepdims=True)
    e = np.exp(x / temperature)
    return e / e.sum(axis=axis, keepdims=True)
