"""course.yml -> Course. Validation finds every problem at once, each with its path and remedy."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from keyword import iskeyword
from pathlib import Path
from typing import Any

from grader.errors import CourseError, UsageError
from grader.spelling import did_you_mean, nearest


@dataclass(frozen=True, slots=True)
class Limits:
    """What a submission may take: seconds of processor time, seconds by the clock, mebibytes above the start.

    `scratch_mebibytes` are for the files it writes, of which there may be a thousand.
    """

    call_cpu_seconds: float = 2.0
    call_wall_seconds: float = 10.0
    load_cpu_seconds: float = 5.0
    load_wall_seconds: float = 10.0
    exercise_seconds: float = 60.0
    memory_mebibytes: float = 1024.0
    scratch_mebibytes: float = 64.0
    threads: float = 64.0


@dataclass(frozen=True, slots=True)
class Reveal:
    """What a report may show of why a check failed; and `solutions`, whether an exercise solved shows the course's."""

    messages: bool = True
    examples: bool = True
    output: bool = True
    mistakes: bool = True
    evidence: bool = True
    solutions: bool = True


@dataclass(frozen=True, slots=True)
class Exercise:
    """One function to write. Paths are absolute; `uses` names the exercises whose functions it may call.

    `model` is the model of being wrong, see `grader/model.py`; without one, mistakes are only suspected.
    """

    name: str
    module: str
    function: str
    stub: Path
    solution: Path
    suite: Path
    mistakes: Path
    points: float
    uses: tuple[str, ...] = ()
    model: Path | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """A mistake's words: its title, its explanation, and the ladder of hints."""

    title: str
    explanation: str
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """A course as its course.yml describes it. `root` is the folder it lies in, `max_score` is in points.

    `quiz` is the folder of its questions, where it has any, `experiments` the file of what `grade explore` shows, see
    `grader/explore.py`. `isolation` is "required" where marks that count must not be given on a machine that lacks some
    of it, see `grader/isolation.py`.
    """

    root: Path
    name: str
    title: str
    lesson: Path
    mistakes: Path
    exercises: tuple[Exercise, ...]
    limits: Limits = field(default_factory=Limits)
    reveal: Reveal = field(default_factory=Reveal)
    next: str = ""
    quiz: Path | None = None
    experiments: Path | None = None
    isolation: str = "any"

    @property
    def max_score(self) -> float:
        """All points there are."""
        return sum(exercise.points for exercise in self.exercises)

    def exercise(self, name: str, also: Sequence[str] = ()) -> Exercise:
        """The exercise of that name. Raises UsageError naming the ones there are.

        `also` are the commands, where the name may have been meant for one.
        """
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        names = [exercise.name for exercise in self.exercises]
        known = [*names, *also]
        listed = f"The exercises are: {', '.join(names)}."
        if nearest(name, known) in also:
            listed = f"The commands are: {', '.join(also)}."
        elif also:
            listed = f"{listed} `grade --help` lists the commands."
        what = "command or exercise" if also else "exercise"
        raise UsageError(f"there is no {what} {name!r}", remedy=f"{did_you_mean(name, known)}{listed}")

    def words(self, exercise: Exercise) -> dict[str, Words]:
        """The words of every mistake that exercise can have, by code, in the table's order. Raises CourseError."""
        return {**_read_words(exercise.mistakes), **_read_words(self.mistakes)}

    def version(self) -> str:
        """A SHA-256 digest of course.yml and everything in the folders of its suites and mistakes."""
        digest = hashlib.sha256((self.root / "course.yml").read_bytes())
        folders = {path.parent for exercise in self.exercises for path in (exercise.suite, exercise.mistakes)}
        for file in sorted(file for folder in folders for file in folder.iterdir() if file.suffix in (".py", ".yml")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()


def default_root() -> Path:
    """The course that comes with the package: inside an installed package, beside it in a checkout."""
    here = Path(__file__).parent
    return here / "_course" if (here / "_course").is_dir() else here.parent


def load_course(root: Path, *, stubs: bool = True) -> Course:
    """Read the course.yml in `root`, or that it names. Raises UsageError where none is, CourseError for faults.

    Without `stubs`, they need not be there yet.
    """
    path = root if root.name == "course.yml" and not root.is_dir() else root / "course.yml"
    try:
        data = read_yaml(path)
    except OSError as error:
        raise UsageError(
            f"no course here: {error.strerror}",
            where=str(path),
            remedy="--course names a folder that holds a course.yml.",
        ) from error
    checker = _Checker(path.parent.resolve(), stubs=stubs)
    course = checker.course(data)
    if checker.problems:
        raise CourseError(checker.problems, where=str(path), remedy="Mend these lines; nothing was graded.")
    return course


def read_yaml(path: Path) -> Any:
    """What a YAML file holds. Raises CourseError where it is none, OSError where it cannot be read."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(path.read_bytes(), loader)  # noqa: S506 - both loaders are the safe ones
    except (yaml.YAMLError, ValueError) as error:
        remedy = "Mend the line that is named; text that holds `: ` or ` #` needs quotes around it."
        raise CourseError([f"not YAML: {' '.join(str(error).split())}"], where=str(path), remedy=remedy) from error


def _read_words(path: Path) -> dict[str, Words]:
    """The words in a file, read once while it stays as it is."""
    try:
        return _words_in(path, path.stat().st_mtime_ns)
    except OSError as error:
        remedy = "Make it readable, or name another file in course.yml."
        raise CourseError([f"cannot be read: {error.strerror}"], where=str(path), remedy=remedy) from error


@lru_cache(maxsize=64)
def _words_in(path: Path, _: int) -> dict[str, Words]:
    try:
        data = read_yaml(path) or {}
        return {code: _words_of(item) for code, item in data.items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise CourseError(
            [f"expected for every code a title, an explanation and hints ({type(error).__name__}: {error})"],
            where=str(path),
            remedy="Write them as the course's other codes have them: CODE, and below it title, explanation and hints.",
        ) from error


def _words_of(item: Any) -> Words:
    words = Words(item["title"], item["explanation"], tuple(item["hints"]))
    if isinstance(item["hints"], str) or not all(isinstance(text, str) for text in (words.title, *words.hints)):
        raise TypeError("a title is a text, hints are a list of texts")
    return words


_TAKEN = {"rng", "request"}  # names of the fixtures that every hidden test can ask for


class _Checker:
    """Turns the parsed course.yml into records and writes down every problem on the way."""

    def __init__(self, root: Path, *, stubs: bool = True) -> None:
        self.root = root
        self.stubs = stubs
        self.problems: list[str] = []

    def course(self, data: Any) -> Course:
        top = self._mapping(data, "course.yml", Course, absent={"root"})
        listed = top.get("exercises")
        if not isinstance(listed, list) or not listed:
            self._problem(
                "exercises",
                "expected a list with at least one exercise",
                "see the course that comes with the package",
            )
            listed = []
        exercises = tuple(self._exercise(item, f"exercises[{number}]") for number, item in enumerate(listed))
        self._uses(exercises)
        return Course(
            root=self.root,
            name=self._text(top, "", "name"),
            title=self._text(top, "", "title"),
            lesson=self._path(top, "", "lesson"),
            mistakes=self._path(top, "", "mistakes"),
            exercises=exercises,
            limits=self._settings(top.get("limits", {}), "limits", Limits()),
            reveal=self._settings(top.get("reveal", {}), "reveal", Reveal()),
            next=self._text(top, "", "next") if "next" in top else "",
            quiz=self.root / self._text(top, "", "quiz") if "quiz" in top else None,
            experiments=self._path(top, "", "experiments") if "experiments" in top else None,
            isolation=self._word(top, "isolation", ["any", "required"]) if "isolation" in top else "any",
        )

    def _exercise(self, data: Any, at: str) -> Exercise:
        item = self._mapping(data, at, Exercise)
        uses = item.get("uses", [])
        if not isinstance(uses, list) or not all(isinstance(name, str) for name in uses):
            self._problem(
                f"{at}.uses", "expected a list of exercise names", "write for example `uses: [first, second]`"
            )
            uses = []
        return Exercise(
            name=self._text(item, at, "name"),
            module=self._identifier(item, at, "module"),
            function=self._identifier(item, at, "function"),
            stub=self._path(item, at, "stub", there=self.stubs),
            solution=self._path(item, at, "solution"),
            suite=self._path(item, at, "suite"),
            mistakes=self._path(item, at, "mistakes"),
            points=self._number(item.get("points"), f"{at}.points"),
            uses=tuple(uses),
            model=self._path(item, at, "model") if "model" in item else None,
        )

    def _uses(self, exercises: tuple[Exercise, ...]) -> None:
        names = [exercise.name for exercise in exercises]
        for number, exercise in enumerate(exercises):
            at = f"exercises[{number}]"
            if exercise.name and names.index(exercise.name) != number:
                self._problem(f"{at}.name", f"{exercise.name!r} is there twice", "give each exercise a name of its own")
            for other in exercise.uses:
                if other not in names or other == exercise.name:
                    self._problem(
                        f"{at}.uses",
                        f"{other!r} is no other exercise",
                        f"the exercises are: {', '.join(names)}",
                    )

    def _mapping(
        self, data: Any, at: str, record: Any, absent: frozenset[str] | set[str] = frozenset()
    ) -> Mapping[str, Any]:
        known = [item.name for item in fields(record) if item.name not in absent]
        if not isinstance(data, dict):
            self._problem(at, f"expected settings by name, got {_kind(data)}", f"it can have: {', '.join(known)}")
            return {}
        for key in data:
            if key not in known:
                path = key if at == "course.yml" else f"{at}.{key}"
                self._problem(path, "unknown", f"{did_you_mean(str(key), known)}It can be: {', '.join(known)}")
        return data

    def _settings(self, data: Any, at: str, default: Any) -> Any:
        """`limits` are numbers, `reveal` switches; what is not given keeps its default."""
        given = self._mapping(data, at, type(default))
        check = self._switch if isinstance(default, Reveal) else self._number
        values = {
            item.name: check(given[item.name], f"{at}.{item.name}") for item in fields(default) if item.name in given
        }
        return replace(default, **values)

    def _text(self, item: Mapping[str, Any], at: str, key: str) -> str:
        value = item.get(key)
        if isinstance(value, str) and value.strip():
            return value
        self._problem(_join(at, key), f"expected a text, got {_kind(value)}", f"add a line `{key}: …`")
        return ""

    def _word(self, item: Mapping[str, Any], key: str, known: list[str]) -> str:
        """One of the words in `known`, the first where it is none of them."""
        value = item[key]
        if isinstance(value, str) and value in known:
            return value
        choices = " or ".join(known)
        self._problem(
            key,
            f"expected {choices}, got {_kind(value)}",
            f"{did_you_mean(str(value), known)}It can be: {choices}",
        )
        return known[0]

    def _identifier(self, item: Mapping[str, Any], at: str, key: str) -> str:
        value = self._text(item, at, key)
        if value and (not value.isidentifier() or iskeyword(value) or value in _TAKEN):
            self._problem(_join(at, key), f"{value!r} is no Python name to use here", "use letters, digits and _")
        return value

    def _path(self, item: Mapping[str, Any], at: str, key: str, *, there: bool = True) -> Path:
        value = self._text(item, at, key)
        path = self.root / value
        if value and there and not path.is_file():
            self._problem(_join(at, key), f"there is no file {value}", "paths are relative to course.yml")
        return path

    def _number(self, value: Any, at: str) -> float:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf"):
            return float(value)
        self._problem(at, f"expected a number above 0, got {_kind(value)}", f"for example: {at.rpartition('.')[2]}: 10")
        return 1.0

    def _switch(self, value: Any, at: str) -> bool:
        if isinstance(value, bool):
            return value
        self._problem(at, f"expected true or false, got {_kind(value)}", "write true or false without quotes")
        return True

    def _problem(self, path: str, what: str, remedy: str) -> None:
        self.problems.append(f"{path}: {what}. {remedy}")


def _join(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"{value!r:.60}"
