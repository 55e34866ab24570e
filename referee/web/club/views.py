"""A club's players and phones, the invitations that bring phones in, and its recovery sheet.

Opening an invitation shows whose club it is and uses nothing up: messengers open links to draw a preview of them.
Accepting it does, once.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from werkzeug.exceptions import TooManyRequests
from werkzeug.wrappers import Response

from referee.records.club import access, links, players
from referee.records.deletion.of_club import list_restorable
from referee.records.errors import Conflict, Gone, NotFound
from referee.records.ids import token_in_words
from referee.records.match.history import find_matches
from referee.records.match.sheets import load_summaries
from referee.records.models import Club, Invitation, Key, KeyRole, Player
from referee.records.words import say as say_of_records
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import languages
from referee.web.club.forms import ClubForm, MergeForm, NameForm, PlayerForm, WordsForm
from referee.web.club.wording import INVITES, MOST_SHOWN, back_words, key_line, keys_to_list, locked_out_words
from referee.web.deletion.views import restoring
from referee.web.page import layout
from referee.web.page.fields import attach_problems, in_form, listed, typed_over
from referee.web.page.match_wording import title_of
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.sharing.wording import public_page, qr_code
from referee.web.words import say

blueprint = Blueprint("club", __name__)

PLAYERS_SHOWN = 100
"""Players on the page; the rest comes on demand."""


@blueprint.get("/club")
def index() -> str:
    """Show players and phones; 401, 403."""
    return _page(guards.get_club(), opened=request.args.get("opened", ""))


@blueprint.post("/club")
def rename() -> Response | tuple[str, int]:
    """Change the club's name and language; 401, 403, 422."""
    form = ClubForm()

    def change() -> None:
        mine = guards.get_club(write=True)
        name = typed_over(form["name"].data or "", mine.name)
        access.rename_club(guards.records(), mine, name, form.language.data or mine.language)

    try:
        save(change)
    except Impossible as error:
        return _again(form, error, "club")
    return saved(say("clubs.saved"))


@blueprint.post("/club/public")
def open_public() -> Response:
    """Switch the club's public page on; 401, 403."""
    secret = current_app.config["SECRET_KEY"]
    save(lambda: links.open_public(guards.records(), guards.get_club(write=True), None, secret, guards.get_key()))
    return saved(say("public-page.is-on"), opened="public")


@blueprint.post("/club/public/close")
def close_public() -> Response:
    """Switch that page off at once; 401, 403."""
    save(lambda: links.close_public(guards.records(), guards.get_club(write=True), None))
    return saved(say("public-page.is-off"), opened="public")


@blueprint.post("/club/invitations")
def invite() -> str:
    """Make a one-time link and show it with its QR code on the club's page; 401, 403, 422."""
    role = request.form.get("role", "")
    token = save(lambda: access.invite(guards.records(), guards.get_club(write=True), role, guards.get_key()))
    link = request.host_url.rstrip("/") + request.script_root + path_of(token)
    return _page(guards.get_club(), invited={"role": role, "link": link, "qr": qr_code(link)})


@blueprint.post("/club/invitations/<invitation_id>/revoke")
def revoke_invitation(invitation_id: str) -> Response:
    """Revoke an invitation, or say that a phone has used it already; 401, 403, 404."""
    try:
        save(lambda: access.revoke_invitation(guards.records(), guards.get_club(write=True), invitation_id))
    except Conflict as error:
        return saved(str(error))
    return saved(say("invitation.revoked"))


@blueprint.post("/club/keys/<key_id>")
def rename_key(key_id: str) -> Response | tuple[str, int]:
    """Rename a phone; 401, 403, 404, 422."""
    form = NameForm()

    def change() -> None:
        key = _key(key_id)
        access.rename_key(key, typed_over(form["name"].data or "", key.name))

    try:
        save(change)
    except Impossible as error:
        return _again(form, error, key_id)
    return saved(say("clubs.saved"))


@blueprint.post("/club/keys/<key_id>/revoke")
def revoke_key(key_id: str) -> Response | tuple[str, int]:
    """Lock a phone out, with all it let in; 401, 403, 404, 422 for the last one that may write.

    Those whose boxes were on the page (`shown`) but not checked (`with`) stay.
    """
    chosen = set(request.form.getlist("with"))
    kept = set(request.form.getlist("shown")) - chosen

    def lock_out() -> tuple[Key, access.Voided]:
        key, mine = _key(key_id), guards.get_club(write=True)
        return key, access.lock_out(guards.records(), mine, key, guards.get_key(), kept, chosen)

    try:
        key, voided = save(lock_out)
    except Impossible as error:
        return _again(NameForm(), error, key_id)
    undo = "" if key.recovers else url_for("club.readmit_key", key_id=key_id)
    return saved(locked_out_words(key, voided), undo)


