"""The History room: what its pages show, whom they let in, and how few queries they need."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from referee.records import ids
from referee.records.club import access
from referee.records.club.players import list_players, merge_players
from referee.records.match import matches
from referee.records.match.plans import MatchPlan
from referee.records.match.rulings import Case
from referee.records.models import Club, Key, Match, Player, Round
from referee.records.statistics.figures import Ending, PlayerResult
from referee.web.players import wording as season
from referee.web.server.database import db
from tests.conftest import CAST, MakeApp
from tests.ground.client import Client, browser_of
from tests.ground.rounds import correct, give_ruling, record, turn

pytestmark = pytest.mark.usefixtures("database")

PLAYERS = "/history/players"


@dataclass
class Evening:
    """A club's match, and what its pages are called."""

    app: Flask
    match: str
    players: dict[str, str]
    scorekeeper: str
    spectator: str

    def client(self, token: str | None = None) -> Client:
        """Open a browser that holds a key; the spectator's unless another is given."""
        return browser_of(self.app, self.spectator if token is None else token)


def entry(out: str, **hands: tuple[str, ...]) -> dict[str, Any]:
    return {"went_out": out, "hands": hands}


Play = Callable[..., Evening]


@pytest.fixture
def play(app: Flask) -> Play:
    """Play rounds of a match of the cast, 31 points each; `quarrel`: with a ruling, a correction, a struck round."""

    def make(outs: Sequence[str] = ("Ada", "Bo", "Ada", "Bo"), *, quarrel: bool = False, **plan: Any) -> Evening:
        with app.app_context():
            session = db.session()
            new = access.create_club(session, "Thursdays")
            agreed = MatchPlan(**({"players": CAST, "rulebook": "classic-500", "dealer": "Di"} | plan))
            match = matches.start_match(session, new.club, agreed, new.scorekeeper)
            for number, out in enumerate(outs):
                played = entry(out, **{"Ada" if out == "Bo" else "Bo": ("7",), "Cy": ("skip", "red-3"), "Di": ("1",)})
                record(session, match, played, number, new.scorekeeper)
            if quarrel:
                _quarrel(match, new.scorekeeper)
            session.commit()
            ids = {one.name: one.id for one in list_players(session, new.club)}
            return Evening(app, match.id, ids, new.scorekeeper_token, new.spectator_token)

    return make


def _quarrel(match: Match, by: Key) -> None:
    session = db.session()
    on_record = session.query(Round).filter_by(match_id=match.id).order_by(Round.place).all()
    correct(session, match, on_record[0], entry("Ada", Bo=("wild",), Cy=("9",), Di=("1",)), by)
    turn(session, match, on_record[1], by, struck=True)
    facts = {"challenged": True, "challenger": "target", "held_color": True}
    give_ruling(session, match, Case("draw-four-challenge", facts, {"offender": "Bo", "target": "Ada"}), by)


@pytest.fixture
def evening(play: Play) -> Evening:
    """Four rounds, one of them corrected, one struck."""
    return play(quarrel=True)


def page(evening: Evening, path: str, expected: int = 200, **query: Any) -> str:
    answer = evening.client().get(path, query_string=query or None)
    assert answer.status_code == expected
    return answer.text


# -- the list ----------------------------------------------------------------------------------------------------------


def test_the_list_shows_who_played_and_who_won(play: Play) -> None:
    evening = play(["Ada"], name="Final <b>night</b>", target=30, location="Kitchen")
    text = page(evening, "/history/")
    assert "Final &lt;b&gt;night&lt;/b&gt;" in text
    assert '<bdi class="name">Ada</bdi> <span class="total">31</span><span class="unseen"> won</span>' in text
    assert f'href="/history/matches/{evening.match}"' in text
    assert "Kitchen" in text


@pytest.mark.parametrize(("many", "told"), [(4, "P0 P1 P2 P3 Classic"), (5, "P0 P1 and 3 more Classic")])
def test_the_list_names_two_of_a_match_of_many(play: Play, many: int, told: str) -> None:
    evening = play([], players=[f"P{place}" for place in range(many)], dealer="P0")
    assert told in " ".join(re.sub(r"<[^>]+>", " ", page(evening, "/history/")).split())


def test_open_matches_are_told_apart_at_home_and_in_the_list(play: Play) -> None:
    evening = play(["Bo", "Ada", "Ada"], target=500, location="Kitchen")
    told = {
        "/history/": "Classic 500 · Kitchen · Round 4, Ada leads with 62",
        "/": "Round 4, Ada leads with 62 · Classic 500 · Kitchen",
    }
    for path, line in told.items():
        assert line in " ".join(re.sub(r"<[^>]+>", "", page(evening, path)).split()), path


