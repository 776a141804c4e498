import numpy as np

from exercises.softmax import softmax


class Attention:
    def __init__(self, normalise):
        self.normalise = normalise

    def score(self, queries, keys):
        width = queries.shape[-1]
        return np.matmul(queries.astype("float64"), keys.astype("float64").T) / width**0.5

    def hide(self, scores, mask):
        if mask is None:
            return scores
        hidden = scores.copy()
        hidden[np.logical_not(mask)] = float("-inf")
        return hidden

    def __call__(self, queries, keys, values, mask=None):
        weights = self.normalise(self.hide(self.score(queries, keys), mask))
        return np.matmul(weights, values)


attention = Attention(softmax)
