"""What a student hands in is read as text, whatever it is, and nothing in it ends the grader."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import struct
import subprocess
import sys
import tarfile
import time
import warnings
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader import bounds
from grader.errors import GraderError, SubmissionError, UsageError
from grader.folder import read_file
from grader.submission import Module, Submission, breaks, line_at, locate, place, read_submission

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
SOFTMAX = "def softmax(x, axis=-1):\n    return x\n"
MASK = "def causal_mask(seq_len):\n    return seq_len\n"
ATTENTION = "from softmax import softmax\n\ndef attention(Q, K, V, mask=None):\n    return V\n"
THREE = {"softmax.py": SOFTMAX, "causal_mask.py": MASK, "attention.py": ATTENTION}
LITTER = {
    "__MACOSX/._softmax.py": "\0\5\x16\7",
    "._softmax.py": "\0\5\x16\7",
    ".DS_Store": "\0\0\0\1Bud1",
    "Thumbs.db": "\0",
    "desktop.ini": "[.ShellClassInfo]",
    "README.md": "# mine",
    "__pycache__/softmax.cpython-311.pyc": "\0",
    ".grade/softmax.py": "broken(",
    ".git/hooks/hook.py": "broken(",
    ".ipynb_checkpoints/work-checkpoint.ipynb": "broken",
    "node_modules/a/a.py": "broken(",
    ".venv/lib/site.py": "broken(",
    "venv/lib/python3.11/x.py": "broken(",
    "env/site-packages/numpy/core.py": "broken(",
}


# ── building ───────────────────────────────────────────────────────────────────────────────────────


def fill(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def under(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def zip_bytes(files: dict[str, str] | list[tuple[str, str]]) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # duplicate names are meant
        for name, text in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, text)
    return buffer.getvalue()


def tar_bytes(
    files: dict[str, str] | list[tuple[str, str]], mode: str = "w:gz", layout: int = tarfile.PAX_FORMAT
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=layout) as archive:  # type: ignore[call-overload]
        for name, text in files.items() if isinstance(files, dict) else files:
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


PACK: dict[str, Callable[[Any], bytes]] = {
    "zip": zip_bytes,
    "tar.gz": tar_bytes,
    "tgz": tar_bytes,
    "tar": lambda files: tar_bytes(files, "w:"),
}


def code(source: str | list[str], **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
        **more,
    }


def notebook(*cells: Any) -> str:
    made = [cell if isinstance(cell, dict) else code(cell) for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Submission]:
    """Write bytes or text to a file of that name and read it as a submission."""

    def reader(name: str, data: bytes | str) -> Submission:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_submission(path)

    return reader


@pytest.fixture
def cells(read: Callable[..., Submission]) -> Callable[..., Module]:
    """The module that a notebook of these cells becomes."""

    def module(*sources: Any) -> Module:
        return read("work.ipynb", notebook(*sources)).modules[0]

    return module


def names(submission: Submission) -> list[str]:
    return [module.name for module in submission.modules]


def where(submission: Submission, module: str, function: str | None = None) -> str | None:
    found = locate(submission, module, function or module)
    return found.file if found else None


# ── containers ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (THREE, ["attention", "causal_mask", "softmax"]),
        (under("exercises", THREE), ["attention", "causal_mask", "softmax"]),
        (
            under("exercises", THREE) | {"softmax.py": "wrong", "grader/x.py": "wrong"},
            ["attention", "causal_mask", "softmax"],
        ),
        (under("hw", under("exercises", THREE)) | {"notes.txt": ""}, ["attention", "causal_mask", "softmax"]),
        (under("hw", THREE), ["attention", "causal_mask", "softmax"]),
        (under("hw/hw", THREE) | {"hw/README.md": ""}, ["attention", "causal_mask", "softmax"]),
        (
            THREE | {"pkg/__init__.py": "", "pkg/tools.py": ""},
            ["attention", "causal_mask", "pkg", "pkg.tools", "softmax"],
        ),
        (THREE | LITTER, ["attention", "causal_mask", "softmax"]),
        (under("exercises", THREE | LITTER), ["attention", "causal_mask", "softmax"]),
        (under("hw", THREE) | LITTER, ["attention", "causal_mask", "softmax"]),
        ({"SOFTMAX.PY": SOFTMAX}, ["SOFTMAX"]),
        ({"work.ipynb": notebook(SOFTMAX), "data.csv": "1"}, ["work"]),
        (under("exercises", {"work.ipynb": notebook(SOFTMAX)}), ["work"]),
    ],
)
@pytest.mark.parametrize("container", ["folder", *PACK])
def test_every_container_holds_the_same_modules(
    tmp_path: Path, files: dict[str, str], expected: list[str], container: str
) -> None:
    """A folder and each kind of archive of it give the same modules, without the litter"""
    if container == "folder":
        path = fill(tmp_path / "handed-in", files)
    else:
        path = tmp_path / f"handed-in.{container}"
        path.write_bytes(PACK[container](files))
    submission = read_submission(path)
    assert sorted(names(submission)) == sorted(expected)
    assert submission.notes == ()
    assert submission.path == str(path)
    assert [module.file for module in submission.modules] == sorted(module.file for module in submission.modules)
    assert not any(module.problem for module in submission.modules)


@pytest.mark.parametrize(
    ("name", "text", "kind"), [("work.py", SOFTMAX, "file"), ("a.ipynb", notebook(SOFTMAX), "notebook")]
)
def test_a_single_file_is_what_it_is_alone_and_in_every_archive(
    read: Callable[..., Submission], name: str, text: str, kind: str
) -> None:
    """One .py and one notebook are found as such, bare, packed, and packed one folder deep"""
    bare = read(name, text)
    packed = [read(f"hw.{suffix}", pack({name: text})) for suffix, pack in PACK.items()]
    deep = [read(f"hw.{suffix}", pack({f"hw/{name}": text})) for suffix, pack in PACK.items()]
    for submission in [bare, *packed, *deep]:
        assert (submission.kind, submission.modules) == (kind, bare.modules)
        assert where(submission, "softmax") == name


@pytest.mark.parametrize("suffix", ["zip", "tar.gz", "tgz", "tar", "ipynb", "bin", "docx", ""])
@pytest.mark.parametrize("pack", [zip_bytes, tar_bytes, lambda files: tar_bytes(files, "w:")])
def test_content_decides_where_the_suffix_lies(
    read: Callable[..., Submission], suffix: str, pack: Callable[..., bytes]
) -> None:
    """An archive is opened for what it is, whatever it is called"""
    assert names(read(f"hw.{suffix}", pack(THREE))) == ["attention", "causal_mask", "softmax"]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz", "json", "txt"])
def test_a_notebook_is_known_by_its_content(read: Callable[..., Submission], suffix: str) -> None:
    """A notebook under another suffix is read as the notebook it is"""
    submission = read(f"work.{suffix}", "\ufeff \n" * (suffix == "txt") + notebook(SOFTMAX))
    assert submission.kind == "notebook"
    assert where(submission, "softmax") == f"work.{suffix}"


def test_a_py_is_always_text(read: Callable[..., Submission]) -> None:
    """A .py that is an archive is not opened: it is a text that cannot be read"""
    submission = read("softmax.py", zip_bytes(THREE))
    assert names(submission) == ["softmax"]
    assert "UTF-8" in submission.modules[0].problem


def test_a_self_made_header_before_a_zip_does_no_harm(read: Callable[..., Submission]) -> None:
    """A .zip that starts with other bytes is still opened, as its table of contents stands at the end"""
    assert names(read("hw.zip", b"#!/bin/sh\n" + zip_bytes(THREE))) == ["attention", "causal_mask", "softmax"]


def test_an_old_tar_without_a_mark_is_known_by_its_name(read: Callable[..., Submission]) -> None:
    """A tar of the first format carries no mark, so its suffix is believed"""
    info = tarfile.TarInfo("softmax.py")
    info.size = len(SOFTMAX)
    header = bytearray(info.tobuf(tarfile.USTAR_FORMAT))
    header[257:265] = bytes(8)
    header[148:156] = b"%06o\0 " % (256 + sum(header[:148]) + sum(header[156:512]))
    assert names(read("hw.tar", bytes(header) + SOFTMAX.encode().ljust(512, b"\0") + bytes(1024))) == ["softmax"]


@pytest.mark.parametrize("layout", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_read_in_each_tar_format(read: Callable[..., Submission], layout: int) -> None:
    """A member whose path does not fit its header is found all the same"""
    path = f"{'d' * 90}/{'é' if layout != tarfile.USTAR_FORMAT else 'e'}{'f' * 60}.py"
    submission = read("hw.tar.gz", tar_bytes({path: SOFTMAX, "attention.py": ATTENTION}, layout=layout))
    assert path in [module.file for module in submission.modules]


def test_a_gzip_in_several_pieces_is_one_stream(read: Callable[..., Submission]) -> None:
    """Gzip streams one after another, and zeros after them, are read as gzip itself reads them"""
    import gzip

    tar = tar_bytes(THREE, "w:")
    data = b"".join(gzip.compress(tar[start : start + 1500]) for start in range(0, len(tar), 1500)) + bytes(512)
    assert names(read("hw.tar.gz", data)) == ["attention", "causal_mask", "softmax"]


def test_a_gzip_in_thousands_of_pieces_is_refused(read: Callable[..., Submission]) -> None:
    """A file of nothing but empty gzip streams takes little time"""
    import gzip

    assert "too many pieces" in read("hw.tar.gz", gzip.compress(b"") * 100_000).notes[0]


def test_a_tar_of_a_folder_is_read(tmp_path: Path) -> None:
    """Members that are folders, and a header for all members as git writes it, are no sources and do no harm"""
    fill(tmp_path / "hw", under("exercises", THREE))
    with tarfile.open(tmp_path / "hw.tar.gz", "w:gz", pax_headers={"comment": "5f3a", "path": "x.py"}) as archive:
        archive.add(tmp_path / "hw", "hw")
    submission = read_submission(tmp_path / "hw.tar.gz")
    assert (names(submission), submission.notes) == (["attention", "causal_mask", "softmax"], ())


def test_names_written_by_a_mac_are_read_as_meant(read: Callable[..., Submission]) -> None:
    """A zip whose names are UTF-8 without saying so, as macOS makes them, shows them right"""
    data = zip_bytes({"pr\u00fcfung.py": SOFTMAX, "attention.py": ATTENTION})
    data = data.replace(b"\x14\0\0\x08", b"\x14\0\0\0")  # local headers
    data = data.replace(b"\x14\x03\x14\0\0\x08", b"\x14\x03\x14\0\0\0")  # table of contents
    assert "prüfung.py" in [module.file for module in read("hw.zip", data).modules]


def test_module_names_are_composed_as_python_composes_them(tmp_path: Path) -> None:
    """A file name with a separate accent, as macOS has it, gives the name an import would ask for"""
    fill(tmp_path, {"u\u0308bung.py": SOFTMAX, "a.py": ""})
    assert names(read_submission(tmp_path)) == ["a", "übung"]


def test_backslashes_are_folders(read: Callable[..., Submission]) -> None:
    """A zip of an old Windows packer, with backslashes in its names, is read as meant"""
    assert names(read("hw.zip", zip_bytes({"hw\\exercises\\softmax.py": SOFTMAX, "hw\\x.py": ""}))) == ["softmax"]


@pytest.mark.parametrize("container", ["folder", "zip"])
def test_two_files_never_share_a_name(tmp_path: Path, container: str) -> None:
    """Where files claim one module name, Python's choice gets it and the others another"""
    files = {"a/__init__.py": "x = 1", "a.py": "x = 2", "a.ipynb": notebook("x = 3"), "__init__.py": ""}
    path = fill(tmp_path / "hw", files) if container == "folder" else tmp_path / "hw.zip"
    if container == "zip":
        path.write_bytes(zip_bytes(files))
    found = {module.file: module.name for module in read_submission(path).modules}
    assert found == {"a/__init__.py": "a", "a.py": "a_", "a.ipynb": "a__", "__init__.py": "__init__"}


