"""Deleting: what was deleted is nowhere, comes back as it was, and after thirty days is gone from the database."""

import re
import sqlite3
import threading
import zlib
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import Engine, select, update

from referee.records.club import access, links
from referee.records.club.access import INVITATION_LIFETIME
from referee.records.deletion import of_club, of_player, purging
from referee.records.deletion.waiting import RESTORABLE_FOR
from referee.records.ids import new_id
from referee.records.match.watching import Watcher
from referee.records.models import (
    DELETED_TOO,
    Base,
    Club,
    Deletion,
    DrawTable,
    Evening,
    EveningDraw,
    IdempotentAnswer,
    Key,
    KeyRole,
    Match,
    Player,
    RemovedText,
    Seat,
    now,
)
from referee.records.soundness import find_faults
from referee.web.commands.main import main
from referee.web.server import long_work
from referee.web.server.database import db
from tests.ground import record
from tests.ground.each import at_once
from tests.ground.house import House
from tests.web.test_routes import routes

pytestmark = pytest.mark.usefixtures("database")

UNSTABLE = ("revision", "nonce", "tally", "summed", "unrated_turn")
"""Columns that every new state of a match draws anew."""
GONE = (
    *(f"/matches/<match_id>{page}" for page in ("", "/menu", "/now", "/share", "/result.png", "/delete")),
    *("/history/matches/<match_id>", "/live/<board_token>", "/live/<board_token>/now", "/hand/<table_token>"),
)
"""Addresses of a match that answer 410 once it is deleted."""


rows = partial(record.rows, without=UNSTABLE)

NAMED = {name: rf"(?<!\w){name}(?!\w)" for name in ("Bo", "Di")}
"""A name as a word of its own, as it stands in any text."""


def everything(house: House) -> list[str]:
    """Read all rows of all tables, of what is deleted too, but for names and texts that wait to be restored."""
    found = record.rows(house.app, without=("deleted_name", "words", "instead"))
    return [text for texts in found.values() for text in texts]


def call(house: House, method: str, path: str, **options: Any) -> Any:
    path, headers = house.path(f"/api/v1{path}"), house.bearer("scorekeeper") | {"If-Match": "*"}
    return house.app.test_client().open(path, method=method, headers=headers, **options)


@pytest.mark.promise("deleting#out-of-sight")
def test_a_deleted_match_is_nowhere_and_comes_back_as_it_was(house: House) -> None:
    house.call("scorekeeper", "POST", "/matches/<match_id>/hands")
    phone = house.browser("phone")
    name = re.search(r'name="(hand-\w+)"', phone.get("/hand").text)
    assert name
    assert phone.submit("/hand", {name[1]: "7"}, page="/rules").status_code < 400
    call(house, "POST", "/matches/<match_id>/finish")
    match_id = house.parts["match_id"]
    with house.app.app_context():
        place = {"club_id": house.club_id, "place": f"matches/{match_id}/note", "match_id": match_id}
        db.session.add(RemovedText(**place, words="Zed asked", instead="", waits_for=""))
        evening_id = new_id()
        drawn = {"club_id": house.club_id, "evening_id": evening_id, "draw": 1}
        db.session.add(Evening(club_id=house.club_id, id=evening_id, plan={}))
        db.session.flush()
        db.session.add(EveningDraw(**drawn, number=1, input={}))
        db.session.flush()
        db.session.add(DrawTable(**drawn, table=1, match_id=match_id))
        db.session.commit()
    before = rows(house.app)
    assert all(before[table.name] for table in purging.OF_MATCH), "a table that this would not test"
    exported = call(house, "GET", "/export").text
    figures = call(house, "GET", "/statistics").json

    keys = {one["id"] for one in call(house, "GET", "/keys").json["keys"]}

    deleted = call(house, "DELETE", "/matches/<match_id>")
    assert deleted.status_code == 200
    links = keys - {one["id"] for one in call(house, "GET", "/keys").json["keys"]}
    assert links
    assert {call(house, "DELETE", f"/keys/{one}").status_code for one in links} == {404}
    assert deleted.json["lost"]["players"] == ["Ada", "Bo", "Cy", "Di"]
    assert deleted.json["lost"]["rounds"] == deleted.json["lost"]["rulings"] == 1
    assert match_id not in call(house, "GET", "/export").text
    assert call(house, "GET", "/matches").json["matches"] == []
    for rule in GONE:
        assert house.call("scorekeeper", "GET", rule).status_code == 410, rule
    assert house.call("phone", "GET", "/hand").status_code == 410
    with house.app.app_context():
        polls = Watcher(db.engine)
        assert polls.board(house.parts["board_token"]) is None
        assert polls.sheet(house.tokens["scorekeeper"], match_id) is None
    problem = call(house, "GET", "/matches/<match_id>")
    assert problem.status_code == 410
    assert problem.json["restorable_until"] == deleted.json["restorable_until"]
    assert call(house, "DELETE", "/matches/<match_id>").json == deleted.json
    assert house.call("other", "GET", "/matches/<match_id>").status_code == 404
    (listed,) = call(house, "GET", "/deletions").json["deletions"]
    assert listed == deleted.json

    restored = call(house, "POST", "/matches/<match_id>/restore")
    assert restored.status_code == 200
    assert call(house, "POST", "/matches/<match_id>/restore").json == restored.json
    assert rows(house.app) == before
    assert call(house, "GET", "/export").text == exported
    assert call(house, "GET", "/statistics").json == figures
    assert house.call("scorekeeper", "GET", "/live/<board_token>").status_code == 200


