"""A class in plain words, for a terminal, a pipe or a screen reader: every state is a word, bars only repeat numbers.

The sentences are those of the page as well (class_html.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from grader.render.characters import visible
from grader.render.lines import NO_BREAK, one_line, wrapped
from grader.render.words import counted, number
from grader.report import total

if TYPE_CHECKING:
    from grader.class_summary import (
        Bin,
        ClassSummary,
        Cluster,
        Doubt,
        ExerciseCount,
        Identical,
        MistakeCount,
        Nothing,
        Seed,
        Spread,
        TestCount,
    )
    from grader.movement import Movement, Movements, Standing

NARROWEST = 20
ROOM_FOR_TITLES = 50  # columns from which on the table of mistakes says what their codes mean
LONGEST_BAR = 50
MOST_NAMES, MOST_GROUPS, MOST_CHECKS = 12, 12, 10  # the page names all
MOST_SEEDS = 3

RULE = (
    "The points are the whole class's: what it would gain with that mistake alone repaired; where that is not known, "
    "what an exercise lost is shared equally among its mistakes, and together they never cost more than it lost."
)
OF_EACH = "Points, and how many scored them:"
COST = "Mistakes, with the points that each costs the whole class:"
ALL_RIGHT = "No mistakes were named."
BY_HAND = "To look at by hand"
WHY_BY_HAND = (
    "The points are those that the rules give, but something could not be read, no function was found, or another file "
    "defines it as well:"
)
NOTHING_IS = "An untouched stub, or no function of that name."
FAILED_MOST = "Checks failed most often, where there was something to run:"
EXPLAINED_NOT = (
    "Wrong in the same way, and no known mistake explains it: these functions gave equal numbers on every probe."
)
THE_SAME = (
    "The same code but for comments and spacing. This is a fact about the files and says nothing of how it came about."
)
ONE_GAVE = "For this call, one student's function gave:"
RIGHT_IS = "The right result is:"
NO_REASON = "Nothing on record says why"


def render(summary: ClassSummary, movements: Movements | None = None, *, width: int = 80) -> str:
    """The class, and who moved since an earlier grading where that is given, wrapped to `width` columns."""
    lines = _page(summary, movements, max(width, NARROWEST))
    return "\n".join(lines) + "\n"


def _page(summary: ClassSummary, movements: Movements | None, width: int) -> Iterator[str]:
    yield from wrapped(title(summary), width)
    yield from _paragraph(" ".join(filter(None, (graded(summary), drawn(summary.seeds)))), width)
    if summary.not_graded:
        yield from _paragraph(not_graded(summary), width)
        yield from wrapped(", ".join(map(name, summary.not_graded)), width, first="- ")
    yield from _by_hand(summary.by_hand, width)
    if summary.spread:
        yield from _paragraph(spread(summary.spread, summary.max_score), width)
        yield from _paragraph(OF_EACH, width)
        yield from _bins(summary.bins, width)
        yield ""
        yield from (line for each in summary.exercises for line in wrapped(exercise(each), width, rest="  "))
        yield from _mistakes(summary, width)
        yield from _checks(summary.tests, width)
    yield from _groups(EXPLAINED_NOT, [(cluster(each), each.students) for each in summary.clusters], width)
    yield from _groups(THE_SAME, [(identical(each), each.students) for each in summary.identical], width)
    if movements:
        yield from _moved(movements, width)


def _paragraph(text: str, width: int) -> Iterator[str]:
    yield ""
    yield from wrapped(text, width)


# ── tables and lists ───────────────────────────────────────────────────────────────────────────────


def _bins(bins: Sequence[Bin], width: int) -> Iterator[str]:
    labels = [band(bins, at) for at in range(len(bins))]
    left, right = max(map(len, labels)), max(len(str(each.count)) for each in bins)
    room = min(width - left - right - 4, LONGEST_BAR)
    most = max(each.count for each in bins)
    for label, each in zip(labels, bins, strict=True):
        length = max(round(room * each.count / most), 1) if each.count and room > 0 else 0
        yield from wrapped(f"{label:>{left}}  {each.count:>{right}}  {'#' * length}", width)


def _by_hand(these: Sequence[Doubt], width: int) -> Iterator[str]:
    if not these:
        return
    yield from _paragraph(f"{BY_HAND}: {students(len(these))}. {WHY_BY_HAND}", width)
    for each in these[:MOST_NAMES]:
        yield from wrapped(doubted(each), width, first="- ")
    if len(these) > MOST_NAMES:
        yield from wrapped(f"{len(these) - MOST_NAMES} more; --report and --format csv name all.", width, first="- ")


def _mistakes(summary: ClassSummary, width: int) -> Iterator[str]:
    told = titled if width >= ROOM_FOR_TITLES else mistake
    rows = [(str(len(each.students)), about(each.points), told(each)) for each in summary.mistakes]
    if rows:
        yield from _paragraph(COST, width)
        yield from _table(("students", "points", "mistake"), rows, width)
        yield from wrapped(RULE, width)
    if summary.nothing:
        yield from _paragraph(nothing(summary.nothing), width)
    if not rows and not summary.nothing:
        yield from _paragraph(ALL_RIGHT, width)


def _checks(tests: Sequence[TestCount], width: int) -> Iterator[str]:
    if tests:
        yield from _paragraph(FAILED_MOST, width)
        rows = [(percent(each.share), check(each)) for each in tests[:MOST_CHECKS]]
        yield from _table(("failed", "check"), rows, width)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int) -> Iterator[str]:
    """Columns of figures, and last one of text, which wraps."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)][:-1]
    for *figures, text in (heads, *rows):
        first = "".join(f"{figure:>{room}}  " for figure, room in zip(figures, widths, strict=True))
        yield from wrapped(text, width, first=first)