def test_a_workspace_read_from_inside_is_the_same(tmp_path: Path) -> None:
    """A workspace, its exercises folder and a folder of both give the same modules and the same digest"""
    fill(tmp_path / "hw", under("exercises", THREE))
    read = [read_submission(tmp_path / name) for name in ("hw", "hw/exercises", ".")]
    assert {submission.sha256 for submission in read} == {read[0].sha256}
    assert {submission.modules for submission in read} == {read[0].modules}


def test_a_virtual_environment_of_any_name_is_skipped(tmp_path: Path) -> None:
    """A folder with pyvenv.cfg holds no answers, but the one handed in may be a virtual environment too"""
    fill(tmp_path, THREE | {"pyvenv.cfg": "", "myenv/pyvenv.cfg": "", "myenv/tool.py": "", "myenv/bin/x.py": ""})
    assert names(read_submission(tmp_path)) == ["attention", "causal_mask", "softmax"]


def test_an_archive_in_an_archive_is_not_opened(read: Callable[..., Submission]) -> None:
    """An archive inside is named in a note, and its sources do not count"""
    submission = read("hw.zip", zip_bytes({"inner.zip": zip_bytes(THREE).decode("latin-1")}))
    assert submission.modules == ()
    assert any("inner.zip" in note and "not opened" in note for note in submission.notes)


# ── digests ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.py", b"x = 1\r\n"),
        ("a.py", b"\xff"),
        ("a.ipynb", notebook("x").encode()),
        ("a.zip", zip_bytes(THREE)),
        ("a.tar.gz", tar_bytes(THREE)),
        ("a.zip", b"broken"),
        ("a.pdf", b"%PDF-1.7"),
    ],
)
def test_the_digest_of_a_file_is_that_of_its_bytes(read: Callable[..., Submission], name: str, data: bytes) -> None:
    """`sha256sum` agrees, also where the file cannot be read"""
    assert read(name, data).sha256 == hashlib.sha256(data).hexdigest()


def test_the_digest_of_a_folder_is_over_its_sources(tmp_path: Path) -> None:
    """Order of making and litter change nothing; a source's bytes or name change it"""
    one = read_submission(fill(tmp_path / "1", THREE)).sha256
    two = read_submission(fill(tmp_path / "2", dict(reversed(THREE.items())) | LITTER)).sha256
    other = read_submission(fill(tmp_path / "3", THREE | {"softmax.py": SOFTMAX + "\n"})).sha256
    moved = read_submission(fill(tmp_path / "4", {"b.py": "", "c.py": ".py"})).sha256
    again = read_submission(fill(tmp_path / "5", {"b.py": "", "c.pyx": "", "c.py": "py"})).sha256
    assert one == two
    assert len({one, other, moved, again}) == 4


# ── what is not there, not ours, not a submission ──────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["nothing", "nothing/at/all.py", "file.py/below", "a\0b", "n" * 5_000])
def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path: Path, name: str) -> None:
    """The error names the path and what can be handed in"""
    fill(tmp_path, {"file.py": ""})
    with pytest.raises(UsageError) as caught:
        read_submission(tmp_path / name)
    assert caught.value.where
    assert "hand in" in caught.value.remedy


def test_a_link_in_a_circle_does_not_exist(tmp_path: Path) -> None:
    """A path that is a link to itself leads nowhere"""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError):
        read_submission(tmp_path / "loop")


@contextmanager
def nobody() -> Iterator[None]:
    """As a user without rights, since root may read everything."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
@pytest.mark.parametrize("closed", ["softmax.py", "sub", "hw.zip", "exercises"])
def test_permission_denied_is_ours(open_path: Path, closed: str) -> None:
    """What the grader may not read ends in an error of the grader, never in a zero"""
    fill(open_path, {"softmax.py": SOFTMAX, "sub/a.py": "", "hw.zip": ""})
    (open_path / closed).mkdir(exist_ok=True) if closed == "exercises" else None
    (open_path / closed).chmod(0)
    path = open_path / closed if closed == "hw.zip" else open_path
    with nobody(), pytest.raises(SubmissionError) as caught:
        read_submission(path)
    (open_path / closed).chmod(0o755)
    assert "denied" in str(caught.value)
    assert closed in caught.value.where
    assert caught.value.remedy


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has a file that always fails to read")
def test_an_input_output_error_is_ours(tmp_path: Path) -> None:
    """A disk that fails ends in an error of the grader"""
    (tmp_path / "hw.zip").symlink_to("/proc/self/mem")
    with pytest.raises(SubmissionError, match="cannot be read"):
        read_submission(tmp_path / "hw.zip")


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.rar", "a.7z", "a.txt", "a", "softmax.py.txt", "a.pyc"])
def test_a_file_that_is_no_container_says_what_is(read: Callable[..., Submission], name: str) -> None:
    """No modules, and a note that names the file and what can be handed in"""
    submission = read(name, b"7z\xbc\xaf\x27\x1c some bytes")
    assert submission.modules == ()
    assert len(submission.notes) == 1
    assert submission.notes[0].startswith(f"{name}: ")
    assert all(word in submission.notes[0] for word in (".py", ".ipynb", ".zip", ".tar.gz"))


@pytest.mark.parametrize(
    "files", [{}, {"README.md": "hello"}, {"exercises/README.md": "", "softmax.py": SOFTMAX}, LITTER]
)
@pytest.mark.parametrize("container", ["folder", "zip", "tar.gz"])
def test_nothing_to_grade_says_so(tmp_path: Path, files: dict[str, str], container: str) -> None:
    """An empty folder, one without sources and a workspace without any have no modules, and a note"""
    path = tmp_path / f"hw.{container}"
    path.write_bytes(PACK[container](files)) if container in PACK else fill(
        path, files or {".": ""}
    ) if files else path.mkdir()
    submission = read_submission(path)
    assert submission.modules == ()
    assert submission.kind == "folder"
    assert "no .py file and no notebook" in submission.notes[-1]
    assert f"hw.{container}" in submission.notes[-1]


@pytest.mark.parametrize("name", ["hw.zip", "hw.tar.gz", "work.ipynb", "x"])
def test_an_empty_file_says_so(read: Callable[..., Submission], name: str) -> None:
    """A file of no bytes is no container"""
    assert "empty" in read(name, b"").notes[0]


def test_an_empty_py_is_a_module(read: Callable[..., Submission]) -> None:
    """Nothing is wrong with an empty .py, but it defines nothing"""
    submission = read("softmax.py", b"")
    assert submission.modules == (Module("softmax", "softmax.py", ""),)
    assert locate(submission, "softmax", "softmax") is submission.modules[0]
    assert locate(submission, "attention", "attention") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    """A named pipe, given or found, gives a note and not a hang"""
    os.mkfifo(tmp_path / "softmax.py")
    assert "neither a file nor a folder" in read_submission(tmp_path / "softmax.py").notes[0]
    submission = read_submission(tmp_path)
    assert submission.modules == ()
    assert "softmax.py" in submission.notes[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_file_swapped_for_a_pipe_or_a_link_is_not_read(tmp_path: Path) -> None:
    """What was a file when it was listed, and is none when it is opened, is the machine's trouble, and no hang"""
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "link.py").symlink_to(fill(tmp_path, {"a.py": ""}) / "a.py")
    for name in ("pipe.py", "link.py"):
        with pytest.raises(OSError, match=name):
            read_file(tmp_path / name, 100)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices here")
