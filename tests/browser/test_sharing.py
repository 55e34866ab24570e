"""Several phones at one table: the live board follows, everybody taps their own hand, a closed link is closed."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.table import CAST, Table, assert_nothing_sticks_out
from tests.browser.test_offline import second_phone
from tests.conftest import NewPhone
from tests.ground.browser import PHONE, complaints
from tests.ground.each import check_each

Axe = Callable[[Page], None]
TEN = ("Ada", "Bo", "Cy", "Di", "Eva", "Fay", "Gus", "Hal", "Ida", "Jo")
HOUR = 3_600_000
TELEVISION: ViewportSize = {"width": 1920, "height": 1080}
WITHIN = 2
"""Seconds, by the board's own clock, after which it has asked and shows what was saved."""


def share(page: Page, sheet: str) -> str:
    """Make the live board of a match and return its address, one that a phone could follow, so that it has a code."""
    page.goto(f"{sheet}/invite")
    page.tap("text=Open live board")
    return str(page.locator("#board-link").get_attribute("href")).replace("127.0.0.1", "referee.localhost")


def gather(page: Page, sheet: str) -> str:
    """Make the table's code and return its address."""
    page.goto(f"{sheet}/hands")
    page.tap("text=Show QR code")
    return page.locator(".link a").get_attribute("href") or ""


def watch(new_phone: NewPhone, address: str, **options: Any) -> Page:
    page = new_phone(**options).new_page()
    page.goto(address)
    return page


def test_the_board_follows_within_two_seconds_and_fits_a_phone_and_a_television(
    page: Page, new_phone: NewPhone, axe: Axe
) -> None:
    table = Table(page)
    sheet = table.begin(target="200")
    address = share(page, sheet)
    board = new_phone().new_page()
    board.clock.install(time=0)
    board.goto(address)
    heard = complaints(board)
    expect(board.locator(".board-last")).to_contain_text("The first round is being played.")
    with board.expect_response("**/now"):  # once more, and then its clock stands still until we say
        board.clock.pause_at(HOUR)
    page.goto(sheet)
    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    table.expect_saved()
    expect(board.locator(".board-line", has_text="Ada").locator(".total")).to_have_text("0")
    board.clock.run_for(WITHIN * 1000)
    expect(board.locator(".board-line", has_text="Ada").locator(".total")).to_have_text("109")
    board.clock.resume()
    expect(board.locator(".board-line", has_text="Ada")).to_contain_text("needs 91")
    for size in (PHONE["viewport"], TELEVISION):
        board.set_viewport_size(size)
        assert_fits(board)
        axe(board)
    tops = "() => [...document.querySelectorAll('.board-line .name')].map((one) => one.getBoundingClientRect().top)"
    assert len(set(board.evaluate(tops))) == 1, "whatever stands below one of them"
    assert not [line for line in heard if "Permissions-Policy" not in line]


def test_a_television_shows_a_large_table_in_letters_for_a_sofa(page: Page, new_phone: NewPhone) -> None:
    names = ("Ada", "Bo", "Cy", "Di", "Eve", "Finn", "Gus", "Hannah", "Ida", "Jo")
    board = new_phone(viewport=TELEVISION).new_page()

    def check(players: int) -> None:
        board.goto(share(page, Table(page).begin(names[:players])))
        expect(board.locator(".board-line")).to_have_count(players)
        assert_fits(board)
        sizes = "(part) => [...document.querySelectorAll(part)].map(one => parseFloat(getComputedStyle(one).fontSize))"
        assert min(board.evaluate(sizes, ".board-line .total")) >= 100
        assert min(board.evaluate(sizes, ".board-line .name")) >= 50
        assert min(board.evaluate(sizes, ".board-line .marks")) >= 24

    check_each((7, 9), check)


