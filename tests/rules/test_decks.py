"""The decks there are, how a card's text is read against them, and deck files that are refused."""

import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.cards.cards import Deck, UnknownCard
from referee.rules.cards.decks import HERE, IDS, decks, decks_in_same_box, load_deck, parse_card
from referee.rules.disputes import DISPUTES
from referee.rules.disputes.tree import every_hearing
from referee.rules.text.toml_files import BrokenRulebook

BROKEN = sorted((Path(__file__).parents[1] / "broken_decks").glob("*.toml"))
EXPECTED = re.compile(r"\A# refused: clause (\S+), key (\S+), because it (.+)\n")


def sides(deck: Deck) -> list[Deck]:
    return list(deck.sides.values()) or [deck]


def refusal(text: str, deck: str) -> str:
    with pytest.raises(UnknownCard) as unknown:
        parse_card(text, decks()[deck])
    return str(unknown.value)


def test_every_file_is_a_deck_on_offer() -> None:
    assert {path.stem for path in HERE.glob("*.toml")} == set(IDS) == decks().keys()


def test_every_side_of_a_deck_whose_counts_are_certain_has_all_its_cards() -> None:
    for deck in decks().values():
        if deck.certain:
            assert [sum(side.cards.values()) for side in sides(deck)] == [deck.size] * len(sides(deck)), deck.id


def test_the_colors_of_a_side_are_told_apart_by_their_shape() -> None:
    for deck in decks().values():
        for side in sides(deck):
            assert len({color.shape for color in side.colors}) == len(side.colors), deck.id


def test_every_card_is_read_from_its_text_in_its_own_box() -> None:
    for deck in decks().values():
        for card in deck.with_bare_faces():
            assert parse_card(f" {str(card).upper()}", deck) == card


def test_the_decks_of_one_box_read_each_others_cards() -> None:
    assert [deck.id for deck in decks_in_same_box("112-blank")] == ["108", "112-blank", "112-special", "112-swap"]
    assert str(parse_card("blank", decks()["108"])) == "blank"
    assert str(parse_card("hit-one", decks()["attack-1"])) == "hit-one"


@pytest.mark.parametrize(
    ("text", "deck", "said"),
    [
        ("pink-7", "108", "“pink-7” belongs to UNO Flip!, not the classic box. Choose another card."),
        ("red-0", "flip", "“red-0” belongs to the classic box, not UNO Flip!. Choose another card."),
        ("eleven", "all-wild", "Choose wild, wild-reverse"),
        ("eleven", "flip", "blue, green, red, yellow, pink, teal, orange, or purple with"),
    ],
)
def test_a_text_that_is_no_card_of_the_box_is_told_which_are(text: str, deck: str, said: str) -> None:
    assert said in refusal(text, deck)


def test_a_two_sided_deck_shows_the_faces_of_one_side() -> None:
    flip = decks()["flip"]
    assert [str(face) for face in flip.on("light").faces if face not in flip.on("dark").faces] == [
        "draw-one", "skip", "wild-draw-two",
    ]  # fmt: skip
    assert flip.on("dark").times(2).face_count("wild-draw-color") == flip.times(2).on("dark").face_count(
        "wild-draw-color"
    )
    assert flip.on("dark").excess([parse_card("wild-draw-color")] * 5)
    assert not flip.on("dark").excess([parse_card("wild-draw-color")] * 4)
    assert flip.on("dark").excess([parse_card("red-7")])


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("blue-draw-five", "There’s no blue Draw Five: it’s on the dark side, in pink, teal, orange, or purple."),
        ("teal-skip", "There’s no teal Skip: it’s on the light side, in blue, green, red, or yellow."),
    ],
)
def test_a_color_of_the_other_side_is_called_that(card: str, said: str) -> None:
    with pytest.raises(UnknownCard) as refusal:
        parse_card(card, decks()["flip"])
    assert str(refusal.value) == said


def test_where_no_breakdown_is_printed_only_foreign_cards_are_too_many() -> None:
    deck = decks()["no-mercy"]
    assert not deck.excess([parse_card("red-draw-four")] * 20)
    assert deck.excess([parse_card("wild")]) == {parse_card("wild"): 0}


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_a_broken_deck_is_refused_with_its_fault_named(path: Path) -> None:
    expected = EXPECTED.match(path.read_text("utf-8"))
    assert expected, f"{path.name} does not say what is wrong with it"
    clause, key, because = ("" if part == "-" else part for part in expected.groups())
    with pytest.raises(BrokenRulebook) as broken:
        load_deck(path, decks())
    (fault,) = broken.value.faults
    assert (fault.file, fault.clause, fault.key) == (path.name, clause, key)
    assert because in fault.message


@pytest.mark.parametrize("deck", decks())
def test_every_hearing_ends_with_the_cards_of_any_box(deck: str) -> None:
    of_text = rulebooks()["classic-500"]
    clause = replace(of_text.clauses["deck-size"], settings=MappingProxyType({"deck": deck}))
    book = replace(of_text, clauses=MappingProxyType({**of_text.clauses, clause.id: clause}))
    colors = {color.id for color in book.deck.colors}
    for dispute in DISPUTES:
        for leaf in every_hearing(dispute, book):
            assert leaf.ruling.verdict, (dispute.id, leaf.given)
            assert leaf.given.get("color_in_play") in (None, *colors)