def test_an_endless_device_is_not_read(tmp_path: Path) -> None:
    """A device given as a submission gives a note"""
    assert "neither a file nor a folder" in read_submission(Path("/dev/zero")).notes[0]


# ── links and bounds of a folder ───────────────────────────────────────────────────────────────────


def test_links_are_never_followed_out_of_a_folder(tmp_path: Path) -> None:
    """A file or folder linked from outside is left out and noted; a link inside is followed"""
    fill(
        tmp_path,
        {"secret.py": SOFTMAX, "elsewhere/attention.py": ATTENTION, "hw/tools.py": MASK, "hw/pkg/x.py": ""},
    )
    (tmp_path / "hw/softmax.py").symlink_to("../secret.py")
    (tmp_path / "hw/attention").symlink_to("../elsewhere")
    (tmp_path / "hw/causal_mask.py").symlink_to("tools.py")
    (tmp_path / "hw/gone.py").symlink_to("nowhere.py")
    (tmp_path / "hw/loop").symlink_to("loop")
    (tmp_path / "hw/loop.py").symlink_to("loop.py")
    (tmp_path / "hw/pkg/again").symlink_to("../pkg")
    submission = read_submission(tmp_path / "hw")
    assert names(submission) == ["causal_mask", "pkg.x", "tools"]
    assert submission.modules[0].text == MASK
    for name in ("softmax.py", "attention", "gone.py", "loop", "loop.py", "pkg/again"):
        assert any(note.startswith(f"{name}: links") for note in submission.notes)


def test_a_linked_workspace_is_not_followed(tmp_path: Path) -> None:
    """`exercises` that is a link out of the submission does not count"""
    fill(tmp_path, under("other", THREE))
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw/exercises").symlink_to("../other")
    assert read_submission(tmp_path / "hw").modules == ()


def test_a_path_given_as_a_link_is_followed(tmp_path: Path) -> None:
    """What is named on the command line may be a link to a folder or a file"""
    fill(tmp_path, under("other", THREE))
    (tmp_path / "folder").symlink_to("other")
    (tmp_path / "mine.py").symlink_to("other/softmax.py")
    assert len(read_submission(tmp_path / "folder").modules) == 3
    assert names(read_submission(tmp_path / "mine.py")) == ["mine"]


def test_a_folder_is_read_so_deep_and_no_deeper(tmp_path: Path) -> None:
    """A folder nested beyond the bound is noted, what lies above it is read"""
    fill(tmp_path, THREE | {"/".join(["d"] * 40) + "/deep.py": ""})
    submission = read_submission(tmp_path)
    assert names(submission) == ["attention", "causal_mask", "softmax"]
    assert any("deep" in note for note in submission.notes)


@pytest.mark.parametrize(
    ("bound", "value", "word"),
    [
        ("MAX_ENTRIES", 50, "files and folders"),
        ("MAX_SOURCES", 5, "sources"),
        ("MAX_SOURCES_BYTES", 400, "of sources"),
    ],
)
def test_a_folder_is_bounded_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: int, word: str
) -> None:
    """Beyond a bound the sources nearest to the top are read, and a note names the bound"""
    monkeypatch.setattr(f"grader.folder.{bound}", value)
    fill(tmp_path, THREE | {f"a/b{number}/c.py": "# " * 40 for number in range(60)})
    submission = read_submission(tmp_path)
    assert {"attention", "causal_mask", "softmax"} <= set(names(submission))
    assert len(submission.modules) < 60
    assert any(word in note for note in submission.notes)


# ── hostile archives ───────────────────────────────────────────────────────────────────────────────


ESCAPES = [
    "/etc/x.py",
    "../x.py",
    "a/../../x.py",
    "..",
    "\\x.py",
    "..\\x.py",
    "a\\..\\..\\x.py",
    "C:\\x.py",
    "c:/x.py",
    "C:x.py",
]


@pytest.mark.parametrize("name", [*ESCAPES, "/etc/passwd"])
@pytest.mark.parametrize("suffix", ["zip", "tar.gz", "tar"])
def test_an_archive_that_tries_to_escape_is_not_read(tmp_path: Path, name: str, suffix: str) -> None:
    """Absolute paths, `..`, drives and backslashes: no modules, a note names the member, nothing written"""
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / f"hw.{suffix}"
    path.write_bytes(PACK[suffix](THREE | {name: SOFTMAX}))
    submission = read_submission(path)
    assert submission.modules == ()
    assert len(submission.notes) == 1
    assert submission.notes[0].startswith(f"hw.{suffix}: ")
    assert "outside the archive" in submission.notes[0]
    assert [found.name for found in tmp_path.rglob("*")] == ["in", path.name]


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.FIFOTYPE,
        tarfile.GNUTYPE_SPARSE,
    ],
)
def test_a_tar_member_that_is_no_file_is_left_out(read: Callable[..., Submission], kind: bytes) -> None:
    """Links, devices and pipes in a tar are noted; the sources beside them are read"""
    buffer = io.BytesIO(tar_bytes({"attention.py": ATTENTION}, "w:"))
    with tarfile.open(fileobj=buffer, mode="a:") as archive:
        member = tarfile.TarInfo("softmax.py")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
        library = tarfile.TarInfo("lib64")
        library.type, library.linkname = kind, "lib"
        archive.addfile(library)
    submission = read("hw.tar", buffer.getvalue())
    assert names(submission) == ["attention"]
    assert len(submission.notes) == 1
    assert submission.notes[0].startswith("softmax.py: links and devices")


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_a_zip_member_that_is_no_file_is_left_out(read: Callable[..., Submission], mode: int) -> None:
    """Links and devices in a zip are noted; the sources beside them are read"""
    buffer = io.BytesIO(zip_bytes({"attention.py": ATTENTION}))
    with zipfile.ZipFile(buffer, "a") as archive:
        member = zipfile.ZipInfo("softmax.py")
        member.create_system, member.external_attr = 3, (mode | 0o777) << 16
        archive.writestr(member, "/etc/passwd")
    submission = read("hw.zip", buffer.getvalue())
    assert names(submission) == ["attention"]
    assert submission.notes[0].startswith("softmax.py: links and devices")


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_the_last_of_one_name_wins(read: Callable[..., Submission], suffix: str) -> None:
    """Of members with one name, also written differently, the last counts"""
    files = [("softmax.py", "old = 1\n"), ("./softmax.py", "older = 1\n"), (".//softmax.py", SOFTMAX)]
    submission = read(f"hw.{suffix}", PACK[suffix](files))
    assert [module.text for module in submission.modules] == [SOFTMAX]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_names_never_carry_control_characters(read: Callable[..., Submission], suffix: str) -> None:
    """What a report shows of a name cannot move the reader's cursor or turn the text around"""
    submission = read(f"hw.{suffix}", PACK[suffix]({"a\x1b[2J\u202e.py": "(", "b\n.ipynb": "", "softmax.py": SOFTMAX}))
    shown = [
        *submission.notes,
        *(module.file + module.name + module.problem for module in submission.modules),
    ]
    assert "".join(shown).isprintable()


def test_names_that_are_not_utf8_do_no_harm(tmp_path: Path, read: Callable[..., Submission]) -> None:
    """A name of other bytes is shown with replacement characters, in a folder and in a tar, and fits UTF-8"""
    (tmp_path / "hw").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path / "hw") + b"/caf\xe9.py")).write_text(SOFTMAX)
    tar = tar_bytes({"cafX.py": SOFTMAX, "a.py": ""}, "w:", tarfile.USTAR_FORMAT)
    tar = tar.replace(b"cafX", b"caf\xe9")
    head = bytearray(tar[:512])
    head[148:156] = b"%06o\0 " % (256 + sum(head[:148]) + sum(head[156:512]))
    for submission in (read_submission(tmp_path / "hw"), read("hw.tar", bytes(head) + tar[512:])):
        assert "caf\ufffd.py" in [module.file for module in submission.modules]
        json.dumps(submission.sha256).encode()
        "".join(module.file + module.name for module in submission.modules).encode()


def test_a_zip_name_that_breaks_its_promise_of_utf8_is_a_broken_archive(
    read: Callable[..., Submission],
) -> None:
    """A name marked as UTF-8 that is none breaks the archive, not the grader"""
    data = zip_bytes({"pr\u00fcf.py": SOFTMAX}).replace("ü".encode(), b"\xff\xff")
    submission = read("hw.zip", data)
    assert submission.modules == ()
    assert "broken" in submission.notes[0]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
