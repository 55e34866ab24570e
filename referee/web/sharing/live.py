"""The live board: standings for everybody in the room, on a television or a phone, by a link that opens nothing else.

The page asks every other second whether something changed, with the ETag of what it shows. That nothing did is
answered by `referee.web.server.polls`, most of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, make_response, render_template, request, url_for

from referee.records import matches
from referee.records.deletion.waiting import refuse_deleted_with
from referee.records.errors import NotFound
from referee.records.sheets import Sheet, load_sheet
from referee.records.watching import Watched, watch
from referee.web.score import summaries
from referee.web.score.sheet_presenter import StandingLine, view_of
from referee.web.score.winner import WinnerView, letters_of, told
from referee.web.server import guards, rate_limits
from referee.web.server.polls import BOARD, PRIVATE, state_of
from referee.web.sharing.handouts import preview_text
from referee.web.sharing.picture import picture_of
from referee.web.sharing.qr import qr_code
from referee.web.sharing.ways import Preview

LONG = 16
"""Letters from which on a name of several words takes two lines."""

blueprint = Blueprint("live", __name__)


@dataclass(frozen=True)
class LastRound:
    """What the last round brought."""

    title: str
    text: str


@dataclass(frozen=True)
class BoardLine:
    """One line of the board; `gain` is what the last round brought."""

    line: StandingLine
    gain: str
    letters: int
    """how wide the name is, as `letters_of` says"""
    two_lines: bool


@dataclass(frozen=True)
class BoardView:
    """Everything the template of the board shows."""

    title: str
    letters: int
    """how wide the longest word of the title is, as `letters_of` says"""
    terms: Sequence[str]
    head_to_head: str
    scene: WinnerView | None
    lines: Sequence[BoardLine]
    last: LastRound | None


@blueprint.get("/live/<board_token>")
def board(board_token: str) -> Response:
    """Show the board of a link; 404 for a wrong or revoked one."""
    watched = _watched(board_token)
    sheet = _sheet(watched)
    page = render_template(
        "live/board.html",
        tabs=(),
        board=board_view(sheet) if sheet else None,
        preview=_preview(sheet, board_token) if sheet else None,
        state=state_of(watched),
        poll=url_for("live.now", board_token=board_token),
        qr=qr_code(url_for("live.board", board_token=board_token, _external=True)),
    )
    return _private(make_response(page))


@blueprint.get(BOARD)
def now(board_token: str) -> Response:
    """Give the board as it stands, without the page around it; 304 when the one who asks has it; 404."""
    watched = _watched(board_token)
    state = state_of(watched)
    if request.if_none_match.contains_weak(state):
        response = Response(status=304)
    else:
        sheet = _sheet(watched)
        response = make_response(render_template("live/_board.html", board=board_view(sheet) if sheet else None))
    response.set_etag(state)
    return _private(response)


@blueprint.get("/live/<board_token>/result.png")
def picture(board_token: str) -> Response:
    """Draw the match as a picture, for the preview of the board's link where somebody sends it; 304, 404.

    Whoever has its address has the board's, and learns no more from it: it is shut with the board.
    """
    watched = _watched(board_token)
    if watched.match_id is None:
        raise NotFound("match")
    answer = picture_of(matches.get_match(guards.records(), watched.club_id, watched.match_id))
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"  # a messenger's page shows it, too
    return _private(answer)


def _watched(token: str) -> Watched:
    found = watch(guards.records(), token)
    if found is None:
        refuse_deleted_with(guards.records(), token)
        rate_limits.count_wrong_key()
        raise NotFound("live board")
    return found


def _sheet(watched: Watched) -> Sheet | None:
    if watched.match_id is None:
        return None
    match = matches.get_match(guards.records(), watched.club_id, watched.match_id)
    return load_sheet(guards.records(), match, last=1, rulings=False)


def _preview(sheet: Sheet, board_token: str) -> Preview:
    text = preview_text(sheet)
    address = url_for("live.picture", board_token=board_token, state=sheet.match.state, _external=True)
    said = summaries.result(sheet.match, sheet.winners) or summaries.title_of(sheet.match, sheet.players)
    return Preview(said, text, address)


def board_view(sheet: Sheet) -> BoardView:
    """Word a sheet for the board."""
    view = view_of(sheet, writable=False)
    last = sheet.last_round
    gains = last.points if last else {}
    return BoardView(
        title=view.title,
        letters=max(letters_of(word, lines=1) for word in view.title.split()),
        terms=view.terms,
        head_to_head=view.head_to_head,
        scene=view.scene,
        lines=[_line(line, gains.get(line.name, 0)) for line in view.standings],
        last=LastRound(summaries.round_title(sheet.round_count, sheet.terms), told(last)) if last else None,
    )


def _line(line: StandingLine, gained: int) -> BoardLine:
    two_lines = " " in line.name and len(line.name) >= LONG
    letters = letters_of(line.name, lines=2 if two_lines else 1)
    return BoardLine(line, summaries.signed(gained) if gained else "", letters, two_lines)


def _private(response: Response) -> Response:
    response.headers.update(PRIVATE)
    return response
