"""What each player's rounds of a match add up to, stored when it is over: statistics then add matches and not rounds.

They are good for one revision of the match (`Match.summed`), which `referee check` holds. The rounds of a match that
goes on are counted themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, bindparam, delete, func, insert, select
from sqlalchemy.orm import Session

from referee.records.models import Base, Match, MatchStatus, MatchSum, RoundScore, Scale, columns_of

AHEAD, LEVEL, BEHIND = "+", "=", "-"
"""How a player came off beside another, in `MatchResult.met`."""
_score, _sum = columns_of(RoundScore), columns_of(MatchSum)
_TABLE = Base.metadata.tables[MatchSum.__tablename__]
_ADD = insert(_TABLE)
_DROP = delete(_TABLE).where(_sum.club_id == bindparam("club_id"), _sum.match_id == bindparam("match_id"))


class RoundSum(NamedTuple):
    """Rounds of one player that are alike in scale and table size, added up."""

    scale: Scale
    players: int
    rounds: int
    went_out: int
    hands: int
    """rounds in which someone else went out and this player's hand is known"""
    hand_sum: int
    hand_max: int
    catches: int
    """rounds in which this player went out and the others' hands are known"""
    catch_sum: int
    catch_max: int
    last_cards: Mapping[str, int]
    """how often each card was gone out on"""

    def plus(self, other: RoundSum) -> RoundSum:
        """Add rounds of the same kind."""
        return RoundSum(
            self.scale,
            self.players,
            self.rounds + other.rounds,
            self.went_out + other.went_out,
            self.hands + other.hands,
            self.hand_sum + other.hand_sum,
            max(self.hand_max, other.hand_max),
            self.catches + other.catches,
            self.catch_sum + other.catch_sum,
            max(self.catch_max, other.catch_max),
            Counter(self.last_cards) + Counter(other.last_cards),
        )


def sums_of_rounds() -> list[ColumnElement[Any]]:
    """Return the columns that add up `RoundScore` rows, from `RoundSum.rounds` to `RoundSum.catch_max`."""
    caught = _score.went_out.is_(False)
    return [
        func.count(),
        func.count().filter(_score.went_out),
        func.count(_score.hand).filter(caught),
        func.coalesce(func.sum(_score.hand).filter(caught), 0),
        func.coalesce(func.max(_score.hand).filter(caught), 0),
        func.count(_score.catch),
        func.coalesce(func.sum(_score.catch), 0),
        func.coalesce(func.max(_score.catch), 0),
    ]


def _of_match() -> Select[Any]:
    alike = (_score.player_id, _score.scale, _score.players)
    here = (_score.club_id == bindparam("club_id"), _score.match_id == bindparam("match_id"))
    return (
        select(*alike, *sums_of_rounds(), _score.last_card)
        .where(*here, _score.place != bindparam("but"))
        .group_by(*alike, _score.last_card)
    )


_OF_MATCH = _of_match()


def load_sums(
    session: Session, match: Match, *, but: int = 0, scores: Iterable[Mapping[str, Any]] = ()
) -> tuple[dict[str, Any], ...]:
    """Add up the live rounds of a match, as rows of `MatchSum`.

    `but` is the place of a round which is not written as it will be, and `scores` are its rows of `RoundScore`.
    """
    given = {"club_id": match.club_id, "match_id": match.id, "but": but}
    rows = session.execute(_OF_MATCH, given)
    counted = ((player, RoundSum._make((*sums, _cards(card, sums[3])))) for player, *sums, card in rows)
    return tuple(_rows(match.club_id, match.id, [*counted, *map(_one, scores)]))


def sum_up(club_id: str, match_id: str, scores: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Add up the live rounds of a match from their rows of `RoundScore`, as rows of `MatchSum`."""
    return tuple(_rows(club_id, match_id, map(_one, scores)))


def _one(score: Mapping[str, Any]) -> tuple[str, RoundSum]:
    """Make the sum of one round."""
    out, catch = bool(score["went_out"]), score["catch"]
    hand = None if out else score["hand"]
    worth = (hand is not None, hand or 0, hand or 0, catch is not None, catch or 0, catch or 0)
    sums = (score["scale"], score["players"], 1, int(out), *map(int, worth))
    return score["player_id"], RoundSum._make((*sums, _cards(score["last_card"], 1)))


def _cards(card: str | None, times: int) -> dict[str, int]:
    return {} if card is None else {card.strip().lower(): times}  # as `parse_card` reads what an import brought


def _rows(club_id: str, match_id: str, parts: Iterable[tuple[str, RoundSum]]) -> Iterator[dict[str, Any]]:
    sums: dict[tuple[str, str, int], RoundSum] = {}
    for player, part in parts:
        key = (player, part.scale, part.players)
        sums[key] = sums[key].plus(part) if key in sums else part
    for (player, *_), each in sorted(sums.items(), key=lambda item: item[0]):
        row = {"club_id": club_id, "player_id": player, "match_id": match_id} | each._asdict()
        yield row | {"last_cards": write_cards(each.last_cards)}


def write_cards(counts: Mapping[str, int]) -> str | None:
    """Write how often a player went out on each card, as `MatchSum.last_cards` stores it."""
    return " ".join(f"{card}:{times}" for card, times in sorted(counts.items())) or None


def read_cards(text: str | None) -> Mapping[str, int]:
    """Read what `write_cards` wrote, of one match or of several after one another."""
    counts: Counter[str] = Counter()
    for word, often in Counter(text.split() if text else ()).items():
        card, _, times = word.rpartition(":")
        counts[card] += int(times) * often
    return counts


def put_sums(session: Session, match: Match, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the sums of a match in place of those there; the caller says by `Match.summed` what they are good for."""
    session.connection().execute(_DROP, {"club_id": match.club_id, "match_id": match.id})
    if rows := list(rows):
        session.connection().execute(_ADD, rows)


def keep_sums(session: Session, match: Match) -> None:
    """Store the sums of a match that is over now, or drop those of one that goes on."""
    session.flush()
    over = match.status != MatchStatus.IN_PROGRESS
    if over or match.summed is not None:
        put_sums(session, match, load_sums(session, match) if over else ())
    match.summed = match.revision if over else None


def add_meetings(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one match's results with `MatchResult.met` added: each opponent, and whether the player beat them.

    Winners beat all others, and a better rank a worse one; also where the cards left decided and not the totals.
    """
    results = list(lines)
    staying = [line for line in results if line["winners"] and line["rank"] is not None]
    order = {line["seat"]: (not line["won"], line["rank"]) for line in staying}

    def met(line: Mapping[str, Any]) -> str | None:
        mine = order.get(line["seat"])
        if mine is None:
            return None
        others = ((other["player_id"], order[other["seat"]]) for other in staying if other is not line)
        return " ".join(
            f"{player}{AHEAD if mine < theirs else BEHIND if mine > theirs else LEVEL}"
            for player, theirs in sorted(others)
        )

    return [line | {"met": met(line) or None} for line in results]
