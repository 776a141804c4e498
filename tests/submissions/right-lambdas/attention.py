import numpy as np
from softmax import softmax
attention = lambda Q, K, V, mask=None: softmax(np.where(True if mask is None else mask, Q / len(K[0]) ** .5 @ K.T, -np.inf)) @ V
