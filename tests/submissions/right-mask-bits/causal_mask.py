import numpy as np


def causal_mask(seq_len):
    width = int(seq_len)
    ones = [(1 << i + 1) - 1 for i in range(width)]
    text = "".join(format(n, f"0{width}b")[::-1] for n in ones)
    return (np.frombuffer(text.encode(), dtype=np.uint8) == ord("1")).reshape(width, width)
