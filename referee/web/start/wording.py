"""What the first page and the form of a new match show, worded."""

from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from referee.records.match.agreements import frozen_rulebook
from referee.records.match.history import Lead, list_matches, load_leads
from referee.records.match.rulings import foreign_language, load_latest_rulings
from referee.records.match.seating import load_seating
from referee.records.match.sheets import MatchSummary, load_summaries
from referee.records.models import Club, Match, MatchStatus, Player
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import HouseRule, Rulebook
from referee.rules.books.settings import DECK, TARGET
from referee.rules.cards.decks import CLASSIC, decks, decks_in_same_box
from referee.rules.scoring.terms import SUGGESTED_TARGET, text_target
from referee.rules.text.words import joined
from referee.web.history.wording import scores_of
from referee.web.page import match_wording
from referee.web.page.changes import new_key
from referee.web.page.fields import listed
from referee.web.page.layout import Link
from referee.web.page.match_wording import SideLine, StoryLine, by_sides
from referee.web.page.rulebooks import available, title_of
from referee.web.server import guards, local_time
from referee.web.start.forms import FIRST_SEATS, SEATS, NewMatchForm
from referee.web.words import say

MOST_SHOWN = 30
"""Seats that are drawn again when far too many were sent."""
EXTRAS = (
    "house_rules", "target", "rounds_to_play", "count", "deck", "blank_effect", "blank_points", "custom_rules",
    "dealer", "name",
)  # fmt: skip
"""Fields that stand folded away until one of them is filled in."""
MOST_NAMED = 6
"""Players named below the match that is resumed; of more the last are counted."""
RULINGS = 3
"""Rulings listed on the first page."""
RECENT = 4
"""Matches offered on a page that has led nowhere."""


@dataclass(frozen=True)
class PointsView:
    """A number of points that the table says on the rule card: what a face is worth, or what someone starts with."""

    name: str
    label: str
    points: str
    errors: Sequence[str]
    note: str = ""


@dataclass(frozen=True)
class BookView:
    """One rulebook to pick."""

    book: Rulebook
    target: str
    decks: Sequence[str]
    """those of its box, the one that the text names first"""
    boxes: Sequence[tuple[str, str]]
    """the decks sold as its box, each by id and title, where that is another than the classic one and has several"""
    box: str
    """the one of them that is chosen"""


def first_form(*, seats: int = FIRST_SEATS, rulebook: str = "") -> NewMatchForm:
    """Return the empty form, with a rulebook picked: the one named, or the first where there is none of this name."""
    return NewMatchForm(
        None,
        players=[""] * seats,
        rulebook=rulebook if rulebook in available() else next(iter(rulebooks())),
        token=new_key(),
    )


def choices_of(form: NewMatchForm, known: Sequence[Player]) -> dict[str, object]:
    """Return what the template shows beside the form itself: who and what can be chosen, and what is wrong."""
    entries = form.players.entries
    return {
        "form": form,
        "known": known,
        "most_seats": SEATS,
        "entries": entries[:MOST_SHOWN],
        "shelves": _shelves(form),
        "chosen_book": available().get(form.rulebook.data or ""),
        "house_rules": house_rules_of_all(),
        "decks": [("", say("new.deck-of-rules")), *((deck.id, deck.title) for deck in decks_in_same_box(CLASSIC))],
        "dealers": [
            (str(seat), (entry.data or "").strip() or say("new.seat", seat=seat))
            for seat, entry in enumerate(entries[:SEATS], 1)
        ],
        "extras_open": any(
            form[name].data not in (None, "", [], "points", "1") or form[name].errors for name in EXTRAS
        ),
        "problems": listed(form),
    }


def _shelves(form: NewMatchForm) -> list[tuple[str, list[BookView]]]:
    """Sort the rulebooks: a club's own first, then those for the classic deck, then those that need another box."""
    shelves: dict[str, list[BookView]] = {"new.shelf-own": [], "new.shelf-classic": [], "new.shelf-box": []}
    for book in available().values():
        of_another_box = book.deck.box != decks()[CLASSIC].box
        shelf = "new.shelf-own" if book.base else "new.shelf-box" if of_another_box else "new.shelf-classic"
        shelves[shelf].append(_book_view(book, form.boxes.get(book.id, "")))
    return [(say(title), books) for title, books in shelves.items() if books]


