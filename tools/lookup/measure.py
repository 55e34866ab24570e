"""Ask the look-up every question that it is measured with, and print how many of each set come out right.

    python -m tools.lookup.measure
    python -m tools.lookup.measure boxes

for all sets, and for those whose name has a word, with the questions that went wrong. The sets are in ``tests/rules``;
nothing is ever taught from them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from referee.rules.books.library import get_rulebook, questions, rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.lookup.lookup import Found, look_up
from referee.rules.lookup.model import understood
from referee.rules.lookup.query import language_asked
from referee.rules.text.toml_files import read_toml
from referee.rules.text.words import ENGLISH, speaking
from tools.lookup.wordings import ANY, told

FOLDER = Path(__file__).parents[2] / "tests" / "rules"
FRESH = ("fresh", "fresh_blind", "fresh_boxes", "sheets")
SHOWN = 3
"""An answer is right if its clause is among so many."""

Outcome = tuple[str, bool, tuple[object, ...]]
"""The set, whether the question came out right, and the question with what was found.

Where the look-up is unsure it shows clauses and claims none: right if the one meant is among them, or if there is none.
"""


def read(name: str) -> Mapping[str, Any]:
    """Read the file of a set."""
    return read_toml(FOLDER / f"lookup_{name}.toml")


def shown(found: Found, most: int = SHOWN) -> list[str]:
    """Return the ids of the clauses shown first, where there is an answer or some are called the nearest."""
    return [hit.question.id for hit in found.hits[:most]] if found.answered or found.unsure else []


def judged(set: str, query: str, wanted: Sequence[str], book: Rulebook | None, most: int = SHOWN) -> Outcome:
    """Ask one question: one of the clauses `wanted` answers, or nothing does where the rulebook has none of them."""
    books = [book] if book else rulebooks().values()
    known = [id for id in wanted if any(id in each.clauses for each in books)]
    found = look_up(query, book)
    if not known:
        return f"{set} refused", not found.answered, (query, *shown(found))
    return f"{set} answered", not {*known}.isdisjoint(shown(found, most)), (query, *known, *shown(found))


def by_box(name: str, set: str, most: int = SHOWN) -> Iterator[Outcome]:
    """Ask a file of questions by rulebook."""
    for box, asked in read(name).items():
        yield from (judged(set, query, ids.split("|"), get_rulebook(box), most) for query, ids in asked.items())


def players() -> Iterator[Outcome]:
    """Ask the questions of the first file; every fourth was only ever measured with."""
    order = list(questions())
    for place, each in enumerate(read("questions")["question"]):
        name = "questions held back" if place % 4 == 3 else "questions"
        found = look_up(each["q"], get_rulebook(each["rulebook"]) if "rulebook" in each else None)
        if each["expect"] == "answered":
            meant = {order[row - 1] for row in each["rows"]}
            topics = [hit.question.topic for hit in found.hits[:SHOWN]] if shown(found) else []
            yield f"{name} by topic", not {*topics}.isdisjoint(each["topics"]), (each["q"], *shown(found))
            yield f"{name} answered", not meant.isdisjoint(shown(found)), (each["q"], *meant, *shown(found))
        else:
            yield f"{name} refused", not found.answered, (each["q"], *shown(found))


def blind() -> Iterator[Outcome]:
    """Ask what nothing was tuned on, under no rulebook."""
    asked = read("blind")
    for ids, group in asked["answerable"].items():
        yield from (judged("blind", query, ids.split("|"), None) for query in group)
    for group in (*asked["refused"].values(), *asked["boxes"].values()):
        yield from (judged("blind", query, (), None) for query in group)


def told_at_length(code: str) -> Iterator[Outcome]:
    """Ask what was left out of the wordings that people tell at length."""
    for each in told(code):
        if each.held_out:
            books = [*rulebooks().values()] if each.rulebook == ANY else [get_rulebook(each.rulebook)]
            book = next((book for book in books if each.target in book.clauses), books[0])
            yield judged(f"told {code}", each.wording, (each.target,), book)


def moments() -> Iterator[Outcome]:
    """Ask near misses: one of two clauses answers, or a wrong one isn't first."""
    for group in read("moments").values():
        for said, ids in group.items():
            box, _, query = said.partition(": ")
            found, named = look_up(query, get_rulebook(box)), ids.removeprefix("!").split("|")
            first = {*shown(found, 1 if ids.startswith("!") else 2)}
            yield "moments", first.isdisjoint(named) == ids.startswith("!"), (said, ids, *shown(found))


def under_boxes() -> Iterator[Outcome]:
    """Ask under boxes of their own: the clause stands first, or silence is said."""
    for box, asked in read("boxes").items():
        for query, wanted in asked.items():
            found = look_up(query, get_rulebook(box))
            answer = shown(found, 1)[0] if shown(found) else "silent" if found.silent else "refused"
            yield "boxes first", answer == wanted, (box, query, wanted, answer)


def in_language(code: str, page: str) -> Iterator[Outcome]:
    """Ask in a language on a page of another one."""
    with speaking(page):
        yield from by_box(f"asked_{code}", f"asked {code} on {page}")


def unanswerable(code: str) -> Iterator[Outcome]:
    """Ask what no rule settles."""
    for book in ("official", "no-mercy"):
        with speaking(code):
            yield from (
                judged(f"unanswerable {code}", query, (), get_rulebook(book)) for query in read("unanswerable")[code]
            )


def foreign(page: str) -> Iterator[Outcome]:
    """Ask in languages that are not understood."""
    for asked in read("foreign").values():
        for query in asked:
            with speaking(page):
                yield f"foreign on {page} not taken", language_asked(query) is None, (query,)
                yield judged(f"foreign on {page}", query, (), get_rulebook("official"))


def named_boxes(code: str) -> Iterator[Outcome]:
    """Ask about other boxes at a classic table."""
    for box, asked in read("named_boxes")[code].items():
        for query in asked:
            with speaking(code):
                found = look_up(query, get_rulebook("classic-500"))
            yield f"named boxes {code}", found.box is not None and found.box.id == box, (box, query)
            yield f"named boxes {code} refused", not found.answered, (box, query, *shown(found))


def outcomes() -> Iterator[Outcome]:
    """Ask every question of every set."""
    yield from players()
    yield from blind()
    for name in FRESH:
        yield from by_box(name, name)
    yield from by_box("first", "first", most=1)
    yield from by_box("first", "among the first")
    yield from by_box("quarrels", "quarrels", most=2)
    yield from under_boxes()
    yield from moments()
    for code in understood():
        with speaking(code):
            yield from told_at_length(code)
        yield from foreign(code)
        if code != ENGLISH:
            yield from (*in_language(code, code), *in_language(code, ENGLISH), *unanswerable(code))
    yield from (*named_boxes("es"), *named_boxes("de"))


@cache
def figures() -> Mapping[str, tuple[int, int]]:
    """Return by set how many questions came out right, and of how many."""
    found: dict[str, tuple[int, int]] = {}
    for name, right, _ in outcomes():
        was, of = found.get(name, (0, 0))
        found[name] = (was + right, of + 1)
    return found


def main(word: str = "") -> None:
    """Print all figures, or those of some sets with what went wrong."""
    for name, right, asked in outcomes() if word else ():
        if word in name and not right:
            print(name, *asked, sep=" · ")  # noqa: T201
    for name, (number, of) in figures().items():
        if word in name:
            print(f"{name:32}{number:5} of {of}")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
