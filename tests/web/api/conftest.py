"""A club with its keys, as programs hold them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from referee.web.api.interface import RESOURCES
from referee.web.api.shapes import ProblemDocument

ADA_GOES_OUT: Mapping[str, Any] = {
    "went_out": "Ada",
    "hands": {"Bo": ["7", "skip", "wild"], "Cy": ["3", "9"], "Di": ["draw-two"]},
}
"""The round that the app measures itself by: 109 points for Ada."""


IN: dict[str, Any] = {"out": False, "out_since": None, "team": None, "team_total": None}
"""What the standings say of someone who is in no team, and not out of the match."""


@dataclass
class Api:
    """The JSON interface, called with one key or none."""

    app: Flask
    key: str | None = None

    def __call__(self, method: str, path: str, json: Any = None, **options: Any) -> TestResponse:
        """Send a request; `path` is what follows ``/api/v1``."""
        headers = dict(options.pop("headers", {}))
        if self.key is not None:
            headers.setdefault("Authorization", f"Bearer {self.key}")
        if json is not None:
            options["json"] = json
        answer = self.app.test_client().open(f"/api/v1{path}", method=method, headers=headers, **options)
        hold_against_description(self.app, method, path, answer)
        return answer


DECLARED = {
    f"api.{resource.name}_{endpoint.view.__name__}": endpoint
    for resource in RESOURCES
    for endpoint in resource.endpoints
}


def hold_against_description(app: Flask, method: str, path: str, answer: TestResponse) -> None:
    """Fail when an answer has not the form, or the status, that its endpoint declares."""
    if answer.status_code >= 400:
        ProblemDocument.model_validate_json(answer.get_data())
    elif answer.status_code != 304:
        name, _ = app.url_map.bind("localhost").match(f"/api/v1{path.partition('?')[0]}", method)
        endpoint = DECLARED[name]
        assert answer.status_code == endpoint.status
        if endpoint.answer is not None:
            endpoint.answer.model_validate_json(answer.get_data())


@dataclass
class ClubOfCast:
    """A club, seen with its scorekeeper key, its spectator key, and no key."""

    id: str
    write: Api
    read: Api
    stranger: Api
    matches: list[str] = field(default_factory=list)

    def match(self, **agreed: Any) -> str:
        """Begin a match of the cast under Classic 500 unless told otherwise; return its id."""
        plan = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500"} | agreed
        return str(self.write("POST", "/matches", plan, status=201).get_json()["id"])

    def record(self, match: str, after: int, **entry: Any) -> TestResponse:
        """Record a round: Ada goes out unless told otherwise."""
        return self.write("POST", f"/matches/{match}/rounds", {"after": after} | dict(ADA_GOES_OUT) | entry)

    def document(self, match: str, query: str = "") -> dict[str, Any]:
        """Read a match as a spectator does."""
        answer = self.read("GET", f"/matches/{match}{query}", status=200)
        found: dict[str, Any] = answer.json  # type: ignore[assignment]
        return found

    def head(self, match: str) -> dict[str, Any]:
        """Read a match as answers to writes have it: without its rounds."""
        return {name: value for name, value in self.document(match).items() if name != "rounds"}

    def etag(self, match: str) -> dict[str, str]:
        """Give the header that says one has seen the newest state."""
        return {"If-Match": self.read("GET", f"/matches/{match}").headers["ETag"]}

    def totals(self, match: str) -> dict[str, int]:
        """Read the totals by name."""
        return {line["player"]: line["total"] for line in self.document(match)["standings"]}


NewClub = Callable[[str], ClubOfCast]


@pytest.fixture
def new_club(app: Flask) -> NewClub:
    """Found clubs: ``new_club("Sunday table")``."""

    def found(name: str) -> ClubOfCast:
        answer = Api(app)("POST", "/clubs", {"name": name})
        assert answer.status_code == 201, answer.json
        document: dict[str, str] = answer.json  # type: ignore[assignment]
        return ClubOfCast(
            document["id"], Api(app, document["scorekeeper_key"]), Api(app, document["spectator_key"]), Api(app)
        )

    return found


@pytest.fixture
def club(new_club: NewClub) -> ClubOfCast:
    """The club of most tests."""
    return new_club("Sunday table")


@pytest.fixture
def other_club(new_club: NewClub) -> ClubOfCast:
    """A club that must learn nothing of the first."""
    return new_club("Monday table")


def fields(answer: TestResponse, status: int = 422) -> list[str]:
    """Name the fields that a problem document complains about; fail unless the answer has this status."""
    assert answer.status_code == status, answer.text
    document: dict[str, Any] = answer.json  # type: ignore[assignment]
    assert answer.mimetype == "application/problem+json", answer.text
    assert document["status"] == answer.status_code
    return [problem["field"] for problem in document["errors"]]
