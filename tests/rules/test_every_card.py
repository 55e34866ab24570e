"""Every card of every deck, played: the ruling says first what it does, or which clause is silent on what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes import DISPUTES_BY_ID, hear
from referee.rules.disputes.box import on_sale
from referee.rules.disputes.ruling import Ruling

PLAYED = DISPUTES_BY_ID["played-card-effect"]
NOTHING_BUT_THE_TURN = re.compile(r"It’s [^.]+ turn\.|[^.]+ plays (?:next|again)\.")


def every_card() -> Iterator[tuple[Rulebook, str, Ruling]]:
    """Play one card of each face that may lie on the table, with the fewest and with four players."""
    for book in rulebooks().values():
        for deck in on_sale(book):
            for face in deck.faces:
                for players in {book.players[0], 4} & set(book.players):
                    ruling = hear(PLAYED, book, {"played": str(face), "players": players}, deck=deck)
                    assert isinstance(ruling, Ruling)
                    yield book, face, ruling


def test_a_played_card_is_told_by_what_it_does() -> None:
    """A number passes the turn on; so does a Skip or Reverse that lets its player go again, and says so."""
    told = [
        (book.id, face, ruling.summary)
        for book, face, ruling in every_card()
        if not face.isdigit() and ruling.verdict != "Play again" and NOTHING_BUT_THE_TURN.fullmatch(ruling.summary)
    ]
    assert told == []


def test_nothing_is_called_unsaid_that_a_cited_clause_says() -> None:
    for book, face, ruling in every_card():
        spoken = {step.clause.id for step in ruling.steps if step.clause}
        if "don’t say what" in ruling.summary:
            assert not spoken & {f"card-{face}", "special-cards"}, (book.id, face, ruling.summary)
