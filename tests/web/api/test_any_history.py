"""Whatever a club did: its export names only what is in it, a new club and its own take it in, and it is the same.

``REFEREE_FUZZ=500`` tries that many new ones, also with ``REFEREE_TEST_DATABASE=postgresql``.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from referee.records.deletion.purging import purge
from referee.records.ids import is_id
from referee.web.server.database import db
from tests.fuzz import tries
from tests.ground.record import faults
from tests.web.api.conftest import Api, ClubOfCast

Document = dict[str, Any]
NAMES = ("Ada", "Bo", "Cy", "Di", "Eve")
PLANS: tuple[Mapping[str, Any], ...] = (
    {"rulebook": "classic-500", "target": 60},
    {"rulebook": "classic-500", "custom_rules": ["Ada deals twice"], "name": "Ada’s birthday", "note": "Bo was late"},
    {"rulebook": "official", "house_rules": ["own-points-500"], "target": 60, "location": "at Cy’s"},
    {"rulebook": "speluitslagen", "target": 50},
    {"rulebook": "classic-500", "count": "rounds", "target": 2},
    {"rulebook": "challenge-500", "target": 40},
)
HANDS: tuple[Any, ...] = (["7"], ["wild"], ["skip", "3"], 12, [])
RULINGS: tuple[Mapping[str, Any], ...] = (
    {"dispute": "draw-four-challenge", "facts": {"challenged": True, "held_color": False, "challenger": "target"}},
    {"dispute": "played-card-effect", "facts": {"played": "red-skip"}},
    {"dispute": "uno-call", "facts": {"cards_left": 1, "said": "never", "caught": True}},
)
REFERENCES = {
    "created_by": "writers", "by": "writers", "entered_by": "writers", "given_by": "writers", "rematch_of": "matches",
    "merged_into": "players", "player": "players", "players": "players", "match": "matches",
    "digest": "rulebooks", "rulebook_digest": "rulebooks",
}  # fmt: skip
"""Fields of a match or player that refer to something else in the document."""
LEFT_OUT: Mapping[str, str] = {"club": "a new club has a name of its own"}
"""What of a document may differ once it came in elsewhere, and why."""
REFUSED: Mapping[str, str] = {
    "name": "two copies of a club each met someone of this name: only people know whether it is the same person"
}
"""Last parts of fields for which an import into a copy that went its own way may be refused, and why."""


def dangling(document: Document) -> Iterator[str]:
    """Yield each reference of a document to what isn't in it."""
    named = {kind: {one["id"] for one in document[kind]} for kind in ("writers", "players", "matches")}
    named["rulebooks"] = {one["digest"] for one in document["rulebooks"]}
    own = {one["document"]["id"] for one in document["rulebooks"]}
    own |= {
        part["id"] for match in document["matches"] for kind in ("rounds", "events", "rulings") for part in match[kind]
    }
    anything = set().union(own, *named.values())

    def walk(value: Any, path: str, field: str) -> Iterator[str]:
        if isinstance(value, dict):
            for key, item in value.items():
                yield from walk(item, f"{path}.{key}", key)
        elif isinstance(value, list):
            for place, item in enumerate(value):
                yield from walk(item, f"{path}[{place}]", field)
        elif isinstance(value, str):
            known = named[REFERENCES[field]] if field in REFERENCES else anything
            if value not in known and (field in REFERENCES or is_id(value)):
                yield f"{path}: {value}"

    yield from walk(document["players"], "players", "players")
    yield from walk(document["matches"], "matches", "matches")
    for place, season in enumerate(document.get("seasons", ())):
        yield from walk(season.get("people", []), f"seasons[{place}].people", "player")


def compared(document: Document) -> Document:
    """Return of a document what has to be the same wherever it came in."""
    return {name: value for name, value in document.items() if name not in LEFT_OUT}


