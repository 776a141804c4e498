"""A class's work is read as each platform hands it out: one entry a student, nobody lost, nobody's files mixed up."""

from __future__ import annotations

import io
import os
import pickle
import stat
import sys
import time
import tracemalloc
import warnings
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader import bounds, class_zip, platforms
from grader.errors import GraderError, SubmissionError, UsageError
from grader.handed_in import Entry, handed_in
from grader.submission import Submission, read_submission
from tests.test_submission import nobody

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

CODE = "def softmax(x, axis=-1):\n    return x\n"
MASK = "def causal_mask(seq_len):\n    return seq_len\n"
NOTEBOOK = '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}'
Tree = dict[str, str | bytes]

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither such files nor such names")


# ── building ───────────────────────────────────────────────────────────────────────────────────────


def lay(folder: Path, tree: Mapping[str, str | bytes]) -> Path:
    """The tree on disk; a path that ends in a slash is an empty folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def packed(members: Mapping[str, str | bytes] | Iterable[tuple[str | zipfile.ZipInfo, str | bytes]]) -> bytes:
    buffer = io.BytesIO()
    pairs = members.items() if isinstance(members, dict) else members
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # duplicate names are meant
        for name, data in pairs:
            archive.writestr(name, data)
    return buffer.getvalue()


def pack(path: Path, members: Mapping[str, str | bytes] | Iterable[tuple[str | zipfile.ZipInfo, str | bytes]]) -> Path:
    path.write_bytes(packed(members))
    return path


Form = tuple[str, "Callable[[Path, Tree], Path]"]
FORMS = {"folder": lambda where, tree: lay(where / "class", tree), "zip": lambda w, tree: pack(w / "class.zip", tree)}


@pytest.fixture(params=sorted(FORMS))
def put(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Tree], Path]:
    """Lay a tree as a folder, and pack it as a zip."""
    return lambda tree: FORMS[request.param](tmp_path, tree)


def read_all(path: Path, assignment: str | None = None) -> dict[str, tuple[Entry, Submission]]:
    with handed_in(path, assignment) as work:
        found = {entry.name: (entry, work.read(entry)) for entry in work.entries()}
        assert [entry.name for entry in work.entries()] == sorted(found)
    for name, (_, submission) in found.items():
        assert submission.path == platforms.shown(name)
    return found


def students(path: Path, assignment: str | None = None) -> dict[str, list[str]]:
    """Each student, and the sources that were read of theirs."""
    found = read_all(path, assignment).values()
    assert len({entry.student for entry, _ in found}) == len(found)
    return {entry.student: [module.file for module in submission.modules] for entry, submission in found}


# ── one realistic tree for each platform ───────────────────────────────────────────────────────────

PLAIN: Tree = {
    "alice/softmax.py": CODE,
    "alice/causal_mask.py": MASK,
    "bob.py": CODE,
    "carol.ipynb": NOTEBOOK,
    "dave.zip": packed({"dave/exercises/softmax.py": CODE, "__MACOSX/dave/._softmax.py": b"\0"}),
    "Eve.PY": CODE,
    "frank.tar.gz": b"no archive",
    "grace.7z": b"7z\xbc\xaf\x27\x1c",
    "nobody/": b"",
    ".DS_Store": b"\0",
    "._bob.py": b"\0",
    ".hidden/softmax.py": CODE,
    "__pycache__/bob.cpython-311.pyc": b"\0",
    "results.jsonl": "{}",
    "results.csv": "",
    "class.html": "",
    "roster.xlsx": b"PK",
}
MOODLE: Tree = {
    "Ann Miller_12345_assignsubmission_file_/softmax.py": CODE,
    "Ann Miller_12345_assignsubmission_onlinetext_/onlinetext.html": "<p>see file</p>",
    "Ben O'Neil-Śmith_12346_assignsubmission_file_/work.zip": packed({"work/softmax.py": CODE}),
    "Cem_12347_assignsubmission_onlinetext_/onlinetext.html": "<p>def softmax(x): ...</p>",
    "Group B_7_assignsubmission_file/part/causal_mask.py": MASK,
    "Default group_assignsubmission_file_/softmax.py": CODE,
}
MOODLE_FLAT: Tree = {
    "Ann Miller_12345_assignsubmission_file_softmax.py": CODE,
    "Ann Miller_12345_assignsubmission_file_causal_mask.py": MASK,
    "Ann Miller_12345_assignsubmission_onlinetext_onlinetext.html": "<p>done</p>",
    "Ben_12346_assignsubmission_file_my_work.ipynb": NOTEBOOK,
    "Cem_12347_assignsubmission_onlinetext_onlinetext.html": "<p>done</p>",
    "Cem_12347_assignsubmission_podcast_/talk.mp3": b"ID3",
}
CANVAS: Tree = {
    "doejane_1234_90001_softmax.py": CODE,
    "doejane_1234_90002_causal_mask.py": MASK,
    "roerichard_LATE_1235_90003_softmax-2.py": CODE,
    "roerichard_LATE_1235_90004_causal_mask-1.py": MASK,
    "smithjohn_1236_90005_hw_1_2_work.zip": packed({"softmax.py": CODE}),
    "smithjohn_1236_90006_screenshot.png": b"\x89PNG",
    "smithjohn_1237_90007_part-1.py": CODE,
    "smithjohn_1237_90008_part-2.py": MASK,
    "łukaszewiczżaneta_1238_text.html": "<p>done</p>",
    "leean_LATE_1239_link.html": "<p>done</p>",
}
METADATA = """---
submission_1001:
  :submitters:
  - :name: Ann Miller
    :sid: '0012'
    :email: ann@example.edu
  :created_at: 2025-03-01 10:00:00.000000000 Z
  :score: 12.0
  :unparsed: [
  :results:
    tests:
    - output: |
        submission_1002:
          :submitters:
          - :name: Forged
            :email: forged@example.edu
submission_1002:
  :submitters:
  - :name: Ben
    :sid: '0013'
    :email: ben@example.edu
  - :name: Cem
    :sid: '0014'
    :email: cem@example.edu
  :status: processed
submission_1003:
  :submitters:
  - :name: "D\\u00E9sir\\u00E9e: the \\"one\\""
    :sid:
    :email: ''
submission_1004:
  :submitters:
  - :name: No Email
    :sid: 007
submission_1005:
  :submitters: []
"""
GRADESCOPE: Tree = {
    "submission_metadata.yml": METADATA,
    **{f"submission_{number}/softmax.py": CODE for number in range(1001, 1007)},
}
NBGRADER: Tree = {
    "nbgrader_config.py": "c = get_config()",
    "gradebook.db": b"SQLite",
    "source/attention/attention.ipynb": NOTEBOOK,
    "release/attention/attention.ipynb": NOTEBOOK,
    "submitted/alice/attention/attention.ipynb": NOTEBOOK,
    "submitted/alice/attention/timestamp.txt": "2025-03-01 10:00:00 UTC",
    "submitted/alice/attention/.ipynb_checkpoints/attention-checkpoint.ipynb": NOTEBOOK,
    "submitted/alice/ps2/other.ipynb": NOTEBOOK,
    "submitted/bob/attention/softmax.py": CODE,
    "submitted/carol/ps2/other.ipynb": NOTEBOOK,
    "autograded/alice/attention/attention.ipynb": NOTEBOOK,
}
CLONES: Tree = {
    f"attention-{user}/{file}": text
    for user in ("ann-lee", "anna")
    for file, text in {
        ".git/HEAD": "ref: refs/heads/main",
        ".git/hooks/hook.py": "broken(",
        ".github/workflows/classroom.yml": "name: Autograding Tests",
        "exercises/softmax.py": CODE,
        "scratch.py": MASK,
    }.items()
}
TREES = {
    "plain": PLAIN,
    "moodle": MOODLE,
    "moodle-flat": MOODLE_FLAT,
    "canvas": CANVAS,
    "gradescope": GRADESCOPE,
    "nbgrader": NBGRADER,
    "github": CLONES,
}


@pytest.mark.parametrize("platform", TREES)
def test_a_zip_reads_as_the_folder_it_was_packed_from(platform: str, tmp_path: Path) -> None:
    """The same entries, and the same of each: whoever unpacks the zip gets the same marks"""
    folder, archive = lay(tmp_path / "class", TREES[platform]), pack(tmp_path / "class.zip", TREES[platform])
    assert read_all(folder, "attention") == read_all(archive, "attention")


def test_each_entry_of_a_plain_folder_is_a_submission(put: Callable[[Tree], Path]) -> None:
    """Folders, sources and archives are; litter, hidden files and our own output are not"""
    assert students(put(PLAIN)) == {
        "alice": ["causal_mask.py", "softmax.py"],
        "bob": ["bob.py"],
        "carol": ["carol.ipynb"],
        "dave": ["softmax.py"],
        "Eve": ["Eve.PY"],
        "frank": [],
        "grace": [],
        "nobody": [],
    }


GIT_CLONE = (".git/HEAD", "work.py")
LARGE = "#" * (bounds.MAX_CODE_BYTES - 100) + "\n"


@pytest.mark.parametrize("name", ["hw.zip", "hw (1).zip", "hw(12).zip"])
def test_a_zip_that_was_downloaded_again_is_the_same_class(tmp_path: Path, name: str) -> None:
    """A browser numbers what it has already: that is no part of the name, by which a class in a folder is known."""
    tree = {"hw/ann/work.py": "x = 1\n", "hw/bob/work.py": "x = 2\n", "hw/cy.py": "x = 3\n"}
    with handed_in(pack(tmp_path / name, tree)) as work:
        assert [entry.student for entry in work.entries()] == ["ann", "bob", "cy"]


@pytest.mark.parametrize("inner", ["hw", "hw (1)"])
def test_a_class_in_a_folder_with_a_number_is_read_from_there(tmp_path: Path, inner: str) -> None:
    """Packed again, or unpacked beside another: what it is called on the disk is the way to it all the same."""
    tree = {f"{inner}/ann/work.py": MASK, f"{inner}/bob/work.py": MASK}
    with handed_in(pack(tmp_path / "hw (1).zip", tree)) as work:
        assert [(each.student, len(work.read(each).modules)) for each in work.entries()] == [("ann", 1), ("bob", 1)]
    clones = {f"{inner}-submissions (2)/{inner}-{user}/{file}": MASK for user in ("ann", "bob") for file in GIT_CLONE}
    with handed_in(lay(tmp_path / "downloads", clones)) as work:
        assert [(each.student, len(work.read(each).modules)) for each in work.entries()] == [("ann", 1), ("bob", 1)]


@pytest.mark.parametrize("name", ["hw-submissions.zip", "hw-submissions (1).zip"])
def test_clones_that_were_downloaded_again_are_the_same_class(tmp_path: Path, name: str) -> None:
    """As GitHub Classroom hands them out, called after the assignment."""
    tree = {f"hw-submissions/hw-{user}/{file}": "x = 1\n" for user in ("ann", "bob") for file in GIT_CLONE}
    with handed_in(pack(tmp_path / name, tree)) as work:
        assert [entry.student for entry in work.entries()] == ["ann", "bob"]


@pytest.mark.parametrize(
    "tree",
    [
        {**{f"ann/a/s{i}.py": CODE for i in range(bounds.MAX_SOURCES + 20)}, "ann/z.py": CODE, "ann/b/y.py": CODE},
        {**{f"ann/a/s{i}.py": LARGE for i in range(20)}, "ann/z.py": CODE},
        {"ann/a.py": "#" * (bounds.MAX_CODE_BYTES + 5), "ann/b.ipynb": "no notebook", "ann/c.py": "broken("},
        {"ann/exercises/a.py": CODE, "ann/b.py": MASK, "ann/more/c.py": CODE},
        {"ann/one.zip": "", "ann/two.rar": "", "ann/readme.md": ""},
    ],
    ids=["many", "large", "unreadable", "workspace", "packed"],
)
def test_a_folder_in_a_zip_keeps_the_bounds_of_a_folder(tmp_path: Path, tree: Tree) -> None:
    """What is read of it, and what is noted, are the same as on the disk"""
    tree = {**tree, "ben.py": CODE}
    assert read_all(lay(tmp_path / "class", tree)) == read_all(pack(tmp_path / "other.zip", tree))


def test_files_that_are_nobodys_are_told(put: Callable[[Tree], Path]) -> None:
    """What lies beside the submissions and may have been meant as one is named; our own output is not"""
    with handed_in(put({**PLAIN, "heidi.txt": CODE, "ivan\x1b.txt": CODE})) as work:
        work.entries()
        assert work.left_out == ["heidi.txt", "ivan\\x1b.txt", "roster.xlsx"]


def test_a_plain_entry_reads_as_it_does_alone(tmp_path: Path) -> None:
    """`read_submission` decides what is in it; the path alone is relative"""
    folder = lay(tmp_path / "class", PLAIN)
    for name, (_, submission) in read_all(folder).items():
        assert submission == replace(read_submission(folder / name), path=name)


@pytest.mark.parametrize("files", [("a.py", "a.zip"), ("a.py", "a.zip", "a.py.zip"), ("a.ipynb", "a.py", "a.tar.gz")])
def test_students_of_one_name_stay_apart(put: Callable[[Tree], Path], files: tuple[str, ...]) -> None:
    """Entries that would be called the same are called by their full names"""
    assert list(students(put(dict.fromkeys(files, CODE)))) == sorted(files)
    assert sorted(students(put({**dict.fromkeys(files, CODE), "b.py": CODE}))) == [*sorted(files), "b"]


def test_moodle_gives_each_student_a_folder(put: Callable[[Tree], Path]) -> None:
    """Text typed into Moodle is merged with the files, and alone it is no code; groups are as students"""
    path = put(MOODLE)
    assert students(path) == {
        "Ann Miller_12345": ["softmax.py"],
        "Ben O'Neil-Śmith_12346": ["softmax.py"],
        "Cem_12347": [],
        "Default group": ["softmax.py"],
        "Group B_7": ["causal_mask.py"],
    }
    found = read_all(path)
    assert "Ann Miller_12345_assignsubmission_file_" in found
    alone = found["Cem_12347_assignsubmission_onlinetext_"][1]
    assert len(alone.notes) == 1
    assert "no .py file" in alone.notes[0]


def test_moodle_without_folders(put: Callable[[Tree], Path]) -> None:
    """Files that start with the student's name are that student's, under the names they gave them"""
    path = put(MOODLE_FLAT)
    assert students(path) == {
        "Ann Miller_12345": ["causal_mask.py", "softmax.py"],
        "Ben_12346": ["my_work.ipynb"],
        "Cem_12347": [],
    }
    assert "Ann Miller_12345_assignsubmission_file_causal_mask.py" in read_all(path)


def test_canvas_names_the_user_and_the_attachment(put: Callable[[Tree], Path]) -> None:
    """Files of one user are one submission; the prefix and the number of another try are no part of a file's name"""
    path = put(CANVAS)
    assert students(path) == {
        "doejane": ["causal_mask.py", "softmax.py"],
        "roerichard": ["causal_mask.py", "softmax.py"],
        "smithjohn_1236": ["softmax.py"],
        "smithjohn_1237": ["part-1.py", "part-2.py"],
        "łukaszewiczżaneta": [],
        "leean": [],
    }
    found = read_all(path)
    ids = {entry.student: entry.platform_id for entry, _ in found.values()}
    assert ids["doejane"] == "1234"
    assert ids["smithjohn_1237"] == "1237"
    assert ids["leean"] == "1239"
    jane, richard = (
        found[f"{start}.py"][1] for start in ("doejane_1234_90001_softmax", "roerichard_LATE_1235_90003_softmax-2")
    )
    assert replace(jane, path="") == replace(richard, path="")


def test_canvas_with_a_file_that_was_downloaded_twice(put: Callable[[Tree], Path]) -> None:
    """One id that occurs again does not make a class anything else than Canvas's"""
    path = put({**CANVAS, "doejane_1234_90001_softmax (1).py": CODE})
    assert students(path)["doejane"] == ["causal_mask.py", "softmax (1).py", "softmax.py"]


def test_canvas_hides_names_where_marking_is_anonymous(put: Callable[[Tree], Path]) -> None:
    """A student is then called by the id that Canvas shows"""
    tree: Tree = {"anon_aB3xY_90001_a.py": CODE, "LATE_anon_9ZZ1q_90002_b.py": CODE, "anon_aB3xY_90003_c.py": MASK}
    path = put(tree)
    assert students(path) == {"anon_aB3xY": ["a.py", "c.py"], "anon_9ZZ1q": ["b.py"]}
    assert {entry.platform_id for entry, _ in read_all(path).values()} == {""}


@pytest.mark.parametrize(
    "names",
    [
        ("ann_2024_01_hw.py", "ben_2024_01_hw.py"),
        ("ann_2024_01_hw.py", "ben_2024_02_hw.py"),
        ("ann_1_2_hw.py", "ben.py", "cem.py"),
        ("ann_1_2_hw.py", "ben/softmax.py"),
    ],
)
def test_names_with_numbers_are_not_yet_canvas(put: Callable[[Tree], Path], names: tuple[str, ...]) -> None:
    """Numbers that cannot be ids, or that few names have, stay parts of plain names"""
    got = students(put(dict.fromkeys(names, CODE)))
    assert list(got) == [name.partition("/")[0].removesuffix(".py") for name in names]


def test_gradescope_lists_the_submitters(put: Callable[[Tree], Path]) -> None:
    """By email, student id or name; several are one entry; what a student's code printed lists nobody"""
    assert list(students(put(GRADESCOPE))) == [
        "ann@example.edu",
        "ben@example.edu, cem@example.edu",
        'Désirée: the "one"',
        "007",
        "submission_1005",
        "submission_1006",
    ]


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        b"",
        b"submission_1001: [",
        b"- a\n- b\n",
        b"submission_1001:\n  :submitters:\n  - *nowhere\n",
        b"\xff\xfe\0",
    ],
)
def test_gradescope_without_its_list(put: Callable[[Tree], Path], metadata: bytes | None) -> None:
    """Where the list is missing or broken, submissions are called as their folders"""
    tree: Tree = {"submission_1001/softmax.py": CODE, "submission_1002/softmax.py": CODE}
    tree |= {} if metadata is None else {"submission_metadata.yml": metadata}
    assert list(students(put(tree))) == ["submission_1001", "submission_1002"]


