"""What a phone takes along of its club: the last matches' sheets, menus with their rule cards, and share pages.

The service worker asks once in a while, when its page rests, and says which it has (``?have=``); only what has changed
since is drawn, by the views that draw the pages, and all of it is one answer, so that it packs well.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator

from flask import Blueprint, Response, current_app, jsonify, request, session, url_for
from flask_wtf.csrf import generate_csrf
from sqlalchemy import select
from werkzeug.exceptions import HTTPException

from referee.records.errors import NotFound
from referee.records.history import list_matches
from referee.records.models import Match, MatchStatus, Round
from referee.records.sheets import Sheet, load_sheet
from referee.web.offline import version_here
from referee.web.score.blanks import blanks, page_at
from referee.web.server import guards
from referee.web.server.database import looking

blueprint = Blueprint("ahead", __name__)

MATCHES = 20
ROUNDS = 12
"""Rounds of a match in progress whose own pages are taken along, the last ones: they may have to be corrected."""
OPEN = 2
"""Matches in progress of which they are, the newest ones."""
MOST_BYTES = 2_500_000
"""Of pages in one answer; what is left out is taken along the next time."""
LONGEST_HAVE = 2_000
_TOKEN = re.compile(r'name="token" value="[^"]*"')


@blueprint.get("/offline/matches.json")
def matches() -> Response:
    """Give ``{"states": [what a phone has now], "pages": [[address, HTML]]}``; 401, 403."""
    with looking():
        club = guards.get_club()
        newest = list_matches(guards.records(), club, limit=MATCHES).matches
        have = set(request.args.get("have", "")[:LONGEST_HAVE].split())
        states: list[str] = []
        pages: list[tuple[str, str]] = []
        opened = 0
        drawn: set[str] = set()
        for match in newest:
            state = f"{match.id}-{match.state}-{version_here()}"
            opened += match.status == MatchStatus.IN_PROGRESS
            if state not in have:
                if sum(len(html) for _, html in pages) > MOST_BYTES:
                    continue
                pages += _drawn(_addresses(match, rounds=opened <= OPEN))
                drawn.add(match.id)
            states.append(state)
        if guards.get_key().role == "scorekeeper":
            sheets = {match.id: load_sheet(guards.records(), match, last=0, rulings=False) for match in newest}
            played = [(one.match, one.agreement, len(one.seating.here)) for one in sheets.values()]
            tables, keys = blanks(club, played)
            for blank in tables:
                state = f"blank-{blank.key}-{version_here()}"
                pages += [] if state in have else [(f"{url_for('offline.shell')}/blanks/{blank.key}", blank.to_json())]
                states.append(state)
            again = [(url_for("score.rematch", match_id=id), _again(sheets[id], key)) for id, key in keys.items()]
            pages += [(address, text) for address, text in again if address.split("/")[-2] in drawn]
            form = list(_drawn([url_for("score.new_match")]))
            state = f"new-{_digest(form)}"
            pages += [] if state in have else form
            states.append(state)
    response = jsonify(states=states, pages=pages)
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _addresses(match: Match, *, rounds: bool) -> Iterator[str]:
    for view in ("score.sheet", "score.match_menu", "sharing.share"):
        yield url_for(view, match_id=match.id)
    if not rounds or match.status != MatchStatus.IN_PROGRESS:
        return
    here = (Round.club_id == match.club_id, Round.match_id == match.id)
    last = select(Round.id).where(*here).order_by(Round.place.desc()).limit(ROUNDS)
    for id in guards.records().scalars(last):
        yield url_for("score.edit_round", match_id=match.id, round_id=id)


def _again(sheet: Sheet, key: str) -> str:
    """Say who would play a rematch, on which table, and who would deal, by place among them."""
    here = sheet.seating.here
    opener = here.index(sheet.opener) if sheet.opener in here else 0
    return json.dumps({"key": key, "names": [seat.name for seat in here], "opener": opener})


def _drawn(addresses: Iterator[str] | list[str]) -> Iterator[tuple[str, str]]:
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


def _digest(pages: list[tuple[str, str]]) -> str:
    """Name pages by what they show, but for what is drawn anew every time."""
    shown = _TOKEN.sub("", repr(pages)).replace(generate_csrf(), "")
    return hashlib.sha256(shown.encode()).hexdigest()[:12]
