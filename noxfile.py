"""Every interpreter that is present, with the oldest and the newest NumPy that it can have: `nox`."""

from __future__ import annotations

import os
from pathlib import Path

import nox

# Interpreters that pyenv keeps are present too, though only one of them is on the path.
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
os.environ["PATH"] = os.pathsep.join([*map(str, sorted(PYENV.glob("*/bin"))), os.environ["PATH"]])

nox.options.default_venv_backend = "venv"
# The oldest NumPy that each can have, on another seed each: a case's verdict hangs on neither.
OLDEST = {"3.11": "1.26.*", "3.12": "1.26.*", "3.13": "2.1.*", "3.14": "2.3.*"}


@nox.session(python=list(OLDEST))
@nox.parametrize("numpy", ["oldest", "newest"])
def grades(session: nox.Session, numpy: str) -> None:
    """The solutions get all points, and every case of tests/submissions gets its due.

    Python 3.12 is tried with the newest NumPy alone: its oldest is that of 3.11.
    """
    version = str(session.python)
    if numpy == "oldest" and version == "3.12":
        session.skip("its oldest NumPy is that of 3.11")
    session.install(
        "-e", ".", "hypothesis", "pytest-xdist", f"numpy=={OLDEST[version]}" if numpy == "oldest" else "numpy"
    )
    session.run("grade", "run", "--submission", "solutions", "--format", "plain")
    seed = str(list(OLDEST).index(version) * 2 + (numpy == "newest") + 1)
    session.run("python", "-m", "pytest", "-q", "-n", "2", "--dist=load", "--seeds", seed, "tests/test_submissions.py")
    session.run("python", "-m", "pytest", "-q", "tests/test_worker.py")
