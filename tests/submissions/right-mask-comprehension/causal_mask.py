from numpy import array

def causal_mask(seq_len):
    return array([[j <= i for j in range(seq_len)] for i in range(seq_len)])
