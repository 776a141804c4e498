"""The derivation of scaled dot-product attention as experiments on somebody's own functions.

Vaswani et al., "Attention Is All You Need" (2017), is the source of what is asked; the lesson tells it in words. What a
formula says is worked out here, what a function does is asked of the function: with the identity for V its output is
its weights, and the logarithms of a row of weights are the scores, up to one constant for the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from grader.finding import Bars, Curves, Finding, Grid, Lab, Line, Measured, numbers, table

Array = np.ndarray[Any, Any]

EXPERIMENTS = {  # each the name of a function below; what it shows, in a line
    "scaling": "why scores are divided by √d_k: variance, entropy and slope as d_k grows",
    "lookup": "who looks at whom in a sentence of seven words: 'it' finds its noun",
    "masking": "why the mask comes before the softmax: maps and row sums, before against after",
    "float16": "where scores leave the range of half precision, and what your weights are there",
    "stability": "naive against shifted softmax as scores grow",
    "cost": "time and memory of your attention as the text grows, and at 100,000 tokens",
}

ROW_ERROR = 0.02  # how far from 1 a row of weights may sum, float16 included
FEW = 3  # numbers that a sentence can tell apart
NEAR = 2e-3  # how far weights, or means of values near 1, may lie from the right ones


def weights_of(lab: Lab, Q: Array, K: Array, **named: Any) -> Array:
    """The weights (n_q, n_k), float64: with the identity for V the output is the weights."""
    answer = lab.ask("attention", (len(Q), len(K)), Q, K, np.eye(len(K), dtype=Q.dtype), **named)
    return np.asarray(answer, np.float64)


def insist_on_weights(lab: Lab, weights: Array) -> Array:
    """The weights, which have to be weights; ends the experiment where they are none."""
    if not np.isfinite(weights).all():
        lab.refuse("attention", "With the identity for V its output is its weights, and some of them are nan or inf.")
    sums = weights.sum(axis=-1)
    row = int(np.argmax(np.abs(sums - 1)))
    if weights.min() < 0 or abs(sums[row] - 1) > ROW_ERROR:
        why = f"the smallest is {weights.min():.3g}" if weights.min() < 0 else f"row {row + 1} sums to {sums[row]:.3g}"
        lab.refuse(
            "attention",
            f"With the identity for V its output is its weights, which should be 0 or more and sum to 1 in each row: "
            f"{why}.",
        )
    return weights


def softmax_of(x: Array) -> Array:
    """The softmax along the last axis, shifted by each row's maximum."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


def near(got: Array, right: Array) -> bool:
    """Whether all of these are the right ones; nan never is."""
    return bool(np.allclose(got, right, rtol=0, atol=NEAR))


def off(got: Array, right: Array) -> tuple[int, ...]:
    """Where the first lies furthest from the second, nan furthest of all."""
    distance = np.nan_to_num(np.abs(got - right), nan=np.inf)
    return tuple(int(place) for place in np.unravel_index(np.argmax(distance), distance.shape))


