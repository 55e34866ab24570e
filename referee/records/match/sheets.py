"""What is read of a match: the sheet in a few queries whatever its length, its whole story in six, and rows of tables.

What a spreadsheet would take for a formula gets a ``'`` before it, also where one that parts cells by semicolons or
tabs would see it, within a cell (https://owasp.org/www-community/attacks/CSV_Injection).
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import groupby
from typing import Any

from sqlalchemy import bindparam, select, union_all
from sqlalchemy.orm import Session

from referee.records.match.agreements import Agreement, agreements_of, terms_of
from referee.records.match.dealing import Outs, first_opener, load_outs, next_opener
from referee.records.match.rounds import VERSION, Draft, RoundView, load_rounds, round_view, view_of_draft
from referee.records.match.rulings import ruling_by_name
from referee.records.match.seating import Seated, Seating, course_of, load_seating, table_of, totals_of
from referee.records.match.tallies import Tally, tally_of
from referee.records.models import (
    LISTED,
    Club,
    Key,
    Match,
    MatchEvent,
    MatchResult,
    MatchStatus,
    Player,
    Round,
    RoundScore,
    RoundVersion,
    Ruling,
    Seat,
)
from referee.records.statistics.decided import course_by_names
from referee.records.transactions import stream
from referee.records.words import say
from referee.rules.books.rulebook import steps_to_first
from referee.rules.scoring.round_entry import FURTHER
from referee.rules.scoring.scoring import Standing, standings, turning_point
from referee.rules.scoring.terms import Terms
from referee.rules.text.words import language


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
        winners=tuple(seating.names[result.seat] for result in _load_results(session, match) if result.won),
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


@dataclass(frozen=True)
class StoryRound:
    """One round; `number` counts live rounds from 1 and is None for a struck one; versions oldest first."""

    id: str
    place: int
    number: int | None
    versions: Sequence[RoundView]

    @property
    def now(self) -> RoundView:
        """Return the current version of the round."""
        return self.versions[-1]

    @property
    def catch(self) -> int:
        """Return what the others held together when someone went out; 0 when nobody did."""
        out = self.now.went_out
        return 0 if out is None else sum(worth for name, worth in self.now.worth.items() if name != out)


@dataclass(frozen=True)
class Story:
    """A match from its agreement to its end."""

    match: Match
    agreements: tuple[Agreement, ...]
    terms: Terms
    seating: Seating
    rounds: tuple[StoryRound, ...]
    """in order of their place, struck ones too"""
    course: Sequence[Mapping[tuple[str, ...], int]]
    """totals before the first round and after each live one, by player or team"""
    standings: tuple[Standing, ...]
    winners: tuple[str, ...]
    furthest_behind: int
    """the most points by which the one winner ever trailed; 0 for several winners"""
    rulings: Sequence[Ruling]
    events: Sequence[MatchEvent]

    @cached_property
    def live(self) -> tuple[StoryRound, ...]:
        """Return the rounds that count."""
        return tuple(round for round in self.rounds if round.number is not None)

    @property
    def opener(self) -> str | None:
        """Return who dealt or drafted first; None where nobody recorded it."""
        opener = first_opener(self.match, self.seating)
        return opener.name if opener else None

    @property
    def turning_point(self) -> int | None:
        """Return the number of the round after which the one winner, or team, led for good; None if there is none."""
        return turning_point(self.course, self.terms.leads, self.winning_side) if self.winning_side else None

    @cached_property
    def winning_side(self) -> tuple[str, ...] | None:
        """Return who won, alone or as a team; None where nobody did or several tied."""
        return next((side for side in self.course[-1] if self.winners and {*self.winners} <= {*side}), None)

    @property
    def biggest_catch(self) -> StoryRound | None:
        """Return the round in which the others held the most when someone went out; the first of equal ones."""
        caught = max(self.live, key=lambda round: round.catch, default=None)
        return caught if caught is not None and caught.catch else None

    def moments(self, rounds: Sequence[StoryRound]) -> Iterator[tuple[str, StoryRound | Ruling | MatchEvent]]:
        """Yield rounds, rulings and events in the order of time, each after its kind: ``round``, ``ruling``, ``event``.

        `rounds` are the last ones of the story; what happened before them is left out.
        """
        beside: dict[int, list[tuple[str, Ruling | MatchEvent]]] = {}
        for ruling in self.rulings:
            beside.setdefault(ruling.after_place, []).append(("ruling", ruling))
        for event in self.events:
            beside.setdefault(event.after_place, []).append(("event", event))
        if len(rounds) == len(self.rounds):
            yield from beside.get(0, ())
        for round in rounds:
            yield "round", round
            yield from beside.get(round.place, ())

    @property
    def duration(self) -> timedelta | None:
        """Return the time from the start to the end, or to the last round of a match not ended.

        None without a round, and when the clock was set back in between, which leaves no true duration.
        """
        entered = [round.versions[0].entered_at for round in self.live]
        ends = [self.match.finished_at] if self.match.finished_at else entered
        duration = ends[-1] - self.match.started_at if ends else None
        return duration if duration is not None and duration >= timedelta() else None


def load_story(session: Session, match: Match) -> Story:
    """Load all of a match."""
    seating = load_seating(session, match)
    agreements = agreements_of(match)
    terms = terms_of(session, match, agreements[-1])
    rounds, course = _load_rounds(session, match, seating)
    results = _load_results(session, match)
    won = [result for result in results if result.won]
    totals = {seat.seat: course[-1].get(seat.seat, seat.opening_total) for seat in seating.here}
    return Story(
        match=match,
        agreements=agreements,
        terms=terms,
        seating=seating,
        rounds=rounds,
        course=course_by_names(terms, seating, course),
        standings=standings(terms, totals, table_of(seating.here)),
        winners=tuple(seating.names[result.seat] for result in won),
        furthest_behind=won[0].behind or 0 if won and won[0].winners == 1 else 0,
        rulings=load_rulings(session, match),
        events=session.scalars(
            select(MatchEvent)
            .where(MatchEvent.club_id == match.club_id, MatchEvent.match_id == match.id)
            .order_by(MatchEvent.id)
        ).all(),
    )


def _load_results(session: Session, match: Match) -> Sequence[MatchResult]:
    if match.status != MatchStatus.FINISHED:
        return ()
    return session.scalars(
        select(MatchResult)
        .where(MatchResult.club_id == match.club_id, MatchResult.match_id == match.id)
        .order_by(MatchResult.seat)
    ).all()


def _load_rounds(
    session: Session, match: Match, seating: Seating
) -> tuple[tuple[StoryRound, ...], list[dict[int, int]]]:
    """Load all versions of all rounds, and the totals by seat after each live one."""
    rows = session.execute(
        select(Round.id, Round.place, *VERSION)
        # every round has one; SQLite would begin an inner join with all versions of the club
        .outerjoin(RoundVersion, (RoundVersion.club_id == Round.club_id) & (RoundVersion.round_id == Round.id))
        .outerjoin(Key, (Key.club_id == RoundVersion.club_id) & (Key.id == RoundVersion.entered_by))
        .where(Round.club_id == match.club_id, Round.match_id == match.id)
        .order_by(Round.place, RoundVersion.version)
    ).all()
    rounds: list[StoryRound] = []
    gains: dict[int, dict[int, int]] = {}
    for (round_id, place), group in groupby(rows, key=lambda row: (row.id, row.place)):
        versions = list(group)
        if not versions[-1].struck:
            gains[place] = {int(seat): gained for seat, gained in versions[-1].score["points"].items()}
        rounds.append(
            StoryRound(
                id=round_id,
                place=place,
                number=None if versions[-1].struck else len(gains),
                versions=[round_view(seating.names, None, **row._mapping) for row in versions],
            )
        )
    return tuple(rounds), course_of(seating, gains)


SIGNS = "=+@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212-"
"""What formulas begin with: full-width and small signs are signs too, to East Asian spreadsheets."""
FORMULA = re.compile(rf"""(^|[;|\t\r\n])(?=[\s"']*[{SIGNS}]|[\t\r])""")
"""Where a formula begins at the beginning of a cell, for readers that part cells by whatever sign."""
AT_ONCE = 500


def match_rows(sheet: Sheet) -> Iterator[Sequence[object]]:
    """Yield a header, then a line for each live round: what each player's points and leftover hand were.

    Columns for what few rounds have (a side, knock-outs, corrections) are there where a round of the match has it.
    """
    names = [seat.name for seat in sheet.seating.seats]
    further = [key for key in FURTHER if any(getattr(played, key) for played in sheet.rounds if not played.struck)]
    told = (say(f"table.{what}", name=name) for what in ("points", "hand") for name in names)
    yield (*say("table.match").split(", "), *told, *(say(f"table.{key}") for key in further))
    for played in sheet.rounds:
        if played.struck:
            continue
        hands = (played.hands.get(name) for name in names)
        yield (
            played.number,
            played.entered_at.isoformat(timespec="seconds"),
            played.ended,
            played.went_out,
            played.last_card,
            *(played.points.get(name) for name in names),
            *(" ".join(hand) if isinstance(hand, list) else hand for hand in hands),
            *(_further(played, key) for key in further),
        )


def _further(played: RoundView, key: str) -> str:
    """Write what few rounds have into one cell."""
    if key == "adjustments":
        return "; ".join(f"{each['player']}: {each['points']:+} ({each['reason']})" for each in played.adjustments)
    return played.side or "" if key == "side" else ", ".join(played.knocked_out)


def club_rows(session: Session, club: Club) -> Iterator[Sequence[object]]:
    """Yield a header, then a line for each player and live round of the club, oldest match first."""
    yield say("table.club").split(", ")
    chosen = (
        select(
            *(Match.id, Match.started_at, Match.name.label("match_name"), Match.rulebook, Player.name),
            *(RoundScore.place, RoundScore.points, RoundScore.hand, RoundScore.cards_left, RoundScore.went_out),
            RoundScore.last_card,
        )
        .join(Match, (Match.club_id == RoundScore.club_id) & (Match.id == RoundScore.match_id))
        .join(Player, (Player.club_id == RoundScore.club_id) & (Player.id == RoundScore.player_id))
        .where(RoundScore.club_id == club.id)
        .order_by(RoundScore.match_id, RoundScore.place, RoundScore.seat)
    )
    match, place, number = "", 0, 0
    for row in stream(session, chosen, AT_ONCE):
        if (row.id, row.place) != (match, place):
            number = number + 1 if row.id == match else 1
            match, place = row.id, row.place
        yield (
            f"{row.started_at:%Y-%m-%d}",
            row.id,
            row.match_name,
            row.rulebook,
            number,
            row.name,
            row.points,
            row.hand,
            row.cards_left,
            say("table.yes") if row.went_out else "",
            row.last_card,
        )


def to_csv(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Write rows as CSV, in pieces: RFC 4180, with the signs that spreadsheets of the language spoken expect."""
    buffer = io.StringIO()
    decimal = language().decimal
    writer = csv.writer(buffer, delimiter=";" if decimal == "," else ",")
    for row in rows:
        cells = (str(cell).replace(".", decimal) if isinstance(cell, float) else cell for cell in row)
        writer.writerow(FORMULA.sub(r"\1'", cell) if isinstance(cell, str) else cell for cell in cells)
        if buffer.tell() > 16_000:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()
