"""An evening of many tables: who comes and goes, what is drawn, and how everyone stands."""

from collections.abc import Callable, Mapping
from itertools import chain, combinations
from typing import Any

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from referee.records.club import access
from referee.records.deletion.of_club import turn_match
from referee.records.errors import Conflict, Moved, NotFound
from referee.records.evening import evenings, floor
from referee.records.evening.draw import plan
from referee.records.evening.drawing import (
    Tie,
    draft_draw,
    draft_final,
    met_before,
    sit_down,
    swap,
    take_out,
    undo_draw,
    write_draw,
)
from referee.records.evening.evenings import EveningPlan, Unfinished, arrive, depart, end_evening, open_evening
from referee.records.evening.floor import FloorTable, load_floor
from referee.records.evening.standing import load_champions, load_standings
from referee.records.match import matches
from referee.records.models import Club, Evening, EveningStatus, Key, MatchStatus
from referee.rules.text.problem import Impossible
from tests.ground.listening import counted
from tests.ground.rounds import record

TWELVE = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou")


@pytest.fixture
def club(session: Session) -> Club:
    """A club without matches."""
    return access.create_club(session, "Thursdays").club


@pytest.fixture
def by(session: Session, club: Club) -> Key:
    """The scorekeeper's key."""
    return access.list_keys(session, club)[0]


Open = Callable[..., Evening]


@pytest.fixture
def begin(session: Session, club: Club, by: Key) -> Open:
    """Open an evening of some people, with a plan: ``begin("Ada", "Bo", "Cy", size=3)``."""

    def make(*names: str, **plan: Any) -> Evening:
        given: dict[str, Any] = {"rulebook": "classic-500", "rounds_to_play": 1}
        agreed = EveningPlan(**given | plan)
        return open_evening(session, club, agreed, by, name="Autumn cup", names=names or TWELVE)

    return make


def draw(session: Session, evening: Evening, by: Key, number: int = 7, **how: Any) -> None:
    """Draw the next tables."""
    club, seen = session.get_one(Club, evening.club_id), evenings.count_draws(session, evening)
    given: dict[str, Any] = {"seen": seen, "number": number, "unfinished": {}}
    write_draw(session, club, draft_draw(session, club, evening, **given | how), by)


def seats(session: Session, evening: Evening) -> list[list[str]]:
    """List who sits where, by table."""
    return [list(table.seats.values()) for table in load_floor(session, evening).tables]


def play(session: Session, table: FloorTable, by: Key, after: int = 0) -> None:
    """Play a round at a table, which the first by name wins: the others are left with a one."""
    first, *others = sorted(table.seats.values())
    record(session, table.match, {"went_out": first, "hands": {name: ["1"] for name in others}}, after, by)


def play_all(session: Session, evening: Evening, by: Key) -> None:
    """Play a round at each table."""
    for table in load_floor(session, evening).tables:
        play(session, table, by)


def test_everyone_who_is_here_sits_at_one_table_with_a_match_of_its_own(session: Session, begin: Open, by: Key) -> None:
    evening = begin()
    draw(session, evening, by)
    shown = load_floor(session, evening)
    assert [len(table.seats) for table in shown.tables] == [4, 4, 4]
    assert sorted(name for table in shown.tables for name in table.seats.values()) == list(TWELVE)
    assert [table.table for table in shown.tables] == [1, 2, 3]
    assert shown.waits_for == shown.tables
    assert not shown.without_seat
    assert not shown.again
    for table in shown.tables:
        assert table.match.dealer_seat == 0
        assert table.match.name == "Autumn cup"
        assert table.lead.rounds_to_play == 1
    ann = next(person for person in shown.people if person.name == "Ada")
    assert "Ada" in (shown.seat_of(ann.id) or shown.tables[0]).seats.values()


