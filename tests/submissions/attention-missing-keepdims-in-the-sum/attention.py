import numpy as np


def row_softmax(matrix: np.ndarray) -> np.ndarray:
    largest = matrix.max(axis=1, keepdims=True)
    exponentials = np.exp(matrix - largest)
    return exponentials / exponentials.sum(axis=1)


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    queries = Q.astype(np.float32 if Q.dtype == np.float16 else Q.dtype)
    similarity = np.inner(queries, K) / np.sqrt(queries.shape[1])
    if mask is not None:
        similarity[np.logical_not(mask)] = -np.inf
    return np.dot(row_softmax(similarity), V)