def _groups(head: str, groups: Sequence[tuple[str, Sequence[str]]], width: int) -> Iterator[str]:
    """What they have in common, then each group with some of its names."""
    if not groups:
        return
    yield from _paragraph(head, width)
    for words, students in groups[:MOST_GROUPS]:
        yield from wrapped(f"{words}: {some(students)}", width, first="- ")
    if len(groups) > MOST_GROUPS:
        yield f"- and {counted(len(groups) - MOST_GROUPS, 'more group')}"


def some(students: Sequence[str]) -> str:
    """The names of students, of many the first and how many more there are."""
    left_out = len(students) - MOST_NAMES
    shown = ", ".join(map(name, students[:MOST_NAMES]))
    return f"{shown} and {left_out} more" if left_out > 0 else shown


# ── the sentences ──────────────────────────────────────────────────────────────────────────────────


def title(summary: ClassSummary) -> str:
    """The course, and that this is its class."""
    return f"{label(summary.title)}: the class" if summary.title else "The class"


def label(text: str) -> str:
    """A title, a code or the name of an exercise, safe to show and of bounded length."""
    return one_line(visible(text))


def name(student: str) -> str:
    """A student's name as it is, on one line and safe to show."""
    return " ".join(visible(student).split()) or "(no name)"


def graded(summary: ClassSummary) -> str:
    """How many, and how many of them are right throughout."""
    if not summary.graded:
        return "No submission was graded."
    full = "none" if not summary.full else "all" if summary.full == summary.graded else f"{summary.full} of them"
    return f"{counted(summary.graded, 'submission')} graded, {full} with full marks."


def not_graded(summary: ClassSummary) -> str:
    """Whose fault it is that some have no score, and what that means for the other numbers."""
    several = len(summary.not_graded) > 1
    return (
        f"{counted(len(summary.not_graded), 'submission')} could not be graded: the grader failed, not the student. "
        f"{'They count' if several else 'It counts'} nowhere else here."
    )


def drawn(seeds: Sequence[Seed]) -> str:
    """Which seed it was, so that a mark can be checked; more than one where results were kept from another."""
    shown = [_seed(each) for each in seeds[:MOST_SEEDS]]
    more = [f"{len(seeds) - MOST_SEEDS} more"] if len(seeds) > MOST_SEEDS else []
    return f"Graded with {' and '.join([*shown, *more])}." if shown else ""


def _seed(seed: Seed) -> str:
    return f"the class's own seed, digest {seed.value:08x}" if seed.secret else f"seed {seed.value}"


def doubted(each: Doubt) -> str:
    """Whose work to look at, and why."""
    return f"{name(each.student)}: {label(each.why)}"


def nothing(these: Sequence[Nothing]) -> str:
    """How many handed in nothing for each exercise, in one sentence."""
    parts = ", ".join(f"{len(each.students)} for {label(each.exercise)}" for each in these)
    return f"Nothing to grade: {parts} ({_points(total(each.points for each in these))} in all). {NOTHING_IS}"


def spread(scores: Spread, most: float) -> str:
    """Where the scores lie."""
    return (
        f"Of {counted(most, 'point')}: mean {tenths(scores.mean)}, median {tenths(scores.median)}; "
        f"the middle half from {tenths(scores.lower)} to {tenths(scores.upper)}, "
        f"all from {number(scores.lowest)} to {number(scores.highest)}."
    )


def band(bins: Sequence[Bin], at: int) -> str:
    """Which scores one of the bins counts."""
    under = "" if at == len(bins) - 1 else "under "
    return f"{number(bins[at].low)} to {under}{number(bins[at].high)}"


def percent(share: float) -> str:
    """A share in whole hundredths; neither 0 nor all where it is not quite."""
    hundredths = rounded(100 * share)
    return f"{number(min(max(hundredths, 1), 99) if 0 < share < 1 else hundredths)}{NO_BREAK}%"


def rounded(value: float, digits: int = 0) -> float:
    """What is not below 0, half rounded up, as teachers do by hand; what floats are off by does not count."""
    scale = 10.0**digits
    return math.floor(round(value * scale, 6) + 0.5) / scale


def tenths(points: float) -> str:
    """A mean, or a score between two: with one decimal where it is not whole."""
    return number(rounded(points, 1))


