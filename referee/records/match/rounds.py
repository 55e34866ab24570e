"""Rounds: recorded once, corrected by a new version, struck and brought back; nothing is overwritten.

Whatever is read, checked and scored makes a draft; writing it is all that is done while others wait. A draft is
written only if its match is still of the revision it was made from, so that two phones never make the same round twice.
At the end: rounds by names, those of a match as they count now, and every version of one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, bindparam, delete, func, insert, select
from sqlalchemy.orm import Session

from referee.records.deletion.texts import Column, carry_over
from referee.records.errors import MOST_ROUNDS, MOST_VERSIONS, Conflict, NotFound, refuse_over
from referee.records.ids import is_id, new_id
from referee.records.match.agreements import scale_of, terms_at
from referee.records.match.dealing import Outs, let_sit_out, load_outs, outs_before
from referee.records.match.results import Settlement, put_down, refuse_unless_in_progress, work_out
from referee.records.match.seating import Seated, Seating, load_seating, table_of
from referee.records.match.tallies import Tally, add_up, tally_of
from referee.records.models import Base, Key, Match, Round, RoundScore, RoundVersion, Scale, now
from referee.records.words import say
from referee.rules.scoring.round_entry import LAST_ONE_LEFT, RoundEntry
from referee.rules.scoring.scoring import score_round
from referee.rules.text.problem import Impossible, Problem

# Into the tables, put together once: by the mapped classes SQLAlchemy would look through the rows first, write them one
# group after the other by what is None, and take longer to recognize the statement than the database to run it.
_INSERT_ROUND, _INSERT_VERSION, _INSERT_SCORES = (
    insert(Base.metadata.tables[model.__tablename__]) for model in (Round, RoundVersion, RoundScore)
)


@dataclass(frozen=True)
class Draft:
    """A version of a round, scored and not written: good as long as the match is as it was read for it."""

    match: Match
    seating: Seating
    round_id: str
    place: int
    version: int
    struck: bool
    entry: dict[str, Any]
    score: dict[str, Any]
    scores: tuple[dict[str, Any], ...]
    """rows of `RoundScore`"""
    tally: Tally
    settlement: Settlement
    entered_at: datetime
    entered_by: Key
    played: Round | None
    """the round whose version this is; None for one that is new"""
    outs: Outs
    """who is out of the match once it is written"""


def get_round(session: Session, match: Match, round_id: str) -> Round:
    """Look up a round of this match; raises `NotFound`."""
    round = session.get(Round, (match.club_id, round_id)) if is_id(round_id) else None
    if round is None or round.match_id != match.id:
        raise NotFound("round")
    return round


def draft_round(
    session: Session, match: Match, entry: RoundEntry, after: int, by: Key, *, seating: Seating | None = None
) -> Draft:
    """Work out all that recording the next round of a match writes; nothing is written.

    `after` is the number of live rounds the writer has seen; `seating` spares a look where it was loaded before.
    Raises `Conflict` when another round is there already, and `Impossible` with every problem of the entry, or when
    the match is over or full.
    """
    tally = tally_of(session, match)
    if after != tally.live:
        raise Conflict(say("match.newer-rounds", n=tally.live, seen=after))
    refuse_unless_in_progress(match)
    place = tally.last_place + 1
    refuse_over(place, MOST_ROUNDS, "match", "rounds")
    seating = seating or load_seating(session, match)
    entry = let_sit_out(entry, load_outs(session, match, seating, tally))
    entered, score = score_entry(session, match, seating, place, entry)
    return _draft(session, match, seating, place, entered, score, by, tally)


def draft_correction(
    session: Session, match: Match, played: Round, entry: RoundEntry, by: Key, *, seating: Seating | None = None
) -> Draft:
    """Work out what correcting a round writes, under the agreement it was played under; writes nothing.

    It may end or reopen the match. Raises `Impossible` with every problem of the entry, or when the round is struck.
    """
    if played.struck:
        raise Impossible([Problem("round", say("match.struck"))])
    refuse_over(played.version + 1, MOST_VERSIONS - 1, "round", "versions")  # the last one is left to a strike
    seating = seating or load_seating(session, match)
    entry = let_sit_out(entry, outs_before(session, match, seating, played.place), but=True)
    entered, score = score_entry(session, match, seating, played.place, entry)
    others = add_up(session, match, but=played.place)
    return _draft(session, match, seating, played.place, entered, score, by, others, played=played)


def draft_turn(session: Session, match: Match, played: Round, by: Key, *, struck: bool) -> Draft | None:
    """Work out what striking or restoring a round writes; None where it changes nothing."""
    if played.struck == struck:
        return None
    refuse_over(played.version + 1, MOST_VERSIONS, "round", "versions")
    old = session.get_one(RoundVersion, (played.club_id, played.id, played.version))
    seating = load_seating(session, match)
    others = add_up(session, match, but=played.place)
    return _draft(session, match, seating, played.place, old.entry, old.score, by, others, struck=struck, played=played)


def write_draft(session: Session, draft: Draft | None) -> None:
    """Write a draft, if there is one; raises `Moved`, writing nothing, when the match has changed since it was made.

    Whoever calls this need not hold the match: it is held from here to the end of the transaction.
    """
    if draft is None:
        return
    match, played = draft.match, draft.played
    put_down(session, match, draft.tally, draft.settlement)
    counting = {"version": draft.version, "struck": draft.struck}
    here = {"club_id": match.club_id, "match_id": match.id, "place": draft.place}
    if played is None:
        session.connection().execute(_INSERT_ROUND, {**here, "id": draft.round_id, **counting})
    else:
        played.version, played.struck = draft.version, draft.struck
        session.execute(delete(RoundScore).filter_by(**here))
    session.connection().execute(
        _INSERT_VERSION,
        {
            "club_id": match.club_id,
            "round_id": draft.round_id,
            **counting,
            "entry": draft.entry,
            "score": draft.score,
            "entered_at": draft.entered_at,
            "entered_by": draft.entered_by.id,
        },
    )
    if played is not None and draft.entry.get("adjustments"):
        before = session.get_one(RoundVersion, (match.club_id, draft.round_id, draft.version - 1))
        old, new = (
            Column(f"round_versions/{draft.round_id}:{number}/entry", match.id, entry)
            for number, entry in ((before.version, before.entry), (draft.version, draft.entry))
        )
        carry_over(session, match.club_id, old, new)
    if draft.scores:
        session.connection().execute(_INSERT_SCORES, draft.scores)


def count_rounds(session: Session, match: Match) -> tuple[int, int]:
    """Count the live rounds of a match and give its last place, struck rounds included; 0 when there is none."""
    tally = tally_of(session, match)
    return tally.live, tally.last_place


def last_round(session: Session, match: Match) -> Round | None:
    """Find the latest live round of a match; None before the first."""
    here = (Round.club_id == match.club_id, Round.match_id == match.id, Round.struck.is_(False))
    return session.scalars(select(Round).where(*here).order_by(Round.place.desc()).limit(1)).first()


def is_own_last(session: Session, match: Match, played: Round, by: Key) -> bool:
    """Return whether a round is the last of its match, struck or not, and its newest version came from a key."""
    if played.place != tally_of(session, match).last_place:
        return False
    return session.get_one(RoundVersion, (played.club_id, played.id, played.version)).entered_by == by.id


def number_of(session: Session, match: Match, played: Round) -> int | None:
    """Return the number of a round, counting live rounds from 1; None for a struck one."""
    here = (Round.club_id == match.club_id, Round.match_id == match.id, Round.place <= played.place)
    counted = select(func.count()).select_from(Round).where(*here, Round.struck.is_(False))
    return None if played.struck else session.scalar(counted)


def _draft(
    session: Session,
    match: Match,
    seating: Seating,
    place: int,
    entered: dict[str, Any],
    score: dict[str, Any],
    by: Key,
    others: Tally,
    *,
    struck: bool = False,
    played: Round | None = None,
) -> Draft:
    """Draft a version of a round, of a new one without `played`; `others` is the tally of all other rounds."""
    tally = others.with_struck(place) if struck else others.plus(place, score)
    gained = None if struck else {int(seat): points for seat, points in score["points"].items()}
    terms = terms_at(session, match, place)
    of_round = {"club_id": match.club_id, "match_id": match.id, "place": place}
    scores = () if struck else score_rows(of_round, entered, score, seating.at(place), scale_of(terms))
    return Draft(
        match=match,
        seating=seating,
        round_id=played.id if played else new_id(),
        place=place,
        version=played.version + 1 if played else 1,
        struck=struck,
        entry=entered,
        score=score,
        scores=scores,
        tally=tally,
        settlement=work_out(session, match, seating, tally, place=place, gained=gained, scores=scores),
        entered_at=now(),
        entered_by=by,
        played=played,
        outs=load_outs(session, match, seating, tally, terms=None if played else terms, place=place, gained=gained),
    )


def score_entry(
    session: Session, match: Match, seating: Seating, place: int, entry: RoundEntry
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an entry and its score as a `RoundVersion` has them, under the terms of its place; raises `Impossible`."""
    score = score_round(terms_at(session, match, place), entry, table_of(seating.at(place)))
    return entry.to_document(), score.to_document()


