"""The pages of a season: made in one form, seen by the club or by a link, hung on the door, gone and back again."""

import csv
import io
import re
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from referee.records.deletion import purging
from referee.records.deletion.waiting import RESTORABLE_FOR
from referee.records.models import Club, Season, now
from referee.records.soundness import find_faults
from referee.records.transactions import writing
from referee.web.server import long_work
from referee.web.server.database import db
from tests.ground.client import Client, browser_of, find_in
from tests.ground.house import House

pytestmark = pytest.mark.usefixtures("database")

SEASON = {"name": "Our season", "first_day": "2020-01-01", "last_day": "", "count": "place", "who": "everyone"}


@pytest.fixture
def keeper(house: House) -> Client:
    """The scorekeeper's browser, in a club that has finished two matches."""
    for winners in ("Ada", "Bo"):
        body = {"players": ["Ada", "Bo", "Cy"], "rulebook": "classic-500", "rounds_to_play": 1}
        match = api(house, "POST", "/matches", body)["id"]
        hands = {name: ["9"] for name in ("Ada", "Bo", "Cy") if name != winners}
        api(house, "POST", f"/matches/{match}/rounds", {"after": 0, "went_out": winners, "hands": hands})
        api(house, "POST", f"/matches/{match}/finish", {})
    return house.browser("scorekeeper")


def api(house: House, method: str, path: str, body: object) -> dict[str, str]:
    headers = house.bearer("scorekeeper")
    answer = house.app.test_client().open(f"/api/v1{path}", method=method, json=body, headers=headers)
    assert answer.status_code < 300, answer.text
    return dict(answer.get_json())


def make(keeper: Client, **said: str) -> str:
    answer = keeper.submit("/seasons/new", SEASON | said, page="/seasons/new")
    assert answer.status_code == 303, answer.text
    return str(answer.location)