def test_a_television_shows_a_few_as_cards_and_then_the_winner_large(page: Page, new_phone: NewPhone) -> None:
    table = Table(page)
    sheet = table.begin(CAST, target="60")
    link = share(page, sheet)
    board = new_phone(viewport=TELEVISION).new_page()
    board.goto(link)
    boxes = "(part) => [...document.querySelectorAll(part)].map((one) => one.getBoundingClientRect())"
    lines = board.evaluate(boxes, ".board-line")
    assert len({one["top"] for one in lines}) == 1, "side by side"
    assert len({one["left"] for one in lines}) == len(CAST)
    assert min(one["height"] for one in board.evaluate(boxes, ".board-line .along")) > 10

    page.goto(sheet)
    table.round("Bo", ("7",), (), ())
    table.round("Ada", ("wild",), ("skip",), ())
    expect(page.locator("#result")).to_be_visible()
    board.goto(link)
    for width, height in SCREENS[:3]:
        board.set_viewport_size({"width": width, "height": height})
        assert_fits(board)
        assert not board.evaluate(FAULTS)
        expect(board.locator(".board-qr")).to_be_in_viewport(ratio=1)
        one, other = (board.evaluate(boxes, part)[0] for part in (".board-lines", ".board > .chart"))
        assert 0 <= other["top"] - one["bottom"] <= height / 20, "no hole between them"
        assert board.evaluate(boxes, ".winner-name")[0]["height"] >= height / 5
        assert board.evaluate(boxes, ".board-qr .qr")[0]["width"] >= 96
        said, total = board.evaluate(SAID), board.evaluate(boxes, ".winner-total")[0]
        assert said["height"] >= height / 25, "as large as belongs to a name"
        assert said["top"] < board.evaluate(boxes, ".winner-name")[0]["bottom"] <= said["bottom"], "right below it"
        assert abs(said["bottom"] - total["top"]) <= height / 80, "and right above the total"
    assert min(one["height"] for one in board.evaluate(boxes, ".chart text")) >= 28


SAID = """() => {
    const range = document.createRange();
    range.selectNode([...document.querySelector('#result').childNodes].findLast((one) => one.data?.trim()));
    return range.getBoundingClientRect();
}"""
"""Where the verb beside the winner's name stands."""
LONG = (
    "Wolfeschlegelsteinhausen", "Bo", "Maximiliane-Antoinette von Habsburg", "Di", "Llanfairpwllgwyngyllgogerychwyrn",
    "Müller-Lüdenscheidt", "Ada", "WWWWWWWWWWWWWWWWWWWWWWWWWW", "Christopher", "Donaudampfschifffahrtsgesellschaft",
)  # fmt: skip
SCREENS = ((1280, 720), (1280, 800), (1920, 1080), (768, 1024), (390, 844))
FAULTS = """() => {
    const faults = [];
    const seen = (one) => one.getBoundingClientRect();
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const parts = [...document.querySelectorAll(
        '.board-head, .board-last, .connection, [data-fullscreen], .board-qr, .winner-who, .winner-last, ' +
        '.winner-decided, .chart, .board-line .rank, .board-line .name, .board-line .marks, .board-line .total',
    )].filter((one) => seen(one).width && seen(one).height);
    parts.forEach((one, place) => parts.slice(place + 1).forEach((other) => {
        if (meet(seen(one), seen(other))) faults.push(`${one.className} meets ${other.className}: ${other.innerText}`);
    }));
    for (const one of parts) {
        const { left, right } = seen(one);
        if (left < 0 || right > innerWidth) faults.push(`${one.className} sticks out: ${one.innerText}`);
    }
    const walk = document.createTreeWalker(document.getElementById('board'), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        for (const word of walk.currentNode.data.matchAll(/[^\\s\\u00ad-]+/g)) {
            const range = document.createRange();
            range.setStart(walk.currentNode, word.index);
            range.setEnd(walk.currentNode, word.index + word[0].length);
            const hyphen = walk.currentNode.data[word.index - 1] === '\u00ad'; // drawn as part of what follows it
            const shown = [...range.getClientRects()].slice(hyphen ? 1 : 0);
            const tops = new Set(shown.map(({ top }) => Math.round(top)));
            if (tops.size > 1) faults.push(`broken: ${word[0]}`);
        }
    }
    return faults;
}"""
"""What overlaps, sticks out or is broken within a word."""


