"""A table makes its own rulebook on the phone: a few taps, each with the sentence that it makes."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from referee.rules.books.library import house_rules

MOST_TAPS = 12


def test_a_table_says_how_it_plays_in_a_few_taps(page: Page) -> None:
    page.goto("/")
    taps = 0

    def tap(selector: str) -> None:
        nonlocal taps
        page.tap(selector)
        taps += 1

    tap(".tabs a:has-text('Rules')")
    tap("text=Make your own rulebook")
    tap(".primary:has-text('Make your own')")
    tap("[aria-label='Target: 300']")
    target = page.locator(".control", has=page.locator("[name='c.target.target']"))
    expect(target.locator("s")).to_have_text("The match is over when someone reaches 500 points.")
    expect(target.locator(".says span")).to_have_text("The match is over when someone reaches 300 points.")
    tap("[aria-label='Wild: 40']")
    tap("[aria-label='Penalty for forgetting Uno: 4']")
    tap("label:has-text('Stack Draw Twos')")
    tap("text=Save rulebook")
    page.wait_for_selector(".differences")
    said = page.locator(".differences").inner_text()
    for sentence in (
        "The match is over when someone reaches 300 points.",
        "A Wild counts 40 points.",
        "A forgotten “Uno” costs 4 cards.",
        house_rules()["stack-draw-two"].clauses[0].text,
    ):
        assert sentence in said
    assert taps <= MOST_TAPS


def test_every_control_stands_where_its_base_does_until_it_is_touched(page: Page) -> None:
    for base in ("classic-500", "online-100-200", "duo-200"):
        page.goto(f"/rules/own/new?base={base}")
        changed = page.locator(".control.changed")
        assert [control.inner_text() for control in changed.all()] == [], base
        assert all(page.locator(".control .says span").all_text_contents()), base
        page.tap("text=Save rulebook")
        page.wait_for_url("**/rules/own/0*")
        assert page.locator(".differences li").count() == 0


def test_steps_stop_at_the_bounds_and_a_mark_counts_the_changes(page: Page) -> None:
    page.goto("/rules/own/new")
    page.tap("summary:has-text('Saying “Uno”')")
    topic = page.locator(".topic", has_text="Saying “Uno”")
    topic.locator("select").first.select_option(index=1)
    expect(topic.locator("[data-changed]")).to_have_text("1 changed")
    cards = page.locator("[name='c.deal.cards_each']")
    cards.fill("20")
    page.tap("[aria-label='Cards at the start: +1']")
    expect(cards).to_have_value("20")
    cards.fill("many")
    expect(page.locator(".control", has=cards).locator(".says span")).to_have_text("")
