"""The seasons of a club: made at any time, also of matches already played, changed, deleted and restored.

A season says which days, rulebooks and people count, and how. It holds no result: `referee.records.season.table` counts
from the matches, which know nothing of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Any

from sqlalchemy import bindparam, func, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.orm import Session

from referee.records.club.access import lock_club
from referee.records.club.own_rulebooks import available
from referee.records.deletion.texts import is_removed
from referee.records.deletion.waiting import until
from referee.records.errors import MOST_PLAYERS, MOST_SEASONS, Conflict, NotFound, refuse_over
from referee.records.ids import is_id, new_id
from referee.records.models import Club, Key, Player, RemovedText, Season, new_nonce, now
from referee.records.names import LONGEST_LINE, clean_name
from referee.records.season.points import Count
from referee.records.words import say
from referee.rules.text.problem import Impossible, Problem, attempt

MOST_EVENINGS = 1_000
"""That can be asked for, to count or to come."""
MOST_RULEBOOKS = 60
YEARS = range(1970, 9999)
DAYS = ("first_day", "last_day", "names_until")
"""What a season says of days."""


@dataclass(frozen=True)
class Rules:
    """How a season counts."""

    count: Count = Count.PLACE
    best: int | None = None
    """how many of a player's evenings count, the best ones; None for all of them"""
    least: int = 1
    """how many evenings it takes to be ranked; while there were fewer, all of them"""
    rulebooks: tuple[str, ...] = ()
    """ids of those whose matches count; without any, all do"""

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Rules":
        """Read what a season has stored."""
        return cls(**{**document, "count": Count(document["count"]), "rulebooks": tuple(document.get("rulebooks", ()))})

    def to_document(self) -> dict[str, Any]:
        """Return it as JSON, without what is as usual."""
        usual = vars(Rules())
        changed = {name: value for name, value in vars(self).items() if name == "count" or value != usual[name]}
        return changed | ({"rulebooks": list(self.rulebooks)} if self.rulebooks else {})


@dataclass(frozen=True)
class SeasonDraft:
    """What people say of a season."""

    name: str
    first_day: date
    last_day: date | None = None
    rules: Rules = Rules()
    people: tuple[str, ...] = ()
    """ids of who belongs to it, all others are guests; without any, everyone who plays"""
    names_until: date | None = None
    """the day on which the names of these people are deleted; without any, of all who played or came to an evening"""


def tidy(draft: SeasonDraft) -> SeasonDraft:
    """Return a draft that is right by itself, whatever the club, its name tidied; raises `Impossible`."""
    problems: list[Problem] = []
    name = attempt(problems, partial(clean_name, draft.name, "name", LONGEST_LINE)) or ""
    for field in DAYS:
        day = getattr(draft, field)
        if day is not None and day.year not in YEARS:
            problems.append(Problem(field, say("season.year", first=YEARS[0], last=YEARS[-1])))
    if draft.last_day is not None and draft.last_day < draft.first_day:
        problems.append(Problem("last_day", say("season.ends-before")))
    for field in ("best", "least"):
        value = getattr(draft.rules, field)
        if value is not None and not 1 <= value <= MOST_EVENINGS:
            problems.append(Problem(field, say("season.evenings", most=MOST_EVENINGS)))
    if len(draft.rules.rulebooks) > MOST_RULEBOOKS:
        problems.append(Problem("rulebooks", say("season.rulebooks", most=MOST_RULEBOOKS)))
    people = tuple(dict.fromkeys(draft.people))
    if len(people) > MOST_PLAYERS:
        problems.append(Problem("people", say("limits.players", most=MOST_PLAYERS)))
    if draft.names_until is not None and draft.names_until < (draft.last_day or draft.first_day):
        problems.append(Problem("names_until", say("season.names-before")))
    if problems:
        raise Impossible(problems)
    return replace(draft, name=name, people=people)


def _checked(session: Session, club_id: str, draft: SeasonDraft, before: Season | None = None) -> SeasonDraft:
    """Return a draft that can be saved, its name tidied; raises `Impossible` with every problem."""
    problems: list[Problem] = []
    draft = attempt(problems, partial(tidy, draft)) or draft
    kept = Rules.read(before.rules).rulebooks if before else ()
    known = {*available(session, club_id), *kept}
    if unknown := [id for id in draft.rules.rulebooks if id not in known]:
        problems.append(Problem("rulebooks", say("season.rulebook", rulebook=unknown[0][:40])))
    there = select(Player.id).where(Player.club_id == club_id)
    if draft.people and not set(session.scalars(there)).issuperset(draft.people):
        problems.append(Problem("people", say("not-found.player")))
    if problems:
        raise Impossible(problems)
    return draft


