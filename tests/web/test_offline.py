"""What a phone takes along: the service worker's list, the manifest, the rules; and whose a page is."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from jinja2 import DictLoader, Environment

from referee.paths import STATIC, TEMPLATES
from referee.records.match.seating import Seated, Seating
from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES_BY_ID, rule
from referee.rules.disputes.base import read_facts
from referee.rules.disputes.ruling import Ruling
from referee.rules.disputes.tree import document
from referee.rules.scoring.terms import Terms
from referee.web.disputes.forms import Context, DisputeState
from referee.web.disputes.wording import ruling_view
from referee.web.offline import documents
from referee.web.offline.documents import PERSON, hearings, shared_templates, write_rulebook
from referee.web.offline.saved_pages import HOLDER
from referee.web.server import static_files
from tests.conftest import MakeApp
from tests.ground.client import Client

HEAVIEST = 22_600
"""Bytes of a rulebook with its hearings, packed."""
BESIDES = 191_000
"""Bytes of all else that is fetched ahead, packed."""
CAST = ("Ada", "Bo", "Cy", "Di")
NEW_MATCH = {"players": ["Ada", "Bo"], "rulebook": "classic-500"}


def test_pages_are_fetched_ahead_when_help_says_that_a_match_can_start_offline() -> None:
    (pause,) = re.findall(r"const LATER = (\d+);", (STATIC / "js" / "page.js").read_text("utf-8"))
    assert "open for two minutes" in (TEMPLATES / "help" / "pages" / "en" / "offline.html").read_text("utf-8")
    assert int(pause) <= 110_000, "and ten seconds to fetch them"


def listed(client: Client) -> dict[str, Any]:
    """Read what the service worker is told."""
    head = client.get("/service-worker.js").text.partition("\n")[0]
    said: dict[str, Any] = json.loads(head.removeprefix("const referee = ").removesuffix(";"))
    return said


def fetched_ahead(client: Client) -> dict[str, str]:
    """Read what a phone fetches ahead in one answer: texts by their addresses."""
    answer = client.get(listed(client)["files"], status=200)
    assert "immutable" in answer.headers["Cache-Control"]
    return {address: text for address, _, text in answer.get_json(force=True)}


def club(client: Client) -> str:
    """Found a club and give its key."""
    answer = client.post("/api/v1/clubs", json={"name": "Us"}).get_json()
    key: str = answer["scorekeeper_key"]
    return key


def new_match(client: Client, key: str) -> str:
    answer = client.post("/api/v1/matches", json=NEW_MATCH, headers={"Authorization": f"Bearer {key}"}, status=201)
    match: str = answer.get_json()["id"]
    return match


def test_everything_fetched_ahead_is_one_light_answer_as_each_stands_alone(client: Client) -> None:
    ahead = fetched_ahead(client)
    assert len(ahead) > 30
    for address, text in ahead.items():
        alone = client.get(address)
        assert alone.status_code == 200, address
        assert alone.text == text, address
    assert len(gzip.compress(client.get(listed(client)["files"]).data)) <= BESIDES
    assert client.get(listed(client)["shell"]).status_code == 200
    assert client.get("/offline/files/000000000000.json").status_code == 404


def test_the_service_worker_is_asked_for_anew_every_time_and_changes_with_the_files(
    client: Client, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = client.get("/service-worker.js")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.mimetype == "text/javascript"
    assert "'unsafe" not in answer.headers["Content-Security-Policy"]
    client.get("/service-worker.js", headers={"If-None-Match": answer.headers["ETag"]}, status=304)
    before = listed(client)["version"]
    assert listed(client)["version"] == before
    monkeypatch.setattr(static_files, "VERSION", "0123456789ab")
    updated = make_app().test_client()
    assert isinstance(updated, Client)
    assert listed(updated)["version"] != before


@pytest.mark.parametrize(
    ("address", "status"),
    [
        *[(address, 200) for address in ("/", "/offline", "/service-worker.js", "/manifest.webmanifest")],
        *[(f"/static/0123456789ab/js/{name}.js", 200) for name in ("base", "words", "words/en")],
        ("/offline/matches.json?have=", 401),
    ],
)
def test_what_the_worker_of_1_0_0_asks_for_is_still_answered(client: Client, address: str, status: int) -> None:
    assert client.get(address).status_code == status


def test_the_manifest_names_icons_that_exist(client: Client) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer.mimetype == "application/manifest+json"
    for icon in answer.get_json(force=True)["icons"]:
        assert client.get(icon["src"]).status_code == 200, icon


@pytest.mark.parametrize("rulebook", list(rulebooks()))
def test_a_rulebook_comes_as_one_file_with_every_hearing(client: Client, rulebook: str) -> None:
    answer = client.get(listed(client)["books"][rulebook])
    assert "immutable" in answer.headers["Cache-Control"]
    assert len(gzip.compress(answer.data)) <= HEAVIEST
    told = json.loads(answer.data)
    grown = json.loads(json.dumps(document(rulebooks()[rulebook])))
    assert {name: told[name] for name in grown} == grown
    assert {clause["id"] for clause in told["clauses"]} == set(rulebooks()[rulebook].clauses)


@pytest.mark.parametrize("address", ["/offline/000000000000/classic-500.json", "/offline/x/nothing.json"])
def test_another_versions_rules_are_not_found(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def ends(told: dict[str, Any], place: int, facts: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Walk what a phone takes along to every ruling: the facts by the way, and the node."""
    node = told["nodes"][place]
    if "ask" not in node:
        yield facts, node
        return
    key = told["questions"][node["ask"]]["key"]
    for _, value, to, *_ in node["options"]:
        yield from ends(told, to, {**facts, key: value})


