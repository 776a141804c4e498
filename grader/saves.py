"""Noticing that sources in a folder were saved: by the system's file events, and by looking where none come.

The folder is looked at several times a second in any case, which costs next to nothing; file events only say at once
when. So where a file system sends none (WSL's view of Windows, network disks, folders lent to a container), nothing
is missed, and it shows: what was found by looking alone was not announced. Where a folder holds too much to be looked
at, what was graded is looked at, as much of the rest as may be, and whatever an event names.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import TypeAlias

from grader.layout import is_litter, is_source

LOOK_SECONDS = 0.25  # between two looks
LATE_SECONDS = 2.0  # by which an event has to have come for what was found by looking
SETTLE_SECONDS, SETTLE_LOOKS = 0.015, 20  # editors write a file in several steps: wait until they are done
STEP_MILLISECONDS, BURST_MILLISECONDS = 25, 200  # of file events: how soon told, and how long gathered
READY_MILLISECONDS = 1_000  # by which events are on their way; asked for only a moment ago, some may be missing
MOST_ENTRIES = 5_000  # looked at, besides what was graded
MOST_FOLDERS = 200

Source: TypeAlias = tuple[str, int, int, int, int]  # path, times of its text and of its entry, size, number


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look finds: the sources, the folders they lie in or may come to lie in, and whether that is all."""

    sources: frozenset[Source]
    folders: frozenset[str]
    whole: bool


class Saves:
    """Watches the sources in a folder. `wake` is called, from another thread, when a look is worth while.

    `first` are those, by their paths below the folder, that are looked at whatever else there is. With `poll` no file
    events are asked for.
    """

    def __init__(self, folder: Path, wake: Callable[[], None], *, poll: bool = False) -> None:
        self.folder = folder
        self.wake = wake
        self.first: tuple[str, ...] = ()
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
    def crowded(self) -> bool:
        """Whether there is more in the folder than is looked at."""
        return self.seen is not None and not self.seen.whole

    @property
    def by_events(self) -> bool:
        """Whether file events say when something is saved; otherwise it is looked for."""
        return self.events is not None and not self.events.broken

    def look(self) -> bool:
        """Whether anything was saved, added, removed or renamed since the last look, as far as can be told.

        A source that an event names counts as saved: its size and times may be those of before, and it may be one
        of too many to be looked at.
        """
        before, self.seen = self.seen, self._settled()
        differs = _sources(self.seen) != _sources(before)
        named = self.events.heard() if self.events is not None else frozenset()
        if self.seen is None or before is None:
            self._forget()
        self._doubt(differs, announced=bool(named))
        self._listen()
        return differs or any(map(_counts, map(os.path.basename, named)))

    def close(self) -> None:
        """Stop listening."""
        self._forget()

    def _settled(self) -> Sight | None:
        """What is there once two looks in a row agree."""
        found = sight(self.folder, self.first)
        for _ in range(SETTLE_LOOKS if found != self.seen else 0):
            time.sleep(SETTLE_SECONDS)
            before, found = found, sight(self.folder, self.first)
            if found == before:
                break
        return found

    def _doubt(self, differs: bool, *, announced: bool) -> None:
        """Give file events up where one that has to have come did not."""
        if differs and not announced and self.by_events and self.events and self.events.ready:
            self.unannounced = self.unannounced or time.monotonic()
        if announced:
            self.unannounced = None
        if self.unannounced and time.monotonic() - self.unannounced > LATE_SECONDS:
            self.silent = True
            self._forget()

    def _listen(self) -> None:
        """Ask for the events of the folders there are now."""
        if self.seen is None:
            return
        if self.events is not None and self.events.folders != self.seen.folders:
            self._forget()
        if self.events is None and not self.silent:
            self.events = _Events(self.seen.folders, self.wake)

    def _forget(self) -> None:
        if self.events is not None:
            self.events.close()
        self.events = self.unannounced = None


# ── looking ────────────────────────────────────────────────────────────────────────────────────────


def sight(folder: Path, first: Iterable[str] = ()) -> Sight | None:
    """The sources `first`, then those in the folder, the nearest to its top before others; None where it is gone.

    As in grading, links to folders are not followed.
    """
    if not os.path.isdir(folder):  # noqa: PTH112 - unlike Path.is_dir it never raises
        return None
    root = str(folder)
    files = {os.path.join(root, file) for file in first}  # noqa: PTH118 - several times a second
    folders = {root, *filter(os.path.isdir, map(os.path.dirname, files))}
    waiting, left, seen = deque([root]), MOST_ENTRIES, 0
    while waiting and left > 0 and seen < MOST_FOLDERS:
        seen += 1
        folders.add(waiting[0])
        entries = _entries(waiting.popleft(), left)
        left -= len(entries)
        waiting += (entry.path for entry in entries if not is_litter(entry.name) and _is_folder(entry))
        files.update(entry.path for entry in entries if _counts(entry.name) and not _is_folder(entry))
    sources = frozenset(found for file in files if (found := _source(file)))
    return Sight(sources, frozenset(folders), whole=left > 0 and not waiting)


def _sources(seen: Sight | None) -> frozenset[Source] | None:
    return seen.sources if seen is not None else None


def _counts(name: str) -> bool:
    return is_source(name) and not is_litter(name)


def _entries(folder: str, most: int) -> list[os.DirEntry[str]]:
    """What is in a folder, `most` of it; nothing where it is gone meanwhile, or not to be looked into."""
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, most))
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # gone meanwhile
        return False


def _source(path: str) -> Source | None:
    """A source as it is now, of a link what it leads to; None where it is no file."""
    try:
        found = os.stat(path)  # noqa: PTH116 - several times a second
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return path, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


# ── file events ────────────────────────────────────────────────────────────────────────────────────


class _Events:
    """File events of folders, not of those below them, heard in a thread of their own."""

    def __init__(self, folders: frozenset[str], wake: Callable[[], None]) -> None:
        self.folders = folders
        self.wake = wake
        self.ready = self.broken = False
        self._stop = threading.Event()
        self._heard: SimpleQueue[set[str]] = SimpleQueue()
        threading.Thread(target=self._run, name="file events", daemon=True).start()

    def heard(self) -> frozenset[str]:
        """The paths that events named since this was last asked."""
        named: set[str] = set()
        while not self._heard.empty():
            named |= self._heard.get()
        return frozenset(named)

    def close(self) -> None:
        """Stop; it takes the thread a moment."""
        self._stop.set()

    def _run(self) -> None:
        try:
            from watchfiles import watch  # late: its import takes longer than a first look

            for changes in watch(
                *sorted(self.folders),
                watch_filter=None,
                step=STEP_MILLISECONDS,
                debounce=BURST_MILLISECONDS,
                stop_event=self._stop,
                rust_timeout=READY_MILLISECONDS,
                yield_on_timeout=True,
                force_polling=False,
                raise_interrupt=False,
                recursive=False,  # what watches folders below follows links, through which nothing is graded
            ):
                self.ready = True
                if changes:
                    self._heard.put({path for _, path in changes})
                    self.wake()
        except Exception:  # noqa: BLE001 - no events here, for whatever reason: looking serves
            self.broken = True
            self.wake()
