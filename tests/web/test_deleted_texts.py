"""Texts with a deleted name are taken out whole, return letter by letter, and go with the first name purged."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import JSON, String, Text, select

from referee.records.deletion.texts import OURS, RENAMED, TAKEN_OUT, UNTOUCHED, NameFinder
from referee.records.models import Base, RemovedText
from referee.web.server.database import db
from tests.ground.house import House
from tests.web.test_deleting import call, rows

pytestmark = pytest.mark.usefixtures("database")

TAKEN = "(text with a deleted name)"


def test_every_column_of_texts_says_what_a_deletion_does_with_it() -> None:
    columns = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.c
        if isinstance(column.type, String | Text | JSON)
    }
    ours = {f"{table}.{name}" for table, names in OURS.items() for name in names.split()}
    said = [*TAKEN_OUT, *RENAMED, *(name for name in UNTOUCHED if name != "idempotent_answers.body"), *ours]
    assert len(said) == len(set(said))
    assert columns - set(said) == set(), "say in referee/records/deletion/texts.py what a deletion does with these"
    assert set(said) - columns == set(), "no longer there"


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Quentin", "with quentin, at last", True),
        ("Quentin", "QUENTIN:deals", True),
        ("Quentin", "Quentinette", False),
        ("Quentin", "Bo deals", None),
        ("Straße", "STRASSE 5", True),
        ("Ada", "Ａｄａ won", True),
        ("Ada", "Adas turn", False),
        ("민수", "민수가 이겼다", False),
        ("أحمد", "وأحمد", False),
        ("أحمد", "فاز أحمد", True),
        ("Al", "Al deals", False),
        ("Ed", "Edda", False),
        ("e", "e", False),
        ("🙂🙂🙂", "🙂🙂🙂!", True),
        ("第1小明", "第1小明赢了", False),
        ("राम", "रामा", False),
        ("Zoe", "Zoe\N{COMBINING DIAERESIS} is another", None),
        ("…", "…", False),
        (".*+?", "Anyone .*+? anyone", True),
        ("aaab", "aaaaab aaab", True),
    ],
)
def test_a_name_is_found_in_any_case_and_ticked_where_it_stands_free(name: str, text: str, found: bool | None) -> None:
    assert NameFinder({name, "Nobody Else"}).find_in(text) is found


def test_a_text_is_taken_out_whole_and_returns(house: House) -> None:
    ids = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    assert call(house, "PATCH", f"/players/{ids['Bo']}", json={"name": "Quentin"}).status_code == 200
    written = {"name": "Quentin’s birthday", "note": "quentin sat\nbeside Di", "location": "Quentinette’s"}
    call(house, "PATCH", "/matches/<match_id>", json=written)
    call(house, "POST", "/matches/<match_id>/amendments", json={"custom_rules": ["No phones", "Quentin deals"]})
    ruling = {"dispute": "played-card-effect", "facts": {"played": "red-skip"}, "players": {"offender": "Quentin"}}
    call(house, "POST", "/matches/<match_id>/rulings", json=ruling)
    before = rows(house.app)
    assert call(house, "DELETE", f"/players/{ids['Bo']}").status_code == 200
    document: dict[str, Any] = call(house, "GET", "/matches/<match_id>").json
    assert (document["name"], document["note"], document["location"]) == (TAKEN, TAKEN, "Quentinette’s")
    assert document["custom_rules"] == ["No phones", TAKEN]
    assert document["rulings"][-1]["summary"].startswith("The player after Former player 1")
    with house.app.app_context():
        assert db.session.scalars(select(RemovedText)).all()
        db.session.rollback()
    assert call(house, "POST", f"/players/{ids['Bo']}/restore").status_code == 200
    assert rows(house.app) == before
