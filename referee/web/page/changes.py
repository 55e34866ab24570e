"""Answer a form that changed a match: where to go, and what the form of the next round needs."""

import secrets

from flask import url_for
from werkzeug.wrappers import Response

from referee.records.match.rounds import RECENT
from referee.records.match.seating import load_seating
from referee.records.match.sheets import Sheet, load_sheet
from referee.records.models import Match, MatchStatus
from referee.web.page import layout
from referee.web.page.match_wording import round_title
from referee.web.server import guards

ROUNDS_SHOWN = RECENT
"""Rounds on the page; the rest comes on demand, so that a long match opens as fast as a short one."""


def address_of(match: Match) -> str:
    """Return the address of a match's sheet."""
    return url_for("score.sheet", match_id=match.id)


def go_to_begun(match: Match) -> Response:
    """Redirect to a match that was started; a script also gets its id and its players by seat."""
    if not layout.wants_fragments():
        return layout.go(address_of(match))
    seats = [seat.player_id for seat in load_seating(guards.records(), match).here]
    return layout.fragments({}, address=address_of(match), begun={"match": match.id, "seats": seats})


def leave_club() -> Response:
    """Drop this browser's key and redirect to the first page; pages kept for playing offline belong to that club."""
    guards.drop_token()
    answer = layout.go(url_for("start.index"))
    if guards.holder() is None:
        answer.headers["Clear-Site-Data"] = '"cache", "storage"'
    return answer


def answer_change(match: Match, sheet: Sheet | None = None) -> Response:
    """Return the answer to a form that changed the match: a redirect to its sheet.

    A script gets the message and what the next form needs. It asks for the sheet itself, as every other phone does, so
    that what another phone changed meanwhile is there too. Pass `sheet` if it is loaded already.
    """
    if not layout.wants_fragments():
        return layout.go(address_of(match))
    sheet = sheet or load_sheet(guards.records(), match, last=0, rulings=False)
    return layout.fragments(
        {"messages": layout.messages()}, address=address_of(match), seen=next_round_form_state(sheet)
    )


def next_round_form_state(sheet: Sheet) -> dict[str, str]:
    """Return by name the values of the next round's form; of a match that is over, only its state."""
    seen = {"revision": str(sheet.match.state)}
    if sheet.match.status == MatchStatus.IN_PROGRESS:
        seen |= {"after": str(sheet.round_count), "title": title_of_next(sheet), "key": new_key()}
    return seen


def title_of_next(sheet: Sheet) -> str:
    """Return the title of the next round of a match."""
    return round_title(sheet.round_count + 1, sheet.terms)


def new_key() -> str:
    """Return a new idempotency key, by which a round that is sent twice counts once."""
    return secrets.token_urlsafe(12)
