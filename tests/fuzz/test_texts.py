"""Rulebook files, cards and sums: whatever they say, they are read or refused in words."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.rules import RULES_FOLDER
from referee.rules.books.library import (
    house_rules,
    load_house_rule,
    load_questions,
    load_rulebook,
    questions,
    rulebooks,
)
from referee.rules.cards.cards import HIGHEST_TOTAL, Card, NotATotal, UnknownCard, parse_total
from referee.rules.cards.decks import parse_card
from referee.rules.scoring.round_entry import RoundEntry, company, read_round
from referee.rules.text.toml_files import BrokenRulebook
from referee.web.page.fields import read_hand
from tests.fuzz import tries
from tests.fuzz.rubbish import texts, values

SOUND = {
    path.name: path.read_bytes()
    for folder in ("rulebooks", "house_rules")
    for path in (RULES_FOLDER / folder).glob("*")
}
PIECES = (
    b"[[clauses]]\n", b"[", b"]", b"{", b'"', b"'", b'"""', b"=", b".", b"#", b"\n", b"\x00", b"\xff", b"id = 1\n",
    b"id = []\n", b"id = 1979-05-27\n", b"settings = 1\n", b"settings = { guilty_draws = [[]] }\n", b"inf", b"nan",
    b"clauses = 1\n", b"silent = 1\n", b"silent = [1]\n", b"[silent]\n", b"[[house_rules]]\n", b"excludes = [1]\n",
    b"x = " + b"9" * 5000 + b"\n", b"topic = { a = 1 }\n", b"\\ud800", b"\\U0010ffff", b"true", b"[[questions]]\n",
)  # fmt: skip
DEEP = b"x = " + b"[" * 5000


@st.composite
def broken_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """Cut, double and sprinkle a file of ours."""
    name = draw(st.sampled_from(sorted(SOUND)))
    data = SOUND[name]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.sampled_from((0, 0, 1, 5, 40, 400)))
        what = draw(st.sampled_from(PIECES) | st.binary(max_size=8) | st.just(data[start:end] * 2))
        data = data[:start] + what + data[end:]
    return name, data


@tries(60)
@given(file=broken_files())
@example(file=("duo-200.toml", DEEP))
@example(file=("questions.toml", DEEP))
@example(file=("jump-in.toml", DEEP))
@example(file=("duo-200.toml", b"x = " + b"9" * 5000))
def test_a_rulebook_file_is_read_or_refused_with_its_faults(
    tmp_path_factory: pytest.TempPathFactory, file: tuple[str, bytes]
) -> None:
    name, data = file
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data)
    faults: tuple[object, ...] = ()
    try:
        _load(path)
    except BrokenRulebook as error:
        faults = error.faults or ("refused without a fault",)
    assert all(name in str(fault) for fault in faults)


def _load(path: Path) -> object:
    if path.name == "questions.toml":
        return load_questions(path), load_questions(path, "further")
    if (RULES_FOLDER / "house_rules" / path.name).exists():
        return load_house_rule(path, questions())
    return load_rulebook(path, questions(), house_rules(), rulebooks())


@tries(300)
@given(text=texts())
@example(text="7 8")
def test_a_hand_is_read_or_refused_in_words(text: str) -> None:
    hand = _said_by(read_hand, text)
    if isinstance(hand, int):
        assert 0 <= hand <= HIGHEST_TOTAL
        assert read_hand(f"={hand}") == hand
    elif isinstance(hand, tuple):
        assert read_hand(", ".join(map(str, hand))) == hand


@tries(300)
@given(text=texts())
def test_a_card_and_a_total_say_what_would_be_right(text: str) -> None:
    card, total = _said_by(parse_card, text), _said_by(parse_total, text)
    assert isinstance(card, Card | str)
    assert isinstance(total, str) or (isinstance(total, int) and 0 <= total <= HIGHEST_TOTAL)


def _said_by(read: Callable[[str], object], text: str) -> object:
    """Read a text; give what it says, or else the words by which it was refused."""
    try:
        return read(text)
    except (UnknownCard, NotATotal) as error:
        words = str(error)
    assert 0 < len(words) < 1000
    return words


@tries(200)
@given(
    document=st.dictionaries(
        st.sampled_from(("ended", "went_out", "hands", "cards_left", "last_card", "credited_to", "sat_out")), values()
    )
)
def test_a_round_is_read_whatever_it_says(document: dict[str, object]) -> None:
    entry = read_round(document, company(document))
    if not entry.unread:
        assert RoundEntry.from_document(entry.to_document()) == entry
