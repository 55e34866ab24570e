"""List the generated pages, each with the function that writes it; a test holds the committed ones against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.paths import CHECKOUT
from tests.documents.for_hosts import commands_page, settings_page

ROOT = CHECKOUT / "docs" / "pages"
AGAIN = "python3 -m tests.documents"
PAGES: Mapping[str, Callable[[], str]] = {
    "host/settings.md": settings_page,
    "host/commands.md": commands_page,
}
