"""Every page in every state that people meet: opened one after the other, for measures and for pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

from tests.ground.browser import PHONE
from tools.pictures.sample import FRIENDS, Season

SESSION = "session"


@dataclass(frozen=True)
class State:
    """A page, and what is done on it before it is looked at."""

    name: str
    path: str
    """Where it is; ``{running}`` stands for an address of the season, ``{match_id}`` for a part of one."""
    steps: Callable[[Page], object] = field(default=lambda page: None)
    who: str = "scorekeeper"
    status: int = 200
    script: bool = True


def _record(page: Page, winner: str = "Ada") -> None:
    """Open the pad by a tap on a row."""
    page.click(f".standing:has-text('{winner}')")
    page.wait_for_selector("[data-pad]:not([hidden])")


def _lay(*faces: str) -> Callable[[Page], None]:
    """Open the pad and tap cards into the first hand."""

    def lay(page: Page) -> None:
        _record(page)
        for face in faces:
            page.click(f"[data-face='{face}']:visible")

    return lay


def _ask(page: Page) -> None:
    _record(page)
    page.click("[data-next]")
    expect(page.locator("[data-asks]")).to_be_visible()


def _type(page: Page) -> None:
    _record(page)
    page.click("[data-mode]")
    page.evaluate("() => localStorage.removeItem('referee.pad.mode')")
    for digit in "20+50":
        page.click(f"[data-digit='{digit}']")


def _save(page: Page) -> None:
    """Record a round of three, and look at the sheet with its message."""
    _lay("7", "skip")(page)
    page.click("[data-next]")
    page.click("[data-face='3']:visible")
    page.wait_for_selector("[data-next]:not([data-resting])")
    page.click("[data-next]")
    expect(page.locator(".toast")).to_be_visible()
    expect(page.locator("#sheet[data-saving]")).to_have_count(0)


def _flip(page: Page) -> None:
    _record(page)
    page.click("[data-winners] button >> nth=1")
    for face in ("wild-draw-color", "skip-everyone", "9"):
        page.click(f"[data-keys=dark] [data-face='{face}']")


def _fill(*names: str) -> Callable[[Page], None]:
    def fill(page: Page) -> None:
        for seat, name in enumerate(names):
            if not page.locator(f"#players-{seat}").count():
                page.click("[data-more]")
            page.fill(f"#players-{seat}", name)

    return fill


def _agree(page: Page) -> None:
    _fill(*FRIENDS)(page)
    page.click(".foot [value=agree]")
    page.wait_for_selector(".rule-card")


def _click(*selectors: str) -> Callable[[Page], None]:
    def click(page: Page) -> None:
        for selector in selectors:
            page.click(selector)
        page.wait_for_load_state("load")

    return click


def _unfold(page: Page) -> None:
    """Open all that is folded."""
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def _told_beside(page: Page) -> None:
    """Wait for the newest story, where it stands beside the matches."""
    page.wait_for_function("() => !matchMedia('(min-width: 64rem)').matches || document.querySelector('.pane h1')")


CHALLENGE = "/disputes/draw-four-challenge?rulebook=classic-500"
STATES = (
    State("welcome", "/", who="stranger"),
    State("welcome-problems", "/", _click(".foot [value=agree]"), who="stranger"),
    State("home", "/"),
    State("home-empty", "/", who="founder"),
    State("new-match", "/matches/new"),
    State("new-match-filled", "/matches/new", _fill(*FRIENDS)),
    State("new-match-unfolded", "/matches/new", _unfold),
    State("rule-card", "/matches/new", _agree),
    State("sheet", "{running}"),
    State("sheet-saved", "{fresh}", _save),
    State("sheet-first", "{flip}"),
    State("sheet-many", "{many}"),
    State("sheet-timed", "{timed}"),
    State("sheet-partners", "{partners}"),
    State("sheet-challenge", "{challenge}"),
    State("sheet-spectator", "{running}", who="spectator"),
    State("pad", "{running}", _record),
    State("pad-who", "{running}", _click("#record")),
    State("pad-cards", "{running}", _lay("7", "skip", "wild", "draw-two", "3")),
    State("pad-many-cards", "{running}", _lay(*"1122334455667788", "wild", "wild")),
    State("pad-typing", "{running}", _type),
    State("pad-asks", "{running}", _ask),
    State("pad-flip-side", "{flip}", _record),
    State("pad-flip", "{flip}", _flip),
    State("pad-mercy", "{mercy}", _lay("wild-draw-ten", "skip-everyone", "9")),
    State("pad-many", "{many}", _click("#record")),
    State("pad-alone", "/matches/{match_id}/rounds/new"),
    State("round-form", "/matches/{match_id}/rounds/new", script=False),
    State("round", "/matches/{match_id}/rounds/{round_id}"),
    State("ended", "{ended}"),
    State("ended-many", "{many-ended}"),
    State("match-rules", "{running}/rules"),
    State("menu", "{running}/menu"),
    State("menu-unfolded", "{running}/menu", _unfold),
    State("delete-match", "{running}/delete"),
    State("deleted-match", "{deleted}", status=410),
    State("delete-player", "/club/players/{player_id}/delete"),
    State("delete-player-texts", "/club/players/{host_id}/delete", _unfold),
    State("delete-club", "/club/delete"),
    State("privacy", "/privacy", who="stranger"),
    State("invite", "{running}/invite"),
    State("share", "{running}/share"),
    State("share-ended", "{ended}/share"),
    State("hands", "{fresh}/hands"),
    State("hands-first", "{running}/hands"),
    State("hands-correct", "{fresh}/hands/round"),
    State("sit-down", "{seat-code}"),
    State("own-hand", "/hand", who="phone"),
    State("board", "{board-running}", who="stranger"),
    State("board-ended", "{board-ended}", who="stranger"),
    State("board-many", "{board-many}", who="stranger"),
    State("board-many-ended", "{board-many-ended}", who="stranger"),
    State("board-fresh", "{board-fresh}", who="stranger"),
    State("club", "/club"),
    State("club-unfolded", "/club", _unfold),
    State("club-spectator", "/club", who="spectator"),
    State("law", "/club/law"),
    State("law-open", "/club/law/open"),
    State("law-decide", "/club/law/open/draw-four-challenge/challenge-guilty-after"),
    State("law-empty", "/club/law", who="founder"),
    State("club-player", "/club/players/{player_id}"),
    State("recovery", "/club/recovery"),
    State("https", "/https"),
    State("records", "/club/records"),
    State("invitation", "/club", _click("[name=role][value=spectator]")),
    State("recover", "/recover", who="stranger"),
    State("join", "/join/{token}", who="stranger"),
    State("disputes", "/disputes"),
    State("disputes-of-match", "{running}/disputes"),
    State("dispute-who", "{running}/disputes/draw-four-challenge"),
    State("dispute-question", f"{CHALLENGE}&challenged=yes"),
    State("dispute-cards", f"{CHALLENGE}&challenged=yes&challenger=target&tap=hand", _click(".colors span >> nth=0")),
    State("ruling", f"{CHALLENGE}&challenged=yes&challenger=target&held_color=yes"),
    State("ruling-named", "{running}/disputes/draw-four-challenge?as-offender=0&as-target=1&challenged=yes"
          "&challenger=target&held_color=yes"),
    State("ruling-silent", "/disputes/jump-in?rulebook=duo-200&top_card=red-7&played=red-7"),
    State("ruling-on-record", "/matches/{match_id}/rulings/{ruling_id}"),
    State("dispute-two", "/disputes/draw-four-challenge?rulebook=duo-200&challenged=yes"),
    State("dispute-uno", "/disputes/uno-call?rulebook=official"),
    State("dispute-card", "/disputes/can-i-play?rulebook=official"),
    State("dispute-draw", "/disputes/who-starts?rulebook=classic-500"),
    State("dispute-no-such-rulebook", "/disputes/draw-four-challenge?rulebook=monopoly", status=422),
    State("rules", "/rules"),
    State("rules-found", "/rules?q=stak+%2B2"),
    State("rules-nothing", "/rules?q=capital+of+france"),
    State("rulebook", "/rules/{rulebook_id}"),
    State("topic", "/rules/topics/{topic_id}"),
    State("clause", "/rules/{rulebook_id}/{clause_id}"),
    State("clause-house-rule", "/rules/classic-500/stacking-draw-two?house_rule=stack-draw-two"),
    State("rules-silent", "/rules?q=jump+in&rulebook=duo-200"),
    State("compare", "/rules/compare?left=classic-500&right=official"),
    State("compare-house-rules", "/rules/compare?left=classic-500&right=classic-500&house_rule=stack-draw-two"),
    State("how-to-play", "/rules/{rulebook_id}/how-to-play"),
    State("own-list", "/rules/own"),
    State("own-list-empty", "/rules/own", who="founder"),
    State("own-new", "/rules/own/new"),
    State("own-edit", "/rules/own/{own_id}/edit", _unfold),
    State("own", "/rules/own/{own_id}"),
    State("own-shared", "/rules/shared/{share_token}", who="stranger"),
    State("history", "/history/", _told_beside),
    State("history-stranger", "/history/", who="stranger"),
    State("history-empty", "/history/", who="founder"),
    State("history-nothing", "/history/?rulebook=official"),
    State("story", "/history{ended}"),
    State("story-unfolded", "/history{ended}", _unfold),
    State("players", "/history/players"),
    State("player", "/history/players/{player_id}"),
    State("year", "/history/year"),
    State("night", "/history/night"),
    State("seasons", "/seasons/"),
    State("seasons-empty", "/seasons/", who="founder"),
    State("season", "/seasons/{season_id}"),
    State("season-unfolded", "/seasons/{running_season}", _unfold),
    State("season-new", "/seasons/new"),
    State("season-edit", "/seasons/{season_id}/edit", _unfold),
    State("season-door", "/seasons/{season_id}/door"),
    State("evenings", "/evenings/", who="evening-keeper"),
    State("evenings-empty", "/evenings/", who="founder"),
    State("evening-new", "/evenings/new", who="evening-keeper"),
    State("evening-new-unfolded", "/evenings/new", _unfold, who="evening-keeper"),
    State("evening", "/evenings/{evening_id}", who="evening-keeper"),
    State("evening-unfolded", "/evenings/{evening_id}", _unfold, who="evening-keeper"),
    State("evening-watched", "/evenings/{evening_id}", who="evening-spectator"),
    State("evening-television", "/evenings/{evening_id}/screen", who="evening-keeper"),
    State("evening-screen", "/screen/{screen_token}", who="stranger"),
    State("evening-sheets", "/evenings/{evening_id}/sheets", who="evening-keeper"),
    State("evening-scan", "/table/{evening_token}", who="stranger"),
    State("evening-waiting", "/table", who="waiting-table"),
    State("evening-table", "/matches/{evening_match}", who="evening-table"),
    State("evening-table-menu", "/matches/{evening_match}/menu", _unfold, who="evening-table"),
    State("evening-table-over", "/matches/{evening_over}", who="over-table"),
    State("evening-match", "/matches/{evening_match}", who="evening-keeper"),
    State("evening-who", "/evenings/{evening_id}/me", who="evening-spectator"),
    State("evening-me", "/screen/{screen_token}/me", who="evening-guest"),
    State("year-player", "/history/year?player={player_id}&year=2025"),
    State("player-unfolded", "/history/players/{player_id}", _unfold),
    State("about", "/about", _unfold, who="stranger"),
    State("public-match", "{public-match}", who="stranger"),
    State("public-match-unfolded", "{public-match}", _unfold, who="stranger"),
    State("public-season", "{public-season}", who="stranger"),
    State("public-club", "{public-club}", who="stranger"),
    State("public-club-unfolded", "{public-club}", _unfold, who="stranger"),
    State("public-match-of-club", "{public-club}/matches/{match_id}", who="stranger"),
    State("public-matches", "{public-club}/matches", who="stranger"),
    State("public-player", "{public-club}/players/{player_id}", who="stranger"),
    State("public-off", "{public-off}", who="stranger", status=410),
    State("help", "/help", who="stranger"),
    State("help-task", "/help/{task}"),
    State("not-found", "/nowhere", status=404),
    State("not-allowed", "/matches/new", who="spectator", status=403),
    State("locked-out", "/club", who="stranger", status=401),
    State("offline", "/offline"),
)  # fmt: skip
"""In the order of the rooms. ``test_every_page`` fails for a page of the routes that stands in none of them."""


class Viewer:
    """Opens states in one browser: a context for each who may look, and a page in each."""

    def __init__(self, browser: Browser, url: str, season: Season, **options: Any) -> None:
        self.browser = browser
        self.url = url.replace("127.0.0.1", "referee.localhost")  # this computer alone gets no codes
        self.season = season
        self.options = PHONE | {"base_url": self.url} | options
        self.contexts: list[BrowserContext] = []
        self.pages: dict[tuple[str, bool], Page] = {}

    def page(self, who: str, *, script: bool = True) -> Page:
        """Give the page of someone; ``script`` says whether scripts run in it."""
        if (who, script) not in self.pages:
            context = self.browser.new_context(**self.options, java_script_enabled=script)
            if who in self.season.sessions:
                context.add_cookies([{"name": SESSION, "value": self.season.sessions[who], "url": self.url}])
            self.contexts.append(context)
            self.pages[who, script] = context.new_page()
        return self.pages[who, script]

    def path(self, state: State) -> str:
        """Fill in the address of a state."""
        return state.path.format(**self.season.parts, **self.season.at)

    def open(self, state: State) -> tuple[Page, Response]:
        """Open a state; give its page, and the answer that the address gave."""
        page = self.page(state.who, script=state.script)
        if state.script:
            page.evaluate("() => location.protocol === 'http:' && localStorage.clear()")  # no draft of another state
        answer = page.goto(self.path(state), wait_until="load")
        assert answer is not None
        assert answer.status == state.status, f"{answer.url} answers {answer.status}"
        if state.script:
            state.steps(page)
        return page, answer

    def close(self) -> None:
        """Close all pages."""
        for context in self.contexts:
            context.close()


@contextmanager
def viewing(browser: Browser, url: str, season: Season, **options: Any) -> Iterator[Viewer]:
    """Look at the season with these options of a browser's context, until the block ends."""
    viewer = Viewer(browser, url, season, **options)
    try:
        yield viewer
    finally:
        viewer.close()
