"""The quiz in other programs' formats: every question travels, nothing that has a place is lost, no text breaks out."""

from __future__ import annotations

import hashlib
import io
import itertools
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from grader.bank import load_bank
from grader.course import Course
from grader.question import CHOSEN, LETTERS, Choice, Kind, Malformed, Question, Wrong, judge, pose
from grader.quiz_export import FORMATS, markup
from grader.quiz_export.nearest import CALLED, INSTANCES, NEAREST, Item, digest, items, rounded, spellings

TARGETS = ("moodle", "qti", "anki")
QTI = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
PACKAGE = "{http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1}"
CANVAS = "{http://canvas.instructure.com/xsd/cccv1p0}"
LEFT = "<div style='text-align:left'>"

# What Moodle takes for a share: question/engine/bank.php, fraction_options_full.
SHARES = {0, 5, 10, 11.11111, 12.5, 14.28571, 16.66667, 20, 25, 30, 33.33333, 40, 50}
SHARES |= {60, 66.66667, 70, 75, 80, 83.33333, 90, 100}


# ── readers of our own: strict, by the standard library ────────────────────────────────────────────


class _Text(HTMLParser):
    """What a browser shows of a piece of HTML: breaks and ends of blocks are line ends."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown = ""
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.shown += "\n" if tag == "br" else ""

    def handle_endtag(self, tag: str) -> None:
        self.shown += "\n" if tag in ("p", "pre", "li") else ""

    def handle_data(self, data: str) -> None:
        self.shown += data


def shown(html: str) -> str:
    reader = _Text()
    reader.feed(html)
    reader.close()
    return reader.shown.strip("\n")


def bare(text: str) -> str:
    """Text without the bank's marks, so that what is compared does not depend on how they are read."""
    return re.sub("[`*]", "", text)


@dataclass(frozen=True)
class Read:
    """An entry as it came back: `choices` are (text, right, said), `typed` (spelling, right, said), all as shown."""

    id: str
    type: str
    text: str
    html: str
    mistakes: tuple[str, ...]
    topic: str
    explanation: str
    choices: tuple[tuple[str, bool, str], ...] = ()
    typed: tuple[tuple[str, bool, str], ...] = ()
    said_if_wrong: str = ""
    element: Any = None


def read_moodle(content: bytes) -> list[Read]:
    root = ET.fromstring(content)
    assert root.tag == "quiz"
    found, topic = [], ""
    for question in root:
        assert question.tag == "question"
        if question.get("type") == "category":
            topic = (question.findtext("category/text") or "").rpartition("/")[2]
        else:
            found.append(_moodle_question(question, topic))
    return found


def _moodle_question(question: ET.Element, topic: str) -> Read:
    answers = tuple(
        (each.findtext("text") or "", float(each.attrib["fraction"]) > 0, shown(each.findtext("feedback/text") or ""))
        for each in question.findall("answer")
    )
    chosen = question.get("type") == "multichoice"
    return Read(
        id=question.findtext("idnumber") or "",
        type=question.attrib["type"],
        text=shown(question.findtext("questiontext/text") or ""),
        html=question.findtext("questiontext/text") or "",
        mistakes=tuple(tag.text or "" for tag in question.findall("tags/tag/text")),
        topic=topic,
        explanation=shown(question.findtext("generalfeedback/text") or ""),
        choices=tuple((shown(text), right, said) for text, right, said in answers) if chosen else (),
        typed=() if chosen else answers,
        element=question,
    )


