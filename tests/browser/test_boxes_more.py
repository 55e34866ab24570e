"""Evenings with UNO Attack! and UNO Triple Play: box, open values, a dispute from the sheet, history."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.table import Table, assert_nothing_sticks_out, choose_rulebook
from tests.conftest import NewPhone


def set_up(page: Page, box: str, worths: dict[str, str]) -> str:
    """Start a match of three with one of the two boxes and the points agreed for its cards; return its address."""
    page.goto("/" if page.context.cookies() == [] else "/matches/new")
    for seat, name in enumerate(("Ada", "Bo", "Cy")):
        if not page.locator(f"#players-{seat}").count():
            page.tap("[data-more]")
        page.fill(f"#players-{seat}", name)
    expect(page.get_by_text("Which box do you have?")).to_be_hidden()
    choose_rulebook(page, "attack")
    page.check(f"[name=box-attack][value={box}]")
    assert_nothing_sticks_out(page)
    page.tap("text=Review rules")
    page.wait_for_selector(".rule-card")
    if worths:
        page.tap("text=Start match")
        expect(page.locator(".error")).to_have_count(len(worths))
    for face, points in worths.items():
        page.fill(f"[name=worth-{face}]", points)
    page.tap("text=Start match")
    page.wait_for_selector(".standings")
    page.wait_for_load_state("domcontentloaded")
    return page.url


def test_an_evening_of_attack_from_the_box_to_history(page: Page) -> None:
    match, table = set_up(page, "attack-1", {}), Table(page)
    table.round("Ada", ("discard-all", "trade-hands"), ("hit-two", "7"))
    table.expect_totals({"Ada": 87})
    table.tap(".tabs >> text=Dispute")
    page.click("text=What a card does")
    page.click(".option:has-text('Ada then Bo')")
    page.click("[data-face='hit-two'], a.option:has-text('Hit 2'), button:has-text('Hit 2')")
    expect(page.locator("#ruling")).to_have_text("Bo presses the launcher twice")
    page.click("text=Save ruling")
    expect(page.locator("#rulings-title")).to_be_visible()
    page.goto(match)
    table.round("Bo", ("wild-hit-fire", "skip"), ("wild-all-hit", "9"))
    table.round("Ada", ("reverse",), ("1",))
    table.expect_totals({"Ada": 108, "Bo": 129})
    page.goto(match + "/menu")
    page.click("text=End the match")
    expect(page.locator(".result")).to_contain_text("Bo wins!")
    page.goto("/history" + match[match.index("/matches") :])
    expect(page.locator("main")).to_contain_text("presses the launcher")
    assert_nothing_sticks_out(page)


def test_the_later_box_counts_what_the_table_agreed_on_with_a_connection_and_without(new_phone: NewPhone) -> None:
    page = new_phone(service_workers="allow").new_page()
    match, table = set_up(page, "attack-2", {"hit-one": "20", "wild-attack-attack": "50"}), Table(page)
    assert page.locator("[data-face='trade-hands']").count() == 0
    table.round("Ada", ("hit-one", "wild-attack-attack", "6"), ("discard-all",))  # A19, and a card of 30
    table.expect_totals({"Ada": 106})
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    table.round("Bo", ("hit-one",), ("wild-attack-attack", "hit-two"))
    expect(page.locator("main")).to_contain_text("Will send when you’re back online")
    expect(page.locator(".standing:has-text('Bo')")).to_contain_text("90")
    page.context.set_offline(False)
    page.reload()
    table.expect_totals({"Ada": 106, "Bo": 90})
    page.goto(match + "/menu")
    page.click("text=End the match")
    page.click("text=Rematch")
    page.wait_for_url(lambda address: "/matches/" in address and match not in address)
    page.wait_for_selector(".standings")
    table.round("Cy", ("wild-attack-attack",), ("hit-one",))
    table.expect_totals({"Cy": 70})
