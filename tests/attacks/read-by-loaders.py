"""Tries to read a file by what the standard library has to load, show or run sources with.

Harmless: it reads one file that the test made, and one of the course.
Shows: which of these doors was open.
"""

import fileinput
import importlib
import importlib.machinery
import importlib.resources
import inspect
import linecache
import os
import pkgutil
import runpy
import shutil
import sqlite3
import sys
import tokenize

TARGET: dict = {}
UNCONFINED = True
EARNS = 20.0


def attack(target):
    path, suite = target["canary"], target["suite"]
    sys.path.insert(0, target["course"])
    doors = {
        "loader": lambda: importlib.machinery.SourceFileLoader("x", suite).get_data(path),
        "code": lambda: importlib.machinery.SourceFileLoader("x", suite).get_code("x"),
        "linecache": lambda: linecache.getlines(path),
        "tokenize": lambda: tokenize.open(suite).read(),
        "pkgutil": lambda: pkgutil.get_data("grader", "suites/test_causal_mask.py"),
        "runpy": lambda: runpy.run_path(os.path.join(target["course"], "solutions", "causal_mask.py")),
        "fileinput": lambda: list(fileinput.input([path])),
        "copy": lambda: shutil.copy(path, "copied"),
        "resources": lambda: (importlib.resources.files("grader") / "suites" / "test_causal_mask.py").read_text(),
        "inspect": lambda: inspect.getsource(importlib.import_module("grader.report")),
        "sqlite": lambda: sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute("select * from sqlite_master"),
    }
    open_ones = []
    for name, door in doors.items():
        try:
            if door():
                open_ones.append(name)
        except sqlite3.DatabaseError as error:
            if "not a database" in str(error):  # it was opened, and is none
                open_ones.append(name)
        except Exception:
            pass
    return " ".join(open_ones)


TRIED = []


def causal_mask(seq_len):
    """Right, so that what is lost is lost to the attack alone."""
    import numpy as np

    if not TRIED:
        TRIED.append("")
        try:
            TRIED[0] = attack(TARGET)
        except BaseException:
            pass
        print(f"ATTACK:{TRIED[0]}")
    return np.tri(seq_len, dtype=bool)
