"""The Score room without a browser: what each page answers, to whom, and what it makes of bad input."""

import html
import re
from datetime import UTC, datetime
from time import time
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select

from referee.records.models import MARKER_COLORS, MARKER_SHAPES, Club, Key, Player, now
from referee.web.score import views as sheets
from referee.web.server.database import db
from tests.conftest import MakeApp
from tests.ground.client import Client, browser_of, find_in
from tests.ground.house import House

CAST = ("Ada", "Bo", "Cy", "Di")
PLAN = {"players": list(CAST), "rulebook": "classic-500", "step": "deal"}
ERROR = re.compile(r'<span class="error"[^>]*>([^<]*)</span>')


class Sheet:
    """A match of the cast, as its pages show it."""

    def __init__(self, client: Client, **plan: Any) -> None:
        self.client = client
        answer = client.submit("/matches/new", PLAN | plan)
        assert answer.status_code == 303, errors(answer.text)
        self.address = answer.headers["Location"]
        self.players = dict(zip(CAST, re.findall(r'name="hand-(\w+)"', self.text()), strict=False))

    def text(self) -> str:
        return self.client.get(self.address).text

    def plain(self) -> str:
        """Read the sheet with names as plain text."""
        return re.sub(r"</?bdi[^>]*>", "", self.text())

    def totals(self) -> list[int]:
        return [int(total.replace("−", "-")) for total in re.findall(r"data-total>(−?\d+)<", self.text())]

    def fields(self, went_out: str = "Ada", **hands: str) -> dict[str, Any]:
        """Fill in the form of the next round."""
        form = self.client.get(f"{self.address}/rounds/new").text
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
        said = hidden | {"ended": "went-out", "went_out": self.players.get(went_out, went_out)}
        return said | {f"hand-{self.players[name]}": hand for name, hand in hands.items()}

    def invite(self, role: str) -> Client:
        """Let one more phone in."""
        link = find_in(r"(/join/[^\"<]+)", self.client.submit("/club/invitations", {"role": role}).text)
        phone = browser_of(self.client.application)
        assert phone.submit(link, {"name": "Sofa"}).status_code == 303
        return phone

    def record(self, fields: dict[str, Any], **options: Any) -> Any:
        return self.client.submit(f"{self.address}/rounds/new", fields, **options)


def revision_of(sheet: Sheet) -> str:
    """Read the revision that the sheet shows."""
    return find_in(r'name="revision" value="([^"]*)"', sheet.text())


def errors(page: str) -> list[str]:
    return [html.unescape(error) for error in ERROR.findall(page)]


@pytest.fixture
def sheet(client: Client) -> Sheet:
    return Sheet(client)


def test_the_first_page_resumes_the_newest_match_and_lists_the_others(client: Client) -> None:
    older = Sheet(client)
    newer = Sheet(client, name="Christmas")
    newer.record(newer.fields("Bo", Ada="7", Cy="wild", Di="1"))
    page = client.get("/").text
    resumed, _, others = page.partition("Also in progress")
    lines = re.findall(
        r'<li class="person( leads)?" data-side="\w+ "><svg class="marker of-(\w+)".*?<bdi class="name">(\w+)</bdi>'
        r'<span class="total number"[^>]*>(\d+)<',
        resumed,
    )
    assert lines[0] == (" leads", "blue", "Bo", "58")
    assert lines[1:] == [("", "red", "Ada", "0"), ("", "green", "Cy", "0"), ("", "yellow", "Di", "0")]
    assert "Round 2, Bo leads with 58" in resumed
    assert f'href="{newer.address}">Resume</a>' in page
    assert newer.address in resumed
    assert older.address not in resumed
    assert older.address in others


def test_the_same_players_play_again_by_one_tap_at_home(client: Client) -> None:
    over = Sheet(client, players=["Ada", "Bo", "Cy", "Di"], target="20")
    assert "again</button>" not in client.get("/").text, "that one goes on"
    over.record(over.fields("Cy", Ada="wild"))
    page = client.get("/").text
    ((action, revision),) = re.findall(r'action="(/matches/\w+/rematch)".*?name="revision" value="([^"]*)"', page)
    assert action == f"{over.address}/rematch"
    assert "Same four again</button>" in page
    sheet = client.get(client.submit(action, {"revision": revision}, status=303).headers["Location"]).text
    assert "Bo deals, Cy starts." in sheet, "Ada dealt the first round"
    assert 'id="record"' in sheet
    assert "again</button>" not in client.get("/").text


def test_whoever_left_does_not_count_among_the_same_again(client: Client) -> None:
    over = Sheet(client, target="20")
    client.submit(f"{over.address}/players/{over.players['Di']}/leave", {"revision": revision_of(over)})
    over.record(over.fields("Cy", Ada="wild"))
    assert "Same three again</button>" in client.get("/").text


def test_home_says_who_won_the_most_this_year_and_what_was_ruled(house: House) -> None:
    browser, place = house.browser("scorekeeper"), f"/matches/{house.parts['match_id']}"
    assert "Latest rulings" in browser.get("/").text
    assert f'href="{place}/rulings/{house.parts["ruling_id"]}"' in browser.get("/").text
    assert "Most wins in" not in browser.get("/").text, "nobody has won yet"
    form = find_in(r'name="revision" value="([^"]*)"', browser.get(place).text)
    browser.submit(f"{place}/finish", {"revision": form})
    page = browser.get("/").text
    year = datetime.now(UTC).year
    assert f"Most wins in {year}" in page
    assert ">1 of 1</span>" in page
    won = find_in(r'class="person leads"><svg.*?<bdi class="name">(\w+)</bdi>', page)
    assert f'<bdi class="name">{won}</bdi></a>' in page.partition("Most wins in")[2], "the winner of that match"


def test_a_page_that_leads_nowhere_lists_the_matches_that_its_reader_may_see(house: House) -> None:
    match = house.path("/matches/<match_id>")
    for caller in ("scorekeeper", "spectator", "other", "stranger"):
        answer = house.browser(caller).get("/nowhere", status=404)
        assert (f'href="{match}"' in answer.text) == (caller in ("scorekeeper", "spectator")), caller
        for way in ("/", "/disputes", "/rules"):
            assert f'<a class="list-row" href="{way}">' in answer.text


def test_the_club_page_names_live_boards_by_their_match_apart_from_phones(house: House) -> None:
    phones, _, boards = house.browser("scorekeeper").get("/club").text.partition('id="links"')
    assert "<h3>Ada, Bo, Cy, and Di</h3>" in boards
    assert "<bdi>Live board</bdi>" in boards
    assert "Live board" not in phones
    assert "Spectators" in phones