def listed(words: list[str]) -> str:
    """As a sentence has them: `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def instead(given: Sequence[tuple[str, str]], tried: int, every: str) -> str:
    """What came in place of what is right, and where: `nan at 32 and 48; 0.500 at 60`. `given` has place and value."""
    groups: dict[str, list[str]] = {}
    few = len({value for _, value in given}) <= FEW
    for place, value in given:
        groups.setdefault(value if few or "nan" in value or "inf" in value else "other numbers", []).append(place)
    return "; ".join(f"{value} at {every if len(at) == tried else listed(at)}" for value, at in groups.items())


def vector(values: Array, decimals: int = 3) -> str:
    """Numbers in brackets."""
    return f"({', '.join(f'{round(float(value), decimals) + 0.0:.{decimals}f}' for value in values)})"  # no -0.000


# ── why √d_k ───────────────────────────────────────────────────────────────────────────────────────

WIDTHS = (4, 16, 64, 256)
GROUPS, QUERIES, KEYS = 200, 10, 10  # for each d_k: 2,000 queries, and ten keys to each
PAIRS = 40_000  # of a query and a key, for the variance of q·k: it is then known to about 1 %
SAME = 0.02  # factors that differ by less are one
MULTIPLE = 0.99  # scores of whose variance a multiple of q·k explains so much are that multiple
EVEN = 1e-12  # scores of less variance are all one


def scaling(lab: Lab) -> Finding:
    """Draw queries and keys of variance 1, and look at what becomes of the scores as d_k grows.

    Vaswani et al. (2017), section 3.2.1: q·k has variance d_k, so the softmax is pushed to where its gradient is small.
    """
    drawn, read, rows, agree = [], [], [], []
    for d_k in WIDTHS:
        drawn.append(variance_of_products(lab.rng, d_k))
        Q, K = lab.rng.standard_normal((2, GROUPS, QUERIES, d_k))
        weights = np.stack([insist_on_weights(lab, weights_of(lab, q, k)) for q, k in zip(Q, K, strict=True)])
        raw = Q @ K.transpose(0, 2, 1)
        right = softmax_of(raw / np.sqrt(d_k))
        agree.append(near(weights, right))
        rows.append([typical(each) for each in (weights, right, softmax_of(raw))])
        read.append(scores_read(weights, raw))
    entropy, slope = np.array(rows).transpose(2, 1, 0)
    return Finding(
        title="Why the scores are divided by √d_k",
        conclusion=scaling_in_words(lab, drawn, read[-1], entropy, slope),
        pictures=(
            Curves(
                "Variance of the scores",
                "d_k",
                "variance",
                WIDTHS,
                (
                    Line(lab.label, numbers([each.variance for each in read])),
                    Line("q·k, drawn", numbers(drawn)),
                    Line("d_k (theory)", WIDTHS, theory=True),
                ),
                "log",
                "log",
            ),
            Curves(
                f"Entropy of a typical row, at most ln {KEYS} = {np.log(KEYS):.2f}",
                "d_k",
                "nats",
                *beside(lab, entropy),
            ),
            Curves("Slope of the softmax there: trace of diag(p) − p pᵀ", "d_k", "trace", *beside(lab, slope)),
        ),
        remarks=() if all(agree) else (not_scaled(lab, read, agree, entropy, slope),),
        source="Vaswani et al., Attention Is All You Need (2017), section 3.2.1, arXiv:1706.03762. Scores are "
        "recovered from weights: ln pᵢ is the score of key i, up to one constant for the row.",
    )


def variance_of_products(rng: np.random.Generator, d_k: int) -> float:
    """The variance of q·k, measured: entries are independent, of mean 0 and variance 1. Theory says d_k."""
    products = [(rng.standard_normal((PAIRS // 10, d_k)) * rng.standard_normal((PAIRS // 10, d_k))) for _ in range(10)]
    return float(np.var([each.sum(axis=-1) for each in products]))


def typical(weights: Array) -> tuple[float, float]:
    """Entropy in nats, −Σ pᵢ ln pᵢ, and trace of the softmax's Jacobian diag(p) − p pᵀ, which is 1 − Σ pᵢ²: medians."""
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return float(np.median(-(weights * logs).sum(axis=-1))), float(np.median(1 - (weights**2).sum(axis=-1)))


def recovered(weights: Array) -> Array:
    """The scores in each row, less their mean: the logarithms. nan where a weight is 0, which says nothing."""
    logs = np.log(weights, out=np.full_like(weights, np.nan), where=weights > 0)
    return np.asarray(logs - np.nanmean(logs, axis=-1, keepdims=True))


class Read(NamedTuple):
    """What weights tell of the scores they were made of; nan where they tell nothing.

    `factor` is what q·k was multiplied by, by least squares: 1/√d_k where it is right. `explained` is the share of the
    scores' variance that this accounts for, `unseen` the share of the keys whose weight is 0.
    """

    variance: float
    factor: float
    explained: float
    unseen: float

    def is_multiple(self) -> bool:
        """Whether the scores are q·k times a number, as far as they are known."""
        return self.explained > MULTIPLE

    def is_right(self, d_k: int) -> bool:
        """Whether that number is 1/√d_k."""
        return self.is_multiple() and abs(self.factor * d_k**0.5 - 1) < SAME


def scores_read(weights: Array, raw: Array) -> Read:
    """Read the scores off the weights, in the rows where more than one key has a weight."""
    unseen = float(np.mean(weights == 0))
    some = (weights > 0).sum(axis=-1) > 1
    if not some.any():
        return Read(np.nan, np.nan, np.nan, unseen)
    scores, count = recovered(weights[some]), (weights[some] > 0).sum(axis=-1)
    if (total := float(np.nansum(scores**2))) < EVEN * scores.size:
        return Read(0.0, 0.0, 1.0, unseen)
    raw = np.where(np.isfinite(scores), raw[some], np.nan)
    raw = raw - np.nanmean(raw, axis=-1, keepdims=True)
    factor = float(np.nansum(scores * raw) / np.nansum(raw * raw))
    explained = 1 - float(np.nansum((scores - factor * raw) ** 2)) / total
    return Read(float(np.mean(np.nansum(scores**2, axis=-1) / (count - 1))), factor, explained, unseen)


def beside(lab: Lab, values: Array) -> tuple[Any, ...]:
    """The points, lines and scales of a plot with the function's own values beside both formulas'."""
    yours, scaled, raw = map(numbers, values)
    lines = Line(lab.label, yours), Line("with √d_k", scaled, theory=True), Line("without", raw, theory=True)
    return WIDTHS, lines, "log"