def unzip(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def assessment(content: bytes) -> ET.Element:
    """The assessment's root, found as an importer finds it: by the manifest."""
    files = unzip(content)
    manifest = ET.fromstring(files["imsmanifest.xml"])
    resource = manifest.find(f".//{PACKAGE}resource[@type='imsqti_xmlv1p2']/{PACKAGE}file")
    assert resource is not None
    return ET.fromstring(files[resource.attrib["href"]])


def read_qti(content: bytes) -> list[Read]:
    root = assessment(content)
    return [_qti_item(item) for item in root.iter(f"{QTI}item")]


def fields(element: ET.Element) -> dict[str, str]:
    found = element.findall(f".//{QTI}qtimetadatafield")
    pairs = [(each.findtext(f"{QTI}fieldlabel") or "", each.findtext(f"{QTI}fieldentry") or "") for each in found]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def _qti_item(item: ET.Element) -> Read:
    about = fields(item)
    said = {each.attrib["ident"]: shown(_mattext(each)) for each in item.findall(f"{QTI}itemfeedback")}
    scored = [c for c in item.iter(f"{QTI}respcondition") if c.findtext(f"{QTI}setvar") == "100"]
    assert len(scored) == 1
    wrongly = {id(each) for no in scored[0].iter(f"{QTI}not") for each in no}
    right = {each.text for each in scored[0].iter(f"{QTI}varequal") if id(each) not in wrongly}
    labels = item.findall(f".//{QTI}response_lid//{QTI}response_label")
    choices = tuple(
        (shown(_mattext(each)), each.attrib["ident"] in right, said.get(f"{each.attrib['ident']}_fb", ""))
        for each in labels
    )
    prompt = item.find(f"{QTI}presentation/{QTI}material")
    assert prompt is not None
    return Read(
        id=item.attrib["title"],
        type=about["question_type"],
        text=shown(_mattext(prompt)),
        html=_mattext(prompt),
        mistakes=tuple(about["mistakes"].split()),
        topic=about["topic"],
        explanation=said["general_fb"],
        choices=choices,
        typed=() if labels else tuple((text or "", True, "") for text in right),
        said_if_wrong=said["general_incorrect_fb"],
        element=item,
    )


def _mattext(element: ET.Element) -> str:
    text = element.find(f".//{QTI}mattext")
    assert text is not None
    assert text.get("texttype") == "text/html"
    return text.text or ""


def read_anki(content: bytes) -> list[Read]:
    lines = content.decode().split("\n")
    assert lines.pop() == ""
    return [_anki_note(line.split("\t")) for line in lines if not line.startswith("#")]


def _anki_note(columns: list[str]) -> Read:
    guid, *sides, tags = columns
    assert len(sides) == 2
    assert all(side.startswith(LEFT) and side.endswith("</div>") for side in sides), "code would be centred"
    front, back = (side.removeprefix(LEFT).removesuffix("</div>") for side in sides)
    top, _, after = back.partition("<hr>")
    letters = re.match("<p>Right: <b>(.*?)</b></p>", top)
    assert letters
    offered, said = front.partition("<ol type='a'>"), top.partition("<ol type='a'>")
    texts = [shown(each) for each in re.findall("<li>(.*?)</li>", offered[2])]
    whys = [shown(each).removeprefix("Right.") for each in re.findall("<li>(.*?)</li>", said[2])]
    right = shown(letters[1]).split(", ") if texts else []
    wrong = re.findall("<li>(.*?)</li>", top) if not texts else []
    expected = [(shown(each.partition("<p>")[0]), False, shown("<p>" + each.partition("<p>")[2])) for each in wrong]
    return Read(
        id=guid.removeprefix("attention-"),
        type="card",
        text=shown(offered[0]),
        html=offered[0],
        mistakes=tuple(tag.removeprefix("mistake::") for tag in tags.split() if tag.startswith("mistake::")),
        topic=next(tag.removeprefix("topic::") for tag in tags.split() if tag.startswith("topic::")),
        explanation=shown(after),
        choices=tuple((text, letter in right, why) for text, letter, why in zip(texts, LETTERS, whys, strict=False)),
        typed=() if texts else ((shown(letters[1]), True, ""), *expected),
    )


READERS: dict[str, Callable[[bytes], list[Read]]] = {"moodle": read_moodle, "qti": read_qti, "anki": read_anki}


# ── what is there to be read ───────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def bank(course: Course) -> tuple[Question, ...]:
    return load_bank(course)


@pytest.fixture(scope="module")
def files(bank: tuple[Question, ...], course: Course) -> dict[str, bytes]:
    return {target: FORMATS[target](bank, course) for target in TARGETS}


@pytest.fixture(scope="module")
def read(files: dict[str, bytes]) -> dict[str, list[Read]]:
    return {target: READERS[target](files[target]) for target in TARGETS}


def by_id(entries: list[Read]) -> dict[str, Read]:
    return {entry.id: entry for entry in entries}


def ids(question: Question) -> list[str]:
    """The ids under which a question has to be found."""
    return [f"{question.id}.{n}" for n in (1, 2, 3)] if question.kind == "number" else [question.id]


def said(why: str, mistake: str) -> str:
    """What has to be said about an answer, as shown."""
    return "\n".join(filter(None, (why, f"Mistake: {mistake}" if mistake else "")))


# ── the table ──────────────────────────────────────────────────────────────────────────────────────


def test_the_table_has_every_kind_and_the_documents_show_it(root: Path) -> None:
    """docs/quiz-exports.md holds the table of the code, row by row, and no row besides."""
    assert set(NEAREST) == set(get_args(Kind))
    rows = [
        f"| {kind} | {' | '.join(CALLED[target][row.forms[target]] for target in TARGETS)} | {row.why} |"
        for kind, row in NEAREST.items()
    ]
    head = "| kind | Moodle XML | QTI 1.2 (Canvas) | Anki | why |\n|---|---|---|---|---|\n"
    text = (root / "docs" / "quiz-exports.md").read_text(encoding="utf-8")
    assert head + "\n".join(rows) + "\n\n" in text


@pytest.mark.parametrize("target", TARGETS)
def test_each_question_becomes_what_the_table_says(target: str, bank: Any, read: dict[str, list[Read]]) -> None:
    """An entry's type is that of its question's kind and format."""
    found = by_id(read[target])
    for question in bank:
        form = NEAREST[question.kind].forms[target]
        for name in ids(question):
            entry = found[name]
            assert bool(entry.choices) == (form in ("single", "multiple")), name
            if target != "anki":
                assert f"`{entry.type}`" == CALLED[target][form].partition(",")[0], name
            if form == "single":
                assert sum(right for _, right, _ in entry.choices) == 1, name


@pytest.mark.parametrize("target", TARGETS)
def test_a_shape_without_wrong_answers_travels_too(target: str, course: Course) -> None:
    """Where there is nothing to offer beside the right answer, it is typed, in every format."""
    lone = Question("lone", "shape", "shapes", "Which shape?", "Because.", answer=[3, 5])
    (entry,) = READERS[target](FORMATS[target]([lone], course))
    assert not entry.choices
    assert "(3, 5)" in {spelling for spelling, right, _ in entry.typed if right}
    assert entry.type == {"moodle": "shortanswer", "qti": "short_answer_question", "anki": "card"}[target]


# ── every question, with all it has ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("target", TARGETS)
def test_every_question_is_there_once_and_numbers_thrice(target: str, bank: Any, read: dict[str, list[Read]]) -> None:
    """No question is lost, none is there twice but those with numbers, which are there three times; ids are unique."""
    expected = [name for question in bank for name in ids(question)]
    assert len(bank) >= 60
    assert INSTANCES == 3
    assert Counter(entry.id for entry in read[target]) == Counter(expected)


@pytest.mark.parametrize("target", TARGETS)
def test_text_code_explanation_source_topic_and_mistakes_come_back(
    target: str, bank: Any, read: dict[str, list[Read]]
) -> None:
    """What stands beside the answers is read back letter for letter, numbers as the seeds 0, 1 and 2 draw them."""
    found = by_id(read[target])
    for question in bank:
        for seed, name in enumerate(ids(question)):
            entry = found[name]
            assert bare(entry.text).startswith(bare(pose(question, seed).text)), name
            code = [unescape(each) for each in re.findall("<pre><code>(.*?)</code></pre>", entry.html, re.DOTALL)]
            assert code == ([question.code.rstrip("\n")] if question.code else []), name
            source = f"\nSource: {question.source}" if question.source else ""
            assert bare(entry.explanation) == bare(question.explanation + source), name
            assert (entry.topic, entry.mistakes) == (question.topic, question.mistakes), name


@pytest.mark.parametrize("target", TARGETS)
def test_choices_come_back_with_what_is_right_and_why(target: str, bank: Any, read: dict[str, list[Read]]) -> None:
    """Every choice of the bank is there once, right or wrong as it is, with its why and its mistake."""
    found = by_id(read[target])
    for question in (each for each in bank if each.kind in CHOSEN):
        expected = Counter((bare(c.text), c.right, bare(said(c.why, c.mistake))) for c in question.choices)
        assert Counter((bare(t), r, bare(w)) for t, r, w in found[question.id].choices) == expected, question.id


@pytest.mark.parametrize("target", TARGETS)
def test_shapes_and_masks_come_back(target: str, bank: Any, read: dict[str, list[Read]]) -> None:
    """The right answer and each expected wrong one, typed or offered, mean what they meant, with why and mistake."""
    found = by_id(read[target])
    for question in (each for each in bank if each.kind in ("shape", "mask")):
        posed, entry = pose(question, 0), found[question.id]
        wrong = {each.answer: each for each in posed.wrong}
        met = set()
        for text, right, why in entry.typed or entry.choices:
            answer = next((a for a in (posed.answer, *wrong) if _means(posed, a, text)), None)
            assert answer is not None, f"{question.id}: {text!r}"
            assert right == (answer == posed.answer), f"{question.id}: {text!r}"
            expected = "" if right else said(wrong[answer].why, wrong[answer].mistake)
            assert bare(why) == bare(expected), f"{question.id}: {text!r}"
            met.add(answer)
        assert met == {posed.answer, *wrong}, question.id


def _means(posed: Any, answer: Any, typed: str) -> bool:
    try:
        return judge(replace(posed, answer=answer), typed).right
    except Malformed:
        return False


def test_a_short_answer_takes_the_usual_spellings(bank: Any) -> None:
    """Every spelling a format accepts is accepted by the quiz itself, there are many, and none means two answers."""
    for question in (each for each in bank if each.kind in ("shape", "mask")):
        posed = pose(question, 0)
        spelt = [spellings(answer) for answer in (posed.answer, *(each.answer for each in posed.wrong))]
        assert all(judge(posed, each).right for each in spelt[0]), question.id
        assert not any(judge(posed, each).right for wrong in spelt[1:] for each in wrong), question.id
        assert all(len(each) >= 5 for each in spelt)
        assert len({*itertools.chain(*spelt)}) == sum(map(len, spelt)), question.id
    assert {"(3, 5)", "(3,5)", "[3, 5]", "3, 5", "3 x 5", "3×5", "3 5"} <= {*spellings((3, 5))}
    assert {"(2,)", "(2)", "2", "[2]"} <= {*spellings((2,))}
    assert spellings(()) == ("()",)
    assert {"10 11", "1011", "10, 11", "1 0 1 1", "[[1, 0], [1, 1]]"} <= {*spellings(("10", "11"))}
    assert "[[True, False], [True, True]]" in spellings(("10", "11"))


def test_who_types_is_told_what_an_answer_looks_like(bank: Any, read: dict[str, list[Read]]) -> None:
    """A short answer in Moodle says the form it wants; nothing else does."""
    for entry in read["moodle"]:
        assert ("\nType " in entry.text) == (entry.type == "shortanswer"), entry.id


# ── numbers ────────────────────────────────────────────────────────────────────────────────────────


def test_moodle_judges_numbers_as_we_do(bank: Any, read: dict[str, list[Read]]) -> None:
    """The right number comes first, at 100 %; each expected wrong one has 0 % and its why; all have the tolerance."""
    found = by_id(read["moodle"])
    for question in (each for each in bank if each.kind == "number"):
        for seed, name in enumerate(ids(question)):
            posed, entry = pose(question, seed), found[name]
            expected = [(posed.answer, True, ""), *((w.answer, False, said(w.why, w.mistake)) for w in posed.wrong)]
            assert len(entry.typed) == len(expected), name
            for (text, right, why), (value, is_right, reason) in zip(entry.typed, expected, strict=True):
                assert abs(float(text) - value) <= question.tolerance / 100, name
                assert (right, bare(why)) == (is_right, bare(reason)), name
            tolerances = {each.findtext("tolerance") for each in entry.element.findall("answer")}
            assert {float(each or "nan") for each in tolerances} == {question.tolerance}


def test_canvas_judges_numbers_as_we_do(bank: Any, read: dict[str, list[Read]]) -> None:
    """The exact number, and bounds one tolerance to each side; every wrong number's why is said to a wrong answer."""
    found = by_id(read["qti"])
    for question in (each for each in bank if each.kind == "number"):
        for seed, name in enumerate(ids(question)):
            posed, entry = pose(question, seed), found[name]
            ((exact, _, _),) = entry.typed
            bounds = [entry.element.findtext(f".//{QTI}{tag}") for tag in ("vargte", "varlte")]
            tolerance = Fraction(str(question.tolerance))
            assert [Fraction(bound) for bound in bounds] == [Fraction(exact) - tolerance, Fraction(exact) + tolerance]
            assert abs(float(exact) - posed.answer) <= question.tolerance / 100, name
            for wrong in posed.wrong:
                number = rounded(wrong.answer, question.tolerance)
                assert bare(f"{number}{said(wrong.why, wrong.mistake)}") in bare(entry.said_if_wrong), name


def test_cards_show_numbers_with_their_tolerance(bank: Any, read: dict[str, list[Read]]) -> None:
    """The back of a number's card has the number, how far off is right, and the expected wrong ones with their whys."""
    found = by_id(read["anki"])
    for question in (each for each in bank if each.kind == "number"):
        for seed, name in enumerate(ids(question)):
            posed, entry = pose(question, seed), found[name]
            (right, _, _), *wrong = entry.typed
            assert right == f"{rounded(posed.answer, question.tolerance)} (± {question.tolerance:g})", name
            expected = [
                (rounded(w.answer, question.tolerance), False, bare(said(w.why, w.mistake))) for w in posed.wrong
            ]
            assert [(text, flag, bare(why)) for text, flag, why in wrong] == expected, name


@pytest.mark.parametrize(
    ("value", "tolerance", "digits"),
    [
        (3.4903429574618414, 0.01, "3.4903"),
        (7.999999999999998, 0.01, "8"),
        (100.0, 0.5, "100"),
        (1e20, 0.01, "100000000000000000000"),
        (-1e-9, 0.01, "0"),
        (-0.25, 0.001, "-0.25"),
        (1200.0, 50.0, "1200"),
        (0.00012345678, 1e-6, "0.00012346"),
    ],
)
def test_numbers_are_digits(value: float, tolerance: float, digits: str) -> None:
    """A number is rounded to a hundredth of its tolerance and never has an exponent, a sign before 0 or idle zeros."""
    assert rounded(value, tolerance) == digits


# ── orders ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("target", TARGETS)
def test_an_order_is_one_of_four(target: str, bank: Any, read: dict[str, list[Read]]) -> None:
    """The steps are numbered; one of four different orders is the bank's; what is said of the others is true."""
    found = by_id(read[target])
    for question in (each for each in bank if each.kind == "order"):
        entry = found[question.id]
        listed = dict(re.findall(r"^(\d+)\. (.*)$", entry.text, re.MULTILINE))
        assert sorted(listed.values()) == sorted(map(bare, question.steps)), question.id
        assert len({text for text, _, _ in entry.choices}) == len(entry.choices) == 4, question.id
        for text, right, why in entry.choices:
            order = text.split(", ")
            assert sorted(order) == sorted(listed), question.id
            assert ([listed[number] for number in order] == [*map(bare, question.steps)]) == right, question.id
            assert bool(why) != right
            if why:
                second, first = re.findall(r"step (\d+)", why)
                steps = [*map(bare, question.steps)]
                assert order.index(second) < order.index(first), f"{question.id}: {why}"
                assert steps.index(listed[second]) == steps.index(listed[first]) + 1, f"{question.id}: {why}"


def test_wrong_orders_are_plausible(bank: Any) -> None:
    """A wrong order has one step out of its place: taking one step away leaves the others in the right order."""
    for question in (each for each in bank if each.kind == "order"):
        (item,) = (each for each in items(bank, "moodle", 0) if each.id == question.id)
        right = next(c.text.split(", ") for c in item.choices if c.right)
        for choice in item.choices:
            order = choice.text.split(", ")
            assert any([s for s in order if s != step] == [s for s in right if s != step] for step in right)


# ── Moodle's own rules ─────────────────────────────────────────────────────────────────────────────


def test_moodle_has_a_category_for_each_topic(bank: Any, files: dict[str, bytes], course: Course) -> None:
    """Categories come before their questions, one a topic, below one with the course's title."""
    questions = ET.fromstring(files["moodle"])
    paths = [each.findtext("category/text") for each in questions if each.get("type") == "category"]
    topics = [*dict.fromkeys(question.topic for question in bank)]
    assert paths == [f"$course$/top/{course.title}/{topic}" for topic in topics]
    assert questions[0].get("type") == "category"


def test_a_slash_in_a_name_makes_no_category_in_moodle(bank: Any, course: Course) -> None:
    """A slash that belongs to a title or topic is doubled, as Moodle wants it."""
    content = FORMATS["moodle"]([replace(bank[0], topic="a/b")], replace(course, title="In/Out"))
    assert ET.fromstring(content).findtext("question/category/text") == "$course$/top/In//Out/a//b"


def test_moodle_finds_every_element_it_looks_for(read: dict[str, list[Read]]) -> None:
    """Each question has a name, formats, a grade, a penalty, an id number; multiple choice its own settings."""
    for entry in read["moodle"]:
        element = entry.element
        assert element.findtext("name/text") == entry.id
        assert len(entry.id) <= 100
        assert (element.findtext("defaultgrade"), element.findtext("penalty")) == ("1.0", "0.3333333")
        html = [element.find(tag) for tag in ("questiontext", "generalfeedback")]
        html += element.findall("answer/feedback")
        assert all(each.get("format") == "html" for each in html)
        wanted = "html" if entry.choices else "plain_text"
        assert {each.get("format") for each in element.findall("answer")} == {wanted}
        settings = [element.findtext(tag) for tag in ("shuffleanswers", "answernumbering")]
        assert settings == (["true", "abc"] if entry.choices else [None, None])
        overall = [element.findtext(f"{each}feedback/text") for each in ("correct", "partiallycorrect", "incorrect")]
        assert all(overall) == bool(entry.choices)
        assert element.findtext("usecase") == ("0" if entry.type == "shortanswer" else None)
        tolerant = {each.find("tolerance") is not None for each in element.iter("answer")}
        assert tolerant == {entry.type == "numerical"}


def test_moodles_shares_are_fair_and_known(bank: Any, read: dict[str, list[Read]]) -> None:
    """A single right choice has 100 %; several share it, and the wrong ones lose as much; Moodle knows each share."""
    kinds = {question.id: question.kind for question in bank}
    for entry in (each for each in read["moodle"] if each.choices):
        several = kinds[entry.id] == "several"
        assert entry.element.findtext("single") == ("false" if several else "true")
        shares = [float(each.attrib["fraction"]) for each in entry.element.findall("answer")]
        assert {abs(share) for share in shares} <= SHARES
        assert round(sum(share for share in shares if share > 0), 3) == 100
        assert round(sum(share for share in shares if share <= 0), 3) == (-100 if several else 0)
        assert not several or all(share for share in shares)


@pytest.mark.parametrize(("rights", "wrongs"), [(2, 1), (2, 6), (3, 3), (4, 4), (5, 2), (6, 1), (7, 1)])
def test_moodle_takes_shares_of_any_number_of_choices(rights: int, wrongs: int, course: Course) -> None:
    """Whatever the number of right and wrong choices, the shares are ones Moodle knows, and add up."""
    choices = tuple(Choice(f"choice {number}", "why", right=number < rights) for number in range(rights + wrongs))
    question = Question("many", "several", "shares", "Which?", "Because.", choices=choices)
    (entry,) = read_moodle(FORMATS["moodle"]([question], course))
    shares = [float(each.attrib["fraction"]) for each in entry.element.findall("answer")]
    assert {abs(share) for share in shares} <= SHARES
    assert abs(sum(share for share in shares if share > 0) - 100) < 1e-4
    assert abs(sum(share for share in shares if share < 0) + 100) < 1e-4


# ── Canvas's own rules ─────────────────────────────────────────────────────────────────────────────


def test_the_package_is_laid_out_as_canvas_wants_it(files: dict[str, bytes], read: Any, course: Course) -> None:
    """Three files; the manifest names both others, the quiz depends on its settings; dates are fixed."""
    content = unzip(files["qti"])
    manifest = ET.fromstring(content["imsmanifest.xml"])
    assert manifest.tag == f"{PACKAGE}manifest"
    quiz, meta = manifest.findall(f".//{PACKAGE}resource")
    name = quiz.attrib["identifier"]
    assert set(content) == {"imsmanifest.xml", f"{name}/{name}.xml", f"{name}/assessment_meta.xml"}
    assert quiz.attrib["type"] == "imsqti_xmlv1p2"
    assert meta.attrib["type"] == "associatedcontent/imscc_xmlv1p1/learning-application-resource"
    assert quiz.find(f"{PACKAGE}dependency").attrib["identifierref"] == meta.attrib["identifier"]
    assert quiz.find(f"{PACKAGE}file").attrib["href"] == f"{name}/{name}.xml"
    assert meta.attrib["href"] == meta.find(f"{PACKAGE}file").attrib["href"] == f"{name}/assessment_meta.xml"
    with zipfile.ZipFile(io.BytesIO(files["qti"])) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
    settings = ET.fromstring(content[f"{name}/assessment_meta.xml"])
    assert settings.get("identifier") == name == assessment(files["qti"])[0].get("ident")
    assert settings.findtext(f"{CANVAS}title") == course.title == assessment(files["qti"])[0].get("title")
    assert float(settings.findtext(f"{CANVAS}points_possible")) == len(read["qti"])


def test_every_item_has_what_canvas_looks_for(read: dict[str, list[Read]]) -> None:
    """Metadata, a response named response1 of the right cardinality, points whole, and answer ids of its choices."""
    for entry in read["qti"]:
        about, element = fields(entry.element), entry.element
        assert about["points_possible"] == "1"
        assert about["assessment_question_identifierref"]
        labels = [each.attrib["ident"] for each in element.findall(f".//{QTI}response_lid//{QTI}response_label")]
        assert not labels or about["original_answer_ids"].split(",") == labels
        assert about["original_answer_ids"]
        response = element.find(f".//{QTI}response_lid" if labels else f".//{QTI}response_str")
        cardinality = "Multiple" if entry.type == "multiple_answers_question" else "Single"
        assert response.attrib == {"ident": "response1", "rcardinality": cardinality}
        if entry.type == "numerical_question":
            assert element.find(f".//{QTI}render_fib").get("fibtype") == "Decimal"
        outcome = element.find(f".//{QTI}decvar")
        assert (outcome.get("varname"), outcome.get("maxvalue")) == ("SCORE", "100")


def test_every_reference_in_an_item_leads_somewhere(read: dict[str, list[Read]]) -> None:
    """Feedback is shown where it exists and the other way round; what is compared is offered; idents are unique."""
    for entry in read["qti"]:
        element = entry.element
        linked = [each.attrib["linkrefid"] for each in element.iter(f"{QTI}displayfeedback")]
        assert sorted(linked) == sorted(each.attrib["ident"] for each in element.iter(f"{QTI}itemfeedback")), entry.id
        labels = [each.attrib["ident"] for each in element.findall(f".//{QTI}response_lid//{QTI}response_label")]
        assert len(set(labels)) == len(labels)
        if labels:
            assert {each.text for each in element.iter(f"{QTI}varequal")} <= set(labels)
        assert {e.get("respident") for t in ("varequal", "vargte", "varlte") for e in element.iter(f"{QTI}{t}")} == {
            "response1"
        }
    idents = [entry.element.attrib["ident"] for entry in read["qti"]]
    assert len(set(idents)) == len(idents)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9._-]*", ident) for ident in idents)