def text_of(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def test_a_season_of_matches_already_played_is_there_at_once(keeper: Client) -> None:
    form = keeper.get("/seasons/new").text
    assert 'value="Season 20' in form
    assert find_in(r'name="first_day" value="(\d{4})-01-01"', form)
    shown = text_of(keeper.get(make(keeper)).text)
    assert "Ada and Bo share the lead with 62.5" in shown
    assert "1 evening" in shown
    assert "100 points for first place" in shown
    assert "Our season" in keeper.get("/seasons/").text
    assert "Best evening" in shown


def test_every_problem_stands_at_its_field_and_nothing_typed_is_lost(keeper: Client) -> None:
    said = SEASON | {"name": "", "first_day": "soon", "last_day": "2019-01-01", "best": "0", "least": "x"}
    answer = keeper.submit("/seasons/new", said, page="/seasons/new")
    assert answer.status_code == 422
    assert 'value="soon"' in answer.text
    assert 'value="x"' in answer.text
    answer = keeper.submit("/seasons/new", SEASON | {"name": "Kept", "who": "chosen"}, page="/seasons/new")
    assert answer.status_code == 422
    assert 'value="Kept"' in answer.text
    assert "Choose who belongs" in answer.text
    for wrong, message in (
        ({"first_day": ""}, "Enter the first day"),
        ({"first_day": "9999-12-31"}, "from 1970 to 9998"),
        ({"last_day": "2019-01-01"}, "before the first"),
        ({"best": "2000"}, "from 1 to 1,000"),
        ({"least": "0"}, "from 1 to 1,000"),
        ({"last_day": "2030-01-02", "names_until": "2030-01-01"}, "after the season ends"),
        ({"rulebooks": "no-such"}, "isn’t one of your rulebooks"),
    ):
        answer = keeper.submit("/seasons/new", SEASON | wrong, page="/seasons/new")
        assert (answer.status_code, message in answer.text) == (422, True), wrong


def test_of_two_who_change_a_season_the_second_is_told(keeper: Client) -> None:
    address = make(keeper)
    state = find_in(r'name="state" value="(\d+)"', keeper.get(f"{address}/edit").text)
    change = SEASON | {"state": state}
    assert keeper.submit(f"{address}/edit", change | {"name": "First"}, page=f"{address}/edit").status_code == 303
    answer = keeper.submit(f"{address}/edit", change | {"name": "Second"}, page=f"{address}/edit")
    assert answer.status_code == 409
    assert 'value="Second"' in answer.text
    again = change | {"name": "Second", "state": find_in(r'name="state" value="(\d+)"', answer.text)}
    assert keeper.submit(f"{address}/edit", again, page=f"{address}/edit").status_code == 303
    assert '<h1 dir="auto">Second</h1>' in keeper.get(address).text


def test_an_ended_season_names_its_champion_and_leads_to_the_next(keeper: Client, house: House) -> None:
    address = make(keeper, name="Season 2020", last_day="2020-12-31")
    page = keeper.get(address).text
    assert "Another season" in page
    again = keeper.get(f"/seasons/new?again={address.rpartition('/')[2]}").text
    assert 'value="Season 2021"' in again
    assert 'value="2021-01-01"' in again
    assert 'value="2021-12-31"' in again
    assert "Ended" in keeper.get("/seasons/").text


def test_a_link_shows_the_season_to_anyone_until_it_is_switched_off(app: Flask, keeper: Client) -> None:
    address = make(keeper)
    opened = keeper.submit(f"{address}/public", {}, page=address)
    assert opened.status_code == 303
    link = find_in(r'href="[^"]*(/public/[^"]+)"', keeper.get(address).text)
    stranger = browser_of(app)
    shown = stranger.get(link)
    assert "share the lead" in shown.text
    assert "/history/" not in shown.text
    assert stranger.get(link, headers={"If-None-Match": shown.headers["ETag"]}).status_code == 304
    assert stranger.get(f"{link}/picture.png").mimetype == "image/png"
    assert stranger.get(f"{link}/matches").status_code == 404
    keeper.submit(f"{address}/public/close", {}, page=address)
    assert stranger.get(link).status_code == 410


def test_a_deleted_season_is_nowhere_and_comes_back_and_its_matches_stay(app: Flask, keeper: Client) -> None:
    address = make(keeper)
    keeper.submit(f"{address}/public", {}, page=address)
    link = find_in(r'href="[^"]*(/public/[^"]+)"', keeper.get(address).text)
    assert keeper.submit(f"{address}/delete", {}, page=address).status_code == 303
    assert "Season “Our season” deleted" in keeper.get("/seasons/").text
    assert keeper.get(address).status_code == 404
    assert browser_of(app).get(link).status_code == 404
    assert "Our season" not in keeper.get("/seasons/").text
    assert keeper.submit(f"{address}/restore", {}, page="/seasons/").status_code == 303
    assert keeper.get(address).status_code == 200


def test_the_table_is_a_spreadsheet_a_picture_and_a_sheet_for_the_door(keeper: Client) -> None:
    address = make(keeper)
    rows: Sequence[Sequence[str]] = list(csv.reader(io.StringIO(keeper.get(f"{address}.csv").text.lstrip("\ufeff"))))
    assert rows[0][:6] == ["place", "player", "points", "evenings", "matches", "matches won"]
    assert ["1", "Ada", "62.5", "1", "2", "1", "62.5"] in rows
    assert len(rows) == 4
    assert keeper.get(f"{address}/season.png").mimetype == "image/png"
    door = text_of(keeper.get(f"{address}/door").text)
    assert "Ada" in door
    assert "1 of 1" in door


def test_a_large_club_has_its_picture_too(keeper: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    address = make(keeper)
    monkeypatch.setattr(long_work, "LARGE", 1)
    assert keeper.get(f"{address}/season.png").mimetype == "image/png"


def test_a_round_of_a_match_that_goes_on_changes_no_season(app: Flask, keeper: Client, house: House) -> None:
    address = make(keeper)
    keeper.submit(f"{address}/public", {}, page=address)
    link = find_in(r'href="[^"]*(/public/[^"]+)"', keeper.get(address).text)
    before = browser_of(app).get(link).headers["ETag"]
    hands = {"Bo": ["7"], "Cy": ["3"], "Di": ["9"]}
    api(house, "POST", f"/matches/{house.parts['match_id']}/rounds", {"after": 1, "went_out": "Ada", "hands": hands})
    assert browser_of(app).get(link).headers["ETag"] == before
    api(house, "POST", f"/matches/{house.parts['match_id']}/finish", {})
    assert browser_of(app).get(link).headers["ETag"] != before


def test_a_club_takes_the_time_zone_of_the_phone_that_makes_its_first_season(keeper: Client, house: House) -> None:
    keeper.set_cookie("zone", "Europe/Berlin")
    assert "(Europe/Berlin)" in keeper.get("/seasons/new").text
    make(keeper)
    keeper.set_cookie("zone", "Asia/Tokyo")
    make(keeper)
    with house.app.app_context():
        assert db.session.get_one(Club, house.club_id).time_zone == "Europe/Berlin"
        db.session.rollback()


def test_whoever_watches_sees_a_season_and_changes_nothing(house: House, keeper: Client) -> None:
    address = make(keeper)
    watcher = house.browser("spectator")
    page = watcher.get(address).text
    assert "share the lead" in page
    assert "Edit season" not in page
    assert "Save as a spreadsheet" in page


def test_a_season_goes_into_a_file_and_comes_in_again_as_it_was(app: Flask, keeper: Client, house: House) -> None:
    keeper.set_cookie("zone", "Europe/Berlin")
    headers = house.bearer("scorekeeper")
    ids = [one["id"] for one in players_of(house)]
    make(keeper, name="Ours", who="chosen", people=ids[0], best="5", rulebooks="duo-200", last_day="2020-12-31")
    make(keeper, name="Gone", last_day="2020-12-31")
    keeper.submit(f"{make(keeper, name='Never was')}/delete", {}, page="/seasons/")
    exported = programs(house).get("/api/v1/export", headers=headers).get_json()
    assert exported["club"]["time_zone"] == "Europe/Berlin"
    assert [one["name"] for one in exported["seasons"]] == ["Our year", "Ours", "Gone"]
    assert exported["seasons"][1] == exported["seasons"][1] | {"best": 5, "people": ids[:1], "rulebooks": ["duo-200"]}
    new = programs(house).post("/api/v1/clubs", json={"name": "Other"}).get_json()
    headers = {"Authorization": f"Bearer {new['scorekeeper_key']}"}
    answer = programs(house).post("/api/v1/import", json=exported, headers=headers)
    assert answer.status_code == 200, answer.text
    again = programs(house).get("/api/v1/export", headers=headers).get_json()
    assert again["seasons"] == exported["seasons"]
    assert programs(house).post("/api/v1/import", json=exported, headers=headers).status_code == 200
    assert programs(house).get("/api/v1/export", headers=headers).get_json()["seasons"] == exported["seasons"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "seasons[0].name"),
        ({"last_day": "1999-01-01"}, "seasons[0].last_day"),
        ({"best": 0}, "seasons[0].best"),
        ({"people": ["0" * 16]}, "seasons[0].people[0]"),
        ({"count": "luck"}, "seasons[0].count"),
        ({"link": "x"}, "seasons[0].link"),
    ],
)
def test_a_file_with_a_season_that_cannot_be_is_refused(house: House, wrong: dict[str, object], field: str) -> None:
    headers = house.bearer("scorekeeper")
    exported = programs(house).get("/api/v1/export", headers=headers).get_json()
    exported["seasons"][0] |= wrong
    answer = programs(house).post("/api/v1/import", json=exported, headers=headers)
    assert answer.status_code == 422
    assert field in [error["field"] for error in answer.get_json()["errors"]]


