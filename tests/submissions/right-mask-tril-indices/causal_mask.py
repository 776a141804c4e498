import numpy

def causal_mask(seq_len):
    mask = numpy.zeros(seq_len * seq_len, dtype="?").reshape(seq_len, seq_len)
    mask[numpy.tril_indices(seq_len)] = 1
    return mask
