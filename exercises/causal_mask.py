"""The causal mask: a token may attend to itself and to what came before it, never to what follows."""

import numpy as np


def causal_mask(seq_len: int) -> np.ndarray:
    """Say for every pair of tokens in a sequence whether the first may attend to the second.

    seq_len: the number of tokens, an integer of at least 1.

    The result is a boolean array of shape (seq_len, seq_len): True and False, not numbers. Row i belongs to
    the token that looks (the query), column j to the token that is looked at (the key). The entry at [i, j]
    is True, "may attend", exactly where j <= i: a token sees itself and its past, and nothing of its future.

    For example:

    >>> causal_mask(3)
    array([[ True, False, False],
           [ True,  True, False],
           [ True,  True,  True]])
    """
    raise NotImplementedError
