"""The sheet of a match, as a page and as the fragments that a save changes."""

from __future__ import annotations

import secrets

from flask import g, render_template, request, session, url_for
from flask_wtf.csrf import generate_csrf
from werkzeug.wrappers import Response

from referee.records.cache import Cache
from referee.records.errors import Stale
from referee.records.models import Match, MatchStatus
from referee.records.sheets import Sheet, load_sheet
from referee.web import layout
from referee.web.score.room import blueprint
from referee.web.score.round_presenter import new_key, new_round_view
from referee.web.score.sheet_presenter import view_of
from referee.web.server import guards
from referee.web.words import say

ROUNDS_SHOWN = 20
"""Rounds on the page; the rest comes on demand, so that a long match opens as fast as a short one."""
SHEETS: Cache[str] = Cache("sheets", 4_800_000)
"""The sheets drawn, each for one state of its match; all rounds of a long match are more than are cached."""
TOKEN_HERE, KEY_HERE = f"token-{secrets.token_hex(8)}", f"key-{secrets.token_hex(8)}"
"""Stand in a cached page for what is each visitor's own; nobody can guess them and put them into a name.

A cached sheet takes 2.9 ms, one drawn anew 21.4 ms (a match just begun, by the test client).
"""


@blueprint.get("/matches/<match_id>")
def sheet(match_id: str) -> str:
    """Show a match; 401, 403, 404."""
    match = guards.get_match(match_id)
    everything = request.args.get("rounds") == "all"
    if "_flashes" in session:  # what just happened is said once, on a page of its own
        return _draw(match, everything=everything, idempotency_key=new_key())
    state = (
        *(match.club_id, match.id, match.state),
        *(may_write(), everything, layout.chosen_theme(), request.script_root),
        g.holder_club,
    )
    page = SHEETS.get(state, lambda: _draw_for_all(match, everything=everything))
    return page.replace(TOKEN_HERE, generate_csrf()).replace(KEY_HERE, new_key())


def _draw_for_all(match: Match, *, everything: bool) -> str:
    return _draw(match, everything=everything, idempotency_key=KEY_HERE).replace(generate_csrf(), TOKEN_HERE)


def _draw(match: Match, *, everything: bool, idempotency_key: str) -> str:
    loaded = load_sheet(guards.records(), match, last=None if everything else ROUNDS_SHOWN, struck=True)
    view = view_of(loaded, writable=may_write())
    form_view = new_round_view(loaded, idempotency_key=idempotency_key) if view.open else None
    return render_template("score/sheet.html", sheet=view, form_view=form_view)


def may_write() -> bool:
    """Tell whether the key of this request may change things."""
    found = guards.holder()
    return found is not None and found[0].role == "scorekeeper"


def address_of(match: Match) -> str:
    """Give the address of a match's sheet."""
    return url_for("score.sheet", match_id=match.id)


def check_revision(match: Match) -> None:
    """Raise `Stale` when the form was drawn before the last change of the match."""
    if request.form.get("revision", str(match.state)) != str(match.state):
        raise Stale(say("match.stale"))


def answer_with_sheet(match: Match, loaded: Sheet | None = None) -> Response:
    """Answer a form that changed the match: with the sheet's fragments to a script, else with a redirect to it.

    `loaded` spares a look where it was loaded before, with the rounds that a sheet shows.
    """
    if not layout.wants_fragments():
        return layout.go(address_of(match))
    return layout.fragments(sheet_parts(match, loaded), address=address_of(match))


def sheet_parts(match: Match, loaded: Sheet | None = None) -> dict[str, str]:
    """Draw the parts of the page that a save changes: the sheet, and the hand pad of the next round."""
    loaded = loaded or load_sheet(guards.records(), match, last=ROUNDS_SHOWN, struck=True)
    html = render_template("score/_sheet.html", sheet=view_of(loaded, writable=may_write()))
    open_ = match.status == MatchStatus.IN_PROGRESS
    pad = render_template("score/_round_form.html", form_view=new_round_view(loaded)) if open_ else ""
    return {"sheet": html, "pad": pad}