@pytest.mark.parametrize("name", [".", "./", " ", "//.."])
def test_a_member_named_by_dots_does_no_harm(read: Callable[..., Submission], name: str, suffix: str) -> None:
    """A name of dots and slashes is no source and no danger"""
    submission = read(f"hw.{suffix}", PACK[suffix]({"softmax.py": SOFTMAX, name: "x"}))
    assert names(submission) == ["softmax"] or "outside" in submission.notes[0]


def test_a_member_without_a_name_does_no_harm(read: Callable[..., Submission]) -> None:
    """An empty name in a zip is no source and no danger"""
    assert "no .py file" in read("hw.zip", table_only_zip([""])).notes[0]


@pytest.mark.parametrize("flag", [0x1, 0x41])
def test_a_password_is_named(read: Callable[..., Submission], flag: int) -> None:
    """An encrypted archive is not read, and the note says how to pack it"""
    data = bytearray(zip_bytes({"softmax.py": SOFTMAX}))
    data[6] |= flag
    data[data.index(b"PK\x01\x02") + 8] |= flag
    submission = read("hw.zip", bytes(data))
    assert submission.modules == ()
    assert "password" in submission.notes[0]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_that_unpacks_without_bound_is_refused(read: Callable[..., Submission], method: int) -> None:
    """Only stored and deflated members are unpacked, since the others cannot be stopped halfway"""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("softmax.py", " " * 10_000_000)
    submission = read("hw.zip", buffer.getvalue())
    assert submission.modules == ()
    assert "plain .zip" in submission.notes[0]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz", "tar"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_an_archive_cut_short_is_broken(read: Callable[..., Submission], suffix: str, share: float) -> None:
    """An upload that stopped halfway is not read, and the note names it"""
    noise = hashlib.shake_128(b"").hexdigest(4_000)
    data = PACK[suffix]({"z.txt": noise, **THREE, "zz.txt": noise})
    data = data[: data.rindex(noise[-100:].encode()) + 90] if suffix == "tar" else data
    submission = read(f"hw.{suffix}", data[: int(len(data) * share)])
    assert submission.modules == ()
    assert submission.notes[0].startswith(f"hw.{suffix}: ")


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_a_flipped_bit_is_found_by_the_checksum(read: Callable[..., Submission], suffix: str) -> None:
    """An archive whose bytes were damaged on the way is not read as something else"""
    noise = hashlib.shake_128(b"").hexdigest(40_000)
    data = bytearray(PACK[suffix]({"softmax.py": f"{SOFTMAX}# {noise}\n"}))
    data[len(data) // 2] ^= 0x10
    submission = read(f"hw.{suffix}", bytes(data))
    assert submission.modules == ()
    assert "broken" in submission.notes[0]


def test_a_compressed_file_that_is_no_tar_says_so(read: Callable[..., Submission]) -> None:
    """A .gz of a single file is no container"""
    import gzip

    assert "no tar archive" in read("softmax.py.gz", gzip.compress(SOFTMAX.encode() * 100)).notes[0]


def zeros_tar_gz(mebibytes: int, before: bytes = b"") -> bytes:
    """A tar.gz with a member of zeros, then softmax.py, made without holding the zeros."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    info = tarfile.TarInfo("data.bin")
    info.size = mebibytes * bounds.MEBIBYTE
    parts = [packer.compress(before + info.tobuf())]
    parts += [packer.compress(bytes(bounds.MEBIBYTE)) for _ in range(mebibytes)]
    parts += [packer.compress(tar_bytes(THREE, "w:")), packer.flush()]
    return b"".join(parts)


def peak_mebibytes(function: Callable[[], object]) -> float:
    import tracemalloc

    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / bounds.MEBIBYTE
    finally:
        tracemalloc.stop()


def test_a_tar_bomb_is_stopped_while_it_unpacks(tmp_path: Path) -> None:
    """A tar.gz that is nearly all zeros is refused early, in little memory"""
    path = tmp_path / "hw.tar.gz"
    path.write_bytes(zeros_tar_gz(128))
    found: list[Submission] = []
    assert peak_mebibytes(lambda: found.append(read_submission(path))) < 16
    assert found[0].modules == ()
    assert "unpacks to more than" in found[0].notes[0]


def test_a_large_honest_member_is_passed_over(read: Callable[..., Submission]) -> None:
    """Data of some megabytes beside the sources is skipped, not held against them"""
    assert names(read("hw.tar.gz", zeros_tar_gz(20))) == ["attention", "causal_mask", "softmax"]


def test_a_zip_member_is_not_unpacked_unless_it_is_a_source(tmp_path: Path) -> None:
    """A zip bomb beside the sources is never unpacked"""
    path = tmp_path / "hw.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.bin", bytes(64 * bounds.MEBIBYTE))
        archive.writestr("softmax.py", SOFTMAX)
    found: list[Submission] = []
    assert peak_mebibytes(lambda: found.append(read_submission(path))) < 8
    assert names(found[0]) == ["softmax"]


def lying_zip(size: int) -> bytes:
    """A zip whose softmax.py says it holds two bytes."""
    data = bytearray(zip_bytes({"softmax.py": " " * size}))
    for start, offset in ((0, 22), (data.index(b"PK\x01\x02"), 24)):
        data[start + offset : start + offset + 4] = struct.pack("<I", 2)
    return bytes(data)


def test_a_header_that_lies_about_its_size_is_not_believed(read: Callable[..., Submission]) -> None:
    """A member that says it is small and is not ends in a note or a problem, not in memory"""
    submission = read("hw.zip", lying_zip(50_000_000))
    assert not any(module.text and not module.problem for module in submission.modules)
    assert submission.notes or submission.modules[0].problem


def test_a_source_that_is_too_large_costs_itself_alone(read: Callable[..., Submission]) -> None:
    """A huge .py is a problem of that module; its bytes are not all read"""
    submission = read("hw.zip", zip_bytes(THREE | {"attention.py": "#" * 50_000_000}))
    large = locate(submission, "attention", "attention")
    assert large
    assert "KiB" in large.problem
    assert not locate(submission, "softmax", "softmax").problem  # type: ignore[union-attr]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_many_sources_that_are_too_much_together_are_a_bomb(read: Callable[..., Submission], suffix: str) -> None:
    """Notebooks that are small enough each but not together: the archive is not read"""
    submission = read(f"hw.{suffix}", PACK[suffix]({f"{number}.ipynb": " " * 9_000_000 for number in range(3)}))
    assert submission.modules == ()
    assert "unpacks to more than" in submission.notes[0]


def table_only_zip(names: list[str]) -> bytes:
    """A zip that is a table of contents and nothing else."""
    heads = [struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, *[0] * 7, len(name), *[0] * 6) for name in names]
    table = b"".join(head + name.encode() for head, name in zip(heads, names, strict=True))
    count = min(len(names), 65_535)
    return b"PK\3\4" + table + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, len(table), 4, 0)


def overlapping_zip(count: int) -> bytes:
    """A zip whose table of contents names one member many times."""
    data = zip_bytes({"s0000.py": "x = 1\n" * 1000})
    start = data.index(b"PK\x01\x02")
    entry, end = data[start : data.index(b"PK\x05\x06")], data[data.index(b"PK\x05\x06") :]
    table = b"".join(entry.replace(b"s0000", b"s%04d" % number) for number in range(count))
    return data[:start] + table + end[:8] + struct.pack("<HHII", count, count, len(table), start) + end[20:]


def test_overlapping_members_are_bounded(read: Callable[..., Submission]) -> None:
    """A table of contents that names one member a thousand times does no harm"""
    submission = read("hw.zip", overlapping_zip(1_000))
    assert submission.modules == ()
    assert submission.notes


def test_a_table_of_contents_is_bounded(read: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch) -> None:
    """A zip that is nearly all table of contents is refused before the table is taken apart"""
    monkeypatch.setattr(bounds, "MAX_TABLE_BYTES", 40_000)
    assert "table of contents" in read("hw.zip", overlapping_zip(1_000)).notes[0]
    assert names(read("hw.zip", zip_bytes(THREE))) == ["attention", "causal_mask", "softmax"]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_a_hundred_thousand_members_take_bounded_time(read: Callable[..., Submission], suffix: str) -> None:
    """An archive of very many members is refused within seconds"""
    if suffix == "zip":
        data = table_only_zip([f"{number:05}" for number in range(100_000)])
    else:
        block = tarfile.TarInfo("x").tobuf()
        data = zlib.compress(block * 100_000, 1, 31)
    started = time.process_time()
    submission = read(f"hw.{suffix}", data)
    assert time.process_time() - started < 5
    assert submission.modules == ()
    assert "members" in submission.notes[0]


def test_a_deep_archive_is_read_so_deep_and_no_deeper(read: Callable[..., Submission]) -> None:
    """A source nested beyond the bound is noted, what lies above it is read"""
    for suffix, pack in PACK.items():
        submission = read(f"hw.{suffix}", pack(THREE | {"/".join(["d"] * 100) + "/deep.py": SOFTMAX}))
        assert names(submission) == ["attention", "causal_mask", "softmax"]
        assert any("deeper" in note for note in submission.notes)


def test_an_archive_of_too_many_sources_says_what_to_pack(read: Callable[..., Submission]) -> None:
    """More sources than any student writes: the note says to pack the exercises alone"""
    submission = read("hw.zip", zip_bytes({f"{number}.py": "" for number in range(bounds.MAX_SOURCES + 1)}))
    assert submission.modules == ()
    assert "exercises/" in submission.notes[0]


def test_a_whole_repository_grades_by_its_exercises(read: Callable[..., Submission]) -> None:
    """An archive of a clone is read for its exercises, however much else it holds"""
    rest = {f"course-main/tests/{number}.py": "" for number in range(bounds.MAX_SOURCES + 1)}
    submission = read("course-main.zip", zip_bytes(under("course-main/exercises", THREE) | rest))
    assert names(submission) == ["attention", "causal_mask", "softmax"]


@pytest.mark.parametrize("size", [-1, -512, 2**62])
def test_a_tar_header_with_an_impossible_size_ends(read: Callable[..., Submission], size: int) -> None:
    """A negative or endless size makes a broken archive, not a loop"""
    info = tarfile.TarInfo("softmax.py")
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[124:136] = (b"\xff" if size < 0 else b"\x80") + size.to_bytes(11, "big", signed=True)
    head[148:156] = b"%06o\0 " % (256 + sum(head[:148]) + sum(head[156:512]))
    submission = read("hw.tar", bytes(head) + tar_bytes(THREE, "w:"))
    assert submission.modules == ()
    assert submission.notes


@pytest.mark.parametrize(
    "body",
    [
        b"1" * 100_000,
        b"999999999 path=x\n",
        b"0 path=x\n",
        b"-5 path=x\n",
        b"x",
        b"9 size=-1\n",
        b"2 " * 40_000,
    ],
)
def test_an_extended_tar_header_that_makes_no_sense_ends(read: Callable[..., Submission], body: bytes) -> None:
    """A crafted extended header neither hangs nor fails the grader"""
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, len(body)
    started = time.process_time()
    submission = read("hw.tar", info.tobuf() + body.ljust(-(-len(body) // 512) * 512, b"\0") + tar_bytes(THREE, "w:"))
    assert time.process_time() - started < 1
    assert submission.notes or len(submission.modules) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="makes a sparse file")
def test_a_file_of_gigabytes_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beyond the bound is a note with the bound, and its digest is of the part that was read"""
    monkeypatch.setattr("grader.submission.MAX_ARCHIVE_BYTES", bounds.MEBIBYTE)
    for name in ("hw.zip", "work.ipynb", "softmax.py"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(3 * 1024 * bounds.MEBIBYTE)
        submission = read_submission(tmp_path / name)
        assert submission.modules == ()
        assert "larger than 1 MiB" in submission.notes[0]
        assert submission.sha256 == hashlib.sha256(bytes(bounds.MEBIBYTE)).hexdigest()


def test_notes_are_bounded(read: Callable[..., Submission]) -> None:
    """A submission cannot fill a report with notes"""
    submission = read("hw.zip", zip_bytes({f"{'n' * 100}{number}.ipynb": "no" for number in range(400)}))
    assert len(submission.notes) == bounds.MAX_NOTES + 1
    assert max(map(len, submission.notes)) <= bounds.MAX_NOTE_CHARS


# ── text ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
        (b"x = 1\ry = 2\r", "x = 1\ny = 2\n"),
        (b"x = 1\r\r\ny = 2\n", "x = 1\n\ny = 2\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbf# coding: utf-8\r\nx = 1", "# coding: utf-8\nx = 1"),
        ("x = 'é'\n".encode(), "x = 'é'\n"),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        ("#!/usr/bin/python\r\n# vim: set fileencoding=cp1252 :\r\nx = '€'".encode("cp1252"), None),
        ("# coding: latin-1\rx = 'é'\r".encode("latin-1"), "# coding: latin-1\nx = 'é'\n"),
        ("\n\n# coding: latin-1\nx = 'é'".encode(), "\n\n# coding: latin-1\nx = 'é'"),
        (b"\x0cx = 1\n\x0c\ny = 2\n", "\x0cx = 1\n\x0c\ny = 2\n"),
        (b"x = 1", "x = 1"),
        (b"", ""),
    ],
)
def test_text_is_decoded_as_python_decodes_it(read: Callable[..., Submission], data: bytes, text: str | None) -> None:
    """Coding lines, BOMs, all line ends and form feeds are read as Python reads them"""
    module = read("softmax.py", data).modules[0]
    assert module.problem == ""
    assert text is None or module.text == text
    assert "\r" not in module.text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"x = 1\ny = '\xe9'\n", ["softmax.py, line 2", "0xe9", "UTF-8"]),
        (b"x = 1\r\n\r\ny = '\xe9'\r\n", ["line 3", "UTF-8"]),
        (b"x = 1\r\ry = '\xe9'\r", ["line 3", "UTF-8"]),
        (b"\n\n# coding: latin-1\nx = '\xe9'", ["line 4", "UTF-8"]),
        (b"# coding: ascii\nx = '\xc3\xa9'\n", ["line 2", "ascii", "UTF-8"]),
        (b"# coding: martian\nx = 1\n", ["martian", "UTF-8", "remove the coding line"]),
        (b"# coding: zlib\nx = 1\n", ["zlib", "UTF-8"]),
        (b"# coding: rot13\nx = 1\n", ["UTF-8"]),
        (b"# coding: undefined\nx = 1\n", ["UTF-8"]),
        (b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", ["UTF-8"]),
        ("def softmax(x): pass\n".encode("utf-16"), ["UTF-16", "save the file as UTF-8"]),
        ("def softmax(x): pass\n".encode("utf-16-le"), ["line 1", "zero byte", "UTF-8"]),
        (b"x = 1\n\0\n", ["line 2", "zero byte", "UTF-8"]),
    ],
)
def test_text_that_cannot_be_decoded_says_where_and_what_to_do(
    read: Callable[..., Submission], data: bytes, words: list[str]
) -> None:
    """The problem names the line where there is one, and the remedy"""
    problem = read("softmax.py", data).modules[0].problem
    assert problem.startswith("softmax.py")
    assert all(word in problem for word in words)
    assert problem.isprintable()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\n    def softmax(x\n", ["softmax.py, line 2", '"def softmax(x"', "indent"]),
        ("def softmax(x:\n    pass\n", ["line 1", "def softmax(x:", "never closed"]),
        ("if True:\nx = 1\n", ["line 2", '"x = 1"', "indented block"]),
        ("if True:\n\tx = 1\n        y = 2\n", ["line 3", "tabs"]),
        ("x = 'open\n", ["line 1", "unterminated"]),
        ("print 'hello'\n", ["line 1", "parentheses"]),
        ("x = “1”\n", ["line 1", "U+201C"]),
        ("x =\u00a01\n", ["line 1", "U+00A0"]),
        ("\n" * 9 + "y = = 1 #" + "x" * 500, ["line 10", "…"]),
        ("def f():\n    x = 1\n  y = 2\n", ["line 3", "unindent"]),
        ("(" * 300, ["parentheses"]),
        ("-" * 100_000 + "1", ["nested too deeply"]),
        ("x" + "+x" * 20_000, ["nested too deeply"]),
        ("x = " + "9" * 5_000, ["softmax.py"]),
    ],
)
def test_a_syntax_error_is_told_with_its_line(read: Callable[..., Submission], text: str, words: list[str]) -> None:
    """The problem names file and line, shows the line, bounded, and says what Python says"""
    module = read("softmax.py", text).modules[0]
    assert module.problem.startswith("softmax.py")
    assert all(word in module.problem for word in words)
    assert len(module.problem) < 400
    assert module.problem.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200000,
        "[" * 200000,
        "{" * 200000,
        "a." * 120000 + "a",
        "lambda:" * 30000,
        "not " * 60000 + "x",
        "~" * 200000 + "x",
        "x[" * 100000,
        "f(" * 100000,
        "if x:\n" * 40000,
        "".join(" " * depth + "if x:\n" for depth in range(600)),
        "f'{" * 50000,
        "a if b else " * 20000 + "c",
        "x=" * 100000 + "1",
        "\\\n" * 100000,
        '"' * 200001,
        "@a\n" * 50000,
        "a,*" * 70000,
        "\x00" * 200000,
    ],
    ids=lambda text: text[:6],
)
def test_hostile_text_ends_in_a_problem_or_none(read: Callable[..., Submission], text: str) -> None:
    """Text made to exhaust a parser is judged within bounds"""
    submission = read("softmax.py", text)
    assert len(submission.modules) == 1
    locate(submission, "softmax", "softmax")


