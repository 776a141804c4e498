"""Progress drawn for a terminal: the points over time as a picture, and in words all that the picture shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import TYPE_CHECKING

from rich.text import Text

from grader.render.characters import visible
from grader.render.lines import NO_BREAK, cells, one_line, padded
from grader.render.terminal import NARROWEST, Lines, block, drawn, paragraph
from grader.render.words import counted, number

if TYPE_CHECKING:
    from grader.progress import Conquest, Point, Progress

TitleOf = Callable[[str, str], str]  # an exercise's name, the code of a mistake -> what that mistake is

WIDEST = 80
ROWS = 6  # of the picture; eighths of a row are told apart
WIDEST_STEP = 6  # columns of one attempt in the picture
EIGHTHS = " ▁▂▃▄▅▆▇█"
MOST_LISTED = 20  # attempts told in words where there is no picture
NOTHING_YET = "There is no attempt yet: run `grade`, and every run that changes something is kept here."


def render(
    progress: Progress,
    title_of: TitleOf,
    *,
    width: int = 80,
    picture: bool = True,
    colour: bool = False,
    zone: tzinfo | None = None,
) -> str:
    """`progress` at most `width` columns wide (80 are used), times in `zone`, by default this machine's.

    Without the `picture` the attempts are listed in words.
    """
    return drawn(_lines(progress, title_of, min(max(width, NARROWEST), WIDEST), zone, picture), colour=colour)


def _lines(progress: Progress, title_of: TitleOf, width: int, zone: tzinfo | None, picture: bool) -> Lines:
    yield from block(one_line(progress.title), width, "bold")
    if not progress.points:
        yield from paragraph(NOTHING_YET, width)
        return
    yield from block(_span(progress.points, zone), width, "dim")
    yield Text()
    yield from _picture(progress, width) if picture else _list(progress, width, zone)
    yield Text()
    yield from _table(progress, width)
    yield from paragraph(_best_and_last(progress, zone), width)
    for attempt in progress.changed:
        yield from paragraph(f"The course itself was changed before attempt {attempt}.", width, "dim")
    yield from _conquests(progress.conquests, title_of, width, "✓" if picture else "-")
    yield from _standing(progress, title_of, width, "◆" if picture else "-")


def _span(points: Sequence[Point], zone: tzinfo | None) -> str:
    first, last = points[0], points[-1]
    if len(points) == 1:
        return f"1 attempt, {_when(first.at, zone)}"
    since, until = _when(first.at, zone), _when(last.at, zone)
    day, time = until.rsplit(NO_BREAK, 1)
    until = time if since.startswith(day) else until
    return f"{last.number} attempts, {since}" + (f" to {until}" if not since.endswith(until) else "")


def _when(at: datetime, zone: tzinfo | None) -> str:
    local = at.astimezone(zone)
    return f"{local.day} {local:%B %Y, %H:%M}".replace(" ", NO_BREAK)


# ── the picture ────────────────────────────────────────────────────────────────────────────────────


def _picture(progress: Progress, width: int) -> Lines:
    """A step for every attempt, as high as its points. Of more attempts than columns, each column shows the last."""
    top = number(progress.max_score)
    room = width - len(top) - 2
    scores = [point.score for point in progress.points]
    wide = max(1, min(WIDEST_STEP, room // len(scores)))
    columns = min(room, wide * len(scores))
    shown = [
        scores[(column + 1) * len(scores) // columns - 1 if wide == 1 else column // wide] for column in range(columns)
    ]
    heights = [_eighths(score, progress.max_score) for score in shown]
    for row in reversed(range(ROWS)):
        label = {ROWS - 1: top}.get(row, "").rjust(len(top))
        cut = "".join(EIGHTHS[min(max(height - 8 * row, 0), 8)] for height in heights)
        yield Text.assemble((f"{label} │", "dim"), (cut, "green"))
    yield Text(f"{'0'.rjust(len(top))} └{'─' * columns}", "dim")
    yield Text.assemble((_axis(progress.points, len(top) + 2, columns), "dim"))


def _eighths(score: float, of: float) -> int:
    """How high a column is; the full height for all points alone, and no height for none alone."""
    if score <= 0 or of <= 0:
        return 0
    return 8 * ROWS if score >= of else min(max(1, int(score / of * 8 * ROWS)), 8 * ROWS - 1)


def _axis(points: Sequence[Point], left: int, columns: int) -> str:
    """The numbers of the first and the last attempt, under their columns."""
    first, last = (str(points[place].number) for place in (0, -1))
    first = f"attempt {first}"
    gap = columns - len(first) - len(last)
    return " " * left + (first if len(points) == 1 or gap < 1 else first + " " * gap + last)


def _list(progress: Progress, width: int, zone: tzinfo | None) -> Lines:
    """The first attempt and those at which the points changed, the newest last; of very many the newest."""
    changes = [(two, two.score - one.score) for one, two in pairwise(progress.points) if two.score != one.score]
    told = [(progress.points[0], 0.0), *changes]
    if len(told) > MOST_LISTED:
        yield from block(
            f"{counted(len(told) - MOST_LISTED, 'attempt')} that changed the points came before these.", width
        )
    for point, moved in told[-MOST_LISTED:]:
        score = f"{number(point.score)} of {number(progress.max_score)}"
        more = f", {number(abs(moved))} {'more' if moved > 0 else 'less'}" if moved else ""
        yield from block(f"Attempt {point.number}, {_when(point.at, zone)}: {score}{more}", width, rest="  ")


# ── in words ───────────────────────────────────────────────────────────────────────────────────────


def _table(progress: Progress, width: int) -> Lines:
    """First, best and last of every exercise and of all."""
    rows = [("", "first", "best", "last")]
    for name, most in progress.exercises.items():
        rows.append(_row(name, [point.scores[name] for point in progress.points], most))
    rows.append(_row("total", [point.score for point in progress.points], progress.max_score))
    names = min(max(cells(row[0]) for row in rows), width // 3)
    sizes = [max(len(row[column]) for row in rows) for column in (1, 2, 3)]
    if names + sum(sizes) + 9 > width:
        for name, first, best, last in rows[1:]:
            yield from block(f"{name}: first {first}, best {best}, last {last}", width, rest="  ")
        return
    styles = ["dim", *[""] * len(progress.exercises), "bold"]
    for row, style in zip(rows, styles, strict=True):
        figures = (figure.rjust(size) for figure, size in zip(row[1:], sizes, strict=True))
        yield Text("   ".join([padded(one_line(row[0]), names), *figures]), style)


def _row(name: str, scores: Sequence[float], most: float) -> tuple[str, str, str, str]:
    return name, number(scores[0]), number(max(scores)), f"{number(scores[-1])} of {number(most)}"


def _best_and_last(progress: Progress, zone: tzinfo | None) -> str:
    best, last = progress.best, progress.points[-1]
    if len(progress.points) == 1:
        return ""
    score = f"{number(best.score)} of {number(progress.max_score)}"
    said = f"Best so far: {score}, first reached at attempt {best.number}, {_when(best.at, zone)}."
    below = best.score - last.score
    return f"{said} The last was {counted(below, 'point')} below it." if below > 0 else said


def _conquests(conquests: Sequence[Conquest], title_of: TitleOf, width: int, sign: str) -> Lines:
    if not conquests:
        return
    yield from paragraph("Mistakes conquered", width, "bold green")
    for each in conquests:
        titles = _listed([_titled(each.exercise, code, title_of) for code in each.codes])
        since = f"{counted(each.gained, 'point')} gained at" if each.gained else "Behind you since"
        said = f"{each.exercise}: {titles}. {since} attempt {each.number}."
        yield from block(said, width, head=f"  {sign} ", head_style="green")


def _standing(progress: Progress, title_of: TitleOf, width: int, sign: str) -> Lines:
    named = [(name, code) for name, codes in progress.standing.items() for code in codes if code != "not-implemented"]
    if not named:
        return
    yield from paragraph("Named in the last report", width, "bold")
    for name, code in named:
        yield from block(f"{name}: {_titled(name, code, title_of)}.", width, head=f"  {sign} ", head_style="magenta")


def _listed(titles: Sequence[str]) -> str:
    *others, last = titles
    return f"{', '.join(others)} and {last}" if others else last


def _titled(exercise: str, code: str, title_of: TitleOf) -> str:
    title = one_line(title_of(exercise, code)).rstrip(".")
    return f"{title} ({visible(code)})" if title else visible(code)
