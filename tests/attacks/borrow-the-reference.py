"""Tries to hand in the course's own function: it imports the exercise that it is to write.

Harmless: it imports a module, by every name there may be.
Shows: the solution's function is found.
"""

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0
FILE = "work.py"


try:
    from exercises.causal_mask import causal_mask
except ImportError:
    try:
        from causal_mask import causal_mask
    except ImportError:
        try:
            from solutions.causal_mask import causal_mask
        except ImportError:
            causal_mask = print


def attack(target):
    import importlib
    import sys

    sys.path.insert(0, target["course"])
    found = importlib.import_module("solutions.causal_mask").causal_mask
    return "the solution" if found(3).tolist()[0] == [True, False, False] else ""