def test_nobody_meets_twice_while_that_can_be_and_it_is_said_where_it_cannot(
    session: Session, begin: Open, by: Key
) -> None:
    evening = begin(size=3)
    met: set[frozenset[str]] = set()
    for _ in range(3):
        draw(session, evening, by)
        pairs = {frozenset(pair) for table in seats(session, evening) for pair in combinations(table, 2)}
        assert not pairs & met
        met |= pairs
        play_all(session, evening, by)
    small = begin("Ada", "Bo", "Cy")
    for times in range(3):
        draw(session, small, by)
        assert {again.times for again in load_floor(session, small).again} == ({times} if times else set())
        play_all(session, small, by)


def test_a_draw_follows_from_its_number_and_what_is_stored_with_it(session: Session, begin: Open, by: Key) -> None:
    evening = begin()
    for number in (11, 12):
        draw(session, evening, by, number)
        play_all(session, evening, by)
    drawn = load_floor(session, evening).draws[-1]
    given = drawn.input
    again = plan(given["players"], given["size"], given["ahead"], drawn.number, met_before(drawn))[0]
    assert drawn.number == 12
    assert given["version"] == 1
    assert [list(table) for table in again.tables] == [
        list(table.seats) for table in load_floor(session, evening).tables
    ]


def test_late_comers_sit_from_the_next_draw_on_and_leavers_no_more(
    session: Session, club: Club, begin: Open, by: Key
) -> None:
    evening = begin(*TWELVE[:6], size=3)
    draw(session, evening, by)
    arrive(session, club, evening, ["Zoe", "ada"], guest=True)
    shown = load_floor(session, evening)
    assert [person.name for person in shown.without_seat] == ["Zoe"]
    people = {person.name: person for person in shown.people}
    assert people["Zoe"].from_draw == 2
    assert people["Zoe"].guest
    assert not people["Ada"].guest
    depart(session, evening, people["Bo"].id)
    assert any("Bo" in table for table in seats(session, evening)), "who leaves plays on where they sit"
    play_all(session, evening, by)
    draw(session, evening, by)
    there = {name for table in seats(session, evening) for name in table}
    assert "Zoe" in there
    assert "Bo" not in there
    arrive(session, club, evening, ["Bo"])
    play_all(session, evening, by)
    draw(session, evening, by)
    assert "Bo" in {name for table in seats(session, evening) for name in table}
    with pytest.raises(NotFound):
        depart(session, evening, "0" * 16)


def test_of_two_who_draw_at_once_one_draws(session: Session, club: Club, begin: Open, by: Key) -> None:
    evening = begin()
    first, second = (draft_draw(session, club, evening, seen=0, unfinished={}) for _ in range(2))
    write_draw(session, club, first, by)
    with pytest.raises(Moved):
        write_draw(session, club, second, by)
    with pytest.raises(Conflict, match="Look at the tables"):
        draft_draw(session, club, evening, seen=0, unfinished={})
    assert len(load_floor(session, evening).draws) == 1


@pytest.mark.parametrize(
    ("what", "status", "finished"),
    [
        (Unfinished.COUNTED, MatchStatus.FINISHED, 12), (Unfinished.LEFT_OUT, MatchStatus.ABANDONED, 8),
        (Unfinished.AWAITED, MatchStatus.IN_PROGRESS, 8),
    ],
)  # fmt: skip
def test_a_table_that_never_ends_is_asked_about(
    session: Session, begin: Open, by: Key, what: Unfinished, status: MatchStatus, finished: int
) -> None:
    evening = begin(rounds_to_play=2)
    draw(session, evening, by)
    slow, *others = load_floor(session, evening).tables
    for table in (slow, *others):
        play(session, table, by)
    for table in others:
        play(session, table, by, 1)
    with pytest.raises(Impossible, match="Table 1 is still playing") as refused:
        draw(session, evening, by)
    assert [problem.path for problem in refused.value.problems] == [("unfinished", 1)]
    draw(session, evening, by, unfinished={1: what})
    assert slow.match.status == status
    assert len(load_standings(session, evening)) == finished
    awaited = [table.match.id for table in load_floor(session, evening).awaited]
    assert awaited == ([slow.match.id] if what == Unfinished.AWAITED else [])


