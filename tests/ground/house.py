"""A club with one of everything: what an address needs, and everybody who may call it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from referee.records.club import links
from referee.records.evening.evenings import EveningPlan, open_evening, open_table_links
from referee.records.match.agreements import terms_at
from referee.records.match.seating import load_seating
from referee.records.models import Club, Key, KeyRole, Match, Player
from referee.records.season import seasons
from referee.records.season.seasons import Rules, SeasonDraft
from referee.web.hands.views import SESSION_HAND
from referee.web.own_rulebooks.wording import sentences_version
from referee.web.server.database import db
from referee.web.server.static_files import address_of_rules
from tests.ground.client import Client, browser_of

PART = re.compile(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>")

BODIES: Mapping[str, Any] = {
    "/api/v1/matches/<match_id>/rounds": {"after": 7, "went_out": "Ada", "hands": {"Bo": ["7"]}},
    "/api/v1/matches/<match_id>/rulings": {"dispute": "deal", "facts": {"players": 4}, "accepted": True},
    "/api/v1/matches/<match_id>/players": {"player": "Eve", "total": 0},
    "/api/v1/clubs/<club_id>/rulebooks": {"title": "Ours", "base": "classic-500"},
    "/api/v1/clubs/<club_id>/rulebooks/<own_id>": {"title": "Ours", "base": "classic-500"},
    "/api/v1/seasons": {"name": "Theirs", "first_day": "2026-01-01"},
    "/api/v1/seasons/<season_id>": {"name": "Ours", "first_day": "2026-01-01"},
    "/api/v1/evenings": {"rulebook": "classic-500"},
    "/api/v1/evenings/<evening_id>/people": {"names": []},
    "/api/v1/evenings/<evening_id>/draws": {"after": 0},
    "/api/v1/players/<player_id>/merge": {"into": "0" * 16},
}
"""What has to be sent so that the address is looked up at all: elsewhere an empty body is enough."""


@dataclass
class House:
    """A club with a match, a round, a ruling and all its links, and who may come to it."""

    app: Flask
    club_id: str
    parts: dict[str, str]
    tokens: dict[str, str]
    places: dict[str, str]
    """Whole addresses, where a part of them is a fingerprint."""

    def browser(self, caller: str) -> Client:
        """Open a browser that holds what the caller holds."""
        if caller == "phone":
            client = browser_of(self.app)
            with client.session_transaction() as session:
                session[SESSION_HAND] = self.tokens["phone"]
            return client
        return browser_of(self.app, *([] if caller == "stranger" else [self.tokens[caller]]))

    def bearer(self, caller: str) -> dict[str, str]:
        """Give the header by which a program shows the caller's key."""
        return {"Authorization": f"Bearer {self.tokens[caller]}"} if caller in self.tokens else {}

    def path(self, rule: str) -> str:
        """Fill in the parts of an address."""
        return self.places.get(rule) or PART.sub(lambda found: self.parts[found[1]], rule)

    def call(self, caller: str, method: str, rule: str) -> TestResponse:
        """Call an address with its CSRF token, or with the caller's key where programs call."""
        path = self.path(rule)
        if rule.startswith("/api/"):
            headers = self.bearer(caller)
            body = BODIES.get(rule, {}) if method in ("POST", "PUT", "PATCH") else None
            return self.app.test_client().open(path, method=method, headers=headers, json=body)
        browser = self.browser(caller)
        data = {"csrf_token": browser.token("/rules")} if method == "POST" else None
        return browser.open(path, method=method, data=data)


