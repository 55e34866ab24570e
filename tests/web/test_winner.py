"""The winner's scene: who won with what, what the match decided, and how it looks where nobody did."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from referee.records.models import Match
from referee.web.score.wording import HYPHEN, WIDTHS, hyphened, letters_of
from referee.web.server.database import db
from tests.ground.client import browser_of
from tests.web.api.conftest import ClubOfCast

Hands = Mapping[str, Any]
HEAD = re.compile(r'<section class="result.*?</section>', re.DOTALL)


def scene(app: Flask, club: ClubOfCast, match: str) -> str:
    """Read the scene as people do, from the board of the club; empty where there is none."""
    assert club.read.key
    page = app.test_client().get(f"/live/{club.read.key}").text
    found = HEAD.search(page)
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()) if found else ""


def play(club: ClubOfCast, *rounds: tuple[str, Hands], players: Sequence[str] = ("Ada", "Bo"), **agreed: Any) -> str:
    """Play a match to its end: who went out of each round, and what the others held."""
    match = club.match(players=players, **agreed)
    for after, (out, hands) in enumerate(rounds):
        assert club.record(match, after, went_out=out, hands=hands).status_code == 201
    if club.document(match)["status"] == "in-progress":
        assert club.write("POST", f"/matches/{match}/finish").status_code == 200
    return match


def test_the_scene_names_the_winner_the_total_and_the_hand_that_decided(app: Flask, club: ClubOfCast) -> None:
    hands: Hands = {"Bo": ["7", "skip", "wild"], "Cy": ["3"], "Di": 12}
    match = play(club, ("Ada", hands), players=["Ada", "Bo", "Cy", "Di"])
    said = scene(app, club, match)
    assert said.startswith(
        "Ada wins! 92 points Ada won it in one round. Round 1 Ada went out. Ada +92. Bo was left with 77"
    )


OWN: Mapping[str, Any] = {"rulebook": "official", "house_rules": ["own-points-500"]}
FOUR: Mapping[str, Any] = {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "partners"}
TEAMS: Mapping[str, Any] = {**FOUR, "teams": [["Ada", "Cy"], ["Bo", "Di"]]}
COUNTED: Sequence[tuple[Mapping[str, Any], Sequence[tuple[str, Hands]], str]] = [
    # of each total that grows: the seat of whose own it is, before, after, and how many cards fly into it
    ({}, [("Ada", {"Bo": ["7"], "Cy": 9}), ("Ada", {"Bo": ["3", "wild"], "Cy": ["9"]})], " 16 78 3;"),
    ({}, [("Ada", {"Bo": 40, "Cy": 9})], " 0 49 0;"),
    (OWN, [("Ada", {"Bo": ["3", "4"], "Cy": ["9"]})], "1 0 7 2;2 0 9 1;"),
    (TEAMS, [("Ada", {"Bo": ["3"], "Cy": ["4"], "Di": ["5"]})], " 0 8 0;"),
]


@pytest.mark.parametrize(("agreed", "rounds", "counts"), COUNTED)
def test_the_totals_that_the_last_round_changed_count_up(
    app: Flask, club: ClubOfCast, agreed: Mapping[str, Any], rounds: Any, counts: str
) -> None:
    play(club, *rounds, **{"players": ["Ada", "Bo", "Cy"], **agreed})
    page = app.test_client().get(f"/live/{club.read.key}").text
    found = re.search(r'data-counts="([^"]*)"', page)
    assert found
    assert found[1] == counts


def test_nobody_is_named_as_left_with_most_where_hands_are_level(app: Flask, club: ClubOfCast) -> None:
    level: Hands = {"Bo": ["wild"], "Cy": ["wild"], "Di": ["wild"]}
    said = scene(app, club, play(club, ("Ada", level), players=["Ada", "Bo", "Cy", "Di"]))
    assert "Ada +150" in said
    assert "left with" not in said


def test_the_last_card_is_shown_where_the_table_said_which(app: Flask, club: ClubOfCast) -> None:
    match = club.match(players=["Ada", "Bo"])
    club.record(match, 0, went_out="Ada", hands={"Bo": ["7"]}, last_card="red-draw-two")
    club.write("POST", f"/matches/{match}/finish")
    assert "Ada’s last card" in scene(app, club, match)


def test_what_the_match_decided_is_counted_up_to_this_match_and_no_further(app: Flask, club: ClubOfCast) -> None:
    small, large = {"Bo": ["7"]}, {"Bo": ["wild"]}
    play(club, ("Ada", small))
    said = scene(app, club, play(club, ("Bo", {"Ada": ["wild"]})))
    assert "Club record: Bo caught 50 points in round 1." in said
    assert "Bo’s first win, in 2 matches." in said
    play(club, ("Ada", small))
    match = play(club, ("Ada", large))
    said = scene(app, club, match)
    assert "Club record" not in said, "equal to the record is no record"
    assert "2 wins in a row, Ada’s longest streak." in said
    assert "Ada leads Bo 3 to 1." in said
    play(club, ("Bo", {"Ada": ["1"]}))
    assert "Ada leads Bo 3 to 1." in club_page(app, club, match), "what it decided then, whatever came after"


def club_page(app: Flask, club: ClubOfCast, match: str) -> str:
    """Read the sheet of a match with the club's key."""
    return browser_of(app, club.read.key or "").get(f"/matches/{match}").text


