"""The page that asks before a name is deleted: the texts it lists, what people choose, what they find afterward."""

import re
from html import unescape
from typing import Any

import pytest
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.test import TestResponse

from referee.records.evening.evenings import EveningPlan
from referee.records.ids import new_id
from referee.records.models import Evening
from referee.web.deletion import saving, wording
from referee.web.server.database import db
from referee.web.server.long_work import Occupied
from tests.ground.client import Client
from tests.ground.house import House
from tests.web.test_deleting import call

pytestmark = pytest.mark.usefixtures("database")

REMOVED = "(text with a deleted name)"


def page_of(house: House, name: str) -> str:
    players = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    return f"/club/players/{players[name]}/delete"


def fields_of(page: str) -> dict[str, Any]:
    """Return what a browser would send of the page's form, without its buttons."""
    form = page[page.rindex('<form method="post" action="/club/players/') :]
    form = form[: form.index("</form>")]
    found: dict[str, Any] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form):
        found[name] = unescape(value)
    found["on"] = re.findall(r'name="on" value="([^"]+)" checked', form)
    for name, value in re.findall(r'<textarea id="[^"]+" name="([^"]+)"[^>]*>([^<]*)</textarea>', form):
        found[name] = unescape(value)
    return found


def rows_of(page: str) -> dict[str, tuple[str, bool]]:
    """Return each text as it is shown, with the key of its choice and whether it is ticked."""
    rows = re.findall(r"(?s)" r'name="on" value="([^"]+)"( checked)?><span><bdi lang="">(.*?)</bdi>', page)
    return {unescape(re.sub(r"</?mark>", "", text)): (key, bool(ticked)) for key, ticked, text in rows}


def write(house: House, **details: str) -> None:
    assert call(house, "PATCH", "/matches/<match_id>", json=details).status_code == 200


def send(browser: Client, path: str, fields: dict[str, Any], **buttons: Any) -> TestResponse:
    return browser.submit(path, fields | buttons, page="/rules")


def test_the_page_lists_each_text_with_where_it_stands_and_asks_for_each(house: House) -> None:
    write(house, name="Di’s Friday", location="Dine in", note="Cy and Dieter deal")
    assert call(house, "POST", "/players", json={"name": "Dieter"}).status_code == 201
    amended = {"custom_rules": ["Dieter deals first"], "note": "Dieter asked for it"}
    call(house, "POST", "/matches/<match_id>/amendments", json=amended)
    browser = house.browser("scorekeeper")
    page = browser.get(page_of(house, "Dieter")).text
    assert "3 texts have the name in them" in page
    assert {text: ticked for text, (_, ticked) in rows_of(page).items()} == dict.fromkeys(
        ("Cy and Dieter deal", "Dieter deals first", "Dieter asked for it"), True
    ), "what is said twice is asked once"
    assert "<mark>Dieter</mark> deals first" in page
    assert re.search(r"Why a rule changed · Di’s Friday · \w+ \d+, \d{4}", page)
    assert "Maybe about something else" not in page
    short = browser.get(page_of(house, "Di")).text
    assert {text: ticked for text, (_, ticked) in rows_of(short).items()} == dict.fromkeys(
        ("Di’s Friday", "Dine in", "Cy and Dieter deal", "Dieter deals first", "Dieter asked for it"), False
    ), "a name of two letters takes no text by itself"
    assert "Maybe about something else" in short
    assert "Ada, Bo, Cy, and Di ·" in short, "where the name of a match stands is said by who played"


def test_of_a_long_text_the_words_around_the_name_are_shown(house: House) -> None:
    write(house, note=f"Nobody {'talked ' * 60}until Bo won. {'Then ' * 60}all went home.")
    page = house.browser("scorekeeper").get(page_of(house, "Bo")).text
    (text,) = (text for text in rows_of(page) if "Bo won" in text)
    assert re.fullmatch(r"… (talked )+until Bo won. (Then )+\w*…", text)
    assert "until <mark>Bo</mark> won" in page


def test_a_page_without_texts_stays_short(house: House) -> None:
    page = house.browser("scorekeeper").get(page_of(house, "Ada")).text
    assert "have the name in them" not in page
    assert 'name="on"' not in page
    assert '<button class="primary wide deletes">' in page


