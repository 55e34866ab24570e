"""An evening of seventeen on five phones: from ticking who is here to the champion, whatever happens on the way."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.table import IMPATIENT, Table, assert_nothing_sticks_out
from tests.browser.test_offline import take_along
from tests.conftest import NewPhone
from tests.ground.browser import complaints

CAME = [
    "Ann",
    "Bea",
    "Cem",
    "Dan",
    "Eva",
    "Fox",
    "Gus",
    "Hal",
    "Ida",
    "Jon",
    "Kim",
    "Lou",
    "Max",
    "Nia",
    "Otto",
    "Pia",
    "Quentin",
]
"""Who is here at the beginning; Rosa comes late."""


@pytest.fixture
def keeper(new_phone: NewPhone) -> Iterator[Page]:
    """The scorekeeper's phone, whose club has played once."""
    page = new_phone(has_touch=True).new_page()
    page.add_init_script(IMPATIENT)
    heard = complaints(page)
    Table(page).begin(("Ann", "Bea"))
    yield page
    assert not heard, heard


def tables(keeper: Page) -> list[list[str]]:
    """Return who sits where, as the floor shows it."""
    cards = keeper.locator("#floor > .tables:first-of-type .table-card").all()
    return [card.locator(".name").all_inner_texts() for card in cards]


def record(phone: Page) -> None:
    """Record the only round of a match: the first in the list goes out, each of the others is left with a 7."""
    others = phone.locator(".standing").count() - 1
    phone.tap(".standing >> nth=0")
    for _ in range(others):
        phone.tap("[data-face='7']:visible")
        phone.wait_for_selector("[data-next]:not([data-resting])")
        phone.tap("[data-next]")


def scanned(new_phone: NewPhone, address: str) -> Page:
    """A phone that scans a table's code and keeps the score there."""
    phone = new_phone(has_touch=True, service_workers="allow").new_page()
    phone.add_init_script(IMPATIENT)
    phone.goto(address)
    phone.tap("main button.primary")
    return phone


def draw(keeper: Page, draws: int) -> list[list[str]]:
    """Draw, and return who sits where."""
    keeper.tap("#draw > .row button >> nth=0")
    expect(keeper.locator(".sheet-head")).to_contain_text(f"Draw {draws} of 3")
    assert_nothing_sticks_out(keeper)
    return tables(keeper)


def to_table(phone: Page) -> None:
    """Let a table's phone go on to the match that was drawn."""
    phone.goto("/table")
    phone.wait_for_url("**/matches/*")


