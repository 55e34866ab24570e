"""The History room on a phone without a line of JavaScript."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.table import Table
from tests.conftest import NewPhone


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
