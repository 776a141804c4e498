"""The command `grade`: the only place that prints, exits and asks the terminal. Every command imports late."""

from grader.cli import batch, hint, nbgrader, quiz, run, start, verify
from grader.cli.group import main

__all__ = ["batch", "hint", "main", "nbgrader", "quiz", "run", "start", "verify"]

if __name__ == "__main__":
    main(prog_name="grade")