def test_several_answers_are_right_together_only(bank: Any, read: dict[str, list[Read]]) -> None:
    """In QTI the score needs every right choice and none of the wrong ones."""
    found = by_id(read["qti"])
    for question in (each for each in bank if each.kind == "several"):
        every = found[question.id].element.find(f".//{QTI}conditionvar/{QTI}and")
        tags = Counter(each.tag.removeprefix(QTI) for each in every)
        rights = sum(choice.right for choice in question.choices)
        assert tags == {"varequal": rights, "not": len(question.choices) - rights}


def test_canvas_takes_no_choices_feedback_for_the_questions(course: Course) -> None:
    """Canvas sorts feedback by words in its ident, so a choice's holds none of them, however the question is called."""
    choices = (Choice("a", "why a", right=True), Choice("b", "why b"), Choice("c", "why c"))
    question = Question("wrong-correct_all-general_solution_IC", "one", "t", "Q?", "E.", choices=choices)
    (entry,) = read_qti(FORMATS["qti"]([question], course))
    for each in entry.element.iter(f"{QTI}itemfeedback"):
        if each.attrib["ident"] not in ("general_fb", "correct_fb", "general_incorrect_fb"):
            taken = r"wrong|incorrect|correct|solution|general_|_all|_IC$|_C$"
            assert not re.search(taken, each.attrib["ident"], re.IGNORECASE)
    assert {why for _, _, why in entry.choices} == {"why a", "why b", "why c"}


