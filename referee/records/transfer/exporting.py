"""Export a club piece by piece, with only a few rounds in memory at a time.

The same club always gives the same text. It refers to nothing that isn't in it: not to a deleted match, nor to a key
that is gone.
"""

import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import fields
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, select, union
from sqlalchemy.orm import Session, aliased

from referee.records.club.precedents import without_match
from referee.records.deletion.texts import TAKEN_OUT, is_removed, texts_at
from referee.records.models import (
    Club,
    DrawTable,
    Evening,
    EveningDraw,
    EveningPlayer,
    Key,
    Match,
    MatchEvent,
    OwnRulebookRow,
    Player,
    Round,
    RoundVersion,
    RulebookText,
    Ruling,
    Season,
    Seat,
    of_live_match,
)
from referee.records.transactions import stream
from referee.records.transfer import document as parts
from referee.rules.text.words import ENGLISH

AT_ONCE = 200
"""Rows in memory."""


def export_club(session: Session, club: Club) -> Iterator[str]:
    """Write the club as one JSON document, in pieces; on PostgreSQL begin a repeatable read before."""
    club_id = club.id
    named = {"name": club.name} | ({} if club.language == ENGLISH else {"language": club.language})
    named |= {"time_zone": club.time_zone} if club.time_zone else {}
    head = {"format": parts.FORMAT, "version": parts.VERSION, "club": named}
    yield to_json(head)[:-1]
    books = _of(parts.RulebookTextPart, RulebookText, club_id).order_by(RulebookText.digest)
    yield from _list("rulebooks", _rows(session, books, at_once=1))
    writers = list(_writers(session, club_id))
    yield from _list("writers", writers)
    yield from _list("players", _players(session, club_id))
    still = _of(parts.OwnRulebookPart, OwnRulebookRow, club_id).where(OwnRulebookRow.deleted_at.is_(None))
    if own := list(_rows(session, still.order_by(OwnRulebookRow.id))):
        yield from _list("own_rulebooks", own)
    if over := list(_seasons(session, club_id)):
        yield from _list("seasons", over)
    here = select(Evening.id).where(Evening.club_id == club_id, Evening.deleted_at.is_(None))
    if session.scalar(here.limit(1)) is not None:
        yield from _list("evenings", _evenings(session, club_id))
    wrote = {writer["id"] for writer in writers}
    gone = Ruling.match_id.is_(None) | ~of_live_match(Ruling.match_id)
    alone = _rulings(session, club_id, Ruling.kept.is_(True), gone)
    if alone:
        bare = [_only(without_match(one), "given_by", wrote) for one in alone]
        yield from _list("precedents", bare)
    yield ',\n"matches":['
    for place, match in enumerate(_matches(session, club_id)):
        yield ",\n" if place else "\n"
        yield from _match(session, club_id, match, wrote)
    yield "]}\n"


def _list(name: str, items: Iterable[Any]) -> Iterator[str]:
    yield f',\n"{name}":['
    for place, item in enumerate(items):
        yield (",\n" if place else "\n") + to_json(item)
    yield "]"


def to_json(document: Any) -> str:
    """Write a part of a file, moments in ISO 8601."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=lambda moment: moment.isoformat())


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
    named = {part.name: "deleted_at" if part.name == "removed_at" else part.name for part in fields(parts.PlayerPart)}
    usual = {part.name: part.default for part in fields(parts.PlayerPart)}
    return {name: value for name, of in named.items() if (value := getattr(player, of)) != usual[name]}


def _seasons(session: Session, club_id: str) -> Iterator[dict[str, Any]]:
    chosen = _of(parts.SeasonPart, Season, club_id).add_columns(Season.rules).where(Season.deleted_at.is_(None))
    for row in _rows(session, chosen.order_by(Season.id)):
        yield {name: value for name, value in (row | row.pop("rules")).items() if value not in (None, [])}


def _evenings(session: Session, club_id: str) -> Iterator[dict[str, Any]]:
    """Yield evenings with who came and what was drawn: a table whose match was deleted is left out."""
    chosen = _of(parts.EveningPart, Evening, club_id).where(Evening.deleted_at.is_(None))
    for evening in _rows(session, chosen.order_by(Evening.id), at_once=1):
        id = evening["id"]
        came = _of(parts.PersonPart, EveningPlayer, club_id, player=EveningPlayer.player_id)
        came = came.where(EveningPlayer.evening_id == id).order_by(EveningPlayer.player_id)
        people = [
            {name: value for name, value in one.items() if value not in (None, False)} for one in _rows(session, came)
        ]
        drawn = _of(parts.DrawPart, EveningDraw, club_id).where(EveningDraw.evening_id == id).order_by(EveningDraw.draw)
        at = select(DrawTable.draw, DrawTable.table, DrawTable.match_id).where(DrawTable.club_id == club_id)
        at = at.where(DrawTable.evening_id == id, of_live_match(DrawTable.match_id)).params(club_id=club_id)
        tables: dict[int, list[dict[str, Any]]] = {}
        for draw, table, match_id in session.execute(at.order_by(DrawTable.draw, DrawTable.table)):
            tables.setdefault(draw, []).append({"table": table, "match": match_id})
        draws = [one | {"tables": tables.get(draw, [])} for draw, one in enumerate(_rows(session, drawn), 1)]
        usual = {"name": "", "ended_at": None}
        said = {name: value for name, value in evening.items() if name not in usual or value != usual[name]}
        yield said | {"people": people, "draws": draws}


def _matches(session: Session, club_id: str) -> Iterator[dict[str, Any]]:
    before = aliased(Match)  # that which a match is the rematch of, where it is there
    chosen = _of(parts.MatchPart, Match, club_id, rematch_of=before.id)
    there = (before.club_id == Match.club_id, before.id == Match.rematch_of, before.deleted_at.is_(None))
    chosen = chosen.outerjoin(before, and_(*there))
    yield from _rows(session, chosen.order_by(Match.id))


def _match(session: Session, club_id: str, match: dict[str, Any], wrote: Container[str]) -> Iterator[str]:
    own = (club_id, match["id"])
    agreements = [_only(one, "by", wrote) for one in match["agreements"]]
    head = _only(match, "created_by", wrote) | {"agreements": agreements, "seats": _seats(session, *own)}
    removed = list(_removed("matches", head))
    yield to_json(head)[:-1]
    yield ',"rounds":['
    for place, played in enumerate(_rounds(session, *own, wrote)):
        for number, version in enumerate(played["versions"]):
            removed += _removed("round_versions", version, f"/rounds/{place}/versions/{number}")
        yield (",\n" if place else "\n") + to_json(played)
    yield "]"
    for name, table, by, rows in (
        ("events", "match_events", "by", _of_match(session, parts.EventPart, MatchEvent, *own)),
        ("rulings", "rulings", "given_by", _rulings(session, own[0], Ruling.match_id == own[1])),
    ):
        yield f',\n"{name}":['
        for place, row in enumerate(rows):
            removed += _removed(table, row, f"/{name}/{place}")
            yield (",\n" if place else "\n") + to_json(_only(row, by, wrote))
        yield "]"
    yield from _list("removed_texts", removed) if removed else ()
    yield "}"


_SAID = {"rulings.ruling": {"/summary": 0, "/steps/*/text": 0}}
"""What we worded, and took out where it couldn't be heard again."""


