def attention(Q, K, V, mask=None):
    # todo: finish at the weekend
    return None
