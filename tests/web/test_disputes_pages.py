"""The Dispute room without a browser: addresses that carry a hearing, a hand that stays private, rulings on record."""

import html
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, answer
from referee.rules.disputes.tree import document
from tests.ground.client import Client, find_in

CHALLENGE = "/disputes/draw-four-challenge"
GUILTY = f"{CHALLENGE}?rulebook=classic-500&challenged=yes&challenger=target&held_color=yes"
PLAN = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500", "step": "deal"}
OPTION = re.compile(r'class="button option" href="([^"]+)"(?: data-goes="\w+")?>(?:<svg.*?</svg>)?<bdi>([^<]*)')


def options(page: str) -> dict[str, str]:
    """Read the answers a page offers: label → address."""
    return {html.unescape(label): html.unescape(address) for address, label in OPTION.findall(page)}


def headline(page: str) -> str:
    found = re.search(r'<h1 id="ruling" class="headline of-\w+">(.*?)</h1>', page)
    return html.unescape(re.sub("<[^>]+>", "", found[1])) if found else ""


def stamp(page: str) -> str:
    """Read the words of the sign above a ruling."""
    found = re.search(r'<span class="stamp is-\w+"><svg .*?</svg><span>([^<]+)</span></span>', page)
    return html.unescape(found[1]) if found else ""


def orders(page: str) -> list[str]:
    """List what is ordered, from first to last."""
    if 'class="headline of-order"' not in page:
        return []
    told = page.partition("data-told")[2].partition("</div>")[0]
    found = re.findall(r'(?:<li>|<h1 id="ruling"[^>]*>)(.*?)</(?:li|h1)>', told)
    return [html.unescape(re.sub("<[^>]+>", "", order)) for order in found]


class Match:
    """A match of the cast under Classic 500, as its scorekeeper sees it."""

    def __init__(self, client: Client, **plan: Any) -> None:
        self.client = client
        self.sheet = urlsplit(client.submit("/matches/new", PLAN | plan, status=303).headers["Location"]).path
        self.challenge = f"{self.sheet}{CHALLENGE}"

    def get(self, address: str) -> str:
        return self.client.get(address, status=200).text

    def write(self, fields: dict[str, str]) -> Any:
        return self.client.submit(f"{self.challenge}/ruling", fields)


@pytest.fixture
def match(client: Client) -> Match:
    return Match(client)


CASE = {"as-offender": "0", "as-target": "1", "challenged": "yes", "challenger": "target", "held_color": "yes"}


# -- outside a match ---------------------------------------------------------------------------------------------------


def test_every_dispute_has_a_drawn_card_and_a_hint_that_does_not_repeat_its_title(client: Client) -> None:
    page = client.get("/disputes").text
    shown, drawn = (re.findall(rf'{what}dispute-([\w-]+)"', page) for what in ('href="#', 'symbol id="'))
    assert sorted(shown) == sorted(drawn) == sorted(DISPUTES_BY_ID)
    for dispute in DISPUTES:
        title, hint = ({*re.findall(r"\w{4,}", text.lower())} for text in (dispute.title, dispute.heading(None).lead))
        assert len(title & hint) < 2, (dispute.title, dispute.heading(None).lead)


def test_the_challenge_and_the_call_come_first(client: Client) -> None:
    page = client.get("/disputes").text
    titles = re.findall(r"<b>([^<]*)</b>", page)
    assert titles[:2] == ["Wild Draw Four challenge", "Missed Uno call"]
    assert len(titles) == len(DISPUTES)


def test_whoever_is_tapped_for_a_missed_call_had_one_card_and_nobody_is_asked_how_many(client: Client) -> None:
    match = Match(client)
    page = match.get(f"{match.sheet}/disputes/uno-call")
    asked = match.get(options(page)["Bo"])
    assert "cards_left=1" in options(page)["Bo"]
    assert not re.search(r"cards_left=[02]", asked)
    nameless = match.get(f"{match.sheet}/disputes/uno-call?names=no")
    assert [*options(nameless)][:3] == ["0", "1", "2"]


