from numpy import exp, float64


def softmax(x, axis=-1):
    x = x.astype(float64)
    return exp(x) / exp(x).sum(axis, keepdims=True)