def test_no_name_is_broken_or_covered_on_any_screen(page: Page, new_phone: NewPhone) -> None:
    board = new_phone(reduced_motion="reduce").new_page()

    def check(players: int) -> None:
        names = LONG[:players]
        table = Table(page)
        sheet = table.begin(names, target="2000")
        board.goto(share(page, sheet))

        def look(moment: str) -> None:
            faults = []
            for width, height in SCREENS:
                board.set_viewport_size({"width": width, "height": height})
                faults += [f"{moment}, {width}: {fault}" for fault in board.evaluate(FAULTS)]
                assert_nothing_sticks_out(board)
                if width > height:
                    assert_fits(board)
                board.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
                assert_nothing_sticks_out(board)
                board.evaluate("() => { document.documentElement.style.fontSize = ''; }")
            assert not faults, "\n".join(faults)

        page.goto(sheet)
        table.round(names[0], *(("7", "skip"), *((("3",),) * (players - 2))))
        expect(board.locator(".gain")).to_have_text(f"+{27 + 3 * (players - 2)}")
        look("at play")
        table.expect_saved()
        page.goto(f"{sheet}/menu")
        page.tap("text=End the match")
        expect(board.locator(".winner-name")).to_have_text(names[0])
        look("ended")
        board.set_viewport_size({"width": 1280, "height": 800})
        size = "() => parseFloat(getComputedStyle(document.querySelector('.winner-name')).fontSize)"
        assert board.evaluate(size) >= 48

    check_each((2, 6, 10), check)


MOVES = """() => {
    window.moves = [];
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, how) {
        if (this.matches('[data-scene], [data-fan] > *')) window.moves.push(how.duration);
        return animate.call(this, frames, how);
    };
}"""


FINISH = [200, 450, 450, 450, 450]
"""Milliseconds: the scene, and each card of the winner's fan."""


def test_the_winner_appears_once_in_the_moment_and_moves_nothing_where_stillness_is_asked_for(
    page: Page, new_phone: NewPhone
) -> None:
    table = Table(page)
    sheet = table.begin(("Ada", "Bo"), target="20")
    address = share(page, sheet)
    board, still = new_phone().new_page(), new_phone(reduced_motion="reduce").new_page()
    for one in (page, board, still):
        one.add_init_script(f"({MOVES})()")
    board.goto(address)
    still.goto(address)
    page.goto(sheet)
    table.round("Ada", ("skip",))
    for one, moves in ((page, FINISH), (board, FINISH), (still, [])):
        expect(one.locator(".result h2")).to_have_text("Ada wins!")
        expect(one.locator("#live")).to_contain_text("Ada wins!")
        assert one.evaluate("window.moves") == moves
        one.reload()
        expect(one.locator(".result h2")).to_have_text("Ada wins!")
        assert one.evaluate("window.moves") == []


def test_who_won_fills_the_board_in_their_color_for_a_moment_and_a_tie_shares_it(
    page: Page, new_phone: NewPhone
) -> None:
    def check(tied: bool) -> None:
        table = Table(page)
        sheet = table.begin(("Ada", "Bo"), target="500" if tied else "20")
        board, still = new_phone().new_page(), new_phone(reduced_motion="reduce").new_page()
        address = share(page, sheet)
        for one in (board, still):
            one.clock.install()
            one.goto(address)
        page.goto(sheet)
        table.round("Ada", ("skip",))
        if tied:
            table.expect_totals({"Ada": 20})
            table.round("Bo", ("skip",))
            table.expect_totals({"Bo": 20})
            page.goto(f"{sheet}/menu")
            page.tap("button:has-text('End the match')")
        for one in (board, still):
            one.clock.run_for(2000)
            expect(one.locator(".result h2")).to_be_visible()
        still.set_viewport_size({"width": 1920, "height": 1080})
        assert_fits(still)
        expect(board.locator(".curtain .name")).to_have_text(["Ada", "Bo"] if tied else ["Ada"])
        colors = "[...document.querySelectorAll('.curtain .side')].map((one) => getComputedStyle(one).backgroundColor)"
        assert len(set(board.evaluate(colors))) == (2 if tied else 1)
        assert still.locator(".curtain").count() == 0
        if not tied:  # behind it the total waits to count up, and a card to fly into it; a tap ends both
            expect(board.locator(".winner-total")).to_have_text("0")
            expect(board.locator(".flying")).to_have_count(1)
            expect(still.locator(".winner-total")).to_have_text("20")
        board.locator(".curtain").click(position={"x": 5, "y": 5})
        expect(board.locator(".curtain, .flying")).to_have_count(0)
        if not tied:
            expect(board.locator(".winner-total")).to_have_text("20")

    check_each((False, True), check)