def test_a_hearing_is_its_address(client: Client) -> None:
    page = client.get(CHALLENGE).text
    assert "Which rulebook do you play by?" in page
    page = client.get(f"{CHALLENGE}?rulebook=classic-500").text
    asked = options(page)
    assert list(asked) == ["Yes, the next player", "Yes, someone else", "No"]
    page = client.get(asked["Yes, the next player"]).text
    asked = options(page)
    assert asked["Yes"] == GUILTY
    page = client.get(GUILTY).text
    assert orders(page) == [
        "Whoever played it shows the challenger the cards in hand.",
        "Whoever played it draws 4",
    ]
    assert "Uno rules reference" in page, "the source is cited"
    assert 'href="/rules/classic-500#challenge-guilty"' in page, "and leads to the clause"
    assert "Official" in page, "and the other rulebooks are heard"


def test_who_challenged_is_asked_together_with_whether_somebody_did(client: Client) -> None:
    asked = options(client.get(f"{CHALLENGE}?rulebook=online-100-200").text)
    assert list(asked) == ["Yes, the next player", "Yes, someone else", "No"], "it matters only if the card was legal"
    asked = options(client.get(asked["Yes, the next player"]).text)
    assert list(asked) == ["Yes", "No"]


def test_questions_that_end_in_the_same_way_become_one_list(client: Client) -> None:
    page = client.get(f"{CHALLENGE}?rulebook=duo-200&challenged=yes").text
    asked = options(page)
    assert list(asked) == [
        "The player held a card of the color in play.",
        "The player held a card of the same number or symbol.",
        "The player held another wild card.",
        "None of these.",
    ]
    assert asked["None of these."].endswith("held_color=no&held_number_or_symbol=no&held_wild=no")
    assert headline(client.get(asked["None of these."]).text) == "The other player draws 6"


def test_a_page_asks_whether_a_draw_card_was_just_played_on_you_and_the_interface_takes_no(client: Client) -> None:
    address = "/disputes/can-i-play?rulebook=no-mercy&card=red-5&top_card=red-draw-two"
    asked = client.get(address).text
    assert "Was the card on the pile just played on you?" in asked
    assert stamp(client.get(options(asked)["Yes"]).text) == "Not legal"
    told = answer("can-i-play", "no-mercy", (), {"card": "red-5", "top_card": "red-draw-two"})
    assert (told["status"], told["outcome"]) == ("ruled", {"legal": True})
    assert "just played" not in client.get(address.replace("no-mercy", "classic-500")).text


def test_a_missed_call_asks_once_how_many_cards_were_left(client: Client) -> None:
    """Online and on a phone without a connection alike; larger numbers are typed."""
    page = client.get("/disputes/uno-call?rulebook=classic-500").text
    assert page.count("How many cards were left") == 1
    assert list(options(page)) == ["0", "1", "2"]
    assert "Never" in options(client.get(options(page)["1"]).text)
    offline = document(rulebooks()["classic-500"], [DISPUTES_BY_ID["uno-call"]])
    questions = [offline["questions"][node["ask"]]["key"] if "ask" in node else "" for node in offline["nodes"]]
    asked = [node for node, key in zip(offline["nodes"], questions, strict=True) if key == "cards_left"]
    assert [[label for label, *_ in node["options"]] for node in asked] == [["1", "2 or more", "0"]]


def test_a_question_stands_beside_what_the_rules_say_on_it(match: Match) -> None:
    may = "The player who has to draw the four may challenge. Nobody else may."
    legal = "You may play a Wild Draw Four only when you hold no other card of the color in play."

    def said(page: str) -> list[str]:
        beside = page.partition('aria-labelledby="at-stake"')[2].partition("</section>")[0]
        return [html.unescape(text) for text in re.findall(r"</b>([^<]+)", beside)]

    question = f"{CHALLENGE}?rulebook=classic-500&challenged=yes"
    assert may in said(match.get(question))
    assert may in said(match.get(match.challenge)), "while it is asked who played it, too"
    assert legal in said(match.get(f"{question}&challenger=target&tap=hand")), "while cards are tapped"
    assert said(match.get(GUILTY)) == [], "a ruling has its reasons"


