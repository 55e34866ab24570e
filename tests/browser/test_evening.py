"""An evening whole, in each language; and what goes wrong in one: seats change, rows are mistapped, servers hiccup."""

import re
from urllib.parse import urlsplit

import pytest
from flask import Flask, Response, request
from playwright.sync_api import Page, Route, expect

from referee.rules.text.words import ENGLISH, speaking
from referee.web.words import PHONE, say
from tests.browser.table import CAST, IMPATIENT, Table, assert_nothing_sticks_out, choose_rulebook, seat
from tests.browser.test_offline import begin_kept, take_along
from tests.conftest import NewPhone
from tests.ground.browser import PHONE as SMALL
from tests.ground.browser import complaints

DESK = {"viewport": {"width": 1280, "height": 800}, "is_mobile": False}
BIG = (("wild", "wild"), ("9", "skip"), ("draw-two",))  # 149 points in Classic 500


@pytest.fixture
def table(page: Page) -> Table:
    return Table(page)


EVENINGS = {
    "en": (CAST, "can you stak a +2 on a +2", "Ada draws 4"),
    "de": (("Anna", "Jonas", "Mia", "Lukas"), "darf man +2 auf +2 lehgen", "Anna zieht 4"),
    "nl": (("Sanne", "Daan", "Lotte", "Bram"), "mag je een +2 stapelen op een +2", "Sanne pakt er 4"),
    "es": (("Ana", "Íñigo", "Lucía", "Óscar"), "se puede hechar un +2 sobre otro +2", "Ana roba 4"),
}
"""By language: who plays, what they ask with a slip of the finger, and what the referee says of a Wild Draw Four."""


