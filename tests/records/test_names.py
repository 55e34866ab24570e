"""Names and notes: how long they may be before anything reads them, and what counts as seen."""

import unicodedata
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from referee.records import names as names_module
from referee.records.names import LONGEST_NAME, LONGEST_NOTE, clean_name, clean_text, fold_name
from referee.rules.text import problem as texts_module
from referee.rules.text.problem import DECOMPOSED, LONGEST_FOLDED, MOST_MARKS, Impossible

LEGITIMATE = (
    "Ada",
    "Ngô Bảo Châu",
    "בְּרֵאשִׁ֖ית",  # pointed and with accents
    "ผู้ใหญ่",
    "བསྒྲུབས",
    "👩🏽\u200d❤️\u200d💋\u200d👨🏿",
    "1️⃣",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿 Bo",
    "강감찬",
    "Zoë \N{COMBINING ACUTE ACCENT}",
)
INVISIBLE = ("\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\U0001d159", "\u200b", "\u2060", "\u00ad", "\ufe0f", "")
READERS: tuple[tuple[Callable[[str], str], int], ...] = (
    (clean_name, LONGEST_NAME),
    (lambda text: clean_text(text, "note"), LONGEST_NOTE),
)
"""What tidies a text, and how many characters it takes."""


def forbid(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let nothing here compose letters, or whatever else is named."""

    def refuse(*_: object) -> str:
        raise AssertionError("read before it was known to be fit")

    watched = SimpleNamespace(**dict.fromkeys(names, refuse))
    for name in ("normalize", "category"):
        watched.__dict__.setdefault(name, getattr(unicodedata, name))
    monkeypatch.setattr(names_module, "unicodedata", watched)
    monkeypatch.setattr(texts_module, "unicodedata", watched)


@pytest.mark.parametrize("name", LEGITIMATE)
def test_names_of_all_scripts_fit_composed_or_not(name: str) -> None:
    assert clean_name(name) == unicodedata.normalize("NFC", name)
    assert clean_name(unicodedata.normalize("NFD", name)) == unicodedata.normalize("NFC", name)
    assert clean_text(name, "note") == unicodedata.normalize("NFC", name)


def test_forty_letters_of_three_code_points_each_are_a_name() -> None:
    decomposed = unicodedata.normalize("NFD", "ệ" * LONGEST_NAME)
    assert len(decomposed) == 3 * LONGEST_NAME
    assert clean_name(decomposed) == "ệ" * LONGEST_NAME


@pytest.mark.promise("security#invisible-letters")
def test_an_invisible_name_is_refused_as_empty() -> None:
    for name in (*INVISIBLE, "".join(INVISIBLE), f" {INVISIBLE[0]} "):
        with pytest.raises(Impossible, match="visible"):
            clean_name(name)


@pytest.mark.promise("security#invisible-letters")
def test_a_long_text_is_refused_by_its_length_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Composing 80,000 marks takes seconds, so the length goes before everything that looks at letters."""
    forbid(monkeypatch, "normalize", "category")
    for read, longest in READERS:
        with pytest.raises(Impossible, match="use at most"):
            read("a" + "\u0301" * (DECOMPOSED * longest))
    long = "a" + "\u0301" * LONGEST_FOLDED
    assert fold_name(long) is long


@pytest.mark.promise("security#invisible-letters")
def test_marks_piled_on_one_letter_are_refused_before_they_are_composed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert clean_name("Z" + "\u0351" * MOST_MARKS)
    forbid(monkeypatch, "normalize")
    for read, _ in READERS:
        for pile in ("\u0351" * (MOST_MARKS + 1), "\u0323\u0301" * MOST_MARKS):
            with pytest.raises(Impossible, match="marks"):
                read("Z" + pile)
