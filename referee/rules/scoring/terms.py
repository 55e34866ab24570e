"""What a table agrees on before a match: the rulebook with its house rules, the deck, the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, cast

from referee.rules.books import settings as setting
from referee.rules.books.agreeing import (
    Agreed,
    bonus_problems,
    face_problems,
    players_problems,
    team_problems,
    value_problems,
)
from referee.rules.books.rulebook import HouseRule, Rulebook, group_of, text_worth
from referee.rules.books.settings import Setting
from referee.rules.cards.cards import BLANK, Deck, Face
from referee.rules.cards.decks import CLASSIC, deck_of, decks, decks_in_same_box
from referee.rules.disputes.hearing import Reading, Silent, Step
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import say

Awards = Literal["winner-takes", "own-points", "own-points-off", "one-point", "by-rank"]
Wins = Literal["highest", "lowest"]

SUGGESTED_TARGET = 500
"""Suggested, never assumed, where the rulebook leaves the target to the table."""


@dataclass(frozen=True)
class Terms(Agreed):
    """The terms a match is played by; `rulebook` has the house rules in force."""

    rulebook: Rulebook
    deck: str

    @classmethod
    def agree(
        cls,
        rulebook: Rulebook,
        house_rules: Sequence[str] = (),
        *,
        players: int | None = None,
        deck: str | None = None,
        **agreed: Any,
    ) -> Terms:
        """Settle the terms of a match for this number of `players`; `agreed` are fields of `Agreed`.

        Without a `deck` the text's own is taken, or the one with blanks where the table says what a
        blank does or is worth; without a `target` the text's for this number of players, which may
        be none. Raises `Impossible` with all problems.
        """
        problems: list[Problem] = []
        asked, applied = Agreed(**agreed), rulebook
        try:
            applied = rulebook.with_house_rules(house_rules)
        except Impossible as impossible:
            problems += impossible.problems
        if players is not None:
            problems += players_problems(applied, players, "players")
        if players is not None and asked.count == "points":
            problems += nobody_scores(applied)
        if asked.count == "points" and not problems:
            problems += bonus_problems(applied, house_rules)
        possible = [each.id for each in decks_in_same_box(applied.value(setting.DECK, CLASSIC))]
        if deck is not None and deck not in possible:
            problems.append(Problem.said("deck", "deck-unknown", deck=deck[:40], choices=", ".join(possible)))
        problems += value_problems(asked)
        worths = dict(asked.face_points or ())
        faces = dict.fromkeys(
            face for each in decks_in_same_box(applied.value(setting.DECK, CLASSIC)) for face in each.faces
        )
        problems += face_problems(worths, list(faces))
        if asked.teams is not None and players is not None:
            problems += team_problems(applied, asked.teams, players)
        if problems:
            raise Impossible(problems)
        names_blanks = bool(asked.blank_effect.strip()) or asked.blank_points is not None
        by_text = asked.target is None and asked.count != "rounds"
        return cls(
            rulebook=applied,
            deck=deck or _deck_of_text(applied, with_blanks=names_blanks),
            target=text_target(applied, players) if by_text else asked.target,
            count=asked.count,
            blank_effect=asked.blank_effect.strip(),
            blank_points=asked.blank_points,
            custom_rules=tuple(text.strip() for text in asked.custom_rules),
            rounds_to_play=asked.rounds_to_play or applied.value(setting.ROUNDS_TO_PLAY, 0) or None,
            teams=None if asked.teams is None else tuple(map(tuple, asked.teams)),
            face_points=tuple(sorted(worths.items())) or None,
        )

    @property
    def decks(self) -> int:
        """Count the boxes shuffled together."""
        return self.rulebook.value(setting.BOXES, 1)

    @cached_property
    def full_deck(self) -> Deck:
        """Return all the cards in play."""
        return deck_of(self.deck, self.decks)

    @property
    def awards(self) -> Awards | None:
        """Return who takes points in a round; None if the rulebook doesn't."""
        awards = self.rulebook.find(setting.AWARDS)
        return None if awards is None else cast(Awards, awards[0])

    @property
    def credits_one(self) -> bool:
        """Return whether a round's points go to the one who won it, or whom the table credits."""
        return self.awards in ("winner-takes", "one-point")

    @property
    def rank_points(self) -> tuple[int, ...]:
        """Return the points by rank in a round, best first; empty where points don't go by rank."""
        return self.rulebook.value(setting.RANK_POINTS, ()) if self.awards == "by-rank" else ()

    def points_of_ranks(self, first: int, count: int) -> int:
        """Return what each of `count` equal hands scores whose ranks begin with `first`, 0 for the best."""
        points = [*self.rank_points, *[0] * (first + count)][first : first + count]
        tied = self.rulebook.value(setting.TIED_RANKS, "better-rank")
        return {"better-rank": points[0], "lower-rank": points[-1]}.get(tied, sum(points) // count)

    @property
    def wins(self) -> Wins | None:
        """Return which total wins the match; None if neither the rulebook nor the table's target does.

        A table that sets a target, or a number of rounds, where the text names no winner has the lowest total win when
        everyone takes points for being caught, and the highest when points are won.
        """
        ends = self.count == "rounds" or self.target is not None or self.rounds_to_play is not None
        return self.leads if ends or self.rulebook.find(setting.WINS) is not None else None

    @property
    def leads(self) -> Wins:
        """Return which total comes first on the sheet, even if the rulebook names no winner of the match."""
        if self.count == "rounds":
            return "highest"
        wins = self.rulebook.find(setting.WINS)
        if wins is not None:
            return cast(Wins, wins[0])
        return "lowest" if self.awards == "own-points" else "highest"

    @cached_property
    def eliminates(self) -> bool:
        """Return whether reaching the target puts a player out, and the match goes on until one is left."""
        return self.count == "points" and self.rulebook.value(setting.AT_TARGET, "match-ends") == "player-is-out"

    @property
    def drafted(self) -> bool:
        """Return whether hands are drafted, so that rounds have a drafter and no dealer."""
        return self.rulebook.value(setting.DRAFTED, False)

    def worth(self, face: Face, reading: Reading) -> int:
        """Read what a card is worth in a hand; raises `Silent` if neither rulebook nor table says."""
        if face not in self._by_text:
            self._by_text[face] = text_worth(self.rulebook, face)
        text = self._by_text[face]
        agreed = dict(self.face_points or ()).get(face)
        if agreed is None and face.is_extra and (face == BLANK or text is None):
            agreed = self.blank_points
        if agreed is not None:
            step = Step("answer", say("scoring.worth-agreed", card=face.label, points=agreed))
            if step not in reading.steps:
                reading.steps.append(step)
            return agreed
        if text is None:
            raise Silent(group_of(face).question)
        points = reading.read(text)
        points = points[face] if isinstance(points, Mapping) else points
        return int(face if points == "face-value" else points)

    @cached_property
    def _by_text(self) -> dict[Face, Setting[Any] | None]:
        """Settings by which the text gives faces their worth, as far as anyone asked."""
        return {}

    @cached_property
    def card_points(self) -> Mapping[Face, int]:
        """List what each face of the deck is worth, except those for which nobody says."""
        faces = self.full_deck.faces
        return MappingProxyType({face: points for face, points in self._all_points().items() if face in faces})

    @property
    def unpriced(self) -> tuple[Face, ...]:
        """List the faces of the deck whose worth neither the text nor the table says."""
        return tuple(face for face in self.full_deck.faces if face not in self.card_points)

    def _all_points(self) -> dict[Face, int]:
        points = {}
        reading = Reading(self.rulebook)
        of_box = decks_in_same_box(self.rulebook.value(setting.DECK, CLASSIC))
        for face in dict.fromkeys(face for deck in of_box for face in deck.faces):
            with suppress(Silent):
                points[face] = self.worth(face, reading)
        return points


AGREED = ("deck", *(field.name for field in fields(Agreed)))


def agreed(holder: object) -> dict[str, Any]:
    """Return what a table agreed on besides its rulebook, from anything with the attributes of `Terms`."""
    return {name: getattr(holder, name) for name in AGREED}


def nobody_scores(rulebook: Rulebook) -> list[Problem]:
    """Find that points can't be scored by a text that doesn't say who takes them, or how many by rank."""
    awards = rulebook.value(setting.AWARDS, "")
    if awards and (awards != "by-rank" or rulebook.find(setting.RANK_POINTS)):
        return []
    return [Problem.said("count", "nobody-scores", rulebook=rulebook.title)]


def text_points(rulebook: Rulebook) -> dict[Face, int]:
    """List what each face is worth by the rulebook, in any deck; faces without a value are left out."""
    return Terms(rulebook, deck="")._all_points()


def partners_of(terms: Terms, seat: int) -> tuple[int, ...]:
    """Return the seats of someone's team, theirs included; theirs alone where there are no teams."""
    return next((team for team in terms.teams or () if seat in team), (seat,))


def text_target(rulebook: Rulebook, players: int | None) -> int | None:
    """Look up the rulebook's target for a number of players; None if it sets none."""
    answer = rulebook.find(setting.TARGET)
    if answer is None:
        return None
    target = answer[0]
    if isinstance(target, int):
        return target
    return None if players is None else target.get(players)


def rule_for_a_winner(terms: Terms) -> HouseRule | None:
    """Find the house rule by which the table may say which total wins; None where that is said, or there is no rule.

    It is the one that says nothing else, and agrees with how points are taken (`Terms.leads`).
    """
    if terms.wins is not None:
        return None
    wanted = {setting.WINS.name: terms.leads}
    offered = terms.rulebook.house_rules.values()
    return next((rule for rule in offered if [dict(clause.settings) for clause in rule.clauses] == [wanted]), None)


def rules_that_allow(rulebook: Rulebook, wanted: Setting[object] | Setting[bool] | Setting[str]) -> tuple[str, ...]:
    """List the titles of the house rules, possible under this rulebook, that settle something."""
    return tuple(
        rule.title
        for rule in rulebook.house_rules.values()
        if any(clause.id == wanted.question and wanted.name in clause.settings for clause in rule.clauses)
    )


def _deck_of_text(rulebook: Rulebook, *, with_blanks: bool) -> str:
    deck = rulebook.value(setting.DECK, CLASSIC)
    if with_blanks and not any(face.is_extra for face in decks()[deck].faces):
        return next((each.id for each in decks_in_same_box(deck) if BLANK in each.faces), deck)
    return deck
