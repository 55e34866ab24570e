"""Every hearing of every dispute under every rulebook, walked to its end."""

import ast
import gzip
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from referee.paths import CHECKOUT, PACKAGE
from referee.rules.books import settings
from referee.rules.books.library import house_rules, rulebooks
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, rule, tree
from referee.rules.disputes.ruling import Ruling
from tests.rules.test_disputes_cases import CASES, WITH_CASES, rule_case

LONGEST_SENTENCE = 20
"""Words that can be read aloud in one breath."""

LEAVES: dict[str, dict[str, int]] = tomllib.loads((CHECKOUT / "tests" / "cases" / "ends.toml").read_text("utf-8"))


@cache
def leaves(dispute: str, rulebook: str, agreed: tuple[str, ...] = ()) -> tuple[tree.Leaf, ...]:
    return tuple(tree.every_hearing(DISPUTES_BY_ID[dispute], rulebooks()[rulebook].with_house_rules(agreed)))


def every_leaf() -> Iterator[tree.Leaf]:
    """Give every end under every rulebook, without and with each single house rule."""
    for rulebook in rulebooks().values():
        for agreed in ((), *((id,) for id in rulebook.house_rules)):
            for dispute in DISPUTES:
                yield from leaves(dispute.id, rulebook.id, agreed)


@pytest.mark.parametrize("dispute", [dispute.id for dispute in DISPUTES])
def test_the_number_of_ends_is_known(dispute: str) -> None:
    found = {rulebook: len(leaves(dispute, rulebook)) for rulebook in LEAVES}
    assert found == {rulebook: ends[dispute] for rulebook, ends in LEAVES.items()}


def test_every_end_cites_a_clause_or_names_what_is_missing() -> None:
    for leaf in every_leaf():
        ruling = leaf.ruling
        cites = any(step.clause for step in ruling.steps)
        assert cites or (ruling.status == "silent" and ruling.missing), (leaf.dispute.id, leaf.rulebook.id, leaf.given)
        assert bool(ruling.silent_on) == bool(ruling.missing)


def test_what_is_not_decided_is_silent_or_unseen() -> None:
    for leaf in every_leaf():
        open_ended = {key for key, value in leaf.ruling.outcome.items() if value is None}
        assert open_ended == set(leaf.ruling.silent_on) | set(leaf.ruling.unseen)
        assert not set(leaf.ruling.silent_on) & set(leaf.ruling.unseen)
        main = leaf.dispute.main(leaf.given)
        assert (leaf.ruling.status == "silent") == (main in open_ended)


def test_everything_said_can_be_read_aloud() -> None:
    long: set[str] = set()
    for leaf in every_leaf():
        spoken = [leaf.ruling.summary, *(step.text for step in leaf.ruling.steps if step.kind == "answer")]
        for text in spoken:
            assert re.match(r"^[“A-Z0-9].*[.?!]$", text), text
            long |= {part for part in re.split(r"(?<=[.?!:;])\s", text) if len(part.split()) > LONGEST_SENTENCE}
        assert 1 <= len(leaf.ruling.verdict.split()) <= 8, leaf.ruling.verdict
    assert long == set()


def test_orders_follow_from_the_outcome() -> None:
    for leaf in every_leaf():
        for order in leaf.ruling.orders:
            assert (order.cards is None) or (order.action == "draw" and order.cards > 0)
            if order.action == "play-next":
                assert order.role in leaf.ruling.outcome.values()


