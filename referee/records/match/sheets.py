"""What the sheet of a match shows, loaded in a few queries whatever the length of the match."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, select, union_all
from sqlalchemy.orm import Session

from referee.records.match.agreements import Agreement, agreements_of, terms_of
from referee.records.match.dealing import Outs, load_outs, next_opener
from referee.records.match.rounds import Draft, RoundView, load_rounds, view_of_draft
from referee.records.match.rulings import ruling_by_name
from referee.records.match.seating import Seated, Seating, load_seating, table_of, totals_of
from referee.records.match.tallies import Tally, tally_of
from referee.records.models import LISTED, Match, MatchResult, MatchStatus, Player, Round, Ruling, Seat
from referee.rules.books.rulebook import steps_to_first
from referee.rules.scoring.standings import Standing, standings
from referee.rules.scoring.terms import Terms


@dataclass(frozen=True)
class Sheet:
    """A match as its sheet shows it."""

    match: Match
    agreements: tuple[Agreement, ...]
    terms: Terms
    seating: Seating
    outs: Outs
    """who is out of the match, by seat, with the number of the round that put them out"""
    opener: Seated | None
    """who deals, or drafts, the next round; None when nobody said who began"""
    standings: tuple[Standing, ...]
    winners: tuple[str, ...]
    rounds: tuple[RoundView, ...]
    """in order of their place; only the last ones where `last` was asked for"""
    round_count: int
    """live rounds, all of them"""
    rulings: Sequence[Ruling]
    tally: Tally
    amendments: tuple[Agreement, ...] = ()
    """the later agreements; `from_place` is the number of a live round here, as people count them"""

    @property
    def players(self) -> tuple[str, ...]:
        """Return the names of those who sit at the match, clockwise."""
        return tuple(seat.name for seat in self.seating.here)

    @property
    def playing(self) -> tuple[Seated, ...]:
        """Return the seats of those who play the next round, clockwise: all who sit here and are not out."""
        return tuple(seat for seat in self.seating.here if seat.seat not in self.outs)

    @property
    def dealer(self) -> str | None:
        """Return the dealer of the next round; None if nobody said who began, or where hands are drafted."""
        return self.opener.name if self.opener and not self.terms.drafted else None

    @property
    def drafter(self) -> str | None:
        """Return who drafts first in the next round; None where hands are dealt."""
        return self.opener.name if self.opener and self.terms.drafted else None

    @property
    def starter(self) -> str | None:
        """Return who plays first in the next round; None where the rules don't say, or nobody said who deals."""
        steps, playing = steps_to_first(self.terms.rulebook), self.playing
        if steps is None or self.opener not in playing:
            return None
        return playing[(playing.index(self.opener) + steps) % len(playing)].name

    @property
    def teams(self) -> tuple[tuple[str, ...], ...] | None:
        """Return who play together; None where everybody plays alone."""
        return self.seating.teams(self.agreement.teams)

    @property
    def rulings_by_name(self) -> list[dict[str, Any]]:
        """Return the rulings as they were given, with names for seats."""
        return [ruling_by_name(ruling, self.seating.names) for ruling in self.rulings]

    @property
    def last_round(self) -> RoundView | None:
        """Return the last live round of those that were loaded."""
        return next((round for round in reversed(self.rounds) if not round.struck), None)

    @property
    def agreement(self) -> Agreement:
        """Return the agreement that the next round is played under."""
        return self.agreements[-1]


@dataclass(frozen=True)
class MatchSummary:
    """A match in a list: who sat there, and how it ended for each if it is finished."""

    match: Match
    players: tuple[str, ...]
    totals: Mapping[str, int]
    winners: tuple[str, ...]


def load_sheet(
    session: Session,
    match: Match,
    *,
    last: int | None = None,
    struck: bool = False,
    rulings: bool = True,
) -> Sheet:
    """Load a match with its standings and rounds: all, or the `last` so many; struck ones on request.

    Without `rulings` a query is saved.
    """
    seating = load_seating(session, match)
    agreements = agreements_of(match)
    terms = terms_of(session, match, agreements[-1])
    tally = tally_of(session, match)
    rounds = load_rounds(session, match, seating, tally, last=last, struck=struck) if last != 0 else ()
    outs = load_outs(session, match, seating, tally, terms=terms)
    return Sheet(
        match=match,
        agreements=agreements,
        terms=terms,
        seating=seating,
        outs=outs,
        opener=next_opener(match, seating, tally.live, outs),
        standings=_standings(terms, seating, tally, outs),
        winners=_winners(session, match, seating),
        rounds=rounds,
        round_count=tally.live,
        rulings=load_rulings(session, match) if rulings else (),
        tally=tally,
        amendments=_amendments(session, match, agreements[1:], tally),
    )


