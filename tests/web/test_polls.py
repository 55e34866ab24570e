"""An open sheet that nothing changed is answered on the short way, to whom Flask would answer it, and in its words."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from werkzeug.test import TestResponse

from referee.records.club import access, links
from referee.records.match.watching import Watcher
from referee.records.models import Club, Key, KeyRole, Match
from referee.web.server.database import db
from tests.ground.client import browser_of
from tests.ground.house import House
from tests.ground.listening import listening

Ask = Callable[..., TestResponse]


@pytest.fixture
def statements(house: House) -> Iterator[list[str]]:
    """What SQLAlchemy was asked to say: nothing on the short way, which speaks with the driver itself."""
    said: list[str] = []
    with listening(house.app, "before_cursor_execute", lambda *given: said.append(given[2])):
        yield said


def now(house: House) -> str:
    return f"/matches/{house.parts['match_id']}/now"


def seen(house: House) -> dict[str, str]:
    return {"If-None-Match": house.browser("scorekeeper").get(now(house)).headers["ETag"]}


@pytest.mark.parametrize("caller", ["scorekeeper", "spectator"])
def test_whoever_may_read_a_sheet_learns_shortly_that_nothing_changed(
    house: House, statements: list[str], caller: str
) -> None:
    asking = seen(house) | {"X-Request-Id": "the-proxy-counts-123"}
    browser = house.browser(caller)
    statements.clear()
    short = browser.get(now(house), headers=asking)
    assert (short.status_code, short.data, statements) == (304, b"", [])
    long = browser.head(now(house), headers=asking)  # which the short way leaves alone
    assert long.status_code == 304
    assert statements
    assert dict(short.headers) == {name: value for name, value in long.headers.items() if name != "Set-Cookie"}


def test_a_change_is_seen_with_the_next_question(house: House) -> None:
    asking, browser = seen(house), house.browser("scorekeeper")
    assert browser.get(now(house), headers=asking).status_code == 304
    with house.app.app_context():
        db.session.get_one(Match, (house.club_id, house.parts["match_id"])).revision += 1
        db.session.commit()
    assert browser.get(now(house), headers=asking).status_code == 200


def test_a_key_that_was_revoked_learns_nothing_more(house: House) -> None:
    asking, browser = seen(house), house.browser("scorekeeper")
    assert browser.get(now(house), headers=asking).status_code == 304
    with house.app.app_context():
        found = access.find_key(db.session(), house.tokens["scorekeeper"])
        assert found
        db.session.get_one(Key, (house.club_id, found[0].id)).revoked_at = found[0].created_at
        db.session.commit()
    assert browser.get(now(house), headers=asking).status_code == 401


@pytest.mark.parametrize("caller", ["stranger", "phone", "other"])
def test_who_may_not_read_the_sheet_does_not_learn_that_it_is_unchanged(house: House, caller: str) -> None:
    answer = house.browser(caller).get(now(house), headers=seen(house))
    assert answer.status_code == house.browser(caller).get(now(house)).status_code
    assert answer.status_code in (401, 404)


def test_a_boards_link_in_the_place_of_a_key_opens_no_sheet(house: House) -> None:
    asking = seen(house)
    with house.app.app_context():
        club = db.session.get_one(Club, house.club_id)
        match = db.session.get_one(Match, (house.club_id, house.parts["match_id"]))
        secret = house.app.config["SECRET_KEY"]
        token = links.open_link(db.session(), club, match, KeyRole.BOARD, secret)
        db.session.commit()
    browser = browser_of(house.app, token)
    assert browser.get(now(house), headers=asking).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{"Cookie": "session=made-up"}, {"Cookie": "session="}, {"Cookie": "="}, {"Authorization": "Bearer x"}],
    ids=["forged", "empty", "no cookie", "a bad key before the cookie"],
)
def test_bad_cookies_and_keys_are_answered_by_flask(house: House, headers: dict[str, str]) -> None:
    client = house.app.test_client(use_cookies=False)
    assert client.get(now(house), headers=seen(house) | headers).status_code == 401


def test_where_the_short_way_breaks_the_long_one_answers(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = seen(house)

    def fail(*_given: Any) -> None:
        with house.app.app_context():
            raise db.engine.dialect.loaded_dbapi.OperationalError("the connection is lost")

    monkeypatch.setattr(Watcher, "sheet", fail)
    assert house.browser("scorekeeper").get(now(house), headers=asking).status_code == 304
