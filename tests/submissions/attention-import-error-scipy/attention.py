import numpy as np
from scipy.special import softmax


def attention(Q, K, V, mask=None):
    scores = (Q / np.sqrt(Q.shape[-1])) @ K.T
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores, axis=-1) @ V
