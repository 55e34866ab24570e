"""All of the JSON interface: a resource is one module; `RESOURCES` lists them."""

from __future__ import annotations

from flask import Blueprint, Response

from referee.web.api import (
    clubs,
    deletions,
    hearings,
    matches,
    openapi,
    own_rulebooks,
    players,
    public,
    rounds,
    rulebooks,
    rules,
    rulings,
    score,
    statistics,
    transfer,
)
from referee.web.api.endpoint import respond

RESOURCES = (
    clubs.resource,
    players.resource,
    public.resource,
    matches.resource,
    rounds.resource,
    rulings.resource,
    statistics.resource,
    rulebooks.resource,
    own_rulebooks.resource,
    rules.resource,
    score.resource,
    transfer.resource,
    deletions.resource,
    hearings.resource,
)
"""Every resource of the interface; a new one is one module and one line here."""

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
