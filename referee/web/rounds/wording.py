"""Word one round: its form with the hand pad, and its history."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from flask import render_template, url_for
from markupsafe import Markup

from referee.records.cache import Cache
from referee.records.match.agreements import terms_at
from referee.records.match.rounds import RoundView, number_of
from referee.records.match.seating import Seated, Seating
from referee.records.match.sheets import Sheet
from referee.records.models import Match, Round
from referee.rules.books import settings
from referee.rules.cards.cards import BLANK, Card, Color, Face, side_name
from referee.rules.cards.decks import CLASSIC, decks
from referee.rules.scoring.round_checks import last_card_reminder
from referee.rules.scoring.round_entry import DRAW_PILE_EMPTY, LAST_ONE_LEFT, TIME_LIMIT, WENT_OUT, RoundEntry
from referee.rules.scoring.scoring import shares
from referee.rules.scoring.terms import AGREED, Terms
from referee.rules.text.problem import Problem
from referee.rules.text.words import begun, joined
from referee.web.page.changes import new_key, title_of_next
from referee.web.page.fields import ControlProblem, in_form
from referee.web.page.match_wording import round_played, title_of
from referee.web.rounds.forms import RoundForm
from referee.web.server import guards, local_time
from referee.web.words import say


@dataclass(frozen=True)
class Keys:
    """The keys of one side of a deck, or of the whole deck where it has no sides."""

    id: str
    colors: Sequence[Color]
    keys: Sequence[tuple[Face, int, int]]
    """each with its points and how many the deck has"""
    wild: str
    """the picture of a Wild in these colors; empty for the usual one"""


@dataclass(frozen=True)
class Pad:
    """What a round asks under the terms, what it may bring, and the keys of the hand pad."""

    points: bool
    """points are kept, not rounds won"""
    endings: Sequence[tuple[str, str]]
    last_cards: Sequence[tuple[str, str]]
    last_card_hint: str
    asks_last_card: bool
    asks_card_counts: bool
    asks_credit: bool
    sides: Sequence[tuple[str, str]]
    """of which one showed at the end, where the deck has two"""
    knocks_out: bool
    last_one_left: bool
    shares: str
    """what a new round brings, as factors, so that a phone can add it up until the server has it"""
    keys: Markup


PADS: Cache[Pad] = Cache("pads", 1_000_000, lambda pad: 10_000 + sys.getsizeof(pad.keys))
"""By the terms, the digest of a rulebook standing for its text."""


def pad_of(terms: Terms) -> Pad:
    """Return the hand pad for these terms, cached."""
    state = (terms.rulebook.digest, *(getattr(terms, name) for name in AGREED))
    return PADS.get(state, lambda: _pad_of(terms))


def _pad_of(terms: Terms) -> Pad:
    ways = [WENT_OUT]
    if terms.rulebook.value(settings.DRAW_PILE_ENDS_ROUND, False):
        ways.append(DRAW_PILE_EMPTY)
    if terms.rulebook.find(settings.TIME_LIMIT_WINNER):
        ways.append(TIME_LIMIT)
    if terms.rulebook.value(settings.LAST_LEFT_WINS, False):
        ways.append(LAST_ONE_LEFT)
    last_cards = [("", say("pad.other-card"))]
    drawn = []
    for face in terms.full_deck.faces if terms.rulebook.value(settings.LAST_CARD_COUNTS, False) else ():
        if count := last_card_reminder(terms, Card(face)):
            last_cards.append((str(face), face.short))
            key = "pad.drawn-after" if isinstance(count, int) else "pad.drawn-after-until-color"
            drawn.append(say(key, n=count, card=face.label))
    return Pad(
        points=terms.count == "points",
        endings=[(way, say(f"pad.{way}")) for way in ways],
        last_cards=last_cards,
        last_card_hint=say("pad.drawn", cards=joined(drawn)) if drawn else "",
        asks_last_card=bool(drawn),
        asks_card_counts=TIME_LIMIT in ways,
        asks_credit=DRAW_PILE_EMPTY in ways and terms.credits_one,
        sides=[(side, begun(side_name(side))) for side in terms.full_deck.sides],
        knocks_out=terms.rulebook.find(settings.KNOCKED_OUT_AT) is not None,
        last_one_left=LAST_ONE_LEFT in ways,
        shares=json.dumps({ended: share.to_json() for ended, share in shares(terms).items()}),
        keys=Markup(render_template("rounds/_keys.html", sides=_sides(terms))),
    )


def _sides(terms: Terms) -> list[Keys]:
    """Return the keys of every side; a Wild is drawn in the side's own colors where they are not the usual ones."""
    sides, points = [], terms.card_points
    for id, deck in terms.full_deck.sides.items() or (("", terms.full_deck),):
        foreign = {color.id for color in deck.colors} - {color.id for color in decks()[CLASSIC].colors}
        wild = f"face-wild-{id or terms.full_deck.id}" if foreign else ""
        shown = (face for face in deck.faces if face in points or face == BLANK)
        keys = [(face, points.get(face, 0), deck.face_count(face)) for face in shown]
        sides.append(Keys(id, deck.colors, keys, wild))
    return sides


NEW = "new"


@dataclass(frozen=True)
class SeatHand:
    """One player's part of the form: as it was typed or, where nothing was typed yet, as the round was stored."""

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
    """The round form: empty, as typed and with errors, or with a stored round, in one shape for every page."""

    title: str
    save: str
    action: str
    sheet: str
    draft: str
    revision: str
    version: str
    """of the round to correct, as it was seen; empty for a new one"""
    pad: Pad
    ended: str
    went_out: str
    last_card: str
    players: Sequence[SeatHand]
    after: str = ""
    idempotency_key: str = ""
    side: str = ""
    """the side that showed at the end, of a deck that has two"""
    uncounted: str = ""
    """teams of which a partner's hand doesn't count, as ids of players"""
    problems: Sequence[ControlProblem] = ()
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
    it is seen only once someone has said that this is another one.
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


