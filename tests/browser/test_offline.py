"""Without a connection: airplane mode, a lost answer, two phones, no storage, a new version, another key."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from threading import Event
from time import monotonic

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from referee.rules.books.controls import controls
from referee.rules.books.library import boxes, rulebooks
from referee.rules.lookup.lookup import look_up
from referee.rules.lookup.model import understood
from referee.rules.lookup.query import language_asked
from referee.rules.text.words import CATALOGUE, ENGLISH, speaking
from referee.web.page.layout import LANGUAGE_COOKIE
from referee.web.server import static_files
from referee.web.words import say
from tests.browser.table import CAST, Table, choose_rulebook, invite, seat
from tests.conftest import PATIENCE, NewPhone
from tests.ground.browser import complaints
from tests.rules.test_lookup_heard import questions as heard_questions
from tools.lookup.measure import read
from tools.lookup.wordings import wordings

Axe = Callable[[Page], None]
Hands = tuple[str, tuple[tuple[str, ...], ...]]

SIX: tuple[Hands, ...] = (
    ("Ada", (("7", "skip", "wild"), ("3", "9"), ("draw-two",))),
    ("Bo", (("5",), ("skip",), ("wild",))),
    ("Cy", (("9",), ("9",), ("9",))),
    ("Ada", (("1",), ("2",), ("3",))),
    ("Di", (("reverse",), ("4",), ("6",))),
    ("Bo", (("8",), ("0", "2"), ("wild-draw-four",))),
)
TOTALS = {"Ada": 109 + 6, "Bo": 75 + 60, "Cy": 27, "Di": 30}

GRID = ".rounds tbody tr:not(.struck)"

NO_STORAGE = """
    Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('refused', 'SecurityError'); } });
    for (const name of ['getItem', 'setItem', 'removeItem'])
        Storage.prototype[name] = () => { throw new DOMException('refused', 'SecurityError'); };
