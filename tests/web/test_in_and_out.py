"""What goes out and comes in by the club's page: its own file, and old scores from paper, looked at before."""

import csv
import io
import json
import re
from typing import Any

import pytest
from flask import Flask

from referee.web.server.guards import SESSION_KEYS
from tests.ground.client import Client, browser_of
from tests.web.test_score import Sheet

PAPER = "date,Ada,Bo,Cy\n2019-12-24,0,35,77\n2019-12-24,112,0,0\n2019-12-25,5,,0\n"


@pytest.fixture
def sheet(client: Client) -> Sheet:
    return Sheet(client)


def paper(client: Client, table: str = "", step: str = "look", rulebook: str = "classic-500", **more: Any) -> Any:
    fields = {"table": table, "step": step, "rulebook": rulebook} | more
    return client.submit("/club/records/paper", fields, content_type="multipart/form-data")


def matches(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/api/v1/matches").get_json()["matches"]
    return found


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.replace("</bdi>", "")).split())


def test_paper_is_looked_at_first_and_saved_then(client: Client, sheet: Sheet) -> None:
    look = paper(client, PAPER)
    assert look.status_code == 200
    assert "2 new matches" in words(look.text)
    assert "December 24, 2019 2 rounds Ada 112, Bo 35, Cy 77" in words(look.text)
    assert len(matches(client)) == 1
    assert paper(client, PAPER, "save").status_code == 303
    found = matches(client)
    assert len(found) == 3
    assert {match["started_at"][:10] for match in found[1:]} == {"2019-12-24", "2019-12-25"}
    assert found[2]["totals"] == {"Ada": 112, "Bo": 35, "Cy": 77}
    assert found[2]["winners"] == ["Ada"]
    assert client.get(f"/matches/{found[2]['id']}").status_code == 200


def test_the_same_paper_twice_comes_in_once(client: Client, sheet: Sheet) -> None:
    paper(client, PAPER, "save")
    assert "Already imported" in paper(client, PAPER).text
    paper(client, PAPER + "2020-01-01,1,2,3\n", "save")
    assert len(matches(client)) == 4


def test_a_page_that_follows_an_import_is_told_how_far_it_has_come(client: Client, sheet: Sheet) -> None:
    file = client.get("/api/v1/export").data
    accept = {"Accept": "application/x-ndjson"}

    def bring(data: bytes) -> Any:
        fields = {"file": (io.BytesIO(data), "club.json")}
        return client.submit("/club/records/import", fields, content_type="multipart/form-data", headers=accept)

    again = bring(file)
    assert [json.loads(line) for line in again.text.splitlines()] == [
        {"said": ["0 matches imported.", "1 match was already here."]}
    ]
    for n in range(3):
        paper(client, f"date,Ada,Bo\n201{n}-12-24,5,0\n", "save")
    whole = client.get("/api/v1/export").data
    founded = client.application.test_client().post("/api/v1/clubs", json={"name": "Moved"}).json
    assert founded
    with client.session_transaction() as session:
        session[SESSION_KEYS] = [founded["scorekeeper_key"]]
    told = [json.loads(line) for line in bring(whole).text.splitlines()]
    assert told == [*({"done": done, "of": 4} for done in (1, 2, 3, 4)), {"said": ["4 matches imported."]}]
    assert bring(b"{}").status_code == 422
    assert bring(b"{}").json["problems"]


def test_players_of_the_paper_are_those_of_the_club(client: Client, sheet: Sheet) -> None:
    paper(client, "date,ada,Zoe\n2019-12-24,5,0\n", "save")
    names = [player["name"] for player in client.get("/api/v1/players").get_json()["players"]]
    assert sorted(names) == ["Ada", "Bo", "Cy", "Di", "Zoe"]