def correction_view(
    match: Match,
    played: Round,
    seating: Seating,
    latest: RoundView,
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
    )


def _form_view(
    terms: Terms,
    match: Match,
    seats: Sequence[Seated],
    *,
    form: RoundForm | None,
    problems: Sequence[Problem],
    went_out: str = "",
    entered: RoundView | None = None,
    **words: str,
) -> RoundFormView:
    """Return a form with what was typed, else what was `entered`; `words` are its fields that are given as shown."""
    entry = RoundEntry.from_document(entered.stored) if entered else None
    out = next((seat.player_id for seat in seats if entry and entry.went_out == seat.seat), went_out)
    ids = {seat.seat: seat.player_id for seat in seats}
    return RoundFormView(
        **words,
        sheet=url_for("score.sheet", match_id=match.id),
        revision=str(match.state),
        version=str(entered.version) if entered else "",
        pad=pad_of(terms),
        ended=(form.ended.data if form else entry and entry.ended) or WENT_OUT,
        went_out=(form.went_out.data or "") if form else out,
        last_card=(form.last_card.data or "") if form else str((entry and entry.last_card) or ""),
        players=[_hand_view(seat, form, problems, entry) for seat in seats],
        side=(form.side.data or "") if form else (entry and entry.side) or "",
        uncounted=uncounted_teams(terms, ids),
        problems=[ControlProblem(problem.message, _id_of(problem, ids)) for problem in problems],
        errors={
            name: [problem.message for problem in problems if problem.path[0] == name]
            for name in ("ended", "went_out", "last_card", "credited_to", "side", "knocked_out")
        },
    )


def uncounted_teams(terms: Terms, ids: Mapping[int, str]) -> str:
    """List the teams in which a partner's hand doesn't count, as JSON of players' ids; empty where all hands do."""
    if terms.awards != "winner-takes" or terms.rulebook.value(settings.PARTNER_HAND_COUNTS, False) or not terms.teams:
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
        *next(
            ((str(each.points), in_form(each.reason)) for each in entry.adjustments if each.seat == seat.seat), ("", "")
        ),
    )


def _id_of(problem: Problem, ids: Mapping[int, str]) -> str:
    if problem.seat is not None and problem.seat in ids:
        return f"hand-{ids[problem.seat]}"
    if problem.path == ("side",):
        return "side"
    return "went_out" if problem.path in (("went_out",), ("hands",)) else ""


def for_script(problem: Problem, seats: Sequence[Seated]) -> dict[str, str]:
    """Return a problem as the pad's script reads it, with the id of the player whose hand it is."""
    player = next((seat.player_id for seat in seats if seat.seat == problem.seat), "")
    return {"field": problem.field, "message": problem.message, "player": player}


def version_title(version: RoundView, before: RoundView | None) -> str:
    """Return what a version did: record, correct, strike or restore; `before` is None for the first one."""
    if not before:
        return say("played.recorded")
    if version.struck == before.struck:
        return say("played.corrected")
    return say("played.struck" if version.struck else "played.restored")


@dataclass(frozen=True)
class VersionLine:
    """One version of a round, worded."""

    title: str
    when: str
    by: str
    text: str
    bring_back: str
    brings: str
    """points by player that bringing it back adds, as JSON, for a phone without a connection"""


def bring_back_address(match: Match, played: Round, number: int) -> str:
    """Return the address that makes a version of a round count again."""
    return url_for("rounds.bring_back", match_id=match.id, round_id=played.id, number=number)


def lines_of(match: Match, played: Round, versions: Sequence[RoundView], seating: Seating) -> list[VersionLine]:
    """Return every version of a round in words, oldest first."""
    latest, lines = versions[-1].points, []
    for before, version in zip((None, *versions), versions, strict=False):
        points = ", ".join(f"{name} {points}" for name, points in version.points.items())
        shown = version is versions[-1] or played.struck
        line = VersionLine(
            title=version_title(version, before),
            when=local_time.minute(version.entered_at),
            by=version.entered_by or "",
            text=f"{round_played(version)} {say('played.points', points=points)}",
            bring_back="" if shown else bring_back_address(match, played, version.version),
            brings=brings(seating, {name: version.points.get(name, 0) - points for name, points in latest.items()}),
        )
        lines.append(line)
    return lines


def brings(seating: Seating, points: Mapping[str, int]) -> str:
    """Return points by player id as JSON, for the phone to add up."""
    return json.dumps({seat.player_id: points[seat.name] for seat in seating.seats if seat.name in points})


def striking(
    match: Match, played: Round, versions: Sequence[RoundView], seating: Seating, number: int | None
) -> dict[str, object]:
    """Return what the round's page needs to strike or restore it."""
    endpoint, sign = ("rounds.restore", 1) if played.struck else ("rounds.strike", -1)
    points = versions[-1].points
    return {
        "struck": played.struck,
        "strike_address": url_for(endpoint, match_id=match.id, round_id=played.id),
        "match_id": match.id,
        "match_title": title_of(match, [seat.name for seat in seating.here]),
        "round_id": played.id,
        "strike_title": say("waits.restore") if number is None else say("waits.strike", round=number),
        "revert_title": say("waits.revert-struck") if number is None else say("waits.revert", round=number),
        "played_as": round_played(versions[-1]),
        "strike_brings": brings(seating, {name: sign * worth for name, worth in points.items()}),
    }
