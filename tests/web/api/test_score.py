"""Scoring without a match, and the rulebooks, for anyone."""

from typing import Any

import pytest

from referee.rules.books.library import rulebooks
from tests.web.api.conftest import ClubOfCast, fields


def score(club: ClubOfCast, **body: Any) -> Any:
    """Ask a stranger's question about a round."""
    return club.stranger("POST", "/score", body)


def test_a_round_is_scored_with_its_reasons(club: ClubOfCast) -> None:
    hands = {"Bo": ["red-7", "skip", "wild"], "Cy": 35}
    answer = score(club, rulebook="classic-500", house_rules=[], went_out="Ada", hands=hands, cards_left={"Cy": 4})
    assert answer.status_code == 200
    assert answer.json["hands"] == {"Bo": 77, "Cy": 35}
    assert answer.json["points"] == {"Ada": 112, "Bo": 0, "Cy": 0}
    assert answer.json["credited_to"] == ["Ada"]
    cited = {step["clause"] for step in answer.json["steps"] if step["kind"] == "clause"}
    assert cited >= {"points-wild", "points-actions", "who-scores"}


BAD_SCORES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no rulebook": ({"rulebook": None}, ["rulebook"]),
    "an unknown rulebook": ({"rulebook": "mau-mau"}, ["rulebook"]),
    "five wilds": ({"hands": {"Bo": ["wild"] * 5}}, ["hands.Bo[4]"]),
    "too many players": ({"rulebook": "duo-200", "hands": {"Bo": ["1"], "Cy": ["2"]}}, ["players"]),
    "a blank that is worth nothing said": ({"deck": "112-blank", "hands": {"Bo": ["blank"]}}, ["hands.Bo[0]"]),
    "an unknown field": ({"winner": "Ada"}, ["winner"]),
}


@pytest.mark.parametrize(("body", "wrong"), BAD_SCORES.values(), ids=BAD_SCORES.keys())
def test_an_impossible_round_is_refused(club: ClubOfCast, body: dict[str, Any], wrong: list[str]) -> None:
    good = {"rulebook": "classic-500", "went_out": "Ada", "hands": {"Bo": ["7"]}}
    assert fields(score(club, **good | body)) == wrong


def test_a_player_twice_in_the_json_is_refused(club: ClubOfCast) -> None:
    body = '{"rulebook": "classic-500", "went_out": "Ada", "hands": {"Bo": ["7"], "Bo": ["8"]}}'
    assert fields(club.stranger("POST", "/score", data=body, content_type="application/json")) == ["hands.Bo"]


@pytest.mark.parametrize(
    ("terms", "wrong"),
    [
        ({"rulebook": "chess"}, ["hands.Bo[0]", "hands.Cy", "rulebook"]),
        ({"rulebook": "official", "house_rules": ["fly"]}, ["hands.Bo[0]", "hands.Cy", "house_rules[0]"]),
    ],
)
def test_wrong_terms_hide_no_wrong_hand(club: ClubOfCast, terms: dict[str, Any], wrong: list[str]) -> None:
    assert fields(score(club, **terms, went_out="Ada", hands={"Bo": ["joker"], "Cy": 2.5})) == wrong


@pytest.mark.parametrize(
    ("rulebook", "deck", "card", "field", "agreed"),
    [
        ("classic-500", "112-blank", "blank", "blank_points", 20),
        ("attack", "attack-2", "hit-one", "face_points", {"hit-one": 20}),
    ],
)
def test_a_card_without_worth_names_the_field_that_gives_it_one(
    club: ClubOfCast, rulebook: str, deck: str, card: str, field: str, agreed: object
) -> None:
    body = {"rulebook": rulebook, "deck": deck, "went_out": "Ada", "hands": {"Bo": [card]}}
    refused = score(club, **body)
    assert refused.status_code == 422
    assert f"({field})" in refused.json["errors"][0]["message"]
    assert score(club, **body, **{field: agreed}).json["points"]["Ada"] == 20


def test_a_correction_is_added_and_said(club: ClubOfCast) -> None:
    said = {
        "rulebook": "classic-500", "went_out": "Ada", "hands": {"Bo": ["9"]},
        "adjustments": [{"player": "Bo", "points": -10, "reason": "forgot to call"}],
    }  # fmt: skip
    answer = club.stranger("POST", "/score", said)
    assert answer.get_json()["points"] == {"Ada": 9, "Bo": -10}
    assert "Bo loses 10 points: forgot to call" in [step["text"] for step in answer.get_json()["steps"]]
    refused = club.stranger("POST", "/score", said | {"side": "dark", "knocked_out": ["Bo"]}, status=422)
    assert {error["field"] for error in refused.get_json()["errors"]} == {"side", "knocked_out"}
    foreign = club.stranger("POST", "/score", said | {"hands": {"Bo": ["pink-7"]}})
    assert "UNO Flip!" in foreign.get_json()["errors"][0]["message"]


def test_the_rulebooks_are_listed_and_read(club: ClubOfCast) -> None:
    listed = club.stranger("GET", "/rulebooks").get_json()
    assert [rulebook["id"] for rulebook in listed["rulebooks"]] == list(rulebooks())
    for summary in listed["rulebooks"]:
        answer = club.stranger("GET", f"/rulebooks/{summary['id']}").get_json()
        assert {key: answer[key] for key in summary} == summary
        assert len(answer["clauses"]) == len(rulebooks()[summary["id"]].clauses)
        assert all(clause["cite"] for clause in answer["clauses"])
        faces = answer["deck"]["faces"]
        assert {face["id"]: face["points"] for face in faces if face["kind"] == "number"} == {
            face: points for face, points in answer["card_points"].items() if face.isdigit()
        }
        assert all(face["points"] == int(face["id"]) for face in faces if face["kind"] == "number")


@pytest.mark.parametrize(
    ("rulebook", "expected"),
    [
        ("classic-500", {"awards": "winner-takes", "wins": "highest", "target": 500}),
        ("two-player", {"awards": "winner-takes", "target": None, "players": {"min": 2, "max": 2}}),
        ("duo-200", {"awards": "own-points", "wins": "lowest", "target": 200}),
        ("online-100-200", {"awards": "winner-takes", "target": {"2": 100, "3": 200, "4": 200}}),
        ("speluitslagen", {"awards": "own-points", "wins": None, "target": None}),
    ],
)
def test_a_rulebook_says_how_it_scores(club: ClubOfCast, rulebook: str, expected: dict[str, Any]) -> None:
    answer = club.stranger("GET", f"/rulebooks/{rulebook}").get_json()
    assert {key: answer[key] for key in expected} == expected
