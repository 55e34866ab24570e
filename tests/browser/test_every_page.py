"""Every page there is, as the routes list them: accessible, fitting, and light over the wire."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from flask import Flask
from playwright.sync_api import Page, Request, expect
from sqlalchemy import select

from referee.records.models import Key, KeyRole, Match
from referee.records.rulings import Case
from referee.web.server.extensions import db
from tests.browser.table import Table, assert_nothing_sticks_out
from tests.conftest import NewPhone
from tests.ground.browser import OF_COLORS, check_accessibility
from tests.ground.each import check_each
from tests.ground.rounds import give_ruling
from tests.ground.server import Server

Axe = Callable[[Page], None]

NO_PAGES = re.compile(r"^/(api|static|healthz|readyz|metrics)\b|\.(png|js|json|csv|toml|webmanifest)$|/now$")
"""Addresses that answer with something else than a page."""

SMALL = """
    () => [...document.querySelectorAll('button, summary, .button, .tabs a, select, input, label.choice')]
      .filter(node => {
        if (!node.checkVisibility({ visibilityProperty: true })) return false;
        const { width, height } = node.getBoundingClientRect();
        // a checkbox is tapped by its label, which is as high as any button
        if (['hidden', 'checkbox', 'radio'].includes(node.type) || width <= 1) return false;
        return (node.matches('label') ? height : Math.min(width, height)) < 44;
    }).map(node => node.outerHTML.slice(0, 120))
"""
"""What finds the controls of a page that are smaller than a finger."""

FIRST_VISIT = 45_000
SHIFTED = """() => new Promise((tell) => {
    let moved = 0;
    const add = (entries) => entries.forEach((entry) => { moved += entry.value; });
    new PerformanceObserver((list) => add(list.getEntries())).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => setTimeout(() => tell(moved)));
})"""
"""What moved by itself since the page was opened, as browsers measure it (cumulative layout shift)."""
NEXT_PAGE = 12_000
FIRST_REQUESTS = 8


def pages_of(app: Flask, values: dict[str, str]) -> list[str]:
    """List the addresses of all pages that can be opened; an unknown part of an address fails."""
    found = []
    with app.test_request_context():
        for rule in app.url_map.iter_rules():
            if "GET" not in (rule.methods or ()) or NO_PAGES.search(rule.rule):
                continue
            missing = rule.arguments - values.keys()
            assert not missing, f"say in this test what {missing} of {rule.rule} may be, so that its page is looked at"
            wanted = {name: values[name] for name in rule.arguments}
            found.append(str(app.url_map.bind("localhost").build(rule.endpoint, wanted)))
    return sorted(set(found))


def give_ruling_at(app: Flask, match_id: str) -> str:
    """Give a ruling at the only match there is, and return its id."""
    with app.app_context():
        session = db.session()
        match = session.scalars(select(Match).where(Match.id == match_id)).one()
        key = session.scalars(select(Key).where(Key.club_id == match.club_id, Key.role == KeyRole.SCOREKEEPER)).one()
        ruling = give_ruling(session, match, Case("draw-pile-empty", {}), key)
        session.commit()
        return ruling.id


@pytest.fixture
def addresses(server: Server, page: Page) -> list[str]:
    """Play a round, so that there is something on every page."""
    table = Table(page)
    match = urlsplit(table.begin()).path.rpartition("/")[2]
    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    round_id = (page.locator(".rounds a").first.get_attribute("href") or "").rpartition("/")[2]
    page.goto("/club")
    player_id = (page.locator("a[href^='/club/players/']").first.get_attribute("href") or "").rpartition("/")[2]
    page.tap("text=Add a spectator")
    link = page.locator("main a[href*='/join/']").get_attribute("href") or ""
    page.goto(f"/matches/{match}/share")
    page.tap("text=Open live board")
    board = page.locator("#board-link").get_attribute("href") or ""
    page.goto(f"/matches/{match}/hands")
    page.tap("text=Show QR code")
    code = page.locator(".link a").get_attribute("href") or ""
    page.goto(code)
    page.tap(".seat-button:has-text('Bo')")
    page.wait_for_selector("#hand")
    page.goto("/rules/own/new")
    page.tap("text=Save rulebook")
    page.wait_for_url("**/rules/own/0*")
    own_id = urlsplit(page.url).path.rpartition("/")[2]
    page.tap("text=Make a link")
    shared = page.locator("#own-link").get_attribute("href") or ""
    values = {
        "own_id": own_id,
        "club_id": "0" * 16,
        "share_token": shared.rpartition("/")[2],
        "match_id": match,
        "round_id": round_id,
        "player_id": player_id,
        "token": link.rpartition("/")[2],
        "table_token": code.rpartition("/")[2],
        "board_token": board.rpartition("/")[2],
        "rulebook_id": "classic-500",
        "topic_id": "draw-four",
        "clause_id": "challenge-guilty",
        "dispute_id": "draw-four-challenge",
        "ruling_id": give_ruling_at(server.app, match),
    }
    return pages_of(server.app, values)


def test_every_page_is_light_fits_two_screens_has_large_controls_and_axe_finds_nothing_in_light_or_dark(
    page: Page, addresses: list[str], axe: Axe
) -> None:
    assert "/" in addresses

    def check(address: str) -> None:
        page.set_viewport_size({"width": 390, "height": 844})
        page.emulate_media(color_scheme="light")
        answer = page.goto(address, wait_until="load")
        assert answer is not None
        assert answer.status == 200
        sizes = answer.request.sizes()
        assert sizes["responseBodySize"] + sizes["responseHeadersSize"] <= NEXT_PAGE
        assert page.evaluate(SMALL) == [], "controls smaller than 44 pixels"
        assert_nothing_sticks_out(page)
        axe(page)
        page.emulate_media(color_scheme="dark")
        assert_nothing_sticks_out(page)
        check_accessibility(page, OF_COLORS)
        page.set_viewport_size({"width": 320, "height": 844})
        assert_nothing_sticks_out(page)
        page.emulate_media(color_scheme="light")
        assert_nothing_sticks_out(page)

    check_each(addresses, check)


def test_the_first_visit_is_light(new_phone: NewPhone) -> None:
    page = new_phone().new_page()
    weights: list[tuple[str, int]] = []

    def weigh(request: Request) -> None:
        sizes = request.sizes()
        weights.append((request.url, sizes["responseBodySize"] + sizes["responseHeadersSize"]))

    page.on("requestfinished", weigh)
    page.goto("/", wait_until="networkidle")
    assert 2 <= len(weights) <= FIRST_REQUESTS, weights
    assert sum(weight for _, weight in weights) <= FIRST_VISIT, weights
    other = new_phone().new_page()
    other.goto("/rules", wait_until="networkidle")
    assert other.evaluate(SHIFTED) == 0, "the page moved while its font came"


def test_the_light_can_be_chosen(page: Page, axe: Axe) -> None:
    Table(page).begin()
    page.goto("/club")

    def choose(theme: str) -> None:
        page.tap(f"button:text-is('{theme}')")
        expect(page.locator("html")).to_have_attribute("data-theme", theme.lower())
        background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(0, 0, 0)") == (theme == "Black")
        axe(page)

    check_each(("Light", "Dark", "Black"), choose)
