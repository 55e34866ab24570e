"""What a table decides where its rules are silent, on the pages of the Dispute room and of the club."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web.api.test_precedents import CLAUSE, GUILTY, PLAYS_ON, law
from tests.web.api.test_rulings import Table

PLAYS_ON_LABEL = "Play goes on with the next player."


class Evening:
    """A match under Classic 500 in a browser, and the same club by its key."""

    def __init__(self, app: Flask) -> None:
        self.table = Table(app.test_client())
        self.browser = app.test_client()
        self.enter(self.browser, self.table.scorekeeper)
        self.silent = f"/matches/{self.table.match['id']}/disputes/draw-four-challenge?" + "&".join(
            f"{key}={value}"
            for key, value in {
                "as-offender": 0,
                "as-target": 1,
                "challenged": "yes",
                "challenger": "target",
                "held_color": "yes",
            }.items()
        )

    @staticmethod
    def enter(browser: FlaskClient, headers: dict[str, str]) -> None:
        with browser.session_transaction() as session:
            session["keys"] = [headers["Authorization"].removeprefix("Bearer ")]

    def see(self, address: str, browser: FlaskClient | None = None) -> str:
        return (browser or self.browser).get(address, follow_redirects=True, status=200).text

    def choose(self, page: str, label: str) -> str:
        """Return the address to which the choice with this label leads."""
        found = re.search(
            rf'name="decided" value="([^"]*)"><span class="grow"><span dir="auto">{re.escape(label)}', page
        )
        assert found, page
        return f"{self.silent}&{urlencode({'decided': html.unescape(found[1])})}"

    def save(self, page: str, **more: str) -> Any:
        form = re.search(r'<form class="write-down".*?</form>', page, re.DOTALL)
        assert form
        fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form[0]))
        fields = {name: html.unescape(value) for name, value in fields.items()}
        address = re.search(r'action="([^"]*)"', form[0])
        assert address
        return self.browser.post(address[1], data=fields | more, follow_redirects=True)


@pytest.fixture
def evening(app: Flask) -> Evening:
    return Evening(app)


def headline(page: str) -> str:
    found = re.search(r'<h1 id="ruling"[^>]*>(.*?)</h1>', page)
    assert found
    return found[1]


def test_silent_ruling_is_decided_in_two_taps(evening: Evening) -> None:
    page = evening.see(evening.silent)
    assert "As in" in page
    decided = evening.see(evening.choose(page, PLAYS_ON_LABEL))
    assert "Bo" in decided
    assert "Your club decided" in decided
    saved = evening.save(decided, keep="always")
    assert "From now on your club plays it that way." in saved.text
    assert [one["settings"] for one in law(evening.table)] == [PLAYS_ON[0]["settings"]]
    match = evening.table.client.get(f"/api/v1/matches/{evening.table.match['id']}", headers=evening.table.spectator)
    assert match.get_json()["rulings"][0]["decided_outcome"]["next_turn"] == "target"


def test_next_time_the_clubs_decision_stands_first_and_one_tap_takes_it(evening: Evening) -> None:
    evening.table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    page = evening.see(evening.silent)
    first = re.search(
        r'class="law-lines">.*?value="[^"]*"><span class="grow"><span dir="auto">(.*?)</span>', page, re.DOTALL
    )
    assert first
    assert first[1].endswith(f"your club decided: {PLAYS_ON_LABEL}")
    taken = evening.see(evening.choose(page, first[1]))
    assert "From now on" not in taken  # it does already
    evening.save(taken)
    assert len(law(evening.table)) == 1


def test_what_is_decided_once_is_kept_by_nobody(evening: Evening) -> None:
    page = evening.see(evening.choose(evening.see(evening.silent), PLAYS_ON_LABEL))
    evening.save(page)
    assert law(evening.table) == []
    assert PLAYS_ON_LABEL not in evening.see("/club/law")


def test_words_may_count_from_now_on_too(evening: Evening) -> None:
    evening.save(evening.see(evening.silent), table_decided="We draw for it.", keep="always")
    assert [(one["clause"], one["text"]) for one in law(evening.table)] == [(CLAUSE, "We draw for it.")]
    assert "your club decided: We draw for it." in evening.see(evening.silent)


def test_undo_forgets_what_was_kept_and_can_be_undone(evening: Evening) -> None:
    page = evening.see(evening.choose(evening.see(evening.silent), PLAYS_ON_LABEL))
    saved = evening.save(page, keep="always").text

    def undo(text: str) -> str:
        found = re.search(r'class="toast">.*?action="([^"]*)".*?name="csrf_token" value="([^"]*)"', text, re.DOTALL)
        assert found
        return evening.browser.post(found[1], data={"csrf_token": found[2]}, follow_redirects=True).text

    forgotten = undo(saved)
    assert law(evening.table) == []
    again = undo(forgotten)
    assert len(law(evening.table)) == 1
    assert PLAYS_ON_LABEL in again


def test_spectator_sees_what_was_decided_and_decides_nothing(evening: Evening, app: Flask) -> None:
    evening.table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    spectator = app.test_client()
    evening.enter(spectator, evening.table.spectator)
    page = evening.see(evening.silent, spectator)
    assert f"your club decided: {PLAYS_ON_LABEL}" in page
    assert "decided=" not in page
    assert "write-down" not in page
    assert PLAYS_ON_LABEL in evening.see("/club/law", spectator)
    assert "/forget" not in evening.see("/club/law", spectator)


def test_second_of_two_who_decide_at_once_is_told(evening: Evening) -> None:
    page = evening.see(evening.choose(evening.see(evening.silent), PLAYS_ON_LABEL))
    evening.table.give(GUILTY | {"decided": [{"clause": CLAUSE, "text": "We draw for it."}], "keep": "always"})
    told = evening.save(page, keep="always")
    assert told.status_code == 409
    assert "Someone else in your club has just decided on this." in told.text
    assert len(law(evening.table)) == 1


def test_our_law_is_searched(evening: Evening) -> None:
    assert "No decisions yet" in evening.see("/club/law")
    evening.table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    assert PLAYS_ON_LABEL in evening.see("/club/law?q=challenge+next")
    assert "Nothing in your law has these words." in evening.see("/club/law?q=elephant")


@pytest.mark.parametrize("said", ["nonsense", f"{CLAUSE}:[1]", f"{CLAUSE}:" + "[" * 900, "challenge-who:{}"])
def test_decision_that_makes_no_sense_is_named(evening: Evening, said: str) -> None:
    evening.browser.get(f"{evening.silent}&{urlencode({'decided': said})}", status=422)


def test_private_hand_stays_out_of_the_address_while_deciding(evening: Evening) -> None:
    case = {
        "as-offender": "0", "as-target": "1", "challenged": "yes", "challenger": "target", "color_in_play": "red",
        "top_card": "red-7", "hand": "red-5,blue-3",
    }  # fmt: skip
    address = evening.silent.split("?")[0]
    page = evening.browser.get(address).text
    token = re.search(r'name="csrf-token" content="([^"]*)"', page)
    assert token
    case["csrf_token"] = token[1]
    ruled = evening.browser.post(address, data=case)
    values = re.findall(r'name="decided" value="([^"]*)"', ruled.text)
    wanted = next(html.unescape(one) for one in values if "guilty_next_turn" in one)
    decided = evening.browser.post(address, data=case | {"decided": wanted}, status=200)
    assert headline(decided.text)
    assert "Your club decided" in decided.text
    assert "red-5" not in "".join(re.findall(r'href="[^"]*"', decided.text))


def test_phone_takes_the_clubs_law_along_once(evening: Evening) -> None:
    def taken(have: Sequence[str] = ()) -> tuple[list[str], list[dict[str, str]]]:
        answer = evening.browser.get(f"/offline/matches.json?have={'+'.join(have)}").get_json()
        return answer["states"], json.loads(dict(answer["pages"]).get("/offline/law", "[]"))

    states, none = taken()
    evening.table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    states, (ours,) = taken(states)
    assert none == []
    assert (ours["dispute"], ours["clause"]) == (GUILTY["dispute"], CLAUSE)
    assert ours["text"].endswith(f"your club decided: {PLAYS_ON_LABEL}")
    assert ours["value"] in html.unescape(evening.see(evening.silent))
    assert taken(states) == (states, [])


def test_look_up_and_rule_card_of_a_match_have_the_clubs_law(evening: Evening) -> None:
    evening.table.give(GUILTY | {"decided": [{"clause": CLAUSE, "text": "The zebra decides."}], "keep": "always"})
    match = f"/matches/{evening.table.match['id']}"
    found = evening.see(f"{match}/rules?q=zebra")
    assert "The zebra decides." in found
    assert "Your club decided" in found
    assert 'href="/club/law"' in found
    assert "The zebra decides." not in evening.see("/rules?q=zebra")
    assert "The zebra decides." in evening.see(f"{match}/menu")


def test_our_law_makes_a_decision_a_rule(evening: Evening) -> None:
    evening.table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    page = evening.see("/club/law")
    form = re.search(r'action="(/club/law/[^"]*/rule)"><input[^>]*value="([^"]*)"', page)
    assert form
    said = evening.browser.post(form[1], data={"csrf_token": form[2]}, follow_redirects=True).text
    assert "Now a rule of “Classic 500, our way”." in said
    assert "A rule since" in said
    assert '/rule"' not in said


def test_rule_card_asks_for_a_rule_that_was_made_and_a_tap_plays_by_it(evening: Evening) -> None:
    given = evening.table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"}).get_json()
    agree = {"players": ["Ada", "Bo"], "rulebook": "classic-500", "step": "agree"}

    def card(**more: Any) -> str:
        token = re.search(r'name="csrf_token" value="([^"]*)"', evening.see("/matches/new"))
        assert token
        return evening.browser.post("/matches/new", data={"csrf_token": token[1], **agree, **more}).text

    assert "made rules of its own" not in card()
    rule = evening.table.client.post(f"/api/v1/precedents/{given['id']}/rule", headers=evening.table.scorekeeper)
    asked = card()
    assert f'name="rulebook" value="{rule.get_json()["id"]}"' in asked
    played = card(rulebook=[rule.get_json()["id"], "classic-500"])
    assert "500</b>, our way" in played
    assert "made rules of its own" not in played
    assert "made rules of its own" not in card(rulebook="official")


def test_rule_card_names_eight_of_the_law_and_counts_the_others(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening.table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    menu = f"/matches/{evening.table.match['id']}/menu"
    assert "and 1 more" not in evening.see(menu)
    monkeypatch.setattr("referee.records.club.precedents.newest_of_each", lambda law: [*law] * 10)
    assert evening.see(menu).count(PLAYS_ON_LABEL) == 8
    assert "and 2 more" in evening.see(menu)


def test_story_of_a_match_has_the_law_that_counted_when_it_ended(evening: Evening) -> None:
    evening.table.give(GUILTY | {"decided": [{"clause": CLAUSE, "text": "Ask Ada."}], "keep": "always"})
    address = f"/matches/{evening.table.match['id']}"
    assert "Ask Ada." in evening.see(f"/history{address}")
    evening.table.client.post(f"/api/v1{address}/finish", headers=evening.table.scorekeeper)
    evening.table.give(GUILTY | {"decided": PLAYS_ON, "keep": "always"})
    assert PLAYS_ON_LABEL not in evening.see(f"/history{address}").split('class="rule-card"')[1]


def test_cards_may_decide(evening: Evening) -> None:
    page = evening.see(evening.choose(evening.see(evening.silent), "Let the cards decide"))
    assert "Each side draws a card." in page
    evening.save(page, keep="always")
    assert [one["text"] for one in law(evening.table)] == ["Each side draws a card. The higher card wins."]


def test_public_page_of_a_match_has_the_law_without_words_of_its_people(evening: Evening, app: Flask) -> None:
    kept = {"keep": "always", "players": {}}
    evening.table.give(GUILTY | kept | {"decided": [{"clause": CLAUSE, "text": "Ask the zebra."}]})
    keeps_color = [{"clause": "wild-same-color", "settings": {"may_keep_color": True}}]
    facts = {"hand": ["red-5"], "top_card": "red-7", "color_in_play": "red"}
    evening.table.give(kept | {"dispute": "wild-with-match", "facts": facts, "decided": keeps_color})
    address = f"/matches/{evening.table.match['id']}"
    token = re.search(r'name="csrf_token" value="([^"]*)"', evening.see(f"{address}/share"))
    assert token
    evening.browser.post(f"{address}/public", data={"csrf_token": token[1]})
    public = re.search(r'value="http://localhost(/public/\w+)"', evening.see(f"{address}/share"))
    assert public
    page = evening.see(public[1], app.test_client())
    assert "You may name the color that is already in play." in page
    assert "zebra" not in page


QUESTION = f"/club/law/open/{GUILTY['dispute']}/{CLAUSE}"


def choice_of(page: str, label: str) -> dict[str, str]:
    """Return the form of an open question, with the button that has this label."""
    fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page.split("law-lines")[0]))
    tapped = re.search(rf'name="decided" value="([^"]*)"><span class="grow"><span dir="auto">{re.escape(label)}', page)
    return fields | ({"decided": html.unescape(tapped[1])} if tapped else {})


def test_three_taps_make_a_rule_of_ours_which_the_next_silent_ruling_offers_first(evening: Evening) -> None:
    assert 'href="/club/law/open"' in evening.see("/club/law")
    listed = evening.see("/club/law/open")
    found = re.search(rf'href="({QUESTION}[^"]*)"', listed)
    assert found
    question = evening.see(html.unescape(found[1]))
    kept = evening.browser.post(
        html.unescape(found[1]), data=choice_of(question, PLAYS_ON_LABEL), follow_redirects=True
    )
    assert "From now on your club plays it that way." in kept.text
    assert (kept.request.path, kept.text.count(PLAYS_ON_LABEL)) == ("/club/law", 2)  # the second to forget it
    assert f"{PLAYS_ON_LABEL}</span>" in evening.see("/club/law/open")

    first = evening.see(evening.silent).split('class="law-lines">')[1]
    assert f"your club decided: {PLAYS_ON_LABEL}" in first.split("</button>")[0]
    agree = {"players": ["Ada", "Bo"], "rulebook": "classic-500", "step": "agree"}
    token = re.search(r'name="csrf_token" value="([^"]*)"', evening.see("/matches/new"))
    assert token
    assert PLAYS_ON_LABEL in evening.browser.post("/matches/new", data={"csrf_token": token[1], **agree}).text
    match = f"/matches/{evening.table.match['id']}"
    assert PLAYS_ON_LABEL in evening.see(f"{match}/rules?q=who+plays+after+a+challenge+that+succeeds")
    undo = re.search(r'class="toast">.*?action="([^"]*)"', kept.text, re.DOTALL)
    assert undo
    evening.browser.post(undo[1], data={"csrf_token": token[1]})
    assert law(evening.table) == []


def test_open_questions_are_searched_and_are_those_of_the_match_or_of_the_rulebook_chosen(evening: Evening) -> None:
    assert QUESTION in evening.see("/club/law/open?q=challenge")
    assert "No open question has these words." in evening.see("/club/law/open?q=elephant")
    assert QUESTION not in evening.see("/club/law/open?rulebook=all-wild")
    doubles = {"players": ["Ada", "Bo"], "rulebook": "classic-500", "house_rules": ["play-doubles"]}
    assert "/play-doubles?" in evening.see("/club/law/open")
    evening.table.client.post("/api/v1/matches", json=doubles, headers=evening.table.scorekeeper)
    assert "/play-doubles?" not in evening.see("/club/law/open")
    assert evening.browser.get("/club/law/open?rulebook=monopoly").status_code == 422


def test_rule_of_ours_in_words_counts_and_what_is_wrong_is_named(evening: Evening) -> None:
    fields = choice_of(evening.see(QUESTION), "")
    fields.pop("decided")
    for wrong in ({"words": " "}, {"words": "x" * 501}, {"decided": f'{CLAUSE}:{{"guilty_next_turn":"dealer"}}'},
                  {"decided": 'challenge-who:"Ask Ada"'}):  # fmt: skip
        answer = evening.browser.post(QUESTION, data=fields | wrong)
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
    assert evening.browser.post("/club/law/open/jump-in/wild-same-color", data=fields).status_code == 422
    assert law(evening.table) == []
    for _ in range(2):  # sent twice, it is kept once
        assert evening.browser.post(QUESTION, data=fields | {"words": "Ask Ada."}).status_code == 303
    assert [one["text"] for one in law(evening.table)] == ["Ask Ada."]
    told = evening.browser.post(QUESTION, data=fields | {"once": "another", "words": "Ask Bo."})
    assert (told.status_code, len(law(evening.table))) == (409, 1)


def test_spectator_makes_no_rule_of_ours(evening: Evening, app: Flask) -> None:
    spectator = app.test_client()
    evening.enter(spectator, evening.table.spectator)
    assert "/club/law/open" not in evening.see("/club/law", spectator)
    assert spectator.get(QUESTION).status_code == spectator.get("/club/law/open").status_code == 403
    fields = choice_of(evening.see(QUESTION), PLAYS_ON_LABEL)
    assert spectator.post(QUESTION, data=fields).status_code in (400, 403)
    assert law(evening.table) == []


def test_decision_whose_words_went_with_a_deleted_name_hinders_no_other(evening: Evening) -> None:
    evening.table.give(GUILTY | {"decided": [{"clause": CLAUSE, "text": "Ada plays on"}], "keep": "always"})
    ada = f"/api/v1/players/{evening.table.match['seats'][0]['id']}"
    evening.table.client.delete(ada, headers=evening.table.scorekeeper)
    assert law(evening.table) == []
    fields = choice_of(evening.see(QUESTION), PLAYS_ON_LABEL)
    assert evening.browser.post(QUESTION, data=fields).status_code == 303
    assert [one["settings"] for one in law(evening.table)] == [PLAYS_ON[0]["settings"]]
