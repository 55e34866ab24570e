"""Rounds and rulings as people say them, by names: scored, recorded and changed by what the app itself uses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from referee.records.match.rounds import draft_correction, draft_round, draft_turn, write_draft
from referee.records.match.rulings import Case, draft_ruling, write_ruling
from referee.records.match.seating import load_seating, table_of
from referee.records.models import Key, Match, Round, Ruling
from referee.rules.disputes.hearing import Step
from referee.rules.scoring.round_entry import company, read_round
from referee.rules.scoring.scoring import score_round
from referee.rules.scoring.terms import Terms


@dataclass(frozen=True)
class Scored:
    """What a round comes to, by names."""

    hands: Mapping[str, int]
    points: Mapping[str, int]
    credited_to: tuple[str, ...]
    cards_left: Mapping[str, int]
    winners: tuple[str, ...]
    steps: tuple[Step, ...]


def score(terms: Terms, said: Mapping[str, Any], players: Iterable[str] | None = None) -> Scored:
    """Score a round of these players, or of everybody whom it names."""
    table = company(said) if players is None else dict(enumerate(players))
    found = score_round(terms, read_round(said, table, terms.full_deck), table, company=players is None)
    return Scored(
        hands={table[seat]: worth for seat, worth in found.hands.items()},
        points={table[seat]: points for seat, points in found.points.items()},
        credited_to=tuple(table[seat] for seat in found.credited_to),
        cards_left={table[seat]: count for seat, count in found.cards_left.items()},
        winners=tuple(table[seat] for seat in found.winners),
        steps=found.steps,
    )


def record(session: Session, match: Match, said: Mapping[str, Any], after: int, by: Key) -> Round:
    """Record the next round of a match."""
    seating = load_seating(session, match)
    draft = draft_round(session, match, read_round(said, table_of(seating.here)), after, by, seating=seating)
    write_draft(session, draft)
    return session.get_one(Round, (match.club_id, draft.round_id))


def correct(session: Session, match: Match, played: Round, said: Mapping[str, Any], by: Key) -> None:
    """Say anew what a round was."""
    seating = load_seating(session, match)
    entry = read_round(said, table_of(seating.at(played.place)))
    write_draft(session, draft_correction(session, match, played, entry, by, seating=seating))


def turn(session: Session, match: Match, played: Round, by: Key, *, struck: bool) -> None:
    """Strike a round, or bring it back."""
    if draft := draft_turn(session, match, played, by, struck=struck):
        write_draft(session, draft)


def give_ruling(session: Session, match: Match, case: Case, by: Key) -> Ruling:
    """Hear a case and write the ruling to the match."""
    given = draft_ruling(session, match, case, by)
    write_ruling(session, match, given)
    return given
