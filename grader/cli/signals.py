"""Signals handled in another way, for a while or for good."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


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


def _heeded(names: Sequence[str]) -> dict[int, Any]:
    """How those are handled that are known and not ignored."""
    known = [getattr(signal, name) for name in names if hasattr(signal, name)]
    handlers = {each: signal.getsignal(each) for each in known}
    return {each: handler for each, handler in handlers.items() if handler not in (signal.SIG_IGN, None)}
