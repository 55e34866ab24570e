"""Players who join a match in progress, or leave it; what they scored stays."""

from __future__ import annotations

from sqlalchemy.orm import Session

from referee.records.club.players import seat_players
from referee.records.errors import NotFound
from referee.records.match.agreements import terms_at
from referee.records.match.dealing import keep_dealer
from referee.records.match.elimination import current_outs
from referee.records.match.events import note_event
from referee.records.match.plans import attempt
from referee.records.match.results import refuse_unless_in_progress
from referee.records.match.rounds import count_rounds
from referee.records.match.seating import load_seating, load_totals
from referee.records.models import Club, Key, Match, Seat
from referee.records.words import say
from referee.rules.books.agreeing import players_problems
from referee.rules.cards.totals import HIGHEST_TOTAL
from referee.rules.text.problem import Impossible, Problem


def join(session: Session, club: Club, match: Match, name: str, total: int, by: Key) -> Seat:
    """Add a player, or one who left, with a total that the table agrees on; raises `Impossible`."""
    refuse_unless_in_progress(match)
    problems: list[Problem] = []
    joining = attempt(problems, lambda: seat_players(session, club, [name], "player"))
    if not 0 <= total <= HIGHEST_TOTAL:
        problems.append(Problem("total", say("match.joiner-total", most=HIGHEST_TOTAL)))
    seating = load_seating(session, match)
    refuse_in_teams(session, match, "player")
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


def refuse_in_teams(session: Session, match: Match, field: str) -> None:
    """Raise `Impossible` where teams play: who plays with whom was agreed on for the whole match."""
    if terms_at(session, match).teams:
        raise Impossible([Problem(field, say("match.in-teams"))])


def leave(session: Session, match: Match, player_id: str, by: Key) -> None:
    """Let a player leave; their scores stay. Raises `NotFound`, and `Impossible` for one of the last two."""
    refuse_unless_in_progress(match)
    seating = load_seating(session, match)
    leaving = next((seat for seat in seating.here if seat.player_id == player_id), None)
    if leaving is None:
        raise NotFound("player at this match")
    refuse_in_teams(session, match, "player")
    if problems := players_problems(terms_at(session, match).rulebook, len(seating.here) - 1, "player"):
        raise Impossible(problems)
    live, last_place = count_rounds(session, match)
    keep_dealer(match, seating, live, current_outs(session, match, seating))
    seat = session.get_one(Seat, (match.club_id, match.id, leaving.seat))
    seat.stays = [*seat.stays[:-1], [seat.stays[-1][0], last_place]]
    note_event(session, match, "left", by, player=player_id)
