"""An evening on the television and on each player's own phone: what is shown when, to whom, and what is not."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.club import access, links
from referee.records.evening import evenings
from referee.records.evening.drawing import draft_draw, draft_final, write_draw
from referee.records.evening.evenings import EveningPlan, Unfinished
from referee.records.evening.floor import load_floor
from referee.records.ids import new_token
from referee.records.models import Club, Evening, Key, KeyRole, Match
from referee.web.server.database import db
from tests.ground.client import Client, browser_of, find_in
from tests.ground.house import House
from tests.ground.rounds import record

EIGHT = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal")


@dataclass
class Night:
    """An evening of the house's club, changed by the records and seen over the web."""

    house: House
    id: str
    token: str

    def __call__(self, act: Callable[[Session, Club, Evening, Key], object]) -> None:
        """Change the evening."""
        with self.house.app.app_context():
            session = db.session()
            club = session.get_one(Club, self.house.club_id)
            key = session.get_one(Key, (club.id, self.house.parts["key_id"]))
            act(session, club, evenings.get_evening(session, club.id, self.id), key)
            session.commit()

    def draw(self) -> None:
        """Draw the next tables; those that play are left out."""

        def act(session: Session, club: Club, evening: Evening, by: Key) -> None:
            floor = load_floor(session, evening)
            left_out = {table.table: Unfinished.LEFT_OUT for table in floor.waits_for}
            drafted = draft_draw(session, club, evening, seen=len(floor.draws), number=7, unfinished=left_out)
            write_draw(session, club, drafted, by)

        self(act)

    def play(self, *numbers: int) -> None:
        """Play a round at some tables of the last draw, all without numbers; the first by name wins."""

        def act(session: Session, club: Club, evening: Evening, by: Key) -> None:
            for table in load_floor(session, evening).tables:
                if not numbers or table.table in numbers:
                    first, *others = sorted(table.seats.values())
                    record(session, table.match, {"went_out": first, "hands": {name: ["1"] for name in others}}, 0, by)

        self(act)

    def seat(self, name: str) -> tuple[int, list[str], str]:
        """Return someone's table, who sits there, clockwise from them, and the match."""
        found: list[tuple[int, list[str], str]] = []

        def look(session: Session, club: Club, evening: Evening, by: Key) -> None:
            for table in load_floor(session, evening).tables:
                names = list(table.seats.values())
                if name in names:
                    at = names.index(name)
                    found.append((table.table, names[at + 1 :] + names[:at], table.match.id))

        self(look)
        return found[0]

    def player(self, name: str) -> str:
        """Return the id of someone who came."""
        found: list[str] = []
        self(lambda session, _club, evening, _by: found.extend(
            person.id for person in evenings.load_people(session, evening) if person.name == name
        ))  # fmt: skip
        return found[0]

    def television(self, status: int = 200) -> str:
        """Read the television."""
        return text_of(self.house.app.test_client().get(f"/screen/{self.token}", status=status).text)

    def phone(self, name: str = "", caller: str = "spectator") -> Client:
        """Open the browser of someone, who has said who they are."""
        client = self.house.browser(caller)
        if name:
            answer = client.submit(self.me, {"player": self.player(name)}, page=self.me)
            assert answer.status_code == 303, answer.text
        return client

    @property
    def me(self) -> str:
        return f"/evenings/{self.id}/me"


