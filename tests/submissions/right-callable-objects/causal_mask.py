import numpy as np


class CausalMask:
    def __call__(self, seq_len):
        mask = self.nothing(seq_len)
        self.allow_past(mask)
        return mask

    def nothing(self, seq_len):
        return np.zeros((seq_len, seq_len), dtype=np.bool_)

    def allow_past(self, mask):
        for position, row in enumerate(mask):
            row[: position + 1] = True


causal_mask = CausalMask()
