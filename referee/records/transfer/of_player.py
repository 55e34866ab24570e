"""Export what a club has about one player, in pieces, with a few rounds in memory at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from referee.records.models import Club, Key, KeyRole, Match, MatchResult, Player, Round, RoundVersion, Ruling, Seat

PLAYER_FORMAT, PLAYER_VERSION = "referee-player", 1
MATCHES_AT_ONCE, ROUNDS_AT_ONCE = 50, 200


def export_player(session: Session, club: Club, player: Player) -> Iterator[str]:
    """Write everything about a player as one JSON document: names, phones, matches with rounds, results and rulings."""
    head = {"format": PLAYER_FORMAT, "version": PLAYER_VERSION, "club": {"id": club.id, "name": club.name}}
    about = {"player": _player(session, player), "phones": _phones(session, player)}
    yield _json(head | about)[:-1] + ',\n"matches":['
    for place, row in enumerate(_matches(session, player)):
        yield ",\n" if place else "\n"
        yield from _match(session, row)
    yield "]}\n"


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=lambda moment: moment.isoformat())


def _player(session: Session, player: Player) -> dict[str, Any]:
    merged = select(Player.name).where(Player.club_id == player.club_id, Player.merged_into == player.id)
    then = select(Seat.name_then).where(Seat.club_id == player.club_id, Seat.player_id == player.id)
    names = {*session.scalars(merged), *session.scalars(then.distinct())} - {player.name}
    head = {"id": player.id, "name": player.name, "earlier_names": sorted(names)}
    return head | {"active": player.active, "created_at": player.created_at}


def _phones(session: Session, player: Player) -> list[dict[str, Any]]:
    """List the phones that tap in this player's hands."""
    at_seat = (Seat.club_id == Key.club_id) & (Seat.match_id == Key.match_id) & (Seat.seat == Key.seat)
    columns = (Key.name, Key.match_id.label("match"), Key.created_at, Key.revoked_at)
    own = (Key.club_id == player.club_id, Key.role == KeyRole.HAND, Seat.player_id == player.id)
    found = session.execute(select(*columns).join(Seat, at_seat).where(*own).order_by(Key.id))
    return [dict(row._mapping) for row in found]


_OF_MATCH = ("id", "name", "location", "note", "status", "rulebook", "started_at", "finished_at")
_OF_RESULT = ("total", "rank", "won", "mu", "sigma", "team")


def _matches(session: Session, player: Player) -> Iterator[Row[Any]]:
    result = (MatchResult.club_id == Seat.club_id) & (MatchResult.match_id == Seat.match_id)
    chosen = (
        select(
            *(Seat.club_id, Seat.seat, Seat.name_then, Seat.opening_total),
            *(getattr(Match, name) for name in _OF_MATCH),
            *(getattr(MatchResult, name) for name in _OF_RESULT),
            MatchResult.match_id.label("ended"),
        )
        .join(Match, (Match.club_id == Seat.club_id) & (Match.id == Seat.match_id))
        .outerjoin(MatchResult, result & (MatchResult.seat == Seat.seat))
        .where(Seat.club_id == player.club_id, Seat.player_id == player.id)
        .order_by(Match.id)
    )
    after = ""
    while True:
        page = session.execute(chosen.where(Match.id > after).limit(MATCHES_AT_ONCE)).all()
        yield from page
        if len(page) < MATCHES_AT_ONCE:
            return
        after = page[-1].id


def _match(session: Session, row: Row[Any]) -> Iterator[str]:
    found = row._mapping
    head = {name: found[name] for name in (*_OF_MATCH, "seat", "name_then", "opening_total")}
    head["result"] = {name: found[name] for name in _OF_RESULT} if row.ended is not None else None
    head["rulings"] = list(_rulings(session, row))
    yield _json(head)[:-1] + ',"rounds":['
    for place, played in enumerate(_rounds(session, row)):
        yield (",\n" if place else "\n") + _json(played)
    yield "]}"


def _rulings(session: Session, row: Row[Any]) -> Iterator[dict[str, Any]]:
    own = (Ruling.club_id == row.club_id, Ruling.match_id == row.id)
    for ruling in session.scalars(select(Ruling).where(*own).order_by(Ruling.id)):
        roles = [role for role, seat in ruling.seats.items() if seat == row.seat]
        if roles:
            said = {"dispute": ruling.dispute, "roles": roles, "facts": ruling.facts, "ruling": ruling.ruling}
            table = {"accepted": ruling.accepted, "table_decided": ruling.table_decided}
            yield said | table | {"given_at": ruling.given_at}
        session.expunge(ruling)


def _rounds(session: Session, row: Row[Any]) -> Iterator[dict[str, Any]]:
    """Give the live rounds at which the player sat: what was entered for them, and what it was worth."""
    seat, after = str(row.seat), 0
    counted = (RoundVersion.round_id == Round.id) & (RoundVersion.version == Round.version)
    chosen = (
        select(Round.place, RoundVersion.entry, RoundVersion.score, RoundVersion.entered_at)
        .join(RoundVersion, (RoundVersion.club_id == Round.club_id) & counted)
        .where(Round.club_id == row.club_id, Round.match_id == row.id, Round.struck.is_(False))
        .order_by(Round.place)
    )
    while True:
        page = session.execute(chosen.where(Round.place > after).limit(ROUNDS_AT_ONCE)).all()
        for place, entry, score, entered_at in page:
            if seat in score["points"]:
                yield {
                    "place": place,
                    "points": score["points"][seat],
                    "went_out": entry["went_out"] == row.seat,
                    "hand": entry["hands"].get(seat),
                    "hand_worth": score["hands"].get(seat),
                    "cards_left": entry["cards_left"].get(seat),
                    "last_card": entry["last_card"] if entry["went_out"] == row.seat else None,
                    "adjustments": [one for one in entry.get("adjustments", ()) if one["seat"] == row.seat],
                    "entered_at": entered_at,
                }
        if len(page) < ROUNDS_AT_ONCE:
            return
        after = page[-1].place