@pytest.mark.parametrize(
    ("rulebook", "players"),
    [("classic-500", 4), ("classic-500", 3), ("two-player", 2), ("duo-200", 2), ("online-100-200", 4), ("official", 4)],
)
def test_a_hearing_at_a_table_names_people_as_the_server_does(app: Flask, rulebook: str, players: int) -> None:
    book = rulebooks()[rulebook]
    seats = tuple(Seated(seat, f"p{seat}", name, name, 0, ((1, None),)) for seat, name in enumerate(CAST[:players]))
    told = json.loads(json.dumps(hearings(Terms.agree(book, players=players), seats)))
    heard = 0
    with app.test_request_context():
        for written in told["disputes"]:
            dispute = DISPUTES_BY_ID[written["id"]]
            options = [option for row in written.get("cast", {"rows": ()})["rows"] for option in row["options"]]
            assert bool(options) == ("named" in written)
            for option in options:
                called = {PERSON + place: CAST[seat] for place, seat in enumerate(option["people"])}
                for facts, node in ends(told, written.get("named", written["starts"])[0]["node"], {}):
                    given = {key: value for key, value in facts.items() if isinstance(value, str)}
                    at_table = DisputeState(Context(book, seating=Seating(seats)), dispute, given)
                    case = at_table.answered(option["fields"])
                    known = read_facts(dispute, book, {**facts, "players": players})
                    expected = rule(dispute, book, known, names=case.names)
                    assert isinstance(expected, Ruling)
                    view = ruling_view(case, expected)
                    announced = json.loads(json.dumps(asdict(view.announced)))
                    assert json.loads(json.dumps(node["announced"], ensure_ascii=False).translate(called)) == announced
                    cited = [told["steps"][step]["text"] for step in node["steps"]]
                    assert cited == [step["text"] for step in view.reasons]
                    assert (node["silent"], node["open_questions"]) == (view.silent, view.open_questions)
                    heard += 1
    assert heard > 100


