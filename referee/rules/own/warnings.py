"""What a table should look at again in its own rulebook: it can be played, but hardly as it was meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from referee.rules.books import settings as s
from referee.rules.books.drawing import number_drawn
from referee.rules.books.settings import OWN_FACES
from referee.rules.cards.cards import Deck, side_name
from referee.rules.own.contradictions import Against
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Problem
from referee.rules.text.words import joined

LONG_MATCH = 50
"""Rounds beyond which nobody means a match to go on."""
FEW = 3
"""Cards that a warning names."""


def warnings(against: Against) -> Iterator[Problem]:
    """Find what is worth asking before a rulebook is saved, each at the setting it is about."""
    deck = Terms.agree(against.rulebook).box
    for found in (
        _deal(against, deck),
        _partners(against),
        _nobody_left(against),
        _out_is_better(against),
        _drawing(against),
        _long_match(against),
        _rising_ranks(against),
        _unknown_cards(against, deck),
        _start_side(against, deck),
    ):
        if found is not None:
            yield found


def _deal(against: Against, deck: Deck) -> Problem | None:
    each, most = against.value(s.CARDS_EACH) or 0, against.rulebook.players[-1]
    if most * each < deck.size:
        return None
    places = {"players": most, "each": each, "cards": deck.size}
    return against.problem("warns-too-few-cards", s.BOXES, s.DECK, s.PLAYERS_MIN, s.PLAYERS_MAX, s.CARDS_EACH, **places)


def _partners(against: Against) -> Problem | None:
    if not against.value(s.PARTNERS) or all(n >= 4 and n % 2 == 0 for n in against.rulebook.players):
        return None
    return against.problem("warns-odd-partners", s.PLAYERS_MIN, s.PLAYERS_MAX, s.PARTNERS)


def _nobody_left(against: Against) -> Problem | None:
    if against.value(s.KNOCKED_OUT_AT) is None or against.value(s.LAST_LEFT_WINS):
        return None
    return against.problem("warns-nobody-left", s.LAST_LEFT_WINS, s.KNOCKED_OUT_AT)


def _out_is_better(against: Against) -> Problem | None:
    awards = against.value(s.AWARDS) or ""
    if against.value(s.KNOCKED_OUT_AT) is None or awards not in ("own-points", "own-points-off"):
        return None
    return against.problem("warns-out-is-better", s.KNOCKED_OUT_AT, s.AWARDS)


def _drawing(against: Against) -> Problem | None:
    changed = against.changes.get(s.DRAWS_INSTEAD.question, {})
    one = against.value(s.DRAWS_INSTEAD) == 1 and s.DRAWS_INSTEAD.name not in changed
    if not against.value(s.DRAWS_UNTIL_PLAYABLE) or s.DRAWS_UNTIL_PLAYABLE.name not in changed or not one:
        return None
    return against.problem("warns-draws-until", s.DRAWS_UNTIL_PLAYABLE)


def _long_match(against: Against) -> Problem | None:
    target, awards = against.value(s.TARGET), against.value(s.AWARDS)
    lowest = min(target.values()) if isinstance(target, Mapping) else target
    ranks, bonus = against.value(s.RANK_POINTS), against.value(s.KNOCK_OUT_BONUS)
    most = 1 if awards == "one-point" else max(ranks) if awards == "by-rank" and ranks else 0
    if lowest is None or not most or lowest < most * LONG_MATCH or bonus:
        return None
    places = {"target": f"{lowest:,}", "n": -(-lowest // most)}
    return against.problem("warns-long-match", s.AWARDS, s.RANK_POINTS, s.TARGET, **places)


def _rising_ranks(against: Against) -> Problem | None:
    ranks = against.value(s.RANK_POINTS) or ()
    if against.value(s.AWARDS) != "by-rank" or list(ranks) == sorted(ranks, reverse=True):
        return None
    return against.problem("warns-rising-ranks", s.AWARDS, s.RANK_POINTS)


def _unknown_cards(against: Against, deck: Deck) -> Problem | None:
    faces = [face for face in deck.faces if face in OWN_FACES and f"card-{face}" not in against.rulebook.clauses]
    if not faces:
        return None
    labels = [face.label for face in faces]
    if len(faces) <= FEW:
        return against.problem("warns-unknown-cards", s.DECK, cards=joined(labels))
    return against.problem("warns-unknown-cards-more", s.DECK, cards=", ".join(labels[:FEW]), n=len(faces) - FEW)


def _start_side(against: Against, deck: Deck) -> Problem | None:
    side = against.value(s.START_SIDE)
    if side is None or not deck.sides:
        return None
    first = [face for face in deck.on(side).faces if face in OWN_FACES and number_drawn(against.rulebook, face)]
    if any(f"start-card-{face}" in against.rulebook.clauses for face in first):
        return None
    return against.problem("warns-start-side", s.START_SIDE, side=side_name(side))
