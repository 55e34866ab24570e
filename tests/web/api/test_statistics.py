"""Statistics for programs."""

import csv
import io
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.models import Club, MatchResult
from referee.records.statistics import figures, ratings
from referee.web.server import database
from referee.web.server.database import db
from tests.conftest import CAST
from tests.web.api.conftest import ADA_GOES_OUT, ClubOfCast, fields


@pytest.fixture
def played(club: ClubOfCast) -> dict[str, str]:
    """The ids of the cast after a match that Ada won in one round."""
    plan = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500", "target": 100}
    match = club.write("POST", "/matches", plan).get_json()
    assert club.write("POST", f"/matches/{match['id']}/rounds", {"after": 0, **ADA_GOES_OUT}).status_code == 201
    everyone = club.read("GET", "/players").get_json()
    return {one["name"]: one["id"] for one in everyone["players"]}


def test_a_player_has_statistics(club: ClubOfCast, played: dict[str, str]) -> None:
    ada = club.read("GET", f"/players/{played['Ada']}/statistics").get_json()
    found = ada["statistics"]
    assert found["matches_won"] == {"part": 1, "whole": 1}
    assert found["biggest_catch"] == {"highest": 109}
    assert found["present_run"] == {"won": True, "matches": 1}
    assert found["nemesis"] is None
    assert [(one["name"], one["beat"]) for one in ada["head_to_head"]] == [("Bo", 1), ("Cy", 1), ("Di", 1)]
    assert ada["ratings"][0]["mu"] > 25
    assert ada["by_table_size"] == [
        {"players": 4, "matches": 1, "won": {"part": 1, "whole": 1}, "shared": 0, "rounds_won": {"part": 1, "whole": 1}}
    ]


def test_everybodys_statistics_are_a_table(club: ClubOfCast, played: dict[str, str]) -> None:
    answer = club.read("GET", "/statistics.csv")
    assert answer.mimetype == "text/csv"
    lines = {line["player"]: line for line in csv.DictReader(io.StringIO(answer.text))}
    for line in (club.read("GET", "/statistics").json or {})["players"]:
        row, told = lines[line["name"]], line["statistics"]
        assert row["matches played"] == str(told["matches_played"])
        assert (row["matches won"], row["matches won: of"]) == tuple(map(str, told["matches_won"].values()))
        for scale, points in told["caught_with"].items():
            assert float(row[f"caught with ({scale})"]) == round(points, 2)
        assert row["rating"] == ("" if not line["ratings"] else str(round(line["ratings"][-1]["mu"], 2)))
    assert len(lines) == len(played) > 1
    assert list(csv.DictReader(io.StringIO(club.read("GET", "/statistics.csv?year=1999").text))) == []
    assert club.read("GET", "/statistics.csv?year=12").status_code == 422


def test_the_club_has_those_of_all_its_players(club: ClubOfCast, played: dict[str, str]) -> None:
    assert {one["name"]: one["id"] for one in club.read("GET", "/statistics").get_json()["players"]} == played
    filtered = club.read("GET", "/statistics?rulebook=duo-200&year=2020&players=2").json
    assert filtered == {"players": []}


def test_the_ratings_of_earlier_matches_are_said_to_be_left_out(
    club: ClubOfCast, played: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "LATEST", 1)
    monkeypatch.setattr(figures, "_latest", figures._latest.__wrapped__)  # else the statement outlives this

    def told(path: str) -> Any:
        return (club.read("GET", path).json or {}).get

    (ada,) = [one for one in told("/statistics")("players") if one["name"] == "Ada"]
    assert "earlier_ratings" not in ada
    match = club.match(target=100)
    assert club.record(match, 0).status_code == 201
    (ada,) = [one for one in told("/statistics")("players") if one["name"] == "Ada"]
    assert (len(ada["ratings"]), ada["earlier_ratings"]) == (1, True)
    own = told(f"/players/{played['Ada']}/statistics")
    assert (len(own("ratings")), own("earlier_ratings")) == (2, None)


def test_who_never_played_has_nothing_but_zeros(club: ClubOfCast) -> None:
    eve = club.write("POST", "/players", {"name": "Eve"}).get_json()
    found = club.read("GET", f"/players/{eve['id']}/statistics").get_json()
    assert found["statistics"]["matches_won"] == {"part": 0, "whole": 0}
    assert found["head_to_head"] == found["ratings"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("players=1", "players"), ("players=99", "players"), ("month=5", "month"), ("year=0", "year"),
        *((f"year={number}", "year") for number in ("x", "2_026", "%2B2026", "2026.0", "%202026", "٢٠٢٦", "9" * 99)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/statistics", "/players/{Ada}/statistics"])
def test_a_bad_filter_names_its_field(
    club: ClubOfCast, played: dict[str, str], path: str, query: str, field: str
) -> None:
    assert fields(club.read("GET", f"{path.format(**played)}?{query}")) == [field]


@pytest.mark.usefixtures("database")
def test_a_change_of_an_old_match_rates_all_after_it_a_few_at_a_time(
    app: Flask, club: ClubOfCast, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches, played = [], []
    for number in range(7):
        matches.append(club.match(target=100))
        out = CAST[number % len(CAST)]
        hands = {name: 40 if name != "Di" else 50 for name in CAST if name != out}
        played.append(club.record(matches[-1], 0, went_out=out, hands=hands).get_json()["round"]["id"])
    before = rated(app)
    monkeypatch.setattr(ratings, "AT_ONCE", 1)
    monkeypatch.setattr(ratings, "PORTION", 2)
    worked_out = []
    drafted = ratings.draft_ratings

    def noted(session: Session, club_id: str) -> ratings.Batch | None:
        worked_out.append(drafted(session, club_id))
        return worked_out[-1]

    monkeypatch.setattr(database, "draft_ratings", noted)
    newest = {"If-Match": "*"}
    other = {"went_out": "Cy", "hands": {"Ada": 40, "Bo": 40, "Di": 50}}
    path = f"/matches/{matches[0]}/rounds/{played[0]}"
    assert club.write("PUT", path, other, headers=newest).status_code == 200
    assert len([batch for batch in worked_out if batch is not None]) == 4
    after = rated(app)
    assert len(after) == len(before) == 28
    assert after != before
    with app.app_context():
        ratings.rate_from(db.session(), club.id, matches[0])
        db.session.commit()
        assert db.session.get_one(Club, club.id).unrated_from is None
    assert rated(app) == after, "all at once gives the same"


def rated(app: Flask) -> list[tuple[Any, ...]]:
    with app.app_context():
        columns = (MatchResult.match_id, MatchResult.seat, MatchResult.mu, MatchResult.sigma)
        return [tuple(row) for row in db.session.execute(select(*columns).order_by(*columns[:2]))]
