import numpy as np

try:
    boolean = np.bool
    assert boolean is not bool
except (AttributeError, AssertionError):
    boolean = np.bool_
finally:
    def causal_mask(seq_len):
        mask = np.ones((seq_len, seq_len), dtype=boolean)
        mask[np.triu_indices(seq_len, 1)] = False
        return mask