def test_a_comeback_is_a_record_when_no_winner_was_further_behind(app: Flask, club: ClubOfCast) -> None:
    behind: tuple[str, Hands] = ("Bo", {"Ada": ["7"]})
    ahead: tuple[str, Hands] = ("Ada", {"Bo": ["9"]})
    play(club, behind, ahead)
    further: tuple[str, Hands] = ("Bo", {"Ada": ["8"]})
    assert "Club record: Ada won from 8 points behind." in scene(app, club, play(club, further, ahead))


ADA, BO = ("Ada", {"Bo": ["9"]}), ("Bo", {"Ada": ["8"]})
FAR: tuple[str, Hands] = ("Bo", {"Ada": ["wild", "wild"]})


@pytest.mark.parametrize(
    ("rounds", "agreed", "said"),
    [
        ([ADA], {}, "Ada won it in one round."),
        ([ADA, BO], {}, "Ada led from the first round to the last."),
        ([BO, ADA], {}, "Ada came back from 8 behind and took the lead in the last round."),
        ([BO, ADA, ADA], {}, "Ada came back from 8 behind."),
        ([BO, *[ADA] * 6], {}, "Ada took the lead in round 2 and never lost it."),
        ([*[BO, ADA] * 6], {}, "Ada came back from 8 behind and took the lead in the last round."),
        ([BO, ADA, ADA], {"count": "rounds", "target": 2},
         "Ada came back from a round behind and took the lead in the last one."),
        ([BO, ADA, ADA], {"rulebook": "duo-200"}, "Ada came back from 8 behind."),
        ([FAR, ADA, BO], {}, "Bo led from the first round to the last."),
        ([BO, ("Ada", {"Bo": ["8"]})], {}, ""),
    ],
)  # fmt: skip
def test_a_sentence_says_how_it_was_won(
    app: Flask, club: ClubOfCast, rounds: Sequence[tuple[str, Hands]], agreed: dict[str, Any], said: str
) -> None:
    page = club_page(app, club, play(club, *rounds, **agreed))
    found = re.search(r'<p class="winner-story">(.*?)</p>', page)
    assert (found[1] if found else "") == said


def test_what_was_deleted_is_no_record_and_no_win(app: Flask, club: ClubOfCast, other_club: ClubOfCast) -> None:
    """A club that deletes a better match before, one after and one that goes on says what a club says without them."""
    first, last = (("Bo", {"Ada": ["7"]}), ADA), (BO, ("Ada", {"Bo": ["skip"]}))
    better = (FAR, ("Ada", {"Bo": ["wild", "wild", "wild"]}))
    play(other_club, *first)
    said = scene(app, other_club, play(other_club, *last))
    for decided in ("caught 20 points in round 2.", "won from 8 points behind.", "2 wins in a row"):
        assert decided in said
    play(club, *first)
    before, after, going_on = play(club, *better), play(club, *better), club.match(players=["Ada", "Bo"])
    assert club.record(going_on, 0, went_out="Ada", hands={"Bo": 999}).status_code == 201
    assert club.write("DELETE", f"/matches/{before}").status_code == 200
    match = play(club, *last)
    assert "Club record" not in scene(app, club, match)
    for deleted in (after, going_on):
        assert club.write("DELETE", f"/matches/{deleted}").status_code == 200
    assert scene(app, club, match) == said


