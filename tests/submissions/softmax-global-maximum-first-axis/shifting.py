def shift(scores):
    return scores - scores.max()
