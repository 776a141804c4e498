import numpy as np


def attention(Q, K, V, mask=None):
    logits = Q.astype(np.float64).dot(K.astype(np.float64).T) / np.sqrt(Q.shape[1])
    if mask is not None:
        logits[~mask] = -1e9
    unnormalised = np.exp(logits - logits.max())
    weights = unnormalised / unnormalised.sum(axis=0)
    return weights.dot(V)
