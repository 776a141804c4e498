"""How learning platforms hand out a class's work: which files and folders are whose.

Names are looked at, and Gradescope's list of submitters; no student's file is opened. Each platform has one
recogniser in `PLATFORMS`; what none of them knows is read as a plain folder, where each entry is a submission.
The names follow the platforms' own sources and documentation:

Canvas             lib/content_zipper.rb of instructure/canvas-lms
Moodle             mod/assign/classes/downloader.php of moodle/moodle
nbgrader           the directory structure in its user guide: {step}/{student}/{assignment}
GitHub Classroom   `gh classroom clone student-repos`: <assignment>-submissions/<assignment>-<user>
Gradescope         "Export Submissions": submission_<id>/ beside submission_metadata.yml
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import IO, NamedTuple, Protocol, TypeAlias

from grader.bounds import MAX_NOTE_CHARS
from grader.errors import UsageError
from grader.layout import ARCHIVE_SUFFIXES, SOURCE_SUFFIXES, is_litter

SUFFIXES = (*SOURCE_SUFFIXES, *ARCHIVE_SUFFIXES)
OWN_OUTPUT = (".jsonl", ".csv", ".html")
MAX_LINE_BYTES = 64 * 1024
SUBMITTERS = "submission_metadata.yml"

# A name, which on many sites is the student's own to choose, and the participant's number; the kind of work; the file.
MOODLE = re.compile(r"(?P<student>.+)_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL)
MOODLE_MARK = "_assignsubmission_"
NAMED_BY_A_DOT = re.compile(r"\._[0-9]+_assignsubmission_")
# A name in word characters and lower case, LATE, the user's id, the attachment's id, the file. Text typed into Canvas,
# or an address, has no attachment. Where marking is anonymous there is another id, and no name.
CANVAS = re.compile(
    r"""(?: (?:LATE_)? (?P<anonymous> anon_[0-9A-Za-z]+) | (?P<student> \w*?) (?:_LATE)? _(?P<user> [0-9]+) )
        _ (?: (?P<attachment> [0-9]+) _ (?P<file> .+) | (?P<typed> (?:text|link)\.html) )""",
    re.DOTALL | re.VERBOSE,
)
NUMBERED = re.compile(r"(.+?)-[0-9]+(\.[^.]+)", re.DOTALL)  # how Canvas tells files of one name apart
DOWNLOADED_AGAIN = re.compile(r" ?\([0-9]+\)\Z")
GRADESCOPE = re.compile(r"submission_[0-9]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """What one student, or one group, handed in. A plain value, which may go to another process."""

    student: str  # fit to be shown, and like no other's in the class unless the names differ in nothing that shows
    name: str  # of its folder or its first file, relative to the class's; unique, and as raw as a disk allows
    files: tuple[tuple[str, str], ...] = ()  # of a platform's loose files: the path, and what its student called it
    platform_id: str = ""  # of the user, in digits, where the platform shows it: Canvas


class Item(NamedTuple):
    """What lies in a place: hidden files and litter apart."""

    name: str
    is_folder: bool


class Place(Protocol):
    """A folder that holds the work of a class, on a disk or in a zip. Paths in it are relative to it."""

    @property
    def name(self) -> str:
        """What the folder is called."""

    def items(self, folder: str = "") -> list[Item]:
        """What lies in it, or in a folder of it, by name. Raises OSError."""

    def holds(self, path: str) -> bool:
        """Whether there is a file or folder of that path, hidden ones included."""

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a file, those that are too long left out. Raises OSError."""


class Top(NamedTuple):
    """What a recogniser looks at: a place, what lies in it, and the assignment that was asked for."""

    place: Place
    items: list[Item]
    assignment: str | None

    @property
    def folders(self) -> list[Item]:
        """The folders in it."""
        return [item for item in self.items if item.is_folder]

    def without(self, known: list[Item]) -> list[Item]:
        """What lies in it beside those."""
        taken = {item.name for item in known}
        return [item for item in self.items if item.name not in taken]


