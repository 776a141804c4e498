"""Attention from the Math Up: exercises on scaled dot-product attention that grade themselves."""

__version__ = "0.1.0"
