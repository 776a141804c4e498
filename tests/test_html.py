"""The HTML report says what the other pages say, reads on light and dark, and runs no stranger's markup."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.course import Course
from grader.grading import grade
from grader.render import html
from grader.render.characters import visible
from grader.render.page import page
from grader.report import Evidence, ExerciseReport, Map, Mistake, Outcome, Receipt, Report, WhatIf
from grader.submission import read_submission
from grader.worker.launch import Launcher
from tests.test_render import CASES, checks, crash, exercise, failed, full, grader_error, partial, printed, report

NAN, INF = math.nan, math.inf


# ── reading HTML ───────────────────────────────────────────────────────────────────────────────────

VOID = {"meta"}
# In a <p> these may not stand: a browser would close the paragraph before them.
BLOCKS = {"p", "div", "ul", "li", "table", "pre", "details", "h1", "h2", "h3", "h4", "h5", "h6"}


@dataclass
class Element:
    """An element with its attributes, the elements in it, and all text in it."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def walk(self) -> Iterator[Element]:
        """The element itself and all in it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, *names: str) -> list[Element]:
        """Those of these names."""
        return [each for each in self.walk() if each.name in names]

    @property
    def style(self) -> dict[str, str]:
        """Its inline style, by property."""
        pairs = (each.split(":", 1) for each in self.attributes.get("style", "").split(";") if each)
        return {name.strip(): value.strip() for name, value in pairs}

    @property
    def skeleton(self) -> Any:
        """All that is not text: a stranger's words must not change it."""
        return self.name, self.attributes, [child.skeleton for child in self.children]


class Reader(HTMLParser):
    """Reads strictly: every element is closed in order, no attribute comes twice, nothing is a comment."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Its place is in the last one open."""
        assert len(dict(attrs)) == len(attrs)
        assert not (tag in BLOCKS and self.open[-1].name == "p"), f"<{tag}> in <p>"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        """The last one opened is the first one closed."""
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        """Text is in all that are open."""
        for element in self.open:
            element.text += data

    def handle_comment(self, data: str) -> None:
        """There are none."""
        raise AssertionError(data)

    handle_pi = unknown_decl = handle_comment

    def handle_decl(self, decl: str) -> None:
        """There is one."""
        assert decl == "doctype html"


def read(text: str) -> Element:
    reader = Reader()
    reader.feed(text)
    reader.close()
    (root,) = reader.open
    return root


def both(made: Report) -> tuple[Element, Element]:
    return read(html.fragment(made)), read(html.document(made))


def words(element: Element) -> str:
    return " ".join(element.text.split())


# ── reports ────────────────────────────────────────────────────────────────────────────────────────

CAUSAL = tuple(tuple(float(column <= row) for column in range(4)) for row in range(4))
UPPER = tuple(zip(*CAUSAL, strict=True))
WEIGHTS = ((0.75, 0.25, 0.0), (0.1, 0.2, 0.7))


def table_map(yours: Any, right: Any = WEIGHTS, **more: str) -> Map:
    return Map(**{"title": "Who attends to what", "rows": "query", "columns": "key"} | more, yours=yours, right=right)


def one(*maps: Map, **more: Any) -> Report:
    return report(exercise("attention", maps=maps, **more))


def rich_report() -> Report:
    """A report with something in every field of every record."""
    came = failed("why", "overflow", output="line one\nline two", example=("import numpy", "softmax(1)"))
    tests = checks(
        "softmax",
        sums_to_one=came,
        shift_invariant=came,
        input_unchanged={"outcome": "skipped", "message": "not run"},
        reference_values={"outcome": "error", "message": "grader"},
    )
    softmax = exercise(
        "softmax",
        "failed",
        tests,
        notes=("a note",),
        mistakes=(
            Mistake("overflow", "matched", "title", "explanation", Evidence(("import numpy", "softmax(2)"), "[nan]")),
            Mistake("unexplained", "suspected", "title", "explanation"),
        ),
        what_if=(WhatIf(("overflow",), 29.0),),
        maps=(table_map(WEIGHTS),),
    )
    return report(softmax, exercise("causal_mask"), next_step="next", graded=False)


def mask_maps() -> Report:
    return one(table_map(UPPER, CAUSAL), table_map(((NAN, INF, -INF), (0.5, 0.5, 0.0))))


