"""The form of a round, and what every form says that its writer has seen of the match."""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from flask import request
from flask_wtf import FlaskForm

from referee.records.errors import Stale
from referee.records.match.rounds import count_rounds
from referee.records.match.seating import Seated, Seating
from referee.records.models import Match, Round
from referee.rules.cards.cards import Deck, UnknownCard
from referee.rules.cards.decks import decks, parse_card
from referee.rules.scoring.round_entry import Adjustment, RoundEntry, check_adjustment
from referee.rules.text.problem import At, Impossible, Path, Problem
from referee.web.page.fields import ChoicesField, HandField, LineField, WholeNumberField, WordField
from referee.web.server import guards
from referee.web.words import say


class RoundForm(FlaskForm):
    """Common fields; `round_form` adds a hand for each player."""

    ended = WordField(default="went-out")
    went_out = WordField()
    last_card = WordField()
    sat_out = ChoicesField()
    side = WordField()
    knocked_out = ChoicesField()
    empty = ChoicesField()
    """who held no card, though someone else went out"""
    asks = WordField()
    """sent by the page without script, whose hands left blank are not told yet; the hand pad asks by itself"""
    credited_to = ChoicesField()
    after = WholeNumberField()
    seen = WholeNumberField()
    """rounds there when someone said that this is another one, though `after` were there when it was begun"""
    revision = WordField()
    version = WholeNumberField()
    idempotency_key = WordField(longest=200)
    players = LineField()
    seats: Sequence[Seated] = ()

    @property
    def newcomers(self) -> Sequence[Seated]:
        """Return those who sat down after the form was drawn: whoever filled it in could not enter a hand for them."""
        known = (self.players.data or "").split()
        return [seat for seat in self.seats if known and seat.player_id not in known]

    def hand(self, seat: Seated) -> HandField:
        """Return the field of a player's hand."""
        return cast(HandField, self[f"hand-{seat.player_id}"])

    def cards_left(self, seat: Seated) -> WholeNumberField:
        """Return the field of a player's number of cards."""
        return cast(WholeNumberField, self[f"left-{seat.player_id}"])

    def adjustment(self, seat: Seated) -> tuple[WholeNumberField, LineField]:
        """Return the fields of a player's correction: points, up or down, and why."""
        points, reason = self[f"adjust-{seat.player_id}"], self[f"reason-{seat.player_id}"]
        return cast(WholeNumberField, points), cast(LineField, reason)

    @property
    def corrected(self) -> Sequence[Seated]:
        """Return those whose points are corrected."""
        return [seat for seat in self.seats if self.adjustment(seat)[0].number is not None]

    def path_of(self, name: str) -> Path:
        """Return the path that scoring uses for what a field of the form holds."""
        kind, _, player = name.partition("-")
        seat = next((seat for seat in self.seats if seat.player_id == player), None)
        return (name,) if seat is None else (_PARTS[kind], At(seat.seat, seat.name))

    def entry(self, *, points: bool, deck: Deck | None = None) -> RoundEntry:
        """Return what was entered, by seat; call after `validate`. Without `points` hands may stay empty.

        Raises `Impossible` where ids, the last card (of the `deck`) or a correction cannot be read.
        """
        problems: list[Problem] = []
        seats = {seat.player_id: seat.seat for seat in self.seats}
        if self.went_out.data and self.went_out.data not in seats:
            problems.append(Problem("went_out", say("hand.unknown-player")))
        last_card = None
        try:
            last_card = parse_card(self.last_card.data, deck) if self.last_card.data else None
        except UnknownCard as error:
            problems.append(Problem("last_card", str(error)))
        adjustments = self._adjustments(problems)
        if problems:
            raise Impossible(problems)
        out = self.went_out.data or None
        empty = self.empty.data or ()
        absent = {*(self.sat_out.data or ()), *(seat.player_id for seat in self.newcomers)}
        hands = {
            seat.seat: hand
            for seat in self.seats
            if (hand := self.hand(seat).hand) is not None
            and seat.player_id not in absent
            and seat.player_id not in (self.knocked_out.data or ())
            and not (hand == () and (seat.player_id == out or not points))
            and not (hand == () and self.asks.data and seat.player_id not in empty)
            and not (self.ended.data == "time-limit" and hand == () and self.cards_left(seat).number is not None)
        }
        knocked = {*(self.knocked_out.data or ())} - absent
        credited = tuple(seats[id] for id in self.credited_to.data or () if id in seats)
        return RoundEntry(
            ended=self.ended.data or "went-out",
            went_out=seats[out] if out else None,
            hands=hands,
            cards_left={seat.seat: count for seat in self.seats if (count := self.cards_left(seat).number) is not None},
            last_card=last_card,
            credited_to=credited or None,
            sat_out=tuple(sorted(seats[id] for id in absent if id in seats)),
            side=self.side.data or None,
            knocked_out=tuple(sorted(seats[id] for id in knocked if id in seats)),
            adjustments=adjustments,
        )

    def _adjustments(self, problems: list[Problem]) -> tuple[Adjustment, ...]:
        """Read the corrections, adding to `problems` what is wrong with them."""
        adjustments = []
        for seat in self.seats:
            points, reason = self.adjustment(seat)
            if points.number is None and not (reason.data or "").strip():
                continue
            path = ("adjustments", At(seat.seat, seat.name))
            try:
                adjustments.append(check_adjustment(seat.seat, points.number, reason.data, path))
            except Impossible as error:
                problems += error.problems
        return tuple(adjustments)


