"""Scoring a round: reasons, impossible rounds, endings, rounds sat out, and laws that hold for any round."""

import tomllib
from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from referee.paths import CHECKOUT
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.cards import Card, Deck
from referee.rules.cards.decks import decks_in_same_box, parse_card
from referee.rules.scoring.round_checks import last_card_reminder, may_be_last
from referee.rules.scoring.round_entry import TIME_LIMIT, WENT_OUT, RoundEntry
from referee.rules.scoring.scoring import score_round, shares
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible
from tests.ground import rounds
from tests.ground.rounds import Scored

TABLE = ("Ada", "Bo", "Cy", "Di")


def agree(rulebook: str, *house_rules: str, **agreed: Any) -> Terms:
    return Terms.agree(rulebooks()[rulebook], house_rules, **agreed)


def score(rulebook: Terms | str, players: tuple[str, ...] | None = None, **entry: Any) -> Scored:
    agreed = agree(rulebook) if isinstance(rulebook, str) else rulebook
    return rounds.score(agreed, {"went_out": "Ada"} | entry, players)


def problems(rulebook: Terms | str, players: tuple[str, ...] | None = None, **entry: Any) -> dict[str, str]:
    with pytest.raises(Impossible) as refusal:
        score(rulebook, players, **entry)
    return {problem.field: problem.message for problem in refusal.value.problems}


# --- reasons -------------------------------------------------------------------------------------


def test_the_steps_say_which_clause_gave_which_number() -> None:
    reasons = score("classic-500", hands={"Bo": ["red-7", "skip", "wild"], "Cy": 35}).steps
    cited = [step.clause.id for step in reasons if step.clause]
    assert cited == ["points-numbers", "points-actions", "points-wild", "who-scores"]
    said = [step.text for step in reasons if not step.clause]
    assert said == ["Ada went out.", "Bo’s hand: 7 + 20 + 50 = 77.", "Cy’s hand was typed as a total: 35."]


def test_only_the_clauses_that_mattered_are_cited() -> None:
    reasons = score("duo-200", hands={"Bo": ["wild"]}).steps
    assert [step.clause.id for step in reasons if step.clause] == ["points-wild", "who-scores"]


def test_an_agreed_blank_is_told_apart_from_the_text() -> None:
    reasons = score(agree("two-player", blank_points=30), hands={"Bo": ["blank", "blank"]}).steps
    assert sum("At this table a Blank is worth 30." in step.text for step in reasons) == 1
    assert "points-special" not in [step.clause.id for step in reasons if step.clause]


def test_a_house_rule_that_decides_shows_the_clause_it_replaces() -> None:
    reasons = score(agree("official", "own-points-500"), hands={"Bo": ["wild"]}).steps
    clause = next(step.clause for step in reasons if step.clause and step.clause.id == "who-scores")
    assert clause.house_rule == "own-points-500"
    assert clause.replaces is not None


# --- the last card -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rulebook", "last_card", "drawn"),
    [("speluitslagen", "draw-two", 2), ("speluitslagen", "wild-draw-four", 4), ("speluitslagen", "red-7", 0),
     ("official", "blue-draw-two", 2), ("flip", "draw-one", 1), ("flip", "wild-draw-two", 2),
     ("flip", "pink-draw-five", 5), ("flip", "wild-draw-color", "until-color"), ("classic-500", "draw-two", 0),
     ("duo-200", "wild-draw-four", 0)],
)  # fmt: skip
def test_cards_drawn_for_the_last_card_are_called_to_mind_where_the_text_counts_them(
    rulebook: str, last_card: str, drawn: int | str
) -> None:
    assert last_card_reminder(agree(rulebook), parse_card(last_card)) == drawn
    of_dark = "five" in last_card or "color" in last_card
    side = ("dark" if of_dark else "light") if rulebook == "flip" else None
    reasons = score(rulebook, hands={"Bo": ["1", "2", "3", "4", "5"]}, last_card=last_card, side=side).steps
    said = [step.text for step in reasons if "still drew" in step.text]
    assert len(said) == bool(drawn)
    told = f"{drawn} cards, which" if isinstance(drawn, int) else "until the color turned up"
    assert not said or f"still drew {'1 card, which' if drawn == 1 else told}" in said[0]