# ── Anki's own rules ───────────────────────────────────────────────────────────────────────────────


def test_ankis_file_is_headers_and_lines_of_four_columns(files: dict[str, bytes], read: Any, course: Course) -> None:
    """The headers say all that Anki would ask; every note is one line, and no field needs quoting."""
    lines = files["anki"].decode().splitlines()
    assert lines[:6] == [
        "#separator:tab",
        "#html:true",
        "#notetype:Basic",
        f"#deck:{course.title}",
        "#guid column:1",
        "#tags column:4",
    ]
    assert len(lines) == 6 + len(read["anki"])
    assert all(line.count("\t") == 3 and '"' not in line and not line.startswith("#") for line in lines[6:])


# ── ids, seeds, bytes ──────────────────────────────────────────────────────────────────────────────


def idents(target: str, content: bytes) -> list[str]:
    if target == "anki":
        return [line.split("\t")[0] for line in content.decode().splitlines() if not line.startswith("#")]
    if target == "qti":
        return [each.attrib["ident"] for each in assessment(content).iter(f"{QTI}item")]
    return [each.text or "" for each in ET.fromstring(content).iter("idnumber")]


@pytest.mark.parametrize("target", TARGETS)
def test_ids_outlive_every_change_of_wording(target: str, bank: Any, files: dict[str, bytes], course: Course) -> None:
    """A second import updates: ids stay when texts, explanations, order of the bank or the seed change."""
    edited = [replace(each, question=each.question + " (new)", explanation="New.") for each in bank]
    before = idents(target, files[target])
    assert idents(target, FORMATS[target](edited, course)) == before
    assert sorted(idents(target, FORMATS[target](bank[::-1], course))) == sorted(before)
    assert idents(target, FORMATS[target](bank, course, 7)) == before


