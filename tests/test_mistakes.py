"""The words of the mistakes: complete, in the contract's order, and fit to be read in a terminal."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).resolve().parents[1] / "grader" / "mistakes"

# The contract's table of mistakes, file by file. Order counts: among sets of one size the earlier one wins.
TABLE = {
    "softmax": [
        "overflow",
        "underflow",
        "wrong-axis",
        "missing-keepdims",
        "not-normalised",
        "returns-log",
        "truncates-integers",
    ],
    "causal_mask": [
        "transposed-mask",
        "inverted-mask",
        "hides-self",
        "sees-next",
        "not-boolean",
    ],
    "attention": [
        "overflow",
        "underflow",
        "missing-keepdims",
        "missing-scaling",
        "wrong-scaling",
        "scaling-after-softmax",
        "mask-ignored",
        "mask-after-softmax",
        "mask-inverted",
        "weak-mask",
        "mask-added",
        "mask-nan",
        "no-softmax",
        "softmax-wrong-axis",
        "returns-weights",
        "returns-tuple",
        "transposed-scores",
        "values-swapped",
        "assumes-square",
        "half-precision-overflow",
    ],
    "any": [
        "mutates-input",
        "wrong-shape",
        "wrong-type",
        "not-implemented",
        "missing-function",
        "syntax-error",
        "import-error",
        "forbidden",
        "raises",
        "timeout",
        "out-of-memory",
        "crash",
        "unexplained",
    ],
}

ENTRIES = [(file, code) for file, codes in TABLE.items() for code in codes]
every_file = pytest.mark.parametrize("file", TABLE)
every_mistake = pytest.mark.parametrize(("file", "code"), ENTRIES, ids=[f"{f}-{c}" for f, c in ENTRIES])


def text_of(file: str) -> str:
    return (FOLDER / f"{file}.yml").read_text(encoding="utf-8")


@cache
def catalogue(file: str) -> dict[str, Any]:
    return dict(yaml.safe_load(text_of(file)))


def words(file: str, code: str) -> dict[str, Any]:
    entry = catalogue(file)[code]
    assert isinstance(entry, dict)
    return entry


def passages(file: str, code: str) -> list[str]:
    entry = words(file, code)
    return [entry["title"], entry["explanation"], *entry["hints"]]


def sentences(passage: str) -> int:
    """Sentences end with . ? or ! before a space or the end; what stands in backticks is code, not prose."""
    return len(re.findall(r"[.?!]\)?(?=\s|$)", re.sub(r"`[^`]*`", "code", passage)))


@every_file
def test_codes(file: str) -> None:
    """Each file holds exactly the contract's codes, each once, in the contract's order."""
    # compose, not safe_load: a mapping would swallow a code that is written twice.
    root = yaml.compose(text_of(file))
    assert isinstance(root, yaml.MappingNode)
    assert [key.value for key, _ in root.value] == TABLE[file]


def test_no_other_file() -> None:
    """No file of mistakes lies in the folder beside those of the contract's table."""
    assert {path.stem for path in FOLDER.glob("*.yml")} == set(TABLE)


def test_repeated_codes() -> None:
    """Only the three codes that the contract lists for two exercises occur in two files."""
    codes = [code for _, code in ENTRIES]
    assert {code for code in codes if codes.count(code) > 1} == {"overflow", "underflow", "missing-keepdims"}


@every_mistake
def test_keys(file: str, code: str) -> None:
    """A mistake has a title, an explanation and hints, and nothing else."""
    assert list(words(file, code)) == ["title", "explanation", "hints"]


@every_mistake
def test_title(file: str, code: str) -> None:
    """A title is one line of at most 70 characters that begins with a capital and has no full stop."""
    title = words(file, code)["title"]
    assert isinstance(title, str)
    assert 0 < len(title) <= 70
    assert "\n" not in title
    assert title[0].isupper()
    assert not title.endswith(".")


@every_file
def test_titles_differ(file: str) -> None:
    """No two mistakes of one exercise, those of any exercise included, share a title."""
    titles = [words(part, code)["title"] for part in {file, "any"} for code in TABLE[part]]
    assert len(set(titles)) == len(titles)


@every_mistake
def test_explanation(file: str, code: str) -> None:
    """An explanation is one paragraph of two to four sentences."""
    explanation = words(file, code)["explanation"]
    assert isinstance(explanation, str)
    assert "\n" not in explanation
    assert 2 <= sentences(explanation) <= 4


@every_mistake
def test_hints(file: str, code: str) -> None:
    """A ladder has at least three different rungs, each one paragraph of one to three sentences."""
    hints = words(file, code)["hints"]
    assert isinstance(hints, list)
    assert len(hints) >= 3
    assert len(set(hints)) == len(hints)
    for hint in hints:
        assert isinstance(hint, str)
        assert "\n" not in hint
        assert 1 <= sentences(hint) <= 3, hint


@every_mistake
def test_first_hint_makes_the_learner_look(file: str, code: str) -> None:
    """The first rung gives something to type or to run."""
    first = words(file, code)["hints"][0]
    assert re.search(r"`[^`]+`", first) or "paste" in first


@every_mistake
def test_inputs_can_be_typed(file: str, code: str) -> None:
    """What a hint asks the learner to type is Python that parses."""
    for passage in passages(file, code):
        for code_in_text in re.findall(r"`([^`]*)`", passage):
            if re.match(r"(softmax|causal_mask|attention|np\.|\w+ = |from )", code_in_text):
                ast.parse(code_in_text)


@every_mistake
def test_plain_text(file: str, code: str) -> None:
    """The words are plain text: ASCII and a few signs of mathematics, with no emoji and no mark-up."""
    for passage in passages(file, code):
        assert set(re.sub(r"[ -~]", "", passage)) <= set("√ᵀ×"), passage
        assert passage.count("`") % 2 == 0
        assert "**" not in passage
        assert passage == " ".join(passage.split())


@every_mistake
def test_no_finished_line(file: str, code: str) -> None:
    """No hint and no explanation contains a line of a solution."""
    spoilers = ("keepdims=", " @ ", ".T", "np.exp(", "np.tril(", "np.triu(", "np.where(", "np.sqrt(", ".max(")
    for passage in passages(file, code):
        assert not [spoiler for spoiler in spoilers if spoiler in passage]
