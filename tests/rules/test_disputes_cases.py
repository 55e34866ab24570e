"""Hearings held against cases reasoned from the texts by somebody who had not seen the code."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, answer, hear
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible
from referee.rules.rulebook import Rulebook
from referee.rules.ruling import Ruling

FILES = sorted((Path(__file__).parents[1] / "cases").glob("hearings-*.toml"))
REFUSED: list[dict[str, Any]] = tomllib.loads((FILES[0].parent / "refused-hearings.toml").read_text("utf-8"))["case"]
CASES: list[dict[str, Any]] = [case for path in FILES for case in tomllib.loads(path.read_text("utf-8"))["case"]]


def rule_case(case: dict[str, Any]) -> Ruling:
    rulebook = rulebooks()[case["rulebook"]].with_house_rules(case.get("house_rules", []))
    ruling = hear(DISPUTES_BY_ID[case["dispute"]], rulebook, case["facts"])
    assert isinstance(ruling, Ruling), f"still asks for {ruling.key}"
    return ruling


def case_id(case: dict[str, Any]) -> str:
    return f"{case['dispute']}-{case['rulebook']}-{case['name']}"


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_a_case_is_ruled_as_the_text_has_it(case: dict[str, Any]) -> None:
    ruling = rule_case(case)
    said = ruling.to_json()
    open_ended = dict.fromkeys([*case.get("silent_on", []), *case.get("unseen", [])])
    assert said["outcome"] == case["outcome"] | open_ended
    assert (said["status"], set(said["silent_on"]), set(said["unseen"])) == (
        case["status"],
        set(case.get("silent_on", [])),
        set(case.get("unseen", [])),
    )


@pytest.mark.parametrize("case", [case for case in CASES if "says" in case], ids=case_id)
def test_a_ruling_orders_and_says_what_is_certain(case: dict[str, Any]) -> None:
    said = rule_case(case).to_json()
    assert said["summary"] == case["says"]
    told = [[order["role"], order["action"], order["cards"]] for order in said["orders"]]
    assert [order if order[2] else order[:2] for order in told] == case["orders"]


@pytest.mark.parametrize("case", REFUSED, ids=case_id)
def test_facts_that_cannot_be_are_refused_with_what_would_be_right(case: dict[str, Any]) -> None:
    with pytest.raises(Impossible) as refusal:
        answer(case["dispute"], case["rulebook"], case.get("house_rules", ()), case["facts"])
    assert [problem.field for problem in refusal.value.problems] == case["refused"]
    assert case["says"] in refusal.value.problems[0].message


@pytest.mark.parametrize("case", [case for case in CASES if "clause" in case], ids=case_id)
def test_a_ruling_cites_the_clause_that_decides(case: dict[str, Any]) -> None:
    cited = [step.clause.id for step in rule_case(case).steps if step.clause]
    assert case["clause"] in cited


def test_no_two_cases_have_the_same_facts() -> None:
    keys = [
        json.dumps([case["dispute"], case["rulebook"], case.get("house_rules", []), case["facts"]], sort_keys=True)
        for case in CASES
    ]
    assert [key for key in keys if keys.count(key) > 1] == []


@pytest.mark.parametrize(("dispute", "least"), [("draw-four-challenge", 12), ("uno-call", 8)])
@pytest.mark.parametrize("rulebook", rulebooks())
def test_the_two_great_quarrels_have_many_cases_under_each_rulebook(dispute: str, least: int, rulebook: str) -> None:
    assert sum(case["dispute"] == dispute and case["rulebook"] == rulebook for case in CASES) >= least


def test_every_dispute_has_cases() -> None:
    assert {case["dispute"] for case in CASES} == {dispute.id for dispute in DISPUTES}


@pytest.mark.parametrize("rulebook", rulebooks())
def test_a_false_accusation_is_ruled_on_without_asking_how_uno_was_called(rulebook: str) -> None:
    ruling = answer("uno-call", rulebook, (), {"accused_falsely": True})
    assert (ruling["status"], ruling["silent_on"]) == ("silent", ["accuser_penalty_cards"])
    assert ruling["outcome"] == {"penalty_cards": 0, "in_time": True, "accuser_penalty_cards": None}
    told = {"cards_left": 1, "said": "before-playing", "caught": True, "corrected_before_caught": False}
    assert answer("uno-call", rulebook, (), told | {"accused_falsely": True})["outcome"] == ruling["outcome"]


@pytest.mark.parametrize(
    ("agreed", "cards", "said"),
    [
        pytest.param((), 1, "Nothing fits: the player draws 1 card.", id="as the text has it"),
        pytest.param(("draw-until-playable",), None, "Nothing fits: the player draws until a card fits.", id="agreed"),
    ],
)
def test_who_cannot_play_is_told_how_many_to_draw(agreed: tuple[str, ...], cards: int | None, said: str) -> None:
    ruling = answer("decline-to-play", "classic-500", agreed, {"holds_playable": False, "just_drawn": False})
    assert ruling["orders"] == [{"role": "offender", "action": "draw", "cards": cards}]
    assert ruling["summary"] == said


def test_a_text_that_counts_no_cards_says_no_number() -> None:
    text = rulebooks()["classic-500"].to_document()
    clause = next(clause for clause in text["clauses"] if clause["id"] == "draw-one")
    clause["settings"] = {"draws_until_playable": False}
    facts = {"holds_playable": False, "just_drawn": False}
    ruling = hear(DISPUTES_BY_ID["decline-to-play"], Rulebook.from_document(text), facts)
    assert isinstance(ruling, Ruling)
    assert ruling.summary == "Nothing fits: the player draws."