def text_of(html: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", html).split())


@pytest.fixture
def night(house: House) -> Night:
    """An evening of eight, to which nothing has been drawn."""
    with house.app.app_context():
        session = db.session()
        club = session.get_one(Club, house.club_id)
        by = session.get_one(Key, (club.id, house.parts["key_id"]))
        plan = EveningPlan(rulebook="classic-500", rounds_to_play=1, size=4, draws=2)
        evening = evenings.open_evening(session, club, plan, by, name="Autumn cup", names=EIGHT)
        token = links.open_screen(session, club, evening, house.app.config["SECRET_KEY"], by)
        session.commit()
        return Night(house, evening.id, token)


# -- the television -------------------------------------------------------------------------------------------------


def test_the_television_shows_by_itself_what_is_of_use_now(night: Night) -> None:
    seen = night.television()
    assert "8 here" in seen
    assert all(name in seen for name in EIGHT)
    night.draw()
    number, others, _ = night.seat("Ada")
    seen = night.television()
    assert "Draw 1 of 2" in seen
    assert "2 tables are still playing" in seen
    assert "Round 1 of 1" in seen
    assert "Standings" not in seen
    table = find_in(rf"Table {number} (.*?) Round 1", seen)
    assert {*table.split()} == {"Ada", *others}
    night.play(number)
    seen = night.television()
    assert "Ada won" in seen
    assert "Standings" in seen, "takes turns with the tables"
    night.play(3 - number)
    seen = night.television()
    assert "Table" not in seen.replace("Find your table", "")
    assert "1 Ada 1 of 1 won 100" in seen

    def final(session: Session, club: Club, evening: Evening, by: Key) -> None:
        write_draw(session, club, draft_final(session, club, evening, best=2, carried=False, seen=1), by)

    night(final)
    seen = night.television()
    assert "Autumn cup · Final" in seen
    final_two = find_in(r"Final: (\w+ and \w+) Your place", text_of(night.phone("Hal").get(night.me).text))
    assert "Ada" in final_two
    assert "Champion" not in seen
    night.play()
    assert "Champion Ada" in night.television()


def test_an_evening_that_ended_without_a_match_says_so(night: Night) -> None:
    night(lambda session, _club, evening, by: evenings.end_evening(session, evening, by, {}))
    seen = night.television()
    assert "The evening is over" in seen
    assert "No match has counted." in seen


def test_who_came_late_and_what_still_plays_are_said_below_the_tables(night: Night) -> None:
    night.draw()
    number, _, _ = night.seat("Ada")
    night.play(number)

    def go_on(session: Session, club: Club, evening: Evening, by: Key) -> None:
        awaited = {3 - number: Unfinished.AWAITED}
        write_draw(session, club, draft_draw(session, club, evening, seen=1, number=8, unfinished=awaited), by)
        evenings.arrive(session, club, evening, ["Ida"])

    night(go_on)
    seen = night.television()
    assert "Ida has no table yet." in seen
    assert f"Still playing from before: table {3 - number}" in seen


def test_a_clock_is_shown_until_the_last_table_has_to_stop(night: Night) -> None:
    def with_clock(session: Session, _club: Club, evening: Evening, by: Key) -> None:
        evening.plan = {**evening.plan, "minutes": 45}
        evenings.start_clocks(session, evening, by)

    night.draw()
    assert "data-ends" not in night.house.app.test_client().get(f"/screen/{night.token}").text
    night(with_clock)
    page = night.house.app.test_client().get(f"/screen/{night.token}").text
    left = int(find_in(r'data-ends="(\d+)"', page)) - int(find_in(r'data-now="(\d+)"', page))
    assert 44 * 60_000 < left <= 45 * 60_000


def test_what_has_not_changed_is_not_sent_again(night: Night) -> None:
    night.draw()
    client = night.house.app.test_client()
    for page, now in (("", "/now"), ("/me", "/me/now")):
        at = f"/screen/{night.token}"
        state = find_in('data-state="([^"]+)"', client.get(at + page).text)
        assert client.get(at + now, headers={"If-None-Match": f'"{state}"'}).status_code == 304
        night.play(1) if page == "" else night.play(2)
        answer = client.get(at + now, headers={"If-None-Match": f'"{state}"'}, status=200)
        assert "<!doctype" not in answer.text
        assert answer.headers["ETag"] != f'"{state}"'


def test_the_television_knows_nothing_else_of_the_club(night: Night) -> None:
    night.draw()
    for path in (f"/screen/{night.token}", f"/screen/{night.token}/now", f"/screen/{night.token}/me"):
        answer = browser_of(night.house.app).get(path)
        for word in ("Sunday table", "/matches/", 'data-club="0', night.seat("Ada")[2], "Eve"):
            assert word not in answer.text, (path, word)
        # a form over HTTPS has to say which page it comes from
        assert answer.headers["Referrer-Policy"] == ("same-origin" if path.endswith("/me") else "no-referrer")
        assert answer.headers["X-Robots-Tag"] == "noindex"


def test_a_link_stays_until_it_is_closed_and_the_next_is_another(night: Night) -> None:
    keeper, at = night.house.browser("scorekeeper"), f"/evenings/{night.id}/screen"
    assert night.token in keeper.get(at).text
    keeper.submit(at, {}, page=at)
    assert night.token in keeper.get(at).text, "it is open already"
    assert "Television" in keeper.get("/club").text, "among the phones that can be locked out"
    night(lambda session, _club, evening, by: evenings.end_evening(session, evening, by, {}))
    night.television()
    keeper.submit(f"{at}/close", {}, page=at)
    night.television(404)
    assert browser_of(night.house.app).get(f"/screen/{night.token}/me").status_code == 404
    keeper.submit(at, {}, page=at)
    assert find_in(r"/screen/(\w+)", keeper.get(at).text) != night.token


# -- who may look ---------------------------------------------------------------------------------------------------


def test_every_phone_of_the_evening_sees_its_own_page_and_no_other_phone(night: Night, house: House) -> None:
    night.draw()
    number, _, match_id = night.seat("Ada")
    elsewhere = house.parts["evening_id"]

    def let_in(session: Session, club: Club, evening: Evening, by: Key) -> None:
        for name, of, table, at in (
            ("table", evening.id, number, match_id),
            ("other table", evening.id, 3 - number, None),
            ("table elsewhere", elsewhere, 1, None),
        ):
            house.tokens[name] = token = new_token()
            key = access.add_key(session, club.id, KeyRole.TABLE, name, token)
            key.evening_id, key.table, key.match_id = of, table, at
        match = session.scalars(select(Match).where(Match.id == match_id)).one()
        house.tokens["sofa"] = access.make_key(session, club, "spectator", "Sofa", match)[1]

    night(let_in)
    link = f'href="/matches/{match_id}"'
    seen = {}
    for caller in (
        *("scorekeeper", "spectator", "table", "other table", "table elsewhere", "sofa", "other", "stranger"),
    ):
        answer = house.browser(caller).get(night.me)
        seen[caller] = answer.status_code
        if answer.status_code == 200:
            client = night.phone("Ada", caller)
            assert f"Table {number}" in text_of(client.get(night.me).text)
            assert (f'href="/evenings/{night.id}"' in client.get(night.me).text) == (
                caller in ("scorekeeper", "spectator")
            )
            assert (link in client.get(night.me).text) == (caller in ("scorekeeper", "spectator", "table")), caller
    assert seen == {
        "scorekeeper": 200, "spectator": 200, "table": 200, "other table": 200, "table elsewhere": 403, "sofa": 403,
        "other": 404, "stranger": 401,
    }  # fmt: skip


# -- one's own page -------------------------------------------------------------------------------------------------


def test_a_phone_asks_once_whose_it_is_and_can_be_told_anew(night: Night) -> None:
    client = night.phone()
    assert "Who are you?" in client.get(night.me).text
    night.draw()
    client = night.phone("Ada")
    number, others, match_id = night.seat("Ada")
    seen = text_of(client.get(night.me).text)
    assert "Who are you?" not in seen
    assert f"Table {number} Draw 1 of 2 Round 1 of 1 Clockwise from you {' '.join(others)}" in seen
    assert f'href="/matches/{match_id}"' in client.get(night.me).text
    client.submit(night.me, {"player": night.player("Bo")}, page=night.me)
    assert f"Table {night.seat('Bo')[0]}" in text_of(client.get(night.me).text)
    client.submit(night.me, {"player": ""}, page=night.me)
    assert "Who are you?" in client.get(night.me).text
    assert client.submit(night.me, {"player": house_player(night)}, page=night.me).status_code == 422
    assert client.submit(night.me, {"player": "'"}, page=night.me).status_code == 422


def house_player(night: Night) -> str:
    """Return the id of a player of the club who isn't there."""
    found: list[str] = []

    def add(session: Session, club: Club, _evening: Evening, by: Key) -> None:
        plan = EveningPlan(rulebook="classic-500")
        other = evenings.open_evening(session, club, plan, by, names=("Zoe",))
        found.append(evenings.load_people(session, other)[0].id)

    night(add)
    return found[0]


def test_a_place_and_who_was_met_follow_the_matches(night: Night) -> None:
    night.draw()
    client = night.phone("Ada")
    _, others, _ = night.seat("Ada")
    seen = text_of(client.get(night.me).text)
    assert "You get a place after your first match." in seen
    night.play()
    seen = text_of(client.get(night.me).text)
    assert "1 of 8 100 points" in seen
    assert f"Who you’ve met {' '.join(sorted(others))}" in seen
    night.draw()
    met = find_in("Who you’ve met (.*?) Not Ada", text_of(client.get(night.me).text))
    again = {*others} & {*night.seat("Ada")[1]}
    assert again, "eight at tables of four can't help meeting again"
    assert {name for name in EIGHT if f"{name} ×2" in met} == again


def test_who_has_no_table_is_told_why(night: Night) -> None:
    client = night.phone("Ada")
    assert "The tables aren’t drawn yet." in client.get(night.me).text
    night(lambda session, _club, evening, _by: evenings.depart(session, evening, night_id(evening, session, "Ada")))
    assert "You’ve left the evening." in client.get(night.me).text
    night.draw()
    night(lambda session, club, evening, _by: evenings.arrive(session, club, evening, ["Ada", "Ida"]))
    assert "You get a seat at the next draw." in client.get(night.me).text
    night(lambda session, club, evening, _by: evenings.arrive(session, club, evening, ["Joy"], guest=True))
    assert "You play as a guest" in night.phone("Joy").get(night.me).text
    night.play()
    night(lambda session, _club, evening, by: evenings.end_evening(session, evening, by, {}))
    seen = text_of(client.get(night.me).text)
    assert "The evening is over" in seen
    assert "the evening" in seen.replace("The evening is over", "")


def night_id(evening: Evening, session: Session, name: str) -> str:
    return next(person.id for person in evenings.load_people(session, evening) if person.name == name)


def test_a_phone_remembers_the_last_few_evenings(night: Night, house: House) -> None:
    client = night.phone("Ada", "scorekeeper")
    elsewhere = f"/evenings/{house.parts['evening_id']}/me"
    assert client.submit(elsewhere, {"player": night.player("Bo")}, page=elsewhere).status_code == 303
    assert "Not Bo?" in text_of(client.get(elsewhere).text).replace(" ?", "?")
    assert "Not Ada?" in text_of(client.get(night.me).text).replace(" ?", "?")
    with client.session_transaction() as session:
        session["me"] = {f"evening {number}": "x" for number in range(4)}
    client.submit(night.me, {"player": night.player("Ada")}, page=night.me)
    with client.session_transaction() as session:
        assert {*session["me"]} == {"evening 1", "evening 2", "evening 3", night.id}
