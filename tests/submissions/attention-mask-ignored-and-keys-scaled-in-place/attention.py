import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    K /= np.sqrt(K.shape[1])
    weights = softmax(np.inner(Q, K), axis=1)
    return weights @ V