# -- a new match -------------------------------------------------------------------------------------------------------


def test_the_first_page_says_how_far_each_match_is(client: Client) -> None:
    fresh, even, ahead = Sheet(client), Sheet(client, rulebook="speluitslagen"), Sheet(client)
    even.record(even.fields("Ada", Bo="5", Cy="5", Di="5"))
    even.record(even.fields("Bo", Ada="5", Cy="5", Di="5"))
    ahead.record(ahead.fields("Bo", Ada="5", Cy="5", Di="wild"))
    ahead.record(ahead.fields("Ada", Bo="5", Cy="5", Di="5"))
    won = Sheet(client, target="100", players=["Ada", "Bo"])
    won.record(won.fields("Ada", Bo="wild wild"))
    counted = Sheet(client, rounds_to_play="10")
    page = client.get("/").text
    lines = dict(re.findall(r'href="(/matches/\w+)".*?"part"><i></i>([^<]+)<', page, re.DOTALL))
    begun = {fresh.address: "Round 1", won.address: "Ada won", counted.address: "Round 1 of 10"}
    assert lines == begun | {
        even.address: "Round 3, Ada and Bo lead with 5",
        ahead.address: "Round 3, Bo leads with 60",
    }


def test_only_a_club_on_one_phone_is_told_to_make_a_recovery_sheet(sheet: Sheet) -> None:
    sheet.record(sheet.fields("Ada", Bo="7"))
    sheet.client.submit(f"{sheet.address}/finish", {})
    assert "Only this phone can open your scores." in sheet.client.get("/").text
    sheet.invite("spectator")
    assert "Only this phone can open your scores." in sheet.client.get("/").text
    sheet.invite("scorekeeper")
    assert "Only this phone can open your scores." not in sheet.client.get("/").text


def test_the_next_match_offers_the_last_players_and_rules_first(client: Client) -> None:
    Sheet(client)
    Sheet(client, players=["Di", "Bo"], rulebook="duo-200")
    page = client.get("/matches/new").text
    assert re.findall(r'data-name="(\w+)"', page) == ["Di", "Bo", "Ada", "Cy"]
    assert re.findall(r'name="rulebook" value="([^"]+)"[^>]* checked', page) == ["duo-200"]


def test_the_rule_card_is_shown_before_the_first_deal_and_writes_nothing(client: Client) -> None:
    card = client.submit("/matches/new", PLAN | {"step": "agree"}).text
    assert "Agree on the rules" in card
    assert 'first to <b class="figure">500</b>' in card
    assert "as last time" not in card
    assert "No match yet" not in client.get("/").text
    assert "Keep score.<br>Settle arguments." in client.get("/").text


def test_the_rule_card_marks_what_differs_from_the_last_match(client: Client) -> None:
    Sheet(client)
    assert "changed since last time" not in client.submit("/matches/new", PLAN | {"step": "agree"}).text
    changed = {"target": "300", "house_rules": ["stack-draw-two"], "custom_rules": "Shoes off."}
    card = client.submit("/matches/new", PLAN | changed | {"step": "agree"}).text
    marked = re.findall(r'class="differs"><dt>([^<]+) <span class="tag">changed since last time', card)
    assert marked == ["Rules", "Stacking", "House rules", "Custom rules"]


@pytest.mark.parametrize("rulebook", ["two-player", "speluitslagen"])
def test_a_target_that_the_rules_leave_open_is_asked_for_on_the_rule_card(client: Client, rulebook: str) -> None:
    plan = PLAN | {"players": ["Ada", "Bo"], "rulebook": rulebook}
    asked = client.submit("/matches/new", plan | {"step": "agree"}).text
    assert len(re.findall(r'<input type="(?:text|hidden)"[^>]* name="target"', asked)) == 1
    assert "500 is usual" in asked
    agreed = client.submit("/matches/new", plan | {"step": "agree", "target": "300"}).text
    assert "is usual" not in agreed
    assert 'name="target" value="300"' in agreed


def test_where_hands_are_drafted_the_sheet_says_who_drafts(client: Client) -> None:
    plan = {"players": ["Ada", "Bo"], "rulebook": "duo-200"}
    card = client.submit("/matches/new", PLAN | plan | {"step": "agree"}).text
    assert "</bdi> drafts first." in card
    sheet = Sheet(client, **plan)
    assert "drafts</span>" in sheet.text()
    assert "deals</span>" not in sheet.text()


def test_a_head_start_is_given_by_name_on_the_rule_card(client: Client) -> None:
    card = client.submit("/matches/new", PLAN | {"step": "agree"}).text
    assert all(f'name="opening-{place}"' in card for place in range(4))
    refused = client.submit("/matches/new", PLAN | {"opening-1": "much", "opening-3": "500"}, status=422)
    for field, message in (("opening-1", "“much”"), ("opening-3", "−100,000 to 499")):
        assert re.search(rf'id="{field}"[^§]{{0,300}}{message}', refused.text), field
    assert 'name="opening-1" value="much"' in refused.text
    assert Sheet(client, **{"opening-1": "20", "opening-3": "−20"}).totals() == [20, 0, 0, -20]


def test_changing_something_on_the_rule_card_keeps_everything_typed(client: Client) -> None:
    typed = {"step": "change", "target": "300", "custom_rules": "No phones\nLoser shuffles", "house_rules": ["jump-in"]}
    page = client.submit("/matches/new", PLAN | typed).text
    for text in ("Ada", "Di", "300", "No phones\nLoser shuffles"):
        assert text in page
    assert re.search(r'value="jump-in" checked', page)


def test_a_stranger_whose_form_is_refused_stays_on_the_first_page(client: Client) -> None:
    title = "<title>Referee: keeps score and settles arguments over Uno</title>"
    assert title in client.get("/").text
    answer = client.submit("/matches/new", PLAN | {"players": ["Ada"], "step": "agree"}, status=422)
    assert title in answer.text


def test_the_same_tap_twice_begins_one_match(client: Client) -> None:
    Sheet(client, token="of this form")
    second = client.submit("/matches/new", PLAN | {"token": "of this form", "name": ""}, status=303)
    third = client.submit("/matches/new", PLAN | {"token": "of this form", "name": ""})
    assert third.headers["Location"] == second.headers["Location"]


