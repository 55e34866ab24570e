"""What pages, answers and commands say: whole sentences of ``words.toml``, for Python and for templates."""

import re
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from referee.records.words import CATALOGUE as RECORDS
from referee.rules.text.words import CATALOGUE as RULES
from referee.rules.text.words import Catalogue, number, with_numbers

__all__ = ["CATALOGUE", "CATALOGUES", "PHONE", "bold", "figures", "number", "say", "say_in_page", "say_invalid"]

CATALOGUE = Catalogue(Path(__file__).with_name("words.toml"), "web")
say = CATALOGUE.say
PHONE = Catalogue(Path(__file__).with_name("phone.toml"))
"""What scripts say; they import it as a module (`referee.web.server.static_files`)."""
CATALOGUES = (RULES, RECORDS, CATALOGUE, PHONE)
"""Those of every layer."""


def say_in_page(key: str, /, **places: object) -> Markup:
    """Return a sentence as HTML (``say`` in templates); places are escaped unless they are markup."""
    given = {name: value if isinstance(value, int) else escape(value) for name, value in with_numbers(places).items()}
    return Markup(str(escape(CATALOGUE.text(key, places.get("n")))).format(**given))


def bold(text: object) -> Markup:
    """Return a text as bold HTML, to stand in a place of a sentence."""
    return Markup("<b>{}</b>").format(text)


def figures(text: object) -> Markup:
    """Return a text as HTML, the numbers in it set apart to be seen at a glance (``figures`` in templates)."""
    parts = re.split(r"(\d+)", f"{text}")
    return Markup("").join(
        Markup('<b class="figure">{}</b>').format(part) if at % 2 else part for at, part in enumerate(parts)
    )


def say_invalid(detail: Any, **places: object) -> str:
    """Return a sentence for an error of pydantic; `detail` is one of ``ValidationError.errors()``."""
    key, given = f"field.{detail['type'].replace('_parsing', '_type')}", detail.get("ctx", {})
    if key not in CATALOGUE.sentences or None in given.values():  # pydantic stops counting an object that is too large
        return say("field.other", reason=detail["msg"])
    return say(key, **given, **places)
