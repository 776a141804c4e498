"""What a worker is given to load: the sources of a submission, and what of the course stands in for what it lacks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.course import Course, Exercise
from grader.submission import Module, Submission, locate, read_submission
from grader.worker.host import Job


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be asked: one exercise of one submission, in the module that defines its function."""

    submission: Submission
    exercise: Exercise
    module: Module


def job(course: Course, task: Task, borrow: str = "") -> Job:
    """The task as a worker loads it; `borrow` says what of the reference takes the place of what is there."""
    sources = tuple(
        {name: getattr(source, name) for name in ("name", "file", "text", "statements", "problem")}
        for source in task.submission.modules
    )
    peers = tuple(_peer(task, peer, borrow) for peer in course.exercises)
    return Job(sources, peers, task.module.name, task.exercise.function, borrow)


def _peer(task: Task, peer: Exercise, borrow: str) -> dict[str, str]:
    """What the worker is told of an exercise: where it is defined, and the reference's source where it is lent.

    Lent is what others may call, never the task's own: where the submission has none, or where it is borrowed.
    """
    located = locate(task.submission, peer.module, peer.function)
    wanted = located in (None, task.module) or bool(borrow)
    lent = peer.name in task.exercise.uses and wanted  # nothing else: what one worker holds another may be told
    return {
        "module": peer.module,
        "function": peer.function,
        "located": located.name if located else "",
        "reference": peer.solution.read_text(encoding="utf-8") if lent else "",
    }


def course_as_submission(course: Course, part: str) -> Submission:
    """The course's stubs or solutions (`part` is "stub" or "solution"), named as a student would hand them in."""
    read = {exercise: read_submission(getattr(exercise, part)) for exercise in course.exercises}
    modules = tuple(
        replace(one.modules[0], name=exercise.module, file=f"{exercise.module}.py") for exercise, one in read.items()
    )
    return Submission(f"the {part}s", "folder", modules, next(iter(read.values())).sha256)
