"""Any rulebook that loads can be scored, asked, heard, looked up, compared, exported and shown.

Each example is a rulebook that nobody wrote (`tests.ground.generated`): as a club's own, and as the frozen text of a
match that was imported. ``REFEREE_FUZZ=500`` tries that many new ones.
"""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

from flask import Flask
from hypothesis import assume, given
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from referee.rules.books.library import further_questions, questions, rulebooks
from referee.rules.books.rulebook import TABLE_SIZES, Rulebook
from referee.rules.books.settings import declared
from referee.rules.disputes import DISPUTES
from referee.rules.disputes.tree import every_hearing
from referee.rules.scoring.terms import Terms, nobody_scores
from referee.web.start.forms import WORTH
from tests.fuzz import tries
from tests.ground.client import browser_of
from tests.ground.generated import Otherwise, otherwise

CAST = ("Ada", "Bo", "Cy", "Di", "Eva", "Flo", "Gus", "Hal", "Ida", "Jo")
UNSAID = re.compile(r"<(script|style|template|svg)\b.*?</\1>", re.DOTALL)
NEVER = re.compile(
    r"\bNone\b(?! of\b)|\bundefined\b|\bnull\b|[{}]|“”|\(\)| [,;:](?= )"
    rf"|\b(?:{'|'.join(name for name in declared() if '_' in name)})\b"
    rf"|(?<![\w/-])(?:{'|'.join(id for id in (*questions(), *further_questions()) if id.count('-') > 1)})(?![\w-])"
)
"""What no sentence says: an empty place, or a name that only code uses."""
SILENCE = re.compile(
    r"rules?\b.* (?:don’t|doesn’t) (?:say|provide|decide|name|mention)|leaves? .*open"
    r"|has no (?:draw )?cards?|nobody is knocked out|has no draft|can’t challenge here",
    re.IGNORECASE,
)