def test_what_cant_be_an_answer_is_asked_again_below_what_is_wrong(client: Client) -> None:
    def asked_again(query: str) -> tuple[str, str, list[str]]:
        problems, _, question = client.get(query, status=422).text.partition('<h1 class="asked')
        problem = find_in(r'id="problems">([^<]+)', problems)
        return html.unescape(problem), question.partition("<")[0].partition(">")[2], [*options(question)]

    said = "Give a whole number from 0 to 108"
    cards = "How many cards were left in the player’s hand after the play?"
    assert asked_again("/disputes/uno-call?rulebook=official&cards_left=many") == (said, cards, ["0", "1", "2"])
    challenger = asked_again(f"{CHALLENGE}?rulebook=classic-500&challenged=yes&challenger=nobody&held_color=yes")
    assert challenger[1:] == ("Who challenged?", ["The next player", "Someone else"]), "what was said after it goes"


def test_who_draws_for_the_first_turn_is_numbered_in_the_readers_language(client: Client) -> None:
    page = client.get("/disputes/who-starts?rulebook=official", headers={"Accept-Language": "de"}).text
    assert 'name="draw-name" value="Person 1"' in page


def test_a_wrong_answer_that_nothing_asks_for_is_named_alone(client: Client) -> None:
    answer = client.get(f"{CHALLENGE}?rulebook=classic-500&last_card=perhaps", status=422)
    assert 'id="problems"' in answer.text
    assert 'class="asked' not in answer.text


def test_each_answer_can_be_taken_back(client: Client) -> None:
    page = html.unescape(client.get(GUILTY).text)
    assert f'href="{CHALLENGE}?rulebook=classic-500"' in page
    assert f'href="{CHALLENGE}?rulebook=classic-500&challenged=yes&challenger=target"' in page


def test_the_verdict_is_a_sign_and_said_once_and_without_names_the_role_is_marked(match: Match) -> None:
    guilty = match.get(f"{match.challenge}?names=no&challenged=yes&challenger=target&held_color=yes")
    assert (stamp(guilty), headline(guilty)) == ("Not legal", "Whoever played it draws 4")
    assert '<span class="role">Whoever played it</span> draws 4</h1>' in guilty
    told = guilty.partition("data-told")[2].partition("</div>")[0]
    assert len(re.findall(r"(?i)legal", told)) == 1, "the sign says it, no paragraph again"
    named = match.get(f"{match.challenge}?as-offender=0&as-target=1&challenged=yes&challenger=target&held_color=yes")
    assert (stamp(named), headline(named), 'class="role"' in named) == ("Not legal", "Ada draws 4", False)


def test_a_silent_text_is_said_to_be_silent(client: Client) -> None:
    page = client.get("/disputes/jump-in?rulebook=duo-200&top_card=red-7&played=red-7").text
    assert (stamp(page), headline(page)) == ("The rules don’t say", "Can you jump in out of turn with the same card?")
    assert orders(page) == []
    said = page[page.index("<main") :].partition("Other rulebooks")[0]
    assert said.count("Can you jump in out of turn with the same card?") == 1, "what it leaves open, once"
    assert '<details class="others" open>' in page, "what others say is all there is to go by"
    assert '<details class="others">' in client.get(GUILTY).text


def test_a_house_rule_stands_beside_the_clause_it_replaces(client: Client) -> None:
    query = "rulebook=classic-500&house_rule=stack-draw-two&on_pile=red-draw-two&response=blue-draw-two"
    page = client.get(f"/disputes/stacking?{query}&players=4").text
    page = page if headline(page) else client.get(f"/disputes/stacking?{query}&players=4&total_so_far=2").text
    assert "In place of" in page
    assert "Agreed at this table" in page
    link = find_in(r'href="([^"]+)#stacking-draw-two"', page)
    assert "If a Draw Two is played on you, you may stack another." in client.get(html.unescape(link)).text


def test_a_ruling_is_told_to_those_who_listen_and_holds_its_tongue_about_hands(client: Client) -> None:
    assert 'role="status"' in client.get(GUILTY).text


