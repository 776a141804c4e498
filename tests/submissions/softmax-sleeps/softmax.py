import time

import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    time.sleep(3600)
    return e / e.sum(axis=axis, keepdims=True)
