"""A round on its way to the server: what the sheet shows meanwhile, and what becomes of it."""

import json
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.table import Table

SAID = "Ada +109. Ada leads with 109."
DRAWN = [
    "1 Ada needs 91 +109 109, 54 %", "2 Bo deals 0, 0 %", "2 Cy starts 0, 0 %", "2 Di 0, 0 %",
]  # fmt: skip
COUNTS_DOUBLE = """() => {
    const { dataset } = document.getElementById('round-form');
    const shares = JSON.parse(dataset.shares);
    shares['went-out'].others *= 2;
    dataset.shares = JSON.stringify(shares);
}"""

LEFT_BEFORE_THE_DRAFT_WAS_CLEARED = """async () => {
    const opened = await new Promise((found) => {
        const asked = indexedDB.open('referee', 1);
        asked.onsuccess = () => found(asked.result);
    });
    const [item] = await new Promise((found) => {
        const asked = opened.transaction('rounds').objectStore('rounds').getAll();
        asked.onsuccess = () => found(asked.result);
    });
    const { draft } = document.getElementById('round-form').dataset;
    localStorage.setItem(`referee.draft.${draft}`, JSON.stringify({ ...item.state, sent: true }));
}"""


def hold_back(page: Page) -> Callable[[], None]:
    """Let rounds reach the server, and their answers wait until the function given back is called."""
    answered: list[Route] = []
    page.route("**/rounds/new", lambda route: answered.append(route) if route.request.method == "POST" else None)

    def let_through() -> None:
        for route in answered:
            route.continue_()
        page.unroute("**/rounds/new")

    return let_through


def test_a_total_stands_before_the_server_answers_and_the_row_tapped_meanwhile_opens_then(page: Page) -> None:
    table = Table(page)
    table.begin(target="200")
    let_through = hold_back(page)
    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    table.expect_shown({"Ada": 109, "Bo": 0})
    expect(page.locator("#sheet")).to_have_attribute("data-saving", "")
    expect(page.locator("#record")).to_have_text("Saving …")
    expect(page.locator("#live")).to_have_text(SAID)
    expect(page.locator(".toast p")).to_have_text(SAID)
    drawn_here = table.lines()
    table.tap(".standing:has-text('Bo')")
    expect(page.locator("#round-form [data-count]")).to_have_css("pointer-events", "none")
    let_through()
    expect(page.locator("[data-pad-title]")).to_have_text("Bo went out")
    assert table.lines() == drawn_here == DRAWN
    expect(page.locator(".toast p")).to_have_text(SAID)  # with its Undo now
    expect(page.locator(".toast form button")).to_have_text("Undo")
    table.lay(("5",), ("skip",), ("wild",))
    expect(page.locator("#pad")).to_be_hidden()
    table.expect_totals({"Ada": 109, "Bo": 75})
    expect(page.locator("#record")).to_have_text("Record round 3")
    expect(page.locator(".rounds tbody tr")).to_have_count(2)


def test_a_round_that_the_server_refuses_comes_back_into_the_pad(page: Page) -> None:
    table = Table(page)
    table.begin()
    problem = json.dumps({"problems": [{"message": "Not this one."}]})
    page.route("**/rounds/new", lambda route: route.fulfill(status=422, body=problem))
    table.tap(".standing:has-text('Ada')")
    table.lay(("7",), (), ())
    expect(page.locator("[data-pad-error]")).to_have_text("Not this one.")
    page.unroute("**/rounds/new")
    page.go_back()
    table.expect_totals({"Ada": 0})
    expect(page.locator("#record")).to_have_text("Continue round 1")
    page.tap("#record")
    table.next()
    table.expect_totals({"Ada": 7})


def test_a_round_whose_page_was_left_on_the_way_is_there_once(page: Page) -> None:
    table = Table(page)
    address = table.begin()
    let_through = hold_back(page)
    table.round("Ada", ("7",), (), ())
    page.goto("/history")
    let_through()
    page.goto(address)
    table.expect_totals({"Ada": 7})
    expect(page.locator(".rounds tbody tr")).to_have_count(1)
    expect(page.locator("#record")).to_have_text("Record round 2")


def test_a_link_tapped_while_a_round_is_on_its_way_leads_to_a_page_that_knows_it(page: Page) -> None:
    table = Table(page)
    table.begin(target="200")
    let_through = hold_back(page)
    table.round("Ada", ("7",), (), ())
    page.click("a[href$='/menu']", no_wait_after=True)
    let_through()
    page.click("text=End the match")
    expect(page.locator(".result")).to_contain_text("Ada wins!")


def test_a_round_kept_when_its_page_was_left_is_not_counted_behind_itself(page: Page) -> None:
    table = Table(page)
    table.begin()
    page.route("**/rounds/new", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    table.round("Ada", ("7",), (), ())
    expect(page.locator("#outbox")).to_contain_text("1 round not sent yet")
    page.evaluate(LEFT_BEFORE_THE_DRAFT_WAS_CLEARED)
    page.reload()
    expect(page.locator("#outbox")).to_contain_text("1 round not sent yet")
    expect(page.locator("#record")).to_have_text("Record round 2")
    page.unroute("**/rounds/new")
    page.reload()
    expect(page.locator("#outbox")).to_be_hidden()
    table.expect_totals({"Ada": 7})
    expect(page.locator(".rounds tbody tr")).to_have_count(1)


def test_where_the_server_counts_differently_its_totals_stand_and_that_is_said(page: Page) -> None:
    table = Table(page)
    table.begin()
    page.evaluate(COUNTS_DOUBLE)
    let_through = hold_back(page)
    table.round("Ada", ("7",), (), ())
    table.expect_shown({"Ada": 14})
    let_through()
    table.expect_totals({"Ada": 7})
    expect(page.locator(".toast")).to_contain_text("counts differently")


def test_where_the_phone_cannot_add_up_nothing_is_said_of_it(page: Page) -> None:
    table = Table(page)
    table.begin()
    page.evaluate("() => { document.getElementById('round-form').dataset.shares = '{}'; }")
    let_through = hold_back(page)
    table.round("Ada", ("7",), (), ())
    table.expect_shown({"Ada": 0})
    let_through()
    table.expect_totals({"Ada": 7})
    expect(page.locator("#record")).to_have_text("Record round 2")
    assert "counts differently" not in page.locator("#messages").inner_text()
