"""An import holds up nobody else, is there whole or not at all, and may be cut off at any moment."""

import copy
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from referee.records.club import access
from referee.records.ids import new_id
from referee.records.models import Club, MatchResult
from referee.records.transactions import writing
from referee.records.transfer import importing as club_import
from referee.records.transfer import writing as club_writing
from referee.records.transfer.checking import check_document
from referee.records.transfer.document import ClubDocument
from referee.web.server.database import db
from referee.web.transfer.forms import read_club
from tests.abuse.work import measure
from tests.ground.record import faults, rows
from tests.web.api.conftest import ClubOfCast, NewClub, fields

pytestmark = pytest.mark.usefixtures("database")

Document = dict[str, Any]


class Killed(BaseException):
    """What ends a process in the middle of anything."""


def killed(*_: object) -> None:
    raise Killed


@pytest.fixture
def document(club: ClubOfCast) -> Document:
    """A club of 40 matches with three rounds each."""
    match = club.match(target=300)
    for after in range(3):
        assert club.record(match, after).status_code == 201
    found: Document = club.read("GET", "/export").json  # type: ignore[assignment]
    (one,) = found["matches"]
    return found | {"matches": [again(one, number) for number in range(40)]}


def again(match: Document, number: int) -> Document:
    """Give the same match at another time."""
    at = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=number)
    other = copy.deepcopy(match) | {"id": new_id(at)}
    for one in (*other["rounds"], *other["events"]):
        one["id"] = new_id(at)
    return other


def bring(club: ClubOfCast, document: Document) -> Any:
    return club.write("POST", "/import", data=json.dumps(document).encode(), content_type="application/json")


def counts(app: Flask, club: ClubOfCast) -> dict[str, int]:
    """Count what a club has in each table."""
    return {name: len(found) for name, found in rows(app, club.id).items()}


