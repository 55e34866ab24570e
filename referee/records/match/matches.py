"""Matches: started with a stored copy of the agreement, finished by their target, by time or by hand.

Joining, leaving, amendments, finishing, reopening and a clock are stored as events, so that every phone shows the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.club.links import move_links
from referee.records.club.players import seat_players
from referee.records.deletion.texts import Column, carry_over
from referee.records.deletion.waiting import refuse_deleted
from referee.records.errors import MOST_AMENDMENTS, MOST_EVENTS, NotFound, refuse_over
from referee.records.ids import id_after, is_id, new_id
from referee.records.match.agreements import agreement_at, frozen_rulebook, new_agreement, terms_at
from referee.records.match.dealing import current_outs, keep_dealer, next_opener
from referee.records.match.plans import CheckedPlan, MatchPlan, agree, check_plan
from referee.records.match.results import refuse_unless_in_progress, resume, settle
from referee.records.match.rounds import count_rounds
from referee.records.match.seating import load_seating, load_totals
from referee.records.match.tallies import NOTHING, advance
from referee.records.models import (
    DETAILS,
    Club,
    Key,
    Match,
    MatchEvent,
    MatchResult,
    MatchStatus,
    Seat,
    new_nonce,
    now,
)
from referee.records.names import clean_text
from referee.records.statistics.figures import keep_sums
from referee.records.transactions import forget_old_answers, sweep_demos
from referee.records.words import say
from referee.rules.books.agreeing import players_problems
from referee.rules.books.settings import OPENING_TOTAL, REMATCH_HANDICAP
from referee.rules.cards.cards import HIGHEST_TOTAL
from referee.rules.scoring.terms import Terms, agreed, text_target
from referee.rules.text.problem import Impossible, Problem, attempt

ENDS = ("finished", "abandoned")
LEFT_FOR_ENDS = 10
"""Events that only the end of a match may be, so that it can always be ended."""


def note_event(session: Session, match: Match, kind: str, by: Key, **details: Any) -> None:
    """Store an event, and mark the match as changed; raises `Impossible`."""
    here = (MatchEvent.club_id == match.club_id, MatchEvent.match_id == match.id)
    count, latest = session.execute(select(func.count(), func.max(MatchEvent.id)).where(*here)).one()
    most = MOST_EVENTS if kind in ENDS else MOST_EVENTS - LEFT_FOR_ENDS
    refuse_over(count + 1, most, "match", "events")
    _, last_place = count_rounds(session, match)
    session.add(
        MatchEvent(
            club_id=match.club_id,
            id=id_after(latest),
            match_id=match.id,
            kind=kind,
            after_place=last_place,
            details=details,
            by=by.id,
        )
    )
    advance(session, match)
    session.flush()


STARTED, STOPPED = "clock-started", "clock-stopped"
LONGEST = 600
"""Minutes; no table plays longer in one go."""


def start_clock(session: Session, match: Match, minutes: int, by: Key) -> None:
    """Start the clock unless it is running; raises `Impossible`."""
    refuse_unless_in_progress(match)
    if not 1 <= minutes <= LONGEST:
        raise Impossible([Problem("minutes", say("match.minutes", most=LONGEST))])
    if clock_ends(session, match) is None:
        note_event(session, match, STARTED, by, minutes=minutes)


def stop_clock(session: Session, match: Match, by: Key) -> None:
    """Stop the clock, if it runs; raises `Impossible` for a match that is over."""
    refuse_unless_in_progress(match)
    if clock_ends(session, match) is not None:
        note_event(session, match, STOPPED, by)


def clock_ends(session: Session, match: Match) -> datetime | None:
    """Return when the time is up, or was; None while no clock runs."""
    return load_clocks(session, [match]).get(match.id)


def load_clocks(session: Session, matches: Sequence[Match]) -> dict[str, datetime]:
    """Return when the time of some matches of one club is up, or was, by match id; none of one where no clock runs."""
    ends: dict[str, datetime] = {}
    if not matches:
        return ends
    for event in session.scalars(
        select(MatchEvent)
        .where(MatchEvent.club_id.in_({match.club_id for match in matches}))
        .where(MatchEvent.match_id.in_([match.id for match in matches]), MatchEvent.kind.in_((STARTED, STOPPED)))
        .order_by(MatchEvent.id)
    ):
        minutes = event.details.get("minutes") if event.kind == STARTED else None
        ends.pop(event.match_id, None)
        if isinstance(minutes, int) and 1 <= minutes <= LONGEST:  # else imported from a file with odd values
            ends[event.match_id] = event.at + timedelta(minutes=minutes)
    return ends


# built once, since most requests ask it: to build it takes longer than to run it
_MATCH = select(Match).where(Match.club_id == bindparam("club_id"), Match.id == bindparam("match_id"))
_LOCKED = _MATCH.with_for_update().execution_options(populate_existing=True)


def get_match(session: Session, club_id: str, match_id: str, *, lock: bool = False) -> Match:
    """Look up a match of the club, and with `lock` lock it against other writers; raises `NotFound` and `Deleted`.

    The club is locked first, as everywhere, because the end of a match rates all players of the club.
    """
    if not is_id(match_id):
        raise NotFound("match")
    if lock:
        lock_club(session, club_id)
    match = session.scalar(_LOCKED if lock else _MATCH, {"club_id": club_id, "match_id": match_id})
    if match is None:
        refuse_deleted(session, club_id, match_id)
        raise NotFound("match")
    return match


def start_match(
    session: Session,
    club: Club,
    plan: MatchPlan,
    by: Key,
    *,
    rematch_of: str | None = None,
    checked: CheckedPlan | None = None,
) -> Match:
    """Start a match; unknown names join the club. Raises `Impossible` with every problem of the plan.

    `checked` spares the checks where they were made before; only who sits there is looked up again.
    """
    checked = checked or check_plan(session, club, plan)
    seated = seat_players(session, club, plan.players, former=plan.former)
    forget_old_answers(session, club)
    sweep_demos(session)
    match = Match(
        club_id=club.id,
        id=new_id(),
        rulebook=plan.rulebook,
        agreements=[new_agreement(session, club.id, checked.terms, 1, "", by)],
        dealer_seat=checked.dealer_seat,
        **checked.details,
        rematch_of=rematch_of,
        created_by=by.id,
    )
    match.revision, match.nonce = 1, new_nonce()
    match.tally = NOTHING.to_document(match.state)
    session.add(match)
    session.flush()
    behind = _behind(session, club.id, rematch_of, checked.terms)
    opening = checked.terms.rulebook.value(OPENING_TOTAL, 0)
    session.add_all(
        Seat(
            club_id=club.id,
            match_id=match.id,
            seat=seat,
            player_id=player.id,
            name_then=player.name,
            opening_total=opening + behind.get(player.id, 0) + checked.opening_totals.get(seat, 0),
            stays=[[1, None]],
        )
        for seat, player in enumerate(seated)
    )
    session.flush()
    return match


def _behind(session: Session, club_id: str, rematch_of: str | None, terms: Terms) -> Mapping[str, int]:
    """Return the handicap with which the winners of the match before start its rematch, by player."""
    handicap = terms.rulebook.value(REMATCH_HANDICAP, 0)
    if not handicap or rematch_of is None or terms.count == "rounds":
        return {}
    own = (MatchResult.club_id == club_id, MatchResult.match_id == rematch_of, MatchResult.won)
    winners = session.scalars(select(MatchResult.player_id).where(*own))
    return dict.fromkeys(winners, -handicap if terms.leads == "highest" else handicap)


def finish(session: Session, match: Match, by: Key) -> None:
    """Finish a match by hand: whoever leads has won, if the rulebook says which way wins and a round was played."""
    if match.status == MatchStatus.FINISHED:
        return
    seating = load_seating(session, match)
    resume(session, match)
    settle(session, match, seating, by_hand=True)
    note_event(session, match, "finished", by)


def abandon(session: Session, match: Match, by: Key) -> None:
    """Abandon a match; it stays in the history, without winners."""
    if match.status == MatchStatus.ABANDONED:
        return
    resume(session, match)
    match.status = MatchStatus.ABANDONED
    match.finished_at = now()
    keep_sums(session, match)
    note_event(session, match, "abandoned", by)


def reopen(session: Session, match: Match, by: Key) -> None:
    """Reopen a match, for instance for one more round after a tie; the next round decides again."""
    if match.status == MatchStatus.IN_PROGRESS:
        return
    resume(session, match)
    note_event(session, match, "reopened", by)


def rematch(session: Session, club: Club, match: Match, by: Key) -> Match:
    """Start the next match of the same players under the same agreement; the deal moves on."""
    agreement = agreement_at(match)
    seating = load_seating(session, match)
    live, _ = count_rounds(session, match)
    opener = next_opener(match, seating, live, current_outs(session, match, seating))
    # a target that the text sets for so many players is left to the text again
    frozen = frozen_rulebook(session, match.club_id, agreement.digest)
    texts_own = text_target(frozen, len(seating.here))
    plan = MatchPlan(
        players=tuple(seat.name for seat in seating.here),
        rulebook=match.rulebook,
        house_rules=agreement.house_rules,
        **agreed(agreement)
        | {"target": None if agreement.target == texts_own else agreement.target}
        | {"teams": seating.teams(agreement.teams)},
        open_ended=agreement.target is None,
        dealer=opener.name if opener else None,
        name=match.name,
        location=match.location,
        former=True,
    )
    # a club's own rulebook may have been changed or deleted since; the rematch is under the same agreement
    same = frozen.without_house_rules() if frozen.base else None
    checked = check_plan(session, club, plan, same)
    following = start_match(session, club, plan, by, rematch_of=match.id, checked=checked)
    for name in ("name", "location"):
        old, new = (
            Column(f"matches/{owner.id}/{name}", owner.id, getattr(owner, name)) for owner in (match, following)
        )
        carry_over(session, match.club_id, old, new)
    _carry_agreement(session, match, following, len(match.agreements) - 1)
    move_links(session, match, following, {seat.seat: place for place, seat in enumerate(seating.here)})
    return following


def _carry_agreement(session: Session, match: Match, to: Match, at: int) -> None:
    """Let texts that were removed from an agreement, and copied into the last one of a match, return there too."""
    old, new = (
        Column(f"matches/{owner.id}/agreements", owner.id, [*[None] * place, owner.agreements[place]])
        for owner, place in ((match, at), (to, len(to.agreements) - 1))
    )
    carry_over(session, match.club_id, old, new)


MAY_BE_OPEN = ("target", "rounds_to_play")
AMENDED = ("house_rules", "custom_rules", "face_points", *MAY_BE_OPEN)
"""What may be agreed anew during a match."""


@dataclass(frozen=True)
class CheckedAmendment:
    """A change of rules that can be agreed on, checked against one state of its match."""

    state: int
    terms: Terms
    note: str


def check_amendment(session: Session, match: Match, changes: Mapping[str, Any], note: str = "") -> CheckedAmendment:
    """Check a change of what was agreed without writing anything; raises `Impossible` with every problem.

    `changes` has what is agreed anew, by the names in `MatchPlan`; None for the target, or the number of rounds, leaves
    that open from now on.
    """
    refuse_unless_in_progress(match)
    refuse_over(len(match.agreements), MOST_AMENDMENTS, "match", "amendments")
    old = terms_at(session, match)
    seating = load_seating(session, match)
    parts = {"house_rules": old.rulebook.in_force, **agreed(old), **changes, "teams": seating.teams(old.teams)}
    players = tuple(seat.name for seat in seating.here)
    plan = MatchPlan(players, match.rulebook, open_ended=parts["target"] is None, **parts)
    problems: list[Problem] = []
    base = old.rulebook.without_house_rules()
    terms = attempt(problems, lambda: agree(base, plan))
    clean = attempt(problems, lambda: clean_text(note, "note")) or ""
    played, rounds = count_rounds(session, match)[0], changes.get("rounds_to_play")
    if rounds is not None and rounds <= played:
        problems.append(Problem("rounds_to_play", say("match.rounds-played", n=played)))
    if problems or terms is None:
        raise Impossible(problems)
    return CheckedAmendment(match.state, terms, clean)


def amend(
    session: Session,
    match: Match,
    changes: Mapping[str, Any],
    by: Key,
    *,
    note: str = "",
    checked: CheckedAmendment | None = None,
) -> None:
    """Change what was agreed, from the next round on; raises `Impossible`, see `check_amendment`.

    `checked` spares the checks where they were made before and the match is as it was then.
    """
    if checked is None or checked.state != match.state:
        checked = check_amendment(session, match, changes, note)
    _, last_place = count_rounds(session, match)
    match.agreements = [
        *match.agreements,
        new_agreement(session, match.club_id, checked.terms, last_place + 1, checked.note, by),
    ]
    for at in range(max(0, len(match.agreements) - 3), len(match.agreements) - 1):  # the one before may be back
        _carry_agreement(session, match, match, at)
    note_event(session, match, "amended", by, note=checked.note)


def change_details(session: Session, match: Match, **details: str | None) -> None:
    """Change what is written about a match, by the names in `DETAILS`; raises `Impossible`."""
    problems: list[Problem] = []
    for name, text in details.items():
        if text is not None:
            setattr(match, name, attempt(problems, partial(clean_text, text, name, DETAILS[name])) or "")
    if problems:
        raise Impossible(problems)
    advance(session, match)


def join(session: Session, club: Club, match: Match, name: str, total: int, by: Key) -> Seat:
    """Add a player, or one who left, with a total that the table agrees on; raises `Impossible`."""
    refuse_unless_in_progress(match)
    problems: list[Problem] = []
    joining = attempt(problems, lambda: seat_players(session, club, [name], "player"))
    if not 0 <= total <= HIGHEST_TOTAL:
        problems.append(Problem("total", say("match.joiner-total", most=HIGHEST_TOTAL)))
    seating = load_seating(session, match)
    refuse_in_teams(session, match)
    player = joining[0] if joining else None
    old = next((seat for seat in seating.seats if player and seat.player_id == player.id), None)
    if old is not None and old.here:
        problems.append(Problem("player", say("match.seated", name=old.name)))
    problems += players_problems(terms_at(session, match).rulebook, len(seating.here) + 1, "player")
    if problems or player is None:
        raise Impossible(Problem(problem.path[:1], problem.message) for problem in problems)
    live, last_place = count_rounds(session, match)
    keep_dealer(match, seating, live, current_outs(session, match, seating))
    if old is None:
        seat = Seat(
            club_id=match.club_id,
            match_id=match.id,
            seat=len(seating.seats),
            player_id=player.id,
            name_then=player.name,
            opening_total=total,
            stays=[[last_place + 1, None]],
        )
        session.add(seat)
    else:
        seat = session.get_one(Seat, (match.club_id, match.id, old.seat))
        had = load_totals(session, match, [old])[old.seat]
        seat.opening_total += total - had
        seat.stays = [*seat.stays, [last_place + 1, None]]
    note_event(session, match, "joined", by, player=player.id, total=total)
    return seat


def refuse_in_teams(session: Session, match: Match) -> None:
    """Raise `Impossible` where teams play: who plays with whom was agreed on for the whole match."""
    if terms_at(session, match).teams:
        raise Impossible([Problem("player", say("match.in-teams"))])


def leave(session: Session, match: Match, player_id: str, by: Key) -> None:
    """Let a player leave; their scores stay. Raises `NotFound`, and `Impossible` for one of the last two."""
    refuse_unless_in_progress(match)
    seating = load_seating(session, match)
    leaving = next((seat for seat in seating.here if seat.player_id == player_id), None)
    if leaving is None:
        raise NotFound("player at this match")
    refuse_in_teams(session, match)
    if problems := players_problems(terms_at(session, match).rulebook, len(seating.here) - 1, "player"):
        raise Impossible(problems)
    live, last_place = count_rounds(session, match)
    keep_dealer(match, seating, live, current_outs(session, match, seating))
    seat = session.get_one(Seat, (match.club_id, match.id, leaving.seat))
    seat.stays = [*seat.stays[:-1], [seat.stays[-1][0], last_place]]
    note_event(session, match, "left", by, player=player_id)
