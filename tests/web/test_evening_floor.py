"""The floor of an evening: opened, drawn, changed by hand, decided, and what it says when something can't be."""

import re
from collections.abc import Sequence

import pytest
from sqlalchemy import update
from werkzeug.test import TestResponse

from referee.records.deletion.waiting import RESTORABLE_FOR
from referee.records.models import Evening, now
from referee.web.server.database import db
from tests.ground.client import Client, find_in
from tests.ground.house import House

pytestmark = pytest.mark.usefixtures("database")

TWELVE = ["Ann", "Bea", "Cem", "Dan", "Eva", "Fox", "Gus", "Hal", "Ida", "Jon", "Kim", "Lou"]


@pytest.fixture
def keeper(house: House) -> Client:
    """The scorekeeper's browser."""
    return house.browser("scorekeeper")


def text_of(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def open_evening(keeper: Client, names: Sequence[str] = TWELVE, **said: str) -> str:
    form = {"names": "\n".join(names), "rulebook": "classic-500", "rounds_to_play": "1", "size": "4", "draws": "1"}
    answer = keeper.submit("/evenings/new", form | said, page="/evenings/new")
    assert answer.status_code == 303, text_of(answer.text)
    return str(answer.location)


def act(keeper: Client, floor: str, place: str, **said: str) -> TestResponse:
    return keeper.submit(f"{floor}/{place}", said, page=floor)


def draw(keeper: Client, floor: str, seen: int, **said: str) -> list[list[str]]:
    answer = act(keeper, floor, "draw", **{"seen": str(seen), "number": "7", **said})
    assert answer.status_code == 303, text_of(answer.text)
    return tables(keeper, floor)


def tables(keeper: Client, floor: str) -> list[list[str]]:
    cards = re.findall(r'<li class="table-card.*?</ul>', keeper.get(floor).text, re.DOTALL)
    return [re.findall(r'<bdi class="name">(.*?)</bdi>', card) for card in cards]


def person(keeper: Client, floor: str, name: str) -> str:
    """Return the address at which something about someone is said."""
    html = keeper.get(floor).text
    row = next(row for row in re.findall(r'<summary class="person.*?</li>', html, re.DOTALL) if f">{name}</bdi>" in row)
    return find_in(r'action="[^"]*?(people/\w+)"', row)


def play(house: House, keeper: Client, floor: str, *numbers: int) -> None:
    """Let tables record their only round; whoever is named first goes out."""
    html = keeper.get(floor).text
    for card in re.findall(r'<li class="table-card.*?</ul>', html, re.DOTALL):
        if int(find_in(r"Table (\d+)", card)) not in numbers:
            continue
        names = re.findall(r'<bdi class="name">(.*?)</bdi>', card)
        match = find_in(r"/matches/(\w+)", card)
        hands = {name: ["9"] * place for place, name in enumerate(names) if place}
        body = {"after": 0, "went_out": names[0], "hands": hands}
        headers = house.bearer("scorekeeper")
        answer = house.app.test_client().post(f"/api/v1/matches/{match}/rounds", json=body, headers=headers)
        assert answer.status_code == 201, answer.text


def test_twelve_are_pasted_in_and_drawn_in_two_taps(keeper: Client) -> None:
    floor = open_evening(keeper, draws="3")
    assert "12 here" in text_of(keeper.get(floor).text)
    said = keeper.get(f"{floor}/advice/now").text
    assert said == "12 people, 3 draws to go, tables of 4: 9 pairs meet again; of 3: no one meets again."
    drawn = draw(keeper, floor, 0)
    assert [len(table) for table in drawn] == [4, 4, 4]
    assert sorted(name for table in drawn for name in table) == TWELVE
    assert "Draw 1 of 3" in text_of(keeper.get(floor).text)
    assert "The last draw was number 7." in text_of(keeper.get(floor).text)


@pytest.mark.parametrize(
    ("pasted", "first", "read"),
    [
        ("Ann\nBea\n\n Cem \n", "", ["Ann", "Bea", "Cem"]),
        ("Ann, Bea; Cem", "", ["Ann", "Bea", "Cem"]),
        ("1. Ann\n2) Bea\n- Cem", "", ["Ann", "Bea", "Cem"]),
        ("Ann\t7b\t2014\nBea\t7b\t2013", "", ["Ann", "Bea"]),
        ("Lovelace, Ada\nCurie, Marie Anna\nBo Diddley", "y", ["Ada", "Bo", "Marie"]),
        ("Lovelace, Ada\nKlein, Anna\nAnna Maria Groß\nVogt, Bo", "y", ["Ada", "Anna G.", "Anna K.", "Bo"]),
        ("Ann, Bea, Cem", "y", ["Ann", "Bea", "Cem"]),
        ("Ann,Lee,7b\nBea,Ray,7b", "", ["Ann", "Bea"]),
        ("Lee,Ann,7b\nRay,Bea,7b", "y", ["Ann", "Bea"]),
        ('"Lovelace, Ada";7b\n"Curie, Marie";7b', "y", ["Ada", "Marie"]),
    ],
)
def test_names_are_read_as_lists_have_them(keeper: Client, pasted: str, first: str, read: list[str]) -> None:
    floor = open_evening(keeper, names=[pasted], **({"first_names": first} if first else {}))
    html = keeper.get(floor).text
    assert re.findall(r'<summary class="person"><bdi class="name">(.*?)</bdi>', html) == read


def test_what_cannot_be_is_said_at_once_and_nothing_typed_is_lost(keeper: Client) -> None:
    form = {"names": "Ann\nAnn", "rulebook": "nothing", "size": "9", "draws": "x", "name": "Our night"}
    answer = keeper.submit("/evenings/new", form, page="/evenings/new")
    assert answer.status_code == 422
    assert "Ann\nAnn</textarea>" in answer.text.replace("\r", "")
    assert 'value="Our night"' in answer.text


def test_two_who_draw_at_once_draw_once(keeper: Client) -> None:
    floor = open_evening(keeper)
    drawn = draw(keeper, floor, 0)
    answer = act(keeper, floor, "draw", seen="0", number="8")
    assert answer.status_code == 409
    assert "Someone else has just changed the draw." in text_of(answer.text)
    assert tables(keeper, floor) == drawn


def test_the_next_draw_asks_what_becomes_of_each_table_that_plays(house: House, keeper: Client) -> None:
    floor = open_evening(keeper)
    draw(keeper, floor, 0)
    play(house, keeper, floor, 1)
    answer = act(keeper, floor, "draw", seen="1")
    assert answer.status_code == 422
    said = text_of(answer.text)
    assert "Table 2 is still playing." in said
    assert "Table 3 is still playing." in said
    assert "Table 1 is still playing." not in said
    assert '<details class="fold" open id="waiting">' in answer.text
    draw(keeper, floor, 1, **{"unfinished-2": "left-out", "unfinished-3": "awaited"})
    page = text_of(keeper.get(floor).text)
    assert "Still playing from an earlier draw" in page
    assert "Draw 2 of 2" in page


def test_a_draw_is_undone_until_a_table_has_recorded(house: House, keeper: Client) -> None:
    floor = open_evening(keeper)
    draw(keeper, floor, 0)
    for _ in range(2):  # a finger that taps twice undoes it once
        assert act(keeper, floor, "undo", revision="1").status_code == 303
    assert tables(keeper, floor) == []
    draw(keeper, floor, 0)
    play(house, keeper, floor, 2)
    answer = act(keeper, floor, "undo", revision="1")
    assert answer.status_code == 422
    assert "Table 2 has saved a round" in text_of(answer.text)


def test_two_swap_their_seats(keeper: Client) -> None:
    floor = open_evening(keeper)
    before = draw(keeper, floor, 0)
    options = re.findall(r'<option value="(\w+)">(\w+), table \d', keeper.get(floor).text)
    ids = {name: id for id, name in options}
    one, other = before[0][0], before[1][0]
    form = find_in(r'(<div class="two-seats">.*?</form>)', keeper.get(floor).text, re.DOTALL)
    assert re.findall(r"selected>(\w+),", form) == [before[-1][-1]]  # not the one who is offered first
    assert act(keeper, floor, "swap", one=ids[one], other=ids[other]).status_code == 303
    after = tables(keeper, floor)
    assert other in after[0]
    assert one in after[1]


def test_people_come_late_leave_stay_away_and_play_as_guests(keeper: Client) -> None:
    floor = open_evening(keeper)
    before = draw(keeper, floor, 0)
    assert act(keeper, floor, "people", names="Mustermann, Max", first_names="y").status_code == 303
    assert "Max has no table yet." in text_of(keeper.get(floor).text)
    away = before[0][0]
    assert act(keeper, floor, person(keeper, floor, away), act="take-out").status_code == 303
    assert [len(table) for table in tables(keeper, floor)] == [3, 4, 4]
    assert act(keeper, floor, person(keeper, floor, "Max"), act="sit", table="1").status_code == 303
    assert "Max" in tables(keeper, floor)[0]
    assert act(keeper, floor, person(keeper, floor, "Max"), act="guest").status_code == 303
    assert act(keeper, floor, person(keeper, floor, before[1][0]), act="leave").status_code == 303
    page = text_of(keeper.get(floor).text)
    assert "Guest" in page
    assert "11 here" in page
    assert act(keeper, floor, person(keeper, floor, away), act="back").status_code == 303
    assert "12 here" in text_of(keeper.get(floor).text)
    assert act(keeper, floor, person(keeper, floor, away), act="dance").status_code == 422


def test_who_was_pasted_by_mistake_is_taken_out_again(house: House, keeper: Client) -> None:
    floor = open_evening(keeper, TWELVE[:8])
    assert "8 people let in" in text_of(keeper.get(floor).text)
    assert "Undo" not in text_of(keeper.get(act(keeper, floor, "people", names="Ann").location).text), "she is here"
    page = keeper.get(act(keeper, floor, "people", names="Class 5b\nKim\nAda").location).text
    assert "3 people let in" in text_of(page)
    moment = find_in(r'name="revision" value="(20[^"]+)"', page)
    draw(keeper, floor, 0, size="3")
    act(keeper, floor, "people", names="Lou")
    answer = act(keeper, floor, "people/undo", revision=moment)
    assert (answer.status_code, "Nobody was taken out" in answer.text) == (422, True), "they have a seat"
    assert "Class 5b" in keeper.get(floor).text
    assert act(keeper, floor, "undo", revision="1").status_code == 303
    assert act(keeper, floor, "people/undo", revision=moment).status_code == 303
    page = keeper.get(floor).text
    assert "Taken out again" in text_of(page)
    assert 'class="name">Class 5b' not in page
    assert 'class="name">Lou' in page
    everyone = house.app.test_client().get("/api/v1/players", headers=house.bearer("scorekeeper")).get_json()["players"]
    assert {"Ada", "Class 5b"} <= {one["name"] for one in everyone}, "who sat at a match that is deleted may return"
    act(keeper, floor, "people", names="Class 6c\nAda")
    moment = find_in(r'name="revision" value="(20[^"]+)"', keeper.get(floor).text)
    assert act(keeper, floor, "people/undo", revision=moment).status_code == 303
    everyone = house.app.test_client().get("/api/v1/players", headers=house.bearer("scorekeeper")).get_json()["players"]
    assert {"Ada", "Class 6c"} & {one["name"] for one in everyone} == {"Ada"}, "she was in the club before"


def test_a_tie_before_the_final_is_asked_and_the_final_crowns_a_champion(house: House, keeper: Client) -> None:
    floor = open_evening(keeper)
    draw(keeper, floor, 0)
    play(house, keeper, floor, 1, 2, 3)
    answer = act(keeper, floor, "draw", seen="1", what="final", best="2", totals="fresh")
    assert answer.status_code == 422
    assert "are level for the last places in the final" in text_of(answer.text)
    assert "Take all of them" in answer.text
    final = draw(keeper, floor, 1, what="final", best="2", totals="fresh", tie="take-all")
    assert [len(table) for table in final] == [3]
    assert "have no table yet" not in text_of(keeper.get(floor).text)  # the others look on
    play(house, keeper, floor, 1)
    assert f"{final[0][0]} wins the evening!" in text_of(keeper.get(floor).text)
    card = keeper.get(f"{floor}/evening.png")
    assert card.data.startswith(b"\x89PNG")
    assert keeper.get(f"{floor}/evening.png", headers={"If-None-Match": card.headers["ETag"]}).status_code == 304
    assert act(keeper, floor, "end").status_code == 303
    page = keeper.get(floor).text
    assert "wins the evening!" in page
    assert 'action="' + floor + '/draw"' not in page


def test_a_tie_of_more_than_a_table_holds_is_explained_and_stays_open(house: House, keeper: Client) -> None:
    floor = open_evening(keeper)
    draw(keeper, floor, 0)
    play(house, keeper, floor, 1, 2, 3)
    answer = act(keeper, floor, "draw", seen="1", what="final", best="4", totals="fresh", tie="take-all")
    assert answer.status_code == 422
    assert "12 would sit at one table, and at most 10 can." in text_of(answer.text)
    assert '<details class="fold" open id="final">' in answer.text
    assert "Take all of them" in answer.text
    assert "Level on points?" in text_of(answer.text)


def test_more_ticked_than_an_evening_holds_are_refused_in_words(keeper: Client) -> None:
    floor = open_evening(keeper)
    token = keeper.token(floor)
    ticked = {"people": [f"P{n}" for n in range(201)], "csrf_token": token}
    answer = keeper.post(f"{floor}/people", data=ticked)
    assert answer.status_code == 422
    assert "Choose at most 200." in text_of(answer.text)


def test_the_floor_is_drawn_anew_only_when_something_changed(house: House, keeper: Client) -> None:
    floor = open_evening(keeper)
    draw(keeper, floor, 0)
    first = keeper.get(f"{floor}/now")
    assert first.status_code == 200
    again = keeper.get(f"{floor}/now", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    play(house, keeper, floor, 1)
    after = keeper.get(f"{floor}/now", headers={"If-None-Match": first.headers["ETag"]})
    assert after.status_code == 200
    assert "leads" in after.text


def test_who_may_watch_may_not_draw(house: House, keeper: Client) -> None:
    floor = open_evening(keeper)
    draw(keeper, floor, 0)
    guest = house.browser("spectator")
    page = guest.get(floor)
    assert page.status_code == 200
    assert 'action="' not in find_in(r'(<div id="floor".*?)</main>', page.text, re.DOTALL)
    for what in ("draw", "undo", "people", "swap", "clocks", "end"):
        assert guest.submit(f"{floor}/{what}", {}, page=floor).status_code == 403
    assert guest.get("/evenings/new").status_code == 403
    assert house.browser("stranger").get(floor).status_code == 401


def test_clocks_start_at_every_table_that_plays(house: House, keeper: Client) -> None:
    floor = open_evening(keeper, minutes="20")
    draw(keeper, floor, 0)
    assert act(keeper, floor, "clocks").status_code == 303
    assert text_of(keeper.get(floor).text).count("until") == 3
    assert f'action="{floor}/clocks"' not in keeper.get(floor).text
    assert act(keeper, floor, "undo", revision="1").status_code == 303
    draw(keeper, floor, 0)
    assert f'action="{floor}/clocks"' in keeper.get(floor).text


def test_an_evening_opened_by_mistake_ends_without_a_draw(keeper: Client) -> None:
    floor = open_evening(keeper)
    assert f'formaction="{floor}/end"' in keeper.get(floor).text
    going = keeper.get("/evenings/").text.count("Still going")
    assert act(keeper, floor, "end").status_code == 303
    assert keeper.get("/evenings/").text.count("Still going") == going - 1


def test_an_evening_is_deleted_with_undo_and_restored_from_the_clubs_page(house: House, keeper: Client) -> None:
    floor = open_evening(keeper, name="")
    at = f'action="{floor}/delete"'
    assert at in keeper.get(floor).text, "it was opened by mistake"
    draw(keeper, floor, 0)
    play(house, keeper, floor, 1)
    assert at not in keeper.get(floor).text, "tables play"
    answer = act(keeper, floor, "delete")
    assert (answer.status_code, "End the evening first" in answer.text) == (422, True)
    assert act(keeper, floor, "end", **{f"unfinished-{table}": "awaited" for table in (2, 3)}).status_code == 303
    match = find_in(r'href="(/matches/\w+)"', keeper.get(floor).text)
    answer = act(keeper, floor, "delete")
    page = keeper.get(answer.location).text
    assert "deleted. Its matches stay." in text_of(page)
    assert floor not in page.replace(f"{floor}/restore", "")
    assert keeper.get(floor).status_code == 404
    assert floor not in keeper.get(match).text
    club = keeper.get("/club").text
    assert "Evening of" in find_in(rf'(?s)action="{floor}/restore">(.*?)</form>', club)
    assert keeper.submit(f"{floor}/restore", {}, page="/club").status_code == 303
    assert "Evening restored" in keeper.get(floor).text
    assert floor in keeper.get("/evenings/").text
    with house.app.app_context():
        db.session.execute(update(Evening).values(deleted_at=now() - RESTORABLE_FOR))
        db.session.commit()
    assert keeper.submit(f"{floor}/restore", {}, page="/club").status_code == 404, "gone for good"


def test_home_leads_to_every_evening_that_goes_on(house: House, keeper: Client) -> None:
    with house.app.app_context():
        db.session.execute(update(Evening).values(status="ended", ended_at=now()))
        db.session.commit()
    floors = [open_evening(keeper) for _ in range(3)]
    page = keeper.get("/").text
    assert all(floor in page for floor in floors)
    assert 'href="/evenings/"' not in page
    floors.append(open_evening(keeper))
    page = keeper.get("/").text
    assert [floor in page for floor in floors] == [False, True, True, True]
    assert 'href="/evenings/"' in page


def test_evenings_are_listed_newest_first(keeper: Client) -> None:
    open_evening(keeper, name="First night")
    open_evening(keeper, name="Second night")
    page = text_of(keeper.get("/evenings/").text)
    assert page.index("Second night") < page.index("First night")
    assert 'value="4" selected' in keeper.get("/evenings/new").text
