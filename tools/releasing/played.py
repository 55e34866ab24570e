"""Play a few matches with this program and keep its database, for every later release to bring up to date."""

from __future__ import annotations

import gzip
import itertools
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from referee import __version__, create_app
from referee.paths import CHECKOUT
from referee.records import ids, models
from referee.records.ids import TOKEN_LENGTH
from referee.web.server.database import db
from tests.ground.client import Client

RELEASES = CHECKOUT / "tests" / "records" / "releases"
SECRET = "the secret of the release"
BEGUN = datetime(2026, 1, 4, 19, tzinfo=UTC)
ONCE = "3b1f6d0e-7a53-4f0e-9b8f-0f6b7b0c2a11"
FRIENDS = ["Ada", "Bo", "Cy", "Di"]
BIG = {"Bo": ["wild", "wild-draw-four"], "Cy": ["skip", "draw-two"], "Di": ["8", "1"]}


@dataclass
class Table:
    """A club that is written to by the JSON interface, and by forms where it has only those."""

    phones: Client
    key: str = ""

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> dict[str, Any]:
        """Send a request with the club's key; raises AssertionError for a refusal."""
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.phones.open(f"/api/v1{path}", method=method, json=body, headers=sent)
        assert answer.status_code < 300, f"{method} {path}: {answer.text}"
        return dict(answer.get_json()) if answer.data else {}

    def etag(self, match: str) -> str:
        """Give the ETag of a match as it stands."""
        authorization = {"Authorization": f"Bearer {self.key}"}
        return self.phones.get(f"/api/v1/matches/{match}", headers=authorization).headers["ETag"]

    def start(self, players: list[str], rulebook: str = "classic-500", **more: Any) -> str:
        """Start a match and give its id."""
        return str(self("POST", "/matches", {"players": players, "rulebook": rulebook, **more})["id"])

    def record(self, match: str, after: int, went_out: str, hands: dict[str, list[str]], **headers: str) -> str:
        """Record a round and give its id."""
        entry = {"after": after, "went_out": went_out, "hands": hands}
        return str(self("POST", f"/matches/{match}/rounds", entry, **headers)["round"]["id"])


@contextmanager
def without_chance() -> Iterator[None]:
    """Draw the same ids and keys at the same moments every time, so that two cuts of one commit have the same bytes."""
    chance, seconds = Random(__version__), itertools.count()

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return (BEGUN + timedelta(seconds=next(seconds))).astimezone(tz)

    with (
        patch("os.urandom", chance.randbytes),
        patch("random._urandom", chance.randbytes),  # what `secrets` draws from
        patch("time.time", BEGUN.timestamp),
        patch.object(models, "datetime", Clock),
        patch.object(ids, "datetime", Clock),
    ):
        yield


