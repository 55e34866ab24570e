"""Rulings at a match: heard again when written, by name, and never changed afterwards."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.orm import Session

from referee.records.club import access
from referee.records.match import matches
from referee.records.match.plans import MatchPlan
from referee.records.match.rulings import Case, as_read, get_ruling, language_of
from referee.records.match.sheets import load_sheet
from referee.records.models import Key, Match
from referee.rules.text.problem import Impossible
from referee.rules.text.words import CATALOGUE, speaking
from tests.conftest import CAST
from tests.ground.rounds import give_ruling

GUILTY = {"challenged": True, "challenger": "target", "held_color": True}
NAMED = {"offender": "Ada", "target": "Bo"}


@pytest.fixture
def begin(session: Session) -> Callable[..., tuple[Match, Key]]:
    """Begin a match of the cast: ``begin(rulebook="duo-200", players=("Ada", "Bo"))``."""
    new = access.create_club(session, "Thursdays")

    def make(players: tuple[str, ...] = CAST, rulebook: str = "classic-500", **plan: Any) -> tuple[Match, Key]:
        agreed = MatchPlan(players=players, rulebook=rulebook, **plan)
        match = matches.start_match(session, new.club, agreed, new.scorekeeper)
        return match, new.scorekeeper

    return make


Begin = Callable[..., tuple[Match, Key]]


def test_a_ruling_names_the_players_and_stands_on_the_sheet(session: Session, begin: Begin) -> None:
    match, key = begin()
    before = match.revision
    given = give_ruling(session, match, Case("draw-four-challenge", GUILTY, NAMED, accepted=True), key)
    session.commit()
    assert given.ruling["verdict"] == "Draw 4"
    assert "Ada draws 4 cards." in given.ruling["summary"]
    assert given.facts == GUILTY
    assert (given.accepted, given.table_decided) == (True, None)
    assert match.revision == before + 1
    sheet = load_sheet(session, match)
    assert [ruling.id for ruling in sheet.rulings] == [given.id]
    assert given.rulebook_digest == sheet.agreement.digest


def test_a_ruling_is_read_as_said_or_in_another_language_as_it_is_ruled_again(
    session: Session, begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, key = begin()
    facts = {"challenged": True, "challenger": "target", "color_in_play": "red", "hand": ["red-7", "wild"]}
    given, without_hand = (
        give_ruling(session, match, Case("draw-four-challenge", case, NAMED), key) for case in (GUILTY, facts)
    )
    rulebook = load_sheet(session, match).terms.rulebook
    changed = rulebook.with_house_rules(["jump-in"])
    with speaking("nl"):
        monkeypatch.setitem(CATALOGUE.sentences, "draw-four-challenge.offender-draws", "{offender} pakt er {n}.")
        read = as_read(given, rulebook, CAST, 4)
        assert as_read(given, changed, CAST, 4) is given.ruling  # other rules might rule otherwise
        assert as_read(without_hand, rulebook, CAST, 4) is without_hand.ruling
        dutch = give_ruling(session, match, Case("draw-four-challenge", GUILTY, NAMED), key)
    assert "Ada pakt er 4." in read["summary"]
    assert (read["language"], read["outcome"]) == ("nl", given.ruling["outcome"])
    assert as_read(given, rulebook, CAST, 4) is given.ruling
    assert dutch.ruling["language"] == "nl"
    assert "Ada draws 4 cards." in as_read(dutch, rulebook, CAST, 4)["summary"]
    assert [language_of({"language": code}) for code in ("nl", "tlh", "", None)] == ["nl", "en", "en", "en"]


@pytest.mark.parametrize(
    ("players", "offender", "target", "after_next"),
    [
        (CAST, "Ada", "Bo", "Cy"), (CAST, "Ada", "Di", "Cy"), (CAST, "Di", "Ada", "Bo"), (CAST[:3], "Bo", "Ada", "Cy"),
        (CAST[:2], "Bo", None, "Bo"),
    ],
    ids=["clockwise", "counterclockwise", "around the corner", "three", "two"],
)  # fmt: skip
def test_who_plays_on_whom_shows_who_is_next(
    session: Session, begin: Begin, players: tuple[str, ...], offender: str, target: str | None, after_next: str
) -> None:
    match, key = begin(players)
    named = {"offender": offender} | ({"target": target} if target else {})
    innocent = {"challenged": False}
    given = give_ruling(session, match, Case("draw-four-challenge", innocent, named), key)
    names = [seat.name for seat in load_sheet(session, match).seating.seats]
    assert names[given.seats["player-after-next"]] == after_next


def test_a_hand_is_kept_only_where_the_table_wants_it(session: Session, begin: Begin) -> None:
    match, key = begin()
    facts = {"challenged": True, "challenger": "target", "color_in_play": "red", "hand": ["red-7", "wild"]}
    unkept = give_ruling(session, match, Case("draw-four-challenge", facts, NAMED), key)
    kept = give_ruling(session, match, Case("draw-four-challenge", facts, NAMED, keep_hand=True), key)
    assert "hand" not in unkept.facts
    assert "red-7" not in str(unkept.ruling)
    assert kept.facts["hand"] == ["red-7", "wild"]


def test_the_words_of_an_address_are_kept_as_values(session: Session, begin: Begin) -> None:
    match, key = begin()
    words = {"challenged": "yes", "challenger": "target", "held_color": "no", "players": "4"}
    given = give_ruling(session, match, Case("draw-four-challenge", words, NAMED), key)
    assert given.facts == {"challenged": True, "challenger": "target", "held_color": False, "players": 4}


def test_the_table_may_decide_otherwise_and_that_stands_beside_it(session: Session, begin: Begin) -> None:
    match, key = begin()
    case = Case("draw-four-challenge", GUILTY, NAMED, accepted=False, table_decided="Ada draws two, for her birthday.")
    given = give_ruling(session, match, case, key)
    assert given.ruling["outcome"]["offender_draws"] == 4
    assert given.table_decided == "Ada draws two, for her birthday."


def test_the_rulebook_is_the_one_frozen_into_the_match(session: Session, begin: Begin) -> None:
    match, key = begin(("Ada", "Bo"), "duo-200")
    facts = {"challenged": True, "held_color": False, "held_number_or_symbol": False, "held_wild": True}
    given = give_ruling(session, match, Case("draw-four-challenge", facts, {"offender": "Ada"}), key)
    assert given.ruling["outcome"]["legal"] is False
    assert given.ruling["rulebook"] == "duo-200"
    assert any(step["cite"] and "UNO Duo" in step["cite"] for step in given.ruling["steps"])


@pytest.mark.parametrize(
    ("case", "field"),
    [
        (Case("chess", {}), "dispute"),
        (Case("draw-four-challenge", {"challenged": True}), "facts.challenger"),
        (Case("draw-four-challenge", GUILTY | {"mood": "bad"}), "facts.mood"),
        (Case("draw-four-challenge", GUILTY | {"players": 3}), "facts.players"),
        (Case("draw-four-challenge", GUILTY, {"offender": "Eve"}), "players.offender"),
        (Case("draw-four-challenge", GUILTY, {"king": "Ada"}), "players.king"),
        (Case("draw-four-challenge", GUILTY, {"offender": "Ada", "target": "Ada"}), "players.target"),
        (Case("draw-four-challenge", GUILTY, NAMED, table_decided="x" * 501), "table_decided"),
        (Case("draw-four-challenge", GUILTY, NAMED, table_decided="bell \a"), "table_decided"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_case_names_its_field(session: Session, begin: Begin, case: Case, field: str) -> None:
    match, key = begin()
    with pytest.raises(Impossible) as raised:
        give_ruling(session, match, case, key)
    assert field in {problem.field for problem in raised.value.problems}
    assert not load_sheet(session, match).rulings


def test_the_ruling_of_one_match_is_not_found_in_another(session: Session, begin: Begin) -> None:
    match, key = begin()
    other, _ = begin()
    given = give_ruling(session, match, Case("draw-four-challenge", GUILTY, NAMED), key)
    assert get_ruling(session, match, given.id) is given
    for wrong in (given.id, "nonsense"):
        with pytest.raises(LookupError):
            get_ruling(session, other, wrong)