def _removed(table: str, row: dict[str, Any], pointer: str = "") -> Iterator[str]:
    """Yield pointers to the texts that were taken out of a row with a deleted name."""
    for name, patterns in (*TAKEN_OUT.items(), *_SAID.items()):
        if name.startswith(f"{table}."):
            column = name.partition(".")[2]
            for path, text in (one for pattern in patterns for one in texts_at(row[column], pattern)):
                if text[:1] == "(" and is_removed(text):
                    yield f"{pointer}/{column}{path}"


def _only(row: dict[str, Any], field: str, known: Container[str]) -> dict[str, Any]:
    """Return a row that refers to nothing by `field` where the document doesn't have what it refers to."""
    return row if row[field] in known else row | {field: None}


def _seats(session: Session, club_id: str, match_id: str) -> list[dict[str, Any]]:
    chosen = _of(parts.SeatPart, Seat, club_id, player=Seat.player_id).where(Seat.match_id == match_id)
    return list(_rows(session, chosen.order_by(Seat.seat)))


def _rounds(session: Session, club_id: str, match_id: str, wrote: Container[str]) -> Iterator[dict[str, Any]]:
    of_round = (RoundVersion.club_id == Round.club_id) & (RoundVersion.round_id == Round.id)
    chosen = _of(parts.VersionPart, RoundVersion, club_id).add_columns(Round.id, Round.place).select_from(Round)
    # every round has one; SQLite would begin an inner join with all versions of the club
    chosen = chosen.outerjoin(RoundVersion, of_round).where(Round.club_id == club_id, Round.match_id == match_id)
    rows = _rows(session, chosen.order_by(Round.place, RoundVersion.version))
    for (id, place), group in groupby(rows, key=lambda row: (row.pop("id"), row.pop("place"))):
        yield {"id": id, "place": place, "versions": [_only(version, "entered_by", wrote) for version in group]}


def _of_match(
    session: Session, part: type, model: type[MatchEvent | Ruling], club_id: str, match_id: str
) -> Iterator[dict[str, Any]]:
    return _rows(session, _of(part, model, club_id).where(model.match_id == match_id).order_by(model.id))


def _of(part: type[Any], model: Any, club_id: str, **others: Any) -> Select[Any]:
    """Select the columns that a part of the document has, of the rows of a club; `others` are those not called so."""
    found = {one.name: others.get(one.name, getattr(model, one.name, None)) for one in fields(part)}
    columns = [column.label(name) for name, column in found.items() if column is not None]
    return select(*columns).where(model.club_id == club_id)


def _rulings(session: Session, club_id: str, *of: ColumnElement[bool]) -> list[dict[str, Any]]:
    chosen = _of(parts.RulingPart, Ruling, club_id).where(*of).order_by(Ruling.id).params(club_id=club_id)
    return [
        one if one["kept"] else {name: one[name] for name in one if name != "kept"} for one in _rows(session, chosen)
    ]


def _rows(session: Session, chosen: Select[Any], at_once: int = AT_ONCE) -> Iterator[dict[str, Any]]:
    return (dict(row._mapping) for row in stream(session, chosen, at_once))
