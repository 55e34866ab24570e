"""The pages of a table's own rulebook, without script: made, edited, deleted, shared, taken over, read from a file."""

import io
import re
from html import unescape
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from referee.records.models import Club, OwnRulebookRow
from referee.rules.books.library import rulebooks
from referee.web.server.database import db
from tests.ground.client import Client, browser_of, find_in

pytestmark = pytest.mark.usefixtures("database")

PLAYED = {"title": "Kitchen rules", "base": "classic-500", "step": "save", "c.target.target": "300"}


def rows(app: Flask) -> list[tuple[int, dict[str, object]]]:
    """Read all rulebooks that clubs made: version and document."""
    with app.app_context():
        found = db.session.query(OwnRulebookRow).order_by(OwnRulebookRow.id)
        return [(row.version, row.document) for row in found if row.deleted_at is None]


def text_of(answer: TestResponse) -> str:
    """Read a page as people do, blanks single."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def made(client: Client, **fields: Any) -> str:
    """Make a rulebook; return its address."""
    answer = client.submit("/rules/own/new", PLAYED | fields)
    assert answer.status_code == 303, text_of(answer)
    return answer.headers["Location"]


def test_a_strangers_first_rulebook_founds_a_club_once(app: Flask, client: Client) -> None:
    page = client.get("/rules/own/new").text
    token = re.search(r'name="token" value="([^"]+)"', page)
    assert token
    again = app.test_client()
    first = made(client, token=token[1])
    assert "1 thing differs from Classic 500." in text_of(client.get(first))
    with app.app_context():
        assert db.session.query(Club).count() == 1
    assert again.get(first).status_code == 401


def test_the_form_says_each_setting_and_saves_only_what_is_changed(app: Flask, client: Client) -> None:
    page = client.get("/rules/own/new?base=classic-500")
    fields = dict(re.findall(r'name="(c\.[^"]+(?<!\.on))" value="([^"]*)"', page.text))
    assert fields["c.target.target"] == "500"
    selects = {
        key: (re.search(r'<option value="([^"]*)" selected', part) or [None, ""])[1]
        for key, part in re.findall(r'<select id="c\d+" name="(c\.[^"]+)"(.*?)</select>', page.text, re.DOTALL)
    }
    assert len(selects) > 50
    lists = {f"{key}.on": ["color", "symbol"] for key in ("c.matching.matches", "c.draw-two-on.matches")}
    lists["c.uno-when.uno_moments.on"] = ["while-playing", "after-playing"]
    lists["c.challenge-who.challengers.on"] = ["target"]
    typed = {"c.points-wild.wild_points": "40", "clauses": "No phones.\n\n Shoes off. "}
    made(client, **fields | selects | lists | PLAYED | typed)
    changes = {"points-wild": {"wild_points": 40}, "target": {"target": 300}}
    saved = {"title": "Kitchen rules", "base": "classic-500", "changes": changes, "house_rules": []}
    assert rows(app)[0][1] == saved | {"clauses": ["No phones.", "Shoes off."]}


def test_a_preview_shows_the_sentences_and_saves_nothing(app: Flask, client: Client) -> None:
    page = client.submit("/rules/own/new", PLAYED | {"step": "preview"})
    both = "The match is over when someone reaches 500 points. The match is over when someone reaches 300 points."
    assert both in text_of(page)
    assert rows(app) == []


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"c.target.target": "many"}, "c.target.target", "Give a whole number, 0 or more."),
        ({"title": " "}, "title", "Give your rulebook a name."),
        ({"c.match-winner.wins": "lowest"}, "c.match-winner.wins", "the highest total must win"),
        ({"clauses": "x" * 1001}, "clauses", "The rule has 1001 characters"),
        ({"house_rules": "chess"}, "house_rules", "Unknown house rule"),
    ],
)
def test_a_problem_stands_beside_its_field_and_nothing_typed_is_lost(
    app: Flask, client: Client, fields: dict[str, str], field: str, message: str
) -> None:
    page = client.submit("/rules/own/new", PLAYED | {"c.points-wild.wild_points": "40"} | fields, status=422)
    assert message in text_of(page)
    found = re.search(rf'id="(\w+)"[^>]* name="{re.escape(field)}"', page.text)
    assert f'href="#{found[1] if found else field}"' in page.text
    assert 'name="c.points-wild.wild_points" value="40"' in page.text
    assert rows(app) == []


def test_the_table_is_asked_first_and_then_saves_what_it_means(app: Flask, client: Client) -> None:
    typed = PLAYED | {"c.mercy-rule.knocked_out_at": "25", "clauses": "A Wild is worth 40.", "asked": ""}
    page = client.submit("/rules/own/new", typed, status=200)
    said = text_of(page)
    assert said.count("nothing says that the last one left wins.") == 2  # above all, and beside the setting
    assert "Your own rule 1 gives a different number: “A Wild is worth 50 points.”" in said
    assert "Save anyway" in said
    assert rows(app) == []
    asked = re.search(r'name="asked" value="([^"]+)"', page.text)
    assert asked
    fixed = client.submit("/rules/own/new", typed | {"clauses": "", "asked": asked[1]})
    assert fixed.status_code == 200  # what it was asked is not what it would be asked now
    assert client.submit("/rules/own/new", typed | {"asked": asked[1]}).status_code == 303
    assert len(rows(app)) == 1


HARDLY_MEANT: list[tuple[str, int, dict[str, str]]] = [
    ("mercy-rule.knocked_out_at", 422, {"c.mercy-rule.knocked_out_at": "7"}),
    ("deal.cards_each", 422, {"c.players.players_max": "10", "c.deal.cards_each": "12"}),
    ("who-scores.partners", 200, {"c.who-scores.partners": "yes"}),
    ("mercy-rule.knocked_out_at", 200, {"c.mercy-rule.knocked_out_at": "25"}),
    ("draw-one.draws_until_playable", 200, {"c.draw-one.draws_until_playable": "yes"}),
    ("target.target", 200, {"c.who-scores.awards": "one-point"}),
    ("who-scores.rank_points", 200,
     {"c.who-scores.awards": "by-rank", "c.who-scores.rank_points": "1 20", "c.target.target": "60"}),
    ("deck-size.deck", 200, {"c.deck-size.deck": "no-mercy"}),
    ("special-cards.start_side", 200, {"base": "flip", "c.special-cards.start_side": "dark"}),
]  # fmt: skip
"""What hardly anyone means, by the setting beside which it stands: refused where it can't be played, else asked."""


