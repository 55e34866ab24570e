"""Look-up and hearing never disagree: every card of every box, asked in words and heard by its facts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes import DISPUTES_BY_ID, hear
from referee.rules.disputes.effects import disputed_faces, draw_faces, faces_of
from referee.rules.disputes.hearing import Hearing, Silent
from referee.rules.disputes.ruling import Ruling
from referee.rules.lookup.lookup import look_up
from referee.rules.lookup.model import understood
from referee.rules.text.problem import Impossible
from referee.rules.text.words import speaking

LAST = {
    "en": ("can my last card be a {}", "may I go out on a {}", "is it allowed to finish with a {}"),
    "de": ("darf meine letzte Karte eine {} sein", "darf man mit {} aufhören"),
    "nl": ("mag mijn laatste kaart een {} zijn", "mag ik uitgaan met een {}"),
    "es": ("¿puede ser mi última carta un {}?", "¿se puede terminar con un {}?"),
}
ON = {
    "en": ("can I stack a {} on a {}", "may I stack my {} on his {}"),
    "de": ("darf ich eine {} auf eine {} stapeln",),
    "nl": ("mag ik een {} op een {} stapelen",),
    "es": ("¿puedo acumular un {} sobre un {}?",),
}
CHALLENGED = {
    "en": ("can I challenge a {}", "may I challenge the {}"),
    "de": ("darf ich eine {} anzweifeln",),
    "nl": ("mag ik een {} betwisten",),
    "es": ("¿puedo desafiar un {}?",),
}
Heard = tuple[bool | None, str]
"""Whether it is allowed, None where the rulebook is silent, and the summary if the hearing needs no further fact."""


def heard(dispute: str, key: str, book: Rulebook, facts: dict[str, object]) -> Heard:
    """Hear a case as a page would, or decide the one point where the whole takes more facts."""
    ruling = hear(DISPUTES_BY_ID[dispute], book, facts)
    if isinstance(ruling, Ruling):
        return ruling.outcome[key], ruling.summary
    parsed = {name: DISPUTES_BY_ID[dispute].known_facts[name].against(book.deck).parse(facts[name]) for name in facts}
    try:
        return bool(Hearing(book, parsed, DISPUTES_BY_ID[dispute].decided).decide(key)), ""
    except Silent:
        return None, ""


def questions(code: str, book: Rulebook) -> Iterator[tuple[str, Heard]]:
    """Ask of every card that it be the last, of every draw card that it go on each, of disputed ones a challenge."""
    trays = {"overloads": False} if book.id == "triple-play" else {}
    for face in faces_of(book):
        said = heard("going-out", "legal", book, {"last_card": str(face), **trays})
        yield from ((asked.format(face.label), said) for asked in LAST[code])
    drawing = draw_faces(book)
    for played, pile in [(played, pile) for played in drawing for pile in drawing]:
        facts: dict[str, object] = {"on_pile": str(pile), "response": str(played)}
        try:
            said = heard("stacking", "legal", book, facts)
        except Impossible:  # cards of two sides
            continue
        yield from ((asked.format(played.label, pile.label), said) for asked in ON[code])
    for face in disputed_faces(book):
        facts = {"challenged": True, "challenger": "target", "played": str(face)}
        said = heard("draw-four-challenge", "challenge_allowed", book, facts)
        yield from ((asked.format(face.label), said) for asked in CHALLENGED[code])


@pytest.mark.parametrize("code", understood())
@pytest.mark.parametrize("id", rulebooks())
def test_the_look_up_says_what_the_hearing_says_of_every_card(id: str, code: str) -> None:
    with speaking(code):
        book = rulebooks()[id]
        wrong = []
        for query, (allowed, summary) in questions(code, book):
            found = look_up(query, book)
            said = (found.points[0].allowed, found.points[0].summary) if found.points else ("not heard", "")
            if said[0] is not allowed or (summary and allowed is not None and said[1] != summary):
                wrong.append((query, allowed, said[0]))
            elif (found.answered, found.silent) != (allowed is not None, allowed is None):
                wrong.append((query, found.answered, found.silent))
    assert wrong == []