class Club:
    """A club as its scorekeeper sees it, in a browser and as a program; everything it is told is read."""

    def __init__(self, app: Flask) -> None:
        self.programs = app.test_client()
        founded = self.programs.post("/api/v1/clubs", json={"name": "Us"}).get_json()
        self.id, self.key = founded["id"], founded["scorekeeper_key"]
        self.browser = browser_of(app, self.key)

    def see(self, address: str, *fine: int) -> TestResponse:
        return self.heard(self.browser.get(address), address, fine or (200,))

    def submit(self, address: str, data: dict[str, Any], *fine: int) -> TestResponse:
        return self.heard(self.browser.submit(address, data, page="/rules"), address, fine or (200,))

    def call(self, method: str, path: str, *fine: int, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = self.programs.open(f"/api/v1{path}", method=method, headers=headers, **options)
        assert answer.status_code in (fine or (200, 201)), (path, options, answer.text[:500])
        return json.loads(answer.data)

    def heard(self, answer: TestResponse, address: str, fine: tuple[int, ...]) -> TestResponse:
        assert answer.status_code in fine, (address, answer.status_code, said_on(answer.text)[:500])
        if answer.mimetype == "text/html":
            for text in said_on(answer.text):
                wrong = NEVER.search(text)
                assert wrong is None or text == "None", (address, text)
        return answer


def said_on(page: str) -> list[str]:
    """List what a page says, element by element."""
    texts = (" ".join(unescape(text).split()) for text in re.split(r"<[^>]+>", UNSAID.sub("", page)))
    return [text for text in texts if text]


def in_address(value: Any) -> str:
    """Write a fact as an address has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(in_address, value))
    return f"{value['player']}:{value['card']}" if isinstance(value, dict) else str(value)


def play(club: Club, book: Rulebook, match: str) -> None:
    """Record a round, where the text scores any; look at every page of the match."""
    document = club.call("GET", f"/matches/{match}")
    agreed = tuple((document["face_points"] or {}).items())
    terms = Terms(book, deck=document["deck"], count=document["count"], face_points=agreed)
    worth = [str(face) for face in terms.card_points]
    hands = {name: worth[place : place + 1] for place, name in enumerate(document["players"][1:])}
    entry = {"after": 0, "went_out": document["players"][0], "hands": hands}
    if terms.full_deck.sides:
        entry |= {"side": next(iter(terms.full_deck.sides)), "hands": dict.fromkeys(hands, 20)}
    if worth and not terms.full_deck.sides:
        entry["last_card"] = worth[0]
    club.call("POST", f"/matches/{match}/rounds", 201, 422, json=entry)
    home = f"/matches/{match}"
    for address in (home, f"{home}/menu", f"{home}/rules?q=uno", f"{home}/share", f"/history{home}"):
        club.see(address)
    club.see(f"{home}/rounds/new", 200, 303, 302)
    bundle = re.search(r"/matches/\w+/offline/\w+\.json", club.see(home).text)
    if bundle:
        assert not re.search(r"\bNone\b(?! of\b)[^\"]", club.see(bundle[0]).text)
    assert club.see(f"{home}/result.png", 200, 404).status_code


def hear(club: Club, book: Rulebook, rulebook: str, match: str, pick: int) -> None:
    """Hear every dispute, to one of its ends, at the match and anywhere."""
    for dispute in DISPUTES:
        ends = list(every_hearing(dispute, book))
        end = ends[pick % len(ends)]
        ruling = club.call("POST", "/hearings", json={"dispute": dispute.id, "rulebook": rulebook, "facts": end.given})
        assert ruling["status"] in ("ruled", "silent"), (dispute.id, end.given)
        undecided = {key for key, value in ruling["outcome"].items() if value is None}
        assert undecided == {*ruling["silent_on"], *ruling["unseen"]}
        assert ruling["verdict"].strip()
        assert ruling["summary"].strip()
        if ruling["status"] == "silent" and not ruling["unseen"]:
            assert SILENCE.search(ruling["summary"]), (dispute.id, end.given, ruling["summary"])
        facts = {key: in_address(value) for key, value in end.given.items()}
        anywhere = club.see(f"/disputes/{dispute.id}?{urlencode({'rulebook': rulebook} | facts)}", 200, 422)
        titles = re.findall(r'<h1 id="ruling"[^>]*>(.*?)</h1>', anywhere.text)
        assert all(title.strip() for title in titles)
        club.see(f"/matches/{match}/disputes/{dispute.id}?{urlencode(facts | {'names': 'no'})}", 200, 303, 422)
        club.see(f"/disputes/{dispute.id}?rulebook={rulebook}", 200)


def rule(club: Club, book: Rulebook, match: str, pick: int) -> None:
    """Rule on every dispute at the match and save the ruling."""
    for dispute in DISPUTES:
        ends = list(every_hearing(dispute, book))
        facts = dict(ends[pick % len(ends)].given)
        if facts.pop("players", None):
            continue  # the match knows how many play
        club.see(f"/matches/{match}/disputes/{dispute.id}?names=no", 200, 303)
        saved = {"dispute": dispute.id, "facts": facts, "players": {}, "accepted": True}
        found = club.call("POST", f"/matches/{match}/rulings", 201, 422, json=saved)
        if "summary" in found:
            assert found["summary"].strip()
            club.see(f"/matches/{match}/rulings/{found['id']}")


def table_of(book: Rulebook) -> list[str]:
    """Seat as few people as the text allows."""
    return list(CAST[: max(book.players[0], TABLE_SIZES[0])])


@tries(5)
@given(drawn=otherwise(), pick=st.integers(0, 500))
def as_a_clubs_own(app: Flask, drawn: Otherwise, pick: int) -> None:
    club, own = Club(app), drawn.own()
    base = own.base.id
    id = club.call("POST", f"/clubs/{club.id}/rulebooks", json=own.to_document())["id"]
    book = own.rulebook(id)
    for address in (
        f"/rules/{id}", f"/rules/{id}/how-to-play", f"/rules/compare?left={base}&right={id}", f"/rules?rulebook={id}",
        f"/rules?rulebook={id}&q=what+is+a+wild+worth", f"/rules/own/{id}", f"/rules/own/{id}/edit", "/rules/own",
        f"/disputes?rulebook={id}", f"/matches/new?rulebook={id}",
        *(f"/rules/{id}/{one.clause}" for one in own.differs if one.own or one.clause in questions()),
    ):  # fmt: skip
        club.see(address)
    club.call("GET", f"/rulebooks/{id}")
    club.call("GET", f"/rules?q=forgot+uno&rulebook={id}")
    plan = {"players": table_of(book), "rulebook": id}
    if nobody_scores(book):
        club.submit("/matches/new", plan | {"step": "agree"}, 422)
        plan["count"] = "rounds"
    else:
        plan |= {f"{WORTH}{face}": 10 for face in Terms(book, deck=book.deck.id).unpriced}
    club.submit("/matches/new", plan | {"step": "agree"})
    begun = club.submit("/matches/new", plan | {"step": "deal"}, 303)
    match = begun.headers["Location"].rsplit("/", 1)[-1]
    play(club, book, match)
    hear(club, book, id, match, pick)
    for address in ("/history/", f"/history/?rulebook={id}", f"/history/players?rulebook={id}", "/club/records"):
        club.see(address)
    club.call("GET", "/statistics")
    exported, other = club.call("GET", "/export"), Club(app)
    other.call("POST", "/import", json=exported)
    again = other.call("GET", "/export")
    for part in ("rulebooks", "own_rulebooks"):
        assert again[part] == exported[part]
    assert [each["rounds"] for each in again["matches"]] == [each["rounds"] for each in exported["matches"]]


def test_a_clubs_own_rulebook_is_played_asked_and_shown_whatever_it_changes(app: Flask) -> None:
    as_a_clubs_own(app)


@tries(4)
@given(drawn=otherwise(), pick=st.integers(0, 500))
def as_a_frozen_text(app: Flask, drawn: Otherwise, pick: int) -> None:
    before, book = Club(app), drawn.rulebook()
    players = table_of(rulebooks()[drawn.base])
    assume(len(players) in book.players)
    unpriced = Terms(rulebooks()[drawn.base], deck=rulebooks()[drawn.base].deck.id).unpriced
    plan = {"players": players, "rulebook": drawn.base, "face_points": {str(face): 10 for face in unpriced} or None}
    before.call("POST", "/matches", json=plan)
    document = before.call("GET", "/export")
    text = document["rulebooks"][0]
    was, text["digest"], text["document"] = text["digest"], book.digest, book.to_document()
    for agreed in document["matches"][0]["agreements"]:
        agreed["deck"] = book.deck.id
    club = Club(app)
    club.call("POST", "/import", json=json.loads(json.dumps(document).replace(was, book.digest)))
    (listed,) = club.call("GET", "/matches")["matches"]
    match = listed["id"]
    play(club, book, match)
    rule(club, book, match, pick)
    for address in ("/", "/history/", "/history/players", f"/matches/{match}", f"/history/matches/{match}"):
        club.see(address)
    assert club.call("GET", "/export")["rulebooks"] == [text]


def test_a_match_under_another_edition_goes_on_whatever_that_says(app: Flask) -> None:
    as_a_frozen_text(app)
