"""A deleted name goes wherever it is not part of a longer word, whatever the player was called."""

from __future__ import annotations

import pytest

from referee.records.deletion.renaming import Names, without_names
from referee.records.models import Base

FORMER = "Former player 1"


@pytest.mark.parametrize(
    ("name", "text", "without"),
    [
        ("Quentin", "Quentin!", "Former player 1!"),
        ("Quentin", "Quentin:deals", "Former player 1:deals"),
        ("Quentin", "Quentinette and quentin stay", "Quentinette and quentin stay"),
        ("小明", "小明赢了", "Former player 1赢了"),
        ("Ada", "Ada赢了 Adaマ Adam", "Former player 1赢了 Former player 1マ Adam"),
        ("ส้ม", "ส้มชนะ", "Former player 1ชนะ"),
        ("राम", "राम, रामा", "Former player 1, रामा"),
        ("Zoe", "Zoe\N{COMBINING DIAERESIS} is another", "Zoe\N{COMBINING DIAERESIS} is another"),
        ("🦊", "a🦊b", "aFormer player 1b"),
        (".*", "Anyone .* anyone", "Anyone Former player 1 anyone"),
        ("Former", "Former wins", "Former player 1 wins"),
    ],
)
def test_a_deleted_name_stays_nowhere_but_in_longer_words(name: str, text: str, without: str) -> None:
    assert without_names(text, {name}, FORMER) == without


def test_of_several_names_the_longest_is_found_first_and_none_twice() -> None:
    assert without_names("Ada B and Ada and Ada Bob", {"Ada", "Ada B"}, "Ada 1") == "Ada 1 and Ada 1 and Ada 1 Bob"


@pytest.mark.parametrize("name", ["\\q", "\\1", "a\\", "\\g<x>", "\\g<0>", "A\\nB", "{0}"])
def test_a_restored_name_is_no_template_of_a_regular_expression(name: str) -> None:
    assert without_names(f"{FORMER} deals", {FORMER}, name) == f"{name} deals"


@pytest.mark.parametrize("name", ["note", "by", "summary", "text", "draw", "offender", "ruled"])
def test_a_player_called_as_a_key_of_our_json_breaks_nothing(name: str) -> None:
    names = Names(frozenset({name}), {}, FORMER, {})
    agreement = {"by": "by", "note": f"{name} deals", "custom_rules": [name], "count": name, "digest": name}
    changed = names.changed(
        Base.metadata.tables["matches"], {"agreements": [agreement], "name": "", "location": "", "note": ""}, None, ""
    )
    new = {"note": f"{FORMER} deals", "custom_rules": [FORMER]}
    assert changed == {"agreements": [agreement | new]}
    ruling = {"status": name, "summary": name, "orders": [{"role": name, "action": name}], "steps": [{"text": name}]}
    changed = names.changed(Base.metadata.tables["rulings"], {"ruling": ruling, "table_decided": None}, None, "")
    assert changed == {"ruling": ruling | {"summary": FORMER, "steps": [{"text": FORMER}]}}


def test_nothing_is_cut_where_there_is_no_room_for_the_stand_in() -> None:
    names = Names(frozenset({"Bo"}), {}, FORMER, {}, ("‹1›", "…"))
    for text, new in (
        ("Bo" + " x" * 30, FORMER + " x" * 30),
        ("Bo" + " x" * 38, "‹1›" + " x" * 38),
        ("Bo" + " x" * 39, "…" + " x" * 39),
    ):
        row = {"name": text, "location": "", "note": "", "agreements": []}
        assert names.changed(Base.metadata.tables["matches"], row, None, "") == {"name": new}
