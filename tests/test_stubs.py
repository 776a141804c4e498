"""Stubs come from solutions, and an unwritten function is told from a written one."""

from __future__ import annotations

import pytest

from grader.course import Course
from grader.stubs import BEGIN, END, is_stub, make_stub, uses_any


def test_the_stubs_are_those_of_the_solutions(course: Course) -> None:
    """The checked-in stubs never drift from the authored source."""
    for exercise in course.exercises:
        stub = exercise.stub.read_text(encoding="utf-8")
        assert stub == make_stub(exercise.solution.read_text(encoding="utf-8")), "run `grade verify --write-stubs`"
        assert "SOLUTION" not in stub
        assert is_stub(stub, exercise.function)


def test_every_marked_part_becomes_one_raise() -> None:
    """Indentation stays, text around the marks stays, each part is one line."""
    solution = f"def f():\n    {BEGIN}\n    return 1\n    {END}\n\n\ndef g():\n  {BEGIN}\n  x\n  y\n  {END}\n"
    assert make_stub(solution) == "def f():\n    raise NotImplementedError\n\n\ndef g():\n  raise NotImplementedError\n"


@pytest.mark.parametrize(
    "solution",
    ["x = 1\n", f"{BEGIN}\n", f"{END}\n", f"{BEGIN}\n{BEGIN}\n{END}\n", f"{BEGIN}\n{END}\n{END}\n"],
)
def test_bad_marks_are_refused(solution: str) -> None:
    """No stub is made of a solution whose marks do not pair: it would give the solution away."""
    with pytest.raises(ValueError, match="SOLUTION"):
        make_stub(solution)


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "...",
        "'''doc'''",
        "return",
        "return None",
        "raise NotImplementedError",
        "raise NotImplementedError('todo')",
        "'''doc'''\n  pass",
    ],
)
def test_bodies_that_say_nothing(body: str) -> None:
    """Empty, pass, an ellipsis, a docstring, `return None` and NotImplementedError are stubs."""
    assert is_stub(f"def f(x):\n  {body}\n", "f")


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n  return x\n",
        "f = abs\n",
        "def g(x):\n  pass\n",
        "def f(x): pass\ndef f(x): return x\n",
        "def f(x):\n  raise ValueError\n",
    ],
)
def test_bodies_that_say_something(source: str) -> None:
    """Anything else was written, and the last definition counts."""
    assert not is_stub(source, "f")


@pytest.mark.parametrize(
    "source",
    [
        "def f(x): return g(x)",
        "import m\nx = m.g(1)",
        "from m import g as h\ndef f(x): return h(x)",
        "from functools import partial\nfrom m import g\nf = partial(g, 1)",
        "def f(x):\n from m import g\n return g(x)",
    ],
)
def test_uses_are_found_by_name_alias_and_attribute(source: str) -> None:
    """Whatever is done with the function counts, also where it is handed on."""
    assert uses_any(source, ["g"])


@pytest.mark.parametrize("source", ["from m import g", "'g(x)'", "def g(x): return x", "import g"])
def test_naming_a_function_is_no_use(source: str) -> None:
    """An import that is kept, a text or the definition itself use nothing."""
    assert not uses_any(source, ["g"])


def test_a_method_of_that_name_is_not_the_function() -> None:
    """Only what stands at module level is looked at."""
    assert not is_stub("class A:\n def f(self): pass\ndef f(x): return x\n", "f")
    assert is_stub("if True:\n def f(x): pass\n", "f")