def test_the_board_fills_the_screen_where_the_browser_can(page: Page, new_phone: NewPhone) -> None:
    address = share(page, Table(page).begin())
    board = watch(new_phone, address)
    board.tap("text=Full screen")
    board.wait_for_function("() => document.fullscreenElement === document.documentElement")
    board.tap("text=Exit full screen")
    board.wait_for_function("() => !document.fullscreenElement")
    old = new_phone().new_page()
    old.add_init_script("Object.defineProperty(document, 'fullscreenEnabled', { value: false })")
    old.goto(address)
    expect(old.locator("[data-said]")).to_have_text("Connected")
    expect(old.get_by_text("Full screen")).to_be_hidden()


def assert_fits(board: Page) -> None:
    """Fail when a board does not stand whole on its screen."""
    assert_nothing_sticks_out(board)
    assert board.evaluate("() => document.documentElement.scrollHeight <= innerHeight")


def test_the_board_says_when_it_is_not_connected_and_comes_back(page: Page, new_phone: NewPhone) -> None:
    table = Table(page)
    sheet = table.begin()
    board = watch(new_phone, share(page, sheet))
    board.context.set_offline(True)
    expect(board.locator("[data-said]")).to_contain_text("Offline.")
    page.goto(sheet)
    table.round("Bo", (), ("3",), ("3",))
    board.context.set_offline(False)
    expect(board.locator(".board-line", has_text="Bo").locator(".total")).to_have_text("6")
    expect(board.locator("[data-said]")).to_have_text("Connected")


def test_a_closed_board_says_so_by_itself_and_opens_nothing_more(page: Page, new_phone: NewPhone) -> None:
    sheet = Table(page).begin()
    address = share(page, sheet)
    board = watch(new_phone, address)
    page.tap("text=Close board")
    expect(board.locator("[data-said]")).to_have_text("This board was closed.")
    answer = board.goto(address)
    assert answer is not None
    assert answer.status == 404


def test_ten_phones_tap_their_hands_at_the_same_time(page: Page, new_phone: NewPhone, axe: Axe) -> None:
    table = Table(page)
    sheet = table.begin(TEN)
    code = gather(page, sheet)
    phones = {name: watch(new_phone, code) for name in TEN[1:]}
    for name, phone in phones.items():
        phone.tap(f".seat-button:has-text('{name}')")
        expect(phone.locator(".own-line")).to_contain_text(name)
    silent = phones.pop("Jo")  # lies face down on the sofa
    page.tap("[aria-label='Record that Ada went out']")
    for phone in phones.values():
        phone.tap("[data-face='9']")
    for phone in phones.values():
        phone.tap("[data-next]")
    for phone in phones.values():
        expect(phone.locator(".own-line")).to_contain_text("Sent: 1 card, 9 points.")
    expect(page.locator("#arrivals")).to_contain_text("Waiting for Jo.")
    axe(page)
    page.tap("text=Enter the other hands")
    for _ in range(len(phones)):
        table.next()
    table.lay(("7",))
    page.wait_for_selector(".standings")
    table.expect_totals({"Ada": 9 * 8 + 7})
    expect(silent.locator(".board-last")).to_contain_text("Ada +79")
    axe(silent)


def test_a_half_tapped_hand_survives_a_reload(page: Page, new_phone: NewPhone, axe: Axe) -> None:
    sheet = Table(page).begin()
    phone = watch(new_phone, gather(page, sheet))
    phone.tap(".seat-button:has-text('Bo')")
    page.tap("[aria-label='Record that Ada went out']")
    phone.tap("[data-face='wild']")
    phone.reload()
    expect(phone.locator("[data-sum]")).to_contain_text("50")
    assert phone.evaluate("() => document.documentElement.scrollHeight <= innerHeight"), "the whole pad is seen"
    axe(phone)
    phone.tap("[data-next]")
    expect(phone.locator(".own-line")).to_contain_text("Sent: 1 card, 50 points.")
    expect(page.locator("#arrivals .total")).to_have_text("50")


def test_hands_come_without_script_too(page: Page, new_phone: NewPhone) -> None:
    sheet = Table(page).begin()
    phone = watch(new_phone, gather(page, sheet), java_script_enabled=False)
    phone.click(".seat-button:has-text('Bo')")
    page.tap("[aria-label='Record that Ada went out']")
    phone.reload()
    phone.fill("input[name^='hand-']", "20+20+50")
    phone.click("text=Send my hand")
    expect(phone.locator(".own-line")).to_contain_text("Sent: typed, 90 points.")


