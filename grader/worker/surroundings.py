"""What all modules of a process share: whether those that ran in it left it as the next one would find it anew.

Honest code changes it by `np.seterr`, `warnings.simplefilter`, a patched `np.exp`, a timer. Asked and not relied on: a
module that hides a change here harms the functions it was handed in with, and nobody else.
"""

from __future__ import annotations

import builtins
import gc
import os
import signal
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

MOST_GROWN_KIBIBYTES = 64 << 10
_MODULES = (builtins, warnings, np)


@cache
def before() -> tuple[list[tuple[Mapping[str, Any], Mapping[str, Any]]], tuple[object, ...]]:
    """What the names of shared modules stood for, and the settings, when first asked: by the warm parent, for all."""
    spaces = [vars(module) for module in _MODULES]
    return [(space, dict(space)) for space in spaces], _settings()


class Surroundings:
    """Those of a process before a line of a student's ran in it."""

    def __init__(self) -> None:
        self.folder = os.getcwd()  # noqa: PTH109 - a text is compared
        self.kibibytes = _most_held()

    def are_as_before(self) -> bool:
        """Whether nothing that is looked at has changed."""
        names, settings = before()
        unmoved = os.getcwd() == self.folder and _most_held() - self.kibibytes < MOST_GROWN_KIBIBYTES  # noqa: PTH109
        return unmoved and _settings() == settings and all(_same(now, then) for now, then in names)


def _same(now: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    return len(now) == len(before) and all(now.get(name) is value for name, value in before.items())


def _settings() -> tuple[object, ...]:
    return (
        np.geterr(),
        np.geterrcall(),
        np.get_printoptions(),
        list(warnings.filters),
        list(sys.path),
        list(sys.meta_path),
        (sys.gettrace(), sys.getprofile(), sys.getrecursionlimit()),
        dict(os.environ),
        gc.isenabled(),
        *_timers(),
    )


def _timers() -> list[object]:
    """What is left of each: a handler that nothing is to call is no matter."""
    if not hasattr(signal, "getitimer"):  # Windows has none
        return []
    return [signal.getitimer(timer) for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)]


def _most_held() -> int:
    """KiB of memory at once so far; 0 where that is not known."""
    try:
        import resource
    except ImportError:  # Windows has none
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
