import numpy as np

from softmax import softmax

try:
    import matplotlib.pyplot as plt
except Exception:
    plt = None


def show(weights):
    if plt is None:
        print(np.round(weights, 2))
    else:
        plt.imshow(weights)
        plt.show()


def attention(Q, K, V, mask=None, picture=False):
    scores = Q.astype(np.float64) @ K.astype(np.float64).T
    scores = scores / np.sqrt(K.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    if picture:
        show(weights)
    return weights @ V