@blueprint.post("/club/keys/<key_id>/readmit")
def readmit_key(key_id: str) -> Response | tuple[str, int]:
    """Let a phone in again, with those locked out with it; 401, 403, 404, 422 for a recovery sheet or imported key."""

    def let_in() -> tuple[Key, access.Voided]:
        key, mine = _key(key_id), guards.get_club(write=True)
        return key, access.let_in_again(guards.records(), mine, key, guards.get_key())

    try:
        key, back = save(let_in)
    except Impossible as error:
        return _again(NameForm(), error, key_id)
    return saved(back_words(key, back))


def _key(key_id: str) -> Key:
    return access.get_key(guards.records(), guards.get_club(write=True), key_id)


@blueprint.get("/club/recovery")
def recovery_sheet() -> str:
    """Show the button that makes a recovery sheet; 401, 403."""
    return render_template("club/recovery.html", club=guards.get_club(write=True), words=None)


@blueprint.post("/club/recovery")
def make_recovery_sheet() -> str:
    """Make a recovery sheet and show it, this once; 401, 403."""
    token = save(lambda: access.make_recovery_key(guards.records(), guards.get_club(write=True), guards.get_key()))
    address = url_for("club.recover", _external=True)
    token_words = token_in_words(token)
    return render_template(
        "club/recovery.html",
        club=guards.get_club(),
        words=token_words,
        address=address,
        qr=qr_code(f"{address}#{token_words.replace(' ', '-')}"),
    )


@blueprint.route("/recover", methods=["GET", "POST"])
def recover() -> str | Response | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Let a phone in by the words of a recovery sheet; 422 for wrong ones, 429 for too many tries."""
    form = WordsForm()
    if request.method == "GET":
        return _come_in(form)
    token = save(lambda: access.recover(guards.records(), form.words.data or ""))
    if token is None:
        form.words.errors = [say("clubs.wrong-words")]
        try:
            guards.count_unknown(form.words.data or "")
        except TooManyRequests as error:
            form.words.errors = [say("clubs.too-many-tries")]
            return _come_in(form), 429, {"Retry-After": str(error.retry_after)}
        return _come_in(form), 422
    guards.keep_token(token)
    return layout.go(url_for("start.index"))


@blueprint.post("/club/leave")
def leave() -> Response | tuple[str, int]:
    """Lock this phone's key out and drop it; 401, 403, 422 for the last one that may write."""

    def leave() -> None:
        mine, key = guards.get_club(), guards.get_key()
        access.lock_out(guards.records(), mine, key, key)

    try:
        save(leave)
    except Impossible as error:
        return _again(NameForm(), error, "leave")
    guards.drop_token()
    answer = layout.go(url_for("start.index"))
    if guards.holder() is None:  # what is kept for playing offline belongs to that club
        answer.headers["Clear-Site-Data"] = '"cache", "storage"'
    return answer


def _come_in(form: WordsForm) -> str:
    return render_template(
        "club/recover.html",
        words=form.words.data or "",
        problems=listed(form),
        errors_of={"words": form.words.errors},
    )


def saved(message: str, undo: str = "", opened: str = "") -> Response:
    """Redirect to the club's page with a message, perhaps to a part of its settings."""
    layout.announce(message, undo=undo)
    return layout.go(url_for("club.index", opened=opened or None, _anchor=opened or None))


def _again(form: Any, error: Impossible, opened: str) -> tuple[str, int]:
    attach_problems(form, error.problems)
    return _page(guards.get_club(), form, opened), 422


def _page(mine: Club, form: Any = None, opened: str = "", invited: dict[str, Any] | None = None) -> str:
    session = guards.records()
    everyone = players.list_players(session, mine)
    shown = len(everyone) if request.args.get("players") == "all" else PLAYERS_SHOWN
    keys = access.list_keys(session, mine)
    caller = guards.holder()
    own = caller[0].id if caller else ""
    errors = {field.name: field.errors for field in form} if form is not None else {}
    listed_keys, names, tree = keys_to_list(keys), {key.id: key.name for key in keys}, access.openings(keys)
    of_club = [key for key in listed_keys if key.match_id is None]
    of_matches = find_matches(session, mine, (key.match_id for key in listed_keys if key.match_id))

    def let_in(key: Key) -> list[Key]:
        return [guest for guest in access.opened_by(tree, key, (own,), MOST_SHOWN) if guest.match_id is None]

    typed = form["name"].data if form is not None and "name" in form else None
    public = links.find_public(session, mine, None, current_app.config["SECRET_KEY"])
    return render_template(
        "club/club.html",
        club=mine,
        players=everyone[:shown],
        player_count=len(everyone),
        phones=[key for key in of_club if key.revoked_at is None],
        locked_out=[key for key in of_club if key.revoked_at is not None],
        links=[
            (
                title_of(summary.match, summary.players),
                [key for key in listed_keys if key.match_id == summary.match.id],
            )
            for summary in load_summaries(session, of_matches)
        ],
        last=next((say_of_records("access.last") for key in keys if key.id == own and access.is_last(keys, key)), ""),
        links_opened={"links", *(key.id for key in listed_keys if key.match_id)},
        invited=invited,
        own=own,
        names=names,
        key_line=key_line,
        let_in=let_in,
        imported=say_of_records("access.imported"),
        invitations=access.list_invitations(session, mine) if guards.may_write() else (),
        invites=INVITES,
        may_write=guards.may_write(),
        is_public=public.on,
        public=public_page(public.token, say("public-page.club-title", club=mine.name), say("public-page.club-invite")),
        deleted=list_restorable(session, mine.id) if guards.may_write() else (),
        restoring=restoring,
        opened=opened,
        typed=typed,
        club_name=typed if opened == "club" and typed is not None else in_form(mine.name),
        in_form=in_form,
        club_language=mine.language,
        languages=[(lang.code, lang.name) for lang in languages().values() if lang.whole or lang.code == mine.language],
        problems=listed(form) if form is not None else (),
        errors_of=errors | ({"id": form.form_errors} if form is not None else {}),
    )


