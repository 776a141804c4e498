"""What platforms run to grade whatever is handed in: a workflow for GitHub Classroom, an archive for Gradescope.

The workflow's shape is that of the actions under https://github.com/classroom-resources, the archive's that of
https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import hashlib
import io
import re
import stat
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError
from grader.layout import WORKSPACE

WORKFLOW = ".github/workflows/classroom.yml"
ARCHIVE = "autograder.zip"

Files = dict[str, str | bytes]


@dataclass(frozen=True, slots=True)
class Wheel:
    """The grader's own package as a file, by the name that pip wants it to have."""

    name: str
    data: bytes

    @property
    def sha256(self) -> str:
        """The digest by which it is known again, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Grader:
    """What is installed on a platform: a version by its name, or, where there is one, this very wheel of it."""

    distribution: str
    version: str
    wheel: Wheel | None = None

    @property
    def requirement(self) -> str:
        """As pip reads it."""
        return f"{self.distribution}=={self.version}"

    @property
    def stem(self) -> str:
        """What the name of each of its wheels begins with."""
        return f"{self.stem_of_all}-{self.version}"

    @property
    def stem_of_all(self) -> str:
        """What the names of the wheels of all its versions begin with."""
        return self.distribution.replace("-", "_")

    def fill_in(self, text: str, *, pinned: str, by_name: str) -> str:
        """A text with the way to install it, which is `pinned` or `by_name`, in the place of `@INSTALL@`."""
        text = text.replace("@INSTALL@\n", pinned if self.wheel else by_name)
        text = text.replace("@REQUIREMENT@", self.requirement).replace("@STEM@", self.stem_of_all)
        return text.replace("@WHEEL@", self.wheel.name).replace("@SHA256@", self.wheel.sha256) if self.wheel else text


@dataclass(frozen=True, slots=True)
class Platform:
    """The files it needs, by their path in a workspace, and how a student hands in there, for the workspace's page."""

    files: Callable[[Grader], Files]
    hand_in: str


def platform_files(names: Iterable[str], grader: Grader) -> Files:
    """What platforms of `PLATFORMS` need, by its path in a workspace."""
    return {path: data for name in names for path, data in PLATFORMS[name].files(grader).items()}


def read_wheel(path: Path, grader: Grader) -> Wheel:
    """A wheel of this grader in this version. Raises UsageError where the file is none."""
    remedy = "Make one in a clone of this project, as it is here: `pip wheel --no-deps .`"
    try:
        data = path.read_bytes()
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            is_ours = f"{grader.stem}.dist-info/METADATA" in packed.namelist()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), remedy=remedy) from error
    except (zipfile.BadZipFile, ValueError):
        is_ours = False
    if not is_ours or not re.fullmatch(rf"{re.escape(grader.stem)}(-\d\w*)?(-[\w.]+){{3}}\.whl", path.name, re.ASCII):
        raise UsageError(f"this is no wheel of {grader.requirement}", where=str(path), remedy=remedy)
    return Wheel(path.name, data)


def _github(grader: Grader) -> Files:
    files: Files = {WORKFLOW: grader.fill_in(_WORKFLOW, pinned=_FLOW_PINNED, by_name=_FLOW_BY_NAME)}
    return files | ({f".github/{grader.wheel.name}": grader.wheel.data} if grader.wheel else {})


def _gradescope(grader: Grader) -> Files:
    scripts = {"setup.sh": grader.fill_in(_SETUP, pinned=_SETUP_PINNED, by_name=_SETUP_BY_NAME), "run_autograder": _RUN}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in scripts.items():
            archive.writestr(_entry(name, 0o755), text)
        if grader.wheel:
            archive.writestr(_entry(grader.wheel.name, 0o644), grader.wheel.data)
    return {ARCHIVE: packed.getvalue()}