def test_older_matches_are_a_link_away(play: Play, app: Flask) -> None:
    evening = play(["Ada"])
    with app.app_context():
        session = db.session()
        match = session.query(Match).one()
        by = session.query(Key).filter_by(role="scorekeeper").one()
        club = access.find_key(session, evening.scorekeeper)
        assert club is not None
        for _ in range(50):
            matches.rematch(session, club[1], match, by)
        session.commit()
    first = page(evening, "/history/", search="Ada")
    assert first.count('<a class="list-row entry" href="/history/matches/') == 50
    address = first.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert "search=Ada" in address
    older = page(evening, address)
    assert older.count('<a class="list-row entry" href="/history/matches/') == 1
    assert evening.match in older
    assert 'rel="next"' not in older


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"year": "0"}, "Enter a year from 1970 on"),
        ({"status": "lost"}, "Choose one of in-progress, finished, abandoned"),
        ({"before": "made up"}, "Use the id from the “next” link"),
        ({"search": "x" * 100}, "Search for at most 80 characters"),
    ],
    ids=str,
)
def test_a_bad_filter_is_said_beside_its_field_and_kept(evening: Evening, query: dict[str, str], words: str) -> None:
    text = page(evening, "/history/", 422, **query)
    assert words in text
    if "search" in query:
        assert query["search"] in text


def test_nothing_found_says_so(evening: Evening) -> None:
    assert "No matches found." in page(evening, "/history/", player="0000000000000000")
    assert "No matches found." in page(evening, "/history/", search="nothing of that kind")
    assert "No older matches." in page(evening, "/history/", before="0000000000000000")


# -- one match ---------------------------------------------------------------------------------------------------------


def test_a_match_tells_its_story(play: Play) -> None:
    evening = play(quarrel=True, location="Kitchen", note="Cy forgot his glasses.", house_rules=("jump-in",))
    text = page(evening, f"/history/matches/{evening.match}")
    for words in (
        "Cy forgot his glasses.",
        "Kitchen",
        "Dealt first</dt><dd><bdi>Di",
        "Totals after each round",
        "Ada caught 60 points in round 1.",
        "Struck",
        "Corrected",
        "Draw 4",
        'first to <b class="figure">500</b> · <b class="figure">1</b> house rule',
        "the offending player draws 4 cards instead",
    ):
        assert words in text, words
    assert "Restored" not in text
    assert "After round" in text
    assert text.count("<polyline") == len(CAST)
    colors = ["blue", "green", "red", "yellow"]
    assert sorted(re.findall(r'class="marker of-(\w+)"', text)) == colors, "a shape beside each name of the standings"
    assert sorted(re.findall(r'<g class="of-(\w+)', text)) == colors, "the same for the lines of the course"


def test_a_round_that_was_struck_and_brought_back_says_so(play: Play) -> None:
    evening = play(quarrel=True)
    with evening.app.app_context():
        session = db.session()
        by = session.query(Key).filter_by(role="scorekeeper").one()
        match = session.query(Match).one()
        turn(session, match, session.query(Round).filter_by(place=2).one(), by, struck=False)
        session.commit()
    assert "Restored" in page(evening, f"/history/matches/{evening.match}")


def test_the_winner_and_the_turning_point_are_told(play: Play) -> None:
    evening = play(["Bo", "Ada", "Ada", "Ada"], target=90)
    text = page(evening, f"/history/matches/{evening.match}")
    for words in ("Ada wins!", "Ada took the lead in round 3 and never lost it.", "Ada was up to 31 points behind."):
        assert words in text, words
    assert text.count('class="mark-ring"') == 1


def test_a_tie_is_told_as_a_tie(play: Play) -> None:
    evening = play(["Bo", "Ada"])
    finish(evening)
    text = page(evening, f"/history/matches/{evening.match}")
    assert "Ada and Bo tie." in text
    assert "Turning point" not in text
    assert '<td class="share">0%</td>' in page(evening, "/history/players")
    assert "1 tied · went out 50%" in page(evening, "/history/players")


def finish(evening: Evening) -> None:
    with evening.app.app_context():
        session = db.session()
        by = session.query(Key).filter_by(role="scorekeeper").one()
        matches.finish(session, session.query(Match).one(), by)
        session.commit()