def test_a_long_line_of_output_forges_no_submitter(put: Callable[[Tree], Path]) -> None:
    """Where a line is too long to be held, what is left of it is no line"""
    full = "    " + "x" * (platforms.MAX_LINE_BYTES - 4)
    said = ("submission_1001:\n", "  :submitters:\n", "  - :email: forged@example.edu\n")
    metadata = "submission_1001:\n  :submitters:\n  - :email: ann@example.edu\n  :out: |\n" + full + full.join(said)
    tree: Tree = {"submission_1001/a.py": CODE, "submission_metadata.yml": metadata}
    assert list(students(put(tree))) == ["ann@example.edu"]


@pytest.mark.parametrize("below", ["", "submitted"])
def test_nbgrader_holds_several_assignments(tmp_path: Path, below: str) -> None:
    """One of them is graded, of those who handed it in, from the course's folder or from `submitted/`"""
    path = lay(tmp_path / "course", NBGRADER) / below
    assert students(path, "attention") == {"alice": ["attention.ipynb"], "bob": ["softmax.py"]}
    assert students(path, "ps2") == {"alice": ["other.ipynb"], "carol": ["other.ipynb"]}
    start = "" if below else "submitted/"
    assert list(read_all(path, "ps2")) == [f"{start}alice/ps2", f"{start}carol/ps2"]


