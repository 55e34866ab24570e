"""Drawing by lot who deals the first round."""

from __future__ import annotations

from werkzeug.wrappers import Response

from referee.records.dealing import draw_opener
from referee.records.sheets import load_sheet
from referee.web.page import layout
from referee.web.score.room import blueprint
from referee.web.score.sheet import answer_with_sheet
from referee.web.score.sheet_presenter import deal
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.writing import reading


@blueprint.post("/matches/<match_id>/dealer")
def draw_dealer(match_id: str) -> Response:
    """Draw who deals, or drafts first; 401, 403, 404, 422 once a round was played."""
    match = guards.get_match(match_id, write=True)
    guards.get_key(write=True)
    draw_opener(guards.records(), match)
    db.session.commit()
    with reading():
        layout.say(deal(load_sheet(guards.records(), match, last=0, rulings=False)))
        return answer_with_sheet(match)
