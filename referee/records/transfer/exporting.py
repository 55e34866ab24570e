"""Export a club piece by piece, with only a few rounds in memory at a time.

The same club always gives the same text. It refers to nothing that isn't in it: not to a deleted match, nor to a key
that is gone.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import fields
from typing import Any

from sqlalchemy import Select, select, union
from sqlalchemy.orm import Session

from referee.records.models import (
    Club,
    Key,
    Match,
    MatchEvent,
    OwnRulebookRow,
    Player,
    Round,
    RoundVersion,
    RulebookText,
    Ruling,
    Seat,
    of_live_match,
)
from referee.records.transfer.document import (
    FORMAT,
    VERSION,
    EventPart,
    MatchPart,
    OwnRulebookPart,
    PlayerPart,
    RulingPart,
    VersionPart,
)
from referee.rules.text.words import ENGLISH

MATCHES_AT_ONCE = 50
ROUNDS_AT_ONCE = 200


def export_club(session: Session, club: Club) -> Iterator[str]:
    """Write the club as one JSON document, in pieces; on PostgreSQL begin a repeatable read before."""
    club_id = club.id
    named = {"name": club.name} | ({} if club.language == ENGLISH else {"language": club.language})
    head = {"format": FORMAT, "version": VERSION, "club": named}
    yield _json(head)[:-1]
    yield from _list("rulebooks", _rulebooks(session, club_id))
    writers = list(_writers(session, club_id))
    yield from _list("writers", writers)
    yield from _list("players", _players(session, club_id))
    own = list(_own_rulebooks(session, club_id))
    if own:
        yield from _list("own_rulebooks", own)
    yield ',\n"matches":['
    first = True
    wrote = {writer["id"] for writer in writers}
    for match in _matches(session, club_id):
        yield "\n" if first else ",\n"
        yield from _match(session, club_id, match, wrote)
        first = False
    yield "]}\n"


def _list(name: str, items: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield f',\n"{name}":['
    for place, item in enumerate(items):
        yield (",\n" if place else "\n") + _json(item)
    yield "]"


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=lambda moment: moment.isoformat())


def _rulebooks(session: Session, club_id: str) -> Iterator[dict[str, Any]]:
    digests = session.scalars(
        select(RulebookText.digest).where(RulebookText.club_id == club_id).order_by(RulebookText.digest)
    ).all()
    for digest in digests:
        chosen = select(RulebookText.document).where(RulebookText.club_id == club_id, RulebookText.digest == digest)
        yield {"digest": digest, "document": session.scalar(chosen)}


def _own_rulebooks(session: Session, club_id: str) -> Iterator[dict[str, Any]]:
    chosen = _of(OwnRulebookPart, OwnRulebookRow, club_id).where(OwnRulebookRow.deleted_at.is_(None))
    yield from _rows(session, chosen.order_by(OwnRulebookRow.id))


def _writers(session: Session, club_id: str) -> Iterator[dict[str, Any]]:
    """List the keys that wrote anything that is exported."""
    of_round = (RoundVersion.club_id == Round.club_id) & (RoundVersion.round_id == Round.id)
    own = (Round.club_id == club_id, RoundVersion.club_id == club_id)
    wrote = union(
        select(Match.created_by).where(Match.club_id == club_id),
        select(RoundVersion.entered_by).join(Round, of_round).where(*own, of_live_match(Round.match_id)),
        select(MatchEvent.by).where(MatchEvent.club_id == club_id, of_live_match(MatchEvent.match_id)),
        select(Ruling.given_by).where(Ruling.club_id == club_id, of_live_match(Ruling.match_id)),
    )
    chosen = select(Key.id, Key.name).where(Key.club_id == club_id, Key.id.in_(wrote)).order_by(Key.id)
    yield from (dict(row._mapping) for row in session.execute(chosen, {"club_id": club_id}))


def _players(session: Session, club_id: str) -> Iterator[dict[str, Any]]:
    yield from map(player_part, session.scalars(select(Player).where(Player.club_id == club_id).order_by(Player.id)))


def player_part(player: Player) -> dict[str, Any]:
    """Return a player as a file has them: without what is as for most."""
    named = {one.name: "deleted_at" if one.name == "removed_at" else one.name for one in fields(PlayerPart)}
    usual = {one.name: one.default for one in fields(PlayerPart)}
    return {name: value for name, of in named.items() if (value := getattr(player, of)) != usual[name]}


def _matches(session: Session, club_id: str) -> Iterator[dict[str, Any]]:
    after = ""
    while True:
        chosen = _of(MatchPart, Match, club_id).where(Match.id > after).order_by(Match.id)
        page = _rows(session, chosen.limit(MATCHES_AT_ONCE))
        before = {match["rematch_of"] for match in page}
        there = set(session.scalars(select(Match.id).where(Match.club_id == club_id, Match.id.in_(before))))
        yield from (_only(match, "rematch_of", there) for match in page)
        if len(page) < MATCHES_AT_ONCE:
            return
        after = page[-1]["id"]


def _match(session: Session, club_id: str, match: dict[str, Any], wrote: Container[str]) -> Iterator[str]:
    own = (club_id, match["id"])
    agreements = [_only(one, "by", wrote) for one in match["agreements"]]
    head = _only(match, "created_by", wrote) | {"agreements": agreements, "seats": _seats(session, *own)}
    yield _json(head)[:-1]
    yield ',"rounds":['
    for place, played in enumerate(_rounds(session, *own, wrote)):
        yield (",\n" if place else "\n") + _json(played)
    yield "]"
    yield from _list("events", (_only(one, "by", wrote) for one in _of_match(session, EventPart, MatchEvent, *own)))
    yield from _list("rulings", (_only(one, "given_by", wrote) for one in _of_match(session, RulingPart, Ruling, *own)))
    yield "}"


def _only(row: dict[str, Any], field: str, known: Container[str]) -> dict[str, Any]:
    """Return a row that refers to nothing by `field` where the document doesn't have what it refers to."""
    return row if row[field] in known else row | {field: None}