@pytest.mark.promise("deleting#out-of-sight")
def test_a_deleted_name_is_nowhere_and_comes_back(house: House) -> None:
    """Two names of one match, which is deleted in between: whatever comes back first, all of it comes back."""
    players = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    for name, new in (("Bo", "Quentin"), ("Di", "Marigold")):
        assert call(house, "PATCH", f"/players/{players[name]}", json={"name": new}).status_code == 200
    texts = {"name": "Quentin’s birthday", "location": "At Marigold’s", "note": "A guest sat beside QUENTIN.\n“Uno!”"}
    call(house, "PATCH", "/matches/<match_id>", json=texts)
    amended = {"custom_rules": ["Quentin deals", "No phones"], "note": "Quentin asked for it"}
    call(house, "POST", "/matches/<match_id>/amendments", json=amended)
    adjusted = {"after": 1, "went_out": "Ada", "hands": {"Quentin": 5, "Cy": 3, "Marigold": 9}}
    adjusted["adjustments"] = [{"player": "Quentin", "points": -5, "reason": "Quentin dropped a card"}]
    assert call(house, "POST", "/matches/<match_id>/rounds", json=adjusted).status_code == 201
    ruling = {"dispute": "played-card-effect", "facts": {"played": "red-skip"}, "players": {"offender": "Quentin"}}
    decided = {"table_decided": "Quentin and Marigold agree"}
    assert call(house, "POST", "/matches/<match_id>/rulings", json=ruling | decided).status_code == 201
    plan = {"players": ["Quentin", "Marigold"], "rulebook": "classic-500"}
    started = call(house, "POST", "/matches", json=plan).json["id"]
    before, exported = rows(house.app), call(house, "GET", "/export").text
    assert "Quentin" in exported

    taken = call(house, "DELETE", f"/players/{players['Bo']}")
    assert taken.status_code == 200
    assert taken.json["lost"] == {"name": "Quentin", "matches": 2, "rounds": 2, "active": True}
    assert "quentin" not in call(house, "GET", "/export").text.casefold()
    document = call(house, "GET", "/matches/<match_id>").json
    assert [one["player"] for one in document["standings"]].count("Former player 1") == 1
    assert document["custom_rules"] == ["(text with a deleted name)", "No phones"]
    assert [one["name"] for one in call(house, "GET", "/players").json["players"]] == ["Ada", "Cy", "Marigold"]
    assert [one["name"] for one in call(house, "GET", "/statistics").json["players"]] == ["Ada", "Cy", "Marigold"]
    for method, path in (("GET", "/statistics"), ("PATCH", ""), ("POST", "/merge")):
        body = {"json": {"into": "Ada"} if path else {}} if method != "GET" else {}
        assert call(house, method, f"/players/{players['Bo']}{path}", **body).status_code == 410
    again = call(house, "POST", "/matches", json={"players": ["Former player 1", "Cy"], "rulebook": "classic-500"})
    assert again.status_code == 422
    assert [text for text in everything(house) if "quentin" in text.casefold()] == []

    call(house, "DELETE", "/matches/<match_id>")
    call(house, "DELETE", f"/players/{players['Di']}")
    assert [text for text in everything(house) if "Marigold" in text] == []
    assert call(house, "POST", f"/players/{players['Bo']}/restore").json["name"] == "Quentin"
    call(house, "POST", "/matches/<match_id>/restore")
    since = call(house, "GET", "/matches/<match_id>").json
    assert (since["name"], since["location"]) == ("Quentin’s birthday", "(text with a deleted name)")
    assert since["rulings"][-1]["table_decided"] == "(text with a deleted name)", "it names Marigold, too"
    assert "Quentin" in since["rulings"][-1]["summary"]
    assert call(house, "POST", f"/players/{players['Di']}/restore").json["name"] == "Marigold"
    assert rows(house.app) == before
    assert call(house, "GET", f"/matches/{started}").json["players"] == ["Quentin", "Marigold"]


