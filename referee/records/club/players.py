"""The players of a club: added, renamed, merged, set inactive; a deleted name leaves a stand-in."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import CompoundSelect, delete, func, select, true, union, update
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.deletion.waiting import refuse_nameless
from referee.records.errors import MOST_PLAYERS, NotFound, refuse_over
from referee.records.ids import is_id, new_id
from referee.records.match.tallies import advance_each, note_change
from referee.records.models import (
    DELETED_TOO,
    MARKERS,
    Club,
    Evening,
    EveningPlayer,
    Match,
    MatchResult,
    MatchSum,
    Player,
    RoundScore,
    Season,
    Seat,
    new_nonce,
)
from referee.records.names import clean_name, fold_name, likeness
from referee.records.statistics.ratings import rate_soon
from referee.records.words import say
from referee.rules.text.problem import Impossible, Problem


def list_players(session: Session, club: Club, *, active_only: bool = False, removed: bool = False) -> Sequence[Player]:
    """List the club's players by name; those merged into another are left out.

    So are those whose names were deleted, unless `removed` wants their stand-ins too.
    """
    chosen = select(Player).where(Player.club_id == club.id, Player.merged_into.is_(None)).order_by(Player.folded_name)
    if not removed:
        chosen = chosen.where(Player.deleted_at.is_(None))
    if active_only:
        chosen = chosen.where(Player.active)
    return session.scalars(chosen).all()


def call_players(session: Session, club: Club) -> tuple[dict[str, str], frozenset[str]]:
    """Return the names of a club's players by id, in the order of names, and the ids of stand-ins."""
    everyone = list_players(session, club, removed=True)
    stand_ins = frozenset(player.id for player in everyone if player.deleted_at is not None)
    return {player.id: player.name for player in everyone}, stand_ins


def get_player(session: Session, club_id: str, player_id: str) -> Player:
    """Look up a player of the club; raises `NotFound`, and `Deleted` where the name was deleted."""
    player = session.get(Player, (club_id, player_id)) if is_id(player_id) else None
    if player is None:
        raise NotFound("player")
    refuse_nameless(player)
    return player


def find_player(session: Session, club_id: str, id_or_name: str, field: str) -> Player | None:
    """Look up a player by id or, in any case of its letters, by name; None when the club has no such player.

    A name that was merged away leads to the player it became. Raises `Impossible`, naming `field`, for
    what can be neither.
    """
    folded = fold_name(clean_name(id_or_name, field))
    known = session.get(Player, (club_id, id_or_name)) if is_id(id_or_name) else None
    player = known or _by_folded_name(session, club_id, [folded]).get(folded)
    return None if player is not None and player.deleted_at is not None else player


def add_player(session: Session, club: Club, name: str) -> Player:
    """Add a player to the club; raises `Impossible` for a bad or taken name."""
    lock_club(session, club.id)
    name = clean_name(name)
    _refuse_taken(session, club.id, name, None)
    _refuse_full(session, club.id, 1, "name")
    return _add(session, club.id, name)


def change_player(
    session: Session,
    club: Club,
    player: Player,
    name: str | None = None,
    active: bool | None = None,
    marker: str | None = None,
) -> None:
    """Rename a player, set whether they are active, or their color and shape, empty for none.

    Raises `Impossible` for a bad or taken name, and for a color and shape that there is not.
    """
    lock_club(session, club.id)
    if player.merged_into is not None:
        raise Impossible([Problem("id", say("player.merged", name=player.name))])
    if marker not in (None, "", *MARKERS):
        raise Impossible([Problem("marker", say("player.marker", choices=", ".join(MARKERS)))])
    if marker is not None and marker != player.marker:
        player.marker = marker
        _touch_matches(session, player)
    if name is not None:
        name = clean_name(name)
        _refuse_taken(session, player.club_id, name, player)
        if name != player.name:
            player.name, player.folded_name = name, fold_name(name)
            _touch_matches(session, player)
    if active is not None:
        player.active = active
    session.flush()


def load_merged(session: Session, club_id: str) -> dict[str, str]:
    """Load by id who each player became that was merged."""
    merged = select(Player.id, Player.merged_into).where(Player.club_id == club_id, Player.merged_into.is_not(None))
    return {id: into for id, into in session.execute(merged) if into}


def one_stay(stays: Iterable[tuple[int, int | None, bool]]) -> tuple[int, int | None, bool]:
    """Return the first draw, the first without them and whether as a guest, of someone who came as several."""
    first, until, guest = zip(*stays, strict=True)
    return min(first), None if None in until else max(until), all(guest)


