"""How a batch gets on, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from grader.cli.screen import in_sight

if TYPE_CHECKING:
    from grader.batch import Tally


@contextmanager
def shown_progress(total: int) -> Iterator[Callable[[Tally], None]]:
    """How far it is, how fast it goes and how long it takes yet, on stderr; nothing where that is no terminal."""
    if not in_sight(sys.stderr):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = [BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[pace]}")]
    began = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, pace="")

        def show(tally: Tally) -> None:
            graded = tally.now + tally.failed  # what was there before took no time, and would make it look fast
            rate = graded / (time.monotonic() - began)
            bar.update(task, completed=tally.done, pace=_pace(rate, total - tally.done) if graded else "")

        yield show


def _pace(rate: float, left: int) -> str:
    """So many a second, and the time that the rest takes at that."""
    from datetime import timedelta

    return f"{rate:.{0 if rate >= 10 else 1}f} a second, {timedelta(seconds=round(left / rate))} left"
