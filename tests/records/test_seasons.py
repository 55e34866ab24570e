"""Seasons, counted by hand: places, wins, ties, teams, leavers, evenings, the best of them, guests and records."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

import pytest
from sqlalchemy.orm import Session

from referee.records.club import access, players
from referee.records.errors import Conflict, NotFound
from referee.records.evening import evenings
from referee.records.ids import new_id
from referee.records.match.tallies import advance
from referee.records.models import (
    Club,
    DrawTable,
    Evening,
    EveningDraw,
    EveningStatus,
    Key,
    Match,
    MatchResult,
    MatchStatus,
    Player,
    Ruling,
    Scale,
    Season,
    Seat,
)
from referee.records.season import seasons
from referee.records.season import table as table_module
from referee.records.season.days import read_day
from referee.records.season.points import Count, Ended, match_points, points_of
from referee.records.season.seasons import Rules, SeasonDraft
from referee.records.season.table import Pair, SeasonTable, load_table
from referee.rules.text.problem import Impossible
from tests.conftest import CAST

FIRST = Ended(None, 1, True)
LEFT = Ended(None, None, False)


def place(rank: int, team: int | None = None) -> Ended:
    return Ended(team, rank, rank == 1)


@pytest.mark.parametrize(
    ("ended", "count", "points"),
    [
        pytest.param([place(1), place(2)], Count.PLACE, [100, 0], id="two"),
        pytest.param([place(2), place(1), place(3)], Count.PLACE, [50, 100, 0], id="three"),
        pytest.param([place(n) for n in (1, 2, 3, 4)], Count.PLACE, [100, 200 / 3, 100 / 3, 0], id="four"),
        pytest.param([place(n) for n in (5, 1, 2, 3, 4)], Count.PLACE, [0, 100, 75, 50, 25], id="five"),
        pytest.param([FIRST, FIRST, place(3), place(4)], Count.PLACE, [250 / 3, 250 / 3, 100 / 3, 0], id="tied"),
        pytest.param([FIRST, place(2), place(2), place(4), place(5)], Count.PLACE, [100, 62.5, 62.5, 25, 0], id="tie"),
        pytest.param([FIRST, FIRST, FIRST], Count.PLACE, [50, 50, 50], id="all-tie"),
        pytest.param([place(2), LEFT, FIRST], Count.PLACE, [50, 0, 100], id="a-leaver-is-last"),
        pytest.param([FIRST, LEFT, LEFT, place(2)], Count.PLACE, [100, 0, 0, 200 / 3], id="two-leavers"),
        pytest.param([place(1, 0), place(2, 1), place(1, 0), place(2, 1)], Count.PLACE, [100, 0, 100, 0], id="teams"),
        pytest.param(
            [place(1, 0), place(2, 1), place(3, 2)] * 2, Count.PLACE, [100, 50, 0, 100, 50, 0], id="three-teams"
        ),
        pytest.param(
            [place(1, 0), Ended(1, None, False), Ended(0, None, False), place(2, 1)],
            Count.PLACE,
            [100, 0, 100, 0],
            id="a-partner-left",
        ),
        pytest.param([FIRST], Count.PLACE, [], id="against-nobody"),
        pytest.param([FIRST, LEFT], Count.PLACE, [100, 0], id="the-last-one-left"),
        pytest.param([Ended(None, None, False)] * 3, Count.PLACE, [], id="no-winner"),
        pytest.param([], Count.PLACE, [], id="nobody"),
        pytest.param([place(2), FIRST, place(3)], Count.WINS, [0, 100, 0], id="wins"),
        pytest.param([FIRST, FIRST, place(3), LEFT], Count.WINS, [50, 50, 0, 0], id="wins-shared"),
        pytest.param([place(1, 0), place(2, 1), place(1, 0), place(2, 1)], Count.WINS, [100, 0, 100, 0], id="a-team"),
    ],
)
def test_a_match_is_worth(ended: Sequence[Ended], count: Count, points: Sequence[float]) -> None:
    assert points_of(tuple(ended), count) == pytest.approx(points)


def test_points_stand_by_player() -> None:
    rows = [MatchResult(player_id=name, team=None, rank=rank, won=rank == 1) for name, rank in (("b", 2), ("a", 1))]
    assert match_points(rows) == {"a": 100, "b": 0}
    assert match_points(rows[:1]) == {}


class World(NamedTuple):
    """A club in Berlin, and its people by name."""

    session: Session
    club: Club
    key: Key
    people: dict[str, Player]

    def play(self, at: str, order: str, *, rulebook: str = "classic-500", deleted: bool = False) -> Match:
        """Put a finished match on record: players in order of places, equal ones joined by =, leavers behind a /."""
        began = datetime.fromisoformat(at).replace(tzinfo=UTC)
        stayed, _, left = order.partition("/")
        match = Match(club_id=self.club.id, id=new_id(began), rulebook=rulebook, status=MatchStatus.FINISHED)
        match.agreements, match.started_at, match.deleted_at = [], began, began if deleted else None
        self.session.add(match)
        self.session.flush()
        lines: list[tuple[str, int | None]] = []
        for tied in stayed.split():
            lines += [(name, rank) for rank in [len(lines) + 1] for name in tied.split("=")]
        lines += [(name, None) for name in left.split()]
        for seat, (name, rank) in enumerate(lines):
            own = {"club_id": self.club.id, "match_id": match.id, "seat": seat, "player_id": self.people[name].id}
            self.session.add(Seat(**own, name_then=name, stays=[[1, None]]))
            result = {"total": 0, "rank": rank, "won": rank == 1, "players": len(lines), "winners": 1}
            self.session.add(MatchResult(**own, **result, behind=None, scale=Scale.HIGHEST))
        self.session.flush()
        return match

    def draw(self, at: str, drawn: Sequence[Match]) -> str:
        """Put an evening on record at whose tables these matches were played; return its id."""
        evening = Evening(club_id=self.club.id, id=new_id(datetime.fromisoformat(at).replace(tzinfo=UTC)), plan={})
        of = {"club_id": self.club.id, "evening_id": evening.id, "draw": 1}
        tables = [DrawTable(**of, table=n, match_id=match.id) for n, match in enumerate(drawn, 1)]
        for rows in ([evening], [EveningDraw(**of, number=7, input={})], tables):
            self.session.add_all(rows)
            self.session.flush()
        return evening.id

    def rule(self, match: Match, seats: dict[str, int], *, accepted: bool | None = None) -> None:
        """Put a challenge that was won on record."""
        of = {"club_id": self.club.id, "id": new_id(), "match_id": match.id, "accepted": accepted, "seats": seats}
        said = {"dispute": "draw-four-challenge", "rulebook_digest": "", "facts": {}, "ruling": {}}
        self.session.add(Ruling(**of, **said, after_place=0, finding="challenge-won"))
        self.session.flush()

    def season(self, **said: object) -> Season:
        """Make a season of November 2026."""
        days = {"first_day": date(2026, 11, 1), "last_day": date(2026, 11, 30)}
        draft = SeasonDraft(**{"name": "November", **days, **said})  # type: ignore[arg-type]
        return seasons.create(self.session, self.club, draft, self.key)

    def table(self, **said: object) -> SeasonTable:
        """Count such a season."""
        return load_table(self.session, self.club, self.season(**said))

    def read(self, table: SeasonTable) -> list[tuple[str, float | None, int | None]]:
        """Return who has how many points and which place, in order; equal ones by name."""
        names = {player.id: name for name, player in self.people.items()}
        lines = [(names[line.player_id], line.points, line.rank) for line in table.lines]
        return sorted(lines, key=lambda line: ([one[2] for one in lines].index(line[2]), line[0]))


@pytest.fixture
def world(session: Session) -> World:
    made = access.create_club(session, "Sunday table")
    made.club.time_zone = "Europe/Berlin"
    people = players.seat_players(session, made.club, [*CAST, "Eve"])
    return World(session, made.club, made.scorekeeper, {player.name: player for player in people})


def test_an_evening_is_the_mean_of_its_matches_and_a_season_that_of_its_evenings(world: World) -> None:
    world.play("2026-11-03T19:00", "Ada Bo Cy")
    world.play("2026-11-03T21:00", "Bo Ada Cy")
    world.play("2026-11-10T19:00", "Cy Ada")
    table = world.table()
    assert [(one.day.day, one.matches) for one in table.evenings] == [(3, 2), (10, 1)]
    # Bo 75 once; Cy 0 and 100; Ada 75 and 0
    assert world.read(table) == [("Bo", 75.0, 1), ("Cy", 50.0, 2), ("Ada", 37.5, 3)]
    assert table.matches == 3
    assert table.lines[0].evenings == {0: 75.0}


def test_a_day_turns_at_five_in_the_time_zone_of_the_club(world: World) -> None:
    world.play("2026-11-03T19:00", "Ada Bo")
    world.play("2026-11-04T03:59", "Bo Ada")  # 4:59 in Berlin
    world.play("2026-11-04T04:00", "Bo Ada")
    assert [(one.day.day, one.matches) for one in world.table().evenings] == [(3, 2), (4, 1)]
    world.club.time_zone = "Asia/Tokyo"
    assert [(one.day.day, one.matches) for one in world.table().evenings] == [(3, 1), (4, 2)]
    world.club.time_zone = "No/Where"
    assert [(one.day.day, one.matches) for one in world.table().evenings] == [(3, 3)]


def test_a_season_has_its_first_and_its_last_night_whole(world: World) -> None:
    for at in ("2026-11-01T03:59", "2026-11-01T04:00", "2026-12-01T03:59", "2026-12-01T04:00"):
        world.play(at, "Ada Bo")
    assert [one.day.day for one in world.table().evenings] == [1, 30]
    assert len(world.table(last_day=None).evenings) == 3


def test_a_drawn_evening_is_one_evening_beside_the_others_of_that_day(world: World) -> None:
    drawn = [world.play("2026-11-03T19:00", "Ada Bo"), world.play("2026-11-03T19:01", "Cy Di")]
    world.play("2026-11-03T20:00", "Eve Di")
    first = world.draw("2026-11-03T18:59", drawn)
    second = world.draw("2026-11-03T21:00", [world.play("2026-11-03T21:01", "Ada Bo")])
    evenings = world.table().evenings
    assert [(one.drawn, one.matches) for one in evenings] == [(first, 2), (None, 1), (second, 1)]


def test_all_of_an_evening_counts_on_the_day_on_which_it_was_opened(world: World) -> None:
    late = [world.play(f"2026-11-04T0{hour}:30", "Ada Bo") for hour in (3, 4, 5)]
    world.play("2026-11-04T04:45", "Cy Di")
    evening = world.draw("2026-11-03T20:00", late)
    evenings = world.table().evenings
    assert [(one.day.day, one.drawn, one.matches) for one in evenings] == [(3, evening, 3), (4, None, 1)]
    before = world.draw("2026-10-31T20:00", [world.play("2026-11-01T04:30", "Ada Bo")])
    last = world.draw("2026-11-30T20:00", [world.play("2026-12-01T04:30", "Ada Bo")])
    assert [one.drawn for one in world.table().evenings] == [evening, None, last]
    assert [one.drawn for one in world.table(last_day=None).evenings] == [evening, None, last]
    assert world.table(first_day=date(2026, 10, 31)).evenings[0].drawn == before


def test_an_evening_that_goes_on_past_five_is_added_up_with_its_day(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "now", lambda: datetime(2026, 11, 4, 5, tzinfo=UTC))
    played, season = (
        [world.play("2026-11-03T20:30", "Ada Bo"), world.play("2026-11-04T04:30", "Bo Ada")],
        world.season(),
    )
    world.draw("2026-11-03T20:00", played)
    for more in (0, 1):
        world.play("2026-11-04T04:40", "Cy Di")
        for _ in ("from nothing", "from what was kept"):
            table = load_table(world.session, world.club, season)
            assert [(one.day.day, one.matches) for one in table.evenings] == [(3, 2), (4, 1 + more)]
            assert {line.points for line in table.lines if line.player_id == world.people["Ada"].id} == {50.0}


def test_the_best_evenings_count_and_who_came_too_seldom_waits(world: World) -> None:
    for day, order in ((1, "Ada Bo Cy"), (2, "Bo Ada Cy"), (3, "Cy Bo Ada"), (4, "Ada Cy Di")):
        world.play(f"2026-11-{day:02}T19:00", order)
    table = world.table(rules=Rules(best=2, least=3))
    # Ada 100 50 0 100, Bo 50 100 50, Cy 0 0 100 50, Di 0
    assert world.read(table) == [("Ada", 100.0, 1), ("Bo", 75.0, 2), ("Cy", 75.0, 2), ("Di", 0.0, None)]
    assert table.lines[0].counted == {0, 3}
    assert [line.missing for line in table.lines] == [0, 0, 0, 2]
    assert [line.rank for line in world.table(rules=Rules(least=4)).lines] == [1, 2, None, None]
    # none has been there more often than there were evenings
    assert world.table(rules=Rules(least=5)).lines[0].rank == 1


def test_matches_won_are_counted_where_a_season_says_so(world: World) -> None:
    world.play("2026-11-03T19:00", "Ada Bo Cy")
    world.play("2026-11-03T20:00", "Ada Bo Cy")
    world.play("2026-11-10T19:00", "Bo=Cy Ada")
    table = world.table(rules=Rules(count=Count.WINS))
    assert world.read(table) == [("Ada", 50.0, 1), ("Bo", 25.0, 2), ("Cy", 25.0, 2)]
    assert [line.won for line in table.lines] == [2, 1, 1]


def test_guests_play_and_take_places_but_are_in_no_table(world: World) -> None:
    world.play("2026-11-03T19:00", "Eve Ada Bo")
    people = tuple(world.people[name].id for name in ("Ada", "Bo", "Cy"))
    table = world.table(people=people)
    assert world.read(table) == [("Ada", 50.0, 1), ("Bo", 0.0, 2), ("Cy", None, None)]
    assert table.guests == 1
    assert len(table.pairs) == 2


def test_only_the_chosen_rulebooks_and_what_is_not_deleted_counts(world: World) -> None:
    world.play("2026-11-03T19:00", "Ada Bo")
    world.play("2026-11-03T19:30", "Bo Ada", rulebook="duo-200")
    world.play("2026-11-03T20:00", "Cy Ada", deleted=True)
    assert world.table(rules=Rules(rulebooks=("duo-200",))).matches == 1
    assert world.table().matches == 2


def test_who_met_whom_and_who_beat_whom(world: World) -> None:
    world.play("2026-11-03T19:00", "Ada Bo=Cy")
    world.play("2026-11-03T20:00", "Bo Ada")
    world.play("2026-11-03T21:00", "Bo Di / Ada")
    pairs = world.table().pairs
    ada, bo, cy = (world.people[name].id for name in ("Ada", "Bo", "Cy"))
    assert pairs[ada, bo] == Pair(3, 1, 2)
    assert pairs[bo, ada] == Pair(3, 2, 1)
    assert pairs[bo, cy] == Pair(1, 0, 0)


def test_records_are_the_best_evening_the_longest_run_and_most_challenges_won(world: World) -> None:
    matches = [world.play("2026-11-03T19:00", "Ada Bo"), world.play("2026-11-10T19:00", "Bo Ada")]
    matches += [world.play("2026-11-10T20:00", "Bo Ada Cy"), world.play("2026-11-10T21:00", "Cy Bo")]
    for match, role, seat, accepted in (
        (matches[0], "target", 1, None),
        (matches[0], "target", 0, False),
        (matches[1], "challenger", 0, True),
    ):
        world.rule(match, {role: seat}, accepted=accepted)
    table = world.table()
    ada, bo = world.people["Ada"].id, world.people["Bo"].id
    found = [table.best_evening, table.longest_run, table.most_challenges]
    assert found == [(ada, 100.0, 0), (bo, 2, None), (bo, 2, None)]
    assert world.table(first_day=date(2026, 11, 20)).best_evening is None


def test_what_was_added_up_is_kept_until_one_of_its_matches_changes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "now", lambda: datetime(2026, 11, 20, 19, tzinfo=UTC))
    table_module.SUMS.clear()
    first, second = world.play("2026-11-03T19:00", "Ada Bo Cy"), world.play("2026-11-10T19:00", "Bo Ada")
    season = world.season()

    def count() -> SeasonTable:
        """Count as it stands, and hold it against the same counted from nothing."""
        kept = load_table(world.session, world.club, season)
        table_module.SUMS.clear()
        assert load_table(world.session, world.club, season) == kept
        return kept

    assert count().matches == 2
    world.play("2026-11-20T19:00", "Cy Ada")
    assert load_table(world.session, world.club, season).matches == 3
    assert table_module.SUMS.usage().entries == 1, "what is of today is added to what was there"
    second.deleted_at = datetime(2026, 11, 20, tzinfo=UTC)
    world.session.flush()
    assert count().matches == 2
    second.deleted_at = None
    evening = world.draw("2026-11-03T18:00", [first, second])
    assert [one.drawn for one in count().evenings] == [evening, None]
    world.session.get_one(Evening, (world.club.id, evening)).status = EveningStatus.ENDED
    evenings.turn_evening(world.session, world.club.id, evening, deleted=True)
    assert [one.drawn for one in count().evenings] == [None] * 3, "its matches count by their days"
    evenings.turn_evening(world.session, world.club.id, evening, deleted=False)
    assert [one.drawn for one in count().evenings] == [evening, None]
    second.deleted_at = datetime(2026, 11, 20, tzinfo=UTC)
    world.session.flush()
    players.merge_players(world.session, world.club, world.people["Bo"], world.people["Di"])
    assert {line.player_id for line in count().lines} == {world.people[name].id for name in ("Ada", "Cy", "Di")}
    world.rule(first, {"target": 0})
    advance(world.session, first)
    assert count().most_challenges == (world.people["Ada"].id, 1, None)


def test_whoever_was_merged_counts_as_who_they_became(world: World) -> None:
    world.play("2026-11-03T19:00", "Ada Bo")
    season = world.season(people=(world.people["Ada"].id, world.people["Eve"].id))
    players.merge_players(world.session, world.club, world.people["Ada"], world.people["Eve"])
    table = load_table(world.session, world.club, season)
    assert [(line.player_id, line.rank) for line in table.lines] == [(world.people["Eve"].id, 1)]


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ({"name": "  "}, {"name"}),
        ({"last_day": date(2026, 10, 31)}, {"last_day"}),
        ({"first_day": date(1969, 12, 31)}, {"first_day"}),
        ({"rules": Rules(best=0, least=1001)}, {"best", "least"}),
        ({"rules": Rules(rulebooks=("no-such",))}, {"rulebooks"}),
        ({"people": ("0" * 16,)}, {"people"}),
        ({"names_until": date(2026, 10, 31)}, {"names_until"}),
        ({"name": "x" * 81, "last_day": date(2020, 1, 1), "rules": Rules(best=-1)}, {"name", "last_day", "best"}),
    ],
)
def test_what_cannot_be_is_refused_at_once_each_at_its_field(
    world: World, said: dict[str, object], fields: set[str]
) -> None:
    with pytest.raises(Impossible) as refused:
        world.season(**said)
    assert {problem.field for problem in refused.value.problems} == fields


def test_a_season_is_changed_deleted_and_restored(world: World) -> None:
    season = world.season(name=" Winter  2026 ")
    assert season.name == "Winter 2026"
    draft = seasons.draft_of(season)
    assert SeasonDraft(**vars(draft)) == draft
    seen = season.state
    seasons.change(world.session, season, SeasonDraft("Winter", date(2026, 12, 1)), seen)
    with pytest.raises(Conflict):
        seasons.change(world.session, season, draft, seen)
    assert [one.name for one in seasons.list_seasons(world.session, world.club.id)] == ["Winter"]
    seasons.delete(world.session, season)
    assert not seasons.list_seasons(world.session, world.club.id)
    with pytest.raises(NotFound):
        seasons.get_season(world.session, world.club.id, season.id)
    seasons.restore(world.session, seasons.get_season(world.session, world.club.id, season.id, deleted=True))
    assert seasons.get_season(world.session, world.club.id, season.id).name == "Winter"


def test_rules_are_stored_without_what_is_as_usual() -> None:
    assert Rules().to_document() == {"count": "place"}
    rules = Rules(Count.WINS, 5, 3, ("duo-200",))
    assert Rules.read(json.loads(json.dumps(rules.to_document()))) == rules


@pytest.mark.parametrize(
    ("days", "after"),
    [
        (("2026-01-01", "2026-12-31"), ("2027-01-01", "2027-12-31")),
        (("2027-01-01", "2027-12-31"), ("2028-01-01", "2028-12-31")),
        (("2026-11-01", "2026-11-30"), ("2026-12-01", "2026-12-30")),
        (("2026-01-01", "2027-12-31"), ("2028-01-01", "2029-12-30")),
        (("9998-01-01", "9998-12-31"), ("9998-01-01", "9998-12-31")),
        (("1970-01-01", "9998-12-31"), ("1970-01-01", "9998-12-31")),
    ],
)
def test_the_season_after_is_as_long_and_never_beyond_the_calendar(
    days: tuple[str, str], after: tuple[str, str]
) -> None:
    first, last = map(date.fromisoformat, days)
    before = SeasonDraft(f"Season {first.year}", first, last, Rules(best=5), ("0" * 16,))
    draft = seasons.following(before, last)
    assert (draft.first_day.isoformat(), draft.last_day and draft.last_day.isoformat()) == after
    assert (draft.name, draft.rules, draft.people) == (f"Season {after[0][:4]}", before.rules, before.people)


@pytest.mark.parametrize(
    "text", ["2026-W01-1", "20260101", "2026-1-1", "2026-02-30", "", " 2026-01-01", "２０２６-01-01"]
)
def test_a_day_is_read_in_one_way_only(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_day(text)
