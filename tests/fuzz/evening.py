"""An evening of its own for every example: a club, a match of four with a round, and who may write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flask import Flask
from sqlalchemy import select

from referee.records.models import Base, Club
from referee.records.soundness import faults_of_club
from referee.web.server.database import db
from referee.web.server.guards import SESSION_KEYS
from tests.conftest import CAST
from tests.ground.client import Client, browser_of

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

    def rows(self) -> dict[str, list[str]]:
        """Read all that is kept of this club, and how many clubs there are."""
        with self.app.app_context():
            found = {
                table.name: sorted(
                    map(repr, db.session.execute(select(table).where(table.c.club_id == self.club_id)).all())
                )
                for table in Base.metadata.sorted_tables
                if "club_id" in table.c
            }
            found["clubs"] = sorted(db.session.scalars(select(Club.id)).all())
            found["club"] = [repr(db.session.execute(select(Club.__table__).where(Club.id == self.club_id)).one())]
            db.session.rollback()
        return found

    def faults(self) -> list[str]:
        """Say what is unsound about the club's record."""
        with self.app.app_context():
            found = list(faults_of_club(db.session(), db.session.get_one(Club, self.club_id)))
            db.session.rollback()
        return found

    def send(self, method: str, path: str, **options: Any) -> int:
        """Send a request; fail on a mistake of the server, and on a refused one that left something behind."""
        before = self.rows()
        answer = self.client.open(path, method=method, **options)
        status = answer.status_code
        answer.close()
        assert status < 500, f"{method} {path}: {status}"
        if status >= 400 or method == "GET":
            assert self.rows() == before, f"{method} {path} was refused by {status} and left something behind"
        return status


def empty(app: Flask) -> Evening:
    """Found a club in which nobody has played, and open it in a browser."""
    client = browser_of(app)
    club = client.post("/api/v1/clubs", json={"name": "Tuesday"}).get_json()
    with client.session_transaction() as session:
        session[SESSION_KEYS] = [club["scorekeeper_key"]]
    return Evening(app, client, club["id"], club["scorekeeper_key"])


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