def score_rows(
    of_round: Mapping[str, Any],
    entry: Mapping[str, Any],
    score: Mapping[str, Any],
    sitting: Iterable[Seated],
    scale: Scale,
) -> tuple[dict[str, Any], ...]:
    """Return the rows of `RoundScore` of a round: one for each of those `sitting` who did not sit out.

    `of_round` has the club's and the match's id and the place.
    """
    here = [seat for seat in sitting if seat.seat not in entry["sat_out"]]
    return tuple(dict(of_round) | _score_row(entry, score, seat, len(here), scale) for seat in here)


def _score_row(
    entry: Mapping[str, Any], score: Mapping[str, Any], seat: Seated, players: int, scale: Scale
) -> dict[str, Any]:
    key = str(seat.seat)
    hand = entry["hands"].get(key)
    went_out = entry["went_out"] == seat.seat
    last_left = entry["ended"] == LAST_ONE_LEFT and seat.seat in score["credited_to"]  # won, so not caught with a hand
    counted = 0 if went_out else len(hand) if isinstance(hand, list) else entry["cards_left"].get(key)
    others = [worth for other, worth in score["hands"].items() if other != key]
    return {
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


@dataclass(frozen=True)
class RoundView:
    """One version of a round by names as they are today, with when and by the holder of which key it was entered.

    `number` counts live rounds from 1. It is None for a struck one, and in a list of all versions.
    """

    version: int
    struck: bool
    stored: Mapping[str, Any]
    """what was entered, by seat"""
    ended: str
    went_out: str | None
    last_card: str | None
    hands: Mapping[str, Any]
    """what was entered: a list of cards, or a number of points"""
    worth: Mapping[str, int]
    points: Mapping[str, int]
    cards_left: Mapping[str, int]
    credited_to: Sequence[str]
    sat_out: Sequence[str]
    entered_at: datetime
    entered_by: str | None
    side: str | None = None
    knocked_out: Sequence[str] = ()
    adjustments: Sequence[Mapping[str, Any]] = ()
    """each with ``player``, ``points`` (may be negative) and ``reason``"""
    id: str = ""
    place: int = 0
    number: int | None = None

    @property
    def winner(self) -> str | None:
        """Return the name of who won the round: who went out, or was the last one left; None when nobody did."""
        alone = self.ended == LAST_ONE_LEFT and len(self.credited_to) == 1
        return self.credited_to[0] if alone else self.went_out


RECENT = 20
"""Rounds that a sheet shows at first, the last ones."""


VERSION = (
    *(RoundVersion.version, RoundVersion.struck, RoundVersion.entry, RoundVersion.score, RoundVersion.entered_at),
    Key.name.label("entered_by"),
)
"""What `round_view` shows of a version."""
# built once, since every sheet asks one of them: to build it takes longer than to run it
_ALL = (
    select(Round.id, Round.place, *VERSION)
    .join(
        RoundVersion,
        (RoundVersion.club_id == Round.club_id)
        & (RoundVersion.round_id == Round.id)
        & (RoundVersion.version == Round.version),
    )
    .outerjoin(Key, (Key.club_id == Round.club_id) & (Key.id == RoundVersion.entered_by))
    .where(Round.club_id == bindparam("club_id"), Round.match_id == bindparam("match_id"))
    .order_by(Round.place.desc())
    .limit(bindparam("most", type_=Integer))
)
_LIVE = _ALL.where(Round.struck.is_(False))


def load_rounds(
    session: Session,
    match: Match,
    seating: Seating,
    tally: Tally,
    *,
    last: int | None = None,
    struck: bool = False,
) -> tuple[RoundView, ...]:
    """Load rounds in order of their place, or the `last` so many, in one query; as many rows are read as are returned.

    The numbers of live rounds are right also where only some are loaded.
    """
    statement = _ALL if struck else _LIVE
    given = {"club_id": match.club_id, "match_id": match.id, "most": MOST_ROUNDS if last is None else last}
    number = tally.live
    views = []
    for row in session.execute(statement, given):
        views.append(round_view(seating.names, None if row.struck else number, **row._mapping))
        number -= not row.struck
    return tuple(reversed(views))


def view_of_draft(draft: Draft) -> RoundView:
    """Return the view of a round just recorded."""
    return round_view(
        draft.seating.names,
        draft.tally.live,
        id=draft.round_id,
        place=draft.place,
        struck=False,
        version=draft.version,
        entry=draft.entry,
        score=draft.score,
        entered_at=draft.entered_at,
        entered_by=draft.entered_by.name,
    )


def round_view(
    names: Sequence[str], number: int | None, *, entry: Mapping[str, Any], score: Mapping[str, Any], **more: Any
) -> RoundView:
    """Return a round by the `names` of its seats; `more` are the fields that are shown as they are stored."""
    return RoundView(
        number=number,
        stored=entry,
        worth={names[int(seat)]: worth for seat, worth in score["hands"].items()},
        points={names[int(seat)]: points for seat, points in score["points"].items()},
        **(entry_by_names(entry, names) | {"credited_to": [names[seat] for seat in score["credited_to"]]} | more),
    )


def entry_by_names(entry: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Convert a stored entry from seats to the `names` of the seats.

    What few rounds have (`referee.rules.scoring.round_entry.FURTHER`) is there only where the entry has it.
    """
    out, credited = entry["went_out"], entry["credited_to"]
    named = {
        "ended": entry["ended"],
        "went_out": None if out is None else names[out],
        "hands": {names[int(seat)]: hand for seat, hand in entry["hands"].items()},
        "cards_left": {names[int(seat)]: count for seat, count in entry["cards_left"].items()},
        "last_card": entry["last_card"],
        "credited_to": None if credited is None else [names[seat] for seat in credited],
        "sat_out": [names[seat] for seat in entry["sat_out"]],
    }
    if entry.get("side"):
        named["side"] = entry["side"]
    if entry.get("knocked_out"):
        named["knocked_out"] = [names[seat] for seat in entry["knocked_out"]]
    if entry.get("adjustments"):
        named["adjustments"] = [
            {"player": names[each["seat"]], "points": each["points"], "reason": each["reason"]}
            for each in entry["adjustments"]
        ]
    return named


def round_history(session: Session, match: Match, played: Round, seating: Seating | None = None) -> list[RoundView]:
    """Return every version of a round, oldest first; `seating` is loaded unless it is passed."""
    names = (seating or load_seating(session, match)).names
    rows = session.execute(
        select(*VERSION)
        .outerjoin(Key, (Key.club_id == RoundVersion.club_id) & (Key.id == RoundVersion.entered_by))
        .where(RoundVersion.club_id == played.club_id, RoundVersion.round_id == played.id)
        .order_by(RoundVersion.version)
    )
    return [round_view(names, None, **row._mapping) for row in rows]
