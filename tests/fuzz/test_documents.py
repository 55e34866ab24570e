"""Programs send documents that were right until someone changed them: refused by their fields, or sound."""

import copy
import gzip
import json
from typing import Any

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import tries
from tests.fuzz.evening import ROUND, Evening, begin, empty
from tests.fuzz.rubbish import changed, texts, values
from tests.ground.record import faults

BODIES: dict[str, Any] = {
    "POST /matches": {
        "players": ["Ada", "Bo"], "rulebook": "official", "house_rules": ["seven-zero"], "target": 300, "dealer": "Bo",
        "deck": "112-special", "custom_rules": ["no phones"], "name": "Finale", "count": "points",
    },
    "PATCH /matches/{match}": {"name": "Finale", "location": "at Bo's", "note": "rain"},
    "POST /matches/{match}/rounds": {"after": 1, **ROUND, "last_card": "red-7", "cards_left": {"Bo": 2}, "sat_out": []},
    "PUT /matches/{match}/rounds/{round}": {**ROUND, "ended": "went-out"},
    "POST /matches/{match}/amendments": {"house_rules": ["jump-in"], "target": 300, "custom_rules": ["x"], "note": "y"},
    "POST /matches/{match}/players": {"player": "Eve", "total": 20},
    "POST /matches/{match}/rulings": {
        "dispute": "uno-call", "facts": {"players": 4, "cards_left": 1, "said": "never", "caught": True},
        "players": {"offender": "Ada"}, "accepted": False, "table_decided": "nothing", "keep_hand": False,
    },
    "PATCH /players/{player}": {"name": "Bea", "active": True},
    "POST /players/{player}/merge": {"into": "{player}"},
    "POST /keys": {"role": "spectator", "name": "Cy"},
    "POST /evenings": {
        "name": "Cup", "names": ["Ada", "Bo", "Cy", "Di"], "rulebook": "official", "house_rules": ["seven-zero"],
        "target": 300, "size": 4, "draws": 2, "minutes": 60, "custom_rules": ["no phones"], "face_points": {"7": 5},
    },
    "POST /evenings/{evening}/people": {"names": ["Fay"], "guest": True},
    "POST /evenings/{evening}/draws": {
        "after": 0, "number": 7, "size": 4, "unfinished": {"1": "counted"}, "final": None,
    },
    "POST /evenings/{evening}/end": {"unfinished": {"1": "awaited"}},
    "POST /clubs": {"name": "Wednesday"},
    "POST /score": {"rulebook": "classic-500", **ROUND},
    "POST /hearings": {"dispute": "wrong-card", "rulebook": "official", "house_rules": [], "facts": {}},
}  # fmt: skip
"""A right body for each address that takes one."""
OF_MATCH = (
    "/matches/{}", "/history/matches/{}", "/matches/{}/share", "/matches/{}/menu", "/matches/{}/rules",
    "/matches/{}/hands", "/matches/{}/result.png", "/matches/{}/rounds.csv", "/matches/{}/disputes/uno-call",
    "/api/v1/matches/{}?struck=1",
)  # fmt: skip
"""Where a match that came in is looked at."""
PAPER = "date,match,Ada,Bo,Cy\n2019-12-24,,0,35,77\n2019-12-24,Finale,112,,0\n"


def as_program(evening: Evening) -> dict[str, Any]:
    """Say how a program sends that holds the club's key."""
    return {"content_type": "application/json", "headers": evening.bearer | {"If-Match": "*"}}


@tries(15)
@given(data=st.data())
def test_no_change_to_a_right_body_breaks_anything(app: Flask, data: st.DataObject) -> None:
    evening = begin(app)
    opened = evening.client.post("/api/v1/evenings", json=BODIES["POST /evenings"], headers=evening.bearer).get_json()
    parts = {"match": evening.match_id, "round": evening.round_id, "player": evening.player_id, "evening": opened["id"]}
    for _ in range(data.draw(st.integers(1, 3))):
        method, _, path = data.draw(st.sampled_from(sorted(BODIES))).partition(" ")
        body = data.draw(changed(BODIES[f"{method} {path}"], least=0))
        text = json.dumps(body).replace('"{player}"', json.dumps(evening.player_id))
        evening.send(method, f"/api/v1{path.format(**parts)}", data=text, **as_program(evening))
    assert faults(evening.app, evening.club_id) == []
    for page in (f"/matches/{evening.match_id}", f"/history/matches/{evening.match_id}", "/club", "/history/players"):
        evening.send("GET", page)