def scaling_in_words(lab: Lab, drawn: list[float], read: Read, entropy: Array, slope: Array) -> str:
    """The conclusion: how q·k grows, what the function makes of it, and what is left to learn from."""
    d_k, grows = WIDTHS[-1], np.polyfit(np.log(WIDTHS), np.log(drawn), 1)[0]
    known = f"measured {drawn[-1]:.1f} over {PAIRS:,} pairs at d_k = {d_k}; theory: {d_k}"
    growth = f"The variance of q·k grows as d_k^{grows:.2f} ({known})"
    first, last = slope[0][[0, -1]]
    kept = f"a typical row has entropy {entropy[0][-1]:.3f} of {np.log(KEYS):.3f} nats and slope {last:.3f}"
    if last < 0.1 * slope[1][-1]:
        fell = f", down from {first:.3f} at d_k = {WIDTHS[0]}" if first > 2 * last else ""
        kept += f"{fell}: the softmax has collapsed, and little is learnt"
    return f"{growth}; {made_of_products(lab, read, d_k)}, and {kept}."


def made_of_products(lab: Lab, read: Read, d_k: int) -> str:
    """What the function makes of q·k, as far as its weights tell."""
    whose = lab.whose("attention")
    if np.isnan(read.factor):
        return f"{whose} gives all the attention of a query to one key, so that no scores can be read off its weights"
    if not read.variance:
        return f"{whose} gives all keys the same weight, whatever q·k is"
    seen = f" and gives none of its attention to {read.unseen:.0%} of the keys" if read.unseen else ""
    spread = f"so its scores have variance {brief(read.variance)} ({GROUPS * QUERIES:,} rows of {KEYS})"
    if read.is_multiple():
        right = f" = 1/√{d_k}" if read.is_right(d_k) else ""
        return f"{whose} multiplies q·k by {read.factor:.4f}{right}{seen}, {spread}"
    share = f"of their variance {brief(read.variance)} the nearest explains {max(read.explained, 0):.0%}"
    return f"the scores of {whose} are no multiple of q·k ({share}){seen.replace(' and gives', ', which gives')}"


def brief(value: float) -> str:
    """A number with two decimals, or two digits where that would be next to nothing."""
    return f"{value:,.2f}" if value >= 0.1 or value == 0 else f"{value:.2g}"


def not_scaled(lab: Lab, read: list[Read], agree: list[bool], entropy: Array, slope: Array) -> str:
    """What a right attention does in place of what the function does, at the d_k where that shows most."""
    grade = f"`{lab.grade('attention')}` says what differs."
    factors = [
        (abs(np.log(abs(each.factor) * d_k**0.5 + 1e-9)), d_k, each.factor)
        for d_k, each in zip(WIDTHS, read, strict=True)
        if each.is_multiple() and not each.is_right(d_k)
    ]
    if factors:
        _, d_k, factor = max(factors)
        right = f"A right attention multiplies q·k by 1/√{d_k} = {d_k**-0.5:.4f} at d_k = {d_k}"
        return f"{right}, {lab.label} by {factor:.4f}. {grade}"
    last = max(place for place, fine in enumerate(agree) if not fine)
    right = f"a typical row has entropy {entropy[1][last]:.3f} and slope {slope[1][last]:.3f} there"
    return f"A right attention gives these keys other weights at d_k = {WIDTHS[last]}: {right}. {grade}"


# ── a soft look-up ─────────────────────────────────────────────────────────────────────────────────

WORDS = ("the", "cat", "slept", "because", "it", "was", "tired")
# What an embedding says of its word: names a thing, is alive, tells an event, is glue between words; means an animal,
# an action, a state; stands for something said before.
X = np.array(
    [
        [0, 0, 0, 2, 0, 0, 0, 0],
        [2, 2, 0, 0, 1, 0, 0, 0],
        [0, 1, 2, 0, 0, 1, 0, 0],
        [0, 0, 0, 2, 0, 0, 0, 0],
        [1, 0, 0, 1, 0, 0, 0, 1],
        [0, 0, 1, 1, 0, 0, 0, 0],
        [0, 1, 1, 0, 0, 0, 1, 0],
    ],
    float,
)
W_K = np.eye(8, 4)  # a word is found by its first four numbers
W_V = np.eye(8, 3, -4)  # and hands over what it means
W_Q = np.zeros((8, 4))
W_Q[7] = 2, 2, 0, 0  # what stands for another word looks for a thing that is alive,
W_Q[2] = 1, 1, 0, 0  # an event for who did it
IT, CAT, TIRED = WORDS.index("it"), WORDS.index("cat"), WORDS.index("tired")


def lookup(lab: Lab) -> Finding:
    """Draw the map of a sentence: queries, keys and values are projections of hand-made embeddings.

    Soft look-up: Bahdanau et al. (2014); with queries, keys and values: Vaswani et al. (2017), section 3.2.1.
    """
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    weights = insist_on_weights(lab, weights_of(lab, Q, K))
    output = np.asarray(lab.ask("attention", (7, 3), Q, K, V), float)
    right = softmax_of(Q @ K.T / np.sqrt(4))
    means, made = output[IT], weights[IT] @ V
    follows, agrees = near(output, weights @ V), near(weights, right)
    nouns = most_looked_at(weights[IT])
    conclusion = f"'it' gives {attention_in_words(weights[IT], nouns)}"
    over = "its output over (animal, action, state) is"
    conclusion += f", so {over} {vector(means)}" if near(means, made) else f", but {over} {vector(means)}"
    conclusion += "" if near(means, made) else f", where these weights make {vector(made)}"
    return Finding(
        title="A soft look-up: who looks at whom",
        conclusion=conclusion + (": the pronoun found its noun." if nouns == [CAT] and agrees and follows else "."),
        pictures=(
            Grid("Each row is a word that looks, each column one that is looked at", WORDS, WORDS, table(weights)),
        ),
        remarks=() if agrees and follows else (not_found(lab, weights, right, output, V),),
        source="Bahdanau et al., Neural Machine Translation by Jointly Learning to Align and Translate (2014), "
        "arXiv:1409.0473; Vaswani et al. (2017), section 3.2.1. Embeddings and projections are made by hand.",
    )


