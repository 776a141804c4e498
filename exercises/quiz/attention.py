"""What is drawn for the number questions of attention.yml.

Each generator returns what the question shows, the right answer, and wrong answers to be expected: the number, the
mistake it comes of and why it is wrong.
"""

from typing import Any

import numpy as np

Drawn = tuple[dict[str, Any], float, list[tuple[float, str, str]]]


def two_keys(rng: np.random.Generator, reference: Any) -> Drawn:
    """Draw a query, two keys and two values; what the query gets is asked."""
    q = np.array([2, *rng.permutation([0, 1, 2])])
    while True:
        keys = rng.integers(0, 3, size=(2, 4))
        values = rng.choice([2, 4, 6, 8, 10, 20], size=2, replace=False)
        scores = keys @ q
        outputs = [reference.softmax(scores / divisor) @ values for divisor in (2, 1, 4)]
        outputs.append(scores @ values / 2)
        if _apart(outputs, 0.06) and abs(scores[0] - scores[1]) <= 6:
            break
    right, unscaled, by_d_k, raw = (float(output) for output in outputs)
    shown = {"q": _row(q), "k1": _row(keys[0]), "k2": _row(keys[1]), "v1": int(values[0]), "v2": int(values[1])}
    return (
        shown,
        right,
        [
            (unscaled, "missing-scaling", "The dot products went into the softmax as they are, not divided by √4 = 2."),
            (by_d_k, "wrong-scaling", "The scores were divided by d_k = 4; its square root, 2, is what they need."),
            (raw, "no-softmax", "These are the scaled scores times the values. Scores become weights by a softmax."),
        ],
    )


def spread_of_scores(rng: np.random.Generator, reference: Any) -> Drawn:  # noqa: ARG001
    """Draw d_k and the spread of the entries; the spread of a dot product is asked."""
    d_k = int(rng.choice([16, 25, 36, 64, 100, 144, 256, 400]))
    a, b = float(rng.choice([2, 3, 4])), float(rng.choice([0.5, 1, 5]))
    return (
        {"d_k": d_k, "a": f"{a:g}", "b": f"{b:g}"},
        a * b * d_k**0.5,
        [
            (a * b * d_k, "wrong-scaling", f"The variance, not the spread, is {d_k} times as large; its root is due."),
            (a * b, "missing-scaling", f"This is the spread of one product. A score is a sum of {d_k} of them."),
        ],
    )


def ratio_of_weights(rng: np.random.Generator, reference: Any) -> Drawn:
    """Draw d_k and the lead of one key; how many times the other's weight it gets is asked."""
    d_k, lead = ((4, 4), (4, 6), (4, 8), (16, 4), (16, 8), (16, 10), (64, 12), (64, 16))[int(rng.integers(8))]
    right, unscaled, by_d_k = (
        float(np.divide(*reference.softmax(np.array([lead / divisor, 0.0])))) for divisor in (d_k**0.5, 1, d_k)
    )
    late = "It is the same if the weights are scaled: that changes both alike."
    return (
        {"d_k": d_k, "lead": lead},
        right,
        [
            (unscaled, "missing-scaling", f"This is e to the power of {lead}, the lead before scaling. {late}"),
            (by_d_k, "wrong-scaling", f"The lead was divided by d_k = {d_k}, not by its square root."),
            (
                lead / d_k**0.5,
                "no-softmax",
                "This is the scaled lead. The softmax exponentiates it: leads become ratios.",
            ),
        ],
    )


def slope_of_weight(rng: np.random.Generator, reference: Any) -> Drawn:
    """Draw d_k and two raw scores; the slope of the first weight by its scaled score is asked."""
    root, scaled = int(rng.choice([4, 6, 8, 10])), float(rng.choice([1.5, 2, 2.5, 3]))
    d_k, lead = root**2, int(root * scaled)
    weights = [float(reference.softmax(np.array([lead / divisor, 0.0]))[0]) for divisor in (d_k**0.5, 1, d_k)]
    right, unscaled, by_d_k = (weight * (1 - weight) for weight in weights)
    return (
        {"d_k": d_k, "lead": lead, "root": root},
        right,
        [
            (unscaled, "missing-scaling", f"With the lead {lead} unscaled the softmax is saturated: hence so flat."),
            (by_d_k, "wrong-scaling", f"Divided by {d_k} in place of its root, the lead is nearly gone."),
            (weights[0], "returns-weights", "This is p itself. Its slope is p(1 - p), which is never above 0.25."),
        ],
    )