def test_the_matches_before_and_after_stand_beside_a_match_for_who_may_see_them(play: Play) -> None:
    evening = play(["Ada"])
    with evening.app.app_context():
        session = db.session()
        first = session.query(Match).one()
        by = session.query(Key).filter_by(role="scorekeeper").one()
        plan = MatchPlan(players=CAST, rulebook="classic-500")
        later = [matches.start_match(session, session.query(Club).one(), plan, by).id for _ in range(12)]
        _, only = access.make_key(session, session.query(Club).one(), "spectator", "Sofa", first, by)
        session.commit()

    def beside(match: str, client: Client) -> list[str]:
        text = client.get(f"/history/matches/{match}").text
        listed = text.partition('<nav class="beside"')[2].partition("</nav>")[0]
        assert listed.count('aria-current="page"') == (1 if "href" in listed else 0)
        return re.findall(r'href="/history/matches/(\w+)"', listed)

    newest_first = [*reversed(later), evening.match]
    assert beside(evening.match, evening.client()) == newest_first[-5:]
    assert beside(later[-1], evening.client()) == newest_first[:10]
    assert beside(later[5], evening.client()) == newest_first[2:12]
    assert beside(evening.match, evening.client(only)) == []


def test_a_long_match_shows_its_last_rounds_and_the_others_on_demand(play: Play) -> None:
    evening = play(["Ada"] * 33, target=5000)
    text = page(evening, f"/history/matches/{evening.match}")
    assert text.count('<details class="round">') == 30
    assert "Show the 3 earlier rounds" in text
    everything = page(evening, f"/history/matches/{evening.match}", rounds="all")
    assert everything.count('<details class="round">') == 33


@pytest.mark.parametrize("path", ["/history/", "/history/matches/{match}", PLAYERS, f"{PLAYERS}/{{Ada}}"])
def test_every_page_of_the_room_stands_under_its_tab(evening: Evening, path: str) -> None:
    tabs = page(evening, path.format(match=evening.match, **evening.players)).partition('<nav class="tabs"')[2]
    assert re.findall(r'href="([^"]+)" aria-current="page"', tabs.partition("</nav>")[0]) == ["/history/"]


# -- players -----------------------------------------------------------------------------------------------------------


def test_players_stand_side_by_side(play: Play) -> None:
    evening = play(["Ada"], target=10)
    text = page(evening, "/history/players")
    rows = re.findall(
        r'<td class="rank">(\d)</td>.*?<bdi class="name">(\w+)</bdi>.*?<td>(\d)</td>\s*<td class="share">(.*?)</td>',
        text,
        re.S,
    )
    assert rows == [("1", "Ada", "1", "100%"), *(("2", name, "1", "0%") for name in ("Bo", "Cy", "Di"))]
    assert "Who beats whom" in text


def test_a_player_has_a_page_of_statistics_each_explained(play: Play) -> None:
    evening = play(quarrel=True)
    text = page(evening, f"/history/players/{evening.players['Ada']}")
    for words in ("Rounds played", "Every round", "Caught with", "Challenges won", "Of all Wild Draw Fours"):
        assert words in text, words
    assert "Wild Draw Fours caught" in page(evening, f"/history/players/{evening.players['Bo']}")


def test_a_player_page_begins_with_six_figures_and_draws_a_season_with_its_figures(play: Play) -> None:
    evening = play(["Ada"], target=10)
    with evening.app.app_context():
        session = db.session()
        by = session.query(Key).filter_by(role="scorekeeper").one()
        club = session.query(Club).one()
        for rulebook, extra in (("classic-500", {"target": 10}), ("official", {"house_rules": ("own-points-500",)})):
            agreed = MatchPlan(players=CAST, rulebook=rulebook, **extra)
            match = matches.start_match(session, club, agreed, by)
            record(session, match, entry("Bo", Ada=("7",), Cy=("skip",), Di=("1",)), 0, by)
            if rulebook == "official":
                matches.finish(session, match, by)
        session.commit()
    address = f"/history/players/{evening.players['Ada']}"
    text = page(evening, address)
    titles = re.findall(r"<dt>([\w ]+)</dt><dd><b>(.*?)</b><span>(.*?)</span>", text)
    assert [title for title, *_ in titles] == ["Played", "Won", "Caught with", "Streak", "Went out", "Rating"]
    assert titles[:2] == [("Played", "3", "matches"), ("Won", "33%", "1 of 3")]
    assert text.count('role="img" aria-labelledby=') == text.count("Show table") == 3, "each picture has its figures"
    assert "Matches: 3, evenings: 1. Each column is a month" in text
    assert "Against Bo: 1 better, 2 worse." in text
    assert re.findall(r'<nav class="chips".*?</nav>', text, re.S)[0].count("<a ") == 3, "all, and the two scorings"
    lowest = page(evening, address, scale="lowest")
    assert "<dt>Played</dt><dd><b>1</b>" in lowest
    assert "Against Bo: 0 better, 1 worse." in lowest
    assert 'name="scale" value="lowest"' in lowest, "the filter keeps the scoring"
    assert "No data for this filter." in page(evening, address, scale="rounds")
    assert "Choose one of highest, lowest, rounds." in page(evening, address, 422, scale="x")


