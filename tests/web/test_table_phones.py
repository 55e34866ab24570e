"""The phones of an evening's tables: what they may do, where they are led, and that they end with the evening."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from referee.records.club import access, links
from referee.records.club.access import LATE
from referee.records.evening import evenings
from referee.records.evening.drawing import draft_draw, undo_draw, write_draw
from referee.records.evening.evenings import EveningPlan, Unfinished, end_evening
from referee.records.evening.floor import Floor, load_floor
from referee.records.ids import token_in_words
from referee.records.models import Club, Evening, Key, Ruling, now
from referee.web.server.database import db
from referee.web.server.guards import SESSION_KEYS
from tests.ground.client import Client, browser_of, find_in
from tests.ground.house import BODIES, House
from tests.web.test_routes import REFUSED, TABLE

NINE = [*"ABCDEFGHI"]
SECURITY = Path(__file__).parents[2] / "docs/pages/host/security.md"


class Night:
    """An evening of nine at three tables, with its keeper, and phones that scan a table's code."""

    def __init__(self, app: Flask, **plan: Any) -> None:
        self.app = app
        with self.writing() as session:
            new = access.create_club(session, "Youth center")
            self.club_id, self.key_id, self.keeper_token = new.club.id, new.scorekeeper.id, new.scorekeeper_token
            self.spectator_token = new.spectator_token
            given: dict[str, Any] = {"rulebook": "classic-500", "rounds_to_play": 1, "size": 3}
            agreed = EveningPlan(**given | plan)
            self.id = evenings.open_evening(session, new.club, agreed, new.scorekeeper, names=NINE).id
        self.keeper = browser_of(app, self.keeper_token)
        assert self.keeper.submit(f"/evenings/{self.id}/sheets", {}).status_code == 303

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Write to the records, past all pages."""
        with self.app.app_context():
            yield db.session()
            db.session.commit()

    def rows(self, session: Session) -> tuple[Club, Evening, Key]:
        club = session.get_one(Club, self.club_id)
        return club, session.get_one(Evening, (club.id, self.id)), session.get_one(Key, (club.id, self.key_id))

    def draw(self, what: Unfinished | None = None) -> list[str]:
        """Draw the next tables; return their matches."""
        with self.writing() as session:
            club, evening, by = self.rows(session)
            playing = {table.table: what for table in load_floor(session, evening).waits_for if what}
            seen = evenings.count_draws(session, evening)
            write_draw(session, club, draft_draw(session, club, evening, seen=seen, number=7, unfinished=playing), by)
        return [table.match.id for table in self.floor().tables]

    def floor(self) -> Floor:
        with self.app.app_context():
            return load_floor(db.session(), self.rows(db.session())[1])

    def link(self, table: int) -> str:
        with self.app.app_context():
            tokens = links.find_tables(db.session(), self.rows(db.session())[1], self.app.config["SECRET_KEY"])
        return f"/table/{tokens[table]}"

    def phone(self, table: int, *keys: str) -> Client:
        """Let a phone, which may hold keys already, scan the code of a table."""
        phone, link = browser_of(self.app, *keys), self.link(table)
        assert phone.submit(link, {}, page=link).location == "/table"
        return phone

    def end(self, what: Unfinished = Unfinished.LEFT_OUT) -> None:
        with self.writing() as session:
            _, evening, by = self.rows(session)
            playing = dict.fromkeys((one.table for one in load_floor(session, evening).waits_for), what)
            end_evening(session, evening, by, playing)


@pytest.fixture
def night(app: Flask) -> Night:
    return Night(app)


def record(phone: Client, match: str, after: int = 0) -> TestResponse:
    """Record a round by the page's form: the first who sits there wins."""
    page = phone.get(f"/matches/{match}/rounds/new").text
    ids = re.findall(r'name="went_out" value="(\w+)"', page)
    entry = {"went_out": ids[0], "after": str(after)} | {f"hand-{id}": "7" for id in ids[1:]}
    return phone.submit(f"/matches/{match}/rounds/new", entry, page=f"/matches/{match}/menu")


def rounds_of(phone: Client, match: str) -> list[str]:
    return re.findall(rf"/matches/{match}/rounds/(\w{{16}})\"", phone.get(f"/matches/{match}").text)


