"""Scoring one round: what each hand is worth and what each total gains, with reasons, or all problems; and standings.

The worth of a card, who takes the points and how a round may end are read from the rulebook's
clauses, so that the steps say which clause gave which number.

Then how hands become points as plain factors, which an offline phone multiplies and adds. They are found by
scoring small rounds, so that no rule stands here a second time.

At the end: who leads, how far it is to the target, when a match is over and who has won; and what its course shows. A
course is a sequence of tables: the first before any round, then one after each. A player stands only in the tables of
the time they sat at the match.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from referee.rules.books import settings as setting
from referee.rules.books.rulebook import TABLE_SIZES
from referee.rules.cards.cards import side_name
from referee.rules.disputes.hearing import Reading, Step
from referee.rules.scoring import round_checks, round_entry
from referee.rules.scoring.round_entry import DRAW_PILE_EMPTY, LAST_ONE_LEFT, TIME_LIMIT, WENT_OUT, RoundEntry, Table
from referee.rules.scoring.terms import Terms, Wins, partners_of
from referee.rules.text.problem import Impossible
from referee.rules.text.words import joined, say

LONGEST_SPELLED_HAND = 8
"""How many cards of a hand the reasons list one by one."""


@dataclass(frozen=True)
class RoundScore:
    """The result of a round, by seat.

    `hands` is what each hand is worth, `points` what each total grows by, for all who sit at the
    table; `cards_left` how many cards each hand had, where that is known. `winners` are those who win
    the match by the way this round ended, empty where its totals decide.
    """

    hands: Mapping[int, int]
    points: Mapping[int, int]
    credited_to: tuple[int, ...]
    cards_left: Mapping[int, int]
    winners: tuple[int, ...]
    steps: tuple[Step, ...]

    def to_document(self) -> dict[str, Any]:
        """Return the result of a round, without the reasons, as JSON values, whose keys are text."""
        return {
            "hands": {str(seat): worth for seat, worth in self.hands.items()},
            "points": {str(seat): points for seat, points in self.points.items()},
            "credited_to": list(self.credited_to),
            "winners": list(self.winners),
        }


def score_round(
    terms: Terms,
    entry: round_entry.RoundEntry,
    table: round_entry.Table,
    *,
    company: bool = False,
    check_box: bool = True,
) -> RoundScore:
    """Score one round under the terms of its match.

    `table` names those who sit there; a `company` that sits there because the entry names it has to
    fit the rulebook. `check_box` holds all hands together against the box, which what was played long ago
    is spared. Raises `Impossible` with every problem.
    """
    problems = [*entry.unread]
    problems += round_checks.company_problems(terms, table) if company else round_checks.seat_problems(table)
    for find in (
        round_checks.ending_problems,
        round_checks.further_problems,
        round_checks.hand_problems,
        round_checks.last_card_problems,
        round_checks.count_problems,
    ):
        problems += find(terms, entry, table)
    problems += round_checks.table_problems(entry, table)
    if check_box and not entry.unread:
        problems += round_checks.box_problems(terms, entry, table)
    if problems:
        raise Impossible(dict.fromkeys(problems))
    return _score(terms, entry, table)


def _score(terms: Terms, entry: round_entry.RoundEntry, table: round_entry.Table) -> RoundScore:
    reading = Reading(terms.rulebook)
    _note_end(reading, entry, table)
    if entry.ended == round_entry.DRAW_PILE_EMPTY:
        reading.read(setting.DRAW_PILE_ENDS_ROUND)
    playing = tuple(seat for seat in round_checks.who_plays(entry, table) if seat not in entry.knocked_out)
    if entry.ended == round_entry.LAST_ONE_LEFT:
        reading.read(setting.LAST_LEFT_WINS)
    if entry.knocked_out:
        reading.read(setting.KNOCKED_OUT_AT)
        _note(reading, "knocked-out", players=joined(table[seat] for seat in entry.knocked_out))
    if entry.side is not None:
        _note(reading, "side", side=side_name(entry.side))
    hands = {seat: _worth(terms, table[seat], entry.hands[seat], reading) for seat in playing if seat in entry.hands}
    drawn = round_checks.last_card_reminder(terms, entry.last_card) if entry.ended == round_entry.WENT_OUT else 0
    if drawn:
        reading.read(setting.LAST_CARD_COUNTS)
        if isinstance(drawn, int):
            _note(reading, "drawn-for-last", n=drawn)
        else:
            _note(reading, f"drawn-for-last-{drawn}")
    cards_left = round_checks.cards_held(entry, playing)
    winners: tuple[int, ...] = ()
    if entry.ended == round_entry.TIME_LIMIT:
        reading.read(setting.TIME_LIMIT_WINNER)
        fewest = min(cards_left.values())
        winners = tuple(seat for seat, count in cards_left.items() if count == fewest)
        _note(reading, "fewest-cards", players=joined(table[seat] for seat in winners), n=fewest)
        gains: dict[int, int] = {}
        credited: tuple[int, ...] = ()
    else:
        gains, credited = _gains(terms, entry, table, hands, reading)
    for each in entry.adjustments:
        gains[each.seat] = gains.get(each.seat, 0) + each.points
        key = "adjusted-up" if each.points > 0 else "adjusted-down"
        _note(reading, key, name=table[each.seat], n=abs(each.points), reason=each.reason)
    return RoundScore(
        hands=MappingProxyType(hands),
        points=MappingProxyType({seat: gains.get(seat, 0) for seat in table}),
        credited_to=credited,
        cards_left=MappingProxyType(cards_left),
        winners=winners,
        steps=tuple(reading.steps),
    )


def _gains(
    terms: Terms, entry: round_entry.RoundEntry, table: round_entry.Table, hands: Mapping[int, int], reading: Reading
) -> tuple[dict[int, int], tuple[int, ...]]:
    """Decide what each total gains, and who is credited."""
    awards = reading.read(setting.AWARDS) if terms.count == "points" else ""
    won = _won(entry, table)
    if awards in ("own-points", "own-points-off"):
        sign = -1 if awards == "own-points-off" else 1
        gains = {seat: sign * worth for seat, worth in hands.items() if seat != entry.went_out}
        credited = tuple(gains)
    elif awards == "by-rank":
        gains, credited = _by_rank(terms, won, hands, reading)
    else:
        gains, credited = _to_winner(terms, entry, table, won, hands, reading)
    takers = won or entry.credited_to or ()
    if entry.knocked_out and takers and terms.count == "points" and terms.rulebook.find(setting.KNOCK_OUT_BONUS):
        each = reading.read(setting.KNOCK_OUT_BONUS)
        bonus = each * len(entry.knocked_out)
        _note(reading, "knock-out-bonus", n=len(entry.knocked_out), each=each, points=bonus)
        gains |= {seat: gains.get(seat, 0) + bonus for seat in takers}
        credited = tuple(dict.fromkeys((*credited, *takers))) if bonus else credited
    return gains, credited


def _won(entry: round_entry.RoundEntry, table: round_entry.Table) -> tuple[int, ...]:
    """Return who won the round: whoever went out, or the last one left; nobody where it ended otherwise."""
    if entry.ended == round_entry.LAST_ONE_LEFT:
        return tuple(seat for seat in round_checks.who_plays(entry, table) if seat not in entry.knocked_out)
    return (entry.went_out,) if entry.ended == round_entry.WENT_OUT and entry.went_out is not None else ()


def _to_winner(
    terms: Terms,
    entry: round_entry.RoundEntry,
    table: round_entry.Table,
    won: tuple[int, ...],
    hands: Mapping[int, int],
    reading: Reading,
) -> tuple[dict[int, int], tuple[int, ...]]:
    """Return the round's points, or one, to whoever won it; else to whom the table credits."""
    credited = won or entry.credited_to or ()
    if not won and credited:
        _note(reading, "table-credits", players=joined(table[seat] for seat in credited))
    elif not won:
        _note(reading, "nobody-credited")
    if terms.count == "rounds":
        _note(reading, "counts-rounds")
    if terms.count == "rounds" or terms.awards == "one-point":
        return dict.fromkeys(credited, 1), credited
    taken = {
        seat: sum(worth for other, worth in hands.items() if round_checks.takes_hand(terms, seat, other))
        for seat in credited
    }
    for seat in credited if terms.teams else ():
        mates = [table[mate] for mate in partners_of(terms, seat) if mate != seat and mate in table]
        reading.read(setting.PARTNERS)
        counted = terms.rulebook.value(setting.PARTNER_HAND_COUNTS, False)
        _note(reading, "partner-counts" if counted else "partner-aside", players=joined(mates))
    return taken, credited


