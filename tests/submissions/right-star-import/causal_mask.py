from numpy import *

def causal_mask(seq_len):
    return tril(full((seq_len, seq_len), True))
