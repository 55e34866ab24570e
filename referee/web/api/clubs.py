"""Clubs, their keys and invitations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import current_app, url_for
from sqlalchemy.exc import IntegrityError
from werkzeug.exceptions import Forbidden

from referee.records import access, lockout
from referee.records.errors import Conflict
from referee.records.links import derive_token
from referee.records.models import Invitation, Key
from referee.web.api.endpoint import Resource, idempotency_key, respond
from referee.web.api.schemas import (
    ClubRequest,
    InvitationDocument,
    InvitationRequest,
    InvitationsDocument,
    KeyRequest,
    KeysDocument,
    NewClubDocument,
    NewKeyDocument,
)
from referee.web.server import guards, rate_limits
from referee.web.server.extensions import db
from referee.web.words import say

resource = Resource("clubs")
CLUBS = "30 per hour"


@resource.endpoint(
    "POST",
    "/clubs",
    access="anyone",
    body=ClubRequest,
    answer=NewClubDocument,
    status=201,
    problems=(403, 409),
    headers={"Idempotency-Key": "22 to 200 random characters; a repeated request creates no second club"},
)
def found_club(body: ClubRequest) -> Mapping[str, Any]:
    """Create a club; its two keys are shown only in this answer."""
    if not current_app.config["SIGN_UP"]:
        raise Forbidden(say("request.sign-up"))
    rate_limits.count(CLUBS, "clubs")
    tokens = _tokens_of_request(body.name)
    founded = access.find_key(guards.records(), tokens[0]) if tokens else None
    club = founded[1] if founded else None
    if club is None:
        try:
            new = access.create_club(guards.records(), body.name, tokens)
        except IntegrityError:
            raise Conflict(say("request.twin-club")) from None
        club, tokens = new.club, (new.scorekeeper_token, new.spectator_token)
    assert tokens is not None
    document = {"id": club.id, "name": club.name, "scorekeeper_key": tokens[0], "spectator_key": tokens[1]}
    db.session.commit()
    return document


def _tokens_of_request(name: str) -> tuple[str, str] | None:
    """Derive the tokens of a request that may be repeated; its key must be unguessable."""
    key, secret = idempotency_key(shortest=22), str(current_app.config["SECRET_KEY"])
    if key is None:
        return None
    return derive_token(secret, f"scorekeeper {key} {name}"), derive_token(secret, f"spectator {key} {name}")


@resource.endpoint("GET", "/keys", access="scorekeeper", answer=KeysDocument)
def list_keys() -> Mapping[str, Any]:
    """List the club's keys, revoked ones too."""
    club = guards.get_club(write=True)
    return {"keys": [_key_document(key) for key in access.list_keys(guards.records(), club)]}


@resource.endpoint("POST", "/keys", access="scorekeeper", body=KeyRequest, answer=NewKeyDocument, status=201)
def make_key(body: KeyRequest) -> Mapping[str, Any]:
    """Make a key; its secret is shown only in this answer."""
    club, by = guards.get_club(write=True), guards.get_key()
    key, token = access.make_key(guards.records(), club, body.role, body.name, by=by)
    document = _key_document(key) | {"key": token}
    db.session.commit()
    return document


@resource.endpoint("DELETE", "/keys/<key_id>", access="scorekeeper", status=204, problems=(422,))
def revoke_key(key_id: str) -> Any:
    """Lock out a key and all that it opened except the caller's; the last working scorekeeper key stays."""
    club = guards.get_club(write=True)
    key = access.get_key(guards.records(), club, key_id)
    lockout.lock_out(guards.records(), club, key, guards.get_key())
    db.session.commit()
    return respond(None, 204)


@resource.endpoint(
    "POST", "/invitations", access="scorekeeper", body=InvitationRequest, answer=InvitationDocument, status=201
)
def invite(body: InvitationRequest) -> Mapping[str, Any]:
    """Make a link that lets in one phone, once."""
    club = guards.get_club(write=True)
    token = access.invite(guards.records(), club, body.role, by=guards.get_key())
    invitation, _ = access.open_invitation(guards.records(), token)
    link = url_for("api.description", _external=True).removesuffix(url_for("api.description")) + f"/join/{token}"
    document = {"link": link} | _invitation_document(invitation)
    db.session.commit()
    return document


@resource.endpoint("GET", "/invitations", access="scorekeeper", answer=InvitationsDocument)
def list_invitations() -> Mapping[str, Any]:
    """List the invitations that can still be used."""
    open_ones = access.list_invitations(guards.records(), guards.get_club(write=True))
    return {"invitations": [_invitation_document(invitation) for invitation in open_ones]}


@resource.endpoint("DELETE", "/invitations/<invitation_id>", access="scorekeeper", status=204, problems=(409,))
def revoke_invitation(invitation_id: str) -> Any:
    """Revoke an invitation; 409 if a phone has already joined with it."""
    access.revoke_invitation(guards.records(), guards.get_club(write=True), invitation_id)
    db.session.commit()
    return respond(None, 204)


def _invitation_document(invitation: Invitation) -> dict[str, Any]:
    return {
        "id": invitation.id,
        "role": invitation.role,
        "created_by": invitation.created_by,
        "created_at": invitation.created_at.isoformat(),
        "expires_at": invitation.expires_at.isoformat(),
    }


def _key_document(key: Key) -> dict[str, Any]:
    return {
        "id": key.id,
        "role": key.role,
        "name": key.name,
        "created_at": key.created_at.isoformat(),
        "opened_by": key.opened_by,
        "imported": key.imported,
        "revoked_at": key.revoked_at.isoformat() if key.revoked_at else None,
        "revoked_with": key.revoked_with,
        "yours": key.id == guards.get_key().id,
    }
