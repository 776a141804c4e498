"""A session as a talk at a terminal, over a pipe or from a file: what is said, and in which order."""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.bank import load_bank
from grader.cli.screen import warn
from grader.deck import QUIZ, Card, Deck
from grader.errors import UsageError
from grader.question import LETTERS, Malformed, Posed, Question, form
from grader.quiz import (
    COUNT,
    NEW,
    Answered,
    Session,
    Standing,
    count_reports,
    due_times,
    in_words,
    line_up,
    new_today,
    put,
    standings,
)
from grader.render.characters import visible
from grader.render.lines import cells, wrapped
from grader.spelling import did_you_mean
from grader.workspace import find_workspace

if TYPE_CHECKING:
    from grader.course import Course

STYLES: dict[str, dict[str, Any]] = {
    "heading": {"bold": True},
    "dim": {"dim": True},
    "code": {"fg": "cyan"},
    "right": {"fg": "green", "bold": True},
    "wrong": {"fg": "yellow", "bold": True},
}
HELP = """\
Type an answer and press Enter. Small and capital letters are the same. Or type one of these:
  ?      this help
  s      skip: it is put off to the end, and nothing is counted
  u      undo: take your last answer back and give another
  q      quit: every answer so far is kept
  Enter  alone: the question again"""
WIDE_HEADS = ("questions", "seen", "right last time", "recall now")
NARROW_HEADS = (" all", "seen", "right", "recall")
COMMANDS = {"help": "?", "skip": "s", "undo": "u", "quit": "q"}


@dataclass(frozen=True, slots=True)
class Talk:
    """The ways to talk with a learner.

    `warn` is for what is not part of practice; `ask` gives the next line typed, None where there are no more; `paint`
    colours a line by a style's name; `width` is in columns. Who is `present` gets time to read before the next
    question.
    """

    say: Callable[[str], None]
    warn: Callable[[str], None]
    ask: Callable[[], str | None]
    clock: Callable[[], datetime]
    paint: Callable[[str, str], str]
    width: int = 80
    present: bool = False

    def lines(self, text: str, style: str = "", *, first: str = "", rest: str | None = None) -> None:
        """Say a text, wrapped."""
        for line in wrapped(visible(text), self.width, first=first, rest=rest):
            self.say(self.paint(line, style) if line else "")

    def paragraph(self, text: str, style: str = "") -> None:
        """Say a text with a blank line before it; nothing where there is none."""
        if text.strip():
            self.say("")
            self.lines(text.strip(), style)


def hold(
    course: Course,
    folder: Path,
    talk: Talk,
    *,
    topics: Sequence[str] = (),
    count: int = COUNT,
    new: int = NEW,
    seed: int | None = None,
    stats: bool = False,
) -> None:
    """Practise with what is remembered in `folder`, or only say how things stand. Raises UsageError.

    Without a `seed` it is the day's, so that choices are shuffled otherwise every day.
    """
    everything = load_bank(course)
    bank = choose(everything, topics)
    deck, note = QUIZ.update(folder, lambda deck: count_reports(deck, everything))
    if note:
        talk.warn(note)
    if stats:
        standing(deck, bank, talk)
        return

    def keep(name: str, card: Card | None) -> None:
        if note := QUIZ.update(folder, lambda deck: put(deck, name, card))[1]:
            talk.warn(note)

    now = talk.clock()
    names = line_up(deck, bank, now, count=count, new=new)
    practise(Session(bank, deck, names, now.toordinal() if seed is None else seed, keep), deck, bank, talk, new=new)


def choose(bank: Sequence[Question], topics: Sequence[str]) -> list[Question]:
    """The questions on these topics; on none: all. Raises UsageError naming the nearest for one that is unknown."""
    if not bank:
        raise UsageError("this course has no questions", remedy="--course names another one.")
    known = list(dict.fromkeys(question.topic for question in bank))
    for topic in topics:
        if topic not in known:
            remedy = f"{did_you_mean(topic, known)}The topics are: {', '.join(known)}."
            raise UsageError(f"there is no topic {topic!r}", remedy=remedy)
    return [question for question in bank if not topics or question.topic in topics]


def script(path: Path) -> Iterator[str]:
    """The answers in a file, one a line; comments begin with # and blank lines are left out. Raises UsageError."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not a text in UTF-8"
        raise UsageError(
            f"the answers cannot be read: {why}", where=str(path), remedy="One answer a line, # for comments."
        ) from error
    texts = (line.partition("#")[0].strip() for line in lines)
    return (text for text in texts if text)


def terminal(answers: Path | None, *, width: int, colour: bool) -> Talk:
    """The talk at this terminal, over this pipe, or from a file. Raises UsageError for a file that cannot be read."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    present = answers is None and sys.stdin.isatty()
    lines = script(answers) if answers else iter(sys.stdin.readline, "")
    return Talk(
        say=click.echo,
        warn=warn,
        ask=_typed if present else lambda: _read(lines),
        clock=lambda: datetime.now(UTC),
        paint=lambda text, style: click.style(text, **STYLES[style]) if colour and style else text,
        width=width,
        present=present,
    )


