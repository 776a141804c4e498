import numpy as np

def attention(Q, K, V, mask=None):
    n_queries = len(Q)
    n_keys = len(K)
    scale = np.sqrt(len(Q[0]))
    Q, K, V = Q.astype(float), K.astype(float), V.astype(float)
    answer = []
    for a in range(n_queries):
        scores = np.array([np.dot(Q[a] / scale, K[b]) for b in range(n_keys)], dtype=float)
        weights = np.exp(scores - max(scores))
        weights = weights / sum(weights)
        vector = np.zeros(len(V[0]))
        for b in range(n_keys):
            if mask is None or mask[a, b]:
                vector = vector + weights[b] * V[b]
        answer.append(vector)
    return np.array(answer)