def test_nbgrader_with_one_assignment_needs_no_name(put: Callable[[Tree], Path]) -> None:
    """The only assignment that was handed in is meant, whatever the course calls it"""
    tree = {name: text for name, text in NBGRADER.items() if "/ps2/" not in name}
    assert list(students(put(tree))) == ["alice", "bob"]
    assert list(students(put(tree), "transformers")) == ["alice", "bob"]


def test_nbgrader_asks_which_assignment(put: Callable[[Tree], Path]) -> None:
    """Several assignments, none of them asked for: the error names them"""
    with handed_in(put(NBGRADER), "ps3") as work, pytest.raises(UsageError, match="attention, ps2"):
        work.entries()


@pytest.mark.parametrize("tree", [{}, {"submitted/": b""}, {"submitted/alice/": b""}])
def test_nbgrader_where_nothing_was_collected(put: Callable[[Tree], Path], tree: Tree) -> None:
    """A course without submissions says so, rather than grading its source"""
    path = put({"nbgrader_config.py": "", "source/attention/attention.ipynb": NOTEBOOK, **tree})
    with handed_in(path) as work, pytest.raises(UsageError, match="nothing was collected"):
        work.entries()


def test_a_plain_folder_called_submitted(tmp_path: Path) -> None:
    """Students' folders with files in them are no students of nbgrader"""
    path = lay(tmp_path / "submitted", {"alice/softmax.py": CODE, "alice/old/softmax.py": MASK, "bob/softmax.py": CODE})
    assert students(path) == {"alice": ["old/softmax.py", "softmax.py"], "bob": ["softmax.py"]}


