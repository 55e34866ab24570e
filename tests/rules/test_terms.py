"""What a table may agree on, and what it is told when it cannot."""

import tomllib
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from referee.paths import CHECKOUT
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import Face
from referee.rules.cards.decks import face_named
from referee.rules.scoring.terms import Terms, rule_for_a_winner, text_points
from referee.rules.text.problem import Impossible
from tests.ground.rounds import score

WORTH = tomllib.loads((CHECKOUT / "tests" / "cases" / "worths.toml").read_text("utf-8"))


def agree(rulebook: str, *house_rules: str, **agreed: Any) -> Terms:
    return Terms.agree(rulebooks()[rulebook], house_rules, **agreed)


def fields(rulebook: str, *house_rules: str, **agreed: Any) -> dict[str, str]:
    with pytest.raises(Impossible) as refusal:
        agree(rulebook, *house_rules, **agreed)
    return {problem.field: problem.message for problem in refusal.value.problems}


@pytest.mark.parametrize("rulebook", WORTH)
def test_cards_are_worth_what_each_text_says(rulebook: str) -> None:
    points = {str(face): worth for face, worth in agree(rulebook).card_points.items()}
    numbers = {str(face): face.number for face in agree(rulebook).full_deck.faces if face.number is not None}
    assert points == numbers | WORTH[rulebook]


def test_a_text_gives_worth_to_cards_that_only_some_of_its_decks_hold() -> None:
    points = text_points(rulebooks()["official"])
    assert (points[face_named("wild-shuffle-hands")], points[face_named("wild-customizable")]) == (40, 40)
    assert face_named("blank") not in points


@pytest.mark.parametrize(
    ("rulebook", "players", "target"),
    [
        ("classic-500", 4, 500), ("official", 10, 500), ("duo-200", 2, 200), ("online-100-200", 2, 100),
        ("online-100-200", 3, 200), ("online-100-200", 4, 200), ("two-player", 2, None), ("speluitslagen", 5, None),
    ],
)  # fmt: skip
def test_without_a_target_of_its_own_a_table_plays_to_that_of_the_text(
    rulebook: str, players: int, target: int | None
) -> None:
    assert agree(rulebook, players=players).target == target


@pytest.mark.parametrize("rulebook", rulebooks())
def test_a_table_may_set_its_own_target(rulebook: str) -> None:
    assert agree(rulebook, players=rulebooks()[rulebook].players[0], target=321).target == 321


@pytest.mark.parametrize("target", [0, -1, 100_001])
def test_a_target_is_a_positive_number(target: int) -> None:
    assert set(fields("classic-500", target=target)) == {"target"}


@pytest.mark.parametrize(
    ("rulebook", "wins"),
    [
        ("classic-500", "highest"), ("official", "highest"), ("two-player", "highest"), ("duo-200", "lowest"),
        ("online-100-200", "highest"), ("speluitslagen", None),
    ],
)  # fmt: skip
def test_a_text_says_which_total_wins_or_nothing(rulebook: str, wins: str | None) -> None:
    assert agree(rulebook).wins == wins


def test_with_a_target_of_the_table_the_lowest_wins_where_everyone_takes_their_own_points() -> None:
    assert agree("speluitslagen", target=300).wins == "lowest"


def test_rounds_won_are_counted_upwards_and_without_the_target_of_the_text() -> None:
    casual = agree("duo-200", count="rounds")
    assert (casual.wins, casual.target) == ("highest", None)
    assert agree("duo-200", count="rounds", target=5).target == 5


@pytest.mark.parametrize(
    ("rulebook", "players", "fitting"),
    [("duo-200", 3, "Classic 500"), ("two-player", 4, "Classic 500"), ("online-100-200", 5, "Classic 500")],
)
def test_a_number_of_players_that_does_not_fit_names_rulebooks_that_do(
    rulebook: str, players: int, fitting: str
) -> None:
    assert fitting in fields(rulebook, players=players)["players"]


@pytest.mark.parametrize("players", [0, 1, 11])
@pytest.mark.parametrize("rulebook", rulebooks())
def test_nobody_plays_alone_or_with_eleven(rulebook: str, players: int) -> None:
    assert "players" in fields(rulebook, players=players)