@pytest.mark.parametrize("target", TARGETS)
def test_the_seed_shuffles_and_draws(target: str, bank: Any, read: dict[str, list[Read]], course: Course) -> None:
    """Another seed gives other numbers and another order of choices, and the same choices are right."""
    before, after = by_id(read[target]), by_id(READERS[target](FORMATS[target](bank, course, 7)))
    moved = [name for name, entry in before.items() if entry.choices != after[name].choices]
    assert len(moved) > len(bank) / 3
    chosen = [question.id for question in bank if question.kind in CHOSEN]
    assert all(Counter(before[name].choices) == Counter(after[name].choices) for name in chosen)
    numbers = [name for question in bank if question.kind == "number" for name in ids(question)]
    assert sum(before[name].text != after[name].text for name in numbers) > len(numbers) / 2


@pytest.mark.parametrize("kind", ["one", "spot", "order", "shape", "mask"])
def test_the_right_choice_has_no_place_of_its_own(kind: str, bank: Any) -> None:
    """Over ten seeds no place among a kind's choices holds more than half of the right ones, and none stays empty."""
    asked = [question for question in bank if question.kind == kind]
    places = Counter(
        [choice.right for choice in item.choices].index(True)
        for seed in range(10)
        for item in items(asked, "qti", seed)
    )
    assert max(places.values()) < sum(places.values()) / 2
    assert all(places[place] for place in range(4))