SHOWN = CASES | {"rich": rich_report, "maps": mask_maps}


# ── what is said ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("case", SHOWN)
def test_the_page_says_what_the_plain_page_says(case: str) -> None:
    """Every sentence of the page stands in the document, and in the fragment, but for the title above one exercise."""
    shown = page(SHOWN[case]())
    sentences = [shown.title, shown.notice, shown.praise, shown.next_step, ", ".join(shown.receipt)]
    for section in shown.sections:
        sentences += [*section.faults, *section.not_run, *section.notes]
        for check in section.checks:
            sentences += [check.title, check.lost, check.message, *check.printed, check.more, *check.example]
            sentences += [check.alike]
        for finding in section.findings:
            sentences += [finding.certainty, finding.title, finding.explanation, *finding.evidence]
            sentences += [finding.got, finding.gain]
    fragment, document = map(words, both(SHOWN[case]()))
    for sentence in filter(None, map(str.split, sentences)):
        text = " ".join(sentence).replace("`", "")  # what stands in them is code
        assert text in document.replace("`", "")
        assert text in fragment.replace("`", "") or (len(shown.rows) == 1 and sentence == shown.title.split())


def test_scores_are_words_in_a_table() -> None:
    """Of several exercises each has a row with its name, score and state; the total comes last."""
    for root in both(partial()):
        rows = [[words(cell) for cell in row.children] for row in root.all("table")[0].all("tr")]
        assert rows == [
            ["softmax", "", "20 of 30", "2 checks failed"],
            ["causal_mask", "", "15 of 20", "1 check failed"],
            ["attention", "", "0 of 50", "not implemented"],
            ["total", "", "35 of 100", ""],
        ]
        assert all(row.children[0].attributes["scope"] == "row" for row in root.all("tr"))


def test_an_exercise_alone_leaves_out_what_says_nothing() -> None:
    """A report of one exercise has no total and no path; its name, score and state are said once, in the heading."""
    alone = report(replace(partial().exercises[0]))
    for root in both(alone):
        assert "total" not in words(root)
        assert "lesson" not in words(root)
        assert words(root).count("20 of 30") == 1
        assert "softmax: 20 of 30, 2 checks failed" in [words(each) for each in root.all("h2", "h3")]
    assert "Attention from the Math Up" not in words(read(html.fragment(alone)))
    for root in both(partial()):
        assert "total" in words(root)
        assert "Submission: lesson" in words(root)


def test_the_graders_failure_is_never_a_zero() -> None:
    """What the grader could not decide has no score and no empty bar, and whose failure it is comes first."""
    for root in both(grader_error()):
        said = words(root)
        assert said.index("This is not your fault") < said.index("softmax")
        assert "no score" in said
        assert "0 of 50" not in said
    bars = [each.attributes["style"] for each in read(html.fragment(grader_error())).all("div") if hidden(each)]
    assert len(set(bars)) == 2
    for root in both(report(graded=False, max_score=100.0)):
        assert "nothing could be graded" in words(root)
        assert "0 of 100" not in words(root)


def hidden(each: Element) -> bool:
    return each.attributes.get("aria-hidden") == "true"


def test_bars_are_for_the_eye_alone() -> None:
    """A bar is as long as the share earned, holds no words, and is hidden from screen readers."""
    for root in both(report(replace(exercise("softmax"), score=7.5), exercise("causal_mask"))):
        bars = [each for each in root.all("div") if hidden(each)]
        assert [bar.children[0].style["width"] for bar in bars] == ["25.0%", "100.0%", "55.0%"]
        assert not any(bar.text for bar in bars)


def test_code_stands_as_it_is() -> None:
    """Lines to paste and printed lines keep every space and line end, in <pre><code> that scrolls by itself."""
    example = ("for row in x:", "    print(row)  # " + "wide " * 80)
    tests = checks("softmax", sums_to_one=failed("Wrong.", output="  a\n\n    b", example=example))
    for root in both(report(exercise("softmax", "failed", tests))):
        blocks = root.all("pre")
        assert [block.text for block in blocks] == ["  a\n\n    b", "\n".join(example)]
        for block in blocks:
            assert [child.name for child in block.children] == ["code"]
            assert block.style["overflow-x"] == "auto"
            assert block.style["white-space"] == "pre"
            # Hosts give code a background of its own, and break it anywhere.
            assert block.children[0].style["background-color"] == "transparent"
            assert block.children[0].style["white-space"] == "pre"