def programs(house: House) -> FlaskClient:
    return house.app.test_client()


def players_of(house: House) -> list[dict[str, str]]:
    answer = programs(house).get("/api/v1/players", headers=house.bearer("scorekeeper"))
    return list(answer.get_json()["players"])


def test_a_season_that_was_deleted_is_purged_after_thirty_days(house: House, keeper: Client) -> None:
    address = make(keeper)
    keeper.submit(f"{address}/public", {}, page=address)
    link = find_in(r'href="[^"]*(/public/[^"]+)"', keeper.get(address).text)
    keeper.submit(f"{address}/delete", {}, page=address)
    with house.app.app_context():
        assert not purging.purge(db.engine)
        db.session.execute(
            update(Season).where(Season.deleted_at.is_not(None)).values(deleted_at=now() - RESTORABLE_FOR)
        )
        db.session.commit()
        assert purging.purge(db.engine).seasons == 1
        db.session.rollback()
        assert db.session.scalars(select(Season.name)).all() == ["Our year"]
        db.session.rollback()
    assert browser_of(house.app).get(link).status_code == 410, "its link went with it"


def test_names_of_children_are_deleted_on_their_day_and_can_be_restored(house: House, keeper: Client) -> None:
    ids = {one["name"]: one["id"] for one in players_of(house)}
    tomorrow = (now() + timedelta(days=2)).date()
    address = make(keeper, name="Ada’s class", who="chosen", people=ids["Ada"], names_until=tomorrow.isoformat())
    assert "names of this season’s people are deleted" in keeper.get(address).text
    with house.app.app_context():
        assert purging.purge(db.engine).names == 0
        db.session.execute(update(Season).where(Season.names_until.is_not(None)).values(names_until=date(2020, 1, 1)))
        db.session.commit()
        assert purging.find_due(db.engine).names == 1
        assert purging.purge(db.engine).names == 1
        assert not purging.find_due(db.engine)
        assert purging.purge(db.engine).names == 0
    page = keeper.get(address).text
    assert "Ada" not in text_of(page)
    assert "Former player 1" in page
    assert "Bo" in keeper.get(f"/matches/{house.parts['match_id']}").text
    assert keeper.submit(f"/club/players/{ids['Ada']}/restore", {}, page="/club").status_code == 303
    page = keeper.get(address).text
    assert "Ada’s class" in page
    assert "are deleted" not in page
    assert "names of this season’s people were deleted on" in page
    headers = house.bearer("scorekeeper")
    listed = programs(house).get("/api/v1/seasons", headers=headers).get_json()["seasons"]
    (gone,) = [one for one in listed if "people" in one]
    assert abs(date.fromisoformat(gone["names_deleted_on"]) - now().date()) <= timedelta(days=1)
    exported = programs(house).get("/api/v1/export", headers=headers).get_json()["seasons"]
    assert [one.get("names_deleted_on") for one in exported] == [None, gone["names_deleted_on"]]


