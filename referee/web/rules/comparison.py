"""Two rulebooks beside each other, by what parts them: what they settle otherwise, what only one says, mere wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.rules.boxes import home_of
from referee.rules.library import every_question
from referee.rules.rulebook import Clause, Rulebook
from referee.web.rules.presenter import Asked, asked, find_question
from referee.web.words import say


@dataclass(frozen=True)
class Comparison:
    """The questions that two rulebooks answer, each in one group; a pair is led by the first rulebook."""

    left: Rulebook
    right: Rulebook
    titles: tuple[str, str]
    """what the two are called beside each other; never the same"""
    disagree: Sequence[Asked]
    """both say, and settle it differently"""
    only_left: Sequence[Asked]
    only_right: Sequence[Asked]
    worded: Sequence[Asked]
    """both say, in other words, and settle nothing that could be compared"""
    same: Sequence[Asked]


def compare(left: Rulebook, right: Rulebook) -> Comparison:
    """Part all that two rulebooks say into groups."""
    own = (find_question(book, id) for book in (left, right) for id in book.clauses)
    every = {**every_question(), **{question.id: question for question in own if question}}
    groups: dict[str, list[Asked]] = {name: [] for name in ("disagree", "only_left", "only_right", "worded", "same")}
    for question in every.values():
        pair = asked(question, (left, right))
        if pair.leading.clause or pair.others[0].clause:
            groups[_group(pair)].append(pair)
    return Comparison(left, right, _titles(left, right), **groups)


def _group(pair: Asked) -> str:
    left, right = pair.leading.clause, pair.others[0].clause
    if left is None or right is None:
        return "only_right" if left is None else "only_left"
    differs = pair.others[0].differs
    if differs or (differs is None and (_instead(left, right) or _instead(right, left))):
        return "disagree"
    return "same" if differs is False else "worded"


def _instead(one: Clause, other: Clause) -> bool:
    """Tell whether a house rule or a table's own rule puts one clause in the place of the other."""
    return one.replaces is not None and one.replaces.text == other.text


def _titles(left: Rulebook, right: Rulebook) -> tuple[str, str]:
    if not right.in_force:
        return left.title, right.title
    return left.title, say("compare.with-house-rules", title=right.title)


def by_box(books: Mapping[str, Rulebook]) -> list[tuple[str, list[Rulebook]]]:
    """Sort rulebooks for a choice: those of the classic box, those of boxes of their own, a club's own."""
    groups: dict[str, list[Rulebook]] = {}
    for book in books.values():
        group = "your-own" if book.base else "other-boxes" if home_of(book) else "classic-deck"
        groups.setdefault(group, []).append(book)
    return [(say(f"compare.{group}"), chosen) for group, chosen in groups.items()]
