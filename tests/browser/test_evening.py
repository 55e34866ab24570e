"""What goes wrong in an evening among several people: seats change, rows are mistapped, servers hiccup."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import Table


@pytest.fixture
def table(page: Page) -> Table:
    return Table(page)


def change_seats(page: Page, address: str, section: str) -> Page:
    """Open the menu of a match in another tab, at one of its sections."""
    other = page.context.new_page()
    other.goto(f"{address}/menu?section={section}")
    return other


def test_a_half_entered_hand_survives_who_sits_down_and_who_leaves(table: Table, page: Page) -> None:
    address = table.begin()
    table.tap(".standing:has-text('Ada')")
    table.lay(("9",), ("3",))
    other = change_seats(page, address, "join")
    other.fill("[name=player]", "Eve")
    other.tap("text=Sit down")
    other.wait_for_selector(".standings")
    page.tap("[data-close]")
    expect(page.locator(".standing")).to_have_count(5)
    expect(page.locator("#record")).to_have_text("Continue round 1")
    page.tap("#record")
    expect(page.locator("[data-people] button")).to_have_text(["Adaout", "Bo9", "Cy3", "Di–", "Eve–"])

    other = change_seats(page, address, "leave")
    other.locator("form", has_text="Bo").get_by_role("button", name="Leaves").tap()
    other.wait_for_selector(".standings")
    page.tap("[data-people] button:has-text('Eve')")
    page.tap("[data-next]")
    expect(page.locator("[data-pad-error]")).to_contain_text("Bo has left the table")
    expect(page.locator("[data-turn]")).to_have_text("Bo")
    page.tap("[data-sit]")
    page.tap("[data-people] button:has-text('Eve')")
    page.tap("[data-next]")
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 3, "Cy": 0, "Di": 0, "Eve": 0})


def test_a_row_tapped_by_mistake_costs_no_card(table: Table, page: Page) -> None:
    table.begin()
    table.tap(".standing:has-text('Ada')")
    table.lay(("9", "skip"), ("3",))
    page.tap("[data-close]")
    table.tap(".standing:has-text('Bo')")
    expect(page.locator("[data-people] button").nth(1)).to_have_text("Boout")
    page.tap("[data-change-winner]")
    page.tap("[data-winners] button:has-text('Ada')")
    expect(page.locator("[data-people] button")).to_have_text(["Adaout", "Bo29", "Cy3", "Di–"])
    page.tap("[data-sit]")
    expect(page.locator("[data-people] button").nth(1)).to_have_text("Bosat out")
    page.tap("[data-people] button:has-text('Bo')")
    expect(page.locator("[data-sum]")).to_contain_text("29")
    table.lay((), (), ())
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 32})