Sorted: TypeAlias = tuple[list[Entry], list[Item]]  # the entries, and what is left over for others
Parts: TypeAlias = list[tuple[int, str, str]]  # of Canvas: a file's id, its path, and what its student called it
Work: TypeAlias = dict[tuple[str, str], Parts]  # by the student's name and the user's id
Recogniser: TypeAlias = Callable[[Top], Sorted | None]


def sort_out(place: Place, assignment: str | None = None) -> tuple[list[Entry], list[str]]:
    """The entries of a class by name, and the names, fit to be shown, of files that are nobody's submission.

    `assignment` is for nbgrader, whose students' folders hold several. Raises OSError; UsageError where it is not clear
    which assignment is meant, or none was collected.
    """
    entries, left_out = _found(place, assignment)
    return sorted(_told_apart(entries), key=lambda entry: entry.name), left_out


def _found(place: Place, assignment: str | None) -> tuple[list[Entry], list[str]]:
    """The entries in any order, and what is left out; what lies there is let go of: a class is large."""
    top = Top(place, place.items(), assignment)
    entries, rest = recognise(top) or ([], top.items)
    others, left_out = plain(rest)
    return entries + others, left_out


def recognise(top: Top) -> Sorted | None:
    """What the first platform makes of a place that knows it; None where none does."""
    return next((found for known in PLATFORMS if (found := known(top)) is not None), None)


def shown(name: str) -> str:
    """A name fit to be shown and written as UTF-8, told apart from others: what cannot be printed is escaped."""
    if not name.isprintable():
        name = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in name)
    return name if len(name) <= MAX_NOTE_CHARS else name[: MAX_NOTE_CHARS - 1] + "…"


def handed_out_as(name: str) -> str:
    """What a folder, or a zip, was called before a browser, or a disk, had one of that name already: `hw (1)`.

    For comparing names: the way to it is what it is called now.
    """
    return DOWNLOADED_AGAIN.sub("", name) or name


def called(entry: Entry) -> str:
    """How notes call the loose files of an entry together."""
    return f"what was handed in ({', '.join(name for _, name in entry.files)})"


def is_nobodys(name: str) -> bool:
    """Whether that is litter, or hidden. Some students are called "." in full, and Moodle starts with their names."""
    shadow = name.startswith("._") and not NAMED_BY_A_DOT.match(name)  # what macOS keeps of a file beside it
    return is_litter(name) and (shadow or not MOODLE.fullmatch(name))


def whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines that end within MAX_LINE_BYTES: what is left of a longer one must not pass for a line."""
    starts = True
    while line := file.readline(MAX_LINE_BYTES):
        ends = line.endswith(b"\n")
        if starts and ends:
            yield line
        starts = ends


def _told_apart(entries: list[Entry]) -> list[Entry]:
    """The entries, with a fuller name for students who would be called the same."""
    for _ in range(2):  # a fuller name may be another's own
        counts = Counter(entry.student for entry in entries)
        entries = [replace(e, student=_in_full(e)) if counts[e.student] > 1 else e for e in entries]
    return entries


def _in_full(entry: Entry) -> str:
    """With the platform's id; else the name of the file or folder."""
    if not entry.platform_id or entry.student.endswith(f"_{entry.platform_id}"):
        return entry.student if entry.platform_id else shown(entry.name)
    return f"{entry.student}_{entry.platform_id}"


# ── one submission an entry ────────────────────────────────────────────────────────────────────────


def plain(items: Iterable[Item]) -> tuple[list[Entry], list[str]]:
    """Each folder, source and archive is a submission. The rest is left out; our own output is not worth a word."""
    entries: list[Entry] = []
    left_out: list[str] = []
    for name, is_folder in items:
        lower = name.lower()
        suffix = "" if is_folder else next((end for end in SUFFIXES if lower.endswith(end)), "")
        if suffix or is_folder:
            entries.append(Entry(shown(name[: len(name) - len(suffix)]), name))
        elif not lower.endswith(OWN_OUTPUT) and name != SUBMITTERS:
            left_out.append(shown(name))
    return entries, left_out


