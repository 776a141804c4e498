import numpy as np
from softmax import softmax

def attention(Q, K, V, mask=None):
    q_len, dim = Q.shape
    k_len = K.shape[0]
    scores = Q.astype(np.float64) @ K.astype(np.float64).T
    scores = scores / np.sqrt(dim)
    if mask is not None:
        scores[~mask] = -np.inf
    w = softmax(scores, axis=1)
    result = []
    for i in range(q_len):
        line = []
        for c in range(dim):
            total = 0.0
            for j in range(k_len):
                total += w[i][j] * float(V[j][c])
            line.append(total)
        result.append(line)
    return np.array(result)
