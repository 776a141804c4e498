"""The hidden suite of `causal_mask`: 20 points.

Numbers in place of booleans cost their own test alone: `allowed` reads them for what they mean. And since
masks that allow everything, or nothing, have many a property that is tested, `seen` asks that the rows
differ.
"""

import numpy as np
import pytest

SIZES = (1, 2, 5, 64)
PATTERNS = ("transposed-mask", "inverted-mask", "hides-self", "sees-next")


def right_mask(size):
    """Key j is allowed for query i where j <= i."""
    return np.tri(size, dtype=bool)


def allowed(mask):
    """What a mask of booleans allows, or one of 1 and 0, or one of 0 and negative numbers to add."""
    return mask == 0 if mask.dtype.kind != "b" and (mask < 0).any() else mask != 0


def seen(mask, size, expect):
    """What a mask for `size` tokens allows, once it has that shape and no two rows allow equally much."""
    case = f"With seq_len = {size}"
    expect.shape(mask, (size, size), case)
    counts = np.unique(allowed(mask).sum(axis=1))
    # Where every token also sees the next, the last two see equally much: hence one fewer.
    varied = len(counts) >= size - 1
    assert varied, f"{case}, no two should see equally many; yours see {len(counts)} different numbers."
    return allowed(mask)


@pytest.mark.points(2)
@pytest.mark.targets("wrong-shape")
@pytest.mark.example("causal_mask(3).shape")
def test_shape(causal_mask, expect):
    """The mask has a row and a column for every token"""
    for size in SIZES:
        seen(causal_mask(size), size, expect)


@pytest.mark.points(5)
@pytest.mark.targets("not-boolean")
@pytest.mark.example("causal_mask(3).dtype")
def test_booleans(causal_mask, expect):
    """The mask is made of True and False, not of numbers"""
    for size in SIZES:
        mask = causal_mask(size)
        seen(mask, size, expect)
        assert mask.dtype == bool, f"With seq_len = {size}, entries should be True or False, not {mask.dtype} numbers."


@pytest.mark.points(1)
@pytest.mark.targets("hides-self", "inverted-mask", "not-boolean")  # a lone 0 to add reads as "hidden"
@pytest.mark.example("causal_mask(1)")
def test_one_token(causal_mask, expect):
    """A token alone sees itself"""
    seen(causal_mask(5), 5, expect)
    assert seen(causal_mask(1), 1, expect).all(), "For 1 token, the only entry should be True; yours is not."


@pytest.mark.points(3)
@pytest.mark.targets("hides-self", "inverted-mask")
@pytest.mark.example("causal_mask(3).diagonal()")
def test_sees_itself(causal_mask, expect):
    """Every token sees itself: the diagonal is True"""
    for size in (5, 64):
        hidden = np.count_nonzero(~seen(causal_mask(size), size, expect).diagonal())
        assert not hidden, f"With seq_len = {size}, each should see itself; {hidden} of yours cannot."


@pytest.mark.points(3)
@pytest.mark.targets("transposed-mask", "inverted-mask")
@pytest.mark.example("causal_mask(3)[2]")
def test_sees_the_past(causal_mask, expect):
    """Every token sees all of its past: True below the diagonal"""
    for size in (5, 64):
        past = seen(causal_mask(size), size, expect)[np.tril_indices(size, -1)]
        hidden = np.count_nonzero(~past)
        assert not hidden, f"With seq_len = {size}, {hidden} of {past.size} entries of the past are not True."


@pytest.mark.points(4)
@pytest.mark.targets("sees-next", "transposed-mask", "inverted-mask")
@pytest.mark.example("causal_mask(3)[0]")
def test_sees_no_future(causal_mask, expect):
    """No token sees its future: False above the diagonal"""
    for size in (5, 64):
        future = seen(causal_mask(size), size, expect)[np.triu_indices(size, 1)]
        shown = np.count_nonzero(future)
        assert not shown, f"With seq_len = {size}, {shown} of {future.size} entries of the future are not False."


@pytest.mark.points(1)
@pytest.mark.targets(*PATTERNS)
@pytest.mark.example("causal_mask(2)")
def test_short_sequences(causal_mask, expect):
    """Two tokens and five get the right mask, however often it is asked"""
    for size in (2, 5, 2, 5):
        wrong = np.count_nonzero(seen(causal_mask(size), size, expect) != right_mask(size))
        assert not wrong, f"With seq_len = {size}, {wrong} of {size**2} entries are wrong."


@pytest.mark.points(1)
@pytest.mark.targets(*PATTERNS)
@pytest.mark.example("causal_mask(4)")
def test_any_length(causal_mask, rng, expect):
    """A sequence of any length gets the right mask"""
    for size in rng.choice(np.arange(6, 40), 2, replace=False).tolist():
        wrong = np.count_nonzero(seen(causal_mask(size), size, expect) != right_mask(size))
        assert not wrong, f"With seq_len = {size}, {wrong} of {size**2} entries are wrong."
