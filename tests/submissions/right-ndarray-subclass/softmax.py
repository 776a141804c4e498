import numpy as np


class Weights(np.ndarray):
    """An array that knows along which axis it sums to 1."""

    along = None

    def __array_finalize__(self, source):
        self.along = getattr(source, "along", None)

    def __repr__(self):
        return f"<weights {self.shape} along {self.along}>"


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    weights = (e / e.sum(axis=axis, keepdims=True)).view(Weights)
    weights.along = axis
    return weights
