"""The causal mask: a token may attend to itself and to what came before it, never to what follows."""

import numpy as np


def causal_mask(seq_len: int) -> np.ndarray:
    """Say for every pair of positions whether the first may attend to the second.

    Parameters
    ----------
    seq_len
        The number of tokens in the sequence, an integer of at least 1.

    Returns
    -------
    A boolean array of shape (seq_len, seq_len). Row i belongs to the token that looks (the query), column j to
    the token that is looked at (the key). Entry [i, j] is True, "may attend", exactly when j <= i: each token
    sees itself and all of the past, and nothing of the future. The entries are True and False, not numbers.

    Example
    -------
    >>> causal_mask(3)
    array([[ True, False, False],
           [ True,  True, False],
           [ True,  True,  True]])
    """
    ### BEGIN SOLUTION
    position = np.arange(seq_len)
    query, key = position[:, np.newaxis], position[np.newaxis, :]
    # A column against a row: NumPy compares each pair, and a comparison is boolean already.
    return key <= query
    ### END SOLUTION
