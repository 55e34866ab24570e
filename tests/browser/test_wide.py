"""Wide screens: the rail, pages that begin at one place, the pad beside the sheet, and cards by keyboard."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import Table, assert_nothing_sticks_out, place_of
from tests.conftest import NewPhone
from tests.ground.each import check_each

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": 1}
DESK |= {"has_touch": False, "is_mobile": False}
OF_ONE_KIND = {
    "to read": ("/", "/matches/new", "/club", "/disputes"),
    "list and detail": ("/rules", "/rules/classic-500", "/rules/topics/draw-four", "/rules/classic-500/how-to-play"),
    "whole breadth": ("{sheet}", "/history/players", "/rules/compare"),
}
BEGINS = "() => document.querySelector('main h1').getBoundingClientRect().x"

PLAYS = """() => {
    const video = document.querySelector('.awake');
    return video?.muted && !video.paused && video.currentTime > 0;
}"""


@pytest.fixture
def desk(new_phone: NewPhone) -> Page:
    """A page on the screen of a desk, with mouse and keyboard."""
    return new_phone(**DESK).new_page()


def row(page: Page, name: str) -> Any:
    return page.locator(f".standing:has(.name:text-is('{name}'))")


def test_headings_stand_at_one_place_over_all_pages_of_a_kind(desk: Page) -> None:
    sheet = urlsplit(Table(desk).begin()).path

    def check(width: int) -> None:
        desk.set_viewport_size({"width": width, "height": 800})
        for kind, addresses in OF_ONE_KIND.items():
            begins = {}
            for address in addresses:
                desk.goto(address.format(sheet=sheet))
                assert_nothing_sticks_out(desk)
                begins[address] = desk.evaluate(BEGINS)
            assert len(set(begins.values())) == 1, f"{kind}: {begins}"
            assert min(begins.values()) > 96, "the rail stands at the left"

    check_each((1024, 1280, 1920), check)


def test_standings_stay_in_sight_and_in_use_beside_the_pad(desk: Page) -> None:
    sheet = Table(desk).begin()
    row(desk, "Ada").click()
    expect(desk.locator("[data-pad-title]")).to_have_text("Ada went out")
    left, right = place_of(desk.locator("#sheet")), place_of(desk.locator("#pad"))
    assert left["x"] + left["width"] <= right["x"]
    row(desk, "Bo").click()  # it was Bo
    expect(desk.locator("[data-pad-title]")).to_have_text("Bo went out")
    desk.click("[data-face='9']")
    desk.go_back()
    expect(desk.locator("#pad")).to_be_hidden()
    assert desk.url == sheet
    desk.click("#record")  # what was entered is still there
    expect(desk.locator("[data-sum]")).to_contain_text("9")
    desk.set_viewport_size({"width": 390, "height": 844})
    expect(desk.locator("#sheet")).to_have_attribute("inert", "")
    desk.set_viewport_size({"width": 1280, "height": 800})
    expect(desk.locator("#sheet")).not_to_have_attribute("inert", "")
    desk.click(".tabs >> text=Rules")
    desk.wait_for_url("**/rules")


def test_a_whole_round_by_keyboard(desk: Page) -> None:
    table = Table(desk)
    table.begin()
    row(desk, "Ada").focus()
    press = desk.keyboard.press
    press("Enter")
    for key in ("7", "5", "s", "Backspace", "s", "w", "Enter"):  # Bo: 7, 5, Skip, Wild
        press(key)
    expect(desk.locator("[data-people] [aria-current]")).to_contain_text("Cy")
    for key in ("f", "d", "r", "Enter"):
        press(key)
    expect(desk.locator("[data-people] [aria-current]")).to_contain_text("Di")
    desk.wait_for_selector("[data-next]:not([data-resting])")
    press("Enter")  # no card: the pad asks, and Enter says that the hand is empty
    expect(desk.locator("[data-empty]")).to_be_focused()
    press("Enter")
    expect(desk.locator("#pad")).to_be_hidden()
    table.expect_totals({"Ada": 7 + 5 + 20 + 50 + 50 + 20 + 20, "Bo": 0})
    table.expect_saved()
    desk.click("#record")
    press("Escape")
    expect(desk.locator("#pad")).to_be_hidden()


def test_the_newest_story_stands_beside_the_matches_and_the_matches_beside_a_story(desk: Page) -> None:
    table = Table(desk)
    table.begin(("Ada", "Bo"))
    row(desk, "Ada").click()
    desk.click("[data-face='9']")
    desk.click("[data-next]")
    expect(desk.locator(".rounds tbody tr")).to_have_count(1)
    table.begin(("Cy", "Di"))
    desk.goto("/history/")
    expect(desk.locator(".pane")).to_contain_text("Cy and Di")
    list_at = place_of(desk.locator("ol:has(> li > .entry)"))
    desk.click(".entry:has-text('Ada')")
    expect(desk.locator("main")).to_contain_text("Ada went out")
    beside = desk.locator(".beside")
    expect(beside.locator("[aria-current]")).to_contain_text("Ada, Bo")
    stays = place_of(beside.locator("ul"))
    assert (list_at["x"], list_at["width"]) == (stays["x"], stays["width"])
    beside.locator("text=Cy, Di").click()
    expect(desk.locator("main h1")).to_have_text("Cy and Di")


RULED = "/disputes/draw-four-challenge?rulebook=classic-500&challenged=yes&challenger=target&held_color=yes"
ASKED = "/disputes/draw-four-challenge?rulebook=classic-500&challenged=yes"


@pytest.mark.parametrize("address", [ASKED, RULED])
def test_the_grounds_stand_beside_the_matter_and_below_it_on_a_phone(desk: Page, address: str) -> None:
    desk.goto(address)

    def check(width: int) -> None:
        desk.set_viewport_size({"width": width, "height": 800})
        assert_nothing_sticks_out(desk)
        matter = place_of(desk.locator(".matter > :last-child"))
        grounds = place_of(desk.locator(".grounds > :first-child"))
        if width < 1024:
            assert matter["y"] + matter["height"] <= grounds["y"]
        else:
            assert matter["x"] + matter["width"] <= grounds["x"]
            assert grounds["y"] < matter["y"] + matter["height"], "not a row of its own below"

    check_each((390, 1023, 1024, 1920), check)


def test_the_matter_stays_in_sight_while_its_grounds_are_read(desk: Page) -> None:
    desk.goto(RULED)

    def check(height: int) -> None:
        desk.set_viewport_size({"width": 1280, "height": height})
        desk.locator(".others summary").scroll_into_view_if_needed()
        expect(desk.locator(".others summary")).to_be_in_viewport()
        expect(desk.locator(".matter")).to_be_in_viewport()
        matter = place_of(desk.locator(".matter"))
        assert matter["height"] <= height, "what is below the window's edge is scrolled to"

    check_each((800, 400), check)


def test_beside_a_rulebook_that_is_made_stands_how_the_table_plays(desk: Page) -> None:
    desk.goto("/rules/own/new")
    plays, lines = desk.locator(".as-played"), desk.locator(".as-played li")
    usual = lines.count()
    desk.click("[aria-label='Wild: 40']")
    expect(lines.filter(has_text="A Wild is worth 50 points.").locator("span")).to_have_text(
        "A Wild is worth 40 points."
    )
    desk.check("label:has-text('Stack Draw Twos') input")
    desk.fill("#clauses", "Whoever yawns draws one.")
    expect(lines).to_have_count(usual + 2)
    expect(lines.nth(-2)).to_have_text("Stack Draw Twos")
    expect(lines.last).to_have_text("Whoever yawns draws one.")
    expect(desk.locator(".primary:has-text('Save rulebook')")).to_be_in_viewport(ratio=1)
    own, card = place_of(desk.locator("#clauses")), place_of(plays)
    assert own["x"] + own["width"] <= card["x"]
    desk.set_viewport_size({"width": 1023, "height": 800})
    expect(plays).to_be_hidden()


def test_without_a_wake_lock_a_silent_video_keeps_the_screen_on_unless_it_is_switched_off(new_phone: NewPhone) -> None:
    phone = new_phone()
    phone.add_init_script("delete Navigator.prototype.wakeLock")  # as at an address without HTTPS
    page = phone.new_page()
    sheet = Table(page).begin()
    page.wait_for_function(PLAYS)
    box = place_of(page.locator(".awake"))
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 1, 1), "only a video within the window counts"
    page.goto(f"{sheet}/menu")
    assert page.locator(".awake").count() == 0
    page.uncheck("[data-awake-switch]")
    page.goto(sheet)
    page.wait_for_load_state("networkidle")
    assert page.locator(".awake").count() == 0


def test_a_hand_in_a_dispute_is_typed_too(desk: Page) -> None:
    desk.goto("/disputes/draw-four-challenge?rulebook=classic-500&challenged=yes&challenger=target&tap=hand")
    keys = desk.locator("[name='add']")
    expect(keys.and_(desk.locator("[aria-keyshortcuts='S']"))).to_have_count(1)
    desk.click(".colors label:has-text('Red')")
    for key in ("7", "s", "r", "Backspace", "7"):  # faster than the answers come
        desk.keyboard.press(key)
    expect(desk.locator(".laid")).to_have_count(3)
    desk.keyboard.press("Enter")
    expect(desk.locator(".laid")).to_have_count(0)
    expect(desk.locator("h1, #ruling, .asked").first).to_be_visible()


def test_the_button_covers_no_row_of_ten(desk: Page) -> None:
    Table(desk).begin(tuple("ABCDEFGHIJ"))
    ends = "() => [...document.querySelectorAll('.standing')].map((row) => row.getBoundingClientRect().bottom)"
    button = place_of(desk.locator("#record"))
    assert max(desk.evaluate(ends)) <= button["y"]


def test_ten_names_leave_their_totals_whole_on_the_pad_beside_a_sheet_and_alone(page: Page) -> None:
    table = Table(page)
    names = ("Maximiliane-Theresia von Hohenstein", *"BCDEFGHIJ")
    sheet = table.begin(names)
    table.round(names[0], ("wild",), *([("9",)] * 8))
    page.set_viewport_size({"width": 1280, "height": 800})
    heights = "() => [...document.querySelectorAll('[data-winners] .number')].map((one) => one.offsetHeight)"
    for address in (sheet, f"{sheet}/rounds/new"):
        page.goto(address)
        if address == sheet:
            page.click("#record")
        expect(page.locator("[data-winners] .number")).to_have_text(["122", *["0"] * 9])
        expect(page.locator("[data-winners] .marker")).to_have_count(10)
        assert len(set(page.evaluate(heights))) == 1, "no digit stands over another"


def test_a_total_of_two_has_the_line_below_its_name_on_a_phone(page: Page) -> None:
    table = Table(page)
    table.begin(("Ada", "Bo"))
    table.round("Ada", ("wild",) * 4 + ("skip",) * 4)
    expect(row(page, "Ada").locator(".gain")).to_have_text("+280")
    boxes = "(part) => [...document.querySelectorAll(part)].map((one) => one.getBoundingClientRect())"
    for one, total in zip(
        page.evaluate(boxes, ".standing .name"), page.evaluate(boxes, ".standing .total"), strict=True
    ):
        assert one["bottom"] < (total["top"] + total["bottom"]) / 2


BESIDE = """([one, other]) => {
    const [left, right] = [one, other].map((found) => document.querySelector(found).getBoundingClientRect());
    return left.right <= right.left && left.top < right.bottom && right.top < left.bottom;
}"""


@pytest.mark.parametrize(
    ("page", "one", "other"),
    [
        ("/club", "section:has(> #people)", "section:has(> #phones)"),
        ("/matches/new", "#players", "#rulebook"),
        ("{sheet}/share", ".card-picture", "div:has(> .share-row)"),
        ("{sheet}/invite", "section:has(> #hands-title)", "section:has(> #board-title)"),
    ],
)
def test_a_wide_page_uses_both_halves(desk: Page, page: str, one: str, other: str) -> None:
    sheet = urlsplit(Table(desk).begin()).path
    desk.goto(page.format(sheet=sheet))
    assert desk.evaluate(BESIDE, [one, other])
    desk.set_viewport_size({"width": 390, "height": 844})
    assert not desk.evaluate(BESIDE, [one, other])


def test_players_take_the_whole_breadth_and_no_name_is_broken(desk: Page) -> None:
    Table(desk).begin(("Ada", "W" * 40), target="5")
    row(desk, "Ada").click()
    desk.click("[data-face='9']")
    desk.click("[data-next]")
    expect(desk.locator("#sheet")).to_contain_text("wins")
    desk.goto("/history/players")
    assert desk.evaluate(
        "() => document.querySelector('.ranking').offsetWidth >= document.querySelector('main h1').offsetWidth"
    )
    expect(desk.locator(".ranking .form").nth(1)).to_be_visible()
    lines = "() => [...document.querySelectorAll('main :is(.name, .in-columns bdi)')].map((name) => name.offsetHeight)"
    for width in (1280, 390):
        desk.set_viewport_size({"width": width, "height": 844})
        for address in ("/history/players", "/club", "/history/"):
            desk.goto(address)
            heights = desk.evaluate(lines)
            assert heights
            assert len(set(heights)) == 1, f"{address} at {width}: {heights}"


@pytest.mark.parametrize(
    ("address", "button"), [("/", "Resume"), ("/matches/new", "Review rules"), ("{sheet}", "Record")]
)
def test_a_phone_on_its_side_has_the_button_beside_the_tabs(page: Page, address: str, button: str) -> None:
    sheet = urlsplit(Table(page).begin()).path
    page.set_viewport_size({"width": 844, "height": 390})
    page.goto(address.format(sheet=sheet))
    tabs, last = place_of(page.locator(".tabs")), place_of(page.locator(".tabs a").last)
    found = place_of(page.locator(f".foot :is(a, button):has-text('{button}')"))
    assert found["y"] >= tabs["y"] - 2, "it covers no more than they do"
    assert found["x"] >= last["x"] + last["width"]


# -- history -----------------------------------------------------------------------------------------------------------


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
    plain.tap(".ranking a:has-text('Ada')")
    expect(plain.locator(".statistics")).to_contain_text(["Rounds played"])
    plain.tap("summary:has-text('All time')")
    plain.select_option("#players", "3")
    plain.tap("button:text-is('Apply filter')")
    expect(plain.locator("main")).to_contain_text("No data for this filter.")
