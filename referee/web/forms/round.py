"""The form of a round: who went out, and the leftover hand of everybody else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from flask_wtf import FlaskForm

from referee.records.seating import Seated
from referee.rules.cards import Deck, UnknownCard
from referee.rules.decks import decks, parse_card
from referee.rules.problem import At, Impossible, Path, Problem
from referee.rules.round_entry import Adjustment, RoundEntry, check_adjustment
from referee.web.page.fields import ChoicesField, HandField, LineField, WholeNumberField, WordField
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
    """who held no card, though somebody else went out"""
    asks = WordField()
    """sent by the page without script, whose hands left blank are not told yet; the hand pad asks by itself"""
    credited_to = ChoicesField()
    after = WholeNumberField()
    seen = WholeNumberField()
    """rounds there when somebody said that this is another one, though `after` were there when it was begun"""
    revision = WordField()
    version = WholeNumberField()
    idempotency_key = WordField(longest=200)
    players = LineField()
    seats: Sequence[Seated] = ()

    @property
    def newcomers(self) -> Sequence[Seated]:
        """Give those who sat down after the form was drawn: whoever filled it in could not enter a hand for them."""
        known = (self.players.data or "").split()
        return [seat for seat in self.seats if known and seat.player_id not in known]

    def hand(self, seat: Seated) -> HandField:
        """Give the field of a player's hand."""
        field = self[f"hand-{seat.player_id}"]
        assert isinstance(field, HandField)
        return field

    def cards_left(self, seat: Seated) -> WholeNumberField:
        """Give the field of a player's number of cards."""
        field = self[f"left-{seat.player_id}"]
        assert isinstance(field, WholeNumberField)
        return field

    def adjustment(self, seat: Seated) -> tuple[WholeNumberField, LineField]:
        """Give the fields of a player's correction: points, up or down, and why."""
        points, reason = self[f"adjust-{seat.player_id}"], self[f"reason-{seat.player_id}"]
        assert isinstance(points, WholeNumberField)
        assert isinstance(reason, LineField)
        return points, reason

    def path_of(self, name: str) -> Path:
        """Give the way by which scoring names what is entered in a field of the form."""
        kind, _, player = name.partition("-")
        seat = next((seat for seat in self.seats if seat.player_id == player), None)
        return (name,) if seat is None else (_PARTS[kind], At(seat.seat, seat.name))

    def entry(self, *, points: bool, deck: Deck | None = None) -> RoundEntry:
        """Give what was entered, by seat; call after `validate`. Without `points` hands may stay empty.

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
        found = []
        for seat in self.seats:
            points, reason = self.adjustment(seat)
            if points.number is None and not (reason.data or "").strip():
                continue
            path = ("adjustments", At(seat.seat, seat.name))
            try:
                found.append(check_adjustment(seat.seat, points.number, reason.data, path))
            except Impossible as error:
                problems += error.problems
        return tuple(found)


_PARTS = {"hand": "hands", "left": "cards_left", "adjust": "adjustments", "reason": "adjustments"}


def round_form(seats: Sequence[Seated], deck: Deck | None = None) -> type[RoundForm]:
    """Make the form for these players, who hold cards of this deck's box; the same form for the same table."""
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