def revised(phone: Client, match: str, address: str, **more: str) -> TestResponse:
    """Post a form of a match that has seen it as it is."""
    form = phone.get(f"/matches/{match}/rounds/{address.split('/')[1]}").text
    revision = find_in(r'name="revision" value="(\d+)"', form)
    return phone.submit(f"/matches/{match}/{address}", {"revision": revision} | more, page=f"/matches/{match}/menu")


# -- an evening --------------------------------------------------------------------------------------------------------


def test_a_phone_scans_the_code_of_its_table_and_is_led_from_match_to_match(night: Night) -> None:
    link = night.link(2)
    phone = browser_of(night.app)
    assert "Keep score at table 2" in phone.get(link).text
    phone = night.phone(2)
    assert "Waiting for the next draw" in phone.get("/table").text
    first = night.draw()[1]
    assert phone.get("/table").location == f"/matches/{first}"
    assert phone.get("/").location == "/table"
    assert phone.get(link).location == "/table"
    assert re.search(r"Table 2 · Evening of", phone.get(f"/matches/{first}").text)
    assert record(phone, first).status_code == 303
    over = phone.get(f"/matches/{first}").text
    assert "Next match at this table" in over
    for hidden in ("/rematch", "/reopen", "/share", "/invite"):
        assert f"/matches/{first}{hidden}" not in over, hidden
    assert "Last match" in phone.get("/table").text
    second = night.draw(Unfinished.LEFT_OUT)[1]
    assert "Your table plays on" in phone.get(f"/matches/{first}").text
    assert phone.get("/table").location == f"/matches/{second}"
    assert "Record round 1" in phone.get(f"/matches/{second}").text


def test_a_sheet_that_stays_open_hears_of_the_next_draw(night: Night) -> None:
    phone = night.phone(1)
    match = night.draw()[0]
    record(phone, match)
    state = find_in(r'data-state="([^"]+)"', phone.get(f"/matches/{match}").text)
    seen = {"If-None-Match": f'"{state}"', "X-Fragment": "1"}
    assert phone.get(f"/matches/{match}/now", headers=seen).status_code == 304
    night.draw(Unfinished.LEFT_OUT)
    answer = phone.get(f"/matches/{match}/now", headers=seen)
    assert "Your table plays on" in answer.get_json()["fragments"]["sheet"]
    again = {"If-None-Match": answer.headers["ETag"], "X-Fragment": "1"}
    assert phone.get(f"/matches/{match}/now", headers=again).status_code == 304


@pytest.mark.promise("security#other-table")
def test_it_undoes_and_corrects_its_own_last_round_and_no_other(app: Flask) -> None:
    night = Night(app, rounds_to_play=None)
    phone = night.phone(1)
    match = night.draw()[0]
    record(phone, match)
    first = rounds_of(phone, match)[0]
    assert revised(phone, match, f"rounds/{first}/strike").status_code == 303
    assert revised(phone, match, f"rounds/{first}/restore").status_code == 303
    record(phone, match, 1)
    second = rounds_of(phone, match)[0]
    page = phone.get(f"/matches/{match}/rounds/{first}")
    assert page.status_code == 403
    assert "only the last round" in page.text
    assert phone.get(f"/matches/{match}/rounds/{second}").status_code == 200
    assert revised(night.keeper, match, f"rounds/{second}/strike").status_code == 303
    token = {"revision": "0"}
    for what in ("strike", "restore", "versions/1"):
        answer = phone.submit(f"/matches/{match}/rounds/{second}/{what}", token, page=f"/matches/{match}/menu")
        assert answer.status_code == 403, what
    record(night.keeper, match, 1)
    third = rounds_of(night.keeper, match)[0]
    assert phone.get(f"/matches/{match}/rounds/{third}").status_code == 403


def test_late_rounds_of_a_table_that_was_offline_count_in_their_match(night: Night) -> None:
    phone = night.phone(1)
    first = night.draw()[0]
    second = night.draw(Unfinished.AWAITED)[0]
    assert "Your table plays on" in phone.get(f"/matches/{first}").text
    assert phone.get("/table").location == f"/matches/{second}"
    assert record(phone, first).status_code == 303
    assert [table.match.id for table in night.floor().awaited if table.table == 1] == []
    last = rounds_of(phone, first)[0]
    assert phone.get(f"/matches/{first}/rounds/{last}").status_code == 403, "its seats are taken by now"


