import numpy as np
from exercises.softmax import softmax

def attention(Q, K, V, mask=None):
    factor = 1.0 / np.sqrt(Q.shape[1])
    s = Q * factor @ K.T
    return softmax(s, axis=-1) @ K
