import os


def causal_mask(seq_len):
    os.abort()
