"""What a table should look at again in its own rulebook: it can be played, but hardly as it was meant.

Settings that cannot hold together are said beside the change that brought them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from referee.rules.books import settings as s
from referee.rules.books.agreeing import bonus_counts_against
from referee.rules.books.controls import card_of, controls
from referee.rules.books.rulebook import DRAWS_OF, GROUP_POINTS, Rulebook, number_drawn, text_worth
from referee.rules.books.settings import OWN_FACES, Setting
from referee.rules.cards.cards import Deck, Face, side_name
from referee.rules.cards.decks import decks_in_same_box, face_named
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
    *(
        (s.GO_OUT_ON_ACTION.at(id), False, (s.LAST_CARD_COUNTS, s.GO_OUT_ON_WILD))
        for id in ("last-card-action", "no-action-finish")
    ),
    (s.PLAY_DOUBLES, False, (s.DOUBLES_ANY_COLOR,)),
    (s.HANDS_OPEN, True, (s.PUT_RIGHT.at("card-shown"), *map(s.MISTAKE_DRAWS.at, ("card-shown", "peeked")))),
    *(
        (s.CARD_RETURNED.at(id), True, (s.FIRST_TO_PLAY.at(id), s.COLOR_CHOSEN_BY.at(id)))
        for id in sorted(s.CARD_RETURNED.carriers & s.COLOR_CHOSEN_BY.carriers)
    ),
    (s.UNO_MOMENTS, (), (s.UNO_UNTIL, s.UNO_EARLY_COUNTS, s.UNO_BY_TAPPING, s.UNO_PENALTY, s.UNO_UNNOTICED_FREE,
                         s.UNO_LATE_CALL_FREE, s.UNO_CAUGHT_BY)),
    (s.UNO_BY_TAPPING, True, (s.UNO_MOMENTS, s.UNO_EARLY_COUNTS)),
)  # fmt: skip
"""A setting, its value, and the settings that then change no ruling; all pairs of settings are tried by a test."""


def warnings(against: Against, rules: Sequence[str]) -> Iterator[Problem]:
    """Find what is worth asking before a rulebook is saved, each at the setting or rule it is about."""
    deck = Terms.agree(against.rulebook).full_deck
    yield from filter(None, chain(_hardly_meant(against, deck), _about_cards(against, deck), _without_effect(against)))
    for place, rule in enumerate(rules):
        contradicted = next(_said_otherwise(rule, against.rulebook, deck), None)
        if contradicted is not None:
            yield Problem(("clauses", place), say("own.warns-said-otherwise", n=place + 1, says=contradicted))


def _hardly_meant(against: Against, deck: Deck) -> Iterator[Problem | None]:
    value, problem, players = against.value, against.problem, against.rulebook.players
    awards, ranks = value(s.AWARDS), value(s.RANK_POINTS) or ()
    each = value(s.CARDS_EACH) or 0
    if players[-1] * each >= deck.size:
        places = {"players": players[-1], "each": each, "cards": deck.size}
        yield problem("warns-too-few-cards", s.BOXES, s.DECK, s.PLAYERS_MIN, s.PLAYERS_MAX, s.CARDS_EACH, **places)
    if value(s.PARTNERS) and not all(n >= 4 and n % 2 == 0 for n in players):
        yield problem("warns-odd-partners", s.PLAYERS_MIN, s.PLAYERS_MAX, s.PARTNERS)
    if value(s.KNOCKED_OUT_AT) is not None and not value(s.LAST_LEFT_WINS):
        yield problem("warns-nobody-left", s.LAST_LEFT_WINS, s.KNOCKED_OUT_AT)
    if value(s.KNOCKED_OUT_AT) is not None and awards in ("own-points", "own-points-off"):
        yield problem("warns-out-is-better", s.KNOCKED_OUT_AT, s.AWARDS)
    changed = against.changes.get(s.DRAWS_INSTEAD.question, {})
    draws_one = value(s.DRAWS_INSTEAD) == 1 and s.DRAWS_INSTEAD.name not in changed
    if value(s.DRAWS_UNTIL_PLAYABLE) and s.DRAWS_UNTIL_PLAYABLE.name in changed and draws_one:
        yield problem("warns-draws-until", s.DRAWS_INSTEAD, s.DRAWS_UNTIL_PLAYABLE)
    lowest = _lowest(value(s.TARGET))
    most = 1 if awards == "one-point" else max(ranks) if awards == "by-rank" and ranks else 0
    if lowest is not None and most and lowest >= most * LONG_MATCH and not value(s.KNOCK_OUT_BONUS):
        told = {"target": f"{lowest:,}", "n": -(-lowest // most)}
        yield problem("warns-long-match", s.AWARDS, s.RANK_POINTS, s.TARGET, **told)
    if awards == "by-rank" and list(ranks) != sorted(ranks, reverse=True):
        yield problem("warns-rising-ranks", s.AWARDS, s.RANK_POINTS)


def _about_cards(against: Against, deck: Deck) -> Iterator[Problem | None]:
    clauses = against.rulebook.clauses
    faces = [face.label for face in deck.faces if face in OWN_FACES and f"card-{face}" not in clauses]
    if len(faces) > FEW:
        places = {"cards": ", ".join(faces[:FEW]), "n": len(faces) - FEW}
        yield against.problem("warns-unknown-cards-more", s.DECK, **places)
    elif faces:
        yield against.problem("warns-unknown-cards", s.DECK, cards=joined(faces))
    side = against.value(s.START_SIDE)
    if side is not None and deck.sides:
        first = [face for face in deck.on(side).faces if face in OWN_FACES and number_drawn(against.rulebook, face)]
        if not any(f"start-card-{face}" in clauses for face in first):
            yield against.problem("warns-start-side", s.START_SIDE, side=side_name(side))


def _without_effect(against: Against) -> Iterator[Problem | None]:
    if "before-playing" in (against.value(s.UNO_MOMENTS) or ()) and against.value(s.UNO_EARLY_COUNTS) is not None:
        yield against.problem("warns-no-effect", s.UNO_MOMENTS, s.UNO_EARLY_COUNTS)
    for cause, value, without in _WITHOUT_EFFECT:
        for setting in without if against.value(cause) == value else ():
            if setting.name in against.changes.get(setting.question, {}):
                yield against.problem("warns-no-effect", cause, setting)


def _lowest(target: int | Mapping[int, int] | None) -> int | None:
    return min(target.values()) if isinstance(target, Mapping) else target


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
    yield from filter(None, chain(_of_points(against), _of_play(against), _of_penalties(against)))


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


def _of_points(against: Against) -> Iterator[Problem | None]:
    value, problem = against.value, against.problem
    least, most = value(s.PLAYERS_MIN), value(s.PLAYERS_MAX)
    if least is not None and most is not None and least > most:
        yield problem("players-cross", s.PLAYERS_MIN, s.PLAYERS_MAX, least=least, most=most)
    awards, wins, ranks = value(s.AWARDS), value(s.WINS), value(s.RANK_POINTS)
    if awards is not None and wins is not None and (awards == "own-points") != (wins == "lowest"):
        key = {"own-points": "own-points-and-winner", "own-points-off": "own-points-off-and-winner"}
        yield problem(key.get(awards, "awards-and-winner"), s.AWARDS, s.WINS)
    if awards == "by-rank" and not any(ranks or ()):
        yield problem("ranks-score-nothing", s.AWARDS, s.RANK_POINTS)
    if awards not in (None, "by-rank") and ranks and any(ranks):
        yield problem("ranks-unused", s.AWARDS, s.RANK_POINTS)
    if value(s.PARTNER_HAND_COUNTS) and not value(s.PARTNERS):
        yield problem("no-partners", s.PARTNERS, s.PARTNER_HAND_COUNTS)
    lowest = _lowest(value(s.TARGET))
    if lowest is not None and awards == "own-points-off":
        yield problem("target-out-of-reach", s.TARGET, s.AWARDS)
    elif lowest is not None and (value(s.OPENING_TOTAL) or 0) >= lowest:
        yield problem("target-reached", s.TARGET, s.OPENING_TOTAL)
    if value(s.AT_TARGET) == "player-is-out" and lowest is None:
        yield problem("out-at-no-target", s.TARGET, s.AT_TARGET)
    elif value(s.AT_TARGET) == "player-is-out" and wins == "highest":
        yield problem("out-and-winner", s.WINS, s.AT_TARGET)
    if (value(s.LAST_LEFT_WINS) or value(s.KNOCK_OUT_BONUS)) and value(s.KNOCKED_OUT_AT) is None:
        yield problem("nobody-knocked-out", s.KNOCK_OUT_BONUS, s.LAST_LEFT_WINS, s.KNOCKED_OUT_AT)
    if bonus_counts_against(against.rulebook):
        yield problem("bonus-counts-against", s.WINS, s.AWARDS, s.KNOCK_OUT_BONUS)


def _of_play(against: Against) -> Iterator[Problem | None]:
    value, problem = against.value, against.problem
    out_at, each, swap = value(s.KNOCKED_OUT_AT), value(s.CARDS_EACH), value(s.SWAP_ON)
    if out_at is not None and each is not None and out_at <= each:
        yield problem("out-at-once", s.CARDS_EACH, s.KNOCKED_OUT_AT, each=each)
    if swap is not None and swap == value(s.ROTATE_ON):
        yield problem("same-number", s.SWAP_ON, s.ROTATE_ON)
    if value(s.LAST_CARD_DRAWS) is False and value(s.LAST_CARD_COUNTS):
        yield problem("nobody-draws", s.LAST_CARD_DRAWS, s.LAST_CARD_COUNTS)
    players = value(s.PLAYERS_MAX) or value(s.PLAYERS_MIN) or 2
    cards = Terms.agree(against.rulebook).full_deck.size
    if players * (each or 0) >= cards:
        settings = (s.BOXES, s.DECK, s.PLAYERS_MIN, s.PLAYERS_MAX, s.CARDS_EACH)
        yield problem("too-few-cards", *settings, players=players, each=each, cards=cards)
    if value(s.DRAWS_UNTIL_PLAYABLE) and (value(s.DRAWS_INSTEAD) or 0) > 1:
        yield problem("draws-until", s.DRAWS_UNTIL_PLAYABLE, s.DRAWS_INSTEAD)
    for clause in s.CARD_CLAUSES:
        if value(s.CHOSEN_DRAWS.at(clause)) and value(s.EVERYONE_DRAWS.at(clause)):
            yield problem("draws-two-ways", s.CHOSEN_DRAWS.at(clause), s.EVERYONE_DRAWS.at(clause))
    for clause in (*s.CARD_CLAUSES, *s.OWN_START_CLAUSES):
        amount: Setting[Any] = (s.CARD_DRAWS if clause in s.CARD_DRAWS.carriers else s.FIRST_PLAYER_DRAWS).at(clause)
        whom = (
            each.at(clause) for each in (s.CHOSEN_DRAWS, s.EVERYONE_DRAWS, s.DARE_INSTEAD) if clause in each.carriers
        )
        for setting in filter(value, whom):
            if value(amount) in (None, 0, "until-color", "until-fired"):
                yield problem("draws-no-number", amount, setting)
    effects: Sequence[Setting[Any]] = (s.FIRST_PLAYER_DRAWS, s.FIRST_PLAYER_SKIPPED, s.EVERYONE_DRAWS)
    for clause in sorted(s.CARD_RETURNED.carriers - {"start-action"}):
        back = s.CARD_RETURNED.at(clause)
        told = [each.at(clause) for each in effects if clause in each.carriers and value(each.at(clause))]
        if told and value(back) is True:
            yield problem("card-goes-back", *told, back)


def _of_penalties(against: Against) -> Iterator[Problem | None]:
    value, problem = against.value, against.problem
    if value(s.UNO_CAUGHT_BY) == "nobody" and value(s.UNO_UNNOTICED_FREE):
        yield problem("nobody-notices", s.UNO_CAUGHT_BY, s.UNO_UNNOTICED_FREE)
    if value(s.HAND_SHOWN_TO) and value(s.HAND_IS_SHOWN) is False:
        yield problem("hand-not-shown", s.HAND_SHOWN_TO, s.HAND_IS_SHOWN)
    action, ends = value(s.DRAW_PILE_ACTION), value(s.DRAW_PILE_ENDS_ROUND)
    if None not in (action, ends) and (action == "end-round") != ends:
        yield problem("pile-ends-round", s.DRAW_PILE_ACTION, s.DRAW_PILE_ENDS_ROUND)
    upward = value(s.STACKS_UPWARD)
    kinds = [s.STACKS.at(kind) for kind in s.STACKING]
    for stacks in kinds if upward else kinds[2:]:
        if None not in (upward, value(stacks)) and value(stacks) != upward:
            yield problem("stacks-both-ways", s.STACKS_UPWARD, stacks)
            break
    extra, total = value(s.WRONG_CHALLENGE_EXTRA), value(s.WRONG_CHALLENGE_DRAWS)
    if extra is not None and total is not None and total != (value(s.DRAW_FOUR_DRAWS) or 0) + extra:
        yield problem("challenge-costs-two-ways", s.WRONG_CHALLENGE_DRAWS, s.WRONG_CHALLENGE_EXTRA)
