import os

import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    scores = (Q / np.sqrt(Q.shape[-1])) @ K.T
    if mask is not None:
        print("masks are not supported yet")
        os._exit(3)
    return softmax(scores, axis=-1) @ V