def most_looked_at(row: Array) -> list[int]:
    """The words that have the largest weight; several where that is one number."""
    return [int(place) for place in np.flatnonzero(row > row.max() - NEAR / 2)]


def attention_in_words(row: Array, most: list[int]) -> str:
    """How much of the attention those words have which have most."""
    largest = f"{row.max():.3f} of its attention"
    if len(most) == len(WORDS):
        return f"{largest} to every word alike"
    names = [f"'{WORDS[place]}'" for place in most]
    return f"{largest} {'each ' if len(most) > 1 else ''}to {listed(names)}"


def not_found(lab: Lab, weights: Array, right: Array, output: Array, V: Array) -> str:
    """What a right attention gives in place of what the function does, in the row of 'it' if it shows there."""
    grade = f"`{lab.grade('attention')}` says what differs."
    if not near(weights, right):
        row, column = (IT, CAT) if not near(weights[IT], right[IT]) else off(weights, right)
        return f"With a right attention '{WORDS[row]}' gives {right[row, column]:.3f} to '{WORDS[column]}'. {grade}"
    row = IT if not near(output[IT], right[IT] @ V) else off(output, right @ V)[0]
    given = f"not {vector(output[row])}" if row != IT else "with these very weights"
    return f"With a right attention the output of '{WORDS[row]}' is {vector(right[row] @ V)}, {given}. {grade}"


# ── the mask ───────────────────────────────────────────────────────────────────────────────────────


def masking(lab: Lab) -> Finding:
    """Hide the future from each word, once before the softmax and once after it, and see what leaks.

    Vaswani et al. (2017), section 3.2.3: illegal connections are set to −∞ in the input of the softmax.
    """
    Q, K, allowed = X @ W_Q, X @ W_K, np.tri(len(WORDS), dtype=bool)
    louder = K.copy()
    louder[TIRED] = 0, 4, 0, 0  # a key that 'it' would look at as hard as at 'cat', were it allowed to
    masked = np.stack([weights_of(lab, Q, keys, mask=allowed) for keys in (K, louder)])
    whole = np.stack([insist_on_weights(lab, weights_of(lab, Q, keys)) for keys in (K, louder)])
    if not ((masked >= 0) & (masked <= 1 + ROW_ERROR)).all():  # nan is neither
        lab.refuse("attention", "With a causal mask some of its weights are nan, below 0 or above 1.")
    scores = np.stack([Q @ keys.T / 2 for keys in (K, louder)])
    right = softmax_of(np.where(allowed, scores, -np.inf)), softmax_of(scores)
    good = near(masked, right[0]), near(whole, right[1])
    whose, late = lab.whose("attention"), whole * allowed
    differs = wrongly_masked(masked, whole, right, good, allowed)
    return Finding(
        title="Why the mask comes before the softmax",
        conclusion=masking_in_words(whose, masked, late, good),
        pictures=(
            Grid(f"{sentence_case(whose)}, given the mask", WORDS, WORDS, table(masked[0]), sums=True),
            Grid(
                f"Masked after the softmax: {whose} without a mask, its weights for hidden words then set to 0",
                WORDS,
                WORDS,
                table(late[0]),
                sums=True,
            ),
            Bars(
                "What 'it' gives to 'cat' as the score of 'tired', which is hidden from it, rises from 1 to 4",
                ("given the mask, at 1", "given the mask, at 4", "masked after, at 1", "masked after, at 4"),
                numbers([*masked[:, IT, CAT], *late[:, IT, CAT]]),
            ),
        ),
        remarks=() if all(good) else (f"{differs} `{lab.grade('attention')}` says what differs.",),
        source="Vaswani et al., Attention Is All You Need (2017), section 3.2.3, arXiv:1706.03762.",
    )


def masking_in_words(whose: str, masked: Array, late: Array, good: tuple[bool, bool]) -> str:
    """The conclusion: what is so with the mask, and what a late one does to the weights there are without."""
    given = (
        f"Given the mask, {whose} gives the weights of one masked before the softmax: {sums_in_words(masked[0])}"
        if good[0]
        else f"Given the mask, {sums_in_words(masked[0])} in {whose}"
    )
    after = (
        "masked after the softmax" if good[1] else "without the mask, and its weights for hidden words then set to 0"
    )
    if near(masked, late):
        return f"{given}, and 'it' gives 'cat' {with_the_score(late[:, IT, CAT])}: just as {after}."
    return (
        f"{given}, and 'it' gives 'cat' {with_the_score(masked[:, IT, CAT])}; {after}, {sums_in_words(late[0])}, and "
        f"'it' gives 'cat' {with_the_score(late[:, IT, CAT])}."
    )