@pytest.mark.parametrize(
    ("code", "size"), [*((code, SMALL) for code in EVENINGS), ("de", DESK)], ids=[*EVENINGS, "de at a desk"]
)
def test_an_evening_of_ten_rounds_in_the_tables_language(
    new_phone: NewPhone, code: str, size: dict[str, object]
) -> None:
    """From the first page to the rematch: a challenge, a look-up, two rounds offline, the story, the result to share.

    Totals are Classic 500's by hand: whoever goes out scores what the others hold.
    """
    (a, b, c, d), asked, ruled = EVENINGS[code]
    phone = new_phone(**SMALL | size | {"locale": code, "service_workers": "allow"}).new_page()
    phone.add_init_script(IMPATIENT)
    heard = complaints(phone)
    table = Table(phone)

    def see(selector: str, text: str) -> None:
        """Wait for a text; hold the page that shows it against its language and its screen."""
        expect(phone.locator(selector).first).to_contain_text(text)
        assert phone.get_attribute("html", "lang") == code
        if code != ENGLISH:
            expect(phone.locator("main [lang=en]:not(q):visible")).to_have_count(0)
        assert_nothing_sticks_out(phone)
        assert not heard, heard

    with speaking(code):
        sheet = table.set_up((a, b, c, d))
        see("#record", say("sheet.record", n=1))
        table.round(a, ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
        assert table.taps == 10
        table.round(b, ("5",), ("reverse",), ("4", "4"))
        table.round(c, ("9",), ("8",), ("1",))
        table.expect_totals({a: 109, b: 33, c: 18, d: 0})
        see(f".standing:has(.name:text-is('{a}'))", say("standing.needs", n=391))

        phone.tap(".tabs a >> nth=1")
        see("h1", say("disputes-page.question"))
        phone.tap("a[href*='draw-four-challenge']")
        phone.tap(f".option:visible:has-text('{a}') >> nth=0")  # who played it, clockwise
        phone.tap(f".options .option:has-text('{b}')")  # who challenged
        phone.tap(f".asked:has-text('{a}') ~ .options .option >> nth=0")  # yes, another card of the color
        see("#ruling", ruled)
        phone.tap(".write-down .primary")
        see("#rulings-title", say("page.rulings"))

        phone.tap(".tabs a >> nth=2")
        phone.fill("#q", asked)
        phone.press("#q", "Enter")
        see(".hit.best .book", "500")
        expect(phone.locator(".hit.best .book a").first).to_have_attribute("href", re.compile("stacking-draw-two"))

        phone.goto(sheet)
        table.round(d, ("9", "9"), ("2",), ("6", "wild"))
        table.round(a, ("3",), ("7",), ("2", "1"))
        table.expect_totals({a: 122, b: 33, c: 18, d: 76})
        phone.reload()
        take_along(phone)
        phone.context.set_offline(True)
        table.round(b, ("8",), ("skip",), ("4",))
        table.round(a, ("reverse",), ("5",), ("9",))
        see("#outbox h2", PHONE.say("phone.waiting-rounds", n=2))
        table.expect_shown({a: 156, b: 65, c: 18, d: 76})
        phone.context.set_offline(False)
        expect(phone.locator("#outbox")).to_be_hidden()
        table.expect_totals({a: 156, b: 65, c: 18, d: 76})

        table.round(c, *BIG)
        table.round(a, *BIG)
        table.round(a, ("wild", "wild"), ("wild", "wild"), ("9", "9", "3"))  # 221
        see(".result h2", say("result.winner", name=a))
        table.expect_totals({a: 526, b: 65, c: 167, d: 76})
        expect(phone.locator(".rounds tbody tr")).to_have_count(10)

        phone.goto(f"{sheet}/share")
        see("h1", say("share.result"))
        expect(phone.locator("#result-text")).to_have_value(re.compile(f"{a}.*526", re.DOTALL))
        phone.tap(".tabs a >> nth=3")
        see("main", a)
        phone.tap(f"main a[href*='/history{urlsplit(sheet).path}']")
        see(".story .ruling", a)
        expect(phone.locator(".story .round:not(.ruling)")).to_have_count(10)
        phone.goto(sheet)
        phone.tap(".foot .primary")
        see(".tonight", f"{a} 1")
        see("#record", say("sheet.record", n=1))
    assert phone.url != sheet


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
    other.tap("text=Add player")
    other.wait_for_selector(".standings")
    page.tap("[data-close]")
    expect(page.locator(".standing")).to_have_count(5)
    expect(page.locator("#record")).to_have_text("Continue round 1")
    page.tap("#record")
    expect(page.locator("[data-people] button")).to_have_text(["Adaout", "Bo9 1 card", "Cy3 1 card", "Di–", "Eve–"])

    other = change_seats(page, address, "leave")
    other.locator("form", has_text="Bo").get_by_role("button", name="Leaves").tap()
    other.wait_for_selector(".standings")
    page.tap("[data-people] button:has-text('Eve')")
    table.lay(())
    expect(page.locator("[data-asks]")).to_contain_text("Nothing entered for Di.")
    page.tap("[data-empty]")
    expect(page.locator("[data-pad-error]")).to_contain_text("Bo has left the table")
    expect(page.locator("[data-turn]")).to_have_text("Bo")
    page.tap("[data-sit]")
    page.tap("[data-people] button:has-text('Eve')")
    table.next()
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 3, "Cy": 0, "Di": 0, "Eve": 0})


def test_a_row_tapped_by_mistake_costs_no_card(table: Table, page: Page) -> None:
    table.open_pad()
    table.lay(("9", "skip"), ("3",))
    page.tap("[data-close]")
    table.tap(".standing:has-text('Bo')")
    expect(page.locator("[data-people] button").nth(1)).to_have_text("Boout")
    page.tap("[data-change-winner]")
    page.tap("[data-winners] button:has-text('Ada')")
    expect(page.locator("[data-people] button")).to_have_text(["Adaout", "Bo29 2 cards", "Cy3 1 card", "Di–"])
    page.tap("[data-sit]")
    expect(page.locator("[data-people] button").nth(1)).to_have_text("Bosat out")
    page.tap("[data-people] button:has-text('Bo')")
    expect(page.locator("[data-sum]")).to_contain_text("29")
    table.lay((), (), ())
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 32})


