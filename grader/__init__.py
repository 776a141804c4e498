"""Attention from the Math Up: exercises on scaled dot-product attention that grade themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.jupyter import check, hint

__version__ = "0.1.0"
__all__ = ["__version__", "check", "hint"]


def __getattr__(name: str) -> Any:
    """`check` and `hint` are for notebooks, and imported by nothing else."""
    if name in ("check", "hint"):
        from grader import jupyter

        return getattr(jupyter, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