def test_each_setting_that_is_hardly_meant_is_asked_or_refused_beside_it_before_it_is_saved(
    app: Flask, client: Client
) -> None:
    for setting, status, typed in HARDLY_MEANT:
        page = client.submit("/rules/own/new", PLAYED | {"asked": ""} | typed)
        assert page.status_code == status, (setting, text_of(page)[:300])
        field = find_in(rf'id="(\w+)"[^>]* name="c\.{re.escape(setting)}"', page.text)
        link = re.search(rf'<a href="#{field}"[^>]*>(.*?)</a>', page.text, re.DOTALL)
        assert link, setting
        beside = page.text[page.text.index(link[0]) + len(link[0]) :]
        assert link[1].strip() in beside, setting
        assert ("Save anyway" in page.text) == (status == 200), setting
    assert rows(app) == []


def test_an_edit_makes_a_version_and_a_stale_one_is_shown_again(app: Flask, client: Client) -> None:
    address = made(client)
    page = client.get(f"{address}/edit").text
    state = find_in(r'name="state" value="(\d+)"', page)
    edit = PLAYED | {"title": "Kitchen II", "state": state}
    assert client.submit(f"{address}/edit", edit).status_code == 303
    assert "Version 2, " in text_of(client.get(address))
    stale = client.submit(f"{address}/edit", edit | {"title": "Kitchen III"}, status=409)
    assert "Another phone changed this rulebook." in text_of(stale)
    assert [(version, document["title"]) for version, document in rows(app)] == [(2, "Kitchen II")]


