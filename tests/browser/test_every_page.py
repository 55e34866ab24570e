"""Every page there is, as the routes list them, in every state: accessible, fitting, and light over the wire."""

import contextlib
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, Request, expect
from sqlalchemy import update

from referee.records.models import Club
from referee.rules.text.words import ENGLISH, languages
from referee.web.server.database import db
from tests.browser.table import Table, assert_nothing_sticks_out
from tests.conftest import NewPhone
from tests.ground.browser import ABOUT_WORDS, check_accessibility, complaints
from tests.ground.each import check_each
from tests.ground.server import Server
from tools.pictures.sample import Season, furnish
from tools.pictures.states import STATES, State, Viewer, viewing

Axe = Callable[[Page], None]

NO_PAGES = re.compile(r"^/(api|static|healthz|readyz|metrics)\b|\.(png|js|json|csv|toml|crt|webmanifest)$|/now$")
"""Addresses that answer with something else than a page."""
MEASURES = (Path(__file__).parent / "measures.js").read_text("utf-8")

FIRST_VISIT = 38_000
NEXT_PAGE = 12_000
FIRST_REQUESTS = 9  # the last one came with the languages: the words of scripts are a file for each

PHONE_SIZE = (390, 844)
NARROW = (320, 640)
THEMES = ("light", "dark", "black")
WIDEST = [state for state in STATES if f"{state.name}-unfolded" not in {other.name for other in STATES}]
"""Each page as it shows most: whoever unfolds all of it sees all that it says folded."""


@pytest.fixture
def season(server: Server) -> Season:
    """A club with something on every page."""
    return furnish(server.app)


@pytest.fixture
def viewer(browser: Browser, server: Server, season: Season) -> Iterator[Viewer]:
    """Opens pages in their states, without motion: what is measured stands still."""
    with viewing(browser, server.url, season, reduced_motion="reduce") as viewer:
        yield viewer


def measure(page: Page, *names: str) -> None:
    """Fail with all that the measures find."""
    if not page.evaluate("() => 'measures' in window"):
        page.evaluate(MEASURES)
    found = [f"{name}: {line}" for name in names for line in page.evaluate(f"() => measures.{name}()")]
    assert not found, "\n".join(found)


def test_every_page_in_every_state_is_light_fits_and_can_be_used_by_all(viewer: Viewer) -> None:
    """Measured once each: bytes, widths, targets, faces, axe, contrast by theme, forced colors, text twice as large."""

    def check(state: State) -> None:
        heard = complaints(viewer.page(state.who, script=state.script))
        page, answer = viewer.open(state)
        sizes = answer.request.sizes()
        assert sizes["responseBodySize"] + sizes["responseHeadersSize"] <= NEXT_PAGE
        if not state.script:
            return
        assert_nothing_sticks_out(page)
        check_accessibility(page, "color-contrast")  # two thirds of axe's time; `faintText` measures it in each theme
        measure(page, "smallTargets", "silentFigures", "otherFaces", "cutLabels")
        for theme in THEMES:
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
            measure(page, "faintText", "faintMarks")
        page.evaluate("() => { document.documentElement.dataset.theme = 'auto'; }")
        page.emulate_media(forced_colors="active")
        measure(page, "hiddenChoices", "seeThrough", "faintText")
        page.emulate_media(forced_colors="none")
        page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
        assert_nothing_sticks_out(page)
        page.set_viewport_size({"width": PHONE_SIZE[0], "height": PHONE_SIZE[1]})
        page.evaluate("() => document.documentElement.style.setProperty('font-size', '200%')")
        assert_nothing_sticks_out(page)
        measure(page, "stuckShare")
        assert not heard, heard

    check_each(STATES, check, lambda state: state.name)


@pytest.mark.parametrize("code", [code for code, one in languages().items() if one.whole and code != ENGLISH])
def test_every_page_fits_and_can_be_used_by_all_in_any_language(
    browser: Browser, server: Server, season: Season, code: str
) -> None:
    with server.app.app_context():
        db.session.execute(update(Club).values(language=code))
        db.session.commit()
    size = {"width": NARROW[0], "height": NARROW[1]}
    with viewing(browser, server.url, season, reduced_motion="reduce", locale=code, viewport=size) as viewer:

        def check(state: State) -> None:
            page, _ = viewer.open(state)
            assert page.get_attribute("html", "lang") == code
            assert_nothing_sticks_out(page)
            if state.script:
                check_accessibility(page, about=ABOUT_WORDS)

        check_each(WIDEST, check, lambda state: state.name)


