"""What a club decided where its rules are silent, through the JSON interface."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from referee.records.errors import MOST_PRECEDENTS
from tests.web.api.test_rulings import Table

GUILTY: dict[str, Any] = {
    "dispute": "draw-four-challenge",
    "facts": {"challenged": True, "challenger": "target", "held_color": True},
    "players": {"offender": "Ada", "target": "Bo"},
}
CLAUSE = "challenge-guilty-after"
PLAYS_ON = [{"clause": CLAUSE, "settings": {"guilty_next_turn": "target"}}]
IN_WORDS = [{"clause": CLAUSE, "text": "We draw for it."}]


@pytest.fixture
def table(app: Flask) -> Table:
    return Table(app.test_client())


def hear(table: Table, **more: Any) -> Any:
    body = {"dispute": GUILTY["dispute"], "rulebook": "classic-500", "facts": GUILTY["facts"] | {"players": 4}, **more}
    return table.client.post("/api/v1/hearings", json=body, headers=table.scorekeeper)


def law(table: Table, query: str = "") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]]
    listed = table.client.get(f"/api/v1/precedents{query}", headers=table.spectator).get_json()["precedents"]
    return listed


def test_hearing_names_each_open_clause_and_what_could_fill_it_in(table: Table) -> None:
    said = hear(table).get_json()
    (point,) = said["open"]
    assert (point["clause"], "next_turn" in point["keys"]) == (CLAUSE, True)
    choice = next(one for one in point["choices"] if one["settings"] == PLAYS_ON[0]["settings"])
    assert choice["label"] == "Play goes on with the next player."
    assert {"role": "target", "action": "play-next", "cards": None} in choice["orders"]
    assert "open" not in hear(table, rulebook="all-wild").get_json()


def test_decision_stands_beside_what_the_rulebook_says(table: Table) -> None:
    plain = table.give(GUILTY).get_json()
    said = table.give(GUILTY | {"decided": PLAYS_ON}).get_json()
    assert {key: said[key] for key in ("status", "verdict", "outcome", "silent_on", "orders")} == {
        key: plain[key] for key in ("status", "verdict", "outcome", "silent_on", "orders")
    }
    assert said["decided"] == PLAYS_ON
    assert (said["outcome"]["next_turn"], said["decided_outcome"]["next_turn"]) == (None, "target")
    assert {"role": "target", "action": "play-next", "cards": None} in said["decided_orders"]
    match = table.client.get(f"/api/v1/matches/{table.match['id']}", headers=table.spectator).get_json()
    assert match["rulings"] == [plain, said]
    assert law(table) == []


def test_what_is_kept_is_offered_where_the_same_question_is_open_again(table: Table) -> None:
    table.give(GUILTY | {"decided": PLAYS_ON})
    kept = table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"}).get_json()
    (found,) = hear(table, match=table.match["id"]).get_json()["precedents"]
    assert table.give(GUILTY).get_json()["precedents"] == [{"id": kept["id"], "clause": CLAUSE}]
    assert kept["kept"]
    assert (found["id"], found["clause"], found["settings"]) == (kept["id"], CLAUSE, PLAYS_ON[0]["settings"])
    assert (found["match"], found["decided_at"]) == (table.match["id"], kept["given_at"])
    assert "precedents" not in hear(table).get_json()
    assert "precedents" not in hear(table, rulebook="two-player", match=table.match["id"]).get_json()
    another = Table(table.client)
    assert hear(another, match=table.match["id"]).status_code == 404
    assert law(another) == []


def test_newest_decision_comes_first_and_one_in_words_is_kept_too(table: Table) -> None:
    table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    table.give(GUILTY | {"decided": IN_WORDS, "keep": "always"})
    assert [one.get("text") or one["settings"] for one in law(table)] == ["We draw for it.", PLAYS_ON[0]["settings"]]
    found = hear(table, match=table.match["id"]).get_json()["precedents"]
    assert [one["id"] for one in found] == [one["id"] for one in law(table)]
    assert [one["clause"] for one in law(table, "?q=draw+for+it")] == [CLAUSE]
    assert law(table, "?q=elephant") == []
    assert law(table, "?dispute=uno-call") == []


def test_forgotten_decision_counts_no_more_and_stays_with_its_match(table: Table) -> None:
    kept = table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"}).get_json()
    address = f"/api/v1/precedents/{kept['id']}"
    assert table.client.delete(address, headers=table.spectator).status_code == 403
    assert table.client.delete(address, headers=Table(table.client).scorekeeper).status_code == 404
    assert table.client.delete(address, headers=table.scorekeeper).status_code == 204
    assert table.client.delete(address, headers=table.scorekeeper).status_code == 404
    assert law(table) == []
    match = table.client.get(f"/api/v1/matches/{table.match['id']}", headers=table.spectator).get_json()
    assert match["rulings"][0]["decided"] == PLAYS_ON


@pytest.mark.parametrize(
    ("change", "field", "named"),
    [
        (
            {"decided": [{"clause": "challenge-who", "settings": {"challengers": "target"}}]},
            "decided[0].clause",
            CLAUSE,
        ),
        (
            {"decided": [{"clause": CLAUSE, "settings": {"guilty_next_turn": "dealer"}}]},
            "decided[0].settings.guilty_next_turn",
            "offender",
        ),
        ({"decided": [{"clause": CLAUSE}]}, "decided[0].settings", CLAUSE),
        ({"decided": [*IN_WORDS, *IN_WORDS]}, "decided", "one"),
        ({"decided": [{"clause": CLAUSE, "text": "x" * 501}]}, "table_decided", "500"),
        ({"keep": "always"}, "keep", "first"),
        ({"decided": PLAYS_ON, "keep": "never"}, "keep", "once"),
    ],
)
def test_wrong_decision_is_named_and_nothing_is_kept(
    table: Table, change: dict[str, Any], field: str, named: str
) -> None:
    answer = table.give(GUILTY | change)
    assert answer.status_code == 422
    errors = {one["field"]: one["message"] for one in answer.get_json()["errors"]}
    assert named in errors[field], errors
    assert law(table) == []


def test_spectator_decides_nothing(table: Table) -> None:
    table.client.post(table.address, json=GUILTY | {"decided": PLAYS_ON}, headers=table.spectator, status=403)


def test_export_carries_the_law_and_a_deleted_match_leaves_it(table: Table) -> None:
    kept = table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"}).get_json()
    assert table.client.delete(f"/api/v1/matches/{table.match['id']}", headers=table.scorekeeper).status_code < 300
    ((found),) = law(table)
    assert (found["id"], found["match"]) == (kept["id"], None)
    document = table.client.get("/api/v1/export", headers=table.scorekeeper).get_json()
    assert document["matches"] == []
    (alone,) = document["precedents"]
    assert (alone["id"], alone["seats"], alone["facts"]) == (kept["id"], {}, {})
    assert "Ada" not in str(alone)
    other = Table(table.client)
    imported = table.client.post("/api/v1/import", json=document, headers=other.scorekeeper)
    assert imported.status_code == 422  # another club's people
    empty = table.client.post("/api/v1/clubs", json={"name": "Fridays"}).get_json()
    key = {"Authorization": f"Bearer {empty['scorekeeper_key']}"}
    for _ in range(2):
        assert table.client.post("/api/v1/import", json=document, headers=key).status_code == 200
    listed = table.client.get("/api/v1/precedents", headers=key).get_json()["precedents"]
    assert [(one["id"], one["settings"]) for one in listed] == [(kept["id"], PLAYS_ON[0]["settings"])]


def test_decision_in_words_that_went_with_a_deleted_name_makes_no_rule(table: Table) -> None:
    words = [{"clause": CLAUSE, "text": "Ada plays on"}]
    kept = table.give(GUILTY | {"decided": words, "keep": "always"}).get_json()
    ada = f"/api/v1/players/{table.match['seats'][0]['id']}"
    rule = f"/api/v1/precedents/{kept['id']}/rule"
    assert table.client.delete(ada, headers=table.scorekeeper).status_code == 200
    assert law(table) == []
    assert table.client.post(rule, headers=table.scorekeeper).status_code == 404
    assert table.client.post(f"{ada}/restore", headers=table.scorekeeper).status_code == 200
    assert law(table)[0]["text"] == "Ada plays on"
    assert table.client.post(rule, headers=table.scorekeeper).status_code == 201


def test_club_keeps_no_more_than_there_is_room_for(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.records.club.precedents.MOST_PRECEDENTS", 1)
    table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    answer = table.give(GUILTY | {"decided": IN_WORDS, "keep": "always"})
    assert (answer.status_code, answer.get_json()["errors"][0]["field"]) == (422, "keep")
    assert len(law(table)) == 1 < MOST_PRECEDENTS


def test_precedent_made_a_rule_settles_the_question_in_the_next_match(table: Table) -> None:
    kept = table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"}).get_json()
    words = table.give(GUILTY | {"decided": IN_WORDS, "keep": "always"}).get_json()
    assert table.client.post(f"/api/v1/precedents/{kept['id']}/rule", headers=table.spectator).status_code == 403
    made = [
        table.client.post(f"/api/v1/precedents/{one['id']}/rule", headers=table.scorekeeper) for one in (kept, words)
    ]
    first, second = (answer.get_json() for answer in made)
    assert [answer.status_code for answer in made] == [201, 201]
    assert (first["id"], second["version"]) == (second["id"], 2)
    assert (second["base"], second["changes"]) == ("classic-500", {CLAUSE: PLAYS_ON[0]["settings"]})
    assert [clause["text"] for clause in second["clauses"]] == ["We draw for it."]
    said = hear(table, rulebook=first["id"]).get_json()
    assert said["outcome"]["next_turn"] == "target"
    agreed = {"players": ["Ada", "Bo", "Cy"], "rulebook": first["id"]}
    played = table.client.post("/api/v1/matches", json=agreed, headers=table.scorekeeper).get_json()
    address = f"/api/v1/matches/{played['id']}"
    entry = {"after": 0, "ended": "went-out", "went_out": "Ada", "hands": {"Bo": ["7"], "Cy": ["3"]}}
    assert table.client.post(f"{address}/rounds", json=entry, headers=table.scorekeeper).status_code == 201
    ruled = table.client.post(f"{address}/rulings", json=GUILTY, headers=table.scorekeeper).get_json()
    assert {"role": "target", "action": "play-next", "cards": None} in ruled["orders"]
    assert all(one["rule_since"] for one in law(table))


OURS: dict[str, Any] = {"dispute": GUILTY["dispute"], "rulebook": "classic-500", **PLAYS_ON[0]}


def make(table: Table, headers: dict[str, str] | None = None, **change: Any) -> Any:
    return table.client.post("/api/v1/precedents", json=OURS | change, headers=headers or table.scorekeeper)


def test_rule_of_ours_needs_no_match_and_is_offered_where_the_question_is_open(table: Table) -> None:
    answer = make(table)
    assert answer.status_code == 201
    assert law(table) == [answer.get_json()]
    assert answer.get_json()["match"] is None
    (found,) = hear(table, match=table.match["id"]).get_json()["precedents"]
    assert found["settings"] == PLAYS_ON[0]["settings"]
    taken = table.give(GUILTY | {"decided": PLAYS_ON}).get_json()
    assert taken["precedents"] == [{"id": found["id"], "clause": CLAUSE}]
    assert taken["decided_outcome"]["next_turn"] == "target"
    document = table.client.get("/api/v1/export", headers=table.scorekeeper).get_json()
    empty = table.client.post("/api/v1/clubs", json={"name": "Fridays"}).get_json()
    key = {"Authorization": f"Bearer {empty['scorekeeper_key']}"}
    assert table.client.post("/api/v1/import", json=document, headers=key).status_code == 200
    assert table.client.get("/api/v1/precedents", headers=key).get_json()["precedents"] == [answer.get_json()]
    rule = table.client.post(f"/api/v1/precedents/{found['id']}/rule", headers=key)
    assert (rule.status_code, rule.get_json()["base"]) == (201, "classic-500")


def test_rule_of_ours_made_a_rule_is_open_no_more(table: Table) -> None:
    keeps_color: dict[str, Any] = {"dispute": "wild-with-match", "clause": "wild-same-color"}
    keeps_color["settings"] = {"may_keep_color": True}
    made = make(table, **keeps_color).get_json()
    rule = table.client.post(f"/api/v1/precedents/{made['id']}/rule", headers=table.scorekeeper).get_json()
    assert rule["changes"] == {"wild-same-color": {"may_keep_color": True}}
    assert make(table, **keeps_color, rulebook=rule["id"]).get_json()["errors"][0]["field"] == "clause"


@pytest.mark.parametrize(
    ("change", "field", "named"),
    [
        ({"clause": "challenge-who", "settings": {"challengers": "target"}}, "clause", CLAUSE),
        ({"settings": {"guilty_next_turn": "dealer"}}, "settings.guilty_next_turn", "offender"),
        ({"settings": {"challengers": "target"}}, "settings.challengers", "guilty_next_turn"),
        ({"settings": {}}, "settings", CLAUSE),
        ({"text": "We draw."}, "settings", CLAUSE),
        ({"settings": {}, "text": "x" * 501}, "text", "500"),
        ({"dispute": "nobody-paid"}, "clause", CLAUSE),
        ({"rulebook": "all-wild"}, "clause", "isn’t open"),
        ({"rulebook": "monopoly"}, "rulebook", "classic-500"),
        ({"house_rules": ["free-beer"]}, "house_rules[0]", "free-beer"),
    ],
)
def test_wrong_rule_of_ours_is_named_and_nothing_is_kept(
    table: Table, change: dict[str, Any], field: str, named: str
) -> None:
    answer = make(table, **change)
    assert answer.status_code == 422
    errors = {one["field"]: one["message"] for one in answer.get_json()["errors"]}
    assert named in errors[field], errors
    assert law(table) == []


def test_rule_of_ours_is_made_by_a_scorekeeper_as_far_as_there_is_room(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert make(table, table.spectator).status_code == 403
    monkeypatch.setattr("referee.records.club.precedents.MOST_PRECEDENTS", 1)
    assert make(table).status_code == 201
    answer = make(table, settings={}, text="We draw for it.")
    assert (answer.status_code, answer.get_json()["errors"][0]["field"]) == (422, "keep")
    assert len(law(table)) == 1
    assert law(Table(table.client)) == []
