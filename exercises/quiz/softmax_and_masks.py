"""The numbers of the practice questions on the softmax and on masks: what is shown, what is right, what is likely."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

Draw = tuple[dict[str, Any], float, list[tuple[float, str, str]]]


def weight_of_the_largest(rng: np.random.Generator, reference: Any) -> Draw:
    """Three different small scores."""
    while True:
        scores = rng.choice(np.arange(-1, 4), size=3, replace=False)
        top = int(scores.max())
        e_top = float(np.exp(top))
        right = float(reference.softmax(scores.astype(float)).max())
        wrong = [
            (e_top, "not-normalised", f"This is e to the power of {top}, not yet divided by the sum of all three."),
            (e_top / 3, "not-normalised", "Here the exponential was divided by the number of scores, not by the sum."),
            (float(np.log(right)), "returns-log", "This is the logarithm of the weight, and no weight is negative."),
        ]
        if (total := int(scores.sum())) > 0:
            why = f"This is {top} divided by the sum of the scores, {total}. The scores have to be exponentiated first."
            wrong.append((top / total, "no-softmax", why))
        if _apart(right, wrong, tolerance=0.01):
            return {"scores": _listed(scores), "largest": top}, right, wrong


def weight_down_a_column(rng: np.random.Generator, reference: Any) -> Draw:
    """A table of two rows and two columns."""
    while True:
        x = rng.integers(0, 4, size=(2, 2))
        right, along_row = (float(reference.softmax(x, axis=axis)[0, 1]) for axis in (0, 1))
        over_all = float(reference.softmax(x.ravel())[1])
        wrong = [
            (along_row, "wrong-axis", "This is normalised along the row, axis 1. Axis 0 runs down the column."),
            (over_all, "wrong-axis", "This is normalised over all four numbers. With axis=0 only one column competes."),
            (float(np.exp(x[0, 1])), "not-normalised", "This is the exponential, not divided by the column's sum."),
        ]
        if _apart(right, wrong, tolerance=0.01):
            return {"first_row": _listed(x[0]), "second_row": _listed(x[1])}, right, wrong


def weight_among_large_scores(rng: np.random.Generator, reference: Any) -> Draw:
    """Two scores beyond 709, a little apart."""
    low, lead = int(rng.integers(8, 50)) * 100, float(rng.choice([0.5, 1, 1.5, 2]))
    right = float(reference.softmax(np.array([low, low + lead]))[0])
    wrong = [
        (0.5, "overflow", "So it would be if both scores were cut to one limit. But one leads, and the lead decides."),
        (
            float(np.exp(-lead)),
            "not-normalised",
            f"This is e to the power of -{lead:g}. It has still to be divided by the sum, which is 1 more.",
        ),
        (0.0, "overflow", f"Only the lead counts, not the size: at a lead of {lead:g} the lower score keeps a share."),
    ]
    return {"low": f"{low}", "high": f"{low + lead:g}"}, right, wrong


def allowed_pairs(rng: np.random.Generator, reference: Any) -> Draw:
    """A number of tokens."""
    n = int(rng.integers(5, 15))
    right = float(reference.causal_mask(n).sum())
    wrong = [
        (right - n, "hides-self", f"Here the diagonal is left out, {n} entries. Each token may see itself."),
        (right + n - 1, "sees-next", f"Here each token but the last also sees the next one: {n - 1} entries too many."),
        (float(n * n), "mask-ignored", "These are all pairs. What lies to the right of the diagonal is not allowed."),
    ]
    return {"n": n}, right, wrong


def output_with_a_hidden_key(rng: np.random.Generator, reference: Any) -> Draw:
    """Three small scores and three values."""
    while True:
        scores, values = rng.integers(0, 4, size=3), rng.choice(np.arange(1, 10), size=3, replace=False)
        seen, weak = np.array([True, True, False]), np.append(scores[:2], 0)
        blend = _blend(scores, values, reference)
        weights = reference.softmax(scores.astype(float))
        right = _blend(scores, values, reference, seen)
        wrong = [
            (
                float(weights[:2] @ values[:2]),
                "mask-after-softmax",
                "Here the third weight was dropped after the softmax, so the two that are left sum to less than 1.",
            ),
            (blend, "mask-ignored", "Here all three keys take part. The third one is hidden and has no weight."),
            (float(values[2]), "mask-inverted", "This is the value of the hidden key, the one that may not be seen."),
            (
                _blend(weak, values, reference),
                "weak-mask",
                "Here the third score counts as 0, and its exponential as 1. A hidden key has an exponential of 0.",
            ),
        ]
        if _apart(right, wrong, tolerance=0.01):
            return {"scores": _listed(scores), "values": _listed(values)}, right, wrong


def what_leaks_through_zero(rng: np.random.Generator, reference: Any) -> Draw:
    """The number of tokens, and the score of the first with itself."""
    while True:
        n, own = int(rng.integers(4, 21)), int(rng.integers(0, 4))
        weights = reference.softmax(np.array([float(own)] + [0.0] * (n - 1)))
        wrong = [
            (0.0, "weak-mask", "So it would be with `-inf`. A score of 0 does not hide: its exponential is 1."),
            (float(weights[1]), "weak-mask", f"This is the share of one hidden token. There are {n - 1} of them."),
            (float(n - 1), "not-normalised", "This is the sum of the hidden exponentials, not yet a share of all."),
        ]
        right = float(weights[1:].sum())
        if _apart(right, wrong, tolerance=0.01):
            return {"n": n, "own": own}, right, wrong


def boolean_added(rng: np.random.Generator, reference: Any) -> Draw:
    """Two small scores, whole or half."""
    while True:
        allowed, hidden = (float(score) for score in rng.integers(-2, 6, size=2) / 2)
        right, as_given, product = (
            float(reference.softmax(np.array(scores))[1])
            for scores in ([allowed + 1, hidden], [allowed, hidden], [allowed, 0.0])
        )
        wrong = [
            (0.0, "mask-added", "So it should be. But adding False adds 0, and takes nothing from the second score."),
            (as_given, "mask-ignored", "This is the weight without a mask. Adding True does something: it adds 1."),
            (product, "weak-mask", "This is the weight for `scores * mask`, which makes the second score 0."),
        ]
        if _apart(right, wrong, tolerance=0.01):
            return {"allowed": f"{allowed:g}", "hidden": f"{hidden:g}"}, right, wrong


def _blend(scores: np.ndarray, values: np.ndarray, reference: Any, mask: np.ndarray | None = None) -> float:
    """The output for one query with exactly these scaled scores."""
    keys, column = scores[:, np.newaxis].astype(float), values[:, np.newaxis].astype(float)
    rows = None if mask is None else mask[np.newaxis]
    return float(reference.attention(np.ones((1, 1)), keys, column, mask=rows)[0, 0])


def _listed(numbers: np.ndarray) -> str:
    return ", ".join(str(number) for number in numbers)


def _apart(right: float, wrong: list[tuple[float, str, str]], tolerance: float) -> bool:
    """Whether no answer, rounded or not, can be taken for another."""
    answers = [right, *(answer for answer, _, _ in wrong)]
    return all(abs(one - other) > 5 * tolerance for one, other in combinations(answers, 2))
