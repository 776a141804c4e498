"""Tries to trip the grader with a number of a million digits, and of a class that has its own idea of size.

Harmless: some hundred KiB.
Shows: the number is there.
"""

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


class Number(int):
    """Says it is small."""

    def bit_length(self):
        return 1

    def __float__(self):
        raise SystemExit(0)


def attack(target):
    return "a million digits" if causal_mask(4) > 10**999_999 else ""


def causal_mask(seq_len):
    return 10**1_000_000 if seq_len % 2 == 0 else Number(10**1_000_000)
