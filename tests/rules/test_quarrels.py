"""The forty quarrels heard most: how many each rulebook of the classic deck settles, and which stands first."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.cards.decks import CLASSIC, decks
from referee.rules.disputes import DISPUTES_BY_ID, hear
from referee.rules.disputes.ruling import Ruling
from referee.rules.text.problem import Impossible
from referee.rules.text.words import speaking

QUARRELS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "cases" / "quarrels.toml").read_text("utf-8")
)["case"]
CLASSIC_DECK = [id for id, book in rulebooks().items() if book.deck.box == decks()[CLASSIC].box]


def is_settled(quarrel: dict[str, Any], book: Rulebook) -> bool:
    """Return whether a ruling leaves nothing open, where as many play as the rulebook is for."""
    players = quarrel["facts"]["players"]
    facts = quarrel["facts"] | {"players": players if players in book.players else book.players.start}
    try:
        ruling = hear(DISPUTES_BY_ID[quarrel["dispute"]], book, facts)
    except Impossible:
        return False  # can’t happen at that table
    assert isinstance(ruling, Ruling), (quarrel["name"], book.id, ruling.key)
    return None not in ruling.outcome.values()


@pytest.mark.parametrize("rulebook", rulebooks())
def test_a_rulebook_says_how_many_of_the_quarrels_it_settles(rulebook: str) -> None:
    book = rulebooks()[rulebook]
    assert book.settles == (sum(is_settled(quarrel, book) for quarrel in QUARRELS) if rulebook in CLASSIC_DECK else 0)


def test_none_settles_more_than_the_official_one_which_stands_first() -> None:
    assert len(QUARRELS) == len({quarrel["name"] for quarrel in QUARRELS}) == 40
    assert all(quarrel["source"] for quarrel in QUARRELS)
    assert max(book.settles for book in rulebooks().values()) == rulebooks()["official"].settles
    assert list(rulebooks())[:2] == ["official", "classic-500"]


def test_in_dutch_the_rulebook_of_its_readers_stands_second() -> None:
    with speaking("nl"):
        assert list(rulebooks())[:3] == ["official", "speluitslagen", "classic-500"]
        assert len(rulebooks()) == len({*rulebooks()})
