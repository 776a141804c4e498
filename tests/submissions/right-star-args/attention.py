import numpy as np

from exercises.softmax import softmax


def attention(*tensors, **options):
    q, k, v, *rest = tensors
    mask = options.get("mask", *rest)
    logits = np.dot(q.astype(np.float64) / np.sqrt(q.shape[-1]), k.T)
    if mask is not None:
        logits = np.where(mask, logits, np.NINF if hasattr(np, "NINF") else -np.inf)
    return np.dot(softmax(logits), v)
