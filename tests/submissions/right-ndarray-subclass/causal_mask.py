import numpy as np


class Mask(np.ndarray):
    """Boolean; prints as a picture."""

    def __str__(self):
        return "\n".join("".join(".#"[int(cell)] for cell in row) for row in np.asarray(self))


def causal_mask(seq_len):
    return np.tri(seq_len, dtype=bool).view(Mask)