def test_github_classroom_clones(put: Callable[[Tree], Path], tmp_path: Path) -> None:
    """The workspace inside is read as one"""
    path = put(CLONES)
    assert students(path) == {"attention-ann-lee": ["softmax.py"], "attention-anna": ["softmax.py"]}
    for _, submission in read_all(path).values():
        assert submission.workspace
        assert submission.beside == (("scratch.py", MASK),)


@pytest.mark.parametrize(
    ("called", "names", "expected"),
    [
        ("hw-1-submissions", ["hw-1-ann"], ["ann"]),
        ("hw-1-submissions", ["hw-1-ann-x", "hw-1-ben-x"], ["ann-x", "ben-x"]),
        ("hw-1-submissions", ["ann-b", "hw-1-ann"], ["ann-b", "hw-1-ann"]),
        ("clones", ["hw-ann"], ["hw-ann"]),
        ("clones", ["hw-li-na", "hw-li-wei"], ["hw-li-na", "hw-li-wei"]),
        ("clones", ["ann", "anna"], ["ann", "anna"]),
        ("clones", ["hw", "hw-ann"], ["hw", "hw-ann"]),
        ("clones", ["ann-hw", "ben-hw"], ["ann-hw", "ben-hw"]),
    ],
)
def test_what_clones_are_called_after(tmp_path: Path, called: str, names: list[str], expected: list[str]) -> None:
    """`hw-` is taken off where the folder says so: what clones share may be a part of their owners' names"""
    path = lay(tmp_path / called, {f"{name}/{file}": CODE for name in names for file in (".git/HEAD", "softmax.py")})
    assert list(students(path)) == expected


@pytest.mark.parametrize(
    ("platform", "stranger"),
    [
        ("canvas", "eve_104_9004_assignsubmission_file_x.py"),
        ("canvas", "submission_1/x.py"),
        ("plain", "Eve_13_assignsubmission_file_x.py"),
        ("plain", "submission_1/x.py"),
        ("plain", "submitted/x/y/z.py"),
        ("moodle", "submitted/x/y/z.py"),
        ("gradescope", "submitted/x/y/z.py"),
    ],
)
def test_one_name_turns_no_class_over(put: Callable[[Tree], Path], platform: str, stranger: str) -> None:
    """What one student calls a file, or a folder, changes nothing of what the others are called and have"""
    tree = TREES[platform]
    before, after = students(put(tree)), students(put({**tree, stranger: CODE}))
    assert {name: files for name, files in after.items() if name in before} == before
    assert len(after) == len(before) + 1


