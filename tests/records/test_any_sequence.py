"""Whatever is added, corrected, struck and brought back, in whatever order: the sheet stays true."""

from functools import partial
from typing import Any, cast

from flask import Flask
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy.orm import Session

from referee.records.club import access
from referee.records.errors import Conflict
from referee.records.match import matches, rounds
from referee.records.match.plans import MatchPlan
from referee.records.match.sheets import load_sheet
from referee.records.models import Club, Key, Match, MatchResult, MatchStatus
from referee.rules.text.problem import Impossible
from referee.web.server.database import db
from tests.ground.rounds import correct, record, turn

CAST = ("Ada", "Bo", "Cy", "Di")
WORTH = {"7": 7, "skip": 20, "wild": 50, "0": 0}
TARGET = 250


@st.composite
def entries(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a round that cards can give: one goes out, someone holds something."""
    out = draw(st.sampled_from(CAST))
    others = [name for name in CAST if name != out]
    hands = {name: draw(st.lists(st.sampled_from(list(WORTH)), max_size=1)) for name in others}
    if not any(hands.values()):
        hands[draw(st.sampled_from(others))] = ["wild"]
    return {"went_out": out, "hands": hands}


def points(entry: dict[str, Any]) -> int:
    """Add up by hand what the one who went out takes."""
    return sum(WORTH[card] for hand in entry["hands"].values() for card in hand)


class Evening(RuleBasedStateMachine):
    """One match, beside the plainest possible memory of it: a list of rounds, each with its entry, struck or not."""

    def __init__(self, session: Session, key: Key) -> None:
        super().__init__()
        self.session = session
        self.key = key
        self.memory: list[tuple[str, dict[str, Any], bool]] = []

    @initialize()
    def begin(self) -> None:
        club = self.session.get_one(Club, self.key.club_id)
        plan = MatchPlan(players=CAST, rulebook="classic-500", target=TARGET, dealer="Ada")
        self.match_id = matches.start_match(self.session, club, plan, self.key).id
        self.session.commit()

    def match(self) -> Match:
        return matches.get_match(self.session, self.key.club_id, self.match_id, lock=True)

    @rule(entry=entries(), behind=st.integers(-1, 1))
    def add(self, entry: dict[str, Any], behind: int) -> None:
        match, live = self.match(), len(self.live())
        try:
            played = record(self.session, match, entry, live + behind, self.key)
        except Conflict:
            assert behind != 0
        except Impossible:
            assert match.status == MatchStatus.FINISHED
        else:
            assert behind == 0
            self.memory.append((played.id, entry, False))
        self.session.commit()

    @rule(data=st.data(), entry=entries())
    def correct(self, data: st.DataObject, entry: dict[str, Any]) -> None:
        index = self.some_round(data)
        if index is not None:
            round_id, _, struck = self.memory[index]
            match = self.match()
            try:
                played = rounds.get_round(self.session, match, round_id)
                correct(self.session, match, played, entry, self.key)
            except Impossible:
                assert struck
            else:
                self.memory[index] = (round_id, entry, False)
            self.session.commit()

    @rule(data=st.data(), struck=st.booleans())
    def strike_or_restore(self, data: st.DataObject, struck: bool) -> None:
        index = self.some_round(data)
        if index is not None:
            round_id, entry, _ = self.memory[index]
            match = self.match()
            turn(self.session, match, rounds.get_round(self.session, match, round_id), self.key, struck=struck)
            self.memory[index] = (round_id, entry, struck)
            self.session.commit()

    @rule()
    def reopen(self) -> None:
        matches.reopen(self.session, self.match(), self.key)
        self.session.commit()

    @invariant()
    def the_sheet_is_true(self) -> None:
        if not hasattr(self, "match_id"):
            return
        sheet = load_sheet(self.session, self.match(), struck=True)
        assert [view.id for view in sheet.rounds] == [round_id for round_id, _, _ in self.memory]
        assert [view.struck for view in sheet.rounds] == [struck for _, _, struck in self.memory]
        assert [view.number for view in sheet.rounds if not view.struck] == list(range(1, len(self.live()) + 1))
        assert sheet.round_count == len(self.live())
        totals = {name: sum(points(entry) for entry in self.live() if entry["went_out"] == name) for name in CAST}
        assert {standing.player: standing.total for standing in sheet.standings} == totals
        self.results_hold(sheet.match, totals, sheet.winners)
        self.session.commit()

    def results_hold(self, match: Match, totals: dict[str, int], winners: tuple[str, ...]) -> None:
        results = self.session.query(MatchResult).filter_by(club_id=match.club_id, match_id=match.id).all()
        if match.status == MatchStatus.FINISHED:
            assert max(totals.values()) >= TARGET
            assert set(winners) == {name for name in CAST if totals[name] == max(totals.values())}
            assert [result.total for result in sorted(results, key=lambda result: result.seat)] == list(totals.values())
        else:
            assert winners == ()
            assert results == []

    def live(self) -> list[dict[str, Any]]:
        return [entry for _, entry, struck in self.memory if not struck]

    def some_round(self, data: st.DataObject) -> int | None:
        return data.draw(st.integers(0, len(self.memory) - 1)) if self.memory else None


def test_the_sheet_stays_true_after_any_sequence_of_changes(app: Flask) -> None:
    with app.app_context():
        session = db.session()
        key = access.create_club(session, "Sunday table").scorekeeper
        session.commit()
        run_state_machine_as_test(
            cast("type[Evening]", partial(Evening, session, key)),  # anything that makes a machine will do
            settings=settings(max_examples=50, stateful_step_count=25),
        )
