import numpy as np
from softmax import softmax


def attention(Q, K, V, mask=None):
    Q, K, V = Q.astype(float), K.astype(float), V.astype(float)

    # scores, one column for every key
    columns = []
    for j, key in enumerate(K):
        column = (Q * key).sum(axis=1) / np.sqrt(len(key))
        if mask is not None:
            column = np.where(mask[:, j], column, -np.inf)
        columns.append(column)
    weights = softmax(np.column_stack(columns), axis=1)

    # answers, one outer product for every key
    answer = np.zeros((len(Q), V.shape[1]))
    for j, value in enumerate(V):
        answer += np.outer(weights[:, j], value)
    return answer