def _entry(name: str, mode: int) -> zipfile.ZipInfo:
    """A file of the archive, dated alike on every day so that the archive is the same."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system = 3  # Unix, whose permissions follow
    info.external_attr = (stat.S_IFREG | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


PLATFORMS = {
    "github": Platform(
        _github,
        f"**On GitHub**: commit and push what you wrote in `{WORKSPACE}/`. Every push is graded, and\n"
        "the points of each check are in the repository's *Actions* tab.",
    ),
    "gradescope": Platform(
        _gradescope,
        f"**On Gradescope**: upload the files of `{WORKSPACE}/` that you wrote to the\n"
        "assignment. As soon as they are graded, the points of each check are shown there.",
    ),
}

_WORKFLOW = r"""# Grades every push, and tells GitHub Classroom the points of each check.
name: Autograding Tests

on: [push, repository_dispatch]

permissions:
  checks: write
  actions: read
  contents: read

jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    steps:
      - name: Get the work
        uses: actions/checkout@v4

      - name: Get Python
        uses: actions/setup-python@v5
        with:
          python-version: "3.12"

@INSTALL@

      - name: Grade
        id: grade
        shell: bash
        run: |
          # Exit status 1 says that points are missing, which ends no step: the result says how many. With 2 the grader
          # failed; if it could say at what, the result says that too, and otherwise this step fails.
          file="$(mktemp)"
          status=0
          grade run --submission . --format github --output "$file" || status=$?
          [ -s "$file" ] || exit "$status"
          { echo "result<<END_OF_RESULT"; cat "$file"; echo "END_OF_RESULT"; } >> "$GITHUB_OUTPUT"

      - name: Report the points
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
          GRADE_RESULTS: "${{steps.grade.outputs.result}}"
        with:
          runners: grade
"""

_FLOW_PINNED = r"""      # The grader is this wheel, hidden tests and all, and no other: its SHA-256 is checked, then
      # it is installed by its path. What it needs (NumPy and so on), pip fetches by name.
      - name: Install the grader
        run: |
          echo "@SHA256@  .github/@WHEEL@" | sha256sum --check --quiet
          python -m pip install --quiet './.github/@WHEEL@'
"""

_FLOW_BY_NAME = r"""      # pip takes the grader from its index by name.
      # Whoever publishes under that name there decides what grades; if nobody does, this step fails.
      # `grade start` with `--wheel FILE` makes a workflow that installs a wheel of your own.
      - name: Install the grader
        run: python -m pip install --quiet '@REQUIREMENT@'
"""

_SETUP = r"""#!/usr/bin/env bash
# Runs once, when the image is built: the grader gets an environment of its own, which no submission can change.
set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}

find_python() {
    for each in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$each" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$each"
            return
        fi
    done
    return 1
}

if ! python=$(find_python); then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq python3-venv || true
    find_python >/dev/null || apt-get install -y -qq python3.11-venv
    python=$(find_python) || { echo "The grader needs Python 3.11 or newer: choose a newer base image." >&2; exit 1; }
fi

@INSTALL@

"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --quiet "$grader"
"$root/venv/bin/grade" --version
"""

_SETUP_PINNED = r"""# The grader is the wheel beside this file and no other:
# its SHA-256 is checked, and then it is installed by its path. What it needs (NumPy and so on), pip fetches by name.
grader=$root/source/@WHEEL@
echo "@SHA256@  $grader" | sha256sum --check --quiet
"""

_SETUP_BY_NAME = r"""# No wheel was named when this archive was made, so pip takes the grader from its index by name.
# Whoever publishes under that name there decides what grades; if nobody does, this fails.
# `grade start` with `--wheel FILE` makes an archive with a wheel of your own. One that you put beside this file by hand
# is installed instead, by its path, and unchecked.
grader='@REQUIREMENT@'
for wheel in "$root"/source/@STEM@-*.whl; do
    if [ -e "$wheel" ]; then grader=$wheel; fi
done
"""

_RUN = r"""#!/usr/bin/env bash
# Runs for every submission: grades it, and writes the results that the platform reads.
set -u
root=${AUTOGRADER_ROOT:-/autograder}
results=$root/results/results.json
mkdir -p "$root/results"
rm -f "$results"

status=0
"$root/venv/bin/grade" run --submission "$root/submission" --format gradescope --output "$results" || status=$?

# 1 says that points are missing, which the results tell; 2 that the grader failed, which is no student's zero.
[ "$status" -le 1 ] || exit "$status"
"""