FOLLOWS_FROM: dict[str, dict[str, str]] = {
    "draw-four-challenge": {
        "offender draw": "offender_draws", "target draw": "target_draws", "challenger draw": "challenger_draws",
        "target lose-turn": "effect_stands", "show-hand": "challenge_allowed", "play-next": "next_turn",
    },
    "uno-call": {"offender draw": "penalty_cards", "challenger draw": "accuser_penalty_cards"},
    "wild-with-match": {"draw": "offender_draws", "name-color": "effect_stands"},
    "wrong-card": {"draw": "offender_draws", "take-back": "card_withdrawn", "lose-turn": "offender_loses_turn"},
    "decline-to-play": {"draw": "must_draw"},
    "stacking": {"draw": "draws", "lose-turn": "loses_turn", "play-next": "loses_turn", "take-back": "legal"},
    "start-card": {
        "draw": "first_player_draws", "lose-turn": "first_player_skipped", "name-color": "color_chosen_by",
        "play-next": "first_to_play",
    },
    "played-card-effect": {"draw": "draws", "lose-turn": "next_turn", "play-next": "next_turn", "name-color": ""},
    "reverse-run": {"draw": "legal", "lose-turn": "legal"},
    "going-out": {"draw": "next_player_draws", "score-cards": "legal", "take-back": "legal"},
    "draw-pile-empty": {"score-cards": "round_ends"},
    "draft": {"take-back": "legal"},
    "jump-in": {"draw": "legal", "lose-turn": "next_turn", "play-next": "next_turn", "take-back": "legal"},
    "play-doubles": {"play-next": "next_turn", "take-back": "legal"},
    "seven-zero": {"play-next": "next_turn"},
    "mercy-rule": {"draw": "draws"},
    **{
        id: {"take-back": main, "draw": "penalty_cards", "lose-turn": main, "play-next": "next_turn"}
        for main, ids in (
            ("stands", ("out-of-turn", "took-back", "draw-then-stack")),
            ("made_up", ("forgot-draw", "forgot-skip", "drew-wrong-number")),
        )
        for id in ids
    },
    "color-not-named": {"name-color": "color_chosen_by"},
}  # fmt: skip
"""Which key of an outcome each order follows from, by its action, or by role and action; "" from none."""
DRAWN_AS = {"draw-until-color": "draw", "press": "draw", "press-until-fired": "draw"}


def test_no_order_contradicts_what_is_left_open() -> None:
    wrong = []
    for leaf in every_leaf():
        keys = FOLLOWS_FROM.get(leaf.dispute.id, {})
        for order in leaf.ruling.orders:
            action = DRAWN_AS.get(order.action, order.action)
            key = keys[f"{order.role} {action}"] if f"{order.role} {action}" in keys else keys[action]
            if key and leaf.ruling.outcome[key] is None:
                wrong.append((leaf.dispute.id, leaf.rulebook.id, leaf.given, order, key))
    assert wrong == []


def end_of(ruling: Ruling) -> str:
    """Tell what an end decides and by which clauses, apart from the size of a stack and the names of players."""
    outcome: dict[str, Any] = dict(ruling.outcome)
    stacked = re.search(r"stack adds up to (\d+) cards? so far", " ".join(step.text for step in ruling.steps))
    if stacked:
        outcome["draws"] -= int(stacked[1])
    if ruling.dispute == "mercy-rule" and outcome["draws"]:
        outcome["draws"] = "some"
    if ruling.dispute == "who-starts":
        outcome = {key: value and value == "nobody" for key, value in outcome.items()}
    clauses = sorted({step.clause.id for step in ruling.steps if step.clause})
    return json.dumps([outcome, ruling.silent_on, ruling.unseen, clauses], sort_keys=True)


@cache
def ends_met() -> frozenset[tuple[str, str, str]]:
    plain = (case for case in CASES if not case.get("house_rules"))
    return frozenset((case["dispute"], case["rulebook"], end_of(rule_case(case))) for case in plain)


@pytest.mark.parametrize("rulebook", WITH_CASES)
def test_every_end_is_met_by_a_case(rulebook: str) -> None:
    unmet = [
        (dispute.id, leaf.given)
        for dispute in DISPUTES
        for leaf in leaves(dispute.id, rulebook)
        if (dispute.id, rulebook, end_of(leaf.ruling)) not in ends_met()
    ]
    assert unmet == []


# --- settings ------------------------------------------------------------------------------------


def constants_read() -> set[str]:
    """Name every constant of the settings that code uses."""
    used: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        if path.name != "settings.py":
            tree = list(ast.walk(ast.parse(path.read_text("utf-8"))))
            used |= {node.attr for node in tree if isinstance(node, ast.Attribute)}
            used |= {node.id for node in tree if isinstance(node, ast.Name)}
    return used


