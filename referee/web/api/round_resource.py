"""The rounds of a match: recorded once, corrected, struck, brought back."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from flask import Response, request
from pydantic import Field

from referee.records.errors import Conflict, NotFound, Repeated
from referee.records.match import rounds
from referee.records.match.agreements import terms_at
from referee.records.match.rounds import RoundView
from referee.records.match.seating import load_seating, table_of
from referee.records.match.sheets import Sheet, load_sheet, sheet_after
from referee.records.models import Match, Round
from referee.records.names import fold_name
from referee.rules.scoring.round_entry import FURTHER, read_round
from referee.web.api import shapes
from referee.web.api.endpoint import Answer, Request, Resource, idempotency_key, request_digest, respond
from referee.web.server import errors, guards
from referee.web.server.database import Once, save

resource = Resource("rounds")
ONCE = {"Idempotency-Key": "any text, a new one for each round; a repeated request records nothing twice"}
BRIEFLY = {"Prefer": "“return=minimal” leaves the match out of the answer"}
NEWEST = {"If-Match": "the ETag of the match document you have seen"}


class RoundRequest(shapes.RoundFields):
    """A round to record; `after` is how many rounds, without struck ones, the client has seen."""

    after: Annotated[int, Field(ge=0)]


class CorrectionRequest(shapes.RoundFields):
    """A corrected round; `after` is optional, since If-Match says what the client has seen."""

    after: int | None = None


class RecordedQuery(Request):
    """How much of the match to return."""

    rounds: Literal["all"] | None = Field(None, description="“all” puts all rounds of the match into the answer")


class RecordedDocument(Answer):
    """A round, and what follows from it; repeated requests get the same round, and the match as it is by then."""

    round: shapes.RoundDocument
    standings: list[shapes.StandingDocument]
    match: Annotated[
        shapes.MatchDocument | shapes.MatchWithoutRounds | None,
        Field(description="left out with Prefer: return=minimal"),
    ] = None


class HistoryDocument(Answer):
    """Every version of a round, oldest first."""

    versions: list[shapes.VersionDocument]


@resource.endpoint(
    "POST",
    "/matches/<match_id>/rounds",
    access="table",
    body=RoundRequest,
    query=RecordedQuery,
    answer=RecordedDocument,
    status=201,
    problems=(409,),
    headers=ONCE | BRIEFLY,
)
def record_round(match_id: str, body: RoundRequest, query: RecordedQuery) -> Response:
    """Record the next round, once: the same request sent again is answered with the round that the first made."""
    session, key, brief = guards.records(), idempotency_key(), _wants_little()
    given = body.model_dump()
    sent = {name: value for name, value in given.items() if value or name not in FURTHER}  # digests stay as they were
    by = guards.get_key(write=True, at_table=True)
    once = Once(by.club_id, key, request_digest(_in_one_order(sent)), lambda made: made[1].round_id) if key else None

    def draft() -> tuple[Sheet, rounds.Draft]:
        match = guards.get_match(match_id, write=True, at_table=True)
        sheet = load_sheet(session, match, last=None if query.rounds else 0, rulings=not brief)
        entry = read_round(sent, table_of(sheet.seating.here), sheet.terms.full_deck)
        return sheet, rounds.draft_round(session, match, entry, body.after, by, seating=sheet.seating)

    try:
        sheet, drafted = save(draft, lambda made: rounds.write_draft(session, made[1]), once)
    except Repeated as before:
        sheet = load_sheet(session, guards.get_match(match_id), struck=True)
        played = _round_made(before.made, sheet.rounds)
        sheet = replace(sheet, rounds=tuple(each for each in sheet.rounds if not each.struck))
    except Conflict as conflict:
        sheet = load_sheet(session, guards.get_match(match_id))
        match = shapes.MatchDocument.model_validate(sheet).model_dump(mode="json", exclude_defaults=True)
        return errors.answer(409, str(conflict), match=match)
    else:
        sheet = sheet_after(sheet, drafted)
        played = sheet.rounds[-1]
    document: dict[str, Any] = {"round": played, "standings": sheet.standings}
    if not brief:
        document["match"] = (shapes.MatchDocument if query.rounds else shapes.MatchWithoutRounds).model_validate(sheet)
    response = respond(RecordedDocument.model_validate(document), 201)
    response.set_etag(shapes.match_etag(sheet.match))
    if brief:
        response.headers["Preference-Applied"] = "return=minimal"
    return response


def _wants_little() -> bool:
    """Return whether the client asked for a short answer (RFC 7240)."""
    given = request.headers.get("Prefer", "").lower().replace(" ", "").replace('"', "")
    return "return=minimal" in given.replace(";", ",").split(",")


def _in_one_order(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a round with its hands by name, and cards and names sorted, so that equal rounds have equal digests."""

    def ordered(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: ordered(value[key]) for key in sorted(value)}
        return sorted(map(ordered, value), key=repr) if isinstance(value, list) else value

    in_order = {key: ordered(value) for key, value in document.items()}
    for part in ("hands", "cards_left"):
        if isinstance(in_order.get(part), dict):
            in_order[part] = {fold_name(name.strip()): value for name, value in in_order[part].items()}
            in_order[part] = dict(sorted(in_order[part].items()))
    return dict(sorted(in_order.items()))


