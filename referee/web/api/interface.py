"""All of the JSON interface: a resource is one module; `RESOURCES` lists them."""

from __future__ import annotations

from flask import Blueprint, Response

from referee.web.api import (
    club_resource,
    deletion_resource,
    match_resource,
    openapi,
    own_rulebook_resource,
    player_resource,
    round_resource,
    rulebook_resource,
    ruling_resource,
    transfer_resource,
)
from referee.web.api.endpoint import respond

RESOURCES = (
    club_resource.resource,
    player_resource.resource,
    club_resource.public_pages,
    match_resource.resource,
    round_resource.resource,
    ruling_resource.rulings,
    player_resource.statistics,
    rulebook_resource.rulebooks,
    own_rulebook_resource.resource,
    rulebook_resource.rules,
    ruling_resource.score,
    transfer_resource.resource,
    deletion_resource.resource,
    ruling_resource.hearings,
)
"""Every resource of the interface, in the order of its description."""

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")


@blueprint.get("/openapi.json")
def description() -> Response:
    """Describe this interface (OpenAPI 3)."""
    return respond(openapi.document(RESOURCES))


for resource in RESOURCES:
    for endpoint in resource.endpoints:
        blueprint.add_url_rule(
            endpoint.path,
            f"{resource.name}_{endpoint.view.__name__}",
            endpoint.answers,
            methods=[endpoint.method],
        )