@pytest.mark.parametrize(("rulebook", "swapping"), [("no-mercy", {"0", "7"}), ("all-wild", {"wild-forced-swap"})])
def test_a_round_ends_on_no_card_that_still_swaps_hands(rulebook: str, swapping: set[str]) -> None:
    """Where the table says that a last card that swaps still does, its player holds cards again."""
    text = rulebooks()[rulebook].to_document()
    clause = next(clause for clause in text["clauses"] if clause["id"] == "last-card-action")
    clause["settings"] = clause.get("settings", {}) | {"last_card_swaps": True}
    swaps = Terms.agree(Rulebook.from_document(text), ())
    barred = {str(face) for face in swaps.full_deck.faces if not may_be_last(swaps, face)}
    assert barred == swapping
    assert not [face for face in swaps.full_deck.faces if not may_be_last(agree(rulebook), face)]
    card = min(swapping)
    assert problems(swaps, hands={"Bo": ["wild-draw-four"] * 2}, last_card=card)["last_card"].startswith("Nobody can")


def test_a_last_card_is_called_to_mind_only_where_the_text_counts_what_is_drawn_for_it() -> None:
    asked = set()
    for id, book in rulebooks().items():
        points, won = agree(id), agree(id, count="rounds")
        drawn = {last_card_reminder(points, Card(face)) for face in points.full_deck.faces}
        assert not any(last_card_reminder(won, Card(face)) for face in won.full_deck.faces)
        assert any(drawn) <= ("last-card-draws" in book.clauses), id
        asked |= {id} if any(drawn) else set()
    assert asked >= {"speluitslagen", "official", "flip"}
    assert not asked & {"classic-500", "two-player", "duo-200", "online-100-200", "no-mercy"}


# --- who sits at the table -----------------------------------------------------------------------


def test_everybody_at_the_table_has_points_in_the_order_of_the_seats() -> None:
    found = score("classic-500", TABLE, went_out="Cy", hands={"Di": 5, "Bo": ["1"], "Ada": []})
    assert list(found.points.items()) == [("Ada", 0), ("Bo", 0), ("Cy", 6), ("Di", 0)]
    assert found.cards_left == {"Ada": 0, "Bo": 1, "Cy": 0}


def test_who_sat_out_holds_nothing_and_takes_nothing() -> None:
    found = score("speluitslagen", TABLE, hands={"Bo": ["wild"], "Cy": ["3"]}, sat_out=["Di"])
    assert found.points == {"Ada": 0, "Bo": 20, "Cy": 3, "Di": 0}


REFUSED = tomllib.loads((CHECKOUT / "tests" / "cases" / "refused-rounds.toml").read_text("utf-8"))


@pytest.mark.parametrize("case", REFUSED["strangers"], ids=str)
def test_names_that_do_not_fit_the_table_are_named(case: dict[str, Any]) -> None:
    assert set(problems("classic-500", TABLE, **case["entry"])) == set(case["problems"])


def test_a_player_twice_is_refused_however_it_is_spelled() -> None:
    assert set(problems("classic-500", ("Ada", "Bo", "ada"), hands={"Bo": 1, "ada": 2})) == {"players[2]"}
    assert set(problems("classic-500", hands={"Bo": 1, "ADA": 2})) == {"hands.ADA"}
    assert set(problems("classic-500", hands={"Bo": 1, " Bo ": 2})) == {"hands. Bo "}


def test_nobody_is_without_a_name() -> None:
    assert set(problems("classic-500", hands={"Bo": 1, " ": 2})) == {"hands. "}


# --- what a deck cannot give ----------------------------------------------------------------------


@pytest.mark.parametrize("case", REFUSED["no-deck"], ids=str)
def test_what_no_deck_gives_is_named_by_its_field(case: dict[str, Any]) -> None:
    assert set(problems("classic-500", **case["entry"])) == set(case["problems"])


@pytest.mark.parametrize("entry", REFUSED["just-possible"], ids=str)
def test_what_a_deck_can_just_give_is_taken(entry: dict[str, Any]) -> None:
    assert sum(score("classic-500", **entry).points.values()) == sum(score("classic-500", **entry).hands.values())


