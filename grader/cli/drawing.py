"""Views drawn in a thread of their own: however long one takes, keys are served meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from grader.render.live import Frame, View, frame
from grader.watch import Broken


@dataclass(frozen=True, slots=True)
class Sheet:
    """A view, the columns and lines there are for it, and how often the terminal had been taken by then."""

    view: View
    columns: int
    lines: int
    taken: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sheet and what it looks like."""

    sheet: Sheet
    frame: Frame


class Drawing:
    """Draws one sheet at a time, the last one asked for. `tell` gets what was drawn."""

    def __init__(self, tell: Callable[[Drawn | Broken], None], *, colour: bool) -> None:
        self.tell = tell
        self.colour = colour
        self.sheets: SimpleQueue[Sheet | None] = SimpleQueue()
        threading.Thread(target=self._work, name="drawing", daemon=True).start()

    def ask(self, sheet: Sheet) -> None:
        """Have a sheet drawn."""
        self.sheets.put(sheet)

    def close(self) -> None:
        """Draw no more; what is being drawn is not waited for."""
        self.sheets.put(None)

    def _work(self) -> None:
        try:
            while (sheet := self._last()) is not None:
                drawn = frame(sheet.view, width=sheet.columns, height=sheet.lines, colour=self.colour)
                self.tell(Drawn(sheet, drawn))
        except Exception as error:  # noqa: BLE001 - told to whoever waits, who knows what to do
            self.tell(Broken(error))

    def _last(self) -> Sheet | None:
        sheet = self.sheets.get()
        while not self.sheets.empty():
            sheet = self.sheets.get()
        return sheet
