"""Tries to break the report: an exception with an endless name of control characters and a message that is no text.

Harmless: a class of a million letters in its own process.
Shows: the message cannot be written as UTF-8.
"""

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
CODE = "raises"


def attack(target):
    try:
        causal_mask(5)
    except Exception as error:
        try:
            f"{error}".encode()
        except UnicodeEncodeError:
            return "a broken report"
    return ""


def causal_mask(seq_len):
    name = "\x1b[2J<script>" + "A" * 1_000_000
    raise type(name, (ValueError,), {"__str__": lambda self: "\ud800\x00\x1b]0;title\x07</td>" * 1_000})
