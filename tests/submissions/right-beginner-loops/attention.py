import math
import numpy as np
from softmax import softmax

def attention(Q, K, V, mask=None):
    n_q = Q.shape[0]
    n_k = K.shape[0]
    d_k = K.shape[1]
    d_v = V.shape[1]
    output = np.zeros((n_q, d_v))

    for i in range(n_q):
        scores = []
        for j in range(n_k):
            dot = 0.0
            for t in range(d_k):
                dot = dot + float(Q[i, t]) * float(K[j, t])
            score = dot / math.sqrt(d_k)
            if mask is not None:
                if not mask[i, j]:
                    score = -math.inf
            scores.append(score)

        weights = softmax(np.array(scores))

        for c in range(d_v):
            total = 0.0
            for j in range(n_k):
                total = total + float(weights[j]) * float(V[j, c])
            output[i, c] = total

    return output