def test_a_copy_starts_from_what_is_there(app: Flask, client: Client) -> None:
    address = made(client, clauses="Shoes off.")
    copied = f"/rules/own/new?copy={address.rsplit('/', 1)[-1]}"
    page = client.get(copied).text
    fields = dict(re.findall(r'name="(title|base|copy|c.target.target)" value="([^"]*)"', page))
    assert fields["title"] == "Copy of Kitchen rules"
    assert ("300", "Shoes off." in page) == (fields["c.target.target"], True)
    made(client, **fields, clauses="Shoes off.")
    documents = [document for _, document in rows(app)]
    assert documents[1] == documents[0] | {"title": "Copy of Kitchen rules"}
    assert app.test_client().get(copied).status_code == 200  # a stranger starts from a published one
    assert client.get("/rules/own/new?copy=none").status_code == 404


def test_undo_brings_a_deleted_one_back(app: Flask, client: Client) -> None:
    address = made(client)
    client.submit(f"{address}/delete", {}, page="/rules/own")
    assert f'action="{address}/restore"' in client.get("/rules/own").text
    assert client.get(address).status_code == 404
    client.submit(f"{address}/restore", {}, page="/rules/own")
    assert client.get(address).status_code == 200


def test_another_club_takes_a_shared_one_over(app: Flask, client: Client) -> None:
    address = made(client)
    client.submit(f"{address}/share", {}, page=address)
    link = find_in(r'id="own-link">https?://[^/]+(/[^<]+)<', client.get(address).text)
    stranger = browser_of(app)
    assert "reaches 300 points" in text_of(stranger.get(link))
    assert stranger.get(f"{link}.toml").text.startswith('title = "Kitchen rules"')
    assert stranger.submit(link, {"token": "abc"}).status_code == 303
    assert len(rows(app)) == 2
    client.submit(f"{address}/unshare", {}, page=address)
    assert stranger.get(link).status_code == 404


def test_a_file_is_opened_or_refused_with_its_lines(app: Flask, client: Client) -> None:
    def sent(content: bytes) -> TestResponse:
        file = (io.BytesIO(content), "rules.toml")
        return client.submit("/rules/own/file", {"file": file}, page="/rules/own", content_type="multipart/form-data")

    good = b'title = "From a file"\nbase = "duo-200"\n[changes.target]\ntarget = 150\n'
    for bad, reason in (
        (good.replace(b"150", b'"x"'), "Line 4: Give a whole number, 0 or more."),
        (b"title = ", "This isn’t a rulebook file"),
        (b"\xff\xfe", "This file isn’t UTF-8 text"),
        (b"", "Choose a rulebook file."),
        (b"a" * 200_000, "too large"),
    ):
        refused = sent(bad)
        assert (refused.status_code, reason in text_of(refused)) == (422, True), reason
    assert rows(app) == []
    assert sent(good).status_code == 303
    assert rows(app)[0][1]["title"] == "From a file"


# --- wherever a rulebook stands ----------------------------------------------------------------------