def test_a_total_that_cards_cannot_make_comes_with_the_nearest_that_they_can() -> None:
    assert "59 or 70" in problems("classic-500", hands={"Bo": 61}, cards_left={"Bo": 2})["hands.Bo"]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        *((case["entry"], set(case["problems"])) for case in REFUSED["shapes"]),
        ({"hands": {"Bo": None}}, {"hands.Bo"}),
        ({"hands": {"Bo": 10**30}}, {"hands.Bo"}),
        ({"hands": {"Bo": ["red-7", 7, None, "", "red-13"]}}, {f"hands.Bo[{place}]" for place in (1, 2, 3, 4)}),
        ({"hands": {"Bo": ["1"] * 300}}, {"hands.Bo"}),
        ({"hands": {f"Bo {number}": ["red-13"] * 200 for number in range(5000)}}, {"hands"}),
        ({"sat_out": ["Di"] * 5000}, {"sat_out"}),
    ],
)
def test_a_round_of_the_wrong_shape_is_refused_by_field(entry: dict[str, Any], expected: set[str]) -> None:
    assert expected <= set(problems("classic-500", ("Ada", "Bo"), **({"hands": {"Bo": ["1"]}} | entry)))


# --- other endings --------------------------------------------------------------------------------


def drawn_out(rulebook: str = "two-player", **entry: Any) -> Scored:
    agreed = agree(rulebook, "end-when-draw-pile-empty")
    held = {"Ada": ["skip", "3"], "Bo": ["wild"]}
    return score(agreed, went_out=None, ended="draw-pile-empty", hands=held, **entry)


def test_an_empty_draw_pile_credits_nobody_until_the_table_says_whom() -> None:
    open_end = drawn_out()
    assert open_end.points == {"Ada": 0, "Bo": 0}
    assert any("don’t say who takes the points" in step.text for step in open_end.steps)
    assert drawn_out(credited_to=["Ada"]).points == {"Ada": 50, "Bo": 0}
    assert drawn_out(credited_to=["Ada", "Bo"]).points == {"Ada": 50, "Bo": 23}
    assert drawn_out(credited_to=[]).credited_to == ()


def test_an_empty_draw_pile_leaves_everyone_their_own_points_where_points_are_own() -> None:
    assert drawn_out("duo-200").points == {"Ada": 13, "Bo": 15}


@pytest.mark.parametrize("ended", ["draw-pile-empty", "time-limit"])
def test_an_ending_that_was_not_agreed_names_the_house_rule_it_needs(ended: str) -> None:
    message = problems("classic-500", went_out=None, ended=ended, hands={"Ada": ["1"], "Bo": ["2"]})["ended"]
    assert "house rule “" in message


def test_the_fewest_cards_win_the_match_when_the_time_is_up() -> None:
    agreed = agree("classic-500", "time-limit")
    found = score(
        agreed,
        TABLE,
        went_out=None,
        ended="time-limit",
        hands={"Bo": ["wild"]},
        cards_left={"Ada": 3, "Cy": 1, "Di": 2},
    )
    assert found.winners == ("Bo", "Cy")
    assert set(found.points.values()) == {0}
    assert found.hands == {"Bo": 50}


def test_only_the_endings_that_were_agreed_on_have_factors_by_which_a_phone_adds_up() -> None:
    assert set(shares(agree("classic-500"))) == {WENT_OUT}
    assert set(shares(agree("classic-500", "time-limit"))) == {WENT_OUT, TIME_LIMIT}


def test_rounds_won_need_no_hands() -> None:
    casual = agree("duo-200", count="rounds")
    assert score(casual, ("Ada", "Bo")).points == {"Ada": 1, "Bo": 0}
    told = score(casual, ("Ada", "Bo"), hands={"Bo": ["wild"]})
    assert (told.points, told.hands) == ({"Ada": 1, "Bo": 0}, {"Bo": 15})


# --- laws -----------------------------------------------------------------------------------------

Hands = dict[str, list[str] | int]


def priced(rulebook: str) -> Terms:
    """Agree on the worth of each card whose worth the text leaves to the table."""
    return agree(rulebook, face_points=[(str(face), 10) for face in agree(rulebook).unpriced])


