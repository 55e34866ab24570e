"""What a table agrees on besides its rulebook, and what may be wrong with it, one function a part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.rules.books import library
from referee.rules.books import settings as setting
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import HIGHEST_TOTAL
from referee.rules.text.problem import Path, Problem
from referee.rules.text.words import either

COUNTS = ("points", "rounds")
LONGEST_TEXT = 300
MOST_CUSTOM_RULES = 20
MOST_ROUNDS_TO_PLAY = 1_000
MOST_FACES = 200
"""More faces than any deck has."""


@dataclass(frozen=True, kw_only=True)
class Agreed:
    """What a table agrees on besides its rulebook and deck.

    `target` is a total, or a number of rounds won where `count` is ``rounds``, and None when the match is open-ended.
    `blank_points` is what a blank is worth at this table, and any other extra card of the deck whose worth the text
    does not give; `face_points` are the worths of single faces at this table, before those of the text: where it
    leaves them open, or editions differ. After `rounds_to_play` rounds the match ends, None where their number is
    open. `teams` are those who have one total together, by seat or, in a plan, by name; None where everybody has their
    own, and in a plan where those sitting opposite play together if anyone does.
    """

    target: int | None = None
    count: str = "points"
    blank_effect: str = ""
    blank_points: int | None = None
    custom_rules: tuple[str, ...] = ()
    rounds_to_play: int | None = None
    teams: tuple[tuple[Any, ...], ...] | None = None
    face_points: tuple[tuple[str, int], ...] | None = None


def players_problems(rulebook: Rulebook, players: int, path: str | Path) -> list[Problem]:
    """Return what is wrong with a number of players, naming the rulebooks that would fit it."""
    fits = rulebook.players
    if players in fits:
        return []
    others = [other.title for other in library.rulebooks().values() if players in other.players]
    key = "players-fixed" if len(fits) == 1 else "players-range"
    return [
        Problem.said(
            path,
            f"{key}-others" if others else key,
            rulebook=rulebook.title,
            fewest=fits[0],
            most=fits[-1],
            players=players,
            others=either(others),
        )
    ]


def value_problems(asked: Agreed) -> Iterator[Problem]:
    """Check what needs no rulebook to be checked."""
    if asked.count not in COUNTS:
        yield Problem.said("count", "choose", choices=", ".join(COUNTS))
    if asked.target is not None and not 1 <= asked.target <= HIGHEST_TOTAL:
        yield Problem.said("target", "target-range", most=HIGHEST_TOTAL)
    if asked.rounds_to_play is not None and not 1 <= asked.rounds_to_play <= MOST_ROUNDS_TO_PLAY:
        yield Problem.said("rounds_to_play", "rounds-range", most=MOST_ROUNDS_TO_PLAY)
    if asked.blank_points is not None and not 0 <= asked.blank_points <= HIGHEST_TOTAL:
        yield Problem.said("blank_points", "worth-range", most=HIGHEST_TOTAL)
    yield from text_problems("blank_effect", asked.blank_effect)
    if len(asked.custom_rules) > MOST_CUSTOM_RULES:
        yield Problem.said("custom_rules", "many-custom-rules", most=MOST_CUSTOM_RULES)
    for place, text in enumerate(asked.custom_rules):
        yield from text_problems(("custom_rules", place), text, may_be_empty=False)


def face_problems(face_points: Mapping[str, int], faces: Sequence[str]) -> Iterator[Problem]:
    """Check the values that a table gives to faces: each is in the deck, and a value is possible."""
    if len(face_points) > MOST_FACES:
        yield Problem.said("face_points", "faces-many", most=MOST_FACES)
        return
    for face, points in face_points.items():
        if face not in faces:
            yield Problem.said(("face_points", face[:40]), "face-unknown", face=face[:40], faces=either(faces))
        elif not 0 <= points <= HIGHEST_TOTAL:
            yield Problem.said(("face_points", face), "worth-range", most=HIGHEST_TOTAL)


def team_problems(rulebook: Rulebook, teams: Sequence[Sequence[int]], players: int) -> Iterator[Problem]:
    """Check teams of seats: the rules play in teams, there are several, and everybody is in one."""
    if not rulebook.value(setting.PARTNERS, False):
        yield Problem.said("teams", "no-teams", rulebook=rulebook.title)
        return
    seats = [seat for team in teams for seat in team]
    if len(teams) < 2 or any(len(team) < 2 for team in teams):
        yield Problem.said("teams", "teams-size")
    elif sorted(seats) != list(range(players)):
        yield Problem.said("teams", "teams-everyone")


def bonus_counts_against(rulebook: Rulebook) -> bool:
    """Return whether points for a knock-out would harm who wins the round, because the lowest total wins."""
    lowest = rulebook.value(setting.WINS, "") == "lowest" or rulebook.value(setting.AWARDS, "") == "own-points"
    return lowest and rulebook.value(setting.KNOCK_OUT_BONUS, 0) > 0


def bonus_problems(rulebook: Rulebook, house_rules: Sequence[str]) -> Iterator[Problem]:
    """Check that no house rule in force turns points for a knock-out against who wins the round."""
    if not bonus_counts_against(rulebook):
        return
    for place, id in enumerate(house_rules):
        if {"who-scores", "match-winner"} & {clause.id for clause in rulebook.house_rules[id].clauses}:
            yield Problem.said(("house_rules", place), "bonus-and-lowest", rule=rulebook.house_rules[id].title)


def text_problems(path: str | Path, text: str, *, may_be_empty: bool = True) -> list[Problem]:
    """Check the length of a text that the table agrees on, and that it says something where it must."""
    if len(text) > LONGEST_TEXT:
        return [Problem.said(path, "long-text", most=LONGEST_TEXT)]
    if not may_be_empty and not text.strip():
        return [Problem.said(path, "empty-rule")]
    return []
