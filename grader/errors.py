"""The errors of the grader itself. A student's failure is never one of these.

GraderError                  what happened, where, and the remedy; `cli.py` alone turns it into exit status 2
├── UsageError               the command was asked for something that is not there
├── CourseError              course.yml, or what it names, is faulty; carries every problem at once
├── SuiteError               a hidden suite cannot be collected
├── ClusterError             the machines that grade a batch are gone, or are not fit to grade
├── SubmissionError          the machine, not the student, kept a submission from being read
└── WorkerError              no worker could be started, or it failed outside the student's code
"""

from __future__ import annotations


class GraderError(Exception):
    """Something that is not the student's doing. `where` names a file or setting, `remedy` what to do."""

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        head = f"{self.where}: {self.message}" if self.where else self.message
        return f"{head}\n  {self.remedy}" if self.remedy else head

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the message alone, for no line of the grader's source helps a learner."""
        return [str(self)]


class UsageError(GraderError):
    """The command line, or the folder the command runs in, does not name something that exists."""


class CourseError(GraderError):
    """A faulty course. `problems` holds one line a fault, each with its path and remedy."""

    def __init__(self, problems: list[str], *, where: str = "", remedy: str = "") -> None:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__(f"{count} in the course", where=where, remedy=remedy)
        self.problems = tuple(problems)

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *(f"  {problem}" for problem in self.problems)])


class SuiteError(GraderError):
    """A hidden suite that pytest could not collect, or that does not keep to the rules of a suite."""


class ClusterError(GraderError):
    """The cluster is gone, or would grade with something else: no further submission would fare better."""


class SubmissionError(GraderError):
    """Permission denied or an input/output error while reading a submission: ours, never a zero."""


class WorkerError(GraderError):
    """The worker could not be started or broke outside the student's code."""