def merge_players(session: Session, club: Club, player: Player, into: Player) -> None:
    """Merge a player into another: every seat, score and result of `player` becomes `into`'s.

    The old name stays and leads to `into`. Raises `Impossible` if both played in the same match,
    or if either was merged before.
    """
    lock_club(session, club.id)
    if player.id == into.id:
        raise Impossible([Problem("into", say("player.merged-with-self", name=player.name))])
    if player.merged_into is not None or into.merged_into is not None:
        field, merged = ("id", player) if player.merged_into is not None else ("into", into)
        raise Impossible([Problem(field, say("player.merged-before", name=merged.name))])
    at = select(Seat.match_id).where(Seat.club_id == player.club_id)
    mine = at.where(Seat.player_id == player.id)
    # wait for rounds being recorded there: they would be written for the old player
    session.execute(
        select(Match.id)
        .where(Match.club_id == player.club_id, Match.id.in_(mine))
        .order_by(Match.id)
        .with_for_update()
        .execution_options(**DELETED_TOO)
    )
    if session.scalar(at.where(Seat.player_id == into.id, Seat.match_id.in_(mine)).limit(1)) is not None:
        raise Impossible([Problem("into", say("player.same-match", name=player.name, other=into.name))])
    _touch_matches(session, player)
    session.execute(  # in what the others of those matches say of whom they met
        update(MatchResult)
        .where(MatchResult.club_id == player.club_id, MatchResult.match_id.in_(mine))
        .values(met=func.replace(MatchResult.met, player.id, into.id))
        .execution_options(synchronize_session=False)
    )
    for table in (RoundScore, MatchResult, MatchSum, Seat):  # rounds are found by the matches, those by the seats
        session.execute(
            update(table)
            .where(table.club_id == player.club_id, table.player_id == player.id)
            .where(table.match_id.in_(mine) if table is RoundScore else true())
            .values(player_id=into.id)
            .execution_options(synchronize_session=False)
        )
    _merge_stays(session, player, into)
    session.execute(
        update(Player)
        .where(Player.club_id == player.club_id, Player.merged_into == player.id)
        .values(merged_into=into.id)
    )
    first = session.scalar(
        select(func.min(MatchResult.match_id)).where(
            MatchResult.club_id == player.club_id, MatchResult.player_id == into.id
        )
    )
    if first is not None:
        rate_soon(session, player.club_id, first)
    if player.marker and not into.marker:
        into.marker = player.marker
        _touch_matches(session, into)
    player.merged_into = into.id
    player.active = False
    session.flush()
    session.expire_all()


def _merge_stays(session: Session, player: Player, into: Player) -> None:
    """Let `into` have been on the evenings on which `player` was, once where both were.

    What went into a draw keeps the ids of then: it follows from their order.
    """
    own = (EveningPlayer.club_id == player.club_id, EveningPlayer.player_id == player.id)
    for stay in session.scalars(select(EveningPlayer).where(*own)).all():
        there = session.get(EveningPlayer, (stay.club_id, stay.evening_id, into.id))
        if there is None:
            stay.player_id = into.id
            continue
        both = [(one.from_draw, one.until_draw, one.guest) for one in (stay, there)]
        there.from_draw, there.until_draw, there.guest = one_stay(both)
        session.delete(stay)
    session.flush()


def seat_players(
    session: Session, club: Club, names: Sequence[str], field: str = "players", *, former: bool = False
) -> list[Player]:
    """Find the players of these names, adding those who are new, in the order given; see `look_for_players`."""
    lock_club(session, club.id)
    named = look_for_players(session, club, names, field, former=former)
    return [player or _add(session, club.id, name) for name, player in named]


def remove_unseen(session: Session, club_id: str, ids: Sequence[str], since: datetime) -> None:
    """Remove those of some players who joined since a moment, and stand in no match, evening or season."""
    seen: CompoundSelect[Any] = union(
        select(Seat.player_id).where(Seat.club_id == club_id),
        select(EveningPlayer.player_id).where(EveningPlayer.club_id == club_id),
        select(Player.merged_into).where(Player.club_id == club_id, Player.merged_into.is_not(None)),
    )
    chosen = {id for people in session.scalars(select(Season.people).where(Season.club_id == club_id)) for id in people}
    new = (Player.club_id == club_id, Player.id.in_({*ids} - chosen), Player.created_at >= since)
    session.execute(delete(Player).where(*new, Player.merged_into.is_(None), Player.id.not_in(seen)))