@pytest.mark.parametrize(
    ("players", "words"),
    [
        (["Ada"], "at least two players"),
        ([f"Player {number}" for number in range(11)], "11"),
        (["Ada", "ada"], "twice"),
        (["Ada", "x" * 1000], "1,000 characters"),
        (["Ada", "\u202eoB"], "U+202E"),
    ],
    ids=["one", "eleven", "same name", "long", "turned"],
)
@pytest.mark.parametrize("step", ["agree", "deal"])
def test_players_that_cannot_be_are_refused_beside_their_seat(
    client: Client, players: list[str], words: str, step: str
) -> None:
    page = client.submit("/matches/new", PLAN | {"players": players, "step": step}, status=422).text
    assert any(words in error for error in errors(page)), errors(page)
    assert words != "at least two players" or page.count(words) == 1, "said once"
    assert all(name in html.unescape(page) for name in players)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("rulebook", "poker", "Choose a rulebook"),
        ("rulebook", "duo-200", "players"),
        ("target", "-5", "from 1 to"),
        ("target", "12.5", "whole number"),
        ("target", "٣", "whole number"),
        ("deck", "tarot", "Unknown deck"),
        ("count", "beans", "Choose one of"),
        ("blank_points", "-1", "0 to"),
        ("house_rules", "fly", "Unknown house rule"),
        ("custom_rules", "x" * 301, "300 characters"),
        ("name", "x" * 81, "80"),
    ],
)
def test_agreements_that_cannot_be_are_refused_beside_their_field(
    client: Client, field: str, value: str, words: str
) -> None:
    page = client.submit("/matches/new", PLAN | {field: value}, status=422).text
    assert any(words in error for error in errors(page)), errors(page)
    assert value in html.unescape(page) or field in ("rulebook", "deck", "count", "house_rules")


def test_where_sign_up_is_closed_a_stranger_is_told_so(make_app: MakeApp) -> None:
    client = make_app(SIGN_UP=False).test_client()
    assert isinstance(client, Client)
    assert "open to new clubs" in client.get("/").text
    assert client.submit("/matches/new", PLAN).status_code == 403


def test_the_dealer_is_one_of_the_seats_there_are(client: Client) -> None:
    def dealers(page: str) -> list[str]:
        (list_,) = re.findall(r'<select id="dealer".*?</select>', page, re.DOTALL)
        return re.findall(r'value="(\d+)"', list_)

    assert dealers(client.get("/matches/new").text) == ["1", "2", "3", "4"]
    for names, seats in ((["Ada", "Bo"], 3), (list("abcdefghij"), 10)):  # one seat more is asked for
        assert len(dealers(client.submit("/matches/new", PLAN | {"players": names, "step": "more"}).text)) == seats


def test_the_rule_card_lets_the_lowest_total_win_where_the_rules_name_no_winner(client: Client) -> None:
    card = client.submit("/matches/new", PLAN | {"rulebook": "speluitslagen", "step": "agree"}).text
    assert "Who wins the match?" in card
    assert 'name="house_rules" value="lowest-total-wins"' in card
    for plan in ({"rulebook": "speluitslagen", "target": "200"}, {"rulebook": "two-player", "players": ["Ada", "Bo"]}):
        assert "Who wins the match?" not in client.submit("/matches/new", PLAN | plan | {"step": "agree"}).text
    sheet = Sheet(client, rulebook="speluitslagen", house_rules=["lowest-total-wins"])
    sheet.record(sheet.fields("Ada", Bo="5", Cy="7", Di="9"))
    token = re.findall(r'name="revision" value="([^"]+)"', sheet.text())[0]
    client.submit(f"{sheet.address}/finish", {"revision": token})
    assert "Ada wins!" in sheet.plain()


# -- a round -----------------------------------------------------------------------------------------------------------


def test_a_round_is_recorded_and_said(sheet: Sheet) -> None:
    answer = sheet.record(sheet.fields("Ada", Bo="7 skip wild", Cy="3 9", Di="draw two"), follow_redirects=True)
    assert "Ada +109. Ada leads with 109." in answer.text
    assert sheet.totals() == [109, 0, 0, 0]