def test_each_text_goes_stays_or_says_something_else_as_chosen(house: House) -> None:
    call(house, "POST", "/players", json={"name": "Dieter"})
    write(house, name="Dieter’s birthday", location="At Dieter’s", note="Dieter lost.\nDieterle won.")
    browser, path = house.browser("scorekeeper"), page_of(house, "Dieter")
    page = browser.get(path).text
    fields, rows = fields_of(page), rows_of(page)
    fields["on"].remove(rows["At Dieter’s"][0])
    key = next(key for text, (key, _) in rows.items() if text.startswith("Dieter lost"))
    fields[f"words-{key}"] = "Somebody lost.\r\nDieterle won."
    assert send(browser, path, fields).status_code == 303
    match = call(house, "GET", "/matches/<match_id>").json
    said = [match[detail] for detail in ("name", "location", "note")]
    assert said == [REMOVED, "At Dieter’s", "Somebody lost.\nDieterle won."]
    assert send(browser, path, fields).status_code == 303, "the same tap twice"
    send(browser, path.replace("delete", "restore"), {})
    match = call(house, "GET", "/matches/<match_id>").json
    assert (match["name"], match["note"]) == ("Dieter’s birthday", "Dieter lost.\nDieterle won.")


def test_choices_of_other_pages_are_kept(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "ON_A_PAGE", 2)
    call(house, "POST", "/players", json={"name": "Dieter"})
    write(house, name="Dieter’s birthday", location="At Dieter’s", note="Dieter lost.")
    amended = {"custom_rules": ["Dieter deals first", "Dieterle deals last"], "note": "Dieter asked for it"}
    call(house, "POST", "/matches/<match_id>/amendments", json=amended)
    browser, path = house.browser("scorekeeper"), page_of(house, "Dieter")
    first = browser.get(path).text
    assert "Page 1 of 3" in first
    assert len(rows_of(first)) == 2
    fields, (one, other) = fields_of(first), (key for key, _ in rows_of(first).values())
    fields["on"] = []
    fields[f"words-{other}"] = "Something\nelse"
    second = send(browser, path, fields, page="2")
    assert second.status_code == 200
    third = send(browser, path, fields_of(second.text), page="3").text
    assert "Page 3 of 3" in third
    last = fields_of(third)
    (unsure,) = [key for text, (key, _) in rows_of(third).items() if text == "Dieterle deals last"]
    last["on"].append(unsure)
    again = send(browser, path, last, page="1").text
    assert dict(rows_of(again).values()) == {one: False, other: False}
    assert "Something else</textarea>" in again
    assert unsure in fields_of(again)["taken"]
    assert send(browser, path, fields_of(again)).status_code == 303
    match = call(house, "GET", "/matches/<match_id>").json
    kept = {"Dieter’s birthday", "At Dieter’s", "Dieter lost.", "Dieter asked for it"}
    texts = [match["name"], match["location"], match["note"], *match["custom_rules"]]
    assert texts.count(REMOVED) == len(texts) - 2
    assert "Something else" in texts
    assert len(kept & set(texts)) == 1


def test_what_is_wrong_stands_beside_the_text_with_all_that_was_chosen(house: House) -> None:
    call(house, "POST", "/players", json={"name": "Dieter"})
    write(house, name="Dieter’s birthday", location="At Dieter’s")
    browser, path = house.browser("scorekeeper"), page_of(house, "Dieter")
    page = browser.get(path).text
    fields, rows = fields_of(page), rows_of(page)
    fields["on"] = [rows["Dieter’s birthday"][0]]
    fields[f"words-{rows['At Dieter’s'][0]}"] = "x" * 81
    refused = send(browser, path, fields)
    assert refused.status_code == 422
    assert 'aria-invalid="true"' in refused.text
    assert "x" * 81 in refused.text
    assert rows_of(refused.text)["At Dieter’s"][1] is False
    assert call(house, "GET", "/matches/<match_id>").json["name"] == "Dieter’s birthday"

    write(house, note="Dieter again")
    changed = send(browser, path, fields)
    assert changed.status_code == 409
    assert "The texts with this name have just changed." in changed.text
    assert "x" * 81 in changed.text
    assert rows_of(changed.text)["Dieter again"][1] is True


