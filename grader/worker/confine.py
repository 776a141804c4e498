"""What is taken from a worker before a line of the student's runs in it. Each step says whether it took hold."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

from grader.worker import calls, files
from grader.worker.witness import Library

_PR_SET_PDEATHSIG = 1  # linux/prctl.h

FILE_BYTES = 4 << 20
OPEN_FILES = 64


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one worker may take: bytes above the start, seconds of processor time in all, its scratch folder."""

    memory_bytes: int
    cpu_seconds: int
    scratch: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was done once for all the workers that will be forked: rights to files taken away, a filter compiled.

    `library` is all that may be read, `roots` the few folders it lies in; `start_bytes` is the address space that a
    worker has before it does anything; `calls` are the system calls it may make.
    """

    library: Library
    roots: list[str]
    start_bytes: int
    landlock: bool
    calls: Any


def prepare(scratch: str) -> Prepared:
    """Take on what children inherit, and make ready what they cannot; `scratch` is the folder of scratch folders."""
    library = files.library()
    _libc()  # opened here, once, and its function found
    compiled = calls.prepare()  # first: what it needs lies where nothing may be read from the next line on
    roots, start_bytes = files.roots(), _address_space()
    landlock = files.restrict(files.rules(library, scratch, files.searched(), may_remove=True))
    return Prepared(Library([*library, os.devnull]), roots, start_bytes, landlock, compiled)


def rules_for(prepared: Prepared, bounds: Bounds) -> Any:
    """The files one worker may open, None without Landlock: made before it is forked, which costs a fifth of after."""
    return files.rules(prepared.roots, bounds.scratch) if prepared.landlock else None


def apply(prepared: Prepared, rules: Any, bounds: Bounds, keep: int) -> list[str]:
    """Confine this process, keeping only the descriptor `keep`; the names of what took hold, for the receipt."""
    os.chdir(bounds.scratch)
    os.environ.clear()
    tempfile.tempdir = bounds.scratch
    open_yet = [keep, rules.fileno()] if rules else [keep]
    took = {
        "process": _own_session() and _no_descriptors_but(open_yet),
        "rlimits": _limit_resources(bounds, prepared.start_bytes),
        "landlock": files.restrict(rules),
    }
    kept_in = took["landlock"] and files.keep_signals_in(rules)
    took["seccomp"] = calls.restrict(prepared.calls, signals_too=not kept_in)
    return [name for name, holds in took.items() if holds]


def _own_session() -> bool:
    """A session of its own, so that the whole group can be killed; dies with the process that forked it."""
    _die_with_parent()
    if hasattr(os, "setsid"):
        # A fresh interpreter was already started as the leader of its session.
        with suppress(PermissionError):
            os.setsid()
    return True


def _die_with_parent() -> None:
    """On Linux the kernel ends a worker whose warm parent is gone, so that nothing outlives a killed grader."""
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None)
    if sys.platform == "linux":
        libc.prctl.restype = ctypes.c_int
    return libc


def _no_descriptors_but(keep: list[int]) -> bool:
    """Standard input, output and error lead nowhere; every other descriptor but those to `keep` is closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    for one, other in pairwise([2, *sorted(keep), 65_536]):
        os.closerange(one + 1, other)
    return True


def _limit_resources(bounds: Bounds, start_bytes: int) -> bool:
    if resource is None:
        return False
    limits = {
        resource.RLIMIT_CPU: bounds.cpu_seconds,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = start_bytes + bounds.memory_bytes
    for name, most in limits.items():
        hard = resource.getrlimit(name)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (most, most))
    return True


def _address_space() -> int:
    """The address space of this process in bytes (proc(5): the first field of statm counts pages); 0 where unknown."""
    if sys.platform != "linux":
        return 0
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
