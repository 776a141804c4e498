import math

import numpy as np


def attention(Q, K, V, mask=None):
    Q = Q.astype(np.float64)
    K = K.astype(np.float64)
    V = V.astype(np.float64)

    # step 1: scores
    scores = np.matmul(Q, K.T)
    scores = scores / math.sqrt(K.shape[1])

    # step 2: mask
    if mask is not None:
        np.where(mask, scores, -np.inf)

    # step 3: softmax
    scores = scores - np.max(scores, axis=1).reshape(-1, 1)
    scores = np.exp(scores)
    scores = scores / np.sum(scores, axis=1).reshape(-1, 1)

    # step 4: output
    return np.matmul(scores, V)
