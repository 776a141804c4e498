import numpy as np

from .softmax import softmax


def attention(Q, K, V, mask=None):
    given = Q.dtype
    if given == np.float16:
        Q, K, V = Q.astype(np.float32), K.astype(np.float32), V.astype(np.float32)
    scores = np.matmul(Q, np.transpose(K)) / np.sqrt(K.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return np.matmul(softmax(scores), V).astype(given)
