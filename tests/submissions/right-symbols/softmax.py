import numpy as np


def softmax(x, axis=-1):
    μ = np.max(x, axis=axis, keepdims=True)
    ε = np.exp(x - μ)
    Σ = np.sum(ε, axis=axis, keepdims=True)
    return ε / Σ


σ = softmax