def test_messages_keep_their_lines() -> None:
    """A message of two lines, as an exception's, is shown on two."""
    for root in both(crash()):
        (paragraph,) = (each for each in root.all("p") if "IndexError" in each.text)
        assert paragraph.text.splitlines()[1].startswith("IndexError")
        assert paragraph.style["white-space"] == "pre-wrap"


def test_output_is_cut_as_on_the_other_pages() -> None:
    """The first 20 printed lines are shown and the rest counted."""
    for root in both(printed()):
        assert "step 19:" in words(root)
        assert "step 20:" not in words(root)
        assert "and 37 more lines" in words(root)


# ── hints ──────────────────────────────────────────────────────────────────────────────────────────

HINTS = {"overflow": ("Look at the largest score.", "exp(710) is inf:\n\n    np.exp(710)"), "underflow": ("No.",)}


def test_hints_stand_closed_below_their_mistake() -> None:
    """A mistake's hints follow its explanation in order, each in a closed <details>; hints of others are not there."""
    root = read(html.fragment(partial(), hints=HINTS))
    (item,) = (each for each in root.all("li") if "Mistake found" in each.text)
    details = root.all("details")
    assert details == [each for each in item.children if each.name == "details"] == item.children[-2:]
    assert [each.attributes.keys() for each in details] == [{"style"}, {"style"}]
    assert [each.children[0].name for each in details] == ["summary"] * 2
    assert [each.children[0].text for each in details] == ["Hint 1", "Hint 2"]
    assert [each.children[1].text for each in details] == list(HINTS["overflow"])


def test_without_hints_nothing_folds() -> None:
    """Where no hints are given there is no <details>."""
    assert not any(root.all("details") for root in both(partial()))


# ── a guest in a stranger's page ───────────────────────────────────────────────────────────────────

ELEMENTS = {"div", "p", "ul", "li", "pre", "code", "strong", "details", "summary", "table", "caption", "thead"}
ELEMENTS |= {"tbody", "tfoot", "tr", "th", "td", "h3", "h4", "h5"}
ATTRIBUTES = {"style", "scope", "aria-hidden"}
# Those of our needs that JupyterLab keeps in a notebook that is not trusted (packages/apputils/src/sanitizer.ts).
KEPT = {"background-color", "border", "border-collapse", "border-left", "border-radius", "border-spacing", "border-top"}
KEPT |= {
    "border-width",
    "box-sizing",
    "caption-side",
    "color",
    "display",
    "font-size",
    "font-weight",
    "height",
    "width",
}
KEPT |= {"line-height", "list-style-type", "margin", "max-width", "min-width", "overflow-wrap", "overflow-x", "padding"}
KEPT |= {"text-align", "vertical-align", "white-space"}


@pytest.mark.parametrize("case", SHOWN)
def test_a_fragment_is_one_div_of_plain_parts(case: str) -> None:
    """A fragment is one <div>: no <style>, script, class, id or address, and styles that cleaning hosts keep."""
    root = read(html.fragment(SHOWN[case](), hints=HINTS))
    assert [child.name for child in root.children] == ["div"]
    for each in root.children[0].walk():
        assert each.name in ELEMENTS
        assert each.attributes.keys() <= ATTRIBUTES
        assert each.style.keys() <= KEPT
        assert not re.search(r"url|var\(|(?<!\d)\.\d", each.attributes.get("style", ""))


@pytest.mark.parametrize("case", SHOWN)
def test_a_fragment_reads_on_white_and_on_black(case: str) -> None:
    """Text colour is inherited and tints are translucent, but in cells of maps, which bring both their colours."""
    for each in read(html.fragment(SHOWN[case](), hints=HINTS)).walk():
        if "color" in each.style:
            assert each.name == "td"
            assert each.style["background-color"].startswith("#")
        else:
            solid = re.findall(r"#[0-9a-f]+|rgb\(|rgba\([^)]*,\s*1\)|\b(?:white|black)\b", str(each.style.values()))
            assert not solid
            assert re.fullmatch(r"rgba\(.*,0\.\d+\)|transparent|", each.style.get("background-color", ""))