@pytest.mark.parametrize("shape", ["{}_assignsubmission_file_/x.py", "{}_assignsubmission_file_x.py"])
def test_a_name_that_holds_anothers_is_ones_own(put: Callable[[Tree], Path], shape: str) -> None:
    """On some sites students choose their names: whoever takes another's folder for theirs is called so, and no more"""
    eve = "Ann Lee_12_assignsubmission_file__13"
    tree: Tree = {shape.format(name): CODE for name in ("Ann Lee_12", "Ben Roe_11", "Cy Moe_10")}
    got = students(put({**tree, shape.format(eve): MASK}))
    assert got["Ann Lee_12"] == ["x.py"]
    assert len(got) == 4
    assert sum("Ann Lee_12" in name for name in got) == 2


@pytest.mark.parametrize("platform", ["moodle", "canvas", "gradescope"])
def test_work_that_came_by_another_way_counts(put: Callable[[Tree], Path], platform: str) -> None:
    """A submission that the teacher put beside a platform's is an entry as in a plain folder"""
    got = students(put({**TREES[platform], "zoe.py": CODE, "zeno/softmax.py": MASK}))
    assert got["zoe"] == ["zoe.py"]
    assert got["zeno"] == ["softmax.py"]


@pytest.mark.parametrize("platform", ["moodle", "canvas", "gradescope", "nbgrader"])
def test_a_class_packed_with_its_folder(put: Callable[[Tree], Path], platform: str) -> None:
    """One folder alone that holds a platform's work is opened; names are relative to what was given"""
    tree = {f"assignment_1_export/{name}": text for name, text in TREES[platform].items()}
    path = put({**tree, "__MACOSX/assignment_1_export/._x": b"\0"})
    direct = read_all(put(TREES[platform]), "ps2") if path.suffix else None
    found = read_all(put({**tree, "__MACOSX/assignment_1_export/._x": b"\0"}), "ps2")
    assert all(name.startswith("assignment_1_export/") for name in found)
    if direct:
        assert [e.student for e, _ in found.values()] == [e.student for e, _ in direct.values()]


def test_a_zip_of_a_plain_folder_is_that_folder(tmp_path: Path) -> None:
    """A folder called as its zip is the class; any other, or one on the disk, is a student"""
    tree: Tree = {"class/alice.py": CODE, "class/bob.py": CODE}
    assert list(students(pack(tmp_path / "class.zip", tree))) == ["alice", "bob"]
    assert list(students(pack(tmp_path / "other.zip", tree))) == ["class"]
    assert list(students(lay(tmp_path / "class", tree))) == ["class"]


def test_equal_work_reads_equal_but_for_its_path(tmp_path: Path) -> None:
    """Whatever a platform puts into names, two students with the same files have the same submission"""
    tree: Tree = {
        "a_1_11_softmax.py": CODE,
        "a_1_12_mask.py": MASK,
        "b_LATE_2_10_softmax-3.py": CODE,
        "b_LATE_2_9_mask.py": MASK,
        "c_3_21_a.zip": packed({"softmax.py": CODE}),
        "d_4_22_a-1.zip": packed({"softmax.py": CODE}),
        "e_5_31_essay.pdf": b"%PDF",
        "f_6_32_essay.pdf": b"%PDF",
    }
    found = [replace(submission, path="") for _, submission in read_all(lay(tmp_path / "class", tree)).values()]
    assert found[0] == found[1] != found[2]
    assert found[2] == found[3]
    assert found[4] == found[5]
    assert "essay.pdf" in found[4].notes[0]


@pytest.mark.parametrize("where", ["{}/work.zip", "x_1_2_work.zip", "{}_1_assignsubmission_file_/work.zip"])
def test_an_archive_alone_in_a_folder_is_what_was_handed_in(put: Callable[[Tree], Path], where: str) -> None:
    """It is opened; beside a source, or beside another archive, it is not"""
    name = where.format("ann")
    data = packed({"softmax.py": CODE})
    second = name.replace("_1_2_", "_1_3_").replace("work", "more")
    assert [*students(put({name: data})).values()] == [["softmax.py"]]
    assert [*students(put({name: data, second: data})).values()] == [[]]


# ── errors ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name", ["missing", "a.py", "a.tar.gz", "broken.zip", "empty.zip", "cut.zip", "x" * 300, "a\0b"]
)
def test_a_path_that_is_no_class_is_a_usage_error(tmp_path: Path, name: str) -> None:
    """Not there, no folder, no zip: the error names the path and the remedy"""
    lay(tmp_path, {"a.py": CODE, "a.tar.gz": b"\x1f\x8b", "broken.zip": b"PK\x03\x04", "empty.zip": b""})
    (tmp_path / "cut.zip").write_bytes(packed(PLAIN)[:-30])
    with pytest.raises(UsageError) as caught, handed_in(tmp_path / name):
        pass
    assert name[:20].replace("\0", "\\x00") in caught.value.where
    assert caught.value.remedy


@needs_posix
def test_a_file_that_is_no_zip_is_not_to_be_packed_anew(tmp_path: Path) -> None:
    """Of a zip that is cut short it is told what is wrong with it, of any other file what is wanted."""
    (tmp_path / "README.md").write_bytes(b"# Read me\n")
    (tmp_path / "cut.zip").write_bytes(b"PK\3\4 and no more")
    with pytest.raises(UsageError) as told, handed_in(tmp_path / "README.md"):
        pass
    assert "pack it anew" not in str(told.value)
    assert "grade run --submission" in str(told.value)
    with pytest.raises(UsageError, match="pack it anew"), handed_in(tmp_path / "cut.zip"):
        pass


