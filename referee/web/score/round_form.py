"""What the template of the round form shows: an empty round, one to correct, or one with what was typed."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from flask import url_for

from referee.records.agreements import terms_at
from referee.records.models import Match, Round
from referee.records.round_views import VersionView
from referee.records.rounds import number_of
from referee.records.seating import Seated, Seating
from referee.records.sheets import Sheet
from referee.rules.problem import Problem
from referee.rules.round_entry import WENT_OUT, RoundEntry
from referee.rules.settings import PARTNER_HAND_COUNTS
from referee.rules.terms import Terms
from referee.web.offline.digests import address_of_rules
from referee.web.page.problems import Placed
from referee.web.score import wording
from referee.web.score.forms import RoundForm
from referee.web.score.pad import Pad, pad_of
from referee.web.server import guards
from referee.web.words import say

NEW = "new"


@dataclass(frozen=True)
class SeatHand:
    """One player's part of the form."""

    id: str
    name: str
    hand: str = ""
    cards_left: str = ""
    sat_out: bool = False
    empty: bool = False
    credited: bool = False
    errors: Sequence[str] = ()
    knocked_out: bool = False
    adjust: str = ""
    """points added or taken by the table"""
    reason: str = ""


@dataclass(frozen=True)
class RoundFormView:
    """Everything the template of the round form shows."""

    title: str
    save: str
    action: str
    sheet: str
    draft: str
    after: str
    revision: str
    version: str
    """of the round to correct, as it was seen; empty for a new one"""
    idempotency_key: str
    pad: Pad
    ended: str
    went_out: str
    last_card: str
    players: Sequence[SeatHand]
    side: str = ""
    """the side that showed at the end, of a deck that has two"""
    rules: str = ""
    """where a phone finds the rules of the match to take along"""
    shares: str = ""
    """what the round brings, as factors, so that a phone can add it up until the server has it"""
    uncounted: str = ""
    """teams of which a partner's hand doesn't count, as ids of players"""
    problems: Sequence[Placed] = ()
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    theirs: Sequence[str] = ()
    """the rounds that others saved since this one was begun, each in a sentence: it may be one of them"""
    seen: str = ""
    """rounds there now, for who says that this is another one"""


def new_round_view(
    sheet: Sheet,
    *,
    went_out: str = "",
    form: RoundForm | None = None,
    problems: Sequence[Problem] = (),
    fresh: bool = True,
    idempotency_key: str = "",
    theirs: Sequence[str] = (),
) -> RoundFormView:
    """Return the empty form of the next round, or one with what was typed.

    `fresh` asks for a new key, and for the newest sheet as the one that was seen; with rounds of others (`theirs`)
    it is seen only once somebody has said that this is another one.
    """
    key = (form.idempotency_key.data or "") if form is not None and not fresh else idempotency_key
    now = str(sheet.round_count)
    view = _form_view(
        sheet.terms,
        sheet.match,
        sheet.playing,
        form=form,
        problems=problems,
        title=title_of_next(sheet),
        save=say("round.save"),
        action=url_for("rounds.new_round", match_id=sheet.match.id),
        draft=f"{sheet.match.id}.{NEW}",
        after=now if form is None or (fresh and not theirs) else form.seen.data or form.after.data or "",
        idempotency_key=key or new_key(),
        went_out=went_out,
    )
    return replace(view, theirs=theirs, seen=now)


def title_of_next(sheet: Sheet) -> str:
    """Call the next round of a match."""
    return wording.round_title(sheet.round_count + 1, sheet.terms)


def new_key() -> str:
    """Make the key by which a round that is sent twice is known as the same."""
    return secrets.token_urlsafe(12)


def correction_view(
    match: Match,
    played: Round,
    seating: Seating,
    latest: VersionView,
    *,
    form: RoundForm | None = None,
    problems: Sequence[Problem] = (),
) -> RoundFormView:
    """Return the form filled with a round as it stands, or with what was typed to correct it."""
    terms = terms_at(guards.records(), match, played.place)
    number = number_of(guards.records(), match, played)
    return _form_view(
        terms,
        match,
        seating.at(played.place),
        form=form,
        problems=problems,
        entered=latest,
        title=say("round.correct", round=number) if number else say("round.struck"),
        save=say("round.save-correction"),
        action=url_for("rounds.edit_round", match_id=match.id, round_id=played.id),
        draft=f"{match.id}.{played.id}.{played.version}",
        after="",
        idempotency_key="",
        went_out="",
    )