def standings(page: str) -> list[str]:
    """Read the lines of the standings as people see them."""
    unseen = r'<span[^>]* hidden>[^<]*</span>|<span class="unseen".*?</span>'
    lines = re.findall(r"<li[^>]* data-seat.*?</li>", re.sub(unseen, "", page), re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", line)).split()) for line in lines]


def along(page: str) -> list[int]:
    """Read how far each line of the standings is on the way to the target, in percent."""
    return [int(width) for width in re.findall(r'data-along width="(\d+)"', page)]


def test_beside_each_total_stand_the_last_gain_the_way_to_the_target_and_who_deals(client: Client) -> None:
    sheet = Sheet(client, target="200")  # what is missing is said from 100 on
    sheet.record(sheet.fields("Ada", Bo="7 skip wild", Cy="3 9", Di="draw two"))
    sheet.record(sheet.fields("Bo", Ada="5", Cy="skip", Di="wild"))
    page = sheet.text()
    assert standings(page) == ["1 Ada needs 91 109", "2 Bo +75 75", "3 Cy deals 0", "3 Di starts 0"]
    assert along(page) == [54, 37, 0, 0]
    lowest = Sheet(client, rulebook="speluitslagen", target="200")
    answer = lowest.record(lowest.fields("Ada", Bo="5", Cy="wild wild wild", Di="9"), follow_redirects=True)
    assert "Bo +5, Cy +60, and Di +9. Ada leads with 0." in answer.text
    assert standings(answer.text)[3] == "4 Cy starts +60 60"
    answer = lowest.record(lowest.fields("Ada", Bo="", Cy="wild wild", Di=""), follow_redirects=True)
    assert standings(answer.text)[3] == "4 Cy deals 100 from losing +40 100"
    assert along(answer.text) == [0, 2, 4, 50]
    assert along(Sheet(client, rulebook="official", house_rules=["time-limit"], rounds_to_play="9").text()) == [0] * 4
    assert along(Sheet(client, rulebook="speluitslagen").text()) == []  # nobody agreed on a target


def test_partners_gain_and_lead_together(client: Client) -> None:
    sheet = Sheet(client, rulebook="partners")
    said = sheet.record(sheet.fields("Ada", Bo="9", Cy="", Di="5"), follow_redirects=True).text
    assert "Ada +14. Ada and Cy lead with 14." in said
    assert [line.split()[-2:] for line in standings(said)] == [["+14", "14"]] * 2 + [["Di", "0"], ["Bo", "0"]]


@pytest.mark.parametrize(
    ("plan", "said", "starter"),
    [
        ({}, "Ada deals, Bo starts.", "Bo"),
        ({"rulebook": "official", "dealer": "4"}, "Di deals, Ada starts.", "Ada"),
        ({"rulebook": "two-player", "players": ["Ada", "Bo"]}, "Ada deals, Bo starts.", "Bo"),
        ({"rulebook": "duo-200", "players": ["Ada", "Bo"]}, "Ada drafts first, Bo starts.", "Bo"),
        ({"rulebook": "no-mercy"}, "Ada deals.", ""),
    ],
)
def test_who_starts_is_said_where_the_rules_say_it(
    client: Client, plan: dict[str, Any], said: str, starter: str
) -> None:
    page = Sheet(client, **plan).text()
    assert f"<span>{said}</span>" in page
    assert [line.split()[0] for line in standings(page) if "starts" in line] == ([starter] if starter else [])


def test_the_dealer_is_drawn_by_lot_before_the_first_round_only(sheet: Sheet) -> None:
    dealers: set[str] = set()
    for _ in range(60):  # that one of them is never drawn happens once in ten million times
        page = sheet.client.submit(f"{sheet.address}/dealer", {}, follow_redirects=True).text
        dealers |= set(re.findall(r"<p>(\w+) deals, \w+ starts\.</p>", page))
        if dealers == set(CAST):
            break
    assert dealers == set(CAST)
    sheet.record(sheet.fields("Ada", Bo="9", Cy="", Di=""))
    assert "before round 1" in sheet.client.submit(f"{sheet.address}/dealer", {}, status=422).text
    assert "Random dealer" not in sheet.text()


def test_a_phone_remembers_in_which_order_it_wants_the_standings(sheet: Sheet) -> None:
    assert "By seat" not in sheet.text()
    sheet.record(sheet.fields("Cy", Ada="9", Bo="", Di="5"))
    assert [line.split()[1] for line in standings(sheet.text())] == ["Cy", "Ada", "Bo", "Di"]
    assert sheet.client.get(f"{sheet.address}?order=seat").status_code == 303
    assert [line.split()[1] for line in standings(sheet.text())] == ["Ada", "Bo", "Cy", "Di"]
    sheet.record(sheet.fields("Di", Ada="9", Bo="", Cy=""))
    now = sheet.client.get(f"{sheet.address}/now").get_json()
    assert [line.split()[1] for line in standings(now["fragments"]["sheet"])] == ["Ada", "Bo", "Cy", "Di"]
    sheet.client.get(f"{sheet.address}?order=rank")
    assert [line.split()[1] for line in standings(sheet.text())] == ["Cy", "Di", "Ada", "Bo"]


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("7 skip wild", 77), ("7, s, w", 77), ("7, 8", 15), ("+2 +4", 70), ("2+4", 6), ("20+20+50", 90),
        ("20 + 20 + 50", 90), ("3×20", 60), ("=7", 7), ("red 7 Wild Draw Four", 57), ("Draw Two draw two", 40),
        ("77", 77),
    ],
)  # fmt: skip
def test_a_hand_is_understood_as_people_write_it(sheet: Sheet, hand: str, points: int) -> None:
    sheet.record(sheet.fields("Ada", Bo=hand, Cy="1", Di="1"))
    assert sheet.totals()[0] == points + 2


@pytest.mark.parametrize(
    ("hand", "words"),
    [
        ("joker", "Unknown card “joker”"), ("-5", "never worth less than 0"), ("999999", "100,000"),
        ("0 0 0 0 0", "only 4 times"), ("x" * 2000, "too long for a hand"), ("blank", "deck"),
    ],
)  # fmt: skip
def test_a_hand_that_cannot_be_is_refused_beside_it_and_kept(sheet: Sheet, hand: str, words: str) -> None:
    page = sheet.record(sheet.fields("Ada", Bo=hand, Cy="1", Di="20+20+50"), status=422).text
    assert any(words in error for error in errors(page)), errors(page)
    assert hand in html.unescape(page)
    assert 'value="20+20+50"' in page
    assert sheet.totals() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"went_out": ""}, "who went out"),
        ({"ended": "time-limit", "went_out": ""}, "time limit"),
        ({"ended": "earthquake"}, ""),
        ({"last_card": "ace"}, "Unknown card"),
    ],
)
def test_an_ending_that_cannot_be_is_refused(sheet: Sheet, changes: dict[str, str], words: str) -> None:
    page = sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="2") | changes, status=422).text
    assert words.lower() in html.unescape(page).lower()
    assert sheet.totals() == [0, 0, 0, 0]


def test_the_winner_holding_cards_and_nobody_holding_any_are_refused(sheet: Sheet) -> None:
    winner = sheet.record(sheet.fields("Ada", Ada="7", Bo="1", Cy="1", Di="1"))
    assert any("Ada went out. Leave this hand empty." in error for error in errors(winner.text))
    assert "Add the cards the others still hold" in sheet.record(sheet.fields("Ada"), status=422).text


def test_a_round_saved_first_is_shown_and_only_a_person_says_that_this_is_another(sheet: Sheet) -> None:
    first, second = (sheet.fields("Ada", Bo=hand, Cy="1", Di="1") for hand in ("7", "9"))
    assert sheet.record(first).status_code == 303
    for _ in range(2):  # saving once more says nothing about which round it is
        answer = sheet.record(second, status=409)
        page = html.unescape(answer.text)
        assert "Another phone saved first. Is yours the same round?" in page
        assert "Round 1: Ada went out. Bo held 7. Cy held 1. Di held 1." in page
        assert 'value="9"' in page
        second |= dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    assert f'<a class="button" href="{sheet.address}">The same round: keep theirs</a>' in page
    (seen,) = re.findall(r'name="seen" value="(\d+)">Another round: add it', page)
    assert sheet.record(second | {"seen": seen}).status_code == 303
    assert sheet.totals()[0] == 9 + 11


def test_the_hand_pad_gets_what_was_saved_first_and_what_its_form_needs_next(sheet: Sheet) -> None:
    first, second = (sheet.fields("Ada", Bo="7", Cy="1", Di="1") for _ in range(2))
    assert sheet.record(first).status_code == 303
    answer = sheet.record(second, headers={"X-Fragment": "1"}, status=409)
    assert answer.json["theirs"] == ["Round 1: Ada went out. Bo held 7. Cy held 1. Di held 1."]
    assert (answer.json["seen"]["after"], answer.json["seen"]["title"]) == ("1", "Round 2")
    assert answer.json["seen"]["key"] not in (first["idempotency_key"], second["idempotency_key"])


