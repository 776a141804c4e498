"""Whether two submissions are the same code: equal after comments, spacing and the names of files are taken away."""

from __future__ import annotations

import ast
import hashlib

from grader.source import parse
from grader.submission import Submission


def likeness(submission: Submission) -> str:
    """A digest that submissions of the same code share; "" where there is no code, or some that does not parse."""
    modules = sorted(submission.modules, key=lambda module: module.name)
    if not modules or any(module.problem for module in modules):
        return ""
    try:
        trees = [ast.dump(parse(module.text)) for module in modules]
    except (RecursionError, MemoryError):  # nested deeper than Python walks
        return ""
    return hashlib.sha256("\0".join(trees).encode("utf-8", "surrogatepass")).hexdigest()[:16]