def test_words_that_name_a_control_otherwise_are_found(page: Page) -> None:
    page.goto("/rules")
    check_accessibility(page, about=ABOUT_WORDS)
    page.evaluate("() => document.querySelector('#search button').setAttribute('aria-label', 'Zoeken')")
    with pytest.raises(AssertionError, match="label-content-name-mismatch"):
        check_accessibility(page, about=ABOUT_WORDS)


def test_a_state_stands_for_every_page_of_the_routes(server: Server, viewer: Viewer, season: Season) -> None:
    adapter = server.app.url_map.bind("localhost")
    opened = {adapter.match(viewer.path(state).partition("?")[0])[0] for state in STATES if state.status != 404}
    pages = {
        rule.endpoint: rule.rule
        for rule in server.app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and not NO_PAGES.search(rule.rule)
    }
    assert not {rule for endpoint, rule in pages.items() if endpoint not in opened}, "add a state for each"


WRONG = {
    "smallTargets": "main button { min-height: 2rem; height: 2rem; padding: 0 }",
    "silentFigures": "h1 { display: none }",
    "otherFaces": "h1 { font-family: monospace }",
    "cutLabels": ".pad-foot button { white-space: normal !important; width: 3rem }",
    "faintText": ".tabs a { color: #aaa }",
    "faintMarks": ":root { --card-edge: #ddd }",
    "hiddenChoices": ".tabs a { all: unset !important; display: block !important }",
    "seeThrough": ".tabs { background: none !important }",
    "stuckShare": ".pad-head { position: fixed; bottom: 0; height: 50vh; width: 100% }",
}
"""What a style would have to do for each measure to complain of it."""
RESTYLE = """(text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
    if (text.startsWith('h1')) document.querySelector('main').insertAdjacentHTML('beforeend', '<table><td>1</table>');
}"""


def test_a_measure_finds_what_is_wrong(viewer: Viewer) -> None:
    page, _ = viewer.open(next(state for state in STATES if state.name == "round"))

    def check(name: str) -> None:
        page.emulate_media(forced_colors="active" if name in ("hiddenChoices", "seeThrough") else "none")
        page.evaluate(RESTYLE, "")
        measure(page, name)
        page.evaluate(RESTYLE, WRONG[name])
        with pytest.raises(AssertionError, match=name):
            measure(page, name)

    check_each(WRONG, check)


@pytest.mark.parametrize("code", [code for code, one in languages().items() if one.whole])
def test_the_first_visit_is_light(new_phone: NewPhone, code: str) -> None:
    page = new_phone(locale=code).new_page()
    weights: list[tuple[str, int]] = []

    def weigh(request: Request) -> None:
        sizes = request.sizes()
        weights.append((request.url, sizes["responseBodySize"] + sizes["responseHeadersSize"]))

    page.on("requestfinished", weigh)
    page.goto("/", wait_until="networkidle")
    assert 2 <= len(weights) <= FIRST_REQUESTS, weights
    assert sum(weight for _, weight in weights) <= FIRST_VISIT, weights
    assert [url for url, _ in weights if "/js/words/" in url and f"/{code}.js" not in url] == []


def test_the_leader_is_named_on_the_board_at_twice_the_text_size(viewer: Viewer) -> None:
    page, _ = viewer.open(next(state for state in STATES if state.name == "board"))
    page.evaluate("() => document.documentElement.style.setProperty('font-size', '200%')")
    box = page.locator(".board-line.leads .name").bounding_box()
    assert box
    assert box["width"] > 40


def test_eighteen_cards_are_seen_whole_on_a_phone_on_its_side(browser: Browser, server: Server, season: Season) -> None:
    size = {"width": 844, "height": 390}
    with viewing(browser, server.url, season, viewport=size, reduced_motion="reduce") as viewer:
        page, _ = viewer.open(next(state for state in STATES if state.name == "pad-many-cards"))
        fan = page.locator("[data-fan]")
        assert fan.evaluate("(one) => one.scrollHeight - one.clientHeight") <= 0


def test_german_names_of_keys_stay_within_them_on_a_narrow_phone(
    browser: Browser, server: Server, season: Season
) -> None:
    size = {"width": 320, "height": 640}
    with viewing(browser, server.url, season, viewport=size, locale="de") as viewer:
        page, _ = viewer.open(next(state for state in STATES if state.name == "pad-cards"))
        for name in page.locator(".key-name:visible").all():
            assert name.evaluate("(one) => one.scrollWidth < one.closest('.key').clientWidth"), name.text_content()


