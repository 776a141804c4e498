import numpy as np

def attention(Q, K, V, mask=None):
    Q = Q.astype('float64')
    K = K.astype('float64')
    V = V.astype('float64')
    A = np.matmul(Q, np.transpose(K)) / np.sqrt(Q.shape[1])
    if mask is not None:
        A = A + (1 - mask) * -1e9
    A = np.exp(A - A.max(1))
    A = A / A.sum(1)[:, None]
    return np.matmul(A, V)