@pytest.mark.parametrize("case", SHOWN)
def test_headings_are_in_order(case: str) -> None:
    """A fragment's headings begin with h3, a document's with its only h1, and none skips a level."""
    for first, root in zip((3, 1), both(SHOWN[case]()), strict=True):
        levels = [int(each.name[1]) for each in root.walk() if re.fullmatch(r"h[1-6]", each.name)]
        assert levels[0] == min(levels) == first
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert first == 3 or levels.count(1) == 1


@pytest.mark.parametrize("case", SHOWN)
def test_lists_hold_items_alone(case: str) -> None:
    """Checks, mistakes and notes are items of lists, and an empty list is none."""
    for root in both(SHOWN[case]()):
        for each in root.walk():
            names = {child.name for child in each.children}
            assert (names == {"li"}) if each.name == "ul" else ("li" not in names)


def test_wide_things_scroll_in_their_own_box() -> None:
    """Every table stands in a box that scrolls sideways and is never wider than what it stands in."""
    for made in (partial(), mask_maps()):
        for root in both(made):
            boxes = [each for each in root.walk() if any(child.name == "table" for child in each.children)]
            assert boxes
            assert all(box.style["overflow-x"] == "auto" for box in boxes)
            assert all(box.style.get("max-width", "100%") == "100%" for box in boxes)


def test_a_document_stands_alone() -> None:
    """It has doctype, language, charset, viewport and title, fits dark screens and paper, and loads nothing."""
    text = html.document(partial())
    root = read(text)
    assert text.startswith("<!doctype html>\n")
    assert root.all("html")[0].attributes == {"lang": "en"}
    metas = [each.attributes for each in root.all("meta")]
    assert metas[0] == {"charset": "utf-8"}
    assert "width=device-width" in next(each["content"] for each in metas if each.get("name") == "viewport")
    policy = next(each["content"] for each in metas if "http-equiv" in each)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert root.all("title")[0].text == "Attention from the Math Up"
    (style,) = root.all("style")
    assert "@media (prefers-color-scheme: dark)" in style.text
    assert "@media print" in style.text
    assert not {"src", "href", "action"} & {name for each in root.walk() for name in each.attributes}
    assert not root.all("script", "link", "img", "iframe")
    assert not re.search(r"url\(|@import|https?:", text)


@pytest.mark.parametrize("case", SHOWN)
def test_a_document_holds_the_fragment(case: str) -> None:
    """Inside <main> stand a document's h1 and all that the fragment says, in its order."""
    fragment, document = both(SHOWN[case]())
    (main,) = document.all("main")
    heading = words(main.children[0])
    assert main.children[0].name == "h1"
    assert words(main).removeprefix(heading).strip() == words(fragment).removeprefix(heading).strip()


def test_it_is_the_same_every_time() -> None:
    """One report gives one text, and hints do not linger."""
    first = html.fragment(rich_report()), html.document(rich_report())
    html.fragment(rich_report(), hints=HINTS)
    assert (html.fragment(rich_report()), html.document(rich_report())) == first


# ── a stranger's text ──────────────────────────────────────────────────────────────────────────────

HOSTILE = (
    "\"><script>alert(1)</script> ' onmouseover='alert(2)' x=\"`&lt;b&gt; &amp;#60; \x1b[31m\u202e\x00\ud800 {0} %s \\",
    "</p></pre></code></li></ul></summary></details></td></table></h3></div></main></title></style><img onerror=a()>",
    "<!-- <![CDATA[ ]]> <?php <svg/onload=alert(3)> javascript:alert(4) <plaintext> <!doctype x> -->",
)
HARMLESS = "harmless"