# ── Moodle ─────────────────────────────────────────────────────────────────────────────────────────


def moodle(top: Top) -> Sorted | None:
    """`Name_12345_assignsubmission_file_/`, or files that start so; text typed into Moodle counts where it is alone."""
    known = [(student, item) for item in top.items if (student := _moodle_student(item))]
    if not _are_most([item for _, item in known], top):
        return None
    entries: list[Entry] = []
    for student, theirs in groupby(sorted(known), key=lambda pair: pair[0]):
        entries += _moodle_work(student, [item for _, item in theirs])
    return entries, top.without([item for _, item in known])


def _moodle_student(item: Item) -> str:
    """Whose it is, by the last mark in a folder's name; "" where nobody's, or where a file's name reads two ways."""
    match = MOODLE.fullmatch(item.name)
    if not match or (not item.is_folder and item.name.count(MOODLE_MARK) > 1):
        return ""
    return match["student"]


def _are_most(known: list[Item], top: Top) -> bool:
    """Whether most of what could be graded is called as a platform calls it: one name turns no class over."""
    return bool(known) and len(known) > len(plain(top.without(known))[0])


def _moodle_work(student: str, items: list[Item]) -> Iterator[Entry]:
    files = [item for item in items if item.name.startswith(f"{student}_assignsubmission_file")]
    files = files or items[:1]  # of what is no code one is enough to say so
    for folder in [item for item in files if item.is_folder]:
        yield Entry(shown(student), folder.name)
    loose = tuple((item.name, _moodle_file(item.name)) for item in files if not item.is_folder)
    if loose:
        yield Entry(shown(student), loose[0][0], loose)


def _moodle_file(name: str) -> str:
    match = MOODLE.fullmatch(name)
    return (match and match["file"]) or name


# ── Canvas ─────────────────────────────────────────────────────────────────────────────────────────


def canvas(top: Top) -> Sorted | None:
    """`name_123_456_file.py` and `name_LATE_123_456_file.py`: 123 is the user, 456 the attachment.

    The student is called as Canvas does in these names; `platform_id` is what its gradebook has under ID.
    """
    known: list[Item] = []
    work: Work = {}
    for item in top.items:
        match = None if item.is_folder else CANVAS.fullmatch(item.name)
        if match:
            user = match["user"] or ""
            student = match["anonymous"] or match["student"] or f"_{user}"
            parts = int(match["attachment"] or 0), item.name, match["file"] or match["typed"]
            work.setdefault((student, user), []).append(parts)
            known.append(item)
    if not _is_canvas(work) or not _are_most(known, top):
        return None
    entries = [_canvas_entry(student, user, sorted(parts)) for (student, user), parts in work.items()]
    return entries, top.without(known)


def _is_canvas(work: Work) -> bool:
    """Whether most ids differ: those of ann_2024_01_hw.py do not."""
    users = [user for _, user in work if user]
    attachments = [number for parts in work.values() for number, _, _ in parts if number]
    ids_differ = all(2 * len(set(ids)) > len(ids) for ids in (users, attachments) if ids)
    return bool(work) and ids_differ


def _canvas_entry(student: str, user: str, parts: Parts) -> Entry:
    """The files in the order of their ids, without the number that handing in once more adds to a name: `work-1.py`."""
    short = [NUMBERED.sub(r"\1\2", file) for _, _, file in parts]
    counts = Counter(short)
    names = [own if counts[own] == 1 else file for own, (_, _, file) in zip(short, parts, strict=True)]
    files = tuple((path, name) for (_, path, _), name in zip(parts, names, strict=True))
    return Entry(shown(student), min(files)[0], files, user)


# ── Gradescope ─────────────────────────────────────────────────────────────────────────────────────


