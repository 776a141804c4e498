def causal_mask(seq_len):
    pass
