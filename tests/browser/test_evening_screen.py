"""An evening seen from the hall: the television and a player's phone follow what is drawn and played, by themselves."""

from collections.abc import Callable
from typing import Any

from flask import Flask
from playwright.sync_api import Page, expect
from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.evening.drawing import Tie, draft_final, write_draw
from referee.records.evening.evenings import get_evening
from referee.records.evening.floor import load_floor
from referee.records.models import Club, Evening, Key, KeyRole
from referee.web.server.database import db
from tests.conftest import NewPhone
from tests.ground.rounds import record
from tests.ground.server import Server
from tools.pictures.sample import furnish

TELEVISION: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}, "is_mobile": False, "has_touch": False}
TURN = 40
"""Seconds in which the tables and the standings are shown once each."""


def change(app: Flask, evening_id: str, act: Callable[[Session, Club, Evening, Key], object]) -> None:
    """Change an evening by the records, as its scorekeeper would."""
    with app.app_context():
        session = db.session()
        club_id = session.scalars(select(Evening.club_id).where(Evening.id == evening_id)).one()
        writers = select(Key).where(Key.club_id == club_id, Key.role == KeyRole.SCOREKEEPER)
        by = session.scalars(writers).one()
        act(session, session.get_one(Club, club_id), get_evening(session, club_id, evening_id), by)
        session.commit()


def play_to_the_end(session: Session, _club: Club, evening: Evening, by: Key) -> None:
    """Let each table play the rounds it has left; the first by name wins them."""
    for table in load_floor(session, evening).waits_for:
        first, *others = sorted(table.seats.values())
        for after in range(table.lead.rounds, 2):
            record(session, table.match, {"went_out": first, "hands": {name: ["1"] for name in others}}, after, by)


def draw_final(session: Session, club: Club, evening: Evening, by: Key) -> None:
    """Draw the final of the best four."""
    drafted = draft_final(session, club, evening, best=4, carried=False, seen=2, tie=Tie.TAKE_ALL)
    write_draw(session, club, drafted, by)


def assert_all_is_seen(page: Page) -> None:
    """Fail where the television would have to be scrolled, or cuts a name."""
    assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
    cut = "names => names.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    assert page.locator(".name:visible").evaluate_all(cut) == []


def test_television_and_phone_follow_an_evening_to_its_champion(server: Server, new_phone: NewPhone) -> None:
    parts = furnish(server.app).parts
    evening_id, at = parts["evening_id"], f"/screen/{parts['screen_token']}"
    television, phone = new_phone(**TELEVISION).new_page(), new_phone().new_page()
    television.clock.install()
    television.goto(at)
    expect(television.locator(".screen-table")).to_have_count(4)
    expect(television.locator(".screen-table .name")).to_have_count(16)
    assert_all_is_seen(television)
    phone.goto(f"{at}/me")
    phone.click("text=Anneke")
    expect(phone.locator("h1")).to_contain_text("Table")
    expect(phone.locator("text=Open the match")).to_have_count(0)

    television.clock.fast_forward("03:30")  # everyone sits by now: the standings are shown in turn
    turns = set()
    for _ in range(TURN):
        television.clock.run_for(1000)
        turns.add((television.locator(".screen-tables").is_visible(), television.locator(".in-turn").is_visible()))
    assert turns == {(True, False), (False, True)}

    change(server.app, evening_id, play_to_the_end)
    television.clock.resume()
    expect(television.locator(".screen-table")).to_have_count(0)
    expect(television.locator(".screen-lines > li")).to_have_count(16)
    assert_all_is_seen(television)
    expect(phone.locator(".my-stands")).to_contain_text("won")
    change(server.app, evening_id, draw_final)
    expect(television.locator("h1")).to_contain_text("Final")
    expect(phone.locator("#mine")).to_contain_text("Final")
    change(server.app, evening_id, play_to_the_end)
    expect(television.locator(".champion h2")).to_contain_text("Champion")
    expect(television.locator(".curtain")).to_have_count(1)
    expect(television.locator(".curtain")).to_have_count(0, timeout=15_000)
    assert_all_is_seen(television)