@pytest.mark.parametrize("dispute", DISPUTES, ids=lambda dispute: dispute.id)
def test_every_dispute_can_be_walked_to_a_ruling_under_every_rulebook(client: Client, dispute: Any) -> None:
    for place, rulebook in enumerate(rulebooks()):
        address = f"/disputes/{dispute.id}?rulebook={rulebook}"
        for _ in range(12):
            answer = client.get(address, follow_redirects=True)
            assert answer.status_code == 200, address
            if headline(answer.text):
                break
            address = _next(answer.text, answer.request.full_path, last=place % 2 == 1)
        assert headline(answer.text), address


def _next(page: str, address: str, *, last: bool) -> str:
    """Answer as a person without script would: take an option, else tap cards."""
    asked = list(options(page).values())
    if asked:
        return asked[-1 if last else 0]
    key = find_in(r'name="tap" value="(\w+)"', page)
    if 'name="draw-card"' in page:
        return f"{address}&tap={key}&draw-name=Ada&draw-name=Bo&draw-card=9&draw-card=3"
    card = "blue-reverse" if last else "red-7"
    if 'name="done"' in page:
        return f"{address}&tap={key}&laid={card},{card}&done=1"
    faces = re.findall(r'name="add" value="([^"]+)"', page)
    color = "blue" if "=red-" in address else "red"  # there is but one red 0
    return f"{address}&tap={key}&color={color}&add={faces[-1 if last else 0]}"


# -- a hand ------------------------------------------------------------------------------------------------------------

HELD = {"rulebook": "classic-500", "challenged": "yes", "challenger": "target", "tap": "hand"}


def test_a_hand_is_tapped_in_by_a_form_and_stands_in_no_address(client: Client) -> None:
    assert "tap=hand" not in client.get(f"{CHALLENGE}?rulebook=classic-500").text, "no hand says who challenged"
    page = client.get(f"{CHALLENGE}?rulebook=classic-500&challenged=yes&challenger=target").text
    assert "tap=hand" in page
    page = client.get(f"{CHALLENGE}?rulebook=classic-500&challenged=yes&challenger=target&tap=hand").text
    assert 'method="post"' in page
    page = client.submit(CHALLENGE, HELD | {"color": "red", "add": "7"}).text
    assert 'name="laid" value="red-7"' in page
    page = client.submit(CHALLENGE, HELD | {"laid": "red-7", "color": "blue", "add": "skip"}).text
    assert 'name="laid" value="red-7,blue-skip"' in page
    page = client.submit(CHALLENGE, HELD | {"laid": "red-7,blue-skip", "take": "0"}).text
    assert 'name="laid" value="blue-skip"' in page
    page = client.submit(CHALLENGE, HELD | {"laid": "red-7,blue-skip", "done": "1"}).text
    assert "Which color had to be matched?" in page
    given = {key: value for key, value in HELD.items() if key != "tap"} | {"hand": "red-7,blue-skip"}
    page = client.submit(CHALLENGE, given | {"answer": "color_in_play=red"}).text
    assert "draws 4" in headline(page)
    seen = re.sub(r"<[^>]*>", " ", page.replace("<details", "<!--").replace("</details>", "-->"))
    assert "red-7" not in seen.partition("Share")[0], "hidden as soon as the ruling is shown"
    assert "Anyone who opens the link sees the cards" in page


def test_taking_the_hand_back_leads_to_the_address_before_it(client: Client) -> None:
    given = {"rulebook": "classic-500", "challenged": "yes", "challenger": "target", "hand": "red-7"}
    assert "hand" not in client.submit(CHALLENGE, given | {"undo": "hand"}, status=303).headers["Location"]


