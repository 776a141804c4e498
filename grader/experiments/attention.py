"""The derivation of scaled dot-product attention as experiments on somebody's own functions.

Vaswani et al., "Attention Is All You Need" (2017), is the source of what is asked; the lesson tells it in words. What a
formula says is worked out here, what a function does is asked of the function: with the identity for V its output is
its weights, and the logarithms of a row of weights are the scores, up to one constant for the row.
"""

from __future__ import annotations

from typing import Any

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


# ── why √d_k ───────────────────────────────────────────────────────────────────────────────────────

WIDTHS = (4, 16, 64, 256)
GROUPS, QUERIES, KEYS = 200, 10, 10  # for each d_k: 2,000 queries, and ten keys to each
PAIRS = 40_000  # of a query and a key, for the variance of q·k: it is then known to about 1 %
SAME = 0.02  # factors that differ by less are one


def scaling(lab: Lab) -> Finding:
    """Draw queries and keys of variance 1, and look at what becomes of the scores as d_k grows.

    Vaswani et al. (2017), section 3.2.1: q·k has variance d_k, so the softmax is pushed to where its gradient is small.
    """
    drawn, variance, factor, rows = [], [], [], []
    for d_k in WIDTHS:
        drawn.append(variance_of_products(lab.rng, d_k))
        Q, K = lab.rng.standard_normal((2, GROUPS, QUERIES, d_k))
        weights = np.stack([insist_on_weights(lab, weights_of(lab, q, k)) for q, k in zip(Q, K, strict=True)])
        raw = Q @ K.transpose(0, 2, 1)
        rows.append([typical(each) for each in (weights, softmax_of(raw / np.sqrt(d_k)), softmax_of(raw))])
        variance.append(variance_of_scores(weights))
        factor.append(factor_of_scores(weights, raw))
    entropy, slope = np.array(rows).transpose(2, 1, 0)
    right = bool(np.abs(np.array(factor) * np.sqrt(WIDTHS) - 1).max() < SAME)
    return Finding(
        title="Why the scores are divided by √d_k",
        conclusion=scaling_in_words(lab, drawn, variance, factor, entropy[0], slope[0], right=right),
        pictures=(
            Curves(
                "Variance of the scores",
                "d_k",
                "variance",
                WIDTHS,
                (
                    Line(lab.label, numbers(variance)),
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
        remarks=() if right else (not_scaled(lab, factor),),
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


def variance_of_scores(weights: Array) -> float:
    """The variance of the recovered scores within a row, on average."""
    scores = recovered(weights)
    count = np.isfinite(scores).sum(axis=-1)
    enough = count > 1
    return float(np.mean(np.nansum(scores**2, axis=-1)[enough] / (count[enough] - 1))) if enough.any() else np.nan


def factor_of_scores(weights: Array, raw: Array) -> float:
    """What q·k was multiplied by to give the recovered scores, by least squares: 1/√d_k where it is right."""
    scores = recovered(weights)
    there = np.isfinite(scores)
    raw = np.where(there, raw, np.nan)
    raw = raw - np.nanmean(raw, axis=-1, keepdims=True)
    return float(np.nansum(scores * raw) / np.nansum(raw * raw))


def beside(lab: Lab, values: Array) -> tuple[Any, ...]:
    """The points, lines and scales of a plot with the function's own values beside both formulas'."""
    yours, scaled, raw = map(numbers, values)
    lines = Line(lab.label, yours), Line("with √d_k", scaled, theory=True), Line("without", raw, theory=True)
    return WIDTHS, lines, "log"


def scaling_in_words(
    lab: Lab,
    drawn: list[float],
    variance: list[float],
    factor: list[float],
    entropy: Array,
    slope: Array,
    *,
    right: bool,
) -> str:
    """The conclusion: how q·k grows, what the function makes of it, and what is left to learn from."""
    d_k, grows = WIDTHS[-1], np.polyfit(np.log(WIDTHS), np.log(drawn), 1)[0]
    growth = f"The variance of q·k grows as d_k^{grows:.2f} (measured {drawn[-1]:.1f} at d_k = {d_k}; theory: {d_k})"
    what = f"{lab.whose('attention')} multiplies q·k by {factor[-1]:.4f}" + (f" = 1/√{d_k}" if right else "")
    kept = f"entropy {entropy[-1]:.3f} of {np.log(KEYS):.3f} nats and slope {slope[-1]:.3f}"
    if slope[-1] < 0.1 * slope[0]:
        kept += f", down from {slope[0]:.3f} at d_k = {WIDTHS[0]}: the softmax has collapsed, and little is learnt"
    return f"{growth}; {what}, so its scores have variance {variance[-1]:.2f}, and a typical row has {kept}."


def not_scaled(lab: Lab, factor: list[float]) -> str:
    """What the function multiplies by in place of 1/√d_k."""
    last = WIDTHS[-1]
    return (
        f"A right attention multiplies q·k by 1/√{last} = {last**-0.5:.4f} at d_k = {last}, yours by {factor[-1]:.4f}. "
        f"`{lab.grade('attention')}` says what differs."
    )


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
    output = np.asarray(lab.ask("attention", (7, 3), Q, K, V), float)[IT]
    right = softmax_of(Q @ K.T / np.sqrt(4))
    noun = int(np.argmax(weights[IT]))
    means = ", ".join(f"{value:.3f}" for value in output)
    conclusion = (
        f"'it' gives {weights[IT, noun]:.3f} of its attention to '{WORDS[noun]}', so its output over "
        f"(animal, action, state) is ({means})"
    )
    agrees = bool(np.allclose(weights, right, atol=2e-3))
    grade = f"`{lab.grade('attention')}` says what differs."
    return Finding(
        title="A soft look-up: who looks at whom",
        conclusion=conclusion + (": the pronoun found its noun." if noun == CAT and agrees else "."),
        pictures=(
            Grid("Each row is a word that looks, each column one that is looked at", WORDS, WORDS, table(weights)),
        ),
        remarks=() if agrees else (f"With a right attention 'it' gives {right[IT, CAT]:.3f} to 'cat'. {grade}",),
        source="Bahdanau et al., Neural Machine Translation by Jointly Learning to Align and Translate (2014), "
        "arXiv:1409.0473; Vaswani et al. (2017), section 3.2.1. Embeddings and projections are made by hand.",
    )


# ── the mask ───────────────────────────────────────────────────────────────────────────────────────


def masking(lab: Lab) -> Finding:
    """Hide the future from each word, once before the softmax and once after it, and see what leaks.

    Vaswani et al. (2017), section 3.2.3: illegal connections are set to −∞ in the input of the softmax.
    """
    Q, K, allowed = X @ W_Q, X @ W_K, np.tri(len(WORDS), dtype=bool)
    louder = K.copy()
    louder[TIRED] = 0, 4, 0, 0  # a key that 'it' would look at as hard as at 'cat', were it allowed to
    before, leaking = (weights_of(lab, Q, keys, mask=allowed) for keys in (K, louder))
    after, leaked = (insist_on_weights(lab, weights_of(lab, Q, keys)) * allowed for keys in (K, louder))
    if not all(((each >= 0) & (each <= 1 + ROW_ERROR)).all() for each in (before, leaking)):  # nan is neither
        lab.refuse("attention", "With a causal mask some of its weights are nan, below 0 or above 1.")
    right = softmax_of(np.where(allowed, Q @ K.T / 2, -np.inf))
    agrees = all(np.allclose(each[:TIRED], right[:TIRED], atol=2e-3) for each in (before, leaking))
    remark = f"With a right attention every row sums to 1, and 'it' gives {right[IT, CAT]:.3f} to 'cat' both times."
    conclusion = (
        f"Masked before the softmax, as {lab.whose('attention')} does it, {sums_in_words(before)}, and 'it' gives "
        f"'cat' {before[IT, CAT]:.3f} whatever the hidden word 'tired' scores"
        if agrees
        else f"Given the mask, {sums_in_words(before)} in {lab.whose('attention')}, and 'it' gives 'cat' "
        f"{before[IT, CAT]:.3f}, or {leaking[IT, CAT]:.3f} once the score of the hidden word 'tired' rises from 1 to 4"
    )
    return Finding(
        title="Why the mask comes before the softmax",
        conclusion=f"{conclusion}; masked after the softmax, {sums_in_words(after)}, and as that score rises from 1 to "
        f"4, 'cat' falls from {after[IT, CAT]:.3f} to {leaked[IT, CAT]:.3f}.",
        pictures=(
            Grid(
                f"Masked before the softmax: {lab.whose('attention')}, given the mask",
                WORDS,
                WORDS,
                table(before),
                sums=True,
            ),
            Grid(
                "Masked after the softmax: the weights without a mask, then set to 0",
                WORDS,
                WORDS,
                table(after),
                sums=True,
            ),
            Bars(
                "What 'it' gives to 'cat' as the score of 'tired', which is hidden from it, rises from 1 to 4",
                ("before, 1", "before, 4", "after, 1", "after, 4"),
                numbers([before[IT, CAT], leaking[IT, CAT], after[IT, CAT], leaked[IT, CAT]]),
            ),
        ),
        remarks=() if agrees else (f"{remark} `{lab.grade('attention')}` says what differs.",),
        source="Vaswani et al., Attention Is All You Need (2017), section 3.2.3, arXiv:1706.03762.",
    )


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
    """
    yours = []
    for size in ENTRIES:
        Q, K = np.full((1, HALF_WIDTH), size), np.array([[size], [size * 31 / 32]]).repeat(HALF_WIDTH, axis=1)
        with np.errstate(all="ignore"):
            yours.append(float(weights_of(lab, Q.astype(np.float16), K.astype(np.float16))[0, 0]))
    raw = np.array([HALF_WIDTH * size**2 for size in ENTRIES], float)
    scaled = raw / np.sqrt(HALF_WIDTH)
    lost = [size for size, weight in zip(ENTRIES, yours, strict=True) if not np.isfinite(weight)]
    first = int(np.sqrt(HALF_END / HALF_WIDTH)) + 1
    range_ends = (
        f"With d_k = {HALF_WIDTH}, raw scores leave float16, which ends at {HALF_END:,.0f}, from entries of {first} on "
        f"({HALF_WIDTH} · {first}² = {HALF_WIDTH * first**2:,}), scaled ones from "
        f"{int(np.sqrt(HALF_END / np.sqrt(HALF_WIDTH))) + 1} on"
    )
    what = (
        f"{lab.whose('attention')} gives nan from entries of {lost[0]} on"
        if lost
        else f"{lab.whose('attention')} gives finite weights at every size tried, up to {ENTRIES[-1]}"
    )
    fails = bool(lost) and lost[0] <= PROMISED
    remark = "Scale the queries before the product, or compute in float32: nothing is then larger than it need be."
    return Finding(
        title="Where scores leave the range of float16",
        conclusion=f"{range_ends}; {what}.",
        pictures=(
            Curves(
                "The score of the best key",
                "size of entries",
                "score",
                ENTRIES,
                (
                    Line("raw q·k", numbers(raw), theory=True),
                    Line("by √d_k", numbers(scaled), theory=True),
                    Line("end of float16", (HALF_END,) * len(ENTRIES), theory=True),
                ),
                "log",
                "log",
            ),
            Bars(
                f"Weight of the best key in {lab.whose('attention')}, by the size of the entries (right: 1.000)",
                tuple(str(size) for size in ENTRIES),
                numbers(yours),
            ),
        ),
        remarks=(f"{remark} `{lab.grade('attention')}` shows the check.",) if fails else (),
        source="IEEE 754-2019, binary16; Micikevicius et al., Mixed Precision Training (2018), arXiv:1710.03740.",
    )


# ── a softmax that survives ────────────────────────────────────────────────────────────────────────

SHIFTS = (-10_000, -1_000, -740, -100, 0, 100, 707, 708, 1_000, 10_000)


def stability(lab: Lab) -> Finding:
    """Shift three scores further and further; their weights must not change.

    Blanchard, Higham and Higham (2021): the softmax shifted by the maximum is as accurate as the other, and never
    leaves the range.
    """
    scores = np.array(SHIFTS, float)[:, np.newaxis] + np.arange(3.0)
    with np.errstate(all="ignore"):
        naive = (np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True))[:, -1]
    yours = np.array([lab.ask("softmax", (3,), row)[-1] for row in scores], float)
    right = softmax_of(np.arange(3.0))
    good = np.isclose(yours, right[-1], atol=1e-3)
    naive_breaks = SHIFTS[int(np.argmax(~np.isfinite(naive) & (np.array(SHIFTS) > 0)))]
    remark = "Subtracting each row's own maximum changes no weight and keeps every exponential at most 1."
    bad = ", ".join(f"{shift:,}" for shift, fine in zip(SHIFTS, good, strict=True) if not fine)
    what = (
        f"{lab.whose('softmax')} gives {yours[0]:.3f} at each of {len(SHIFTS)} shifts from {SHIFTS[0]:,} to "
        f"{SHIFTS[-1]:,}"
        if good.all()
        else f"{lab.whose('softmax')} gives it at {int(good.sum())} of {len(SHIFTS)} shifts, and not at {bad}"
    )
    return Finding(
        title="Naive against shifted softmax",
        conclusion=f"The largest of the scores c + (0, 1, 2) has the weight {right[-1]:.3f} whatever c is; the naive "
        f"exp(x) / Σ exp(x) gives nan from c = {naive_breaks} on, where e^{naive_breaks + 2} is past the largest "
        f"float64, and {what}.",
        pictures=(
            Curves(
                f"Weight of the largest of the scores c + (0, 1, 2); right is {right[-1]:.3f} for every c",
                "c",
                "weight",
                SHIFTS,
                (Line("naive", numbers(naive), theory=True), Line(lab.label, numbers(yours))),
                "even",
            ),
        ),
        remarks=() if good.all() else (f"{remark} `{lab.grade('softmax')}` says what differs.",),
        source="Blanchard, Higham and Higham, Accurately computing the log-sum-exp and softmax functions (2021), "
        "doi:10.1093/imanum/draa038.",
    )


# ── the cost ───────────────────────────────────────────────────────────────────────────────────────

SMALLEST, LARGEST = 32, 4_096
COST_WIDTHS = 256, 128  # d_k and d_v: the products take their part of the time, and the output can be sent
LONG = 100_000
# A length is tried so often at least, and again until it took so long. The least counts: others use the machine too.
FEWEST_TIMES, ENOUGH_SECONDS, MOST_TIMES = 3, 1.0, 15
FITTED = 4  # the longest lengths tell how it grows: for short ones, what a call costs by itself is most of it
LEAST_BYTES = 2e6  # of less, most is what Python itself takes now and then
MEGABYTE, GIGABYTE = 1e6, 1e9


def cost(lab: Lab) -> Finding:
    """Time attention on longer and longer texts, and fit how time and memory grow.

    Vaswani et al. (2017), table 1: a layer of self-attention takes O(n² d). Dao et al. (2022) avoid the O(n²) memory.
    """
    d_k, d_v = COST_WIDTHS
    lab.ask("attention", (2, d_v), *drawn_texts(lab.rng, 2))
    lengths, seconds, held, why = measured(lab)
    if len(lengths) < 3:
        lab.refuse("attention", f"It is too slow to be measured on {SMALLEST} tokens and more: {why}.")
    n, grows = lengths[-1], exponent(lengths, seconds)
    at_length = seconds[-1] * (LONG / n) ** 2
    memory = exponent(lengths, held) if min(held[-FITTED:]) > LEAST_BYTES else np.nan
    weights = [4.0 * length**2 for length in lengths]
    return Finding(
        title="What attention costs",
        conclusion=cost_in_words(lab, lengths, grows, memory, at_length, held[-1]),
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
            Curves(
                "Memory that a call takes",
                "n",
                "megabytes",
                numbers(lengths),
                (
                    Line(f"{lab.label}, at most", numbers(np.where(np.array(held) > 0, held, np.nan) / MEGABYTE)),
                    Line("n² weights", numbers(np.array(weights) / MEGABYTE), theory=True),
                ),
                "log",
                "log",
            ),
        ),
        remarks=(f"It was measured up to n = {n:,} only: {why}.",) if why else (),
        source="Vaswani et al. (2017), table 1, arXiv:1706.03762; what avoids the memory, though not the time: Dao et "
        "al., FlashAttention (2022), arXiv:2205.14135. Times are this machine's, on one processor core.",
    )


def drawn_texts(rng: np.random.Generator, n: int) -> list[Array]:
    """Q, K and V of `n` tokens, float32."""
    d_k, d_v = COST_WIDTHS
    return [rng.standard_normal((n, width)).astype(np.float32) for width in (d_k, d_k, d_v)]


def measured(lab: Lab) -> tuple[list[int], list[float], list[float], str]:
    """Lengths, doubled each time, the seconds and bytes a call takes on each, and why it went no further.

    The way up shows what can be measured, and what memory each length takes when it is new. The way down takes the
    time: then the memory is at hand, and no length pays for getting it.
    """
    found, why = way_up(lab)
    for n, tries in reversed(found.items()):
        lab.say(f"n = {n:,} again")
        text = drawn_texts(lab.rng, n)
        while len(tries) < FEWEST_TIMES or (
            len(tries) < MOST_TIMES and sum(each.seconds for each in tries) < ENOUGH_SECONDS
        ):
            again = lab.measure("attention", *text)
            if again.why:  # it was close to a limit the first time
                break
            tries.append(again)
    seconds = [min(each.seconds for each in tries) for tries in found.values()]
    return list(found), seconds, [tries[0].bytes for tries in found.values()], why


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


def exponent(lengths: list[int], values: list[float]) -> float:
    """The slope of log(values) against log(lengths), by least squares over the longest."""
    return float(np.polyfit(np.log(lengths[-FITTED:]), np.log(values[-FITTED:]), 1)[0])


def cost_in_words(lab: Lab, lengths: list[int], grows: float, memory: float, at_length: float, most: float) -> str:
    """The conclusion: both exponents, and what they come to for a long text."""
    first, last = lengths[-FITTED:][0], lengths[-1]
    growth = f"From n = {first:,} to {last:,} the time of {lab.whose('attention')} grows as n^{grows:.2f}"
    weights = f"{4 * LONG**2 / GIGABYTE:.0f} GB"
    if not np.isfinite(memory):
        long = f"{duration(at_length)}, and to hold its n² weights {weights}"
        return f"{growth} (theory: n²), so one head over {LONG:,} tokens would take {long}."
    peak = most * (LONG / last) ** memory / GIGABYTE
    long = f"{duration(at_length)} and {peak:,.{0 if peak >= 10 else 1}f} GB, where the n² weights alone are {weights}"
    return (
        f"{growth} and its memory as n^{memory:.2f} (theory: n²), so one head over {LONG:,} tokens would take {long}."
    )


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:.1f} seconds"
