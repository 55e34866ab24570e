"""What a table should look at again in its own rulebook: it can be played, but hardly as it was meant.

Settings that cannot hold together are said beside the change that brought them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from referee.rules.books import settings as s
from referee.rules.books.agreeing import bonus_counts_against
from referee.rules.books.controls import card_of, controls
from referee.rules.books.rulebook import DRAWS_OF, GROUP_POINTS, Rulebook, number_drawn, text_worth
from referee.rules.books.settings import OWN_FACES, Setting
from referee.rules.cards.cards import Deck, Face, side_name
from referee.rules.cards.decks import decks_in_same_box, face_named
from referee.rules.own.clauses import OwnClause
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Problem
from referee.rules.text.words import joined, say

LONG_MATCH = 50
"""Rounds beyond which nobody means a match to go on."""
FEW = 3
"""Cards that a warning names."""


_CHALLENGED: Sequence[Setting[Any]] = (
    s.GUILTY_DRAWS, s.GUILTY_DRAWS_INSTEAD, s.GUILTY_EFFECT_STANDS, s.GUILTY_NEXT_TURN, s.GUILTY_COLOR_STANDS,
)  # fmt: skip
_WITHOUT_EFFECT: Sequence[tuple[Setting[Any], object, Sequence[Setting[Any]]]] = (
    (
        s.CHALLENGERS,
        (),
        (*_CHALLENGED, s.WRONG_CHALLENGE_DRAWS, s.WRONG_CHALLENGE_EXTRA, s.WRONG_CHALLENGE_TURN, s.HAND_SHOWN_TO,
         s.LAST_CARD_CHALLENGE),
    ),
    (s.HELD_COLOR_BARS, False, (*_CHALLENGED, s.MAY_BE_BLUFFED)),
    (s.DRAW_FOUR_DRAWS, 0, (s.GUILTY_EFFECT_STANDS, s.UNCHALLENGED_STANDS, s.WRONG_CHALLENGE_DRAWS)),
    (s.DRAW_PILE_ACTION, "end-round", (s.KEEP_TOP_CARD, s.SHUFFLE)),
    *((s.GO_OUT_ON_ACTION.at(id), False, (s.LAST_CARD_COUNTS,)) for id in ("last-card-action", "no-action-finish")),
    *(
        (s.CARD_RETURNED.at(id), True, (s.FIRST_TO_PLAY.at(id), s.COLOR_CHOSEN_BY.at(id)))
        for id in sorted(s.CARD_RETURNED.carriers & s.COLOR_CHOSEN_BY.carriers)
    ),
    (s.UNO_MOMENTS, (), (s.UNO_UNTIL, s.UNO_EARLY_COUNTS, s.UNO_BY_TAPPING, s.UNO_PENALTY, s.UNO_UNNOTICED_FREE,
                         s.UNO_LATE_CALL_FREE, s.UNO_CAUGHT_BY)),
    (s.UNO_BY_TAPPING, True, (s.UNO_MOMENTS, s.UNO_EARLY_COUNTS)),
)  # fmt: skip
"""A setting, its value, and the settings that then change no ruling; all pairs of settings are tried by a test."""


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
        _early_twice(against),
    ):
        if warning is not None:
            yield warning
    for cause, value, without in _WITHOUT_EFFECT:
        for setting in without if against.value(cause) == value else ():
            if setting.name in against.changes.get(setting.question, {}):
                warning = against.problem("warns-no-effect", cause, setting)
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
    return against.problem("warns-draws-until", s.DRAWS_INSTEAD, s.DRAWS_UNTIL_PLAYABLE)


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


def _early_twice(against: Against) -> Problem | None:
    if "before-playing" not in (against.value(s.UNO_MOMENTS) or ()) or against.value(s.UNO_EARLY_COUNTS) is None:
        return None
    return against.problem("warns-no-effect", s.UNO_MOMENTS, s.UNO_EARLY_COUNTS)


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


T = TypeVar("T")
Changes = Mapping[str, Mapping[str, object]]


def contradictions(rulebook: Rulebook, changes: Changes, house_rules: Sequence[str]) -> Iterator[Problem]:
    """Find what cannot hold together in a rulebook with these changes and house rules."""
    yield from _rules_against_changes(rulebook, changes, house_rules)
    yield from _cards_of_the_box(rulebook, changes)
    against = Against(rulebook, changes, house_rules)
    for problem in (
        against.players(),
        against.winner(),
        against.ranks(),
        against.unused_ranks(),
        against.reaching(),
        against.being_out(),
        against.knocking_out(),
        against.bonus(),
        against.out_at_once(),
        against.moving_hands(),
        against.last_card(),
        against.deal(),
        against.drawing(),
        *(against.returned(clause) for clause in sorted(s.CARD_RETURNED.carriers - {"start-action"})),
        against.noticing(),
        against.showing(),
        against.empty_pile(),
        against.stacking(),
        against.wrong_challenge(),
    ):
        if problem is not None:
            yield problem


def _rules_against_changes(rulebook: Rulebook, changes: Changes, house_rules: Sequence[str]) -> Iterator[Problem]:
    for place, id in enumerate(house_rules):
        rule = rulebook.house_rules[id]
        for clause in rule.clauses:
            changed = changes.get(clause.id, {})
            for name, value in clause.settings.items():
                if name in changed and changed[name] != value:
                    says = controls()[clause.id][name].meaning(value)
                    yield Problem(("house_rules", place), say("own.rule-says-otherwise", rule=rule.title, says=says))


def _cards_of_the_box(rulebook: Rulebook, changes: Changes) -> Iterator[Problem]:
    deck = Terms.agree(rulebook).full_deck
    faces = {face for each in decks_in_same_box(deck.id) for face in each.faces}
    priced = {worth.name for worth in (text_worth(rulebook, face) for face in faces) if worth}
    for clause, settings in changes.items():
        about = card_of(clause)
        for name, value in settings.items():
            if name in GROUP_POINTS - priced and value is not None:
                yield Problem(("changes", clause, name), say("own.prices-nothing", box=deck.box_title))
            given = value if name == s.FACE_POINTS.name and isinstance(value, Mapping) else [about] if about else []
            for face in (each for each in given if each not in faces):
                message = say("own.card-not-in-box", card=face_named(face).label, box=deck.box_title)
                yield Problem(("changes", clause, name), message)
            for other in s.FACE_POINTS.carriers - {clause} if name == s.FACE_POINTS.name else ():
                for face in rulebook.value(s.FACE_POINTS.at(other), {}).keys() & set(given):
                    message = say("own.card-priced-twice", card=face_named(face).label, clause=other)
                    yield Problem(("changes", clause, name), message)


@dataclass(frozen=True)
class Against:
    """A rulebook with the changes and house rules made to it, to report contradictions at the right one."""

    rulebook: Rulebook
    changes: Changes
    house_rules: Sequence[str]

    def value(self, setting: Setting[T]) -> T | None:
        answer = self.rulebook.find(setting)
        return None if answer is None else answer[0]

    def problem(self, key: str, *settings: Setting[Any], **places: object) -> Problem | None:
        """Return a contradiction as a problem of the last setting changed; None where none was changed."""
        path: tuple[str | int, ...] = ()
        changed = [each for each in reversed(settings) if each.name in self.changes.get(each.question, {})]
        if changed:
            path = ("changes", changed[0].question, changed[0].name)
        carried = {setting.question for setting in settings}
        for place, id in enumerate(() if path else self.house_rules):
            if any(clause.id in carried for clause in self.rulebook.house_rules[id].clauses):
                path = ("house_rules", place)
                break
        return Problem(path, self._with_sentences(say(f"own.{key}", **places), settings)) if path else None

    def _with_sentences(self, reason: str, settings: Sequence[Setting[Any]]) -> str:
        """Return a reason with what the rulebook says of the last two settings that it says something of."""
        told = [
            controls()[setting.question][setting.name].meaning(value)
            for setting in settings
            if (value := self.value(setting)) is not None
        ]
        return say("own.both", reason=reason, first=told[-2], second=told[-1]) if len(told) > 1 else reason

    def players(self) -> Problem | None:
        least, most = self.value(s.PLAYERS_MIN), self.value(s.PLAYERS_MAX)
        if least is None or most is None or least <= most:
            return None
        return self.problem("players-cross", s.PLAYERS_MIN, s.PLAYERS_MAX, least=least, most=most)

    def winner(self) -> Problem | None:
        awards, wins = self.value(s.AWARDS), self.value(s.WINS)
        if awards is None or wins is None or (awards == "own-points") == (wins == "lowest"):
            return None
        key = {"own-points": "own-points-and-winner", "own-points-off": "own-points-off-and-winner"}
        return self.problem(key.get(awards, "awards-and-winner"), s.AWARDS, s.WINS)

    def ranks(self) -> Problem | None:
        if self.value(s.AWARDS) == "by-rank" and not self.value(s.RANK_POINTS):
            return self.problem("ranks-score-nothing", s.AWARDS, s.RANK_POINTS)
        return None

    def unused_ranks(self) -> Problem | None:
        awards = self.value(s.AWARDS)
        ranks = self.value(s.RANK_POINTS)
        if awards in (None, "by-rank") or not ranks or not any(ranks):
            return None
        return self.problem("ranks-unused", s.AWARDS, s.RANK_POINTS)

    def reaching(self) -> Problem | None:
        target, opening = self.value(s.TARGET), self.value(s.OPENING_TOTAL) or 0
        if target is not None and self.value(s.AWARDS) == "own-points-off":
            return self.problem("target-out-of-reach", s.TARGET, s.AWARDS)
        lowest = min(target.values()) if isinstance(target, Mapping) else target
        if lowest is not None and opening >= lowest:
            return self.problem("target-reached", s.TARGET, s.OPENING_TOTAL)
        return None

    def being_out(self) -> Problem | None:
        if self.value(s.AT_TARGET) != "player-is-out":
            return None
        if self.value(s.TARGET) is None:
            return self.problem("out-at-no-target", s.TARGET, s.AT_TARGET)
        return self.problem("out-and-winner", s.WINS, s.AT_TARGET) if self.value(s.WINS) == "highest" else None

    def knocking_out(self) -> Problem | None:
        wanted = self.value(s.LAST_LEFT_WINS) or self.value(s.KNOCK_OUT_BONUS)
        if not wanted or self.value(s.KNOCKED_OUT_AT) is not None:
            return None
        return self.problem("nobody-knocked-out", s.KNOCK_OUT_BONUS, s.LAST_LEFT_WINS, s.KNOCKED_OUT_AT)

    def bonus(self) -> Problem | None:
        if not bonus_counts_against(self.rulebook):
            return None
        return self.problem("bonus-counts-against", s.WINS, s.AWARDS, s.KNOCK_OUT_BONUS)

    def out_at_once(self) -> Problem | None:
        at, each = self.value(s.KNOCKED_OUT_AT), self.value(s.CARDS_EACH)
        if at is None or each is None or at > each:
            return None
        return self.problem("out-at-once", s.CARDS_EACH, s.KNOCKED_OUT_AT, each=each)

    def moving_hands(self) -> Problem | None:
        swap = self.value(s.SWAP_ON)
        if swap is None or swap != self.value(s.ROTATE_ON):
            return None
        return self.problem("same-number", s.SWAP_ON, s.ROTATE_ON)

    def last_card(self) -> Problem | None:
        if self.value(s.LAST_CARD_DRAWS) is False and self.value(s.LAST_CARD_COUNTS):
            return self.problem("nobody-draws", s.LAST_CARD_DRAWS, s.LAST_CARD_COUNTS)
        return None

    def deal(self) -> Problem | None:
        each = self.value(s.CARDS_EACH) or 0
        players = self.value(s.PLAYERS_MAX) or self.value(s.PLAYERS_MIN) or 2
        cards = Terms.agree(self.rulebook).full_deck.size
        if players * each < cards:
            return None
        settings = (s.BOXES, s.DECK, s.PLAYERS_MIN, s.PLAYERS_MAX, s.CARDS_EACH)
        return self.problem("too-few-cards", *settings, players=players, each=each, cards=cards)

    def drawing(self) -> Problem | None:
        if self.value(s.DRAWS_UNTIL_PLAYABLE) and (self.value(s.DRAWS_INSTEAD) or 0) > 1:
            return self.problem("draws-until", s.DRAWS_UNTIL_PLAYABLE, s.DRAWS_INSTEAD)
        return None

    def returned(self, clause: str) -> Problem | None:
        back = s.CARD_RETURNED.at(clause)
        effects: Sequence[Setting[Any]] = (s.FIRST_PLAYER_DRAWS, s.FIRST_PLAYER_SKIPPED)
        told = [each.at(clause) for each in effects if clause in each.carriers and self.value(each.at(clause))]
        return self.problem("card-goes-back", *told, back) if told and self.value(back) is True else None

    def noticing(self) -> Problem | None:
        if self.value(s.UNO_CAUGHT_BY) == "nobody" and self.value(s.UNO_UNNOTICED_FREE):
            return self.problem("nobody-notices", s.UNO_CAUGHT_BY, s.UNO_UNNOTICED_FREE)
        return None

    def showing(self) -> Problem | None:
        if self.value(s.HAND_SHOWN_TO) and self.value(s.HAND_IS_SHOWN) is False:
            return self.problem("hand-not-shown", s.HAND_SHOWN_TO, s.HAND_IS_SHOWN)
        return None

    def stacking(self) -> Problem | None:
        upward = self.value(s.STACKS_UPWARD)
        kinds = ("stacking-draw-two", "stacking-draw-four", "stacking-mixed")
        for kind in kinds if upward else kinds[2:]:
            stacks = s.STACKS.at(kind)
            if None not in (upward, self.value(stacks)) and self.value(stacks) != upward:
                return self.problem("stacks-both-ways", s.STACKS_UPWARD, stacks)
        return None

    def wrong_challenge(self) -> Problem | None:
        extra, total = self.value(s.WRONG_CHALLENGE_EXTRA), self.value(s.WRONG_CHALLENGE_DRAWS)
        if None in (extra, total) or total == (self.value(s.DRAW_FOUR_DRAWS) or 0) + (extra or 0):
            return None
        return self.problem("challenge-costs-two-ways", s.WRONG_CHALLENGE_DRAWS, s.WRONG_CHALLENGE_EXTRA)

    def empty_pile(self) -> Problem | None:
        action, ends = self.value(s.DRAW_PILE_ACTION), self.value(s.DRAW_PILE_ENDS_ROUND)
        if None in (action, ends) or (action == "end-round") == ends:
            return None
        return self.problem("pile-ends-round", s.DRAW_PILE_ACTION, s.DRAW_PILE_ENDS_ROUND)
