"""The club: its players, its phones, its recovery sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import current_app, render_template, request, url_for
from werkzeug.exceptions import TooManyRequests
from werkzeug.wrappers import Response

from referee.records import access, links, lockout, players
from referee.records.deletion import waiting
from referee.records.errors import Conflict
from referee.records.history import find_matches
from referee.records.models import Club, DeletionKind, Key
from referee.records.sheets import load_summaries
from referee.records.tokens import token_in_words
from referee.records.words import say as say_of_records
from referee.rules.problem import Impossible
from referee.web.club.deleting import restoring
from referee.web.club.forms import NameForm, WordsForm
from referee.web.club.invitations import path_of
from referee.web.page import layout
from referee.web.page.problems import listed, place
from referee.web.score.phones import back_words, invitation_lines, key_lines, locked_out_words
from referee.web.score.room import blueprint
from referee.web.score.summaries import joined, title_of
from referee.web.server import guards, local_time, rate_limits
from referee.web.server.extensions import db
from referee.web.sharing.wording import public_page, qr_code
from referee.web.words import say

PLAYERS_SHOWN = 100
"""Players on the page; the rest comes on demand."""


@blueprint.get("/club")
def club() -> str:
    """Show players and phones; 401, 403."""
    return _page(guards.get_club())


@blueprint.post("/club")
def rename_club() -> Response | tuple[str, int]:
    """Give the club another name; 401, 403, 422."""
    form = NameForm()
    mine = guards.get_club(write=True)
    try:
        access.rename_club(guards.records(), mine, form["name"].data or "")
    except Impossible as error:
        return _again(form, error, "club")
    return saved(say("clubs.saved"))


@blueprint.post("/club/public")
def open_public() -> Response:
    """Switch the club's public page on; 401, 403."""
    mine = guards.get_club(write=True)
    links.open_public(guards.records(), mine, None, current_app.config["SECRET_KEY"], guards.get_key())
    return saved(say("public-page.is-on"))


@blueprint.post("/club/public/close")
def close_public() -> Response:
    """Switch that page off at once; 401, 403."""
    links.close_public(guards.records(), guards.get_club(write=True), None)
    return saved(say("public-page.is-off"))


@blueprint.post("/club/invitations")
def invite() -> str:
    """Make a one-time link and show it with its QR code; 401, 403, 422."""
    mine = guards.get_club(write=True)
    role = request.form.get("role", "")
    token = access.invite(guards.records(), mine, role, guards.get_key(write=True))
    db.session.commit()
    link = request.host_url.rstrip("/") + request.script_root + path_of(token)
    return render_template("score/invitation.html", role=role, link=link, qr=qr_code(link))


@blueprint.post("/club/invitations/<invitation_id>/revoke")
def revoke_invitation(invitation_id: str) -> Response:
    """Make an invitation void, or say that a phone came in by it already; 401, 403, 404."""
    try:
        access.revoke_invitation(guards.records(), guards.get_club(write=True), invitation_id)
    except Conflict as error:
        return saved(str(error))
    return saved(say("invitation.revoked"))


@blueprint.post("/club/keys/<key_id>")
def rename_key(key_id: str) -> Response | tuple[str, int]:
    """Call a phone by another name; 401, 403, 404, 422."""
    key, form = _key(key_id), NameForm()
    try:
        access.rename_key(key, form["name"].data or "")
    except Impossible as error:
        return _again(form, error, key_id)
    return saved(say("clubs.saved"))


@blueprint.post("/club/keys/<key_id>/revoke")
def revoke_key(key_id: str) -> Response | tuple[str, int]:
    """Lock a phone out, with all that it opened; 401, 403, 404, 422 for the last one that may write.

    Of what it opened, those stay whose boxes were on the page (`shown`) and left empty (`with`).
    """
    key, form = _key(key_id), NameForm()
    chosen = set(request.form.getlist("with"))
    kept = set(request.form.getlist("shown")) - chosen
    try:
        voided = lockout.lock_out(guards.records(), guards.get_club(write=True), key, guards.get_key(), kept, chosen)
    except Impossible as error:
        return _again(form, error, key_id)
    undo = "" if key.name == access.RECOVERY_SHEET else url_for("score.readmit_key", key_id=key_id)
    return saved(locked_out_words(key, voided), undo)


@blueprint.post("/club/keys/<key_id>/readmit")
def readmit_key(key_id: str) -> Response | tuple[str, int]:
    """Let a phone in again, with what went with it; 401, 403, 404, 422 for a recovery sheet or an imported name."""
    key, form = _key(key_id), NameForm()
    try:
        back = lockout.let_in_again(guards.records(), guards.get_club(write=True), key, guards.get_key())
    except Impossible as error:
        return _again(form, error, key_id)
    return saved(back_words(key, back))


def _key(key_id: str) -> Key:
    return access.get_key(guards.records(), guards.get_club(write=True), key_id)


@blueprint.get("/club/recovery")
def recovery_sheet() -> str:
    """Offer to make a recovery sheet; 401, 403."""
    return render_template("score/recovery.html", club=guards.get_club(write=True), words=None)


