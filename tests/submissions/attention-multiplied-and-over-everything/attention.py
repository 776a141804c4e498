import numpy as np


def attention(Q, K, V, mask=None):
    rt = np.sqrt(K.shape[1])
    z = (Q.astype(np.float64) @ K.astype(np.float64).T) * rt
    if mask is not None:
        z = np.where(mask, z, -np.inf)
    z = np.exp(z - z.max())
    return (z / z.sum()) @ V
