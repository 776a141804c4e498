from functools import partial

import numpy as np

from .softmax import softmax


def weighted_mean(q, k, v, *, weigh, fill, mask):
    scores = (q * (1 / np.sqrt(q.shape[1]))).astype(np.float64) @ k.T.astype(np.float64)
    return weigh(scores if mask is None else np.where(mask, scores, fill)) @ v


attention = partial(weighted_mean, weigh=softmax, fill=-np.inf, mask=None)
