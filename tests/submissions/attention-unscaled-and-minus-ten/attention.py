import numpy as np
from exercises.softmax import softmax

def attention(Q, K, V, mask=None):
    rows, cols = len(Q), len(K)
    scores = np.zeros((rows, cols))
    for r in range(rows):
        for c in range(cols):
            if mask is None or mask[r, c]:
                scores[r, c] = np.vdot(Q[r].astype(float), K[c].astype(float))
            else:
                scores[r, c] = -10
    return softmax(scores) @ V
