"""An evening of two hours, offline for most of it, while a second phone writes: everything is sent once, and agrees."""

from __future__ import annotations

import re
from collections import Counter

from playwright.sync_api import Page, expect

from tests.browser.table import Table
from tests.browser.test_offline import GRID, second_phone, take_along, take_matches
from tests.conftest import NewPhone
from tests.ground.browser import complaints

ROUND = 8 * 60_000
"""Milliseconds that a round of cards takes."""
DEAL = re.compile(" (deals|starts)")
"""Who deals the rematch follows from all rounds before it, the second phone's too."""
KEY = re.compile(r'name="(?:idempotency_key|token)"\s+([\w-]+)')


def make_house_rulebook(page: Page) -> None:
    """Make the table's own rulebook: to 300, a Wild counts 40."""
    page.goto("/rules/own/new")
    page.fill("[name=title]", "House rules")
    page.tap("[aria-label='Target: 300']")
    page.tap("[aria-label='Wild: 40']")
    page.tap("text=Save rulebook")
    page.wait_for_selector(".differences")


def start_with(phone: Page, *names: str) -> None:
    """Start a match with known players by the rulebook of the match before."""
    phone.goto("/matches/new")
    for name in names:
        phone.tap(f"[data-known] button:has-text('{name}')")
    phone.tap("text=Review rules")
    expect(phone.locator(".rule-card")).to_contain_text("House rules")
    phone.tap("text=Start match")
    phone.wait_for_selector(".standings")


def test_an_evening_of_two_hours_offline_is_sent_once_and_agrees_with_the_server(new_phone: NewPhone) -> None:
    phone = new_phone(service_workers="allow").new_page()
    heard = complaints(phone)
    phone.clock.install()
    table = Table(phone)
    began = phone.evaluate("() => Date.now()")

    def play(winner: str, *hands: tuple[str, ...]) -> None:
        table.round(winner, *hands)
        phone.clock.fast_forward(ROUND)

    make_house_rulebook(phone)
    phone.tap("text=Start a match")
    for seat, name in enumerate(("Ada", "Bo", "Cy")):
        phone.fill(f"#players-{seat}", name)
    phone.tap("text=Review rules")
    phone.tap("text=Start match")
    phone.wait_for_selector(".standings")
    first = phone.url
    play("Ada", ("wild",), ("9",))
    play("Bo", ("5",), ("skip",))
    table.expect_totals({"Ada": 49, "Bo": 25, "Cy": 0})
    phone.reload()
    take_along(phone)
    other = second_phone(phone, new_phone, first)
    take_matches(phone)

    phone.context.set_offline(True)
    phone.locator(".rounds th a").last.tap()  # never opened before
    phone.tap("text=Strike this round")
    table.expect_totals({"Ada": 0, "Bo": 25, "Cy": 0})
    for _ in range(3):
        play("Cy", ("wild", "wild"), ("draw-two",))
    theirs = Table(other)
    theirs.round("Ada", ("7",), ())  # the second phone knows nothing of all this
    theirs.expect_totals({"Ada": 56, "Bo": 25, "Cy": 0})
    table.expect_totals({"Ada": 0, "Bo": 25, "Cy": 300})
    expect(phone.locator("#outbox")).to_contain_text("By these totals the match is over")
    phone.tap("#outbox >> text=Rematch")
    expect(phone.locator("#outbox")).to_contain_text("Rematch: Ada, Bo, Cy")
    for _ in range(4):
        play("Bo", ("skip",), ("wild",))
    again = table.lines()
    table.expect_totals({"Ada": 0, "Bo": 240, "Cy": 0})

    start_with(phone, "Cy", "Ada")
    for _ in range(3):
        play("Ada", ("wild", "8"))
    phone.tap("text=Show")
    phone.locator("#outbox-live > ol > li").last.get_by_text("Discard").tap()  # one was tapped twice
    table.expect_totals({"Ada": 96, "Cy": 0})
    phone.tap("text=Menu")
    phone.tap("text=End the match")
    expect(phone.locator("#outbox")).to_contain_text("End the match")
    hours = (phone.evaluate("() => Date.now()") - began) / 3_600_000
    assert hours > 1.5, hours

    keys: Counter[str] = Counter()
    phone.on("request", lambda request: keys.update(KEY.findall(request.post_data or "")))
    phone.goto(first)
    phone.context.set_offline(False)
    panel = phone.locator("#outbox")
    expect(panel).to_contain_text("Another phone saved a round")
    phone.tap("text=Another round: add it")
    expect(panel).to_be_hidden()
    expect(phone.locator(".result h2")).to_have_text("Cy wins!")
    expect(phone.locator(GRID)).to_have_count(5)
    table.expect_totals({"Ada": 7, "Bo": 25, "Cy": 300})

    phone.goto("/")
    expect(phone.locator("[data-waiting]")).to_be_hidden()
    other.goto("/")
    other.locator("main a", has_text=re.compile("^Ada, Bo and Cy$")).first.tap()
    expect(other.locator(GRID)).to_have_count(4)
    assert [DEAL.sub("", line) for line in theirs.lines()] == [DEAL.sub("", line) for line in again]
    other.goto("/")
    other.tap("main a:has-text('Cy and Ada')")
    expect(other.locator(".result h2")).to_have_text("Ada wins!")
    expect(other.locator(GRID)).to_have_count(2)
    theirs.expect_totals({"Ada": 96, "Cy": 0})
    assert len(keys) == 13, keys  # a strike, nine rounds, two beginnings, one end
    assert not heard, heard