READ = (
    "import sys, pathlib; from grader.submission import *; s = read_submission(pathlib.Path(sys.argv[1])); "
    "locate(s, 'softmax', 'softmax')"
)


def test_nothing_is_run_and_no_warning_is_shown(tmp_path: Path) -> None:
    """Reading a submission runs none of it, writes nothing, and is silent about what it contains"""
    text = "open('ran', 'w')\nx = '\\d'\nassert (1, 'x')\n1 is 1\nraise SystemExit\n"
    files = {"softmax.py": text, "work.ipynb": notebook("%time\n" + text), "sitecustomize.py": text}
    program = f"{READ}; print(len(s.modules), 'softmax' in sys.modules)"
    command = [sys.executable, "-W", "error", "-c", program, str(fill(tmp_path / "hw", files))]
    environment = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3 False\n", "")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["hw", *sorted(files)]


def test_the_common_case_imports_little(tmp_path: Path) -> None:
    """A workspace of three .py files is read without the readers of archives and notebooks"""
    fill(tmp_path, under("exercises", THREE))
    program = f"{READ}; print([n for n in ('zipfile', 'tarfile', 'json', 'numpy') if n in sys.modules])"
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# ── which source defines a function ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "def softmax(x): pass",
        "async def softmax(x): pass",
        "class softmax: pass",
        "softmax = lambda x: x",
        "softmax: object = print",
        "_, (softmax, *rest) = 1, (2, 3)",
        "[softmax] = [1]",
        "a = softmax = print",
        "(softmax := print)",
        "print(softmax := print)",
        "softmax += 1",
        "if True:\n    def softmax(x): pass",
        "if x:\n    pass\nelse:\n    softmax = 1",
        "try:\n    pass\nexcept E:\n    def softmax(x): pass",
        "try:\n    pass\nfinally:\n    def softmax(x): pass",
        "with a as b:\n    def softmax(x): pass",
        "with a as softmax: pass",
        "for i in x:\n    def softmax(x): pass",
        "for softmax in x: pass",
        "while x:\n    def softmax(x): pass",
        "match x:\n    case 1:\n        def softmax(x): pass",
        "@decorated\ndef softmax(x): pass",
        "from numpy import exp as softmax",
        "from tools import softmax",
        "from tools import other as softmax",
        "from .tools import softmax",
        "from exercises.tools import softmax",
        "from tools import *",
        "if True:\n    from tools import softmax",
        "from chain import softmax",
        "from circle import *",
        "from pkg import softmax",
        "from pkg.inner import softmax",
        "from .pkg.inner import softmax",
        "def softmax(x:\n    pass",
        "  def softmax(x)\n",
        "class softmax(\n",
        "softmax = = 1",
        "softmax: int = = 1",
    ],
)
def test_a_source_defines_a_name_that_it_binds(tmp_path: Path, text: str) -> None:
    """Every way to bind a name at module level counts, imports from other sources of the submission too"""
    others = {
        "tools.py": "def softmax(x): pass\nother = 1",
        "chain.py": "from tools import softmax",
        "circle.py": "from round import *",
    }
    others |= {
        "round.py": "from circle import *\nfrom tools import *",
        "pkg/__init__.py": "from .inner import softmax",
    }
    others |= {"pkg/inner.py": "from ..tools import softmax", "other.py": ""}
    fill(tmp_path, others | {"softmax.py": text})
    assert where(read_submission(tmp_path), "softmax") == "softmax.py"
    if "from" not in text or "numpy" in text:
        alone = fill(tmp_path / "alone", {"mine.py": text})
        assert where(read_submission(alone), "softmax") == "mine.py"