def _form_view(
    terms: Terms,
    match: Match,
    seats: Sequence[Seated],
    *,
    form: RoundForm | None,
    problems: Sequence[Problem],
    title: str,
    save: str,
    action: str,
    draft: str,
    after: str,
    idempotency_key: str,
    went_out: str,
    entered: VersionView | None = None,
) -> RoundFormView:
    entry = RoundEntry.from_document(entered.stored) if entered else None
    out = next((seat.player_id for seat in seats if entry and entry.went_out == seat.seat), went_out)
    hands = [_hand_view(seat, form, problems, entry) for seat in seats]
    ids = {seat.seat: seat.player_id for seat in seats}
    return RoundFormView(
        title=title,
        save=save,
        action=action,
        sheet=url_for("score.sheet", match_id=match.id),
        draft=draft,
        after=after,
        revision=str(match.state),
        version=str(entered.version) if entered else "",
        idempotency_key=idempotency_key,
        pad=pad_of(terms),
        ended=(form.ended.data if form else entry and entry.ended) or WENT_OUT,
        went_out=(form.went_out.data or "") if form else out,
        last_card=(form.last_card.data or "") if form else str((entry and entry.last_card) or ""),
        players=hands,
        side=(form.side.data or "") if form else (entry and entry.side) or "",
        rules=address_of_rules(match, terms, seats),
        shares=pad_of(terms).shares,
        uncounted=uncounted_teams(terms, ids),
        problems=[Placed(problem.message, _id_of(problem, ids)) for problem in problems],
        errors={
            name: [problem.message for problem in problems if problem.path[0] == name]
            for name in ("ended", "went_out", "last_card", "credited_to", "side", "knocked_out")
        },
    )


def uncounted_teams(terms: Terms, ids: Mapping[int, str]) -> str:
    """List the teams in which a partner's hand doesn't count, as JSON of players' ids; empty where all hands do."""
    if terms.awards != "winner-takes" or terms.rulebook.value(PARTNER_HAND_COUNTS, False) or not terms.teams:
        return ""
    return json.dumps([[ids[seat] for seat in team if seat in ids] for team in terms.teams])


def _hand_view(seat: Seated, form: RoundForm | None, problems: Sequence[Problem], entry: RoundEntry | None) -> SeatHand:
    if form is not None:
        return SeatHand(
            seat.player_id,
            seat.name,
            form.hand(seat).data or "",
            form.cards_left(seat).data or "",
            seat.player_id in (form.sat_out.data or ()),
            seat.player_id in (form.empty.data or ()),
            seat.player_id in (form.credited_to.data or ()),
            [problem.message for problem in problems if problem.seat == seat.seat],
            seat.player_id in (form.knocked_out.data or ()),
            *(field.data or "" for field in form.adjustment(seat)),
        )
    if entry is None:
        return SeatHand(seat.player_id, seat.name)
    hand = entry.hands.get(seat.seat, ())
    return SeatHand(
        seat.player_id,
        seat.name,
        f"={hand}" if isinstance(hand, int) else " ".join(map(str, hand)),
        str(entry.cards_left.get(seat.seat, "")),
        seat.seat in entry.sat_out,
        entry.hands.get(seat.seat) == (),
        seat.seat in (entry.credited_to or ()),
        (),
        seat.seat in entry.knocked_out,
        *next(((str(each.points), each.reason) for each in entry.adjustments if each.seat == seat.seat), ("", "")),
    )


def _id_of(problem: Problem, ids: Mapping[int, str]) -> str:
    if problem.seat is not None and problem.seat in ids:
        return f"hand-{ids[problem.seat]}"
    if problem.path == ("side",):
        return "side"
    return "went_out" if problem.path in (("went_out",), ("hands",)) else ""


def for_script(problem: Problem, seats: Sequence[Seated]) -> dict[str, str]:
    """Return a problem as the hand pad takes it, with the id of the player whose hand it is."""
    player = next((seat.player_id for seat in seats if seat.seat == problem.seat), "")
    return {"field": problem.field, "message": problem.message, "player": player}
