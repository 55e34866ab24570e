"""A club's players and phones, the invitations that bring phones in, and its recovery sheet.

Opening an invitation shows whose club it is and uses nothing up: messengers open links to draw a preview of them.
Accepting it does, once.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask_wtf import FlaskForm
from werkzeug.exceptions import TooManyRequests
from werkzeug.wrappers import Response
from wtforms import BooleanField

from referee.records.club import access, links, players
from referee.records.club.access import Voided
from referee.records.deletion.of_club import list_restorable
from referee.records.errors import Conflict, Gone, NotFound
from referee.records.ids import token_in_words
from referee.records.match.history import find_matches, list_matches
from referee.records.match.sheets import load_summaries
from referee.records.models import MARKER_COLORS, MARKER_SHAPES, Club, Invitation, Key, KeyRole, Player
from referee.records.words import say as say_of_records
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import joined, languages
from referee.web.deletion.views import restoring
from referee.web.page import layout
from referee.web.page.changes import leave_club
from referee.web.page.fields import LineField, WordField, attach_problems, in_form, listed, typed_over
from referee.web.page.match_wording import title_of
from referee.web.server import guards, local_time
from referee.web.server.database import save
from referee.web.sharing.wording import public_page, qr_code
from referee.web.words import say


class PlayerForm(FlaskForm):
    """A player's name, whether they still play, and their color and shape."""

    name = LineField()
    active = BooleanField()
    marker = WordField()

    @property
    def markers(self) -> list[tuple[str, str]]:
        """Return what can be picked and what it is called: a row for each shape, a column for each color."""
        markers = (f"{color}-{shape}" for shape in MARKER_SHAPES for color in MARKER_COLORS)
        return [(marker, say(f"marker.{marker}")) for marker in markers]

    @property
    def details(self) -> dict[str, Any]:
        """Return what was entered, by name."""
        return {field.name: field.data for field in self if field.type != "CSRFTokenField"}


class MergeForm(FlaskForm):
    """The player that another one turned out to be."""

    into = WordField()


class NameForm(FlaskForm):
    """A name."""

    name = LineField()


class ClubForm(NameForm):
    """The club's name, and the language of its boards, pictures and public pages."""

    language = WordField()


class WordsForm(FlaskForm):
    """The words of a recovery sheet."""

    words = LineField()


INVITES = {KeyRole.SCOREKEEPER: "invitation.to-keep-score", KeyRole.SPECTATOR: "invitation.to-watch"}
MOST_SHOWN = 50
"""Keys of one kind listed on the page: locked out, of single matches, or opened by another."""
MOST_NAMED = 3
"""Phones named in one message; of more, only the number."""


def keys_to_list(keys: Sequence[Key]) -> list[Key]:
    """Return all live keys, then the newest of those locked out or of single matches."""
    # a page is no phone, and has a switch of its own; the codes of an evening's tables stand on their sheets
    keys = [key for key in keys if key.role not in (KeyRole.PUBLIC, KeyRole.TABLE)]
    of_club = [key for key in keys if key.match_id is None]
    shown = [key for key in of_club if key.revoked_at is None]
    shown += [key for key in of_club if key.revoked_at is not None][-MOST_SHOWN:]
    return shown + [key for key in keys if key.match_id is not None][-MOST_SHOWN:]


def key_line(key: Key, names: Mapping[str, str]) -> str:
    """Return a line on a phone: what it does since when, who let it in; `names` are the keys' names by id."""
    if key.imported:
        return say("phone.imported")
    parts = [say(f"phone.{key.role}", day=local_time.day(key.created_at))]
    if opener := names.get(key.opened_by or ""):
        parts.append(say("phone.opened-by", name=opener))
    if key.revoked_at is not None:
        other = names.get(key.revoked_with or "")
        parts.append(say("phone.locked-out-with", name=other) if other else say("phone.locked-out"))
    return " · ".join(parts)


def locked_out_words(key: Key, voided: Voided) -> str:
    """Return the message that a phone is locked out, and what with it."""
    message = with_others("phone.is-locked-out", key, voided)
    if any(voided_key.recovers for voided_key in (key, *voided.keys)):
        message += f" {say('phone.new-sheet')}"
    return message


def with_others(sentence: str, key: Key, voided: Voided) -> str:
    """Return a sentence that names the phones that went with a key, or their number if they are many."""
    phones = [key.name for key in voided.keys if key.match_id is None]
    links = len(voided.keys) - len(phones)
    others = phones if len(phones) <= MOST_NAMED else [say("phone.phones", n=len(phones))]
    if links:
        others.append(say("phone.match-links", n=links))
    if voided.invitations:
        others.append(say("phone.invitations", n=voided.invitations))
    return say(f"{sentence}-with", name=key.name, others=joined(others)) if others else say(sentence, name=key.name)


blueprint = Blueprint("club", __name__)


@blueprint.get("/club")
def index() -> str:
    """Show players and phones; 401, 403."""
    return _page(guards.get_club(), opened=request.args.get("opened", ""))


@blueprint.post("/club")
def rename() -> Response | tuple[str, int]:
    """Change the club's name and language; 401, 403, 422."""
    form = ClubForm()

    def change() -> tuple[str, str]:
        mine = guards.get_club(write=True)
        name = typed_over(form["name"].data or "", mine.name)
        access.rename_club(guards.records(), mine, name, form.language.data or mine.language)
        return say("clubs.saved"), ""

    return _change(change, form, "club")


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

    def change() -> tuple[str, str]:
        key = _key(key_id)
        access.rename_key(key, typed_over(form["name"].data or "", key.name))
        return say("clubs.saved"), ""

    return _change(change, form, key_id)


