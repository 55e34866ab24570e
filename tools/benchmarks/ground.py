"""What is measured: the app on a database of its own, a club at play, and the least that a Flask app can be."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from werkzeug.wrappers import Response

from referee import create_app
from referee.web.server.database import db, tune_sqlite

CAST = ("Ada", "Bo", "Cy", "Di")
HANDS: Mapping[str, list[str]] = {"Bo": ["7", "skip", "wild"], "Cy": ["3", "9"], "Di": ["draw-two"]}
"""The leftover cards of the round that is measured; Ada went out. 109 points."""


@dataclass
class Client:
    """Send requests to an app inside this process, by Flask's own test client; headers stay from one to the next.

    The same client stands on both sides of every ratio, and what it costs itself is part of both.
    """

    app: Flask
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Let this client keep its cookies itself."""
        self._client = self.app.test_client(use_cookies=False)

    def request(self, method: str, path: str, *, form: Any = None, json: Any = None, **headers: str) -> dict[str, Any]:
        """Prepare a request."""
        given = {"path": path, "method": method, "headers": list({**self.headers, **headers}.items())}
        return given | ({"data": form} if form is not None else {}) | ({"json": json} if json is not None else {})

    def send(self, request: dict[str, Any], *statuses: int) -> Response:
        """Send a prepared request; another status than those named is a mistake."""
        answer = self._client.open(**request)
        if answer.status_code not in (statuses or (200,)):
            raise AssertionError(f"{request['path']}: {answer.status}: {answer.get_data(as_text=True)[:600]}")
        return answer

    def read(self, method: str, path: str, json: Any = None, **headers: str) -> Any:
        """Call the JSON interface and read its answer."""
        answer = self.send(self.request(method, f"/api/v1{path}", json=json, **headers), 200, 201)
        return loads(answer)


def loads(answer: Response) -> Any:
    """Read the JSON of an answer."""
    return json.loads(answer.get_data())


@contextmanager
def running_app(address: str | None = None) -> Iterator[Flask]:
    """Make the app on a database of its own, as it is served: SQLite unless told otherwise."""
    with TemporaryDirectory(prefix="referee-benchmark-", ignore_cleanup_errors=True) as folder:
        settings = {
            "INSTANCE": folder,
            "SECRET_KEY": "benchmark",
            "SQLALCHEMY_DATABASE_URI": address or f"sqlite:///{folder}/referee.db",
            "RATELIMIT_ENABLED": False,
        }
        app = create_app(settings)
        try:
            yield app
        finally:
            with app.app_context():
                db.session.remove()
                db.engine.dispose()


@dataclass(frozen=True)
class Club:
    """A club with its keys, and a client for programs and one for a phone's pages."""

    app: Flask
    scorekeeper: Client
    phone: Client

    def match(self, rounds: int = 0) -> str:
        """Begin a match of the cast to a target far off; record rounds; return its id."""
        plan = {"players": CAST, "rulebook": "classic-500", "target": 100_000}
        match = str(self.scorekeeper.read("POST", "/matches", plan)["id"])
        for after in range(rounds):
            self.record(match, after)
        return match

    def record(self, match: str, after: int) -> None:
        """Record the round of the cast after so many others."""
        entry = {"after": after, "went_out": "Ada", "hands": HANDS}
        self.scorekeeper.read("POST", f"/matches/{match}/rounds", entry, Prefer="return=minimal")

    def finish(self, match: str) -> None:
        """End a match, so that statistics count it."""
        self.scorekeeper.read("POST", f"/matches/{match}/finish", {})


def found_club(app: Flask) -> Club:
    """Found a club and let a program and a phone in."""
    program = Client(app)
    keys = program.read("POST", "/clubs", {"name": "Sunday table"})
    scorekeeper = Client(app, {"Authorization": f"Bearer {keys['scorekeeper_key']}"})
    return Club(app, scorekeeper, phone_of(app, scorekeeper))


def phone_of(app: Flask, scorekeeper: Client) -> Client:
    """Let a phone in by an invitation, as a QR code would."""
    link = scorekeeper.read("POST", "/invitations", {"role": "scorekeeper"})["link"]
    path = "/" + link.split("/", 3)[3]
    phone = Client(app)
    page = phone.send(phone.request("GET", path))
    phone.headers["Cookie"] = _cookie(page)
    form = {"csrf_token": csrf_token(page), "name": "Phone"}
    accepted = phone.send(phone.request("POST", path, form=form), 302, 303)
    phone.headers["Cookie"] = _cookie(accepted)
    page = phone.send(phone.request("GET", "/"))
    if "Set-Cookie" in page.headers:
        phone.headers["Cookie"] = _cookie(page)
    phone.headers["X-CSRFToken"] = csrf_token(page)
    return phone


def csrf_token(page: Response) -> str:
    """Read the CSRF token that a page carries."""
    found = re.search(r'<meta name="csrf-token" content="([^"]+)"', page.get_data(as_text=True))
    assert found
    return found[1]


def _cookie(answer: Response) -> str:
    return answer.headers["Set-Cookie"].partition(";")[0]


def hello_app() -> Flask:
    """Make the least that a Flask app can be."""
    app = Flask("hello")

    @app.get("/")
    def hello() -> str:
        return "Hello"

    return app


def committing_app(folder: Path) -> Flask:
    """Make a Flask app that commits one row by the ORM, on SQLite tuned as ours is (``synchronous=FULL``)."""

    class Base(DeclarativeBase):
        pass

    class Row(Base):
        __tablename__ = "rows"
        id: Mapped[int] = mapped_column(primary_key=True)
        text: Mapped[str]

    app = Flask("hello")
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{folder}/hello.db"
    its_db = SQLAlchemy(app, model_class=Base)
    with app.app_context():
        tune_sqlite(its_db.engine)
        its_db.create_all()

    @app.post("/")
    def commit() -> str:
        its_db.session.add(Row(text="Hello"))
        its_db.session.commit()
        return "Hello"

    return app


def limit_app() -> Flask:
    """Make the committing app for a server, in the folder that the environment names."""
    app = committing_app(Path(os.environ["BENCHMARK_FOLDER"]))
    app.add_url_rule("/", view_func=lambda: "Hello", methods=["GET"])
    return app
