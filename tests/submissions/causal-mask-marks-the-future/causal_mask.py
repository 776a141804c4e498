import numpy as np


def causal_mask(seq_len: int) -> np.ndarray:
    """True where attention must be blocked."""
    return np.triu(np.ones((seq_len, seq_len)), k=1).astype(bool)
