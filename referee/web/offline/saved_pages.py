"""The pages that a phone saves to open them without a connection, and whose they are.

A saved page is shown only under the key it was opened with: a header tells the service worker whose a page is, and a
page of another key makes it drop all it saved before. Of the last matches it also saves pages that nobody opened yet;
it sends which it has (``?have=``), so that only what has changed since is drawn, by the views that draw the pages.

To start a match without a connection it saves empty tables, which are pages with stand-ins for who plays. The phone
knows no rule: it puts names and ids of its own in their place, and the server starts the match later by the fields that
come with them.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from flask import Flask, Response, current_app, g, render_template, request, session, url_for
from flask.ctx import RequestContext
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup
from sqlalchemy import select
from werkzeug.exceptions import HTTPException

from referee.records.errors import NotFound
from referee.records.match.agreements import Agreement, frozen_rulebook
from referee.records.match.history import list_matches
from referee.records.match.plans import MatchPlan, agree
from referee.records.match.seating import Seated, Seating, table_of
from referee.records.match.sheets import Sheet, load_sheet
from referee.records.match.tallies import Tally
from referee.records.models import DETAILS, MARKERS, Club, Match, MatchStatus, Round
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import OPENING_TOTAL, REMATCH_HANDICAP
from referee.rules.scoring.scoring import standings
from referee.rules.scoring.terms import Terms, agreed, text_target
from referee.rules.text.problem import Impossible
from referee.rules.text.words import language
from referee.web.menu import views as menu
from referee.web.offline.documents import law
from referee.web.page.fields import in_form
from referee.web.page.match_wording import rule_card, terms_line
from referee.web.page.rulebooks import available
from referee.web.rounds.wording import new_round_view
from referee.web.score.wording import shown_on
from referee.web.server import guards
from referee.web.server.polls import state_of
from referee.web.start.forms import WORTH

HOLDER = "Referee-Holder"
"""Header that tells the service worker whose a page is."""
SAVED = frozenset(
    {
        *("start.index", "score.sheet", "menu.match_menu", "rounds.new_round", "rounds.edit_round"),
        *("start.new_match", "sharing.share", "disputes.show_ruling", "offline.matches", "help.privacy"),
    }
)
"""Views whose pages a phone saves; the room of History besides."""
MATCHES = 20
ROUNDS = 12
"""Rounds of a match in progress whose own pages are taken along, the last ones: they may have to be corrected."""
OPEN = 2
"""Matches in progress of which they are, the newest ones."""
MOST_BYTES = 2_500_000
"""Characters of pages in one answer; what is left out is taken along the next time."""
_TOKEN = re.compile(r'name="token" value="[^"]*"')

Pages = list[tuple[str, str]]
"""Addresses, each with its page or document."""


def init_app(app: Flask) -> None:
    """Set the header on every page that a phone may save."""
    app.after_request(_set_holder)


def _set_holder(response: Response) -> Response:
    """Set a digest of whose page this is; nobody can tell the key from it."""
    endpoint = request.endpoint or ""
    of_history = endpoint.startswith(("history.", "players.")) and response.mimetype == "text/html"
    is_read = request.method == "GET" and response.status_code == 200
    if "presented" in g and is_read and (endpoint in SAVED or of_history):
        caller = guards.presented()
        who = f"{caller[0].club_id}/{caller[0].id}" if caller else "nobody"
        spoken = f"{who} in {language().code}"  # whoever switches the language wants no page in the other one
        response.headers[HOLDER] = hashlib.sha256(spoken.encode()).hexdigest()[:16]
    return response


def pages_of(club: Club, version: str, have: set[str], *, may_write: bool) -> tuple[list[str], Pages]:
    """Return the states that a phone has after this answer, and the pages of those that are not among `have`.

    `version` is that of the files which the phone fetches ahead. Whoever may write gets empty tables and the form of
    a new match too, to start matches without a connection.
    """
    newest = list_matches(guards.records(), club, limit=MATCHES).matches
    states: list[str] = []
    pages: Pages = []
    opened = 0
    drawn: set[str] = set()
    for match in newest:
        state = f"{state_of(match.id, match.state)}-{version}"
        opened += match.status == MatchStatus.IN_PROGRESS
        if state not in have:
            if sum(len(html) for _, html in pages) > MOST_BYTES:
                continue
            pages += _drawn(_addresses(match, rounds=opened <= OPEN))
            drawn.add(match.id)
        states.append(state)
    pages += _drawn([url_for("start.index")] if drawn else [])  # home has their totals too
    ours = [(f"{url_for('offline.shell')}/law", law(club.id))]
    state = f"law-{_digest(ours)}"
    pages += [] if state in have else ours
    states.append(state)
    if may_write:
        sheets = {match.id: load_sheet(guards.records(), match, last=0, rulings=False) for match in newest}
        played = [(sheet.match, sheet.agreement, len(sheet.seating.here)) for sheet in sheets.values()]
        tables, keys = empty_tables(club, played)
        for plan in tables:
            state = f"plan-{plan.key}-{version}"
            pages += [] if state in have else [(f"{url_for('offline.shell')}/plans/{plan.key}", plan.to_json())]
            states.append(state)
        pages += [
            (url_for("menu.rematch", match_id=id), _again(sheets[id], key)) for id, key in keys.items() if id in drawn
        ]
        form = list(_drawn([url_for("start.new_match")]))
        state = f"new-{_digest(form)}"
        pages += [] if state in have else form
        states.append(state)
    return states, pages


def _addresses(match: Match, *, rounds: bool) -> Iterator[str]:
    for view in ("score.sheet", "menu.match_menu", "sharing.share"):
        yield url_for(view, match_id=match.id)
    if not rounds or match.status != MatchStatus.IN_PROGRESS:
        return
    here = (Round.club_id == match.club_id, Round.match_id == match.id)
    last = select(Round.id).where(*here).order_by(Round.place.desc()).limit(ROUNDS)
    for id in guards.records().scalars(last):
        yield url_for("rounds.edit_round", match_id=match.id, round_id=id)


def _again(sheet: Sheet, key: str) -> str:
    """Return as JSON who would play a rematch, on which table, and who would deal, by place among them."""
    here = sheet.seating.here
    opener = here.index(sheet.opener) if sheet.opener in here else 0
    return json.dumps({"key": key, "names": [seat.name for seat in here], "opener": opener})


def _drawn(addresses: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Draw pages as this phone would get them; what it may not see is left out."""
    for address in addresses:
        with page_at(address):
            session.pop("_flashes", None)  # what was said is for the page that people look at
            try:
                answer = current_app.make_response(current_app.dispatch_request())
            except (HTTPException, NotFound):
                continue
        if answer.status_code == 200:
            yield address, answer.get_data(as_text=True)


