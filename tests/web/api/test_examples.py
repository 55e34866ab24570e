"""Every example of the documentation, run as it stands: by curl in a shell, and by Python."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from referee.paths import CHECKOUT
from tests.conftest import MakeApp
from tests.ground.server import Server, running_server
from tools.documents.examples import BODIES, FILES, SERVER, with_curl, with_python
from tools.documents.for_programs import operations

BEFORE = {
    "POST /matches/{match_id}/rematch": ("POST", "/matches/MATCH_ID/finish"),
    "POST /matches/{match_id}/reopen": ("POST", "/matches/MATCH_ID/finish"),
    "POST /matches/{match_id}/restore": ("DELETE", "/matches/MATCH_ID"),
    "POST /matches/{match_id}/rounds/{round_id}/restore": ("DELETE", "/matches/MATCH_ID/rounds/ROUND_ID"),
    "POST /clubs/{club_id}/restore": ("DELETE", "/clubs/CLUB_ID"),
}
"""What has to have happened, so that an example makes sense."""

KEPT = {
    "dispute": "draw-four-challenge",
    "facts": {"challenged": True, "challenger": "target", "held_color": True},
    "players": {"offender": "Ada", "target": "Bo"},
    "decided": [{"clause": "challenge-guilty-after", "settings": {"guilty_next_turn": "target"}}],
    "keep": "always",
}
"""What a club decides where Classic 500 is silent."""


@pytest.fixture
def server(make_app: MakeApp) -> Iterator[Server]:
    """A server that counts no requests: each example begins with a club of its own."""
    with running_server(make_app(RATELIMIT_ENABLED=False)) as running:
        yield running


def furnish(app: Flask, name: str) -> dict[str, str]:
    """Found a club with one of everything, and give what the words in capitals stand for."""
    client = app.test_client()
    parts: dict[str, str] = {}

    def ask(method: str, path: str, body: Any = None, **more: str) -> Any:
        headers = {"Authorization": f"Bearer {parts['KEY']}"} if parts else {}
        answer = client.open(f"/api/v1{fill(path, parts)}", method=method, json=body, headers=headers | more)
        assert answer.status_code < 300, (name, path, answer.text)
        if "ETag" in answer.headers and "/matches/" in path:
            parts["ETAG"] = answer.headers["ETag"]
        return answer.get_json(silent=True)

    club = ask("POST", "/clubs", {"name": "Us"})
    parts |= {"KEY": club["scorekeeper_key"], "CLUB_ID": club["id"]}
    if "{match_id}" in name or "{ruling_id}" in name or name in FILES:
        match = ask("POST", "/matches", {"players": ["Ada", "Bo", "Cy"], "rulebook": "classic-500"})
        parts["MATCH_ID"] = match["id"]
        recorded = ask("POST", "/matches/MATCH_ID/rounds", {**BODIES["POST /matches/{match_id}/rounds"], "after": 0})
        parts["ROUND_ID"] = recorded["round"]["id"]
        ask("GET", "/matches/MATCH_ID")
    if "{ruling_id}" in name:
        parts["RULING_ID"] = ask("POST", "/matches/MATCH_ID/rulings", KEPT)["id"]
    if "{player_id}" in name:
        players = ask("GET", "/players")["players"] or [ask("POST", "/players", {"name": one}) for one in ("Ada", "Bo")]
        parts |= {"PLAYER_ID": players[0]["id"], "OTHER_ID": players[1]["id"]}
    if "{season_id}" in name:
        headers = {"Authorization": f"Bearer {parts['KEY']}"}
        season = client.post("/api/v1/seasons", json=BODIES["POST /seasons"], headers=headers)
        parts |= {"SEASON_ID": season.get_json()["id"], "ETAG": season.headers["ETag"]}
    if "{evening_id}" in name:
        evening = ask("POST", "/evenings", BODIES["POST /evenings"])
        parts |= {"EVENING_ID": evening["id"], "PLAYER_ID": evening["people"][0]["player"], "DRAW": "1"}
        if "{draw}" in name:
            ask("POST", "/evenings/EVENING_ID/draws", {"after": 0})
    if "{own_id}" in name:
        own = client.post(
            f"/api/v1/clubs/{club['id']}/rulebooks",
            json=BODIES["POST /clubs/{club_id}/rulebooks"],
            headers={"Authorization": f"Bearer {parts['KEY']}"},
        )
        parts["OWN_ID"] = own.get_json()["id"]
        parts["ETAG"] = own.headers["ETag"]
    if "{key_id}" in name:
        parts["KEY_ID"] = ask("POST", "/keys", {"role": "spectator", "name": "x"})["id"]
    if "{invitation_id}" in name:
        parts["INVITATION_ID"] = ask("POST", "/invitations", {"role": "spectator"})["id"]
    parts["RULEBOOK_ID"] = "classic-500"
    if name in FILES:
        Path(FILES[name]).write_text(json.dumps(ask("GET", "/export")), "utf-8")
    if name in BEFORE:
        method, path = BEFORE[name]
        ask(method, path, **({"If-Match": parts["ETAG"]} if "ROUND_ID" in path else {}))
        if "rounds" in path:
            ask("GET", "/matches/MATCH_ID")
    return parts


def fill(text: str, parts: dict[str, str]) -> str:
    """Put in what stands in capitals, the longest words first."""
    for word in sorted(parts, key=len, reverse=True):
        text = text.replace(word, parts[word])
    return text


def needed(document: Mapping[str, Any], operation: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Say which status an operation answers when all is well, and which fields its answer surely has."""
    responses: dict[str, dict[str, Any]] = operation["responses"]
    status, answer = next((code, told) for code, told in responses.items() if code < "300")
    content: dict[str, dict[str, Any]] = answer.get("content", {})
    schema = next(iter(content.values()))["schema"] if content else {}
    named = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {})
    return status, named.get("required", [])


