"""The table of rounds that was reasoned from the texts by someone who had not seen the code."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.own.rulebook import OwnRulebook
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible
from tests.ground.rounds import score

CASES: list[dict[str, Any]] = [
    case
    for path in sorted((Path(__file__).parents[1] / "cases").glob("scoring*.toml"))
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]


def made_at_home(case: dict[str, Any]) -> OwnRulebook:
    """Read the rulebook that a case changes; TOML has no null, so ``"open"`` leaves a setting open."""
    changes = {
        clause: {name: None if value == "open" else value for name, value in settings.items()}
        for clause, settings in case["changes"].items()
    }
    return OwnRulebook.read({"title": "Ours", "base": case["rulebook"], "changes": changes})


def terms_of(case: dict[str, Any]) -> Terms:
    seats = {name: seat for seat, name in enumerate(case.get("players", ()))}
    return Terms.agree(
        made_at_home(case).rulebook("home") if "changes" in case else rulebooks()[case["rulebook"]],
        case.get("house_rules", ()),
        deck=case.get("deck"),
        blank_points=case.get("blank_points"),
        face_points=case.get("face_points", {}).items(),
        players=len(seats) or None,
        teams=[[seats[name] for name in team] for team in case["teams"]] if "teams" in case else None,
        count=case.get("count", "points"),
    )


@pytest.mark.parametrize("case", [case for case in CASES if "points" in case], ids=lambda case: case["name"])
def test_a_round_scores_as_its_text_says(case: dict[str, Any]) -> None:
    found = score(terms_of(case), case, case.get("players"))
    assert found.hands == case["hands_worth"]
    assert found.points == case["points"]
    if "credited_to" in case:
        assert list(found.credited_to) == case["credited_to"]
    if "winners" in case:
        assert list(found.winners) == case["winners"]
    assert any(step.clause for step in found.steps)


@pytest.mark.parametrize("case", [case for case in CASES if "problems" in case], ids=lambda case: case["name"])
def test_an_impossible_round_names_its_fields(case: dict[str, Any]) -> None:
    with pytest.raises(Impossible) as refusal:
        score(terms_of(case), case, case.get("players"))
    named = {problem.field for problem in refusal.value.problems}
    for field in case["problems"]:
        assert any(found == field or found.startswith((f"{field}[", f"{field}.")) for found in named), named
    for found in named:
        assert any(found == field or found.startswith((f"{field}[", f"{field}.")) for field in case["problems"]), found
    if "message" in case:
        assert case["message"] in {problem.message for problem in refusal.value.problems}


@pytest.mark.parametrize("case", [case for case in CASES if "refused" in case], ids=lambda case: case["name"])
def test_a_rulebook_that_promises_what_is_not_paid_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(Impossible) as refusal:
        made_at_home(case)
    assert [problem.field for problem in refusal.value.problems] == case["refused"]


def test_a_case_is_of_a_rulebook_that_is_there_and_either_counts_or_is_refused() -> None:
    assert {case["rulebook"] for case in CASES} <= set(rulebooks())
    assert all(len(case.keys() & {"points", "problems", "refused"}) == 1 for case in CASES)