def test_every_setting_is_read_by_code() -> None:
    names = {name for name, value in vars(settings).items() if isinstance(value, settings.Setting)}
    assert names - constants_read() == set()


def test_every_setting_is_settled_by_some_clause_or_known_to_be_settled_by_none() -> None:
    clauses = [clause for book in rulebooks().values() for clause in book.clauses.values()]
    agreed = [*house_rules().values(), *(rule for book in rulebooks().values() for rule in book.house_rules.values())]
    clauses += [clause for rule in agreed for clause in rule.clauses]
    settled = {name for clause in clauses for name in clause.settings}
    nowhere = {
        "chosen_draws", "guilty_next_turn", "hand_left", "last_card_challenge", "last_card_swaps", "late_color",
        "mistake_draws", "mistake_turn", "newcomer", "opening_total", "put_right", "rank_points", "rematch_handicap",
        "rounds_to_play", "tied_ranks", "uno_early_counts", "uno_false_accusation",
    }  # fmt: skip
    assert settings.declared().keys() - settled <= nowhere, "no text decides these; more than these is an oversight"


# --- the document for a phone --------------------------------------------------------------------


def follow(document: dict[str, Any], node: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """Walk the document as a phone does: by the values of the options alone."""
    while "ask" in node:
        question = document["questions"][node["ask"]]
        place = next(to for _, value, to, *_ in node["options"] if value == facts[question["key"]])
        node = document["nodes"][place]
    return node


@pytest.mark.parametrize("rulebook", rulebooks())
def test_the_document_comes_to_the_same_rulings(rulebook: str) -> None:
    document = json.loads(json.dumps(tree.document(rulebooks()[rulebook])))
    for written in document["disputes"]:
        dispute = DISPUTES_BY_ID[written["id"]]
        for start, begin in zip(dispute.starts, written["starts"], strict=True):
            for leaf in leaves(dispute.id, rulebook):
                if leaf.start != start:
                    continue
                found = follow(document, document["nodes"][begin["node"]], dict(leaf.given))
                ruling = leaf.ruling
                told = found["announced"]
                assert found["verdict"] == ruling.verdict
                assert ruling.lead in (told["lead"], f"{told['headline']} {told['lead']}".rstrip())
                assert found["silent"] == (ruling.verdict == "Silent")
                assert len(told["before"]) + (told["kind"] == "order") + len(told["orders"]) == len(ruling.orders)
                cited = [step.clause.id for step in ruling.steps if step.clause]
                assert [document["steps"][place]["clause"] for place in found["steps"]] == cited


@pytest.mark.parametrize("rulebook", rulebooks())
def test_the_document_is_light(rulebook: str) -> None:
    everything = rulebooks()[rulebook]
    agreed = [id for id in everything.house_rules if not everything.house_rules[id].excludes]
    for heard in (everything, everything.with_house_rules(agreed)):
        text = json.dumps(tree.document(heard), ensure_ascii=False, separators=(",", ":"))
        assert len(gzip.compress(text.encode(), 9)) < 40_000


def test_a_walk_gives_the_ruling_that_a_hearing_gives() -> None:
    leaf = next(leaf for leaf in leaves("draw-four-challenge", "duo-200") if "hand" in leaf.given)
    facts = {key: leaf.dispute.known_facts[key].parse(value) for key, value in leaf.given.items()}
    assert rule(leaf.dispute, leaf.rulebook, facts) == leaf.ruling


# --- silence -------------------------------------------------------------------------------------


def test_a_clause_that_leaves_the_point_open_is_shown_where_the_rulebook_is_silent() -> None:
    (leaf,) = leaves("who-starts", "classic-500")
    assert leaf.ruling.status == "silent"
    assert [step.clause.id for step in leaf.ruling.steps if step.clause] == ["who-starts"]


def test_what_is_decided_is_said_although_the_main_point_is_not() -> None:
    two, three, *_ = leaves("deal", "classic-500")
    assert two.ruling.summary == "7 cards each. The deck has 108 cards."
    assert three.ruling.summary == "7 cards each. The deck has 108 cards. The rules don’t say how many people can play."