@pytest.mark.parametrize("rulebook", list(rulebooks()))
def test_what_a_table_may_decide_makes_its_rules_little_heavier(
    app: Flask, rulebook: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = rulebooks()[rulebook]
    players = book.players[min(2, len(book.players) - 1)]
    seats = tuple(Seated(seat, f"p{seat}", name, name, 0, ((1, None),)) for seat, name in enumerate(CAST[:players]))
    terms = Terms.agree(book, players=players)
    with app.test_request_context():
        whole = write_rulebook(book, hearings(terms, seats))
        monkeypatch.setattr(documents, "document", lambda *given, **more: document(*given, **more | {"deciding": None}))
        bare = write_rulebook(book, hearings(terms, seats))
    assert len(gzip.compress(whole)) - len(gzip.compress(bare)) <= 4_500
    assert len(whole) / len(bare) <= (1.3 if len(bare) < 100_000 else 1.13)


def test_the_page_without_a_connection_names_nobody(client: Client) -> None:
    key = club(client)
    new_match(client, key)
    answer = client.get("/offline", headers={"Authorization": f"Bearer {key}"})
    assert "Ada" not in answer.text
    assert HOLDER not in answer.headers


def test_only_pages_that_may_be_kept_say_whose_they_are(client: Client) -> None:
    key, other = club(client), club(client)
    match = new_match(client, key)
    own = {"Authorization": f"Bearer {key}"}
    sheet = client.get(f"/matches/{match}", headers=own)
    start = client.get("/", headers=own)
    assert sheet.headers[HOLDER] == start.headers[HOLDER]
    assert key not in sheet.headers[HOLDER]
    assert client.get("/", headers={"Authorization": f"Bearer {other}"}).headers[HOLDER] != start.headers[HOLDER]
    for address in ("/club", "/club/recovery", f"/matches/{match}/disputes"):
        assert HOLDER not in client.get(address, headers=own).headers, address


def test_the_rules_of_a_match_are_for_its_club(client: Client, app: Flask) -> None:
    key, other = club(client), club(client)
    match = new_match(client, key)
    page = client.get(f"/matches/{match}", headers={"Authorization": f"Bearer {key}"}).text
    address = page.partition('data-rules="')[2].partition('"')[0]
    answer = client.get(address, headers={"Authorization": f"Bearer {key}"}, status=200)
    assert "private" in answer.headers["Cache-Control"]
    assert json.loads(answer.data)["rulebook"] == "classic-500"
    assert app.test_client().get(address).status_code == 401
    assert client.get(address, headers={"Authorization": f"Bearer {other}"}).status_code == 404


def test_a_sheet_names_the_rules_without_writing_them_and_anew_when_a_file_changes(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = club(client)
    match = new_match(client, key)
    written: list[object] = []
    monkeypatch.setattr(documents, "to_json", written.append)
    assert client.get(f"/matches/{match}", headers={"Authorization": f"Bearer {key}"}).status_code == 200
    assert written == []
    taken = {file for source in static_files.SOURCES for file in (source, *source.rglob("*"))}
    assert {TEMPLATES / name for name in documents.FILES} <= taken
    found = set()
    for text in ("one", "two"):
        (tmp_path / "clause.toml").write_text(text)
        found.add(static_files.digest_of_files((tmp_path,)))
    assert len(found) == 2


# -- templates that the phone draws by too -----------------------------------------------------------------------------


def written(monkeypatch: pytest.MonkeyPatch, source: str) -> dict[str, Any]:
    monkeypatch.setattr(documents, "FILES", ("page",))
    return shared_templates(Environment(loader=DictLoader({"page": source}), autoescape=True))


def test_a_macro_is_written_with_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    told = written(
        monkeypatch,
        '{% set paths = {"on": "M5"} %}{% macro row(link, kind="") %}<a>{{ link.title }}</a>'
        "{% if kind %}{{ kind }}{% elif link %}-{% endif %}"
        "{% for one in link.all %}{{ loop.index }}{% else %}none{% endfor %}{% endmacro %}",
    )
    assert told["values"] == {"paths": {"on": "M5"}}
    row = told["macros"]["row"]
    assert (row["takes"], row["defaults"]) == (["link", "kind"], [""])
    title = ["of", ["name", "link"], ["is", "title"]]
    otherwise = [["if", ["name", "link"], ["-"], []]]
    assert row["body"][:4] == [
        "<a>",
        ["out", title],
        "</a>",
        ["if", ["name", "kind"], [["out", ["name", "kind"]]], otherwise],
    ]
    assert row["body"][4][:3] == ["for", "one", ["of", ["name", "link"], ["is", "all"]]]


@pytest.mark.parametrize(
    "part",
    [
        "{{ title | upper }}", "{{ title[1:] }}", "{% set a = title %}", "{{ title.lower() }}",
        "{% for a, b in title %}{% endfor %}", "{{ 1 + 1 }}", "{% if title < 2 %}{% endif %}",
    ],
)  # fmt: skip
def test_what_the_phone_cannot_evaluate_is_refused_with_its_place(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    with pytest.raises(NotImplementedError, match="page: line 2"):
        written(monkeypatch, "{% macro row(title) %}\n" + part + "{% endmacro %}")


def test_every_macro_that_is_called_is_written_too(app: Flask) -> None:
    macros = shared_templates(app.jinja_env)["macros"]

    def called(body: Any) -> set[str]:
        if not isinstance(body, list):
            return set()
        own = {body[1]} if body[:1] == ["call"] else set()
        return own.union(*(called(part) for part in body))

    drawn_by_the_server_alone = {"open_points"}  # a phone leaves open what its table decides, and draws nothing of it
    for name, macro in macros.items():
        assert called(macro["body"]) <= set(macros) | drawn_by_the_server_alone, name
