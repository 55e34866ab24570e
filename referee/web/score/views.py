"""Show the sheet of a match, as a page and as the fragments that a save changes."""

import secrets
import sys
from dataclasses import dataclass

from flask import Blueprint, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from referee.records.cache import Cache
from referee.records.match.sheets import load_sheet
from referee.records.models import Match, MatchStatus
from referee.web.page import layout
from referee.web.page.changes import ROUNDS_SHOWN, address_of, new_key
from referee.web.rounds.wording import new_round_view
from referee.web.score.wording import shown_on
from referee.web.server import guards
from referee.web.server.polls import state_of
from referee.web.server.sessions import token
from referee.web.server.static_files import address_of_rules

blueprint = Blueprint("score", __name__)

TOKEN_HERE, KEY_HERE = f"token-{secrets.token_hex(8)}", f"key-{secrets.token_hex(8)}"
"""Stand in what is cached for what is each visitor's own; nobody can guess them and put them into a name."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a sheet shows in one state of its match, with stand-ins for what is each visitor's own."""

    id: str
    title: str
    round_count: int
    state: str
    open: bool
    rules: str
    """where a phone finds the rules of the match to take along; empty where nothing can be recorded"""
    html: str
    pad: str
    """the form of the next round; empty where nothing can be recorded"""


ORDER_COOKIE, BY_SEAT, BY_RANK = "order", "seat", "rank"
"""In which order this phone wants the standings; by rank where it never said."""
PARTS: Cache[Parts] = Cache(
    "parts", 1_000_000, lambda parts: 2_000 + sum(map(sys.getsizeof, (parts.html, parts.pad, parts.title)))
)
"""What changes with a match, for every page and phone that shows it: who saves draws it for all others."""


@blueprint.get("/matches/<match_id>")
def sheet(match_id: str) -> str | Response:
    """Show a match, or remember in which ``order`` this phone wants its standings; 401, 403, 404."""
    match = guards.get_match(match_id)
    if (order := request.args.get("order")) in (BY_SEAT, BY_RANK):
        response = layout.go(address_of(match))
        path = f"{request.script_root}/"  # as the script writes it
        response.set_cookie(ORDER_COOKIE, order, max_age=layout.KEPT, path=path, samesite="Lax")
        return response
    everything = request.args.get("rounds") == "all"
    parts = _parts(match, everything=everything)
    return render_template("score/sheet.html", parts=parts, sheet_html=_own(parts.html), pad_html=_own(parts.pad))


def _by_seat() -> bool:
    return request.cookies.get(ORDER_COOKIE) == BY_SEAT


def _for_all(html: str) -> str:
    return html.replace(token(), TOKEN_HERE)


def _own(html: str) -> Markup:
    """Return what was cached with this visitor's token, and a new key for the next round."""
    return Markup(html.replace(TOKEN_HERE, token()).replace(KEY_HERE, new_key()))


def _parts(match: Match, *, everything: bool = False) -> Parts:
    by_seat, state = _by_seat(), state_seen(match)
    may_write, may_record = guards.may_write(), guards.may_record()

    def draw() -> Parts:
        last = None if everything else ROUNDS_SHOWN
        sheet = load_sheet(guards.records(), match, last=last, struck=True)
        shown = shown_on(sheet, writable=may_record, by_seat=by_seat)
        form = new_round_view(sheet, idempotency_key=KEY_HERE) if shown["open"] else None
        return Parts(
            match.id,
            shown["title"],
            sheet.round_count,
            state,
            shown["open"],
            rules=address_of_rules(match, sheet.terms, sheet.playing) if form else "",
            html=_for_all(render_template("score/_sheet.html", **shown)),
            pad=_for_all(render_template("rounds/_round_form.html", form_view=form)) if form else "",
        )

    if match.status == MatchStatus.FINISHED:  # its sheet speaks of earlier matches too
        return draw()
    return PARTS.get((match.club_id, state, may_write, may_record, everything, request.script_root, by_seat), draw)


def state_seen(match: Match) -> str:
    """Return the ETag of a sheet as this phone sees it: at an evening's table the next draw changes it too."""
    return state_of(match.id, match.state) + ("-over" if guards.table_moved_on(match) else "")


def sheet_parts(match: Match) -> dict[str, str]:
    """Return the parts of the page that a change of the match changes: the sheet, and the form of the next round."""
    parts = _parts(match)
    return {"sheet": _own(parts.html), "pad": _own(parts.pad)}