"""


@pytest.fixture
def phone(new_phone: NewPhone) -> Iterator[Page]:
    """A page on a phone that keeps pages for later; script errors and what the security policy blocks fail the test."""
    phone = new_phone(service_workers="allow").new_page()
    heard = complaints(phone)
    yield phone
    assert not heard, heard


def until(page: Page, condition: str) -> None:
    """Wait until an asynchronous condition holds; `wait_for_function` takes a promise itself for a yes."""
    patience = monotonic() + PATIENCE / 1000
    while not page.evaluate(condition):
        assert monotonic() < patience, f"not in {PATIENCE} ms: {condition}"
        page.wait_for_timeout(100)


def keeps_files(page: Page) -> None:
    """Wait until the service worker has fetched ahead, and answers for the page."""
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


def take_along(page: Page) -> None:
    """Wait until the service worker has fetched ahead, and keeps the sheet that is open and the rules of its match."""
    keeps_files(page)
    until(
        page,
        """async () => {
            const page = await (await caches.open('pages')).match(location.href.split('#')[0]);
            const beside = await (await caches.open('fresh')).keys();
            return Boolean(page) && beside.some(({ url }) => url.includes(`${location.pathname}/offline/`));
        }""",
    )


def begin_kept(phone: Page, players: Sequence[str] = CAST, rulebook: str = "classic-500") -> tuple[Table, str]:
    """Begin a match whose sheet and rules the phone keeps; return its table and its address."""
    table = Table(phone)
    address = table.begin(players, rulebook)
    take_along(phone)
    return table, address


def takes_books(page: Page, *ids: str) -> None:
    """Wait until the service worker has taken rulebooks along that were looked at."""
    until(
        page,
        f"""async () => {{
            const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
            const kept = all.flat().map(({{ url }}) => url.split('/').at(-1));
            return {json.dumps(ids)}.every((id) => kept.includes(id + '.json'));
        }}""",
    )


def play(table: Table, rounds: tuple[Hands, ...]) -> None:
    for winner, hands in rounds:
        table.round(winner, *hands)


def test_six_rounds_in_airplane_mode_are_sent_once_each_in_order(phone: Page) -> None:
    table, _ = begin_kept(phone)
    sent: list[str] = []
    phone.on("request", lambda request: sent.append(request.post_data or "") if request.method == "POST" else None)

    phone.context.set_offline(True)
    play(table, SIX[:3])
    expect(phone.locator("#outbox h2")).to_have_text("3 rounds not sent yet")
    phone.reload()
    expect(phone.locator("#outbox h2")).to_have_text("3 rounds not sent yet")
    play(table, SIX[3:])
    expect(phone.locator("#outbox h2")).to_have_text("6 rounds not sent yet")
    table.expect_totals(TOTALS)  # the phone adds up what waits
    added_up = table.lines()
    expect(phone.locator(".toast")).to_contain_text(". Saved on this phone.")
    expect(phone.locator("#record")).to_have_text("Record round 7")

    sent.clear()
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator(".rounds tbody tr")).to_have_count(6)
    table.expect_totals(TOTALS)  # the server adds up the same
    assert table.lines() == added_up  # gains, ranks, the way to the target, who deals and who starts
    arrived = [re.search(r'name="after"\s+(\d+)', body) for body in sent if "idempotency_key" in body]
    assert [int(found[1]) for found in arrived if found] == [0, 1, 2, 3, 4, 5]
    phone.reload()
    expect(phone.locator(GRID)).to_have_count(6)


def test_rounds_that_wait_stand_in_the_table_and_in_the_totals_at_home_and_undo_takes_one_back(phone: Page) -> None:
    table, address = begin_kept(phone)
    phone.goto("/")
    expect(phone.locator("[data-stands]")).to_contain_text("Round 1")
    until(phone, "async () => Boolean(await (await caches.open('pages')).match(location.href))")
    phone.goto(address)
    phone.context.set_offline(True)
    play(table, SIX[:3])
    rows = phone.locator(".rounds tbody [data-waits]")
    expect(rows.locator("th")).to_have_text(["3", "2", "1"])
    expect(rows.last.locator("td")).to_have_text(["109", "0", "0", "0"])
    before = table.lines()
    play(table, SIX[3:4])
    phone.tap(".toast button:has-text('Undo')")
    expect(rows).to_have_count(3)
    assert table.lines() == before
    expect(phone.locator("#outbox")).to_contain_text("Discarded on this phone (1)")  # it can come back

    totals = ["109", "75", "27", "0"]
    phone.goto("/")
    stands, home = phone.locator("[data-stands]"), phone.locator(".resume [data-total]")
    expect(stands).to_have_text("Round 4, 3 not sent yet")
    expect(home).to_have_text(totals)
    phone.context.set_offline(False)
    expect(stands).to_have_text("Round 4")
    expect(home).to_have_text(totals)  # the page is older than what was sent from it


def test_home_is_as_new_without_a_connection_as_the_sheet(phone: Page, new_phone: NewPhone) -> None:
    table, address = begin_kept(phone, ("Ada", "Bo"))
    other = second_phone(phone, new_phone, address)

    def knows(round: str) -> None:
        until(phone, f"async () => (await (await caches.match('/')).text()).includes('{round}')")
        phone.context.set_offline(True)
        phone.goto("/")
        expect(phone.locator("[data-stands]")).to_contain_text(round)
        totals = phone.locator(".resume [data-total]").all_inner_texts()
        phone.goto(address)
        assert phone.locator(".standing .total").all_inner_texts() == totals
        phone.context.set_offline(False)
        expect(phone.locator("html[data-kept]")).to_have_count(0)  # drawn anew

    table.round("Ada", ("9",))  # by this phone
    knows("Round 2")
    Table(other).expect_totals({"Ada": 9})
    Table(other).round("Bo", ("5",))  # by another one
    knows("Round 3")


def second_phone(phone: Page, new_phone: NewPhone, address: str) -> Page:
    """Let another phone in as scorekeeper, by its one-time link."""
    helper = phone.context.new_page()
    link = invite(helper)
    helper.close()
    other = new_phone().new_page()
    other.goto(link)
    other.tap("main button")
    other.wait_for_url(lambda url: "/join/" not in url)
    open_at(other, address, ".standings")
    return other


def open_at(page: Page, address: str, selector: str) -> None:
    """Open a page of the server, again where a busy machine let the worker take it for gone (after 4 s)."""
    for _ in range(20):
        page.goto(address)
        if page.locator(selector).count():
            return
        page.wait_for_timeout(1000)
    raise AssertionError(f"{address} never showed {selector}: {page.locator('body').inner_text()[:300]}")


@pytest.mark.parametrize(
    ("button", "rounds", "totals"),
    [
        pytest.param("Another round: add it", 3, {"Ada": 115, "Bo": 75, "Cy": 0, "Di": 0}, id="both count"),
        pytest.param("The same round: keep theirs", 2, {"Ada": 6, "Bo": 75, "Cy": 0, "Di": 0}, id="theirs counts"),
    ],
)
def test_two_phones_record_while_one_is_offline_and_people_settle_it(
    phone: Page, new_phone: NewPhone, button: str, rounds: int, totals: dict[str, int]
) -> None:
    table, address = begin_kept(phone)
    other = second_phone(phone, new_phone, address)
    phone.context.set_offline(True)
    play(table, (SIX[0], SIX[3]))
    theirs = Table(other)
    play(theirs, SIX[1:2])

    phone.context.set_offline(False)
    panel = phone.locator("#outbox")
    expect(panel).to_contain_text("Another phone saved a round")
    expect(panel).to_contain_text("Round 1: Ada went out · Ada +109")
    expect(panel).to_contain_text("Round 1: Bo went out. Bo 75")
    expect(panel).to_contain_text("Round 2: Ada went out · Ada +6")
    phone.tap(f"text={button}")
    expect(phone.locator(".rounds tbody tr")).to_have_count(rounds)
    table.expect_totals(totals)
    expect(panel).to_be_hidden()  # the same round leaves nothing behind


@pytest.mark.parametrize("opened_before", [False, True])
def test_the_pads_own_page_opens_over_the_kept_sheet(phone: Page, opened_before: bool) -> None:
    table, address = begin_kept(phone)
    way = phone.locator(".standing", has_text="Bo").get_attribute("href") or ""
    if opened_before:
        phone.goto(f"{address}/rounds/new")
        phone.goto(address)
    phone.context.set_offline(True)
    play(table, SIX[:1])
    phone.goto(way)  # its row was tapped before the script was there
    phone.wait_for_url(f"{address}#record")
    expect(phone.locator("[data-pad-title]")).to_have_text("Bo went out")
    table.lay(("9",), (), ())
    expect(phone.locator("#outbox")).to_contain_text("2 rounds not sent yet")
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    table.expect_totals({"Ada": 109, "Bo": 9})


def test_a_waiting_round_is_changed_in_the_pad_and_keeps_its_place(phone: Page) -> None:
    table, _ = begin_kept(phone)
    phone.context.set_offline(True)
    play(table, SIX[:2])
    phone.tap("#outbox-live summary")
    phone.locator("#outbox-live > ol > li").first.get_by_text("Change").click()
    phone.tap("[data-people] button:has-text('Di')")
    phone.tap("[data-face='1']")
    phone.tap("[data-next]")
    expect(phone.locator("#outbox")).to_contain_text("Round 1: Ada went out · Ada +110")
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    table.expect_totals({"Ada": 110, "Bo": 75, "Cy": 0, "Di": 0})


def test_a_round_that_the_server_refuses_stays_and_says_why(phone: Page, new_phone: NewPhone) -> None:
    table, address = begin_kept(phone)
    other = second_phone(phone, new_phone, address)
    phone.context.set_offline(True)
    play(table, SIX[:1])
    open_at(other, f"{address}/menu", "text=End the match")
    other.tap("text=End the match")
    other.wait_for_selector(".result")
    phone.context.set_offline(False)
    expect(phone.locator("#outbox .error")).to_contain_text("finished")
    phone.tap("text=Discard")
    phone.tap("summary:has-text('Discarded on this phone (1)')")
    phone.tap(".deletes:text-is('Delete from this phone')")
    phone.tap(".deletes:text-is('Delete permanently')")
    expect(phone.locator("#outbox")).to_be_hidden()


def test_where_storage_is_refused_the_pad_says_so_and_keeps_the_round_on_the_page(new_phone: NewPhone) -> None:
    context = new_phone(service_workers="allow")
    context.add_init_script(NO_STORAGE)
    page = context.new_page()
    heard = complaints(page)
    table = Table(page)
    table.begin()
    context.set_offline(True)
    table.tap(".standing:has-text('Ada')")
    table.lay(*SIX[0][1])
    expect(page.locator("[data-pad-error]")).to_contain_text("this browser can’t save offline")
    context.set_offline(False)
    table.next()
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 109})
    assert not heard, heard


@pytest.mark.usefixtures("database")
def test_an_old_page_records_on_a_new_server_and_the_new_version_keeps_its_draft(
    phone: Page, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, address = begin_kept(phone)
    phone.context.set_offline(True)
    play(table, SIX[:1])
    table.tap(".standing:has-text('Bo')")
    table.tap("[data-face='5']")

    before = phone.evaluate("() => caches.keys()")
    monkeypatch.setattr(static_files, "VERSION", "0123456789ab")
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator("#pad [data-sum]")).to_contain_text("5")
    phone.evaluate("async () => { await (await navigator.serviceWorker.ready).update(); }")
    until(phone, f"async () => (await caches.keys()).length > {len(before)}")
    phone.goto(address)
    expect(phone.locator("script[src*='0123456789ab']").first).to_be_attached()
    expect(phone.locator("#record")).to_have_text("Continue round 2")
    phone.tap("#record")
    expect(phone.locator("[data-sum]")).to_contain_text("5")
    table.lay((), ("skip",), ("wild",))
    expect(phone.locator(".rounds tbody tr")).to_have_count(2)
    table.expect_totals({"Ada": 109, "Bo": 75, "Cy": 0, "Di": 0})


def test_every_dispute_is_heard_without_a_connection_under_the_rules_of_the_match(phone: Page, axe: Axe) -> None:
    begin_kept(phone)
    phone.context.set_offline(True)
    phone.tap(".tabs >> text=Dispute")
    expect(phone.locator("h1")).to_have_text("What’s the dispute?")
    expect(phone.locator(".disputes, .list").first).to_contain_text("Missed")
    axe(phone)
    disputes = phone.locator(".list-row").evaluate_all("rows => rows.map(row => row.href)")
    assert len(disputes) >= 15
    for address in disputes:
        phone.goto(address)
        assert phone.evaluate(FIRST_ANSWERS), address


FIRST_ANSWERS = """async () => {
    const found = async (selector) => {
        while (!document.querySelector(selector)) await new Promise(requestAnimationFrame);
        return document.querySelector(selector);
    };
    while (!(await found('.asked, .ruling-card')).matches('.ruling-card')) {
        document.querySelector('.asked').classList.remove('asked');  // the next question is another one
        document.querySelector('.option').click();
    }
    return document.querySelector('.ruling-card h1').textContent.trim();
}"""
"""Gives the first answer to each question of a hearing, and what the ruling says."""


def hear_a_challenge(phone: Page) -> None:
    """Go from the sheet to a ruling on a Wild Draw Four that Bo laid upon Cy: each time the first answer."""
    phone.tap(".tabs >> text=Dispute")
    phone.tap(".list-row:has-text('Wild Draw Four')")
    expect(phone.locator(".asked")).to_contain_text("Who played the Wild Draw Four")
    phone.tap(".option:has-text('Bo then Cy')")
    expect(phone.locator(".answers")).to_contain_text("Bo → Cy")
    assert phone.evaluate(FIRST_ANSWERS)


def test_a_ruling_names_people_waits_behind_its_rounds_and_is_given_by_the_server(phone: Page, axe: Axe) -> None:
    table, address = begin_kept(phone)
    sent: list[str] = []
    # What arrived: an attempt that still met no network is tried again, and counts once
    phone.on("requestfinished", lambda request: sent.append(request.url) if request.method == "POST" else None)
    phone.context.set_offline(True)
    play(table, SIX[:1])
    hear_a_challenge(phone)
    expect(phone.locator("#ruling")).to_have_text("Bo draws 4")
    phone.tap("[data-show-table]")
    expect(phone.locator(".told .headline")).to_have_text("Bo draws 4")
    phone.tap("[data-close]")
    expect(phone.locator(".told")).to_be_hidden()
    axe(phone)
    phone.tap("text=Decide differently")
    phone.fill("#table_decided", "Bo draws six, as always.")
    phone.tap("text=Save ruling")
    expect(phone.locator("#outbox h2")).to_have_text("2 entries not sent yet")
    phone.tap("#outbox-live summary")
    expect(phone.locator("#outbox-live")).to_contain_text("The table decided: Bo draws six, as always.")
    axe(phone)
    play(table, SIX[1:2])
    expect(phone.locator("#outbox h2")).to_have_text("3 entries not sent yet")

    sent.clear()
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    assert [url.rpartition("/")[2] for url in sent] == ["new", "ruling", "new"]
    phone.goto(address)
    rulings = phone.locator("section:has(#rulings-title)")
    expect(rulings).to_contain_text("Bo draws six, as always.")
    phone.locator("section:has(#rulings-title) a").tap()
    expect(phone.locator("#ruling")).to_have_text("Bo draws 4")
    until(phone, "async () => Boolean(await (await caches.open('pages')).match(location.href))")
    phone.context.set_offline(True)
    phone.tap("text=Share picture")
    expect(phone.locator(".toast")).to_contain_text("The picture needs a connection.")
    phone.reload()
    expect(phone.locator("#ruling")).to_have_text("Bo draws 4")
    expect(phone.locator("[data-share-picture]")).to_be_hidden()


def test_a_ruling_heard_by_example_asks_for_the_very_card_when_the_server_is_back(phone: Page) -> None:
    table, address = begin_kept(phone)
    phone.context.set_offline(True)
    phone.goto(f"{address}/disputes/played-card-effect")
    phone.tap(".option:has-text('Ada then Bo')")
    phone.tap(".option:has-text('A number')")
    expect(phone.locator("#ruling")).to_have_text("It’s Bo’s turn")
    expect(phone.locator(".write-down")).to_contain_text("the sheet asks for the exact cards")
    phone.tap("text=Save ruling")
    expect(phone.locator("#outbox h2")).to_have_text("1 ruling not sent yet")
    phone.context.set_offline(False)
    expect(phone.locator("#outbox .error")).to_contain_text("Answer this too")
    play(table, SIX[:1])  # a ruling that is asked back holds no round up
    expect(phone.locator(".rounds tbody tr")).to_have_count(1)
    phone.tap("text=Review ruling")
    expect(phone.locator(".answers")).to_contain_text("Ada → Bo")
    expect(phone.locator(".asked")).to_contain_text("Which card")


def test_back_takes_an_answer_back_without_a_connection(phone: Page) -> None:
    phone.goto("/disputes/draw-four-challenge?rulebook=two-player")
    keeps_files(phone)
    takes_books(phone, "two-player")
    phone.context.set_offline(True)
    phone.goto("/disputes/draw-four-challenge?rulebook=two-player")
    first = phone.locator(".asked").inner_text()
    phone.locator(".option").first.tap()
    expect(phone.locator(".answers")).to_contain_text("The card was challenged.")
    phone.go_back()
    expect(phone.locator(".asked")).to_have_text(first)


def test_a_german_page_hears_a_missed_call_without_a_connection(phone: Page) -> None:
    phone.goto("/")
    phone.tap(".languages [value=de]")
    expect(phone.locator("html")).to_have_attribute("lang", "de")
    address = "/disputes/uno-call?rulebook=classic-500"
    phone.goto(address)
    keeps_files(phone)
    takes_books(phone, "classic-500")
    phone.context.set_offline(True)
    phone.goto(address)
    numbers = phone.locator("#offline .option")
    expect(numbers).to_have_text(["1", "2 oder mehr", "0"])
    numbers.first.tap()
    expect(phone.locator(".answers")).to_contain_text("Wie viele Karten hatte die Person nach dem Legen noch? 1.")
    asked = {phone.locator(".asked").inner_text()}
    while phone.locator("#ruling").count() == 0:
        expect(phone.locator(".of-number")).to_have_count(0)  # how many cards were left is asked once
        phone.locator(".option").first.tap()
        phone.wait_for_function(
            """(asked) => document.querySelector('#ruling')
                || !asked.includes(document.querySelector('.asked')?.innerText)""",
            arg=sorted(asked),
        )
        asked |= set(phone.locator(".asked").all_inner_texts())
    expect(phone.locator("#ruling")).to_be_visible()


def test_whoever_is_tapped_for_a_missed_call_had_one_card_without_a_connection_too(phone: Page) -> None:
    _, sheet = begin_kept(phone)
    phone.context.set_offline(True)
    phone.goto(f"{sheet}/disputes/uno-call")
    phone.locator(".players .option").nth(1).tap()
    expect(phone.locator(".answers")).to_contain_text("? 1.")
    expect(phone.locator(".of-number")).to_have_count(0)


def test_rules_are_found_without_a_connection(phone: Page, axe: Axe) -> None:
    phone.goto("/rules")
    keeps_files(phone)
    for address in ("/rules/duo-200", "/rules?rulebook=online-100-200", "/rules/flip"):
        phone.goto(address)
    takes_books(phone, "official", "duo-200", "online-100-200", "flip")
    phone.context.set_offline(True)
    phone.goto("/rules")
    expect(phone.locator("#offline")).to_contain_text("Common questions")
    phone.goto("/rules/two-player")
    expect(phone.locator(".lead")).to_contain_text("Open “Two players” once while you’re online")
    axe(phone)
    phone.tap("text=UNO Duo")
    phone.fill("#q", "chalenge a +4")
    expect(phone.locator("#offline")).to_contain_text("Read as: challenge")
    expect(phone.locator(".hit.best h2")).to_contain_text("hallenge")
    axe(phone)
    phone.fill("#q", "rules of poker")
    expect(phone.locator("#found .notice")).to_contain_text("No rule found")
    axe(phone)
    phone.fill("#q", "uno flip dark side")
    expect(phone.locator("#found .notice")).to_have_text("That sounds like Uno Flip. It has rules of its own here.")
    axe(phone)
    phone.goto("/rules?rulebook=online-100-200&q=who deals next")
    expect(phone.locator("#found .notice")).to_contain_text("doesn’t answer this")
    expect(phone.locator(".hit.best .book").first).to_have_text("Online 100/200")
    phone.goto("/rules/duo-200/challenge-guilty")
    expect(phone.locator(".hit")).to_have_count(1)
    phone.goto("/rules/topics/uno-call")
    expect(phone.locator(".said").nth(2)).to_be_visible()


def test_help_opens_without_a_connection_with_the_pictures_that_were_seen(phone: Page, axe: Axe) -> None:
    phone.goto("/help")
    keeps_files(phone)
    phone.goto("/help/correcting")
    seen = "[...document.images].filter((one) => one.complete && one.naturalWidth).length"
    phone.wait_for_function(f"() => {seen} === 1")
    takes_books(phone, "help")
    phone.context.set_offline(True)
    pages = (("", "Help", 1), ("/correcting", "Correct a round", 1), ("/look-up", "Look up a rule", 0))
    for path, heading, pictures in pages:
        phone.goto(f"/help{path}")
        expect(phone.locator("h1")).to_have_text(heading)
        until(phone, f"() => [...document.images].length === 1 && {seen} === {pictures}")
        axe(phone)
    phone.tap(".way-back")
    expect(phone.locator("h1")).to_have_text("Help")


def test_the_look_up_on_the_phone_finds_what_the_server_finds(phone: Page) -> None:
    asked = [(question["q"], question.get("rulebook")) for question in read("questions")["question"]]
    asked += [(query, None) for part in read("blind").values() for group in part.values() for query in group]
    asked += [(query, box.id) for box in boxes().values() if box.id in rulebooks() for query in box.asked]
    foreign = [query for group in read("foreign").values() for query in group if not language_asked(query)]
    assert len(foreign) >= 50
    asked += [(query, "official") for query in foreign]
    asked += [(query, id) for id, book in rulebooks().items() for query, _ in [*heard_questions(ENGLISH, book)][::5]]
    finds_the_same(phone, asked)


@pytest.mark.parametrize("code", [code for code in understood() if code != ENGLISH])
def test_so_it_does_in_another_language(phone: Page, code: str) -> None:
    phone.goto("/rules")
    phone.context.add_cookies([{"name": LANGUAGE_COOKIE, "value": code, "url": phone.url}])
    books = ("official", "classic-500", "no-mercy", "flip", None)
    every = [query for group in wordings(code).values() for query in group]
    with speaking(code):
        here = [
            query for query in every[::12] if language_asked(query) == code
        ]  # a phone knows only the words of its page
        assert len(here) >= 150
        finds_the_same(phone, [(query, books[place % len(books)]) for place, query in enumerate(here)])


def finds_the_same(phone: Page, asked: list[tuple[str, str | None]]) -> None:
    """Ask server and phone, and hold 99 % of the answers alike."""
    found = [look_up(query, rulebooks()[book] if book else None) for query, book in asked]
    phone.goto("/rules")
    told = phone.evaluate(LOOK_UP, [asked, list(rulebooks())])
    same = [
        told_first
        == [found_.answered, found_.silent, found_.box and found_.box.id, [hit.question.id for hit in found_.hits]]
        for told_first, found_ in zip(told, found, strict=True)
    ]
    assert same.count(True) / len(same) >= 0.99, [q for q, alike in zip(asked, same, strict=True) if not alike]


LOOK_UP = """async ([asked, ids]) => {
    const worker = await (await fetch('/service-worker.js')).text();
    const { files, books: at } = JSON.parse(worker.split('\\n')[0].replace('const referee = ', '').replace(/;$/, ''));
    const all = (await (await fetch(files)).json()).map(([address]) => address);
    const named = (end) => all.find((file) => file.endsWith(end));
    const read = async (address) => (await fetch(address)).json();
    const { lookUpOver, searched } = await import(named('/js/lookup.js'));
    const { questions } = await read(named('/catalogue.json'));
    const lookUp = lookUpOver({ ...await read(named('/lookup.json')), questions });
    const books = new Map();
    for (const id of ids) {
        books.set(id, await read(at[id]));
    }
    return asked.map(([query, led]) => {
        const order = [led, ...ids.filter((id) => id !== led)].filter(Boolean).map((id) => books.get(id));
        const found = searched(order, Boolean(led));
        const clauses = found.map((book) => new Map(book.clauses.map((clause) => [clause.id, clause])));
        const { answered, silent, box, hits } = lookUp(query, clauses, Boolean(led), order[0], found);
        return [answered, silent, box && box.id, hits];
    });
}"""


def test_a_form_sent_without_a_connection_stays_with_what_was_typed(phone: Page) -> None:
    _, address = begin_kept(phone)
    take_matches(phone)
    phone.goto("/matches/new")
    seat(phone, "Ada", "Bo")
    phone.context.set_offline(True)
    phone.tap("text=Review rules")
    expect(phone.locator("h1")).to_have_text("Start offline")
    phone.tap("button:text-is('Back')")
    expect(phone.locator("#players-1")).to_have_value("Bo")
    phone.goto("/")
    expect(phone.locator(".notice:not(.outbox)")).to_contain_text("Offline. Last updated")
    expect(phone.locator("body")).to_contain_text("Ada")
    phone.goto(address)
    expect(phone.locator("#outbox")).to_contain_text("Offline. Last updated")


def test_a_server_that_is_only_slow_shows_its_answer_when_it_comes(phone: Page, app: Flask) -> None:
    _, address = begin_kept(phone)
    released = Event()
    draw = app.view_functions["score.sheet"]

    def draw_late(match_id: str) -> object:
        released.wait(60)
        return draw(match_id=match_id)

    app.view_functions["score.sheet"] = draw_late  # type: ignore[assignment]
    phone.goto(address)
    expect(phone.locator("#outbox")).to_contain_text("Offline. Last updated")
    released.set()
    expect(phone.locator("#outbox")).to_be_hidden()
    assert phone.evaluate("() => document.documentElement.dataset.kept") is None


def test_no_page_of_the_key_before_is_shown_once_another_club_is_joined(phone: Page, new_phone: NewPhone) -> None:
    other = new_phone().new_page()
    Table(other).begin(["Cy", "Di"])
    link = invite(other)
    _, address = begin_kept(phone, ["Ada", "Bo"])
    phone.goto(link)
    phone.tap("main button")
    phone.wait_for_url(lambda url: "/join/" not in url)
    phone.context.set_offline(True)
    phone.goto(address)
    expect(phone.locator("h1")).to_have_text("You’re offline")
    expect(phone.locator("body")).not_to_contain_text("Ada")


def test_a_round_saved_by_script_stands_on_the_kept_sheet(phone: Page) -> None:
    table, _ = begin_kept(phone)
    play(table, SIX[:1])
    until(phone, "async () => Boolean(await (await caches.open('fresh')).match(location.pathname))")
    phone.context.set_offline(True)
    phone.reload()
    expect(phone.locator(".rounds tbody tr")).to_have_count(1)
    play(table, SIX[1:2])
    expect(phone.locator("#outbox")).to_contain_text("Round 2: Bo went out")
    phone.context.set_offline(False)
    expect(phone.locator(".rounds tbody tr")).to_have_count(2)
    table.expect_totals({"Ada": 109, "Bo": 75, "Cy": 0, "Di": 0})


def open_round(phone: Page) -> None:
    """Open the first round from the sheet."""
    phone.locator(".rounds tbody th a").last.tap()
    phone.wait_for_selector(".after-pad")


def open_round_to_keep(phone: Page) -> None:
    """Open the first round from the sheet, and wait until the phone keeps its page."""
    open_round(phone)
    until(phone, "async () => Boolean(await (await caches.open('pages')).match(location.href.split('#')[0]))")


def correct(phone: Page) -> None:
    """Lay a 1 more into Di's hand, in the round that is open, and save."""
    phone.tap("[data-people] button:has-text('Di')")
    phone.tap("[data-face='1']")
    phone.tap("[data-next]")