@pytest.mark.promise("security#other-table")
def test_it_opens_no_match_of_another_table(night: Night) -> None:
    phone = night.phone(1)
    other = night.draw()[1]
    assert phone.get(f"/matches/{other}").status_code == 404
    assert record(night.keeper, other).status_code == 303
    assert phone.submit(f"/matches/{other}/rounds/new", {}, page="/rules").status_code == 404


def test_an_undone_draw_leads_back(night: Night) -> None:
    phone = night.phone(3)
    first = night.draw()[2]
    record(phone, first)
    second = night.draw(Unfinished.LEFT_OUT)[2]
    with night.writing() as session:
        undo_draw(session, night.rows(session)[1], 2)
    assert "Next match at this table" in phone.get(f"/matches/{first}").text
    assert phone.get(f"/matches/{second}").status_code == 404
    assert "Waiting" in phone.get("/table").text


def test_when_the_evening_ends_the_phone_is_again_whose_it_was(night: Night) -> None:
    guest, link = night.phone(1), night.link(1)
    watching = night.phone(1, night.spectator_token)
    match = night.draw()[0]
    assert watching.get("/club").status_code == 403
    night.end()
    said = guest.get(f"/matches/{match}")
    assert (said.status_code, "The evening is over" in said.text) == (410, True)
    assert guest.get(f"/matches/{match}").status_code == 401
    assert guest.get("/table").status_code == 410
    assert guest.get("/").status_code == 200
    assert guest.get(link).status_code == 410
    assert "over, or this code was replaced" in guest.get(link).text
    assert watching.get("/club").status_code == 200
    with watching.session_transaction() as session:
        assert session[SESSION_KEYS] == [night.spectator_token]
    assert night.keeper.submit(f"/evenings/{night.id}/sheets", {}).status_code == 422


@pytest.mark.parametrize("own", [(), ("spectator_token",), ("keeper_token",)])
def test_a_match_that_is_awaited_at_the_evenings_end_is_played_to_its_end(night: Night, own: tuple[str, ...]) -> None:
    phone, other = night.phone(1), night.phone(2)
    if own:
        with phone.session_transaction() as session:
            session[SESSION_KEYS] = [*session[SESSION_KEYS], getattr(night, *own)]
    first, second, _ = night.draw()
    page = phone.get(f"/matches/{first}/rounds/new").text
    ids = re.findall(r'name="went_out" value="(\w+)"', page)
    entry = {"went_out": ids[0], "after": "0", "idempotency_key": "once"} | {f"hand-{id}": "7" for id in ids[1:]}
    night.end(Unfinished.AWAITED)
    for _ in range(2):
        assert "Record round 1" in phone.get(f"/matches/{first}").text
    address = f"/matches/{first}/rounds/new"
    assert other.submit(address, entry, page="/rules").status_code == 401, "it was at another table"
    for _ in range(2):
        assert phone.submit(address, entry, page="/rules").status_code == 303, "sent twice, it counts once"
    assert [table.lead.rounds for table in night.floor().tables] == [1, 0, 0]
    assert "Record round" not in phone.get(f"/matches/{first}").text
    assert phone.get("/club").status_code == (200 if own else 401)
    late = phone.submit(address, entry | {"after": "1", "idempotency_key": "late"}, page="/rules")
    if own != ("keeper_token",):
        assert (late.status_code, "What waits stays on this phone" in late.text) == (403, True)
        assert phone.submit(f"/matches/{second}/rounds/new", entry, page="/rules").status_code in (401, 403)
    assert night.keeper.get(f"/matches/{second}").status_code == 200


def test_a_day_after_the_evening_its_tables_are_closed_for_good(night: Night) -> None:
    phone = night.phone(1)
    first = night.draw()[0]
    night.end(Unfinished.AWAITED)
    phone.get("/")
    assert "Record round 1" in phone.get(f"/matches/{first}").text
    with night.writing() as session:
        night.rows(session)[1].ended_at = now() - LATE
    assert phone.get(f"/matches/{first}").status_code == 401


