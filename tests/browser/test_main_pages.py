"""One evening in a real browser, and the main pages once: what `python3 run test` shows of the browser."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.table import Table, assert_nothing_sticks_out
from tests.ground.browser import check_accessibility, complaints
from tests.ground.each import check_each
from tests.ground.server import Server
from tools.pictures.sample import furnish
from tools.pictures.states import STATES, State, viewing

MAIN = (
    "welcome", "home", "rule-card", "sheet", "pad", "round", "ended", "menu", "share", "sit-down", "board", "club",
    "disputes-of-match", "dispute-question", "ruling-named", "rules-found", "rulebook", "history", "story", "player",
)  # fmt: skip
"""The states of pages that an evening leads to."""
BIG = ("wild", "wild", "skip", "skip")  # 140 points in Classic 500


def test_four_play_a_match_to_500_and_correct_the_second_round_after_the_fifth(page: Page) -> None:
    table = Table(page)
    table.set_up()
    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))  # Ada 109
    assert table.taps == 10
    table.round("Bo", ("5",), ("skip",), ("wild",))  # Bo 75
    table.round("Ada", BIG, (), ("2",))  # Ada 251
    table.round("Cy", ("9",), ("9",), ("9",))  # Cy 27
    table.round("Ada", BIG, ("1",), ())  # Ada 392
    table.expect_totals({"Ada": 392, "Bo": 75, "Cy": 27, "Di": 0})

    page.tap(".rounds tbody tr:nth-last-child(2) a")  # round 2: it was Di, not Bo, who went out
    page.tap("[data-change-winner]")
    page.tap("[data-winners] button:has-text('Di')")
    expect(page.locator("[data-pad-title]")).to_have_text("Correct round 2: Di went out")
    table.lay((), ("skip",))  # the hands of Ada and Cy stay as they were; Bo held a Skip, and that was all
    page.wait_for_selector(".standings")
    table.expect_totals({"Ada": 392, "Di": 75, "Cy": 27, "Bo": 0})
    expect(page.locator(".rounds sup")).to_have_count(1)

    page.tap(".tabs >> text=Dispute")
    page.tap("text=Wild Draw Four challenge")
    for answer in ("Ada then Bo", "Yes, Bo", "No"):
        page.tap(f".option:has-text('{answer}')")
    page.tap("text=Save ruling")
    expect(page.locator("#rulings-title")).to_be_visible()

    table.round("Ada", BIG, (), ("8",))
    expect(page.locator(".result h2")).to_have_text("Ada wins!")
    table.expect_totals({"Ada": 540})
    page.tap("text=Rematch")
    expect(page.locator(".standings")).to_contain_text("starts")


def test_the_main_pages_fit_a_phone_and_can_be_used_by_all(browser: Browser, server: Server) -> None:
    with viewing(browser, server.url, furnish(server.app), reduced_motion="reduce") as viewer:

        def check(state: State) -> None:
            heard = complaints(viewer.page(state.who))
            page, _ = viewer.open(state)
            assert_nothing_sticks_out(page)
            check_accessibility(page)
            assert not heard, heard

        main = [state for state in STATES if state.name in MAIN]
        assert len(main) == len(MAIN)
        check_each(main, check, lambda state: state.name)