@st.composite
def dealt(draw: st.DrawFn, agreed: Terms) -> dict[str, Any]:
    """Deal leftovers for everyone but Ada from one shuffled box, some faces bare, some hands typed as totals."""
    side = draw(st.sampled_from([*agreed.full_deck.sides, None])) if agreed.full_deck.sides else None
    box = agreed.full_deck.on(side or next(iter(agreed.full_deck.sides), None))
    pile = [card for card, count in box.cards.items() for _ in range(count if box.certain else 1)]
    shuffled = draw(st.randoms(use_true_random=False)).sample(pile, min(36, len(pile)))
    worth = agreed.card_points
    hands: Hands = {}
    for name in TABLE[1 : agreed.rulebook.players[-1]]:
        hand = [shuffled.pop() for _ in range(draw(st.integers(1, min(12, len(pile) // 3))))]
        if (side is None and len(agreed.full_deck.sides) > 0) or draw(st.booleans()):
            hands[name] = sum(worth[card.face] for card in hand)
        else:
            hands[name] = [str(Card(card.face) if draw(st.booleans()) else card) for card in hand]
    return {"hands": hands, "side": side}


@pytest.mark.parametrize("rulebook", rulebooks())
@given(data=st.data())
@settings(max_examples=25)
def test_a_round_gives_the_worth_of_every_hand_to_who_went_out_or_to_who_holds_it(
    rulebook: str, data: st.DataObject
) -> None:
    agreed = priced(rulebook)
    found = score(agreed, **data.draw(dealt(agreed)))
    assert set(found.hands) == set(found.points) - {"Ada"}
    if agreed.awards == "winner-takes":
        assert found.points == {**dict.fromkeys(found.hands, 0), "Ada": sum(found.hands.values())}
    else:
        assert agreed.awards == "own-points"
        assert found.points == {"Ada": 0, **found.hands}


CARDS = st.sampled_from(sorted({card for deck in decks_in_same_box("108") for card in deck.with_bare_faces()}, key=str))


@given(CARDS)
def test_printing_and_parsing_a_card_are_inverse(card: Card) -> None:
    assert parse_card(str(card)) == card
    assert parse_card(f"  {str(card).upper()} ") == card


@given(st.dictionaries(st.integers(1, 9), st.lists(CARDS, max_size=5) | st.integers(0, 500), max_size=4))
def test_writing_and_reading_a_round_are_inverse(hands: dict[int, list[Card] | int]) -> None:
    kept = {seat: hand if isinstance(hand, int) else tuple(hand) for seat, hand in hands.items()}
    entry = RoundEntry(went_out=0, hands=kept, cards_left={1: 3}, last_card=parse_card("wild"), sat_out=(3,))
    assert RoundEntry.from_document(entry.to_document()) == entry


SMALL_CARDS = [parse_card(text) for text in ("0", "skip", "wild", "red-0", "blue-0", "red-skip", "blue-skip")]
SMALL_BOX = Deck(
    "small",
    "a small box",
    {parse_card(text): count for text, count in (("red-0", 1), ("blue-0", 1), ("red-skip", 2), ("wild", 1))},
)


@given(st.lists(st.sampled_from(SMALL_CARDS), max_size=5))
@settings(max_examples=300)
def test_the_check_against_a_box_agrees_with_trying_every_way_to_hand_out_its_cards(held: list[Card]) -> None:
    box = [card for card, count in SMALL_BOX.cards.items() for _ in range(count)]
    possible = len(held) <= len(box) and any(
        all(want == got or (want.is_bare and want.face == got.face) for want, got in zip(held, given_out, strict=True))
        for given_out in set(permutations(box, len(held)))
    )
    assert (not SMALL_BOX.excess(held)) == possible


@given(st.lists(CARDS, min_size=1, max_size=60), st.sampled_from(sorted(each.id for each in decks_in_same_box("108"))))
@settings(max_examples=60)
def test_a_round_is_taken_exactly_when_its_box_has_the_cards(hand: list[Card], deck: str) -> None:
    agreed = agree("official", deck=deck, blank_points=5)
    assume(len(hand) < agreed.full_deck.size)
    entry = RoundEntry(went_out=0, hands={1: tuple(hand)})
    if agreed.full_deck.excess(hand):
        with pytest.raises(Impossible):
            score_round(agreed, entry, {0: "Ada", 1: "Bo"})
    else:
        assert score_round(agreed, entry, {0: "Ada", 1: "Bo"}).cards_left[1] == len(hand)
