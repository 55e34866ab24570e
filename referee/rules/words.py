"""What rulings say: whole sentences from one catalogue, with places for names and numbers.

``words.toml`` holds every sentence of a ruling, an order and a silence, one for each case. Code names
a sentence and gives what goes into its places; it never joins parts of sentences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

PATH = Path(__file__).parent / "words.toml"


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence to be said: its key in the catalogue and what goes into its places.

    A key without a dot is looked up under the dispute that says it, ``orders.draw`` under that table.
    `text` is a sentence that stands in no catalogue.
    """

    key: str
    places: tuple[tuple[str, object], ...] = ()
    text: str = ""


def line(key: str, **places: object) -> Line:
    """Name a sentence of the catalogue."""
    return Line(key, tuple(places.items()))


def sentence(text: str, **places: object) -> Line:
    """Say a sentence of one's own, for a dispute that is not part of the app and has no table in the catalogue."""
    return Line("", tuple(places.items()), text)


def counted(key: str, cards: int, **places: object) -> Line:
    """Name the sentence for one card, ``key-one``, or that for another number, with the place ``{n}``: ``no`` for 0."""
    return line(f"{key}-one", **places) if cards == 1 else line(key, n=cards or "no", **places)


@cache
def catalogue() -> Mapping[str, str]:
    """Read every sentence there is, by ``table.key``."""
    tables = tomllib.loads(PATH.read_text(encoding="utf-8"))
    return MappingProxyType({f"{name}.{key}": text for name, table in tables.items() for key, text in table.items()})


def template(said: Line, table: str) -> str:
    """Look up a sentence with its places still empty; raises `KeyError` for one that nobody wrote."""
    return said.text or catalogue()[said.key if "." in said.key else f"{table}.{said.key}"]


def silence(part: str, question: str) -> str:
    """Say what a rulebook leaves open: the very setting that was wanted, else the question it belongs to."""
    known = catalogue()
    return known.get(f"open.{part}") or known.get(f"open.{question}") or known["open.anything"]
