"""Name what went wrong: what was observed, and the smallest set of mistakes that the failing tests point to.

Pure: it knows no exercise by name, runs nothing and prints nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from grader.answers import observed_code
from grader.report import Certainty, Outcome, Response

MOST_SUSPECTS = 3


def diagnose(
    outcomes: Sequence[Outcome], responses: Sequence[Response], mutated: bool, order: Sequence[str]
) -> list[tuple[str, Certainty]]:
    """Codes and how certain each is, in the order of `order` (the catalogue's); empty where all tests passed."""
    if all(outcome.outcome == "passed" for outcome in outcomes):
        return []
    seen = observe(responses, mutated)
    if "not-implemented" in seen:
        return [("not-implemented", "matched")]
    open_ = [outcome for outcome in outcomes if outcome.outcome == "failed" and not set(outcome.targets) & seen]
    guessed = set() if seen - {"mutates-input"} else suspect(open_, outcomes, order)
    found: dict[str, Certainty] = {}
    found.update(dict.fromkeys(guessed, "suspected"))
    found.update(dict.fromkeys(seen, "matched"))
    if not found and not any(outcome.outcome == "error" for outcome in outcomes):
        return [("unexplained", "suspected")]
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
