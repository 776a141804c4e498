import math

import numpy as np


def attention(Q, K, V, mask=None):
    n_q = Q.shape[0]
    n_k = K.shape[0]
    d_k = Q.shape[1]
    d_v = V.shape[1]
    result = np.zeros((n_q, d_v))

    for i in range(n_q):
        # numerators of the softmax for this query
        numerators = []
        for j in range(n_k):
            if mask is not None and not mask[i, j]:
                numerators.append(0.0)
                continue
            dot = 0.0
            for d in range(d_k):
                dot = dot + float(Q[i, d]) * float(K[j, d])
            numerators.append(math.exp(dot / math.sqrt(d_k)))
        total = sum(numerators)
        for j in range(n_k):
            for d in range(d_v):
                result[i, d] += numerators[j] / total * float(V[j, d])
    return result