def _book_view(book: Rulebook, chosen: str) -> BookView:
    deck, target = book.value(DECK, CLASSIC), text_target(book, None)
    hint = "" if book.find(TARGET) else say("new.usual-target", target=SUGGESTED_TARGET)
    sold = [(each.id, each.title) for each in decks_in_same_box(deck) if each.box != decks()[CLASSIC].box]
    return BookView(
        book=book,
        target=hint if target is None else str(target),
        decks=[deck, *(each.id for each in decks_in_same_box(deck) if each.id != deck)],
        boxes=sold if len(sold) > 1 else (),
        box=chosen or deck,
    )


def house_rules_of_all() -> list[tuple[HouseRule, list[str]]]:
    """List every house rule with the ids of the rulebooks under which it may be ticked."""
    by_id: dict[str, tuple[HouseRule, list[str]]] = {}
    for book in available().values():
        for rule in book.house_rules.values():
            if rule.id not in book.in_force:
                _, books = by_id.get(rule.id, (rule, []))
                by_id[rule.id] = (rule, [*books, book.id])
    return list(by_id.values())


@dataclass(frozen=True)
class MatchRow:
    """One match in a list."""

    match: Match
    title: str
    line: Sequence[str]
    sides: Sequence[SideLine] = ()
    """who plays, best first"""
    lead: Lead | None = None

    @property
    def shown(self) -> Sequence[SideLine]:
        """Return the players named on the home page: all if they are few, else the first ones."""
        return self.sides if len(self.sides) <= MOST_NAMED else self.sides[: MOST_NAMED - 1]


def recent_sheets() -> list[MatchRow]:
    """Return the newest matches this browser may see, for an error page; none if the database is in trouble."""
    try:
        caller = guards.holder()
        if caller is None or caller[1].import_id is not None:
            return []
        session = guards.records()
        matches = list_matches(session, caller[1], limit=RECENT).matches
        leads = load_leads(session, [match for match in matches if match.status == MatchStatus.IN_PROGRESS])
        return [_line(summary, leads.get(summary.match.id)) for summary in load_summaries(session, matches)]
    except (SQLAlchemyError, HTTPException):
        return []


def match_rows(club: Club, status: MatchStatus, limit: int) -> Sequence[MatchRow]:
    """List the newest matches of a club that are in one state, each in a line."""
    matches = list_matches(guards.records(), club, status=status, limit=limit).matches
    leads = load_leads(guards.records(), matches) if status == MatchStatus.IN_PROGRESS else {}
    return [_line(summary, leads.get(summary.match.id)) for summary in load_summaries(guards.records(), matches)]


def _line(summary: MatchSummary, lead: Lead | None) -> MatchRow:
    match, day = summary.match, local_time.day(summary.match.started_at)
    if lead is not None:  # several tables may play at once, and the same people twice
        players = [joined(summary.players)] if match.name else []
        place = filter(None, [match.location])
        line = [*players, match_wording.stands(lead), title_of(match.rulebook), *place, day]
        sides = by_sides(lead.standings)
    else:  # it is over: the winners first
        line = [match_wording.ended(match, summary.winners), day]
        sides = [SideLine(1 if score.won else 2, [score.name], score.total or 0) for score in scores_of(summary)]
    return MatchRow(match, match_wording.title_of(match, summary.players), line, sides, lead)


def latest_rulings(club: Club) -> list[StoryLine]:
    """Word the newest rulings of a club, each with its day."""
    session, lines = guards.records(), []
    for recorded in load_latest_rulings(session, club, RULINGS):
        rulebook, seating = rulebooks().get(recorded.ruling.get("rulebook", "")), None
        if foreign_language(recorded.ruling):
            rulebook = frozen_rulebook(session, club.id, recorded.rulebook_digest)
            seating = load_seating(session, session.get_one(Match, (club.id, recorded.match_id)))
        lines.append(match_wording.ruling_line(recorded, rulebook, local_time.day(recorded.given_at), seating))
    return lines


def ways_on() -> list[Link]:
    """Return links to the main pages, for an error page."""
    return [
        Link(say("astray.home"), url_for("start.index"), say("astray.home-hint")),
        Link(say("astray.dispute"), url_for("disputes.index"), say("astray.dispute-hint")),
        Link(say("astray.rules"), url_for("rules.index"), say("astray.rules-hint")),
        Link(say("astray.help"), url_for("help.index"), say("astray.help-hint")),
    ]
