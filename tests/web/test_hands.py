"""Everyone taps their own hand: phones come by the table's code, enter only their own, and hold nobody up."""

import re
from typing import Any

import pytest
from flask import Flask

from tests.conftest import CAST
from tests.ground.client import Client, browser_of, find_in
from tests.web.test_score import Sheet

OTHERS = CAST[1:]


class Evening:
    """A table: the scorekeeper's browser, and the phones that came by the table's code."""

    def __init__(self, app: Flask, **plan: Any) -> None:
        self.app = app
        self.keeper = self.browser()
        self.sheet = Sheet(self.keeper, **plan)
        self.address = self.sheet.address
        assert self.keeper.submit(f"{self.address}/hands/link", {}).status_code == 303
        found = find_in(r'href="http://localhost(/hand/\w+)"', self.page())
        self.link = found

    def browser(self) -> Client:
        return browser_of(self.app)

    def page(self) -> str:
        return self.keeper.get(f"{self.address}/hands").text

    def arrived(self) -> str:
        return " ".join(re.sub(r"<[^>]+>", " ", self.keeper.get(f"{self.address}/hands/now").text).split())

    def ask(self, went_out: str = "") -> None:
        """Open the round for everybody's hand."""
        answer = self.keeper.submit(f"{self.address}/hands", {"went_out": self.sheet.players.get(went_out, "")})
        assert answer.status_code == 303

    def phone(self, name: str) -> Client:
        """Let a phone scan the code and sit down."""
        phone = self.browser()
        seat = CAST.index(name)
        assert phone.submit(self.link, {"seat": str(seat)}, page=self.link).status_code == 303
        return phone

    def send(self, phone: Client, name: str, hand: str) -> Any:
        return phone.submit("/hand", {f"hand-{self.sheet.players[name]}": hand}, page="/hand")

    def leave(self, name: str) -> Any:
        revision = find_in(r'name="revision" value="(\d+)"', self.keeper.get(f"{self.address}/rounds/new").text)
        leaving = f"{self.address}/players/{self.sheet.players[name]}/leave"
        return self.keeper.submit(leaving, {"revision": revision})

    def save(self, after: int = 0) -> Any:
        return self.keeper.submit(f"{self.address}/hands/save", {"after": str(after)})


@pytest.fixture
def evening(app: Flask) -> Evening:
    return Evening(app)


def test_before_the_first_code_three_steps_say_what_happens(app: Flask) -> None:
    sheet = Sheet(browser_of(app))
    page = sheet.client.get(f"{sheet.address}/hands").text
    steps = re.findall("<li>([^<]+)</li>", page)
    assert steps == ["Show the code.", "Everyone taps their cards.", "You check and save."]


def test_three_phones_tap_and_one_tap_saves(evening: Evening) -> None:
    phones = {name: evening.phone(name) for name in OTHERS}
    evening.ask("Ada")
    for name, hand in zip(OTHERS, ("7 skip wild", "3 9", "draw-two"), strict=True):
        assert evening.send(phones[name], name, hand).status_code == 303
    assert "All hands are in." in evening.arrived()
    assert evening.save().status_code == 303
    assert evening.sheet.totals() == [109, 0, 0, 0]
    assert "Ada +109" in phones["Bo"].get("/hand").text


@pytest.mark.promise("security#other-hand")
def test_a_phone_sees_no_other_hand(evening: Evening) -> None:
    phones = {name: evening.phone(name) for name in ("Bo", "Cy")}
    evening.ask("Ada")
    evening.send(phones["Bo"], "Bo", "7 skip wild")
    seen = {name: re.findall(r"\b77\b", phones[name].get("/hand").text) for name in ("Bo", "Cy")}
    assert seen["Bo"]
    assert not seen["Cy"]


@pytest.mark.promise("security#other-hand")
def test_a_phone_enters_no_hand_but_its_own(evening: Evening) -> None:
    bo = evening.phone("Bo")
    evening.phone("Cy")
    evening.ask("Ada")
    evening.send(bo, "Cy", "wild wild wild")
    assert "Cy counting" in evening.arrived()


def test_a_phone_that_never_answers_holds_nobody_up(evening: Evening) -> None:
    bo = evening.phone("Bo")
    evening.phone("Cy")
    evening.ask("Ada")
    evening.send(bo, "Bo", "7")
    assert "Waiting for Cy, Di." in evening.arrived()
    form = evening.keeper.get(f"{evening.address}/hands/round").text
    assert re.search(rf'name="hand-{evening.sheet.players["Bo"]}" value="7"', form)
    assert evening.sheet.record(evening.sheet.fields(Bo="7", Cy="=20", Di="9")).status_code == 303
    assert evening.sheet.totals()[0] == 36
    assert evening.save().status_code == 409, "the round is on the sheet by now"
    assert evening.sheet.totals()[0] == 36