@pytest.mark.parametrize(
    "text",
    [
        "x = softmax",
        "softmax(1)",
        "def other():\n    def softmax(x): pass",
        "class A:\n    def softmax(self): pass",
        "class A:\n    softmax = 1",
        "lambda: (softmax := 1)",
        "[softmax for softmax in x]",
        "softmax: object",
        "softmax.axis = 1",
        "softmax[0] = 1",
        "def other(softmax): pass",
        "import softmax",
        "import tools as softmax",
        "from softmax import softmax",
        "from exercises.softmax import softmax",
        "from .softmax import softmax",
        "from . import softmax",
        "from scipy.special import softmax",
        "from tools import softmax",
        "from tools import *",
        "'''\ndef softmax(x): pass\n'''",
        "# def softmax(x): pass",
        "softmaxes = 1",
        "xsoftmax(: 1",
        "def softmaxes(x:",
        "x == softmax == = 1",
        "softmax == = 1",
    ],
)
def test_a_source_does_not_define_what_it_only_mentions(tmp_path: Path, text: str) -> None:
    """Uses, inner scopes, attributes, and imports of what nobody here defines are no definitions"""
    fill(tmp_path, {"mine.py": text, "tools.py": "x = 1"})
    assert locate(read_submission(tmp_path), "softmax", "softmax") is None


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"softmax.py": SOFTMAX, "a.py": SOFTMAX}, "softmax.py"),
        ({"softmax.py": "", "a.py": SOFTMAX}, "a.py"),
        ({"softmax.py": "", "a.py": ""}, "softmax.py"),
        ({"softmax.py": "x = (", "a.py": SOFTMAX}, "softmax.py"),
        ({"softmax.py": "\0", "a.py": SOFTMAX}, "softmax.py"),
        ({"softmax.py": "from scipy import softmax"}, "softmax.py"),
        ({"b.py": SOFTMAX, "c.py": SOFTMAX, "a.py": "from b import softmax"}, "b.py"),
        ({"a.py": SOFTMAX, "src/softmax.py": SOFTMAX}, "src/softmax.py"),
        ({"softmax.py": "", "work.ipynb": notebook(SOFTMAX)}, "work.ipynb"),
        ({"softmax.py": SOFTMAX, "work.ipynb": notebook(SOFTMAX)}, "softmax.py"),
        ({"zz.py": SOFTMAX, "softmax.ipynb": notebook(SOFTMAX)}, "zz.py"),
        ({"softmax.ipynb": notebook(SOFTMAX), "a.ipynb": notebook(SOFTMAX)}, "softmax.ipynb"),
        ({"a.ipynb": notebook("x = 1"), "b.ipynb": notebook("def softmax(x:")}, "b.ipynb"),
        ({"work.py": "x = (\ndef softmax(x): pass", "a.py": ""}, "work.py"),
        ({"softmax.py": "from helpers import softmax", "helpers.py": "def softmax(x:"}, "softmax.py"),
        ({"attention.py": ATTENTION}, None),
        ({"attention.py": ATTENTION, "exercises.py": SOFTMAX}, "exercises.py"),
    ],
)
def test_the_source_that_defines_a_function_is_found(
    tmp_path: Path, files: dict[str, str], expected: str | None
) -> None:
    """The file named for the module first, then the sources that define it, .py before notebooks"""
    assert where(read_submission(fill(tmp_path, files)), "softmax") == expected


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe\xfa binary",
        "def attention(Q): pass\n".encode("utf-16"),
        b"#" * 10_000_000,
        b"d\xe9f attention(Q): pass",
    ],
)
def test_an_only_file_that_is_no_text_is_a_syntax_error_for_its_functions(
    read: Callable[..., Submission], data: bytes
) -> None:
    """What cannot be decoded may have held the function, so it is found with its problem"""
    found = locate(read("work.py", data), "attention", "attention")
    assert found
    assert found.problem


def test_a_guess_at_a_text_is_bounded(read: Callable[..., Submission]) -> None:
    """What is kept of a file that is too large is no larger than a file may be"""
    assert len(read("work.py", b"x = 1\n" * 1_000_000).modules[0].text) <= bounds.MAX_CODE_BYTES


def test_a_long_path_is_read_as_what_it_is(tmp_path: Path) -> None:
    """A .py far down in long folders is a .py still"""
    path = "/".join(["d" * 60] * 5) + "/softmax.py"
    submission = read_submission(fill(tmp_path, {path: SOFTMAX, "a.py": ""}))
    assert where(submission, "softmax") == path
    assert not submission.modules[1].statements


def test_a_broken_only_file_holds_what_it_looks_like_and_no_more(read: Callable[..., Submission]) -> None:
    """A file that does not parse is found for the functions it seems to define, and not for others"""
    submission = read("work.py", "def softmax(x):\n    return (\n\ndef causal_mask(n): pass\n")
    assert where(submission, "softmax") == where(submission, "causal_mask") == "work.py"
    assert locate(submission, "attention", "attention") is None


def test_a_long_chain_of_imports_is_followed(tmp_path: Path) -> None:
    """Hundreds of sources that import from one another are no danger"""
    chain = {f"m{number}.py": f"from m{number + 1} import *" for number in range(400)}
    fill(
        tmp_path,
        chain | {"softmax.py": "from m0 import softmax", "m400.py": "def softmax(x:", "a.py": "softmax = 1"},
    )
    assert where(read_submission(tmp_path), "softmax") == "softmax.py"


# ── notebooks ──────────────────────────────────────────────────────────────────────────────────────


def test_the_code_cells_are_joined_in_order(read: Callable[..., Submission]) -> None:
    """Code cells, as text or as lists of lines, follow one another; other cells do not count"""
    text = {"cell_type": "markdown", "metadata": {}, "source": "# def no(): pass"}
    raw = {"cell_type": "raw", "metadata": {}, "source": "raw"}
    submission = read(
        "work.ipynb", notebook(text, "import numpy as np\r\nx = 1", raw, ["def f():\n", "    return x\n"], "")
    )
    module = submission.modules[0]
    assert (submission.kind, module.name, module.file, module.statements) == (
        "notebook",
        "work",
        "work.ipynb",
        True,
    )
    assert module.text == "import numpy as np\nx = 1\ndef f():\n    return x\n\n"
    assert (module.problem, module.notes, module.broken) == ("", (), "")


