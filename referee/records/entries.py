"""What was entered for a round and what follows from it, by seat as it is stored and by names as it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy.orm import Session

from referee.records.agreements import terms_at
from referee.records.models import Match, Round, RoundVersion, Scale
from referee.records.seating import Seated, Seating, table_of
from referee.rules.round_entry import LAST_ONE_LEFT, RoundEntry
from referee.rules.scoring import score_round


def entry_by_names(entry: Mapping[str, Any], name_of: Callable[[int], str]) -> dict[str, Any]:
    """Turn a stored entry, which is kept by seat, into one by names, as `name_of` a seat gives them.

    What few rounds have (`referee.rules.round_entry.FURTHER`) is there only where the entry has it.
    """
    out, credited = entry["went_out"], entry["credited_to"]
    further = {
        "side": entry.get("side"),
        "knocked_out": [name_of(seat) for seat in entry.get("knocked_out", ())],
        "adjustments": [
            {"player": name_of(each["seat"]), "points": each["points"], "reason": each["reason"]}
            for each in entry.get("adjustments", ())
        ],
    }
    return {
        "ended": entry["ended"],
        "went_out": None if out is None else name_of(out),
        "hands": {name_of(int(seat)): hand for seat, hand in entry["hands"].items()},
        "cards_left": {name_of(int(seat)): count for seat, count in entry["cards_left"].items()},
        "last_card": entry["last_card"],
        "credited_to": None if credited is None else [name_of(seat) for seat in credited],
        "sat_out": [name_of(seat) for seat in entry["sat_out"]],
    } | {key: value for key, value in further.items() if value}


def score_entry(
    session: Session, match: Match, seating: Seating, place: int, entry: RoundEntry
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Work out what a round is worth, under the agreement in force at its place; raises `Impossible`.

    Gives what was entered and what it is worth as a `RoundVersion` keeps them.
    """
    terms = terms_at(session, match, place)
    score = score_round(terms, entry, table_of(seating.at(place)))
    return entry.to_document(), score.to_document()


def score_row(played: Round, version: RoundVersion, seat: Seated, players: int, scale: Scale) -> dict[str, Any]:
    """Make the row that totals and statistics add up."""
    entry, score, key = version.entry, version.score, str(seat.seat)
    hand = entry["hands"].get(key)
    went_out = entry["went_out"] == seat.seat
    last_left = entry["ended"] == LAST_ONE_LEFT and seat.seat in score["credited_to"]  # won, so not caught with a hand
    counted = 0 if went_out else len(hand) if isinstance(hand, list) else entry["cards_left"].get(key)
    others = [worth for other, worth in score["hands"].items() if other != key]
    return {
        "club_id": played.club_id,
        "match_id": played.match_id,
        "place": played.place,
        "seat": seat.seat,
        "player_id": seat.player_id,
        "points": score["points"].get(key, 0),
        "hand": None if last_left else score["hands"].get(key),
        "cards_left": counted,
        "went_out": went_out,
        "last_card": entry["last_card"] if went_out else None,
        "catch": sum(others) if went_out and others else None,
        "players": players,
        "scale": scale,
    }
