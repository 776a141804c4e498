"""Tries to exhaust the reader of notebooks: brackets a hundred thousand deep, numbers of a million digits.

Harmless: a file of a MiB.
Shows: Python's reader of JSON gives up.
"""

import json
import pathlib

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    path = folder / "work.ipynb"
    deep = "[" * 100_000
    path.write_text('{"nbformat": 4, "nbformat_minor": ' + "9" * 1_000_000 + ', "metadata": {}, "cells": ' + deep)
    return path


def attack(target):
    text = build(pathlib.Path(target["folder"]), target).read_text()
    try:
        json.loads(text[text.index("[") :])
    except (RecursionError, ValueError) as error:
        return type(error).__name__
    return ""
