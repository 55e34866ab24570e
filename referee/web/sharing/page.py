"""Sharing a match: its live board, phones for everybody's hand, and the result as a picture, a text and a link."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from referee.records import links
from referee.records.access import lock_club
from referee.records.models import KeyRole, Match
from referee.records.plays import load_plays
from referee.records.sheets import load_sheet
from referee.web.page import layout
from referee.web.score import summaries
from referee.web.score.sheet import sheet_parts
from referee.web.server import guards
from referee.web.server.extensions import db
from referee.web.server.polls import SHEET
from referee.web.sharing import bg_stats, handouts
from referee.web.sharing.picture import picture_of
from referee.web.sharing.public import public_view, secret
from referee.web.sharing.qr import qr_code
from referee.web.sharing.ways import mail_link
from referee.web.words import say

blueprint = Blueprint("sharing", __name__)


@blueprint.get("/matches/<match_id>/share")
def share(match_id: str) -> str:
    """Show every way to let others see this match; 401, 403, 404."""
    match = guards.get_match(match_id)
    sheet = load_sheet(guards.records(), match, last=1, rulings=False)
    text = handouts.result_text(sheet)
    token, public = links.find_board_and_public(guards.records(), match, secret())
    token = token if guards.may_write() else None
    board = url_for("live.board", board_token=token, _external=True) if token else ""
    said = summaries.result(match, sheet.winners) or summaries.title_of(match, sheet.players)
    plays = load_plays(guards.records(), [match])
    stats = bg_stats.link(plays[0]) if plays else None
    return render_template(
        "sharing/share.html",
        match_id=match.id,
        revision=match.state,
        title=summaries.title_of(match, sheet.players),
        finished=bool(sheet.winners) or match.status != "in-progress",
        may_write=guards.may_write(),
        text=text,
        rows=text.count("\n") + 1,
        mail=mail_link(say("share.subject", title=summaries.title_of(match, sheet.players)), text),
        board=board,
        board_qr=qr_code(board) if board else "",
        public=public_view(public, said, handouts.preview_text(sheet)),
        bg_stats=stats,
        bg_stats_qr=qr_code(stats) if stats and len(stats) <= bg_stats.MOST_IN_QR else "",
    )


@blueprint.get(SHEET)
def sheet_now(match_id: str) -> AnyResponse:
    """Give the sheet's parts as they stand, to another phone that has it open; 304 when it has them, 401, 403, 404."""
    match = guards.get_match(match_id)
    state = f"{match.id}-{match.state}"
    if request.if_none_match.contains_weak(state):
        response: AnyResponse = Response(status=304)
    else:
        response = jsonify(fragments=sheet_parts(match), revision=str(match.state))
    response.set_etag(state)
    response.headers["Cache-Control"] = "private, no-cache"
    return response


@blueprint.post("/matches/<match_id>/board")
def open_board(match_id: str) -> AnyResponse:
    """Make the link to the live board of this match; 401, 403, 404."""
    match = _locked(match_id)
    mine = guards.get_club(write=True)
    links.open_link(guards.records(), mine, match, KeyRole.BOARD, secret(), guards.get_key())
    db.session.commit()
    return layout.go(url_for("sharing.share", match_id=match.id, _anchor="board-title"))


@blueprint.post("/matches/<match_id>/board/close")
def close_board(match_id: str) -> AnyResponse:
    """Revoke that link at once; 401, 403, 404."""
    match = _locked(match_id)
    links.close_link(guards.records(), match, KeyRole.BOARD)
    db.session.commit()
    layout.say(say("share.board-closed"))
    return layout.go(url_for("sharing.share", match_id=match.id))


@blueprint.post("/matches/<match_id>/public")
def open_public(match_id: str) -> AnyResponse:
    """Switch the public page of this match on; 401, 403, 404."""
    match = _locked(match_id)
    links.open_public(guards.records(), guards.get_club(write=True), match, secret(), guards.get_key())
    db.session.commit()
    layout.say(say("public-page.is-on"))
    return layout.go(url_for("sharing.share", match_id=match.id, _anchor="public-title"))


@blueprint.post("/matches/<match_id>/public/close")
def close_public(match_id: str) -> AnyResponse:
    """Switch that page off at once; 401, 403, 404."""
    match = _locked(match_id)
    links.close_public(guards.records(), guards.get_club(write=True), match)
    db.session.commit()
    layout.say(say("public-page.is-off"))
    return layout.go(url_for("sharing.share", match_id=match.id))


@blueprint.get("/matches/<match_id>/result.png")
def result_card(match_id: str) -> AnyResponse:
    """Draw the match as a picture; 304 when nothing changed, 401, 403, 404."""
    return picture_of(guards.get_match(match_id))


def _locked(match_id: str) -> Match:
    lock_club(guards.records(), guards.get_club(write=True).id)
    return guards.get_match(match_id, write=True)
