"""What was entered for a round, by seat as it is stored and by names as people say it, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from referee.records.agreements import agreements_of, in_force, terms_of
from referee.records.models import Match, Round, RoundVersion, Scale
from referee.records.seating import Seated, Seating
from referee.rules.problem import Problem
from referee.rules.round_entry import Hand, RoundEntry
from referee.rules.scoring import score_round


def entry_by_names(entry: Mapping[str, Any], name_of: Callable[[int], str]) -> dict[str, Any]:
    """Turn a stored entry, which is kept by seat, into one by names, as `name_of` a seat gives them."""
    out, credited = entry["went_out"], entry["credited_to"]
    return {
        "ended": entry["ended"],
        "went_out": None if out is None else name_of(out),
        "hands": {name_of(int(seat)): hand for seat, hand in entry["hands"].items()},
        "cards_left": {name_of(int(seat)): count for seat, count in entry["cards_left"].items()},
        "last_card": entry["last_card"],
        "credited_to": None if credited is None else [name_of(seat) for seat in credited],
        "sat_out": [name_of(seat) for seat in entry["sat_out"]],
    }


def score_entry(
    session: Session, match: Match, seating: Seating, place: int, entry: RoundEntry
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Work out what a round is worth, under the agreement in force at its place; raises `Impossible`.

    Gives what was entered and what it is worth, by seat, as a `RoundVersion` keeps them.
    """
    present = seating.at(place)
    entry = _exact_names(entry, seating)
    terms = terms_of(session, match, in_force(agreements_of(match), place))
    score = score_round(terms, entry, [seat.name for seat in present])
    seat_of = {seat.name: seat.seat for seat in present}
    key_of = {seat.name: str(seat.seat) for seat in present}  # JSON knows only texts as keys
    entered = {
        "ended": entry.ended,
        "went_out": None if entry.went_out is None else seat_of[entry.went_out],
        "hands": {
            key_of[name]: hand if isinstance(hand, int) else [str(card) for card in hand]
            for name, hand in entry.hands.items()
        },
        "cards_left": {key_of[name]: count for name, count in entry.cards_left.items()},
        "last_card": None if entry.last_card is None else str(entry.last_card),
        "credited_to": None if entry.credited_to is None else [seat_of[name] for name in entry.credited_to],
        "sat_out": [seat_of[name] for name in entry.sat_out],
    }
    worth = {
        "hands": {key_of[name]: worth for name, worth in score.hands.items()},
        "points": {key_of[name]: points for name, points in score.points.items()},
        "credited_to": [seat_of[name] for name in score.credited_to],
        "winners": [seat_of[name] for name in score.winners],
    }
    return entered, worth


def _exact_names(entry: RoundEntry, seating: Seating) -> RoundEntry:
    """Put names as the sheet has them; refuse a player who stands there twice, as `bo` and `Bo`."""
    hands: dict[str, Hand] = {}
    problems = list(entry.unread)
    for name, hand in entry.hands.items():
        exact = seating.exact(name)
        if exact in hands:
            problems.append(Problem(f"hands.{name}", f"{exact} stands here twice; give each player one hand."))
        elif exact != name:
            problems = [_renamed(problem, f"hands.{name}", f"hands.{exact}") for problem in problems]
        hands[exact] = hand
    return replace(
        entry,
        went_out=None if entry.went_out is None else seating.exact(entry.went_out),
        hands=hands,
        cards_left={seating.exact(name): count for name, count in entry.cards_left.items()},
        credited_to=None if entry.credited_to is None else tuple(map(seating.exact, entry.credited_to)),
        sat_out=tuple(map(seating.exact, entry.sat_out)),
        unread=tuple(problems),
    )


def _renamed(problem: Problem, given: str, exact: str) -> Problem:
    if problem.field == given or problem.field.startswith(f"{given}["):
        return Problem(exact + problem.field.removeprefix(given), problem.message)
    return problem


def score_row(played: Round, version: RoundVersion, seat: Seated, players: int, scale: Scale) -> dict[str, Any]:
    """Make the row that totals and statistics add up."""
    entry, score, key = version.entry, version.score, str(seat.seat)
    hand = entry["hands"].get(key)
    went_out = entry["went_out"] == seat.seat
    counted = 0 if went_out else len(hand) if isinstance(hand, list) else entry["cards_left"].get(key)
    others = [worth for other, worth in score["hands"].items() if other != key]
    return {
        "club_id": played.club_id,
        "match_id": played.match_id,
        "place": played.place,
        "seat": seat.seat,
        "player_id": seat.player_id,
        "points": score["points"].get(key, 0),
        "hand": score["hands"].get(key),
        "cards_left": counted,
        "went_out": went_out,
        "last_card": entry["last_card"] if went_out else None,
        "catch": sum(others) if went_out and others else None,
        "players": players,
        "scale": scale,
    }