def test_own_points_are_read_as_such(client: Client, sheet: Sheet) -> None:
    paper(client, "date,Ada,Bo\n2019-12-24,0,150\n2019-12-24,70,0\n2019-12-24,0,60\n", "save", "duo-200")
    (old,) = [match for match in matches(client) if match["started_at"] < "2020"]
    assert old["totals"] == {"Ada": 70, "Bo": 210}
    assert old["winners"] == ["Ada"]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"], ids=["UTF-8", "with a mark", "UTF-16", "Western"]
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["commas", "semicolons", "tabs"])
def test_files_come_as_spreadsheets_write_them(client: Client, sheet: Sheet, encoding: str, delimiter: str) -> None:
    data = "Date,Jürgen,Bo\r\n24.12.2019,5,0\r\n".replace(",", delimiter).encode(encoding)
    answer = paper(client, file=(io.BytesIO(data), "old.csv"))
    assert answer.status_code == 200
    assert "Jürgen 5" in words(answer.text)


@pytest.mark.parametrize("day", ["2019-12-24", "24.12.2019", "24-12-2019", "4-1-2020"])
def test_days_are_read_as_people_write_them(client: Client, sheet: Sheet, day: str) -> None:
    assert paper(client, f"date,Ada,Bo\n{day},5,0\n").status_code == 200


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("", "Type or paste a table"),
        ("Ada,Bo\n1,2\n", "Start with the column names"),
        ("date,Ada\n2019-12-24,1\n", "Name 2 to 58 players"),
        ("date,Ada,ADA\n2019-12-24,1,2\n", "has two columns"),
        ("date,Ada,Bo\n", "Add a line for each round"),
        ("date,Ada,Bo\n2019-13-24,1,2\n", "Line 2: “2019-13-24” isn’t a date"),
        ("date,Ada,Bo\n0000-01-01,1,2\n", "isn’t a date"),
        ("date,Ada,Bo\n24-12.2019,1,2\n", "isn’t a date"),
        ("date,Ada,Bo\n12-24-2019,1,2\n", "isn’t a date"),
        ("date,Ada,Bo\n1066-10-14,1,2\n", "is too early"),
        ("date,Ada,Bo\n2999-12-24,1,2\n", "is in the future"),
        ("date,Ada,Bo\n2019-12-24,one,2\n", "Ada: enter 0 to 100,000 points instead of “one”"),
        ("date,Ada,Bo\n2019-12-24,-1,2\n", "points instead of"),
        ("date,Ada,Bo\n2019-12-24,99999999999999999999,2\n", "points instead of"),
        ("date,Ada,Bo\n2019-12-24,1,2,3\n", "This line has 4 cells"),
        ("date,Ada,Bo\n2019-12-24,1,\n", "at least two players"),
        ('date,Ada,Bo\n2019-12-24,"1,2\n', "read as a table"),
        ("date,A\x00,Bo\n2019-12-24,1,2\n", "Line 1"),
        ("date," + ",".join(f"P{n}" for n in range(12)) + "\n2019-12-24" + ",1" * 12 + "\n", "Line 2"),
        ("date,Ada,Bo\n" + "2019-12-24,x,2\n" * 15_000, "points instead of"),
        ("date,Ada,Bo\n" * 25_000, "at most 20,000"),
    ],
)  # fmt: skip
def test_a_bad_table_is_told_by_line_stays_typed_and_saves_nothing(
    client: Client, sheet: Sheet, table: str, said: str
) -> None:
    answer = paper(client, table, "save")
    assert answer.status_code == 422
    assert said in answer.text
    assert len(matches(client)) == 1
    if len(table) < 1000 and table and "\x00" not in table:
        assert table.splitlines()[0] in answer.text.replace("&#34;", '"')


def test_the_line_of_a_bad_table_is_told_in_the_readers_language(client: Client, sheet: Sheet) -> None:
    client.set_cookie("language", "de")
    assert "Zeile 2: „2019-13-24“" in paper(client, "date,Ada,Bo\n2019-13-24,1,2\n", "save").text


def test_a_file_that_is_too_large_or_no_text_is_refused(client: Client, sheet: Sheet) -> None:
    assert paper(client, file=(io.BytesIO(b"\x89PNG\x00\x00"), "picture.png")).status_code == 422
    assert paper(client, file=(io.BytesIO(b"x" * 500_000), "old.csv")).status_code == 422
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="old.csv"\r\n\r\n'
    kind = "multipart/form-data; boundary=x"
    large = client.post("/club/records/paper", data=head + b"x" * 10_000_000 + b"\r\n--x--", content_type=kind)
    assert large.status_code == 413