@blueprint.get("/club/players/<player_id>")
def player(player_id: str) -> str:
    """Show the form of a player; 401, 403, 404."""
    return _player_page(guards.get_player(player_id, write=True))


@blueprint.post("/club/players/<player_id>")
def change_player(player_id: str) -> Response | tuple[str, int]:
    """Rename a player, set whether they still play, or their color and shape; 401, 403, 404, 422."""
    form = PlayerForm()

    def change() -> Player:
        changed = guards.get_player(player_id, write=True)
        players.change_player(guards.records(), guards.get_club(), changed, **form.details)
        return changed

    try:
        player = save(change)
    except Impossible as error:
        return _player_again(player_id, form, error)
    return saved(say("clubs.player-saved", name=player.name))


@blueprint.post("/club/players/<player_id>/merge")
def merge_player(player_id: str) -> Response | tuple[str, int]:
    """Merge two players who are one person; 401, 403, 404, 422."""
    form = MergeForm()

    def merge() -> tuple[Player, Player]:
        merged = guards.get_player(player_id, write=True)
        if not form.into.data:
            raise Impossible([Problem("into", say("clubs.choose-player"))])
        into = guards.get_player(form.into.data)
        players.merge_players(guards.records(), guards.get_club(), merged, into)
        return merged, into

    try:
        player, into = save(merge)
    except Impossible as error:
        return _player_again(player_id, form, error)
    return saved(say("clubs.player-merged", name=player.name, into=into.name))


def _player_again(player_id: str, form: Any, error: Impossible) -> tuple[str, int]:
    attach_problems(form, error.problems, {"id": "into" if isinstance(form, MergeForm) else "name"})
    return _player_page(guards.get_player(player_id, write=True), form), 422


def _player_page(player: Player, form: PlayerForm | MergeForm | None = None) -> str:
    club = guards.get_club(write=True)
    everyone = players.list_players(guards.records(), club)
    details = form if isinstance(form, PlayerForm) else PlayerForm(formdata=None, obj=player)
    return render_template(
        "club/player.html",
        player=player,
        into=players.get_player(guards.records(), club.id, player.merged_into) if player.merged_into else None,
        form=details,
        others=[("", "…"), *((other.id, other.name) for other in everyone if other.id != player.id)],
        chosen=form["into"].data if isinstance(form, MergeForm) else "",
        problems=listed(form) if form is not None else (),
        errors_of={field.name: field.errors for field in form} if form is not None else {},
    )


def path_of(token: str) -> str:
    """Return the path, without the host, under which an invitation is accepted."""
    return f"/join/{quote(token)}"


@blueprint.get("/join/<token>")
def join(token: str) -> str:
    """Show whose club the invitation leads into; 404, 410."""
    invitation, club = _open(token)
    return _join_page(token, invitation, club.name)


@blueprint.post("/join/<token>")
def accept(token: str) -> Response | tuple[str, int]:
    """Turn the invitation into this browser's key; 404, 410, 422 for a bad name."""
    invitation, club = _open(token)
    try:
        _key, key_token = save(lambda: access.accept(guards.records(), token, request.form.get("name", "")))
    except Impossible as error:
        return _join_page(token, invitation, club.name, error.problems), 422
    guards.keep_token(key_token)
    return redirect("/", 303)


def _open(token: str) -> tuple[Invitation, Club]:
    """Return an invitation and its club; 404, 410, and 429 for those who guess."""
    try:
        return access.open_invitation(guards.records(), token)
    except (NotFound, Gone):
        guards.count_unknown(token)
        raise


MAY = {KeyRole.SCOREKEEPER: "invitation.joins-to-keep-score", KeyRole.SPECTATOR: "invitation.joins-to-watch"}


def _join_page(token: str, invitation: Invitation, club: str, problems: Sequence[Problem] = ()) -> str:
    return render_template(
        "club/join.html",
        club=club,
        lead=say(MAY[KeyRole(invitation.role)]),
        address=path_of(token),
        name=request.form.get("name", ""),
        errors=[problem.message for problem in problems],
    )
