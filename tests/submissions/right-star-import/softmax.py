from numpy import *

def softmax(x, axis=-1):
    e = exp(x - max(x, axis, keepdims=True))
    return e / sum(e, axis, keepdims=True)