@blueprint.post("/club/keys/<key_id>/revoke")
def revoke_key(key_id: str) -> Response | tuple[str, int]:
    """Lock a phone out, with all it let in; 401, 403, 404, 422 for the last one that may write.

    Those whose boxes were on the page (`shown`) but not checked (`with`) stay.
    """
    chosen = set(request.form.getlist("with"))
    kept = set(request.form.getlist("shown")) - chosen

    def lock_out() -> tuple[str, str]:
        key, mine = _key(key_id), guards.get_club(write=True)
        voided = access.lock_out(guards.records(), mine, key, guards.get_key(), kept, chosen)
        return locked_out_words(key, voided), "" if key.recovers else url_for("club.readmit_key", key_id=key_id)

    return _change(lock_out, NameForm(), key_id)


@blueprint.post("/club/keys/<key_id>/readmit")
def readmit_key(key_id: str) -> Response | tuple[str, int]:
    """Let a phone in again, with those locked out with it; 401, 403, 404, 422 for a recovery sheet or imported key."""

    def let_in() -> tuple[str, str]:
        key, mine = _key(key_id), guards.get_club(write=True)
        back = access.let_in_again(guards.records(), mine, key, guards.get_key())
        return with_others("phone.is-back", key, back), ""

    return _change(let_in, NameForm(), key_id)


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
    qr = qr_code(f"{address}#{token_words.replace(' ', '-')}")
    return render_template("club/recovery.html", club=guards.get_club(), words=token_words, address=address, qr=qr)


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

    try:
        save(lambda: access.lock_out(guards.records(), guards.get_club(), guards.get_key(), guards.get_key()))
    except Impossible as error:
        return _again(NameForm(), error, "leave")
    return leave_club()


def _come_in(form: WordsForm) -> str:
    errors = {"words": form.words.errors}
    return render_template("club/recover.html", words=form.words.data or "", problems=listed(form), errors_of=errors)


def saved(message: str, undo: str = "", opened: str = "") -> Response:
    """Redirect to the club's page with a message, perhaps to a part of its settings."""
    layout.announce(message, undo=undo)
    return layout.go(url_for("club.index", opened=opened or None, _anchor=opened or None))


def _change(change: Callable[[], tuple[str, str]], form: Any, opened: str) -> Response | tuple[str, int]:
    """Make a change, which returns what to say and the address of its undo, or show its form with what is wrong."""
    try:
        return saved(*save(change))
    except Impossible as error:
        return _again(form, error, opened)


def _again(form: Any, error: Impossible, opened: str) -> tuple[str, int]:
    attach_problems(form, error.problems)
    return _page(guards.get_club(), form, opened), 422


def _page(mine: Club, form: Any = None, opened: str = "", invited: dict[str, Any] | None = None) -> str:
    session, caller = guards.records(), guards.holder()
    everyone = players.list_players(session, mine)
    shown = len(everyone) if request.args.get("players") == "all" else 100
    keys, own = access.list_keys(session, mine), caller[0].id if caller else ""
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
            (title_of(of.match, of.players), [key for key in listed_keys if key.match_id == of.match.id])
            for of in load_summaries(session, of_matches)
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
        moment=datetime.fromisoformat,
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

    def change() -> str:
        player = guards.get_player(player_id, write=True)
        players.change_player(guards.records(), guards.get_club(), player, **form.details)
        return say("clubs.player-saved", name=player.name)

    return _change_player(player_id, form, change, "name")


@blueprint.post("/club/players/<player_id>/merge")
def merge_player(player_id: str) -> Response | tuple[str, int]:
    """Merge two players who are one person; 401, 403, 404, 422."""
    form = MergeForm()

    def merge() -> str:
        merged = guards.get_player(player_id, write=True)
        if not form.into.data:
            raise Impossible([Problem("into", say("clubs.choose-player"))])
        into = guards.get_player(form.into.data)
        players.merge_players(guards.records(), guards.get_club(), merged, into)
        return say("clubs.player-merged", name=merged.name, into=into.name)

    return _change_player(player_id, form, merge, "into")


def _change_player(player_id: str, form: Any, change: Callable[[], str], field: str) -> Response | tuple[str, int]:
    try:
        return saved(save(change))
    except Impossible as error:
        attach_problems(form, error.problems, {"id": field})
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
    return _join_page(token, invitation, club)


@blueprint.post("/join/<token>")
def accept(token: str) -> Response | tuple[str, int]:
    """Turn the invitation into this browser's key; 404, 410, 422 for a bad name."""
    invitation, club = _open(token)
    try:
        _key, key_token = save(lambda: access.accept(guards.records(), token, request.form.get("name", "")))
    except Impossible as error:
        return _join_page(token, invitation, club, error.problems), 422
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


def _join_page(token: str, invitation: Invitation, club: Club, problems: Sequence[Problem] = ()) -> str:
    newest = load_summaries(guards.records(), list_matches(guards.records(), club, limit=1).matches)
    return render_template(
        "club/join.html",
        club=club.name,
        hosts=newest[0].players if newest else [club.name],
        invites_to=MAY[KeyRole(invitation.role)],
        address=path_of(token),
        name=request.form.get("name", ""),
        errors=[problem.message for problem in problems],
    )
