import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = (Q / np.sqrt(Q.shape[-1])) @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = softmax(scores, axis=-1)
    return {"output": weights @ V, "weights": weights}