def test_the_third_format_is_read(read: Callable[..., Submission]) -> None:
    """Nbformat 3, with worksheets, inputs and prompt numbers, is read as well"""
    made = [
        {"cell_type": "code", "language": "python", "input": ["x = 1\n", "y = 2"], "prompt_number": 2},
        {"cell_type": "code", "language": "bash", "input": "ls"},
        {"cell_type": "code", "language": "python", "input": "z = 3", "prompt_number": 1},
    ]
    sheets = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": made[:2]}, {"cells": made[2:]}]}
    module = read("work.ipynb", json.dumps(sheets)).modules[0]
    assert module.text == "x = 1\ny = 2\nz = 3\n"
    assert len(module.notes) == 1


@pytest.mark.parametrize(
    "data",
    [
        "not json",
        "[]",
        "7",
        "null",
        "{}",
        '{"cells": 1}',
        '{"worksheets": 1}',
        '{"worksheets": [1]}',
        '{"cells": {}}',
        b"\xff\xfe{",
        "{",
        "[" * 100000,
        '{"cells": [' + "[" * 50000,
        '{"x": ' + "9" * 10000 + "}",
        SOFTMAX,
        b"\x89PNG\r\n",
    ],
    ids=repr,
)
def test_what_is_no_notebook_is_noted(tmp_path: Path, read: Callable[..., Submission], data: bytes | str) -> None:
    """Neither JSON nor a list of cells: no module, a note that names the file, other sources unharmed"""
    submission = read("work.ipynb", data)
    assert submission.modules == ()
    assert submission.notes[0].startswith("work.ipynb: ")
    assert "notebook" in submission.notes[0]
    fill(tmp_path, {"softmax.py": SOFTMAX})
    beside = read_submission(tmp_path)
    assert names(beside) == ["softmax"]
    assert beside.notes == submission.notes


@pytest.mark.parametrize(
    "cell",
    [
        {},
        None,
        1,
        "x",
        {"cell_type": "code"},
        {"cell_type": "code", "source": None},
        {"cell_type": "code", "source": [1, None]},
    ]
    + [
        {"cell_type": "code", "source": "x = 1", "metadata": wrong}
        for wrong in (None, 1, [], {"nbgrader": 1}, {"nbgrader": {"locked": "no"}})
    ]
    + [{"cell_type": "code", "source": "x = 1", "execution_count": wrong} for wrong in ("1", True, [], 1.5)],
    ids=repr,
)
def test_a_malformed_cell_costs_itself_alone(read: Callable[..., Submission], cell: Any) -> None:
    """Cells of the wrong structure are passed over or read as far as they make sense"""
    data = json.dumps({"cells": [cell, code(SOFTMAX, execution_count=1)]})
    submission = read("work.ipynb", data)
    assert where(submission, "softmax") == "work.ipynb"
    assert submission.modules[0].notes == ()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("x = 1\n!pip install numpy", "x = 1\npass"),
        ("!echo \"it's\nx = 1", "pass\nx = 1"),
        ("!echo '''\nx = 1", "pass\nx = 1"),
        ("!ls (\nx = 1", "pass\nx = 1"),
        ("!pip install \\\n  numpy \\\n  scipy\nx = 1", "pass\n\n\nx = 1"),
        ("?np.exp\nx = 1", "pass\nx = 1"),
        ("np.exp?\nx = 1", "pass\nx = 1"),
        ("np.exp??  \nx = 1", "pass\nx = 1"),
        ("np.*load*?\nx = 1", "pass\nx = 1"),
        ("files = !ls\nx = 1", "pass\nx = 1"),
        ("a, b = !ls\nx = 1", "pass\nx = 1"),
        ("here = %pwd\nx = 1", "pass\nx = 1"),
        ("if x:\n    %time f()\n    !ls\ny = 2", "if x:\n    pass\n    pass\ny = 2"),
        ("%time y = f(1)\nx = 1", "pass\nx = 1"),
        ("%%time\nx = 1\n%pwd", "\nx = 1\npass"),
        ("\n\n%%capture out\n%%time\nx = 1", "\n\n\n\nx = 1"),
        ("    %pwd\n    x = 1", "pass\nx = 1"),
        ("x = [\n  1\n  % 2]\n%pwd", "x = [\n  1\n  % 2]\npass"),
        ("x = '''\n%pwd\n!ls\n'''\n%pwd", "x = '''\n%pwd\n!ls\n'''\npass"),
        ('x = """a\\"""b\n%no"""\n%pwd', 'x = """a\\"""b\n%no"""\npass'),
        ("x = 5 \\\n% 3\n%pwd", "x = 5 \\\n% 3\npass"),
        ("x = '(' # (\n%pwd", "x = '(' # (\npass"),
        ("x = 'a\\'('\n%pwd", "x = 'a\\'('\npass"),
        ('print("a=%s" % x)\n%pwd', 'print("a=%s" % x)\npass'),
        ("if a != b: pass\n%pwd", "if a != b: pass\npass"),
        ("%%bash\nls", ""),
        ("%%writefile softmax.py\ndef softmax(x): pass", ""),
        ("%%html\n<b>", ""),
        ("%%timeit\nx = 1", ""),
        ("%%\nx", ""),
        ("%time\n%%time\nx = 1", "pass\npass\nx = 1"),
        ("x = [\n  1\n  % 2]", "x = [\n  1\n  % 2]"),
        ("'''\n%pwd\n'''", "'''\n%pwd\n'''"),
    ],
)
def test_magics_and_shell_lines_are_skipped_and_the_rest_is_kept(
    cells: Callable[..., Module], source: str, text: str
) -> None:
    """Magic, shell and help lines go, line for line; what only looks like one inside Python stays"""
    module = cells(source)
    assert module.text == f"{text}\n" * bool(text)
    assert (module.notes, module.broken) == ((), "")


def test_locked_cells_are_skipped(cells: Callable[..., Module]) -> None:
    """Cells that nbgrader locks are not run; those it grades are"""
    locked = code("assert softmax", metadata={"nbgrader": {"locked": True, "grade": True}})
    unlocked = code(SOFTMAX, metadata={"nbgrader": {"locked": False, "solution": True}})
    broken = code("assert (", metadata={"nbgrader": {"locked": True}})
    module = cells(locked, unlocked, broken)
    assert module.text == SOFTMAX + "\n"
    assert module.notes == ()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("import grader", "pass"),
        ("import grader as g\ng.check('softmax')", "pass\npass"),
        ("import grader.check", "pass"),
        ("from grader import check\ncheck(softmax)", "pass\npass"),
        ("from grader import check as c, explore\nr = c(softmax)\nexplore()", "pass\nr = None\npass"),
        ("from grader import *\ncheck('softmax')", "pass\npass"),
        ("import grader\ngrader.check('softmax').show()", "pass\npass"),
        ("import grader\nr: object = grader.check(\n    'softmax',\n)\nx = 1", "pass\nr = None\n\n\nx = 1"),
        ("import grader; x = 'ü'; grader.check('ü'); y = 2", "pass; x = 'ü'; pass; y = 2"),
        ("%time\nimport grader", "pass\npass"),
        ("import grader\n(r := grader.check('x'))", "pass\nr = None"),
        ("s = get_ipython()\nget_ipython().run_line_magic('time', '')\nx = 1", "s = None\npass\nx = 1"),
        ("import numpy as np\nnp.exp(1)", "import numpy as np\nnp.exp(1)"),
        ("check(softmax)", "check(softmax)"),
        ("import graders", "import graders"),
        ("from .grader import check\ncheck(1)", "from .grader import check\ncheck(1)"),
        (
            "from grader import check\ndef check(x): return x\ny = check(1)",
            "pass\ndef check(x): return x\ny = check(1)",
        ),
        ("from grader import check\nfor f in a:\n    check(f)", "pass\nfor f in a:\n    check(f)"),
        ("grader = 1\ngrader.real", "grader = 1\ngrader.real"),
    ],
)
def test_statements_that_only_import_or_call_the_grader_are_dropped(
    cells: Callable[..., Module], source: str, text: str
) -> None:
    """Imports of `grader` and calls of it go, and nothing else"""
    assert cells(source).text == text + "\n"


def test_the_grader_is_known_in_later_cells(cells: Callable[..., Module]) -> None:
    """A name imported from `grader` is known in all cells after it"""
    assert cells("from grader import check", SOFTMAX, "check(softmax)").text == f"pass\n{SOFTMAX}\npass\n"


def test_a_cell_that_does_not_parse_costs_itself_alone(read: Callable[..., Submission]) -> None:
    """It is dropped and noted with its number and line, and what it would define is findable"""
    submission = read("work.ipynb", notebook("x = 1", "y = 2", SOFTMAX, "z = 1\ndef attention(Q:\n    pass", "w = 3"))
    module = submission.modules[0]
    assert module.notes == ("cell 4 does not parse: line 2: '(' was never closed",)
    assert "z = 1" not in module.text
    assert "w = 3" in module.text
    assert locate(submission, "softmax", "softmax") is module
    assert locate(submission, "attention", "attention") is module
    assert locate(submission, "causal_mask", "causal_mask") is None
    assert (breaks(module, "attention"), breaks(module, "softmax")) == (True, False)


def test_notes_on_cells_are_bounded(cells: Callable[..., Module]) -> None:
    """A notebook of broken cells is told in a few notes"""
    module = cells(*["(" for _ in range(100)])
    assert len(module.notes) == bounds.MAX_NOTES + 1
    assert module.notes[-1] == "80 more cells do not parse"