def test_bytes_do_not_depend_on_the_process(files: dict[str, bytes], root: Path) -> None:
    """Another process with other hashes writes the same bytes."""
    script = (
        "import hashlib, sys\nfrom pathlib import Path\n"
        "from grader.bank import load_bank\nfrom grader.course import load_course\n"
        "from grader.quiz_export import FORMATS\n"
        "course = load_course(Path(sys.argv[1]))\nbank = load_bank(course)\n"
        "for name in sys.argv[2:]: print(hashlib.sha256(FORMATS[name](bank, course)).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(root), *TARGETS],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": str(root)},
    )
    assert done.stdout.split() == [hashlib.sha256(files[target]).hexdigest() for target in TARGETS]


@pytest.mark.parametrize("target", TARGETS)
def test_an_empty_bank_is_an_empty_file_of_its_format(target: str, course: Course) -> None:
    """No questions, no entries, and still a file that can be read."""
    assert READERS[target](FORMATS[target]((), course)) == []


def test_digests_are_of_the_parts_in_order() -> None:
    """A digest depends on every part and on nothing else."""
    assert digest("a", 1) == digest("a", 1)
    assert len({digest("a", 1), digest("a", 2), digest("b", 1), digest(1, "a")}) == 4


# ── text that would break out ──────────────────────────────────────────────────────────────────────

HOSTILE = (
    "]]> <![CDATA[ & &amp; &lt; < > \" ' </text></answer> <script>alert(1)</script> <!-- --> a\tb\nc "
    "\U0001f600 \u05e9\u05dc\u05d5\u05dd \u202eRTL\u202c {{c1::x}} {{Front}} #deck:x \u00a0 \\t \\n %s =1+1 ''"
)


def hostile_bank() -> list[Question]:
    def text(where: str) -> str:
        return f"{where} {HOSTILE}"

    choices = tuple(Choice(text(f"choice {n}"), text(f"why {n}"), right=n == 1, mistake="overflow") for n in range(3))
    shared: dict[str, Any] = {
        "topic": "hostile",
        "question": text("question"),
        "explanation": text("explanation"),
        "mistakes": ("overflow", "mask-nan"),
        "source": text("source"),
    }

    def draw(rng: Any) -> Any:
        return {}, float(rng.integers(9)), [(99.0, "overflow", text("why 0"))]

    plain = shared | {"question": re.sub("[{}]", "", shared["question"])}
    return [
        Question("h-one", "one", choices=choices, **shared),
        Question("h-several", "several", choices=(*choices, replace(choices[1], text=text("more"))), **shared),
        Question("h-spot", "spot", choices=choices, code=f"def f():\n\treturn '{HOSTILE}'\n", **shared),
        Question("h-number", "number", draw=draw, tolerance=0.5, **plain),
        Question("h-shape", "shape", answer=[2], wrong=(Wrong([3], text("why 0"), "overflow"),), **shared),
        Question("h-mask", "mask", answer=["10"], wrong=(Wrong(["01"], text("why 0"), "overflow"),), **shared),
        Question("h-order", "order", steps=("first", f"then {HOSTILE}".replace("\n", " "), "last"), **shared),
    ]


