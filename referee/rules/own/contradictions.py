"""Settings that cannot hold together, each said beside the change that brought them together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from referee.rules.books import settings as s
from referee.rules.books.agreeing import bonus_counts_against
from referee.rules.books.controls import card_of, controls
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import Setting
from referee.rules.books.worths import GROUP_POINTS, text_worth
from referee.rules.cards.decks import decks_in_same_box, face_named
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Problem
from referee.rules.text.words import say

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
        for setting in reversed(settings):
            if setting.name in self.changes.get(setting.question, {}):
                return Problem(("changes", setting.question, setting.name), say(f"own.{key}", **places))
        carried = {setting.question for setting in settings}
        for place, id in enumerate(self.house_rules):
            if any(clause.id in carried for clause in self.rulebook.house_rules[id].clauses):
                return Problem(("house_rules", place), say(f"own.{key}", **places))
        return None

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
        back, skipped = s.CARD_RETURNED.at(clause), s.FIRST_PLAYER_SKIPPED.at(clause)
        draws = s.FIRST_PLAYER_DRAWS.at(clause) if clause in s.FIRST_PLAYER_DRAWS.carriers else None
        if self.value(back) and (self.value(skipped) or (draws and self.value(draws))):
            return self.problem("card-goes-back", *([draws] if draws else []), skipped, back)
        return None

    def noticing(self) -> Problem | None:
        if self.value(s.UNO_CAUGHT_BY) == "nobody" and self.value(s.UNO_UNNOTICED_FREE):
            return self.problem("nobody-notices", s.UNO_CAUGHT_BY, s.UNO_UNNOTICED_FREE)
        return None

    def showing(self) -> Problem | None:
        if self.value(s.HAND_SHOWN_TO) and self.value(s.HAND_IS_SHOWN) is False:
            return self.problem("hand-not-shown", s.HAND_SHOWN_TO, s.HAND_IS_SHOWN)
        return None

    def empty_pile(self) -> Problem | None:
        action, ends = self.value(s.DRAW_PILE_ACTION), self.value(s.DRAW_PILE_ENDS_ROUND)
        if None in (action, ends) or (action == "end-round") == ends:
            return None
        return self.problem("pile-ends-round", s.DRAW_PILE_ACTION, s.DRAW_PILE_ENDS_ROUND)