def test_a_blank_hand_on_the_page_without_script_is_asked_about(sheet: Sheet) -> None:
    plain = {"asks": "empty"}  # what its button sends, and the hand pad does not
    answer = sheet.record(sheet.fields("Ada", Bo="7") | plain, status=422)
    assert errors(answer.text) == [
        f"Add the cards or points {name} still holds, or say that {name} held none or sat out." for name in ("Cy", "Di")
    ]
    told = {"empty": sheet.players["Cy"], "sat_out": sheet.players["Di"]}
    answer = sheet.record(sheet.fields("Ada") | plain | told)
    assert f'name="empty" value="{sheet.players["Cy"]}" checked' in answer.text  # nothing ticked is lost
    assert sheet.record(sheet.fields("Ada", Bo="7") | plain | told).status_code == 303
    assert sheet.totals()[0] == 7
    address = re.findall(r'href="(/matches/\w+/rounds/\w{16})"', sheet.text())[-1]
    assert f'name="empty" value="{sheet.players["Cy"]}" checked' in sheet.client.get(address).text


def test_time_that_is_up_finds_every_hand_counted_on_the_page_without_script(client: Client) -> None:
    sheet = Sheet(client, rulebook="official", house_rules=["time-limit"])
    told = {"ended": "time-limit", "asks": "empty"} | {f"left-{sheet.players[name]}": "3" for name in CAST[1:]}
    answer = sheet.record(sheet.fields("") | told, status=422)
    assert errors(answer.text) == ["The fewest cards win when time is up. Say how many Ada holds."]


def test_the_same_tap_twice_records_once(sheet: Sheet) -> None:
    fields = sheet.fields("Ada", Bo="7", Cy="1", Di="1")
    assert [sheet.record(fields).status_code for _ in range(2)] == [303, 303]
    assert sheet.totals() == [9, 0, 0, 0]


def correction(sheet: Sheet, **hands: str) -> tuple[str, dict[str, Any]]:
    """Open the newest round and fill in its form: Bo went out."""
    address = (re.search(r'href="([^"]+/rounds/\w{16})"', sheet.text()) or [""])[1]
    page = sheet.client.get(address).text
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)) | {"went_out": sheet.players["Bo"]}
    return address, fields | {f"hand-{sheet.players[name]}": hand for name, hand in hands.items()}


def test_a_correction_of_what_somebody_corrected_meanwhile_shows_what_it_says_now(sheet: Sheet) -> None:
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"))
    address, fields = correction(sheet, Ada="9")
    assert sheet.client.submit(address, correction(sheet, Ada="8")[1]).status_code == 303
    page = sheet.client.submit(address, fields, status=412).text
    assert "Another phone corrected this round. Now it says: Bo went out. Ada held 8. Your cards are still here" in page
    assert 'value="9"' in page
    again = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    assert sheet.client.submit(address, fields | again).status_code == 303
    assert sheet.totals() == [9, 0, 0, 0]


def test_a_correction_is_saved_while_somebody_records_the_next_round_and_once_however_often_it_is_sent(
    sheet: Sheet,
) -> None:
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"))
    address, fields = correction(sheet, Ada="9")
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"))
    assert [sheet.client.submit(address, fields).status_code for _ in range(2)] == [303, 303]
    assert sorted(sheet.totals()) == [0, 0, 9, 9]
    assert sheet.client.get(address).text.count("Corrected") == 1


def test_a_tie_names_all_and_offers_one_more_round(client: Client) -> None:
    sheet = Sheet(client, rulebook="speluitslagen", target="20", players=["Ada", "Bo", "Cy", "Di"])
    sheet.record(sheet.fields("Ada", Bo="wild", Cy="5", Di="5"))
    text = sheet.plain()
    assert "Ada wins!" in text
    assert "Play on" not in text
    other = Sheet(client, rulebook="speluitslagen", target="20")
    other.record(other.fields("Ada", Bo="5", Cy="5", Di="5"))
    other.record(other.fields("Bo", Ada="5", Cy="5", Di="wild"))
    text = other.plain()
    assert "Ada and Bo tie." in text
    assert "One more round" in text


def test_long_matches_show_twenty_rounds_and_the_rest_on_demand(sheet: Sheet) -> None:
    sheet.client.submit(f"{sheet.address}/amend", {"target": "", "custom_rules": ""})
    for _ in range(22):
        assert sheet.record(sheet.fields("Ada", Bo="1", Cy="1", Di="1")).status_code == 303
    assert sheet.text().count('th scope="row"') == 20
    assert "Show all 22 rounds" in sheet.text()
    everything = sheet.client.get(f"{sheet.address}?rounds=all").text
    assert everything.count('th scope="row"') == 22
    assert sheet.totals()[0] == 66


# -- a running match ---------------------------------------------------------------------------------------------------


def test_a_rule_is_changed_on_record_from_the_next_round_on(sheet: Sheet) -> None:
    change = {"target": "300", "note": "It got late", "house_rules": ["jump-in"]}
    assert sheet.client.submit(f"{sheet.address}/amend", change).status_code == 303
    menu = sheet.client.get(f"{sheet.address}/menu").text
    assert "From round 1: “Jump-in” added and target 300. It got late" in menu
    more = {"target": "300", "house_rules": ["jump-in"], "rounds_to_play": "7"}
    assert sheet.client.submit(f"{sheet.address}/amend", more).status_code == 303
    assert "From round 1: 7 rounds in total." in sheet.client.get(f"{sheet.address}/menu").text
    assert "Record round 1 of 7" in sheet.text()


def test_a_total_is_corrected_with_its_reason_on_record_and_a_correction_of_the_round_keeps_it(sheet: Sheet) -> None:
    assert "Correct a total" not in sheet.client.get(f"{sheet.address}/menu").text
    penalty = {"seat": sheet.players["Cy"], "way": "take", "points": "20", "reason": "came late"}
    assert "Record a round first" in sheet.client.submit(f"{sheet.address}/adjust", penalty).text
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"))
    for wrong, words in (({"points": ""}, "points"), ({"reason": " "}, "Say why"), ({"seat": "nobody"}, "table")):
        answer = sheet.client.submit(f"{sheet.address}/adjust", penalty | wrong, status=422)
        assert words in " ".join(errors(answer.text))
    assert sheet.client.submit(f"{sheet.address}/adjust", penalty).status_code == 303
    assert re.findall(r"data-total>([-−]?\d+)<", sheet.text()) == ["9", "0", "0", "−20"]
    address, fields = correction(sheet, Ada="7", Cy="1", Di="1")
    page = sheet.client.get(address).text
    assert "Corrected: Cy −20, came late." in page
    fields |= dict(re.findall(r'name="((?:adjust|reason)-\w+)" value="([^"]*)"', page))
    assert sheet.client.submit(address, fields).status_code == 303
    assert re.findall(r"data-total>([-−]?\d+)<", sheet.text()) == ["9", "0", "0", "−20"]
    story = sheet.client.get(f"/history{sheet.address}").text
    assert "Corrected: Cy −20, came late." in story