def test_a_phone_whose_code_was_typed_is_late_too(night: Night) -> None:
    phone, link = browser_of(night.app), night.link(1).removeprefix("/table/")
    typed = f"/table/{token_in_words(link).replace(' ', '-')}"
    assert phone.submit(typed, {}, page=typed).location == "/table"
    first = night.draw()[0]
    night.end(Unfinished.AWAITED)
    assert "Record round 1" in phone.get(f"/matches/{first}").text


def test_a_phone_that_changed_tables_is_late_at_its_last(night: Night) -> None:
    phone, link = night.phone(1), night.link(2)
    assert phone.submit(link, {}, page=link).location == "/table"
    second = night.draw()[1]
    night.end(Unfinished.AWAITED)
    assert "Record round 1" in phone.get(f"/matches/{second}").text


def test_an_evening_that_is_deleted_after_its_end_closes_its_tables_at_once(night: Night) -> None:
    phone = night.phone(1)
    first = night.draw()[0]
    night.end(Unfinished.AWAITED)
    assert "Record round 1" in phone.get(f"/matches/{first}").text
    assert night.keeper.submit(f"/evenings/{night.id}/delete", {}).status_code == 303
    assert phone.get(f"/matches/{first}").status_code == 401


@pytest.mark.parametrize("over", [False, True])
def test_a_table_that_the_next_draw_does_not_need_plays_on_where_it_is_awaited(night: Night, over: bool) -> None:
    phone = night.phone(3)
    third = night.draw()[2]
    with night.writing() as session:
        _, evening, _ = night.rows(session)
        for person in evenings.load_people(session, evening)[:3]:
            evenings.depart(session, evening, person.id)
    assert len(night.draw(Unfinished.AWAITED)) == 2
    if over:
        night.end(Unfinished.LEFT_OUT)
    else:
        assert phone.get("/table").location == f"/matches/{third}"
    for _ in range(2):
        phone.get(f"/matches/{third}")
    assert record(phone, third).status_code == 303


def test_a_scorekeeper_who_scans_goes_on_as_scorekeeper(night: Night) -> None:
    assert night.keeper.get(night.link(1)).location == f"/evenings/{night.id}"
    match = night.draw()[0]
    assert night.keeper.get(night.link(1)).location == f"/matches/{match}"
    assert night.keeper.submit(night.link(1), {}).location == f"/matches/{match}"
    assert "/rematch" not in night.keeper.get(f"/matches/{match}").text
    assert night.keeper.get("/club").status_code == 200
    assert f'href="/evenings/{night.id}"' in night.keeper.get(f"/matches/{match}").text, "back to the floor"
    assert f'href="/evenings/{night.id}"' not in night.phone(1).get(f"/matches/{match}").text


def test_new_codes_lock_out_those_who_have_the_old_ones(night: Night) -> None:
    phone, old = night.phone(1), night.link(1)
    match = night.draw()[0]
    assert night.keeper.submit(f"/evenings/{night.id}/sheets", {"anew": "1"}).status_code == 303
    assert night.link(1) != old
    assert phone.get(f"/matches/{match}").status_code == 410
    assert phone.get(old).status_code == 410
    assert night.phone(1).get("/table").location == f"/matches/{match}"


def test_what_counts_for_the_whole_club_is_not_for_a_table_to_say(night: Night) -> None:
    phone = night.phone(1)
    match = night.draw()[0]
    case = {"players": "3", "played": "red-skip", "table_decided": "Whoever laughs draws one."}
    address = f"/matches/{match}/disputes/played-card-effect"
    said = phone.submit(f"{address}/ruling", case | {"keep": "always"}, page=f"/matches/{match}")
    assert said.status_code == 403
    assert 'value="always"' not in phone.get(f"{address}?players=3&played=red-skip").text
    assert phone.submit(f"{address}/ruling", case, page=f"/matches/{match}").status_code == 303
    with night.app.app_context():
        kept = db.session().scalars(select(Ruling.kept).where(Ruling.club_id == night.club_id)).all()
    assert kept == [False]


