"""What a worker is asked, as the wire carries it: calls made ready once, however many workers they are put to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from grader.worker import wire

Call: TypeAlias = tuple[Sequence[Any], Mapping[str, Any]]


class Line:
    """One call as the wire carries it, but for the token that its answer has to have."""

    __slots__ = ("arrays", "head", "names", "values")

    def __init__(self, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        values = (*args, *named.values())
        self.arrays = [value for value in values if hasattr(value, "dtype")]
        self.names = list(named)
        self.values = [wire.bits(value) for value in values]
        plain = {
            "args": [None if hasattr(value, "dtype") else int(value) for value in args],
            "named": {name: None if hasattr(value, "dtype") else int(value) for name, value in named.items()},
            "arrays": [wire.describe(array) for array in self.arrays],
        }
        self.head = wire.in_json(plain)[:-1]

    def is_(self, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
        """Whether these are its arguments, to the bit."""
        return self.values == [wire.bits(value) for value in (*args, *named.values())] and self.names == list(named)


class Script:
    """Calls that are put all at once, in this order: made ready here, once for all the workers that are asked them."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self.calls = tuple(calls)
        self.lines = [Line(*call) for call in self.calls]
        self.body = wire.body_of(array for line in self.lines for array in line.arrays)

    def frame(self, tokens: Sequence[str]) -> bytes:
        """What is sent, with a token for each call."""
        with_tokens = zip(self.lines, tokens, strict=True)
        calls = [b'%b, "token": "%b"}' % (line.head, token.encode()) for line, token in with_tokens]
        return wire.frame(b'{"ask": "calls", "calls": [%b]}' % b", ".join(calls), self.body)
