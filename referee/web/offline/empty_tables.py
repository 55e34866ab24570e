"""Empty tables for a phone that starts a match, or a rematch, without a connection: pages with stand-ins for who plays.

The phone knows no rule: it puts names and ids of its own in place of the stand-ins, and the server starts the match
later by the fields that come with them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from flask import current_app, render_template, request, url_for
from flask.ctx import RequestContext
from markupsafe import Markup

from referee.records.agreements import Agreement, frozen_rulebook
from referee.records.models import DETAILS, Club, Match, MatchStatus
from referee.records.plans import MatchPlan, agree
from referee.records.seating import Seated, Seating, table_of
from referee.records.sheets import Sheet
from referee.records.tallies import Tally
from referee.rules.problem import Impossible
from referee.rules.rulebook import Rulebook
from referee.rules.settings import OPENING_TOTAL, REMATCH_HANDICAP
from referee.rules.standings import standings
from referee.rules.terms import Terms, agreed, text_target
from referee.web.menu import views as menu
from referee.web.page.rule_card import rule_card
from referee.web.page.rulebooks import available
from referee.web.score.round_form import new_round_view
from referee.web.score.sheet import shown_on
from referee.web.score.wording import terms_line
from referee.web.server import guards
from referee.web.start.forms import WORTH

MATCH = "match00000000000"
"""Stands in for the id of the match."""
PLAYER = "player{:010}"
"""Stands in for the id of the player on a seat."""
NAME = 0xE100
"""The first of the letters that stand in for names, by seat; nobody can have one in a name."""
PLAYERS = range(2, 7)
"""Numbers of players for which a table is drawn, besides the number that played by it last."""
MOST = 5
"""Tables that a phone takes along: those played by last, then rulebooks without house rules, the club's own first."""


@dataclass(frozen=True)
class EmptyTable:
    """A table to play by: its plan without players, the rulebook's text, and for how many it is drawn."""

    plan: MatchPlan
    rulebook: Rulebook
    sizes: Sequence[int]

    @property
    def key(self) -> str:
        """Name it by what it agrees on, so that a phone knows whether it has it."""
        said = repr((self.rulebook.digest, sorted(self.fields()), list(self.sizes), request.script_root))
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def fields(self) -> list[tuple[str, str]]:
        """Return the fields by which a match is started so, without its players."""
        plan = self.plan
        single = {
            "rulebook": plan.rulebook,
            "target": plan.target,
            "count": plan.count if plan.count != "points" else None,
            "deck": plan.deck,
            "blank_effect": plan.blank_effect,
            "blank_points": plan.blank_points,
            "custom_rules": "\n".join(plan.custom_rules),
            "rounds_to_play": plan.rounds_to_play,
            "teams": " ".join("-".join(str(ord(name) - NAME) for name in team) for team in plan.teams or ()),
        }
        return [
            *((name, str(value)) for name, value in single.items() if value not in (None, "")),
            *(("house_rules", rule) for rule in plan.house_rules),
            *((f"{WORTH}{face}", str(points)) for face, points in plan.face_points or ()),
        ]

    def to_json(self) -> str:
        """Draw it: its rule card, and the pages of a match, for each number of players."""
        tables: dict[str, Any] = {}
        for size in self.sizes:
            names = tuple(chr(NAME + seat) for seat in range(size))
            try:
                terms = agree(self.rulebook, replace(self.plan, players=names))
            except Impossible:
                continue
            tables[str(size)] = _drawn(terms, self.plan.rulebook, names)
        return json.dumps({"key": self.key, "fields": self.fields(), "tables": tables}, ensure_ascii=False)


def empty_tables(club: Club, played: Sequence[tuple[Match, Agreement, int]]) -> tuple[list[EmptyTable], dict[str, str]]:
    """List the tables that a phone takes along, and which of them is that of each match, by its id.

    `played` are the newest matches with their latest agreement and how many sit there.
    """
    found: dict[tuple[object, ...], EmptyTable] = {}
    keys: dict[str, tuple[object, ...]] = {}
    for match, agreement, players in played:
        table = _of_agreement(club, match, agreement, players)
        said = (table.rulebook.digest, *sorted(table.fields()))
        if said not in found and len(found) == MOST:
            continue
        if said in found:
            table = replace(table, sizes=sorted({*found[said].sizes, *table.sizes}))
        found[said] = table
        keys[match.id] = said
    books = available()
    own = [id for id, book in books.items() if book.base]
    for id in dict.fromkeys((*own, *(match.rulebook for match, _, _ in played), next(iter(books)))):
        if id in books and len(found) < MOST:
            table = EmptyTable(MatchPlan(players=(), rulebook=id), books[id], PLAYERS)
            found.setdefault((books[id].digest, *sorted(table.fields())), table)
    return list(found.values()), {id: found[said].key for id, said in keys.items()}