def places(record: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every string in a record, however deep."""
    if isinstance(record, str):
        yield way
    elif isinstance(record, tuple):
        for at, value in enumerate(record):
            yield from places(value, (*way, at))
    elif is_dataclass(record):
        for each in fields(record):
            yield from places(getattr(record, each.name), (*way, each.name))


def changed(record: Any, way: tuple[Any, ...], value: Any) -> Any:
    """The record with `value` at the end of the way."""
    if not way:
        return value
    step, *rest = way
    if isinstance(record, tuple):
        return (*record[:step], changed(record[step], tuple(rest), value), *record[step + 1 :])
    return replace(record, **{step: changed(getattr(record, step), tuple(rest), value)})


PLACES = [*places(rich_report()), ("receipt", "seed")]


RECORDS = (Report, Receipt, ExerciseReport, Outcome, Mistake, Evidence, WhatIf, Map)


def owner(way: tuple[Any, ...]) -> tuple[type, str]:
    """The kind of record, and its field, in which the string lies that a way leads to."""
    record: Any = rich_report()
    found = (Report, "")
    for step in way:
        if isinstance(step, str):
            found = type(record), step
        record = record[step] if isinstance(step, int) else getattr(record, step)
    return found


def test_every_field_that_holds_text_is_reached() -> None:
    """The hostile strings below come to stand in every field for text of every record there is in a report."""
    text = re.compile("str|TestOutcome|Status|Certainty")
    assert {owner(way) for way in PLACES} == {
        (kind, each.name)
        for kind in RECORDS
        for each in fields(kind)
        if text.search(str(each.type)) or each.name == "seed"
    }


@pytest.mark.parametrize("text", HOSTILE, ids=("attributes", "ends", "comments"))
@pytest.mark.parametrize("way", PLACES, ids=lambda way: ".".join(map(str, way)))
def test_no_field_brings_markup(way: tuple[Any, ...], text: str) -> None:
    """A hostile string in any field gives the elements and attributes that a harmless one gives, in both forms."""
    for draw in (html.fragment, html.document):
        hostile, harmless = (read(draw(changed(rich_report(), way, each))) for each in (text, HARMLESS))
        assert hostile.skeleton == harmless.skeleton
        shown = visible(text).replace("-", " ") if way[-1] == "status" else visible(text)
        assert hostile.text.count(shown) == harmless.text.count(HARMLESS)


@pytest.mark.parametrize("text", HOSTILE, ids=("attributes", "ends", "comments"))
def test_hostile_strings_everywhere_at_once(text: str) -> None:
    """With every text hostile at once, hints too, what was written is what is read, and UTF-8 can hold it."""
    drawn = []
    for each in (text, HARMLESS):
        made = rich_report()
        for way in places(rich_report()):
            if way[-1] not in ("outcome", "status", "certainty"):
                made = changed(made, way, each)
        drawn.append(html.fragment(made, hints={visible(each): (each, each)}))
    hostile, harmless = map(read, drawn)
    assert hostile.skeleton == harmless.skeleton
    assert [each.children[1].text for each in hostile.all("details")] == [visible(text)] * 4
    assert all(line.replace("\u00a0", " ").isprintable() for line in drawn[0].encode().decode().split("\n"))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.sampled_from(PLACES))
def test_no_text_brings_markup(text: str, way: tuple[Any, ...]) -> None:
    """Whatever stands in whichever field, the page parses and holds our elements and attributes alone."""
    root = read(html.fragment(changed(rich_report(), way, text)))
    assert {each.name for each in root.children[0].walk()} <= ELEMENTS
    assert {name for each in root.children[0].walk() for name in each.attributes} <= ATTRIBUTES


# ── maps ───────────────────────────────────────────────────────────────────────────────────────────


def tables(made: Report) -> list[Element]:
    return read(html.fragment(made)).all("table")


def figures(table: Element) -> list[list[str]]:
    return [[cell.text for cell in row.all("td")] for row in table.all("tbody")[0].all("tr")]


def test_a_map_is_three_tables() -> None:
    """Yours, right and difference stand below the map's title, with what a row and a column is, counted from 1."""
    made = one(table_map(((0.5, 0.5, 0.0), (0.1, 0.2, 0.7))))
    root = read(html.fragment(made))
    assert "Who attends to what" in [words(each) for each in root.all("h4")]
    assert [each.text for each in root.all("caption")] == ["yours", "right", "difference"]
    for table in tables(made):
        heads = table.all("th")
        assert [each.text for each in heads if each.attributes["scope"] == "col"] == ["key 1", "key 2", "key 3"]
        assert [each.text for each in heads if each.attributes["scope"] == "row"] == ["query 1", "query 2"]
        assert table.children[0].name == "caption"
    yours, right, difference = map(figures, tables(made))
    assert yours == [["0.50", "0.50", "0.00"], ["0.10", "0.20", "0.70"]]
    assert right == [["0.75", "0.25", "0.00"], ["0.10", "0.20", "0.70"]]
    assert difference == [["-0.25", "0.25", "0.00"], ["0.00", "0.00", "0.00"]]
    assert "difference = yours − right" in words(root)


def test_maps_are_side_by_side_and_wrap() -> None:
    """The three boxes are inline blocks, which go to the next line where there is no room."""
    boxes = [
        each for each in read(html.fragment(one(table_map(WEIGHTS[::-1])))).walk() if "inline-block" in str(each.style)
    ]
    assert len(boxes) == 3
    assert all(box.style["box-sizing"] == "border-box" for box in boxes)


def test_masks_are_plain_zeros_and_ones() -> None:
    """Tables of 0 and 1, and their difference, have no decimals; others have two, never a minus zero."""
    made = one(table_map(UPPER, CAUSAL))
    yours, right, difference = map(figures, tables(made))
    assert right[1] == ["1", "1", "0", "0"]
    assert yours[1] == ["0", "1", "1", "1"]
    assert difference[1] == ["-1", "0", "1", "1"]
    yours, right, difference = map(
        figures, tables(one(table_map(((-0.001, -0.0), (2.0, 1e300)), ((0, 0.004), (1, 0)))))
    )
    assert yours == [["0.00", "0.00"], ["2.00", "1.00e+300"]]
    assert difference == [["0.00", "0.00"], ["1.00", "1.00e+300"]]


def test_what_is_not_finite_is_written_and_framed() -> None:
    """nan, inf and -inf stand as words in cells with a dashed border that no finite number has."""
    yours, right, difference = tables(one(table_map(((NAN, INF, -INF), (0.5, 0.5, 0.0)))))
    assert figures(yours)[0] == figures(difference)[0] == ["nan", "inf", "-inf"]
    for table in (yours, right, difference):
        for cell in table.all("tbody")[0].all("td"):
            assert ("dashed" in cell.style["border"]) == (cell.text in ("nan", "inf", "-inf"))
    zeros = tables(one(table_map(((0.0, -INF),), ((1.0, -INF),))))
    assert figures(zeros[0]) == [["0", "-inf"]]
    assert figures(zeros[2]) == [["-1", "0"]]


def test_maps_of_what_passed_are_shown() -> None:
    """Maps are drawn also where there is nothing else to tell, and only where the report has them."""
    assert len(tables(report(exercise("softmax", maps=(table_map(WEIGHTS[::-1]),)), exercise("causal_mask")))) == 1 + 3
    assert len(tables(full())) == 1
    assert tables(report(exercise("softmax"))) == []


def test_endless_titles_of_maps_are_cut() -> None:
    """A map's title, and its words for rows and columns, are of bounded length, as all names are."""
    endless = "word " * 2000
    made = one(table_map(((1.0,),), ((1.0,),), title=endless, rows=endless, columns=endless))
    assert len(words(read(html.fragment(made)))) < 3000


def test_a_map_without_numbers_is_empty() -> None:
    """Tables of no rows are tables of no rows."""
    assert [figures(table) for table in tables(one(table_map((), ())))] == [[], [], []]


# Colours, judged by formulas written here once more.


def rgb(code: str) -> tuple[float, ...]:
    assert re.fullmatch("#[0-9a-f]{6}", code)
    return tuple(int(code[at : at + 2], 16) / 255 for at in (1, 3, 5))


def linear(code: str) -> tuple[float, ...]:
    return tuple(each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in rgb(code))


def luminance(code: str) -> float:
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(code), strict=True))