class History:
    """What one club did, and what was done in a copy of it that went its own way; everything by the JSON interface."""

    def __init__(self, app: Flask, seed: int) -> None:
        self.app, self.random = app, Random(seed)
        self.clubs = [self.found()]
        self.exports: list[bytes] = []
        self.done: list[str] = []

    def found(self) -> ClubOfCast:
        """Found a club."""
        keys = Api(self.app)("POST", "/clubs", {"name": "Thursdays"}).get_json()
        write, read = Api(self.app, keys["scorekeeper_key"]), Api(self.app, keys["spectator_key"])
        return ClubOfCast(keys["id"], write, read, Api(self.app))

    def one_of(self, choices: Any) -> Any:
        """Choose one, or None of nothing."""
        choices = list(choices)
        return self.random.choice(choices) if choices else None

    def go_on(self) -> None:
        """Do one more thing that the app offers; it may be refused, never with a fault of the server."""
        act = self.one_of(ACTS)
        self.club = self.one_of(self.clubs)
        self.done.append(act.__name__)
        act(self)

    def send(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """Send what a scorekeeper does, in the newest state; return the answer, None where it was refused."""
        answer = self.club.write(method, path, body, headers={"If-Match": "*"}, **options)
        assert answer.status_code < 500, (method, path, body, self.done)
        return answer if answer.status_code < 300 else None

    def export(self, club: ClubOfCast) -> bytes:
        """Export a club."""
        text: bytes = club.read("GET", "/export", status=200).data
        return text

    def take_in(self, club: ClubOfCast, text: bytes) -> Any:
        """Import a document."""
        return club.write("POST", "/import", data=text, content_type="application/json")

    def matches(self) -> list[str]:
        """List the matches of the club at hand."""
        return [one["id"] for one in self.club.read("GET", "/matches").get_json()["matches"]]

    def match(self) -> Document | None:
        """Read one of its matches whole."""
        match = self.one_of(self.matches())
        return self.club.document(match, "?struck=1") if match else None

    def people(self) -> list[Document]:
        """List the players of the club at hand."""
        found: list[Document] = self.club.read("GET", "/players").get_json()["players"]
        return found


def begin(history: History) -> None:
    """Begin a match, perhaps under a rulebook of the club's own, perhaps with an unknown player."""
    known = [one["name"] for one in history.people()]
    everyone = list(dict.fromkeys([*NAMES, *known]))
    names = history.random.sample(everyone, len(everyone))
    plan = dict(history.one_of(PLANS))
    own = history.club.read("GET", f"/clubs/{history.club.id}/rulebooks").get_json()["rulebooks"]
    if own and history.random.random() < 0.5:
        plan = {"rulebook": own[-1]["id"]}
    history.send("POST", "/matches", plan | {"players": names[: history.random.randint(2, 4)]})


def entry_of(history: History, match: Document) -> Document:
    """Draw a round of those who sit there."""
    here = [line["player"] for line in match["standings"] if not line["out"]]
    out = history.one_of(here)
    hands = {name: history.one_of(HANDS) for name in here if name != out}
    entry: Document = {"went_out": out, "hands": hands}
    if history.random.randint(0, 3) == 0:
        entry["adjustments"] = [{"player": out, "points": 5, "reason": f"{out} said so"}]
    return entry


def record(history: History) -> None:
    """Record some rounds."""
    for _ in range(history.random.randint(1, 3)):
        match = history.match()
        if match is not None:
            after = sum(not one["struck"] for one in match["rounds"])
            history.send("POST", f"/matches/{match['id']}/rounds", {"after": after, **entry_of(history, match)})


def change_round(history: History) -> None:
    """Correct, strike or restore a round."""
    match = history.match()
    played = history.one_of(match["rounds"]) if match else None
    if match and played:
        where = f"/matches/{match['id']}/rounds/{played['id']}"
        way = history.one_of(("PUT", "DELETE", "POST"))
        if way == "POST":
            history.send("POST", f"{where}/restore")
        else:
            history.send(way, where, entry_of(history, match) if way == "PUT" else None)


def rule(history: History) -> None:
    """Save a ruling, and what the table decided."""
    match = history.match()
    if match:
        case = dict(history.one_of(RULINGS)) | {"accepted": False, "table_decided": "Ada decides"}
        if case["dispute"] != "played-card-effect":
            case["players"] = {"offender": match["standings"][0]["player"]}
        history.send("POST", f"/matches/{match['id']}/rulings", case)


def turn_match(history: History) -> None:
    """Finish, abandon or reopen a match."""
    match = history.one_of(history.matches())
    if match:
        history.send("POST", f"/matches/{match}/{history.one_of(('finish', 'finish', 'abandon', 'reopen'))}")


def amend(history: History) -> None:
    """Agree on other rules, or describe a match."""
    match = history.one_of(history.matches())
    if match and history.random.random() < 0.5:
        history.send(
            "POST", f"/matches/{match}/amendments", {"target": 80, "note": "Bo asked", "custom_rules": ["Cy!"]}
        )
    elif match:
        history.send("PATCH", f"/matches/{match}", {"name": "Di’s evening", "note": "with Eve"})


def join_or_leave(history: History) -> None:
    """Let someone join or leave."""
    match = history.match()
    if match and history.random.random() < 0.5:
        history.send("POST", f"/matches/{match['id']}/players", {"player": history.one_of(NAMES), "total": 10})
    elif match:
        history.send("DELETE", f"/matches/{match['id']}/players/{history.one_of(match['seats'])['id']}")


def begin_rematch(history: History) -> None:
    """Begin the rematch of a match, played on or not."""
    match = history.one_of(history.matches())
    if match:
        history.send("POST", f"/matches/{match}/rematch")


def delete_match(history: History) -> None:
    """Delete a match, one with a rematch rather than others."""
    matches = json.loads(history.export(history.club))["matches"]
    followed = [match["rematch_of"] for match in matches if match["rematch_of"]]
    match = history.one_of([*(match["id"] for match in matches), *followed, *followed])
    if match:
        history.send("DELETE", f"/matches/{match}")


def delete_name(history: History) -> None:
    """Delete a name, also that of someone who was merged."""
    players = json.loads(history.export(history.club))["players"]
    player = history.one_of(players)
    if player:
        history.send("DELETE", f"/players/{player['id']}")


def restore(history: History) -> None:
    """Restore something deleted."""
    lost = history.one_of(history.club.write("GET", "/deletions").get_json()["deletions"])
    if lost:
        kind = {"match": "matches", "player": "players", "season": "seasons", "evening": "evenings"}[lost["kind"]]
        history.send("POST", f"/{kind}/{lost['id']}/restore")


def change_player(history: History) -> None:
    """Rename a player, let one rest, or choose a color."""
    player = history.one_of(history.people())
    if player:
        change = history.one_of(
            ({"name": "Robert"}, {"name": player["name"] + "a"}, {"active": False}, {"marker": "red-circle"})
        )
        history.send("PATCH", f"/players/{player['id']}", change)


def merge(history: History) -> None:
    """Merge two players."""
    people = history.people()
    if len(people) > 1:
        one, other = history.random.sample(people, 2)
        history.send("POST", f"/players/{one['id']}/merge", {"into": other["id"]})


def change_rulebooks(history: History) -> None:
    """Make a rulebook of the club's own, change it or delete it."""
    where = f"/clubs/{history.club.id}/rulebooks"
    own = history.one_of(history.club.read("GET", where).get_json()["rulebooks"])
    document = {"title": "Ada’s rules", "base": "classic-500", "clauses": [{"text": "Bo shuffles."}]}
    way = history.one_of(("POST", "PUT", "DELETE")) if own else "POST"
    if way == "POST":
        history.send("POST", where, document)
    else:
        history.send(way, f"{where}/{own['id']}", document | {"title": "Cy’s rules"} if way == "PUT" else None)


def change_seasons(history: History) -> None:
    """Make a season of everyone or of some, change it, or delete it; one has a day on which names go."""
    season = history.one_of(history.club.read("GET", "/seasons").get_json()["seasons"])
    people = [one["id"] for one in history.people()]
    some = history.random.sample(people, history.random.randint(0, len(people)))
    said = {"name": "Ada’s season", "first_day": "2020-01-01", "people": some, "least": 2}
    if some and history.random.random() < 0.2:
        said |= {"last_day": "2020-02-01", "names_until": "2020-02-02"}
    way = history.one_of(("POST", "PUT", "DELETE")) if season else "POST"
    if way == "POST":
        history.send("POST", "/seasons", said)
    else:
        history.send(way, f"/seasons/{season['id']}", said | {"best": 3} if way == "PUT" else None)


def change_evenings(history: History) -> None:
    """Open an evening, let people come and leave, draw it, undo that, end or delete it."""
    open_ones = [one for one in history.club.read("GET", "/evenings").get_json()["evenings"] if one["status"] == "open"]
    if not open_ones or history.random.random() < 0.2:
        plan = {"rulebook": "classic-500", "rounds_to_play": 1, "size": 2, "draws": 1, "custom_rules": ["Di begins"]}
        history.send("POST", "/evenings", plan | {"name": "Ada’s cup", "names": history.random.sample(NAMES, 4)})
        return
    evening = history.club.read("GET", f"/evenings/{history.one_of(open_ones)['id']}").get_json()
    where, after = f"/evenings/{evening['id']}", len(evening["draws"])
    playing = {str(table["table"]): "left-out" for table in evening["tables"] if table["draw"] == after}
    match history.one_of(("people", "leave", "draw", "draw", "draw", "undo", "end", "delete")):
        case "people":
            history.send("POST", f"{where}/people", {"names": [history.one_of(NAMES)], "guest": True})
        case "leave":
            history.send("DELETE", f"{where}/people/{history.one_of(evening['people'])['player']}")
        case "draw":
            history.send("POST", f"{where}/draws", {"after": after, "unfinished": playing})
        case "undo":
            history.send("DELETE", f"{where}/draws/{after or 1}")
        case "end":
            history.send("POST", f"{where}/end", {"unfinished": playing})
        case "delete":
            history.send("DELETE", where)


def change_keys(history: History) -> None:
    """Write on with another phone, and lock out the one before."""
    made = history.send("POST", "/keys", {"role": "scorekeeper", "name": "Bo’s phone"})
    if made:
        old = next(key["id"] for key in history.club.write("GET", "/keys").get_json()["keys"] if key["yours"])
        history.club.write.key = made.get_json()["key"]
        history.send("DELETE", f"/keys/{old}")


def purge_all(history: History) -> None:
    """Purge what was deleted."""
    with history.app.app_context():
        purge(db.engine, at_once=True)


def keep_export(history: History) -> None:
    """Export now, for an import later."""
    history.exports.append(history.export(history.club))


def import_again(history: History) -> None:
    """Import what was exported at some time, here or from a copy."""
    text = history.one_of(history.exports)
    if text:
        answer = history.take_in(history.club, text)
        assert answer.status_code < 500, history.done
        if answer.status_code != 200:
            assert {one["field"].rpartition(".")[2] for one in answer.get_json()["errors"]} <= set(REFUSED), answer.json


def copy_club(history: History) -> None:
    """Let a copy of the club go its own way."""
    if len(history.clubs) < 3:
        copy, text = history.found(), history.export(history.club)
        assert history.take_in(copy, text).status_code == 200, history.done
        history.clubs.append(copy)
        history.exports.append(text)


ACTS: tuple[Callable[[History], None], ...] = (
    *(begin, record, record, change_round, rule, turn_match, begin_rematch, begin_rematch, amend, join_or_leave),
    *(delete_match, delete_match, delete_match, delete_name, delete_name, restore, restore, change_player),
    *(merge, merge, change_rulebooks, change_seasons, change_seasons, change_keys, purge_all, purge_all),
    *(change_evenings, change_evenings, change_evenings),
    *(keep_export, keep_export, import_again, import_again, import_again, copy_club, copy_club),
)  # fmt: skip


def moves(app: Flask, seed: int) -> None:
    """Let a club do anything, and fail unless its export comes in, is the same, and leaves nothing unsound."""
    history = History(app, seed)
    history.club = history.clubs[0]
    begin(history)
    record(history)
    for _ in range(history.random.randint(6, 24)):
        history.go_on()
    for club in history.clubs:
        assert faults(app, club.id) == [], history.done
        text = history.export(club)
        document = json.loads(text)
        assert list(dangling(document)) == [], history.done
        new = history.found()
        for taker in (new, club):
            answer = history.take_in(taker, text)
            assert answer.status_code == 200, (answer.json, history.done)
            assert answer.get_json()["matches_refused"] == 0
            assert faults(app, taker.id) == [], history.done
            assert compared(json.loads(history.export(taker))) == compared(document), history.done


@tries(3)
@given(seed=st.integers(0, 2**32))
@pytest.mark.promise("backup#comes-in-again")
def test_a_club_moves_whatever_it_did(app: Flask, seed: int) -> None:
    moves(app, seed)


@tries(25)
@given(seed=st.integers(0, 2**32))
@pytest.mark.promise("reliability#histories")
def test_many_clubs_move_whatever_they_did(app: Flask, seed: int) -> None:
    moves(app, seed)
