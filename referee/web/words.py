"""What pages, answers and commands say: whole sentences of ``words.toml``, for Python and for templates."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup, escape

from referee.rules.words import Catalogue

CATALOGUE = Catalogue(Path(__file__).with_name("words.toml"))
say = CATALOGUE.say


def say_in_page(key: str, **places: object) -> Markup:
    """Say a sentence as HTML, which templates call ``say``: all is escaped but for places that are markup already."""
    return escape(CATALOGUE.text(key, places.get("n"))).format(**places)
