"""The Rules room without a browser: look-up, rulebooks, topics, clauses, comparison, a first lesson."""

import gzip
import html
import re
import tomllib
from collections.abc import Iterator
from itertools import combinations
from urllib.parse import quote_plus, urlencode, urlsplit

import pytest
from flask import Flask

from referee.rules.books import settings
from referee.rules.books.library import boxes, questions, rulebooks
from referee.rules.books.rulebook import TOPICS, Clause
from referee.rules.lookup.lookup import look_up
from referee.rules.lookup.model import understood
from referee.rules.text.words import ENGLISH, either, languages, speaking
from referee.web.help import FIRST, PAGES
from referee.web.rules.wording import ASKED_MOST, LESSONS, Value, compare, is_no_rule, values
from referee.web.words import say
from tests.ground.client import Client, find_in
from tests.web.test_offline import fetched_ahead
from tools.documents.for_the_app import SOURCES, sources
from tools.lookup.measure import FOLDER
from tools.lookup.wordings import told

NEXT_PAGE = 12_000


def text(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return html.unescape(answer.text)


def first_hit(page: str) -> str:
    found = re.search(r'<article class="hit best">.*?</article>', page, re.S)
    return found[0] if found else ""


def test_every_topic_has_a_title_and_nothing_is_offered_that_no_rulebook_has() -> None:
    assert all(say(f"topic.{id}") for id in TOPICS)
    known = {id for book in rulebooks().values() for id in book.clauses}
    assert known >= set(ASKED_MOST)
    assert known >= {id for _, ids in LESSONS for id in ids}


def test_questions_asked_most_come_before_anything_is_typed(client: Client) -> None:
    page = text(client, "/rules").partition("<main")[2]
    assert "Can you stack a Draw Two on a Draw Two?" in page
    assert page.index("Common questions") < page.index("By topic") < page.index("Compare two rulebooks")


@pytest.mark.parametrize(
    ("asked", "rulebook", "word"),
    [
        ("stack +2", "official", "Not allowed."),
        ("is it forbidden to stack +2", "official", "Not allowed."),
        ("do I have to play a card that fits", "official", ""),  # the question turns the sense around
        ("stack +2", "duo-200", "Allowed."),
        ("another wild with a wild draw four", "official", "Allowed."),
        ("another wild with a wild draw four", "duo-200", "Not allowed."),
        ("what does a forgotten uno cost", "official", "2 cards."),
        ("what does a forgotten uno cost", "attack", ""),  # it presses the launcher twice
        ("how many points is a wild worth", "duo-200", "15 points."),
        ("how many points is a wild worth", "flip", ""),  # other wilds have other points
        ("how many points end the match", "challenge-500", ""),  # they put one player out
        ("how many points end the match", "no-mercy", "1,000 points."),
        ("how many points end the match", "online-100-200", ""),  # that depends
        ("what does a reverse do", "official", ""),
    ],
)
def test_what_can_be_said_in_a_word_stands_before_the_sentence(
    client: Client, asked: str, rulebook: str, word: str
) -> None:
    page = first_hit(text(client, f"/rules?q={quote_plus(asked)}&rulebook={rulebook}"))
    assert page
    assert (found[1] if (found := re.search(r'<div class="in-a-word">(.*?)</div>', page)) else "") == word


def test_a_rule_is_found_in_players_words_and_the_rulebook_named_leads(client: Client) -> None:
    page = first_hit(text(client, "/rules?q=can+i+stak+%2B2&rulebook=duo-200"))
    assert "Can you stack a Draw Two on a Draw Two?" in page
    assert "Other rulebooks" in page
    assert re.search(r'class="book"><a[^>]*>UNO Duo', page)
    assert "The whole section: Stacking" in page


def test_a_text_that_leaves_it_open_is_said_to_be_silent(client: Client) -> None:
    page = text(client, "/rules?q=is+jump+in+allowed&rulebook=duo-200")
    assert "Not in these rules." in page
    assert "The rules don’t say." in page


def test_a_question_that_a_hearing_decides_is_answered_as_it_rules(client: Client) -> None:
    page = text(client, "/rules?q=can+my+last+card+be+a+skip&rulebook=official").partition('class="heard"')[2]
    assert "Going out on this card is fine: the round is over." in page
    assert "/disputes/going-out?rulebook=official&last_card=skip" in page
    assert page.index("Wild Draw Four") > page.index("Related rules:") > page.index("Going out")


def test_where_the_hearing_is_silent_so_is_the_look_up_and_the_others_speak_of_that_card(client: Client) -> None:
    page = text(client, "/rules?q=can+i+go+out+on+a+skip&rulebook=classic-500").partition('class="heard"')[2]
    assert "Not in these rules. The rules don’t say whether the last card may be" in re.sub("<[^>]*>", "", page)
    others = page.partition("<details open>")[2].partition("</section>")[0]
    assert "Going out on this card is fine: the round is over." in others
    assert "last_card=skip" in others


def test_where_it_is_unsure_the_nearest_rules_are_shown_and_none_is_called_the_answer(client: Client) -> None:
    asked = (each.wording for each in told())
    query = next(query for query in asked if look_up(query, rulebooks()["official"]).unsure)
    page = text(client, f"/rules?q={quote_plus(query)}&rulebook=official")
    assert "Not sure. These rules come nearest." in page
    assert 'class="hit best"' in page


def test_another_box_is_named_in_plain_words(client: Client) -> None:
    for box in boxes().values():
        page = text(client, f"/rules?q={quote_plus(box.tells[0])}")
        assert f"That sounds like {box.title}" in page, box.id
        assert ("doesn’t know yet" in page) == (box.id not in rulebooks() and box.deck is None), box.id
        assert ("Its hands are counted here" in page) == (box.deck is not None), box.id
        assert box.about in page, box.id
        assert "No rule found." not in page, box.id


def test_what_is_no_rule_is_not_answered(client: Client) -> None:
    page = text(client, "/rules?q=what+is+the+capital+of+france")
    assert "No rule found." in page
    assert 'class="hit' not in page


def test_a_question_in_another_language_is_told_which_ones_are_known(client: Client) -> None:
    page = text(client, "/rules?q=quante+carte+si+danno+all'inizio+della+partita")
    assert "Unknown language." in page
    names = [languages()[code].name for code in understood()]
    assert f"Ask in {either(names)}." in page
    assert 'class="hit' not in page


def test_a_script_gets_the_results_alone(client: Client) -> None:
    answer = client.get("/rules?q=stack", headers={"X-Fragment": "1", "Accept": "application/json"})
    found = answer.get_json()["fragments"]["found"]
    assert 'class="hit best"' in found
    assert "<html" not in found


@pytest.mark.parametrize("query", ["x" * 501, "x" * 10_000, "%07%08", "%20%20%0a"])
def test_a_question_that_is_none_is_refused_beside_the_field(client: Client, query: str) -> None:
    assert 'id="q-error"' in client.get(f"/rules?q={query}", status=422).text


@pytest.mark.parametrize(
    ("address", "status"),
    [("/rules?rulebook=monopoly", 422), ("/rules/monopoly", 404), ("/rules/topics/monopoly", 404),
     ("/rules/classic-500/monopoly", 404), ("/rules/monopoly/tie", 404), ("/rules/monopoly/how-to-play", 404),
     ("/rules/classic-500?house_rule=monopoly", 422), ("/rules/compare?left=monopoly", 422),
     ("/rules/topics/stacking?rulebook=monopoly", 422)],
)  # fmt: skip
def test_what_there_is_not_is_said(client: Client, address: str, status: int) -> None:
    assert client.get(address).status_code == status


@pytest.mark.parametrize("rulebook", rulebooks())
def test_every_clause_has_an_anchor_and_an_address_that_works(client: Client, rulebook: str) -> None:
    page = text(client, f"/rules/{rulebook}")
    book = rulebooks()[rulebook]
    anchors = re.findall(r'id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))
    assert set(anchors) >= set(book.clauses) | set(questions()), "what the text leaves open has one, too"
    for clause in [*list(book.clauses)[::15], *[id for id in questions() if id not in book.clauses][:2]]:
        page = text(client, f"/rules/{rulebook}/{clause}")
        assert f"http://localhost/rules/{rulebook}/{clause}" in page


def test_a_rulebook_is_a_list_of_topics_that_open_with_their_sources_folded(client: Client) -> None:
    page = text(client, "/rules/classic-500")
    spoken = {clause.topic for clause in rulebooks()["classic-500"].clauses.values()}
    assert set(re.findall(r'<section id="topic-([\w-]+)"', page)) >= spoken
    topics = page.split('<details class="fold topic">')[1:]
    assert len(topics) == page.count('<section id="topic-')
    for topic in topics:
        read, _, folded = topic.partition('<details class="sources">')
        assert "Uno rules reference" not in read
        assert "Uno rules reference" in folded or not re.search('class="clause"', read)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_shows_all_rulebooks_side_by_side(client: Client, topic: str) -> None:
    page = text(client, f"/rules/topics/{topic}?rulebook=duo-200")
    assert all(book.title in page for book in rulebooks().values())


def test_differences_are_marked(client: Client) -> None:
    page = text(client, "/rules/topics/scoring?rulebook=duo-200")
    section = page[page.index('id="points-actions"') : page.index('id="points-wild"')]
    worth = {id: book.value(settings.ACTION_POINTS, 0) for id, book in rulebooks().items()}
    others = [id for id, points in worth.items() if points != worth["duo-200"]]
    assert worth["duo-200"] == 10
    assert len(others) >= 5, "of the first six, Duo alone counts an action card ten"
    spoken = [id for id in others if "points-actions" in rulebooks()[id].clauses]
    assert section.count("said differs") == len(spoken)
    assert all(rulebooks()[id].title in section for id in others), "those that say nothing are listed"


def headings(page: str) -> list[str]:
    """Return the groups of a comparison that are folded, in their order."""
    return re.findall(r'<details class="fold">\s*<summary><h2>(.*?)</h2>', page)


def lead(page: str) -> str:
    found = re.search(r'<p class="lead">(.*?)</p>', page)
    return found[1] if found else ""


def test_two_rulebooks_show_first_what_they_rule_differently(client: Client) -> None:
    page = text(client, "/rules/compare?left=classic-500&right=official")
    assert lead(page) == "Classic 500 and Official (Mattel) differ in 3 rules."
    assert "Topics: Who deals and who starts · The first card turned over · The draw pile is empty" in page
    assert headings(page) == ["Only Classic 500 says (8)", "Only Official (Mattel) says (10)", "Worded differently (2)"]
    differing, *_ = page.split("Only Classic 500 says")
    assert differing.count("What happens when the draw pile is empty?</a>") == 1
    assert "May you jump in" not in differing
    assert "52 rules have the same effect and aren’t shown." in page
    assert "differ in" in lead(text(client, "/rules/compare")), "two are chosen until someone chooses"


def test_one_sentence_says_in_what_two_rulebooks_differ_mostly(client: Client) -> None:
    page = text(client, "/rules/compare?left=classic-500&right=no-mercy")
    assert lead(page) == "Classic 500 and UNO Show ’em No Mercy differ in 13 rules."
    assert "Mostly: Stacking · Drawing · Points" in page


TARGET = settings.TARGET.question


def clause(said: str, **settled: object) -> Clause:
    return Clause(TARGET, "game-over", "Target", said, settings=settled)


REACHED, ENDS = "The match is over when someone reaches", "When someone reaches the target,"
TO_500 = clause("Play to 500.", target=500)
ENDS_AT_500 = clause("Play to 500.", target=500, at_target="match-ends")
OUT_AT_500 = clause("Whoever has 500 is out.", target=500, at_target="player-is-out")
DIFFERING = {
    "another number": (
        TO_500, clause("1,000 ends it.", target=1000), f"{REACHED} *500* points.", f"{REACHED} *1,000* points.",
    ),
    "the same number isn't told": (
        ENDS_AT_500, OUT_AT_500, f"{ENDS} *the match ends.*", f"{ENDS} *they’re out, and the last one left wins.*",
    ),
    "one settles nothing": (TO_500, clause("Agree on a number."), f"*{REACHED} 500 points.*", "*Agree on a number.*"),
    "each settles another thing": (
        TO_500, clause("Play to 500, and on.", at_target="player-is-out"), "Play to *500.*", "Play to *500, and on.*",
    ),
    "nothing in common": (
        clause("Play until bedtime."), clause("Agree on a number."), "*Play until bedtime.*", "*Agree on a number.*",
    ),
    "a word said twice": (clause("Play on and on."), clause("Play on."), "Play *on and* on.", "Play on."),
}  # fmt: skip


@pytest.mark.parametrize(("left", "right", "marked", "other"), DIFFERING.values(), ids=DIFFERING)
def test_the_value_that_differs_stands_out(left: Clause, right: Clause, marked: str, other: str) -> None:
    def shown(side: list[Value]) -> list[str]:
        return [" ".join(filter(None, (one.before, one.differs and f"*{one.differs}*", one.after))) for one in side]

    first, second = values(left, right)
    assert (shown(first), shown(second)) == ([marked], [other])


def test_whatever_differs_is_said_of_both(app: Flask) -> None:
    for left, right in combinations(rulebooks().values(), 2):
        with app.test_request_context():
            pairs = compare(left, right).disagree
        for pair in pairs:
            assert pair.leading.clause is not None
            assert pair.others[0].clause is not None
            first, second = values(pair.leading.clause, pair.others[0].clause)
            assert first
            assert second
            assert first != second, (left.id, right.id, pair.question.id)
            assert any(value.differs for value in (*first, *second)), "the value that differs is bold"


def test_a_comparison_holds_whatever_either_rulebook_says_and_once(app: Flask) -> None:
    for left, right in combinations(rulebooks().values(), 2):
        with app.test_request_context():
            found = compare(left, right)
        groups = (found.disagree, found.only_left, found.only_right, found.worded, found.same)
        told = [pair.question.id for group in groups for pair in group]
        assert sorted(told) == sorted(set(left.clauses) | set(right.clauses))
        assert {pair.question.id for pair in found.only_left} == set(left.clauses) - set(right.clauses)
        assert {pair.question.id for pair in found.only_right} == set(right.clauses) - set(left.clauses)


def test_a_rulebook_is_compared_with_its_house_rules(client: Client) -> None:
    page = text(client, "/rules/compare?left=classic-500&right=classic-500&house_rule=stack-draw-two")
    assert lead(page) == "Classic 500 and Classic 500 with house rules differ in one rule."
    assert headings(page) == ["Only Classic 500 with house rules says (1)"]
    assert "You <b>may</b> stack a Draw Two on a Draw Two." in page
    assert "Classic 500 and Classic 500 don’t differ in any rule." in text(
        client, "/rules/compare?left=classic-500&right=classic-500"
    )


@pytest.mark.parametrize("rulebook", rulebooks())
def test_how_to_play_is_made_of_the_clauses(client: Client, rulebook: str) -> None:
    page = text(client, f"/rules/{rulebook}/how-to-play")
    for id in ("matching", "points-numbers", "uno-when"):
        clause = rulebooks()[rulebook].clauses.get(id)
        assert clause is None or clause.text in page


def test_from_a_match_its_rulebook_and_house_rules_come_first(client: Client) -> None:
    plan = {"players": ["Ada", "Bo"], "rulebook": "two-player", "step": "deal", "house_rules": ["stack-draw-two"]}
    sheet = urlsplit(client.submit("/matches/new", plan).headers["Location"]).path
    assert f'href="{sheet}/rules"' in text(client, sheet)
    page = first_hit(text(client, f"{sheet}/rules?q=stack+%2B2"))
    assert "your house rule" in page
    assert "Instead of:" in page


@pytest.mark.parametrize(
    "address",
    [
        *(f"/rules/{id}" for id in rulebooks()),
        *(f"/rules/compare?left=official&right={id}" for id in rulebooks()),
        "/rules?q=draw+four",
        "/rules/topics/house-rules",
        "/rules/official/challenge-guilty",
    ],
)
def test_pages_are_light(client: Client, address: str) -> None:
    answer = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(answer.data)
    assert len(answer.data) <= NEXT_PAGE


def test_where_every_rulebook_is_silent_one_no_is_enough(client: Client) -> None:
    page = client.get("/rules?q=what if we are tied at the end").text
    assert "No rulebook answers this: What if players are tied at the end?" in page


def test_a_question_about_another_box_links_to_its_rules_with_the_question(client: Client) -> None:
    page = text(client, "/rules?rulebook=classic-500&q=what+does+skip+everyone+do")
    assert "Ask the rules of Uno Flip" in page
    assert "All others are skipped" in text(client, find_in(r'href="(/rules\?rulebook=flip[^"]*)"', page))


def test_a_quotation_stays_english_with_our_translation_for_who_reads_another_language(client: Client) -> None:
    quoted = '<q lang="en">Not under official Uno rules</q>'
    assert f"{quoted}</p>" in text(client, "/rules/classic-500/stacking-draw-two")
    english = client.get("/api/v1/rulebooks/classic-500").get_json()["clauses"]
    assert not any("quote_translation" in clause for clause in english)
    client.set_cookie("language", "de")
    page = text(client, "/rules/classic-500/stacking-draw-two")
    assert re.search(f"<summary>Von uns übersetzt: „[^<]*</summary>{re.escape(quoted)}</details>", page), "folded below"
    german = client.get("/api/v1/rulebooks/classic-500?lang=de").get_json()["clauses"]
    assert [clause["quote"] for clause in german] == [clause["quote"] for clause in english]
    assert all(clause["quote_translation"] for clause in german if clause["quote"])


# -- help --------------------------------------------------------------------------------------------------------------


LONGEST = 12_000
"""Bytes of a page, packed, beside its pictures."""
SPOKEN = [code for code, one in languages().items() if one.spoken]


@pytest.mark.parametrize("code", SPOKEN)
def test_every_page_of_help_is_there_with_pictures_and_leads_only_to_what_there_is(client: Client, code: str) -> None:
    client.set_cookie("language", code)
    targets = set()
    for name in PAGES:
        answer = client.get("/help" if name == FIRST else f"/help/{name}", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200, name
        assert len(answer.data) <= LONGEST, name
        text = client.get("/help" if name == FIRST else f"/help/{name}").text
        said = code if name in sources(code) else ENGLISH
        body = text.split(f'<div class="help" lang="{said}">')[1].split("</main>")[0]
        title = (SOURCES / sources(said)[name]).read_text("utf-8").partition("\n")[0].removeprefix("# ")
        assert name == FIRST or f">{title}</h1>" in body
        targets |= set(re.findall(r'(?:href|src)="(/[^"#]+)', body))
        assert ('<img class="shot"' in body) == PAGES[name].startswith("play/"), name
    assert len(targets) > 30
    assert [target for target in targets if client.get(target).status_code != 200] == []
    assert client.get("/help/index").status_code == client.get("/help/nothing").status_code == 404


@pytest.mark.parametrize("code", SPOKEN)
def test_a_phone_takes_every_page_of_help_along(client: Client, code: str) -> None:
    client.set_cookie("language", code)
    (address,) = [one for one in fetched_ahead(client) if one.endswith("/help.json")]
    texts = client.get(address).get_json()
    assert texts.keys() == PAGES.keys()
    for name, text in texts.items():
        assert text in client.get("/help" if name == FIRST else f"/help/{name}").text


SMILED_AT = {
    "en": ("Who pays for the pizza?", "who pays for the pizza if you draw four"),
    "de": ("Wer zahlt die Pizza?", "wer zahlt die Pizza wenn man vier zieht"),
    "nl": ("Wie betaalt de pizza?", "wie betaalt de pizza als je vier kaarten pakt"),
    "es": ("¿Quién paga la pizza?", "quién paga la pizza si robas cuatro cartas"),
}


@pytest.mark.parametrize("code", languages())
def test_a_question_that_is_no_rule_is_told_so_with_a_smile_and_none_of_a_rule_is(client: Client, code: str) -> None:
    def texts(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        for each in (*value, *value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from texts(each)

    smiled, of_a_rule = SMILED_AT[code]
    asked = {text for file in FOLDER.glob("lookup_*.toml") for text in texts(tomllib.loads(file.read_text("utf-8")))}
    assert len(asked) > 900
    with speaking(code):
        sets_off = {"who pays for the pizza"} if code == ENGLISH else set()  # measured as one to be refused
        assert {text for text in asked if is_no_rule(text)} == sets_off
        assert [is_no_rule(smiled), is_no_rule(of_a_rule)] == [True, False]
        groups = say("smile.groups").split(" | ")
        assert len(groups) <= 40
        assert all(is_no_rule(group) and len(group.split()) > 1 for group in groups)
        answer = html.escape(say("smile.no-rule"))
    client.set_cookie("language", code)
    page = client.get(f"/rules?{urlencode({'q': smiled})}").text
    assert answer in page
    assert 'class="hit' not in page
    assert answer not in client.get(f"/rules?{urlencode({'q': of_a_rule})}").text
