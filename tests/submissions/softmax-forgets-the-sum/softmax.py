import numpy as np


def softmax(x, axis=-1):
    # step 1: subtract the max
    maxima = np.max(x, axis=axis, keepdims=True)
    shifted = x - maxima
    # step 2: exponentials
    exponentials = np.exp(shifted)
    # step 3: the sum of the exponentials
    total = np.sum(exponentials, axis=axis, keepdims=True)
    # step 4: the probabilities
    probabilities = exponentials / total
    return exponentials
