"""Statistics for programs."""

from __future__ import annotations

import pytest

from tests.web.api.conftest import ADA_GOES_OUT, ClubOfCast, fields


@pytest.fixture
def played(club: ClubOfCast) -> dict[str, str]:
    """The ids of the cast after a match that Ada won in one round."""
    plan = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500", "target": 100}
    match = club.write("POST", "/matches", plan).json
    assert match is not None
    assert club.write("POST", f"/matches/{match['id']}/rounds", {"after": 0, **ADA_GOES_OUT}).status_code == 201
    everyone = club.read("GET", "/players").json
    assert everyone is not None
    return {one["name"]: one["id"] for one in everyone["players"]}


def test_a_player_has_statistics(club: ClubOfCast, played: dict[str, str]) -> None:
    ada = club.read("GET", f"/players/{played['Ada']}/statistics").json
    assert ada is not None
    found = ada["statistics"]
    assert found["matches_won"] == {"part": 1, "whole": 1}
    assert found["biggest_catch"] == {"highest": 109}
    assert found["present_run"] == {"won": True, "matches": 1}
    assert found["nemesis"] is None
    assert [(one["name"], one["beat"]) for one in ada["head_to_head"]] == [("Bo", 1), ("Cy", 1), ("Di", 1)]
    assert ada["ratings"][0]["mu"] > 25
    assert ada["by_table_size"] == [
        {
            "players": 4,
            "matches": 1,
            "won": {"part": 1, "whole": 1},
            "shared": 0,
            "rounds_won": {"part": 1, "whole": 1},
        }
    ]


def test_the_club_has_those_of_all_its_players(club: ClubOfCast, played: dict[str, str]) -> None:
    found = club.read("GET", "/statistics").json
    assert found is not None
    assert {one["name"]: one["id"] for one in found["players"]} == played
    filtered = club.read("GET", "/statistics?rulebook=duo-200&year=2020&players=2").json
    assert filtered == {"players": []}


def test_who_never_played_has_nothing_but_zeros(club: ClubOfCast) -> None:
    eve = club.write("POST", "/players", {"name": "Eve"}).json
    assert eve is not None
    found = club.read("GET", f"/players/{eve['id']}/statistics").json
    assert found is not None
    assert found["statistics"]["matches_won"] == {"part": 0, "whole": 0}
    assert found["head_to_head"] == found["ratings"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [("year=0", "year"), ("year=x", "year"), ("players=1", "players"), ("players=99", "players"), ("month=5", "month")],
)
@pytest.mark.parametrize("path", ["/statistics", "/players/{Ada}/statistics"])
def test_a_bad_filter_names_its_field(
    club: ClubOfCast, played: dict[str, str], path: str, query: str, field: str
) -> None:
    answer = club.read("GET", f"{path.format(**played)}?{query}")
    assert answer.status_code == 422
    assert fields(answer) == [field]


def test_another_club_learns_nothing(club: ClubOfCast, other_club: ClubOfCast, played: dict[str, str]) -> None:
    assert other_club.read("GET", f"/players/{played['Ada']}/statistics").status_code == 404
    assert other_club.read("GET", "/statistics").json == {"players": []}


def test_matches_can_be_searched(club: ClubOfCast, played: dict[str, str]) -> None:
    for search, count in (("ada", 1), ("nobody", 0)):
        found = club.read("GET", f"/matches?search={search}").json
        assert found is not None
        assert len(found["matches"]) == count
