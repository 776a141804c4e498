import numpy as np

def attention(Q, K, V, mask=None):
    Q = np.asarray(Q, dtype=np.float64)
    K = np.asarray(K, dtype=np.float64)
    V = np.asarray(V, dtype=np.float64)
    similarity = []
    for query in Q:
        similarity.append([query.dot(key) / np.sqrt(len(query)) for key in K])
    similarity = np.array(similarity)
    if mask is not None:
        similarity = np.where(mask, similarity, -1e9)
    attn = np.zeros_like(similarity)
    for r, row in enumerate(similarity):
        e = np.exp(row - row.max())
        attn[r] = e / e.sum()
    output = np.dot(attn, V)
    return attn
