"""A sheet is drawn once for every phone, and what is kept of it is what would be drawn anew."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.orm import Session

from referee.records.cache import Cache
from referee.records.statistics.figures import Figures, Filter, load_figures
from referee.web.players.views import DRAWN
from referee.web.score import views as sheets
from tests.ground.client import Client
from tests.ground.house import House
from tests.web.test_score import Sheet

HANDS = {"Bo": ["7"], "Cy": ["3"], "Di": ["9"]}
CACHES: tuple[Cache[Any], ...] = (sheets.PARTS,)
SCRIPT = {"X-Fragment": "1"}


def alike(html: str) -> str:
    """Leave out what is each visitor's own, and each form's."""
    return re.sub(r'(name="(?:csrf_token|idempotency_key)" value=|"csrf-token" content=)"[^"]*"', r"\1", html)


def test_what_is_kept_of_a_sheet_is_what_would_be_drawn_anew(client: Client) -> None:
    sheet = Sheet(client)
    hands = {"Bo": "7 skip", "Cy": "3", "Di": "9"}

    def save() -> None:
        assert sheet.record(sheet.fields("Ada", **hands), headers=SCRIPT).status_code == 200
        drawn = client.get(f"{sheet.address}/now").get_json()["fragments"]
        assert alike(drawn["sheet"]) in alike(sheet.text())
        assert alike(drawn["pad"]) in alike(sheet.text())

    def address() -> str:
        return (re.search(r'href="([^"]+/rounds/\w{16})"', sheet.text()) or [""])[1]

    def strike() -> None:
        assert client.submit(f"{address()}/strike", {"revision": revision()}).status_code == 303

    def revision() -> str:
        return (re.search(r'name="revision" value="([^"]+)"', sheet.text()) or [""])[1]

    def rename() -> None:
        fields = {"name": "Bo <b>", "active": "1"}
        assert client.submit(f"/club/players/{sheet.players['Bo']}", fields).status_code == 303

    def amend() -> None:
        assert client.submit(f"{sheet.address}/amend", {"target": "", "custom_rules": "No phones"}).status_code == 303

    changes: tuple[Callable[[], None], ...] = (save, save, strike, rename, save, amend, save)
    for change in changes:
        change()
        sheet.text()  # says what happened, once
        kept = sheet.text()
        for cache in CACHES:
            cache.clear()
        assert alike(kept) == alike(sheet.text()), change.__name__
    assert "Bo &lt;b&gt;" in sheet.text()


def test_one_phone_that_asks_spares_the_others(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Sheet(client)
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"), headers=SCRIPT)
    assert "Round 2" in client.get(f"{sheet.address}/now").get_json()["fragments"]["pad"]

    def never(*_: object, **__: object) -> None:
        pytest.fail("loaded or drawn again")

    monkeypatch.setattr(sheets, "load_sheet", never)
    assert "9" in client.get(f"{sheet.address}/now", headers=SCRIPT).get_json()["fragments"]["sheet"]
    assert sheet.totals()[0] == 9


def test_what_is_kept_of_statistics_is_what_would_be_counted_anew(house: House) -> None:
    programs, headers = house.app.test_client(), house.bearer("scorekeeper")
    match, others = house.parts["match_id"], [f"/history/players/{house.parts['player_id']}", "/history/players", "/"]

    def send(path: str, body: Any = None, method: str = "POST") -> None:
        answer = programs.open(f"/api/v1{path}", method=method, json=body or {}, headers=headers)
        assert answer.status_code in (200, 201), answer.json

    def seen() -> list[str]:
        return [alike(browser.get(page).text) for page in others]

    browser, here = house.browser("scorekeeper"), f"/matches/{match}"
    ruling = {"dispute": "played-card-effect", "facts": {"players": 4, "played": "red-skip"}, "accepted": True}
    cy, eve = (one for one in everyone(programs, headers) if one["name"] in ("Cy", "Eve"))
    changes: tuple[tuple[Any, ...], ...] = (
        (f"{here}/rounds", {"after": 1, "went_out": "Ada", "hands": HANDS}), (f"{here}/abandon",),
        (here, None, "DELETE"), (f"{here}/restore",), (f"{here}/rulings", ruling), (f"{here}/reopen",),
        (f"{here}/finish",), (f"{here}/reopen",), (f"{here}/finish",), (f"{here}/rulings", ruling),
        (f"/players/{cy['id']}", {"name": "Cyrus"}, "PATCH"), (f"/players/{cy['id']}/merge", {"into": eve["id"]}),
        (here, None, "DELETE"), (f"{here}/restore",), (f"/players/{eve['id']}", None, "DELETE"),
        (f"/players/{eve['id']}/restore",),
    )  # fmt: skip
    for change in changes:
        send(*change)
        kept = seen()
        DRAWN.clear()
        assert kept == seen(), change


def test_a_round_lets_nobody_count_again_who_won_the_most(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Home in a club of a million rounds took 2.5 s after each of them."""
    programs, headers = house.app.test_client(), house.bearer("scorekeeper")
    match, browser = f"/api/v1/matches/{house.parts['match_id']}", house.browser("scorekeeper")
    assert programs.post(f"{match}/finish", headers=headers).status_code == 200
    rematch = programs.post(f"{match}/rematch", headers=headers).get_json()["id"]
    assert "Most wins in" in browser.get("/").text
    counted: list[Filter] = []

    def count(session: Session, club_id: str, chosen: Filter) -> dict[str, Figures]:
        counted.append(chosen)
        return load_figures(session, club_id, chosen)

    monkeypatch.setattr("referee.web.start.views.load_figures", count)
    entry = {"after": 0, "went_out": "Ada", "hands": HANDS}
    assert programs.post(f"/api/v1/matches/{rematch}/rounds", json=entry, headers=headers).status_code == 201
    assert "Most wins in" in browser.get("/").text
    assert not counted
    assert programs.post(f"/api/v1/matches/{rematch}/finish", headers=headers).status_code == 200
    assert "2 of 2" in browser.get("/").text
    assert len(counted) == 1


def test_a_correction_that_reopens_a_match_takes_its_win_back_from_home(house: House) -> None:
    programs, headers = house.app.test_client(), house.bearer("scorekeeper")
    browser = house.browser("scorekeeper")
    assert programs.post(f"/api/v1/matches/{house.parts['match_id']}/finish", headers=headers).status_code == 200
    plan = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500", "target": 50}
    match = programs.post("/api/v1/matches", json=plan, headers=headers).get_json()["id"]
    entry: dict[str, Any] = {"went_out": "Ada", "hands": {"Bo": ["wild"], "Cy": ["3"], "Di": ["9"]}}
    ended = programs.post(f"/api/v1/matches/{match}/rounds", json=entry | {"after": 0}, headers=headers)
    assert ended.get_json()["match"]["status"] == "finished"
    assert "2 of 2" in browser.get("/").text
    seen = programs.get(f"/api/v1/matches/{match}", headers=headers).headers["ETag"]
    corrected = programs.put(
        f"/api/v1/matches/{match}/rounds/{ended.get_json()['round']['id']}",
        json=entry | {"hands": HANDS},
        headers=headers | {"If-Match": seen},
    )
    assert corrected.get_json()["status"] == "in-progress"
    assert "1 of 1" in browser.get("/").text


def everyone(programs: Any, headers: dict[str, str]) -> list[dict[str, Any]]:
    """Add a player who never played, and list all by name."""
    assert programs.post("/api/v1/players", json={"name": "Eve"}, headers=headers).status_code == 201
    return sorted(programs.get("/api/v1/players", headers=headers).get_json()["players"], key=lambda one: one["name"])
