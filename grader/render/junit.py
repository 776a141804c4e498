"""The report as JUnit XML, for the systems that draw it beside a build."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

from grader.render import words
from grader.render.characters import cleaned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.report import ExerciseReport, Outcome, Report

ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}
COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render(report: Report) -> str:
    """`report` as `<testsuites>`: a suite an exercise, a case a check.

    It holds no time, so it is the same on every run. It fails closed: an exercise that did not pass has a
    failure or an error, whatever its checks say.
    """
    # What is `visible` holds nothing that is illegal in XML 1.0.
    root = _root(cleaned(report))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _root(report: Report) -> Element:
    root = Element("testsuites", name=report.course)
    root.extend(_suite(report, exercise) for exercise in report.exercises)
    if not report.graded and root.find(".//error") is None:
        suite = SubElement(root, "testsuite", name=report.course)
        _case(suite, report.course, "graded", "error", words.notice(report))
        _count(suite)
    _count(root)
    return root


def _suite(report: Report, exercise: ExerciseReport) -> Element:
    suite = Element("testsuite", name=exercise.name)
    _properties(suite, _facts(report, exercise))
    classname = f"{report.course}.{exercise.name}"
    for test in exercise.tests:
        _test(suite, classname, test)
    if exercise.status != "passed" and suite.find(".//failure") is None and suite.find(".//error") is None:
        _verdict(suite, classname, exercise)
    if said := _said(exercise):
        SubElement(suite, "system-out").text = said
    _count(suite)
    return suite


def _facts(report: Report, exercise: ExerciseReport) -> dict[str, str]:
    made = report.receipt
    return {
        "status": exercise.status,
        "points": words.number(exercise.score),
        "max_points": words.number(exercise.max_score),
        "submission": report.submission,
        "sha256": made.sha256,
        "seed": str(made.seed),
        "isolation": made.isolation,
        "grader": made.grader,
        "course_version": made.course_version,
        "python": made.python,
        "numpy": made.numpy,
    }


def _test(suite: Element, classname: str, test: Outcome) -> None:
    case = _case(suite, classname, test.name, ELEMENTS.get(test.outcome, ""), _message(test), _details(test))
    points = {"points": words.number(test.points), "max_points": words.number(test.max_points)}
    _properties(case, {"title": test.title, **points})
    if test.output:
        SubElement(case, "system-out").text = test.output


def _message(test: Outcome) -> str:
    """The title, and the first sentence of why: what a list of failures has room for."""
    why = test.message.strip().split("\n")[0]
    return f"{words.title(test)}: {why}" if why else words.title(test)


def _details(test: Outcome) -> str:
    paste = f"{words.PASTE}\n" + "\n".join(test.example) if test.example else ""
    return "\n\n".join(filter(None, (test.message, paste)))


def _verdict(suite: Element, classname: str, exercise: ExerciseReport) -> None:
    """A case for the exercise itself, where no check of it says that it did not pass."""
    if exercise.status == "not-graded":
        _case(suite, classname, "graded", "error", words.ungraded(exercise))
    else:
        _case(suite, classname, "passed", "failure", f"{exercise.name}: {words.status(exercise)}")


def _case(suite: Element, classname: str, name: str, element: str, message: str, details: str = "") -> Element:
    case = SubElement(suite, "testcase", classname=classname, name=name)
    if element:
        SubElement(case, element, message=message).text = details or message
    return case


def _properties(parent: Element, facts: Mapping[str, str]) -> None:
    properties = Element("properties")
    for name, value in facts.items():
        SubElement(properties, "property", name=name, value=value)
    parent.insert(0, properties)


def _said(exercise: ExerciseReport) -> str:
    """The mistakes and notes, which belong to no one check."""
    named = [f"{words.certainty(each)}: {each.title}\n{each.explanation}".rstrip() for each in exercise.mistakes]
    return "\n\n".join([*named, *(words.noted(note) for note in exercise.notes)])


def _count(parent: Element) -> None:
    cases = list(parent.iter("testcase"))
    parent.set("tests", str(len(cases)))
    for attribute, element in COUNTS.items():
        parent.set(attribute, str(sum(case.find(element) is not None for case in cases)))