def _by_rank(
    terms: Terms, won: tuple[int, ...], hands: Mapping[int, int], reading: Reading
) -> tuple[dict[int, int], tuple[int, ...]]:
    """Rank the round's winner first, then the hands, the lightest first; the rules say what equal hands score."""
    reading.read(setting.RANK_POINTS)
    keys = {**hands, **dict.fromkeys(won, -1)}
    order = sorted(keys.values())
    if len(set(order)) < len(order) and terms.rulebook.find(setting.TIED_RANKS) is None:
        _note(reading, "tied-ranks")
    gains = {seat: terms.points_of_ranks(order.index(key), order.count(key)) for seat, key in keys.items()}
    return gains, tuple(seat for seat, gain in gains.items() if gain)


def _worth(terms: Terms, name: str, hand: round_entry.Hand, reading: Reading) -> int:
    if isinstance(hand, int):
        _note(reading, "typed", name=name, points=hand)
        return hand
    worths = [terms.worth(card.face, reading) for card in hand]
    if len(worths) in range(2, LONGEST_SPELLED_HAND + 1):
        _note(reading, "hand-spelled", name=name, sum=" + ".join(map(str, worths)), points=sum(worths))
    elif worths:
        _note(reading, "hand", name=name, n=len(worths), points=sum(worths))
    return sum(worths)


