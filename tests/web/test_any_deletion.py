"""Any history of two people whose names are deleted, restored and purged: nothing is lost, and nothing is left.

``REFEREE_FUZZ=500`` tries that many new ones, also with ``REFEREE_TEST_DATABASE=postgresql``.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from referee.records.deletion import purging
from referee.records.ids import new_id
from referee.records.models import Base, Club
from referee.records.soundness import faults_of_club
from referee.web.server.database import db
from tests.fuzz import tries

pytestmark = pytest.mark.usefixtures("database")

TAKEN = "(text with a deleted name)"
PEOPLE = ("Quentin", "Marigold")
TEXTS = ("{0} deals", "{1} won", "{0} & {1}", "nobody", "QUENTIN: {0}!", "with {1},\n{0}")
KINDS = ("note", "name", "amend", "reason", "correct", "ruling", "delete", "restore", "purge", "import", "rematch")
ACTS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 1), st.integers(0, len(TEXTS) - 1)), max_size=14)


@dataclass
class Words:
    """What a place should say: what was written there, and whether a purge took it."""

    text: str
    lost: bool = False

    def names(self, name: str) -> bool:
        return name.casefold() in self.text.casefold()


@dataclass
class Evening:
    """A club, and what its texts should be."""

    app: Flask
    club: dict[str, Any] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    match: str = ""
    texts: dict[str, list[Words]] = field(default_factory=dict)
    """by match: note, name, then its custom rules, then the reasons of its rounds"""
    deleted: set[str] = field(default_factory=set)
    purged: set[str] = field(default_factory=set)
    rulings: dict[str, str] = field(default_factory=dict)
    """summaries of rulings given while both had their names"""
    file: dict[str, Any] = field(default_factory=dict)

    def ask(self, method: str, path: str, *status: int, **options: Any) -> Any:
        key = {"Authorization": f"Bearer {self.club['scorekeeper_key']}", "If-Match": "*"}
        answer = self.app.test_client().open(f"/api/v1{path}", method=method, headers=key, **options)
        assert answer.status_code in (status or (200, 201)), f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json

    def begin(self) -> None:
        self.club = self.app.test_client().post("/api/v1/clubs", json={"name": "Table"}).get_json()
        plan = {"players": [*PEOPLE, "Cy"], "rulebook": "classic-500", "custom_rules": ["Quentin deals", "No phones"]}
        other = self.ask("POST", "/matches", json=plan | {"note": "Quentin & Marigold elsewhere", "custom_rules": []})
        self.file = self.ask("GET", "/export")
        self.ask("DELETE", f"/matches/{other['id']}")
        self.match = self.ask("POST", "/matches", json=plan)["id"]
        self.ids = {one["name"]: one["id"] for one in self.ask("GET", "/players")["players"]}
        self.texts[self.match] = [Words(""), Words(""), Words("Quentin deals"), Words("No phones")]

    def called(self, name: str) -> str:
        players = self.ask("GET", f"/matches/{self.match}")["seats"]
        return str(next(one["player"] for one in players if one["id"] == self.ids[name]))

    def shown(self, words: Words) -> str:
        return TAKEN if words.lost or any(words.names(name) for name in self.deleted) else words.text

    def typed(self, number: int) -> str | None:
        """Return a text to type; None for one that names someone whose name is gone."""
        text = TEXTS[number].format(*PEOPLE)
        return None if any(Words(text).names(name) for name in self.deleted | self.purged) else text

    def act(self, kind: str, who: int, number: int) -> None:
        name, texts = PEOPLE[who], self.texts[self.match]
        text = self.typed(number)
        if kind in ("note", "name") and text is not None and (kind == "note" or "\n" not in text):
            self.ask("PATCH", f"/matches/{self.match}", json={kind: text})
            texts[kind == "name"] = Words(text)
        elif kind == "amend" and text is not None and "\n" not in text:
            rules = self.ask("GET", f"/matches/{self.match}")["custom_rules"]
            if len(rules) < 5:
                self.ask("POST", f"/matches/{self.match}/amendments", json={"custom_rules": [*rules, text]})
                texts.insert(2 + len(rules), Words(text))
        elif kind == "reason" and text is not None and "\n" not in text:
            self.round(text)
        elif kind == "correct":
            self.round(None)
        elif kind == "ruling":
            facts = {"challenged": True, "challenger": "target", "held_color": True}
            roles = {"offender": self.called(PEOPLE[0]), "target": self.called(PEOPLE[1])}
            case = {"dispute": "draw-four-challenge", "facts": facts, "players": roles}
            given = self.ask("POST", f"/matches/{self.match}/rulings", json=case)
            if not self.deleted | self.purged:
                self.rulings[given["id"]] = given["summary"]
        elif kind == "delete" and name not in self.deleted | self.purged:
            self.ask("DELETE", f"/players/{self.ids[name]}")
            self.deleted.add(name)
        elif kind == "restore":
            self.ask("POST", f"/players/{self.ids[name]}/restore", 410 if name in self.purged else 200)
            self.deleted.discard(name)
        elif kind == "purge":
            with self.app.app_context():
                purging.purge(db.engine, at_once=True)
            for words in (one for texts in self.texts.values() for one in texts):
                words.lost |= any(words.names(name) for name in self.deleted)
            self.purged |= self.deleted
            self.deleted.clear()
        elif kind == "import":
            document = copy.deepcopy(self.file)
            (match,) = document["matches"]
            match |= {"id": new_id(), "events": []}
            assert self.ask("POST", "/import", json=document)["matches"] == 1
            self.texts[match["id"]] = [Words(match["note"], lost=bool(self.purged)), Words("")]
        elif kind == "rematch":
            self.ask("POST", f"/matches/{self.match}/finish")
            rules = len(self.ask("GET", f"/matches/{self.match}")["custom_rules"])
            self.match = self.ask("POST", f"/matches/{self.match}/rematch")["id"]
            copies = [copy.copy(one) for one in texts[1 : 2 + rules]]
            self.texts[self.match] = [Words(""), *copies]

    def round(self, reason: str | None) -> None:
        """Record a round, or correct the last one and leave what it says as it is."""
        document = self.ask("GET", f"/matches/{self.match}")
        quentin, marigold = (self.called(name) for name in PEOPLE)
        entry: dict[str, Any] = {"went_out": "Cy", "hands": {quentin: 1, marigold: 2}}
        if reason is None:
            if document["rounds"]:
                last = document["rounds"][-1]
                entry |= {"hands": {quentin: 3, marigold: 2}, "adjustments": last.get("adjustments", [])}
                self.ask("PUT", f"/matches/{self.match}/rounds/{last['id']}", json=entry)
            return
        entry["adjustments"] = [{"player": "Cy", "points": 1, "reason": reason}]
        self.ask("POST", f"/matches/{self.match}/rounds", json=entry | {"after": len(document["rounds"])})
        self.texts[self.match].append(Words(reason))

    def check(self) -> None:
        for id, texts in self.texts.items():
            document = self.ask("GET", f"/matches/{id}")
            reasons = [one["reason"] for played in document["rounds"] for one in played["adjustments"]]
            said = [document["note"], document["name"], *document["custom_rules"], *reasons]
            assert said == [self.shown(words) for words in texts]
            for ruling in document["rulings"]:
                if not self.deleted | self.purged and ruling["id"] in self.rulings:
                    assert ruling["summary"] == self.rulings[ruling["id"]]
        exported = str(self.ask("GET", "/export")).casefold()
        assert [name for name in self.deleted | self.purged if name.casefold() in exported] == []
        with self.app.app_context():
            own = [
                repr(row).casefold()
                for table in Base.metadata.sorted_tables
                for row in db.session.execute(
                    select(table).where(table.c.get("club_id", table.c.get("id")) == self.club["id"])
                )
            ]
            assert [name for name in self.purged if any(name.casefold() in row for row in own)] == []
            assert list(faults_of_club(db.session(), db.session.get_one(Club, self.club["id"]))) == []
            db.session.rollback()


@tries(5)
@given(acts=ACTS)
@pytest.mark.promise("reliability#histories", "deleting#letter-by-letter")
def test_whatever_two_people_delete_restore_and_purge_nothing_is_lost_or_left(
    app: Flask, acts: Sequence[tuple[str, int, int]]
) -> None:
    evening = Evening(app)
    evening.begin()
    for kind, who, number in acts:
        evening.act(kind, who, number)
        if kind in ("delete", "restore", "purge", "import"):
            evening.check()
    for who in (0, 1):
        evening.act("restore", who, 0)
    evening.check()