def contrast(cell: Element) -> float:
    dark, light = sorted(luminance(cell.style[name]) for name in ("color", "background-color"))
    return (light + 0.05) / (dark + 0.05)


def lightness(code: str) -> float:
    """CIE 1976 L*, from 0 to 100."""
    share = luminance(code)
    return 116 * share ** (1 / 3) - 16 if share > (6 / 29) ** 3 else share * (29 / 3) ** 3


def backgrounds(table: Element) -> list[str]:
    return [cell.style["background-color"] for cell in table.all("tbody")[0].all("td")]


STEPS = tuple(step / 20 for step in range(21))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.floats(), st.floats()), min_size=1, max_size=12))
def test_every_cell_can_be_read(pairs: list[tuple[float, float]]) -> None:
    """Whatever the numbers, text and background of every cell have a contrast of 4.5 or more (WCAG 2.2, 1.4.3)."""
    yours, right = zip(*pairs, strict=True)
    for table in tables(one(table_map((yours,), (right,)))):
        cells = table.all("tbody")[0].all("td")
        assert len(cells) == len(pairs)
        assert all(contrast(cell) >= 4.5 for cell in cells)


def test_numbers_at_the_ends_of_float64_can_be_read() -> None:
    """Where even a difference overflows there is a colour, and what is not finite any more is framed."""
    yours, right, difference = tables(one(table_map(((1e308, -1e308),), ((-1e308, 1e308),))))
    assert backgrounds(yours) == backgrounds(right)[::-1]
    assert figures(difference) == [["inf", "-inf"]]