def test_the_result_can_be_taken_along(page: Page, axe: Axe) -> None:
    table = Table(page)
    sheet = table.begin()
    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    table.expect_saved()
    page.goto(f"{sheet}/share")
    axe(page)
    expect(page.locator("[data-picture]")).to_have_js_property("complete", True)
    expect(page.locator("[data-picture]")).to_have_js_property("naturalWidth", 1200)
    assert "1. Ada: 109" in page.locator("#result-text").input_value()
    assert (page.get_by_role("link", name="Send by email").get_attribute("href") or "").startswith("mailto:?subject=")
    page.tap("text=Copy text")
    expect(page.locator(".toast")).to_contain_text("opied")


SHARES = """
    navigator.canShare = () => true;
    navigator.share = async ({ text, files }) => { window.shared = [text, ...files.map(({ name }) => name)]; };
"""


def test_one_tap_shares_the_picture_and_how_it_was_won_and_one_the_whole_year(page: Page) -> None:
    page.add_init_script(SHARES)
    table = Table(page)
    sheet = table.begin(("Ada", "Bo"), target="20")
    table.round("Ada", ("wild",))
    expect(page.locator(".result h2")).to_have_text("Ada wins!")
    page.goto(f"{sheet}/share")
    page.tap("button:text-is('Share result')")
    page.wait_for_function("() => window.shared")
    text, *files = page.evaluate("window.shared")
    assert "Ada wins! Ada won it in one round." in text
    assert files == ["uno-result.png"]
    page.goto("/history/year")
    page.tap("button:text-is('Share pictures')")
    page.wait_for_function("() => window.shared")
    text, *files = page.evaluate("window.shared")
    assert "in pictures" in text
    assert len(files) == page.locator("[data-picture]").count() == len(set(files)) > 2


def test_a_public_page_is_passed_on_with_and_without_what_only_https_has(page: Page, new_phone: NewPhone) -> None:
    page.goto(f"{Table(page).begin()}/share")
    page.tap("text=Make a public page")
    address = page.locator("#public-link").input_value()
    expect(page.get_by_text("Share link")).to_be_hidden()

    def passed_on(on_page: str) -> Page:
        visitor = new_phone()
        visitor.add_init_script(on_page)
        public = visitor.new_page()
        public.goto(address)
        public.tap("text=Copy link")
        expect(public.locator("[data-said]")).to_have_text("Copied.")
        assert visitor.cookies() == []
        assert public.evaluate("() => localStorage.length") == 0
        return public

    plain = passed_on("delete Navigator.prototype.clipboard; delete Navigator.prototype.share;")
    expect(plain.get_by_text("Share link")).to_be_hidden()
    hears = "const write = async (it) => { window.heard = it; };"
    clipboard = "Object.defineProperty(navigator, 'clipboard', { value: { writeText: write } });"
    secure = passed_on(f"{hears} {clipboard} navigator.share = async ({{ url }}) => write(`shared ${{url}}`);")
    assert secure.evaluate("() => window.heard") == address
    secure.tap("text=Share link")
    secure.wait_for_function("(address) => window.heard === `shared ${address}`", arg=address)


def test_what_follows_live_keeps_the_language_of_each_phone_and_of_the_television(new_phone: NewPhone) -> None:
    german = new_phone(locale="de").new_page()
    table = Table(german)
    sheet = table.begin(target="200")
    german.goto("/club")
    german.tap("details:has([name=language]) > summary")
    german.select_option("select[name=language]", "es")
    german.tap("form:has(select[name=language]) button")
    expect(german.locator(".toast")).to_be_visible()
    german.goto(f"{sheet}/invite")
    german.tap("form[action$='/board'] button")
    board = watch(new_phone, german.locator("#board-link").get_attribute("href") or "", locale="en")
    dutch = watch(new_phone, sheet, storage_state=german.context.storage_state(), locale="nl")
    german.goto(sheet)

    def follow(shown: Mapping[Page, tuple[str, str]]) -> None:
        for page, (code, text) in shown.items():
            expect(page.locator(".standings, .board").first).to_contain_text(text)
            expect(page.locator("html")).to_have_attribute("lang", code)

    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    follow({german: ("de", "braucht noch 91"), dutch: ("nl", "nog 91 nodig"), board: ("es", "a 91 de la meta")})

    german.tap(".standing:has-text('Bo')")
    german.tap("[data-face='9']")
    german.tap("[data-close]")
    german.goto(f"{sheet}/menu")  # in the middle of a round
    german.tap(".languages [value=en]")
    expect(german.locator("html")).to_have_attribute("lang", "en")
    german.goto(sheet)
    expect(german.locator("#record")).to_have_text("Continue round 2")
    Table(dutch).round("Ada", ("1",), (), ())
    follow({german: ("en", "needs 90"), dutch: ("nl", "nog 90 nodig"), board: ("es", "a 90 de la meta")})
    german.tap("#record")
    expect(german.locator("[data-people] button").nth(2)).to_have_text("Cy9 1 card")


