"""Rounds and matches of other boxes and other ways to win, by rulebooks made of the classic one for these cases."""

import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from referee.rules.books.library import further_questions, questions, rulebooks
from referee.rules.books.rulebook import Clause
from referee.rules.books.settings import declared
from referee.rules.scoring.round_entry import read_round
from referee.rules.scoring.scoring import out_of_match, outcome, standings
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible
from tests.ground.rounds import score

CASES: dict[str, Any] = tomllib.loads((Path(__file__).parents[1] / "cases" / "boxes.toml").read_text("utf-8"))


@cache
def terms_of(rules: str) -> Terms:
    if rules not in CASES["rules"]:
        return Terms.agree(rulebooks()[rules])
    book = rulebooks()["classic-500"]
    clauses = dict(book.clauses)
    for id, settings in CASES["rules"][rules].items():
        asked = {**questions(), **further_questions()}[id]
        assert all(id in declared()[name].carriers for name in settings), id
        clause = clauses.get(id, Clause(id, asked.topic, asked.text, asked.text, cite="Made for a case"))
        clauses[id] = replace(clause, settings=MappingProxyType(settings))
    return Terms.agree(replace(book, id=rules, title=rules, clauses=MappingProxyType(clauses)))


@pytest.mark.parametrize("case", [case for case in CASES["round"] if "points" in case], ids=lambda case: case["name"])
def test_a_round_scores_as_reasoned(case: dict[str, Any]) -> None:
    found = score(terms_of(case["rules"]), case, case.get("players"))
    assert found.points == case["points"]
    assert not [step.text for step in found.steps if "None" in step.text or "{" in step.text]


@pytest.mark.parametrize("case", [case for case in CASES["round"] if "problems" in case], ids=lambda case: case["name"])
def test_a_round_that_cannot_be_names_what_is_wrong(case: dict[str, Any]) -> None:
    with pytest.raises(Impossible) as refusal:
        score(terms_of(case["rules"]), case, case.get("players"))
    assert [problem.field for problem in refusal.value.problems] == case["problems"]
    assert not [problem.message for problem in refusal.value.problems if "{" in problem.message]


@pytest.mark.parametrize("case", CASES["match"], ids=lambda case: case["name"])
def test_a_match_ends_as_reasoned(case: dict[str, Any]) -> None:
    names = dict(enumerate(case["totals"]))
    seats = {name: seat for seat, name in names.items()}
    teams = [[seats[name] for name in team] for team in case["teams"]] if "teams" in case else None
    terms = Terms.agree(
        terms_of(case["rules"]).rulebook,
        case.get("house_rules", ()),
        target=case.get("target"),
        teams=teams,
        count=case.get("count", "points"),
        players=len(seats),
    )
    totals = {seat: case["totals"][name] for seat, name in names.items()}
    end = outcome(terms, totals, rounds=case.get("rounds", 1))
    assert (end and end.ending) == case.get("ending")
    assert [names[seat] for seat in (end.winners if end else ())] == case.get("winners", [])
    assert [names[seat] for seat in out_of_match(terms, totals)] == case["out"]
    table = standings(terms, totals, names)
    assert {line.player for line in table if line.out} == set(case["out"])
    assert [line.out for line in table] == sorted(line.out for line in table)


def test_a_round_of_a_box_is_written_and_read_again() -> None:
    for case in CASES["round"]:
        players = case.get("players", ["A", "B", "C", "D", "E"])
        terms = terms_of(case["rules"])
        entry = read_round(case, dict(enumerate(players)), terms.full_deck)
        assert replace(entry, unread=()) == type(entry).from_document(entry.to_document())


def test_what_only_some_rounds_have_is_not_written_for_others() -> None:
    entry = read_round({"went_out": "A", "hands": {"B": ["7"]}}, {0: "A", 1: "B"})
    assert entry.to_document().keys() == {
        "ended", "went_out", "hands", "cards_left", "last_card", "credited_to", "sat_out",
    }  # fmt: skip