def test_a_pipe_is_no_class(tmp_path: Path) -> None:
    """It is not opened, which would wait for ever"""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError), handed_in(tmp_path / "pipe"):
        pass


@pytest.mark.parametrize("tree", [{}, {".hidden": ""}, {"readme.txt": "", "old.jsonl": ""}, {"__MACOSX/._a.py": ""}])
def test_nothing_to_grade_is_a_usage_error(put: Callable[[Tree], Path], tree: Tree) -> None:
    """An empty class, or one of litter alone"""
    with handed_in(put(tree)) as work, pytest.raises(UsageError, match="nothing to grade"):
        work.entries()


WORK: Tree = {"softmax.py": CODE, "causal_mask.py": MASK}


@pytest.mark.parametrize("top", ["", "class/"])
def test_one_workspace_is_no_class(put: Callable[[Tree], Path], top: str) -> None:
    """What holds `exercises/` alone is one student's, also packed with its folder: nobody is called so."""
    tree = {f"{top}exercises/{name}": text for name, text in WORK.items()}
    path = put({**tree, f"{top}README.md": "# Read me", f"{top}.grade/seed": "1"})
    if top and path.is_dir():
        assert students(path) == {"class": [*sorted(WORK)]}  # a class of one
        return
    with handed_in(path) as work, pytest.raises(UsageError, match="one workspace") as told:
        work.entries()
    assert f"grade run --submission {path}" in told.value.remedy


@pytest.mark.parametrize(
    "tree",
    [
        {"exercises/softmax.py": CODE, "ann/softmax.py": CODE},
        {"exercises.py": CODE},
        {"ann/exercises/softmax.py": CODE},
        {"Exercises/softmax.py": CODE},
    ],
)
def test_a_class_is_not_taken_for_a_workspace(put: Callable[[Tree], Path], tree: Tree) -> None:
    """Where somebody else is there too, or it is called otherwise, it is a class."""
    assert len(students(put(tree))) == len({name.partition("/")[0] for name in tree})


@needs_posix
@pytest.mark.parametrize("closed", ["ann.py", "ann", "ann_1_2_a.py", "ann/work.zip", "X_1_assignsubmission_file_/a.py"])
def test_one_entry_that_may_not_be_read(open_path: Path, closed: str) -> None:
    """The class is listed and the others are read; the error comes with the entry and is none of the student's"""
    lay(open_path, {"zoe_9_8_b.py" if "_1_2_" in closed else "zoe.py": CODE, "ann/": b""} if closed == "ann" else {})
    lay(open_path, {} if closed == "ann" else {closed: CODE, "zoe_9_8_b.py": CODE})
    (open_path / closed).chmod(0)
    with nobody(), handed_in(open_path) as work:
        entries = work.entries()
        good = [entry for entry in entries if entry.student.startswith("zoe")]
        bad = [entry for entry in entries if entry not in good]
        assert len(good) == len(bad) == 1
        assert work.read(good[0]).modules
        with pytest.raises(SubmissionError, match="denied") as caught:
            work.read(bad[0])
    (open_path / closed).chmod(0o755)
    assert caught.value.remedy


@needs_posix
def test_a_student_of_nbgrader_whose_folder_is_closed(open_path: Path) -> None:
    """They are listed, and the error comes when they are read"""
    lay(open_path, {"nbgrader_config.py": "", "submitted/a/hw/x.py": CODE, "submitted/b/hw/x.py": CODE})
    (open_path / "submitted" / "a").chmod(0)
    with nobody(), handed_in(open_path) as work:
        closed, _ = work.entries()
        assert closed.student == "a"
        with pytest.raises(SubmissionError):
            work.read(closed)
    (open_path / "submitted" / "a").chmod(0o755)


@needs_posix
def test_a_class_that_may_not_be_read(open_path: Path) -> None:
    """That is the machine's, not a slip of whoever typed the path"""
    lay(open_path / "class", PLAIN).chmod(0)
    pack(open_path / "class.zip", PLAIN).chmod(0)
    with nobody():
        with handed_in(open_path / "class") as work, pytest.raises(SubmissionError, match="denied"):
            work.entries()
        for unreadable in ("class.zip", "class/inside.zip"):
            with pytest.raises(SubmissionError, match="denied"), handed_in(open_path / unreadable):
                pass
    (open_path / "class").chmod(0o755)


def test_an_entry_that_is_gone_is_no_zero(put: Callable[[Tree], Path], tmp_path: Path) -> None:
    """Whatever was listed and is not there any more ends in an error of the grader"""
    gone = [Entry("a", "gone.py"), Entry("b", "b_1_2_x.py", (("b_1_2_x.py", "x.py"),))]
    with handed_in(put(PLAIN)) as work:
        for entry in gone:
            with pytest.raises(SubmissionError):
                work.read(entry)


def test_an_error_of_the_caller_is_the_callers(tmp_path: Path) -> None:
    """What fails while a class is open is not taken for a failure to read it"""
    with pytest.raises(FileNotFoundError), handed_in(lay(tmp_path / "class", PLAIN)):
        raise FileNotFoundError("the caller's")


def test_entries_serve_a_class_that_is_opened_anew(put: Callable[[Tree], Path]) -> None:
    """Entries go to other processes, which open the class themselves"""
    path = put(CANVAS)
    expected = read_all(path)
    sent = pickle.dumps([entry for entry, _ in expected.values()])
    with handed_in(path) as work:
        received = pickle.loads(sent)  # noqa: S301 - our own
        assert [work.read(entry) for entry in received] == [submission for _, submission in expected.values()]


# ── hostile names and members ──────────────────────────────────────────────────────────────────────

ODD = [
    "new\nline",
    "tab\tbed",
    "esc\x1b[2J",
    "bidi\u202eyp",
    " lead",
    "quote\"'",
    "-rf",
    "a" * 252,
    "ü",
    "名前",
    "=1+1",
    "<b>",
]


