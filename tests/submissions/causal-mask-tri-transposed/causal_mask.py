from numpy import tri


class CausalMask:
    def __init__(self, length):
        self.length = length

    def build(self):
        return tri(self.length, dtype=bool).T


def causal_mask(seq_len):
    return CausalMask(seq_len).build()
