"""The phone of a table on an evening: from its printed code to the match of the next draw."""

import re

from flask import Flask
from playwright.sync_api import Page, expect

from referee.records.evening.evenings import Unfinished
from tests.conftest import NewPhone
from tests.ground.server import Server
from tests.web.test_table_phones import Night


def test_a_phone_scans_keeps_score_and_is_led_on(app: Flask, server: Server, new_phone: NewPhone) -> None:
    night = Night(app)
    page = new_phone(has_touch=True).new_page()
    page.goto(night.link(2))
    page.tap("text=Keep score at table 2")
    expect(page.locator("main")).to_contain_text("Waiting for the next draw")
    first = night.draw()[1]
    page.wait_for_url(f"**/matches/{first}")
    _record(page)
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator(".foot")).to_have_text("Next match at this table")
    second = night.draw(Unfinished.LEFT_OUT)[1]
    expect(page.locator(".foot")).to_have_text("Your table plays on")
    page.tap(".foot a")
    page.wait_for_url(f"**/matches/{second}")
    page.tap("text=Menu")
    page.tap("text=Call a referee")
    expect(page.locator(".toast")).to_have_text("A referee has been called.")


def test_a_table_that_was_offline_is_counted_when_it_is_back(app: Flask, server: Server, new_phone: NewPhone) -> None:
    night = Night(app)
    match = night.draw()[2]
    phone = new_phone(has_touch=True)
    page = phone.new_page()
    page.goto(night.link(3))
    page.tap("text=Keep score at table 3")
    page.wait_for_url(f"**/matches/{match}")
    phone.set_offline(True)
    _record(page)
    expect(page.locator("#outbox")).to_be_visible()
    following = night.draw(Unfinished.AWAITED)[2]
    assert 3 in [table.table for table in night.floor().awaited]
    phone.set_offline(False)
    expect(page.locator("#outbox")).to_be_hidden()
    assert 3 not in [table.table for table in night.floor().awaited]
    page.tap("text=Your table plays on")
    page.wait_for_url(f"**/matches/{following}")


def test_a_table_that_comes_back_after_the_evenings_end_is_counted(
    app: Flask, server: Server, new_phone: NewPhone
) -> None:
    night = Night(app)
    match = night.draw()[2]
    phone = new_phone(has_touch=True)
    page = phone.new_page()
    page.goto(night.link(3))
    page.tap("text=Keep score at table 3")
    page.wait_for_url(f"**/matches/{match}")
    phone.set_offline(True)
    _record(page)
    expect(page.locator("#outbox")).to_be_visible()
    night.end(Unfinished.AWAITED)
    phone.set_offline(False)
    expect(page.locator("#outbox")).to_be_hidden()
    assert [table.lead.rounds for table in night.floor().tables] == [0, 0, 1]
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator(".foot")).to_have_text("")


def _record(page: Page) -> None:
    """Record a round of three: the first one wins, each of the others holds a seven."""
    page.tap(".standing >> nth=0")
    for _ in range(2):
        page.tap("[data-face='7']:visible")
        page.wait_for_selector("[data-next]:not([data-resting])")
        page.tap("[data-next]")


def test_each_table_has_a_page_of_paper(app: Flask, server: Server, new_phone: NewPhone) -> None:
    night = Night(app)
    address = server.url.replace("127.0.0.1", "referee.localhost")  # a code of this computer alone is not drawn
    phone = new_phone(base_url=address)
    session = night.keeper.get_cookie("session")
    assert session
    phone.add_cookies([{"name": "session", "value": session.value, "url": address}])
    page = phone.new_page()
    page.goto(f"/evenings/{night.id}/sheets")
    page.emulate_media(media="print")
    expect(page.locator(".table-sheet .qr svg")).to_have_count(3)
    paper = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 3
