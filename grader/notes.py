"""What a report says beside the checks: what failed while loading, what was lent, what was found but not graded."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING

from grader.answers import raised
from grader.definitions import assigned_names, defines_itself
from grader.layout import WORKSPACE as EXERCISES
from grader.source import parse
from grader.spelling import nearest
from grader.stubs import uses_any
from grader.submission import Module, Submission, breaks, line_at, place

if TYPE_CHECKING:
    from grader.course import Course, Exercise
    from grader.worker.received import Loaded


def whereabouts(submission: Submission) -> Callable[[str, int], str]:
    """A place in the student's own files, in words, with the code that stands there."""

    def words(file: str, line: int) -> str:
        module = next((module for module in submission.modules if module.file == file), None)
        return f"{place(module, line)}: {line_at(module, line)}" if module else file

    return words


def failures(submission: Submission, loaded: Loaded) -> list[str]:
    """What raised while the submission was loaded; it costs nothing that was defined before."""
    where = whereabouts(submission)
    texts = [raised(problem, where).replace("\n", ": ") for _, problem in loaded.problems]
    return [f"{text} (what was defined before is graded)" for text in texts]


def cut_down(module: Module, statements: Sequence[int]) -> list[str]:
    """That a notebook was graded without the statements it never got past."""
    body = parse(module.text).body
    places = ", ".join(place(module, body[number].lineno) for number in statements[:5])
    return [f"The notebook never got past {places}: it was graded without."]


def tried(what: tuple[str, ...]) -> list[str]:
    """What the code was seen to try and may not; it costs nothing by itself."""
    return (
        [f"Your code was seen to try {', '.join(what[:5])}. It can reach nothing outside of itself here."]
        if what
        else []
    )


def nowhere(submission: Submission, exercise: Exercise) -> str:
    """That nothing defines the exercise's function, in a sentence."""
    if submission.kind == "cells":
        return f"no cell that defines `{exercise.function}` has been run so far."
    missing = submission.workspace and all(module.name != exercise.module for module in submission.modules)
    where = f": {EXERCISES}/{exercise.stub.name} is not there" if missing else ""
    return f"no function `{exercise.function}` was found{where}."


def used_of(course: Course, exercise: Exercise, module: Module) -> list[str]:
    """The other exercises' functions that the module uses; all it may use where that cannot be seen."""
    functions = [course.exercise(name).function for name in exercise.uses]
    return [name for name in functions if uses_any(module.text, [name])] or functions


def lent(course: Course, exercise: Exercise, module: Module, own: float, better: float) -> list[str]:
    """That the exercise got `better` points with the reference's functions than with the submission's `own`."""
    if better <= own:
        return []
    used = used_of(course, exercise, module)
    right = "a right one" if len(used) == 1 else "right ones"
    there = [name for name in used if defines_itself(module, name) or not module.statements]
    if not there:
        return [f"No cell defines {' or '.join(used)}; {exercise.name} was graded with {right}."]
    place = f"{right} in {'its' if len(used) == 1 else 'their'} place"
    return [f"With your {' and '.join(used)} this is {own:g} points; {exercise.name} was graded with {place}."]


def in_cells(text: str, module: Module) -> str:
    """What a notebook's code printed, with the lines of warnings and tracebacks counted as they stand in its cells."""
    if not module.statements:
        return text
    return re.sub(rf"{re.escape(module.file)}:(\d+)", lambda found: place(module, int(found[1])), text)


def elsewhere(submission: Submission, exercise: Exercise, module: Module, score: float) -> list[str]:
    """Work that was found but not graded, where what was graded got nothing or was one of several."""
    notes = [
        f"{name} beside {EXERCISES}/ defines {exercise.function} as well, but only {EXERCISES}/ is graded here: "
        f"copy it there, or run `grade run --submission {shlex.quote(name)}`."
        for name, text in submission.beside
        if not score and re.search(rf"\bdef\s+{exercise.function}\b", text)
    ]
    others = [each for each in submission.modules if each is not module and defines_itself(each, exercise.function)]
    if others and module.name != exercise.module:
        files = ", ".join(each.file for each in others[:5])
        notes.append(f"{exercise.function} is also defined in {files}; {module.file} was graded.")
    return notes


def why_nothing(exercise: Exercise, module: Module, loaded: Loaded) -> str:
    """Why there is nothing to call, in a sentence."""
    if loaded.ended:
        return f"loading {module.file} {loaded.ended.detail}."
    if breaks(module, exercise.function):
        return f"the cell of {module.file} that defines `{exercise.function}` does not parse."
    if not defines_itself(module, exercise.function):
        return f"there is no `{exercise.function}` in {module.file}{_nearest(exercise, module)}."
    if loaded.problems:
        return f"{module.file} failed before `{exercise.function}` was defined."
    return f"`{exercise.function}` in {module.file} is not a function."


def code_of_nothing(exercise: Exercise, module: Module, loaded: Loaded) -> str:
    """The code where loading left nothing to call: what kept the function from being defined, where that is known."""
    if breaks(module, exercise.function):
        return "syntax-error"
    kinds = {kind for name, problem in loaded.problems if name == module.name for kind in problem.kinds}
    codes = {"SyntaxError": "syntax-error", "ImportError": "import-error", "MemoryError": "out-of-memory"}
    return next((code for kind, code in codes.items() if kind in kinds), "missing-function")


def imports(submission: Submission, exercise: Exercise, module: Module) -> str:
    """What to paste first, into a Python started in the folder above, to call the student's function by hand."""
    if module.statements:  # in a notebook it is there already
        return "import numpy as np"
    name = f"{EXERCISES}.{module.name}" if submission.workspace else module.name
    if all(part.isidentifier() and not iskeyword(part) for part in name.split(".")):
        return f"import numpy as np; from {name} import {exercise.function}"
    return f"import numpy as np, runpy; {exercise.function} = runpy.run_path({module.file!r})[{exercise.function!r}]"


def _nearest(exercise: Exercise, module: Module) -> str:
    try:
        defined = sorted(assigned_names(parse(module.text).body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a notebook's broken cells
        return ""
    alike = [name for name in defined if name.lower() == exercise.function.lower()]
    close = alike[0] if alike else nearest(exercise.function, defined)
    return f"; there is `{close}`" if close else ""