@pytest.mark.parametrize(
    ("rulebook", "players", "hands", "said"),
    [
        ("duo-200", ["Ada", "Bo"], {"Bo": ["7"]}, "Ada wins! 0 points"),
        ("partners", ["Ada", "Bo", "Cy", "Di"], {"Bo": ["7"], "Cy": ["1"], "Di": ["2"]}, "Ada and Cy win!"),
    ],
)
def test_every_way_to_win_has_a_scene(
    app: Flask, club: ClubOfCast, rulebook: str, players: list[str], hands: Hands, said: str
) -> None:
    match = play(club, ("Ada", hands), players=players, rulebook=rulebook)
    assert scene(app, club, match).startswith(said)


def test_without_a_winner_nobody_is_named_and_nothing_decided(app: Flask, club: ClubOfCast) -> None:
    match = club.match()
    club.write("POST", f"/matches/{match}/finish")
    assert scene(app, club, match) == "The match is over. No winner."
    assert "winner-name" not in club_page(app, club, match)


def test_text_is_given_more_room_the_wider_it_is() -> None:
    assert letters_of("Ada") < letters_of("Maximilian") < letters_of("W" * 10) < letters_of("W" * 40) == WIDTHS[-1]
    assert letters_of("小明小明") > letters_of("Adas")
    assert letters_of("Ada and Bo") < letters_of("Ada_and_Bo"), "it may break at a blank"


def again(club: ClubOfCast, match: str, winner: str = "") -> str:
    """Begin the rematch of a match; with a `winner`, play it to its end."""
    match = club.write("POST", f"/matches/{match}/rematch").get_json()["id"]
    if winner:
        club.record(match, 0, went_out=winner, hands={"Ada" if winner == "Bo" else "Bo": ["7"]})
        club.write("POST", f"/matches/{match}/finish")
    return match


def tonight(app: Flask, club: ClubOfCast, match: str) -> str:
    """Return who won how many matches, as the sheet says it; the board says the same of the club's newest match."""
    line = re.search(r'<p class="tonight[^"]*">(.*?)</p>', club_page(app, club, match))
    return re.sub(r"<[^>]+>", "", line[1]) if line else ""


def change(app: Flask, club: ClubOfCast, match: str, **columns: Any) -> None:
    with app.app_context():
        found = db.session.get_one(Match, (club.id, match))
        for name, value in columns.items():
            setattr(found, name, value)
        db.session.commit()


def test_rematches_of_one_night_count_who_won_them(app: Flask, club: ClubOfCast) -> None:
    small: Hands = {"Bo": ["7"]}
    first = play(club, ("Ada", small))
    assert tonight(app, club, first) == "", "one match is no night"
    second = again(club, first)
    assert tonight(app, club, second) == "Tonight: Ada 1"
    club.record(second, 0, went_out="Bo", hands={"Ada": ["7"]})
    assert tonight(app, club, second) == "Tonight: Ada 1", "of those that are over"
    club.write("POST", f"/matches/{second}/finish")
    assert tonight(app, club, second) == "Tonight: Ada 1, Bo 1"
    third = again(club, second, "Bo")
    assert tonight(app, club, third) == "Tonight: Bo 2, Ada 1", "who won most stands first"
    assert tonight(app, club, second) == "Tonight: Ada 1, Bo 1", "what it was then"
    assert tonight(app, club, play(club, ("Ada", small))) == "", "no rematch"
    board = app.test_client().get(f"/live/{club.read.key}").text
    assert "Tonight:" not in board
    again(club, third)
    board = app.test_client().get(f"/live/{club.read.key}").text
    assert "Tonight: Bo 2, Ada 1" in board


def test_a_rematch_shows_an_earlier_match_that_was_corrected(app: Flask, club: ClubOfCast) -> None:
    first = play(club, ("Ada", {"Bo": ["7"]}))
    second = again(club, first, "Ada")
    third = again(club, second)
    assert tonight(app, club, third) == "Tonight: Ada 2"
    (round,) = club.document(first)["rounds"]
    fixed = {"went_out": "Bo", "hands": {"Ada": ["7"]}}
    answer = club.write("PUT", f"/matches/{first}/rounds/{round['id']}", fixed, headers=club.etag(first))
    assert answer.status_code == 200
    assert tonight(app, club, second) == tonight(app, club, third) == "Tonight: Bo 1, Ada 1"
    assert club.record(third, 0, **fixed).status_code == 201, "it goes on"


