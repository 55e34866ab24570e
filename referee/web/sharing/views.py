"""Share a match: its result as picture, text and link, its public page; invite others to it; the live board.

The board shows the standings on a television or a phone, by a link that opens nothing else. It asks every other second
whether something changed, with the ETag of what it shows; `referee.web.server.polls` answers most of these requests.
"""

from flask import Blueprint, Response, current_app, jsonify, make_response, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from referee.records.club import links
from referee.records.deletion.waiting import refuse_deleted_with
from referee.records.errors import NotFound
from referee.records.match import matches
from referee.records.match.sheets import Sheet, load_sheet
from referee.records.match.watching import Watched, watch
from referee.records.models import Club, KeyRole, Match, MatchStatus
from referee.web.page import layout, match_wording
from referee.web.pictures.views import match_picture
from referee.web.score.views import sheet_parts, state_seen
from referee.web.score.wording import winner_of
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.headers import unless_cached
from referee.web.server.polls import BOARD, SHEET, private, state_of
from referee.web.sharing import wording
from referee.web.words import say

blueprint = Blueprint("sharing", __name__)
blueprint.url_defaults(layout.keep_language)


@blueprint.get("/matches/<match_id>/share")
def share(match_id: str) -> str:
    """Show the result of a match, or how it stands, to be passed on; 401, 403, 404."""
    match = guards.get_match(match_id)
    sheet = load_sheet(guards.records(), match, last=0, rulings=False)
    scene = winner_of(sheet)
    story = scene.story if scene else ""
    title, text = match_wording.title_of(match, sheet.players), wording.result_text(sheet, story)
    public = links.find_public(guards.records(), guards.get_club(), match, current_app.config["SECRET_KEY"])
    stats = wording.bg_stats_link(sheet)
    return render_template(
        "sharing/share.html",
        match_id=match.id,
        revision=match.state,
        title=title,
        what="share.result" if scene else "share.standings",
        may_write=guards.may_write(),
        text=text,
        story=story,
        rows=text.count("\n") + 1,
        mail=wording.mail_link(say("share.subject", title=title), text),
        is_public=public.on,
        public=wording.public_page(public.token, wording.headline(sheet), wording.preview_text(sheet)),
        bg_stats=stats,
        bg_stats_qr=wording.qr_code(stats) if stats and len(stats) <= wording.MOST_IN_QR else "",
    )


@blueprint.get("/matches/<match_id>/invite")
def invite(match_id: str) -> str:
    """Show every way to let others take part in this match, or watch it; 401, 403, 404."""
    guards.get_key(write=True)
    match = guards.get_match(match_id)
    token = links.find_link(guards.records(), match, KeyRole.BOARD, current_app.config["SECRET_KEY"])
    board = url_for("sharing.board", board_token=token, _external=True) if token else ""
    return render_template(
        "sharing/invite.html",
        match_id=match.id,
        playing=match.status == MatchStatus.IN_PROGRESS,
        board=board,
        board_qr=wording.qr_code(board) if board else "",
    )


@blueprint.get(SHEET)
def sheet_now(match_id: str) -> AnyResponse:
    """Return the parts of a sheet for another phone that has it open; 304 when it has them, 401, 403, 404."""
    match = guards.get_match(match_id)
    return unless_cached(state_seen(match), lambda: jsonify(fragments=sheet_parts(match), revision=str(match.state)))


@blueprint.post("/matches/<match_id>/board")
def open_board(match_id: str) -> AnyResponse:
    """Make the link to the live board of this match; 401, 403, 404."""
    secret = current_app.config["SECRET_KEY"]
    save(lambda: links.open_link(guards.records(), *_of_club(match_id), KeyRole.BOARD, secret, guards.get_key()))
    return layout.go(url_for("sharing.invite", match_id=match_id, _anchor="board-title"))


@blueprint.post("/matches/<match_id>/board/close")
def close_board(match_id: str) -> AnyResponse:
    """Revoke that link at once; 401, 403, 404."""
    save(lambda: links.close_link(guards.records(), guards.get_match(match_id, write=True), KeyRole.BOARD))
    layout.announce(say("invite.board-closed"))
    return layout.go(url_for("sharing.invite", match_id=match_id))


@blueprint.post("/matches/<match_id>/public")
def open_public(match_id: str) -> AnyResponse:
    """Switch the public page of this match on; 401, 403, 404."""
    secret = current_app.config["SECRET_KEY"]
    save(lambda: links.open_public(guards.records(), *_of_club(match_id), secret, guards.get_key()))
    layout.announce(say("public-page.is-on"))
    return layout.go(url_for("sharing.share", match_id=match_id, _anchor="public-title"))


@blueprint.post("/matches/<match_id>/public/close")
def close_public(match_id: str) -> AnyResponse:
    """Switch that page off at once; 401, 403, 404."""
    save(lambda: links.close_public(guards.records(), *_of_club(match_id)))
    layout.announce(say("public-page.is-off"))
    return layout.go(url_for("sharing.share", match_id=match_id))


def _of_club(match_id: str) -> tuple[Club, Match]:
    """Return a match and its club, both locked where `save` writes, since two phones may make a link at once."""
    return guards.get_club(write=True), guards.get_match(match_id, write=True)


@blueprint.get("/live/<board_token>")
def board(board_token: str) -> Response:
    """Show the board of a link; 404 for a wrong or revoked one."""
    watched = _watched(board_token)
    sheet = _sheet(watched)
    preview = None
    if sheet is not None:
        picture = url_for("sharing.board_picture", board_token=board_token, _external=True)
        preview = wording.SharedPage(
            wording.headline(sheet), wording.preview_text(sheet), "", picture, f"state={sheet.match.state}"
        )
    page = render_template(
        "sharing/board.html",
        tabs=(),
        board=wording.board_view(sheet) if sheet else None,
        preview=preview,
        state=state_of(watched.match_id, watched.state),
        poll=url_for("sharing.board_now", board_token=board_token),
        qr=wording.qr_code(url_for("sharing.board", board_token=board_token, _external=True)),
    )
    return private(make_response(page))


@blueprint.get(BOARD)
def board_now(board_token: str) -> Response:
    """Return the board without the page around it; 304 when the client has it, 404."""
    watched = _watched(board_token)

    def draw() -> str:
        sheet = _sheet(watched)
        return render_template("sharing/_board.html", board=wording.board_view(sheet) if sheet else None)

    return private(unless_cached(state_of(watched.match_id, watched.state), draw))


@blueprint.get("/live/<board_token>/result.png")
def board_picture(board_token: str) -> Response:
    """Return the picture of the match, for the preview of the board's link in a messenger; 304, 404.

    Its address has the board's token in it, so it shows no more than the board, and ends with it.
    """
    watched = _watched(board_token)
    if watched.match_id is None:
        raise NotFound("match")
    answer = match_picture(matches.get_match(guards.records(), watched.club_id, watched.match_id))
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"  # a messenger's web page embeds it
    return private(answer)


def _watched(token: str) -> Watched:
    """Return the match that a token's board shows; raise `NotFound`, 429 for those who guess."""
    watched = watch(guards.records(), token)
    if watched is None:
        refuse_deleted_with(guards.records(), token)
        guards.count_unknown(token)
        raise NotFound("live board")
    if guards.reopened(watched.club_id, watched.import_id):
        return _watched(token)
    layout.speak_as_asked(watched.language)
    return watched


def _sheet(watched: Watched) -> Sheet | None:
    if watched.match_id is None:
        return None
    match = matches.get_match(guards.records(), watched.club_id, watched.match_id)
    return load_sheet(guards.records(), match, last=1, rulings=False)
