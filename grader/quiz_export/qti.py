"""A QTI 1.2 package as Canvas imports it: a manifest, the assessment, and what Canvas keeps beside it.

The elements are those of IMS Question and Test Interoperability: ASI XML Binding 1.2; which of them count, and under
which names, is read from Canvas's importer (gems/plugins/qti_exporter). It looks for words such as "wrong" or
"correct" in the idents of feedback, so those of choices are digests.
"""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from grader.course import Course
from grader.question import Choice, Question
from grader.quiz_export.markup import escaped, explanation, inline, paragraph, prompt, why
from grader.quiz_export.nearest import Form, Item, digest, items
from grader.quiz_export.tree import child, document

TYPES: dict[Form, str] = {
    "single": "multiple_choice_question",
    "multiple": "multiple_answers_question",
    "number": "numerical_question",
    "text": "short_answer_question",
}
SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1", "http://www.imsglobal.org/xsd/imscp_v1p1.xsd"
QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2", "http://www.imsglobal.org/xsd/ims_qtiasiv1p2p1.xsd"
CANVAS = "http://canvas.instructure.com/xsd/cccv1p0", "https://canvas.instructure.com/xsd/cccv1p0.xsd"

_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can say: no clock, so the same bytes every time
_ASIDE = {"continue": "Yes"}  # a condition that only shows feedback
_LAST = {"continue": "No"}


def export(bank: Sequence[Question], course: Course, seed: int = 0) -> bytes:
    """The bank as a zip to import into Canvas. The same bank, course and seed give the same bytes."""
    name = _ident("quiz", course.name)
    made = items(bank, "qti", seed)
    files = {
        "imsmanifest.xml": _manifest(name),
        f"{name}/{name}.xml": _assessment(name, made, course),
        f"{name}/assessment_meta.xml": _meta(name, made, course),
    }
    return _zip({path: document(root) for path, root in files.items()})


def _zip(files: Mapping[str, bytes]) -> bytes:
    """Stored, not deflated: what deflating gives depends on the machine's zlib."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _DATE)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def _ident(*parts: str) -> str:
    """A name that may stand wherever XML wants an identifier; Canvas turns colons into dashes, so there are none."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", "-".join(parts))


# ── the package ────────────────────────────────────────────────────────────────────────────────────


def _root(tag: str, schema: tuple[str, str], **attributes: str) -> ET.Element:
    located = {"xmlns:xsi": SCHEMA, "xsi:schemaLocation": " ".join(schema)}
    return ET.Element(tag, {"xmlns": schema[0], **located, **attributes})


def _manifest(name: str) -> ET.Element:
    manifest = _root("manifest", PACKAGE, identifier=f"{name}-manifest")
    metadata = child(manifest, "metadata")
    child(metadata, "schema", "IMS Content")
    child(metadata, "schemaversion", "1.1.3")
    child(manifest, "organizations")
    resources = child(manifest, "resources")
    quiz = child(resources, "resource", identifier=name, type="imsqti_xmlv1p2")
    child(quiz, "file", href=f"{name}/{name}.xml")
    child(quiz, "dependency", identifierref=f"{name}-meta")
    aside = {"identifier": f"{name}-meta", "href": f"{name}/assessment_meta.xml"}
    meta = child(resources, "resource", **aside, type="associatedcontent/imscc_xmlv1p1/learning-application-resource")
    child(meta, "file", href=aside["href"])
    return manifest


def _meta(name: str, made: Sequence[Item], course: Course) -> ET.Element:
    quiz = _root("quiz", CANVAS, identifier=name)
    settings = {
        "title": course.title,
        "description": paragraph(f"Practice: {len(made)} questions."),
        "shuffle_answers": "true",
        "scoring_policy": "keep_highest",
        "quiz_type": "practice_quiz",
        "points_possible": f"{len(made)}.0",
        "show_correct_answers": "true",
        "allowed_attempts": "-1",
        "one_question_at_a_time": "true",
        "cant_go_back": "false",
        "available": "false",
    }
    for key, value in settings.items():
        child(quiz, key, value)
    return quiz


def _assessment(name: str, made: Sequence[Item], course: Course) -> ET.Element:
    root = _root("questestinterop", QTI)
    assessment = child(root, "assessment", ident=name, title=course.title)
    _fields(assessment, {"cc_maxattempts": "unlimited"})
    section = child(assessment, "section", ident="root_section")
    for item in made:
        _item(section, item, _ident(course.name, item.id))
    return root


def _fields(parent: ET.Element, fields: Mapping[str, str]) -> None:
    metadata = child(parent, "qtimetadata")
    for label, entry in fields.items():
        field = child(metadata, "qtimetadatafield")
        child(field, "fieldlabel", label)
        child(field, "fieldentry", entry)


# ── an item ────────────────────────────────────────────────────────────────────────────────────────


