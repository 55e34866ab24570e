"""Statistics, held against a second computation that is slow and simple, over random evenings."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from openskill.models import PlackettLuce
from sqlalchemy.orm import Session

from referee.paths import CHECKOUT
from referee.records.club import access, players
from referee.records.deletion import of_club
from referee.records.match import matches, rounds
from referee.records.match.plans import MatchPlan
from referee.records.match.rulings import Case
from referee.records.match.sheets import Sheet, load_sheet
from referee.records.models import Club, Key, Match, MatchStatus, Scale
from referee.records.soundness import faults_of_club
from referee.records.statistics import definitions, figures
from referee.records.statistics.definitions import (
    STATISTICS,
    Fraction,
    Run,
    Statistic,
    TopOpponents,
    by_table_size,
    compare,
)
from referee.records.statistics.figures import Ending, Figures, Filter, load_choices, load_figures
from referee.rules.cards.decks import parse_card
from referee.rules.text.problem import Impossible
from referee.rules.text.words import ENGLISH, speaking, translation
from tests.conftest import CAST
from tests.ground.rounds import correct, give_ruling, record, turn
from tests.records.evenings import Evening, evenings, play


def sheets_of(session: Session, club: Club) -> list[Sheet]:
    found = session.query(Match).filter_by(club_id=club.id).order_by(Match.id).all()
    return [load_sheet(session, match) for match in found]


def scale_of(sheet: Sheet) -> Scale:
    if sheet.terms.count == "rounds":
        return Scale.ROUNDS
    return Scale.LOWEST if sheet.terms.awards == "own-points" else Scale.HIGHEST


def slow_statistics(sheets: list[Sheet], name: str) -> dict[str, Any]:
    """Compute every statistic of a player from the sheets alone, one after the other."""
    hands: dict[Scale, list[int]] = defaultdict(list)
    costs: dict[Scale, list[int]] = defaultdict(list)
    catches: dict[Scale, list[int]] = defaultdict(list)
    last_cards: Counter[str] = Counter()
    played = out = 0
    for sheet in sheets:
        for one in sheet.rounds:
            if name not in one.points or name in one.sat_out:
                continue
            played += 1
            if one.went_out == name:
                out += 1
                costs[scale_of(sheet)].append(0)
                if any(other != name for other in one.worth):
                    held = sum(worth for other, worth in one.worth.items() if other != name)
                    catches[scale_of(sheet)].append(held)
                if one.last_card:
                    last_cards[parse_card(one.last_card).face] += 1
            elif name in one.worth:
                hands[scale_of(sheet)].append(one.worth[name])
                costs[scale_of(sheet)].append(one.worth[name])
    finished = [
        sheet
        for sheet in sheets
        if sheet.match.status == MatchStatus.FINISHED and sheet.seating.by_name(name) is not None
    ]
    decided = [sheet for sheet in finished if sheet.winners and name in sheet.players]
    endings = "".join(("W" if len(sheet.winners) == 1 else "T") if name in sheet.winners else "L" for sheet in decided)
    rescues: dict[Scale, list[int]] = defaultdict(list)
    for sheet in finished:
        if name in sheet.winners:
            rescues[scale_of(sheet)].append(furthest_behind(sheet, name))
    return {
        "matches_played": len(finished),
        "matches_won": Fraction(endings.count("W"), len(endings)),
        "matches_shared": endings.count("T"),
        "matches_undecided": sum(not sheet.winners for sheet in finished),
        "matches_left": sum(bool(sheet.winners) and name not in sheet.players for sheet in finished),
        "longest_winning_run": longest(endings, "W"),
        "longest_losing_run": longest(endings, "L"),
        "present_run": present(endings),
        "biggest_rescue": {scale: max(gaps) for scale, gaps in rescues.items() if max(gaps)},
        "rounds_played": played,
        "rounds_won": Fraction(out, played),
        "caught_with": {scale: pytest.approx(sum(held) / len(held)) for scale, held in hands.items()},
        "biggest_hand": {scale: max(held) for scale, held in hands.items() if max(held)},
        "handed_over": {scale: pytest.approx(sum(cost) / len(cost)) for scale, cost in costs.items()},
        "collected": {scale: pytest.approx(sum(held) / len(held)) for scale, held in catches.items()},
        "biggest_catch": {scale: max(held) for scale, held in catches.items() if max(held)},
        "last_cards": dict(sorted(last_cards.items(), key=lambda item: (-item[1], item[0]))[:5]),
        "challenges_won": Fraction(0, 0),
        "draw_fours_caught": Fraction(0, 0),
        "missed_calls": 0,
    }


def longest(endings: str, letter: str) -> int:
    return max(length for length in range(len(endings) + 1) if letter * length in endings)


def present(endings: str) -> Run | None:
    if not endings or endings[-1] == "T":
        return None
    return Run(endings[-1] == "W", len(endings) - len(endings.rstrip(endings[-1])))


def furthest_behind(sheet: Sheet, name: str) -> int:
    totals = {seat.name: seat.opening_total for seat in sheet.seating.seats}
    worst = 0
    for one in sheet.rounds:
        for player, points in one.points.items():
            totals[player] += points
        at_table = [totals[player] for player in one.points]
        best = min(at_table) if sheet.terms.leads == "lowest" else max(at_table)
        worst = max(worst, abs(best - totals[name]))
    return worst


def came_off_better(sheet: Sheet, one: str, other: str) -> bool:
    rank = {standing.player: standing.rank for standing in sheet.standings}
    return rank[one] < rank[other]


def slow_duels(sheets: list[Sheet], name: str) -> dict[str, tuple[int, int, int]]:
    duels: dict[str, tuple[int, int, int]] = {}
    for sheet in sheets:
        if sheet.match.status == MatchStatus.FINISHED and sheet.winners and name in sheet.players:
            for other in sheet.players:
                if other != name:
                    together, beat, beaten = duels.get(other, (0, 0, 0))
                    beat += came_off_better(sheet, name, other)
                    beaten += came_off_better(sheet, other, name)
                    duels[other] = (together + 1, beat, beaten)
    return duels


def slow_ratings(sheets: list[Sheet]) -> dict[str, list[tuple[float, float]]]:
    model = PlackettLuce()
    now = {name: model.rating() for name in CAST}
    course: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for sheet in sheets:
        if sheet.match.status == MatchStatus.FINISHED and sheet.winners and len(sheet.players) > 1:
            rank = {standing.player: float(standing.rank) for standing in sheet.standings}
            after = model.rate([[now[name]] for name in sheet.players], ranks=[rank[name] for name in sheet.players])
            for name, (rating,) in zip(sheet.players, after, strict=True):
                now[name] = rating
                course[name].append((rating.mu, rating.sigma))
    return course


def hardest(duels: dict[str, tuple[int, int, int]], which: int) -> set[str]:
    rivals = {name: duel for name, duel in duels.items() if duel[which] >= 3 and duel[which] / duel[0] > 0.5}
    best = max(((duel[which] / duel[0], duel[0]) for duel in rivals.values()), default=None)
    return {name for name, duel in rivals.items() if (duel[which] / duel[0], duel[0]) == best}


def named(opponents: TopOpponents | None, names: dict[str, str]) -> set[str]:
    return {names[id] for id in opponents.ids} if opponents else set()


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(evenings)
def test_every_statistic_agrees_with_a_slow_and_simple_computation(session: Session, played: list[Evening]) -> None:
    club = play(session, played)
    sheets = sheets_of(session, club)
    ratings = slow_ratings(sheets)
    names = {one.id: one.name for one in players.list_players(session, club)}
    everyone = load_figures(session, club.id, Filter())
    for id, name in names.items():
        expected = slow_statistics(sheets, name)
        figures = load_figures(session, club.id, Filter(), id).get(id, Figures(id))
        found = {statistic.id: statistic.of(figures) for statistic in STATISTICS}
        assert {key: value for key, value in found.items() if key in expected} == expected
        assert expected.keys() | {"nemesis", "favorite_opponent"} == found.keys()
        duels = slow_duels(sheets, name)
        assert {names[one.opponent]: (one.together, one.beat, one.beaten) for one in figures.meetings} == duels
        assert named(definitions.nemesis(figures), names) == hardest(duels, 2)
        assert named(definitions.favorite_opponent(figures), names) == hardest(duels, 1)
        course: list[Any] = [(one.mu, one.sigma) for one in figures.results if one.mu is not None]
        assert course == [(pytest.approx(mu), pytest.approx(sigma)) for mu, sigma in ratings[name]]
        assert by_table_size(everyone.get(id, Figures(id))) == by_table_size(figures)
        assert {statistic.id: statistic.of(everyone.get(id, Figures(id))) for statistic in STATISTICS} == found
    assert list(faults_of_club(session, club)) == []


# -- by hand -----------------------------------------------------------------------------------------------------------


def win(session: Session, club: Club, winner: str, loser: str, **plan: Any) -> Match:
    """Play a match that one of two wins in one round."""
    by = access.list_keys(session, club)[0]
    agreed = MatchPlan(players=(winner, loser), rulebook="classic-500", **({"target": 7} | plan))
    match = matches.start_match(session, club, agreed, by)
    record(session, match, {"went_out": winner, "hands": {loser: ["7"]}}, 0, by)
    return match


def figures_of(session: Session, club: Club, name: str, **chosen: Any) -> tuple[Figures, dict[str, str]]:
    names = {one.id: one.name for one in players.list_players(session, club)}
    id = next(id for id, known in names.items() if known == name)
    return load_figures(session, club.id, Filter(**chosen), id).get(id, Figures(id)), names


@pytest.fixture
def club(session: Session) -> Club:
    """A club without matches."""
    return access.create_club(session, "Thursdays").club


@pytest.mark.parametrize(
    ("wins", "losses", "is_nemesis"),
    [(0, 2, False), (0, 3, True), (3, 3, False), (2, 3, True)],
    ids=["twice is not enough", "three times", "not more than half", "just more than half"],
)
def test_a_nemesis_won_three_times_and_more_than_half(
    session: Session, club: Club, wins: int, losses: int, is_nemesis: bool
) -> None:
    for _ in range(losses):
        win(session, club, "Bo", "Ada")
    for _ in range(wins):
        win(session, club, "Ada", "Bo")
    ada, names = figures_of(session, club, "Ada")
    assert named(definitions.nemesis(ada), names) == ({"Bo"} if is_nemesis else set())
    bo, _ = figures_of(session, club, "Bo")
    assert named(definitions.favorite_opponent(bo), names) == ({"Ada"} if is_nemesis else set())


def test_a_match_of_another_rulebook_year_or_table_is_not_counted(session: Session, club: Club) -> None:
    match = win(session, club, "Ada", "Bo")
    year = match.started_at.year
    for chosen, count in (
        ({"rulebook": "classic-500", "year": year, "players": 2}, 1),
        ({"rulebook": "official"}, 0),
        ({"year": year - 1}, 0),
        ({"players": 3}, 0),
        ({"scale": "highest"}, 1),
        ({"scale": "lowest"}, 0),
    ):
        ada, _ = figures_of(session, club, "Ada", **chosen)
        assert (len(ada.endings), sum(one.rounds for one in ada.rounds)) == (count, count), chosen
        assert len(ada.meetings) == count, chosen


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        ({"year": 0}, "year"), ({"year": 9999}, "year"), ({"players": 1}, "players"), ({"players": 11}, "players"),
        ({"scale": "x"}, "scale"),
    ],
    ids=str,
)  # fmt: skip
def test_a_filter_that_nothing_can_meet_is_refused(chosen: dict[str, Any], field: str) -> None:
    with pytest.raises(Impossible) as refused:
        Filter(**chosen)
    assert [problem.field for problem in refused.value.problems] == [field]


def test_everybodys_figures_list_the_latest_matches_and_count_all(
    session: Session, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = [win(session, club, "Ada", "Bo").id for _ in range(3)][-1]
    by_name = {one.name: one.id for one in players.list_players(session, club)}
    figures._latest.cache_clear()
    monkeypatch.setattr(figures, "LATEST", 1)
    everyone = load_figures(session, club.id, Filter())
    figures._latest.cache_clear()
    ada = everyone[by_name["Ada"]]
    assert [one.match_id for one in ada.results] == [one.match_id for one in ada.ratings] == [latest]
    assert ada.endings == "www"
    assert [(one.together, one.beat) for one in ada.meetings] == [(3, 3)]
    assert len(figures_of(session, club, "Ada")[0].results) == 3


def test_another_club_counts_nothing_of_ours(session: Session, club: Club) -> None:
    win(session, club, "Ada", "Bo")
    assert load_figures(session, access.create_club(session, "Mondays").club.id, Filter()) == {}


def test_a_correction_of_an_old_match_rates_the_later_ones_anew(session: Session, club: Club) -> None:
    old = win(session, club, "Ada", "Bo")
    win(session, club, "Bo", "Cy")
    before, _ = figures_of(session, club, "Cy")
    by = access.list_keys(session, club)[0]
    entry = {"went_out": "Bo", "hands": {"Ada": ["7"]}}
    on_record = load_sheet(session, old).rounds[0]
    correct(session, old, rounds.get_round(session, old, on_record.id), entry, by)
    after, _ = figures_of(session, club, "Cy")
    # Cy lost to someone who is now known to be stronger, which is less of a surprise
    assert (after.results[0].mu or 0) > (before.results[0].mu or 0)


def test_merging_two_players_rates_them_as_one(session: Session, club: Club) -> None:
    win(session, club, "Ada", "Bo")
    win(session, club, "Adda", "Bo")
    away = win(session, club, "Adda", "Bo").id
    of_club.turn_match(session, club.id, away, deleted=True)
    everyone = {one.name: one for one in players.list_players(session, club)}
    players.merge_players(session, club, everyone["Adda"], everyone["Ada"])
    of_club.turn_match(session, club.id, away, deleted=False)
    session.commit()
    ada, _ = figures_of(session, club, "Ada")
    assert [result.mu for result in ada.results] == [
        pytest.approx(mu) for mu, _ in slow_ratings(sheets_of(session, club))["Ada"]
    ]
    assert len(ada.results) == 3
    assert list(faults_of_club(session, club)) == []
    bo, _ = figures_of(session, club, "Bo")
    assert [(one.opponent, one.together, one.beaten) for one in bo.meetings] == [(everyone["Ada"].id, 3, 3)]


# -- the state that pages keep figures for -----------------------------------------------------------------------------

Change = Callable[[Session, Club, Match, Key], object]


def first_round(session: Session, match: Match) -> Any:
    return rounds.get_round(session, match, load_sheet(session, match, struck=True).rounds[0].id)


def change_round(session: Session, match: Match, by: Key, *turns: bool) -> None:
    """Correct the first round, or strike it or bring it back so often."""
    if not turns:
        correct(session, match, first_round(session, match), {"went_out": "Bo", "hands": {"Ada": ["9"]}}, by)
    for struck in turns:
        turn(session, match, first_round(session, match), by, struck=struck)


def change_ada(session: Session, club: Club, name: str = "") -> None:
    """Rename Ada, or merge her into someone new."""
    ada = next(one for one in players.list_players(session, club) if one.name == "Ada")
    if name:
        players.change_player(session, club, ada, name=name)
    else:
        players.merge_players(session, club, ada, players.add_player(session, club, "Cy"))


def record_more(session: Session, match: Match, by: Key) -> None:
    matches.reopen(session, match, by)
    record(session, match, {"went_out": "Bo", "hands": {"Ada": ["9"]}}, 1, by)


CHALLENGE = Case(
    "draw-four-challenge",
    {"challenged": True, "challenger": "target", "held_color": True},
    {"offender": "Bo", "target": "Ada"},
)
CHANGES: dict[str, Change] = {
    "correct": lambda session, club, match, by: change_round(session, match, by),
    "strike": lambda session, club, match, by: change_round(session, match, by, True),
    "restore": lambda session, club, match, by: change_round(session, match, by, True, False),
    "record": lambda session, club, match, by: record_more(session, match, by),
    "reopen": lambda session, club, match, by: matches.reopen(session, match, by),
    "another match": lambda session, club, match, by: win(session, club, "Ada", "Bo"),
    "rename": lambda session, club, match, by: change_ada(session, club, "Adda"),
    "merge": lambda session, club, match, by: change_ada(session, club),
    "ruling": lambda session, club, match, by: give_ruling(session, match, CHALLENGE, by),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_state_of_a_club_grows_with_all_that_figures_count(session: Session, club: Club, change: Change) -> None:
    match = win(session, club, "Ada", "Bo")
    session.commit()
    before = load_choices(session, club.id).state
    change(session, club, match, access.list_keys(session, club)[0])
    session.commit()
    after = load_choices(session, club.id).state
    assert sum(after) > sum(before)
    assert all(new >= old for new, old in zip(after, before, strict=True))


def endings(won: int, lost: int) -> str:
    return Ending.WON * won + Ending.LOST * lost


@pytest.mark.parametrize(
    ("played", "places", "least"),
    [
        ({"Ada": (16, 9), "Bo": (1, 0), "Cy": (9, 16)}, [("Ada", 1), ("Cy", 2), ("Bo", 0)], 5),
        ({"Ada": (3, 2), "Bo": (5, 0), "Cy": (3, 2)}, [("Bo", 1), ("Ada", 2), ("Cy", 2)], 0),
        ({"Ada": (1, 2), "Bo": (1, 0)}, [("Ada", 1), ("Bo", 0)], 2),
        ({"Ada": (1, 0), "Bo": (0, 1)}, [("Ada", 1), ("Bo", 2)], 0),
        ({"Ada": (0, 0)}, [("Ada", 1)], 0),
    ],
    ids=["one match at 100%", "equal shares", "a young club", "one match", "nothing decided"],
)
def test_a_place_takes_enough_matches(
    played: Mapping[str, tuple[int, int]], places: list[tuple[str, int]], least: int
) -> None:
    figures = {name: Figures(name, endings=endings(*of)) for name, of in played.items()}
    found = compare(figures, {name: name for name in played})
    assert [(line.name, line.rank) for line in found.lines] == places
    assert found.least == least


# -- explained ---------------------------------------------------------------------------------------------------------


PLAY = CHECKOUT / "docs" / "pages" / "play"
PAGES = sorted(PLAY.rglob("statistics.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_statistic_is_defined_under_its_title_in_the_order_shown(page: Path) -> None:
    """In another language, those whose title is translated."""
    defined = re.findall(r"^### (.+)\n`(\w+)`: \S", page.read_text("utf-8"), re.MULTILINE)
    code = ENGLISH if page.parent == PLAY else page.parent.name
    with speaking(code):
        shown = [(one.title, one.id) for one in STATISTICS if code == ENGLISH or is_translated(code, one)]
    assert [each for each in defined if each in shown] == shown


def is_translated(code: str, statistic: Statistic) -> bool:
    return f"statistic.{statistic.id}" in translation(code, "records")


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.id)
def test_every_statistic_says_what_it_means(statistic: Statistic) -> None:
    assert statistic.means.endswith(".")
    assert len(statistic.means) <= 80
    assert (statistic.of.__doc__ or "").partition("\n")[0].endswith(".")