def draft_of(season: Season) -> SeasonDraft:
    """Return what was said of a season."""
    days = (season.first_day, season.last_day)
    name = "" if is_removed(season.name) else season.name
    return SeasonDraft(name, *days, Rules.read(season.rules), tuple(season.people), season.names_until)


def following(before: SeasonDraft, last: date) -> SeasonDraft:
    """Return the season after one that ended on a day: as long, of the same people, and counted alike.

    A year is followed by a year. Beyond the calendar there is none: then it says the same days again.
    """
    year, length = last.year + 1, last - before.first_day
    first, end = before.first_day, last
    if first == date(last.year, 1, 1) and last == date(last.year, 12, 31) and year in YEARS:
        first, end = date(year, 1, 1), date(year, 12, 31)
    elif date(YEARS[-1], 12, 31) - last > length:
        first = last + timedelta(days=1)
        end = first + length
    name = before.name.replace(str(before.first_day.year), str(first.year))
    return SeasonDraft(name, first, end, before.rules, before.people)


def list_seasons(session: Session, club_id: str) -> Sequence[Season]:
    """List a club's seasons, those that end last first."""
    chosen = select(Season).where(Season.club_id == club_id, Season.deleted_at.is_(None))
    return sorted(
        session.scalars(chosen), key=lambda one: (one.last_day or date.max, one.first_day, one.id), reverse=True
    )


_SEASON = select(Season).where(Season.club_id == bindparam("club_id"), Season.id == bindparam("id"))


def get_season(session: Session, club_id: str, id: str, *, deleted: bool = False) -> Season:
    """Find a season; raises `NotFound`, for a deleted one too unless it is asked for and can still be restored."""
    season = session.scalar(_SEASON, {"club_id": club_id, "id": id}) if is_id(id) else None
    if season is None or (season.deleted_at is not None and not (deleted and until(season.deleted_at))):
        raise NotFound("season")
    return season


def create(session: Session, club: Club, draft: SeasonDraft, by: Key) -> Season:
    """Save a new season under the club's lock; raises `Impossible` with every problem, or when there is no room."""
    draft = _checked(session, club.id, draft)
    _make_room(session, club.id)
    gone = select(Season.id).where(Season.club_id == club.id, Season.deleted_at.is_not(None))
    for longest_ago in session.scalars(gone.order_by(Season.deleted_at)).all()[:-MOST_SEASONS]:
        drop(session, club.id, longest_ago)
    season = Season(club_id=club.id, id=new_id(), nonce=new_nonce(), created_by=by.id)
    _write(season, draft)
    session.add(season)
    session.flush()
    return season


def change(session: Session, season: Season, draft: SeasonDraft, seen: int) -> None:
    """Save a season anew; raises `Impossible`, and `Conflict` where someone changed it since the state `seen`."""
    draft = _checked(session, season.club_id, draft, season)
    lock_club(session, season.club_id)
    session.refresh(season)
    if season.state != seen:
        raise Conflict(say("season.changed-meanwhile"))
    _write(season, draft)
    season.version += 1
    season.nonce = new_nonce()
    session.flush()


def _write(season: Season, draft: SeasonDraft) -> None:
    season.name, season.rules, season.people = draft.name, draft.rules.to_document(), list(draft.people)
    season.first_day, season.last_day, season.names_until = draft.first_day, draft.last_day, draft.names_until


def delete(session: Session, season: Season) -> None:
    """Take a season out of the list; its matches stay, and `restore` brings it back."""
    season.deleted_at = now()
    session.flush()


def restore(session: Session, season: Season) -> Season:
    """Bring a deleted season back, one that is there stays; raises `Impossible` when there is no room any more."""
    if season.deleted_at is not None:
        _make_room(session, season.club_id)
        season.deleted_at = None
        session.flush()
    return season


def drop(session: Session, club_id: str, id: str) -> None:
    """Remove a season for good, with what was taken out of its name and its link."""
    session.execute(
        delete_rows(RemovedText).where(RemovedText.club_id == club_id, RemovedText.place.startswith(f"seasons/{id}/"))
    )
    links = update(Key).where(Key.club_id == club_id, Key.season_id == id, Key.revoked_at.is_(None))
    session.execute(links.values(revoked_at=now()))
    session.execute(delete_rows(Season).where(Season.club_id == club_id, Season.id == id))


def _make_room(session: Session, club_id: str) -> None:
    lock_club(session, club_id)
    own = (Season.club_id == club_id, Season.deleted_at.is_(None))
    refuse_over(1 + (session.scalar(select(func.count()).where(*own)) or 0), MOST_SEASONS, "name", "seasons")
