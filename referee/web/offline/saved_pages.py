"""The pages that a phone saves to open them without a connection, and whose they are.

A saved page is shown only under the key it was opened with: a header tells the service worker whose a page is, and a
page of another key makes it drop all it saved before. Of the last matches it takes pages along that nobody opened yet;
it says which it has (``?have=``), so that only what has changed since is drawn, by the views that draw the pages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator

from flask import Flask, Response, current_app, g, request, session, url_for
from flask_wtf.csrf import generate_csrf
from sqlalchemy import select
from werkzeug.exceptions import HTTPException

from referee.records.errors import NotFound
from referee.records.history import list_matches
from referee.records.models import Club, Match, MatchStatus, Round
from referee.records.sheets import Sheet, load_sheet
from referee.web.offline.empty_tables import empty_tables, page_at
from referee.web.server import guards

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
    if "holder" in g and request.method == "GET" and response.status_code == 200 and _is_saved(response):
        found = guards.holder()
        who = f"{found[0].club_id}/{found[0].id}" if found else "nobody"
        response.headers[HOLDER] = hashlib.sha256(who.encode()).hexdigest()[:16]
    return response


def _is_saved(response: Response) -> bool:
    endpoint = request.endpoint or ""
    return endpoint in SAVED or (endpoint.startswith(("history.", "players.")) and response.mimetype == "text/html")


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
        state = f"{match.id}-{match.state}-{version}"
        opened += match.status == MatchStatus.IN_PROGRESS
        if state not in have:
            if sum(len(html) for _, html in pages) > MOST_BYTES:
                continue
            pages += _drawn(_addresses(match, rounds=opened <= OPEN))
            drawn.add(match.id)
        states.append(state)
    if may_write:
        sheets = {match.id: load_sheet(guards.records(), match, last=0, rulings=False) for match in newest}
        played = [(one.match, one.agreement, len(one.seating.here)) for one in sheets.values()]
        tables, keys = empty_tables(club, played)
        for blank in tables:
            state = f"blank-{blank.key}-{version}"
            pages += [] if state in have else [(f"{url_for('offline.shell')}/blanks/{blank.key}", blank.to_json())]
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
