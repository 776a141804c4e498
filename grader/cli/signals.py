"""Signals handled in another way, for a while or for good."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn


def handle(names: Sequence[str], handler: Callable[[int, Any], None]) -> None:
    """From now on, signals are handled so, as far as the system knows them and they are not ignored on purpose."""
    for each in _heeded(names):
        signal.signal(each, handler)


@contextmanager
def handled(names: Sequence[str], handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Within it, signals are handled so."""
    before = _heeded(names)
    try:
        handle(names, handler)
        yield
    finally:
        for each, was in before.items():
            signal.signal(each, was)


def leave(status: int) -> NoReturn:
    """End the program here: what Python does at its own end takes a while, in which it heeds Ctrl-C once more."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # it is gone, or closed
            stream.flush()
    os._exit(status)


def _heeded(names: Sequence[str]) -> dict[int, Any]:
    """How those are handled that are known and not ignored."""
    known = [getattr(signal, name) for name in names if hasattr(signal, name)]
    handlers = {each: signal.getsignal(each) for each in known}
    return {each: handler for each, handler in handlers.items() if handler not in (signal.SIG_IGN, None)}
