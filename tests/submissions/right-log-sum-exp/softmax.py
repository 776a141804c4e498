"""exp(x - logsumexp(x))."""
import numpy as np


def log_sum_exp(x, axis):
    top = np.max(x, axis=axis, keepdims=True)
    return top + np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True))


def softmax(x, axis=-1):
    x = x.astype(np.result_type(x.dtype, np.float32))
    return np.exp(x - log_sum_exp(x, axis))
