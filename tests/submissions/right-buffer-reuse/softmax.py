import numpy as np


def softmax(x, axis=-1):
    buffer = np.array(x, dtype=np.promote_types(x.dtype, np.float32), order="C")
    np.subtract(buffer, np.max(buffer, axis=axis, keepdims=True), out=buffer)
    np.exp(buffer, out=buffer)
    np.divide(buffer, np.sum(buffer, axis=axis, keepdims=True), out=buffer)
    return buffer