def _round_made(id: str, views: Iterable[RoundView]) -> RoundView:
    """Return the round that an earlier request made; raise `NotFound` if it is gone."""
    place = 0
    if id.startswith("{"):  # up to 1.0.0 the answer itself was stored, or what it took to draw it again
        before = json.loads(id)
        id = before["answer"]["round"]["id"] if before.get("answer") else before.get("round", {}).get("id", "")
        place = (before.get("recorded") or {}).get("place", 0)
    made = next((view for view in views if view.id == id or view.place == place), None)
    if made is None:
        raise NotFound("round")
    return made


@resource.endpoint(
    "PUT",
    "/matches/<match_id>/rounds/<round_id>",
    access="table",
    body=CorrectionRequest,
    answer=shapes.MatchDocument,
    problems=(412, 428),
    headers=NEWEST,
)
def correct_round(match_id: str, round_id: str, body: CorrectionRequest) -> Response:
    """Correct a round by a new version; may end or reopen the match."""

    def draft(match: Match, played: Round) -> rounds.Draft:
        seating = load_seating(guards.records(), match)
        deck = terms_at(guards.records(), match, played.place).full_deck
        entry = read_round(body.model_dump(), table_of(seating.at(played.place)), deck)
        return rounds.draft_correction(guards.records(), match, played, entry, guards.get_key(), seating=seating)

    return _change(match_id, round_id, draft)


@resource.endpoint(
    "DELETE",
    "/matches/<match_id>/rounds/<round_id>",
    access="table",
    answer=shapes.MatchDocument,
    problems=(412, 422, 428),
    headers=NEWEST,
)
def strike_round(match_id: str, round_id: str) -> Response:
    """Take a round out of the count; it stays on record."""
    return _turn(match_id, round_id, struck=True)


@resource.endpoint(
    "POST",
    "/matches/<match_id>/rounds/<round_id>/restore",
    access="table",
    answer=shapes.MatchDocument,
    problems=(412, 422, 428),
    headers=NEWEST,
)
def restore_round(match_id: str, round_id: str) -> Response:
    """Bring a struck round back, in its old place."""
    return _turn(match_id, round_id, struck=False)


@resource.endpoint("GET", "/matches/<match_id>/rounds/<round_id>/history", answer=HistoryDocument)
def round_history(match_id: str, round_id: str) -> Mapping[str, Any]:
    """Return every version of a round: what was said, when, and by the holder of which key."""
    match = guards.get_match(match_id)
    seating = load_seating(guards.records(), match)
    versions = rounds.round_history(guards.records(), match, guards.get_round(match, round_id), seating)
    beside = ("version", "struck", "points", "entered_at", "entered_by")
    shown = [{name: getattr(each, name) for name in beside} for each in versions]
    entered = [rounds.entry_by_names(each.stored, seating.names) for each in versions]
    return {"versions": [one | said for one, said in zip(shown, entered, strict=True)]}


def _turn(match_id: str, round_id: str, *, struck: bool) -> Response:
    def draft(match: Match, played: Round) -> rounds.Draft | None:
        return rounds.draft_turn(guards.records(), match, played, guards.get_key(), struck=struck)

    return _change(match_id, round_id, draft)


def _change(match_id: str, round_id: str, draft: Callable[[Match, Round], rounds.Draft | None]) -> Response:
    """Write a new version of a round for a client that has seen the newest state, and return the match."""

    def drafted() -> tuple[Match, rounds.Draft | None]:
        match = guards.get_match(match_id, write=True, at_table=True)
        played = guards.get_round_to_change(match, round_id)
        shapes.require_newest(match)
        return match, draft(match, played)

    match, _ = save(drafted, lambda made: rounds.write_draft(guards.records(), made[1]))
    return shapes.respond_saved(match)
