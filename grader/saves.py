"""Noticing that sources in a folder were saved: by the system's file events, and by looking where none come.

The folder is looked at several times a second in any case, which costs next to nothing; file events only say at once
when. So where a file system sends none (WSL's view of Windows, network disks, folders lent to a container), nothing
is missed, and it shows: what was found by looking alone was not announced.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from grader.layout import is_litter, is_source

LOOK_SECONDS = 0.25  # between two looks
LATE_SECONDS = 2.0  # by which an event has to have come for what was found by looking
SETTLE_SECONDS, SETTLE_LOOKS = 0.015, 20  # editors write a file in several steps: wait until they are done
STEP_MILLISECONDS, BURST_MILLISECONDS = 25, 200  # of file events: how soon told, and how long gathered
MOST_ENTRIES = 5_000  # looked at
MOST_FOLDERS = 200

Sight: TypeAlias = "frozenset[tuple[str, int, int, int]] | None"  # what a look finds; None where the folder is gone


class Saves:
    """Watches the sources in a folder. `wake` is called, from another thread, when a look is worth while.

    With `poll` no file events are asked for.
    """

    def __init__(self, folder: Path, wake: Callable[[], None], *, poll: bool = False) -> None:
        self.folder = folder
        self.wake = wake
        self.events: _Events | None = None
        self.silent = poll
        self.unannounced: float | None = None  # since when a change waits for its event
        self.seen = sight(folder)
        self._listen()

    @property
    def there(self) -> bool:
        """Whether the folder was there at the last look."""
        return self.seen is not None

    @property
    def by_events(self) -> bool:
        """Whether file events say when something is saved; otherwise it is looked for."""
        return self.events is not None and not self.events.broken

    def look(self) -> bool:
        """Whether anything was saved, added, removed or renamed since the last look."""
        before, self.seen = self.seen, self._settled()
        announced = self.events is not None and self.events.heard()
        if self.seen is None or before is None:
            self._forget()
        if self.seen != before and not announced and self.by_events:
            self.unannounced = self.unannounced or time.monotonic()
        if announced:
            self.unannounced = None
        if self.unannounced and time.monotonic() - self.unannounced > LATE_SECONDS:
            self.silent = True
            self._forget()
        self._listen()
        return self.seen != before

    def close(self) -> None:
        """Stop listening."""
        self._forget()

    def _settled(self) -> Sight:
        """What is there once two looks in a row agree."""
        found = sight(self.folder)
        for _ in range(SETTLE_LOOKS if found != self.seen else 0):
            time.sleep(SETTLE_SECONDS)
            before, found = found, sight(self.folder)
            if found == before:
                break
        return found

    def _listen(self) -> None:
        if self.events is None and not self.silent and self.there:
            self.events = _Events(self.folder, self.wake)

    def _forget(self) -> None:
        if self.events is not None:
            self.events.close()
        self.events = self.unannounced = None


def sight(folder: Path) -> Sight:
    """The sources in a folder and the folders below it: path, time, size and number of each; None where it is gone."""
    if not os.path.isdir(folder):  # noqa: PTH112 - unlike Path.is_dir it never raises
        return None
    return frozenset(_sources(str(folder)))


def _sources(root: str) -> Iterator[tuple[str, int, int, int]]:
    folders, left = [root], MOST_ENTRIES
    for folder in islice(iter(lambda: folders.pop() if folders else "", ""), MOST_FOLDERS):
        try:
            with os.scandir(folder) as entries:
                for entry in islice(entries, max(left, 0)):
                    left -= 1
                    if is_litter(entry.name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif is_source(entry.name):
                        found = entry.stat()  # a link's target
                        if stat.S_ISREG(found.st_mode):
                            yield entry.path, found.st_mtime_ns, found.st_size, found.st_ino
        except OSError:  # gone meanwhile, or not to be looked into
            continue


class _Events:
    """File events of a folder, heard in a thread of their own."""

    def __init__(self, folder: Path, wake: Callable[[], None]) -> None:
        self.folder = folder
        self.wake = wake
        self.broken = False
        self._stop = threading.Event()
        self._heard = threading.Event()
        threading.Thread(target=self._run, name="file events", daemon=True).start()

    def heard(self) -> bool:
        """Whether any came since this was last asked."""
        heard = self._heard.is_set()
        self._heard.clear()
        return heard

    def close(self) -> None:
        """Stop; it takes the thread a moment."""
        self._stop.set()

    def _run(self) -> None:
        try:
            from watchfiles import watch  # late: its import takes longer than a first look

            for _ in watch(
                self.folder,
                watch_filter=None,
                step=STEP_MILLISECONDS,
                debounce=BURST_MILLISECONDS,
                stop_event=self._stop,
                force_polling=False,
                raise_interrupt=False,
            ):
                self._heard.set()
                self.wake()
        except Exception:  # noqa: BLE001 - no events here, for whatever reason: looking serves
            self.broken = True
            self.wake()