def with_the_score(weight: Array) -> str:
    """Two weights, before and after the score of the hidden word rises."""
    low, high = (f"{value:.3f}" for value in weight)
    if low == high:
        return f"{low}, whether the hidden word 'tired' scores 1 or 4"
    return f"{low} while the hidden word 'tired' scores 1, but {high} once it scores 4"


def wrongly_masked(
    masked: Array, whole: Array, right: tuple[Array, Array], good: tuple[bool, bool], allowed: Array
) -> str:
    """What a right attention does, with the mask and without, where the function does otherwise."""
    which, row, column = (0, IT, CAT) if not near(masked[:, IT], right[0][:, IT]) else off(masked, right[0])
    weight, late = right[0][which, row, column], (right[1] * allowed)[:, IT, CAT]
    with_it = f"With a right attention every row sums to 1 under the mask, and '{WORDS[row]}' gives '{WORDS[column]}' "
    with_it += f"{weight:.3f}" + (
        " both times." if (row, column) == (IT, CAT) else f", not {masked[which, row, column]:.3f}."
    )
    why = (
        "these weights are not a right attention's"
        if (whole * ~allowed).any()
        else "the later words get none of its attention either"
    )
    without = (
        f"Without a mask {why}, so this does not show what a late mask does: with a right one, 'it' gives 'cat' "
        f"{late[0]:.3f}, but {late[1]:.3f} once 'tired', which is hidden from it, scores 4."
    )
    return " ".join(text for text, fine in zip((with_it, without), good, strict=True) if not fine)


def sentence_case(text: str) -> str:
    """The text with its first letter large."""
    return text[:1].upper() + text[1:]


def sums_in_words(weights: Array) -> str:
    """What the rows sum to."""
    sums = weights.sum(axis=-1)
    if np.ptp(sums) < 1e-3:
        return f"each row sums to {sums[0]:.3f}"
    return f"the rows sum to between {sums.min():.3f} and {sums.max():.3f}"


# ── half precision ─────────────────────────────────────────────────────────────────────────────────

HALF_END = float(np.finfo(np.float16).max)
ENTRIES = (8, 16, 24, 32, 48, 60, 90, 128)
PROMISED = 60  # up to here the scaled scores are far enough below the end for any right attention
HALF_WIDTH = 64


def float16(lab: Lab) -> Finding:
    """Make the entries of a query and its key larger, in float16, until their scores leave its range.

    IEEE 754, binary16: the largest number is 65,504. Micikevicius et al. (2018) keep sums of products in float32.
    The same numbers in float64 tell whether it is float16 that breaks what breaks.
    """
    half, double = (np.array([of_size(lab, size, kind) for size in ENTRIES]) for kind in (np.float16, np.float64))
    raw = np.array([HALF_WIDTH * size**2 for size in ENTRIES], float)
    scaled = raw / np.sqrt(HALF_WIDTH)
    first = int(np.sqrt(HALF_END / HALF_WIDTH)) + 1
    range_ends = (
        f"With d_k = {HALF_WIDTH}, raw scores leave float16, which ends at {HALF_END:,.0f}, from entries of {first} on "
        f"({HALF_WIDTH} · {first}² = {HALF_WIDTH * first**2:,}), scaled ones from "
        f"{int(np.sqrt(HALF_END / np.sqrt(HALF_WIDTH))) + 1} on"
    )
    return Finding(
        title="Where scores leave the range of float16",
        conclusion=f"{range_ends}; {weights_by_size(lab, half)}.",
        pictures=(
            Curves(
                "The score of the best key",
                "size of entries",
                "score",
                ENTRIES,
                (
                    Line("raw q·k", numbers(raw), theory=True),
                    Line("q·k / √d_k", numbers(scaled), theory=True),
                    Line("end of float16", (HALF_END,) * len(ENTRIES), theory=True),
                ),
                "log",
                "log",
            ),
            Bars(
                f"Weight of the best key in {lab.whose('attention')}, by the size of the entries (right: 1.000)",
                tuple(str(size) for size in ENTRIES),
                numbers(half[:, 0]),
            ),
        ),
        remarks=out_of_range(lab, half, double),
        source="IEEE 754-2019, binary16; Micikevicius et al., Mixed Precision Training (2018), arXiv:1710.03740.",
    )


def of_size(lab: Lab, size: int, kind: type[np.floating[Any]]) -> Array:
    """The weights of two keys, the better one first, where the entries are so large and of that kind."""
    Q, K = np.full((1, HALF_WIDTH), size), np.array([[size], [size * 31 / 32]]).repeat(HALF_WIDTH, axis=1)
    with np.errstate(all="ignore"):
        return np.asarray(weights_of(lab, Q.astype(kind), K.astype(kind))[0])


def first_alone(weights: Array) -> bool:
    """Whether the better key has all the weight: its score is higher by 16 at least, of every size tried."""
    return near(weights, np.array([1.0, 0.0]))