@pytest.mark.parametrize(
    ("counts", "noted"),
    [
        ([1, 2, 3], False),
        ([2, 5, 9], False),
        ([3, 1, 2], True),
        ([1, 1], True),
        ([None, None], False),
        ([4, None, 7], False),
        ([4, None, 3], True),
    ],
)
def test_cells_run_out_of_order_are_noted(cells: Callable[..., Module], counts: list[int | None], noted: int) -> None:
    """Execution counts that do not rise from top to bottom are told, since grading goes from top to bottom"""
    module = cells(*[code(f"x = {number}", execution_count=count) for number, count in enumerate(counts)])
    assert [("top to bottom" in note) for note in module.notes] == [True] * noted


def test_the_order_of_empty_and_locked_cells_does_not_matter(cells: Callable[..., Module]) -> None:
    """A test cell run again, or an empty one, is no reason for a note"""
    locked = code("x", execution_count=9, metadata={"nbgrader": {"locked": True}})
    assert cells(locked, code("  \n", execution_count=8), code("x = 1", execution_count=1)).notes == ()


def test_a_notebook_is_bounded(read: Callable[..., Submission]) -> None:
    """Too large a file, too many cells or too much code is noted, in little time"""
    started = time.process_time()
    assert "MiB" in read("a.ipynb", b"{" + b" " * (bounds.MAX_NOTEBOOK_BYTES + 1)).notes[0]
    assert "code cells" in read("b.ipynb", notebook(*["1"] * (bounds.MAX_NOTEBOOK_CELLS + 1))).notes[0]
    assert "of code" in read("c.ipynb", notebook("#" * 200_000, "#" * 200_000)).notes[0]
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    "source",
    [
        "\\'" * 100000 + "\n(",
        "'\\" * 100000 + "\n(",
        " " * 200000 + "(",
        "%x\n" * 60000 + "(",
        "'\"" * 100000,
        "a " * 100000 + "?",
        "x" * 200000 + "(",
        "\n" * 200000 + "(",
        "'''\"\"\"" * 30000 + "(",
        ", " * 100000 + "(",
        "def x\n" * 40000,
    ],
    ids=lambda source: source[:4],
)
def test_a_hostile_cell_takes_bounded_time(read: Callable[..., Submission], source: str) -> None:
    """No text of a cell makes the search for magics, or for a definition, slow"""
    started = time.process_time()
    submission = read("work.ipynb", notebook(source))
    locate(submission, "softmax", "softmax")
    assert time.process_time() - started < 2


def test_lone_surrogates_become_text(cells: Callable[..., Module]) -> None:
    """JSON can hold half characters that no UTF-8 holds; the text of a module never does"""
    module = cells("x = '\ud800'\n", "(\ud800")
    assert "x = '?'" in module.text
    (module.text + module.broken + "".join(module.notes)).encode()


# ── places ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_line_is_told_back_as_its_author_counts(read: Callable[..., Submission]) -> None:
    """Lines of a file by their number, lines of a notebook by cell and line in the cell"""
    file = read("softmax.py", SOFTMAX).modules[0]
    assert (place(file, 2), line_at(file, 2)) == ("softmax.py, line 2", "return x")
    locked = code("assert 0", metadata={"nbgrader": {"locked": True}})
    source = "%%time\n!ls\nimport grader\nx = 1\nraise ValueError"
    module = read("work.ipynb", notebook("a = 1\nb = 2", "broken(", "%%bash\nls", locked, "", source, "c = 3")).modules[
        0
    ]
    lines = module.text.split("\n")
    expected = {"a = 1": "cell 1, line 1", "b = 2": "cell 1, line 2", "x = 1": "cell 6, line 4"}
    expected |= {"raise ValueError": "cell 6, line 5", "c = 3": "cell 7, line 1"}
    assert {line: place(module, lines.index(line) + 1) for line in expected} == expected
    assert all(line_at(module, lines.index(line) + 1) == line for line in expected)


@pytest.mark.parametrize("line", [-5, 0, 100, 10**12])
@pytest.mark.parametrize("name", ["softmax.py", "work.ipynb"])
def test_a_line_that_does_not_exist_gives_the_file(read: Callable[..., Submission], name: str, line: int) -> None:
    """A number out of range is no error"""
    module = read(name, notebook(SOFTMAX) if name.endswith("ipynb") else SOFTMAX).modules[0]
    assert (place(module, line), line_at(module, line)) == (name, "")


def test_lines_are_those_of_python(read: Callable[..., Submission]) -> None:
    """Form feeds and Unicode line ends do not end a line, and none reaches a report"""
    module = read("softmax.py", "x = 1 # \u2028 \x0c\ny = 2\n").modules[0]
    assert line_at(module, 2) == "y = 2"
    assert line_at(module, 1).isprintable()


def test_no_place_in_an_empty_notebook(cells: Callable[..., Module]) -> None:
    """A notebook without code has no lines to speak of"""
    module = cells("%%bash\nls")
    assert place(module, 2) == "work.ipynb"
    assert line_at(module, 1) == ""


# ── whatever is handed in ──────────────────────────────────────────────────────────────────────────

FUZZ = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
SUFFIXES = ["py", "ipynb", "zip", "tar", "tar.gz", "tgz", "pdf", ""]
SEEDS = {
    "zip": [
        zip_bytes(THREE | {"work.ipynb": notebook(SOFTMAX)}),
        zip_bytes(under("hw/exercises", THREE) | LITTER),
    ],
    "tar": [tar_bytes(THREE, "w:", layout) for layout in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)]
    + [
        tar_bytes({f"{'d' * 120}/{'é' * 90}.py": SOFTMAX}, "w:", layout)
        for layout in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
    ],
    "tar.gz": [tar_bytes(THREE), tar_bytes(THREE | {"work.ipynb": notebook(SOFTMAX)})],
    "ipynb": [notebook("%time\nimport grader", SOFTMAX, "!ls", "(").encode()],
    "py": [ATTENTION.encode(), b"\xef\xbb\xbf# coding: utf-8\r\nx = '\xc3\xa9'\r\n"],
}


def survives(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        submission = read_submission(path)
    except GraderError:
        return
    for name in ("softmax", "attention"):
        found = locate(submission, name, name)
        assert found is None or found in submission.modules
    assert submission.modules or submission.notes
    for module in submission.modules:
        place(module, 1), line_at(module, 1), module.text.encode(), module.file.encode()
        assert "\r" not in module.text
    assert "".join(submission.notes).isprintable()


@FUZZ
@given(data=st.binary(max_size=3_000), suffix=st.sampled_from(SUFFIXES))
def test_random_bytes_never_end_the_grader(tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str) -> None:
    """Any bytes under any suffix give a submission"""
    survives(tmp_path_factory.getbasetemp() / f"random.{suffix}", data)


@pytest.mark.parametrize("suffix", list(SEEDS))
@FUZZ
@given(random=st.randoms(use_true_random=False))
def test_damaged_files_never_end_the_grader(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, random: random.Random
) -> None:
    """A valid file with bytes changed, cut, doubled or moved gives a submission"""
    data = bytearray(random.choice(SEEDS[suffix]))
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(data) + 1)
        to = min(len(data), at + random.choice([1, 1, 4, 40, 600]))
        change = random.choice(["set", "set", "cut", "double", "insert", "end"])
        if change == "set":
            data[at:to] = (
                random.randbytes(to - at)
                if random.random() < 0.7
                else random.choice([b"\0", b"\xff", b"9"]) * (to - at)
            )
        elif change == "cut":
            del data[at:to]
        elif change == "double":
            data[at:at] = data[at:to]
        elif change == "insert":
            data[at:at] = random.randbytes(random.randint(1, 20))
        else:
            del data[at:]
        data = data or bytearray(1)
    if suffix == "tar" and random.random() < 0.8:
        mend_checksums(data)
    survives(tmp_path_factory.getbasetemp() / f"damaged.{suffix}", bytes(data))


def mend_checksums(data: bytearray) -> None:
    """Make damaged tar headers pass their checksum, so that what they say is met."""
    for start in range(0, len(data) - 511, 512):
        if data[start + 257 : start + 262] == b"ustar":
            block = data[start : start + 512]
            data[start + 148 : start + 156] = b"%06o\0 " % (256 + sum(block[:148]) + sum(block[156:]))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["code", "%x", "x = 1", "("]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["cell_type", "source", "metadata", "cells", "input"]), inner)
    ),
    max_leaves=12,
)


@FUZZ
@given(
    made=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "cell_type": st.just("code") | json_values,
                "source": st.text(alphabet="%!?'\"()[]\\ \n\tx=#:,.grade", max_size=60) | json_values,
                "metadata": json_values,
                "execution_count": json_values,
            },
        ),
        max_size=5,
    )
)
def test_notebooks_of_any_structure_are_read(tmp_path_factory: pytest.TempPathFactory, made: list[Any]) -> None:
    """Cells of any structure and any text give a submission, and the text that is kept parses"""
    import ast

    path = tmp_path_factory.getbasetemp() / "structure.ipynb"
    survives(path, json.dumps({"cells": made}).encode())
    for module in read_submission(path).modules:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(module.text)
        assert len(module.cells) == sum(isinstance(cell, dict) and cell.get("cell_type") == "code" for cell in made)
