import numpy as np


def scaled_scores(queries, keys):
    width = queries.shape[1]
    return np.dot(queries.astype(np.float64), keys.T.astype(np.float64)) / np.sqrt(width)
