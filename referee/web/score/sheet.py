"""The sheet of a match, as a page and as the fragments that a save changes."""

from __future__ import annotations

from flask import render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.errors import Stale
from referee.records.models import Match, MatchStatus
from referee.records.sheets import load_sheet
from referee.web import guards, layout
from referee.web.score.room import blueprint
from referee.web.score.round_view import new_round_view
from referee.web.score.sheet_view import view_of

ROUNDS_SHOWN = 30
"""Rounds on the page; the rest comes on demand, so that a long match opens as fast as a short one."""


@blueprint.get("/matches/<match_id>")
def sheet(match_id: str) -> str:
    """Show a match; 401, 403, 404."""
    match = guards.get_match(match_id)
    last = None if request.args.get("rounds") == "all" else ROUNDS_SHOWN
    loaded = load_sheet(guards.records(), match, last=last, struck=True)
    view = view_of(loaded, writable=may_write())
    form_view = new_round_view(loaded) if view.open else None
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
    if request.form.get("revision", str(match.revision)) != str(match.revision):
        raise Stale("Somebody wrote meanwhile. Look at the sheet as it stands now, then do it again.")


def answer_with_sheet(match: Match) -> Response:
    """Answer a form that changed the match: with the sheet's fragments to a script, else with a redirect to it."""
    if not layout.wants_fragments():
        return layout.go(address_of(match))
    return layout.fragments(sheet_parts(match), address=address_of(match))


def sheet_parts(match: Match) -> dict[str, str]:
    """Draw the parts of the page that a save changes: the sheet, and the hand pad of the next round."""
    loaded = load_sheet(guards.records(), match, last=ROUNDS_SHOWN, struck=True)
    html = render_template("score/_sheet.html", sheet=view_of(loaded, writable=may_write()))
    open_ = match.status == MatchStatus.IN_PROGRESS
    pad = render_template("score/_round_form.html", form_view=new_round_view(loaded)) if open_ else ""
    return {"sheet": html, "pad": pad}
