import numpy as np

from causal_mask import causal_mask
from softmax import softmax


def attention(Q, K, V, mask=None):
    n_q, n_k = len(Q), len(K)
    allowed = causal_mask(max(n_q, n_k))[:n_q, :n_k]
    root = float(np.sqrt(Q.shape[1]))
    scores = (Q / root) @ K.T
    scores = np.where(allowed, scores, -1e9)
    return softmax(scores) @ V