def _note_end(reading: Reading, entry: round_entry.RoundEntry, table: round_entry.Table) -> None:
    if entry.went_out is None:
        _note(reading, entry.ended)
    elif entry.last_card is None:
        _note(reading, round_entry.WENT_OUT, name=table[entry.went_out])
    else:
        _note(reading, "went-out-on", name=table[entry.went_out], card=entry.last_card.label)


def _note(reading: Reading, key: str, **places: object) -> None:
    reading.steps.append(Step("answer", say(f"scoring.{key}", **places)))


TAKER, HOLDER, THIRD = 0, 1, 2
"""Seats of those who play those rounds."""
SMALL, LARGE = 5, 7
"""Hands of different value, whether or not the box can make them."""


@dataclass(frozen=True)
class Share:
    """What a round scores: `fixed` points for the taker, and factors for the others' hands and one's own.

    The taker is who went out, or who is credited when nobody did.
    """

    fixed: int
    others: int
    own: int
    knocked_out: int = 0
    """points for the taker for each player knocked out"""
    ranks: tuple[tuple[int, ...], ...] = ()
    """points of each rank, best first, for one hand there, for two alike and so on; the factors are 0 then"""

    def to_json(self) -> dict[str, Any]:
        """Return the factors as JSON for the phone."""
        factors: dict[str, Any] = {"fixed": self.fixed, "others": self.others, "own": self.own}
        factors |= {"knockedOut": self.knocked_out} if self.knocked_out else {}
        return factors | {"ranks": [list(points) for points in self.ranks]} if self.ranks else factors


def shares(terms: Terms) -> Mapping[str, Share]:
    """Return the factors for every way a round may end under these terms."""
    by_ending: dict[str, Share] = {}
    terms = replace(terms, teams=None)  # whose hands count is for the phone to say, as it knows who went out
    for ended in (WENT_OUT, DRAW_PILE_EMPTY, TIME_LIMIT):
        small, large = _points(terms, ended, SMALL), _points(terms, ended, LARGE)
        if small and large and terms.rank_points and terms.count == "points" and ended != TIME_LIMIT:
            by_ending[ended] = Share(0, 0, 0, knocked_out=_knock_out(terms, ended), ranks=_points_by_rank(terms))
        elif small and large:
            others = (large[TAKER] - small[TAKER]) // (LARGE - SMALL)
            by_ending[ended] = Share(
                fixed=small[TAKER] - others * SMALL,
                others=others,
                own=(large[HOLDER] - small[HOLDER]) // (LARGE - SMALL),
                knocked_out=_knock_out(terms, ended),
            )
    lone, both = (_scored(terms, RoundEntry(LAST_ONE_LEFT, knocked_out=out)) for out in ((HOLDER,), (HOLDER, THIRD)))
    if lone and both:
        each = both[TAKER] - lone[TAKER]
        by_ending[LAST_ONE_LEFT] = Share(fixed=lone[TAKER] - each, others=0, own=0, knocked_out=each)
    return MappingProxyType(by_ending)


def _points_by_rank(terms: Terms) -> tuple[tuple[int, ...], ...]:
    most = TABLE_SIZES[-1]
    return tuple(
        tuple(terms.points_of_ranks(first, count) for count in range(1, most - first + 1)) for first in range(most)
    )


