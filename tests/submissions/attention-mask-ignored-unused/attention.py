import numpy as np
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    scores = (Q / np.sqrt(Q.shape[-1])) @ K.T
    return softmax(scores, axis=-1) @ V
