"""The command `grade`: the only place that prints, exits and asks the terminal. Every command imports late."""

from grader.cli import batch, explore, hint, nbgrader, progress, quiz, run, solution, start, verify, watch
from grader.cli.group import main

__all__ = [
    "batch",
    "explore",
    "hint",
    "main",
    "nbgrader",
    "progress",
    "quiz",
    "run",
    "solution",
    "start",
    "verify",
    "watch",
]

if __name__ == "__main__":
    main(prog_name="grade")