def _knock_out(terms: Terms, ended: str) -> int:
    """Return what the taker gets for a player knocked out."""
    without, knocked = _points(terms, ended, SMALL), _points(terms, ended, SMALL, knocked_out=(THIRD,))
    return knocked[TAKER] - without[TAKER] if knocked and without else 0


def _points(terms: Terms, ended: str, worth: int, knocked_out: tuple[int, ...] = ()) -> Mapping[int, int] | None:
    scored = (_scored(terms, replace(entry, knocked_out=knocked_out)) for entry in _entries(ended, worth))
    return next((points for points in scored if points is not None), None)


def _scored(terms: Terms, entry: RoundEntry) -> Mapping[int, int] | None:
    """Score a round of as many players as it has, whatever hands the box can give; None where it cannot be."""
    names = {TAKER: "taker", HOLDER: "holder", THIRD: "third"}
    table = names if THIRD in entry.knocked_out else {seat: names[seat] for seat in (TAKER, HOLDER)}
    try:
        return score_round(terms, entry, table, check_box=False).points
    except Impossible:
        return None


def _entries(ended: str, worth: int) -> Iterator[RoundEntry]:
    """Return rounds that end so, in which one player holds a hand of this worth; not every text takes each."""
    if ended == WENT_OUT:
        yield RoundEntry(ended=ended, went_out=TAKER, hands={HOLDER: worth})
    elif ended == DRAW_PILE_EMPTY:
        yield RoundEntry(ended=ended, hands={TAKER: (), HOLDER: worth}, credited_to=(TAKER,))
        yield RoundEntry(ended=ended, hands={TAKER: (), HOLDER: worth})
    else:
        yield RoundEntry(ended=ended, cards_left={TAKER: 2, HOLDER: worth})


