"""Rulebooks that a club makes itself: read, saved by version, checked, shared and handed out as a file."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from flask import Response, current_app, url_for
from pydantic import Field, WithJsonSchema
from werkzeug.exceptions import PreconditionFailed

from referee.records.club import own_rulebooks
from referee.records.errors import NotFound
from referee.records.models import Club, OwnRulebookRow
from referee.rules.own.rulebook import LONGEST_FILE, LONGEST_RULE, LONGEST_TITLE, MOST_LEFT_OUT, MOST_RULES, OwnRulebook
from referee.rules.text.problem import Impossible, Problem
from referee.web.api.endpoint import Answer, Moment, Request, Resource, respond
from referee.web.api.shapes import LONGEST_WORD, MOST_HOUSE_RULES, SETTING, FieldProblem, has_seen
from referee.web.page.rulebooks import as_file
from referee.web.server import guards, rate_limits
from referee.web.server.database import save
from referee.web.server.headers import unless_cached
from referee.web.words import say

resource = Resource("own_rulebooks")
ETAG = {"If-None-Match": "the ETag of the rulebook you have; 304 when it is still right"}
NEWEST = {"If-Match": "the ETag of the rulebook you have seen"}
MOST_CHANGES = 100
"""More than there are clauses, and settings of one; what is unknown is named, as far as people read."""

_WORD = {"type": "string", "maxLength": LONGEST_WORD}
_TITLE = {"type": "string", "maxLength": LONGEST_TITLE}
_RULE = {"type": "string", "maxLength": LONGEST_RULE}
_PARTS = {"title": _TITLE, "text": _RULE, "topic": _WORD}


def _table(values: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object", "additionalProperties": values, "propertyNames": _WORD, "maxProperties": MOST_CHANGES,
    }  # fmt: skip


# `OwnRulebook` itself reads these parts, so that all problems come at once; here they are only described.
Title = Annotated[Any, WithJsonSchema(_TITLE)]
Base = Annotated[Any, WithJsonSchema(_WORD | {"description": "the id of a published rulebook"})]
Changes = Annotated[Any, WithJsonSchema(_table(_table(SETTING)))]
_CLAUSE = {"anyOf": [_RULE, {"type": "object", "properties": _PARTS, "additionalProperties": False}]}
Clauses = Annotated[Any, WithJsonSchema({"type": "array", "items": _CLAUSE, "maxItems": MOST_RULES})]
HouseRules = Annotated[Any, WithJsonSchema({"type": "array", "items": _WORD, "maxItems": MOST_HOUSE_RULES})]
LeftOut = Annotated[Any, WithJsonSchema({"type": "array", "items": _WORD, "maxItems": MOST_LEFT_OUT})]


_UNGIVEN: Any = Field(default_factory=lambda: None)
"""May be left out, but can't be null."""


class OwnRulebookRequest(Request):
    """A rulebook of one's own: what is played differently from its base, or all of that as a TOML file."""

    title: Title = _UNGIVEN
    base: Base = _UNGIVEN
    changes: Changes = _UNGIVEN
    clauses: Clauses = _UNGIVEN
    house_rules: HouseRules = _UNGIVEN
    without: LeftOut = _UNGIVEN
    """clauses of the base that the table leaves out"""
    toml: Annotated[str | None, Field(max_length=LONGEST_FILE)] = None


class OwnRulebookSummary(Answer):
    """A rulebook of the club in a list."""

    id: str
    version: int
    title: str
    base: str
    differs: list[str]
    problems: list[FieldProblem]
    changed_at: Moment


class OwnRulebooksDocument(Answer):
    """The rulebooks that a club made."""

    rulebooks: list[OwnRulebookSummary]


class OwnRulebookDocument(OwnRulebookSummary):
    """A rulebook of the club: what is played differently, and the whole; null where it no longer fits its base."""

    changes: dict[str, dict[str, Any]]
    clauses: list[str | dict[str, str]]
    house_rules: list[str]
    without: list[str]
    document: dict[str, Any] | None


class RulebookProblems(Answer):
    """All that is wrong with a rulebook, or, where nothing is, what to look at again before it is saved."""

    problems: list[FieldProblem]
    warnings: list[FieldProblem]


class ShareDocument(Answer):
    """The link by which anyone sees a rulebook, and another club takes it over."""

    link: str


@resource.endpoint("GET", "/clubs/<club_id>/rulebooks", answer=OwnRulebooksDocument)
def list_rulebooks(club_id: str) -> Mapping[str, Any]:
    """List the rulebooks that the club made."""
    rows = own_rulebooks.list_rows(guards.records(), _club(club_id).id)
    return {"rulebooks": [_summary(row) for row in rows]}


@resource.endpoint(
    "POST", "/clubs/<club_id>/rulebooks", body=OwnRulebookRequest, answer=OwnRulebookDocument, status=201
)
def make_rulebook(club_id: str, body: OwnRulebookRequest) -> Response:
    """Make a rulebook of the club's own."""
    own = _read(body)
    row = save(lambda: own_rulebooks.create(guards.records(), _club(club_id, write=True), own, guards.get_key()))
    response = respond_with(row, 201)
    response.headers["Location"] = url_for("api.own_rulebooks_show_rulebook", club_id=club_id, own_id=row.id)
    return response