def test_a_correction_waits_behind_what_was_recorded_before_it(phone: Page, axe: Axe) -> None:
    table, address = begin_kept(phone)
    play(table, SIX[:1])
    open_round_to_keep(phone)
    phone.context.set_offline(True)
    phone.goto(address)
    play(table, SIX[1:2])
    phone.locator(".rounds tbody th a").last.tap()
    expect(phone.locator(".notice:not(.outbox)")).to_contain_text("Offline. Last updated")
    correct(phone)
    expect(phone.locator("#outbox h2")).to_have_text("2 entries not sent yet")
    table.expect_totals({"Ada": 110, "Bo": 75, "Cy": 0, "Di": 0})  # with the correction
    phone.tap("#outbox-live summary")
    expect(phone.locator("#outbox-live")).to_contain_text(
        re.compile("Correct round 1.*Ada went out · Hands: Bo 77, Cy 12, Di 21", re.DOTALL)
    )
    axe(phone)
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    phone.goto(address)
    table.expect_totals({"Ada": 110, "Bo": 75, "Cy": 0, "Di": 0})


@pytest.mark.parametrize(
    ("button", "total"), [("Correct anyway", 110), ("Keep theirs", 92)], ids=["ours counts", "theirs counts"]
)
def test_two_corrections_of_one_round_are_shown_side_by_side(
    phone: Page, new_phone: NewPhone, button: str, total: int
) -> None:
    table, address = begin_kept(phone)
    play(table, SIX[:1])
    other = second_phone(phone, new_phone, address)
    open_round_to_keep(phone)
    phone.context.set_offline(True)
    correct(phone)
    expect(phone.locator("#outbox h2")).to_have_text("1 correction not sent yet")
    open_round(other)
    other.tap("[data-people] button:has-text('Cy')")
    other.tap("[data-fan] .laid")  # the 3
    other.tap("[data-face='1']")
    other.tap("[data-people] button:has-text('Di')")
    other.tap("[data-fan] .laid")
    other.tap("[data-face='5']")
    other.tap("[data-next]")
    expect(other.locator(".standing:has-text('Ada') [data-total]")).to_have_text("92")
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_contain_text("Round 1: Ada went out. Ada 92")
    phone.tap(f"text={button}")
    expect(phone.locator("#outbox-live")).to_have_count(0)
    phone.goto(address)
    expect(phone.locator(".standing:has-text('Ada') [data-total]")).to_have_text(str(total))


