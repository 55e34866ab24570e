"""Measure what a person feels on a phone: a save, a first visit, a sheet at rest."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from flask import Flask
from playwright.sync_api import Browser, Page

from tests.browser.table import Table
from tests.ground.browser import PHONE, running_browser
from tests.ground.server import running_server
from tools.benchmarks.figures import Figure
from tools.benchmarks.ground import CAST

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

SOONEST, SOONEST_SLOWED = 55, 120
"""Milliseconds from *Save* to the painted total, on a processor as it is and four times slower."""
ROUNDS, SAVES = 66, 15
"""Rounds on the sheet before the first save that is measured, and saves measured."""
LANDING, SHEET = (60_000, 10), (75_000, 14)
"""Bytes and requests of a first visit with the service worker, until the page rests."""
WHOLE = 300
"""Kilobytes of a first visit with everything that the service worker fetches after it."""
A_MINUTE, MOST_ASKED, MOST_BYTES = 60, 12, 10_000
STATUS_LINE = 90
"""Bytes that the server itself writes above an answer: its first line, ``Date`` and ``Server``."""
ALLOWING: dict[str, Any] = PHONE | {"service_workers": "allow"}

PAINTED = """() => {
    window.painted = [];
    let taps = 0;
    const totals = () => [...document.querySelectorAll('[data-total]')].map((one) => one.textContent).join();
    document.addEventListener('click', (event) => {
        if (!event.target.closest('[data-next]')) return;
        const [began, before, tap] = [event.timeStamp, totals(), ++taps];
        const look = () => {
            if (tap !== taps) return;
            if (!document.querySelector('#pad:not([hidden])') && totals() !== before)
                setTimeout(() => window.painted.push(performance.now() - began));
            else if (performance.now() - began < 5000) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    }, true);
}"""

TAPPED = """() => {
    const button = [...document.querySelectorAll('#round-form .foot .primary')].at(-1);
    const began = performance.timeOrigin + performance.now();
    button.click();
    return began;
}"""
FIRST_PAINT = """() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    return paint ? performance.timeOrigin + paint.startTime : null;
}"""


class Weighed:
    """Count the answers of an app and their bytes, whoever asks: a page, or its service worker."""

    def __init__(self, app: Flask) -> None:
        """Begin to count."""
        self._inner = app.wsgi_app
        self.requests = self.bytes = 0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer, and count."""
        self.requests += 1

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
            self.bytes += STATUS_LINE + sum(len(name) + len(value) + 4 for name, value in headers)
            return start_response(status, headers, exc_info)

        body = b"".join(self._inner(environ, start))
        self.bytes += len(body)
        return [body]

    def begin(self) -> None:
        """Count from nothing again."""
        self.requests = self.bytes = 0


def phone(app: Flask) -> Iterator[Figure]:
    """Measure a phone's page against a real server, in Chromium."""
    weighed = Weighed(app)
    app.wsgi_app = weighed  # type: ignore[method-assign]
    with running_server(app) as server, running_browser() as browser:
        page = browser.new_context(**PHONE, base_url=server.url).new_page()
        sheet = Table(page).begin(CAST)
        plain = browser.new_context(
            **PHONE, base_url=server.url, storage_state=page.context.storage_state(), java_script_enabled=False
        ).new_page()
        _play(Table(page), ROUNDS)
        for slower, most in ((1, SOONEST), (4, SOONEST_SLOWED)):
            yield _saves(page, slower, most, _plain_saves(plain, sheet, slower))
        yield from _first_visit(browser, server.url, weighed, "landing", "/", None, LANDING)
        state = page.context.storage_state()
        yield from _first_visit(browser, server.url, weighed, "sheet", sheet, state, SHEET)
        yield from _at_rest(page, weighed, sheet)


def _plain_saves(page: Page, sheet: str, slower: int) -> float:
    """Give the milliseconds from the tap to the first paint of the sheet where no script helps, the median."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    taken = []
    for number in range(SAVES):
        page.goto(f"{sheet}/rounds/new")
        page.check(f"label:has-text('{CAST[number % 2]}') [name=went_out]")
        others = [name for name in CAST if name != CAST[number % 2]]
        for points, name in enumerate(others, 1):
            page.get_by_label(name, exact=True).last.fill(str(points))
        began = page.evaluate(TAPPED)
        page.wait_for_url(lambda address: "/rounds/" not in address)
        while (painted := page.evaluate(FIRST_PAINT)) is None:
            page.wait_for_timeout(5)
        taken.append(painted - began)
    return float(statistics.median(taken))


def _saves(page: Page, slower: int, most: float, plain: float) -> Figure:
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.reload(wait_until="networkidle")  # the plain form's rounds are on it
    page.evaluate(PAINTED)
    for number in range(SAVES):
        _play(Table(page), 1, begin=number)
        page.wait_for_function(f"() => window.painted.length > {number}")
    taken = page.evaluate("() => window.painted")
    raw = f"{SAVES} rounds, {min(taken):.0f} to {max(taken):.0f} ms; as a plain form {plain:.0f} ms"
    what = "Save to the painted total" + (f", processor {slower} × slower" if slower > 1 else "")
    return Figure(what, statistics.median(taken), most, raw, "ms")


def _play(table: Table, rounds: int, begin: int = 0) -> None:
    """Play rounds that bring six points each, by turns to the first two, so that the match goes on."""
    for number in range(begin, begin + rounds):
        table.tap(f".standing:has-text('{CAST[number % 2]}')")
        table.lay(("1",), ("2",), ("3",))
        table.page.wait_for_selector("#sheet:not([data-saving])")


def _first_visit(
    browser: Browser, url: str, weighed: Weighed, name: str, address: str, state: Any, most: tuple[int, int]
) -> Iterator[Figure]:
    page = browser.new_context(**ALLOWING, base_url=url, storage_state=state).new_page()
    weighed.begin()
    page.goto(address, wait_until="networkidle")
    bytes_, requests = weighed.bytes, weighed.requests
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(2000)
    later = f"later {weighed.bytes - bytes_:,} bytes in {weighed.requests - requests}"
    yield Figure(f"first visit, {name}, with all that is fetched later", weighed.bytes / 1000, WHOLE, later, "kB")
    yield Figure(f"first visit with service worker, {name}", bytes_ / 1000, most[0] / 1000, later, "kB")
    yield Figure(f"first visit with service worker, {name}: requests", requests, most[1], later, "")
    page.context.close()


def _at_rest(page: Page, weighed: Weighed, sheet: str) -> Iterator[Figure]:
    page.goto(sheet, wait_until="networkidle")
    weighed.begin()
    page.wait_for_timeout(A_MINUTE * 1000)
    raw = f"{weighed.requests} answers, {weighed.bytes:,} bytes"
    yield Figure("an open sheet at rest, a minute: requests", weighed.requests, MOST_ASKED, raw, "")
    yield Figure("an open sheet at rest, a minute: bytes", weighed.bytes / 1000, MOST_BYTES / 1000, raw, "kB")
