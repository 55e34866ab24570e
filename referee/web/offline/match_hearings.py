"""The hearings of a match as a phone takes them along: whom each may be about, and what its form sends later.

Names stand in the document by where people sit (`PERSON`), so that it stays the same while they are renamed, and what
is true of one pair of neighbors is written once for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from referee.records.seating import Seated, Seating
from referee.rules.disputes import DISPUTES, Dispute
from referee.rules.disputes.base import Facts
from referee.rules.facts import PLAYERS
from referee.rules.ruling import Role
from referee.rules.terms import Terms
from referee.rules.tree import document
from referee.web.disputes.forms import Context, DisputeState
from referee.web.disputes.questions import ask_cast

PERSON = 0xE000
"""The character (of those free for private use) that stands for the first of the people concerned; others follow."""


def hearings(terms: Terms, seats: tuple[Seated, ...]) -> dict[str, Any]:
    """Return the hearings at a table; a dispute that is about someone has a ``cast`` besides.

    ``cast`` is the question who, with ``rows`` of whom it may be: each with the place of a player and ``options``
    ``{"then", "people", "fields"}``: the place of who comes next or None, the places of those whom `PERSON` and the
    characters after it stand for, and what a form says.
    """
    rulebook, deck = terms.rulebook, terms.box
    people = tuple(replace(seat, name=chr(PERSON + place)) for place, seat in enumerate(seats))
    context = Context(rulebook, deck, seating=Seating(people))
    casts = {dispute.id: _cast(DisputeState(context, dispute)) for dispute in DISPUTES}
    firsts = {id: cast["rows"][0]["options"][0]["fields"] for id, cast in casts.items() if cast}

    def naming(dispute: Dispute, facts: Facts) -> Mapping[Role, str]:
        given = {key: value for key, value in facts.items() if isinstance(value, str)}
        return DisputeState(context, dispute, given).answered(firsts[dispute.id]).names if dispute.id in firsts else {}

    grown = document(rulebook, known={PLAYERS.key: len(seats)}, naming=naming, deck=deck)
    for dispute in grown["disputes"]:
        if cast := casts[dispute["id"]]:
            dispute["cast"] = cast
    return grown


def _cast(case: DisputeState) -> dict[str, Any] | None:
    wanted = case.needs_cast()
    if wanted is None:
        return None
    question = ask_cast(case, wanted)
    places = {str(seat.seat): place for place, seat in enumerate(case.context.seats)}
    rows = []
    for place, row in enumerate(question.cast):
        options = []
        for option in row.options:
            concerned = [places[seat] for seat in option.answers.values()]
            then = concerned[1] if len(concerned) > 1 else None
            step = -1 if then is not None and then != (place + 1) % len(places) else 1
            people = [(place + step * away) % len(places) for away in range(len(places))]
            options.append({"then": then, "people": people, "fields": dict(option.answers)})
        rows.append({"place": place, "options": options})
    return {"text": question.text, "rows": rows}
