"""The examples of docs/rulebooks.md and docs/disputes.md, followed step by step."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import pytest

from referee.paths import CHECKOUT
from referee.rules import library, settings
from referee.rules.disputes import DISPUTES_BY_ID, answer
from referee.rules.disputes.base import Dispute, hear
from referee.rules.loading import load_house_rule, load_rulebook
from referee.rules.rulebook import Rulebook
from referee.rules.ruling import Ruling
from referee.rules.tree import every_hearing

RULEBOOKS_PAGE = (CHECKOUT / "docs" / "rulebooks.md").read_text("utf-8")
DISPUTES_PAGE = (CHECKOUT / "docs" / "disputes.md").read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    """Give the examples in one language, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def run(code: str, names: dict[str, Any]) -> str:
    """Run an example, and give what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<example>", "exec"), names)
    return printed.getvalue()


# --- a rulebook and a house rule -----------------------------------------------------------------


@pytest.fixture
def kitchen_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rulebook:
    """Write the rulebook as the page has it, and put it among the others."""
    head, clauses, agreed, _ = blocks(RULEBOOKS_PAGE, "toml")
    coverage = run(blocks(RULEBOOKS_PAGE, "python")[0], {})
    for written in re.findall(r'^id = "(.*)"', clauses, re.MULTILINE):
        coverage = coverage.replace(f'\n{written} = "silent"', f'\n{written} = "{written}"')
    path = tmp_path / "kitchen-table.toml"
    path.write_text("\n".join([head, coverage, clauses, agreed]), "utf-8")
    rulebook = load_rulebook(path, library.questions(), library.house_rules())
    every = MappingProxyType({**library.rulebooks(), rulebook.id: rulebook})
    monkeypatch.setattr("referee.rules.library.rulebooks", lambda: every)
    monkeypatch.setattr("referee.rules.disputes.answering.rulebooks", lambda: every)
    return rulebook


def test_the_rulebook_of_the_page_rules_as_the_page_says(kitchen_table: Rulebook) -> None:
    printed = run(blocks(RULEBOOKS_PAGE, "python")[1], {})
    told = re.findall(r"^> (.*)$", RULEBOOKS_PAGE, re.MULTILINE)
    assert printed.splitlines() == told


def test_the_rulebook_of_the_page_is_silent_where_it_has_no_clause(kitchen_table: Rulebook) -> None:
    said = answer("draw-pile-empty", kitchen_table.id)
    assert (said["status"], said["outcome"]["action"]) == ("silent", None)
    assert said["summary"] == "The rules don’t say what happens when the draw pile is empty."


def test_the_house_rule_of_the_page_replaces_the_clause(kitchen_table: Rulebook, tmp_path: Path) -> None:
    path = tmp_path / "gentle-mistakes.toml"
    path.write_text(blocks(RULEBOOKS_PAGE, "toml")[3], "utf-8")
    rule = load_house_rule(path, {**library.questions(), **library.further_questions()})
    offered = replace(kitchen_table, house_rules=MappingProxyType({rule.id: rule}))
    facts = {"top_card": "red-5", "played": "blue-8", "noticed": True}
    ruling = hear(DISPUTES_BY_ID["wrong-card"], offered.with_house_rules([rule.id]), facts)
    assert isinstance(ruling, Ruling)
    assert ruling.outcome["offender_draws"] == 0
    replaced = next(step.clause.replaces for step in ruling.steps if step.clause and step.clause.id == "wrong-card")
    assert replaced is kitchen_table.clauses["wrong-card"]


# --- a dispute -----------------------------------------------------------------------------------


@pytest.fixture
def late_color(monkeypatch: pytest.MonkeyPatch) -> Dispute:
    """Declare the setting and write the module as the page has them."""
    setting, module = blocks(DISPUTES_PAGE, "python")
    declared = dict(vars(settings))
    run(setting, declared)
    monkeypatch.setattr(settings, "NAMING_DEADLINE", declared["NAMING_DEADLINE"], raising=False)
    written = ModuleType("referee.rules.disputes.late_color")
    run(module, vars(written))
    dispute = written.DISPUTE
    assert isinstance(dispute, Dispute)
    return dispute


def with_deadline(rulebook: Rulebook) -> Rulebook:
    """Settle the setting of the page in the clause that carries it, where the rulebook has one."""
    clause = rulebook.clauses.get("naming-deadline")
    if clause is None:
        return rulebook
    settled = tomllib.loads(blocks(DISPUTES_PAGE, "toml")[0])
    carrying = replace(clause, settings=MappingProxyType({**clause.settings, **settled}))
    return replace(rulebook, clauses=MappingProxyType({**rulebook.clauses, clause.id: carrying}))


CASES = tomllib.loads(blocks(DISPUTES_PAGE, "toml")[1])["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_dispute_of_the_page_rules_as_its_cases_say(late_color: Dispute, case: dict[str, Any]) -> None:
    ruling = hear(late_color, with_deadline(library.rulebooks()[case["rulebook"]]), case["facts"])
    assert isinstance(ruling, Ruling)
    assert (ruling.status, {key: value for key, value in ruling.outcome.items() if value is not None}) == (
        case["status"],
        case["outcome"],
    )
    assert list(ruling.silent_on) == case["silent_on"]
    assert "clause" not in case or case["clause"] in [step.clause.id for step in ruling.steps if step.clause]


def test_the_cases_of_the_page_meet_every_hearing(late_color: Dispute) -> None:
    for id in ("online-100-200", "classic-500"):
        walked = [leaf.given for leaf in every_hearing(late_color, with_deadline(library.rulebooks()[id]))]
        assert sorted(walked, key=str) == sorted((case["facts"] for case in CASES if case["rulebook"] == id), key=str)
