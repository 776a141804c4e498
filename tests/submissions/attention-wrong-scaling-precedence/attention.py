import numpy as np
from softmax import softmax

def attention(Q, K, V, mask=None):
    d_k = np.shape(Q)[1]
    factor = d_k ** 1/2
    QK = np.matmul(Q.astype(np.float64), np.transpose(K).astype(np.float64)) / factor
    if mask is not None:
        QK = np.ma.masked_array(QK, mask=~mask).filled(-np.inf)
    w = softmax(QK, axis=-1)
    return np.matmul(w, V)
