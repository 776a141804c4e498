"""Name what went wrong: the smallest set of mistakes that reproduces a function's answers, or that tests point to.

Pure: it knows no exercise by name, runs no student's code and prints nothing.

A model of being wrong is taken step by step, and most settings of a step come to the same on a given probe: a mask's
where there is no mask, a shift's where all scores are small. So what may be the case is kept as a box, the settings
of each step that are still possible, and each probe's response narrows the boxes: a setting is tried only where it
tells something, and sets of three mistakes cost little more than sets of one. Answers worked out stay in a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from grader.answers import observed_code
from grader.model import Failed, Model, Node
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
) -> list[tuple[str, Certainty]]:
    """Codes and how certain each is, in the order of `order` (the catalogue's); empty where all tests passed.

    `explained` are the codes that reproduce the responses to the probes, `probed`: what was observed there is
    explained by them, and not named again. Where it is None or empty, failing tests are what there is to go by.
    """
    if all(outcome.outcome == "passed" for outcome in outcomes):
        return []
    seen = observe(responses, mutated)
    if "not-implemented" in seen:
        return [("not-implemented", "matched")]
    if explained:
        return _in_order(dict.fromkeys([*explained, *sorted(seen - observe(probed, mutated=False))], "matched"), order)
    open_ = [outcome for outcome in outcomes if outcome.outcome == "failed" and not set(outcome.targets) & seen]
    guessed = set() if seen - {"mutates-input"} else suspect(open_, outcomes, order)
    found: dict[str, Certainty] = {code: "suspected" for code in guessed} | {code: "matched" for code in seen}
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


# ── the smallest set that reproduces every response ────────────────────────────────────────────────


def explain(model: Model, seed: int, responses: Sequence[Response], order: Sequence[str]) -> tuple[str, ...] | None:
    """The codes of the smallest set of the model's wrong settings that answers every probe of `seed` as the responses do.

    In the order of `order`; () where the right settings do, None where no set of up to three does. Among sets of
    one size the one earlier in `order` wins. A code is never named for a setting that changes nothing beside the others.
    """
    seen = [looks(response.answer) for response in responses]
    table = table_of(model, seed)
    if len(seen) != len(table.probes) or not all(seen):
        return None
    with np.errstate(all="ignore"):
        for most in range(MOST_MISTAKES + 1):
            boxes = table.fitting(seen, most)
            if boxes:
                return min((_codes(model, box, order) for box in boxes), key=lambda codes: [order.index(code) for code in codes])
    return None


def _codes(model: Model, box: Box, order: Sequence[str]) -> tuple[str, ...]:
    """What a box names: of each step that cannot have been right, the code that comes first."""
    choices = [{codes[setting] for setting in settings} for settings, codes in zip(box, model.switches.values(), strict=True)]
    named = {min(codes, key=order.index) for codes in choices if "" not in codes}
    return tuple(sorted(named, key=order.index))


# ── answers, made comparable ───────────────────────────────────────────────────────────────────────

# Numbers beyond this, infinity and nan are all one: broken. No right answer comes near it, and which of the three a
# wrong one is depends on what masked scores were filled with, on precision and on the order of operations.
_BROKEN = 5_000.0

# Two ways of calculating the same thing agree to about 1e-6 in float32 (times 4,000 where scores are that large),
# two different things rarely to 1e-2. `_SMALL` is relative to the largest number of an answer.
_RELATIVE, _SMALL = 1e-3, 1e-4
_HALF_TOLERANCE = 20.0  # times that, for float16: it has three digits

# Shapes that do not fit fail in one way with arrays and in another in loops.
_SHAPE_ERRORS = {"ValueError", "IndexError", "TypeError", "AssertionError"}


@dataclass(frozen=True, slots=True)
class Look:
    """What of an answer is compared: kind and shape; its numbers, 0 where broken; where it is broken."""

    kind: tuple[Any, ...]
    numbers: AnyArray
    broken: AnyArray


def looks(answer: Answer) -> list[Look]:
    """An answer's look; of a tuple the look of each array, one of which has to be right. Nothing where there is none."""
    match answer:
        case np.ndarray():
            return [_look("array", answer)]
        case Items(arrays=arrays):
            return [_look("item", array) for array in arrays]
        case Raised(type_name=name, kinds=kinds):
            return [_raised(name, kinds)]
    return []


def _look(kind: str, array: AnyArray) -> Look:
    numbers = array.astype(np.float64).ravel()
    broken = ~(np.abs(numbers) <= _BROKEN)
    return Look((kind, array.dtype == np.bool_, array.shape), np.where(broken, 0.0, numbers), broken)


def _raised(name: str, kinds: Sequence[str]) -> Look:
    nothing = np.empty(0)
    return Look(("raised", "shapes" if _SHAPE_ERRORS & set(kinds) else name), nothing, nothing)


def _look_of(node: Node) -> Look:
    """The look of what a model returned or raised."""
    match node.state:
        case Failed(error=error):
            return _raised(type(error).__name__, [kind.__name__ for kind in type(error).__mro__])
        case tuple() as items:
            return _look("item", items[0])
    return _look("array", node.state)


class Leaves:
    """All that a probe can become within one box: paths through the tree, and their answers stacked by kind."""

    def __init__(self, paths: Sequence[tuple[Node, ...]], tolerance: float) -> None:
        self.paths = paths
        found = [_look_of(path[-1]) for path in paths]
        self.stacks: dict[tuple[Any, ...], Stack] = {}
        for kind in {look.kind for look in found}:
            chosen = [number for number, look in enumerate(found) if look.kind == kind]
            self.stacks[kind] = Stack(chosen, [found[number] for number in chosen], tolerance)

    def like(self, seen: Sequence[Look]) -> list[tuple[Node, ...]]:
        """The paths that end in one of the looks."""
        stacks = [(self.stacks[look.kind], look) for look in seen if look.kind in self.stacks]
        return [self.paths[number] for stack, look in stacks for number in stack.like(look)]


class Stack:
    """Answers of one kind, one a row."""

    def __init__(self, rows: Sequence[int], found: Sequence[Look], tolerance: float) -> None:
        self.rows = np.array(rows)
        self.numbers = np.stack([look.numbers for look in found])
        self.broken = np.stack([look.broken for look in found])
        size = np.abs(self.numbers)
        self.gap = tolerance * (_RELATIVE * size + _SMALL * size.max(axis=1, keepdims=True, initial=1e-2))

    def like(self, look: Look) -> list[int]:
        """The rows that cannot be told from a look."""
        close = (np.abs(self.numbers - look.numbers) <= self.gap) & (self.broken == look.broken)
        found: list[int] = self.rows[close.all(axis=1)].tolist()
        return found


# ── the search ─────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=16)
def table_of(model: Model, seed: int) -> Table:
    """The one table of a model and a seed."""
    return Table(model, seed)


class Table:
    """A model's answers to the probes of one seed, worked out where they are asked for, and kept."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model = model
        self.probes = model.probes(seed)
        self.roots = [Node(model, model.begin(*args, **named)) for args, named in self.probes]
        self.tolerances = [_HALF_TOLERANCE if _is_half(args) else 1.0 for args, _ in self.probes]
        self.codes = list(model.switches.values())
        self.everything: Box = tuple(frozenset(codes) for codes in self.codes)
        self.harmless = [{setting for setting, code in codes.items() if not code} for codes in self.codes]
        self.known: dict[tuple[int, Box, int], Leaves] = {}

    def fitting(self, seen: Sequence[Sequence[Look]], most: int) -> list[Box]:
        """The boxes of up to `most` mistakes that answer every probe as seen."""
        boxes = [self.everything]
        for probe, look in enumerate(seen):
            boxes = [narrowed for box in boxes for narrowed in self._narrowed(probe, box, most, look)]
        return boxes

    def _narrowed(self, probe: int, box: Box, most: int, seen: Sequence[Look]) -> Iterator[Box]:
        for path in self._leaves(probe, box, most).like(seen):
            steps = zip(path, path[1:], box, strict=False)
            chosen = (frozenset(s for s in settings if node.child(s) is after) for node, after, settings in steps)
            yield (*chosen, *box[len(path) - 1 :])

    def _leaves(self, probe: int, box: Box, most: int) -> Leaves:
        key = probe, box, most
        if key not in self.known:
            forced = [not settings & harmless for settings, harmless in zip(box, self.harmless, strict=True)]
            due = [sum(forced[depth:]) for depth in range(len(box) + 1)]
            paths = tuple(self._paths((self.roots[probe],), box, due, most))
            self.known[key] = Leaves(paths, self.tolerances[probe])
        return self.known[key]

    def _paths(self, path: tuple[Node, ...], box: Box, due: Sequence[int], left: int) -> Iterator[tuple[Node, ...]]:
        """Every different way on from a path that stays in the box and takes up to `left` wrong settings.

        `due` counts the wrong settings that the box itself asks for, from each step on.
        """
        node = path[-1]
        if node.ended:
            yield path
            return
        met: set[Node] = set()
        for setting, code in self.codes[node.depth].items():
            after = left - bool(code)
            if (
                setting in box[node.depth]
                and after >= due[node.depth + 1]
                and (child := node.child(setting)) not in met
            ):
                met.add(child)
                yield from self._paths((*path, child), box, due, after)


def _is_half(arguments: Sequence[Any]) -> bool:
    return any(getattr(argument, "dtype", None) == np.float16 for argument in arguments)