def test_a_table_calls_a_referee_and_takes_it_back(night: Night) -> None:
    phone, watching = night.phone(2), browser_of(night.app, night.spectator_token)
    match = night.draw()[1]
    address, menu = f"/matches/{match}/referee", f"/matches/{match}/menu"
    assert "Call a referee" in phone.get(menu).text
    assert "Call a referee" not in watching.get(menu).text
    assert phone.submit(address, {}, page=menu).status_code == 303
    assert [bool(table.called_at) for table in night.floor().tables] == [False, True, False]
    assert "A referee has been called to this table." in night.keeper.get(menu).text
    assert night.keeper.submit(address, {"done": "1"}, page=menu).status_code == 303
    assert not any(table.called_at for table in night.floor().tables)
    assert watching.submit(address, {}, page=menu).status_code == 403
    night.draw(Unfinished.AWAITED)
    assert phone.submit(address, {}, page=menu).status_code == 404
    assert "Call a referee" not in phone.get(menu).text


def test_there_is_a_sheet_for_each_table(night: Night) -> None:
    address = f"/evenings/{night.id}/sheets"
    page = night.keeper.get(address).text
    assert re.findall(r"<h2>(Table \d)</h2>", page) == ["Table 1", "Table 2", "Table 3"]
    typed = find_in(r'dir="ltr"><code>localhost(/table/[\w-]+)<', page)
    assert "Keep score at table 1" in browser_of(night.app).get(typed).text
    with night.writing() as session:
        club, evening, _ = night.rows(session)
        evenings.arrive(session, club, evening, [*"JKL"])
    assert "Make 1 code" in night.keeper.get(address).text
    assert night.keeper.submit(address, {}).status_code == 303
    assert "Table 4" in night.keeper.get(address).text
    assert browser_of(night.app, night.spectator_token).get(address).status_code == 403
    assert "Table 1" not in night.keeper.get("/club").text, "codes are no phones"


# -- every address -----------------------------------------------------------------------------------------------------

MAY: Mapping[str, str] = {
    "POST /matches/<match_id>/rounds/new": "record the next round",
    "POST /matches/<match_id>/rounds/<round_id>": "correct its own last round",
    "POST /matches/<match_id>/rounds/<round_id>/strike": "undo its own last round",
    "POST /matches/<match_id>/rounds/<round_id>/restore": "take that back",
    "POST /matches/<match_id>/rounds/<round_id>/versions/<int:number>": "undo its own correction",
    "POST /matches/<match_id>/disputes/<dispute_id>": "answer a question with what is private",
    "POST /matches/<match_id>/disputes/<dispute_id>/ruling": "save a ruling",
    "POST /matches/<match_id>/referee": "call a referee",
    "POST /api/v1/matches/<match_id>/rounds": "record the next round",
    "PUT /api/v1/matches/<match_id>/rounds/<round_id>": "correct its own last round",
    "DELETE /api/v1/matches/<match_id>/rounds/<round_id>": "undo its own last round",
    "POST /api/v1/matches/<match_id>/rounds/<round_id>/restore": "take that back",
    "POST /api/v1/matches/<match_id>/rulings": "save a ruling",
}
"""What a table's phone may change: of its own match, and nothing else anywhere."""
ANYBODY = (
    "/theme",
    "/language",
    "/demo",
    "/recover",
    "/table/<evening_token>",
    "/hand/<table_token>",
    "/hand",
    "/evenings/<evening_id>/me",
)
"""What concerns the browser alone, or asks for another key."""


@pytest.fixture
def own(house: House) -> str:
    """The match that was drawn to the table of the house."""
    with house.app.app_context():
        session = db.session()
        club, by = (
            session.get_one(Club, house.club_id),
            session.get_one(Key, (house.club_id, house.parts["key_id"])),
        )
        evening = session.get_one(Evening, (club.id, house.parts["evening_id"]))
        write_draw(session, club, draft_draw(session, club, evening, seen=0, number=7, unfinished={}), by)
        session.commit()
        key = session.scalars(select(Key).where(Key.club_id == club.id, Key.table == 1)).one()
        return str(key.match_id)


