"""A table's own rulebook: every setting a control with its sentence, every problem at once, and the whole as data."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

from referee.paths import CHECKOUT
from referee.rules.books import settings as registry
from referee.rules.books.controls import Control, controls, most_changed
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import GROUP_POINTS, Rulebook, number_drawn
from referee.rules.cards.decks import decks_in_same_box
from referee.rules.disputes import DISPUTES_BY_ID, deciding, hearing_documents, read_facts
from referee.rules.disputes.ruling import Ruling
from referee.rules.own.rulebook import (
    LONGEST_RULE,
    LONGEST_TITLE,
    MOST_PROBLEMS,
    MOST_RULES,
    OwnRulebook,
    read_file,
    write_file,
)
from referee.rules.scoring.round_entry import WENT_OUT
from referee.rules.scoring.scoring import shares
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible
from referee.rules.text.words import ENGLISH, speaking
from tests.conftest import CAST
from tests.ground.rounds import score

KITCHEN: dict[str, Any] = {
    "title": "Kitchen rules",
    "base": "classic-500",
    "changes": {"target": {"target": 300}, "points-wild": {"wild_points": 40}, "uno-penalty": {"uno_penalty": 4}},
    "clauses": ["Whoever is last to sit down deals."],
    "house_rules": ["stack-draw-two"],
}


def problems_of(**parts: Any) -> dict[str, str]:
    """Read a document that is not right; give its problems by field."""
    with pytest.raises(Impossible) as caught:
        OwnRulebook.read(KITCHEN | parts)
    return {problem.field: problem.message for problem in caught.value.problems}


def values_of(control: Control) -> Iterator[object]:
    """Give what a control can be set to, as far as its sentences differ."""
    numbers = sorted({control.least, max(control.least, 1), control.most, *control.quick})
    if control.kind == "yes-no":
        yield from (True, False)
    elif control.kind in ("one-of", "several"):
        words = [choice.value for choice in control.choices]
        yield from words if control.kind == "one-of" else ([], words, words[:1], words[1:])
    elif control.kind == "numbers":
        yield from ([], numbers)
    elif control.kind == "by-face":
        yield {"skip": control.most, "wild": 1}
    else:
        yield from numbers
    if control.kind == "number-or-word":
        yield from (choice.value for choice in control.choices)
    if control.kind == "by-players":
        yield {"2": 100, "3": 1}


EVERY = [control for clause in controls().values() for control in clause.values()]


def test_every_setting_of_every_clause_is_a_control() -> None:
    carried = {(clause, name) for name, one in registry.declared().items() for clause in one.carriers}
    declared = {f"{clause}.{name}" for clause, name in carried}
    assert {control.id for control in EVERY} == declared


def test_every_value_makes_a_sentence() -> None:
    for control in EVERY:
        for value in values_of(control):
            assert control.problem(value) is None, (control.id, value)
            said = control.meaning(value)
            assert re.fullmatch(r"[A-Z0-9“].*\.", said), (control.id, said)
            assert not re.search(r"None|[{}_]|[a-z]-(?!to-)[a-z]+-", said), (control.id, said)
        for label in (control.label, *(choice.label for choice in control.choices)):
            assert re.fullmatch(r"[A-Z0-9][^_{}]*", label), (control.id, label)


def test_a_number_beyond_its_bounds_and_a_value_of_another_kind_are_refused() -> None:
    for control in EVERY:
        for value in ("x", 1.5, control.most + 1 if control.kind == "number" else "y"):
            assert control.problem(value), (control.id, value)


def test_what_is_offered_first_are_controls_of_every_table() -> None:
    assert [control.id for control in most_changed()][:3] == [
        "target.target",
        "points-wild.wild_points",
        "uno-penalty.uno_penalty",
    ]


def test_what_is_said_is_what_is_played() -> None:
    book = OwnRulebook.read(KITCHEN).rulebook("kitchen")
    assert (book.id, book.title, book.base) == ("kitchen", "Kitchen rules", "classic-500")
    assert book.in_force == ("stack-draw-two",)
    terms = Terms.agree(book, players=2)
    assert terms.target == 300
    found = score(terms, {"went_out": "Ada", "hands": {"Bo": ["wild", "red-7"]}})
    assert found.points["Ada"] == 47
    assert "A Wild is worth 40 points." in [step.text for step in found.steps]


def test_a_hearing_is_by_the_tables_rule() -> None:
    book = OwnRulebook.read(KITCHEN).rulebook("kitchen")
    dispute = DISPUTES_BY_ID["uno-call"]
    facts = read_facts(dispute, book, {"cards_left": 1, "said": "never", "caught": True, "next_turn_begun": False})
    said = hearing_documents.document(dispute, book, facts)
    assert said["outcome"]["penalty_cards"] == 4
    step = next(step for step in said["steps"] if step["clause"] == "uno-penalty")
    assert (step["text"], step["cite"]) == ("A forgotten “Uno” costs 4 cards.", "Your table’s rule")
    assert step["replaces"]["text"] == "Whoever is caught draws 2 cards."


NO_CARDS = {
    "en": "The player doesn’t have to play, and draws no cards.",
    "de": "Die Person muss nicht legen und zieht nichts.",
    "nl": "De speler hoeft niet te spelen en pakt niets.",
    "es": "Esta persona puede pasar y no roba.",
}


@pytest.mark.parametrize("code", NO_CARDS)
def test_drawing_nothing_is_a_sentence_of_its_own(code: str) -> None:
    settings = {"declining": {"may_decline": True}, "draw-one": {"draws_instead": 0}}
    book, dispute = OwnRulebook.read(KITCHEN | {"changes": settings}).rulebook(), DISPUTES_BY_ID["decline-to-play"]
    with speaking(code):
        facts = read_facts(dispute, book, {"holds_playable": True, "just_drawn": False})
        assert hearing_documents.document(dispute, book, facts)["summary"] == NO_CARDS[code]


@pytest.mark.parametrize(
    ("base", "house_rules", "last", "still", "out"),
    [
        ("all-wild", [], "wild-forced-swap", True, False),
        ("all-wild", [], "wild-forced-swap", False, True),
        ("all-wild", [], "wild-forced-swap", None, None),
        ("all-wild", [], "wild-skip", True, True),
        ("no-mercy", [], "red-7", True, False),
        ("no-mercy", [], "red-0", False, True),
        ("no-mercy", [], "red-6", True, True),
        ("official", ["seven-zero"], "red-7", True, False),
        ("attack", [], "red-trade-hands", False, False),  # its clause lets nobody go out on it
    ],
)
def test_a_table_says_whether_a_last_card_still_swaps_hands(
    base: str, house_rules: list[str], last: str, still: bool | None, out: bool | None
) -> None:
    changes = {"last-card-action": {"last_card_swaps": still}}
    document = {"title": "Ours", "base": base, "changes": changes, "house_rules": house_rules}
    book = OwnRulebook.read(document).rulebook("ours")
    dispute = DISPUTES_BY_ID["going-out"]
    said = hearing_documents.document(dispute, book, read_facts(dispute, book, {"last_card": last}))
    assert said["outcome"]["legal"] is out
    assert ("round goes on" in said["summary"]) == (out is False and base != "attack")


@pytest.mark.parametrize("base", rulebooks())
def test_a_table_says_whether_a_last_draw_card_is_still_drawn(base: str) -> None:
    dispute, deck = DISPUTES_BY_ID["going-out"], rulebooks()[base].deck
    parts = [deck.on(side) for side in deck.sides] or [deck]
    cards = {
        face: str(face) if face.is_wild else f"{part.colors[0].id}-{face}" for part in parts for face in part.faces
    }
    drawing = {face: card for face, card in cards.items() if number_drawn(rulebooks()[base], face)}
    for still in (True, False, None):
        changes = {"last-card-draws": {"last_card_draws": still, "last_card_counts": None}}
        book = OwnRulebook.read({"title": "Ours", "base": base, "changes": changes}).rulebook("ours")
        for face, card in drawing.items():
            said = hearing_documents.document(dispute, book, read_facts(dispute, book, {"last_card": card}))
            draws = {True: number_drawn(book, face), False: 0, None: None}[still]
            assert said["outcome"]["next_player_draws"] == draws, (face, still)
            assert ("next_player_draws" in said["silent_on"]) == (still is None), (face, still)
    assert drawing or base == "triple-play"


def test_it_says_what_differs_from_its_base() -> None:
    differs = OwnRulebook.read(KITCHEN).differs
    found = {each.clause: (each.base and each.base.text, each.own and each.own.text) for each in differs}
    assert [*found] == ["stacking-draw-two", "uno-penalty", "points-wild", "target", "own-1", "stack-total"]
    assert found["points-wild"] == ("A Wild is worth 50 points.", "A Wild is worth 40 points.")
    assert found["own-1"] == (None, "Whoever is last to sit down deals.")


def test_what_is_as_in_the_base_is_no_change() -> None:
    own = OwnRulebook.read(KITCHEN | {"changes": {"target": {"target": 500}}, "house_rules": [], "clauses": []})
    assert (own.changes, own.differs) == ({}, ())
    assert own.rulebook().clauses == rulebooks()["classic-500"].clauses


def test_what_is_left_open_is_silent() -> None:
    own = OwnRulebook.read(KITCHEN | {"changes": {"target": {"target": None}}})
    assert "target" not in own.rulebook().clauses
    assert Terms.agree(own.rulebook(), players=3).target is None


@pytest.mark.parametrize("base", rulebooks())
def test_a_document_and_a_frozen_text_come_back_as_they_were(base: str) -> None:
    own = OwnRulebook.read({"title": "Ours", "base": base, "changes": {"uno-penalty": {"uno_penalty": 7}}})
    assert OwnRulebook.read(own.to_document()) == own
    book = own.rulebook("ours")
    frozen = Rulebook.from_document(book.to_document())
    assert (frozen, frozen.digest) == (book, book.digest)


def test_every_problem_is_said_at_once_beside_its_cause() -> None:
    said = problems_of(
        title=" ",
        changes={
            "target": {"target": -1, "hue": 1}, "nothing": {}, "goal": {"x": 1}, "points-wild": {"wild_points": 10**9},
            "deal": 7,
        },
        clauses=["", "x" * (LONGEST_RULE + 1), {"text": "Fine.", "topic": "weather"}, 4],
        house_rules=["stack-draw-two", "chess"],
        extra=1,
    )  # fmt: skip
    assert said == {
        "extra": "Unknown field “extra”. Use title, base, changes, clauses, house_rules, without.",
        "title": "Give your rulebook a name.",
        "changes.target.target": "Give a whole number, 0 or more.",
        "changes.target.hue": "The clause “target” has no setting “hue”."
        " Choose one of target, at_target, rounds_to_play.",
        "changes.nothing": "No rulebook has a clause “nothing”.",
        "changes.goal": "The clause “goal” has no settings; write a rule of your own instead.",
        "changes.points-wild.wild_points": "Choose a number from 0 to 1,000.",
        "changes.deal": "This must be an object.",
        "clauses[0]": "Write the rule, or leave it out.",
        "clauses[1]": f"The rule has {LONGEST_RULE + 1} characters; use at most {LONGEST_RULE}.",
        "clauses[2].topic": said["clauses[2].topic"],
        "clauses[3]": "This must be text.",
        "house_rules[1]": said["house_rules[1]"],
    }


def test_a_contradiction_is_said_with_what_else_is_wrong() -> None:
    said = problems_of(title="", clauses=[""], changes={"match-winner": {"wins": "lowest"}})
    assert said.keys() == {"title", "clauses[0]", "changes.match-winner.wins"}


def test_what_is_too_much_is_refused_by_its_size() -> None:
    assert problems_of(title="x" * (LONGEST_TITLE + 1)).keys() == {"title"}
    assert problems_of(clauses=["x"] * (MOST_RULES + 1)).keys() == {"clauses"}
    assert problems_of(base="no-such")["base"].startswith(
        "Unknown rulebook “no-such”. Choose one of official, classic-500"
    )
    nonsense: object
    for nonsense in (None, [], "x", 4):
        with pytest.raises(Impossible):
            OwnRulebook.read(nonsense)


def scored(awards: str, ended: str = "went-out", *, tied: str | None = None, **hands: Any) -> dict[str, int]:
    """Score a round of Ada, Bo, Cy and Di under a house scoring; Ada goes out unless nobody does."""
    ranks = {"rank_points": [10, 6, 3], "tied_ranks": tied} if awards == "by-rank" else {}
    changes = {"who-scores": {"awards": awards} | ranks, "target": {"target": None}}
    house_rules = ["end-when-draw-pile-empty"] if ended != "went-out" else []
    book = OwnRulebook.read(KITCHEN | {"changes": changes, "house_rules": house_rules}).rulebook("house")
    went_out = {"went_out": "Ada"} if ended == "went-out" else {}
    return dict(score(Terms.agree(book, players=4), {"ended": ended, "hands": hands, **went_out}, CAST).points)


def test_house_scorings_that_no_publisher_prints() -> None:
    hands: dict[str, Any] = {"Bo": ["7"], "Cy": ["skip"], "Di": ["7"]}
    assert scored("own-points-off", **hands) == {"Ada": 0, "Bo": -7, "Cy": -20, "Di": -7}
    assert scored("one-point", **hands) == {"Ada": 1, "Bo": 0, "Cy": 0, "Di": 0}
    assert scored("one-point") == {"Ada": 1, "Bo": 0, "Cy": 0, "Di": 0}
    assert scored("by-rank", **hands) == {"Ada": 10, "Bo": 6, "Cy": 0, "Di": 6}
    nobody = scored("by-rank", "draw-pile-empty", Ada=["9"], Bo=["wild"], Cy=["0"], Di=["1"])
    assert nobody == {"Ada": 3, "Bo": 0, "Cy": 10, "Di": 6}


def test_the_table_says_what_equal_hands_score() -> None:
    """Ada 10; Bo and Di share ranks 2 and 3 (6 and 3 points), or ranks 3 and 4 (3 and 0)."""
    alike: dict[str, Any] = {"Bo": ["9"], "Cy": ["wild"], "Di": ["9"]}
    last: dict[str, Any] = {"Bo": ["9"], "Cy": ["1"], "Di": ["9"]}
    for tied, second, third in (("better-rank", 6, 3), ("lower-rank", 3, 0), ("split", 4, 1)):
        assert scored("by-rank", tied=tied, **alike) == {"Ada": 10, "Bo": second, "Cy": 0, "Di": second}
        assert scored("by-rank", tied=tied, **last) == {"Ada": 10, "Bo": third, "Cy": 6, "Di": third}


def one_card_rounds(book: Rulebook) -> Iterator[int]:
    """Score each card of each deck of the box as the only one held; give what the hand is worth."""
    for deck in decks_in_same_box(book.deck.id):
        terms = Terms.agree(book, deck=deck.id)
        for face in deck.faces:
            for side in deck.sides or (None,):
                entry = {"went_out": "Ada", "hands": {"Bo": [str(face)]}} | ({"side": side} if side else {})
                with suppress(Impossible):
                    yield score(terms, entry, CAST[:2]).hands["Bo"]


PRICES = [control for control in EVERY if control.name in GROUP_POINTS]


def made(base: str, changes: dict[str, Any]) -> Rulebook | set[str]:
    """Make a rulebook, or give the fields for which it is refused."""
    try:
        return OwnRulebook.read({"title": "Ours", "base": base, "changes": changes}).rulebook("ours")
    except Impossible as error:
        return {problem.field for problem in error.problems}


@pytest.mark.parametrize("base", rulebooks())
def test_the_points_that_a_setting_promises_are_found_in_a_score(base: str) -> None:
    books = {control.id: made(base, {control.clause: {control.name: 37}}) for control in PRICES}
    paid = {id: one_card_rounds(book) for id, book in books.items() if isinstance(book, Rulebook)}
    assert paid
    assert [id for id, hands in paid.items() if 37 not in hands] == []
    assert all(isinstance(book, Rulebook) or book == {f"changes.{id}"} for id, book in books.items())


@pytest.mark.parametrize("base", rulebooks())
def test_the_points_that_are_promised_for_one_card_are_found_in_a_score_of_it(base: str) -> None:
    """On each clause that may price single cards, but those which another clause of these rules prices already."""
    book = rulebooks()[base]
    faces = {str(face) for deck in decks_in_same_box(book.deck.id) for face in deck.faces}
    for clause in registry.FACE_POINTS.carriers:
        others = registry.FACE_POINTS.carriers - {clause}
        there = {str(face) for other in others for face in book.value(registry.FACE_POINTS.at(other), {})}
        priced = made(base, {clause: {"face_points": dict.fromkeys(faces - there, 37)}})
        assert isinstance(priced, Rulebook), (clause, priced)
        found = [worth for worth in one_card_rounds(priced) if worth == 37]
        assert len(found) >= len(faces - there), clause


WAYS = ("winner-takes", "own-points", "own-points-off", "one-point", "by-rank")
LOWEST_BY = {"who-scores", "match-winner"}


@pytest.mark.parametrize("base", rulebooks())
def test_points_by_rank_and_for_a_knock_out_are_paid_or_refused(base: str) -> None:
    """Under every way of scoring, whichever total wins; no house rule turns the bonus against who wins the round."""
    paid = refused = 0
    for awards, wins in product(WAYS, ("highest", "lowest", None)):
        ranks = {"rank_points": [41, 31]} if awards == "by-rank" else {}
        book = made(base, {
            "who-scores": {"awards": awards, "knock_out_bonus": 137} | ranks, "mercy-rule": {"knocked_out_at": 25},
            "match-winner": {"wins": wins}, "target": {"target": None, "at_target": None},
        })  # fmt: skip
        assert isinstance(book, Rulebook) != (wins == "lowest" or awards == "own-points"), (awards, wins)
        if not isinstance(book, Rulebook):
            assert any(field.split(".")[1] in LOWEST_BY for field in book), (awards, wins)
            refused += 1
            continue
        paid += 1
        entry = {"went_out": "Ada", "hands": {"Bo": 20}, "side": next(iter(book.deck.sides), None)}
        without = score(Terms.agree(book), entry, CAST[:2]).points
        found = score(Terms.agree(book), entry | {"knocked_out": ["Cy"]}, CAST[:3])
        assert found.points == {**without, "Ada": without["Ada"] + 137, "Cy": 0}
        assert without == {"Ada": 41, "Bo": 31} or awards != "by-rank"
        assert [step.clause.id for step in found.steps if step.clause and "137" in step.text] == ["who-scores"]
        assert shares(Terms.agree(book))[WENT_OUT].knocked_out == 137  # so that a phone offline adds it up
        for rule in (rule for rule in book.house_rules.values() if LOWEST_BY & {each.id for each in rule.clauses}):
            with pytest.raises(Impossible) as caught:
                Terms.agree(book, [rule.id])
            assert [problem.field for problem in caught.value.problems] == ["house_rules[0]"]
    assert paid >= 8
    assert refused == 15 - paid


def test_every_number_that_scores_is_promised_and_paid_above_or_where_a_match_begins_and_ends() -> None:
    """What begins and ends a match is held by the tests of matches: the totals it opens with, its target and rounds."""
    topics = {"who-scores", "target", "mercy-rule", *(id for id in controls() if id.startswith("points-"))}
    numbers = {
        each.name for each in EVERY if each.clause in topics and each.kind not in ("yes-no", "one-of", "several")
    }
    matches = {"opening_total", "rematch_handicap", "target", "rounds_to_play", "knocked_out_at"}
    assert numbers == {*GROUP_POINTS, "face_points", "rank_points", "knock_out_bonus", *matches}


CASES: dict[str, Any] = tomllib.loads((CHECKOUT / "tests" / "cases" / "own-rulebooks.toml").read_text("utf-8"))


@pytest.mark.parametrize("field", CASES["refused"])
def test_a_contradiction_is_said_beside_its_cause(field: str) -> None:
    said = problems_of(**CASES["refused"][field])
    assert said.keys() == {f"changes.{field}"}
    about_one = any(word in said[f"changes.{field}"] for word in ("There is no", "No card in", "Say first"))
    assert said[f"changes.{field}"].count("“") == (0 if about_one else 2), "the sentences of both settings"


def asked(base: str = "classic-500", **parts: Any) -> list[str]:
    """Name the fields at which a rulebook that can be played is asked about."""
    return [problem.field for problem in OwnRulebook.read({"title": "Ours", "base": base} | parts).warnings]


@pytest.mark.parametrize("field", CASES["asked"])
def test_what_is_hardly_meant_is_asked_beside_its_cause(field: str) -> None:
    assert asked(**CASES["asked"][field]) == [f"changes.{field}"]


@pytest.mark.parametrize("case", CASES["heard"].values(), ids=list(CASES["heard"]))
def test_what_a_table_sets_is_what_its_ruling_says(case: dict[str, Any]) -> None:
    book = OwnRulebook.read({"title": "Ours", "base": case["base"], "changes": case["changes"]}).rulebook("ours")
    dispute = DISPUTES_BY_ID[case["dispute"]]
    ruling = deciding.rule(dispute, book, read_facts(dispute, book, case["facts"]))
    assert isinstance(ruling, Ruling)
    assert ruling.summary == case["says"]
    assert [order.action for order in ruling.orders] == case["orders"]


def test_who_is_out_at_once_cannot_play() -> None:
    assert problems_of(changes={"mercy-rule": {"knocked_out_at": 7}}).keys() == {"changes.mercy-rule.knocked_out_at"}


@pytest.mark.parametrize("base", rulebooks())
def test_nobody_is_asked_about_a_published_rulebook_or_its_house_rules(base: str) -> None:
    assert [rule for rule in rulebooks()[base].house_rules if asked(base, house_rules=[rule])] == []
    assert asked(base) == []


@pytest.mark.parametrize(("rule", "says"), CASES["numbers"].items())
def test_a_rule_in_words_that_gives_another_number_is_pointed_out(rule: str, says: str) -> None:
    own = OwnRulebook.read({"title": "Ours", "base": "classic-500", "clauses": ["Shoes off.", rule]})
    said = [(problem.field, problem.message) for problem in own.warnings]
    message = f"Your own rule 2 gives a different number: “{says}”"
    assert said == ([("clauses[1]", message)] if says else [])


@pytest.mark.parametrize("case", CASES["of-box"], ids=lambda case: case["rule"])
def test_a_rule_in_words_is_held_against_the_clauses_of_its_own_box(case: dict[str, str]) -> None:
    own = OwnRulebook.read({"title": "Ours", "base": case["base"], "clauses": [case["rule"]]})
    clauses = rulebooks()[case["base"]].clauses
    message = f"Your own rule 1 gives a different number: “{clauses[case['clause']].text}”" if case["clause"] else ""
    assert [problem.message for problem in own.warnings] == ([message] if message else [])


def test_the_points_of_a_card_stand_in_one_place() -> None:
    for clause in ("points-wild", "points-special"):
        changes = {clause: {"face_points": {"draw-one": 15}}}
        assert problems_of(base="flip", house_rules=[], changes=changes).keys() == {f"changes.{clause}.face_points"}


def test_a_house_rule_that_says_otherwise_than_a_change_is_refused() -> None:
    said = problems_of(changes={"stacking-draw-two": {"stacks": True}, "jump-in": {"jump_in": "same-number"}},
                       house_rules=["stack-draw-two", "silent-uno", "open-hands", "draw-until-playable"])  # fmt: skip
    assert said.keys() == {"house_rules[2]"}  # excludes silent-uno
    own = KITCHEN | {"changes": {"draw-one": {"draws_instead": 2}}, "house_rules": ["draw-until-playable"]}
    with pytest.raises(Impossible) as caught:
        OwnRulebook.read(own)
    assert [problem.field for problem in caught.value.problems] == ["changes.draw-one.draws_instead"]


@pytest.mark.parametrize("base", rulebooks())
def test_no_published_rulebook_contradicts_itself_under_any_of_its_house_rules(base: str) -> None:
    for rule in rulebooks()[base].house_rules:
        own = OwnRulebook.read({"title": "Ours", "base": base, "house_rules": [rule]})
        assert own.rulebook().in_force == (rule,)
        assert own.rulebook().with_house_rules([rule]) is not None


# --- as a file ---------------------------------------------------------------------------------------


def test_a_file_comes_back_as_it_was() -> None:
    changes = KITCHEN["changes"] | {"match-winner": {"wins": None}, "uno-when": {"uno_moments": ["after-playing"]}}
    rules = ['A rule with “quotes”, "more" and a\nbreak.', {"title": "Last seat", "topic": "deal", "text": "Deals."}]
    own = OwnRulebook.read(KITCHEN | {"changes": changes, "clauses": rules})
    assert read_file(write_file(own)) == own
    by_players = OwnRulebook.read(KITCHEN | {"changes": {"target": {"target": {"2": 100, "3": 250}}}})
    assert read_file(write_file(by_players)) == by_players


def test_the_documented_file_is_read() -> None:
    page = (CHECKOUT / "docs" / "pages" / "program" / "own-rulebooks.md").read_text("utf-8")
    own = read_file(page.split("```toml\n")[1].split("```")[0])
    assert (own.title, len(own.differs)) == ("Kitchen rules", 7)


def test_clauses_are_left_out() -> None:
    own = OwnRulebook.read(KITCHEN | {"without": ["uno-penalty", "goal"], "changes": {}, "house_rules": []})
    assert {"uno-penalty", "goal"}.isdisjoint(own.rulebook().clauses)
    assert OwnRulebook.read(own.to_document()) == own == read_file(write_file(own))
    assert problems_of(without=["hue"]).keys() == {"without[0]"}
    assert problems_of(without=[[], {}, 4, None]).keys() == {f"without[{place}]" for place in range(4)}


def refused(text: str) -> dict[str, str]:
    """Read a file that is not right; give its problems by field."""
    with pytest.raises(Impossible) as caught:
        read_file(text)
    return {problem.field: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("code", "line", "unreadable"),
    [
        (ENGLISH, "Line 2: ", "This isn’t a rulebook file. Write name = value, with text in quotes."),
        ("de", "Zeile 2: ", "Das ist keine Datei mit einem Regelwerk. Schreib Name = Wert, Text in Anführungszeichen."),
    ],
)
def test_what_is_no_toml_is_refused_in_the_readers_language_alone(code: str, line: str, unreadable: str) -> None:
    with speaking(code):
        assert refused('title = "x"\nbase classic') == {"file": line + unreadable}
        assert refused("target = " + "9" * 5000) == {"file": unreadable}


def test_a_file_is_refused_with_line_and_reason() -> None:
    text = '''
title = """
[changes.target]\\
"""
base = "classic-500"
hue = 3
house_rules = ["chess"]

[changes.target]
target = 0

[changes."points-wild"]
wild_points = true

[[clauses]]
text = "Fine."

[[clauses]]
text = ""
'''
    said = refused(text)
    assert {field: message.split(":")[0] for field, message in said.items()} == {
        "hue": "Line 6", "house_rules[0]": "Line 7", "changes.target.target": "Line 10",
        "changes.points-wild.wild_points": "Line 13", "clauses[1].text": "Line 19",
    }  # fmt: skip
    assert said["changes.target.target"] == "Line 10: Choose a number from 1 to 100,000."


def test_a_hostile_file_is_only_refused() -> None:
    deep, dotted = "a = " + "[" * 40_000, ".".join("a" * 40_000) + " = 1"
    long_number = 'title = "x"\nbase = "classic-500"\n[changes.target]\ntarget = 0x' + "f" * 20_000
    for text in ("\x00", "title", deep, dotted, "x" * 200_000, "a = " + "9" * 9_000, "\ud800"):
        assert refused(text).keys() == {"file"}, text[:20]
    assert refused(long_number).keys() == {"changes.target.target"}
    for key in ("9" * 9_000, "２", "1", "11", "x"):
        assert "changes.target.target" in problems_of(changes={"target": {"target": {key: 1}}}), key[:20]


def test_of_a_file_full_of_mistakes_no_more_are_told_than_anybody_reads() -> None:
    with pytest.raises(Impossible) as refused:
        read_file("\n".join(f"k{number} = 1" for number in range(6_000)))
    assert len(refused.value.problems) == MOST_PROBLEMS