def test_two_phones_at_once_record_one_round_and_the_second_keeps_its_draft(page: Page, new_phone: NewPhone) -> None:
    table = Table(page)
    sheet = table.begin()
    other = second_phone(page, new_phone, sheet)
    slower = Table(other)
    slower.tap(".standing:has-text('Ada')")
    slower.tap("[data-face='7']")
    table.round("Ada", ("7", "skip", "wild"), ("3", "9"), ("draw-two",))
    expect(other.locator(".toast")).to_contain_text("Another phone saved a change")
    expect(other.locator("[data-sum]")).to_contain_text("7")
    slower.lay((), ("3",), ("3",))
    saved = "Round 1: Ada went out. Bo held 7, Skip, and Wild. Cy held 3 and 9. Di held Draw Two."
    expect(other.locator("[data-theirs] li")).to_have_text(saved)
    table.expect_totals({"Ada": 109})
    slower.tap("[data-close]")
    expect(other.locator(".standing", has_text="Ada").locator("[data-total]")).to_have_text("109")
    slower.tap("#record")
    expect(other.locator("[data-people]")).to_contain_text("7")


def test_a_deleted_match_comes_back_by_undo_and_another_phone_hears_of_it(page: Page, new_phone: NewPhone) -> None:
    table = Table(page)
    sheet = table.begin()
    table.round("Ada", ("7",), ("3",), ("draw-two",))
    table.expect_saved()
    other = new_phone(storage_state=page.context.storage_state()).new_page()
    other.goto(sheet)
    page.goto(f"{sheet}/menu")
    page.tap("text=Delete this match")
    page.tap("text=Delete match")
    expect(page.locator(".toast")).to_contain_text("Match deleted.")
    expect(other.locator("#messages")).to_contain_text("This sheet was deleted")
    page.tap(".toast button")
    expect(page.locator(".toast")).to_contain_text("Match restored.")
    table.expect_totals({"Ada": 30, "Bo": 0, "Cy": 0, "Di": 0})


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_whoever_deletes_a_name_chooses_what_becomes_of_each_text(
    page: Page, new_phone: NewPhone, axe: Axe, script: bool
) -> None:
    sheet = Table(page).begin(("Maria", "Bo", "Cy", "Di"))
    page.goto(f"{sheet}/menu?section=details")
    page.fill("#name", "Maria’s birthday")
    page.fill("#location", "At Maria’s")
    page.fill("#match_note", "Maria deals.\nMariana sings.")
    page.tap("form[action$='/details'] button")
    expect(page.locator(".toast")).to_be_visible()
    phone = new_phone(storage_state=page.context.storage_state(), java_script_enabled=script).new_page()
    phone.goto("/club")
    phone.tap("main a:has-text('Maria')")
    phone.tap("a[href$='/delete']")
    expect(phone.locator("h1")).to_have_text("Delete this name?")
    assert_nothing_sticks_out(phone)
    if script:
        axe(phone)
    name, place, note = (phone.locator(".texts li").nth(at) for at in range(3))
    expect(name.locator("bdi")).to_have_text("Maria’s birthday")
    expect(name.locator("mark")).to_have_text("Maria")
    expect(phone.locator("[name=on]:checked")).to_have_count(3)
    place.locator("[name=on]").uncheck()
    note.locator("summary").tap()
    note.locator("textarea").fill("Someone deals.\nMariana sings.")
    phone.tap("text=Delete name")
    expect(phone.locator(".toast")).to_contain_text("Name deleted.")
    phone.goto(f"{sheet}/menu?section=details")
    expect(phone.locator("h1")).to_have_text("(text with a deleted name)")
    expect(phone.locator("#name")).to_have_value("")
    expect(phone.locator("#location")).to_have_value("At Maria’s")
    expect(phone.locator("#match_note")).to_have_value("Someone deals.\nMariana sings.")