def _typed() -> str | None:
    try:
        return input("> ")
    except EOFError:
        click.echo()
        return None


def _read(lines: Iterator[str]) -> str | None:
    """The next line, shown where it would have been typed, so that what is printed reads as a talk."""
    line = next(lines, None)
    if line is not None:
        click.echo(f"> {visible(line.strip())}")
    return line


def memory_near(here: Path) -> Path:
    """The folder whose `.grade/` remembers: the workspace, outside of one the home folder. Raises UsageError."""
    try:
        return find_workspace(here)
    except UsageError:
        pass
    try:
        return Path.home()
    except RuntimeError as error:
        raise UsageError("no home folder to keep your answers in", remedy="Change into a workspace.") from error


# ── the talk ───────────────────────────────────────────────────────────────────────────────────────


def practise(session: Session, deck: Deck, bank: Sequence[Question], talk: Talk, *, new: int) -> None:
    """Put the questions until they end or the learner does, and say what comes when. KeyboardInterrupt passes on."""
    if session.posed is None:
        talk.lines(_nothing(deck, bank, talk.clock(), new))
        return
    try:
        _ask_all(session, talk)
    finally:
        _close(session, deck, bank, talk)


def _ask_all(session: Session, talk: Talk) -> None:
    anew = True
    while (posed := session.posed) is not None:
        if anew:
            _put(posed, session, talk)
        typed = talk.ask()
        if typed is None:
            return
        anew = _heard(typed.strip(), session, talk)


def _heard(typed: str, session: Session, talk: Talk) -> bool:
    """Do what was typed; whether the question there is now has to be put."""
    command = _command(typed)
    if command == "?":
        talk.say("")
        talk.lines(HELP)
    elif command == "q":
        session.quit()
    elif command == "u":
        return _undo(session, talk)
    elif command == "s":
        talk.paragraph("Skipped. It comes again at the end." if session.skip() else "Skipped.")
        return True
    elif command:
        return _answer(typed, session, talk)
    return command == ""


def _command(typed: str) -> str:
    word = typed.strip().lower()
    return COMMANDS.get(word, word)


def _undo(session: Session, talk: Talk) -> bool:
    done = session.undo()
    talk.paragraph("Your last answer is taken back." if done else "There is no answer to take back.")
    return done


def _answer(typed: str, session: Session, talk: Talk) -> bool:
    """Comment on an answer; whether it was one, and the next question has to be put."""
    try:
        answered = session.answer(typed, talk.clock())
    except Malformed as unclear:
        talk.paragraph(f"That is no answer to this question: {unclear}. Nothing was counted.")
        return False
    _comment(answered, talk)
    if talk.present:
        _wait(session, talk)
    return True


def _wait(session: Session, talk: Talk) -> None:
    """Leave time to read, and to take the answer back, also after the last one."""
    while True:
        talk.paragraph(f"Enter: {'go on' if session.posed else 'finish'}. u: take this answer back. q: quit.", "dim")
        typed = talk.ask()
        command = "q" if typed is None else _command(typed)
        if command == "q":
            session.quit()
        if command == "u":
            _undo(session, talk)
        if command in ("q", "u", ""):
            return


# ── a question, and what is said to its answer ─────────────────────────────────────────────────────


def _put(posed: Posed, session: Session, talk: Talk) -> None:
    number, count = session.place
    again = "once more, " if posed.question.id in session.missed else ""
    talk.say("")
    talk.lines(f"Question {number} of {count}, {again}{posed.question.topic}", "heading")
    talk.paragraph(posed.text)
    _code(posed.question.code, talk)
    if posed.choices:
        talk.say("")
    for letter, choice in zip(LETTERS, posed.choices, strict=False):
        talk.lines(choice.text, first=f"  {letter}  ", rest="     ")
    talk.paragraph(f"Type {form(posed)}; or ? for help.", "dim")


def _code(code: str, talk: Talk) -> None:
    """A block of code: a line that is too long goes on further in, so that no indentation is mistaken."""
    if not code:
        return
    talk.say("")
    for line in visible(code).rstrip("\n").split("\n"):
        deeper = "    " + " " * (len(line) - len(line.lstrip()) + 8)
        fits = cells(line) + 4 <= talk.width
        parts = [f"    {line}"] if fits else wrapped(line.strip(), talk.width, first=deeper[:-8], rest=deeper)
        for part in parts:
            talk.say(talk.paint(part, "code") if part.strip() else "")


