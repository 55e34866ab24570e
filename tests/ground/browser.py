"""A real Chromium: the one that is installed, else the one that playwright brought."""

from __future__ import annotations

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

FIND_VIOLATIONS = """(only) => axe
    .run(document, { resultTypes: ['violations'], runOnly: only.length ? only : undefined })
    .then(({ violations }) => violations)"""


OF_COLORS = ("color-contrast", "link-in-text-block")
"""The rules of axe that another color scheme can break."""


TOO_EARLY = "Transition was "
"""How Chromium begins to complain of a view transition that it skipped, where a page is left before it was drawn."""


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
    page.on("pageerror", lambda error: heard.append(str(error)) if TOO_EARLY not in str(error) else None)
    return heard


def check_accessibility(page: Page, only: Sequence[str] = ()) -> None:
    """Fail with axe's report when it finds anything on the page; ``only`` names the rules to look for, all else."""
    if not page.evaluate("() => 'axe' in window"):  # half a megabyte of script: once a page is enough
        page.evaluate(Axe().axe_script)
    violations = page.evaluate(FIND_VIOLATIONS, list(only))
    lines = [f"{one['id']}: {one['help']} — {node['html']}" for one in violations for node in one["nodes"]]
    assert not lines, f"{page.url}\n" + "\n".join(lines)
