"""How many queries an address needs: every GET of the app, however long the match and the club's record."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from referee.records.match import agreements
from referee.records.models import Player
from referee.web.server.database import db
from tests.ground.house import PART, House
from tests.ground.listening import counted
from tests.web.test_routes import KINDS, TABLE, routes

MOST = 8
MOST_OF_STATISTICS = 15
MOST_OF_HOME = 17
"""Home also counts the year, once until something changes, lists the newest rulings, marks who sits in front, and leads
to the evening of many tables that goes on."""
MOST_OF_ENDED = 10
"""An ended match also says what it decided, its story the matches around it; neither is asked for again and again. Its
sheet and menu ask at which table of an evening it was played."""
MOST_OF_NAMED = 28
"""Before a name is deleted, each table that may say it is read, once, and the matches of the texts that do."""
MOST_OF_FILE = 9
"""A player's file also asks whether the club is so large that whoever reads all of it waits for a turn."""
MOST_OF_CLUB = 11
"""The club’s page also lists what can be restored: matches, names, seasons and evenings."""
MOST_OF_SEASON = 9
"""A season also asks how late its evenings of many tables went."""
MOST_OF_EVENING = 11
"""An evening has its people, its draws, the tables of the last one, and how everyone stands."""
ENDED = (
    "/matches/<match_id>", "/matches/<match_id>/now", "/matches/<match_id>/share", "/history/matches/<match_id>",
    "/matches/<match_id>/menu",
)  # fmt: skip
SHOW_LAW = ("/history/matches/<match_id>", "/public/<public_token>/matches/<match_id>")
"""A match's story also shows what its club decided: one query more."""
STATISTICS = (
    "/history/players", "/history/players/<player_id>", "/api/v1/players/<player_id>/statistics",
    "/api/v1/statistics", "/api/v1/statistics.csv", "/history/players.csv", "/history/year", "/history/year.png",
    "/public/<public_token>", "/public/<public_token>/players/<player_id>",
)  # fmt: skip
UNDECIDED = "/evenings/<evening_id>/evening.png"
"""Not found until an evening has a winner."""
DEARER = dict.fromkeys(STATISTICS, MOST_OF_STATISTICS) | {
    "/": MOST_OF_HOME,
    "/club": MOST_OF_CLUB,
    "/seasons/<season_id>": MOST_OF_SEASON,
    "/api/v1/evenings/<evening_id>": MOST_OF_EVENING,
    "/evenings/<evening_id>": MOST_OF_EVENING,
    "/evenings/<evening_id>/now": MOST_OF_EVENING,
    UNDECIDED: MOST_OF_EVENING,
    "/club/players/<player_id>/delete": MOST_OF_NAMED,
    "/api/v1/players/<player_id>/deletion": MOST_OF_NAMED,
    "/api/v1/players/<player_id>/export": MOST_OF_FILE,
    "/history/players/<player_id>/everything.json": MOST_OF_FILE,
}
STREAMED = (
    "/offline/matches.json", "/api/v1/export", "/api/v1/rounds.csv", "/club/records/club.json",
    "/club/records/rounds.csv",
)  # fmt: skip
"""What leaves by portions, so that a club of any size does, or as many pages: a fixed number of queries for each."""
LENGTHS = (1, 40)
MORE: Mapping[str, str] = {
    "/disputes/<dispute_id>/ruling.png": "?rulebook=classic-500&players=4&played=red-skip",
    "/api/v1/rules": "?q=can+i+stack",
    "/history/": "?search=Ada",
    "/history/matches/<match_id>": "?rounds=all",
    "/matches/<match_id>": "?rounds=all",
    "/matches/<match_id>/disputes/<dispute_id>/ruling.png": "?played=red-skip",
}
"""What makes an address look up the most it can."""


def pages(app: Flask) -> list[str]:
    """List every address that is read, streams and files apart."""
    served = (
        route for route in routes(app) if route.startswith("GET ") and set(str(TABLE[route]).split()) - {"404", "410"}
    )
    found = {route.partition(" ")[2] for route in served}
    return sorted(rule for rule in found if rule not in STREAMED and not rule.startswith("/static/"))


