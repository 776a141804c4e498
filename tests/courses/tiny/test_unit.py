import numpy as np
import pytest


@pytest.mark.points(3)
@pytest.mark.targets("squared-length")
@pytest.mark.example("unit(np.array([2.0, 0.0]))")
def test_length(unit, rng):
    """The result has length 1 and points the same way"""
    v = rng.normal(size=4) * 3
    got = unit(v)
    assert got.shape == v.shape, f"Asked for shape {v.shape}; shape {got.shape} came back."
    assert np.allclose(got, v / np.linalg.norm(v)), "The result is not the vector of length 1 in that direction."