def test_every_example_does_what_its_page_says(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not shutil.which("curl"):
        pytest.fail("curl is not installed: apt-get install curl") if os.environ.get("CI") else pytest.skip("no curl")
    monkeypatch.chdir(tmp_path)
    document = server.app.test_client().get("/api/v1/openapi.json").get_json()
    wrong = []
    for name, operation in operations(document):
        assert ("requestBody" in operation) <= (name in BODIES or name in FILES), f"write an example for {name}"
        status, fields = needed(document, operation)
        parts: dict[str, str] = {}
        for call in (by_curl, by_python):
            if not parts or not name.startswith("GET "):
                parts = {SERVER: server.url, **furnish(server.app, name)}
            answer = call(name, operation, parts)
            found, _, text = answer.partition(" ")
            lacking = [field for field in fields if f'"{field}"' not in text]
            if found != status or lacking:
                wrong.append((call.__name__, name, answer[:300], lacking))
    assert wrong == []


@pytest.mark.parametrize(("page", "answer"), [("index", "question"), ("api", "until-color"), ("own-rulebooks", "[]")])
def test_the_request_on_each_page_works_as_it_stands(server: Server, page: str, answer: str) -> None:
    if not shutil.which("curl"):
        pytest.fail("curl is not installed: apt-get install curl") if os.environ.get("CI") else pytest.skip("no curl")
    text = (CHECKOUT / "docs" / "pages" / "program" / f"{page}.md").read_text("utf-8")
    (command,) = re.findall(r"^```sh\n(curl .+?)^```$", text, re.MULTILINE | re.DOTALL)
    asked = command.strip().replace("http://127.0.0.1:8000", server.url) + " -sS --fail-with-body"
    done = subprocess.run(("sh", "-euc", asked), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert answer in done.stdout


def test_the_index_lists_every_request_in_words(server: Server) -> None:
    client = server.app.test_client()
    index = client.get("/api/v1/").get_json()
    document = client.get(index["openapi"]).get_json()
    assert index["requests"] == {name: operation["summary"] for name, operation in operations(document)}


def by_curl(name: str, operation: Mapping[str, Any], parts: dict[str, str]) -> str:
    command = fill(with_curl(name, operation), parts)
    shell = ("sh", "-euc", f"{command} -sS -w '%{{stderr}}%{{http_code}}'")
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    return f"{done.stderr} {done.stdout}"


def by_python(name: str, operation: Mapping[str, Any], parts: dict[str, str]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            quoted = {word: part.replace('"', '\\"') for word, part in parts.items()}
            exec(compile(fill(with_python(name, operation), quoted), name, "exec"), {})
        except OSError as error:
            return str(error)
    return printed.getvalue()