def test_a_program_makes_reads_changes_deletes_and_restores_a_season(house: House, keeper: Client) -> None:
    ids = {one["name"]: one["id"] for one in players_of(house)}
    said = {"name": "Winter", "first_day": "2020-01-01", "count": "wins", "best": 3, "people": [ids["Ada"], ids["Bo"]]}
    made = call(house, "POST", "/seasons", said)
    assert made.status_code == 201
    address = made.headers["Location"].partition("/api/v1")[2]
    document = call(house, "GET", address).get_json()
    assert document == made.get_json()
    assert document == document | said | {"matches": 2, "guests": 1}
    assert [(line["player"], line["points"], line["place"]) for line in document["table"]] == [
        *((id, 50.0, 1) for id in sorted((ids["Ada"], ids["Bo"])))
    ]
    assert document["meetings"][0] | {"player": "", "other": ""} == {
        "player": "", "other": "", "met": 2, "better": 1, "worse": 1,
    }  # fmt: skip
    etag = made.headers["ETag"]
    assert call(house, "GET", address, **{"If-None-Match": etag}).status_code == 304
    assert call(house, "PUT", address, said | {"name": "Spring"}).status_code == 428
    changed = call(house, "PUT", address, said | {"name": "Spring"}, **{"If-Match": etag})
    assert changed.get_json()["name"] == "Spring"
    assert call(house, "DELETE", address, **{"If-Match": etag}).status_code == 412
    assert call(house, "DELETE", address, **{"If-Match": changed.headers["ETag"]}).status_code == 204
    assert call(house, "GET", address).status_code == 404
    assert [one["name"] for one in call(house, "GET", "/seasons").get_json()["seasons"]] == ["Our year"]
    assert call(house, "POST", f"{address}/restore").get_json()["name"] == "Spring"
    assert "Ada" in call(house, "GET", f"{address}.csv").text


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"first_day": "yesterday!"}, "first_day"),
        ({"first_day": "2026-W01-1"}, "first_day"),
        ({"count": "luck"}, "count"),
        ({"best": 0}, "best"),
        ({"name": " "}, "name"),
        ({"people": ["0" * 16]}, "people"),
        ({"rulebooks": ["chess"]}, "rulebooks"),
        ({"last_day": "2019-01-01"}, "last_day"),
        ({"league": 1}, "league"),
    ],
)
def test_a_program_is_told_what_a_season_cannot_be(house: House, wrong: dict[str, object], field: str) -> None:
    answer = call(house, "POST", "/seasons", {"name": "Winter", "first_day": "2020-01-01"} | wrong)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.get_json()["errors"]] == [field]


