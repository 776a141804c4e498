import numpy as np


def attention(Q, K, V, mask=None):
    Qd = Q.astype(np.double)
    Kd = K.astype(np.double)
    A = Qd @ Kd.T
    A = A / np.sqrt(Kd.shape[1])
    if mask is not None:
        A[mask == False] = -1e9
    A = np.exp(A - np.amax(A, axis=1, keepdims=True))
    A = A / np.sum(A, axis=1, keepdims=True)
    return np.dot(A, Qd)