@pytest.fixture
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an import of a few rows have many portions, and no pauses."""
    monkeypatch.setattr(club_writing, "ROWS_AT_ONCE", 40)
    monkeypatch.setattr(club_writing, "PAUSE", 0.0)


def during(monkeypatch: pytest.MonkeyPatch, portion: int, act: Callable[[], None]) -> None:
    """Do something before one of the portions of the next import; the first closes the club."""
    count = [0]

    def counted(engine: Engine) -> Any:
        count[0] += 1
        if count[0] == portion:
            act()
        return writing(engine)

    monkeypatch.setattr(club_writing, "writing", counted)


@pytest.mark.promise("security#imports-beside-others")
def test_between_two_portions_others_write_and_the_club_is_closed(
    document: Document, new_club: NewClub, small_portions: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, neighbour = new_club("Empty"), new_club("Neighbours")
    answers: list[Any] = []

    def ask() -> None:
        answers.extend((neighbour.match(), other.read("GET", "/matches"), bring(other, document)))

    def look() -> None:
        asking = threading.Thread(target=ask)
        asking.start()
        asking.join()

    during(monkeypatch, 5, look)
    assert bring(other, document).status_code == 200
    assert len(answers) == 3
    for closed in answers[1:]:
        assert closed.status_code == 503
        assert closed.headers["Retry-After"] == "2"
        assert "being imported" in closed.json["detail"]
    assert len(other.read("GET", "/export").get_json()["matches"]) == 40


@pytest.mark.parametrize("portion", [2, 12])
@pytest.mark.promise("reliability#cut-off-import")
def test_an_import_that_is_cut_off_leaves_nothing_and_comes_in_again(
    app: Flask, document: Document, new_club: NewClub, small_portions: None, monkeypatch: pytest.MonkeyPatch,
    portion: int,
) -> None:  # fmt: skip
    other = new_club("Empty")
    half = document | {"matches": document["matches"][::2]}
    assert bring(other, half).status_code == 200
    before, text = counts(app, other), other.read("GET", "/export").data

    with monkeypatch.context() as patch:
        during(patch, portion, killed)
        patch.setattr(club_writing, "take_back", lambda *_: None)  # a process that is killed tidies nothing up
        with pytest.raises(Killed):
            bring(other, document)
    assert other.read("GET", "/matches").status_code == 503
    monkeypatch.setattr(club_writing, "CUT_OFF", timedelta(0))
    assert other.read("GET", "/export").data == text
    assert counts(app, other) == before
    assert faults(app) == []
    answer = bring(other, document)
    assert (answer.json["matches"], answer.json["matches_known"]) == (20, 20)
    assert [match["id"] for match in other.read("GET", "/export").get_json()["matches"]] == [
        match["id"] for match in document["matches"]
    ]


@pytest.mark.parametrize("rows_at_once", [40, 10_000], ids=["in many portions", "in one"])
def test_a_failure_in_the_middle_takes_everything_back_at_once(
    app: Flask, document: Document, new_club: NewClub, monkeypatch: pytest.MonkeyPatch, rows_at_once: int
) -> None:
    other = new_club("Empty")
    before = counts(app, other)
    monkeypatch.setattr(club_writing, "ROWS_AT_ONCE", rows_at_once)
    monkeypatch.setattr(club_writing, "PAUSE", 0.0)

    with monkeypatch.context() as patch:
        if rows_at_once == 40:
            during(patch, 3, killed)
        else:
            patch.setattr(club_writing, "_rate_later", killed)
        with pytest.raises(Killed):
            bring(other, document)
    assert counts(app, other) == before
    assert bring(other, document).status_code == 200


def test_a_club_that_changes_while_a_file_is_read_is_compared_again(
    document: Document, new_club: NewClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_club("Empty")
    assert bring(other, document | {"matches": []}).status_code == 200
    planned, played = club_import.plan_club, list[str]()

    def played_meanwhile(*arguments: Any) -> Any:
        plan = planned(*arguments)
        if not played:
            played.append(other.match(players=["Zoe", "Yan"]))
        return plan

    monkeypatch.setattr(club_import, "plan_club", played_meanwhile)
    assert bring(other, document).json["matches"] == 40
    assert len(other.read("GET", "/export").get_json()["matches"]) == 41


@pytest.mark.promise("reliability#short-lock", "security#imports-beside-others")
def test_nothing_is_read_checked_or_scored_while_the_database_is_held(
    app: Flask, document: Document, new_club: NewClub, small_portions: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = new_club("Empty")
    held = [False]

    @contextmanager
    def holding(engine: Engine) -> Iterator[Session]:
        with writing(engine) as session:
            held[0] = True
            yield session
            held[0] = False

    monkeypatch.setattr(club_writing, "writing", holding)
    seen: set[str] = set()

    def watch(frame: Any, event: str, _argument: object) -> None:
        if event == "call" and held[0] and "/referee/" in frame.f_code.co_filename:
            seen.add(frame.f_code.co_qualname if sys.version_info >= (3, 11) else frame.f_code.co_name)

    sys.setprofile(watch)
    try:
        assert bring(other, document).status_code == 200
    finally:
        sys.setprofile(None)
    assert seen, "nothing was seen of what happens while the database is held"
    allowed = {"now", "new_id", "new_nonce", "load_known", "of_club", "rate_later"}  # a row by itself, the comparison
    foreign = {name for name in seen if not name.startswith(("_", "UtcDateTime.", "tune_sqlite", "load_known"))}
    foreign -= {name for name in foreign if name.startswith("import_planned.<locals>.begin")}
    assert foreign <= allowed, foreign


def parsed(document: Document) -> ClubDocument:
    return read_club(json.dumps(document).encode(), None)


def with_rounds(document: Document, count: int) -> Document:
    """Give a match of so many rounds, in which a player left and came back before each."""
    one = copy.deepcopy(document["matches"][0])
    one |= {"status": "in-progress", "ended_by": None, "finished_at": None, "events": []}
    one["agreements"][0]["target"] = None
    at = datetime(2020, 1, 1, tzinfo=UTC)
    rounds = [copy.deepcopy(one["rounds"][0]) | {"id": new_id(at), "place": place} for place in range(1, count + 1)]
    stays = [[place, place] for place in range(1, count)] + [[count, None]]
    seats = [seat | {"stays": stays} for seat in one["seats"]]
    return document | {"matches": [one | {"rounds": rounds, "seats": seats}]}


@pytest.mark.parametrize("kind", ["matches", "rounds and stays"])
@pytest.mark.promise("security#imports-beside-others")
def test_work_grows_with_the_file(document: Document, kind: str) -> None:
    def sized(size: int) -> Document:
        if kind == "matches":
            one = document["matches"][0]
            return document | {"matches": [again(one, number) for number in range(size)]}
        return with_rounds(document, size)

    few, many = (json.dumps(sized(size)).encode() for size in (40, 160))
    less, more = (measure(lambda data=data: check_document(read_club(data, None))).calls for data in (few, many))  # type: ignore[misc]
    assert more < 5 * less, (less, more)


# -- what never comes in -----------------------------------------------------------------------------------------------


def more_points(document: Document) -> None:
    document["matches"][2]["rounds"][1]["versions"][0]["score"]["points"]["0"] += 1


def more_rounds(document: Document) -> None:
    document["matches"] = with_rounds(document, 2001)["matches"]


FORGED: dict[str, Callable[[Document], object]] = {
    "matches[0].id": lambda document: document["matches"][0].update(id="z" * 16),
    "matches[1].rounds[0].id": lambda document: document["matches"][1]["rounds"][0].update(id="7zzzzzzzzzzzzzzz"),
    "matches[2].rounds[1]": more_points,
    "matches[0].rounds": more_rounds,
    "matches[0].rounds[2].place": lambda document: document["matches"][0]["rounds"][2].update(place=9),
    "matches[0].seats[0].stays": lambda document: document["matches"][0]["seats"][0].update(stays=[[1, 5], [3, None]]),
}


@pytest.mark.parametrize("field", FORGED)
@pytest.mark.promise("security#forged-files")
def test_what_no_page_could_show_or_no_rule_gives_never_comes_in(
    app: Flask, document: Document, new_club: NewClub, field: str
) -> None:
    other = new_club("Empty")
    before = counts(app, other)
    FORGED[field](document)
    answer = bring(other, document)
    assert answer.status_code == 422
    assert field in fields(answer), answer.json
    assert counts(app, other) == before


@pytest.mark.promise("security#forged-files")
def test_a_difference_in_points_is_told_by_match_round_and_player(document: Document, new_club: NewClub) -> None:
    more_points(document)
    (said, *_) = bring(new_club("Empty"), document).json["errors"]
    assert "round 2: Ada gets 110; by the rules it should be 109." in said["message"]


@pytest.mark.parametrize(
    "piece",
    [
        b'"matches":[{"rounds":[' + b"1," * 2_000_000 + b"1]}]",
        b'"matches":[' + b"1," * 2_000_000 + b"1]",
        b'"club":{' + b",".join(b'"%d":1' % number for number in range(200_000)) + b"}",
        b'"club":{"name":"a","name":"b"}',
        b'"version":' + b"9" * 1_000_000,
    ],
    ids=["a million wrong rounds", "a million wrong matches", "many keys", "a key twice", "a long number"],
)
@pytest.mark.promise("security#imports-beside-others")
def test_a_file_that_is_wrong_a_million_times_costs_no_more_than_its_size(club: ClubOfCast, piece: bytes) -> None:
    began = time.process_time()
    data = b'{"format":"referee-club",' + piece + b"}"
    answer = club.write("POST", "/import", data=data, content_type="application/json")
    assert answer.status_code in (400, 422)
    assert len(answer.get_json()["errors"]) <= 51
    assert time.process_time() - began < 5


def test_a_club_that_an_import_founds_is_gone_when_it_is_cut_off(
    app: Flask, document: Document, small_portions: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = new_id()

    during(monkeypatch, 3, killed)
    found = partial(access.create_club, name="New", id=id)
    with app.app_context(), pytest.raises(Killed):
        club_import.import_club(db.engine, id, parsed(document), create=found)
    with app.app_context():
        assert db.session.get(Club, id) is None
    assert faults(app) == []


def test_what_nobody_comes_back_to_is_finished_every_hour(
    app: Flask, document: Document, new_club: NewClub, small_portions: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A club that an import founded before it was killed, and ratings that were still to be computed."""
    played, id = new_club("Played"), new_id()
    assert bring(played, document).status_code == 200
    assert counts(app, played)["match_results"]

    with app.app_context():
        found = partial(access.create_club, name="New", id=id)
        with monkeypatch.context() as patch:
            during(patch, 3, killed)
            patch.setattr(club_writing, "take_back", lambda *_: None)
            with pytest.raises(Killed):
                club_import.import_club(db.engine, id, parsed(document), create=found)
        half = update(MatchResult).where(MatchResult.club_id == played.id).values(mu=None, sigma=None)
        db.session.execute(half)
        db.session.execute(update(Club).where(Club.id == played.id).values(unrated_from=document["matches"][0]["id"]))
        db.session.commit()
        club_writing.finish_interrupted(db.engine)
        assert db.session.get(Club, id), "it may still be running"
        db.session.rollback()
        monkeypatch.setattr(club_writing, "CUT_OFF", timedelta(0))
        club_writing.finish_interrupted(db.engine)
        assert db.session.get(Club, id) is None
        club = db.session.get_one(Club, played.id)
        assert club.unrated_from is None
        results = select(MatchResult).where(MatchResult.club_id == played.id)
        assert all(result.mu is not None for result in db.session.scalars(results))