def test_a_phone_keeps_the_page_of_a_season_until_something_on_it_changes(house: House, keeper: Client) -> None:
    address = make(keeper)
    told = keeper.get(address)
    assert "Season saved" in told.text
    assert "ETag" not in told.headers, "what was said once would be said again"
    keeper.get(address)
    kept = keeper.get(address).headers["ETag"]

    def look() -> int:
        nonlocal kept
        answer = keeper.get(address, headers={"If-None-Match": kept})
        kept = answer.headers["ETag"]
        return answer.status_code

    assert look() == 304
    match = api(house, "POST", "/matches", {"players": ["Ada", "Bo"], "rulebook": "classic-500"})["id"]
    api(house, "POST", f"/matches/{match}/rounds", {"after": 0, "went_out": "Ada", "hands": {"Bo": ["9"]}})
    assert look() == 304
    api(house, "POST", f"/matches/{match}/finish", {})
    assert (look(), look()) == (200, 304)
    api(house, "PATCH", f"/players/{players_of(house)[0]['id']}", {"name": "Ava"})
    assert (look(), look()) == (200, 304)
    call(house, "PUT", f"{address}/public")
    assert (look(), look()) == (200, 304)
    keeper.set_cookie("theme", "black")
    assert (look(), look()) == (200, 304)
    keeper.set_cookie("language", "de")
    assert (look(), look()) == (200, 304)
    assert house.browser("spectator").get(address, headers={"If-None-Match": kept}).status_code == 200


