"""Addresses are known before what answers them is imported, and the same as if all of it were."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from flask import Blueprint, Flask

from referee.web.app import ROOMS
from referee.web.server.doors import Closed, add_doors
from referee.web.server.parsed_files import ParsedFiles
from tests.conftest import MakeApp

ASK = """
import sys
from referee import create_app
key = sys.argv[2:]
app = create_app({"INSTANCE": sys.argv[1], "SECRET_KEY": "the same for both", "CACHE": None})
loaded = {name for name in sys.modules if name.partition(".")[0] in ("pydantic", "limits", "openskill", "PIL", "segno")}
if not key:
    key = [app.test_client().post("/api/v1/clubs", json={"name": "Home"}).json["scorekeeper_key"]]
home = app.test_client().get("/", headers={"Authorization": f"Bearer {key[0]}"})
print(home.status_code, "Home" in home.text, sorted(loaded), key[0])
"""


def test_a_second_start_imports_no_room_before_somebody_comes_in(tmp_path: Path) -> None:
    def start(*key: str) -> str:
        command = [sys.executable, "-c", ASK, str(tmp_path), *key]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    said, _, key = start().rpartition(" ")
    assert "pydantic" in said
    assert start(key) == f"200 True [] {key}", "and the first page of all is one for whom it knows"


def test_both_starts_know_the_same_addresses_and_open_the_same_views(make_app: MakeApp) -> None:
    first, second = make_app(CACHE=None), make_app(CACHE=None)
    rules = [
        sorted((rule.rule, rule.endpoint, sorted(rule.methods or ())) for rule in found)
        for found in (first.url_map.iter_rules(), second.url_map.iter_rules())
    ]
    assert rules[0] == rules[1]
    for app in (first, second):
        views = {name: view for name, view in app.view_functions.items() if isinstance(view, Closed)}
        assert len(views) > 100
        assert all(callable(view.open()) for view in views.values())
    assert len(ROOMS) == len({name.partition(".")[0] for name in first.view_functions if "." in name})


def test_what_would_be_missed_where_nothing_is_imported_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = type(sys)("room_of_a_test")
    monkeypatch.setitem(sys.modules, room.__name__, room)

    def view() -> str:
        return "here"

    view.__module__ = room.__name__
    for ruin in ("before_request", "app_context_processor", "another name"):
        room.blueprint = Blueprint("room", room.__name__)  # type: ignore[attr-defined]
        room.blueprint.get("/")(view)
        room.view = view if ruin != "another name" else None  # type: ignore[attr-defined]
        if ruin != "another name":
            getattr(room.blueprint, ruin)(dict)
        with pytest.raises(TypeError, match=room.__name__):
            add_doors(Flask(__name__), {room.__name__: ()}, ParsedFiles(tmp_path / "cache"))
    assert not list((tmp_path / "cache").iterdir())
