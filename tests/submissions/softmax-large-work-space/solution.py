import numpy as np

WIDTH = 15_000


def softmax(x, axis=-1):
    space = np.ones((WIDTH, WIDTH))
    z = x - x.max(axis=axis, keepdims=True)
    space.flat[: z.size] = np.exp(z).ravel()
    e = space.ravel()[: z.size].reshape(z.shape)
    return e / e.sum(axis=axis, keepdims=True)