def test_who_sat_down_while_a_round_was_written_down_sat_it_out(sheet: Sheet) -> None:
    written = sheet.fields("Ada", Bo="7", Cy="1", Di="1")
    assert sheet.client.submit(f"{sheet.address}/players", {"player": "Eve", "total": "30"}).status_code == 303
    page = sheet.record(written, follow_redirects=True).text
    assert "Ada +9. Eve leads with 30. Eve sat out." in page
    assert page.count('aria-label="sat out"') == 1
    assert sheet.totals() == [30, 9, 0, 0, 0]


@pytest.mark.parametrize(("out", "hand"), [("Ada", "9"), ("Bo", "")], ids=["a hand", "who went out"])
def test_what_was_written_of_somebody_who_left_meanwhile_is_asked_about(sheet: Sheet, out: str, hand: str) -> None:
    written = sheet.fields(out, Bo=hand, Cy="3", Di="")
    bo = f"{sheet.address}/players/{sheet.players['Bo']}"
    assert sheet.client.submit(f"{bo}/leave", {}).status_code == 303
    assert "Bo has left the table. If Bo played this round" in sheet.record(written, status=422).text
    assert sum(sheet.totals()) == 0
    assert sheet.client.submit(f"{bo}/return", {}).status_code == 303
    assert sheet.record(written).status_code == 303
    assert sum(sheet.totals()) == 3 + (9 if hand else 0)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"player": "Ada", "total": "0"}, "is already playing"),
        ({"player": "", "total": "0"}, "visible characters"),
        ({"player": "Eve", "total": ""}, "Enter the total"),
        ({"player": "Eve", "total": "many"}, "whole number"),
    ],
)
def test_joining_that_cannot_be_is_refused_beside_its_field(sheet: Sheet, fields: dict[str, str], words: str) -> None:
    answer = sheet.client.submit(f"{sheet.address}/players", fields, status=422)
    assert any(words in error for error in errors(answer.text))


def test_a_change_from_a_stale_page_is_refused(sheet: Sheet) -> None:
    assert sheet.client.submit(f"{sheet.address}/finish", {"revision": "0"}).status_code == 412


def test_a_match_is_ended_by_hand_opened_again_and_played_once_more(sheet: Sheet) -> None:
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"))
    sheet.client.submit(f"{sheet.address}/finish", {})
    assert "Ada wins!" in sheet.plain()
    sheet.client.submit(f"{sheet.address}/reopen", {})
    assert "Record round 2" in sheet.text()
    sheet.client.submit(f"{sheet.address}/abandon", {})
    assert "Abandoned." in sheet.text()
    again = sheet.client.submit(f"{sheet.address}/rematch", {}, status=303)
    assert again.headers["Location"] != sheet.address


def test_who_plays_again_second_comes_to_the_match_that_the_first_began(sheet: Sheet) -> None:
    sheet.client.submit(f"{sheet.address}/finish", {})
    seen = dict(re.findall(r'type="hidden" name="(revision)" value="([^"]*)"', sheet.text()))
    first, second = (sheet.client.submit(f"{sheet.address}/rematch", seen).headers["Location"] for _ in range(2))
    assert first == second
    assert "already started" in sheet.client.get(second).text
    sheet.client.submit(f"{first}/abandon", {})
    third = sheet.client.submit(f"{sheet.address}/rematch", {}).headers["Location"]
    assert third not in (sheet.address, first), "that one is over: another may begin"


# -- players and phones ------------------------------------------------------------------------------------------------


def test_the_club_page_goes_from_people_to_phones_to_keeping_it_safe_and_says_what_a_club_is(sheet: Sheet) -> None:
    page = sheet.client.get("/club").text
    assert re.findall(r"<h2[^>]*>([^<]+)</h2>", page) == ["People", "Phones", "Keep it safe", "Settings"]
    assert page.count("Your club is the people you play with") == 1
    phones = page.partition('id="phones"')[2]
    assert phones.index("Invite a scorekeeper") < phones.index("First phone")


