"""What a table should look at again in its own rulebook: it can be played, but hardly as it was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.rules.books import settings as s
from referee.rules.books.drawing import DRAWS_OF, number_drawn
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import OWN_FACES, Setting
from referee.rules.books.worths import text_worth
from referee.rules.cards.cards import Deck, Face, side_name
from referee.rules.cards.decks import decks_in_same_box
from referee.rules.own.clauses import OwnClause
from referee.rules.own.contradictions import Against
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Problem
from referee.rules.text.words import joined, say

LONG_MATCH = 50
"""Rounds beyond which nobody means a match to go on."""
FEW = 3
"""Cards that a warning names."""


def warnings(against: Against, clauses: Sequence[OwnClause]) -> Iterator[Problem]:
    """Find what is worth asking before a rulebook is saved, each at the setting or rule it is about."""
    deck = Terms.agree(against.rulebook).full_deck
    for warning in (
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
        if warning is not None:
            yield warning
    for place, rule in enumerate(clauses):
        contradicted = next(_said_otherwise(rule.text, against.rulebook, deck), None)
        if contradicted is not None:
            yield Problem(("clauses", place), say("own.warns-said-otherwise", n=place + 1, says=contradicted))


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
    draws_one = against.value(s.DRAWS_INSTEAD) == 1 and s.DRAWS_INSTEAD.name not in changed
    if not against.value(s.DRAWS_UNTIL_PLAYABLE) or s.DRAWS_UNTIL_PLAYABLE.name not in changed or not draws_one:
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


_WORDS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_N = rf"(\d{{1,6}}|{'|'.join(_WORDS)})"
"""A number in digits or as a word; “one” is more often no number (“the last one”)."""
_SAID: Sequence[tuple[Setting[Any], re.Pattern[str]]] = (
    (s.TARGET, re.compile(rf"\b(?:first to|play(?:s|ed)? to|target is|target of|reach|reaches|up to) {_N}\b")),
    (s.CARDS_EACH, re.compile(rf"\b(?:deal|deals|dealt|gets?|starts? with) [a-z ]{{0,30}}?{_N} cards each\b")),
    (s.CARDS_EACH, re.compile(rf"\b{_N} cards (?:each are dealt|are dealt to each)\b")),
    (s.CARDS_EACH, re.compile(rf"\b(?:each player|every(?:one|body)) (?:is dealt|gets|starts with) {_N} cards\b")),
    (
        s.UNO_PENALTY,
        re.compile(rf"\b(?:forg[eo]t|miss)[a-z]*\b[^.;]{{0,30}}\buno\b[^.;0-9]{{0,60}}?{_N} cards?\b"),
    ),
    (s.KNOCK_OUT_BONUS, re.compile(rf"\b{_N} points (?:for|per|a) (?:each |every )?(?:knock|player knocked)")),
    (
        s.KNOCK_OUT_BONUS,
        re.compile(rf"\bknock-?outs? (?:gives?|brings?|scores?|is worth|counts?) {_N}\b"),
    ),
    (
        s.KNOCKED_OUT_AT,
        re.compile(rf"\b{_N} cards? (?:in hand )?(?:knocks? you out|(?:is|are) out|you[’']re out)"),
    ),
)
"""How people say in their own words what a setting says in a number."""
_WORTH = rf"s?\b(?: cards?)? ?(?:is worth|are worth|counts?|scores?|is|are|=|:) ?(?:only |always )?{_N}\b(?! cards?\b)"
_DRAWS = rf"s?\b(?: cards?)? (?:makes?|means?) [a-z ]{{0,30}}\b(?:draws?|press(?:es)?) {_N}\b"


def _said_otherwise(text: str, rulebook: Rulebook, deck: Deck) -> Iterator[str]:
    """Find the clauses whose numbers a rule in the table's own words contradicts; give what they say."""
    rest = " ".join(text.lower().split())
    for setting, pattern in _SAID:
        answer = rulebook.find(setting)
        if answer and set(map(_number, pattern.findall(rest))) - _numbers(answer[0]):
            yield answer[1].text
    faces = {
        face: face.label.lower() for each in decks_in_same_box(deck.id) for face in each.faces if face.number is None
    }
    for face, label in sorted(faces.items(), key=lambda each: -len(each[1])):
        if label in rest:
            draws = s.CARD_DRAWS.at(f"card-{face}") if face in OWN_FACES else DRAWS_OF.get(face)
            for told, words in ((text_worth(rulebook, face), _WORTH), (draws, _DRAWS)):
                clause = rulebook.find(told) if told else None
                numbers = set(map(_number, re.findall(rf"\b{re.escape(label)}{words}", rest)))
                if clause and numbers - _numbers(clause[0], face):
                    yield clause[1].text
            rest = rest.replace(label, "")  # a Wild Draw Four is no Wild


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _WORDS.index(word) + 2


def _numbers(value: Any, face: Face | None = None) -> set[int]:
    """Return the numbers that a setting has, of all tables, or of one face where it has one for each."""
    if isinstance(value, Mapping):
        return {value[face]} if face is not None else set(value.values())
    return {value}