@pytest.mark.parametrize("error", [Occupied(), ServiceUnavailable("Try again in a minute.")])
def test_a_club_that_is_written_in_all_the_time_says_so_and_keeps_the_choices(
    house: House, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    call(house, "POST", "/players", json={"name": "Dieter"})
    write(house, name="Dieter’s birthday", location="At Dieter’s")
    browser, path = house.browser("scorekeeper"), page_of(house, "Dieter")
    fields = fields_of(browser.get(path).text)
    del fields["on"][0]

    def never(*_args: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(saving, "delete_player", never)
        busy = send(browser, path, fields)
    assert busy.status_code == 503
    assert int(busy.headers["Retry-After"]) > 0
    assert "Try again in a minute." in busy.text
    assert fields_of(busy.text)["on"] == fields["on"]
    assert send(browser, path, fields_of(busy.text)).status_code == 303


def taken_out(house: House, name: str) -> None:
    """Delete a name, with all texts in which it stands free."""
    assert send(house.browser("scorekeeper"), page_of(house, name), {}).status_code == 303


def test_forms_show_a_text_that_was_taken_out_empty_and_leave_it_alone(house: House) -> None:
    call(house, "POST", "/players", json={"name": "Dieter"})
    write(house, name="Dieter’s birthday", location="At Dieter’s", note="Dieter lost.")
    rules = ["Dieter deals first", "No looking", "Nobody wakes Dieter"]
    call(house, "POST", "/matches/<match_id>/amendments", json={"custom_rules": rules})
    own = {"title": "Dieter’s rules", "base": "classic-500", "clauses": ["Dieter starts", "We clap"]}
    own_id = call(house, "POST", "/clubs/<club_id>/rulebooks", json=own).json["id"]
    browser = house.browser("scorekeeper")
    phone = next(one["id"] for one in call(house, "GET", "/keys").json["keys"] if one["role"] == "scorekeeper")
    send(browser, f"/club/keys/{phone}", {"name": "Dieter’s phone"})
    send(browser, "/club", {"name": "Dieter’s club", "language": "en"})
    taken_out(house, "Dieter")

    menu = f"/matches/{house.parts['match_id']}/menu"
    page = browser.get(menu).text
    assert page.count(REMOVED) > 0, "the rule card says that there is a rule"
    for path in (menu, "/club", f"/rules/own/{own_id}/edit"):
        typed = re.findall(r'<input type="text"[^>]* value="([^"]*)"|<textarea[^>]*>([^<]*)<', browser.get(path).text)
        assert typed
        assert REMOVED not in "\n".join(map("\n".join, typed)).split("\n"), path
    revision = re.findall(r'name="revision" value="([^"]+)"', page)[0]
    details = {"revision": revision, "name": "", "location": "At home", "match_note": ""}
    assert send(browser, menu.replace("menu", "details"), details).status_code == 303
    match = call(house, "GET", "/matches/<match_id>").json
    assert (match["name"], match["location"], match["note"]) == (REMOVED, "At home", REMOVED)
    revision = re.findall(r'name="revision" value="([^"]+)"', browser.get(menu).text)[0]
    amended = {"revision": revision, "custom_rules": "No peeking", "target": "400"}
    assert send(browser, menu.replace("menu", "amend"), amended).status_code == 303
    assert call(house, "GET", "/matches/<match_id>").json["custom_rules"] == [REMOVED, "No peeking", REMOVED]

    edit = browser.get(f"/rules/own/{own_id}/edit").text
    hidden = dict(re.findall(r'<input type="hidden" name="(base|token|state)" value="([^"]*)"', edit))
    edited = hidden | {"title": "", "clauses": "We clap twice"}
    assert send(browser, f"/rules/own/{own_id}/edit", edited).status_code == 303
    document = call(house, "GET", f"/clubs/<club_id>/rulebooks/{own_id}").json
    assert (document["title"], document["clauses"]) == (REMOVED, [REMOVED, "We clap twice"])
    for path, name in ((f"/club/keys/{phone}", ""), ("/club", "")):
        assert send(browser, path, {"name": name, "language": "en"}).status_code == 303
    assert next(one for one in call(house, "GET", "/keys").json["keys"] if one["id"] == phone)["name"] == REMOVED
    again = call(house, "POST", "/matches/<match_id>/rematch").json
    assert (again["name"], again["location"]) == (REMOVED, "At home")
    assert again["custom_rules"] == [REMOVED, "No peeking", REMOVED]


def test_own_rules_that_were_taken_out_keep_their_titles_and_topics(house: House) -> None:
    call(house, "POST", "/players", json={"name": "Dieter"})
    rules = [
        {"text": "Dieter deals", "title": "Dealing", "topic": "deal"},
        {"text": "Dieter draws", "title": "Drawing", "topic": "drawing"},
    ]
    own = {"title": "Ours", "base": "classic-500", "clauses": rules}
    path = f"/clubs/<club_id>/rulebooks/{call(house, 'POST', '/clubs/<club_id>/rulebooks', json=own).json['id']}"
    taken_out(house, "Dieter")
    edit = f"/rules/own/{path.rpartition('/')[2]}/edit"
    browser = house.browser("scorekeeper")
    page = browser.get(edit).text
    hidden = dict(re.findall(r'<input type="hidden" name="(base|token|state)" value="([^"]*)"', page))
    assert send(browser, edit, hidden | {"title": "Ours now", "clauses": ""}).status_code == 303
    assert call(house, "GET", path).json["clauses"] == [rule | {"text": REMOVED} for rule in rules]


def test_a_correction_leaves_a_reason_alone_that_was_taken_out(house: House) -> None:
    call(house, "POST", "/players", json={"name": "Dieter"})
    played = {"after": 1, "went_out": "Ada", "hands": {"Bo": 5, "Cy": 3, "Di": 9}}
    played["adjustments"] = [
        {"player": "Bo", "points": -5, "reason": "Dieter saw it"},
        {"player": "Cy", "points": -5, "reason": "said Dieter"},
    ]
    round = call(house, "POST", "/matches/<match_id>/rounds", json=played).json["round"]
    browser, path = house.browser("scorekeeper"), page_of(house, "Dieter")
    page = browser.get(path).text
    chosen = fields_of(page) | {"on": [rows_of(page)["Dieter saw it"][0]]}
    assert send(browser, path, chosen).status_code == 303
    path = f"/matches/{house.parts['match_id']}/rounds/{round['id']}"
    page = browser.get(path).text
    assert 'name="reason-' in page
    assert f'value="{REMOVED}"' not in page
    ids = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    fields: dict[str, Any] = {"version": 1, "went_out": ids["Ada"]}
    fields |= {f"adjust-{ids['Bo']}": "-5", f"reason-{ids['Bo']}": ""}
    hands = {f"hand-{ids[name]}": points for name, points in (("Bo", "=6"), ("Cy", "=3"), ("Di", "=9"))}
    fields |= {f"adjust-{ids['Cy']}": "-5", f"reason-{ids['Cy']}": "said Dieter"}
    browser.submit(path, fields | hands, page="/rules", headers={"X-Fragment": "1"}, status=200)
    corrected = call(house, "GET", "/matches/<match_id>").json["rounds"][-1]
    assert [one["reason"] for one in corrected["adjustments"]] == [REMOVED, "said Dieter"], "as people chose"


@pytest.mark.promise("deleting#rulebooks-stay")
def test_the_page_names_rulebooks_that_stay_and_texts_that_were_taken_out_before(house: House) -> None:
    for name in ("Dieter", "Marigold"):
        call(house, "POST", "/players", json={"name": name})
    own = {"title": "Kitchen rules", "base": "classic-500", "clauses": ["Dieter starts"]}
    own_id = call(house, "POST", "/clubs/<club_id>/rulebooks", json=own).json["id"]
    assert call(house, "POST", "/matches", json={"players": ["Ada", "Bo"], "rulebook": own_id}).status_code == 201
    write(house, note="Dieter and Marigold lost")
    browser, path = house.browser("scorekeeper"), page_of(house, "Dieter")
    assert "What stays" not in browser.get(page_of(house, "Marigold")).text
    taken_out(house, "Marigold")
    page = browser.get(path).text
    assert "<li><bdi>Kitchen rules</bdi></li>" in page[page.index("What stays") : page.index("2 texts have")]
    assert "Already removed, along with another name." in page
    assert "Marigold" not in page
    assert send(browser, path, fields_of(page)).status_code == 303
    send(browser, page_of_deleted(house), {})
    assert call(house, "GET", "/matches/<match_id>").json["note"] == REMOVED, "it waits for both"


def page_of_deleted(house: House) -> str:
    """Return the address that restores who was deleted first."""
    return f"/club/players/{call(house, 'GET', '/deletions').json['deletions'][-1]['id']}/restore"


def test_names_of_seasons_and_what_evenings_agree_on_say_what_they_are(house: House) -> None:
    assert call(house, "POST", "/seasons", json={"name": "Bo’s year", "first_day": "2026-01-01"}).status_code == 201
    with house.app.app_context():
        plan = EveningPlan(rulebook="classic-500", custom_rules=("Bo deals",), blank_effect="Bo draws").to_document()
        db.session.add(Evening(club_id=house.club_id, id=new_id(), name="With Bo", plan=plan))
        db.session.commit()
    page = house.browser("scorekeeper").get(page_of(house, "Bo")).text
    for kind in ("A season’s name", "An evening’s name", "Custom rule", "What the blank card does"):
        assert kind in page
