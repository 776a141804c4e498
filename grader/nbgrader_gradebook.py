"""nbgrader's gradebook, opened once a run and written once a student.

nbgrader opens it anew for every step of every notebook, and commits every cell: that is most of its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nbgrader.api import Gradebook
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from grader.errors import GraderError

REMEDY = "Close what else writes to it. After an update of nbgrader: keep a copy of it, then run `nbgrader db upgrade`."


class Held(Session):
    """A session in which `commit` shows what was written to later queries, and `keep` alone makes it last."""

    def commit(self) -> None:
        """All that code which commits may rely on, but that it is on the disk."""
        self.flush()
        self.expire_all()

    def keep(self) -> None:
        """Write down all since the last time, or nothing."""
        super().commit()


@contextmanager
def one_gradebook(url: str, course_id: str) -> Iterator[Gradebook]:
    """The gradebook; meanwhile whoever opens it, nbgrader's own code or a plugin, gets this one, which stays open.

    Its `db` is a scoped session of `Held`. Raises GraderError where it cannot be opened.
    """
    try:
        book = Gradebook(url, course_id)
        book.check_course()  # where nbgrader's preprocessors open it, they name none
    except (SQLAlchemyError, OSError, ValueError) as error:
        raise unusable(error) from error
    book.db.remove()
    book.db = scoped_session(sessionmaker(class_=Held, autoflush=True, bind=book.engine))
    opened, closed = Gradebook.__init__, Gradebook.close
    try:
        _lend(book, url)
        yield book
    finally:
        Gradebook.__init__, Gradebook.close = opened, closed
        book.close()


def _lend(book: Gradebook, url: str) -> None:
    opened, closed = Gradebook.__init__, Gradebook.close

    def borrow(self: Any, db_url: str, course_id: str = "default_course", authenticator: Any = None) -> None:
        if db_url == url:
            vars(self).update(vars(book) | {"course_id": course_id, "authenticator": authenticator})
        else:
            opened(self, db_url, course_id, authenticator)

    def give_back(self: Any) -> None:
        if self.engine is not book.engine:
            closed(self)

    Gradebook.__init__, Gradebook.close = borrow, give_back


def unusable(error: Exception) -> GraderError:
    """What to say where the database fails."""
    reason = str(getattr(error, "orig", None) or error)
    return GraderError(f"the gradebook cannot be used: {reason}", remedy=REMEDY)