def test_what_was_typed_for_a_match_without_a_connection_is_there_again(phone: Page) -> None:
    begin_kept(phone)
    take_matches(phone)
    phone.goto("/matches/new")
    seat(phone, "Ada", "Bo", "Cy")
    choose_rulebook(phone, "online-100-200")
    phone.context.set_offline(True)
    phone.tap("text=Review rules")
    expect(phone.locator("main")).to_contain_text("these rules aren’t cached")
    phone.goto("/")
    phone.goto("/matches/new")
    expect(phone.locator("#players-2")).to_have_value("Cy")
    expect(phone.locator("[name=rulebook][value=online-100-200]")).to_be_checked()


def test_the_club_page_says_what_is_kept_where_and_safari_what_it_forgets(new_phone: NewPhone, axe: Axe) -> None:
    context = new_phone(service_workers="allow")
    context.add_init_script("Object.defineProperty(navigator, 'standalone', { value: false });")
    phone = context.new_page()
    table, _ = begin_kept(phone)
    phone.route("**/rounds/new", lambda route: route.abort())
    play(table, SIX[:2])
    expect(phone.locator("#outbox")).to_contain_text("Safari deletes unsent rounds")
    phone.goto("/club")
    phone.tap("text=What is saved where")
    expect(phone.locator("[data-kept-here]").first).to_have_text("2 rounds not sent yet")
    phone.tap("text=Leave the club on this phone")
    expect(phone.locator("[data-kept-here='warn']")).to_have_text("2 rounds not sent yet")
    axe(phone)


