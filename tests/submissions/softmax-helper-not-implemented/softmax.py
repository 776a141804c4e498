import numpy as np


class Softmax:
    def shift(self, x, axis):
        raise NotImplementedError("subtract the max here")

    def __call__(self, x, axis):
        e = np.exp(self.shift(x, axis))
        return e / e.sum(axis=axis, keepdims=True)


def softmax(x, axis=-1):
    return Softmax()(x, axis)