def test_a_club_comes_back_by_its_page(app: Flask, client: Client, sheet: Sheet) -> None:
    sheet.record(sheet.fields(Bo="7 skip wild", Cy="3 9", Di="draw-two"))
    document = client.get("/api/v1/export").data
    other = browser_of(app)
    created = other.post("/api/v1/clubs", json={"name": "Our table"}).json
    invitation = other.post(
        "/api/v1/invitations",
        json={"role": "scorekeeper"},
        headers={"Authorization": f"Bearer {created['scorekeeper_key']}"},  # type: ignore[index]
    ).json
    path = "/join/" + invitation["link"].rpartition("/")[2]  # type: ignore[index]
    other.submit(path, {"name": "Bo"}, page=path)
    answer = other.submit(
        "/club/records/import", {"file": (io.BytesIO(document), "club.json")}, content_type="multipart/form-data"
    )
    assert answer.status_code == 303
    assert "1 match imported." in words(other.get("/club/records").text)
    assert other.get("/api/v1/export").data == document


@pytest.mark.parametrize(
    ("data", "status"), [(b"", 422), (b"{", 400), (b"[]", 422), (b'{"format": "x", "version": 1}', 422)]
)
def test_a_bad_club_file_is_told_on_the_page(client: Client, sheet: Sheet, data: bytes, status: int) -> None:
    answer = client.submit(
        "/club/records/import", {"file": (io.BytesIO(data), "club.json")}, content_type="multipart/form-data"
    )
    assert answer.status_code == status
    assert 'id="problems"' in answer.text


@pytest.mark.parametrize(
    ("code", "heads"),
    [
        ("en", "date,match"),
        ("de", "Datum;Partie"),
        ("es", "fecha;partida"),
        ("nl", "datum;partij"),
        ("de", "date,match"),
    ],
)
def test_paper_has_its_columns_in_any_language(client: Client, sheet: Sheet, code: str, heads: str) -> None:
    client.set_cookie("language", code)
    sign = ";" if ";" in heads else ","
    assert paper(client, f"{heads}{sign}Ada{sign}Bo\n2019-12-24{sign}{sign}5{sign}0\n").status_code == 200


@pytest.mark.parametrize(
    ("code", "name", "club", "match"),
    [
        ("en", "uno-rounds.csv", "date,match,match name", "round,entered at,ended,went out,last card,Ada: points"),
        ("de", "uno-Runden.csv", "Datum;Partie;Name der", "Runde;eingetragen am;Ende;fertig;letzte Karte;Ada: Punkte"),
        (
            "es",
            "uno-rondas.csv",
            "fecha;partida;nombre",
            "ronda;anotada el;fin;se quedó sin cartas;última carta;Ada: p",
        ),
        ("nl", "uno-rondes.csv", "datum;partij;naam", "ronde;ingevoerd op;einde;uit;laatste kaart;Ada: punten"),
    ],
)
def test_tables_speak_the_language_of_the_reader_and_of_its_spreadsheets(
    client: Client, sheet: Sheet, code: str, name: str, club: str, match: str
) -> None:
    sheet.record(sheet.fields(Bo="7", Cy="3", Di="9"))
    told = client.get("/api/v1/rounds.csv").text
    client.set_cookie("language", code)
    answer = client.get("/club/records/rounds.csv")
    assert name in answer.headers["Content-Disposition"]
    assert answer.text.lstrip("\ufeff").startswith(club)
    assert client.get(f"{sheet.address}/rounds.csv").text.lstrip("\ufeff").startswith(match)
    assert [len(row) for row in csv.reader(answer.text.splitlines(), delimiter="," if code == "en" else ";")] == [
        11
    ] * 5
    assert client.get("/api/v1/rounds.csv").text == told, "programs read English"


def test_tables_for_spreadsheets_begin_with_their_mark(client: Client, sheet: Sheet) -> None:
    sheet.record(sheet.fields(Bo="7", Cy="3", Di="9"))
    for path in ("/club/records/rounds.csv", f"{sheet.address}/rounds.csv"):
        answer = client.get(path)
        assert answer.data.startswith(b"\xef\xbb\xbf")
        assert "attachment" in answer.headers["Content-Disposition"]