def _comment(answered: Answered, talk: Talk) -> None:
    right = answered.verdict.right
    talk.say("")
    talk.lines("Right." if right else "Not quite.", "right" if right else "wrong")
    if answered.verdict.why:
        talk.lines(answered.verdict.why)
    if not right:
        talk.say("")
        _solution(answered.posed, talk)
    talk.paragraph(answered.posed.question.explanation)
    source = answered.posed.question.source
    talk.paragraph("\n".join([*([f"Source: {source}"] if source else []), _return(answered, talk)]), "dim")


def _return(answered: Answered, talk: Talk) -> str:
    """When the question comes back."""
    if not answered.returns:
        return f"It comes back {in_words(answered.due, talk.clock())}."
    others = ("It comes back now.", "It comes back after the next question.")
    return others[answered.others] if answered.others < 2 else f"It comes back after {answered.others} others."


def _solution(posed: Posed, talk: Talk) -> None:
    """The right answer, as a learner would write it."""
    answer = posed.answer
    if posed.question.kind == "number":
        talk.lines(f"The right answer is {_number(answer, posed.question.tolerance)}.")
    elif posed.question.kind == "shape":
        talk.lines(f"The right answer is {answer}.")
    elif posed.question.kind == "mask":
        talk.lines("The right answer is:\n" + "\n".join(f"    {row}" for row in answer))
    else:
        texts = {letter: choice.text for letter, choice in zip(LETTERS, posed.choices, strict=False)}
        talk.lines("The right answer is:")
        for letter in answer:
            talk.lines(texts[letter], first=f"  {letter}  ", rest="     ")


def _number(value: float, tolerance: float) -> str:
    """A number with as many digits as the tolerance asks for."""
    digits = 0
    while tolerance * 10**digits < 1 and digits < 12:
        digits += 1
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# ── the end, and the standing ──────────────────────────────────────────────────────────────────────


def _close(session: Session, deck: Deck, bank: Sequence[Question], talk: Talk) -> None:
    """How many were right and what comes when, in two lines."""
    right, count = sum(session.results), len(session.results)
    talk.say("")
    talk.lines(f"{right} of {count} answers right." if count else "No answer was given, so nothing has changed.")
    talk.lines(_coming(due_times(deck, bank), talk.clock()))


def _coming(times: Sequence[datetime], now: datetime) -> str:
    """What comes back when: the first three times, and how many come later."""
    groups = list(Counter(in_words(time, now) for time in times).items())
    if not groups:
        return "Nothing comes back yet."
    later = sum(count for _, count in groups[3:])
    said = [f"{count} {when}" for when, count in groups[:3]] + ([f"{later} later"] if later else [])
    return f"Coming back: {', '.join(said)}."


def _nothing(deck: Deck, bank: Sequence[Question], now: datetime, new: int) -> str:
    """Why there is no question now, and when there will be."""
    times = due_times(deck, bank)
    words = ["Nothing to ask now."]
    if len(times) < len(bank):
        today = new_today(deck, now)
        words.append(f"{today} new today, and the limit is {new}: --new sets another, and tomorrow there are more.")
    if times:
        words.append(_coming(times, now))
    return "\n".join(words)


def standing(deck: Deck, bank: Sequence[Question], talk: Talk) -> None:
    """Say how each topic stands, what is due when, and which mistakes the last report named."""
    now = talk.clock()
    rows = standings(deck, bank, now)
    name = max([cells("topic"), *(cells(row.topic) for row in rows)])
    heads = WIDE_HEADS if name + sum(cells(head) + 2 for head in WIDE_HEADS) <= talk.width else NARROW_HEADS
    talk.lines("  ".join(["topic".ljust(name), *heads]), "heading")
    for row in rows:
        talk.lines("  ".join([row.topic + " " * (name - cells(row.topic)), *_figures(row, heads)]))
    if heads == NARROW_HEADS:
        talk.paragraph("All: questions. Right: of those seen, last time.")
    talk.paragraph("Recall now: how likely you are to know, today, what you have seen of a topic.")
    times = due_times(deck, bank)
    due, day, week = (sum(time <= now + timedelta(days=days) for time in times) for days in (0, 1, 7))
    talk.paragraph(f"Due: {due} now, {day - due} more within a day, {week - day} more within a week.")
    named = ", ".join(deck.mistakes)
    talk.lines(f"Mistakes in your last report: {named}." if named else "Your last report names no mistakes.")


def _figures(row: Standing, heads: Sequence[str]) -> Iterator[str]:
    figures = (str(row.questions), str(row.seen), _percent(row.right), _percent(row.recall))
    return (figure.rjust(cells(head)) for figure, head in zip(figures, heads, strict=True))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"
