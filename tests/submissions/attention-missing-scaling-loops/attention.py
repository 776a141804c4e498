import numpy as np


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += float(x) * float(y)
    return total


def attention(Q, K, V, mask=None):
    output = []
    for i, q in enumerate(Q):
        scores = [dot(q, k) for k in K]
        if mask is not None:
            scores = [s if mask[i][j] else float("-inf") for j, s in enumerate(scores)]
        m = max(scores)
        exps = [np.exp(s - m) for s in scores]
        z = sum(exps)
        row = [0.0] * V.shape[1]
        for w, v in zip(exps, V):
            for c in range(len(row)):
                row[c] += w / z * float(v[c])
        output.append(row)
    return np.array(output)
