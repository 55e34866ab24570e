"""Clubs: who gets in by keys and invitations, their public pages, and their export and import."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from flask import current_app, request, url_for
from pydantic import Field
from sqlalchemy.exc import IntegrityError
from werkzeug.exceptions import Forbidden, UnsupportedMediaType
from werkzeug.wrappers import Response

from referee.records.club import access, links
from referee.records.errors import Conflict
from referee.records.match.sheets import club_rows, load_sheet, match_rows, to_csv
from referee.records.models import Club, Key, Match, Season
from referee.records.season.days import LONGEST_ZONE, find_zone
from referee.records.transfer.importing import Report, import_club
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import ENGLISH, speaking
from referee.web.api.endpoint import Answer, Moment, Request, Resource, idempotency_key
from referee.web.api.shapes import FieldProblem, Name, Word
from referee.web.server import guards, rate_limits
from referee.web.server.database import db, save
from referee.web.server.long_work import long_work, read_snapshot, reading_all_of, save_as
from referee.web.sharing.wording import public_page
from referee.web.transfer.forms import Pauses, club_schema, read_upload
from referee.web.transfer.views import export_file
from referee.web.words import say

resource = Resource("clubs")
public_pages = Resource("public")


class ClubRequest(Request):
    """A club to create."""

    name: Name
    time_zone: Annotated[str, Field(max_length=LONGEST_ZONE)] = Field(
        "", description="in which its days of play turn, such as Europe/Berlin; UTC where it is empty"
    )


class KeyRequest(Request):
    """A key to make."""

    role: Word
    name: Name


class InvitationRequest(Request):
    """The role of whoever is invited."""

    role: Word


class NewClubDocument(Answer):
    """A new club; its keys are shown only in this answer."""

    id: str
    name: str
    language: str
    """of boards, pictures and public pages: the one that the request was answered in"""
    time_zone: str = ""
    scorekeeper_key: str
    spectator_key: str


class KeyDocument(Answer):
    """A key, without its secret."""

    id: str
    role: str
    """`scorekeeper` or `spectator` of the club; of links `hand`, `board`, `public` or `table`, which keeps the score of
    one table until its evening ends"""
    name: str
    created_at: Moment
    opened_by: str | None
    """the key that let this one in; locking that one out locks out this one too"""
    imported: bool
    """true for a name that came with an import: nobody has this key"""
    revoked_at: Moment | None
    revoked_with: str | None
    """the key with which it was locked out"""
    yours: bool


class NewKeyDocument(KeyDocument):
    """A new key; its secret is shown only in this answer."""

    key: str


class KeysDocument(Answer):
    """All keys of a club."""

    keys: list[KeyDocument]


class OpenInvitationDocument(Answer):
    """An invitation that lets in one phone, once; its link was shown when it was made."""

    id: str
    role: str
    created_by: str | None
    """the key that made it; null if the server's host did"""
    created_at: Moment
    expires_at: Moment


class InvitationDocument(OpenInvitationDocument):
    """A new invitation, with its link."""

    link: str


class InvitationsDocument(Answer):
    """The invitations that can still be used."""

    invitations: list[OpenInvitationDocument]


class PublicDocument(Answer):
    """A public page: whether it is on, its address, and that of its picture.

    Addresses are null while it is off, and where its link was made under an older secret key of the server.
    """

    on: bool
    url: str | None
    picture: str | None


@resource.endpoint(
    "POST",
    "/clubs",
    access="anyone",
    body=ClubRequest,
    answer=NewClubDocument,
    status=201,
    problems=(403, 409, 410),
    headers={"Idempotency-Key": "22 to 200 random characters; a repeated request creates no second club"},
)
def create_club(body: ClubRequest) -> Mapping[str, Any]:
    """Create a club; its two keys are shown only in this answer."""
    if not current_app.config["SIGN_UP"]:
        raise Forbidden(say("request.sign-up"))
    if body.time_zone and find_zone(body.time_zone) is None:
        raise Impossible([Problem("time_zone", say("body.time-zone", zone=body.time_zone))])
    rate_limits.count_club()
    key = idempotency_key(shortest=22)  # which must be unguessable
    # "interface" keeps these apart from clubs founded on a page: their seeds are no secret
    seed = f"interface {key} {body.name}"
    tokens = links.derive_keys(current_app.config["SECRET_KEY"], seed) if key else None

    def found() -> tuple[Club, tuple[str, str]]:
        founded = access.find_key(guards.records(), tokens[0]) if tokens else None
        if tokens and founded:
            return founded[1], tokens
        if tokens:
            access.refuse_founded(guards.records(), tokens[0])
        try:
            new = access.create_club(guards.records(), body.name, tokens, time_zone=body.time_zone)
        except IntegrityError:
            raise Conflict(say("request.twin-club")) from None
        return new.club, (new.scorekeeper_token, new.spectator_token)

    club, (scorekeeper, spectator) = save(found)
    document = {"id": club.id, "name": club.name, "language": club.language, "time_zone": club.time_zone}
    return document | {"scorekeeper_key": scorekeeper, "spectator_key": spectator}


