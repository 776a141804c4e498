import numpy as np


class Activations:
    @staticmethod
    def softmax(x, axis=-1):
        z = np.exp(x - x.max(axis=axis, keepdims=True))
        return z / z.sum(axis=axis, keepdims=True)
