"""What a worker may open, kept by Landlock: Python's library and NumPy to read, its scratch folder to write, no more.

Landlock only ever takes away, and what one process takes on, those it forks inherit. So the long list is taken on once,
by the warm parent, and each worker adds the short one: its own scratch folder, and nobody to signal but itself.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

try:
    import landlockpy
except ImportError:  # not Linux
    landlockpy = None  # type: ignore[assignment]

# What Python's library reads of a system on its own account: dice, libraries, time zones, its name, kinds of files.
READ_ALSO = (
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/etc/os-release",
    "/usr/lib/os-release",
    "/etc/mime.types",
    "/etc/apache2/mime.types",
    "/etc/httpd/conf/mime.types",
    "/usr/local/etc/mime.types",
)
NOT_PYTHON = ("site-packages", "dist-packages")  # often inside the library's folder, and not part of it


def library() -> list[str]:
    """Every file or folder of Python's library, NumPy's, and the shared libraries both may load late."""
    return [
        *_standard_library(),
        *_packages("numpy"),
        *_shared_libraries(),
        *(path for path in READ_ALSO if Path(path).exists()),
    ]


def _standard_library() -> Iterator[str]:
    """Entry by entry, since what Landlock grants of a folder it grants of all that is in it."""
    for folder in searched():
        yield from (entry.path for entry in os.scandir(folder) if entry.name not in NOT_PYTHON)


def searched() -> list[str]:
    """The folders of Python's library, in which an import looks around before it reads."""
    return sorted({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})


def _packages(name: str) -> Iterator[str]:
    """A package's folder, and the one beside it in which wheels keep its shared libraries."""
    module = sys.modules[name]
    folder = Path(str(module.__file__)).parent
    yield from (str(each) for each in (folder, folder.with_name(f"{name}.libs")) if each.is_dir())


def _shared_libraries() -> Iterator[str]:
    triplet = sysconfig.get_config_var("MULTIARCH") or ""
    folders = {f"{root}/{triplet}" for root in ("/lib", "/usr/lib") if triplet} | {"/lib64", "/usr/lib64"}
    folders |= {str(sysconfig.get_config_var("LIBDIR") or "")}
    for folder in sorted(folder for folder in folders if Path(folder).is_dir()):
        yield from (entry.path for entry in os.scandir(folder) if ".so" in entry.name)


def roots() -> list[str]:
    """A short list of folders that hold all of the library, and no scratch folder."""
    named = {
        *searched(),
        *_packages("numpy"),
        sysconfig.get_config_var("LIBDIR"),
        "/lib",
        "/lib64",
        "/usr",
        "/etc",
        "/dev",
    }
    there = {os.path.realpath(path) for path in named if path and Path(path).is_dir()}
    return sorted(path for path in there if not any(str(parent) in there for parent in Path(path).parents))


def rules(
    reads: Sequence[str], writes: str, lists: Sequence[str] = (), *, may_remove: bool = False
) -> landlockpy.Ruleset | None:
    """What is left to a process that takes these rules on: no other files, no TCP; None without Landlock.

    Of what it `lists` names may be seen, no more. `may_remove`: also the folder that it `writes` to, once it is empty.
    """
    if landlockpy is None:
        return None
    access = landlockpy.AccessFS
    look = access.READ_FILE | access.READ_DIR
    change = access.WRITE_FILE | access.TRUNCATE
    fill = access.MAKE_REG | access.MAKE_DIR | access.REMOVE_FILE | access.REMOVE_DIR | access.REFER  # move as well
    scope = landlockpy.Scope.SIGNAL | landlockpy.Scope.ABSTRACT_UNIX_SOCKET
    try:
        made = landlockpy.Ruleset(scoped=scope)
        for folder in lists:
            made.allow_path(folder, access.READ_DIR)
        for path in reads:
            made.allow_path(path, look if Path(path).is_dir() else access.READ_FILE)
        made.allow_path(os.devnull, access.READ_FILE | change)
        made.allow_path(writes, look | change | fill)
        if may_remove:
            made.allow_path(Path(writes).parent, access.REMOVE_DIR)
    except (landlockpy.LandlockError, OSError):
        return None
    return made


def restrict(rules: landlockpy.Ruleset | None) -> bool:
    """Take the rules on, in this process and those it forks; False where there are none."""
    if rules is None:
        return False
    try:
        with rules:
            rules.restrict()
    except (landlockpy.LandlockError, OSError):
        return False
    return True


def keep_signals_in(rules: landlockpy.Ruleset | None) -> bool:
    """Whether these rules leave a process nobody to signal but itself and what it forks."""
    return rules is not None and landlockpy.Scope.SIGNAL in rules.scoped