@resource.endpoint("GET", "/keys", access="scorekeeper", answer=KeysDocument)
def list_keys() -> Mapping[str, Any]:
    """List the club's keys, revoked ones too."""
    club = guards.get_club(write=True)
    return {"keys": [_key_document(key) for key in access.list_keys(guards.records(), club)]}


@resource.endpoint("POST", "/keys", body=KeyRequest, answer=NewKeyDocument, status=201)
def make_key(body: KeyRequest) -> Mapping[str, Any]:
    """Make a key; its secret is shown only in this answer."""

    def make() -> tuple[Key, str]:
        club, by = guards.get_club(write=True), guards.get_key()
        return access.make_key(guards.records(), club, body.role, body.name, by=by)

    key, token = save(make)
    return _key_document(key) | {"key": token}


@resource.endpoint("DELETE", "/keys/<key_id>", status=204, problems=(422,))
def revoke_key(key_id: str) -> None:
    """Lock out a key and all that it opened except the caller's; the last working scorekeeper key stays."""

    def lock_out() -> None:
        club = guards.get_club(write=True)
        key = access.get_key(guards.records(), club, key_id)
        access.lock_out(guards.records(), club, key, guards.get_key())

    save(lock_out)


@resource.endpoint("POST", "/invitations", body=InvitationRequest, answer=InvitationDocument, status=201)
def invite(body: InvitationRequest) -> Mapping[str, Any]:
    """Make a link that lets in one phone, once."""
    token = save(lambda: access.invite(guards.records(), guards.get_club(write=True), body.role, by=guards.get_key()))
    invitation, _ = access.open_invitation(guards.records(), token)
    link = url_for("api.description", _external=True).removesuffix(url_for("api.description")) + f"/join/{token}"
    return OpenInvitationDocument.model_validate(invitation).model_dump() | {"link": link}


@resource.endpoint("GET", "/invitations", access="scorekeeper", answer=InvitationsDocument)
def list_invitations() -> Mapping[str, Any]:
    """List the invitations that can still be used."""
    return {"invitations": access.list_invitations(guards.records(), guards.get_club(write=True))}


@resource.endpoint("DELETE", "/invitations/<invitation_id>", status=204, problems=(409,))
def revoke_invitation(invitation_id: str) -> None:
    """Revoke an invitation; 409 if a phone has already joined with it."""
    save(lambda: access.revoke_invitation(guards.records(), guards.get_club(write=True), invitation_id))


@public_pages.endpoint("GET", "/matches/<match_id>/public", answer=PublicDocument)
def match_page(match_id: str) -> Mapping[str, Any]:
    """Return whether a match has a public page, and its address."""
    return _document(*_shown(match_id))


@public_pages.endpoint("PUT", "/matches/<match_id>/public", answer=PublicDocument)
def open_match_page(match_id: str) -> Mapping[str, Any]:
    """Switch the public page of a match on; one that is on stays where it is."""
    return _open(lambda: _shown(match_id, write=True))


@public_pages.endpoint("DELETE", "/matches/<match_id>/public", status=204)
def close_match_page(match_id: str) -> None:
    """Switch the public page of a match off at once; the next one has another address."""
    save(lambda: links.close_public(guards.records(), *_shown(match_id, write=True)))


@public_pages.endpoint("GET", "/club/public", answer=PublicDocument)
def club_page() -> Mapping[str, Any]:
    """Return whether the club has a public page, and its address."""
    return _document(*_shown())


@public_pages.endpoint("PUT", "/club/public", answer=PublicDocument)
def open_club_page() -> Mapping[str, Any]:
    """Switch the club's public page on; one that is on stays where it is."""
    return _open(lambda: _shown(write=True))