@pytest.fixture
def document(app: Flask) -> Any:
    """A club's document with a little of everything in it, and a copy of it is what each example changes."""
    evening = begin(app)
    match, headers = f"/api/v1/matches/{evening.match_id}", as_program(evening)["headers"]
    for method, path, body in (
        ("PUT", f"/rounds/{evening.round_id}", {**ROUND, "went_out": "Di", "hands": {"Ada": 5, "Bo": 5, "Cy": ["7"]}}),
        ("POST", "/amendments", {"house_rules": ["jump-in"], "target": 100, "custom_rules": ["x"], "note": "y"}),
        ("POST", "/players", {"player": "Eve", "total": 20}),
        ("POST", "/rulings", {"dispute": "deal", "facts": {}, "accepted": True}),
        ("POST", "/rounds", {"after": 1, **ROUND, "sat_out": ["Eve"]}),
        ("DELETE", f"/players/{evening.player_id}", None),
        ("POST", "/finish", None),
    ):
        answer = evening.client.open(match + path, method=method, json=body, headers=headers)
        assert answer.status_code < 300, (path, answer.json)
    plan = BODIES["POST /evenings"] | {"names": ["Ada", "Bo", "Cy", "Xi"]}
    opened = evening.client.post("/api/v1/evenings", json=plan, headers=headers).get_json()
    drawn = evening.client.post(f"/api/v1/evenings/{opened['id']}/draws", json={"after": 0}, headers=headers)
    assert drawn.status_code == 201, drawn.json
    found = evening.client.get("/api/v1/export", headers=headers).get_json()
    assert found["matches"][0]["status"] == "finished"
    return found


@st.composite
def documents_like(draw: st.DrawFn, document: Any) -> Any:
    """Change a document: anywhere, or, since most is the text of a rulebook, in one part of a match or evening."""
    first, *others = copy.deepcopy(document["matches"])
    part = draw(st.sampled_from(("", "evenings", "evenings", *first)))
    if part == "evenings":
        return document | draw(changed({"evenings": copy.deepcopy(document["evenings"])}))
    if not part:
        return draw(changed(document))
    return document | {"matches": [first | draw(changed({part: first[part]})), *others]}


@tries(15)
@given(data=st.data())
def test_a_changed_document_is_refused_whole_or_comes_in_sound(app: Flask, document: Any, data: st.DataObject) -> None:
    evening = empty(app)
    body = json.dumps(data.draw(documents_like(document))).encode()
    cut = data.draw(st.sampled_from((None,) * 12 + (len(body) // 2, 0)))
    body = body[:cut]
    if data.draw(st.booleans()):
        body = gzip.compress(body)
    status = evening.send("POST", "/api/v1/import", data=body, **as_program(evening))
    if status == 200:
        assert faults(evening.app, evening.club_id) == []
        exported = evening.client.get("/api/v1/export", headers=evening.bearer).get_json()
        for match in exported["matches"]:
            for page in OF_MATCH:
                evening.send("GET", page.format(match["id"]))
            for kind in ("rounds", "rulings"):
                for part in match[kind]:
                    evening.send("GET", f"/matches/{match['id']}/{kind}/{part['id']}")
        for player in exported["players"]:
            evening.send("GET", f"/history/players/{player['id']}")
        for opened in exported.get("evenings", ()):
            address = f"/api/v1/evenings/{opened['id']}"
            for page in (address, f"/evenings/{opened['id']}", f"/evenings/{opened['id']}/me"):
                evening.send("GET", page)
            drawn = {"after": len(opened["draws"]), "unfinished": {"1": "left-out"}}
            evening.send("POST", f"{address}/draws", json=drawn, headers=evening.bearer)
        for page in ("/", "/history/", "/history/players", "/club", "/api/v1/rounds.csv", "/api/v1/statistics"):
            evening.send("GET", page)
        again = evening.send("POST", "/api/v1/import", json=copy.deepcopy(exported), headers=evening.bearer)
        assert again == 200, "what went out must come in again"


@tries(15)
@given(data=st.data())
def test_a_changed_table_of_paper_is_refused_by_its_lines_or_comes_in(app: Flask, data: st.DataObject) -> None:
    evening = empty(app)
    table = PAPER
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(table)))
        end = start + data.draw(st.sampled_from((0, 1, 3, 12)))
        table = table[:start] + data.draw(texts()) + table[end:]
    fields = {
        "table": table.encode("utf-8", "replace").decode(),
        "rulebook": data.draw(st.sampled_from(("classic-500", "duo-200", "official", ""))),
        "step": data.draw(st.sampled_from(("look", "save"))),
        "csrf_token": evening.client.token("/rules"),
    }
    status = evening.send("POST", "/club/records/paper", data=fields, content_type="multipart/form-data")
    assert status in (200, 303, 413, 422)
    assert faults(evening.app, evening.club_id) == []
    evening.send("GET", "/history/")


@tries(10)
@given(value=values())
def test_any_json_at_all_is_answered_where_a_document_is_wanted(app: Flask, value: Any) -> None:
    evening = begin(app)
    status = evening.send("POST", "/api/v1/import", data=json.dumps(value), **as_program(evening))
    assert status in (400, 413, 422)
