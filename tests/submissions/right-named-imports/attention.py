from math import sqrt
from numpy import inf, matmul as mm, where as pick

from .softmax import softmax as soft


def attention(Q, K, V, mask=None):
    Q = Q.astype("d")
    K = K.astype("d")
    scores = mm(Q, K.T)
    scores = scores / sqrt(Q.shape[1])
    if mask is not None:
        scores = pick(mask, scores, -inf)
    return mm(soft(scores), V)
