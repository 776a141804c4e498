import numpy


def causal_mask(seq_len):
    return numpy.logical_not(
        numpy.greater(
            numpy.arange(seq_len).reshape(1, seq_len),
            numpy.arange(seq_len).reshape(seq_len, 1),
        )
    )