def words(text: str) -> str:
    """Text with white space made one: HTML shows a tab as a space."""
    return " ".join(bare(text).split())


@pytest.mark.parametrize("target", TARGETS)
def test_hostile_text_comes_back_as_text(target: str, course: Course) -> None:
    """Ends of CDATA, entities, tags, quotes, tabs, line ends, emoji, right-to-left text: all is shown as written."""
    bank = hostile_bank()
    found = by_id(READERS[target](FORMATS[target](bank, replace(course, title=f"Course {HOSTILE}"))))
    assert sorted(found) == sorted(name for question in bank for name in ids(question))
    for question in bank:
        for name in ids(question):
            entry = found[name]
            assert words(question.question) in words(entry.text), name
            assert words(f"{question.explanation} Source: {question.source}") == words(entry.explanation), name
            assert entry.mistakes == question.mistakes
            if question.code:
                assert question.code.rstrip("\n") in entry.text
            if question.kind in CHOSEN:
                expected = Counter((words(c.text), c.right, words(said(c.why, c.mistake))) for c in question.choices)
                assert Counter((words(t), r, words(w)) for t, r, w in entry.choices) == expected
            elif question.kind != "order":
                told = " ".join((entry.said_if_wrong, *(why for *_, why in (*entry.typed, *entry.choices))))
                assert words(f"why 0 {HOSTILE} Mistake: overflow") in words(told), name
            else:
                assert all(words(step) in words(entry.text) for step in question.steps)


@pytest.mark.parametrize("target", TARGETS)
def test_hostile_text_makes_no_markup(target: str, course: Course) -> None:
    """The only tags in what is shown are the few that the exports write themselves."""
    content = FORMATS[target](hostile_bank(), course)
    if target == "anki":
        pieces = content.decode().split("\t")
    else:
        root = ET.fromstring(content) if target == "moodle" else assessment(content)
        html = root.iter("text") if target == "moodle" else root.iter(f"{QTI}mattext")
        pieces = [each.text or "" for each in html]
    for piece in pieces:
        reader = _Text()
        reader.feed(piece)
        reader.close()
        assert set(reader.tags) <= {"p", "br", "pre", "code", "em", "b", "hr", "ol", "ul", "li", "div"}, piece


@pytest.mark.parametrize("target", TARGETS)
def test_characters_that_xml_forbids_are_replaced(target: str, course: Course) -> None:
    """A control character or half a surrogate pair becomes the replacement character, and any line end one line end."""
    text = "a\x00b\x1b[31mc\ud800d\ufffee\r\nf\rg"
    question = Question("odd", "shape", text, text, text, answer=[2], mistakes=(text,), source=text)
    content = FORMATS[target]([question], replace(course, title=text, name="attention"))
    (entry,) = READERS[target](content)
    assert entry.text.startswith("a\ufffdb\ufffd[31mc\ufffdd\ufffde\nf\ng")
    assert entry.explanation.startswith("a\ufffdb")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("`a < b` and *so* on", "<code>a &lt; b</code> and <em>so</em> on"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("`2 * 3` times *`x`*", "<code>2 * 3</code> times *<code>x</code>*"),
        ("`**` binds, a*b*c does not", "<code>**</code> binds, a*b*c does not"),
        ("one ` alone, two\nlines", "one ` alone, two<br>lines"),
        ('say "x"', "say &quot;x&quot;"),
        ("*no * and * no*", "*no * and * no*"),
        ("x*y* is no stress, nor is *x*y", "x*y* is no stress, nor is *x*y"),
    ],
)
def test_marks_of_the_bank_become_code_and_stress(text: str, html: str) -> None:
    """Backticks are code, single asterisks around words are stress, and whatever is neither stays as it stands."""
    assert markup.inline(text) == html


def test_no_text_no_paragraph() -> None:
    """Where nothing is to be said, nothing is written, so that no empty feedback is shown."""
    item = Item("id", "single", Question("id", "one", "t", "Q", ""), "Q")
    assert markup.paragraph("") == markup.why("", "") == markup.explanation(item) == ""


# ── readers by others ──────────────────────────────────────────────────────────────────────────────


def test_moodle_xml_parser_reads_the_same(bank: Any, files: dict[str, bytes], read: dict[str, list[Read]]) -> None:
    """The package moodle-xml-parser reads every multiple choice as we do: texts, shares, feedback, settings."""
    reason = "pip install moodle-xml-parser: it reads Moodle XML"
    parser = pytest.importorskip("moodle_xml_parser.parser", reason=reason)
    theirs = {each.name: each for each in parser.parse_bytes(files["moodle"])["multichoice"]}
    ours = {entry.id: entry for entry in read["moodle"] if entry.choices}
    assert set(theirs) == set(ours)
    for name, entry in ours.items():
        other = theirs[name]
        # It decodes entities once more than a browser would, so only the words are compared.
        assert letters(other.text_pre_parse) == letters(entry.text)
        assert letters(other.general_feedback) == letters(entry.explanation)
        assert other.single == (entry.element.findtext("single") == "true")
        assert (other.shuffle_answers, other.answernumbering, other.default_grade) == (True, "abc", 1.0)
        assert [(letters(o.answer), o.score_fraction > 0, letters(o.feedback)) for o in other.options] == [
            (letters(text), right, letters(why)) for text, right, why in entry.choices
        ]


