import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    scale = 1 / np.sqrt(Q.shape[1])
    rows = []
    for i in range(len(Q)):
        s = K.astype(np.float64) @ Q[i].astype(np.float64) * scale
        if mask is not None:
            s = np.where(mask[i], s, -np.inf)
        w = softmax(s)
        rows.append(sum(w_j * vector.astype(np.float64) for w_j, vector in zip(w, K)))
    return np.vstack(rows)
