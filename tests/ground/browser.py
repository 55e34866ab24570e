"""A real Chromium: the one that is installed, else the one that playwright brought."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright
from playwright.sync_api import Error as BrowserError

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
    "service_workers": "block",  # only the tests of offline work want pages that are not the server's
}
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
REQUIRED = os.environ.get("REFEREE_REQUIRE_BROWSER") == "1"
MISSING = "no Chromium on this machine"

NOT_ASKED = ("color-contrast-enhanced", "target-size")
"""Rules of axe that we don't ask: contrast is AA here, not AAA, and our own measure wants targets of 44 px, not 24."""
ABOUT_WORDS = ("cat.forms", "cat.language", "cat.name-role-value", "cat.semantics", "cat.text-alternatives")
"""Kinds of rules that words can break, a fifth of the time of all: names, labels, titles, languages."""
FIND_VIOLATIONS = """([left_out, about]) => {
    const asked = axe.getRules().filter(({ tags }) => !tags.includes('deprecated'));
    const rules = Object.fromEntries(asked.map(({ ruleId, tags }) => [
        ruleId,
        { enabled: !left_out.includes(ruleId) && (!about.length || tags.some((tag) => about.includes(tag))) },
    ]));
    return axe.run(document, { resultTypes: ['violations'], rules }).then(({ violations }) => violations);
}"""
"""All rules of axe, also the experimental ones and those of AAA, that are not outdated."""


class NoBrowser(Exception):
    """Say that no browser could be started, and what was tried."""


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start Chromium without a window.

    Raises NoBrowser when there is none.
    """
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except BrowserError as error:
            raise NoBrowser(f"{MISSING} ({error.message.splitlines()[0]})") from error
        try:
            yield browser
        finally:
            browser.close()


def complaints(page: Page) -> list[str]:
    """Return a list that fills with what the page complains of: script errors, blocked resources.

    An answer of 4xx is no complaint: tests send bad input on purpose.
    """
    heard: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            heard.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard


def check_accessibility(page: Page, *left_out: str, about: Sequence[str] = ()) -> None:
    """Fail with axe's report when any of its rules finds anything on the page, but for those left out.

    `about` asks only rules of these kinds.
    """
    if not page.evaluate("() => 'axe' in window"):  # half a megabyte of script: once a page is enough
        page.evaluate(Axe().axe_script)
    violations = page.evaluate(FIND_VIOLATIONS, [[*NOT_ASKED, *left_out], [*about]])
    lines = [f"{one['id']}: {one['help']} — {node['html']}" for one in violations for node in one["nodes"]]
    assert not lines, f"{page.url}\n" + "\n".join(lines)