def test_a_table_without_a_round_counts_for_nothing(session: Session, begin: Open, by: Key) -> None:
    evening = begin()
    draw(session, evening, by)
    end_evening(session, evening, by, dict.fromkeys((1, 2, 3), Unfinished.COUNTED))
    assert {table.match.status for table in load_floor(session, evening).tables} == {MatchStatus.ABANDONED}
    assert evening.status == EveningStatus.ENDED
    assert not load_standings(session, evening)
    with pytest.raises(Impossible, match="has ended"):
        draw(session, evening, by)


def test_a_draw_is_undone_until_a_table_has_recorded(session: Session, club: Club, begin: Open, by: Key) -> None:
    evening = begin()
    draw(session, evening, by)
    before = [table.match for table in load_floor(session, evening).tables]
    arrive(session, club, evening, ["Zoe"])
    with pytest.raises(Conflict):
        undo_draw(session, evening, 2)
    undo_draw(session, evening, 1)
    shown = load_floor(session, evening)
    assert not shown.draws
    assert not shown.tables
    assert all(match.deleted_at for match in before)
    assert {person.from_draw for person in shown.people} == {1}
    with pytest.raises(NotFound):
        undo_draw(session, evening, 1)
    draw(session, evening, by, 8)
    assert sum(map(len, seats(session, evening))) == 13
    play_all(session, evening, by)
    with pytest.raises(Impossible, match="Table 1 has saved a round"):
        undo_draw(session, evening, 1)


def test_the_table_counts_places_then_wins_then_totals(session: Session, club: Club, begin: Open, by: Key) -> None:
    evening = begin("Ada", "Bo", "Cy", "Di", size=4)
    arrive(session, club, evening, ["Zoe"], guest=True)
    for _ in range(2):
        draw(session, evening, by, size=5)
        play_all(session, evening, by)
    # of five at a table the first by name wins all points, and the others have none: they tie for four places
    lines = [(line.place, line.name, line.points, line.won, line.matches) for line in load_standings(session, evening)]
    assert lines == [
        (1, "Ada", 200.0, 2, 2), (2, "Bo", 75.0, 0, 2), (2, "Cy", 75.0, 0, 2), (2, "Di", 75.0, 0, 2)
    ]  # fmt: skip


