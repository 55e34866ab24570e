"""Clocks go wrong, jump, and differ between places: rounds keep their order; dates are UTC to who names no zone.

The clock is the feigned part: the two modules that ask it, `referee.records.models` and `referee.records.ids`, are
given one that the test sets. Everything else is real.
"""

import csv
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo

import pytest
from flask import Flask
from sqlalchemy import select

from referee.records import ids, models
from referee.records.models import Match, Round, RoundVersion
from referee.web.server.database import db
from tests.ground.client import Client
from tests.web.api.conftest import ClubOfCast
from tests.web.test_hands import Evening
from tests.web.test_score import Sheet

pytestmark = pytest.mark.usefixtures("database")

HANDS = ("7", "3 9", "draw-two", "wild", "skip")
POINTS = (7, 12, 20, 50, 20)
ZONES = ("UTC", "Asia/Tokyo", "America/New_York", "Pacific/Kiritimati")

SetClock = Callable[[datetime], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Set the clock that the records ask; it stands still until it is set again."""
    at = [datetime.now(UTC)]

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return at[0].astimezone(tz)

    monkeypatch.setattr(models, "datetime", Clock)
    monkeypatch.setattr(ids, "datetime", Clock)

    def set_to(moment: datetime) -> None:
        at[0] = moment.astimezone(UTC)

    return set_to


@pytest.fixture
def set_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Put the server into a time zone, as the variable TZ does."""

    def put(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    with monkeypatch.context():
        yield put
    monkeypatch.undo()
    time.tzset()


def play(client: Client, set_clock: SetClock, moments: list[datetime]) -> Sheet:
    """Begin a match at the first moment and record one round at each."""
    set_clock(moments[0])
    sheet = Sheet(client)
    for moment, hand in zip(moments, HANDS, strict=False):
        set_clock(moment)
        assert sheet.record(sheet.fields(Bo=hand)).status_code == 303
    return sheet


@pytest.mark.parametrize(
    "steps",
    [(0, -60, -120), (0, -86_400, 60), (0, 0, 0), (0, 86_400 * 366, 1), (0, -0.001, -0.002)],
    ids=["back", "back a day and on", "standing still", "a year ahead and back", "by milliseconds"],
)
@pytest.mark.promise("reliability#clock")
def test_rounds_keep_their_order_while_the_clock_jumps(
    app: Flask, client: Client, set_clock: SetClock, steps: tuple[float, ...]
) -> None:
    begin = datetime(2026, 5, 3, 20, 0, tzinfo=UTC)
    sheet = play(client, set_clock, [begin + timedelta(seconds=step) for step in steps])
    assert sheet.totals() == [sum(POINTS[:3]), 0, 0, 0]
    match_id = sheet.address.rpartition("/")[2]
    rows = list(csv.DictReader(client.get(f"{sheet.address}/rounds.csv").text.lstrip("\ufeff").splitlines()))
    assert [(row["round"], row["Ada: points"]) for row in rows] == [
        (str(number), str(points)) for number, points in enumerate(POINTS[:3], 1)
    ]
    with app.app_context():
        session = db.session()
        found = session.execute(
            select(Round.place, RoundVersion.entered_at)
            .join(RoundVersion, (RoundVersion.club_id == Round.club_id) & (RoundVersion.round_id == Round.id))
            .where(Round.match_id == match_id)
            .order_by(Round.place)
        ).all()
        assert [place for place, _ in found] == [1, 2, 3]
        assert [moment for _, moment in found] == [begin + timedelta(seconds=step) for step in steps]
    page = client.get(f"/history/matches/{match_id}", status=200)
    told = re.search(r"<dt>Time</dt>", page.text) is not None
    assert told == (steps[-1] >= 0), "an evening that ended before it began took nobody knows how long"


@pytest.mark.parametrize(
    ("moment", "said", "year"),
    [
        (datetime(2028, 2, 29, 12, tzinfo=UTC), "February 29, 2028", 2028),
        (datetime(2028, 2, 29, 23, 59, 59, tzinfo=UTC), "February 29, 2028", 2028),
        (datetime(2027, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC), "December 31, 2027", 2027),
        (datetime(2028, 1, 1, 0, 0, tzinfo=UTC), "January 1, 2028", 2028),
        (datetime(2028, 1, 1, 0, 30, tzinfo=UTC).astimezone(), "January 1, 2028", 2028),
        (datetime(2026, 3, 29, 1, 30, tzinfo=UTC), "March 29, 2026", 2026),
        (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "October 25, 2026", 2026),
    ],
    ids=str,
)
@pytest.mark.parametrize("zone", ZONES)
def test_days_and_years_are_those_of_utc_wherever_the_server_stands(
    client: Client,
    set_clock: SetClock,
    set_zone: Callable[[str], None],
    zone: str,
    moment: datetime,
    said: str,
    year: int,
) -> None:
    set_zone(zone)
    sheet = play(client, set_clock, [moment])
    match_id = sheet.address.rpartition("/")[2]
    assert said in client.get(f"/history/matches/{match_id}").text
    assert f"/history/matches/{match_id}" in client.get(f"/history/?year={year}").text
    for other in (year - 1, year + 1):
        assert f"/history/matches/{match_id}" not in client.get(f"/history/?year={other}").text
    choices = re.findall(r'<option value="(\d{4})"', client.get("/history/").text)
    assert choices in ([], [str(year)]), "only the year that was played in is offered"
    assert f"{moment.astimezone(UTC):%Y-%m-%d}" in client.get("/club/records/rounds.csv").text


@pytest.mark.parametrize("change", ["2026-03-29T01:00", "2026-10-25T01:00"], ids=["an hour less", "an hour twice"])
def test_daylight_saving_neither_lengthens_nor_turns_an_evening(
    app: Flask, client: Client, set_clock: SetClock, set_zone: Callable[[str], None], change: str
) -> None:
    set_zone("Europe/Berlin")
    at = datetime.fromisoformat(change).replace(tzinfo=UTC)
    sheet = play(client, set_clock, [at - timedelta(minutes=20), at - timedelta(minutes=1), at + timedelta(minutes=1)])
    with app.app_context():
        moments = db.session().scalars(select(RoundVersion.entered_at).order_by(RoundVersion.entered_at)).all()
        begun = db.session().scalars(select(Match.started_at)).one()
    assert [moment - begun for moment in moments] == [timedelta(minutes=minutes) for minutes in (0, 19, 21)]
    assert sheet.totals() == [sum(POINTS[:3]), 0, 0, 0]


RULINGS = ("One card was enough.", "Nobody had seen it.", "They drew again.", "It was the last time.")


@pytest.mark.promise("reliability#clock")
def test_what_happened_keeps_its_order_while_the_clock_jumps(
    club: ClubOfCast, client: Client, set_clock: SetClock
) -> None:
    begin = datetime(2026, 5, 3, 20, 0, tzinfo=UTC)
    set_clock(begin)
    match = club.match()
    happened = []
    for decided, days in zip(RULINGS, (0, -1, 400, -400), strict=True):
        set_clock(begin + timedelta(days=days))
        case = {
            "dispute": "uno-call",
            "facts": {"cards_left": 2, "said": "never"},
            "accepted": False,
            "table_decided": decided,
        }
        assert club.write("POST", f"/matches/{match}/rulings", case).status_code == 201
        for change, event in (("finish", "finished"), ("reopen", "reopened")):
            assert club.write("POST", f"/matches/{match}/{change}").status_code == 200
            happened.append(event)
    assert [ruling["table_decided"] for ruling in club.document(match)["rulings"]] == list(RULINGS)
    exported = club.read("GET", "/export").get_json()
    (told,) = exported["matches"]
    assert [event["kind"] for event in told["events"]] == happened
    assert [event["at"][:4] for event in told["events"]] == ["2026"] * 4 + ["2027"] * 2 + ["2025"] * 2, "as clocks said"


def test_a_clock_set_back_stops_no_time_limit_from_being_set_anew(client: Client, set_clock: SetClock) -> None:
    sheet = Sheet(client, rulebook="official", house_rules=["time-limit"])
    begin = datetime(2026, 5, 3, 20, 0, tzinfo=UTC)
    for minutes, moved in ((15, 0), (0, -60), (20, -120)):
        set_clock(begin + timedelta(minutes=moved))
        assert client.submit(f"{sheet.address}/clock", {"minutes": str(minutes)}).status_code == 303
    page = client.get(sheet.address).text
    assert f'data-ends="{(begin - timedelta(minutes=100)).timestamp() * 1000:.0f}"' in page


def test_a_hand_entered_after_the_clock_was_set_back_arrives(app: Flask, set_clock: SetClock) -> None:
    begin = datetime(2026, 5, 3, 20, 0, tzinfo=UTC)
    set_clock(begin)
    evening = Evening(app)
    bo, cy = evening.phone("Bo"), evening.phone("Cy")
    evening.ask("Ada")
    assert [evening.send(phone, name, "7").status_code for phone, name in ((bo, "Bo"), (cy, "Cy"))] == [303, 303]
    seen = evening.keeper.get(f"{evening.address}/hands/now")
    set_clock(begin - timedelta(hours=1))
    assert evening.send(bo, "Bo", "9 9").status_code == 303
    again = evening.keeper.get(f"{evening.address}/hands/now", headers={"If-None-Match": seen.headers["ETag"]})
    assert again.status_code == 200
    assert again.text != seen.text