def test_an_invitation_and_its_code_stand_on_the_club_page(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.web.sharing.wording.here_only", lambda link: False)  # else it has no code
    page = sheet.client.submit("/club/invitations", {"role": "spectator"}).text
    invited = page.partition('id="phones"')[2].partition("Invite a scorekeeper")[0]
    assert "Scan to watch" in invited
    assert "<svg" in invited
    assert re.search(r'data-share-link="[^"]+/join/\w+"', invited)
    assert "/join/" not in sheet.client.get("/club").text, "it is shown this once"


def test_what_is_switched_in_the_settings_stays_open(sheet: Sheet) -> None:
    done = sheet.client.submit("/club/public", {})
    assert done.headers["Location"] == "/club?opened=public#public"
    assert '<details class="fold" open id="public">' in sheet.client.get(done.headers["Location"]).text


def test_players_are_renamed_set_aside_and_merged(sheet: Sheet) -> None:
    bo, cy = sheet.players["Bo"], sheet.players["Cy"]
    assert sheet.client.submit(f"/club/players/{bo}", {"name": "Bob", "active": "1"}).status_code == 303
    assert "Bob" in sheet.text()
    assert errors(sheet.client.submit(f"/club/players/{bo}", {"name": "cy", "active": "1"}, status=422).text)
    together = sheet.client.submit(f"/club/players/{bo}/merge", {"into": cy})
    assert together.status_code == 422  # both sit at this match
    assert errors(together.text)


def test_a_player_picks_a_color_and_shape_on_their_page(sheet: Sheet) -> None:
    page = f"/club/players/{sheet.players['Bo']}"
    choices = re.findall(r'name="marker" value="([^"]*)"', sheet.client.get(page).text)
    assert choices == [*(f"{color}-{shape}" for shape in MARKER_SHAPES for color in MARKER_COLORS), ""]
    assert re.findall(r'class="marker of-(\w+)"', sheet.text())[:4] == ["red", "blue", "green", "yellow"]

    fields = {"name": "Bo", "active": "1"}
    assert sheet.client.submit(page, fields | {"marker": "green-circle"}).status_code == 303
    assert re.findall(r'class="marker of-(\w+)"', sheet.text())[:4] == ["red", "green", "blue", "green"]
    picked = re.findall(r'value="([^"]*)" aria-label="([^"]*)" checked', sheet.client.get(page).text)
    assert picked == [("green-circle", "Green circle")]
    assert sheet.client.submit(page, fields).status_code == 303, "a page from before the update has no such field"
    assert "of-green" in sheet.text()

    wrong = sheet.client.submit(page, fields | {"marker": "green-heart"}, status=422)
    assert "red-circle, blue-square" in errors(wrong.text)[0]


@pytest.mark.usefixtures("database")
def test_a_club_of_many_players_has_one_list_to_merge_with_and_only_where_it_is_asked_for(
    sheet: Sheet, app: Flask
) -> None:
    with app.app_context():
        club_id = db.session.scalars(db.select(Club.id)).one()
        names = [f"Player {number:04}" for number in range(1990)]
        rows = [{"club_id": club_id, "id": f"{at:016}", "name": name, "folded_name": name.lower(), "active": True}
                for at, name in enumerate(names)]  # fmt: skip
        db.session.execute(db.insert(Player), rows)
        db.session.commit()
    page = sheet.client.get("/club").text
    assert len(page) < 60_000
    assert 'name="into"' not in page
    assert "Show all 1994 players" in page
    everyone = sheet.client.get("/club?players=all").text
    assert len(everyone) < 1994 * 120, "a line each, and nothing that grows with the others"
    assert all(name in everyone for name in names)
    own = sheet.client.get(f"/club/players/{sheet.players['Bo']}").text
    assert own.count("<option") == 1994
    assert len(own) < 200_000


def test_a_spectator_sees_the_sheet_and_writes_nothing(sheet: Sheet) -> None:
    other = sheet.invite("spectator")
    text = other.get(sheet.address).text
    assert "You’re watching" in text
    assert "Record round" not in text
    assert f"{sheet.address}/invite" not in other.get(f"{sheet.address}/share").text
    sheet.client.submit(f"{sheet.address}/finish", {"revision": sheet.fields()["revision"]})
    text = other.get(sheet.address).text
    assert "The match is over" in text
    assert "Rematch" not in text
    assert f"{sheet.address}/share" in text


def test_a_lost_phone_is_locked_out_but_never_the_last_one(sheet: Sheet) -> None:
    assert "/revoke" not in sheet.client.get("/club").text, "no row for who watches before anyone does"
    sheet.invite("spectator")
    page = sheet.client.get("/club").text
    sofa = (re.search(r"/club/keys/(\w+)/revoke", page) or [""])[1]
    assert sheet.client.submit(f"/club/keys/{sofa}/revoke", {}).status_code == 303
    page = sheet.client.get("/club").text
    assert "Sofa is locked out." in page
    (undo,) = re.findall(r'action="([^"]+)" data-quick', page)
    assert sheet.client.submit(undo, {}).status_code == 303
    page = sheet.client.get("/club").text
    assert "Sofa is back in." in page
    assert ", locked out" not in page


def test_a_phone_gets_another_name_but_never_that_of_the_printed_key(sheet: Sheet) -> None:
    def page() -> str:
        return sheet.client.get("/club").text

    own = re.findall(r'action="(/club/keys/\w+)"', page().split("<bdi>First phone</bdi>")[1])[0]
    assert sheet.client.submit(own, {"name": " Kitchen  tablet "}).status_code == 303
    assert "<bdi>Kitchen tablet</bdi> (this one)" in page()
    for name in ("", "recovery sheet", "x" * 1000):
        answer = sheet.client.submit(own, {"name": name}, status=422)
        assert f'value="{name}"' in answer.text, "what was typed is kept"
    sheet.client.submit("/club/recovery", {})
    printed = page().split("<bdi>Recovery sheet</bdi>")[1].split("</details>")[0]
    (lock,) = re.findall(r'action="([^"]+)/revoke"', printed)
    assert sheet.client.submit(f"{lock}/revoke", {}).status_code == 303
    assert sheet.client.submit(f"{lock}/readmit", {}).status_code == 422, "a newer sheet may have voided it"
    assert sheet.client.submit(lock, {"name": "Bo"}).status_code == 422
    assert "<bdi>Recovery sheet</bdi>" in page()


def test_the_clock_of_a_time_limit_runs_the_same_on_every_phone(client: Client) -> None:
    sheet = Sheet(client, house_rules=["time-limit"])
    assert 'data-ends=""' in sheet.text()
    other, clock = sheet.invite("spectator"), f"{sheet.address}/clock"
    for minutes in ("", "many", "-5", "601", "9" * 400):
        assert client.submit(clock, {"minutes": minutes}).status_code == 422, minutes
    assert client.submit(clock, {"minutes": "20"}).status_code == 303
    pages = (sheet.text(), other.get(sheet.address).text)
    seen = [re.findall(r'data-ends="(\d+)"', page) for page in pages]
    assert seen[0] == seen[1]
    assert 19 * 60 < int(seen[0][0]) / 1000 - time() <= 20 * 60
    assert ["Stop clock" in page for page in pages] == [True, False]
    client.submit(clock, {"minutes": "5"})
    assert re.findall(r'data-ends="(\d+)"', sheet.text()) == seen[0], "it runs already"
    assert client.submit(clock, {"minutes": "0"}).status_code == 303
    assert 'data-ends=""' in sheet.text()
    client.submit(f"{sheet.address}/finish", {})
    assert client.submit(clock, {"minutes": "20"}).status_code == 422
    story = client.get(f"/history{sheet.address}").text
    assert "Clock started: 20 minutes." in story


def undo(sheet: Sheet, seen: str) -> None:
    """Take back what the sheet has just said, when it shows what was seen."""
    page = sheet.text()
    assert re.search(seen, page)
    (way,) = re.findall(r'action="([^"]+)" data-quick', page)
    assert sheet.client.submit(way, {}).status_code == 303


def test_who_sat_down_by_mistake_gets_up_and_who_left_comes_back_with_the_same_total(sheet: Sheet) -> None:
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"))
    assert sheet.client.submit(f"{sheet.address}/players", {"player": "Eve", "total": "4"}).status_code == 303
    undo(sheet, seen="data-total>4<")
    assert sorted(sheet.totals()) == [0, 0, 0, 9]
    assert sheet.client.submit(f"{sheet.address}/players/{sheet.players['Ada']}/leave", {}).status_code == 303
    undo(sheet, seen="Player removed from the table")
    assert sorted(sheet.totals()) == [0, 0, 0, 9]
    back = f"{sheet.address}/players/{sheet.players['Ada']}/return"
    assert sheet.client.submit(back, {}).status_code == 422, "she sits here already"


def test_who_left_is_offered_the_seat_again_however_late(sheet: Sheet) -> None:
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"))
    sheet.client.submit(f"{sheet.address}/players/{sheet.players['Ada']}/leave", {})
    del sheet.players["Ada"]
    sheet.record(sheet.fields("Bo", Cy="1", Di="1"))
    menu = sheet.client.get(f"{sheet.address}/menu").text
    assert "<bdi>Ada</bdi>, left with 9" in menu
    (way,) = re.findall(r'action="([^"]+/return)"', menu)
    assert sheet.client.submit(way, {}).status_code == 303
    assert sorted(sheet.totals()) == [0, 0, 2, 9]
    assert "/return" not in sheet.client.get(f"{sheet.address}/menu").text


def test_a_changed_rule_is_changed_back_and_both_changes_stay_on_record(sheet: Sheet) -> None:
    assert sheet.client.submit(f"{sheet.address}/amend/back", {}).status_code == 422, "nothing was changed yet"
    change = {"target": "300", "house_rules": ["jump-in"], "custom_rules": ""}
    assert sheet.client.submit(f"{sheet.address}/amend", change).status_code == 303
    undo(sheet, seen="first to 300")
    assert ">first to 500<" in sheet.text().replace("<i></i>", "")
    menu = sheet.client.get(f"{sheet.address}/menu").text
    assert menu.count('class="version"') == 2


def test_a_script_gets_what_is_wrong_and_at_which_hand(sheet: Sheet) -> None:
    answer = sheet.record(sheet.fields("Ada", Bo="joker", Cy="1", Di="1"), headers={"X-Fragment": "1"}, status=422)
    assert answer.json["problems"][0]["player"] == sheet.players["Bo"]


def test_a_saved_round_is_answered_with_its_message_and_what_the_next_form_needs(sheet: Sheet) -> None:
    answer = sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"), headers={"X-Fragment": "1"})
    assert [*answer.json["fragments"]] == ["messages"], "the phone asks for the sheet as every other phone does"
    assert "Ada +9" in answer.json["fragments"]["messages"]
    assert re.search(r'action="[^"]+/strike"', answer.json["fragments"]["messages"])
    now = sheet.client.get(f"{sheet.address}/now").get_json()
    seen = answer.json["seen"]
    assert seen["revision"] == now["revision"]
    assert f"<h1>{seen['title']}</h1>" in now["fragments"]["pad"]
    second = sheet.fields("Bo", Ada="7", Cy="1", Di="1") | {
        "after": seen["after"], "revision": seen["revision"], "idempotency_key": seen["key"],
    }  # fmt: skip
    assert sheet.record(second, headers={"X-Fragment": "1"}).json["seen"]["after"] == "2"


def test_a_match_that_a_round_ends_needs_no_next_form(sheet: Sheet) -> None:
    answer = sheet.record(sheet.fields("Ada", Bo="=500", Cy="", Di=""), headers={"X-Fragment": "1"})
    assert [*answer.json["seen"]] == ["revision"]
    assert sheet.client.get(f"{sheet.address}/now").get_json()["fragments"]["pad"] == ""


def test_a_correction_is_undone_and_both_versions_stay_on_record(sheet: Sheet) -> None:
    sheet.record(sheet.fields("Ada", Bo="7", Cy="1", Di="1"))
    address, fields = correction(sheet, Ada="9", Cy="9", Di="9")
    assert sheet.client.submit(address, fields).status_code == 303
    text = sheet.text()
    assert sheet.totals()[0] == 27
    undo = (re.search(r'action="([^"]+/versions/1)"', text) or [""])[1]
    assert sheet.client.submit(undo, {}).status_code == 303
    assert sheet.totals()[0] == 9
    history = sheet.client.get(address).text
    assert "<h1>Correct round 1</h1>" in history
    assert "Ada went out. Bo held 7. Cy held 1. Di held 1. Points: Ada 9, Bo 0, Cy 0, Di 0." in history
    assert history.count("Corrected") == 2
    assert sheet.client.submit(f"{address}/versions/99", {}).status_code == 404


def test_where_the_target_depends_on_the_players_the_table_is_asked_when_somebody_joins(client: Client) -> None:
    sheet = Sheet(client, rulebook="online-100-200", players=["Ada", "Bo"])
    joined = client.submit(f"{sheet.address}/players", {"player": "Cy", "total": "0"})
    assert joined.headers["Location"].endswith("/menu?section=change")
    assert "a target of 200. Change it here if you agree." in client.get(joined.headers["Location"]).text
    assert "needs 100" in sheet.text()  # nothing frozen changes by itself


def test_the_very_first_tap_twice_founds_one_club_with_one_match(client: Client, app: Flask) -> None:
    token = client.token("/")
    before = client.get_cookie("session")
    assert before is not None
    form = PLAN | {"token": "of the first form", "csrf_token": token}
    addresses = []
    for _ in range(2):
        client.set_cookie("session", before.value)  # the second tap leaves before the first one's answer arrives
        addresses.append(client.post("/matches/new", data=form).headers["Location"])
    assert addresses[0] == addresses[1]
    stranger = browser_of(app)
    other = stranger.submit("/matches/new", PLAN | {"token": "of the first form"})
    assert other.headers["Location"] != addresses[0]
    assert stranger.get(addresses[0]).status_code == 404


def test_the_first_tap_once_more_says_that_its_club_was_deleted(client: Client, app: Flask) -> None:
    token = client.token("/")
    before = client.get_cookie("session")
    assert before is not None
    form = PLAN | {"token": "of a form whose club goes", "csrf_token": token}
    client.post("/matches/new", data=form)
    key = client.get("/api/v1/keys").get_json()["keys"][0]
    with app.app_context():
        club = db.session.scalars(select(Club).join(Key, Key.club_id == Club.id).where(Key.id == key["id"])).one()
        club.deleted_at = now()
        db.session.commit()
    client.set_cookie("session", before.value)
    assert "deleted" in client.post("/matches/new", data=form, status=410).text


def test_a_kept_sheet_gives_each_visitor_their_own_token_and_each_look_its_own_key(sheet: Sheet) -> None:
    other = sheet.invite("scorekeeper")
    looks = [client.get(sheet.address).text for client in (sheet.client, sheet.client, other)]
    keys = [re.findall(r'name="idempotency_key" value="([^"]+)"', look) for look in looks]
    assert len({key for look in keys for key in look}) == 3
    assert not [one for one in (sheets.TOKEN_HERE, sheets.KEY_HERE) if one in looks[0]]
    second = re.findall(r'name="csrf_token" value="([^"]+)"', looks[2])
    assert second
    assert not set(second) & set(re.findall(r'name="csrf_token" value="([^"]+)"', looks[0]))
    assert other.post(f"{sheet.address}/finish", data={"csrf_token": second[0]}).status_code == 303
