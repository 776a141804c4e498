"""What platforms run to grade whatever is handed in: a workflow for GitHub Classroom, an archive for Gradescope.

The workflow's shape is that of the actions under https://github.com/classroom-resources, the archive's that of
https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable

WORKFLOW = ".github/workflows/classroom.yml"
ARCHIVE = "autograder.zip"


def platform_files(platform: str, requirement: str) -> dict[str, str | bytes]:
    """What a platform of `PLATFORMS` needs, by its path in a workspace; `requirement` is what pip installs there."""
    return PLATFORMS[platform](requirement)


def _github(requirement: str) -> dict[str, str | bytes]:
    return {WORKFLOW: _WORKFLOW.replace("@REQUIREMENT@", requirement)}


def _gradescope(requirement: str) -> dict[str, str | bytes]:
    scripts = {"setup.sh": _SETUP.replace("@REQUIREMENT@", requirement), "run_autograder": _RUN}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in scripts.items():
            archive.writestr(_executable(name), text)
    return {ARCHIVE: packed.getvalue()}


def _executable(name: str) -> zipfile.ZipInfo:
    """A file of the archive that may be run, dated alike on every day so that the archive is the same."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system = 3  # Unix, whose permissions follow
    info.external_attr = (stat.S_IFREG | 0o755) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


PLATFORMS: dict[str, Callable[[str], dict[str, str | bytes]]] = {"github": _github, "gradescope": _gradescope}

_WORKFLOW = r"""# Grades every push, and tells GitHub Classroom the points of each check.
# The hidden tests come with the installed package: none is in this repository.
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

      - name: Install the grader
        run: python -m pip install --quiet '@REQUIREMENT@'

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

_SETUP = r"""#!/usr/bin/env bash
# Runs once, when the image is built: the grader gets an environment of its own, which no submission can change.
# A wheel of the grader, put into this archive beside this file, is taken before any that pip would find elsewhere.
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

"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --quiet --find-links "$root/source" '@REQUIREMENT@'
"$root/venv/bin/grade" --version
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
