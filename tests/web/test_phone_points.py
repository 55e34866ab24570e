"""A phone without a connection adds rounds up to the points that the server then gives them, under every rulebook."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from referee.paths import CHECKOUT
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.books.settings import KNOCKED_OUT_AT, LAST_LEFT_WINS, PARTNERS
from referee.rules.cards.cards import Card
from referee.rules.own.rulebook import OwnRulebook
from referee.rules.scoring.round_entry import DRAW_PILE_EMPTY, LAST_ONE_LEFT, WENT_OUT, RoundEntry
from referee.rules.scoring.scoring import score_round, shares
from referee.rules.scoring.terms import Terms
from referee.web.rounds.wording import uncounted_teams
from tools.documents.for_the_app import write_phone_words

NODE = shutil.which("node")
HOUSE_SCORINGS: tuple[dict[str, Any], ...] = (
    {"awards": "own-points-off"},
    {"awards": "one-point"},
    {"awards": "by-rank", "rank_points": [5, 3, 2, 1], "tied_ranks": "split"},
)


@dataclass(frozen=True)
class Played:
    """A round under some terms, among so many."""

    terms: Terms
    entry: RoundEntry
    table: dict[int, str]

    @property
    def scored(self) -> dict[str, int]:
        """Give the server's points."""
        return {str(seat): points for seat, points in score_round(self.terms, self.entry, self.table).points.items()}

    @property
    def told(self) -> dict[str, Any]:
        """Tell it as the page tells its script."""
        entry = self.entry
        ids = {seat: str(seat) for seat in self.table}
        hands = {ids[seat]: {"cards": [], "typed": "", "left": "", "empty": True} for seat in self.table}
        for seat, hand in entry.hands.items():
            assert isinstance(hand, tuple)
            hands[ids[seat]]["cards"] = [str(card.face) for card in hand]
        return {
            "state": {"ended": entry.ended, "winner": None if entry.went_out is None else ids[entry.went_out],
                      "sat": [ids[seat] for seat in entry.sat_out], "out": [ids[seat] for seat in entry.knocked_out],
                      "credited": [ids[seat] for seat in entry.credited_to or ()], "hands": hands, "turn": None},
            "named": [[ids[seat], name] for seat, name in self.table.items()],
            "teams": json.loads(uncounted_teams(self.terms, ids) or "[]"),
            "share": shares(self.terms)[entry.ended].to_json(),
            "worths": dict(self.terms.card_points),
        }  # fmt: skip


def books() -> Iterator[Rulebook]:
    """Give every rulebook, and the ways to score that only a house has."""
    yield from rulebooks().values()
    for base in ("classic-500", "partners"):
        for settings in HOUSE_SCORINGS:
            changes = {"who-scores": settings, "target": {"target": None}}
            yield OwnRulebook.read({"title": settings["awards"], "base": base, "changes": changes}).rulebook("own")


def terms_of(book: Rulebook, count: str) -> Terms:
    """Agree on a match of four, or as many as may play, with a worth for every card."""
    players = min(4, book.players[-1])
    teams = ((0, 2), (1, 3)) if book.value(PARTNERS, False) else None
    ending = [rule for rule in ("end-when-draw-pile-empty",) if rule in book.house_rules]
    agreed = Terms.agree(book, ending, players=players, teams=teams, count=count)
    open_worths = {str(face): 7 for face in agreed.unpriced}
    return Terms.agree(book, ending, players=players, teams=teams, count=count, face_points=open_worths.items())


def rounds_of(terms: Terms) -> Iterator[Played]:
    """Play rounds that end in each way there is."""
    table = dict(enumerate(("Ada", "Bo", "Cy", "Di")[: min(4, terms.rulebook.players[-1])]))
    side = next(iter(terms.full_deck.sides), None)
    faces = terms.full_deck.on(side).faces
    hands = {seat: tuple(Card(face) for face in faces[seat + 1 :: 5]) for seat in table}

    def of(*seats: int) -> dict[int, Any]:
        return {seat: hands[seat] for seat in seats}

    everyone = tuple(table)
    yield Played(terms, RoundEntry(WENT_OUT, 0, hands=of(*everyone[1:]), side=side), table)
    yield Played(terms, RoundEntry(WENT_OUT, 1, hands=of(0, *everyone[2:]), side=side), table)
    if len(table) > 2 and not terms.teams:
        yield Played(terms, RoundEntry(WENT_OUT, 1, hands=of(0, *everyone[3:]), sat_out=(2,), side=side), table)
    if DRAW_PILE_EMPTY in shares(terms):
        for credited in ((1,), (0, 1), None) if terms.credits_one else (None,):
            ended = RoundEntry(DRAW_PILE_EMPTY, hands=of(*everyone), credited_to=credited, side=side)
            yield Played(terms, ended, table)
    if terms.rank_points:
        yield Played(terms, RoundEntry(WENT_OUT, 0, hands=dict.fromkeys(everyone[1:], hands[1]), side=side), table)
    if terms.rulebook.find(KNOCKED_OUT_AT):
        yield Played(terms, RoundEntry(WENT_OUT, 0, hands=of(*everyone[2:]), knocked_out=(1,), side=side), table)
    if terms.rulebook.value(LAST_LEFT_WINS, False):
        yield Played(terms, RoundEntry(LAST_ONE_LEFT, knocked_out=everyone[1:], side=side), table)


def test_a_phone_adds_up_to_the_points_of_the_server() -> None:
    if NODE is None:
        pytest.skip("no Node on this machine to add up as a phone does")
    played = [one for book in books() for count in ("points", "rounds") for one in rounds_of(terms_of(book, count))]
    words = ["--import", "./tests/scripts/modules.js", "tests/scripts/phone-points.js"]
    asked = json.dumps([one.told for one in played])
    write_phone_words()
    run = subprocess.run([NODE, *words], cwd=CHECKOUT, input=asked, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    added = json.loads(run.stdout)
    wrong = [
        (one.terms.rulebook.title, one.entry, found, one.scored)
        for one, found in zip(played, added, strict=True)
        if found != one.scored
    ]
    assert wrong == []