Ending = Literal["target", "time-limit", "rounds", "by-hand"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table.

    Equal totals share a rank, and the next rank is left out (1, 2, 2, 4). `needs` are the points that
    are missing to the target: to win where the highest total wins, until the match is over where the
    lowest does, or until one's own end where it puts a player out. They are None when the match is open-ended, and
    for who is out.
    """

    player: str
    total: int
    rank: int
    needs: int | None
    out: bool = False
    """out of the match, where reaching the target puts a player out"""
    out_since: int | None = None
    """the number of the round that did so, where that was told"""
    team: int | None = None
    """which of the teams of the match, counted from 0"""
    team_total: int | None = None
    """what the team has together, by which it ranks and reaches the target"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended, and the seats of those who won it.

    They are several in a tie and none where neither the text nor the table says which total wins.
    """

    ending: Ending
    winners: tuple[int, ...]


def standings(
    terms: Terms, totals: Mapping[int, int], table: Table, *, out_since: Mapping[int, int] = MappingProxyType({})
) -> tuple[Standing, ...]:
    """Order seats by their totals, best first; equal ones keep their order.

    `out_since` are the numbers of the rounds that put players out of the match.
    """
    out, counted = out_of_match(terms, totals), side_totals(terms, totals)
    return tuple(
        Standing(
            player=table[seat],
            total=totals[seat],
            rank=rank,
            needs=None if terms.target is None or seat in out else max(0, terms.target - counted[seat]),
            out=seat in out,
            out_since=out_since.get(seat) if seat in out else None,
            team=team_of(terms, seat) if terms.teams else None,
            team_total=counted[seat] if terms.teams else None,
        )
        for seat, rank in _ranked(terms, totals).items()
    )


def ranks(terms: Terms, totals: Mapping[int, int]) -> dict[int, int]:
    """Rank seats by their totals, 1 for the best; empty if nothing says which total wins the match."""
    return _ranked(terms, totals) if terms.wins else {}


def _ranked(terms: Terms, totals: Mapping[int, int]) -> dict[int, int]:
    """Return ranks by what leads, best first; those who are out of the match come after all others."""
    sign = -1 if terms.leads == "highest" else 1
    counted = side_totals(terms, totals).items()
    keys = {seat: (terms.eliminates and _reached(terms, total), sign * total) for seat, total in counted}
    order = sorted(keys[side[0]] for side in sides(terms, totals))
    ranks = {seat: order.index(key) + 1 for seat, key in keys.items()}
    return dict(sorted(ranks.items(), key=itemgetter(1)))


def side_totals(terms: Terms, totals: Mapping[int, int]) -> Mapping[int, int]:
    """Return by seat the total that decides: one's own, or that of the team."""
    if not terms.teams:
        return totals
    return {seat: sum(totals[mate] for mate in partners_of(terms, seat) if mate in totals) for seat in totals}


def by_sides(terms: Terms, totals: Mapping[int, int]) -> dict[int, int]:
    """Return what each side has together, by the first seat of its team, or by one's own."""
    together: dict[int, int] = {}
    for seat, total in totals.items():
        first = partners_of(terms, seat)[0]
        together[first] = together.get(first, 0) + total
    return together


def sides(terms: Terms, seats: Iterable[int]) -> list[tuple[int, ...]]:
    """Part seats into those who stand and fall together: teams, or each alone."""
    here = tuple(seats)
    if not terms.teams:
        return [(seat,) for seat in here]
    return list(dict.fromkeys(tuple(mate for mate in partners_of(terms, seat) if mate in here) for seat in here))


def team_of(terms: Terms, seat: int) -> int | None:
    """Return the team that a seat belongs to, counted from 0; None where there are no teams."""
    return next((place for place, team in enumerate(terms.teams or ()) if seat in team), None)


def _reached(terms: Terms, total: int) -> bool:
    return terms.target is not None and total >= terms.target


def out_of_match(terms: Terms, totals: Mapping[int, int]) -> tuple[int, ...]:
    """Return the seats that play no more because their total reached the target; none where that ends the match."""
    if not terms.eliminates:
        return ()
    return tuple(seat for seat, total in side_totals(terms, totals).items() if _reached(terms, total))


def is_over(terms: Terms, totals: Mapping[int, int]) -> bool:
    """Return whether someone's total has reached the target, or all but one have where it puts a player out."""
    counted = side_totals(terms, totals)
    all_sides = sides(terms, totals)
    reached = sum(_reached(terms, counted[side[0]]) for side in all_sides)
    return reached >= max(1, len(all_sides) - 1) if terms.eliminates else bool(reached)


def leading(terms: Terms, totals: Mapping[int, int]) -> list[tuple[int, ...]]:
    """Return the sides that have the best total so far, even if nothing says which total wins the match."""
    return sides(terms, (seat for seat, rank in _ranked(terms, totals).items() if rank == 1))


def winners(terms: Terms, totals: Mapping[int, int]) -> tuple[int, ...]:
    """Return the seats with the best total; none if nothing says which total wins."""
    return tuple(seat for seat, rank in ranks(terms, totals).items() if rank == 1)


def outcome(
    terms: Terms,
    totals: Mapping[int, int],
    *,
    rounds: int = 0,
    fewest_cards: Sequence[int] = (),
    by_hand: bool = False,
) -> Outcome | None:
    """Decide whether the match is over after so many rounds, how it ended and who won; None while it goes on.

    `fewest_cards` are the winners that a round ended by the time limit named (`RoundScore.winners`):
    they win whatever the totals are. `by_hand` ends a match that the table finishes early.
    """
    if fewest_cards:
        won = {mate for seat in fewest_cards for mate in partners_of(terms, seat)}
        return Outcome("time-limit", tuple(seat for seat in totals if seat in won) or tuple(fewest_cards))
    if is_over(terms, totals):
        return Outcome("target", winners(terms, totals))
    if terms.rounds_to_play and rounds >= terms.rounds_to_play:
        return Outcome("rounds", winners(terms, totals))
    return Outcome("by-hand", winners(terms, totals)) if by_hand else None


P = TypeVar("P", bound=Hashable)


def best(table: Mapping[P, int], leads: Wins) -> int:
    """Return the best total of a table that has at least one."""
    return max(table.values()) if leads == "highest" else min(table.values())


def turning_point(course: Sequence[Mapping[P, int]], leads: Wins, winner: P) -> int | None:
    """Return the number of the round after which the winner led alone until the end; None if only after the last.

    1 means that the winner led from the first round on, even where that was the only one.
    """
    turned = None
    for number in range(len(course) - 1, 0, -1):
        table = course[number]
        if winner not in table or list(table.values()).count(best(table, leads)) > 1:
            break
        if table[winner] != best(table, leads):
            break
        turned = number
    return None if turned == len(course) - 1 > 1 else turned


def furthest_behind(course: Sequence[Mapping[P, int]], leads: Wins, player: P) -> int:
    """Return the most points by which a player ever trailed the best total after a round; 0 for one who never did."""
    gaps = [abs(best(table, leads) - table[player]) for table in course[1:] if player in table]
    return max(gaps, default=0)
