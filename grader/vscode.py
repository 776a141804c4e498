"""What VS Code finds in a workspace: tasks that grade, and a matcher that puts what failed on its line.

The keys are those of https://code.visualstudio.com/docs/reference/tasks-appendix.
"""

from __future__ import annotations

import json
import os
from typing import Any

from grader.render.editor import PROBLEM

_MATCHER = {
    "owner": "grade",
    "source": "grade",
    "fileLocation": ["relative", "${workspaceFolder}"],
    "pattern": {"regexp": PROBLEM, "file": 1, "line": 2, "severity": 3, "message": 4},
}


def vscode_files(*, programs: str = "", python: str = "", course: str = "") -> dict[str, str]:
    """settings.json and tasks.json by their path in a workspace.

    `programs` is the folder `grade` lies in, looked into before the others; `python` the interpreter that has NumPy;
    `course` a course other than the installed one. Leave them empty in what goes to other machines.
    """
    environment = {"PATH": f"{programs}{os.pathsep}${{env:PATH}}"} if programs else {}
    environment |= {"GRADE_COURSE": course} if course else {}
    return {
        ".vscode/settings.json": _json(_settings(python)),
        ".vscode/tasks.json": _json({"version": "2.0.0", "tasks": _tasks(environment)}),
    }


def _settings(python: str) -> dict[str, Any]:
    """Notebooks and the debugger start where `import exercises` works, whichever file is open."""
    settings: dict[str, Any] = {
        "jupyter.notebookFileRoot": "${workspaceFolder}",
        "python.terminal.executeInFileDir": False,
        "python.analysis.extraPaths": ["${workspaceFolder}"],
        "terminal.integrated.cwd": "${workspaceFolder}",
    }
    return settings | ({"python.defaultInterpreterPath": python} if python else {})


def _tasks(environment: dict[str, str]) -> list[dict[str, Any]]:
    grade = {"group": {"kind": "build", "isDefault": True}, "problemMatcher": _MATCHER}
    return [
        _task("grade", ["run", "--format", "editor"], environment) | grade,
        _task("grade: next hint", ["hint"], environment),
        _task("grade: watch", ["watch"], environment) | {"presentation": {"panel": "dedicated", "focus": True}},
    ]


def _task(label: str, arguments: list[str], environment: dict[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = {"cwd": "${workspaceFolder}"} | ({"env": environment} if environment else {})
    return {
        "label": label,
        "type": "shell",
        "command": "grade",
        "args": arguments,
        "options": options,
        "problemMatcher": [],
        "presentation": {"clear": True, "showReuseMessage": False},
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