def sheet_after(sheet: Sheet, draft: Draft) -> Sheet:
    """Return the sheet as it is once a draft is written, without loading it again.

    `sheet` is as it was read for the draft.
    """
    return replace(
        sheet,
        match=draft.match,
        outs=draft.outs,
        opener=next_opener(draft.match, sheet.seating, draft.tally.live, draft.outs),
        standings=_standings(sheet.terms, sheet.seating, draft.tally, draft.outs),
        winners=tuple(sheet.seating.names[seat] for seat in sorted(draft.settlement.winners)),
        rounds=(*sheet.rounds, view_of_draft(draft)),
        round_count=draft.tally.live,
        tally=draft.tally,
    )


def _amendments(session: Session, match: Match, later: Sequence[Agreement], tally: Tally) -> tuple[Agreement, ...]:
    """Return agreements by the number of the live round that each holds from, instead of its place."""
    struck: Sequence[int] = ()
    if later and tally.live < tally.last_place:
        here = (Round.club_id == match.club_id, Round.match_id == match.id, Round.struck)
        struck = session.scalars(select(Round.place).where(*here)).all()
    before = {each.from_place: sum(place < each.from_place for place in struck) for each in later}
    return tuple(replace(each, from_place=each.from_place - before[each.from_place]) for each in later)


def _standings(terms: Terms, seating: Seating, tally: Tally, outs: Outs) -> tuple[Standing, ...]:
    return standings(terms, totals_of(tally, seating.here), table_of(seating.here), out_since=outs)


_RULINGS = (
    select(Ruling)
    .where(Ruling.club_id == bindparam("club_id"), Ruling.match_id == bindparam("match_id"))
    .order_by(Ruling.id)
)  # built once, since every sheet asks it: to build it takes longer than to run it


def load_rulings(session: Session, match: Match) -> Sequence[Ruling]:
    """Load the rulings given at a match, oldest first."""
    return session.scalars(_RULINGS, {"club_id": match.club_id, "match_id": match.id}).all()


_SEATED = (
    select(Seat.match_id, Player.name, MatchResult.total, MatchResult.won)
    .join(Player, (Player.club_id == Seat.club_id) & (Player.id == Seat.player_id))
    .outerjoin(
        MatchResult,
        (MatchResult.club_id == Seat.club_id)
        & (MatchResult.match_id == Seat.match_id)
        & (MatchResult.seat == Seat.seat),
    )
    .order_by(Seat.match_id, Seat.seat)
)


def load_summaries(session: Session, matches: Sequence[Match]) -> list[MatchSummary]:
    """Load who played in some matches of one club, and how each ended, in one query."""
    if not matches:
        return []
    ids = [match.id for match in matches]
    rows = session.execute(_SEATED.where(Seat.club_id == matches[0].club_id, Seat.match_id.in_(ids))).all()
    return _summed_up(matches, rows)


def load_summaries_around(session: Session, match: Match, *, newer: int = 4, most: int = 10) -> list[MatchSummary]:
    """Load a match among its club's others, newest first, in one query: so many newer ones and so many in all."""
    of_club = select(Match.id).where(Match.club_id == match.club_id)
    after = of_club.where(Match.id > match.id).order_by(Match.id).limit(newer).subquery()
    rest = of_club.where(Match.id <= match.id).order_by(Match.id.desc()).limit(most).subquery()
    rows = session.execute(
        _SEATED.add_columns(Match)
        .join(Match, (Match.club_id == Seat.club_id) & (Match.id == Seat.match_id))
        .where(Seat.club_id == match.club_id, Seat.match_id.in_(union_all(select(after.c.id), select(rest.c.id))))
        .options(*LISTED)
    ).all()
    matches = sorted({row.Match.id: row.Match for row in rows}.values(), key=lambda listed: listed.id, reverse=True)
    return _summed_up(matches[:most], rows)


def _summed_up(matches: Sequence[Match], rows: Sequence[Any]) -> list[MatchSummary]:
    seated: dict[str, list[Any]] = {}
    for row in rows:
        seated.setdefault(row.match_id, []).append(row)
    summaries = []
    for match in matches:
        own = seated.get(match.id, [])
        summaries.append(
            MatchSummary(
                match=match,
                players=tuple(row.name for row in own),
                totals={row.name: row.total for row in own if row.total is not None},
                winners=tuple(row.name for row in own if row.won),
            )
        )
    return summaries


def _winners(session: Session, match: Match, seating: Seating) -> tuple[str, ...]:
    if match.status != MatchStatus.FINISHED:
        return ()
    seats = session.scalars(
        select(MatchResult.seat)
        .where(MatchResult.club_id == match.club_id, MatchResult.match_id == match.id, MatchResult.won)
        .order_by(MatchResult.seat)
    )
    return tuple(seating.names[seat] for seat in seats)