def gradescope(top: Top) -> Sorted | None:
    """`submission_456/` and who handed it in, by email, student id or name: one entry also where it was several."""
    known = [item for item in top.folders if GRADESCOPE.fullmatch(item.name)]
    if not _are_most(known, top):
        return None
    says_so = Item(SUBMITTERS, is_folder=False) in top.items
    students = _submitters(top.place.lines(SUBMITTERS)) if says_so else {}
    entries = [Entry(shown(students.get(item.name) or item.name), item.name) for item in known]
    return entries, top.without(known)


def _submitters(lines: Iterable[bytes]) -> dict[str, str]:
    """The students of each submission. {} where the file is not as Gradescope writes it."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        listed = yaml.load(b"".join(_submitter_lines(lines)), loader)  # noqa: S506 - strings, lists and dicts alone
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    found = listed.items() if isinstance(listed, dict) else ()
    return {key: _students(said) for key, said in found if isinstance(key, str) and isinstance(said, dict)}


def _submitter_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The few lines that say who handed in; results and all that student code printed are passed over unparsed."""
    inside = False
    for line in lines:
        inside = line.rstrip() == b"  :submitters:" or (inside and line.startswith((b"  - ", b"    ")))
        if inside or line.startswith(b"submission_"):
            yield line


def _students(said: dict[str, object]) -> str:
    submitters = said.get(":submitters")
    people = [person for person in submitters if isinstance(person, dict)] if isinstance(submitters, list) else []
    names = [person.get(":email") or person.get(":sid") or person.get(":name") for person in people]
    return ", ".join(sorted(name for name in names if isinstance(name, str) and name))


# ── nbgrader ───────────────────────────────────────────────────────────────────────────────────────


def nbgrader(top: Top) -> Sorted | None:
    """`submitted/<student>/<assignment>/`, from the course's folder or from `submitted/` itself."""
    names = {item.name for item in top.items}
    steps = {"source", "release", "submitted", "autograded"} & {item.name for item in top.folders}
    is_course = bool(steps and {"nbgrader_config.py", "gradebook.db"} & names)
    start = "submitted/" if is_course and Item("submitted", is_folder=True) in top.items else ""
    if not is_course and handed_out_as(top.place.name) != "submitted":
        return None
    students = [] if is_course and not start else [item.name for item in top.place.items(start) if item.is_folder]
    work = {student: _within(top.place, f"{start}{student}") for student in students}
    known = {item.name for items in work.values() for item in items or () if item.is_folder}
    if is_course and not known:
        raise UsageError("nothing was collected in this nbgrader course", remedy="Collect the assignment first.")
    if not known or (not is_course and any(not item.is_folder for items in work.values() for item in items or ())):
        return None
    chosen = _chosen(top.assignment, known)
    found = [name for name, items in work.items() if items is None or Item(chosen, is_folder=True) in items]
    return [Entry(shown(name), f"{start}{name}/{chosen}") for name in found], []


def _within(place: Place, folder: str) -> list[Item] | None:
    """What lies in a student's folder; None where it may not be looked into, which is said when it is read."""
    try:
        return place.items(folder)
    except OSError:
        return None


def _chosen(assignment: str | None, known: set[str]) -> str:
    if assignment in known or len(known) == 1:
        return assignment if assignment in known else min(known)
    several = ", ".join(shown(name) for name in sorted(known)[:10])
    remedy = "Name one: `grade nbgrader batch COURSE --assignment NAME`; or give a folder that holds one of them alone."
    raise UsageError(f"there are several assignments here: {several}", remedy=remedy)


# ── GitHub Classroom ───────────────────────────────────────────────────────────────────────────────


def github(top: Top) -> Sorted | None:
    """Clones, called after the assignment and the user."""
    name = handed_out_as(top.place.name)
    start = name.removesuffix("submissions")
    known = [item for item in top.folders if item.name.startswith(start) and top.place.holds(f"{item.name}/.git")]
    if start == name or not _are_most(known, top):
        return None  # clones in a folder of another name are called as they are: what they share may be a name's
    return [Entry(shown(item.name.removeprefix(start) or item.name), item.name) for item in known], top.without(known)


PLATFORMS: tuple[Recogniser, ...] = (gradescope, moodle, canvas, nbgrader, github)