def output_scaled_late(rng: np.random.Generator, reference: Any) -> Drawn:
    """Draw d_k and one number for all values; what comes of weights divided by √d_k is asked."""
    d_k, n_k, value = int(rng.choice([4, 16, 64])), int(rng.integers(3, 8)), int(rng.choice([8, 16, 24, 40]))
    weights = reference.softmax(np.zeros(n_k)) / d_k**0.5
    return (
        {"d_k": d_k, "n_k": n_k, "value": value},
        float(weights @ np.full(n_k, value)),
        [
            (
                float(value),
                "scaling-after-softmax",
                "So it would be if the weights still summed to 1. Each was divided.",
            ),
            (value / d_k, "wrong-scaling", f"The weights were divided by √{d_k} = {d_k**0.5:.0f}, not by {d_k}."),
        ],
    )


def weights_over_queries(rng: np.random.Generator, reference: Any) -> Drawn:
    """Draw n_q, n_k and one number for all values; what a softmax over the queries gives is asked."""
    n_q, n_k = (int(size) for size in rng.choice([4, 5, 8, 10, 20], size=2, replace=False))
    value = int(rng.choice([10, 20, 30]))
    weights = reference.softmax(np.zeros((n_q, n_k)), axis=0)
    return (
        {"n_q": n_q, "n_k": n_k, "value": value},
        float(weights[0] @ np.full(n_k, value)),
        [
            (
                float(value),
                "softmax-wrong-axis",
                "That is the right attention. Here the columns sum to 1, not the rows.",
            ),
            (value / n_q, "no-softmax", f"That is what one key adds. The output is a sum over all {n_k} keys."),
            (
                value * n_q / n_k,
                "assumes-square",
                f"Turned round: over the queries, each of {n_q} equal weights is 1/{n_q}.",
            ),
        ],
    )


def largest_entry_in_float16(rng: np.random.Generator, reference: Any) -> Drawn:  # noqa: ARG001
    """Draw d_k; the largest whole number whose unscaled score float16 can hold is asked."""
    d_k = int(rng.choice([16, 25, 32, 36, 49, 64, 81, 100, 128, 144, 196, 256]))
    right, scaled, single = (int((65504 / terms) ** 0.5) for terms in (d_k, d_k**0.5, 1))
    return (
        {"d_k": d_k},
        float(right),
        [
            (
                float(scaled),
                "half-precision-overflow",
                "That is where the scaled score ends. The sum before it is larger.",
            ),
            (float(single), "half-precision-overflow", f"So far one product reaches. A score adds up {d_k} of them."),
        ],
    )


def memory_of_weights(rng: np.random.Generator, reference: Any) -> Drawn:  # noqa: ARG001
    """Draw the sizes and the type; the memory of the weights is asked."""
    n_q, n_k = (int(size) * 1000 for size in rng.choice([2, 5, 7, 12, 30], size=2, replace=False))
    d_k, width = int(rng.choice([64, 128])), int(rng.choice([2, 4]))
    return (
        {"n_q": n_q, "n_k": n_k, "d_k": d_k, "type": f"float{8 * width}", "width": width},
        n_q * n_k * width / 1e6,
        [
            (
                n_q * n_q * width / 1e6,
                "assumes-square",
                "The map has a column for each key; n_k differs from n_q here.",
            ),
            (n_q * d_k * width / 1e6, "wrong-shape", "That is the size of Q. The map has n_k entries a row, not d_k."),
            (n_q * n_k / 1e6, "wrong-type", f"These are entries, in millions. Each of them takes {width} bytes."),
        ],
    )


def size_of_cache(rng: np.random.Generator, reference: Any) -> Drawn:  # noqa: ARG001
    """Draw the sizes; the memory of one head's cache is asked."""
    n, d_k = int(rng.choice([1000, 2000, 5000])), int(rng.choice([64, 128]))
    d_v = int(rng.choice([32, 96]))
    return (
        {"n": n, "d_k": d_k, "d_v": d_v},
        n * (d_k + d_v) * 2 / 1e3,
        [
            (
                n * d_k * 2 / 1e3,
                "values-swapped",
                "That holds the keys alone. The values are averaged, so they are kept too.",
            ),
            (n * n * 2 / 1e3, "returns-weights", "That is a whole map of weights. Nobody asks for earlier rows again."),
        ],
    )


def _apart(answers: list[Any], tolerance: float) -> bool:
    """Whether no two answers are so close that they could be taken for each other."""
    return bool(np.diff(np.sort(answers)).min() > 5 * tolerance)


def _row(numbers: np.ndarray) -> str:
    return f"({', '.join(str(number) for number in numbers)})"