def about(points: float) -> str:
    """Points of many students in as many digits as help a teacher: whole ones from 10 on, before that tenths."""
    return number(rounded(points, 0 if points >= 10 else 1))


def _points(amount: float) -> str:
    return f"{about(amount)} {'point' if about(amount) == '1' else 'points'}"


def full_marks(each: ExerciseCount) -> str:
    """How many have all points of an exercise."""
    return f"{each.full} of {each.submissions} ({percent(each.full / each.submissions)})"


def mean(each: ExerciseCount) -> str:
    """An exercise's mean, of the points it is worth."""
    return f"{tenths(each.mean)} of {number(each.max_score)}"


def exercise(each: ExerciseCount) -> str:
    """One exercise's line."""
    return f"{label(each.name)}: mean {mean(each)}, full marks {full_marks(each)}"


def coded(exercise: str, code: str) -> str:
    """A mistake and where it was made."""
    return f"{label(exercise)}: {label(code)}"


def doubt(each: MistakeCount) -> str:
    """For how many students a mistake is only suspected; of what nothing explains, that need not be said."""
    if not each.suspected or each.code == "unexplained":
        return ""
    return "suspected" if each.suspected == len(each.students) else f"{each.suspected} of them suspected"


def mistake(each: MistakeCount) -> str:
    """A mistake by its code, for those who know the codes."""
    return f"{coded(each.exercise, each.code)} ({doubt(each)})" if doubt(each) else coded(each.exercise, each.code)


def titled(each: MistakeCount) -> str:
    """A mistake by its code, on the next line what it is."""
    return f"{mistake(each)}\n{label(each.title)}"


def costing(each: MistakeCount) -> str:
    """How many made a mistake, how sure that is, and what it costs the class."""
    made = f"{students(len(each.students))}, {doubt(each)}" if doubt(each) else students(len(each.students))
    return f"{made}; {_points(each.points)} in all."


def names(these: Sequence[object]) -> str:
    """What stands on a closed list of names."""
    return f"Names ({len(these)})"


def students(amount: int) -> str:
    """`1 student`, `12 students`."""
    return counted(amount, "student")


def check(each: TestCount) -> str:
    """A check and how often it failed."""
    return f"{label(each.exercise)}: {label(each.title).rstrip('.')} ({each.failed} of {each.run})"


def cluster(each: Cluster) -> str:
    """The size of a cluster and where it is."""
    return f"{label(each.exercise)}, {students(len(each.students))}"


def identical(each: Identical) -> str:
    """The size of a group, and what its code earned."""
    return f"{students(len(each.students))}, {counted(each.score, 'point')}"


# ── who moved ──────────────────────────────────────────────────────────────────────────────────────


def _moved(movements: Movements, width: int) -> Iterator[str]:
    yield from _paragraph(_sums(movements), width)
    if movements.everywhere:
        yield from wrapped(f"Changed for every student of both: {', '.join(movements.everywhere)}.", width)
    for each in movements.moved:
        yield from wrapped(_movement(each, movements.everywhere), width, first="- ")


def _sums(movements: Movements) -> str:
    """How many moved which way."""
    points = [each.points or 0.0 for each in movements.moved]
    counts = (
        (sum(value > 0 for value in points), "higher"),
        (sum(value < 0 for value in points), "lower"),
        (sum(each.before is not None and each.after is not None and not each.points for each in movements.moved), ""),
        (sum(each.before is None for each in movements.moved), "newly there"),
        (sum(each.after is None for each in movements.moved), "gone"),
    )
    parts = [f"{amount} {word or 'otherwise changed'}" for amount, word in counts if amount]
    return f"Against the earlier grading: {', '.join([*parts, f'{movements.unchanged} unchanged'])}."


def _movement(each: Movement, everywhere: Sequence[str]) -> str:
    reasons = [
        *_listed("No longer named", "; ".join(coded(*mistake) for mistake in each.gone)),
        *_listed("Newly named", "; ".join(coded(*mistake) for mistake in each.new)),
        *_listed("Changed", ", ".join(why for why in each.changed if why not in everywhere)),
    ]
    if each.points and not reasons and not everywhere:
        reasons = [NO_REASON]
    return ". ".join([f"{name(each.student)}: {_step(each)}", *reasons]) + "."


def _listed(words: str, these: str) -> Iterator[str]:
    if these:
        yield f"{words}: {these}"


def _step(each: Movement) -> str:
    """From where to where."""
    before, after = _standing(each.before), _standing(each.after)
    if each.before is None:
        return f"newly there, {after}"
    if each.after is None:
        return f"gone, {before} before"
    if each.points is None:
        return f"{after}, {before} before"
    if not each.points:
        return f"{after} as before"
    way = f"{counted(abs(each.points), 'point')} {'up' if each.points > 0 else 'down'}"
    return f"{way}, from {number(each.before.score or 0.0)} to {number(each.after.score or 0.0)}"


def _standing(side: Standing | None) -> str:
    return "not graded" if side is None or side.score is None else counted(side.score, "point")