def _item(section: ET.Element, item: Item, ident: str) -> None:
    element = child(section, "item", ident=ident, title=item.id)
    answers = {_answer_ident(item, choice): choice for choice in item.choices}
    about = {
        "question_type": TYPES[item.form],
        "points_possible": "1",
        "original_answer_ids": ",".join(answers) or f"c{digest(item.id)[:12]}",
        "assessment_question_identifierref": f"{ident}-ref",
        "topic": item.question.topic,
        "mistakes": " ".join(item.question.mistakes),
    }
    _fields(child(element, "itemmetadata"), about)
    _presentation(element, item, answers)
    _processing(element, item, answers)
    _feedback(element, item, answers)


def _answer_ident(item: Item, choice: Choice) -> str:
    return f"c{digest(item.id, choice.text)[:12]}"


def _presentation(element: ET.Element, item: Item, answers: Mapping[str, Choice]) -> None:
    presentation = child(element, "presentation")
    _material(presentation, prompt(item) + paragraph(item.how))
    if not answers:
        response = child(presentation, "response_str", ident="response1", rcardinality="Single")
        kind = {"fibtype": "Decimal"} if item.form == "number" else {}
        child(child(response, "render_fib", **kind), "response_label", ident="answer1")
        return
    cardinality = "Multiple" if item.form == "multiple" else "Single"
    response = child(presentation, "response_lid", ident="response1", rcardinality=cardinality)
    offered = child(response, "render_choice")
    for ident, choice in answers.items():
        _material(child(offered, "response_label", ident=ident), inline(choice.text))


def _material(parent: ET.Element, html: str) -> None:
    child(child(parent, "material"), "mattext", html, texttype="text/html")


# ── what is right ──────────────────────────────────────────────────────────────────────────────────


def _processing(element: ET.Element, item: Item, answers: Mapping[str, Choice]) -> None:
    processing = child(element, "resprocessing")
    score = {"varname": "SCORE", "vartype": "Decimal", "minvalue": "0", "maxvalue": "100"}
    child(child(processing, "outcomes"), "decvar", **score)
    child(_condition(processing, "general_fb", _ASIDE), "other")
    for ident, choice in answers.items():
        if why(choice.why, choice.mistake):
            _equal(_condition(processing, f"{ident}_fb", _ASIDE), ident)
    right = _condition(processing, "correct_fb", _LAST, score="100")
    {"single": _one, "multiple": _all, "number": _between, "text": _any}[item.form](right, item, answers)
    child(_condition(processing, "general_incorrect_fb", _ASIDE), "other")


def _condition(processing: ET.Element, feedback: str, attributes: Mapping[str, str], score: str = "") -> ET.Element:
    """A new condition, empty yet, that shows a feedback and may set the score."""
    respcondition = child(processing, "respcondition", **attributes)
    condition = child(respcondition, "conditionvar")
    if score:
        child(respcondition, "setvar", score, action="Set", varname="SCORE")
    child(respcondition, "displayfeedback", feedbacktype="Response", linkrefid=feedback)
    return condition


def _equal(condition: ET.Element, value: str) -> None:
    child(condition, "varequal", value, respident="response1")


def _one(condition: ET.Element, _: Item, answers: Mapping[str, Choice]) -> None:
    _equal(condition, next(ident for ident, choice in answers.items() if choice.right))


def _all(condition: ET.Element, _: Item, answers: Mapping[str, Choice]) -> None:
    every = child(condition, "and")
    for ident, choice in answers.items():
        _equal(every if choice.right else child(every, "not"), ident)


def _between(condition: ET.Element, item: Item, _: Mapping[str, Choice]) -> None:
    """Both the exact number and its bounds: Canvas takes the margin from the difference."""
    exact, tolerance = Decimal(item.answers[0].spellings[0]), Decimal(str(item.question.tolerance))
    either = child(condition, "or")
    _equal(either, f"{exact:f}")
    bounds = child(either, "and")
    child(bounds, "vargte", f"{exact - tolerance:f}", respident="response1")
    child(bounds, "varlte", f"{exact + tolerance:f}", respident="response1")


def _any(condition: ET.Element, item: Item, _: Mapping[str, Choice]) -> None:
    for spelling in item.answers[0].spellings:
        _equal(condition, spelling)


# ── what is said ───────────────────────────────────────────────────────────────────────────────────


def _feedback(element: ET.Element, item: Item, answers: Mapping[str, Choice]) -> None:
    said = {"general_fb": explanation(item), "correct_fb": paragraph("Right.")}
    said["general_incorrect_fb"] = paragraph("Not quite.") + _mistaken(item)
    said |= {f"{ident}_fb": why(choice.why, choice.mistake) for ident, choice in answers.items()}
    for ident, html in said.items():
        if html:
            _material(child(child(element, "itemfeedback", ident=ident), "flow_mat"), html)


def _mistaken(item: Item) -> str:
    """Canvas has no place of its own for the wrong numbers that are to be expected: all are said to a wrong answer."""
    wrong: Iterable[str] = (
        f"<li>{escaped(each.spellings[0])}{why(each.why, each.mistake)}</li>" for each in item.answers if not each.right
    )
    listed = "".join(wrong)
    return f"<p>If you got:</p><ul>{listed}</ul>" if listed else ""
