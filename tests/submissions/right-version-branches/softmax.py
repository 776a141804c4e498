import numpy as np

MAJOR = int(np.__version__.split(".")[0])

if MAJOR >= 2:
    def softmax(x, /, *, axis=-1):
        z = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return z / np.sum(z, axis=axis, keepdims=True)
else:
    def softmax(x, axis=-1):
        z = np.exp(x - np.amax(x, axis=axis, keepdims=True))
        return z / np.sum(z, axis=axis, keepdims=True)