def test_a_color_is_wanted_before_a_colored_card(client: Client) -> None:
    assert "Tap the color first" in client.submit(CHALLENGE, HELD | {"add": "7"}, status=422).text


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/disputes/chess", 404, ""),
        (f"{CHALLENGE}?rulebook=monopoly", 422, "Unknown rulebook “monopoly”."),
        (f"{CHALLENGE}?rulebook=classic-500&mood=bad", 422, "a fact of this dispute"),
        (f"{CHALLENGE}?rulebook=classic-500&challenged=perhaps", 422, "true or false"),
        (f"{CHALLENGE}?rulebook=classic-500&challenged=yes&challenged=no", 422, "answered twice"),
        (f"{CHALLENGE}?rulebook=classic-500&hand=red-99", 422, "Unknown card"),
        (f"{CHALLENGE}?rulebook=classic-500&color_in_play=red&hand=red-7&held_color=no", 422, "hand shown says yes"),
        (f"{CHALLENGE}?rulebook=classic-500&house_rule=jump-in&house_rule=jump-in", 422, "twice"),
        (f"{CHALLENGE}?rulebook=classic-500&tap=hand&add=%00", 422, "Unknown card"),
        (f"{CHALLENGE}?rulebook=classic-500&tap=players&add=7", 200, ""),
        (f"{CHALLENGE}?rulebook=classic-500&undo=mood", 200, ""),
        (f"{CHALLENGE}?rulebook=classic-500&hand={'red-7,' * 2500}", 422, ""),
        (f"{CHALLENGE}?rulebook=classic-500&answer=%ff%fe&as-king=7", 200, ""),
    ],
)
def test_bad_input_gets_words_not_a_crash(client: Client, address: str, status: int, words: str) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    assert words in html.unescape(answer.text)


# -- at a match --------------------------------------------------------------------------------------------------------


def test_from_a_match_the_tab_leads_to_its_own_disputes(match: Match) -> None:
    assert f'href="{match.sheet}/disputes"' in match.get(match.sheet)
    assert "Under Classic 500" in match.get(f"{match.sheet}/disputes")


def test_players_are_named_with_one_tap_and_never_counted(match: Match) -> None:
    page = match.get(match.challenge)
    assert list(options(page)) == ["Ada", "Bo", "Cy", "Di"]
    page = match.get(f"{match.challenge}?as-offender=0&as-target=1")
    asked = options(page)
    assert list(asked) == ["Yes, Bo", "Yes, Cy", "Yes, Di", "No"]
    page = match.get(f"{match.challenge}?as-offender=0&as-target=1&challenged=no")
    assert orders(page)[:2] == ["Bo draws 4", "Bo is skipped."]
    assert "Cy plays next." in orders(page), "two who follow each other show the direction"
    page = match.get(f"{match.challenge}?as-offender=0&as-target=3&challenged=no")
    assert "Cy plays next." in orders(page)


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("red-draw-two", ["Bo draws 2", "Bo is skipped.", "Cy starts."]),
        ("red-reverse", ["Ada starts"]),
        ("red-7", ["Bo starts"]),
    ],
)
def test_the_first_card_names_who_deals_and_who_plays_first(client: Client, card: str, said: list[str]) -> None:
    match = Match(client, dealer="0")
    assert orders(match.get(f"{match.sheet}/disputes/start-card?turned_card={card}")) == said


def test_without_names_the_parts_are_called(match: Match) -> None:
    assert "The next player draws 4" in orders(match.get(f"{match.challenge}?names=no&challenged=no"))


def test_a_ruling_is_written_once_and_stands_on_the_sheet(match: Match) -> None:
    page = match.get(f"{match.challenge}?as-offender=0&as-target=1&challenged=yes&challenger=target&held_color=yes")
    once = find_in(r'name="once" value="(\w+)"', page)
    for _ in range(2):
        assert match.write(CASE | {"once": once}).status_code == 303
    other = match.write(CASE | {"once": once, "table_decided": "Ada draws two."})
    assert other.status_code == 409, "the same key for another ruling"
    sheet = match.get(match.sheet)
    assert sheet.count("/rulings/") == 1
    assert "Ada draws 4 cards." in sheet
    record = match.get(re.findall(r'href="([^"]+/rulings/\w+)"', sheet)[0])
    assert orders(record)[:2] == ["Ada shows Bo the cards in hand.", "Ada draws 4"]
    assert "never changes" in record
    assert not re.search(r"\b[0-9a-f]{12}\b", re.sub("<[^>]*>", "", record)), "a digest says nothing to people"


def test_a_ruling_that_cant_be_heard_again_is_read_in_its_own_language(match: Match) -> None:
    case = {key: value for key, value in CASE.items() if key != "held_color"}
    match.write(case | {"hand": "red-7,wild", "color_in_play": "red"})
    match.write(CASE)
    match.client.set_cookie("language", "nl")
    sheet = match.get(match.sheet)
    assert sheet.count('<span class="hint" lang="en">') == 1
    heard_again, as_said = (match.get(path) for path in re.findall(r'href="([^"]+/rulings/\w+)"', sheet))
    assert 'data-told lang="en"' in as_said
    assert "Ada draws 4" in orders(as_said)
    assert "data-told>" in heard_again