def test_a_rematch_shows_no_match_that_was_deleted(app: Flask, club: ClubOfCast) -> None:
    first = play(club, ("Ada", {"Bo": ["7"]}))
    second = again(club, first, "Bo")
    third = again(club, second)
    seen = [tonight(app, club, third)]
    for method, path in (("DELETE", f"/matches/{first}"), ("POST", f"/matches/{first}/restore")):
        etag = club.etag(third)
        assert club.write(method, path).status_code == 200
        assert club.etag(third) != etag, "whoever asks for it gets it anew"
        seen.append(tonight(app, club, third))
    assert seen == ["Tonight: Ada 1, Bo 1", "Tonight: Bo 1", "Tonight: Ada 1, Bo 1"]


@pytest.mark.parametrize(("earlier", "said"), [(11, "Tonight: Ada 1, Bo 1"), (13, "")])
def test_a_night_is_twelve_hours(app: Flask, club: ClubOfCast, earlier: int, said: str) -> None:
    first = play(club, ("Ada", {"Bo": ["7"]}))
    second = again(club, first, "Bo")
    with app.app_context():
        began = db.session.get_one(Match, (club.id, second)).started_at
    change(app, club, first, started_at=began - timedelta(hours=earlier))
    assert tonight(app, club, second) == said


def test_a_night_that_is_over_is_not_called_tonight(app: Flask, club: ClubOfCast) -> None:
    first = play(club, ("Ada", {"Bo": ["7"]}))
    second = again(club, first, "Bo")
    with app.app_context():
        began = db.session.get_one(Match, (club.id, second)).started_at
    for match in (first, second):
        change(app, club, match, started_at=began - timedelta(days=3))
    assert tonight(app, club, second) == "That night: Ada 1, Bo 1"


def test_matches_that_are_rematches_of_each_other_end(app: Flask, club: ClubOfCast) -> None:
    first = play(club, ("Ada", {"Bo": ["7"]}))
    second = again(club, first, "Ada")
    change(app, club, first, rematch_of=second)
    assert tonight(app, club, second) == "Tonight: Ada 2"


def test_a_tie_counts_for_each_and_a_team_wins_as_one(app: Flask, club: ClubOfCast) -> None:
    tie = play(club, ("Ada", {"Bo": ["7"]}), ("Bo", {"Ada": ["7"]}))
    assert tonight(app, club, again(club, tie)) == "Tonight: Ada 1, Bo 1"
    hands: Hands = {"Bo": ["7"], "Cy": ["3"], "Di": ["9"]}
    partners = play(club, ("Ada", hands), players=["Ada", "Bo", "Cy", "Di"], rulebook="partners")
    assert tonight(app, club, again(club, partners)) == "Tonight: Ada and Cy 1"


def test_a_night_has_the_names_of_today_and_of_those_at_the_table(app: Flask, club: ClubOfCast) -> None:
    cast = {"Bo": ["7"], "Cy": ["3"]}
    second = again(club, play(club, ("Ada", cast), players=["Ada", "Bo", "Cy"]))
    ada = next(seat["id"] for seat in club.document(second)["seats"] if seat["player"] == "Ada")
    assert tonight(app, club, second) == "Tonight: Ada 1"
    assert club.write("PATCH", f"/players/{ada}", {"name": "Adele"}).status_code == 200
    assert tonight(app, club, second) == "Tonight: Adele 1"
    assert club.write("DELETE", f"/matches/{second}/players/{ada}").status_code == 200
    assert tonight(app, club, again(club, second)) == "", "who won has left"


@pytest.mark.parametrize(
    ("name", "parted"),
    [
        ("Ada", "Ada"),
        ("Maximiliane-Theresia", "Maximiliane-Theresia"),
        ("Donaudampfschifffahrtsgesellschaft", "Donau-dampf-schiff-fahrts-ge-sell-schaft"),
        ("Eva Wolfeschlegelsteinhausen", "Eva Wol-fe-schle-gel-stein-hausen"),
        ("W" * 40, "W" * 40),
        ("מחמד" * 8, "מחמד" * 8),
    ],
)
def test_only_a_long_word_is_broken_and_then_between_syllables(name: str, parted: str) -> None:
    assert hyphened(name).replace(HYPHEN, "-") == parted
