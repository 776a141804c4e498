"""Hints on what is wrong now: functions over a Report and the words of its mistakes."""

from __future__ import annotations

from grader.course import Course
from grader.errors import UsageError
from grader.report import ExerciseReport, Report


def wanted(report: Report, name: str | None) -> ExerciseReport | None:
    """The exercise to give a hint on: the one named, else the first that is not solved; None when all are."""
    for exercise in report.exercises:
        if exercise.name == name or (name is None and exercise.status != "passed"):
            return exercise
    return None


def hints(report: Report, course: Course, name: str | None, *, everything: bool) -> str:
    """Title, explanation and first hint of each mistake of one exercise; the whole ladder for instructors."""
    if not course.reveal.mistakes:
        raise UsageError(
            "this course gives no hints", where="course.yml: reveal.mistakes", remedy="Ask your instructor."
        )
    exercise = wanted(report, name)
    if exercise is None or exercise.status == "passed":
        return f"{name or 'Everything'}: all points. There is nothing left to hint at."
    words = course.words(course.exercise(exercise.name))
    parts = [f"{exercise.name}: {exercise.score:g} of {exercise.max_score:g} points"]
    for mistake in exercise.mistakes:
        ladder = words[mistake.code].hints if mistake.code in words else ()
        rungs = ladder if everything else ladder[:1]
        parts.append(
            "\n\n".join([f"{mistake.title} ({mistake.code}, {mistake.certainty})", mistake.explanation, *rungs])
        )
    return "\n\n".join(parts)