def keep() -> list[str]:
    """Write the files of this release, once; give the tables that hold nothing. Raises FileExistsError."""
    dump, told = (RELEASES / f"{__version__}.{ending}" for ending in ("sql.gz", "json"))
    if dump.exists() or told.exists():
        raise FileExistsError(dump)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "referee.db"
        app = create_app(
            {"SQLALCHEMY_DATABASE_URI": f"sqlite:///{file}", "SECRET_KEY": SECRET, "INSTANCE": folder}
            | {"RATELIMIT_ENABLED": False}
        )
        app.test_client_class = Client
        with without_chance():
            document = play(app.test_client)
        with app.app_context():
            db.session.remove()
            db.engine.dispose()
        with closing(sqlite3.connect(file)) as made:
            # indexes are made in any order, and what SQLite counted in them is none of the release's
            lines = [line for line in made.iterdump() if "sqlite_stat1" not in line and not line.startswith("ANALYZE")]
            lines.sort(key=lambda line: line if line.startswith(("CREATE INDEX", "CREATE UNIQUE")) else "")
            tables = [name for (name,) in made.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            empty = [name for name in tables if not made.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchall()]
    dump.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    told.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return empty


def play(browser: Any) -> dict[str, Any]:
    """Play the matches and give what the program answered about them, with the keys and the cookie it gave out."""
    other = Table(browser())
    other("POST", "/clubs", {"name": "Monday table"})
    table = Table(browser())
    club = table("POST", "/clubs", {"name": "Sunday table"})
    table.key = club["scorekeeper_key"]
    keeper = browser()
    with keeper.session_transaction() as session:
        session["keys"] = [table.key]
    finished, idempotent = play_to_the_end(table)
    others = [play_teams(table), play_by_own_rules(table, club["id"]), abandon(table)]
    dy, players = change_players(table)
    running, eve = start_what_goes_on(table)
    spend_an_evening(table)
    board, code = open_links(keeper, browser(), running)
    public = [str(table("PUT", f"{what}/public", {})["url"]) for what in (f"/matches/{finished}", "/club")]
    cookies = let_phones_in(table, keeper, browser())
    lose(table, keeper)
    read = Table(browser(), club["spectator_key"])
    found = {match: read("GET", f"/matches/{match}") for match in (finished, *others, running)}
    kept = ("status", "target", "standings", "winners")
    return {
        "secret_key": SECRET,
        "scorekeeper_key": table.key,
        "spectator_key": club["spectator_key"],
        "board": board,
        "table": code,
        "public": ["/" + link.partition("//")[2].partition("/")[2] for link in public],
        "idempotent": idempotent,
        "matches": {
            match: {name: one[name] for name in kept} | {"rounds": len(one["rounds"])} for match, one in found.items()
        },
        "open_hand": running,
        "players": players | {"Dy": dy, "Eve": eve},
        "cookies": cookies,
    }


def play_to_the_end(table: Table) -> tuple[str, dict[str, Any]]:
    """Play to the target, with a round corrected, struck and brought back, a ruling, and a round sent twice."""
    match = table.start(FRIENDS, "classic-500", target=300, location="Bo’s kitchen")
    first = table.record(match, 0, "Ada", {"Bo": ["7"], "Cy": ["3"], "Di": ["9"]})
    corrected = {"went_out": "Ada", "hands": {"Bo": ["7", "skip"], "Cy": ["3"], "Di": ["9"]}}
    table("PUT", f"/matches/{match}/rounds/{first}", corrected, If_Match=table.etag(match))
    struck = table.record(match, 1, "Bo", {"Ada": ["1"], "Cy": ["2"], "Di": ["3"]})
    table("DELETE", f"/matches/{match}/rounds/{struck}", If_Match=table.etag(match))
    table("POST", f"/matches/{match}/rounds/{struck}/restore", {}, If_Match=table.etag(match))
    gone = table.record(match, 2, "Di", {"Ada": ["1"], "Bo": ["2"], "Cy": ["3"]})
    table("DELETE", f"/matches/{match}/rounds/{gone}", If_Match=table.etag(match))
    facts = {"players": 4, "played": "red-skip"}
    table("POST", f"/matches/{match}/rulings", {"dispute": "played-card-effect", "facts": facts, "accepted": True})
    sent = {"after": 2, "went_out": "Ada", "hands": BIG}
    table("POST", f"/matches/{match}/rounds", sent, Idempotency_Key=ONCE)
    table.record(match, 3, "Ada", BIG)
    return match, {"path": f"/matches/{match}/rounds", "key": ONCE, "body": sent}


def play_teams(table: Table) -> str:
    """Play with partners and a correction of a total; ended by hand, after it was reopened."""
    match = table.start(FRIENDS, "partners", teams=[["Ada", "Cy"], ["Bo", "Di"]])
    table.record(match, 0, "Ada", {"Bo": ["7"], "Cy": ["3"], "Di": ["9"]})
    entry = {"after": 1, "went_out": "Bo", "hands": {"Ada": ["1"], "Cy": ["2"]}}
    corrections = [{"player": "Bo", "points": -10, "reason": "Lost the count"}]
    table("POST", f"/matches/{match}/rounds", entry | {"adjustments": corrections})
    for task in ("finish", "reopen", "finish"):
        table("POST", f"/matches/{match}/{task}", {})
    return match


def play_by_own_rules(table: Table, club: str) -> str:
    """Write own rules, share them, and play by them with the rules amended in between."""
    changes = {"points-wild": {"wild_points": 40}}
    books = f"/clubs/{club}/rulebooks"
    own = table("POST", books, {"title": "Sunday rules", "base": "classic-500", "changes": changes})
    table("POST", f"{books}/{own['id']}/share", {})
    match = table.start(["Ada", "Bo"], own["id"])
    table.record(match, 0, "Ada", {"Bo": ["wild"]})
    table("POST", f"/matches/{match}/amendments", {"house_rules": ["jump-in"], "note": "as at Bo’s"})
    table.record(match, 1, "Bo", {"Ada": ["9"]})
    table("POST", f"/matches/{match}/finish", {})
    return match


def abandon(table: Table) -> str:
    """Abandon a match of another box after a round."""
    match = table.start(["Di", "Ada", "Bo", "Cy"], "no-mercy")
    table.record(match, 0, "Di", {"Ada": ["7"], "Bo": ["wild-draw-ten"], "Cy": ["0"]})
    table("POST", f"/matches/{match}/abandon", {})
    return match


def change_players(table: Table) -> tuple[str, dict[str, str]]:
    """Rename one, set one aside, merge one; give the id of who was merged, and everybody's by the first name."""
    players = {one["name"]: one["id"] for one in table("GET", "/players")["players"]}
    dy = str(table("POST", "/players", {"name": "Dy"})["id"])
    table("POST", f"/players/{dy}/merge", {"into": players["Di"]})
    table("PATCH", f"/players/{players['Cy']}", {"name": "Cyrus"})
    away = table("POST", "/players", {"name": "Fay"})["id"]
    table("PATCH", f"/players/{away}", {"active": False})
    return dy, players


def start_what_goes_on(table: Table) -> tuple[str, str]:
    """Start a match that someone joins and someone leaves; give its id, and that of who joined."""
    match = table.start(["Ada", "Bo", "Cyrus"], custom_rules=["Snacks stay off the table"])
    table.record(match, 0, "Ada", {"Bo": ["7"], "Cyrus": ["9", "4"]})
    table("POST", f"/matches/{match}/players", {"player": "Eve", "total": 10})
    table.record(match, 1, "Eve", {"Ada": ["skip"], "Bo": ["1"], "Cyrus": ["2"]})
    players = {one["name"]: one["id"] for one in table("GET", "/players")["players"]}
    table("DELETE", f"/matches/{match}/players/{players['Bo']}")
    table.record(match, 2, "Cyrus", {"Ada": ["wild"], "Eve": ["5"]})
    return match, players["Eve"]


def spend_an_evening(table: Table) -> None:
    """Make a season, and an evening of two tables of which one has played; a guest came, and someone left."""
    table("POST", "/seasons", {"name": "Winter", "first_day": "2026-01-01", "best": 5})
    plan = {"rulebook": "classic-500", "rounds_to_play": 1, "size": 2, "draws": 1}
    opened = table("POST", "/evenings", {"name": "Cup night", "names": ["Ada", "Cyrus", "Di", "Eve"], **plan})
    evening = f"/evenings/{opened['id']}"
    drawn = table("POST", f"{evening}/draws", {"after": 0, "number": 7})
    table("POST", f"{evening}/people", {"names": ["Ida"], "guest": True})
    table("DELETE", f"{evening}/people/{drawn['people'][0]['player']}")
    names = {one["player"]: one["name"] for one in drawn["people"]}
    first, other = (names[id] for id in drawn["tables"][0]["players"])
    table.record(drawn["tables"][0]["match"], 0, first, {other: ["7"]})


def open_links(keeper: Client, phone: Client, match: str) -> tuple[str, str]:
    """Open the board and the hands of a match, and tap one in; give the tokens of both."""
    board = _open(keeper, match, "board", "live", page="invite")
    code = _open(keeper, match, "hands/link", "hand", page="hands")
    assert phone.submit(f"/hand/{code}", {"seat": "2"}, page=f"/hand/{code}").status_code == 303
    _submit(keeper, f"/matches/{match}/hands", {"went_out": ""})
    page = phone.get("/hand").text
    fields = {name: value for name, value in _hidden(page).items() if name in ("after", "revision", "idempotency_key")}
    (field,) = {part.split('"')[0] for part in page.split('name="')[1:] if part.startswith("hand-")}
    sent = phone.submit("/hand", fields | {"ended": "own-hand", field: "7 skip"}, page="/hand")
    assert sent.status_code in (200, 302, 303), sent.text
    return board, code


def _open(keeper: Client, match: str, task: str, kind: str, page: str) -> str:
    _submit(keeper, f"/matches/{match}/{task}", {})
    return keeper.get(f"/matches/{match}/{page}").text.split(f"/{kind}/")[1][:TOKEN_LENGTH]


def _hidden(page: str) -> dict[str, str]:
    parts = [part.split(">")[0] for part in page.split('<input type="hidden" name="')[1:]]
    return {part.split('"')[0]: part.split('value="')[1].split('"')[0] for part in parts}


def _submit(client: Client, path: str, data: dict[str, Any]) -> None:
    answer = client.submit(path, data, page="/rules")
    assert answer.status_code in (200, 302, 303), f"{path}: {answer.text}"


def let_phones_in(table: Table, keeper: Client, phone: Client) -> dict[str, str]:
    """Make keys of every kind, and give the cookies of a phone that came in by an invitation."""
    for role in ("scorekeeper", "spectator"):
        table("POST", "/keys", {"role": role, "name": f"Bo's {role}"})
    lost = table("POST", "/keys", {"role": "spectator", "name": "Lost phone"})
    table("DELETE", f"/keys/{lost['id']}")
    link = table("POST", "/invitations", {"role": "scorekeeper"})["link"]
    table("POST", "/invitations", {"role": "spectator"})
    path = f"/join/{link.rpartition('/')[2]}"
    assert phone.submit(path, {"name": "Bo's phone"}, page=path).status_code in (302, 303)
    _submit(keeper, "/club/recovery", {})
    cookie = phone.get_cookie("session")
    assert cookie
    return {"session": cookie.value}


def lose(table: Table, keeper: Client) -> None:
    """Bring a club in from its file, and delete a match and a player's name, both still restorable."""
    text = table.phones.get("/api/v1/export", headers={"Authorization": f"Bearer {table.key}"}).get_json()
    guest = Table(table.phones)
    guest.key = guest("POST", "/clubs", {"name": "Tuesday table"})["scorekeeper_key"]
    guest("POST", "/import", text)
    match = table.start(["Gus", "Hal"])
    table.record(match, 0, "Gus", {"Hal": ["9"]})
    table("DELETE", f"/matches/{match}", If_Match=table.etag(match))
    gus = next(one["id"] for one in table("GET", "/players")["players"] if one["name"] == "Gus")
    table("DELETE", f"/players/{gus}")
