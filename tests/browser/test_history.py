"""The History room on a phone: without a line of JavaScript, and its pictures."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.table import Table, assert_nothing_sticks_out
from tests.conftest import NewPhone

UNFOLD = "() => { for (const fold of document.querySelectorAll('main details')) fold.open = true; }"


def test_a_past_match_and_its_players_are_found_without_javascript(new_phone: NewPhone) -> None:
    phone = new_phone()
    page = phone.new_page()
    table = Table(page)
    table.begin()
    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    plain = new_phone(java_script_enabled=False, storage_state=phone.storage_state()).new_page()
    plain.goto("/")
    plain.tap(".tabs >> text=History")
    plain.tap(".entry")  # two taps from home to the story
    expect(plain.locator("h1")).to_contain_text("Ada")
    plain.tap("summary:has-text('Ada went out.')")
    expect(plain.locator(".held").first).to_contain_text("77")
    plain.tap("main .way-back")
    plain.tap(".rooms >> text=Players")
    plain.tap(".person:has-text('Ada')")
    expect(plain.locator(".statistics")).to_contain_text(["Rounds played"])
    plain.tap("summary:has-text('All time')")
    plain.select_option("#players", "3")
    plain.tap("button:text-is('Apply filter')")
    expect(plain.locator("main")).to_contain_text("No data for this filter.")


def test_a_season_in_pictures_is_accessible_and_fits_also_with_large_letters(
    page: Page, axe: Callable[[Page], None]
) -> None:
    table = Table(page)
    for _ in range(2):
        table.begin(target="50")
        table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    page.goto("/history/players")
    players = page.url
    page.tap(".person:has-text('Ada')")
    expect(page.locator(".chart > svg")).to_have_count(3)
    for address in (page.url, players, "/rules/compare"):
        page.goto(address)
        page.evaluate(UNFOLD)
        axe(page)
        page.set_viewport_size({"width": 320, "height": 844})
        assert_nothing_sticks_out(page)
        page.set_viewport_size({"width": 390, "height": 844})
        page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
        assert_nothing_sticks_out(page)
