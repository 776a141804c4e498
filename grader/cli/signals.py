"""Signals handled in another way for a while."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled(names: Sequence[str], handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Within it, signals are handled so, as far as the system knows them and they are not ignored on purpose."""
    known = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {each: signal.getsignal(each) for each in known}
    heeded = [each for each in known if before[each] not in (signal.SIG_IGN, None)]
    try:
        for each in heeded:
            signal.signal(each, handler)
        yield
    finally:
        for each in heeded:
            signal.signal(each, before[each])
