"""Long work goes one at a time, and whoever has to wait is told when to come again."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from waitress.buffers import ReadOnlyFileBasedBuffer

from referee.web.server import long_work
from referee.web.words import say
from tests.conftest import MakeApp
from tests.ground.house import House

LONG = (
    "GET /api/v1/export", "GET /api/v1/rounds.csv", "GET /api/v1/statistics", "GET /api/v1/statistics.csv",
    "GET /api/v1/players/<player_id>/statistics", "GET /api/v1/players/<player_id>/export", "POST /api/v1/import",
    "GET /club/records/club.json", "GET /club/records/rounds.csv", "GET /history/players", "GET /history/players.csv",
    "GET /history/players/<player_id>", "GET /history/year", "GET /history/year.png",
    "GET /history/players/<player_id>/everything.json", "GET /matches/<match_id>/result.png",
    "GET /matches/<match_id>/rulings/<ruling_id>/ruling.png", "GET /public/<public_token>",
    "GET /public/<public_token>/picture.png", "GET /public/<public_token>/players/<player_id>",
    "GET /public/<public_token>/matches/<match_id>/picture.png",
)  # fmt: skip
SHORT = (
    "GET /healthz", "GET /", "GET /history/", "GET /club", "GET /matches/<match_id>",
    "GET /matches/<match_id>/rounds.csv", "POST /api/v1/matches/<match_id>/rounds",
)  # fmt: skip


@pytest.fixture
def other_work(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An import that goes on, beside a club of which one round is many."""
    monkeypatch.setattr(long_work, "PATIENCE", 0.01)
    monkeypatch.setattr(long_work, "LARGE", 1)
    with long_work.turn:
        yield


@pytest.mark.parametrize("door", LONG)
def test_long_work_beside_other_long_work_is_asked_to_come_again(house: House, other_work: None, door: str) -> None:
    method, rule = door.split()
    answer = house.call("scorekeeper", method, rule)
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    by_itself = say("failure.occupied")
    if answer.mimetype == "text/html":
        assert f'<meta http-equiv="refresh" content="{answer.headers["Retry-After"]}">' in answer.text
        assert by_itself in answer.text
    else:
        assert json.loads(answer.text)["detail"] == say("failure.occupied-sent"), "a program repeats itself or not"


@pytest.mark.parametrize("door", SHORT)
def test_nothing_else_waits_for_long_work(house: House, other_work: None, door: str) -> None:
    method, rule = door.split()
    assert house.call("scorekeeper", method, rule).status_code in (200, 201, 409)


def test_a_small_club_never_waits(house: House, other_work: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_work, "LARGE", 2)  # it has one round
    assert house.call("scorekeeper", "GET", "/club/records/rounds.csv").status_code == 200
    assert house.call("scorekeeper", "GET", "/api/v1/statistics").status_code == 200


@pytest.mark.parametrize("accepts", ["text/html", "application/x-ndjson, application/problem+json"])
def test_a_file_is_not_read_before_its_turn(house: House, other_work: None, accepts: str) -> None:
    browser = house.browser("scorekeeper")
    form = {"csrf_token": browser.token("/rules"), "file": (io.BytesIO(b"no club"), "club.json")}
    answer = browser.post("/club/records/import", data=form, headers={"Accept": accepts}, status=503)
    assert answer.headers["Retry-After"]
    assert say("failure.occupied-sent") in (answer.text if accepts == "text/html" else answer.get_json()["detail"])
    assert "http-equiv" not in answer.text, "a form is not sent twice unasked"


def test_one_may_wait_and_the_third_is_refused_at_once(make_app: MakeApp) -> None:
    with make_app().app_context():
        long_work.begin()
        assert long_work._places.acquire(blocking=False)  # someone waits
        with pytest.raises(long_work.Occupied):
            long_work.begin()
        long_work._places.release()
        long_work.end()
        long_work.begin()
        long_work.end()


@pytest.mark.parametrize("mistake", ["no club", b"PK\x03\x04", "{}"])
def test_whatever_goes_wrong_the_next_one_gets_its_turn(house: House, mistake: Any) -> None:
    for accepts in ("text/html", "application/x-ndjson, application/problem+json"):
        browser = house.browser("scorekeeper")
        data = mistake if isinstance(mistake, bytes) else mistake.encode()
        for _ in range(3):
            form = {"csrf_token": browser.token("/rules"), "file": (io.BytesIO(data), "club.json")}
            answer = browser.post("/club/records/import", data=form, headers={"Accept": accepts})
            assert answer.status_code in (400, 422)


@pytest.mark.parametrize(
    "door", ["/club/records/club.json", "/club/records/rounds.csv", "/api/v1/rounds.csv", "/api/v1/export"]
)
def test_a_large_file_is_sent_by_waitress_itself(house: House, monkeypatch: pytest.MonkeyPatch, door: str) -> None:
    """Its wrapper of files has a length, so that an answer looked like one that can be compressed: 500."""
    client, headers = house.browser("scorekeeper"), house.bearer("scorekeeper")
    small = client.get(door, headers=headers)
    monkeypatch.setattr(long_work, "IN_MEMORY", 10)
    wrapper = {"wsgi.file_wrapper": ReadOnlyFileBasedBuffer}
    with client.get(door, headers=headers, environ_overrides=wrapper) as answer:
        assert answer.status_code == 200
        assert answer.get_data() == small.get_data()


def test_a_small_file_is_sent_beside_large_ones_that_nobody_fetches(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "IN_MEMORY", 2_000)
    monkeypatch.setattr(long_work, "MOST_WAITING", 10)
    with house.call("scorekeeper", "GET", "/club/records/club.json"):
        assert house.call("scorekeeper", "GET", "/club/records/club.json").status_code == 503
        table = house.call("scorekeeper", "GET", "/matches/<match_id>/rounds.csv")
        assert table.status_code == 200
        assert len(table.get_data()) < long_work.IN_MEMORY


def test_files_that_nobody_fetches_do_not_fill_the_disk(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_work, "IN_MEMORY", 10)
    monkeypatch.setattr(long_work, "MOST_WAITING", 10)
    slow = house.call("scorekeeper", "GET", "/club/records/club.json")
    refused = house.call("scorekeeper", "GET", "/club/records/club.json")
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert slow.status_code == 200
    slow.close()
    del slow
    with house.call("scorekeeper", "GET", "/club/records/club.json") as answer:
        assert answer.status_code == 200