def _of_agreement(club: Club, match: Match, agreement: Agreement, players: int) -> EmptyTable:
    frozen = frozen_rulebook(guards.records(), club.id, agreement.digest)
    book = frozen.without_house_rules() if frozen.base else available().get(match.rulebook, frozen)
    teams = agreement.teams
    plan = MatchPlan(
        players=(),
        rulebook=match.rulebook,
        house_rules=agreement.house_rules,
        open_ended=agreement.target is None,
        **agreed(agreement)
        | {
            "target": None if agreement.target == text_target(frozen, players) else agreement.target,
            "deck": None if agreement.deck == _usual_deck(book, players) else agreement.deck,
            "teams": tuple(tuple(chr(NAME + seat) for seat in team) for team in teams) if teams else None,
        },
    )
    return EmptyTable(plan, book, [players] if teams else sorted({*PLAYERS, players}))


def _usual_deck(book: Rulebook, players: int) -> str:
    try:
        return Terms.agree(book, players=players).deck
    except Impossible:
        return ""


def _drawn(terms: Terms, rulebook: str, names: Sequence[str]) -> dict[str, Any]:
    """Draw the pages of a match that was just started under these terms, the first player dealing."""
    opening = terms.rulebook.value(OPENING_TOTAL, 0)
    seats = tuple(
        Seated(seat, PLAYER.format(seat), name, name, opening, ((1, None),)) for seat, name in enumerate(names)
    )
    found = guards.holder()
    assert found is not None
    agreement = Agreement(
        1, rulebook, terms.rulebook.digest, terms.rulebook.in_force, **agreed(terms), note="", at="", by=None
    )
    match = Match(
        club_id=found[1].id,
        id=MATCH,
        status=MatchStatus.IN_PROGRESS,
        rulebook=rulebook,
        agreements=[agreement.to_document()],
        dealer_seat=0,
        revision=1,
        nonce=0,
        **dict.fromkeys(DETAILS, ""),
    )
    sheet = Sheet(
        match=match,
        agreements=(agreement,),
        terms=terms,
        seating=Seating(seats),
        outs=MappingProxyType({}),
        opener=seats[0],
        standings=standings(terms, dict.fromkeys(range(len(seats)), opening), table_of(seats)),
        winners=(),
        rounds=(),
        round_count=0,
        rulings=(),
        tally=Tally(live=0, last_live=0, last_place=0, points={}, winners=()),
    )
    return {
        "title": terms_line(terms),
        "card": render_template("_partials/rule_card.html", card=rule_card(terms)),
        "handicap": _handicap(terms),
        "pages": dict(_pages(sheet)),
    }


def page_at(address: str) -> RequestContext:
    """Return a request of the same phone for another of its pages, to draw that within this one."""
    root = request.script_root
    headers = {"Cookie": request.headers.get("Cookie", ""), "Accept": "text/html"}
    base = request.host_url.rstrip("/") + root
    return current_app.test_request_context(address.removeprefix(root), base_url=base, headers=headers)


def _handicap(terms: Terms) -> int:
    """Return what the winners of the match before start with."""
    handicap = terms.rulebook.value(REMATCH_HANDICAP, 0) if terms.count == "points" else 0
    return -handicap if terms.leads == "highest" else handicap


def _pages(sheet: Sheet) -> Iterator[tuple[str, str]]:
    with page_at(url_for("score.sheet", match_id=MATCH)):
        shown = shown_on(sheet, writable=True)
        html = Markup(render_template("score/_sheet.html", **shown))  # by templates
        form = new_round_view(sheet, idempotency_key="none")
        pad = Markup(render_template("score/_round_form.html", form_view=form))
        parts = {"id": MATCH, "title": shown["title"], "round_count": 0, "revision": sheet.match.state, "open": True}
        yield "", render_template("score/sheet.html", parts=parts, sheet_html=html, pad_html=pad)
        yield "/menu", menu.page_of(sheet)
