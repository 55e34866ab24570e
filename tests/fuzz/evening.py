"""An evening of its own for every example: a club, a match of four with a round, and who may write."""

from dataclasses import dataclass, replace
from typing import Any

from flask import Flask

from tests.conftest import CAST
from tests.ground.client import Client, browser_of
from tests.ground.record import rows

ROUND = {"went_out": "Ada", "hands": {"Bo": ["7", "skip"], "Cy": 20, "Di": ["wild"]}}


@dataclass(frozen=True)
class Evening:
    """A club in the middle of a match, seen by its scorekeeper's browser."""

    app: Flask
    client: Client
    club_id: str
    key: str
    match_id: str = ""
    round_id: str = ""
    player_id: str = ""

    @property
    def bearer(self) -> dict[str, str]:
        """Give the header of a program that holds the club's key."""
        return {"Authorization": f"Bearer {self.key}"}

    def seats(self) -> list[str]:
        """List the ids of the club's players."""
        return [player["id"] for player in self.client.get("/api/v1/players").get_json()["players"]]

    def key_id(self) -> str:
        """Give the id of the club's first key."""
        return str(self.client.get("/api/v1/keys").get_json()["keys"][0]["id"])

    def send(self, method: str, path: str, **options: Any) -> int:
        """Send a request; fail on a mistake of the server, and on a refused one that left something behind."""
        before = rows(self.app, self.club_id)
        answer = self.client.open(path, method=method, **options)
        status = answer.status_code
        answer.close()
        assert status < 500, f"{method} {path}: {status}"
        if status >= 400 or method == "GET":
            assert rows(self.app, self.club_id) == before, (
                f"{method} {path} was refused by {status} and left something behind"
            )
        return status


def empty(app: Flask) -> Evening:
    """Found a club in which nobody has played, and open it in a browser."""
    club = app.test_client().post("/api/v1/clubs", json={"name": "Tuesday"}).json
    assert club
    key = club["scorekeeper_key"]
    return Evening(app, browser_of(app, key), club["id"], key)


def begin(app: Flask) -> Evening:
    """Begin a match of the cast, and record a round."""
    evening = empty(app)
    client, bearer = evening.client, evening.bearer
    plan = {"players": CAST, "rulebook": "classic-500"}
    match = client.post("/api/v1/matches", json=plan, headers=bearer).get_json()
    where = f"/api/v1/matches/{match['id']}/rounds"
    recorded = client.post(where, json={"after": 0, **ROUND}, headers=bearer).get_json()
    seat = match["seats"][1]["id"]
    return replace(evening, match_id=match["id"], round_id=recorded["round"]["id"], player_id=seat)