def weights_by_size(lab: Lab, weights: Array) -> str:
    """At which sizes the weights are right, and what they are elsewhere."""
    whose, last = lab.whose("attention"), ENTRIES[-1]
    wrong = [(str(size), best(row)) for size, row in zip(ENTRIES, weights, strict=True) if not first_alone(row)]
    if not wrong:
        return f"{whose} gives all the weight, 1.000, to the best key at every size tried, up to {last}"
    others, good = instead(wrong, len(ENTRIES), "every size tried"), len(ENTRIES) - len(wrong)
    if not good:
        return f"{whose} gives all the weight, 1.000, to the best key at no size tried, but {others}"
    return f"{whose} gives all the weight, 1.000, to the best key at {good} of {len(ENTRIES)} sizes, but {others}"


def best(weights: Array) -> str:
    """The weight of the better key, and the other's where that is what is wrong."""
    first = f"{weights[0]:.3f}" if not abs(weights[0]) >= 100 else f"{weights[0]:,.0f}"
    return first if not abs(weights[0] - 1) <= NEAR else f"{first} to it and {weights[1]:.3g} to the other"


def out_of_range(lab: Lab, half: Array, double: Array) -> tuple[str, ...]:
    """What is wrong that need not be. Beyond what is promised, float16 may end."""
    in_half, in_double = (
        [size for size, row in zip(ENTRIES, weights, strict=True) if not first_alone(row)] for weights in (half, double)
    )
    grade, remarks = f"`{lab.grade('attention')}`", []
    if any(size <= PROMISED and size not in in_double for size in in_half):
        remedy = "Scale the queries before the product, or compute in float32: nothing is then larger than it need be."
        remarks.append(f"{remedy} {grade} shows the check.")
    if in_double:
        where = "every size" if len(in_double) == len(ENTRIES) else listed([str(size) for size in in_double])
        remarks.append(
            f"In float64 it goes wrong too, at {where}: there float16 is not to blame. {grade} says what differs."
        )
    return tuple(remarks)


# ── a softmax that survives ────────────────────────────────────────────────────────────────────────

SHIFTS = (-10_000, -1_000, -700, -100, 0, 100, 707, 708, 1_000, 10_000)


def stability(lab: Lab) -> Finding:
    """Shift three scores further and further; their weights must not change.

    Blanchard, Higham and Higham (2021): the softmax shifted by the maximum is as accurate as the other, and never
    leaves the range.
    """
    scores = np.array(SHIFTS, float)[:, np.newaxis] + np.arange(3.0)
    with np.errstate(all="ignore"):
        naive = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    yours = np.array([lab.ask("softmax", (3,), row) for row in scores], float)
    right = softmax_of(np.arange(3.0))
    good = [near(row, right) for row in yours]
    return Finding(
        title="Naive against shifted softmax",
        conclusion=f"The scores c + (0, 1, 2) have the weights {vector(right)} whatever c is; the naive "
        f"exp(x) / Σ exp(x) gives nan {naive_ends(naive)}; {weights_by_shift(lab, yours, good)}.",
        pictures=(
            Curves(
                f"Weight of the largest of the scores c + (0, 1, 2); right is {right[-1]:.3f} for every c",
                "c",
                "weight",
                SHIFTS,
                (Line("naive", numbers(naive[:, -1]), theory=True), Line(lab.label, numbers(yours[:, -1]))),
                "even",
            ),
            Grid(
                f"All three weights in {lab.whose('softmax')}; right is {vector(right)} for every c",
                tuple(f"c = {shift:,}" for shift in SHIFTS),
                ("c + 0", "c + 1", "c + 2"),
                table(yours),
                sums=True,
            ),
        ),
        remarks=() if all(good) else (not_stable(lab, yours[SHIFTS.index(0)], right),),
        source="Blanchard, Higham and Higham, Accurately computing the log-sum-exp and softmax functions (2021), "
        "doi:10.1093/imanum/draa038.",
    )


def naive_ends(naive: Array) -> str:
    """Where the naive softmax gives nan, and why."""
    lost = [shift for shift, row in zip(SHIFTS, naive, strict=True) if not np.isfinite(row).all()]
    first, last = min(shift for shift in lost if shift > 0), max(shift for shift in lost if shift < 0)
    return (
        f"from c = {first:,} on, where e^{first + 2} is past the largest float64, and from c = {last:,} down, where "
        "every exponential is 0"
    )


def weights_by_shift(lab: Lab, yours: Array, good: list[bool]) -> str:
    """At which shifts the weights are right, and what they are elsewhere."""
    whose = lab.whose("softmax")
    if all(good):
        return f"{whose} gives these weights at each of {len(SHIFTS)} shifts from {SHIFTS[0]:,} to {SHIFTS[-1]:,}"
    wrong = [
        (f"{shift:,}", "nan" if np.isnan(row).any() else vector(row))
        for shift, row, fine in zip(SHIFTS, yours, good, strict=True)
        if not fine
    ]
    at = f"at {sum(good)} of {len(SHIFTS)} shifts" if any(good) else "at no shift tried"
    return f"{whose} gives these weights {at}, but {instead(wrong, len(SHIFTS), 'every shift')}"


