"""Validate the matches of a club's document: seats, entries, scores and rulings.

Points and endings are computed again, so that no match is imported whose totals aren't those of its rulebook.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from referee.records.agreements import Agreement
from referee.records.limits import MOST_AMENDMENTS, MOST_EVENTS, MOST_ROUNDS, MOST_RULINGS, MOST_VERSIONS
from referee.records.models import EndedBy, MatchStatus
from referee.records.names import LONGEST_LINE, LONGEST_NAME, LONGEST_NOTE
from referee.records.seating import Seated
from referee.records.transfer.document import (
    AgreementPart,
    EntryPart,
    MatchPart,
    RoundPart,
    RulingPart,
    ScorePart,
    SeatPart,
)
from referee.records.transfer.faults import Findings
from referee.records.transfer.reckoning import AgreedTerms, Course, InForce, Result, Sitting, differences
from referee.records.words import say
from referee.rules.agreeing import COUNTS, MOST_CUSTOM_RULES, MOST_FACES
from referee.rules.cards import UnknownCard
from referee.rules.decks import decks, decks_of, parse_card
from referee.rules.round_document import LONGEST_REASON, MOST_ADJUSTMENTS
from referee.rules.round_entry import ENDINGS, FURTHER, LONGEST_HAND
from referee.rules.ruling import Role
from referee.rules.totals import HIGHEST_TOTAL

MOST_POINTS = (1 + MOST_ADJUSTMENTS) * HIGHEST_TOTAL
"""Of one player in one round: what the cards are worth, and what the table adds or takes."""
MOST_SEATS = 60
"""Seats of one match, including those of players who left."""
SAID: Mapping[str, type] = {
    "status": str, "verdict": str, "summary": str, "outcome": dict, "orders": list, "steps": list,
}  # fmt: skip
"""What every ruling has, by type."""


class MatchFindings(Findings):
    """The validation of matches, which needs the players and rulebooks of the document."""

    def __init__(
        self, writers: Collection[str], players: Mapping[str, str], rest: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__(writers)
        self.rest = rest
        self.players = players
        """names by id"""
        self.results: dict[str, Result] = {}
        """how the finished matches ended, by id"""
        self.terms = AgreedTerms()

    def match(self, match: MatchPart, field: str) -> None:
        before = len(self.problems)
        self.shape(match, field)
        if len(self.problems) == before:
            self.reckon(match, field)

    def reckon(self, match: MatchPart, field: str) -> None:
        """Score every round again, and compute how the match ends."""
        agreements = [agreement_of(part) for part in match.agreements]
        seats = seats_of(match, self.players)
        sitting, in_force, course = Sitting(seats), InForce(agreements), Course(seats)
        for place, played in enumerate(match.rounds):
            self.rest()
            present, of_round = sitting.at(played.place), self.terms.of(in_force.at(played.place))
            for version in played.versions:
                entry, score = entry_of(version.entry), shallow(version.score)
                for fault in differences(of_round, present, entry, score):
                    said = say("import.round", day=match.started_at, place=played.place, fault=fault)
                    self.fail(f"{field}.rounds[{place}]", said)
            if not version.struck:
                course.add(present, entry, score, of_round)
        if match.status == MatchStatus.FINISHED:
            end = course.end(self.terms.of(agreements[-1]), by_hand=match.ended_by == EndedBy.BY_HAND)
            if end is None or end.ended_by != match.ended_by:
                self.fail(f"{field}.status", say("import.ending"))
            else:
                self.results[match.id] = end

    def shape(self, match: MatchPart, field: str) -> None:
        """Check everything that needs no scoring."""
        for things, most, name in (
            (match.rounds, MOST_ROUNDS, "rounds"),
            (match.events, MOST_EVENTS, "events"),
            (match.rulings, MOST_RULINGS, "rulings"),
            (match.agreements, MOST_AMENDMENTS + 1, "agreements"),
        ):
            self.few(len(things), most, f"{field}.{name}")
        self.need(match.status in set(MatchStatus), f"{field}.status", "choose.known", choices=", ".join(MatchStatus))
        finished = match.status == MatchStatus.FINISHED
        ended = match.ended_by in set(EndedBy) if finished else match.ended_by is None
        self.need(ended, f"{field}.ended_by", "import.by-status")
        over = match.finished_at is not None
        self.need(over == (match.status != MatchStatus.IN_PROGRESS), f"{field}.finished_at", "import.by-status")
        self.moment(match.started_at, f"{field}.started_at")
        self.moment(match.finished_at, f"{field}.finished_at")
        self.text(match.name, f"{field}.name", LONGEST_LINE)
        self.text(match.location, f"{field}.location", LONGEST_LINE)
        self.text(match.note, f"{field}.note", LONGEST_NOTE)
        self.writer(match.created_by, f"{field}.created_by")
        self.need(2 <= len(match.seats) <= MOST_SEATS, f"{field}.seats", "import.seats", most=MOST_SEATS)
        seats = range(len(match.seats))
        self.need(match.dealer_seat in (None, *seats), f"{field}.dealer_seat", "import.seat")
        self.whole(match.dealer_after, f"{field}.dealer_after")
        self.need(bool(match.agreements), f"{field}.agreements", "import.agreement")
        since = 1
        for place, agreement in enumerate(match.agreements):
            self.agreement(agreement, f"{field}.agreements[{place}]")
            together = sorted(seat for team in agreement.teams or () for seat in team)
            everyone = agreement.teams is None or together == list(seats)
            self.need(everyone, f"{field}.agreements[{place}].teams", "import.teams")
            where = f"{field}.agreements[{place}].from_place"
            self.need(agreement.from_place >= since, where, "import.agreement-order")
            since = max(since, agreement.from_place)
        taken: set[str] = set()
        for place, seat in enumerate(match.seats):
            self.seat(seat, f"{field}.seats[{place}]", taken)
        sitting = Sitting(seats_of(match, self.players)) if all(seat.stays for seat in match.seats) else Sitting(())
        for place, played in enumerate(match.rounds, 1):
            where = f"{field}.rounds[{place - 1}]"
            self.need(played.place == place, f"{where}.place", "import.places")
            self.round(played, {seat.seat for seat in sitting.at(place)}, where)
        for place, event in enumerate(match.events):
            where = f"{field}.events[{place}]"
            self.text(event.kind, f"{where}.kind", 16)
            self.whole(event.after_place, f"{where}.after_place")
            self.moment(event.at, f"{where}.at")
            self.writer(event.by, f"{where}.by")
            self.plain(event.details, f"{where}.details")
            player = event.details.get("player")
            self.need(player is None or player in self.players, f"{where}.details.player", "import.player")
        for place, ruling in enumerate(match.rulings):
            self.ruling(ruling, len(match.seats), f"{field}.rulings[{place}]")

    def agreement(self, agreement: AgreementPart, field: str) -> None:
        rulebook = self.terms.rulebooks.get(agreement.digest)
        if rulebook is None:
            self.fail(f"{field}.digest", say("import.digest"))
        else:
            self.need(agreement.rulebook == rulebook.id, f"{field}.rulebook", "import.other-rulebook")
            same = tuple(agreement.house_rules) == rulebook.in_force
            self.need(same, f"{field}.house_rules", "import.house-rules")
        possible = [deck.id for deck in (decks_of(rulebook.deck.id) if rulebook else decks().values())]
        self.need(agreement.deck in possible, f"{field}.deck", "choose.known", choices=", ".join(possible))
        self.need(agreement.count in COUNTS, f"{field}.count", "choose.known", choices=", ".join(COUNTS))
        self.whole(agreement.from_place, f"{field}.from_place", least=1)
        if agreement.target is not None:
            self.whole(agreement.target, f"{field}.target", least=1)
        if agreement.rounds_to_play is not None:
            self.whole(agreement.rounds_to_play, f"{field}.rounds_to_play", least=1)
        self.few(len(agreement.face_points or ()), MOST_FACES, f"{field}.face_points")
        for face, points in (agreement.face_points or {}).items():
            self.text(face, f"{field}.face_points", LONGEST_LINE)
            self.whole(points, f"{field}.face_points.{face[:40]}")
        if agreement.blank_points is not None:
            self.whole(agreement.blank_points, f"{field}.blank_points")
        self.few(len(agreement.custom_rules), MOST_CUSTOM_RULES, f"{field}.custom_rules")
        for text in (agreement.note, agreement.blank_effect, *agreement.custom_rules):
            self.text(text, field, LONGEST_NOTE)
        self.moment(agreement.at, f"{field}.at")
        self.writer(agreement.by, f"{field}.by")

    def seat(self, seat: SeatPart, field: str, taken: set[str]) -> None:
        self.need(seat.player in self.players, f"{field}.player", "import.player")
        self.need(seat.player not in taken, f"{field}.player", "import.seated-twice")
        taken.add(seat.player)
        self.text(seat.name_then, f"{field}.name_then", LONGEST_NAME)
        self.whole(seat.opening_total, f"{field}.opening_total", 10 * HIGHEST_TOTAL, -10 * HIGHEST_TOTAL)
        stays = seat.stays
        self.few(len(stays), MOST_EVENTS, f"{field}.stays")
        closed = all(last is not None for _, last in stays[:-1])
        inner = all(first >= 1 and (last is None or last >= first - 1) for first, last in stays)
        after = [first for first, _ in stays] + [HIGHEST_TOTAL]
        parted = closed and all((last or 0) < later for (_, last), later in zip(stays, after[1:], strict=True))
        self.need(bool(stays) and parted and inner, f"{field}.stays", "import.stays")

    def round(self, played: RoundPart, present: Collection[int], field: str) -> None:
        self.need(bool(played.versions), f"{field}.versions", "import.versions")
        self.few(len(played.versions), MOST_VERSIONS, f"{field}.versions")
        for number, version in enumerate(played.versions):
            where = f"{field}.versions[{number}]"
            self.moment(version.entered_at, f"{where}.entered_at")
            self.writer(version.entered_by, f"{where}.entered_by")
            self.entry(version.entry, present, f"{where}.entry")
            self.score(version.score, present, f"{where}.score")

    def seats_in(self, named: Iterable[str | int | None], present: Collection[int], field: str) -> None:
        known = {str(seat) for seat in present}
        for seat in named:
            self.need(seat is None or str(seat) in known, field, "import.absent", seat=str(seat)[:10])

    def entry(self, entry: EntryPart, present: Collection[int], field: str) -> None:
        self.need(entry.ended in ENDINGS, f"{field}.ended", "choose.known", choices=", ".join(ENDINGS))
        named = (entry.went_out, *entry.hands, *entry.cards_left, *(entry.credited_to or ()), *entry.sat_out)
        self.seats_in((*named, *entry.knocked_out, *(each.seat for each in entry.adjustments)), present, field)
        self.few(len(entry.adjustments), MOST_ADJUSTMENTS, f"{field}.adjustments")
        for place, each in enumerate(entry.adjustments):
            self.whole(each.points, f"{field}.adjustments[{place}].points", HIGHEST_TOTAL, -HIGHEST_TOTAL)
            self.text(each.reason, f"{field}.adjustments[{place}].reason", LONGEST_REASON)
        if entry.side is not None:
            self.text(entry.side, f"{field}.side", LONGEST_LINE)
        if entry.last_card is not None:
            self.card(entry.last_card, f"{field}.last_card")
        for seat, hand in entry.hands.items():
            if isinstance(hand, int):
                self.whole(hand, f"{field}.hands.{seat[:10]}")
                continue
            self.need(len(hand) <= LONGEST_HAND, f"{field}.hands.{seat[:10]}", "import.hand", most=LONGEST_HAND)
            for place, card in enumerate(hand[:LONGEST_HAND]):
                self.card(card, f"{field}.hands.{seat[:10]}[{place}]")
        for seat, count in entry.cards_left.items():
            self.whole(count, f"{field}.cards_left.{seat[:10]}")

    def card(self, card: str, field: str) -> None:
        try:
            parse_card(card)
        except UnknownCard as error:
            self.fail(field, str(error))

    def score(self, score: ScorePart, present: Collection[int], field: str) -> None:
        self.seats_in((*score.hands, *score.points, *score.credited_to, *score.winners), present, field)
        for part, values in (("hands", score.hands), ("points", score.points)):
            least = -MOST_POINTS if part == "points" else 0
            for seat, value in values.items():
                self.whole(value, f"{field}.{part}.{seat[:10]}", MOST_POINTS, least)

    def ruling(self, ruling: RulingPart, seats: int, field: str) -> None:
        self.text(ruling.dispute, f"{field}.dispute", 40)
        known = ruling.rulebook_digest in self.terms.rulebooks
        self.need(known, f"{field}.rulebook_digest", "import.digest")
        self.whole(ruling.after_place, f"{field}.after_place")
        self.moment(ruling.given_at, f"{field}.given_at")
        self.writer(ruling.given_by, f"{field}.given_by")
        self.text(ruling.table_decided or "", f"{field}.table_decided", LONGEST_NOTE)
        for role, seat in ruling.seats.items():
            self.need(role in set(Role), f"{field}.seats", "import.role", role=role[:40])
            self.need(0 <= seat < seats, f"{field}.seats.{role[:40]}", "import.seat")
        self.plain(ruling.facts, f"{field}.facts")
        self.plain(ruling.ruling, f"{field}.ruling")
        self.said(ruling.ruling, f"{field}.ruling")

    def said(self, ruling: Mapping[str, object], field: str) -> None:
        """Check what the pages read from a ruling; other parts are free."""
        for key, kind in SAID.items():
            self.need(isinstance(ruling.get(key), kind), f"{field}.{key}", "import.type")
        self.need(isinstance(ruling.get("lead", ""), str), f"{field}.lead", "import.type")  # earlier releases had none
        for key, texts in (("orders", ("role", "action")), ("steps", ("kind", "text"))):
            items = ruling.get(key)
            for place, item in enumerate(items if isinstance(items, list) else ()):
                whole = isinstance(item, dict) and all(isinstance(item.get(text), str) for text in texts)
                self.need(whole, f"{field}.{key}[{place}]", f"import.{key}")


def agreement_of(part: AgreementPart) -> Agreement:
    """Give an agreement as a match stores it."""
    return Agreement.from_document(asdict(part) | {"at": part.at.isoformat()})


def seats_of(match: MatchPart, names: Mapping[str, str]) -> list[Seated]:
    """Give the chairs of a match; `names` are those of players, by id."""
    return [
        Seated(place, seat.player, names.get(seat.player, ""), seat.name_then, seat.opening_total, tuple(seat.stays))
        for place, seat in enumerate(match.seats)
    ]


def entry_of(part: EntryPart) -> dict[str, Any]:
    """Turn an entry into a mapping as a match stores it: what few rounds have, where it is there."""
    entry = shallow(part) | {"adjustments": [asdict(each) for each in part.adjustments]}
    return {name: value for name, value in entry.items() if value or name not in FURTHER}


def shallow(part: Any) -> dict[str, Any]:
    """Turn a part into a mapping, its own fields only: `asdict` would copy every card."""
    return {name: getattr(part, name) for name in part.__slots__}