@needs_posix
def test_odd_names_on_a_disk(tmp_path: Path) -> None:
    """Each is an entry whose student can be shown, stays apart from all others, and is read"""
    raw = os.fsdecode(b"latin\xe9"), os.fsdecode(b"latin\xe8")
    names = [f"{name}.py" for name in (*ODD, *raw)]
    for name in names:
        (tmp_path / name).write_text(CODE)
    with handed_in(tmp_path) as work:
        entries = work.entries()
        assert {entry.name for entry in entries} == set(names)
        assert len({entry.student for entry in entries}) == len(names)
        for entry in entries:
            assert entry.student.isprintable()
            submission = work.read(entry)
            assert submission.path.isprintable()
            assert submission.path.encode()
            assert len(submission.modules) == 1


@needs_posix
@pytest.mark.parametrize("name", ["new\nline", "ü ü", "x_assignsubmission_y", "_", "a'b", "1_2_3", "a\\b"])
@pytest.mark.parametrize("form", ["{}_7_8_w.py", "{}_7_assignsubmission_file_/w.py", "{}_7_assignsubmission_file_w.py"])
def test_odd_names_on_platforms(tmp_path: Path, form: str, name: str) -> None:
    """A name may be what it likes: the files are still found"""
    got = students(lay(tmp_path / "class", {form.format(name): CODE}))
    assert [len(files) for files in got.values()] == [1]


def test_students_whose_name_starts_with_a_dot(put: Callable[[Tree], Path]) -> None:
    """Who has one name only is called "." as well; what macOS adds to files is still nobody's"""
    tree: Tree = {f"{start}_7_assignsubmission_file_w.py": CODE for start in (". Kumar", "._Ann", "Ann", "venv")}
    assert list(students(put(tree))) == [". Kumar_7", "Ann_7", "venv_7"]


HOSTILE_MEMBERS = [
    "../evil.py",
    "/etc/evil.py",
    "C:\\evil.py",
    "..\\evil.py",
    "ann/../bob.py",
    "ann/../../evil.py",
    "\\\\host\\evil.py",
    "//evil.py",
    "x" * 5000 + ".py",
    "/".join("d" * 30) + "/deep.py",
    "./",
]


def test_hostile_members_are_nobodys(tmp_path: Path) -> None:
    """Names that lead out of the zip, or that no disk takes, are neither read nor put into another's work"""
    before = sorted(tmp_path.parent.rglob("*"))
    members = [("ann/softmax.py", CODE), ("bob.py", CODE), *((name, "broken(") for name in HOSTILE_MEMBERS)]
    path = pack(tmp_path / "c.zip", members)
    got = read_all(path)
    assert {entry.student: [m.text for m in submission.modules] for entry, submission in got.values()} == {
        "ann": [CODE],
        "bob": [CODE],
    }
    assert sorted(tmp_path.parent.rglob("*")) == sorted([*before, path])


def test_links_and_devices_in_a_zip_are_noted(tmp_path: Path) -> None:
    """They are nowhere followed: not as a submission, not inside of one"""
    members: list[tuple[str | zipfile.ZipInfo, str | bytes]] = [("ann/softmax.py", CODE)]
    for name, kind in (("ann/mask.py", stat.S_IFLNK), ("bob.py", stat.S_IFLNK), ("cem.zip", stat.S_IFIFO)):
        info = zipfile.ZipInfo(name)
        info.external_attr = (kind | 0o777) << 16
        members.append((info, "/etc/passwd"))
    found = {entry.student: submission for entry, submission in read_all(pack(tmp_path / "c.zip", members)).values()}
    assert [module.file for module in found["ann"].modules] == ["softmax.py"]
    assert found["bob"].modules == found["cem"].modules == ()
    assert all("not followed" in " ".join(found[student].notes) for student in ("ann", "bob"))
    assert found["cem"].notes