KEYS_OF_JSON = ("note", "by", "at", "count", "deck", "rulebook", "digest", "blank_effect", "custom_rules", "from_place")


def test_players_called_as_keys_of_our_json_are_deleted_and_restored(house: House) -> None:
    """Each of these names once broke every match of its club, and after a purge for good."""
    match = call(house, "POST", "/matches", json={"players": KEYS_OF_JSON, "rulebook": "classic-500"}).json["id"]
    hands = dict.fromkeys(KEYS_OF_JSON[1:], 5)
    entry = {"after": 0, "went_out": "note", "hands": hands}
    assert call(house, "POST", f"/matches/{match}/rounds", json=entry).status_code == 201
    amended = {"custom_rules": ["note deals"], "note": "by and at agree", "target": 400}
    assert call(house, "POST", f"/matches/{match}/amendments", json=amended).status_code == 201
    before = rows(house.app)
    ids = [one["id"] for one in call(house, "GET", "/players").json["players"] if one["name"] in KEYS_OF_JSON]
    for step in ("", "/restore"):
        for id in ids:
            method = "POST" if step else "DELETE"
            assert call(house, method, f"/players/{id}{step}").status_code == 200
        browser = house.browser("scorekeeper")
        for page in ("/", f"/matches/{match}", f"/history/matches/{match}", f"/api/v1/matches/{match}"):
            assert browser.get(page).status_code == 200, page
        assert record.faults(house.app) == []
        assert ("note deals" in call(house, "GET", "/export").text) == bool(step)
    assert rows(house.app) == before


def test_nothing_leads_to_the_page_of_a_deleted_name(house: House) -> None:
    players = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    plan = {"players": ["Ada", "Bo"], "rulebook": "classic-500", "target": 20}
    match = call(house, "POST", "/matches", json=plan).json["id"]
    won = call(house, "POST", f"/matches/{match}/rounds", json={"after": 0, "went_out": "Ada", "hands": {"Bo": 30}})
    assert won.status_code == 201
    browser, link = house.browser("scorekeeper"), f'href="/history/players/{players["Bo"]}"'
    assert link in browser.get(f"/history/players/{players['Ada']}").text
    call(house, "DELETE", f"/players/{players['Bo']}")
    page = browser.get(f"/history/players/{players['Ada']}").text
    assert "Former player 1" in page
    assert link not in page


def test_a_locked_out_phone_does_not_come_back_with_a_restored_match(house: House) -> None:
    """Nothing that a key opened outlives its lock-out: not its board, its link for the table, a seat taken by it."""
    made = call(house, "POST", "/keys", json={"role": "scorekeeper", "name": "Lost phone"}).json
    with house.app.app_context():
        club = db.session.get_one(Club, house.club_id)
        match = db.session.get_one(Match, (club.id, house.parts["match_id"]))
        opener = db.session.get_one(Key, (club.id, made["id"]))
        secret = house.app.secret_key or ""
        for role in (KeyRole.BOARD, KeyRole.HAND):
            links.close_link(db.session(), match, role)
        board, table = (
            links.open_link(db.session(), club, match, role, secret, opener) for role in (KeyRole.BOARD, KeyRole.HAND)
        )
        db.session.commit()
    stranger = house.app.test_client()
    assert stranger.get(f"/live/{board}").status_code == stranger.get(f"/hand/{table}").status_code == 200
    call(house, "DELETE", "/matches/<match_id>")
    assert call(house, "DELETE", f"/keys/{made['id']}").status_code == 204
    assert call(house, "POST", "/matches/<match_id>/restore").status_code == 200
    for address in (f"/live/{board}", f"/live/{board}/now", f"/hand/{table}"):
        assert stranger.get(address).status_code in (404, 410), address
    house.browser("scorekeeper").submit(f"/club/keys/{made['id']}/readmit", {}, page="/club", status=303)
    assert stranger.get(f"/live/{board}").status_code == 200, "with the phone its board comes back"


