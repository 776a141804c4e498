import numpy as np

from .softmax import softmax as σ

ᐁ = -np.inf
π = np.where


def attention(Q, K, V, mask=None):
    Qᵈ, Kᵈ = Q.astype(np.float64), K.astype(np.float64)
    δ = np.sqrt(Qᵈ.shape[1])
    α = Qᵈ @ Kᵈ.T / δ
    α = α if mask is None else π(mask, α, ᐁ)
    return σ(α) @ V