def test_amc2moodle_reads_the_same_numbers(
    files: dict[str, bytes], read: dict[str, list[Read]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package amc2moodle finds the right number of every numerical question, and its tolerance."""
    # It wants ImageMagick for pictures, and there are none here.
    monkeypatch.setitem(sys.modules, "wand.image", SimpleNamespace(Image=None))
    reader = pytest.importorskip("amc2moodle.moodle2amc", reason="pip install amc2moodle: it reads Moodle XML")
    from lxml import etree

    theirs = {
        element.findtext("idnumber"): reader.CreateQuestion("numerical", element).answers()
        for element in etree.fromstring(files["moodle"]).findall("question[@type='numerical']")
    }
    ours = {entry.id: entry for entry in read["moodle"] if entry.type == "numerical"}
    assert set(theirs) == set(ours)
    for name, entry in ours.items():
        assert float(theirs[name].attrib["target"]) == float(entry.typed[0][0]), name
        found = {key: int(value) for key, value in re.findall(r"\b(exact|decimals) = (\d+)", theirs[name].text)}
        assert found["exact"] / 10 ** found["decimals"] == float(entry.element.findtext("answer/tolerance")), name


def letters(html: str) -> str:
    """The letters and digits of what is shown, whether or not its entities were decoded before."""
    return re.sub(r"\W", "", re.sub(r"</?(?:p|br|pre|code|em)>", " ", html))


def test_qti2latex_reads_the_same(files: dict[str, bytes], read: dict[str, list[Read]], tmp_path: Path) -> None:
    """The package qti2latex finds every item with its type, points, text and choices."""
    reader = pytest.importorskip("qti2latex", reason="pip install qti2latex: it reads Canvas's QTI")
    (tmp_path / "quiz.zip").write_bytes(files["qti"])
    with zipfile.ZipFile(tmp_path / "quiz.zip") as archive:
        archive.extractall(tmp_path / "quiz")
    roots = [ET.parse(path).getroot() for path in reader.read_qti_dir(tmp_path / "quiz")]
    found = [item for root in roots for item in reader.findall_anyns(root, "item")]
    assert len(found) == len(read["qti"])
    for item, entry in zip(found, read["qti"], strict=True):
        about = reader.get_qti_metadata(item)
        assert reader.guess_type(about, item) == entry.type
        assert int(about["points_possible"]) == 1
        assert shown(reader.get_item_stem(item)) == entry.text
        assert [shown(html) for _, html in reader.get_choices(item)] == [text for text, _, _ in entry.choices]
        pairs = zip(reader.get_choices(item), entry.choices, strict=True)
        right = {ident for (ident, _), (_, is_right, _) in pairs if is_right}
        assert right <= reader.get_correct_idents(item)


def test_qti_package_maker_finds_the_package_whole(files: dict[str, bytes], tmp_path: Path) -> None:
    """The package qti-package-maker finds no reference that leads nowhere and no identifier that is unsafe."""
    reason = "pip install qti-package-maker: it checks QTI packages"
    integrity = pytest.importorskip("qti_package_maker.common.package_integrity", reason=reason)
    (tmp_path / "quiz.zip").write_bytes(files["qti"])
    assert integrity.check_package(str(tmp_path / "quiz.zip")) == []
    entries = unzip(files["qti"])
    ((lost, _),) = [entry for entry in entries.items() if entry[0].endswith("assessment_meta.xml")]
    assert integrity.check_entries({name: each for name, each in entries.items() if name != lost}), (
        "it looks at nothing"
    )


def _import(collection: Any, path: Path, content: bytes) -> Any:
    from anki.collection import ImportCsvRequest

    path.write_bytes(content)
    metadata = collection.get_csv_metadata(str(path), None)
    return collection.import_csv(ImportCsvRequest(path=str(path), metadata=metadata)).log


def test_anki_imports_and_updates(
    bank: Any, files: dict[str, bytes], read: Any, course: Course, tmp_path: Path
) -> None:
    """Anki itself imports every note as written; after a change a second import updates that note and adds none."""
    pytest.importorskip("anki.collection", reason="pip install anki: Anki's own library")
    from anki.collection import Collection

    collection = Collection(str(tmp_path / "collection.anki2"))
    try:
        log = _import(collection, tmp_path / "quiz.txt", files["anki"])
        assert (len(log.new), log.found_notes) == (len(read["anki"]), len(read["anki"]))
        notes = {note.guid: note for note in map(collection.get_note, collection.find_notes(f'deck:"{course.title}"'))}
        for line in files["anki"].decode().splitlines()[6:]:
            guid, front, back, tags = line.split("\t")
            assert notes[guid].fields == [front, back]
            assert sorted(notes[guid].tags) == sorted(tags.split())
        edited = [replace(bank[0], explanation="Now said otherwise."), *bank[1:]]
        log = _import(collection, tmp_path / "quiz.txt", FORMATS["anki"](edited, course))
        assert (len(log.new), len(log.updated)) == (0, len(ids(bank[0])))
        assert "Now said otherwise." in collection.get_note(notes[f"{course.name}-{ids(bank[0])[0]}"].id).fields[1]
    finally:
        collection.close()


def test_anki_takes_hostile_text(course: Course, tmp_path: Path) -> None:
    """Anki itself keeps every field of hostile notes as written."""
    pytest.importorskip("anki.collection", reason="pip install anki: Anki's own library")
    from anki.collection import Collection

    content = FORMATS["anki"](hostile_bank(), course)
    collection = Collection(str(tmp_path / "collection.anki2"))
    try:
        _import(collection, tmp_path / "quiz.txt", content)
        notes = {note.guid: note.fields for note in map(collection.get_note, collection.find_notes(""))}
        assert notes == {line.split("\t")[0]: line.split("\t")[1:3] for line in content.decode().splitlines()[6:]}
    finally:
        collection.close()
