"""What student code prints: the start is kept, the rest is counted. Runs beside student code, as `child` does."""

from __future__ import annotations

import io

OUTPUT_CHARACTERS = 64 << 10


class Output(io.TextIOBase):
    """Standard output and error of the student's code: the start is kept, the rest is counted."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.room = OUTPUT_CHARACTERS
        self.lost_lines = 0

    encoding = "utf-8"
    errors = "replace"

    def writable(self) -> bool:
        """Say that it takes text."""
        return True

    def reconfigure(self, **_: object) -> None:
        """Accept what programs ask of a standard stream; nothing changes."""

    @property
    def buffer(self) -> Output:
        """The same stream, for programs that write bytes."""
        return self

    def write(self, text: str | bytes) -> int:
        """Keep what there is room for."""
        text = bytes(text).decode("utf-8", "replace") if isinstance(text, (bytes, bytearray)) else "".join([text])
        self.kept.append(text[: self.room])
        self.lost_lines += text.count("\n", self.room) if len(text) > self.room else 0
        self.room -= len(self.kept[-1])
        return len(text)

    def take(self) -> str:
        """All that was printed since the last call."""
        lost = f"\n… and {self.lost_lines} more lines were too many to keep" if self.lost_lines else ""
        text = "".join(self.kept) + lost
        Output.__init__(self)
        return text