@pytest.mark.promise("security#other-table")
def test_a_phone_of_a_table_changes_nothing_but_its_own_match(house: House, own: str) -> None:
    token, wrong, parts = house.tokens["table phone"], [], house.parts
    for route in TABLE:
        method, rule = route.split()
        if method == "GET" or rule in ANYBODY or TABLE[route].split()[0] == "in":
            continue
        for match in (own, parts["match_id"]):
            house.parts = parts | {"match_id": match}
            # the round of the house is of its other match, and is found in none of the phone's
            may = route in MAY and match == own and "<round_id>" not in rule
            status = ask(house, token, method, rule).status_code
            if (status not in REFUSED) != may or status >= 500:
                wrong.append(f"{route}: {status}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.promise("security#evening-roles")
def test_each_role_may_do_what_the_page_for_hosts_says(app: Flask) -> None:
    night = Night(app, rounds_to_play=3)
    with night.writing() as session:
        club, evening, by = night.rows(session)
        screen = links.open_screen(session, club, evening, app.config["SECRET_KEY"], by)
    who = {"scorekeeper": night.keeper, "table's phone": night.phone(1)}
    who |= {"spectator": browser_of(app, night.spectator_token), "television": browser_of(app, screen)}
    own, other, _ = night.draw()
    record(night.keeper, own)
    record(who["table's phone"], own, 1)
    first, last = sorted(rounds_of(night.keeper, own))
    silent = {"table_decided": "Bo draws", "keep": "always"}
    acts: Mapping[str, tuple[str, dict[str, str] | None]] = {
        "watch": (f"/matches/{own}", None),
        "correct another round": (f"/matches/{own}/rounds/{first}", None),
        "correct the last round": (f"/matches/{own}/rounds/{last}", None),
        "record a round": (f"/matches/{own}/rounds/new", {}),
        "save a ruling": (f"/matches/{own}/disputes/deal/ruling", {}),
        "decide for good what the rules leave open": (f"/matches/{own}/disputes/deal/ruling", silent),
        "call a referee": (f"/matches/{own}/referee", {}),
        "draw, let people in, end the evening": (f"/evenings/{night.id}/people", {"names": "Zed"}),
        "delete and restore": (f"/matches/{own}/restore", {}),
    }
    table = SECURITY.read_text("utf-8").partition("evening-roles")[2].split("\n\n")[1]
    (_, *names), _, *said = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert {act for act, *_ in said} == acts.keys()

    def may(phone: Client, path: str, form: dict[str, str] | None) -> bool:
        answer = phone.get(path) if form is None else phone.submit(path, form, page="/rules")
        return answer.status_code not in REFUSED

    for act, *cells in said:
        path, form = acts[act]
        for name, cell in zip(names, cells, strict=True):
            seen = f"/screen/{screen}" if (name, act) == ("television", "watch") else path
            assert may(who[name], seen, form) == (cell != "no"), f"{act}: {name}"
        assert not may(who["table's phone"], path.replace(own, other), form), f"{act} at another table"


@pytest.mark.promise("security#other-table")
def test_a_phone_of_a_table_reads_its_own_match_and_nothing_of_the_club(house: House, own: str) -> None:
    phone, wrong = browser_of(house.app, house.tokens["table phone"]), []
    assert phone.get(f"/matches/{own}").status_code == 200
    for route in TABLE:
        method, rule = route.split()
        if method != "GET" or "token" in rule:
            continue
        answer = phone.get(house.path(rule))
        if "Sunday table" in answer.text or 'data-club="0' in answer.text:
            wrong.append(f"{route} shows the club")
        if "<match_id>" in rule and answer.status_code not in REFUSED:
            wrong.append(f"{route} opens another match: {answer.status_code}")
    assert not wrong, "\n".join(wrong)


def ask(house: House, token: str, method: str, rule: str) -> TestResponse:
    if rule.startswith("/api/"):
        body = BODIES.get(rule, {}) if method in ("POST", "PUT", "PATCH") else None
        headers = {"Authorization": f"Bearer {token}"}
        return house.app.test_client().open(house.path(rule), method=method, headers=headers, json=body)
    phone = browser_of(house.app, token)
    return phone.open(house.path(rule), method=method, data={"csrf_token": phone.token("/rules")})
