"""What people do at the table, as taps on a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.ground.client import TOKEN, find_in

CAST = ("Ada", "Bo", "Cy", "Di")
LINES = r"""() => [...document.querySelectorAll('.standings li')].map((line) => {
    const said = line.querySelector('.standing').cloneNode(true);
    for (const one of said.querySelectorAll('.unseen, [hidden], .unsure')) one.remove();
    const width = line.querySelector('[data-along]').getAttribute('width');
    return `${said.textContent.trim().replace(/\s+/g, ' ')}, ${width} %`;
})"""
"""What each line of the standings says, and how far its player is on the way to the target."""
IMPATIENT = """
    for (const name of ['setTimeout', 'setInterval']) {
        const own = window[name];
        window[name] = (call, ms) => own(call, ms >= 4000 ? ms / 10 : ms);
    }
"""
"""Lets a page's long pauses, and its patience, be short."""


def assert_nothing_sticks_out(page: Page) -> None:
    """Fail when the page, or the hand pad over it, is wider than the screen.

    ``innerWidth`` does not tell how wide that is: on a phone it grows with the page.
    """
    layers = "[document.documentElement, ...document.querySelectorAll('[data-open]')]"
    width = max(page.evaluate(f"() => {layers}.map(layer => layer.scrollWidth)"))
    size = page.viewport_size
    assert size is not None
    assert width <= size["width"], f"{page.url} is {width} px wide on a screen of {size['width']}"


def place_of(found: Locator) -> FloatRect:
    """Return where something stands on its page; fail where it is not shown."""
    place = found.bounding_box()
    assert place, found
    return place


def seat(page: Page, *names: str) -> None:
    """Type who plays, seat by seat."""
    for number, name in enumerate(names):
        if not page.locator(f"#players-{number}").count():
            page.tap("[data-more]")
        page.fill(f"#players-{number}", name)


def choose_rulebook(page: Page, id: str) -> None:
    """Pick a rulebook on the page of a new match: open the list, and tap it."""
    if not page.locator("[data-rulebooks][open]").count():
        page.tap("[data-rulebooks] > summary")
    page.check(f"[name=rulebook][value={id}]")


def invite(page: Page) -> str:
    """Make an invitation for a scorekeeper; return its link."""
    page.goto("/club")
    page.tap("button:text-is('Invite a scorekeeper')")
    return page.locator("main a[href*='/join/']").get_attribute("href") or ""


@dataclass
class Table:
    """A page on which a match is played; `taps` counts."""

    page: Page
    taps: int = 0

    def tap(self, selector: str) -> None:
        """Tap what the selector finds, once."""
        self.page.tap(selector)
        self.taps += 1

    def set_up(self, players: Sequence[str] = CAST, rulebook: str = "classic-500", target: str = "") -> str:
        """Start a match by hand, from the first page on, and return the address of its sheet.

        A target is typed on the rule card, which asks for one only where the rules leave it to the table.
        """
        page = self.page
        page.goto("/" if page.context.cookies() == [] else "/matches/new")
        seat(page, *players)
        choose_rulebook(page, rulebook)
        page.tap(".foot [value=agree]")
        if target:
            page.fill("[name=target]", target)
        page.tap(".foot [value=deal]")
        return self._sheet()

    def begin(self, players: Sequence[str] = CAST, rulebook: str = "classic-500", target: str = "") -> str:
        """Start a match as `set_up` does, but past its two pages, and return the address of its sheet."""
        self.page.goto(self.start(players, rulebook, target))
        return self._sheet()

    def start(self, players: Sequence[str] = CAST, rulebook: str = "classic-500", target: str = "") -> str:
        """Start a match without opening its sheet, and return where that is."""
        token = find_in(TOKEN, self.page.request.get("/matches/new").text())
        fields = {"players": players, "rulebook": rulebook, "target": target, "step": "deal", "csrf_token": token}
        body, form = urlencode(fields, doseq=True), {"Content-Type": "application/x-www-form-urlencoded"}
        started = self.page.request.post("/matches/new", data=body, headers=form, max_redirects=0)
        assert started.status == 303, started.text()
        return started.headers["location"]

    def open_pad(self) -> None:
        """Start a match of the cast, and open the pad: Ada went out."""
        self.begin()
        self.tap(".standing:has-text('Ada')")

    def _sheet(self) -> str:
        self.page.wait_for_selector(".standings")
        self.page.wait_for_load_state("domcontentloaded")  # from here on the rows open the pad over the sheet
        self.taps = 0
        return self.page.url

    def round(self, winner: str, *hands: Sequence[str]) -> None:
        """Record a round: tap the winner's row, then each other hand clockwise."""
        self.tap(f".standing:has(.name:text-is('{winner}'))")
        self.lay(*hands)
        self.page.wait_for_selector("#pad", state="hidden")

    def lay(self, *hands: Sequence[str]) -> None:
        """Tap hands card by card, each closed by Next or Save; one without a card is said to be empty."""
        for hand in hands:
            for face in hand:
                self.tap(f"[data-face='{face}']")
            empty = self.page.locator("[data-people] [aria-current] .number").inner_text() == "–"
            self.next()
            if empty:
                self.tap("[data-empty]")

    def next(self) -> None:
        """Tap Next, or Save, once a tap on it counts again."""
        self.page.wait_for_selector("[data-next]:not([data-resting])")
        self.tap("[data-next]")

    def expect_totals(self, totals: Mapping[str, int]) -> None:
        """Wait until the sheet shows these totals and nothing is on its way; other players' lines are not looked at."""
        self.expect_shown(totals)
        self.expect_saved()

    def expect_shown(self, totals: Mapping[str, int]) -> None:
        """Wait until the sheet shows these totals, be they saved or not."""
        for name, total in totals.items():
            line = self.page.locator(".standing", has=self.page.get_by_text(name, exact=True))
            expect(line.locator("[data-total]")).to_have_text(str(total))

    def expect_saved(self) -> None:
        """Wait until no round is on its way to the server."""
        expect(self.page.locator("#sheet[data-saving]")).to_have_count(0)

    def lines(self) -> list[str]:
        """Read all that the lines of the standings say, and how far each player is on the way to the target."""
        found: list[str] = self.page.evaluate(LINES)
        return found

    def names(self) -> list[str]:
        """Read the names on the sheet, from the leader down."""
        return self.page.locator(".standing .name").all_inner_texts()
