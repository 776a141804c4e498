import numpy as np


def softmax(x, axis=-1):
    biggest = x.max()
    log_sum = biggest + np.log(np.exp(x - biggest).sum())
    return x - log_sum
