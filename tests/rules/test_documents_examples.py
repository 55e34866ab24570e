"""The examples of docs/pages/build/rulebooks.md and docs/pages/build/disputes.md, followed step by step."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import pytest

from referee.paths import CHECKOUT, PACKAGE, STATIC, TEMPLATES
from referee.rules.books import library, settings
from referee.rules.books.library import load_house_rule, load_rulebook
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes import DISPUTES_BY_ID, answer
from referee.rules.disputes.base import Dispute
from referee.rules.disputes.deciding import hear
from referee.rules.disputes.ruling import Ruling
from referee.rules.disputes.tree import every_hearing
from referee.rules.text.words import CATALOGUE, flat

RULEBOOKS_PAGE = (CHECKOUT / "docs" / "pages" / "build" / "rulebooks.md").read_text("utf-8")
DISPUTES_PAGE = (CHECKOUT / "docs" / "pages" / "build" / "disputes.md").read_text("utf-8")


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


def written(*clauses: str) -> str:
    """Write the rulebook as the page has it, with these of its blocks of clauses."""
    head, agreed = blocks(RULEBOOKS_PAGE, "toml")[0], blocks(RULEBOOKS_PAGE, "toml")[2]
    silent = run(blocks(RULEBOOKS_PAGE, "python")[0], {})
    for id in re.findall(r'^id = "(.*)"', "".join(clauses), re.MULTILINE):
        silent = silent.replace(f'    "{id}",\n', "")
    return "\n".join([head, silent, *clauses, agreed])


@pytest.fixture
def kitchen_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rulebook:
    """Write the rulebook up to its deck, and put it among the others."""
    path = tmp_path / "kitchen-table.toml"
    path.write_text(written(blocks(RULEBOOKS_PAGE, "toml")[1]), "utf-8")
    rulebook = load_rulebook(path, library.questions(), library.house_rules())
    every = MappingProxyType({**library.rulebooks(), rulebook.id: rulebook})
    monkeypatch.setattr("referee.rules.books.library.rulebooks", lambda: every)
    monkeypatch.setattr("referee.rules.disputes.hearing_documents.rulebooks", lambda: every)
    return rulebook


def told(place: int) -> list[str]:
    """Give the lines that the page says an example prints."""
    quoted = re.findall(r"^((?:> .*\n)+)", RULEBOOKS_PAGE, re.MULTILINE)
    return [line.removeprefix("> ") for line in quoted[place].splitlines()]


def test_the_kitchen_of_the_page_plays_a_match_with_its_own_deck_to_its_end(tmp_path: Path) -> None:
    _, clauses, _, _, deck, further = blocks(RULEBOOKS_PAGE, "toml")
    for folder, of in (("referee", PACKAGE), ("templates", TEMPLATES), ("static", STATIC)):
        shutil.copytree(of, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    rules = tmp_path / "referee" / "rules"
    (rules / "rulebooks" / "kitchen-table.toml").write_text(written(clauses, further), "utf-8")
    (rules / "decks" / "kitchen.toml").write_text(deck, "utf-8")
    environment = {"PYTHONPATH": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    heard, toasted, played = blocks(RULEBOOKS_PAGE, "python")[1:]
    for place, example in enumerate((heard, toasted, f"{played}{EVERY_PAGE}")):
        done = subprocess.run(
            [sys.executable, "-c", example], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert [line.rstrip() for line in done.stdout.splitlines()] == told(place)


EVERY_PAGE = """
with phone.session_transaction() as session:
    session["keys"] = [club["scorekeeper_key"]]
facts = {"dispute": "stacking", "rulebook": "kitchen-table", "facts": {}}
heard = phone.post("/api/v1/hearings", json=facts, headers=key)
assert heard.status_code == 200, heard.text
foreign = {"rulebook": "kitchen-table", "went_out": "Ada", "hands": {"Bo": ["draw-two"]}}
refused = phone.post("/api/v1/score", json=foreign, headers=key)
assert "not the kitchen’s box" in refused.json["errors"][0]["message"]
home = f"/matches/{match['id']}"
for address in ("/rules", "/rules/kitchen-table", "/rules/kitchen-table/target", f"{home}/rules?q=toast",
                "/rules/compare?left=kitchen-table&right=official", "/disputes?rulebook=kitchen-table",
                "/matches/new?rulebook=kitchen-table", "/service-worker.js", "/offline", home, f"{home}/menu",
                f"/history{home}", "/history/players", f"{home}/result.png", f"{home}/disputes",
                f"{home}/disputes/can-i-play", "/api/v1/rulebooks/kitchen-table", "/api/v1/statistics"):
    answer = phone.get(address, headers=key if address.startswith("/api") else {})
    assert answer.status_code == 200, (address, answer.status_code)
"""
"""What the page says works at once: everything else, without another line of code."""


def test_the_rulebook_of_the_page_rules_as_the_page_says(kitchen_table: Rulebook) -> None:
    assert run(blocks(RULEBOOKS_PAGE, "python")[1], {}).splitlines() == told(0)


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
    """Declare the setting and write the module and its words as the page has them."""
    setting, module = blocks(DISPUTES_PAGE, "python")
    for key, text in flat("", tomllib.loads(blocks(DISPUTES_PAGE, "toml")[1])):
        monkeypatch.setitem(CATALOGUE.sentences, key, text)
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


CASES = tomllib.loads(blocks(DISPUTES_PAGE, "toml")[2])["case"]


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
