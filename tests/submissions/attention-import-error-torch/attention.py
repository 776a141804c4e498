import math


def attention(Q, K, V, mask=None):
    import torch
    import torch.nn.functional as F

    q, k, v = (torch.from_numpy(a).double() for a in (Q, K, V))
    scores = q @ k.T / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~torch.from_numpy(mask), float("-inf"))
    return (F.softmax(scores, dim=-1) @ v).numpy()