def test_an_evening_is_played_by_it(app: Flask, client: Client) -> None:
    numbers = {"c.points-numbers.number_points": "number", "c.points-numbers.number_points.n": "5"}
    address = made(client, **{"c.uno-penalty.uno_penalty": "4", "clauses": "Shoes off."} | numbers)
    own = address.rsplit("/", 1)[-1]
    assert re.search(rf'value="{own}"[^>]* checked', client.get(f"/matches/new?rulebook={own}").text)
    plan = {"players": ["Ada", "Bo"], "rulebook": own}
    card = text_of(client.submit("/matches/new", plan | {"step": "agree"}))
    assert [words for words in ("Kitchen rules", "300", "Shoes off.", "Numbers 5 ") if words not in card] == []
    match = client.submit("/matches/new", plan | {"step": "deal"}).headers["Location"]
    missed = "cards_left=1&said=never&caught=yes&next_turn_begun=no"
    for address_, sentence in (
        (f"/rules/{own}", "The match is over when someone reaches 300 points."),
        (f"/rules/{own}", "Shoes off."),
        (f"/rules/{own}/own-1", "Shoes off."),
        (f"/rules/{own}/target", "The match ends when a player’s total reaches 500 points."),
        (f"/rules/compare?left=classic-500&right={own}", "The match is over when someone reaches 300 points."),
        (f"/rules/compare?left=classic-500&right={own}", "Topics: Saying “Uno” · Points · "),
        (f"/rules/compare?left=classic-500&right={own}", "Shoes off."),
        (f"/rules/own/{own}", "4 things differ from Classic 500."),
        ("/rules/own", "Classic 500, with 4 changes."),
        (f"/rules?rulebook={own}&q=forgot+uno", "A forgotten “Uno” costs 4 cards."),
        (f"{match}/rules?q=forgot+uno", "A forgotten “Uno” costs 4 cards."),
        (f"/disputes/uno-call?rulebook={own}&{missed}", "draws 4"),
        (f"{match}/disputes/uno-call?{missed}&names=no", "Your table’s rule"),
        ("/disputes/uno-call", "Kitchen rules"),
        ("/rules", "Kitchen rules"),
        (f"/history/?rulebook={own}", "Kitchen rules"),
        ("/club/records", "Kitchen rules"),
    ):
        answer = client.get(address_)
        assert answer.status_code == 200, address_
        assert sentence in text_of(answer), address_
    client.submit(f"{match}/finish", {"revision": "0"}, page=match)
    client.submit(f"{address}/delete", {}, page=match)
    assert client.get(f"/rules/{own}").status_code == 200  # matches were agreed on it
    assert "Kitchen rules" in text_of(client.get(match))
    assert f'value="{own}"' not in client.get("/matches/new").text


def test_what_a_stranger_cannot_read_is_not_there(app: Flask, client: Client) -> None:
    own = made(client).rsplit("/", 1)[-1]
    stranger = app.test_client()
    assert stranger.get(f"/rules/{own}").status_code == 404
    assert stranger.get(f"/disputes/uno-call?rulebook={own}").status_code == 422
    assert "Kitchen rules" not in stranger.get("/rules").text


def test_a_phone_without_connection_rules_by_it(app: Flask, client: Client) -> None:
    own = made(client, **{"c.uno-penalty.uno_penalty": "4"}).rsplit("/", 1)[-1]
    plan = {"players": ["Ada", "Bo"], "rulebook": own, "step": "deal"}
    sheet = client.get(client.submit("/matches/new", plan).headers["Location"]).text
    bundle = re.search(r"/matches/\w+/offline/\w+\.json", sheet)
    assert bundle
    assert "costs 4 cards" in client.get(bundle[0]).text


def test_every_rulebook_can_be_the_base(client: Client) -> None:
    for base in rulebooks():
        assert client.get(f"/rules/own/new?base={base}").status_code == 200, base
        typed = {"title": "Ours", "base": base, "step": "save", "c.uno-penalty.uno_penalty": "7"}
        answer = client.submit("/rules/own/new", typed)
        assert answer.status_code == 303, (base, text_of(answer))
        own = answer.headers["Location"].rsplit("/", 1)[-1]
        for address in (f"/rules/own/{own}", f"/rules/{own}", f"/rules/own/{own}/edit", f"/rules/{own}/how-to-play"):
            assert client.get(address).status_code == 200, (base, address)
        assert "A forgotten “Uno” costs 7 cards." in text_of(client.get(f"/rules/own/{own}")), base