@pytest.fixture
def furnish(house: House) -> Callable[[int], House]:
    """Let the house play: a match of so many rounds, each with a ruling and followed by a match that ended."""
    programs, headers = house.app.test_client(), house.bearer("scorekeeper")
    match = f"/matches/{house.parts['match_id']}"
    entry = {"went_out": "Ada", "hands": {"Bo": ["7", "skip"], "Cy": ["3"], "Di": ["9"]}}

    def send(path: str, body: dict[str, Any], method: str = "POST", **more: str) -> TestResponse:
        answer = programs.open(f"/api/v1{path}", method=method, json=body, headers=headers | more)
        assert answer.status_code in (200, 201), answer.json
        return answer

    def play(rounds: int) -> House:
        plan = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500", "target": 30}
        facts = {"players": 4, "played": "red-skip"}
        sheet = send(f"{match}/amendments", {"target": 100_000})
        for after in range(1, rounds):
            send(f"{match}/rounds", entry | {"after": after})
            send(f"{match}/rulings", {"dispute": "played-card-effect", "facts": facts, "accepted": True})
            other = send("/matches", plan).get_json()["id"]
            send(f"/matches/{other}/rounds", entry | {"after": 0})
        for _ in range(rounds):
            sheet = programs.get(f"/api/v1{match}", headers=headers)
            send(f"{match}/rounds/{house.parts['round_id']}", entry, "PUT", **{"If-Match": sheet.headers["ETag"]})
        browser = house.browser("scorekeeper")
        assert browser.submit(f"{match}/hands", {}, page="/rules").status_code == 303
        assert house.browser("phone").submit("/hand", {"hand-" + bo(house): "7"}, page="/rules").status_code == 303
        return house

    return play


def bo(house: House) -> str:
    """Look up the id of the one whose phone is in."""
    with house.app.app_context():
        return db.session.scalars(select(Player.id).where(Player.name == "Bo", Player.club_id == house.club_id)).one()


@pytest.mark.parametrize("rounds", LENGTHS)
@pytest.mark.parametrize("finished", [False, True], ids=["at play", "finished"])
def test_no_address_needs_many_queries_whatever_its_length(
    furnish: Callable[[int], House], rounds: int, finished: bool
) -> None:
    house = furnish(rounds)
    if finished:
        path = f"/api/v1/matches/{house.parts['match_id']}/finish"
        assert house.app.test_client().post(path, json={}, headers=house.bearer("scorekeeper")).status_code == 200
    beyond = []
    for rule in pages(house.app):
        caller = "phone" if TABLE[f"GET {rule}"] == KINDS["phones"] else "scorekeeper"
        path = house.places.get(rule) or PART.sub(lambda found: house.parts[found[1]], rule) + MORE.get(rule, "")
        client = house.browser(caller)
        agreements.TERMS.clear()  # as in a process that has just begun
        with counted(house.app) as queries:
            answer = client.get(path, headers=house.bearer(caller) if rule.startswith("/api/") else {})
        assert answer.status_code < 400 or rule == UNDECIDED, f"{path}: {answer.status}"
        most = (MOST_OF_ENDED if finished and rule in ENDED else DEARER.get(rule, MOST)) + (rule in SHOW_LAW)
        if len(queries) > most:
            lines = (" ".join(query.split()) for query in queries)
            beyond.append("\n  ".join([f"{rule}: {len(queries)}, at most {most}", *lines]))
    assert not beyond, "\n".join(beyond)


LISTS = (
    "/", "/club", "/history/", "/history/night", "/history/players", "/history/year", "/matches/new",
    "/history/matches/none",
    "/public/<public_token>", "/public/<public_token>/matches", "/api/v1/matches", "/api/v1/matches?status=finished",
    "/api/v1/deletions", "/api/v1/statistics", "/api/v1/statistics.csv", "/api/v1/rounds.csv",
)  # fmt: skip
LAST = re.compile(r"json_extract\(\w+\.agreements, '\$\[#-1\]'\)|\(\w+\.agreements -> -1\)")
"""How each database takes the last agreement out."""


@pytest.mark.parametrize("path", LISTS)
def test_a_list_loads_of_each_match_what_was_agreed_last_and_nothing_before(house: House, path: str) -> None:
    """A hundred agreements at their limits are megabytes: a page of 28 such matches took 897 MB."""
    match = f"/api/v1/matches/{house.parts['match_id']}"
    program, headers = house.app.test_client(), house.bearer("scorekeeper")
    for target in (400, 300):
        assert program.post(f"{match}/amendments", json={"target": target}, headers=headers).status_code == 201
    for end in ("finish", "rematch"):
        ended = program.post(f"{match}/{end}", headers=headers)
        assert ended.status_code in (200, 201)
    other = program.post(f"/api/v1/matches/{ended.get_json()['id']}/rematch", headers=headers)
    assert program.delete(f"/api/v1/matches/{other.get_json()['id']}", headers=headers).status_code == 200
    client = program if path.startswith("/api") else house.browser("scorekeeper")
    with counted(house.app) as asked:
        answer = client.get(house.path(path), headers=headers)
    assert answer.status_code == (404 if path.endswith("none") else 200), answer.text[:300]
    whole = [statement for statement in asked if "agreements" in LAST.sub("", statement)]
    assert not whole, whole[0]
