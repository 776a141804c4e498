import numpy as np
from softmax import softmax
hide = lambda S, mask: S if mask is None else np.where(mask, S, -np.inf)
attention = lambda Q, K, V, mask=None: softmax(hide(Q / len(K[0]) ** .5 @ K.T, mask)) @ V