def test_a_restore_while_a_purge_runs_brings_all_back_or_is_refused(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(house, "DELETE", "/matches/<match_id>")
    call(house, "DELETE", "/clubs/<club_id>")
    before = rows(house.app)
    purged_one = purging._purge_one

    def restored_first(engine: Engine, due: purging.Due, limit: datetime) -> bool:
        if due.model is Club:
            assert call(house, "POST", "/clubs/<club_id>/restore").status_code == 200
        return purged_one(engine, due, limit)

    with house.app.app_context():
        engine = db.engine
    with monkeypatch.context() as patch:
        patch.setattr(purging, "_purge_one", restored_first)
        assert purging.purge(engine, at_once=True).clubs == 0
    assert call(house, "GET", "/matches").status_code == 200
    call(house, "DELETE", "/clubs/<club_id>")
    left, of_match = rows(house.app), {table.name for table in purging.OF_MATCH}
    for name in left.keys() - {"keys", "deletions", "clubs"}:
        assert left[name] == ([] if name in of_match else before[name]), "the match went before, and nothing else"

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(purging, "_purge_club", killed)
        with pytest.raises(Killed):
            purging.purge(engine, at_once=True)
    assert call(house, "POST", "/clubs/<club_id>/restore").status_code == 410, "not half of it"
    with house.app.app_context():
        (fault,) = find_faults(db.session())
        assert "purge" in fault
        db.session.rollback()
        assert purging.purge(engine).clubs == 1, "what was begun is brought to its end"
        assert db.session.get(Club, house.club_id) is None


def test_an_old_recovery_sheet_is_replaced_whatever_player_was_deleted(house: House) -> None:
    (ada,) = [one["id"] for one in call(house, "GET", "/players").json["players"] if one["name"] == "Ada"]
    assert call(house, "PATCH", f"/players/{ada}", json={"name": "Recovery"}).status_code == 200
    with house.app.app_context():
        old = access.make_recovery_key(db.session(), db.session.get_one(Club, house.club_id))
        db.session.commit()
    assert call(house, "DELETE", f"/players/{ada}").status_code == 200
    with house.app.app_context():
        access.make_recovery_key(db.session(), db.session.get_one(Club, house.club_id))
        db.session.commit()
        assert access.recover(db.session(), old) is None


@pytest.mark.parametrize("what", ["matches/<match_id>", "players/<player_id>", "clubs/<club_id>"])
@pytest.mark.parametrize("ways", [("restore", "restore"), ("", "restore")])
def test_what_is_deleted_and_restored_at_once_never_fails(house: House, what: str, ways: tuple[str, str]) -> None:
    """Two restores are one restore, and a delete beside a restore is told what came of it."""
    call(house, "DELETE", f"/{what}")
    answers, begin = list[Any](), threading.Barrier(4)

    def ask(way: str) -> None:
        begin.wait()
        method, path = ("POST", f"/{what}/restore") if way else ("DELETE", f"/{what}")
        answers.append((way, call(house, method, path)))

    at_once([partial(ask, way) for way in ways * 2])
    fine = {"restore": {200}, "": {200, 409} | ({401, 410} if what.startswith("clubs") else set())}
    assert [(way, answer.text) for way, answer in answers if answer.status_code not in fine[way]] == []
    if "" not in ways:
        assert call(house, "GET", "/deletions").json == {"deletions": []}
    call(house, "POST", f"/{what}/restore")
    assert record.faults(house.app) == []


def test_whose_key_restores_a_club_is_known_without_asking_whether_another_phone_just_did(house: House) -> None:
    with house.app.app_context():
        club = db.session.get_one(Club, house.club_id)
        _, token = access.make_key(db.session(), club, "scorekeeper", "Ada's phone")
        _, watching = access.make_key(db.session(), club, "spectator", "The sofa")
        assert of_club.find_restorer(db.session(), token) is not None
        assert of_club.find_restorer(db.session(), watching) is None
        club.ends_at = now() - timedelta(seconds=1)
        assert of_club.find_restorer(db.session(), token) is None, "a demo that ended opens nothing"


def between(monkeypatch: pytest.MonkeyPatch, place: Any, name: str, act: Callable[[], Any]) -> list[Any]:
    """Have another phone act right after the first call of a function; the answer is in the list from then on."""
    asked, answers, called = getattr(place, name), list[Any](), list[None]()

    def crossed(*arguments: Any) -> Any:
        found = asked(*arguments)
        if not called:
            called.append(None)
            at_once([lambda: answers.append(act())])
        return found

    monkeypatch.setattr(place, name, crossed)
    return answers


def test_a_name_restored_while_another_phone_restores_it_is_restored_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(house, "DELETE", "/players/<player_id>")
    restore = partial(call, house, "POST", "/players/<player_id>/restore")
    other = between(monkeypatch, of_player, "draft_name_return", restore)
    assert restore().status_code == 200
    assert [answer.status_code for answer in other] == [200]
    assert call(house, "GET", "/deletions").json == {"deletions": []}


CHANGING = re.compile(
    r'name=\\*"(?:csrf[-_]token|idempotency_key|token|once)\\*" (?:value|content)=\\*"[\w.-]*'
    r'|picture\.png\?[\d-]*|data-now="\d+'
)
"""What no two answers of a page have in common: the time too, and the number by which a picture is fetched anew."""
NAMES = ("/club/players/<player_id>/delete", "/api/v1/players/<player_id>/deletion")
TELLING = ("/club", "/api/v1/deletions", *NAMES)
"""Pages that list what can be restored, and texts with a name, those of deleted matches too."""
APART = ("/static/", "/offline/<", "/offline/files/", "/metrics", "/healthz")
"""Files of the program, and figures of the whole server."""
FILTERED = (
    *(f"/history/?{asked}" for asked in ("search=zyzz", "search=Ada", "status=finished", "rulebook=classic-500")),
    *(f"/api/v1/statistics?{asked}" for asked in ("rulebook=classic-500", "players=4", "year=2026")),
    *(f"/history/players?{asked}" for asked in ("rulebook=classic-500", "year=2026")),
)


def answers(house: House) -> dict[str, str]:
    """Ask every address that reads, of every kind of caller, and return what it says."""
    found = {}
    for route in sorted(routes(house.app)):
        method, _, rule = route.partition(" ")
        if method != "GET" or rule.startswith(APART) or rule in TELLING:
            continue
        for caller in ("scorekeeper", "phone", "stranger") if "_token" in rule or rule == "/hand" else ("scorekeeper",):
            answer = house.call(caller, "GET", rule)
            found[f"{caller} {rule}"] = CHANGING.sub("", answer.get_data().decode("latin-1"))
    for path in FILTERED:
        answer = house.browser("scorekeeper").get(path, headers=house.bearer("scorekeeper"))
        found[path] = CHANGING.sub("", answer.text)
    board = house.app.test_client().get(f"/live/{house.tokens['spectator']}")
    return found | {"board of the club": CHANGING.sub("", board.text)}


def play_aside(house: House, phone: str, target: int) -> str:
    """Play a match that another phone keeps, with a ruling that counts, a player of another name and a board."""

    def send(path: str, body: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {phone}"}
        answer = house.app.test_client().post(f"/api/v1/matches{path}", json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.json
        return answer.json

    plan = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500", "target": target, "name": "Zyzzyva"}
    match = str(send("", plan)["id"])
    facts = {"challenged": True, "challenger": "target", "held_color": True}
    ruling = {"dispute": "draw-four-challenge", "facts": facts, "players": {"offender": "Bo", "target": "Cy"}}
    send(f"/{match}/rulings", ruling)
    send(f"/{match}/amendments", {"custom_rules": ["No phones"]})
    with house.app.app_context():
        seats = update(Seat).where(Seat.match_id == match, Seat.player_id == house.parts["player_id"])
        db.session.execute(seats.values(name_then="Zyzzyva"))
        db.session.commit()
    assert house.browser("scorekeeper").submit(f"/matches/{match}/board", {}, page="/rules").status_code < 400
    send(f"/{match}/rounds", {"after": 0, "went_out": "Ada", "hands": {"Bo": ["wild"], "Cy": ["7"], "Di": ["9"]}})
    return match


@pytest.mark.promise("deleting#out-of-sight")
def test_every_address_answers_as_if_what_was_deleted_had_never_been(house: House) -> None:
    """A match that ended, one that goes on and a rulebook are deleted: no answer shows them, or the phone of those."""
    phone = call(house, "POST", "/keys", json={"role": "scorekeeper", "name": "Kitchen"}).json["key"]
    before = answers(house)
    matches = [play_aside(house, phone, target) for target in (20, 500)]
    rules = {"title": "Zyzzyva", "base": "classic-500", "house_rules": ["jump-in"]}
    own = call(house, "POST", "/clubs/<club_id>/rulebooks", json=rules).json["id"]
    shared = call(house, "POST", f"/clubs/<club_id>/rulebooks/{own}/share", json={}).json["link"]
    assert house.app.test_client().get(shared).status_code == 200
    seen = answers(house)
    assert len([key for key in before if seen[key] != before[key]]) > 15, "it shows while it is there"
    assert call(house, "DELETE", f"/clubs/<club_id>/rulebooks/{own}").status_code == 204
    for match in matches:
        assert call(house, "DELETE", f"/matches/{match}").status_code == 200
    assert house.app.test_client().get(shared).status_code == 404
    since = answers(house)
    told = (*matches, own, "Zyzzyva")
    assert [key for key, text in since.items() if any(word in text for word in told)] == []
    assert [key for key, text in since.items() if text != before[key]] == []


@pytest.mark.promise("deleting#stays-deleted")
def test_importing_an_older_file_brings_nothing_deleted_back(house: House) -> None:
    (bo,) = [one["id"] for one in call(house, "GET", "/players").json["players"] if one["name"] == "Bo"]
    call(house, "PATCH", f"/players/{bo}", json={"name": "Quentin"})
    call(house, "POST", "/matches", json={"players": ["Quentin", "Di"], "rulebook": "classic-500"})
    ruling = {"dispute": "played-card-effect", "facts": {"played": "red-skip"}, "players": {"offender": "Quentin"}}
    (newest, _) = call(house, "GET", "/matches").json["matches"]
    call(house, "POST", f"/matches/{newest['id']}/rulings", json=ruling)
    document = call(house, "GET", "/export").json
    newest = document["matches"][-1]
    newer = newest | {"id": new_id(), "note": "quentin wrote this elsewhere", "events": []}
    newer["rulings"] = [one | {"id": new_id()} for one in newest["rulings"]]
    call(house, "DELETE", "/matches/<match_id>")
    call(house, "DELETE", f"/players/{bo}")
    answer = call(house, "POST", "/import", json=document | {"matches": [*document["matches"], newer]})
    assert (answer.status_code, answer.json) == (200, answer.json | {"matches": 1, "matches_deleted": 1})
    assert "quentin" not in call(house, "GET", "/export").text.casefold()
    assert [text for text in everything(house) if "quentin" in text.casefold()] == []
    brought = call(house, "GET", f"/matches/{newer['id']}").json
    assert brought["note"] == "(text with a deleted name)"
    assert "Former player 1" in brought["rulings"][0]["summary"]
    assert call(house, "GET", "/matches/<match_id>").status_code == 410
    assert call(house, "POST", f"/players/{bo}/restore").status_code == 200
    brought = call(house, "GET", f"/matches/{newer['id']}").json
    assert brought["note"] == "quentin wrote this elsewhere"
    assert brought["seats"][0]["name_then"] == "Quentin"
    assert brought["rulings"][0]["summary"] == newest["rulings"][0]["ruling"]["summary"]
    assert record.faults(house.app) == []


def test_a_name_that_somebody_else_took_does_not_come_back(house: House) -> None:
    (bo,) = [one["id"] for one in call(house, "GET", "/players").json["players"] if one["name"] == "Bo"]
    call(house, "DELETE", f"/players/{bo}")
    call(house, "POST", "/players", json={"name": "bo"})
    answer = call(house, "POST", f"/players/{bo}/restore")
    assert answer.status_code == 422
    assert answer.json["errors"][0]["message"] == "“bo” is now another player’s name. Rename that player first."


@pytest.mark.promise("deleting#thirty-days")
def test_after_thirty_days_nobody_restores(house: House) -> None:
    call(house, "DELETE", "/matches/<match_id>")
    age(house.app)
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/restore")):
        answer = call(house, method, f"/matches/<match_id>{path}")
        assert answer.status_code == 410
        assert answer.json["restorable_until"] is None
    assert call(house, "GET", "/deletions").json == {"deletions": []}


@pytest.mark.promise("deleting#out-of-sight")
def test_a_deleted_club_opens_for_nobody_and_comes_back_as_it_was(house: House) -> None:
    before = rows(house.app)
    deleted = call(house, "DELETE", "/clubs/<club_id>")
    assert deleted.status_code == 200
    assert deleted.json["lost"] == {"name": "Sunday table", "matches": 1, "rounds": 1, "players": 4}
    for caller, rule in (
        *(("scorekeeper", rule) for rule in ("/", "/club", "/history/", "/history/players", "/matches/<match_id>")),
        *(("spectator", rule) for rule in ("/", "/api/v1/matches", "/matches/<match_id>/now")),
        *(("phone", rule) for rule in ("/hand", "/hand/now")),
        *(("stranger", rule) for rule in ("/live/<board_token>", "/live/<board_token>/now", "/hand/<table_token>")),
        *(("stranger", f"/screen/<screen_token>{page}") for page in ("", "/now", "/me", "/me/now")),
        *(("stranger", rule) for rule in ("/rules/shared/<share_token>", "/join/<token>")),
    ):
        wanted = 404 if rule.startswith("/rules") else 410
        assert house.call(caller, "GET", rule).status_code == wanted, (caller, rule)
    assert house.call("scorekeeper", "GET", "/rules").status_code == 200
    assert "Restore club" in house.call("scorekeeper", "GET", "/").text
    assert "Restore club" not in house.call("spectator", "GET", "/").text
    for caller, status in (("spectator", 403), ("other", 404), ("stranger", 401)):
        assert house.call(caller, "POST", "/api/v1/clubs/<club_id>/restore").status_code == status, caller

    restored = call(house, "POST", "/clubs/<club_id>/restore")
    assert (restored.status_code, restored.json) == (200, {"id": house.club_id, "name": "Sunday table"})
    assert rows(house.app) == before
    assert house.call("phone", "GET", "/hand").status_code == 200


def test_a_club_deleted_while_a_phone_writes_takes_nothing_more(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        other = between(patch, access, "find_key", partial(call, house, "DELETE", "/clubs/<club_id>"))
        late = call(house, "POST", "/matches", json={"players": ["Ada", "Bo"], "rulebook": "classic-500"})
    assert ([answer.status_code for answer in other], late.status_code) == ([200], 401)
    assert call(house, "POST", "/clubs/<club_id>/restore").status_code == 200
    assert len(call(house, "GET", "/matches").json["matches"]) == 1


def test_everything_about_a_player_is_one_file(house: House) -> None:
    ids = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    ruling = {"dispute": "played-card-effect", "facts": {"played": "red-skip"}, "players": {"offender": "Bo"}}
    call(house, "POST", "/matches/<match_id>/rulings", json=ruling)
    call(house, "PATCH", f"/players/{ids['Bo']}", json={"name": "Boris"})
    call(house, "POST", "/matches/<match_id>/finish")
    bo = call(house, "GET", f"/players/{ids['Bo']}/export").json
    assert (bo["format"], bo["version"], bo["club"]["name"]) == ("referee-player", 1, "Sunday table")
    assert (bo["player"]["name"], bo["player"]["earlier_names"]) == ("Boris", ["Bo"])
    assert [phone["name"] for phone in bo["phones"]] == ["Bo: hand"]
    (match,) = bo["matches"]
    assert (match["id"], match["result"]["total"], match["result"]["won"]) == (house.parts["match_id"], 0, False)
    assert [one["roles"][0] for one in match["rulings"]] == ["offender"]
    (played,) = match["rounds"]
    assert (played["hand"], played["hand_worth"], played["points"]) == (["7", "skip"], 27, 0)
    ada = call(house, "GET", f"/players/{ids['Ada']}/export").json
    assert (ada["matches"][0]["rulings"], ada["matches"][0]["rounds"][0]["went_out"]) == ([], True)


def test_what_the_pages_say_of_deleting(house: House) -> None:
    browser = house.browser("scorekeeper")
    match, player = (f"/matches/{house.parts['match_id']}", f"/club/players/{house.parts['player_id']}")
    name = re.findall(r"<h1><bdi>([^<]+)</bdi>", browser.get(player).text)[0]
    says = {match: "1 round, with every correction", player: "the name, in 1 match", "/club": "4 players"}
    for page, told in says.items():
        asked = browser.get(f"{page}/delete").text
        assert told in asked
        assert '<button class="primary wide deletes">' in asked, "in the color of what goes"
    for page, message in ((player, "Name deleted."), (match, "Match deleted.")):
        done = browser.submit(f"{page}/delete", {}, follow_redirects=True)
        assert message in done.text
        assert f'action="{page}/restore"' in done.text, "Undo"
        assert browser.get(page).status_code == 410
    club = browser.get("/club").text
    assert "Recently deleted" in club
    assert "Ada, Bo, Cy, and Di".replace(name, "Former player 1") in club
    for page, message in ((match, "Match restored."), (player, f"{name} is back.")):
        assert message in browser.submit(f"{page}/restore", {}, follow_redirects=True).text
    assert browser.submit("/club/delete", {}, page="/rules").status_code == 303
    gone = browser.get("/", status=410)
    assert "Forget it on this phone" in gone.text
    assert gone.headers["Referee-Gone"] == "club"
    assert "is back" in browser.submit("/club/restore", {}, page="/rules", follow_redirects=True).text
    browser.submit("/club/delete", {}, page="/rules")
    assert browser.submit("/club/forget", {}, page="/rules", follow_redirects=True).status_code == 200


def test_the_page_about_privacy_says_the_numbers_of_the_code(house: House) -> None:
    page = house.app.test_client().get("/privacy").text
    assert f"restore it for {RESTORABLE_FOR.days} days" in page
    assert f"{INVITATION_LIFETIME.seconds // 60} minutes." in page


HOLDER, WITNESS, TABLE = "Quillonbert", "Marigoldine", "Fernsworthy table"
"""A player whose name is deleted, one whose match and club are, and the club: words that stand nowhere else."""


@pytest.mark.promise("deleting#dry-run", "deleting#rewritten", "deleting#what-stays")
def test_the_deletion_drill(app: Flask, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name, match and club: after thirty days and a purge nothing of them is in the database, or in a new backup."""
    monkeypatch.setenv("REFEREE_INSTANCE", str(tmp_path / "instance"))
    monkeypatch.setenv("DATABASE_URL", database)
    client = app.test_client()
    club = client.post("/api/v1/clubs", json={"name": TABLE}).get_json()
    key = {"Authorization": f"Bearer {club['scorekeeper_key']}"}

    def ask(method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = client.open(f"/api/v1{path}", method=method, headers=key | options.pop("headers", {}), **options)
        assert answer.status_code == status, answer.text
        return answer.json

    plan = {"players": [HOLDER, WITNESS, "Cy"], "rulebook": "classic-500", "note": f"{HOLDER} brought cake"}
    match, gone = (ask("POST", "/matches", 201, json=plan)["id"] for _ in range(2))
    for id in (match, gone):
        entry = {"after": 0, "went_out": HOLDER, "hands": {WITNESS: ["7"], "Cy": ["skip"]}}
        ask("POST", f"/matches/{id}/rounds", 201, json=entry, headers={"Idempotency-Key": f"round-{id}"})
        ruling = {"dispute": "played-card-effect", "facts": {"played": "red-skip"}, "players": {"offender": HOLDER}}
        ask("POST", f"/matches/{id}/rulings", 201, json=ruling)
    (holder,) = [one["id"] for one in ask("GET", "/players")["players"] if one["name"] == HOLDER]
    assert HOLDER in kept_in(app, tmp_path / "before.db")

    ask("DELETE", f"/players/{holder}")
    ask("DELETE", f"/matches/{gone}")
    assert "Nothing to purge" in host("purge", "--dry-run")
    age(app)
    assert "matches: 1, player names: 1, clubs: 0" in host("purge", "--dry-run")
    assert "matches: 1, player names: 1, clubs: 0" in host("purge")
    left = kept_in(app, tmp_path / "after.db")
    assert HOLDER not in left
    assert WITNESS in left
    assert gone in left, "the tombstone"
    ask("GET", f"/matches/{gone}", 410)
    ask("POST", f"/players/{holder}/restore", 410)
    assert ask("GET", f"/matches/{match}")["players"][0] == "Former player 1"

    ask("DELETE", f"/clubs/{club['id']}")
    assert "clubs: 1" in host("purge", "--at-once")
    left = kept_in(app, tmp_path / "empty.db")
    assert not [word for word in (HOLDER, WITNESS, TABLE, "Former player", match, gone) if word in left]
    assert ask("GET", "/matches", 410)["restorable_until"] is None


@pytest.mark.promise("deleting#every-hour")
def test_what_is_due_goes_while_the_app_runs(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    call(house, "DELETE", "/matches/<match_id>")
    age(house.app)
    before = set(threading.enumerate())
    monkeypatch.setattr(long_work, "EVERY", -1.0)
    call(house, "GET", "/rulebooks")
    monkeypatch.undo()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    left = rows(house.app)
    assert left["rounds"] == left["rulings"] == []
    assert len(left["deletions"]) == 1 + len([row for row in left["deletions"] if "'key'" in row])


def host(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def kept_in(app: Flask, backup: Path) -> str:
    """Give all that a database has: every row, unpacked; of SQLite every byte of its file, its log and a backup too."""
    texts: list[str] = []
    with app.app_context():
        for table in Base.metadata.sorted_tables:
            for row in db.session.execute(select(table)):
                texts += [zlib.decompress(part).decode() if isinstance(part, bytes) else str(part) for part in row]
        db.session.rollback()
        url = db.engine.url
    if url.get_backend_name() == "sqlite":
        host("backup", str(backup))
        file = Path(url.database or "")
        files = [backup, *file.parent.glob(f"{file.name}*")]
        texts += [one.read_bytes().decode("latin-1") for one in files]
        with closing(sqlite3.connect(file)) as connection:
            texts += [f"{free} pages free" for (free,) in connection.execute("PRAGMA freelist_count")]
    return "\n".join(texts)


def age(app: Flask, days: int = 31) -> None:
    """Let time pass for what was deleted, and for the stored answers of that time."""
    with app.app_context():
        deleted = ((Club, "deleted_at"), (Match, "deleted_at"), (Player, "deleted_at"), (Deletion, "at"))
        for table, column in (*deleted, (IdempotentAnswer, "created_at")):
            for one in db.session.scalars(select(table).execution_options(**DELETED_TOO)):
                if (moment := getattr(one, column)) is not None:
                    setattr(one, column, moment - timedelta(days=days))
        db.session.commit()
