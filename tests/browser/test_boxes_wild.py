"""Evenings with the boxes of wilds and of dares, from the first tap to history."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.table import Table, assert_nothing_sticks_out, choose_rulebook


def test_an_evening_of_all_wild_has_neither_colors_nor_numbers(page: Page) -> None:
    table = Table(page)
    match = table.set_up(("Ada", "Bo", "Cy"), rulebook="all-wild")
    table.tap(".standing:has-text('Ada')")
    expect(page.locator("[data-keys] [data-face]")).to_have_count(8)
    assert_nothing_sticks_out(page)
    table.lay(("wild", "wild-targeted-draw-two", "wild-forced-swap"), ("wild-skip-two", "wild-draw-four"))
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 220, "Bo": 0, "Cy": 0})
    table.round("Cy", ("wild",) * 6, ("wild",))
    table.expect_totals({"Ada": 220, "Cy": 140, "Bo": 0})

    table.tap(".tabs >> text=Dispute")
    table.tap("text=What a card does")
    table.tap(".option:has-text('Ada then')")
    expect(page.locator(".colors")).to_have_count(0)
    expect(page.locator(".keys .key")).to_have_count(8)
    assert_nothing_sticks_out(page)
    table.tap(".key[value='wild-skip-two']")
    expect(page.locator("#verdict")).to_contain_text("Play again")
    expect(page.locator("main")).to_contain_text("Bo is skipped")
    assert_nothing_sticks_out(page)
    table.tap("text=Save ruling")
    expect(page.locator("#rulings-title")).to_be_visible()

    page.goto(match)
    table.tap(".standing:has-text('Ada')")
    table.tap("text=Type total")
    for digit in "30":
        table.tap(f"[data-digit='{digit}']")
    table.next()
    for digit in "290":
        table.tap(f"[data-digit='{digit}']")
    table.next()
    expect(page.locator("#pad")).to_contain_text("20 or 40")
    table.tap("[data-people] button:has-text('Bo')")
    for key in ("erase", "erase", "4", "0"):
        table.tap(f"[data-digit='{key}']")
    table.next()
    table.next()
    page.wait_for_selector("#pad", state="hidden")
    expect(page.locator(".result")).to_contain_text("Ada wins!")
    page.goto("/history" + match[match.index("/matches") :])
    expect(page.locator(".story")).to_contain_text("UNO All Wild!")
    expect(page.locator(".story")).to_contain_text("What a card does")
    assert_nothing_sticks_out(page)


def test_an_evening_of_dare_agrees_first_on_what_its_dares_are_worth(page: Page) -> None:
    table = Table(page)
    page.goto("/")
    for seat, name in enumerate(("Ada", "Bo", "Cy")):
        page.fill(f"#players-{seat}", name)
    choose_rulebook(page, "dare")
    page.tap("text=Review rules")
    expect(page.locator("#worth-dare-hint")).to_contain_text("One program gives it 20.")
    expect(page.locator("#worth-wild-dare-hint")).to_contain_text("One program gives it 50.")
    assert_nothing_sticks_out(page)
    page.fill("#worth-dare", "20")
    page.tap("text=Start match")
    expect(page.get_by_text("Agree on it.")).to_be_visible()
    expect(page.locator("#worth-dare")).to_have_value("20")
    page.fill("#worth-wild-dare", "50")
    page.tap("text=Start match")
    page.wait_for_selector(".standings")
    page.wait_for_load_state("domcontentloaded")
    match = page.url

    table.round("Ada", ("dare", "wild-dare", "7"), ("skip",))
    table.expect_totals({"Ada": 97, "Bo": 0, "Cy": 0})
    table.round("Bo", ("wild-dare", "wild-dare"), ("reverse", "0"))
    table.expect_totals({"Ada": 97, "Bo": 120})

    table.tap(".tabs >> text=Dispute")
    table.tap("text=What a card does")
    table.tap(".option:has-text('Ada then')")
    table.tap(".key[value='wild-dare']")
    expect(page.locator("main")).to_contain_text("Bo draws 2")
    expect(page.locator("main")).to_contain_text("Doing the dare instead costs nothing")
    assert_nothing_sticks_out(page)
    table.tap("text=Save ruling")
    expect(page.locator("#rulings-title")).to_be_visible()

    page.goto(match)
    table.round("Bo", ("wild-dare",) * 4, ("wild-dare",) * 4)
    expect(page.locator(".result")).to_contain_text("Bo wins!")
    page.goto("/history" + match[match.index("/matches") :])
    expect(page.locator(".story")).to_contain_text("What a card does")
    assert_nothing_sticks_out(page)