def test_a_round_for_another_club_waits_is_said_and_goes_out_when_its_club_is_back(
    phone: Page, new_phone: NewPhone, axe: Axe
) -> None:
    table = Table(phone)
    sheet = table.begin()
    phone.goto("/club")
    phone.tap("text=Name and language")
    phone.fill("#club-name", "Family")
    phone.locator("form:has(#club-name) button.wide").tap()
    expect(phone.locator("h1")).to_have_text("Family")
    open_at(phone, sheet, ".standings")
    take_along(phone)
    other = new_phone().new_page()
    theirs = Table(other).begin(["Eve", "Flo"])
    link = invite(other)

    sent: list[str] = []
    phone.context.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    phone.context.route("**/rounds/new", lambda route: route.abort())
    play(table, SIX[:1])
    expect(phone.locator("#outbox h2")).to_have_text("1 round not sent yet")

    tab = phone.context.new_page()  # the sheet stays open in the first one
    tab.goto(link)
    tab.tap("main button")
    tab.wait_for_url(lambda url: "/join/" not in url)
    phone.context.unroute_all()
    phone.evaluate("() => dispatchEvent(new Event('online'))")  # it does not know what a tab joined
    expect(phone.locator("#outbox")).to_contain_text("Check what’s marked; nothing is lost.")
    sent.clear()
    for address in ("/", theirs, "/club"):
        open_at(tab, address, "[data-elsewhere]")
        expect(tab.locator("[data-elsewhere] summary")).to_have_text("Not sent to Family yet (1)")
    tab.tap("[data-elsewhere] summary")
    expect(tab.locator("[data-elsewhere]")).to_contain_text("To send them, open Family’s link")
    expect(tab.locator("[data-elsewhere] li")).to_contain_text("Round 1: Ada went out")
    axe(tab)
    assert not [url for url in sent if "/rounds/" in url], "nothing for Family goes out from the other club"

    tab.tap("text=Leave the club on this phone")
    tab.tap("text=Leave the club >> nth=-1")
    tab.wait_for_selector("text=Resume")
    open_at(tab, sheet, f"{GRID} >> nth=0")
    expect(tab.locator("[data-elsewhere]")).to_be_hidden()
    expect(tab.locator("#outbox")).to_be_hidden()
    Table(tab).expect_totals({"Ada": 109, "Bo": 0, "Cy": 0, "Di": 0})


