import numpy as np
from .softmax import softmax

def attention(Q, K, V, mask=None):
    d_k = K.shape[1]
    scores = np.matmul(Q.astype(np.float64), K.astype(np.float64).transpose())
    scores /= np.sqrt(d_k)
    if mask is not None:
        scores[mask == False] = -np.inf
    weights = softmax(scores)
    return np.matmul(weights, V)