def test_the_table_decides_otherwise_beside_the_ruling(match: Match) -> None:
    match.write(CASE | {"table_decided": "Ada draws <b>two</b>."})
    sheet = match.get(match.sheet)
    assert "The table decided: Ada draws &lt;b&gt;two&lt;/b&gt;." in sheet
    record = match.get(re.findall(r'href="([^"]+/rulings/\w+)"', sheet)[0])
    assert headline(record) == "Ada draws 4"


def test_a_hand_at_a_match_is_never_in_an_address_and_kept_only_on_request(match: Match) -> None:
    assert match.client.get(f"{match.challenge}?hand=red-7").status_code == 422
    case = {key: value for key, value in CASE.items() if key != "held_color"} | {
        "hand": "red-7,wild",
        "color_in_play": "red",
    }
    page = match.client.submit(match.challenge, case).text
    assert orders(page) == ["Ada draws 4"], "nobody is told to show cards that were told"
    assert "saved unless you ask for it" in page
    match.write(case)
    match.write(case | {"keep_hand": "1"})
    newest, oldest = re.findall(r'href="([^"]+/rulings/\w+)"', match.get(match.sheet))
    assert "red-7" not in match.get(oldest)
    assert "red-7, wild" in match.get(newest)


def test_house_rules_of_the_match_are_in_force(client: Client) -> None:
    match = Match(client, house_rules=["stack-draw-two"])
    assert "Stack Draw Twos" in match.get(f"{match.sheet}/disputes/stacking")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"challenged": ""}, 422), ({"held_color": "perhaps"}, 422), ({"as-target": "0"}, 422),
        ({"table_decided": "x" * 501}, 422), ({"players": "3"}, 422),
    ],
)  # fmt: skip
def test_what_cannot_be_is_not_written(match: Match, change: dict[str, str], status: int) -> None:
    assert match.write(CASE | change).status_code == status
    assert "/rulings/" not in match.get(match.sheet)


def headed(page: str) -> dict[str, list[str]]:
    """Read the list of disputes: heading → titles; what arises most often has none."""
    blocks = re.findall(r"(?:<h2>([^<]*)</h2>\s*)?<ul class=\"plain \w+ disputes\">(.*?)</ul>", page, re.DOTALL)
    return {heading: re.findall(r"<b>([^<]*)</b>", block) for heading, block in blocks}


def test_disputes_of_which_the_rules_know_nothing_are_folded_and_say_so_before_the_first_tap(client: Client) -> None:
    match = Match(client, house_rules=["jump-in"])
    page = match.get(f"{match.sheet}/disputes")
    listed, folded = headed(page), headed(page.partition("<details")[2])
    assert folded == {
        "House rules you don’t play by": ["Seven-zero"],
        "Not in these rules": ["Doubles", "Reverse run", "Mercy rule", "Who starts", "The draft"],
    }
    assert "Jump-in" in listed["Playing a card"]
    assert listed[""] == ["Wild Draw Four challenge", "Missed Uno call"]
    assert (
        "The draft" in headed(match.get("/disputes?rulebook=duo-200").partition("<details")[0])["Before the first turn"]
    )
    assert "<details" not in match.get("/disputes")


def test_without_a_script_the_list_is_searched_in_the_rules(match: Match) -> None:
    form = find_in(r'<form class="find" method="get" action="([^"]+)"', match.get(f"{match.sheet}/disputes"))
    assert form == f"{match.sheet}/rules"
    assert "Look up" in match.get(f"{form}?q=stack")


def test_answers_in_words_to_a_number_stand_below_each_other_with_a_field_for_others(client: Client) -> None:
    told = "challenged=yes&challenger=target&held_color=yes&players=4"
    page = client.get(f"{CHALLENGE}?rulebook=official&house_rule=stack-draw-four&{told}")
    assert 'class="options of-choice"' in page.text
    assert "4: not stacked" in page.text
    assert 'name="total_so_far" inputmode="numeric"' in page.text