def test_what_waits_for_a_club_that_is_gone_is_deleted_on_purpose_only(phone: Page) -> None:
    table = Table(phone)
    table.begin()
    phone.route("**/rounds/new", lambda route: route.abort())
    play(table, SIX[:1])
    expect(phone.locator("#outbox h2")).to_have_text("1 round not sent yet")
    phone.context.clear_cookies()
    phone.goto("/rules")
    phone.goto("/")
    phone.tap("[data-elsewhere] summary")
    expect(phone.locator("[data-elsewhere]")).to_contain_text("or use its recovery sheet")
    phone.tap("text=Delete from this phone")
    expect(phone.locator("[data-elsewhere] li")).to_have_count(1)
    phone.tap(".deletes:text-is('Delete permanently')")
    expect(phone.locator("[data-elsewhere]")).to_be_hidden()
    phone.reload()
    expect(phone.locator("[data-elsewhere]")).to_be_hidden()


def test_striking_restoring_and_ending_wait_in_order_and_are_sent_once(phone: Page) -> None:
    table, address = begin_kept(phone)
    play(table, SIX[:3])
    table.expect_saved()
    for page in (phone.locator(".rounds th a").nth(1).get_attribute("href") or "", f"{address}/menu"):
        phone.goto(page)
        phone.wait_for_load_state("networkidle")
    phone.goto(address)

    phone.context.set_offline(True)
    phone.tap(".rounds th a >> nth=1")
    phone.tap("text=Strike this round")
    expect(phone.locator("#outbox")).to_contain_text("Strike round 2")
    table.expect_totals({"Ada": 109, "Bo": 0, "Cy": 27, "Di": 0})
    expect(phone.locator("#record")).to_have_text("Record round 3")
    table.round("Di", ("reverse",), ("4",), ("6",))
    phone.goto(f"{address}/menu")
    phone.tap("text=End the match")
    expect(phone.locator("#outbox h2")).to_have_text("3 entries not sent yet")
    table.expect_totals({"Ada": 109, "Bo": 0, "Cy": 27, "Di": 30})

    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator(".result h2")).to_have_text("Ada wins!")
    expect(phone.locator(GRID)).to_have_count(3)
    expect(phone.locator(".rounds tr.struck")).to_have_count(1)
    table.expect_totals({"Ada": 109, "Bo": 0, "Cy": 27, "Di": 30})


