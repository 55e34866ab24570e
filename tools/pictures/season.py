"""A club behind every page: a season on paper, matches that run and ended, long names, other boxes, all its links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlsplit

from flask import Flask

from tests.ground.client import Client, browser_of

FRIENDS = ("Ada", "Bo", "Cy", "Di")
LONG = (
    "Maximiliane-Theresia von Hohenstein", "Bartholomew Featherstonehaugh", "Øyvind", "אדה לאבלייס", "Wu",
    "Donaudampfschifffahrtsgesellschaftsleute", "María de los Ángeles", "🦄 Unicorn", "O’Brien", "محمد",
)  # fmt: skip
"""Ten at a table, with names as people have them."""

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
    """Values of the session's cookie by who holds it: scorekeeper, spectator, phone, founder (of an empty club)."""
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
    }
    at = {name: f"/matches/{match}" for name, match in ids.items()} | boards | public
    at |= {"seat-code": code, "invitation": urlsplit(scorekeeper["link"]).path}
    writes.key = ""
    empty = writes.api("/clubs", {"name": "Monday table"})
    founder = writes.browser(empty["scorekeeper_key"])
    onlooker = writes.browser(writes.club["spectator_key"])
    who = {"scorekeeper": keeper, "spectator": onlooker, "phone": phone, "founder": founder}
    return Season(app, at, {name: _session(client) for name, client in who.items()}, parts)


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
