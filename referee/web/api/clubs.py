"""Clubs, their keys and invitations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import current_app, url_for
from werkzeug.exceptions import Forbidden

from referee.records import access
from referee.records.models import Key, now
from referee.web import guards
from referee.web.api.endpoint import Resource, respond
from referee.web.api.schemas import (
    ClubRequest,
    InvitationDocument,
    InvitationRequest,
    KeyRequest,
    KeysDocument,
    NewClubDocument,
    NewKeyDocument,
)
from referee.web.extensions import db, limiter

resource = Resource("clubs")


@resource.endpoint("POST", "/clubs", access="anyone", body=ClubRequest, answer=NewClubDocument, status=201)
def found_club(body: ClubRequest) -> Mapping[str, Any]:
    """Found a club; its two keys are shown this once."""
    if not current_app.config["SIGN_UP"]:
        raise Forbidden("The host of this server founds clubs; ask for an invitation.")
    with limiter.limit("30 per hour"):
        new = access.create_club(guards.records(), body.name)
    document = {
        "id": new.club.id,
        "name": new.club.name,
        "scorekeeper_key": new.scorekeeper_token,
        "spectator_key": new.spectator_token,
    }
    db.session.commit()
    return document


@resource.endpoint("GET", "/keys", access="scorekeeper", answer=KeysDocument)
def list_keys() -> Mapping[str, Any]:
    """List the club's keys, revoked ones too."""
    club = guards.get_club(write=True)
    return {"keys": [_key_document(key) for key in access.list_keys(guards.records(), club)]}


@resource.endpoint("POST", "/keys", access="scorekeeper", body=KeyRequest, answer=NewKeyDocument, status=201)
def make_key(body: KeyRequest) -> Mapping[str, Any]:
    """Make a key; its secret is shown this once."""
    key, token = access.make_key(guards.records(), guards.get_club(write=True), body.role, body.name)
    document = _key_document(key) | {"key": token}
    db.session.commit()
    return document


@resource.endpoint("DELETE", "/keys/<key_id>", access="scorekeeper", status=204, problems=(422,))
def revoke_key(key_id: str) -> Any:
    """Lock a key out at once; the last scorekeeper key stays."""
    club = guards.get_club(write=True)
    access.revoke_key(guards.records(), club, access.get_key(guards.records(), club, key_id))
    db.session.commit()
    return respond(None, 204)


@resource.endpoint(
    "POST", "/invitations", access="scorekeeper", body=InvitationRequest, answer=InvitationDocument, status=201
)
def invite(body: InvitationRequest) -> Mapping[str, Any]:
    """Make a link that lets one phone in, once."""
    club = guards.get_club(write=True)
    token = access.invite(guards.records(), club, body.role, by=guards.get_key())
    expires_at = now() + access.INVITATION_LIFETIME
    link = url_for("api.description", _external=True).removesuffix(url_for("api.description")) + f"/join/{token}"
    db.session.commit()
    return {"link": link, "role": body.role, "expires_at": expires_at.isoformat()}


def _key_document(key: Key) -> dict[str, Any]:
    return {
        "id": key.id,
        "role": key.role,
        "name": key.name,
        "created_at": key.created_at.isoformat(),
        "revoked_at": key.revoked_at.isoformat() if key.revoked_at else None,
        "yours": key.id == guards.get_key().id,
    }
