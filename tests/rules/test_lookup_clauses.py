"""Every clause is found by its own title and by wordings of its question: never silence, never another box."""

from __future__ import annotations

from collections.abc import Iterator

from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Clause
from referee.rules.lookup.lookup import look_up
from referee.rules.lookup.query import vocabulary
from referee.rules.text.words import ENGLISH
from tools.lookup.wordings import wordings

OF_A_CARD = ("what does the {title} do", "explain {title}", "what happens when {title} is played")


def test_the_title_of_a_clause_is_answered() -> None:
    lost = []
    for rulebook in rulebooks().values():
        for clause in rulebook.clauses.values():
            found = look_up(clause.title, rulebook)
            if not found.answered or found.box:
                lost.append(f"{rulebook.id}: {clause.title}")
    assert len(lost) <= 5, lost  # of about 700


def test_wordings_of_a_clause_are_neither_silence_nor_another_box() -> None:
    asked = [(book, query) for book in rulebooks().values() for each in book.clauses.values() for query in said(each)]
    assert len(asked) >= 2000
    found = [(f"{book.id}: {query}", look_up(query, book)) for book, query in asked]
    lost = [query for query, each in found if each.silent or each.box]
    assert len(lost) <= 0.005 * len(asked), lost


def said(clause: Clause) -> Iterator[str]:
    """Give three wordings of the question that a clause answers, none of which names a thing of another box."""
    here = [query for query in wordings().get(clause.id, ())[1:] if vocabulary(ENGLISH).hear(query).box is None]
    if clause.id.startswith("card-"):
        here = [wording.format(title=clause.title.partition(" (")[0]) for wording in OF_A_CARD]
    yield from here[:3]
