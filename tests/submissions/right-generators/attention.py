import numpy as np

from softmax import softmax


def attention(Q, K, V, mask=None):
    def answers():
        scale = np.sqrt(float(Q.shape[1]))
        for i, q in enumerate(Q.astype(np.float64)):
            scores = K.astype(np.float64) @ q / scale
            if mask is not None:
                scores = np.where(mask[i], scores, -np.inf)
            yield softmax(scores) @ V

    return np.stack(list(answers()))