def look_for_players(
    session: Session, club: Club, names: Sequence[str], field: str = "players", *, former: bool = False
) -> list[tuple[str, Player | None]]:
    """Return cleaned names, each with the club's player of that name; nothing is written.

    With `former` a player whose name was deleted is found too, by that name and by what stands for it: those who play
    again, or whose names were typed before.

    Raises `Impossible` naming as ``players[i]`` each name that is bad or repeats a player, and if the club has no
    room for the new ones.
    """
    problems: list[Problem] = []
    cleaned: list[str] = []
    for index, name in enumerate(names):
        try:
            cleaned.append(clean_name(name, (field, index)))
        except Impossible as error:
            problems += error.problems
            cleaned.append("")
    folded = [fold_name(name) for name in cleaned]
    known = _by_folded_name(session, club.id, [name for name in folded if name])
    if former:
        gone = select(Player).where(Player.club_id == club.id, Player.deleted_name.is_not(None))
        deleted = {fold_name(player.deleted_name or ""): _whose(session, player) for player in session.scalars(gone)}
        known = deleted | known
    for index, (name, fold) in enumerate(zip(cleaned, folded, strict=True)):
        if fold in known and known[fold].deleted_at is not None and not former:
            problems.append(Problem((field, index), say("deleted.stand-in", name=name)))
    seen: dict[str, str] = {}
    for index, (name, fold) in enumerate(zip(cleaned, folded, strict=True)):
        person = known[fold].id if fold in known else likeness(fold)
        if fold and person in seen:
            same = "player.twice" if seen[person] == name else "player.same"
            problems.append(Problem((field, index), say(same, name=name, other=seen[person])))
        seen.setdefault(person, name)
    if problems:
        raise Impossible(problems)
    _refuse_full(session, club.id, sum(fold not in known for fold in folded), field)
    return [(name, known.get(fold)) for name, fold in zip(cleaned, folded, strict=True)]


def _by_folded_name(session: Session, club_id: str, folded: Sequence[str]) -> dict[str, Player]:
    """Find players by name; a name that was merged away leads to the player it became."""
    return {name: _whose(session, player) for name, player in _holders(session, club_id, folded).items()}


def _whose(session: Session, player: Player) -> Player:
    """Return the player that one became, or itself."""
    return session.get_one(Player, (player.club_id, player.merged_into)) if player.merged_into else player


def _holders(session: Session, club_id: str, folded: Sequence[str]) -> dict[str, Player]:
    """Find who has each name, or else one that looks the same."""
    own = select(Player).where(Player.club_id == club_id, Player.folded_name.in_(folded))
    holders = {player.folded_name: player for player in session.scalars(own)}
    if new := {name: likeness(name) for name in folded if name not in holders}:
        there = select(Player.id, Player.folded_name).where(Player.club_id == club_id).order_by(Player.id.desc())
        alike = {likeness(name): id for id, name in session.execute(there)}
        for name, like in new.items():
            if like in alike:
                holders[name] = session.get_one(Player, (club_id, alike[like]))
    return holders


def _add(session: Session, club_id: str, name: str) -> Player:
    player = Player(club_id=club_id, id=new_id(), name=name, folded_name=fold_name(name))
    session.add(player)
    session.flush()
    return player


def _refuse_full(session: Session, club_id: str, new: int, field: str) -> None:
    if new:
        there = session.scalar(select(func.count()).where(Player.club_id == club_id)) or 0
        refuse_over(there + new, MOST_PLAYERS, field, "players")


def _refuse_taken(session: Session, club_id: str, name: str, but: Player | None) -> None:
    holder = _holders(session, club_id, [fold_name(name)]).get(fold_name(name))
    if holder is not None and holder is not but:
        raise Impossible([Problem("name", say("player.taken", name=holder.name))])


def _touch_matches(session: Session, player: Player) -> None:
    """Make every reader of this player's matches see that they changed."""
    note_change(session, player.club_id)
    seats = select(Seat.match_id).where(Seat.club_id == player.club_id, Seat.player_id == player.id)
    advance_each(session, player.club_id, Match.id.in_(seats))
    advance_evenings(session, player)


def advance_evenings(session: Session, player: Player) -> None:
    """Make every reader of the evenings on which a player was see that they changed."""
    at = select(EveningPlayer.evening_id).where(
        EveningPlayer.club_id == player.club_id, EveningPlayer.player_id == player.id
    )
    anew = {"revision": Evening.revision + 1, "nonce": new_nonce()}
    session.execute(update(Evening).where(Evening.club_id == player.club_id, Evening.id.in_(at)).values(anew))
