"""The hidden suites under plain pytest, in one process and without isolation: the honest peer of a benchmark.

    python -m pytest -p tests.benchmarks.in_process -p no:cacheprovider -c /dev/null grader/suites

SUBMISSION in the environment names the folder that holds the functions (by default solutions), SEED the seed.
"""

import importlib
import os
import sys
import zlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
SUBMISSION = Path(os.environ.get("SUBMISSION", SOLUTIONS)).resolve()
SEED = int(os.environ.get("SEED", "0"))


class Function:
    """A submission's function as a hidden test sees it: it gets copies, and gives an array of numbers."""

    def __init__(self, function):
        self.function = function
        self.arguments_after = ()

    def __call__(self, *arguments, **named):
        """Ask the function once; a result of another kind fails the test."""
        arguments = [_copy(value) for value in arguments]
        named = {name: _copy(value) for name, value in named.items()}
        result = self.function(*arguments, **named)
        self.arguments_after = [value for value in (*arguments, *named.values()) if _is_array(value)]
        kind = type(result).__name__
        assert _is_array(result) or np.isscalar(result), f"An array was asked for; what came is a {kind}."
        result = np.asarray(np.ma.filled(result, np.nan) if np.ma.isMaskedArray(result) else result)
        assert result.dtype.kind in "biuf", f"Real numbers were asked for; what came is of type {result.dtype}."
        return result


def _is_array(value):
    return isinstance(value, np.ndarray)


def _copy(value):
    return value.copy() if _is_array(value) else value


def pytest_configure(config):
    """Register the suites' marks; let `exercises.softmax` and `softmax` mean the submission's, else ours."""
    for mark in ("points(n)", "targets(*codes)", "example(expression)"):
        config.addinivalue_line("markers", mark)
    exercises = sys.modules["exercises"] = ModuleType("exercises")
    exercises.__path__ = [str(SUBMISSION), str(SOLUTIONS)]
    sys.path[:0] = exercises.__path__


def _fixture(name):
    @pytest.fixture(name=name)
    def function():
        return Function(getattr(importlib.import_module(f"exercises.{name}"), name))

    return function


softmax, causal_mask, attention = map(_fixture, ("softmax", "causal_mask", "attention"))


@pytest.fixture
def rng(request):
    """A generator drawn from the seed and the test's name."""
    return np.random.default_rng([SEED, zlib.crc32(request.node.name.encode())])