def test_an_answer_is_on_the_screen_of_a_phone_on_its_side(browser: Browser, server: Server, season: Season) -> None:
    with viewing(browser, server.url, season, viewport={"width": 844, "height": 390}) as viewer:
        page, _ = viewer.open(next(state for state in STATES if state.name == "rules-found"))
        expect(page.locator(".heard .lead")).to_be_in_viewport(ratio=1)
        page.select_option("#rulebook", "duo-200")  # below what was found
        expect(page.locator(".heard")).to_contain_text("UNO Duo")


def test_a_wide_sheet_shows_the_rounds_of_all_ten_players(browser: Browser, server: Server, season: Season) -> None:
    with viewing(browser, server.url, season, viewport={"width": 1280, "height": 800}) as viewer:
        page, _ = viewer.open(next(state for state in STATES if state.name == "sheet-many"))
        assert page.locator(".scroll:has(.rounds)").evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0


LEFT_EARLY = """(pause) => {
    location.assign('/disputes');
    setTimeout(() => location.assign(`/rules?q=${pause}`), pause);
}"""


def test_a_page_left_before_it_was_drawn_reports_no_error(new_phone: NewPhone) -> None:
    page = new_phone().new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/rules")
    for pause in (0, 5, 10, 20, 30, 45, 60, 80, 100, 130, 160, 200):
        with contextlib.suppress(Error):  # the page may be gone already
            page.evaluate(LEFT_EARLY, pause)
            page.wait_for_timeout(pause + 30)
            page.evaluate("() => location.assign('/disputes')")
            page.evaluate("() => location.reload()")
        page.wait_for_timeout(250)
    assert not errors, errors


def test_a_style_that_comes_late_reports_no_error(new_phone: NewPhone) -> None:
    page = new_phone().new_page()
    heard = complaints(page)
    page.route("**/css/base.css", lambda route: route.continue_())  # past the browser's cache
    page.goto("/rules")
    for room in ("Dispute", "Rules") * 3:
        page.click(f".tabs a:has-text('{room}')")
        expect(page.locator(".tabs [aria-current]")).to_have_text(room)
    assert not heard, heard


@pytest.mark.parametrize("address", ["/", "/recover"])
def test_each_language_at_the_foot_of_a_page_can_be_tapped(page: Page, address: str) -> None:
    page.goto(address)
    for one in languages().values():
        if one.whole:
            page.tap(f".languages [value={one.code}]", timeout=5_000)  # else something lies on it
            expect(page.locator("html")).to_have_attribute("lang", one.code)


@pytest.mark.parametrize("address", ["/", "/rules", "/rules?q=skip", "/disputes", "/history/", "/recover"])
def test_no_field_takes_the_focus_and_the_keyboard(page: Page, address: str) -> None:
    page.goto(address, wait_until="networkidle")
    assert not page.evaluate("() => document.activeElement.matches('input, select, textarea')")


def test_the_light_can_be_chosen(page: Page, axe: Axe) -> None:
    Table(page).begin()
    page.goto("/club")

    def choose(theme: str) -> None:
        page.tap(f"button:text-is('{theme}')")
        expect(page.locator("html")).to_have_attribute("data-theme", theme.lower())
        background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(0, 0, 0)") == (theme == "Black")
        axe(page)

    check_each(("Light", "Dark", "Black"), choose)


# -- the time of day ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "Pacific/Kiritimati"])
def test_a_round_is_said_to_be_recorded_when_the_clock_at_the_table_showed_it(new_phone: NewPhone, zone: str) -> None:
    page = new_phone(timezone_id=zone).new_page()
    table = Table(page)
    table.begin()
    table.round("Ada", ("7",), ("3",), ("9",))
    page.locator(".rounds a").first.tap()
    said = page.locator("text=/Recorded/").locator("xpath=ancestor-or-self::li")
    east = {"Asia/Kathmandu": timedelta(hours=5, minutes=45), "Pacific/Kiritimati": timedelta(hours=14)}[zone]
    times = [f"{datetime.now(UTC) + east - timedelta(minutes=ago):%B %-d, %Y, %-I:%M %p}" for ago in range(4)]
    expect(said).to_contain_text(re.compile("|".join(times)))
    expect(said).not_to_contain_text("UTC")