@pytest.mark.parametrize("status", [429, 500, 502])
def test_a_server_in_trouble_leaves_the_kept_sheet_in_peace(new_phone: NewPhone, app: Flask, status: int) -> None:
    phone = new_phone(service_workers="allow").new_page()
    phone.add_init_script(IMPATIENT)
    table, address = begin_kept(phone)
    asked: list[str] = []
    working = {name: app.view_functions[name] for name in ("score.sheet", "rounds.new_round")}

    def fail(match_id: str) -> Response:
        if request.user_agent.string:  # nobody asks for what is taken along unvisited
            asked.append(request.method)
        return Response("<h1>Not now</h1>", status)

    app.view_functions |= dict.fromkeys(working, fail)
    phone.goto(address)
    expect(phone.locator("#outbox")).to_contain_text("Offline. Last updated")
    table.round("Ada", ("9",), (), ())
    expect(phone.locator("#outbox")).to_contain_text("1 round not sent yet")
    table.expect_totals({"Ada": 9})
    for _ in range(300):
        if asked.count("POST") > 1:
            break
        phone.wait_for_timeout(100)
    assert asked.count("POST") > 1, "it tries again by itself"
    assert asked.count("GET") == 1, "nobody's page is reloaded under their fingers"
    app.view_functions |= working
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator(".rounds tbody tr")).to_have_count(1)
    table.expect_totals({"Ada": 9, "Bo": 0})


def test_a_round_recorded_after_the_match_was_over_is_sent_again_once_it_goes_on(new_phone: NewPhone) -> None:
    phone = new_phone(service_workers="allow").new_page()
    table, address = begin_kept(phone, ["Ada", "Bo"], rulebook="online-100-200")
    phone.context.set_offline(True)
    table.round("Ada", ("wild", "wild"))
    table.round("Bo", ("9",))
    table.expect_totals({"Ada": 100, "Bo": 9})
    expect(phone.locator("#outbox")).to_contain_text("By these totals the match is over")
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_contain_text("This match is finished")
    expect(phone.locator(".result h2")).to_have_text("Ada wins!")
    phone.goto(f"{address}/menu")
    phone.tap("text=Play on")
    phone.wait_for_selector("#record")
    phone.tap("text=Send now")
    expect(phone.locator("#outbox")).to_be_hidden()
    table.expect_totals({"Ada": 100, "Bo": 9})
    expect(phone.locator(".rounds tbody tr")).to_have_count(2)


def test_names_survive_the_way_back_from_the_rule_card_and_a_begun_match_lets_go_of_it(page: Page) -> None:
    page.goto("/")
    seat(page, "Ada", "Bo", "Cy")
    choose_rulebook(page, "official")
    page.tap("text=Review rules")
    expect(page.locator("h1")).to_have_text("Agree on the rules")
    page.go_back()
    expect(page.locator("#players-2")).to_have_value("Cy")
    expect(page.locator("[name=rulebook][value=official]")).to_be_checked()
    page.tap("text=Review rules")
    page.tap("text=Start match")
    page.wait_for_selector(".standings")
    page.go_back()
    expect(page.locator(".resume")).to_have_count(1)
    page.goto("/matches/new")
    expect(page.locator("#players-0")).to_have_value("")


def test_back_over_a_form_that_was_refused_ends_in_no_trap(new_phone: NewPhone) -> None:
    phone = new_phone(service_workers="allow").new_page()
    begin_kept(phone)
    phone.goto("/matches/new")
    seat(phone, "Ada", "Ada")
    phone.tap("text=Review rules")
    expect(phone.locator("main")).to_contain_text("is listed twice")
    phone.fill("#players-1", "Bo")
    phone.tap("text=Review rules")
    phone.tap("text=Start match")
    phone.wait_for_selector(".standings")
    expect(phone.locator(".standing")).to_have_count(2)
    phone.evaluate("() => void setTimeout(() => history.back())")
    phone.wait_for_url("**/matches/new")
    expect(phone.locator("h1")).to_be_visible()
    expect(phone.locator("#messages")).not_to_contain_text("Can’t reach")


