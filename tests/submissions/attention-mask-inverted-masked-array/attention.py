import numpy as np
import numpy.ma as ma
from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    scores = ma.array(np.dot(Q.astype("f8"), K.astype("f8").T) / np.sqrt(K.shape[-1]))
    if mask is not None:
        scores = ma.array(scores, mask=mask)
    return softmax(scores.filled(-1e20)) @ V
