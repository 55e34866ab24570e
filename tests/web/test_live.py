"""The live board: who may see it, what it says, how little it costs, and that its link opens nothing else."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask

from referee.records.club import links
from referee.records.models import Club, ClubImport, KeyRole, Match, now
from referee.web.server.database import db
from tests.conftest import DATABASE, MakeApp
from tests.ground.listening import listening
from tests.web.api.conftest import ClubOfCast


@pytest.fixture
def match(club: ClubOfCast) -> str:
    return club.match(dealer="Ada")


def open_board(app: Flask, club: ClubOfCast, match: str) -> str:
    """Make the link of a match's board and return its token."""
    with app.app_context():
        row = db.session.get_one(Match, (club.id, match))
        token = links.open_link(
            db.session(), db.session.get_one(Club, club.id), row, KeyRole.BOARD, app.config["SECRET_KEY"]
        )
        db.session.commit()
        return token


def board_text(app: Flask, token: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", app.test_client().get(f"/live/{token}", status=200).text).split())


def test_the_board_says_who_has_what_what_is_missing_and_who_deals(app: Flask, club: ClubOfCast, match: str) -> None:
    token = open_board(app, club, match)
    assert "The first round is being played." in board_text(app, token)
    club.record(match, 0)
    text = board_text(app, token)
    assert "Round 1: Ada went out. Ada +109." in text
    assert "needs" not in text, "said from 100 on"
    assert "Bo deals" in text


def test_nothing_changed_is_304_in_one_query_and_a_change_is_seen(app: Flask, club: ClubOfCast, match: str) -> None:
    token = open_board(app, club, match)
    client = app.test_client()
    etag = client.get(f"/live/{token}/now").headers["ETag"]
    with listen_to_the_driver(app) as (asked, lent):
        assert client.get(f"/live/{token}/now", headers={"If-None-Match": etag}, status=304).data == b""
        assert len(lent) == 1
        if DATABASE == "sqlite":
            assert len(asked) == 1, asked
        club.record(match, 0)
        changed = client.get(f"/live/{token}/now", headers={"If-None-Match": etag}, status=200)
        assert changed.headers["ETag"] != etag
        asked.clear()
        client.get(f"/live/{token}/now")
        assert len([one for one in asked if one.startswith("SELECT")]) <= 8, asked


@contextmanager
def listen_to_the_driver(app: Flask) -> Iterator[tuple[list[str], list[object]]]:
    """Collect what SQLite is asked, by whomever, and the connections that the pool lends."""
    asked: list[str] = []
    lent: list[object] = []

    def lend(connection: Any, *_rest: object) -> None:
        lent.append(connection)
        if DATABASE == "sqlite":
            connection.set_trace_callback(asked.append)

    with listening(app, "checkout", lend):
        yield asked, lent


def test_the_short_answer_has_the_headers_of_the_long_one(app: Flask, club: ClubOfCast, match: str) -> None:
    now, client = f"/live/{open_board(app, club, match)}/now", app.test_client()
    asking = {"If-None-Match": client.get(now).headers["ETag"], "X-Request-Id": "the-proxy-counts-123"}
    short, long = client.get(now, headers=asking), client.head(now, headers=asking)  # HEAD goes the long way
    assert short.status_code == long.status_code == 304
    assert dict(short.headers) == dict(long.headers)
    assert short.headers["X-Request-Id"] == "the-proxy-counts-123"


@pytest.mark.parametrize("seen", ["W/{etag}", '"another", {etag}', "*"], ids=["weak", "one of several", "any"])
def test_every_way_to_say_what_was_seen_is_understood(app: Flask, club: ClubOfCast, match: str, seen: str) -> None:
    now, client = f"/live/{open_board(app, club, match)}/now", app.test_client()
    seen = seen.format(etag=client.get(now).headers["ETag"])
    assert client.get(now, headers={"If-None-Match": seen}).status_code == 304


def test_an_unchanged_board_is_not_told_to_one_who_asks_for_another_host(make_app: MakeApp, club: ClubOfCast) -> None:
    client = make_app(TRUSTED_HOSTS=["uno.example.org"]).test_client()
    now = f"/live/{club.read.key}/now"
    etag = client.get(now, base_url="http://uno.example.org").headers["ETag"]
    asked = {
        host: client.get(now, headers={"If-None-Match": etag}, base_url=f"http://{host}").status_code
        for host in ("uno.example.org", "evil.example.org")
    }
    assert asked == {"uno.example.org": 304, "evil.example.org": 400}


def test_a_board_whose_connection_broke_is_answered_all_the_same(
    database: str, app: Flask, club: ClubOfCast, match: str
) -> None:
    assert database  # its own: the pool of the shared app would hand the broken connection to another test
    now, client = f"/live/{open_board(app, club, match)}/now", app.test_client()
    etag = client.get(now).headers["ETag"]
    with app.app_context():
        broken = db.engine.raw_connection()
        driver: Any = broken.driver_connection
        broken.close()
    driver.close()
    assert client.get(now, headers={"If-None-Match": etag}).status_code == 304
    assert client.get(now, headers={"If-None-Match": etag}).status_code == 304


def test_the_spectators_link_shows_the_newest_match_of_the_club(app: Flask, club: ClubOfCast, match: str) -> None:
    club.record(match, 0)
    assert club.read.key
    assert "109" in board_text(app, club.read.key)
    club.match(players=["Cy", "Di"])
    assert "109" not in board_text(app, club.read.key)


def test_a_board_of_the_club_shows_nothing_of_an_unfinished_import(app: Flask, club: ClubOfCast, match: str) -> None:
    board = f"/live/{club.read.key}"
    client = app.test_client()
    seen = {"If-None-Match": client.get(f"{board}/now").headers["ETag"]}
    assert client.get(f"{board}/now", headers=seen).status_code == 304
    with app.app_context():
        closed = db.session.get_one(Match, (club.id, match)).club_id
        db.session.add(ClubImport(club_id=closed, id="import", at=now(), made={"matches": [match]}, founded=False))
        db.session.get_one(Club, closed).import_id = "import"
        db.session.commit()
    for path in (board, f"{board}/now", f"{board}/result.png"):
        answer = client.get(path, headers=seen)
        assert (answer.status_code, "Ada" in answer.text) == (503, False)
        assert answer.headers["Retry-After"]


def test_before_the_first_match_the_board_waits(app: Flask, club: ClubOfCast) -> None:
    assert "No match yet" in board_text(app, club.read.key or "")


def test_a_closed_board_is_gone_at_once_and_the_next_link_is_another(app: Flask, club: ClubOfCast, match: str) -> None:
    token = open_board(app, club, match)
    assert open_board(app, club, match) == token
    client = app.test_client()
    seen = {"If-None-Match": client.get(f"/live/{token}/now").headers["ETag"]}
    assert client.get(f"/live/{token}/now", headers=seen).status_code == 304
    with app.app_context():
        links.close_link(db.session(), db.session.get_one(Match, (club.id, match)), KeyRole.BOARD)
        db.session.commit()
    assert client.get(f"/live/{token}/now", headers=seen).status_code == 404
    assert client.get(f"/live/{token}/now").status_code == 404
    assert open_board(app, club, match) != token


def test_a_board_goes_on_with_the_rematch(app: Flask, club: ClubOfCast, match: str) -> None:
    token = open_board(app, club, match)
    club.record(match, 0)
    club.write("POST", f"/matches/{match}/finish")
    assert "Ada wins!" in board_text(app, token)
    assert club.write("POST", f"/matches/{match}/rematch").status_code == 201
    assert "The first round is being played." in board_text(app, token)