def test_a_calendar_counts_matches_by_week_on_the_days_of_the_table(app: Flask) -> None:
    begun = [(2025, 2, 28, 19), (2026, 1, 31, 23), (2026, 2, 1, 1), (2026, 2, 28, 20)]
    endings = [Ending.WON if at[2] == 28 else Ending.LOST for at in begun]
    results = [
        PlayerResult(ids.new_id(datetime(*at, tzinfo=UTC)), ending, None, None)
        for at, ending in zip(begun, endings, strict=True)
    ]
    for zone, rows in (
        ("UTC", [("January 2026", ["1", "1", "0 of 1"]), ("February 2026", ["2", "2", "1 of 2"])]),
        ("Europe/Berlin", [("February 2026", ["2", "3", "1 of 3"])]),
    ):
        with app.test_request_context(headers={"Cookie": f"zone={zone}"}):
            drawn = season.calendar("Ada", results)
        assert drawn.rows == rows, "the same month a year before is none of the twelve"
        assert "".join(tick.text for tick in drawn.months) == "MAMJJASONDJF"
        assert [tick.text for tick in drawn.years] == ["2025", "2026"]
        assert [tick.text for tick in drawn.weeks] == list("12345"), "no point after a number of a week"
        last = max(square.x for square in drawn.squares)
        assert len([square for square in drawn.squares if square.x == last]) == 4, "28 days are four weeks"
        assert sum(square.matches for square in drawn.squares) == 3


@pytest.mark.parametrize("query", [{"year": "x"}, {"players": "1"}], ids=str)
@pytest.mark.parametrize("path", ["/history/players", "/history/players/{Ada}"])
def test_statistics_refuse_a_bad_filter_beside_its_field(evening: Evening, path: str, query: dict[str, str]) -> None:
    assert 'class="error"' in page(evening, path.format(**evening.players), 422, **query)


def test_a_filter_that_leaves_nothing_says_so(evening: Evening) -> None:
    assert "No data for this filter." in page(evening, "/history/players", rulebook="duo-200")
    ada = evening.players["Ada"]
    assert "No data for this filter." in page(evening, f"/history/players/{ada}", year="1999")


def test_a_merged_player_leads_to_the_one_they_became(evening: Evening, app: Flask) -> None:
    with app.app_context():
        session = db.session()
        found = access.find_key(session, evening.scorekeeper)
        assert found is not None
        eve = Player(club_id=found[1].id, id="0000000000000001", name="Adda", folded_name="adda")
        session.add(eve)
        session.flush()
        merge_players(session, found[1], eve, session.get_one(Player, (found[1].id, evening.players["Ada"])))
        session.commit()
    answer = evening.client().get("/history/players/0000000000000001", status=301)
    assert answer.location.endswith(evening.players["Ada"])


@pytest.mark.parametrize("path", ["/history/players", "/history/players/{Ada}"])
def test_a_strike_by_another_server_shows_at_once(play: Play, make_app: MakeApp, path: str) -> None:
    evening = play(["Ada", "Ada"])
    address = path.format(**evening.players)
    went_out = "went out 100%" if path.endswith("players") else "2 of 2"
    for _ in range(2):
        assert went_out in page(evening, address)
    other = make_app()
    with other.app_context():
        session = db.session()
        found = access.find_key(session, evening.scorekeeper)
        assert found is not None
        match = session.get_one(Match, (found[1].id, evening.match))
        for played in session.query(Round).filter_by(match_id=match.id).all():
            turn(session, match, played, found[0], struck=True)
        session.commit()
    assert went_out not in page(evening, address)


# -- who may come in ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["0000000000000000", "x", "%00", "x" * 300])
@pytest.mark.parametrize("path", ["/history/matches/", "/history/players/"])
def test_what_is_not_there_is_not_found(evening: Evening, path: str, id: str) -> None:
    page(evening, path + id, 404)


def test_a_stranger_is_invited_and_a_locked_out_phone_is_told(app: Flask, client: Client) -> None:
    for path in ("/history/", "/history/players"):
        answer = client.get(path, status=200)
        assert "No matches yet. Start one, and this page remembers it." in answer.text
        assert 'href="/matches/new"' in answer.text
    client = browser_of(app, "a key that was revoked")
    for path in ("/history/", "/history/players"):
        answer = client.get(path, status=401)
        assert "is locked out of the club" in answer.text
    assert client.get("/api/v1/matches").status_code == 401


def test_a_stranger_is_not_invited_to_start_where_sign_up_is_closed(make_app: MakeApp) -> None:
    answer = make_app(SIGN_UP=False).test_client().get("/history/players")
    assert "Open your club’s link, or scan its QR code." in answer.text
    assert "/matches/new" not in answer.text