def _digest(pages: Pages) -> str:
    """Return a digest of what pages show, without the tokens that are new each time."""
    shown = _TOKEN.sub("", repr(pages)).replace(generate_csrf(), "")
    return hashlib.sha256(shown.encode()).hexdigest()[:12]


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
        """Return a digest of what it agrees on, so that a phone knows whether it has it."""
        agreed = repr((self.rulebook.digest, sorted(self.fields()), list(self.sizes), request.script_root))
        return hashlib.sha256(agreed.encode()).hexdigest()[:16]

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
            tables[str(size)] = _table(terms, self.plan.rulebook, names)
        return json.dumps({"key": self.key, "fields": self.fields(), "tables": tables}, ensure_ascii=False)


def empty_tables(club: Club, played: Sequence[tuple[Match, Agreement, int]]) -> tuple[list[EmptyTable], dict[str, str]]:
    """List the tables that a phone takes along, and which of them is that of each match, by its id.

    `played` are the newest matches with their latest agreement and how many sit there.
    """
    tables: dict[tuple[object, ...], EmptyTable] = {}
    keys: dict[str, tuple[object, ...]] = {}
    for match, agreement, players in played:
        table = _of_agreement(club, match, agreement, players)
        terms_key = (table.rulebook.digest, *sorted(table.fields()))
        if terms_key not in tables and len(tables) == MOST:
            continue
        if terms_key in tables:
            table = replace(table, sizes=sorted({*tables[terms_key].sizes, *table.sizes}))
        tables[terms_key] = table
        keys[match.id] = terms_key
    books = available()
    own = [id for id, book in books.items() if book.base]
    for id in dict.fromkeys((*own, *(match.rulebook for match, _, _ in played), next(iter(books)))):
        if id in books and len(tables) < MOST:
            table = EmptyTable(MatchPlan(players=(), rulebook=id), books[id], PLAYERS)
            tables.setdefault((books[id].digest, *sorted(table.fields())), table)
    return list(tables.values()), {id: tables[terms_key].key for id, terms_key in keys.items()}


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
            "custom_rules": tuple(filter(in_form, agreement.custom_rules)),
        },
    )
    return EmptyTable(plan, book, [players] if teams else sorted({*PLAYERS, players}))


def _usual_deck(book: Rulebook, players: int) -> str:
    try:
        return Terms.agree(book, players=players).deck
    except Impossible:
        return ""


def _table(terms: Terms, rulebook: str, names: Sequence[str]) -> dict[str, Any]:
    """Draw the pages of a match that was just started under these terms, the first player dealing."""
    opening = terms.rulebook.value(OPENING_TOTAL, 0)
    handicap = terms.rulebook.value(REMATCH_HANDICAP, 0) if terms.count == "points" else 0
    seats = tuple(
        Seated(seat, PLAYER.format(seat), name, name, opening, ((1, None),), marker)
        for seat, (name, marker) in enumerate(zip(names, MARKERS, strict=False))
    )
    caller = guards.holder()
    assert caller is not None
    agreement = Agreement(
        1, rulebook, terms.rulebook.digest, terms.rulebook.in_force, **agreed(terms), note="", at="", by=None
    )
    match = Match(
        club_id=caller[1].id,
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
        # what the winners of the match before start with
        "handicap": -handicap if terms.leads == "highest" else handicap,
        "pages": dict(_pages(sheet)),
    }


def page_at(address: str) -> RequestContext:
    """Return a request of the same phone for another of its pages, to draw that within this one."""
    root = request.script_root
    headers = {"Cookie": request.headers.get("Cookie", ""), "Accept": "text/html"}
    base = request.host_url.rstrip("/") + root
    return current_app.test_request_context(address.removeprefix(root), base_url=base, headers=headers)


def _pages(sheet: Sheet) -> Iterator[tuple[str, str]]:
    with page_at(url_for("score.sheet", match_id=MATCH)):
        shown = shown_on(sheet, writable=True)
        html = Markup(render_template("score/_sheet.html", **shown))  # by templates
        form = new_round_view(sheet, idempotency_key="none")
        pad = Markup(render_template("rounds/_round_form.html", form_view=form))
        parts = {
            "id": MATCH,
            "title": shown["title"],
            "round_count": 0,
            "state": state_of(MATCH, sheet.match.state),
            "open": True,
        }
        yield "", render_template("score/sheet.html", parts=parts, sheet_html=html, pad_html=pad)
        yield "/menu", menu.page_of(sheet)