def test_a_season_sent_twice_is_one_and_names_may_stand_for_ids(house: House, keeper: Client) -> None:
    ids = {one["name"]: one["id"] for one in players_of(house)}
    said = {"name": "Winter", "first_day": "2020-01-01", "people": ["ada", ids["Bo"]]}
    first, second = (call(house, "POST", "/seasons", said, **{"Idempotency-Key": "winter"}) for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.get_json() == second.get_json()
    assert first.get_json()["people"] == [ids["Ada"], ids["Bo"]]
    assert len(call(house, "GET", "/seasons").get_json()["seasons"]) == 2
    other = call(house, "POST", "/seasons", said | {"name": "Spring"}, **{"Idempotency-Key": "winter"})
    assert other.status_code == 409


def test_a_program_opens_the_public_page_of_a_season_and_closes_it(house: House, keeper: Client) -> None:
    path = f"/seasons/{make(keeper).rpartition('/')[2]}/public"
    assert call(house, "GET", path).get_json() == {"on": False, "url": None, "picture": None}
    link = call(house, "PUT", path).get_json()
    assert link["on"]
    assert call(house, "PUT", path).get_json() == call(house, "GET", path).get_json() == link
    page = link["url"].removeprefix("http://localhost")
    assert "Our season" in browser_of(house.app).get(page).text
    assert call(house, "DELETE", path).status_code == 204
    assert browser_of(house.app).get(page).status_code == 410
    assert call(house, "PUT", path).get_json()["url"] != link["url"]


def test_a_deleted_season_is_among_what_can_be_restored(house: House, keeper: Client) -> None:
    address = make(keeper, name="Short one")
    id = address.rpartition("/")[2]
    keeper.submit(f"{address}/delete", {}, page=address)
    (gone,) = call(house, "GET", "/deletions").get_json()["deletions"]
    assert gone == gone | {"id": id, "kind": "season", "lost": {"name": "Short one"}}
    assert f'action="{address}/restore"' in keeper.get("/club").text
    assert keeper.submit(f"{address}/restore", {}, page="/club").status_code == 303
    assert call(house, "GET", "/deletions").get_json() == {"deletions": []}
    with house.app.app_context(), writing(db.engine) as session:
        session.execute(update(Season).where(Season.id == id).values(deleted_at=now() - RESTORABLE_FOR))
    assert keeper.submit(f"{address}/restore", {}, page="/club").status_code == 404


def test_a_check_finds_people_of_a_season_who_are_nobody(house: House, keeper: Client) -> None:
    make(keeper)
    with house.app.app_context():
        assert not list(find_faults(db.session()))
        db.session.execute(update(Season).where(Season.name == "Our season").values(people=["0" * 16]))
        db.session.commit()
        (fault,) = find_faults(db.session())
        db.session.rollback()
    assert "people" in fault
    assert "0" * 16 in fault


def test_a_program_founds_a_club_in_its_time_zone(house: House) -> None:
    made = programs(house).post("/api/v1/clubs", json={"name": "Other", "time_zone": "Asia/Tokyo"}).get_json()
    assert made["time_zone"] == "Asia/Tokyo"
    headers = {"Authorization": f"Bearer {made['scorekeeper_key']}"}
    exported = programs(house).get("/api/v1/export", headers=headers).get_json()
    assert exported["club"]["time_zone"] == "Asia/Tokyo"
    wrong = programs(house).post("/api/v1/clubs", json={"name": "Other", "time_zone": "Asia/Atlantis"})
    assert wrong.status_code == 422
    assert [error["field"] for error in wrong.get_json()["errors"]] == ["time_zone"]


def call(house: House, method: str, path: str, body: object = None, **headers: str) -> TestResponse:
    given = house.bearer("scorekeeper") | headers
    return programs(house).open(f"/api/v1{path}", method=method, json=body, headers=given)


def test_a_person_nobody_knows_and_a_day_that_moved_stop_no_purge(
    house: House, keeper: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = {one["name"]: one["id"] for one in players_of(house)}
    make(keeper, who="chosen", people=ids["Ada"], names_until="2999-01-01")
    there = Season.names_until.is_not(None)
    with house.app.app_context():
        unknown = {"names_until": date(2020, 1, 1), "people": ["0" * 16]}
        db.session.execute(update(Season).where(there).values(unknown))
        db.session.commit()
        assert purging.purge(db.engine).names == 0
        assert db.session.scalar(select(Season.id).where(there)) is None
        db.session.execute(
            update(Season).where(Season.name == "Our season").values(names_until=date(2020, 1, 1), people=[ids["Ada"]])
        )
        db.session.commit()

        def moved(*_: object) -> bool:  # the scorekeeper chose a later day meanwhile
            with writing(db.engine) as session:
                session.execute(update(Season).where(there).values(names_until=date(2999, 1, 1)))
            return True

        monkeypatch.setattr(purging, "_delete_name", moved)
        purging.purge(db.engine)
        assert db.session.scalars(select(Season.names_until).where(there)).all() == [date(2999, 1, 1)]
        monkeypatch.setattr(purging, "_delete_name", lambda *_: None)
        db.session.execute(update(Season).where(there).values(names_until=date(2020, 1, 1)))
        db.session.commit()
        purging.purge(db.engine)
        assert db.session.scalars(select(Season.names_until).where(there)).all() == [date(2020, 1, 1)], "tried again"
        db.session.rollback()


def test_a_name_is_taken_out_of_a_season_and_an_open_form_is_told(house: House, keeper: Client) -> None:
    ids = {one["name"]: one["id"] for one in players_of(house)}
    address = make(keeper, name="Ada forever")
    state = find_in(r'name="state" value="(\d+)"', keeper.get(f"{address}/edit").text)
    headers = house.bearer("scorekeeper")
    assert programs(house).delete(f"/api/v1/players/{ids['Ada']}", headers=headers).status_code == 200
    assert "Ada" not in text_of(keeper.get(address).text)
    late = SEASON | {"state": state, "name": "Ada for ever"}
    assert keeper.submit(f"{address}/edit", late, page=f"{address}/edit").status_code == 409
    assert programs(house).post(f"/api/v1/players/{ids['Ada']}/restore", headers=headers).status_code == 200
    assert "Ada forever" in keeper.get(address).text


def test_again_after_the_longest_season_is_a_form_and_no_error(house: House, keeper: Client) -> None:
    address = make(keeper, first_day="1970-01-01", last_day="9998-12-31")
    again = keeper.get(f"/seasons/new?again={address.rpartition('/')[2]}")
    assert again.status_code == 200
    assert keeper.get(address).status_code == 200
