"""Name what went wrong: the smallest set of mistakes that reproduces a function's answers, or that tests point to.

Pure: it knows no exercise by name, runs no student's code and prints nothing.

A model of being wrong is taken step by step, and most settings of a step come to the same on a given probe: a mask's
where there is no mask, a shift's where all scores are small. So what may be the case is kept as a box, the settings
of each step that are still possible, and each probe's response narrows the boxes: a setting is tried only where it
tells something, and sets of three mistakes cost little more than sets of one. Answers worked out stay in a table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, compress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from grader.answers import observed_code
from grader.model import RIGHT, Failed, Model, Node
from grader.report import Answer, Certainty, Items, Outcome, Raised, Response

if TYPE_CHECKING:
    from grader.report import AnyArray

MOST_SUSPECTS = 3
MOST_MISTAKES = 3

Box: TypeAlias = tuple[frozenset[str], ...]  # for each step of a model, the settings that are possible


def diagnose(
    outcomes: Sequence[Outcome],
    responses: Sequence[Response],
    mutated: bool,
    order: Sequence[str],
    explained: Sequence[str] | None = None,
    probed: Sequence[Response] = (),
    *,
    misshapen: bool = False,
) -> list[tuple[str, Certainty]]:
    """Codes and how certain each is, in the order of `order` (the catalogue's); empty where all tests passed.

    `explained` are the codes that reproduce the responses to the probes, `probed`: what was observed there is
    explained by them, and not named again. Where it is empty, or no probe was put, failing tests are what there is to
    go by; where it is None although every probe was answered, no known mistake reproduces the function, and tests that
    point to one are wrong about it. `misshapen` says that answers had another shape.
    """
    if all(outcome.outcome == "passed" for outcome in outcomes):
        return []
    seen = observe(responses, mutated)
    if "not-implemented" in seen:
        return [("not-implemented", "matched")]
    if explained:
        return _in_order(dict.fromkeys({*explained, *(seen - observe(probed, mutated=False))}, "matched"), order)
    seen |= {"wrong-shape"} if misshapen and not seen - {"mutates-input"} else set()
    open_ = [outcome for outcome in outcomes if outcome.outcome == "failed" and not set(outcome.targets) & seen]
    suspects = only_suspect(open_, outcomes) if probed else suspect(open_, outcomes, order)
    refuted = explained is None and bool(probed) and all(looks(response.answer) for response in probed)
    guessed = set() if refuted or seen - {"mutates-input"} else suspects
    found: dict[str, Certainty] = {**dict.fromkeys(guessed, "suspected"), **dict.fromkeys(seen, "matched")}
    if not found and not any(outcome.outcome == "error" for outcome in outcomes):
        return [("unexplained", "suspected")]
    return _in_order(found, order)


def _in_order(found: dict[str, Certainty], order: Sequence[str]) -> list[tuple[str, Certainty]]:
    return [(code, found[code]) for code in dict.fromkeys([*order, *sorted(found)]) if code in found]


def observe(responses: Sequence[Response], mutated: bool) -> set[str]:
    """What the worker saw for itself. `not-implemented` only where every call said so."""
    codes = {observed_code(response.answer) for response in responses} - {""}
    if codes == {"not-implemented"} and all(observed_code(response.answer) for response in responses):
        return codes
    codes = {"raises" if code == "not-implemented" else code for code in codes}
    return codes | ({"mutates-input"} if mutated else set())


def suspect(failed: Sequence[Outcome], outcomes: Sequence[Outcome], order: Sequence[str]) -> set[str]:
    """The smallest set of codes such that every failed test targets one of them, and most of their tests failed."""
    names = {outcome.name for outcome in failed}

    def share(code: str) -> float:
        aimed = [outcome.name in names for outcome in outcomes if code in outcome.targets]
        return sum(aimed) / len(aimed)

    codes = {code for outcome in failed for code in outcome.targets}
    likely = sorted(codes, key=lambda code: (-share(code), order.index(code) if code in order else len(order)))
    for size in range(1, min(MOST_SUSPECTS, len(likely)) + 1):
        for chosen in combinations(likely, size):
            if all(set(chosen) & set(outcome.targets) for outcome in failed):
                return set(chosen)
    return set()


def only_suspect(failed: Sequence[Outcome], outcomes: Sequence[Outcome]) -> set[str]:
    """The one code that every failed test targets and no passed one; nothing where there are none or several."""
    passed = {code for outcome in outcomes if outcome.outcome == "passed" for code in outcome.targets}
    shared = set.intersection(*(set(outcome.targets) for outcome in failed)) if failed else set()
    return shared - passed if len(shared - passed) == 1 else set()


def misshapes(model: Model, seed: int, responses: Sequence[Response]) -> bool:
    """Whether an answer to a probe has another shape than the right one."""
    given = [(response.answer, call) for response, call in zip(responses, table_of(model, seed).probes, strict=False)]
    with np.errstate(all="ignore"):
        return any(
            isinstance(answer, np.ndarray) and answer.shape != np.shape(model.function(*args, **named))
            for answer, (args, named) in given
        )


# ── the smallest set that reproduces every response ────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Fit:
    """What of a model answers as a student's function does: the codes, the settings by step, and the responses to the
    probes that it reproduces: all, or all but exceptions.
    """

    codes: tuple[str, ...]
    settings: Mapping[str, str]
    reproduced: tuple[Response, ...]


def explain(model: Model, seed: int, responses: Sequence[Response], order: Sequence[str]) -> tuple[str, ...] | None:
    """The codes of `fit`: () where the function answers as the right one does, None where nothing fits."""
    found = fit(model, seed, responses, order)
    return None if found is None else found.codes


def fit(model: Model, seed: int, responses: Sequence[Response], order: Sequence[str]) -> Fit | None:
    """The smallest set of a model's settings, up to three, that answers the probes of `seed` as the responses do.

    Codes come in the order of `order`, and among sets of one size the earlier one wins. A setting that changes nothing
    beside the others is in no smallest set. Where all answers are constants, zeros or broken ones say, they say too
    little. Where nothing fits because of exceptions, and most probes were answered, what fits the answers is found.
    """
    seen = [looks(response.answer) for response in responses]
    table = table_of(model, seed)
    if len(seen) != len(table.probes) or not all(seen) or not any(look.varies for found in seen for look in found):
        return None
    found = _smallest(table, seen, order, MOST_MISTAKES)
    if found:
        return Fit(*found, tuple(responses))
    answered = [not isinstance(response.answer, Raised) for response in responses]
    if all(answered) or 2 * sum(answered) < len(answered):
        return None
    answers = [look if answer else [] for look, answer in zip(seen, answered, strict=True)]
    found = _smallest(table, answers, order, MOST_MISTAKES - 1)  # the exception being one
    return Fit(*found, tuple(compress(responses, answered))) if found and found[0] else None


def _smallest(
    table: Table, seen: Sequence[Sequence[Look]], order: Sequence[str], most: int
) -> tuple[tuple[str, ...], Mapping[str, str]] | None:
    """The codes and the settings of the smallest set that fits."""
    with np.errstate(all="ignore"):
        for size in range(most + 1):
            boxes = table.fitting(seen, size)
            if boxes:
                return min((_chosen(table.model, box, order) for box in boxes), key=lambda chosen: chosen[0])[1:]
    return None


def _chosen(
    model: Model, box: Box, order: Sequence[str]
) -> tuple[tuple[int, list[int]], tuple[str, ...], Mapping[str, str]]:
    """The codes and the settings that a box stands for, before them the number of mistakes and their places in `order`.

    Of a step that cannot have been right a harmless setting is chosen, if there is one, else that of the first code.
    """
    places = {"": -1} | {code: place for place, code in enumerate(order)}
    settings: dict[str, str] = {}
    for (step, codes), possible in zip(model.switches.items(), box, strict=True):
        if RIGHT not in possible:
            settings[step] = min(possible, key=lambda setting: (places.get(codes[setting], len(order)), setting))
    found = [code for step, setting in settings.items() if (code := model.switches[step][setting])]
    codes_in_order = tuple(sorted(set(found), key=lambda code: places.get(code, len(order))))
    rank = len(found), [places.get(code, len(order)) for code in codes_in_order]
    return rank, codes_in_order, settings


# ── answers, made comparable ───────────────────────────────────────────────────────────────────────

# Numbers beyond this, infinity and nan are all one: broken. No right answer comes near it, and which of the three a
# wrong one is depends on what masked scores were filled with, on precision and on the order of operations.
_BROKEN = 5_000.0

# Two ways of calculating the same thing agree to about 1e-6 in float32 (times 4,000 where scores are that large), two
# different things rarely to 1e-2. `_SMALL` is relative to the largest number of an answer, or to 0.01.
_RELATIVE, _SMALL = 1e-3, 1e-4
_HALF_TOLERANCE = 20.0  # times that, for float16: it has three digits

# Shapes that do not fit fail in one way with arrays and in another in loops.
_SHAPE_ERRORS = {"ValueError", "IndexError", "TypeError", "AssertionError"}

# What Python's own arithmetic raises where NumPy's gives inf or nan: math.exp(1000), or 0.0 / 0.0.
_ARITHMETIC = ("raised", "arithmetic")


@dataclass(frozen=True, slots=True)
class Look:
    """What of an answer is compared: its kind, shape included, and its numbers."""

    kind: tuple[Any, ...]
    numbers: AnyArray

    @property
    def varies(self) -> bool:
        """Whether there are two different numbers, all that are broken being one."""
        return bool(np.unique(np.where(_broken(self.numbers), np.nan, self.numbers)).size > 1)


def looks(answer: Answer) -> list[Look]:
    """An answer's look; of a tuple the look of each array, one of which has to be right. Empty where there is none."""
    match answer:
        case np.ndarray():
            return [_look("array", answer)]
        case Items(arrays=arrays):
            return [_look("item", array) for array in arrays]
        case Raised(type_name=name, kinds=kinds):
            return [_raised(name, kinds)]
    return []


def alike(one: Answer, other: Answer, *, half: bool = False) -> bool:
    """Whether two answers could come from one way of calculating; `half` where it was asked with float16."""
    half = half or np.float16 in (getattr(one, "dtype", None), getattr(other, "dtype", None))
    stacks = {look.kind: Stack([0], [look.numbers], _HALF_TOLERANCE if half else 1.0) for look in looks(other)}
    return any(_rows_like(look, stacks) for look in looks(one))


def digest_of(responses: Sequence[Response]) -> str:
    """A digest that the answers of two functions share where their numbers are equal to three digits; "" of none."""
    seen = [look for each in responses for look in looks(each.answer)]
    digest = hashlib.sha256()
    for look in seen:
        digest.update(repr(look.kind).encode() + _three_digits(look.numbers).tobytes())
    return digest.hexdigest()[:16] if seen else ""


def _three_digits(numbers: Any) -> Any:
    with np.errstate(all="ignore"):
        size = 10.0 ** np.floor(np.log10(np.abs(numbers)))
        rounded = np.round(numbers / size, 2) * size
    return np.where(np.isfinite(numbers), np.where(numbers == 0, 0.0, rounded), np.nan_to_num(numbers, nan=np.pi))


def _look(kind: str, array: AnyArray) -> Look:
    return Look((kind, array.dtype == np.bool_, array.shape), array.astype(np.float64).ravel())


def _raised(name: str, kinds: Sequence[str]) -> Look:
    if "ArithmeticError" in kinds:
        return Look(_ARITHMETIC, np.empty(0))
    return Look(("raised", "shapes" if _SHAPE_ERRORS & set(kinds) else name), np.empty(0))


def _look_of(node: Node) -> Look:
    """The look of what a model returned or raised."""
    match node.state:
        case Failed(error=error):
            return _raised(type(error).__name__, [kind.__name__ for kind in type(error).__mro__])
        case tuple() as items:
            return _look("item", items[0])
    return _look("array", node.state)


def _broken(numbers: AnyArray) -> AnyArray:
    broken: AnyArray = ~(np.abs(numbers) <= _BROKEN)
    return broken


class Stack:
    """Answers of one kind, one a row."""

    def __init__(self, rows: Sequence[int], numbers: Sequence[AnyArray], tolerance: float) -> None:
        self.rows = np.array(rows)
        stacked: Any = np.stack(numbers)
        self.finite = np.isfinite(stacked).all(axis=1)
        self.broken = _broken(stacked)
        self.numbers = np.where(self.broken, 0, stacked)
        size = np.abs(self.numbers)
        self.gap = tolerance * (_RELATIVE * size + _SMALL * size.max(axis=1, keepdims=True, initial=0.01))

    def like(self, numbers: Any) -> list[int]:
        """The rows that cannot be told from these numbers."""
        close = np.abs(self.numbers - numbers) <= self.gap
        fits = (close | self.broken) & (self.broken == _broken(numbers))
        found: list[int] = self.rows[fits.all(axis=1)].tolist()
        return found


def _rows_like(look: Look, stacks: Mapping[tuple[Any, ...], Stack]) -> list[int]:
    """The rows of any kind that cannot be told from a look."""
    rows = stacks[look.kind].like(look.numbers) if look.kind in stacks else []
    if look.kind == _ARITHMETIC:
        rows += [row for stack in stacks.values() for row in stack.rows[~stack.finite].tolist()]
    return rows


# ── the search ─────────────────────────────────────────────────────────────────────────────────────

Path: TypeAlias = tuple[Node, ...]  # from a probe to an answer


class Leaves:
    """All that a probe can become within one box: the paths through the tree, and their answers stacked by kind."""

    def __init__(self, box: Box, paths: Sequence[Path], tolerance: float) -> None:
        self.box = box
        self.paths = paths
        self.narrowed: dict[int, Box] = {}
        found = [_look_of(path[-1]) for path in paths]
        rows: dict[tuple[Any, ...], list[int]] = {}
        for row, look in enumerate(found):
            rows.setdefault(look.kind, []).append(row)
        stacks = {kind: [found[row].numbers for row in some] for kind, some in rows.items()}
        self.stacks = {kind: Stack(rows[kind], numbers, tolerance) for kind, numbers in stacks.items()}

    def like(self, seen: Sequence[Look]) -> list[Box]:
        """What of the box leads to one of the looks."""
        return [self._narrowed(row) for look in seen for row in _rows_like(look, self.stacks)]

    def _narrowed(self, row: int) -> Box:
        """The settings that keep to one path; of steps that come after its end, all."""
        if row not in self.narrowed:
            path = self.paths[row]
            steps = zip(path, path[1:], self.box, strict=False)
            chosen = (frozenset(way for way in ways if node.child(way) is after) for node, after, ways in steps)
            self.narrowed[row] = (*chosen, *self.box[len(path) - 1 :])
        return self.narrowed[row]


@lru_cache(maxsize=16)
def table_of(model: Model, seed: int) -> Table:
    """The one table of a model and a seed."""
    return Table(model, seed)


class Table:
    """A model's answers to the probes of one seed, worked out where they are asked for, and kept."""

    MOST_PATHS = 20_000  # kept at a time: about 100 MB

    def __init__(self, model: Model, seed: int) -> None:
        self.model = model
        self.probes = model.probes(seed)
        self.tolerances = [_HALF_TOLERANCE if _is_half(args) else 1.0 for args, _ in self.probes]
        self.settings = [list(codes) for codes in model.switches.values()]
        self._forget()

    def _forget(self) -> None:
        self.roots = [Node(self.model, self.model.begin(*args, **named)) for args, named in self.probes]
        self.known: dict[tuple[int, Box, int], Leaves] = {}
        self.paths = 0

    def fitting(self, seen: Sequence[Sequence[Look]], most: int) -> list[Box]:
        """The boxes of up to `most` settings other than the right ones that answer every probe as seen, if it was."""
        if self.paths > self.MOST_PATHS:
            self._forget()
        boxes: list[Box] = [tuple(frozenset(settings) for settings in self.settings)]
        for probe, look in enumerate(seen):
            if look:
                boxes = [narrowed for box in boxes for narrowed in self._leaves(probe, box, most).like(look)]
        return boxes

    def _leaves(self, probe: int, box: Box, most: int) -> Leaves:
        key = probe, box, most
        if key not in self.known:
            ways = [[way for way in all_ways if way in some] for all_ways, some in zip(self.settings, box, strict=True)]
            forced = [RIGHT not in some for some in box]
            due = [sum(forced[depth:]) for depth in range(len(box) + 1)]
            paths = list(_paths((self.roots[probe],), ways, due, most))
            self.known[key] = Leaves(box, paths, self.tolerances[probe])
            self.paths += len(paths)
        return self.known[key]


def _paths(path: Path, ways: Sequence[Sequence[str]], due: Sequence[int], left: int) -> Iterator[Path]:
    """Every different path on from one that takes up to `left` settings other than the right ones.

    `ways` has the settings that each step may take, the right one first; `due` counts the steps, from each one on, that
    cannot be right.
    """
    node = path[-1]
    if node.ended:
        yield path
        return
    met: set[Node] = set()
    for way in ways[node.depth]:
        after = left - (way != RIGHT)
        if after < due[node.depth + 1]:
            return
        child = node.child(way)
        if child not in met:
            met.add(child)
            yield from _paths((*path, child), ways, due, after)


def _is_half(arguments: Sequence[Any]) -> bool:
    return any(getattr(argument, "dtype", None) == np.float16 for argument in arguments)
