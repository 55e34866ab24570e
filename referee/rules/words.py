"""What people read: whole sentences in one catalogue a layer, with places for names and numbers.

``words.toml`` beside this file holds every sentence of a ruling, an order and a silence, one for each case; records
and the web have catalogues of their own. Code names a sentence and gives what goes into its places; it never joins
parts of sentences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple


class Catalogue:
    """The sentences of a TOML file by ``table.key``, read when the first is wanted.

    ``key-one`` beside ``key`` is the sentence for one: it is taken where the place ``{n}`` is 1.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def sentences(self) -> dict[str, str]:
        """Read every sentence there is, by ``table.key``."""
        tables = tomllib.loads(self._path.read_text(encoding="utf-8"))
        return {f"{name}.{key}": text for name, table in tables.items() for key, text in table.items()}

    def text(self, key: str, n: object = None) -> str:
        """Look up a sentence with its places still empty; raises `KeyError` for one that nobody wrote."""
        one = self.sentences.get(f"{key}-one") if n == 1 else None
        return one or self.sentences[key]

    def say(self, key: str, /, **places: object) -> str:
        """Return a sentence; raises `KeyError` for an unknown one, or a place that is not given."""
        return self.text(key, places.get("n")).format(**with_minus(places))


class _Negative(int):
    """A number below 0, which is written with a minus sign."""

    def __format__(self, form: str) -> str:
        return int.__format__(self, form).replace("-", "−")


def with_minus(places: Mapping[str, object]) -> dict[str, object]:
    """Return the values for a sentence, negative numbers written with a minus sign."""
    return {name: _Negative(value) if isinstance(value, int) and value < 0 else value for name, value in places.items()}


def number(value: object) -> str:
    """Write a number for people: ``20``, ``−20``; any other value as it is."""
    return f"{value}".replace("-", "−") if isinstance(value, int | float) else f"{value}"


CATALOGUE = Catalogue(Path(__file__).with_name("words.toml"))
say = CATALOGUE.say


class Line(NamedTuple):
    """One sentence to be said: its key in the catalogue and what goes into its places.

    A key without a dot is looked up under the dispute that says it, ``orders.draw`` under that table.
    `text` is a sentence that stands in no catalogue.
    """

    key: str
    places: tuple[tuple[str, object], ...] = ()
    text: str = ""


def line(key: str, **places: object) -> Line:
    """Return a line of the catalogue: the key of a sentence, and what fills its places."""
    return Line(key, tuple(places.items()))


def sentence(text: str, **places: object) -> Line:
    """Return a sentence from the dispute itself, for one that is not part of the app and has no catalogue."""
    return Line("", tuple(places.items()), text)


def counted(key: str, cards: int, **places: object) -> Line:
    """Return the sentence for a number of cards, with the place ``{n}``: ``no`` for 0."""
    return line(key, n=cards or "no", **places)


def in_presses(said: Line) -> Line:
    """Return a sentence on a number of draws with the place ``{times}`` filled: ``once``, ``twice``, ``3 times``."""
    n = dict(said.places).get("n", 0)
    times = {1: "once", 2: "twice"}.get(n, f"{n} times") if isinstance(n, int) else f"{n} times"
    return Line(said.key, (*said.places, ("times", times)), said.text)


def by_launcher(said: Line, table: str) -> Line:
    """Return the line on pressing a launcher instead of drawing, if the catalogue has one: ``draws-presses``."""
    key = f"{said.key}-presses"
    known = (key if "." in key else f"{table}.{key}") in CATALOGUE.sentences
    return in_presses(Line(key, said.places)) if known else said


def template(said: Line, table: str) -> str:
    """Look up a sentence with its places still empty; raises `KeyError` for one that nobody wrote."""
    return said.text or CATALOGUE.text(
        said.key if "." in said.key else f"{table}.{said.key}", dict(said.places).get("n")
    )


def silence(part: str, question: str) -> str:
    """Return what a rulebook leaves open: the very setting that was wanted, else the question it belongs to."""
    known = CATALOGUE.sentences
    return known.get(f"open.{part}") or known.get(f"open.{question}") or known["open.anything"]


def joined(names: Iterable[str]) -> str:
    """Join names as they are said: ``Ada, Bo and Cy``."""
    return _in_words(tuple(names), "and")


def either(choices: Iterable[str]) -> str:
    """Join choices as they are said: ``5, 7 or 9``."""
    return _in_words(tuple(choices), "or")


def _in_words(items: Sequence[str], last: str) -> str:
    return f" {last} ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))
