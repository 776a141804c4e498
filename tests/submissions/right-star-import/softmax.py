from numpy import *

def softmax(x, axis=-1):
    e = exp(x - amax(x, axis, keepdims=True))
    return e / sum(e, axis, keepdims=True)
