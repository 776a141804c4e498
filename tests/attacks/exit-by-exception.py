"""Tries to pass by raising SystemExit(0), which ends a test run that lets it through with exit status 0.

Harmless: it ends its own process, nothing else.
Shows: a plain process ends with status 0.
"""

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "raises"


def attack(target):
    causal_mask(5)
    return ""


def causal_mask(seq_len):
    raise SystemExit(0)
