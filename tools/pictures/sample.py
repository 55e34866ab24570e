"""A club behind every page: a season on paper, matches that run and ended, long names, other boxes, all its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlsplit

from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from referee.records.club import links
from referee.records.evening import evenings
from referee.records.evening.drawing import draft_draw, write_draw
from referee.records.evening.evenings import EveningPlan
from referee.records.evening.floor import FloorTable, load_floor
from referee.records.models import Club, Key, KeyRole
from referee.web.server.database import db
from tests.ground.client import Client, browser_of
from tests.ground.rounds import record

FRIENDS = ("Ada", "Bo", "Cy", "Di")
LONG = (
    "Maximiliane-Theresia von Hohenstein", "Bartholomew Featherstonehaugh", "Øyvind", "אדה לאבלייס", "Wu",
    "Donaudampfschifffahrtsgesellschaftsleute", "María de los Ángeles", "🦄 Unicorn", "O’Brien", "محمد",
)  # fmt: skip
"""Ten at a table, with names as people have them."""

SEVENTEEN = (
    "Anneke", "Benedikt", "Chiara", "Dmitri", "Emília", "Fenna", "Gonzalo", "Håkon", "Ingeborg van der Meulen",
    "Jun", "Katharina", "Luís", "Maximiliane-Theresia", "Nadia", "Östen", "Priya", "Quentin",
)  # fmt: skip
"""Everyone who came on the evening of many tables."""

Hands = Mapping[str, Sequence[str]]
ROUNDS: tuple[tuple[str, Hands], ...] = (
    ("Ada", {"Bo": ("9", "skip"), "Cy": ("wild",), "Di": ("draw-two", "8", "2")}),
    ("Bo", {"Cy": ("reverse", "4"), "Di": ("7",), "Ada": ("wild",)}),
    ("Ada", {"Bo": ("wild", "5"), "Cy": ("skip", "9"), "Di": ("draw-two", "9", "8", "2")}),
    ("Cy", {"Di": ("7", "9"), "Ada": ("skip", "6"), "Bo": ("4",)}),
    ("Ada", {"Bo": ("wild", "wild-draw-four"), "Cy": ("draw-two", "9"), "Di": ("9", "6", "3")}),
    ("Di", {"Ada": ("6", "9"), "Bo": ("8", "1"), "Cy": ("7", "5")}),
)
"""Six rounds of Classic 500 that leave everybody short of the target; who went out, and what the others held."""
LAST: tuple[str, Hands] = ("Ada", {"Bo": ("wild", "7"), "Cy": ("wild-draw-four", "draw-two"), "Di": ("3",)})
"""The round with which Ada wins."""


@dataclass(frozen=True)
class Season:
    """A club as its pages need it: addresses by what they show, and the cookies of everybody who may look."""

    app: Flask
    at: Mapping[str, str]
    """Paths by name: ``running``, ``ended``, ``board``, …"""
    sessions: Mapping[str, str]
    """Values of the session's cookie by who holds it: scorekeeper, spectator, phone, founder (of an empty club).

    Of the evening of many tables: evening-keeper, evening-spectator, and evening-guest, who has scanned the television;
    evening-table, and the phones of a table that is waiting and of one whose match is over."""
    parts: Mapping[str, str]
    """What the variable parts of addresses may be, by their names in the routes."""


class _Furnishing:
    """Writes by the interface for programs, and by forms where there is no other way."""

    def __init__(self, app: Flask) -> None:
        app.test_client_class = Client
        self.app = app
        self.key = ""
        self.club = self.api("/clubs", {"name": "Sunday table"})
        self.key = self.club["scorekeeper_key"]

    def api(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        answer = self.app.test_client().post(f"/api/v1{path}", json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        return dict(answer.get_json())

    def match(self, players: Sequence[str], rulebook: str = "classic-500", **more: Any) -> str:
        return str(self.api("/matches", {"players": players, "rulebook": rulebook, **more})["id"])

    def play(self, match: str, rounds: Sequence[tuple[str | None, Hands]], **more: Any) -> None:
        for number, (winner, hands) in enumerate(rounds):
            self.api(f"/matches/{match}/rounds", {"after": number, "went_out": winner, "hands": hands, **more})

    def browser(self, *keys: str) -> Client:
        client = browser_of(self.app)
        if keys:
            with client.session_transaction() as session:
                session["keys"] = list(keys)
        return client


def furnish(app: Flask) -> Season:
    """Found the club and play its season; takes two seconds."""
    writes = _Furnishing(app)
    keeper = writes.browser(writes.key)
    saved = keeper.submit("/club/records/paper", {"table": _on_paper(), "rulebook": "classic-500", "step": "save"})
    assert saved.status_code in (200, 302, 303), saved.text
    deleted = writes.match(FRIENDS)
    writes.play(deleted, ROUNDS[:1])
    gone = app.test_client().delete(f"/api/v1/matches/{deleted}", headers={"Authorization": f"Bearer {writes.key}"})
    assert gone.status_code == 200, gone.text
    ended = writes.match(FRIENDS, location="Bo’s kitchen")
    writes.play(ended, [*ROUNDS, LAST])
    running = writes.match(FRIENDS)
    writes.play(running, ROUNDS)
    fresh = writes.match(("Ada", "Bo", "Cy"))
    many = writes.match(LONG)
    writes.play(many, [_of_ten(0), _of_ten(5)])
    many_ended = writes.match(LONG, target=20)
    writes.play(many_ended, [_of_ten(5)])
    timed = writes.match(FRIENDS, house_rules=["time-limit"])
    flip = writes.match(("Ada", "Bo", "Cy"), "flip")
    mercy = writes.match(FRIENDS, "no-mercy")
    writes.play(mercy, [("Ada", {"Bo": ("7",), "Di": ("wild-draw-ten",)})], knocked_out=["Cy"])
    partners = writes.match(FRIENDS, "partners", teams=[["Ada", "Cy"], ["Bo", "Di"]])
    challenge = writes.match(FRIENDS, "challenge-500", target=60)
    writes.play(challenge, [("Ada", {"Bo": ("7",), "Cy": ("3",), "Di": ("wild", "skip")})])
    facts = {"players": 4, "challenged": True, "challenger": "target", "held_color": True}
    facts |= {"held_number_or_symbol": False, "held_wild": False}
    ruling = {"dispute": "draw-four-challenge", "facts": facts, "accepted": True}
    ruled = writes.api(f"/matches/{running}/rulings", ruling | {"players": {"offender": "Ada", "target": "Bo"}})
    books = f"/clubs/{writes.club['id']}/rulebooks"
    changes = {"points-wild": {"wild_points": 40}}
    own = writes.api(books, {"title": "Sunday rules", "base": "classic-500", "changes": changes})
    shared = writes.api(f"{books}/{own['id']}/share", {})
    spectator, scorekeeper = (writes.api("/invitations", {"role": role}) for role in ("spectator", "scorekeeper"))
    boards = {f"board-{name}": _open(keeper, f"/matches/{match}", "board", "/live/") for name, match in (
        ("running", running), ("ended", ended), ("many", many), ("many-ended", many_ended), ("fresh", fresh),
    )}  # fmt: skip
    public = {name: _open(keeper, address, "public", "/public/", page) for name, address, page in (
        ("public-match", f"/matches/{ended}", "share"), ("public-off", f"/matches/{many}", "share"),
        ("public-club", "/club", ""),
    )}  # fmt: skip
    assert keeper.submit(f"/matches/{many}/public/close", {}, page="/rules").status_code == 303
    year = {"name": "Season 2025", "first_day": "2025-01-01", "last_day": "2025-12-31", "best": "15", "least": "3"}
    seasons = [
        keeper.submit("/seasons/new", said, page="/seasons/new").location.rpartition("/")[2]
        for said in (year, year | {"name": "Our season", "last_day": "", "best": "", "least": ""})
    ]
    public["public-season"] = _open(keeper, f"/seasons/{seasons[0]}", "public", "/public/", page="")
    code = _open(keeper, f"/matches/{fresh}", "hands/link", "/hand/", page="hands")
    phone = writes.browser()
    assert phone.submit(code, {"seat": "1"}, page=code).status_code == 303
    seen = {
        name: app.test_client().get(f"/api/v1{path}", headers={"Authorization": f"Bearer {writes.key}"}).get_json()
        for name, path in (("match", f"/matches/{running}"), ("players", "/players"))
    }
    players = {one["name"]: one["id"] for one in seen["players"]["players"]}
    ids = {
        "running": running, "ended": ended, "fresh": fresh, "many": many, "many-ended": many_ended, "timed": timed,
        "flip": flip, "mercy": mercy, "partners": partners, "challenge": challenge,
        "deleted": deleted,
    }  # fmt: skip
    parts = {
        "match_id": running,
        "round_id": seen["match"]["rounds"][-1]["id"],
        "ruling_id": ruled["id"],
        "player_id": str(players["Ada"]),
        "host_id": str(players["Bo"]),
        "token": spectator["link"].rpartition("/")[2],
        "table_token": code.rpartition("/")[2],
        "board_token": boards["board-running"].rpartition("/")[2],
        "public_token": public["public-club"].rpartition("/")[2],
        "share_token": shared["link"].rpartition("/")[2],
        "rulebook_id": "classic-500",
        "task": "first-match",
        "spoken": "de",
        "topic_id": "draw-four",
        "clause_id": "challenge-guilty",
        "dispute_id": "draw-four-challenge",
        "club_id": writes.club["id"],
        "own_id": own["id"],
        "season_id": seasons[0],
        "running_season": seasons[1],
    }
    at = {name: f"/matches/{match}" for name, match in ids.items()} | boards | public
    at |= {"seat-code": code, "invitation": urlsplit(scorekeeper["link"]).path}
    writes.key = ""
    empty = writes.api("/clubs", {"name": "Monday table"})
    founder = writes.browser(empty["scorekeeper_key"])
    onlooker = writes.browser(writes.club["spectator_key"])
    writes.key = ""
    thursdays = writes.api("/clubs", {"name": "Thursday table"})
    parts |= _evening(app, str(thursdays["id"]))
    at["evening"] = f"/evenings/{parts['evening_id']}"
    guest = writes.browser()
    my_page = f"/screen/{parts['screen_token']}/me"
    assert guest.submit(my_page, {"player": parts["evening_player"]}, page=my_page).status_code == 303
    who = {
        "scorekeeper": keeper, "spectator": onlooker, "phone": phone, "founder": founder,
        "evening-keeper": writes.browser(thursdays["scorekeeper_key"]),
        "evening-spectator": writes.browser(thursdays["spectator_key"]),
        "evening-guest": guest,
        **{f"{name}-table": writes.browser(parts[f"{name}_token"]) for name in ("evening", "waiting", "over")},
    }  # fmt: skip
    return Season(app, at, {name: _session(client) for name, client in who.items()}, parts)


def _evening(app: Flask, club_id: str) -> dict[str, str]:
    """Let seventeen come to an evening of two draws: the first has ended, the second goes on, a table calls a referee.

    Quentin is a guest, Dmitri left after the first draw. Returns the parts of addresses that lead there.
    """
    with app.app_context():
        session = db.session()
        club = session.get_one(Club, club_id)
        by = session.scalars(select(Key).where(Key.club_id == club_id, Key.role == KeyRole.SCOREKEEPER)).one()
        agreed = EveningPlan(rulebook="classic-500", rounds_to_play=2, size=4, draws=2)
        evening = evenings.open_evening(session, club, agreed, by, name="Autumn cup", names=SEVENTEEN[:-1])
        evenings.arrive(session, club, evening, SEVENTEEN[-1:], guest=True)
        for seen, number in enumerate((4711, 8150)):
            write_draw(session, club, draft_draw(session, club, evening, seen=seen, number=number, unfinished={}), by)
            for table in (tables := load_floor(session, evening).tables):
                for after in range(2 if seen == 0 else (2, 1, 1, 0)[table.table - 1]):
                    _deal(session, table, after, by)
            if seen == 0:
                dmitri = next(person for person in evenings.load_people(session, evening) if person.name == "Dmitri")
                evenings.depart(session, evening, dmitri.id)
        evenings.call_referee(session, evening, 2)
        parts = {
            "evening_id": evening.id,
            "evening_match": tables[1].match.id,
            "evening_player": next(iter(tables[1].seats)),
        }
        secret = app.config["SECRET_KEY"]
        parts["screen_token"] = links.open_screen(session, club, evening, secret, by)
        evenings.open_table_links(session, club, evening, range(1, 6), secret, by)
        tokens = links.find_tables(session, evening, secret)
        parts |= {"evening_token": tokens[2], "waiting_token": tokens[5], "evening_over": tables[0].match.id}
        parts["over_token"] = tokens[1]
        session.commit()
    return parts


def _deal(session: Session, table: FloorTable, after: int, by: Key) -> None:
    """Record a round of a table: another wins each time, and the others hold what follows from where they sit."""
    names = list(table.seats.values())
    winner = names[(table.table + 2 * after) % len(names)]
    cards = (("9", "wild"), ("7", "skip", "4"), ("wild-draw-four", "2"), ("8",), ("draw-two", "5"))
    hands = {name: cards[(seat + table.table) % len(cards)] for seat, name in enumerate(names, after) if name != winner}
    record(session, table.match, {"went_out": winner, "hands": hands}, after, by)


def _of_ten(winner: int) -> tuple[str, Hands]:
    """Play a round in which all others hold one card each."""
    return LONG[winner], {name: (str(seat),) for seat, name in enumerate(LONG) if seat != winner}


def _session(client: Client) -> str:
    cookie = client.get_cookie("session")
    assert cookie
    return str(cookie.value)


def _open(keeper: Client, match: str, link: str, leads: str, page: str = "invite") -> str:
    """Open a link of a match by its form, and read from the page the path that it leads to."""
    assert keeper.submit(f"{match}/{link}", {}, page="/rules").status_code in (302, 303)
    return leads + keeper.get(f"{match}/{page}".removesuffix("/")).text.partition(leads)[2].partition('"')[0]


def _on_paper() -> str:
    """Write a season as a table: two dozen evenings, each to 500, the winner of a round taking what the others held."""
    chance = Random(7)
    lines = [f"date,{','.join(FRIENDS)}"]
    for evening in range(24):
        totals = dict.fromkeys(FRIENDS, 0)
        while max(totals.values()) < 500:
            (winner,) = chance.choices(FRIENDS, (5, 4, 3, 2))
            points = sum(chance.choice((3, 7, 9, 20, 27, 50, 70)) for _ in FRIENDS[1:])
            totals[winner] += points
            row = ",".join(str(points if name == winner else 0) for name in FRIENDS)
            lines.append(f"2025-{evening // 2 + 1:02}-{7 + evening % 2 * 14:02},{row}")
    return "\n".join(lines)
