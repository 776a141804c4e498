import numpy as np

from softmax import softmax


def attention(Q, K, V, mask=None, scale=None, return_weights=False):
    temperature = np.sqrt(Q.shape[-1]) if scale is None else 1 / scale
    scores = Q.astype(np.float64) @ K.astype(np.float64).T
    if mask is None:
        weights = softmax(scores, temperature=temperature)
    else:
        weights = softmax(scores, temperature=temperature, where=mask)
    output = weights @ V
    return (output, weights) if return_weights else output