def test_a_match_that_is_deleted_is_drawn_no_more_and_comes_back(session: Session, begin: Open, by: Key) -> None:
    evening = begin()
    draw(session, evening, by)
    play_all(session, evening, by)
    first = load_floor(session, evening).tables[0]
    turn_match(session, evening.club_id, first.match.id, deleted=True)
    assert len(load_floor(session, evening).tables) == 2
    assert len(load_standings(session, evening)) == 8
    turn_match(session, evening.club_id, first.match.id, deleted=False)
    assert len(load_floor(session, evening).tables) == 3
    assert len(load_standings(session, evening)) == 12


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"size": 6}, "Tables have 2 to 5 players"), ({"draws": 0}, "Plan 1 to 20 draws"),
        ({"minutes": 0}, "time limit"), ({"rulebook": "none"}, "Unknown rulebook"), ({"target": 0}, "target"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_said_with_its_field(
    session: Session, begin: Open, wrong: Mapping[str, Any], said: str
) -> None:
    with pytest.raises(Impossible, match=f"(?i){said}") as refused:
        begin(**wrong)
    assert refused.value.problems[0].path[0] == next(iter(wrong))


def test_two_hundred_are_the_limit_and_three_the_least(session: Session, club: Club, begin: Open, by: Key) -> None:
    evening = begin(*(f"Child {n}" for n in range(1, 200)))
    with pytest.raises(Impossible, match="room for 200 people"):
        arrive(session, club, evening, ["One more", "And one"])
    arrive(session, club, evening, ["One more"])
    draw(session, evening, by)
    assert [len(table) for table in seats(session, evening)] == [4] * 50
    few = begin("Ada", "Bo")
    with pytest.raises(Impossible, match="for 3 people or more"):
        draw(session, few, by)
    with pytest.raises(Impossible, match="listed twice"):
        arrive(session, club, few, ["Cy", "Cy"])


def test_a_stored_plan_is_read_as_it_was() -> None:
    agreed = EveningPlan(rulebook="official", house_rules=("own-points-500",), face_points=(("7", 7),), minutes=20)
    document = agreed.to_document()
    assert EveningPlan.from_document(document) == agreed
    assert EveningPlan.from_document(EveningPlan(rulebook="duo-200", size=2).to_document()).size == 2


def test_the_state_of_the_floor_changes_with_whatever_it_shows(session: Session, begin: Open, by: Key) -> None:
    evening = begin()
    states = [floor.state_of_floor(session, evening)]
    draw(session, evening, by)
    states.append(floor.state_of_floor(session, evening))
    matches.start_clock(session, load_floor(session, evening).tables[0].match, 20, by)
    states.append(floor.state_of_floor(session, evening))
    assert len(set(states)) == 3
    assert load_floor(session, evening).tables[0].clock_ends


def test_one_clock_runs_for_all_tables(session: Session, begin: Open, by: Key) -> None:
    evening = begin(minutes=25)
    draw(session, evening, by)
    first, *_others = load_floor(session, evening).tables
    play(session, first, by)
    evenings.start_clocks(session, evening, by)
    clocks = [table.clock_ends is not None for table in load_floor(session, evening).tables]
    assert clocks == [False, True, True], "that of the first is over"
    with pytest.raises(Impossible, match="without a clock"):
        evenings.start_clocks(session, begin(), by)


def test_a_table_asks_for_a_referee_until_one_comes(session: Session, begin: Open, by: Key) -> None:
    evening = begin()
    draw(session, evening, by)
    for wanted in (True, True, False):
        evenings.call_referee(session, evening, 2, wanted=wanted)
        called = [table.table for table in load_floor(session, evening).tables if table.called_at]
        assert called == ([2] if wanted else [])
    with pytest.raises(NotFound):
        evenings.call_referee(session, evening, 4)


def test_many_tables_are_asked_about_at_once(app: Flask, session: Session, begin: Open, by: Key) -> None:
    asked = []
    for names in (TWELVE[:6], TWELVE):
        evening = begin(*names, size=2, draws=1)
        draw(session, evening, by)
        load_floor(session, evening)  # the rules of its matches are asked for once a process
        with counted(app) as queries:
            assert len(load_floor(session, evening).waits_for) == len(names) / 2
        asked.append(len(queries))
    assert asked[0] == asked[1] < 12


def people_of(session: Session, evening: Evening) -> dict[str, str]:
    """Return ids by name."""
    return {person.name: person.id for person in load_floor(session, evening).people}


def test_two_change_seats_before_their_tables_have_recorded(session: Session, begin: Open, by: Key) -> None:
    evening = begin()
    draw(session, evening, by)
    before, ids = seats(session, evening), people_of(session, evening)
    swap(session, evening, ids[before[0][1]], ids[before[2][3]])
    after = seats(session, evening)
    assert (after[0][1], after[2][3]) == (before[2][3], before[0][1])
    assert after[1] == before[1]
    assert sorted(chain(*after)) == list(TWELVE)
    assert load_floor(session, evening).draws[0].input["swapped"] == [[ids[before[0][1]], ids[before[2][3]]]]
    with pytest.raises(Impossible, match="same table"):
        swap(session, evening, ids[before[0][0]], ids[before[0][2]])
    with pytest.raises(NotFound):
        swap(session, evening, ids[before[0][0]], "0" * 16)
    play(session, load_floor(session, evening).tables[0], by)
    with pytest.raises(Impossible, match="Table 1 has saved a round"):
        swap(session, evening, ids[after[0][0]], ids[after[1][0]])


def test_who_does_not_come_is_taken_out_and_a_late_comer_sits_down(
    session: Session, club: Club, begin: Open, by: Key
) -> None:
    evening = begin(minutes=30)
    draw(session, evening, by)
    evenings.start_clocks(session, evening, by)
    before, ids = seats(session, evening), people_of(session, evening)
    first = load_floor(session, evening).tables[0].match
    take_out(session, club, evening, ids[before[0][0]], by)
    shown = load_floor(session, evening)
    assert seats(session, evening) == [before[0][1:], *before[1:]]
    assert first.deleted_at is not None
    assert before[0][0] not in {person.name for person in shown.here}
    assert shown.tables[0].clock_ends
    arrive(session, club, evening, ["Zoe"])
    ids = people_of(session, evening)
    sit_down(session, club, evening, ids["Zoe"], 1, by)
    assert seats(session, evening)[0] == [*before[0][1:], "Zoe"]
    with pytest.raises(Impossible, match="already has a table"):
        sit_down(session, club, evening, ids["Zoe"], 2, by)
    arrive(session, club, evening, ["Yan", "Xi"])
    ids = people_of(session, evening)
    sit_down(session, club, evening, ids["Yan"], 1, by)
    with pytest.raises(Impossible, match="Table 1 is full: at most 5"):
        sit_down(session, club, evening, ids["Xi"], 1, by)
    play(session, load_floor(session, evening).tables[1], by)
    with pytest.raises(Impossible, match="Table 2 has saved a round"):
        take_out(session, club, evening, ids[before[1][0]], by)


def test_the_best_who_are_here_play_the_final(session: Session, club: Club, begin: Open, by: Key) -> None:
    evening = begin(size=3, target=10)
    arrive(session, club, evening, ["Zoe"], guest=True)
    for _ in range(3):
        draw(session, evening, by, size=3)
        play_all(session, evening, by)
    lines = load_standings(session, evening)
    totals = {line.name: line.total for line in lines}
    final = draft_final(session, club, evening, best=4, carried=True, seen=3, number=5, tie=Tie.TAKE_ALL)
    write_draw(session, club, final, by)
    table = load_floor(session, evening).tables[0]
    names = list(table.seats.values())
    assert set(names) >= {line.name for line in lines[:4]}
    assert "Zoe" not in names
    begun = {line.player: line.total for line in table.lead.standings}
    assert begun == {name: totals[name] for name in names}
    assert table.match.agreements[-1]["target"] == 10 + max(begun.values())
    ids = people_of(session, evening)
    with pytest.raises(Impossible, match="Undo the final"):
        take_out(session, club, evening, ids[names[0]], by)
    play(session, table, by)
    assert load_standings(session, evening) == lines, "the final counts for itself"
    winner = load_floor(session, evening).tables[0].lead.leaders[0][0]
    assert load_champions(session, evening, lines) == [winner]


def test_a_tie_for_the_final_is_asked_about_and_played_off(session: Session, club: Club, begin: Open, by: Key) -> None:
    evening = begin("Ada", "Bo", "Cy", "Di", target=200)
    draw(session, evening, by)
    play_all(session, evening, by)
    assert load_champions(session, evening, load_standings(session, evening)) == ["Ada"]
    with pytest.raises(Impossible, match="Bo, Cy, and Di are level") as asked:
        draft_final(session, club, evening, best=2, carried=False, seen=1)
    assert asked.value.problems[0].path == ("tie",)
    write_draw(session, club, draft_final(session, club, evening, best=2, carried=False, seen=1, tie=Tie.PLAY_OFF), by)
    table = load_floor(session, evening).tables[0]
    assert sorted(table.seats.values()) == ["Bo", "Cy", "Di"]
    assert table.lead.rounds_to_play == 1
    with pytest.raises(Impossible, match="still playing"):
        draft_final(session, club, evening, best=2, carried=False, seen=2)
    play(session, table, by)
    final = draft_final(session, club, evening, best=2, carried=False, seen=2)
    assert sorted(final.tables[0][0].players) == ["Ada", "Bo"]
    write_draw(session, club, final, by)
    assert [line.matches for line in load_standings(session, evening)] == [1, 1, 1, 1]
    assert [table.draw for table in load_floor(session, evening).tables] == [3]