_PARTS = {"hand": "hands", "left": "cards_left", "adjust": "adjustments", "reason": "adjustments"}


def round_form(seats: Sequence[Seated], deck: Deck | None = None) -> type[RoundForm]:
    """Return the form class for these players and this deck, cached by both."""
    return _form_of(tuple(seats), deck.id if deck else "")


@lru_cache(maxsize=128)
def _form_of(seats: tuple[Seated, ...], deck_id: str) -> type[RoundForm]:
    deck = decks()[deck_id] if deck_id else None
    fields: dict[str, object] = {"seats": seats}
    for seat in seats:
        fields[f"hand-{seat.player_id}"] = HandField(deck=deck)
        fields[f"left-{seat.player_id}"] = WholeNumberField()
        fields[f"adjust-{seat.player_id}"] = WholeNumberField()
        fields[f"reason-{seat.player_id}"] = LineField()
    return type("RoundFormOfMatch", (RoundForm,), fields)


def check(form: RoundForm) -> None:
    """Raise `Impossible` with the values that cannot be read."""
    if not form.validate():
        problems = [
            Problem(form.path_of(name), str(message))
            for name, messages in form.errors.items()
            for message in messages
            if name is not None
        ]
        raise Impossible(problems)


def check_leavers(form: RoundForm, seating: Seating) -> None:
    """Raise `Impossible` where a hand was entered for someone who left after the form was drawn; it would be lost."""
    problems = [
        Problem(("hands", At(seat.seat, seat.name)), say("round.left-table", name=seat.name))
        for seat in seating.seats
        if not seat.here
        and (form.went_out.data == seat.player_id or request.form.get(f"hand-{seat.player_id}", "").strip())
    ]
    if problems:
        raise Impossible(problems)


def check_revision(match: Match) -> None:
    """Raise `Stale` when the form was drawn before the last change of the match."""
    if request.form.get("revision", str(match.state)) != str(match.state):
        raise Stale(say("match.stale"))


def check_round_seen(match: Match, played: Round) -> None:
    """Raise `Stale` when someone changed the round since the form was drawn, or the sheet if it names no version."""
    seen = request.form.get("version")
    if seen is None:
        check_revision(match)
    elif seen != str(played.version):
        raise Stale(say("round.changed-meanwhile"))


def check_rounds_seen(match: Match) -> None:
    """Raise `Stale` when there are more or fewer rounds than the form says, or the sheet changed if it doesn't."""
    seen = request.form.get("after")
    if seen is None:
        check_revision(match)
    elif seen != str(count_rounds(guards.records(), match)[0]):
        raise Stale(say("match.rounds-meanwhile"))