@pytest.mark.parametrize("name", ["ann.py", "ann.zip", "ann.ipynb", "ann/softmax.py", "ann_1_2_a.py", "ann/work.zip"])
def test_a_member_of_zeroes_costs_its_bound_alone(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A student's 64 MiB of zeroes in the zip are read up to the limit, and no further"""
    monkeypatch.setattr(bounds, "MAX_ARCHIVE_BYTES", 4 * bounds.MEBIBYTE)
    monkeypatch.setattr("grader.submission.MAX_ARCHIVE_BYTES", 4 * bounds.MEBIBYTE)
    monkeypatch.setattr(bounds, "MAX_NOTEBOOK_BYTES", bounds.MEBIBYTE)
    monkeypatch.setattr("grader.notebook.MAX_NOTEBOOK_BYTES", bounds.MEBIBYTE)
    path = pack(tmp_path / "c.zip", [(name, bytes(64 * bounds.MEBIBYTE))])
    with handed_in(path) as work:
        (entry,) = work.entries()
        tracemalloc.start()
        submission = work.read(entry)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 16 * bounds.MEBIBYTE
    assert submission.notes or submission.modules[0].problem


def test_a_broken_member_is_no_zero(tmp_path: Path) -> None:
    """A zip that was damaged on its way is the machine's fault, and the other students are read"""
    path = pack(tmp_path / "c.zip", {"ann.py": CODE * 50, "bob.py": MASK * 50})
    data = bytearray(path.read_bytes())
    data[40] ^= 0xFF
    path.write_bytes(data)
    with handed_in(path) as work:
        ann, bob = work.entries()
        with pytest.raises(SubmissionError, match="broken") as caught:
            work.read(ann)
        assert work.read(bob).modules
    assert "download" in caught.value.remedy
    assert "ann.py" in caught.value.where


def test_a_broken_list_of_submitters_in_a_zip(tmp_path: Path) -> None:
    """It is the machine's fault as well"""
    members = [("submission_metadata.yml", METADATA * 9), ("submission_1/a.py", CODE)]
    data = bytearray(packed(members))
    data[70] ^= 0xFF
    (tmp_path / "c.zip").write_bytes(data)
    with handed_in(tmp_path / "c.zip") as work, pytest.raises(SubmissionError):
        work.entries()


def test_a_member_named_twice_is_the_last_one(tmp_path: Path) -> None:
    """As unpacking would leave it"""
    path = pack(tmp_path / "c.zip", [("ann.py", "a"), ("bob/x.py", "b"), ("ann.py", "c"), ("bob/x.py", "d")])
    assert [submission.modules[0].text for _, submission in read_all(path).values()] == ["c", "d"]


@pytest.mark.parametrize("says_so", [True, False])
def test_names_in_a_zip_are_read_in_their_encoding(tmp_path: Path, says_so: bool) -> None:
    """UTF-8, whether the zip says so or macOS left it out; else the old code page"""
    data = packed({"Ünal_1_assignsubmission_file_/x.py": CODE})
    if not says_so:
        data = data.replace((0x800).to_bytes(2, "little") + b"\x08\0", b"\0\0\x08\0")
    (tmp_path / "c.zip").write_bytes(data)
    assert list(students(tmp_path / "c.zip")) == ["Ünal_1"]
    old = packed({"Unal_1_assignsubmission_file_/x.py": CODE}).replace(b"Unal", b"\x9anal")
    (tmp_path / "old.zip").write_bytes(old)
    assert list(students(tmp_path / "old.zip")) == ["Ünal_1"]


def test_a_large_zip_is_not_read_whole(tmp_path: Path) -> None:
    """Of a class of 40 MiB only what is asked for is held"""
    noise = zlib.compress(os.urandom(bounds.MEBIBYTE), 0)
    path = pack(tmp_path / "c.zip", {f"s{number}/data.bin": noise for number in range(40)} | {"s1/a.py": CODE})
    tracemalloc.start()
    assert len(read_all(path)) == 40
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * bounds.MEBIBYTE


def test_a_table_of_contents_beyond_all_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A zip that takes too much memory to list is refused"""
    path = pack(tmp_path / "c.zip", {f"s{number}.py": "" for number in range(100)})
    monkeypatch.setattr(class_zip, "MAX_MEMBERS", 99)
    with pytest.raises(UsageError, match="members"), handed_in(path):
        pass
    monkeypatch.setattr(class_zip, "MAX_TABLE_BYTES", 1000)
    with pytest.raises(UsageError, match="table of contents is too large"), handed_in(path):
        pass


@needs_posix
def test_links_on_the_disk(tmp_path: Path) -> None:
    """A link at the top is the teacher's and followed; a student's, one that leads nowhere, or a pipe never"""
    lay(tmp_path / "else", {"work/softmax.py": CODE, "secret.zip": packed({"softmax.py": CODE}), "one.py": CODE})
    folder = lay(tmp_path / "class", {"zoe.py": CODE, "ben/": b"", "cem/": b""})
    (folder / "ann").symlink_to(tmp_path / "else" / "work")
    (folder / "amy.py").symlink_to(tmp_path / "else" / "one.py")
    (folder / "ben" / "work.zip").symlink_to(tmp_path / "else" / "secret.zip")
    (folder / "cem" / "one.py").symlink_to(tmp_path / "else" / "one.py")
    (folder / "gone.py").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe.py")
    with handed_in(folder) as work:
        entries = {entry.student: entry for entry in work.entries()}
        assert list(entries) == ["amy", "ann", "ben", "cem", "gone", "pipe", "zoe"]
        assert work.left_out == ["loop"]
        with pytest.raises(SubmissionError):
            work.read(entries.pop("gone"))
        read = {student: [module.file for module in work.read(entry).modules] for student, entry in entries.items()}
    assert read == {"amy": ["amy.py"], "ann": ["softmax.py"], "ben": [], "cem": [], "pipe": [], "zoe": ["zoe.py"]}


# ── a long class ───────────────────────────────────────────────────────────────────────────────────

MANY = 10_000
LONG: dict[str, Callable[[int], Tree]] = {
    "plain": lambda i: {f"student{i:05}.py": ""},
    "canvas": lambda i: {f"namesome{i}_{i}_{i + MANY}_softmax.py": ""},
}


@pytest.mark.parametrize("platform", LONG)
def test_ten_thousand_entries_are_light(platform: str, tmp_path: Path) -> None:
    """They are listed within a second and 6 MB"""
    for i in range(MANY):
        for name in LONG[platform](i):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir() if name.endswith("/") else path.touch()
    start = time.process_time()
    with handed_in(tmp_path) as work:
        work.entries()
    took = time.process_time() - start
    tracemalloc.start()
    with handed_in(tmp_path) as work:
        entries = work.entries()
        held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(entries) == MANY
    assert held < 6_000_000
    assert took < 1


def test_ten_thousand_entries_of_a_zip(tmp_path: Path) -> None:
    """A zip costs its table of contents as well: within two seconds and 12 MB, and reading one does not list all"""
    path = pack(tmp_path / "c.zip", {f"Some Name{i}_{i}_assignsubmission_file_/x.py": CODE for i in range(MANY)})
    start = time.process_time()
    with handed_in(path) as work:
        entries = work.entries()
        for entry in entries[:1000]:
            work.read(entry)
    took = time.process_time() - start
    tracemalloc.start()
    with handed_in(path) as work:
        entries = work.entries()
        held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 12_000_000
    assert took < 2


def test_nothing_in_a_class_ends_the_grader(put: Callable[[Tree], Path]) -> None:
    """Whatever the bytes of an entry, it is read, or it is an error of the grader"""
    data = packed({"softmax.py": CODE})
    broken = {f"s{i}.{end}": data[:i] + b"\0" + data[i:] for i in range(0, 120, 7) for end in ("zip", "py", "ipynb")}
    with handed_in(put(broken)) as work:
        for entry in work.entries():
            try:
                assert isinstance(work.read(entry), Submission)
            except GraderError:
                pytest.fail(f"{entry.name} is not the machine's fault")