def test_all_problems_of_an_agreement_are_named_at_once() -> None:
    found = fields(
        "duo-200", "two-decks", "levitation", players=3, deck="54", target=0, count="cards",
        blank_points=-1, blank_effect="x" * 301, custom_rules=["No phones.", " "],
    )  # fmt: skip
    assert set(found) == {
        "house_rules[0]", "house_rules[1]", "players", "deck", "target", "count",
        "blank_points", "blank_effect", "custom_rules[1]",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rulebook", "agreed", "deck"),
    [("classic-500", {}, "108"), ("two-player", {}, "112-blank"), ("duo-200", {}, "112-blank"),
     ("official", {"deck": "112-special"}, "112-special"), ("classic-500", {"blank_points": 20}, "112-blank"),
     ("classic-500", {"blank_effect": "Draw ten."}, "112-blank"),
     ("classic-500", {"deck": "108", "blank_points": 20}, "108")],
)  # fmt: skip
def test_the_deck_is_the_one_named_or_the_one_that_the_agreement_supposes(
    rulebook: str, agreed: dict[str, Any], deck: str
) -> None:
    assert agree(rulebook, **agreed).deck == deck


@pytest.mark.parametrize(
    ("rulebook", "deck", "blank_points", "face", "worth"),
    [
        ("official", "112-special", None, face_named("wild-shuffle-hands"), 40),
        ("official", "112-special", None, face_named("wild-customizable"), 40),
        ("official", "112-special", 7, face_named("wild-customizable"), 40),
        ("official", "112-blank", None, face_named("blank"), None),
        ("official", "112-blank", 7, face_named("blank"), 7),
        ("two-player", "112-blank", None, face_named("blank"), 0),
        ("two-player", "112-blank", 20, face_named("blank"), 20),
        ("classic-500", "112-special", None, face_named("wild-customizable"), None),
        ("classic-500", "112-special", 30, face_named("wild-customizable"), 30),
    ],
)
def test_extra_cards_count_as_text_or_table_says(
    rulebook: str, deck: str, blank_points: int | None, face: Face, worth: int | None
) -> None:
    assert agree(rulebook, deck=deck, blank_points=blank_points).card_points.get(face) == worth


def test_two_decks_hold_every_card_twice_as_often() -> None:
    doubled = agree("classic-500", "two-decks", players=10)
    assert doubled.decks == 2
    assert doubled.full_deck.size == 216
    assert doubled.deck == "108"


@pytest.mark.parametrize("rulebook", rulebooks())
def test_terms_frozen_into_a_document_come_back_the_same(rulebook: str) -> None:
    book = rulebooks()[rulebook]
    agreed = agree(rulebook, *[id for id in book.house_rules if id == "time-limit"], players=book.players[0])
    thawed = Terms(Rulebook.from_document(agreed.rulebook.to_document()), agreed.deck, target=agreed.target)
    assert thawed.card_points == agreed.card_points
    assert (thawed.wins, thawed.awards, thawed.drafted, thawed.decks) == (
        agreed.wins, agreed.awards, agreed.drafted, agreed.decks,
    )  # fmt: skip


def test_a_rulebook_that_names_no_winner_offers_the_rule_that_does() -> None:
    for book in rulebooks().values():
        terms = Terms.agree(book)
        offered = rule_for_a_winner(terms)
        assert (offered is None) == (terms.wins is not None), book.id
        if offered is not None:
            decided = Terms.agree(book, [offered.id])
            assert (decided.wins, rule_for_a_winner(decided)) == (terms.leads, None)


@pytest.mark.parametrize("settled", [{}, {"awards": "by-rank"}], ids=["nobody scores", "no points by rank"])
def test_points_need_a_text_that_says_who_takes_them(settled: dict[str, str]) -> None:
    of_text = rulebooks()["classic-500"]
    clause = replace(of_text.clauses["who-scores"], settings=MappingProxyType(settled))
    book = replace(of_text, clauses=MappingProxyType({**of_text.clauses, clause.id: clause}))
    for refused in (
        lambda: Terms.agree(book, players=2),
        lambda: score(Terms(book, deck="108"), {"went_out": "Ada", "hands": {"Bo": ["7"]}}),
    ):
        with pytest.raises(Impossible) as caught:
            refused()
        assert [problem.field for problem in caught.value.problems] == ["count"]
    assert Terms.agree(book, players=2, count="rounds").wins == "highest"
