import numpy as np


def attention(Q, K, V, mask=None):
    sim = np.einsum('id,jd->ij', Q / np.sqrt(Q.shape[1]), K)
    if mask is not None:
        sim = np.where(mask, sim, 1e-9)
    sim = sim - sim.max(axis=-1, keepdims=True)
    attn = np.exp(sim)
    attn = attn / attn.sum(axis=-1, keepdims=True)
    return np.einsum('ij,jd->id', attn, V)