@public_pages.endpoint("DELETE", "/club/public", status=204)
def close_club_page() -> None:
    """Switch the club's public page off at once; the next one has another address."""
    save(lambda: links.close_public(guards.records(), *_shown(write=True)))


@public_pages.endpoint("GET", "/seasons/<season_id>/public", answer=PublicDocument)
def season_page(season_id: str) -> Mapping[str, Any]:
    """Return whether a season has a public page, and its address."""
    return _document(*_season(season_id))


@public_pages.endpoint("PUT", "/seasons/<season_id>/public", answer=PublicDocument)
def open_season_page(season_id: str) -> Mapping[str, Any]:
    """Switch the public page of a season on; one that is on stays where it is."""
    return _open(lambda: _season(season_id, write=True))


@public_pages.endpoint("DELETE", "/seasons/<season_id>/public", status=204)
def close_season_page(season_id: str) -> None:
    """Switch the public page of a season off at once; the next one has another address."""
    save(lambda: links.close_public(guards.records(), *_season(season_id, write=True)))


def _season(season_id: str, *, write: bool = False) -> tuple[Club, Season]:
    return guards.get_club(write=write), guards.get_season(season_id, write=write)


def _shown(match_id: str | None = None, *, write: bool = False) -> tuple[Club, Match | None]:
    """Return what the page is about: a match and its club, or the whole club."""
    if match_id is None:
        return guards.get_club(write=write), None
    match = guards.get_match(match_id, write=write)
    return guards.records().get_one(Club, match.club_id), match


def _open(show: Callable[[], tuple[Club, links.Shown]]) -> Mapping[str, Any]:
    def open_page() -> tuple[Club, links.Shown]:
        club, shown = show()
        links.open_public(guards.records(), club, shown, current_app.config["SECRET_KEY"], guards.get_key())
        return club, shown

    return _document(*save(open_page))


def _document(club: Club, shown: links.Shown) -> dict[str, Any]:
    public = links.find_public(guards.records(), club, shown, current_app.config["SECRET_KEY"])
    page = public_page(public.token, "", "")
    return {"on": public.on, "url": page.address if page else None, "picture": page.picture if page else None}


def _key_document(key: Key) -> dict[str, Any]:
    """Return a key as `KeyDocument` has it: its columns, and whether this request came with it."""
    columns = {name: getattr(key, name) for name in KeyDocument.model_fields if name != "yours"}
    return columns | {"yours": key.id == guards.get_key().id}


transfer = Resource("transfer")
_KINDS = ("application/json", "application/gzip", "application/octet-stream")


class ReportDocument(Answer):
    """How much was imported, and how much was already there and stays unchanged."""

    players: int
    players_known: int
    matches: int
    matches_known: int
    matches_deleted: int
    matches_refused: int
    """because two who played there were merged in this club; the others were imported"""
    rounds: int
    rulings: int
    problems: list[FieldProblem]
    """why each was refused, at most 50"""


@transfer.endpoint("GET", "/export", file=_KINDS[0])
def export() -> Response:
    """Export the club as one document, which `import` reads back."""
    return export_file(guards.get_club())


@transfer.endpoint("GET", "/export/schema", access="anyone", file=_KINDS[0])
def export_form() -> Mapping[str, Any]:
    """Describe the format of that document (JSON Schema)."""
    return club_schema()


@transfer.endpoint("POST", "/import", takes=_KINDS[:2], answer=ReportDocument, problems=(400, 415, 422))
def import_document() -> Report:
    """Import such a document into an empty club, or into the club it came from; all or nothing."""
    if request.mimetype not in _KINDS:
        raise UnsupportedMediaType(say("body.kinds"))
    with long_work():
        return import_club(db.engine, *read_upload(request.get_data(cache=False)), pause=Pauses())


@transfer.endpoint("GET", "/matches/<match_id>.csv", file="text/csv")
def match_table(match_id: str) -> Response:
    """Return the rounds of a match as CSV, players side by side."""
    match = guards.get_match(match_id)
    rows = match_rows(load_sheet(guards.records(), match))
    with speaking(ENGLISH):
        return save_as(f"match-{match.id}.csv", "text/csv", to_csv(rows))


@transfer.endpoint("GET", "/rounds.csv", file="text/csv")
def club_table() -> Response:
    """Return all rounds of the club as CSV, one line for each player and round."""
    club = guards.get_club()
    with reading_all_of(club.id), speaking(ENGLISH):
        return save_as(f"rounds-{club.id}.csv", "text/csv", to_csv(read_snapshot(club_rows, club)))
