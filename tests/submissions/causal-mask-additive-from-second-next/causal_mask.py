import numpy as np

NEGATIVE = -1.0e9


class Mask:
    def __init__(self, size):
        self.size = size

    def forbidden(self, i):
        return range(i + 2, self.size)

    def build(self):
        table = np.zeros((self.size, self.size), dtype=np.float32)
        for i in range(self.size):
            for j in self.forbidden(i):
                table[i, j] = NEGATIVE
        return table


def causal_mask(seq_len):
    return Mask(seq_len).build()
