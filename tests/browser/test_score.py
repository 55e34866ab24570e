"""Keeping score in a real browser: taps counted, drafts kept, mistakes mended."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import Table, assert_nothing_sticks_out, choose_rulebook, place_of, seat
from tests.conftest import CAST, NewPhone

Axe = Callable[[Page], None]

REFERENCE = (("7", "skip", "wild"), ("3", "9"), ("draw-two",))

NOTHING_FADES = "const soon = setTimeout; window.setTimeout = (call, ms) => ms > 9000 ? 0 : soon(call, ms);"
"""Lets a message stay, however long a busy machine takes to look at it."""


@pytest.fixture
def table(page: Page) -> Table:
    return Table(page)


def test_a_stranger_has_a_first_round_saved_with_thirteen_taps(table: Table, page: Page) -> None:
    page.goto("/")
    table.tap("#players-0")
    page.keyboard.type("Ada\n")
    expect(page.locator("[data-up]:visible, [data-drop]:visible, [data-grip]:visible")).to_have_count(0)
    page.keyboard.type("Bo\nCy\nDi")
    expect(page.locator("[data-up]:visible")).to_have_count(4)
    for button in ("Review rules", "Start match"):
        table.tap(f"text={button}")
    before = table.taps
    table.round("Ada", *REFERENCE)
    assert table.taps - before == 10, "of them the round"
    assert table.taps == 13
    table.expect_totals({"Ada": 109, "Bo": 0, "Cy": 0, "Di": 0})


def test_undo_takes_a_round_back_and_brings_it_again(table: Table, page: Page) -> None:
    table.begin()
    table.round("Ada", *REFERENCE)
    page.tap("text=Undo")
    expect(page.locator(".struck")).to_have_count(1)
    table.expect_totals({"Ada": 0})
    page.tap("text=Undo")
    expect(page.locator(".struck")).to_have_count(0)
    table.expect_totals({"Ada": 109})


def test_a_half_entered_hand_survives_reload_back_and_another_visit(table: Table, page: Page) -> None:
    address = table.begin()
    table.tap(".standing:has-text('Ada')")
    table.lay(("7", "skip"))
    page.tap("[data-face='3']")
    page.reload()
    expect(page.locator("[data-sum]")).to_contain_text("3")
    page.go_back()
    expect(page.locator("#record")).to_have_text("Continue round 1")
    page.goto("/")
    page.goto(address)
    page.tap("#record")
    expect(page.locator("[data-turn]")).to_have_text("Cy")
    table.lay((), ("draw-two",))
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 27 + 3 + 20})
    expect(page.locator("#record")).to_have_text("Record round 2")


def test_a_double_tap_saves_once(table: Table, page: Page) -> None:
    table.open_pad()
    table.lay(("7",), ("3",))
    page.tap("[data-face='4']")
    page.evaluate("() => { const save = document.querySelector('[data-next]'); save.click(); save.click(); }")
    page.wait_for_selector("#pad", state="hidden")
    expect(page.locator(".rounds tbody tr")).to_have_count(1)


@pytest.mark.parametrize(
    ("where", "who"),
    [("", ".standing:has-text('Ada')"), ("/rounds/new", "[data-winners] button:has-text('Ada')")],
    ids=["over the sheet", "on its own page"],
)
def test_a_round_whose_answer_was_lost_is_saved_once(table: Table, page: Page, where: str, who: str) -> None:
    page.goto(table.begin() + where)
    page.tap(who)
    table.lay(("7",), ("3",))
    page.tap("[data-face='4']")

    def arrive_and_lose_the_answer(route: object) -> None:
        route.fetch()  # type: ignore[attr-defined]
        route.abort()  # type: ignore[attr-defined]

    page.route("**/rounds/new", arrive_and_lose_the_answer)
    page.tap("[data-next]")
    expect(page.locator("#outbox")).to_contain_text("1 round not sent yet")
    expect(page.locator("#outbox")).to_contain_text("Will send when you’re back online")  # nothing is on its way
    page.unroute("**/rounds/new")
    page.reload()
    expect(page.locator("#outbox")).to_be_hidden()
    expect(page.locator(".rounds tbody tr")).to_have_count(1)


BUZZES = "() => { window.buzzed = []; navigator.vibrate = (ms) => window.buzzed.push(ms); }"


def test_one_tap_at_home_leads_to_the_next_match_and_the_first_card(table: Table, page: Page) -> None:
    table.begin(("Ada", "Bo"), target="20")
    table.round("Ada", ("wild",))
    expect(page.locator(".result h2")).to_have_text("Ada wins!")
    page.goto("/")
    expect(page.locator(".resume .leads")).to_contain_text("Ada")
    page.tap("text=Same two again")
    expect(page.locator("[data-chip=opens]")).to_be_visible()
    page.tap(".standing:has(.name:text-is('Bo'))")
    page.tap("[data-face='7']")
    expect(page.locator("[data-sum]")).to_contain_text("7")


CHIMES = """() => {
    window.notes = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) { window.notes += 1; start.call(this, when); };
}"""


def test_the_end_of_a_match_buzzes_and_sounds_where_that_is_switched_on(table: Table, page: Page) -> None:
    def end(*, still: bool = False) -> object:
        """Play a match to its end; return how often that was felt."""
        table.begin(("Ada", "Bo"), target="20")
        page.emulate_media(reduced_motion="reduce" if still else "no-preference")
        page.evaluate(BUZZES)
        page.evaluate(CHIMES)
        table.round("Ada", ("wild",))
        expect(page.locator(".result h2")).to_have_text("Ada wins!")
        expect(page.locator(".winner-story")).to_have_text("Ada won it in one round.")
        return page.evaluate("window.buzzed.filter((one) => Array.isArray(one)).length")

    assert end() == 1
    assert page.evaluate("window.notes") == 0, "nobody switched the sound on"
    page.goto(f"{page.url}/menu")
    page.check("[data-sound-switch]")
    page.uncheck("[data-buzz-switch]")
    assert end() == 0
    page.wait_for_function("() => window.notes === 4")
    page.goto(f"{page.url}/menu")
    page.check("[data-buzz-switch]")
    assert end(still=True) == 0, "who asks for stillness is not shaken"


def test_a_laid_card_is_felt_counted_and_taken_back_by_a_tap_on_it(table: Table, page: Page) -> None:
    address = table.begin()
    table.tap(".standing:has-text('Ada')")
    page.evaluate(BUZZES)
    for face in ("7", "wild"):
        page.tap(f"[data-face='{face}']")
    assert page.evaluate("window.buzzed") == [10, 10]
    expect(page.locator("[data-so-far]")).to_have_text("+57 so far")
    expect(page.locator("[data-people] [aria-current]")).to_have_text("Bo57 2 cards")
    page.tap(".laid >> nth=0")
    expect(page.locator(".laid")).to_have_count(1)
    expect(page.locator("[data-sum]")).to_contain_text("50")
    expect(page.locator("[data-so-far]")).to_have_text("+50 so far")
    page.emulate_media(reduced_motion="reduce")
    page.tap("[data-face='9']")
    assert len(page.evaluate("window.buzzed")) == 2  # who asks for stillness is not shaken
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"{address}/menu")
    page.uncheck("[data-buzz-switch]")
    page.goto(f"{address}#record")
    page.evaluate(BUZZES)
    page.tap("[data-face='9']")
    assert page.evaluate("window.buzzed") == []


WHERE = "() => [...document.querySelectorAll('.sum, .key, .people, .pad-foot')].map(({ offsetTop: top }) => top)"
FREE = """() => [...document.querySelectorAll('.laid')].filter((card) => {
    const { left, top } = card.getBoundingClientRect();
    return card.contains(document.elementFromPoint(left + 22, top + 22));
}).length"""
"""Counts the cards whose first 44 pixels nothing lies upon: in their middle a finger finds them."""


@pytest.mark.parametrize("screen", [(390, 844), (320, 640), (844, 390)], ids=str)
def test_nothing_on_the_pad_moves_while_cards_are_laid(new_phone: NewPhone, screen: tuple[int, int]) -> None:
    page = new_phone(viewport={"width": screen[0], "height": screen[1]}, reduced_motion="reduce").new_page()
    table = Table(page)
    table.open_pad()
    before = page.evaluate(WHERE)
    for count in range(1, 26):
        page.tap(f"[data-face='{count % 10}']")
        if count in (1, 5, 12):
            assert page.evaluate(FREE) == count
    assert page.evaluate(WHERE) == before
    assert_nothing_sticks_out(page)
    if screen[1] > 800:
        assert page.evaluate(FREE) == 25


def test_one_tap_draws_the_dealer_and_standings_go_by_rank_or_by_seat(
    table: Table, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.records.match.dealing.secrets.choice", lambda seats: seats[-1])
    table.begin()
    expect(page.locator(".dealing")).to_contain_text("Ada deals, Bo starts.")
    table.tap(".dealing button")
    expect(page.locator(".dealing")).to_contain_text("Di deals, Ada starts.")
    expect(page.locator("#live")).to_have_text("Di deals, Ada starts.")
    assert table.taps == 1
    table.round("Cy", ("3",), (), ("4",))
    table.expect_saved()
    assert table.names() == ["Cy", "Ada", "Bo", "Di"]
    expect(page.locator("li:has(.tag) .name")).to_have_text("Ada")
    page.tap("text=Menu")
    page.tap("text=By seat")
    expect(page.locator("#record")).to_be_visible()
    assert table.names() == ["Ada", "Bo", "Cy", "Di"]
    table.round("Di", ("3",), (), ("9",))
    table.expect_saved()
    assert table.names() == ["Ada", "Bo", "Cy", "Di"]
    page.reload()
    assert table.names() == ["Ada", "Bo", "Cy", "Di"]
    page.tap("text=Menu")
    page.tap("text=By rank")
    expect(page.locator("#record")).to_be_visible()
    assert table.names() == ["Di", "Cy", "Ada", "Bo"]


def test_no_more_cards_can_be_laid_than_the_deck_has(table: Table, page: Page) -> None:
    table.open_pad()
    for _ in range(4):
        page.tap("[data-face='0']")
    expect(page.locator("[data-face='0']")).to_be_disabled()


def test_a_typed_sum_is_understood_and_the_way_of_typing_is_remembered(table: Table, page: Page) -> None:
    table.open_pad()
    page.tap("[data-mode]")
    for key in "20+20+50":
        page.tap(f"[data-digit='{key}']")
    expect(page.locator("[data-sum]")).to_contain_text("90")
    for _ in range(2):
        page.tap("[data-next]")
        page.tap("[data-digit='5']")
    page.tap("[data-next]")
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 100})


def test_an_impossible_total_is_refused_beside_the_hand_and_nothing_is_lost(table: Table, page: Page) -> None:
    table.open_pad()
    page.tap("[data-mode]")
    for key in "99999":
        page.tap(f"[data-digit='{key}']")
    table.lay((), (), ())
    expect(page.locator("[data-pad-error]")).to_contain_text("99999")
    expect(page.locator("[data-turn]")).to_have_text("Bo")
    expect(page.locator("[data-sum]")).to_contain_text("99999")


def test_two_phones_that_recorded_are_asked_whether_it_was_the_same_round(
    table: Table, page: Page, new_phone: NewPhone
) -> None:
    address = table.begin()
    keys = page.context.storage_state()["cookies"]  # not its storage: tabs of one phone share what was begun and sent
    second = Table(new_phone(storage_state={"cookies": keys}).new_page())
    second.page.goto(address)
    for number in (1, 2):
        for phone in (table, second):
            phone.tap(".standing:has-text('Ada')")
            phone.lay(("7",), ("3",))
            phone.page.tap("[data-face='4']")
        second.page.tap("[data-face='wild']")
        page.tap("[data-next]")
        page.wait_for_selector("#pad", state="hidden")
        second.page.tap("[data-next]")
        asked = second.page.locator("[data-theirs]")
        told = f"Round {number if number == 1 else 3}: Ada went out. Bo held 7. Cy held 3. Di held 4."
        expect(asked.locator("li")).to_have_text([told])
        expect(second.page.locator("[data-next]")).to_be_hidden()
        second.page.tap("[data-people] button:has-text('Di')")  # what was tapped is still there
        expect(second.page.locator("[data-sum]")).to_contain_text("54")
        second.next()
        second.page.tap("[data-another]" if number == 1 else "[data-same]")
        second.page.wait_for_selector("#pad", state="hidden")
        second.expect_totals({"Ada": 14 + 64 if number == 1 else 14 + 64 + 14})
        page.reload()
    expect(second.page.locator("#outbox")).to_be_hidden()  # the same round leaves nothing behind
    expect(second.page.locator("#record")).to_have_text("Record round 4")


def test_next_asks_once_about_a_hand_without_a_card(table: Table, page: Page) -> None:
    table.open_pad()
    asks = page.locator("[data-asks]")
    page.tap("[data-next]")
    expect(asks).to_contain_text("Nothing entered for Bo.")
    expect(page.locator("[data-turn]")).to_have_text("Bo")
    page.tap("[data-face='5']")  # it was only forgotten
    expect(asks).to_be_hidden()
    page.tap("[data-people] button:has-text('Di')")
    table.lay(("9",))
    expect(asks).to_contain_text("Nothing entered for Cy.")  # passed over, and not saved without a word
    page.tap("[data-absent]")
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 14})
    expect(page.locator(".rounds [aria-label='sat out']")).to_have_count(1)
    page.tap(".rounds tbody a")
    page.tap("[data-people] button:has-text('Bo')")
    page.tap(".laid")
    table.next()
    page.tap("[data-empty]")  # the hands of a saved round are all told: this one is saved
    page.wait_for_selector(".standings")
    table.expect_totals({"Ada": 9})
    page.tap(".rounds tbody a")
    expect(page.locator("[data-people] button").nth(1)).to_have_text("Bo0")


def test_a_second_tap_on_next_that_came_by_itself_is_none(table: Table, page: Page) -> None:
    table.open_pad()
    page.tap("[data-face='5']")
    page.evaluate("() => { const next = document.querySelector('[data-next]'); next.click(); next.click(); }")
    expect(page.locator("[data-turn]")).to_have_text("Cy")
    expect(page.locator("[data-asks]")).to_be_hidden()
    table.next()
    expect(page.locator("[data-asks]")).to_contain_text("Nothing entered for Cy.")


def test_a_whole_round_is_recorded_without_script(new_phone: NewPhone) -> None:
    page = new_phone(java_script_enabled=False).new_page()
    page.goto("/")
    seat(page, "Ada", "Bo", "Cy", "Di")
    page.tap("text=Review rules")
    page.tap("text=Start match")
    page.tap(".standing:has-text('Ada')")
    expect(page.locator("[name=went_out]:checked")).to_have_count(1)
    page.get_by_label("Bo", exact=True).last.fill("7 skip wild")
    page.get_by_label("Cy", exact=True).last.fill("+2 +2 red 9 x")
    page.get_by_label("Di", exact=True).last.fill("20+20+50")
    page.tap("text=Save round")
    expect(page.locator(".error").first).to_contain_text("Unknown card “x”")
    expect(page.get_by_label("Di", exact=True).last).to_have_value("20+20+50")
    page.get_by_label("Cy", exact=True).last.fill("+2 +2 red 9")
    page.tap("text=Save round")
    expect(page.locator(".standing").first).to_contain_text(str(77 + 49 + 90))
    page.tap("text=Undo")
    expect(page.locator(".struck")).to_have_count(1)


@pytest.mark.parametrize(
    "look",
    [
        {"viewport": {"width": 320, "height": 640}},
        {"viewport": {"width": 844, "height": 390}},
        {"viewport": {"width": 1280, "height": 800}},
        {"color_scheme": "dark"},
    ],
    ids=["320 wide", "landscape", "desktop", "dark"],
)
def test_a_round_fits_the_screen(new_phone: NewPhone, axe: Axe, look: dict[str, object]) -> None:
    page = new_phone(**look).new_page()
    table = Table(page)
    table.begin()
    assert_nothing_sticks_out(page)
    axe(page)
    table.tap(".standing:has-text('Ada')")
    page.tap("[data-face='wild-draw-four']")
    assert_nothing_sticks_out(page)
    for key in page.locator(".key:visible").all():
        box = place_of(key)
        assert box["width"] >= 48
        assert box["height"] >= 48
    axe(page)
    table.lay((), (), ("3",))
    page.wait_for_selector("#pad", state="hidden")
    axe(page)


def test_the_rule_card_is_large_enough_to_be_read_aloud_and_whole_on_a_wide_screen(page: Page) -> None:
    page.goto("/")
    seat(page, "Ada", "Bo", "Cy", "Di")
    page.tap("text=Review rules")
    said = page.locator(".rule-card dd")
    assert said.first.evaluate("(one) => getComputedStyle(one).fontSize") == "19px"
    assert place_of(page.locator(".rule-card dt").nth(2))["y"] < place_of(said.nth(2))["y"]
    expect(page.locator(".foot .primary")).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 800})
    card = place_of(page.locator(".rule-card"))
    assert card["y"] + card["height"] <= place_of(page.locator(".foot"))["y"]


def test_who_went_out_is_asked_with_marks_and_totals(table: Table, page: Page) -> None:
    table.set_up(("Ada", "Bo"))
    table.round("Ada", ("7",))
    page.tap("#record")
    asked = page.locator("[data-winners] button:has(.marker)")
    expect(asked).to_have_text(["Ada7", "Bo0"])


def test_the_message_after_the_last_round_leaves_its_buttons_free(new_phone: NewPhone) -> None:
    page = new_phone(viewport={"width": 320, "height": 640}).new_page()
    page.add_init_script(NOTHING_FADES)
    table = Table(page)
    table.set_up(("Ada", "Bo"), rulebook="speluitslagen", target="20")
    expect(page.locator(".standing").first).to_contain_text("20 from losing")
    table.round("Ada", ("wild",))
    expect(page.locator(".toast")).to_be_visible()
    page.get_by_text("Rematch").tap(trial=True)
    page.evaluate("() => scrollTo(0, 0)")
    ends = page.evaluate("() => document.querySelector('.toast').getBoundingClientRect().bottom")
    assert ends <= page.evaluate("() => document.getElementById('result').getBoundingClientRect().top"), (
        "it hides who won"
    )
    page.locator(".foot").get_by_text("Share").tap(trial=True)  # nothing lies on it
    page.locator(".sheet-head").get_by_text("Menu").tap(trial=True)
    expect(page.locator(".toast")).to_be_visible()
    page.tap("text=Rematch")
    expect(page.locator("#record")).to_be_visible()


def test_a_keyboard_on_the_screen_takes_the_place_of_the_tabs(page: Page) -> None:
    page.goto("/")
    page.tap("#players-0")
    expect(page.locator(".tabs")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 500})
    expect(page.locator(".tabs")).to_be_hidden()
    expect(page.get_by_text("Review rules")).to_be_in_viewport()
    page.locator("#players-0").blur()
    expect(page.locator(".tabs")).to_be_visible()


def test_on_its_side_a_phone_shows_every_standing_beside_the_message(new_phone: NewPhone) -> None:
    page = new_phone(viewport={"width": 844, "height": 390}).new_page()
    page.add_init_script(NOTHING_FADES)
    table = Table(page)
    table.begin()
    table.round("Ada", ("7",), (), ())
    table.expect_saved()
    expect(page.locator(".toast")).to_be_visible()
    page.evaluate("() => scrollTo(0, 0)")
    ends = page.evaluate("() => document.querySelector('.toast').getBoundingClientRect().bottom")
    assert ends <= page.evaluate("() => document.querySelector('.standing').getBoundingClientRect().top")


def test_a_name_field_is_drawn_without_the_browsers_arrow(table: Table, page: Page) -> None:
    table.begin()
    page.goto("/matches/new")
    field = page.locator("#players-0")
    field.hover()
    field.focus()
    offers = field.screenshot(animations="disabled")
    assert field.evaluate("(field) => field.list.options.length") == len(CAST)
    field.evaluate("(field) => field.removeAttribute('list')")
    assert field.screenshot(animations="disabled") == offers


def test_what_deletes_has_the_color_of_what_goes(table: Table, page: Page) -> None:
    page.goto(f"{table.begin()}/menu")
    wrong = page.evaluate(
        "() => getComputedStyle(document.body.appendChild(Object.assign(document.createElement('p'),"
        " { className: 'error' }))).color"
    )
    expect(page.locator("main a[href$='/delete']")).to_have_css("color", wrong)
    page.tap("main a[href$='/delete']")
    expect(page.locator("main form button.primary")).to_have_css("background-color", wrong)


def test_a_sheet_prints_as_a_sheet_without_buttons_whatever_the_lamp(table: Table, page: Page) -> None:
    table.begin()
    table.round("Ada", ("7",), ("3",), ("4",))
    page.evaluate("() => { document.documentElement.dataset.theme = 'black'; }")
    page.emulate_media(media="print", color_scheme="dark")
    for one in page.locator("button, .button, .tabs, .toast, .order").all():
        expect(one).to_be_hidden()
    expect(page.locator(".rounds tbody tr")).to_be_visible()
    ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert ground in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")


def test_the_tab_of_scores_leads_back_to_the_match_and_then_home(table: Table, page: Page) -> None:
    address = table.begin()
    page.tap(".tabs >> text=History")
    page.wait_for_url("**/history/")
    page.tap(".tabs >> text=Score")
    page.wait_for_url(address)
    page.tap(".tabs >> text=Score")
    expect(page.locator(".resume")).to_be_visible()
    table.page.goto("/history/")
    page.context.clear_cookies()  # the phone is locked out: the tab must not lead there for ever
    page.tap(".tabs >> text=Score")
    page.wait_for_url(address)
    page.tap(".tabs >> text=Score")
    page.wait_for_url("**/")


def test_a_round_is_recorded_at_twice_the_text_size(new_phone: NewPhone) -> None:
    page = new_phone().new_page()
    table = Table(page)
    table.begin()
    page.evaluate("() => document.documentElement.style.setProperty('font-size', '200%')")
    assert_nothing_sticks_out(page)
    table.round("Ada", *REFERENCE)
    table.expect_totals({"Ada": 109})
    page.evaluate("() => document.getElementById('messages').replaceChildren()")  # so large, it lies over the rounds
    page.tap(".rounds tbody a")
    page.wait_for_selector("[data-pad]:not([hidden])")
    page.evaluate("() => document.documentElement.style.setProperty('font-size', '200%')")
    assert_nothing_sticks_out(page)


def test_what_the_pad_asks_lies_above_its_keys_at_twice_the_text_size(table: Table, page: Page) -> None:
    table.open_pad()
    page.evaluate("() => document.documentElement.style.setProperty('font-size', '200%')")
    page.tap("[data-next]")
    asked = place_of(page.locator("[data-asks] button").last)
    key = place_of(page.locator(".count .keys button:visible").first)
    assert asked["y"] + asked["height"] <= key["y"]


def test_where_cards_drawn_for_the_last_card_count_the_pad_says_so(table: Table, page: Page) -> None:
    table.begin(rulebook="official")
    table.tap(".standing:has-text('Ada')")
    page.tap("[data-reminder] button:has-text('Draw Two')")
    expect(page.locator("[data-reminder]")).to_contain_text("still draws")
    table.lay(("3", "4"), ("5",), ("6",))
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 18})


def test_time_is_up_and_the_fewest_cards_win(table: Table, page: Page) -> None:
    page.goto("/")
    seat(page, "Ada", "Bo", "Cy")
    choose_rulebook(page, "official")
    page.tap("text=House rules, target")
    page.check("[name=house_rules][value=time-limit]")
    page.tap("text=Review rules")
    page.tap("text=Start match")
    expect(page.locator("[data-clock]")).to_have_text("15:00")
    page.tap("[data-minutes-step='5']")
    expect(page.locator("[data-clock]")).to_have_text("20:00")
    page.tap("[data-timer]")
    running = re.compile(r"^1\d:\d\d$")
    expect(page.locator("[data-clock]")).to_have_text(running)
    page.evaluate("localStorage.clear()")
    page.reload()
    expect(page.locator("[data-clock]")).to_have_text(running)
    expect(page.locator("[data-timer]")).to_have_text("Stop clock")
    page.tap("#record")
    page.tap("[data-winners] button:has-text('time ran out')")
    for count in "312":
        page.tap(f"[data-digit='{count}']")
        page.tap("[data-next]")
    expect(page.locator(".result")).to_contain_text("Bo wins!")
