"""The page a workspace opens with: what to write, what to run, and where a student's editor comes in."""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from grader.layout import WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.course import Course, Exercise


def welcome(course: Course, ways_to_hand_in: Iterable[str] = ()) -> str:
    """README.md of a workspace, in Markdown. It says nothing that the lesson and `grade --help` would not.

    Each way to hand in is a paragraph.
    """
    lesson = f"{WORKSPACE}/{course.lesson.name}"
    return _PAGE.substitute(
        title=course.title,
        lesson=f"[{lesson}]({lesson})",
        folder=WORKSPACE,
        exercises="\n".join(map(_row, course.exercises)),
        commands="\n".join(f"| `{command}` | {does} |" for command, does in _commands(course)),
        imports="\n".join(f"from {WORKSPACE}.{each.stub.stem} import {each.function}" for each in course.exercises),
        first=course.exercises[0].name,
        handing_in="".join(f"\n{way}\n" for way in ways_to_hand_in),
    )


def _row(exercise: Exercise) -> str:
    path = f"{WORKSPACE}/{exercise.stub.name}"
    return f"| [{path}]({path}) | `{exercise.function}` | {exercise.points:g} |"


def _commands(course: Course) -> Iterator[tuple[str, str]]:
    first = course.exercises[0].name
    yield "grade", "grades everything: the score, what failed and why, the one next step"
    yield f"grade run {first}", "grades one exercise"
    yield "grade hint", "gives the next hint for what is wrong now; ask again for a plainer one"
    yield "grade watch", "grades on every save; `q` quits"
    yield "grade progress", "draws your points over time"
    if course.experiments is not None:
        yield "grade explore", "lists experiments on your own functions, drawn"
    if course.quiz is not None:
        yield "grade quiz", "asks questions, and asks again what you missed"
    if course.reveal.solutions:
        yield f"grade solution {first}", "shows the course's solution, once yours has all its points"
    yield "grade --help", "lists every command; `grade run --help` tells of one"


_PAGE = Template("""\
# $title

This is your workspace. Read the lesson first: $lesson.
Then write these functions, each in place of its `raise NotImplementedError`:

| file | function | points |
|---|---|---:|
$exercises

Grade as often as you like, from a terminal in this folder. Nothing is sent anywhere.

| command | what it does |
|---|---|
$commands

Should the shell not find `grade`, activate the Python environment that it was installed in.
$handing_in
## In VS Code

Open this folder (*File, Open Folder*). `Ctrl+Shift+B` (`Cmd+Shift+B` on a Mac) grades: the report is in the terminal,
and what failed is in the *Problems* panel, where a click leads to its line. *Terminal, Run Task* has hints and
`grade watch` too. `Ctrl+Shift+V` shows a page like this one, or the lesson with its formulas, as it should look.

## In Jupyter

Start Jupyter in this folder, and try your functions out in a notebook beside this page:

```python
%load_ext autoreload
%autoreload 2
$imports
```

What is graded are the files in `$folder/`, not such a notebook; `!grade run $first` in a cell grades.

## What else is here

`.vscode/` holds two files of settings for VS Code. `.grade/` appears with your first `grade`: your points over time and
the hints you have seen; `.gitignore` keeps it out of git. None of them holds any of your work.
""")
