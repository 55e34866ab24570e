"""Hearings held against cases reasoned from the texts by someone who had not seen the code."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.rules import RULES_FOLDER
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, answer, hear, read_facts, rule
from referee.rules.disputes.facts import Fact
from referee.rules.disputes.ruling import Ruling
from referee.rules.disputes.tree import at_stake
from referee.rules.text.problem import Impossible
from tests.ground.each import check_each

FILES = sorted((Path(__file__).parents[1] / "cases").glob("hearings-*.toml"))
REFUSED: list[dict[str, Any]] = tomllib.loads((FILES[0].parent / "refused-hearings.toml").read_text("utf-8"))["case"]
BY_THE_SHEETS: list[dict[str, Any]] = tomllib.loads((FILES[0].parent / "by-the-sheets.toml").read_text("utf-8"))["case"]
OWN: list[dict[str, Any]] = [
    case | {"rulebook": id}
    for path in FILES
    for case in tomllib.loads(path.read_text("utf-8"))["case"]
    for id in case.get("rulebooks") or [case["rulebook"]]
]
BASES = {
    id: tomllib.loads((RULES_FOLDER / "rulebooks" / f"{id}.toml").read_text("utf-8")).get("base") for id in rulebooks()
}
"""Rulebooks by the one whose clauses they share, as their files say."""


def told(case: dict[str, Any]) -> str:
    """Tell a case from others by what it is about."""
    return json.dumps([case["dispute"], case["rulebook"], case.get("house_rules", []), case["facts"]], sort_keys=True)


def shared() -> Iterator[dict[str, Any]]:
    """Give the cases of each base again under those that share its clauses, but where they have a case of their own."""
    own = {told(case) for case in OWN}
    for id, base in BASES.items():
        book = rulebooks()[id]
        for case in (case | {"rulebook": id} for case in OWN if case["rulebook"] == base):
            fits = case["facts"].get("players", book.players.start) in book.players
            if fits and told(case) not in own and {*case.get("house_rules", ())} <= book.house_rules.keys():
                yield case


CASES: list[dict[str, Any]] = [*OWN, *shared()]
WITH_CASES = sorted({case["rulebook"] for case in CASES})


def rule_case(case: dict[str, Any]) -> Ruling:
    rulebook = rulebooks()[case["rulebook"]].with_house_rules(case.get("house_rules", []))
    ruling = hear(DISPUTES_BY_ID[case["dispute"]], rulebook, case["facts"])
    assert isinstance(ruling, Ruling), f"still asks for {ruling.key}"
    return ruling


def case_id(case: dict[str, Any]) -> str:
    return f"{case['dispute']}-{case['rulebook']}-{case['name']}"


@pytest.mark.parametrize("dispute", DISPUTES_BY_ID)
def test_cases_are_ruled_as_the_text_has_it(dispute: str) -> None:
    """Each is heard once: its outcome, and what it says, orders and cites where the case tells."""

    def check(case: dict[str, Any]) -> None:
        ruling = rule_case(case)
        said = ruling.to_json()
        open_ended = dict.fromkeys([*case.get("silent_on", []), *case.get("unseen", [])])
        assert said["outcome"] == case["outcome"] | open_ended
        assert (said["status"], set(said["silent_on"]), set(said["unseen"])) == (
            case["status"],
            set(case.get("silent_on", [])),
            set(case.get("unseen", [])),
        )
        if "says" in case:
            assert said["summary"] == case["says"]
            told = [[order["role"], order["action"], order["cards"] or order.get("times")] for order in said["orders"]]
            assert [order if order[2] else order[:2] for order in told] == case["orders"]
        if "clause" in case:
            assert case["clause"] in [step.clause.id for step in ruling.steps if step.clause]

    check_each([case for case in CASES if case["dispute"] == dispute], check, case_id)


def test_disputes_decided_from_the_sheets_alone_are_ruled_so() -> None:
    def check(case: dict[str, Any]) -> None:
        outcome = rule_case(case).outcome
        assert {key: outcome[key] for key in case["decided"]} == case["decided"]
        assert [outcome[key] for key in case.get("open", [])] == [None] * len(case.get("open", []))

    check_each(BY_THE_SHEETS, check, lambda case: f"{case['source']}: {case['facts']}")
    assert {case["rulebook"] for case in BY_THE_SHEETS} == {*rulebooks()}


def test_facts_that_cannot_be_are_refused_with_what_would_be_right() -> None:
    def check(case: dict[str, Any]) -> None:
        with pytest.raises(Impossible) as refusal:
            answer(case["dispute"], case["rulebook"], case.get("house_rules", ()), case["facts"])
        problems = refusal.value.problems
        assert [*dict.fromkeys(problem.field for problem in problems)] == case["refused"]
        assert case.get("says", " ") in problems[0].message
        assert all(" " in problem.message for problem in problems)

    check_each(REFUSED, check, case_id)


def test_no_two_cases_have_the_same_facts() -> None:
    keys = [told(case) for case in OWN]
    assert [key for key in keys if keys.count(key) > 1] == []


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
        pytest.param((), 1, "Nothing fits. The player draws 1 card.", id="as the text has it"),
        pytest.param(("draw-until-playable",), None, "Nothing fits. The player draws until a card fits.", id="agreed"),
    ],
)
def test_who_cannot_play_is_told_how_many_to_draw(agreed: tuple[str, ...], cards: int | None, said: str) -> None:
    ruling = answer("decline-to-play", "classic-500", agreed, {"holds_playable": False, "just_drawn": False})
    assert ruling["orders"] == [{"role": "offender", "action": "draw", "cards": cards}]
    assert ruling["summary"] == said


@pytest.mark.parametrize(
    ("dispute", "agreed", "facts", "clauses"),
    [
        pytest.param(
            "draw-four-challenge", (), {}, {"challenge-who", "unchallenged", "draw-four-effect"},
            id="was it challenged?",
        ),
        pytest.param(
            "draw-four-challenge", (), {"challenged": True}, {"challenge-who", "draw-four-when", "draw-four-effect"},
            id="who challenged?",
        ),
        pytest.param("uno-call", (), {}, {"uno-when", "uno-who-catches", "uno-deadline"}, id="how many cards?"),
        pytest.param("can-i-play", (), {}, {"matching", "draw-two-on", "wild-when"}, id="which card?"),
        pytest.param(
            "stacking", (), {}, {"stacking-draw-four", "draw-four-effect", "stacking-mixed"},
            id="which card lies on the pile? That alone decides nothing, so the next question's",
        ),
        pytest.param(
            "stacking", ("stack-draw-two",), {"on_pile": "draw-two"},
            {"stacking-draw-two", "stacking-mixed", "draw-two-effect"},
            id="what is played on it? A house rule in force, or the two are drawn",
        ),
    ],
)  # fmt: skip
def test_a_question_brings_clauses_into_play_whatever_the_answer(
    dispute: str, agreed: tuple[str, ...], facts: dict[str, object], clauses: set[str]
) -> None:
    heard, rulebook = DISPUTES_BY_ID[dispute], rulebooks()["classic-500"].with_house_rules(agreed)
    known = read_facts(heard, rulebook, facts)
    asked = rule(heard, rulebook, known, asking=True)
    assert isinstance(asked, Fact)
    found = at_stake(heard, rulebook, asked, known)
    assert {clause.id for clause in found} == clauses
    assert all(clause is rulebook.clauses[clause.id] for clause in found)


def test_a_box_without_numbers_says_that_it_has_no_7_and_no_0() -> None:
    book = rulebooks()["all-wild"]
    assert DISPUTES_BY_ID["seven-zero"].heading(book).lead == "This box has no 7 or 0. Does another card swap hands?"
    stays = answer("seven-zero", "all-wild", (), {"played": "wild", "players": 4})
    assert stays["verdict"] == "Hands stay"
    assert stays["summary"] == "Nobody swaps: this box has no 7 or 0, and this card doesn’t swap any."
    text = book.to_document()
    text["clauses"] = [clause for clause in text["clauses"] if clause["id"] != "card-wild-forced-swap"]
    open_ = hear(DISPUTES_BY_ID["seven-zero"], Rulebook.from_document(text), {})
    assert isinstance(open_, Ruling), "nobody is asked for a card that isn't there"
    assert (open_.verdict, open_.summary) == ("Silent", "UNO All Wild! has no cards that swap hands: no 7 and no 0.")


def test_a_text_that_counts_no_cards_says_no_number() -> None:
    text = rulebooks()["classic-500"].to_document()
    clause = next(clause for clause in text["clauses"] if clause["id"] == "draw-one")
    clause["settings"] = {"draws_until_playable": False}
    facts = {"holds_playable": False, "just_drawn": False}
    ruling = hear(DISPUTES_BY_ID["decline-to-play"], Rulebook.from_document(text), facts)
    assert isinstance(ruling, Ruling)
    assert ruling.summary == "Nothing fits: the player draws."


def test_a_draw_card_that_nobody_stacks_on_costs_the_turn_as_its_own_clause_says() -> None:
    text = rulebooks()["classic-500"].with_house_rules(["stack-draw-two"]).to_document()
    text["house_rules"] = [rule for rule in text["house_rules"] if rule["id"] == "stack-draw-two"]
    for clauses in (text["clauses"], text["house_rules"][0]["clauses"]):
        clauses[:] = [clause for clause in clauses if clause["id"] != "stack-total"]
    facts = {"on_pile": "draw-two", "response": "none", "total_so_far": 4}
    ruling = hear(DISPUTES_BY_ID["stacking"], Rulebook.from_document(text), facts)
    assert isinstance(ruling, Ruling)
    assert (ruling.outcome["loses_turn"], ruling.silent_on) == (True, ())


@pytest.mark.parametrize(
    ("dispute", "rulebook", "facts", "question"),
    [
        ("going-out", "official", {"last_card": "wild-swap-hands"}, "last-card-action"),
        (
            "draw-four-challenge", "official",
            {"last_card": True, "challenged": True, "players": 2}, "last-card-challenge",
        ),
        ("uno-call", "official", {"cards_left": 1, "said": "before-playing", "caught": False}, "uno-early"),
        (
            "who-starts", "official",
            {"drawn": [{"player": "Ada", "card": "9"}, {"player": "Bo", "card": "9"}]}, "start-draw-tie",
        ),
    ],
)  # fmt: skip
def test_what_stays_open_is_the_question_that_no_clause_answers(
    dispute: str, rulebook: str, facts: dict[str, Any], question: str
) -> None:
    ruling = hear(DISPUTES_BY_ID[dispute], rulebooks()[rulebook], facts)
    assert isinstance(ruling, Ruling)
    assert ruling.missing == (question,)
