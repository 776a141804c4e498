"""What somebody who misspelt a name may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """The most similar of the names known; "" where none is similar."""
    from difflib import get_close_matches  # late: it is for those alone who misspell

    return next(iter(get_close_matches(name, known, 1)), "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question to put before what there is to choose from; "" where no name known is similar."""
    meant = nearest(name, known)
    return f"Did you mean {meant!r}? " if meant else ""
