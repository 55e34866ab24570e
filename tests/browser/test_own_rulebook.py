"""A table makes its own rulebook in a few taps, and an evening is played by it, a round without connection in it."""

from pathlib import Path

from playwright.sync_api import Page, expect

from referee.rules.books.library import house_rules
from tests.browser.table import Table, assert_nothing_sticks_out, seat
from tests.browser.test_offline import take_along
from tests.conftest import CAST, NewPhone

MISSED = "cards_left=1&said=never&caught=yes&next_turn_begun=no&names=no"


def choose(page: Page, topic: str, field: str, value: str) -> None:
    """Set a control of a topic that is closed."""
    page.tap(f".topic > summary:has-text('{topic}')")
    control = page.locator(f"[name='{field}']")
    if control.evaluate("field => field.tagName") == "SELECT":
        control.select_option(value)
    else:
        control.fill(value)


def make_kitchen_rules(page: Page) -> str:
    """Make the rulebook of the evening; return its address."""
    page.goto("/rules/own/new")
    page.fill("[name=title]", "Kitchen rules")
    page.fill("[name='c.target.target']", "")
    page.tap("[aria-label='Wild: 40']")
    page.tap("[aria-label='Penalty for forgetting Uno: 4']")
    page.select_option("[name='c.who-scores.awards']", "by-rank")
    page.fill("[name=clauses]", "Shoes off.")
    choose(page, "Points", "c.who-scores.rank_points", "5 3 2 1")
    page.select_option("[name='c.who-scores.tied_ranks']", "split")
    choose(page, "The end of the match", "c.target.rounds_to_play", "3")
    page.tap("text=Save rulebook")
    page.wait_for_selector(".differences")
    for sentence in (
        "Points by rank in each round: 5, 3, 2, 1.",
        "Equal hands share the points of their ranks, rounded down.",
        "The match ends after 3 rounds.",
        "A forgotten “Uno” costs 4 cards.",
        "Shoes off.",
    ):
        expect(page.locator(".differences")).to_contain_text(sentence)
    return page.url


def test_an_evening_from_its_making_to_its_statistics(new_phone: NewPhone, tmp_path: Path) -> None:
    """By hand: 5, 3, 2 and 1 point for the ranks; those with hands of the same worth share theirs, rounded down."""
    phone = new_phone(service_workers="allow").new_page()
    rulebook = make_kitchen_rules(phone)
    phone.tap("text=Start a match")
    seat(phone, *CAST)
    phone.tap("text=Review rules")
    card = phone.locator(".rule-card")
    for said in ("Kitchen rules", "3 rounds", "Shoes off."):
        expect(card).to_contain_text(said)
    phone.tap("text=Start match")
    phone.wait_for_selector(".standings")
    sheet, table = phone.url, Table(phone)
    table.round("Ada", ("5", "7"), ("wild",), ("5", "7"))  # ranks 2 and 3 are Bo's and Di's: 3 + 2 points
    table.expect_totals({"Ada": 5, "Bo": 2, "Cy": 1, "Di": 2})
    expect(phone.locator("#record")).to_have_text("Record round 2 of 3")
    phone.reload()
    take_along(phone)

    phone.context.set_offline(True)
    table.round("Bo", ("1",), ("2",), ("wild",))
    expect(phone.locator("#outbox")).to_be_visible()
    table.expect_totals({"Ada": 6, "Bo": 7, "Cy": 4, "Di": 4})
    phone.goto(f"{sheet}/disputes/uno-call?{MISSED}")
    expect(phone.locator("main")).to_contain_text("draws 4")
    expect(phone.locator("main")).to_contain_text("Your table’s rule")
    phone.goto(sheet)

    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    table.expect_totals({"Ada": 6, "Bo": 7, "Cy": 4, "Di": 4})
    phone.goto("/")
    expect(phone.locator("main")).to_contain_text("Round 3 of 3, Bo leads")
    phone.goto(sheet)
    table.round("Ada", ("9",), ("9",), ("9",))  # three share 3 + 2 + 1 points
    expect(phone.locator("main")).to_contain_text("Ada wins!")
    table.expect_totals({"Ada": 11, "Bo": 9, "Cy": 6, "Di": 6})

    phone.goto("/history/players")
    phone.tap(".filter > summary")
    phone.select_option("select[name=rulebook]", label="Kitchen rules")
    phone.tap("text=Apply filter")
    phone.tap("a:has-text('Ada')")
    expect(phone.locator("main")).to_contain_text("Rounds played")

    phone.goto(rulebook)
    phone.tap("text=Make a link")
    link = phone.locator("#own-link").get_attribute("href") or ""
    other = new_phone().new_page()
    other.goto(link)
    expect(other.locator(".differences")).to_contain_text("The match ends after 3 rounds.")
    assert_nothing_sticks_out(other)
    other.tap("text=Add to our rulebooks")
    other.wait_for_selector(".differences")
    assert other.url != rulebook
    phone.goto(rulebook)
    phone.tap("text=Close link")
    expect(phone.locator("#own-link")).to_have_count(0)
    other.goto(link)
    expect(other.locator("h1")).to_have_text("Nothing here")
    other.goto("/rules/own")
    expect(other.locator("main")).to_contain_text("Kitchen rules")

    phone.goto("/club/records")
    with phone.expect_download() as exported:
        phone.tap("text=Export club")
    file = tmp_path / "club.json"
    exported.value.save_as(file)
    other.goto("/club/records")
    other.set_input_files("#file", file)
    other.tap("text=Import file")
    expect(other.locator("body")).to_contain_text("1 match imported.")
    other.goto("/rules/own")
    expect(other.locator(".list-row:has-text('Kitchen rules')")).to_have_count(2)
    other.goto("/history/")
    expect(other.locator("main")).to_contain_text("Ada")


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
        "A Wild is worth 40 points.",
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
