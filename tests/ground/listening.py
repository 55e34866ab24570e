"""Overhear what an app and its database say to each other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from sqlalchemy import event

from referee.web.server.database import db


@contextmanager
def listening(app: Flask, name: str, told: Callable[..., Any]) -> Iterator[None]:
    """Call ``told`` at each event of that name, such as "begin", until the block ends: the engine outlives the test."""
    with app.app_context():
        engine = db.engine
    event.listen(engine, name, told)
    try:
        yield
    finally:
        event.remove(engine, name, told)


@contextmanager
def counted(app: Flask) -> Iterator[list[str]]:
    """Collect what the database is asked; beginning and ending a transaction asks nothing."""
    said: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if not statement.startswith(("BEGIN", "COMMIT", "ROLLBACK")):
            said.append(statement)

    with listening(app, "before_cursor_execute", note):
        yield said
