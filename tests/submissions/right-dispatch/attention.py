import numpy as np

from exercises.softmax import softmax


def attention(Q, K, V, mask=None):
    scores = np.tensordot(Q.astype(np.float64), K.astype(np.float64), axes=(1, 1)) / np.sqrt(Q.shape[1])
    match mask:
        case None:
            visible = scores
        case np.ndarray():
            visible = np.select([mask, ~mask], [scores, -np.inf])
        case other:
            raise TypeError(f"mask: {other!r}")
    return np.tensordot(softmax(visible), V, axes=(1, 0))