def test_a_row_tapped_before_its_script_is_there_says_who_went_out_whatever_was_begun(table: Table, page: Page) -> None:
    address = table.begin()
    table.tap(".standing:has-text('Ada')")
    table.lay(("9",))
    page.goto(address)
    way = page.locator(".standing", has_text="Bo").get_attribute("href") or ""
    page.goto(way)
    expect(page.locator("[data-pad-title]")).to_have_text("Bo went out")
    page.tap("[data-change-winner]")
    page.tap("[data-winners] button:has-text('Cy')")
    page.reload()
    expect(page.locator("[data-pad-title]")).to_have_text("Cy went out")
    expect(page.locator("[data-people] button").nth(1)).to_have_text("Bo9 1 card")


def test_escape_closes_the_pad_and_keeps_what_was_laid(table: Table, page: Page) -> None:
    table.open_pad()
    page.tap("[data-face='9']")
    page.keyboard.press("Escape")
    page.wait_for_selector("#pad", state="hidden")
    expect(page.locator("#record")).to_have_text("Continue round 1")


def test_a_connection_that_hangs_holds_nobody_up(new_phone: NewPhone) -> None:
    phone = new_phone().new_page()
    phone.add_init_script(IMPATIENT)
    table = Table(phone)
    table.begin()
    phone.route("**/rounds/new", lambda route: None)
    table.round("Ada", ("9",), (), ())
    expect(phone.locator("#outbox")).to_contain_text("1 round not sent yet")
    phone.unroute("**/rounds/new")
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator(".rounds tbody tr")).to_have_count(1)
    table.expect_totals({"Ada": 9})


def test_nothing_is_tapped_into_a_round_that_is_on_its_way(table: Table, page: Page) -> None:
    table.begin()
    on_its_way: list[Route] = []
    page.route("**/rounds/new", lambda route: on_its_way.append(route))
    table.tap(".standing:has-text('Ada')")
    table.lay(("9",), (), ())
    page.tap(".standing:has-text('Bo')")
    expect(page.locator("[data-next]")).to_have_text("Saving …")
    expect(page.locator("[data-pad-title]")).to_have_text("Ada went out")
    page.tap("[data-face='wild']", force=True)  # greyed; nothing takes it
    expect(page.locator("[data-people] button")).to_have_text(["Adaout", "Bo9 1 card", "Cy0", "Di0"])
    on_its_way[0].continue_()
    page.unroute("**/rounds/new")
    expect(page.locator("[data-pad-title]")).to_have_text("Bo went out")
    table.lay(("wild",), (), ())
    table.expect_totals({"Ada": 9, "Bo": 50})


def test_a_row_tapped_while_the_winner_is_on_the_way_opens_no_further_round(table: Table, page: Page) -> None:
    address = table.begin(["Ada", "Bo"], rulebook="online-100-200")
    asked: list[Route] = []
    page.route("**/now*", lambda route: asked.append(route))
    table.round("Ada", ("wild", "wild"))
    table.expect_saved()
    page.tap(".standing:has-text('Bo')")
    expect(page.locator("#pad")).to_be_hidden()
    for route in asked:
        route.continue_()
    page.unroute("**/now*")
    expect(page.locator(".result h2")).to_have_text("Ada wins!")
    assert page.url.partition("#")[0] == address


def test_a_page_that_could_not_be_shown_comes_when_the_server_is_back(new_phone: NewPhone, app: Flask) -> None:
    phone = new_phone(service_workers="allow").new_page()
    phone.add_init_script(IMPATIENT)
    _, address = begin_kept(phone)
    working = app.view_functions["sharing.share"]
    app.view_functions["sharing.share"] = lambda match_id: Response("<h1>Not now</h1>", 502)
    phone.goto(f"{address}/share")
    expect(phone.locator("h1")).to_have_text("You’re offline")
    app.view_functions["sharing.share"] = working
    expect(phone.locator("h1")).to_have_text("Share standings")