def take_matches(page: Page) -> None:
    """Let the service worker take the last matches along now, and wait until it has the one whose sheet is open."""
    keeps_files(page)
    page.evaluate(
        """async () => {
            const { state } = document.getElementById('sheet').dataset;
            (await navigator.serviceWorker.ready).active.postMessage({ ahead: true, state });
        }"""
    )
    until(
        page,
        """async () => {
            const { state } = document.getElementById('sheet').dataset;
            const states = await (await (await caches.open('ahead')).match('/ahead'))?.json();
            return states?.some((one) => one.startsWith(state));
        }""",
    )


def test_the_last_matches_open_offline_unvisited_with_rule_card_and_share_page(phone: Page) -> None:
    table = Table(phone)
    unseen = [table.start(("Ada", "Bo")) for _ in range(2)]
    table.begin()
    take_matches(phone)
    phone.context.set_offline(True)
    for address in unseen:
        phone.goto(address)
        expect(phone.locator(".standing .name")).to_have_text(["Ada", "Bo"])
        phone.tap("text=Menu")
        expect(phone.locator(".rule-card")).to_contain_text("Classic 500")
        phone.goto(f"{address}/share")
        expect(phone.locator("textarea")).to_contain_text("Ada")
    phone.goto(unseen[0])
    table.round("Ada", ("9",))
    expect(phone.locator("#outbox")).to_contain_text("1 round not sent yet")
    phone.goto("/matches/new")
    expect(phone.locator("[data-known] button")).to_have_count(4)


def test_two_minutes_after_a_first_visit_a_match_starts_without_a_connection(phone: Page) -> None:
    phone.clock.install()
    Table(phone).begin()
    phone.clock.fast_forward(110_000)  # and ten seconds to fetch the pages
    until(phone, "async () => Boolean(await (await caches.open('ahead')).match('/ahead'))")
    phone.context.set_offline(True)
    phone.goto("/matches/new")
    expect(phone.locator("[data-known] button")).to_have_count(4)


def test_the_same_four_begin_again_offline_by_one_tap_at_home(phone: Page) -> None:
    table = Table(phone)
    table.begin(target="20")
    table.round("Cy", ("wild",), ("7",), ("5",))
    phone.get_by_text("Rematch").wait_for()
    phone.goto(phone.url)
    take_matches(phone)
    phone.goto("/")
    phone.context.set_offline(True)
    phone.goto("/")
    phone.tap("text=Same four again")
    phone.wait_for_selector(".standings")
    expect(phone.locator("#outbox")).to_contain_text("Rematch: Ada, Bo, Cy, Di")
    expect(phone.locator(".standing:has-text('Bo') [data-chip=opens]")).to_have_count(1)  # Ada dealt before
    table.round("Di", ("1",), ("2",), ("3",))
    table.expect_totals({"Di": 6})
    phone.context.set_offline(False)
    expect(phone.locator("#sheet[data-begun]")).to_have_count(0)
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator(GRID)).to_have_count(1)