def test_hands_may_be_sent_again_until_the_round_is_saved(evening: Evening) -> None:
    phones = {name: evening.phone(name) for name in OTHERS}
    evening.ask("Ada")
    for name in OTHERS:
        evening.send(phones[name], name, "9")
    evening.send(phones["Bo"], "Bo", "=20")
    evening.save()
    assert evening.sheet.totals()[0] == 38
    late = evening.send(phones["Bo"], "Bo", "wild")
    assert late.status_code == 422
    assert "closed to new hands" in late.text
    assert evening.sheet.totals()[0] == 38


def test_a_phone_may_say_that_its_player_went_out_and_a_second_may_not(evening: Evening) -> None:
    bo, cy = evening.phone("Bo"), evening.phone("Cy")
    evening.ask()
    assert bo.submit("/hand", {"out": "1"}, page="/hand").status_code == 303
    assert "Round 1: Bo went out" in evening.arrived()
    assert "you went out!" in bo.get("/hand").text
    assert cy.submit("/hand", {"out": "1"}, page="/hand").status_code == 422


@pytest.mark.parametrize("hand", ["purple", "=-1", "wild wild wild wild wild", "7" * 2000, "\x00"])
def test_a_hand_that_no_box_gives_stays_in_the_field(evening: Evening, hand: str) -> None:
    bo = evening.phone("Bo")
    evening.ask("Ada")
    answer = evening.send(bo, "Bo", hand)
    assert answer.status_code == 422
    assert 'class="error"' in answer.text
    assert "Bo counting" in evening.arrived()


def test_a_player_who_leaves_takes_the_hand_along_and_enters_none(evening: Evening) -> None:
    phones = {name: evening.phone(name) for name in OTHERS}
    evening.ask("Ada")
    for name in OTHERS:
        evening.send(phones[name], name, "9")
    assert evening.leave("Di").status_code == 303
    assert phones["Di"].submit("/hand", {f"hand-{evening.sheet.players['Di']}": "7"}).status_code == 410
    assert phones["Di"].submit("/hand", {"out": "1"}).status_code == 410
    assert evening.save().status_code == 303
    assert evening.sheet.totals()[0] == 18


def test_one_scan_too_many_takes_over_and_the_older_phone_is_locked_out(evening: Evening) -> None:
    first = evening.phone("Bo")
    second = evening.phone("Bo")
    assert first.get("/hand").status_code == 410
    assert second.get("/hand").status_code == 200


@pytest.mark.promise("security#lost-phone")
def test_a_phone_is_locked_out_at_once(evening: Evening) -> None:
    bo = evening.phone("Bo")
    keys = evening.keeper.get("/club").text
    evening.keeper.submit(find_in(r'Bo: hand.*?action="(/club/keys/\w+/revoke)"', keys, re.DOTALL), {})
    evening.ask("Ada")
    for path in ("/hand", "/hand/now"):
        assert bo.get(path).status_code == 410
    assert bo.submit("/hand", {"out": "1"}).status_code == 410


def test_the_rematch_goes_on_with_the_same_phones(evening: Evening) -> None:
    bo = evening.phone("Bo")
    revision = find_in(r'name="revision" value="(\d+)"', evening.keeper.get(f"{evening.address}/rounds/new").text)
    evening.keeper.submit(f"{evening.address}/finish", {"revision": revision})
    revision = find_in(r'name="revision" value="(\d+)"', evening.keeper.get(evening.address).text)
    answer = evening.keeper.submit(f"{evening.address}/rematch", {"revision": revision})
    evening.address = answer.headers["Location"]
    evening.ask("Ada")
    assert evening.send(bo, "Bo", "7 7").status_code == 303
    assert "Bo 2 cards 14" in evening.arrived()


def test_a_question_about_nothing_new_is_304(evening: Evening) -> None:
    bo = evening.phone("Bo")
    evening.ask("Ada")
    for client, path in ((evening.keeper, f"{evening.address}/hands/now"), (bo, "/hand/now")):
        etag = client.get(path).headers["ETag"]
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 304
    etag = evening.keeper.get(f"{evening.address}/hands/now").headers["ETag"]
    evening.send(bo, "Bo", "7")
    assert evening.keeper.get(f"{evening.address}/hands/now", headers={"If-None-Match": etag}).status_code == 200


@pytest.mark.parametrize("seat", ["", "9", "-1", "Bo", "\x00"])
def test_a_seat_that_is_none_is_refused(evening: Evening, seat: str) -> None:
    assert evening.browser().submit(evening.link, {"seat": seat}, page=evening.link).status_code == 422
