import numpy as np

print("softmax.py, NumPy", np.__version__)


def softmax(x, axis=-1):
    ex = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return ex / np.sum(ex, axis=axis, keepdims=True)


example = np.array([1.0, 2.0, 3.0])
print("example:", softmax(example))
print("sums to", softmax(example).sum())
