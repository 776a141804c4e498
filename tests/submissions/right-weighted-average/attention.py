import numpy as np


def attention(Q, K, V, mask=None):
    def answer(q, visible):
        scores = K[visible].astype(np.float64) @ q / np.sqrt(K.shape[1])
        return np.average(V[visible].astype(np.float64), axis=0, weights=np.exp(scores - scores.max()))

    masks = [slice(None)] * len(Q) if mask is None else mask
    return np.array([answer(q, visible) for q, visible in zip(Q.astype(np.float64), masks)])
