from numpy import divide, exp, max as amax, sum as total


def softmax(x, axis=-1):
    weights = exp(x - amax(x, axis=axis, keepdims=True))
    return divide(weights, total(weights, axis=axis, keepdims=True))
