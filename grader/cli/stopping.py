"""Stopping a batch: it clears away what it started, and says how it goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from grader.cli.group import INTERRUPTED
from grader.cli.screen import warn
from grader.cli.signals import handled


@contextmanager
def stoppable() -> Iterator[None]:
    """Ctrl-C, SIGTERM or a closed terminal end a batch with all cleared away, and with a word on how it goes on."""
    with handled(("SIGTERM", "SIGHUP"), _stop):
        try:
            yield
        except KeyboardInterrupt as stopped:
            warn("stopped; the same command goes on from there.")
            sys.exit(stopped.args[0] if stopped.args else INTERRUPTED)


def _stop(number: int, _: object) -> NoReturn:
    raise KeyboardInterrupt(128 + number)