def _seats(session: Session, club_id: str, match_id: str) -> list[dict[str, Any]]:
    columns = (Seat.player_id.label("player"), Seat.name_then, Seat.opening_total, Seat.stays)
    return _rows(
        session, select(*columns).where(Seat.club_id == club_id, Seat.match_id == match_id).order_by(Seat.seat)
    )


def _rounds(session: Session, club_id: str, match_id: str, wrote: Container[str]) -> Iterator[dict[str, Any]]:
    after = 0
    while True:
        page = session.execute(
            select(Round.id, Round.place)
            .where(Round.club_id == club_id, Round.match_id == match_id, Round.place > after)
            .order_by(Round.place)
            .limit(ROUNDS_AT_ONCE)
        ).all()
        versions: dict[str, list[dict[str, Any]]] = {row.id: [] for row in page}
        chosen = _of(VersionPart, RoundVersion, club_id).add_columns(RoundVersion.round_id)
        chosen = chosen.where(RoundVersion.round_id.in_(versions))
        for row in session.execute(chosen.order_by(RoundVersion.round_id, RoundVersion.version)):
            version = dict(row._mapping)
            versions[version.pop("round_id")].append(_only(version, "entered_by", wrote))
        for row in page:
            yield {"id": row.id, "place": row.place, "versions": versions[row.id]}
        if len(page) < ROUNDS_AT_ONCE:
            return
        after = page[-1].place


def _of_match(
    session: Session, part: type, model: type[MatchEvent | Ruling], club_id: str, match_id: str
) -> list[dict[str, Any]]:
    return _rows(session, _of(part, model, club_id).where(model.match_id == match_id).order_by(model.id))


def _of(part: type[Any], model: Any, club_id: str) -> Select[Any]:
    """Select the columns that a part of the document has, of the rows of a club."""
    columns = [getattr(model, one.name) for one in fields(part) if hasattr(model, one.name)]
    return select(*columns).where(model.club_id == club_id)


def _rows(session: Session, chosen: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in session.execute(chosen)]
