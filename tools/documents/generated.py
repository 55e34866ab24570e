"""List the generated files, each with the function that writes it; a test holds the committed ones against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from referee.rules.text.words import languages
from tools.documents.for_hosts import commands_page, settings_page
from tools.documents.for_the_app import help_page, sources, titles
from tools.documents.promises import promises_page

AGAIN = "python3 -m tools.documents"
GENERATED: Mapping[str, Callable[[], str]] = {
    "docs/pages/host/settings.md": settings_page,
    "docs/pages/host/commands.md": commands_page,
    "docs/pages/build/promises.md": promises_page,
    "templates/help/_titles.html": titles,
    **{
        f"templates/help/pages/{code}/{name}.html": partial(help_page, code, name)
        for code in languages()
        for name in sources(code)
    },
}
"""By their paths in the repository."""
