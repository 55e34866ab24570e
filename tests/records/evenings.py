"""Random evenings: matches with corrections, strikes and people who leave, played on a real database."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from sqlalchemy.orm import Session

from referee.records.club import access
from referee.records.match import matches, rounds
from referee.records.match.plans import MatchPlan
from referee.records.match.seating import load_seating
from referee.records.models import Club, Key, Match, Round
from referee.rules.text.problem import Impossible
from tests.conftest import CAST
from tests.ground.rounds import correct, record, turn

HANDS = (("5",), (), ("7",), ("3", "9"), ("skip", "wild"), ("wild-draw-four", "draw-two", "1"), ("reverse",), ("0",))
CHANGES = ("correct", "strike", "restore", "reopen")
LAST_CARDS = (None, "red-7", "7", "wild", "blue-draw-two")
PLANS: tuple[Mapping[str, Any], ...] = (
    {"rulebook": "classic-500", "target": 20},
    {"rulebook": "classic-500", "target": 60},
    {"rulebook": "classic-500"},
    {"rulebook": "official", "house_rules": ("own-points-500",), "target": 60},
    {"rulebook": "speluitslagen"},
    {"rulebook": "speluitslagen", "target": 50},
    {"rulebook": "classic-500", "count": "rounds", "target": 2},
)


@dataclass(frozen=True)
class Played:
    """One round to be played: seats and hands by number, so that any table can play it."""

    out: int
    hands: tuple[int, ...]
    last: int
    sits_out: int | None

    def entry(self, players: tuple[str, ...]) -> dict[str, Any]:
        """Say the round of a table; may be one that cannot be."""
        out = players[self.out % len(players)]
        absent = () if self.sits_out is None else (players[self.sits_out % len(players)],)
        held = zip(players, self.hands, strict=False)
        hands = {name: HANDS[hand] for name, hand in held if name not in (out, *absent)}
        return {"went_out": out, "hands": hands, "last_card": LAST_CARDS[self.last], "sat_out": absent}


@dataclass(frozen=True)
class Evening:
    """One match: who plays what, its rounds, what is done to them afterwards, and how it ends."""

    players: tuple[str, ...]
    plan: int
    rounds: tuple[Played, ...]
    changes: tuple[tuple[str, int, Played], ...]
    end: str


played = st.builds(
    Played,
    out=st.integers(0, 3),
    hands=st.tuples(*[st.integers(0, len(HANDS) - 1)] * 4),
    last=st.integers(0, len(LAST_CARDS) - 1),
    sits_out=st.sampled_from((None, None, None, None, None, 1)),
)
evenings = st.lists(
    st.builds(
        Evening,
        players=st.integers(2, 4).flatmap(lambda count: st.permutations(CAST).map(lambda all: tuple(all[:count]))),
        plan=st.integers(0, len(PLANS) - 1),
        rounds=st.lists(played, min_size=1, max_size=6).map(tuple),
        changes=st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 3), played), max_size=3).map(tuple),
        end=st.sampled_from(("goes on", "finish", "finish", "abandon", "leave")),
    ),
    min_size=3,
    max_size=9,
)


def play(session: Session, evenings: list[Evening]) -> Club:
    """Play evenings in a new club; what a table is refused it does not do."""
    new = access.create_club(session, "Thursdays")
    begun = [_begin(session, new.club, evening, new.scorekeeper) for evening in evenings]
    # all changes come after all matches, so that old ones are corrected while later ones stand
    for match, evening in zip(begun, evenings, strict=True):
        _change(session, match, evening, new.scorekeeper)
    session.commit()
    return new.club


def _begin(session: Session, club: Club, evening: Evening, by: Key) -> Match:
    plan = MatchPlan(players=evening.players, **PLANS[evening.plan])
    match = matches.start_match(session, club, plan, by)
    for place, one in enumerate(evening.rounds):
        if evening.end == "leave" and place == 2:
            with suppress(Impossible):
                matches.leave(session, match, load_seating(session, match).here[-1].player_id, by)
        here = tuple(seat.name for seat in load_seating(session, match).here)
        with suppress(Impossible):
            record(session, match, one.entry(here), rounds.count_rounds(session, match)[0], by)
    if evening.end == "finish":
        matches.finish(session, match, by)
    elif evening.end == "abandon":
        matches.abandon(session, match, by)
    return match


def _change(session: Session, match: Match, evening: Evening, by: Key) -> None:
    on_record = session.query(Round).filter_by(club_id=match.club_id, match_id=match.id).order_by(Round.place).all()
    for what, place, one in evening.changes:
        if place >= len(on_record):
            continue
        if what == "reopen":
            matches.reopen(session, match, by)
        elif what == "strike":
            turn(session, match, on_record[place], by, struck=True)
        elif what == "restore":
            turn(session, match, on_record[place], by, struck=False)
        else:
            present = tuple(seat.name for seat in load_seating(session, match).at(on_record[place].place))
            with suppress(Impossible), session.begin_nested():  # what is refused is rolled back, as a view does
                correct(session, match, on_record[place], one.entry(present), by)