def not_stable(lab: Lab, unshifted: Array, right: Array) -> str:
    """What to do about it: where not even c = 0 comes out right, a shift mends nothing."""
    grade = f"`{lab.grade('softmax')}` says what differs."
    if not near(unshifted, right):
        return f"Even the scores (0, 1, 2) get the weights {vector(unshifted)}, so it is not their size alone. {grade}"
    return f"Subtracting each row's own maximum changes no weight and keeps every exponential at most 1. {grade}"


# ── the cost ───────────────────────────────────────────────────────────────────────────────────────

SMALLEST, LARGEST = 32, 4_096
COST_WIDTHS = 256, 128  # d_k and d_v: the products take their part of the time, and the output can be sent
LONG = 100_000
# A length is tried so often at least, and again until it took so long. The least counts: others use the machine too.
FEWEST_TIMES, ENOUGH_SECONDS, MOST_TIMES = 3, 1.0, 15
FITTED = 4  # the longest lengths tell how it grows: for short ones, what a call costs by itself is most of it
LEAST_BYTES = 2e6  # of less, most is what Python itself takes now and then
MEGABYTE, GIGABYTE = 1e6, 1e9
STUDENT = {1: 12.71, 2: 4.30}  # the 97.5 % points of Student's t, by degrees of freedom
LOOSE = 30  # a range from which on a fit tells nothing
FAR = 0.5  # from the exponent 2: less is what short texts and other work on the machine make of it
WAITS = 0.1  # seconds
COST_ERROR = 0.05  # of means of values near 1, whatever precision the scores are in


def cost(lab: Lab) -> Finding:
    """Time attention on longer and longer texts, and fit how time and memory grow.

    Vaswani et al. (2017), table 1: a layer of self-attention takes O(n² d). Dao et al. (2022) avoid the O(n²) memory.
    """
    d_k, d_v = COST_WIDTHS
    text = drawn_texts(lab.rng, SMALLEST)
    output = np.asarray(lab.ask("attention", (SMALLEST, d_v), *text), float)
    lengths, seconds, held, waited, why = measured(lab)
    if len(lengths) < 3:
        lab.refuse("attention", f"It is too slow to be measured on {SMALLEST} tokens and more: {why}.")
    n, time = lengths[-1], growth(lengths, seconds)
    memory = growth(lengths, held) if min(held[-FITTED:]) > LEAST_BYTES else None
    other = f"What it gives for {SMALLEST} tokens is not attention, so this is the cost of something else."
    return Finding(
        title="What attention costs",
        conclusion=cost_in_words(lab, lengths, time, memory),
        pictures=(
            Curves(
                f"Processor time of a call, d_k = {d_k}, d_v = {d_v}, float32",
                "n",
                "milliseconds",
                numbers(lengths),
                (
                    Line(lab.label, numbers(1e3 * np.array(seconds))),
                    Line("as n²", numbers(1e3 * seconds[-1] * (np.array(lengths) / n) ** 2), theory=True),
                ),
                "log",
                "log",
            ),
            *memory_drawn(lab, lengths, held),
        ),
        remarks=() if is_attention(text, output) else (f"{other} `{lab.grade('attention')}` says what differs.",),
        notes=tuple(cost_notes(n, time, waited, why)),
        source="Vaswani et al. (2017), table 1, arXiv:1706.03762; what avoids the memory, though not the time: Dao et "
        "al., FlashAttention (2022), arXiv:2205.14135. Times are this machine's, on one processor core.",
    )


def memory_drawn(lab: Lab, lengths: list[int], held: list[float]) -> Iterator[Curves]:
    """What calls took, where that is known: a short one finds room in what Python has at hand."""
    known = [(length, size) for length, size in zip(lengths, held, strict=True) if size]
    if len(known) > 1:
        at, sizes = np.array(known, float).T
        weights = Line("n² weights", numbers(4 * at**2 / MEGABYTE), theory=True)
        yours = Line(f"{lab.label}, at most", numbers(sizes / MEGABYTE))
        where = "" if len(known) == len(lengths) else ", where it is more than Python had at hand"
        yield Curves(f"Memory that a call takes{where}", "n", "megabytes", numbers(at), (yours, weights), "log", "log")


def drawn_texts(rng: np.random.Generator, n: int) -> list[Array]:
    """Q, K and V of `n` tokens, float32."""
    d_k, d_v = COST_WIDTHS
    return [rng.standard_normal((n, width)).astype(np.float32) for width in (d_k, d_k, d_v)]


def is_attention(text: list[Array], output: Array) -> bool:
    """Whether this is what attention makes of Q, K and V, in any precision."""
    Q, K, V = (np.asarray(part, float) for part in text)
    right = softmax_of(Q @ K.T / np.sqrt(Q.shape[1])) @ V
    return bool(np.allclose(output, right, rtol=0, atol=COST_ERROR))


