"""The list of matches: newest first, by cursor, filtered and searched."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy.orm import Session

from referee.records import ids
from referee.records.club import access
from referee.records.club.players import list_players
from referee.records.match import history, matches
from referee.records.match.plans import MatchPlan
from referee.records.models import Club, Match
from referee.rules.text.problem import Impossible

Begin = Callable[..., Match]


@pytest.fixture
def club(session: Session) -> Club:
    """A club without matches."""
    return access.create_club(session, "Thursdays").club


@pytest.fixture
def begin(session: Session, club: Club, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Begin a match, on a day if it is given: ``begin("Ada", "Bo", day=datetime(…), name="Final")``."""

    def make(*players: str, day: datetime | None = None, rulebook: str = "classic-500", **plan: Any) -> Match:
        if day is not None:
            monkeypatch.setattr(matches, "new_id", lambda: ids.new_id(day))
        agreed = MatchPlan(players=players or ("Ada", "Bo"), rulebook=rulebook, **plan)
        return matches.start_match(session, club, agreed, access.list_keys(session, club)[0])

    return make


def found(session: Session, club: Club, **filters: Any) -> list[str]:
    return [match.name for match in history.list_matches(session, club, **filters).matches]


def test_pages_follow_each_other_without_gap_or_overlap(session: Session, club: Club, begin: Begin) -> None:
    begun = [begin(day=datetime(2024, 1, day, tzinfo=UTC)).id for day in range(1, 8)]
    seen: list[str] = []
    before = None
    while True:
        page = history.list_matches(session, club, before=before, limit=3)
        seen += [match.id for match in page.matches]
        begin(day=datetime(2024, 2, len(seen), tzinfo=UTC))  # a match that begins meanwhile shifts nothing
        if page.next is None:
            break
        before = page.next
    assert seen == begun[::-1]


def test_filters_narrow_the_list(session: Session, club: Club, begin: Begin) -> None:
    begin("Ada", "Bo", day=datetime(2023, 12, 31, 23, 59, tzinfo=UTC), name="old")
    begin("Bo", "Cy", day=datetime(2024, 1, 1, tzinfo=UTC), name="new", rulebook="duo-200")
    begin("Ada", "Cy", day=datetime(2024, 12, 31, 23, 59, tzinfo=UTC), name="last")
    matches.abandon(session, history.list_matches(session, club).matches[0], access.list_keys(session, club)[0])
    people = {one.name: one.id for one in list_players(session, club)}
    assert found(session, club) == ["last", "new", "old"]
    assert found(session, club, year=2024) == ["last", "new"]
    assert found(session, club, year=2023) == ["old"]
    assert found(session, club, player=people["Ada"]) == ["last", "old"]
    assert found(session, club, rulebook="duo-200") == ["new"]
    assert found(session, club, status="abandoned") == ["last"]
    assert found(session, club, player=people["Ada"], year=2024, status="in-progress") == []


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("final", ["Final of 100% luck"]), ("GRANDMA", ["Summer"]), ("glasses", ["Summer"]),
        ("ärger", ["Ärger im Zug"]), ("ÄRGER", ["Ärger im Zug"]), ("100%", ["Final of 100% luck"]),
        ("%", ["Final of 100% luck"]), ("_", []), ("dido", ["Ärger im Zug"]), ("nothing of that kind", []),
    ],
)  # fmt: skip
def test_a_search_looks_into_name_place_note_and_players(
    session: Session, club: Club, begin: Begin, search: str, names: list[str]
) -> None:
    begin(name="Final of 100% luck")
    begin(name="Summer", location="At Grandma's", note="Cy forgot his glasses.")
    begin("Ada", "Dido", name="Ärger im Zug")
    assert found(session, club, search=search) == names


@pytest.mark.parametrize(
    "filters",
    [{"status": "lost"}, {"year": 0}, {"year": 9999}, {"before": "yesterday"}, {"search": "x" * 81}],
    ids=lambda filters: next(iter(filters)),
)
def test_a_filter_that_nothing_can_meet_names_its_field(session: Session, club: Club, filters: dict[str, Any]) -> None:
    with pytest.raises(Impossible) as refused:
        history.list_matches(session, club, **filters)
    assert [problem.field for problem in refused.value.problems] == list(filters)


def test_another_club_sees_nothing(session: Session, club: Club, begin: Begin) -> None:
    begin("Ada", "Bo", name="ours")
    other = access.create_club(session, "Mondays").club
    ada = list_players(session, club)[0].id
    assert found(session, other) == found(session, other, player=ada) == found(session, other, search="ours") == []