def furnish(app: Flask) -> House:
    """Furnish a club by the interface that programs use."""
    programs = app.test_client()

    def post(path: str, body: dict[str, Any], key: str = "") -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = programs.post(f"/api/v1{path}", json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.json
        return dict(answer.get_json())

    ours, theirs = post("/clubs", {"name": "Sunday table"}), post("/clubs", {"name": "Monday table"})
    writer = ours["scorekeeper_key"]
    match = post("/matches", {"players": ["Ada", "Bo", "Cy", "Di"], "rulebook": "classic-500"}, writer)
    entry = {"after": 0, "went_out": "Ada", "hands": {"Bo": ["7", "skip"], "Cy": ["3"], "Di": ["9"]}}
    recorded = post(f"/matches/{match['id']}/rounds", entry, writer)
    facts = {"players": 4, "played": "red-skip"}
    ruling = {"dispute": "played-card-effect", "facts": facts, "accepted": True}
    ruled = post(f"/matches/{match['id']}/rulings", ruling, writer)
    club_books = f"/clubs/{ours['id']}/rulebooks"
    own = post(club_books, {"title": "Ours", "base": "classic-500", "house_rules": ["jump-in"]}, writer)
    shared = post(f"{club_books}/{own['id']}/share", {}, writer)
    invitation, other = (post("/invitations", {"role": "spectator"}, writer) for _ in range(2))
    with app.app_context():
        session = db.session()
        club = session.get_one(Club, ours["id"])
        held = session.scalars(select(Match).where(Match.id == match["id"])).one()
        secret = app.config["SECRET_KEY"]
        table = links.open_link(session, club, held, KeyRole.HAND, secret)
        board = links.open_link(session, club, held, KeyRole.BOARD, secret)
        public = links.open_public(session, club, None, secret)
        phone = links.take_seat(session, club, held, 1, "Bo: hand")
        year = SeasonDraft("Our year", date(2000, 1, 1), rules=Rules(best=5))
        writers = select(Key.id).where(Key.club_id == club.id, Key.role == KeyRole.SCOREKEEPER)
        key = session.scalars(writers).one()
        season = seasons.create(session, club, year, session.get_one(Key, (club.id, key))).id
        player = session.scalars(select(Player.id).where(Player.club_id == club.id)).first()
        writer_key = session.get_one(Key, (club.id, key))
        evening = open_evening(
            session, club, EveningPlan(rulebook="classic-500"), writer_key, names=("Ada", "Bo", "Cy", "Di")
        )
        screen = links.open_screen(session, club, evening, secret, writer_key)
        open_table_links(session, club, evening, (1, 2), secret, writer_key)
        tables = links.find_tables(session, evening, secret)
        db.session.commit()
        with app.test_request_context():
            terms = terms_at(session, held)
            rules = address_of_rules(held, terms, load_seating(session, held).here)
    catalogue = re.search(r'"(/offline/\w+/catalogue\.json)"', programs.get("/offline").text)
    ahead = re.search(r'"files": "([^"?]+)', programs.get("/service-worker.js").text)
    assert catalogue
    assert ahead
    return House(
        app,
        ours["id"],
        {
            "match_id": match["id"], "round_id": recorded["round"]["id"], "ruling_id": ruled["id"], "what": "forget",
            "player_id": str(player), "key_id": str(key), "invitation_id": other["id"],
            "token": invitation["link"].rsplit("/", 1)[-1], "table_token": table, "board_token": board,
            "public_token": public, "dispute_id": "played-card-effect", "clause": "special-cards",
            "rulebook_id": "classic-500", "task": "first-match", "spoken": "de", "club_id": ours["id"],
            "own_id": own["id"], "share_token": shared["link"].rsplit("/", 1)[-1], "clause_id": "players",
            "season_id": season, "evening_id": evening.id, "draw": "1", "screen_token": screen,
            "evening_token": tables[1],
            "topic_id": "deck", "number": "1", "version": "0" * 12, "filename": "css/base.css",
        },
        {"scorekeeper": writer, "spectator": ours["spectator_key"], "other": theirs["scorekeeper_key"], "phone": phone}
        | {"table phone": tables[1]},
        {"/matches/<match_id>/offline/<digest>.json": rules, "/offline/<digest>/<name>.json": catalogue[1]}
        | {"/offline/files/<version>.json": ahead[1]}
        | {"/rules/own/sentences-<version>.json": f"/rules/own/sentences-{sentences_version()}.json"},
    )  # fmt: skip