@blueprint.post("/club/recovery")
def make_recovery_sheet() -> str:
    """Make the recovery sheet and show it, once; 401, 403."""
    mine = guards.get_club(write=True)
    token = access.make_recovery_key(guards.records(), mine, guards.get_key())
    db.session.commit()
    address = url_for("score.recover", _external=True)
    said = token_in_words(token)
    return render_template(
        "score/recovery.html", club=mine, words=said, address=address, qr=qr_code(f"{address}#{said.replace(' ', '-')}")
    )


@blueprint.route("/recover", methods=["GET", "POST"])
def recover() -> str | Response | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Come back into a club with the words of its recovery sheet; 422 for wrong ones, 429 for too many."""
    form = WordsForm()
    if request.method == "GET":
        return _come_in(form)
    token = access.recover(guards.records(), form.words.data or "")
    if token is None:
        form.words.errors = [say("clubs.wrong-words")]
        try:
            rate_limits.count_wrong_key()
        except TooManyRequests as error:
            form.words.errors = [say("clubs.too-many-tries")]
            return _come_in(form), 429, {"Retry-After": str(error.retry_after)}
        return _come_in(form), 422
    db.session.commit()
    guards.keep_token(token)
    return layout.go(url_for("start.index"))


@blueprint.post("/club/leave")
def leave_club() -> Response | tuple[str, int]:
    """Let this phone forget the club, and lock its key out; 401, 403, 422 for the last one that may write."""
    mine = guards.get_club()
    key = guards.get_key()
    try:
        lockout.lock_out(guards.records(), mine, key, key)
    except Impossible as error:
        return _again(NameForm(), error, "leave")
    db.session.commit()
    guards.drop_token()
    answer = layout.go(url_for("start.index"))
    if guards.holder() is None:  # what is kept for playing offline belongs to that club
        answer.headers["Clear-Site-Data"] = '"cache", "storage"'
    return answer


def _come_in(form: WordsForm) -> str:
    return render_template(
        "score/come_in.html",
        words=form.words.data or "",
        problems=listed(form),
        errors_of={"words": form.words.errors},
    )


def saved(said: str, undo: str = "") -> Response:
    """Commit, and say so on the club's page."""
    db.session.commit()
    layout.say(said, undo=undo)
    return layout.go(url_for("score.club"))


def _again(form: Any, error: Impossible, opened: str, names: dict[str, str] | None = None) -> tuple[str, int]:
    db.session.rollback()
    place(form, error.problems, names)
    return _page(guards.get_club(), form, opened), 422


def _page(mine: Club, form: Any = None, opened: str = "") -> str:
    session = guards.records()
    everyone = players.list_players(session, mine)
    shown = len(everyone) if request.args.get("players") == "all" else PLAYERS_SHOWN
    keys = access.list_keys(session, mine)
    found = guards.holder()
    own = found[0].id if found else ""
    errors = {field.name: field.errors for field in form} if form is not None else {}
    lines = key_lines(keys, own)
    of_matches = find_matches(session, mine, (line.match_id for line in lines if line.match_id))
    typed = form["name"].data if form is not None and "name" in form else None
    public = links.find_public(session, mine, None, current_app.config["SECRET_KEY"])
    return render_template(
        "score/club.html",
        club=mine,
        players=everyone[:shown],
        player_count=len(everyone),
        phones=[line for line in lines if not line.match_id and not line.revoked],
        locked_out=[line for line in lines if not line.match_id and line.revoked],
        links=[
            (
                title_of(summary.match, summary.players),
                [line for line in lines if line.match_id == summary.match.id],
            )
            for summary in load_summaries(session, of_matches)
        ],
        last=next((say_of_records("access.last") for key in keys if key.id == own and lockout.is_last(keys, key)), ""),
        invitations=invitation_lines(keys, access.list_invitations(session, mine)) if guards.may_write() else (),
        may_write=guards.may_write(),
        is_public=public.on,
        public=public_page(
            public.token, say("public-page.club-title", club=mine.name), say("public-page.club-invite")
        ),
        deleted=_deleted(mine) if guards.may_write() else (),
        opened=opened,
        typed=typed,
        club_name=typed if opened == "club" and typed is not None else mine.name,
        problems=listed(form) if form is not None else (),
        errors_of=errors | ({"id": form.form_errors} if form is not None else {}),
    )


@dataclass(frozen=True)
class DeletedLine:
    """A match or a name that can be restored."""

    title: str
    until: str
    action: str
    kind: str


def _deleted(mine: Club) -> list[DeletedLine]:
    """List what was deleted and can be restored, the latest first."""
    return [
        DeletedLine(
            title=summary["name"] if "name" in summary else joined(summary["players"]),
            until=say("deletion.line", until=local_time.day(waiting.until(one))),
            action=restoring(DeletionKind(one.kind), one.id),
            kind=say(f"deletion.{one.kind}-restore"),
        )
        for one, summary in waiting.list_restorable(guards.records(), mine.id)
    ]