@resource.endpoint(
    "GET", "/clubs/<club_id>/rulebooks/<own_id>", answer=OwnRulebookDocument, problems=(304,), headers=ETAG
)
def show_rulebook(club_id: str, own_id: str) -> Response:
    """Return a rulebook of the club; 304 if the client has it already."""
    row = _row(club_id, own_id)
    return unless_cached(_etag(row), lambda: respond_with(row))


@resource.endpoint(
    "PUT",
    "/clubs/<club_id>/rulebooks/<own_id>",
    body=OwnRulebookRequest,
    answer=OwnRulebookDocument,
    problems=(412, 428),
    headers=NEWEST,
)
def change_rulebook(club_id: str, own_id: str, body: OwnRulebookRequest) -> Response:
    """Save a new version; matches stay with the version they were agreed on."""
    own = _read(body)

    def change() -> OwnRulebookRow:
        row = _seen(club_id, own_id)
        own_rulebooks.change(guards.records(), row, own, guards.get_key())
        return row

    return respond_with(save(change))


@resource.endpoint("DELETE", "/clubs/<club_id>/rulebooks/<own_id>", status=204, problems=(412, 428), headers=NEWEST)
def delete_rulebook(club_id: str, own_id: str) -> None:
    """Delete a rulebook; matches that were agreed on it stay as they are."""
    save(lambda: own_rulebooks.delete(guards.records(), _seen(club_id, own_id)))


@resource.endpoint("GET", "/clubs/<club_id>/rulebooks/<own_id>.toml", file="application/toml")
def rulebook_file(club_id: str, own_id: str) -> Response:
    """Return a rulebook as a file, which `POST` reads under `toml`."""
    return as_file(own_rulebooks.read_row(_row(club_id, own_id)))


@resource.endpoint("POST", "/rulebooks/check", access="anyone", body=OwnRulebookRequest, answer=RulebookProblems)
def check_rulebook(body: OwnRulebookRequest) -> Mapping[str, Any]:
    """Return every problem of a rulebook, and what to look at again; nothing is saved."""
    rate_limits.count_hearing()
    try:
        return {"problems": [], "warnings": _fields(_read(body).warnings)}
    except Impossible as error:
        return {"problems": _fields(error.problems), "warnings": []}


@resource.endpoint("POST", "/clubs/<club_id>/rulebooks/<own_id>/share", answer=ShareDocument, status=201)
def share_rulebook(club_id: str, own_id: str) -> Mapping[str, Any]:
    """Make the link that shows a rulebook to anyone, or return the one there is."""

    def share() -> str:
        row = _row(club_id, own_id, write=True)
        return own_rulebooks.share(guards.records(), row, current_app.config["SECRET_KEY"], guards.get_key())

    token = save(share)
    return {"link": url_for("own_rulebooks.shared", share_token=token, _external=True)}


@resource.endpoint("DELETE", "/clubs/<club_id>/rulebooks/<own_id>/share", status=204)
def unshare_rulebook(club_id: str, own_id: str) -> None:
    """Close that link at once and for good."""
    save(lambda: own_rulebooks.unshare(guards.records(), _row(club_id, own_id, write=True)))


def _read(body: OwnRulebookRequest) -> OwnRulebook:
    given = body.model_dump(exclude_unset=True)
    text = given.pop("toml", None)
    return own_rulebooks.read_document(given) if text is None else own_rulebooks.read_text(text)


def _club(club_id: str, *, write: bool = False) -> Club:
    club = guards.get_club(write=write)
    if club.id != club_id:
        raise NotFound("rulebook")
    return club


def _row(club_id: str, own_id: str, *, write: bool = False) -> OwnRulebookRow:
    club = _club(club_id, write=write)
    return own_rulebooks.get_row(guards.records(), club.id, own_id, lock=write)


def _seen(club_id: str, own_id: str) -> OwnRulebookRow:
    row = _row(club_id, own_id, write=True)
    if not has_seen(_etag(row)):
        raise PreconditionFailed(say("own-rulebook.changed"))
    return row


def _etag(row: OwnRulebookRow) -> str:
    return f"{row.id}-{row.state}"


def respond_with(row: OwnRulebookRow, status: int = 200) -> Response:
    """Return the answer that has a rulebook of the club, and its version as its tag."""
    empty: dict[str, Any] = {"changes": {}, "clauses": [], "house_rules": [], "without": []}
    parts = {name: row.document.get(name, none) for name, none in empty.items()}
    summary = _summary(row)
    whole = None if summary["problems"] else own_rulebooks.rulebook_of(row).to_document()
    response = respond(OwnRulebookDocument.model_validate(summary | parts | {"document": whole}), status)
    response.set_etag(_etag(row))
    return response


def _summary(row: OwnRulebookRow) -> dict[str, Any]:
    state: dict[str, Any] = {"differs": [], "problems": []}
    try:
        state["differs"] = [each.clause for each in own_rulebooks.read_row(row).differs]
    except Impossible as error:
        state["problems"] = _fields(error.problems)
    names = {name: row.document[name] for name in ("title", "base")}
    return state | names | {"id": row.id, "version": row.version, "changed_at": row.changed_at}


def _fields(problems: Iterable[Problem]) -> list[dict[str, str]]:
    return [{"field": problem.field or "body", "message": problem.message} for problem in problems]
