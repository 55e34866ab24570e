"""The rounds of a match as JSON, written once: the document of a long match would be written anew with every round."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from referee.records.cache import Cache
from referee.records.models import Key, Match, Round, RoundVersion, columns_of
from referee.records.plain import Plain
from referee.records.round_views import RoundView, load_rounds, view_of_draft
from referee.records.rounds import Draft
from referee.records.sheets import Sheet
from referee.rules.round_entry import FURTHER
from referee.web.api.endpoint import to_json

ROUNDS_HERE = f"rounds-{secrets.token_hex(16)}"
"""Stands in a document for its rounds; nobody can guess it and put it into a name."""
MOST_WRITERS = 8
"""Keys whose names are looked up again before what was written is used; with more of them it is written anew."""


@dataclass(frozen=True, slots=True)
class WrittenRounds:
    """The live rounds of a match in one state of it."""

    state: int
    json: bytes
    """of each round, with commas between them"""
    struck: tuple[int, ...]
    """places of rounds that do not count"""
    versions: Mapping[str, int]
    """of rounds whose first version no longer counts"""
    writers: Mapping[str, str]
    """names of the keys that entered them, by id"""

    def number_at(self, place: int) -> int:
        """Give the number of the first live round from a place on."""
        return place - sum(struck < place for struck in self.struck)

    def after(self, draft: Draft) -> WrittenRounds:
        """Give them once a new round is written; in which state of the match that is, is not known before."""
        round = to_json(round_document(view_of_draft(draft)))
        writers = {**self.writers, draft.entered_by.id: draft.entered_by.name}
        json = b",".join((self.json, round)) if self.json else round
        return replace(self, state=0, json=json, writers=writers)

    def put_into(self, document: bytes) -> bytes:
        """Write them into a document that has `ROUNDS_HERE` for its rounds."""
        return document.replace(b'"%s"' % ROUNDS_HERE.encode(), self.json, 1)


WRITTEN: Cache[WrittenRounds] = Cache(
    "written rounds",
    1_000_000,
    share=1,
    size=lambda _, written: 2_000 + sys.getsizeof(written.json) + 300 * (len(written.struck) + len(written.versions)),
)
"""By match, of each the newest."""
_round, _version, _key = columns_of(Round), columns_of(RoundVersion), columns_of(Key)
_WRITERS = Plain(
    select(_key.id, _key.name)
    .distinct()
    .join(_version.entry.table, (_version.club_id == _key.club_id) & (_version.entered_by == _key.id))
    .join(
        _round.place.table,
        (_round.club_id == _version.club_id)
        & (_round.id == _version.round_id)
        & (_round.version == _version.version),
    )
    .where(_round.club_id == bindparam("club_id"), _round.match_id == bindparam("match_id"))
)
_NAME = Plain(select(_key.name).where(_key.club_id == bindparam("club_id"), _key.id == bindparam("id")))


def written_rounds(session: Session, sheet: Sheet) -> WrittenRounds:
    """Give the live rounds of a match as they stand."""
    match = sheet.match
    found = WRITTEN.find((match.club_id, match.id))
    if found is not None and found.state == match.state and _are_called_so(session, match, found.writers):
        return found
    views = load_rounds(session, match, sheet.seating, sheet.tally, struck=True)
    live = [view for view in views if not view.struck]
    found = WrittenRounds(
        match.state,
        b",".join(to_json(round_document(view)) for view in live),
        tuple(view.place for view in views if view.struck),
        {view.id: view.version for view in live if view.version != 1},
        dict(_WRITERS.rows(session, club_id=match.club_id, match_id=match.id)),
    )
    keep(match, found)
    return found


def keep(match: Match, written: WrittenRounds) -> None:
    """Keep what was written for the present state of a match."""
    if len(written.writers) <= MOST_WRITERS:
        WRITTEN.put((match.club_id, match.id), replace(written, state=match.state))


def _are_called_so(session: Session, match: Match, writers: Mapping[str, str]) -> bool:
    return all(_NAME.row(session, club_id=match.club_id, id=id) == (name,) for id, name in writers.items())


def round_document(view: RoundView) -> dict[str, Any]:
    """Write a round in its current version; what few rounds have, where it is there."""
    further = {key: value for key in FURTHER if (value := getattr(view, key))}
    return {
        "id": view.id,
        "number": view.number,
        "ended": view.ended,
        "went_out": view.went_out,
        "last_card": view.last_card,
        "hands": dict(view.hands),
        "worth": dict(view.worth),
        "points": dict(view.points),
        "cards_left": dict(view.cards_left),
        "credited_to": list(view.credited_to),
        "sat_out": list(view.sat_out),
        "entered_at": view.entered_at.isoformat(),
        "entered_by": view.entered_by,
        "struck": view.struck,
        "version": view.version,
    } | further