@pytest.mark.extended
@pytest.mark.browser
def test_seventeen_on_five_phones_from_the_list_of_names_to_the_champion(keeper: Page, new_phone: NewPhone) -> None:
    keeper.goto("/evenings/new")
    keeper.check("[name=people][value=Ann]")
    keeper.fill("#names", "\n".join(CAME[1:]))
    keeper.tap("#settings > summary")
    keeper.fill("#rounds_to_play", "1")
    keeper.tap("main .primary")
    expect(keeper.locator(".sheet-head")).to_contain_text("17 here")
    floor = keeper.url
    first = draw(keeper, 1)
    assert list(map(len, first)) == [4, 4, 3, 3, 3]

    keeper.tap("#people > summary")
    keeper.fill("#names", "Rosa")
    keeper.tap("text=Let them in")
    expect(keeper.locator(".notice:has-text('Rosa')")).to_contain_text("has no table yet")
    absent = first[0][0]  # stays away: taken out by one tap, and nobody else moves
    keeper.tap("#people > summary")
    keeper.tap(f"summary.person:has-text('{absent}')")
    keeper.tap("button[value=take-out]:visible")
    expect(keeper.locator(".sheet-head")).to_contain_text("17 here")
    assert tables(keeper) == [first[0][1:], *first[1:]]

    keeper.tap("text=Television")
    keeper.tap("text=Make the link")
    television = new_phone(viewport={"width": 1920, "height": 1080}, is_mobile=False).new_page()
    television.add_init_script(IMPATIENT)
    television.goto(keeper.locator("main a[href*='/screen/']").first.get_attribute("href") or "")
    expect(television.locator("main")).to_contain_text("Table 5")

    keeper.goto(floor)
    keeper.tap("text=Sheets for the tables")
    keeper.tap("main button:has-text('Make')")
    expect(keeper.locator(".table-sheet")).to_have_count(5)
    links = [f"/table/{token}" for token in codes(keeper)]
    phones = [scanned(new_phone, link) for link in links]
    assert len(phones) == 5
    for phone in phones:
        phone.wait_for_url("**/matches/*")
        record(phone)
    keeper.goto(floor)
    expect(keeper.locator(".table-card:has-text('won')")).to_have_count(5)

    second = draw(keeper, 2)
    assert list(map(len, second)) == [4, 4, 3, 3, 3]
    assert any("Rosa" in table for table in second)
    for phone in phones:
        to_table(phone)
    away = phones[1]
    take_along(away)
    away.context.set_offline(True)
    record(away)
    expect(away.locator("#outbox h2")).to_have_text("1 round not sent yet")
    for phone in phones:
        if phone is not away:
            record(phone)

    keeper.goto(floor)
    expect(keeper.locator(".table-card:has-text('won')")).to_have_count(4)
    leaver = second[2][0]
    keeper.tap("#people > summary")
    keeper.tap(f"summary.person:has-text('{leaver}')")
    keeper.tap("button[value=leave]:visible")
    keeper.tap("#draw > .row button >> nth=0")  # the draw says which table it waits for, and goes on without it
    expect(keeper.locator("#problems")).to_contain_text("Table 2 is still playing.")
    keeper.check("[name=unfinished-2][value=awaited]")
    third = draw(keeper, 3)
    assert not any(leaver in table for table in third)
    expect(keeper.locator("h2:has-text('Still playing from an earlier draw')")).to_be_visible()

    away.context.set_offline(False)  # its round counts late, and moves no seat
    expect(away.locator("#outbox")).to_be_hidden()
    keeper.goto(floor)
    expect(keeper.locator("h2:has-text('Still playing from an earlier draw')")).to_have_count(0)
    assert tables(keeper) == third
    met = Counter(frozenset(pair) for round in (second, third) for table in round for pair in combinations(table, 2))
    again = [pair for pair, times in met.items() if times > 1]
    assert len(again) <= 7
    assert not again or keeper.locator("text=meet again").count()

    for phone in phones[: len(third)]:
        to_table(phone)
        record(phone)
    keeper.goto(floor)
    expect(keeper.locator(".table-card:has-text('won')")).to_have_count(len(third))
    keeper.tap("#final > summary")
    keeper.fill("#best", "3")
    keeper.tap("text=Draw the final")
    asked = keeper.locator("#final [name=tie]").first
    expect(asked.or_(keeper.locator(".sheet-head:has-text('Final')"))).to_be_visible()
    if asked.is_visible():  # who is level is asked, not decided
        keeper.tap("text=Draw the final")
    expect(keeper.locator(".sheet-head")).to_contain_text("Final")
    assert len(tables(keeper)) == 1
    to_table(phones[0])
    record(phones[0])
    keeper.goto(floor)
    champion = re.sub(r" wins the evening!$", "", keeper.locator(".verdict").inner_text())
    assert champion in tables(keeper)[0]
    expect(television.locator("main")).to_contain_text(champion)
    keeper.tap("#end > summary")
    keeper.tap("#end button")
    expect(keeper.locator(".verdict")).to_contain_text("wins the evening!")
    answer = phones[0].request.get("/table")
    assert answer.status == 410


def codes(keeper: Page) -> list[str]:
    """Return the tokens on the sheets, as they can be typed."""
    said = keeper.locator(".table-sheet .typed").all_inner_texts()
    return [re.sub(r"\W", "", text.rpartition("/table/")[2]) for text in said]