def test_a_match_and_its_rematch_begin_offline_and_are_sent_once(phone: Page, axe: Axe) -> None:
    table = Table(phone)
    table.begin()
    take_matches(phone)
    phone.context.set_offline(True)
    phone.goto("/matches/new")
    for name in ("Cy", "Ada", "Bo"):
        phone.tap(f"[data-known] button:has-text('{name}')")
    phone.tap("text=Review rules")
    expect(phone.locator("main")).to_contain_text("Cy, Ada, Bo. Cy deals.")
    expect(phone.locator(".rule-card")).to_contain_text("Classic 500")
    phone.tap("text=Start match")
    phone.wait_for_selector(".standings")
    expect(phone.locator("#sheet h1")).to_have_text("Cy, Ada, and Bo")
    expect(phone.locator("#outbox")).to_contain_text("Start a match: Cy, Ada, Bo")
    play(table, (("Ada", (("9",), ("skip",))), ("Cy", (("5",), ("wild",)))))
    table.expect_totals({"Ada": 29, "Cy": 55, "Bo": 0})
    phone.tap("text=Menu")
    expect(phone.locator(".rule-card")).to_contain_text("Classic 500")
    phone.tap("text=End the match")
    phone.tap("#outbox >> text=Rematch")
    expect(phone.locator("#outbox")).to_contain_text("Rematch: Cy, Ada, Bo")
    expect(phone.locator(".standing:has-text('Bo') [data-chip=opens]")).to_have_count(1)  # the deal has moved on twice
    table.round("Bo", ("1",), ("2",))
    table.expect_totals({"Ada": 0, "Cy": 0, "Bo": 3})
    lines = table.lines()
    phone.goto("/")
    phone.tap("text=6 entries not sent yet")
    waiting = phone.locator("[data-waiting] li")
    expect(waiting.locator("a")).to_have_text(
        [
            "Start a match: Cy, Ada, Bo",
            re.compile("Cy, Ada, and Bo: Round 1: Ada went out"),
            re.compile("Cy, Ada, and Bo: Round 2: Cy went out"),
            "Cy, Ada, and Bo: End the match",
            "Rematch: Cy, Ada, Bo",
            re.compile("Cy, Ada, and Bo: Round 1: Bo went out"),
        ],
    )
    waiting.first.get_by_text("Discard").tap()  # it asks first
    expect(waiting.first).to_contain_text("Discard all 6 entries")
    axe(phone)
    waiting.last.locator("a").tap()
    phone.wait_for_selector(".standings")

    phone.context.set_offline(False)
    expect(phone.locator("#sheet[data-begun]")).to_have_count(0)
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator(GRID)).to_have_count(1)
    assert table.lines() == lines
    phone.goto("/")
    expect(phone.locator("main a:has-text('Cy, Ada, and Bo')")).to_have_count(2)
    phone.tap(".list-row:has-text('Cy, Ada, and Bo')")
    expect(phone.locator(".result h2")).to_have_text("Cy wins!")
    expect(phone.locator(GRID)).to_have_count(2)


GUILTY = "as-offender=1&as-target=2&challenged=yes&challenger=target&held_color=yes"
"""Cy challenges Bo, who could have played another card: what happens to the turn, Classic 500 leaves open."""


def test_an_evening_in_german_settles_its_second_silent_ruling_by_the_first_without_a_connection(
    new_phone: NewPhone, axe: Axe
) -> None:
    phone = new_phone(locale="de", service_workers="allow").new_page()
    heard = complaints(phone)
    _, address = begin_kept(phone)
    phone.context.set_offline(True)
    with speaking("de"):
        always, once = say("our-law.always"), say("our-law.once")
        said = controls()["challenge-guilty-after"]["guilty_next_turn"].meaning("target")
        cite = CATALOGUE.text("decisions.cite")
    for first in (True, False):
        phone.goto(f"{address}/disputes/draw-four-challenge?{GUILTY}")
        expect(phone.locator("#ruling")).to_have_text("Bo zieht 4")
        law = phone.locator(".law-lines .option")
        expect(law.first).to_contain_text("Wie bei" if first else f"Ihr habt entschieden: {said}")
        axe(phone)
        law.filter(has_text=said).first.tap()
        expect(phone.locator("[data-told]")).to_contain_text("Cy ist dran")
        expect(phone.locator(".reasons > li").last).to_contain_text(f"{said} {cite}")
        expect(phone.locator(f"button:has-text('{once}')")).to_have_count(1 if first else 0)
        axe(phone)
        phone.tap(f".write-down button:has-text('{always}')" if first else ".write-down .primary")
        expect(phone.locator("#outbox")).to_be_visible()
    phone.goto(f"{address}/disputes/going-out?last_card=draw-two&names=no")  # it leaves two questions open
    expect(phone.locator(".open-point")).to_have_count(2)
    for left in (1, 0):
        phone.locator(".law-lines .filled").first.tap()
        expect(phone.locator(".open-point")).to_have_count(left)
    expect(phone.locator("section.decided > p[dir]")).to_have_count(2)
    phone.tap(f".write-down button:has-text('{always}')")
    phone.context.set_offline(False)
    expect(phone.locator("#outbox")).to_be_hidden()
    expect(phone.locator(".rulings li, section:has(#rulings-title) li")).to_have_count(3)
    until(phone, "async () => Boolean((await (await caches.match('/offline/law'))?.json())?.length)")
    phone.context.set_offline(True)
    phone.goto(f"{address}/disputes/draw-four-challenge?{GUILTY}")
    expect(phone.locator(".law-lines .option").first).to_contain_text(f"hat euer Club entschieden: {said}")
    assert not heard, heard