def test_every_step_of_the_ramps_can_be_read() -> None:
    """All along both ramps the contrast is 4.5 or more, and black and white text are both used."""
    numbers = tuple(step / 500 for step in range(501))
    for table in tables(one(table_map((numbers,), (tuple(reversed(numbers)),)))):
        cells = table.all("tbody")[0].all("td")
        assert min(map(contrast, cells)) >= 4.5
        assert {cell.style["color"] for cell in cells} == {"#000000", "#ffffff"}


def test_larger_numbers_are_evenly_darker() -> None:
    """From 0 to 1 lightness (CIE L*) falls in steps that are nearly equal, so the ramp reads without hue."""
    yours, right = tables(one(table_map((STEPS,), (STEPS,))))
    assert backgrounds(yours) == backgrounds(right)
    levels = [lightness(code) for code in backgrounds(right)]
    steps = [before - after for before, after in pairwise(levels)]
    assert min(steps) > 0.8 * sum(steps) / len(steps)
    assert max(steps) < 1.2 * sum(steps) / len(steps)
    assert levels[0] - levels[-1] > 50


# G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A physiologically-based model for simulation of color vision
# deficiency" (2009): what the three kinds of dichromats see, in linear RGB.
SIGHTS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def lab(code: str, sight: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    """CIE 1976 L*a*b* (D65) of a colour as it is seen."""
    seen = [max(sum(w * p for w, p in zip(row, linear(code), strict=True)), 0.0) for row in sight]
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (sum(w * p for w, p in zip(row, seen, strict=True)) for row in rows)
    roots = [
        share ** (1 / 3) if share > (6 / 29) ** 3 else share * (29 / 6) ** 2 / 3 + 4 / 29
        for share in (x / 0.9505, y, z / 1.089)
    ]
    return 116 * roots[1] - 16, 500 * (roots[0] - roots[1]), 200 * (roots[1] - roots[2])


@pytest.mark.parametrize("sight", SIGHTS)
def test_too_much_and_too_little_look_different(sight: str) -> None:
    """More and less have colours that dichromats too tell apart, and that are darker the further off they are."""
    zeros = (0.0,) * len(STEPS)
    more = backgrounds(tables(one(table_map((STEPS,), (zeros,))))[2])
    less = backgrounds(tables(one(table_map((zeros,), (STEPS,))))[2])
    assert more[0] == less[0]
    apart = [math.dist(lab(one, SIGHTS[sight]), lab(two, SIGHTS[sight])) for one, two in zip(more, less, strict=True)]
    # A difference of 2.3 can just be seen; that of 0.1, 0.2, 0.5 and 1 in a map is clear.
    assert all(apart[at] > least for at, least in {2: 6, 4: 12, 10: 30, 20: 60}.items())
    for codes in (more, less):
        levels = [lightness(code) for code in codes]
        assert levels == sorted(levels, reverse=True)


def test_one_number_has_one_colour() -> None:
    """A wild number of the student's does not change the colours of others, and beyond the ramp its end is shown."""
    tame, wild = (tables(one(table_map(((0.5, 1.0, last),), ((0.5, 0.25, 0.25),)))) for last in (1.0, 1e308))
    assert [backgrounds(table) for table in tame[:2]] == [backgrounds(table) for table in wild[:2]]
    assert backgrounds(wild[0])[1] == backgrounds(wild[0])[2]


def test_right_numbers_beyond_one_stretch_the_ramp() -> None:
    """Where the right numbers leave 0 to 1, as scores do, the ramp spans them."""
    _, right, _ = tables(one(table_map(((0.0, 0.0, 0.0),), ((-4.0, 0.0, 4.0),))))
    assert len(set(backgrounds(right))) == 3


# ── in a browser ───────────────────────────────────────────────────────────────────────────────────

Open = Callable[..., Any]

# What a submission can write: the names of its folder and files, what it prints, raises, and returns.
MARKUP = "<script>document.title='ours'</script><img src=x onerror=document.title='ours'>"
RAISES = f"""
def softmax(x, axis=-1):
    print({MARKUP!r} + "</code></pre></li></ul></main>")
    raise type("</p><svg onload=document.title='ours'>", (Exception,), {{}})({MARKUP!r})
"""
LEAKS = """
import numpy as np

def causal_mask(seq_len):
    return np.ones((seq_len, seq_len), dtype=bool)

def attention(Q, K, V, mask=None):
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    weights = np.exp(scores - scores.max()) * (1 if mask is None else mask / (mask * 0))
    return weights / weights.sum(axis=-1, keepdims=True) @ V
"""


@pytest.fixture(scope="module")
def hostile_page(course: Course, launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a submission that writes markup wherever it can, and has maps, some without a finite number."""
    work = tmp_path_factory.mktemp("work") / "<img src=x onerror=alert(1)> & \"'"
    work.mkdir()
    (work / "softmax.py").write_text(RAISES, encoding="utf-8")
    (work / "<b>rest.py").write_text("def <script>", encoding="utf-8")
    (work / "lesson.py").write_text(LEAKS, encoding="utf-8")
    return html.document(grade(read_submission(work), course, 0, launcher, maps=True))


@pytest.mark.tool("chromium")
@pytest.mark.parametrize(
    "policy", [html.POLICY, "default-src *; script-src 'unsafe-inline'; style-src 'unsafe-inline'"]
)
def test_a_browser_finds_no_markup_of_a_submission(open_page: Open, hostile_page: str, policy: str) -> None:
    """What a submission wrote is there to be read, and no element or script of its making, with or without the policy.

    The second page would run what stood in it: it is the escaping that is tried.
    """
    page = open_page(hostile_page.replace(html.leaf(html.POLICY), policy).replace(html.POLICY, policy))
    assert policy in page.content()
    assert MARKUP in page.locator("main").inner_text()
    assert "<img src=x onerror=alert(1)> & \"'" in page.locator("main").inner_text()
    assert page.title() == "Attention from the Math Up"
    assert page.evaluate("document.querySelectorAll('script, img, svg, b, iframe, link, form').length") == 0
    named = page.evaluate("[...document.querySelectorAll('main *')].flatMap(each => each.getAttributeNames())")
    assert set(named) <= ATTRIBUTES


@pytest.mark.tool("chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing(open_page: Open, hostile_page: str, scheme: str) -> None:
    """axe-core has nothing against a page with every part and with maps, in light and dark, wide and narrow."""
    api = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    for text in (hostile_page, html.document(rich_report()), html.document(mask_maps()), html.document(full())):
        for width in (1280, 400):
            page = open_page(text, width=width, color_scheme=scheme)
            assert api.Axe().run(page, options=rules).response["violations"] == []


@pytest.mark.tool("chromium")
@pytest.mark.parametrize("width", [400, 1280])
def test_no_page_is_wider_than_the_screen(open_page: Open, hostile_page: str, width: int) -> None:
    """Maps, code and endless words scroll in boxes of their own, or are broken; and maps stand in a row if they can."""
    for text in (
        hostile_page,
        html.document(rich_report()),
        html.document(one(table_map(((1e300,) * 40,), ((1,) * 40,)))),
    ):
        page = open_page(text, width=width)
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page = open_page(hostile_page, width=width)
    tops = page.evaluate("[...document.querySelectorAll('caption')].map(each => each.getBoundingClientRect().top)")
    assert len(tops) == 6
    assert [len(set(tops[at : at + 3])) for at in (0, 3)] == ([1, 1] if width == 1280 else [3, 3])
