"""Export what a club has about one player, in pieces, with a few rounds in memory at a time."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Row, Select, select, union
from sqlalchemy.orm import Session

from referee.records.club.access import opens_something
from referee.records.models import (
    DETAILS,
    Club,
    Key,
    KeyRole,
    Match,
    MatchResult,
    Player,
    Round,
    RoundVersion,
    Ruling,
    Seat,
    of_live_match,
)
from referee.records.transactions import stream
from referee.records.transfer.exporting import AT_ONCE, to_json

PLAYER_FORMAT, PLAYER_VERSION = "referee-player", 1


def export_player(session: Session, club: Club, player: dict[str, Any]) -> Iterator[str]:
    """Write everything about a player as one JSON document: names, phones, matches with rounds, results and rulings.

    `player` is as `player_part` of the player says.
    """
    own = (club.id, player["id"])
    head = {"format": PLAYER_FORMAT, "version": PLAYER_VERSION, "club": {"id": club.id, "name": club.name}}
    about = {
        "player": player | {"earlier_names": _earlier_names(session, *own, player["name"])},
        "phones": _phones(session, *own),
    }
    yield to_json(head | about)[:-1] + ',\n"matches":['
    rulings, rounds = _Parted(_rulings(session, *own)), _Parted(_rounds(session, *own))
    for place, row in enumerate(_matches(session, *own)):
        values = row._mapping
        match = {name: values[name] for name in (*_OF_MATCH, "seat", "name_then", "opening_total")}
        match["result"] = {name: values[name] for name in _OF_RESULT} if row.ended is not None else None
        match["rulings"] = [_ruling(one, row.seat) for one in rulings.of(row.id) if row.seat in one.seats.values()]
        yield (",\n" if place else "\n") + to_json(match)[:-1] + ',"rounds":['
        sat = (one for one in rounds.of(row.id) if str(row.seat) in one.score["points"])
        for number, one in enumerate(sat):
            yield (",\n" if number else "\n") + to_json(_round(one, row.seat))
        yield "]}"
    yield "]}\n"


class _Parted:
    """Rows of many matches, in the order of these, given match by match."""

    def __init__(self, rows: Iterator[Row[Any]]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def of(self, match_id: str) -> Iterator[Row[Any]]:
        """Yield the rows of a match; those left of earlier matches are skipped."""
        while self._next is not None and self._next.match_id <= match_id:
            row, self._next = self._next, next(self._rows, None)
            if row.match_id == match_id:
                yield row


def _earlier_names(session: Session, club_id: str, player_id: str, name: str) -> list[str]:
    merged = select(Player.name).where(Player.club_id == club_id, Player.merged_into == player_id)
    sat = (Seat.club_id == club_id, Seat.player_id == player_id, of_live_match(Seat.match_id))
    then = select(Seat.name_then).where(*sat)
    return sorted(set(session.scalars(union(merged, then), {"club_id": club_id})) - {name})


def _phones(session: Session, club_id: str, player_id: str) -> list[dict[str, Any]]:
    """List the phones that tap in this player's hands."""
    at_seat = (Seat.club_id == Key.club_id) & (Seat.match_id == Key.match_id) & (Seat.seat == Key.seat)
    columns = (Key.name, Key.match_id.label("match"), Key.created_at, Key.revoked_at)
    own = (Key.club_id == club_id, Key.role == KeyRole.HAND, Seat.player_id == player_id, opens_something())
    rows = session.execute(select(*columns).join(Seat, at_seat).where(*own).order_by(Key.id))
    return [dict(row._mapping) for row in rows]


_OF_MATCH = ("id", *DETAILS, "status", "rulebook", "started_at", "finished_at")
_OF_RESULT = ("total", "rank", "won", "mu", "sigma", "team")


def _matches(session: Session, club_id: str, player_id: str) -> Iterator[Row[Any]]:
    result = (MatchResult.club_id == Seat.club_id) & (MatchResult.match_id == Seat.match_id)
    chosen = (
        select(
            *(Seat.seat, Seat.name_then, Seat.opening_total),
            *(getattr(Match, name) for name in _OF_MATCH),
            *(getattr(MatchResult, name) for name in _OF_RESULT),
            MatchResult.match_id.label("ended"),
        )
        .join(Match, (Match.club_id == Seat.club_id) & (Match.id == Seat.match_id))
        .outerjoin(MatchResult, result & (MatchResult.seat == Seat.seat))
        .where(Seat.club_id == club_id, Seat.player_id == player_id)
    )
    return _streamed(session, chosen.order_by(Match.id))


def _rulings(session: Session, club_id: str, player_id: str) -> Iterator[Row[Any]]:
    names = ("match_id", "id", "dispute", "seats", "facts", "ruling", "accepted", "table_decided", "given_at")
    chosen = select(*(getattr(Ruling, name) for name in names)).where(Ruling.club_id == club_id)
    chosen = chosen.where(Ruling.match_id.in_(_sat_at(club_id, player_id)))
    return _streamed(session, chosen.order_by(Ruling.match_id, Ruling.id))


def _rounds(session: Session, club_id: str, player_id: str) -> Iterator[Row[Any]]:
    counted = (RoundVersion.round_id == Round.id) & (RoundVersion.version == Round.version)
    chosen = (
        select(Round.match_id, Round.place, RoundVersion.entry, RoundVersion.score, RoundVersion.entered_at)
        .join(RoundVersion, (RoundVersion.club_id == Round.club_id) & counted)
        .where(Round.club_id == club_id, Round.match_id.in_(_sat_at(club_id, player_id)), Round.struck.is_(False))
    )
    return _streamed(session, chosen.order_by(Round.match_id, Round.place))


def _sat_at(club_id: str, player_id: str) -> Select[Any]:
    at_match = (Match.club_id == Seat.club_id) & (Match.id == Seat.match_id)
    return select(Match.id).join(Seat, at_match).where(Seat.club_id == club_id, Seat.player_id == player_id)


def _streamed(session: Session, chosen: Select[Any]) -> Iterator[Row[Any]]:
    return stream(session, chosen, AT_ONCE)


def _ruling(ruling: Row[Any], seat: int) -> dict[str, Any]:
    roles = [role for role, at in ruling.seats.items() if at == seat]
    document = {"dispute": ruling.dispute, "roles": roles, "facts": ruling.facts, "ruling": ruling.ruling}
    return document | {
        "accepted": ruling.accepted,
        "table_decided": ruling.table_decided,
        "given_at": ruling.given_at,
    }


def _round(played: Row[Any], seat: int) -> dict[str, Any]:
    """Write what a live round was for one player: what was entered for them, and what it was worth."""
    entry, score, key = played.entry, played.score, str(seat)
    out = entry["went_out"] == seat
    return {
        "place": played.place,
        "points": score["points"][key],
        "went_out": out,
        "hand": entry["hands"].get(key),
        "hand_worth": score["hands"].get(key),
        "cards_left": entry["cards_left"].get(key),
        "last_card": entry["last_card"] if out else None,
        "adjustments": [adjustment for adjustment in entry.get("adjustments", ()) if adjustment["seat"] == seat],
        "entered_at": played.entered_at,
    }
