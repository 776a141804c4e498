import numpy as np

def attention(Q, K, V, mask=None):
    out = np.zeros((Q.shape[0], V.shape[1]))
    for i in range(Q.shape[0]):
        top = np.zeros(V.shape[1])
        bottom = 0.0
        for j in range(K.shape[0]):
            score = np.dot(Q[i].astype(np.float64), K[j].astype(np.float64)) / np.sqrt(Q.shape[1])
            weight = np.exp(score)
            top = top + weight * V[j]
            bottom = bottom + weight
        out[i] = top / bottom
    return out