def cost_notes(n: int, time: Growth, waited: float, why: str) -> Iterator[str]:
    """What the numbers cannot be taken for."""
    if why:
        yield f"It was measured up to n = {n:,} only: {why}."
    if time.exponent < 2 - FAR:
        yield (
            f"{time.power()} is far from n²: either the n² scores are not what takes its time at these "
            "lengths, or not all of them are worked out. What attention costs on long texts cannot be seen from it."
        )
    if time.exponent > 2 + FAR:
        yield f"{time.power()} is far from n²: it does more than n² scores, and a softmax of them, ask for."
    if waited > WAITS:
        yield f"A call on {SMALLEST} tokens also waited for {waited:.1f} seconds, which no processor time shows."


def measured(lab: Lab) -> tuple[list[int], list[float], list[float], float, str]:
    """Lengths, doubled each time, the processor seconds and bytes a call takes on each, how long the shortest waits.

    Last comes why it went no further.

    The way up shows what can be measured, and what memory each length takes when it is new. The way down takes the
    time: then the memory is at hand, and no length pays for getting it.
    """
    found, why = way_up(lab)
    for n, tries in reversed(found.items()):
        lab.say(f"n = {n:,} again")
        text = drawn_texts(lab.rng, n)
        while len(tries) < FEWEST_TIMES or (
            len(tries) < MOST_TIMES and sum(max(each.seconds, each.passed) for each in tries) < ENOUGH_SECONDS
        ):
            again = lab.measure("attention", *text)
            if again.why:  # it was close to a limit the first time
                break
            tries.append(again)
    seconds = [min(each.seconds for each in tries) for tries in found.values()]
    waited = min((each.passed - each.seconds for each in found.get(SMALLEST, [])), default=0.0)
    return list(found), seconds, [tries[0].bytes for tries in found.values()], waited, why


def way_up(lab: Lab) -> tuple[dict[int, list[Measured]], str]:
    """One call for each length, and why the next length gave no answer; "" after the longest."""
    found: dict[int, list[Measured]] = {}
    n = SMALLEST
    while n <= LARGEST:
        lab.say(f"n = {n:,}")
        once = lab.measure("attention", *drawn_texts(lab.rng, n))
        if once.why:
            return found, f"with n = {n:,} the call {once.why}"
        found[n] = [once]
        n *= 2
    return found, ""


class Growth(NamedTuple):
    """A power of n through the longest lengths: its exponent, and what it comes to for a long text, within a range."""

    exponent: float
    least: float
    value: float
    most: float

    def power(self) -> str:
        """The power of n."""
        return f"n^{round(self.exponent, 2) + 0.0:.2f}"  # no -0.00


def growth(lengths: list[int], values: list[float]) -> Growth:
    """Fit log(values) by a line in log(lengths), and carry it on; the range is where it lies with 95 % confidence.

    Draper and Smith, Applied Regression Analysis (1998), on the standard error of a fitted value.
    """
    x, y = np.log(lengths[-FITTED:]), np.log(values[-FITTED:])
    slope, level = np.polyfit(x, y, 1)
    left = np.sum((y - slope * x - level) ** 2) / (len(x) - 2)
    error = np.sqrt(left * (1 / len(x) + (np.log(LONG) - x.mean()) ** 2 / np.sum((x - x.mean()) ** 2)))
    at, margin = slope * np.log(LONG) + level, STUDENT[len(x) - 2] * error
    return Growth(float(slope), *(float(np.exp(at + part)) for part in (-margin, 0.0, margin)))


def cost_in_words(lab: Lab, lengths: list[int], time: Growth, memory: Growth | None) -> str:
    """The conclusion: both exponents, and what they come to for a long text."""
    first, last = lengths[-FITTED:][0], lengths[-1]
    grows = f"From n = {first:,} to {last:,} the processor time of {lab.whose('attention')} grows as {time.power()}"
    grows += f" and its memory as {memory.power()}" if memory else ""
    weights = f"{4 * LONG**2 / GIGABYTE:.0f} GB"
    held = carried_on(memory, "memory", size) if memory else ""
    held = f"{held}, where the n² weights alone are {weights}" if held else f"to hold its n² weights {weights}"
    took = carried_on(time, "processor time", duration)
    return f"{grows} (theory: n²), so by that one head over {LONG:,} tokens would take {took}, and {held}."


def carried_on(grown: Growth, what: str, words: Callable[[float], str]) -> str:
    """How much of it a long text takes, as far as the fit can be trusted."""
    if grown.most > LOOSE * grown.least:
        return f"an unknown amount of {what} (these points lie too unevenly to tell)"
    least, value, most = (words(each) for each in grown[1:])
    return f"{value} of {what}" + ("" if least == most else f" (between {least} and {most})")


def size(number: float) -> str:
    """A number of bytes in the unit that suits it."""
    if number < GIGABYTE:
        return f"{number / MEGABYTE:,.0f} MB"
    return f"{number / GIGABYTE:,.{0 if number >= 10 * GIGABYTE else 1}f} GB"


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:.1f} seconds" if seconds >= 1 else f"{1e3 * seconds:.0f} milliseconds"
