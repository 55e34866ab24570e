"""Our law: what a club decided where its rules are silent, to be searched and forgotten."""

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from referee.records.club.precedents import Precedent, forget_or_restore, load_precedents, make_rule
from referee.records.names import LONGEST_LINE
from referee.rules.text.problem import Impossible
from referee.web.page import layout
from referee.web.server import guards, local_time
from referee.web.server.database import save
from referee.web.words import say

blueprint = Blueprint("law", __name__)


@blueprint.get("/club/law")
def index() -> str:
    """List what the club decided, with these words in it; 401, 403."""
    club = guards.get_club()
    q = request.args.get("q", "")[:LONGEST_LINE]
    entries: dict[tuple[str, str], list[Precedent]] = {}  # by dispute and question, the newest first
    for one in load_precedents(guards.records(), club.id, q=q):
        entries.setdefault((one.ruling.dispute, one.decision.clause), []).append(one)
    shown = {"entries": entries.values(), "q": q, "may_write": guards.may_write(), "day": local_time.day}
    return render_template("club/law.html", **shown)


UNDONE = {"forget": "again", "again": "forget"}
"""What takes a change back."""


@blueprint.post("/club/law/<ruling_id>/<any(forget,again,rule):what>")
def change(ruling_id: str, what: str) -> Response:
    """Forget a decision, take that back, or make it a rule of the club's own rulebook; 401, 403, 404."""

    def write() -> str:
        session, club = guards.records(), guards.get_club(write=True)
        if what == "rule":
            row = make_rule(session, club, ruling_id, guards.get_key(write=True))
            return say("our-law.ruled", rulebook=row.document["title"])
        forget_or_restore(session, club.id, ruling_id, kept=what == "again")
        return say("our-law.again" if what == "again" else "our-law.forgotten")

    try:
        said, undo = save(write), UNDONE.get(what)
    except Impossible as error:
        said, undo = error.problems[0].message, None
    layout.announce(said, undo=url_for("law.change", ruling_id=ruling_id, what=undo) if undo else "")
    address = url_for("law.index")
    if layout.wants_fragments():
        return layout.fragments({"messages": layout.messages()}, address=address)
    return layout.go(address)
