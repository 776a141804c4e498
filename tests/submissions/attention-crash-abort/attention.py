import os

import numpy as np


def attention(Q, K, V, mask=None):
    result = np.zeros((Q.shape[0], V.shape[1]))
    os.abort()
    return result
