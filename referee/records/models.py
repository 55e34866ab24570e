"""The tables.

Every row belongs to a club and carries its id, first in the primary key and in every index, so that
a database may be partitioned or sharded by club. Little is ever taken away: players are set inactive,
keys revoked, rounds struck, corrections added as versions; and what is deleted says since when in
`deleted_at`, and stays where it is until it can no longer be restored. No query of a session finds a
deleted club or match, unless it asks for them too (`DELETED_TOO`); what is asked past the session, or of
rows of many matches without the matches themselves, has to say so itself (`of_live_match`).

Notes on words: a *place* is where a round stands in its match, counted from 1 and never reused; a
*number* counts live rounds only, and is what players see. A *seat* is a player's chair at a match,
counted from 0 clockwise; what was entered for a round is kept by seat, so that renaming or merging
players touches no round.
"""

import secrets
from collections.abc import Mapping
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import (
    JSON,
    ColumnElement,
    DateTime,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    event,
    false,
    func,
    select,
    text,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    ORMExecuteState,
    Session,
    column_property,
    defer,
    mapped_column,
    registry,
    undefer,
    with_loader_criteria,
)
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from referee.records.names import LONGEST_LINE, LONGEST_NOTE
from referee.rules.text.words import ENGLISH, language


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, stored in UTC on every database and always aware of it."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an aware moment into naive UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs its time zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn stored UTC into an aware moment."""
        return None if value is None else value.replace(tzinfo=UTC)


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


NONCE_BITS = 24
"""With these a state has twelve digits up to revision 59,000; programs of the first tables read no more."""


def new_nonce() -> int:
    """Draw a random number for one state of a match."""
    return secrets.randbits(NONCE_BITS)


class Base(DeclarativeBase):
    """The tables of the app."""

    registry = registry(
        metadata=MetaData(
            naming_convention={
                "ix": "ix_%(column_0_label)s",
                "uq": "uq_%(table_name)s_%(column_0_name)s",
                "ck": "ck_%(table_name)s_%(constraint_name)s",
                "fk": "fk_%(table_name)s_%(column_0_name)s_%(column_1_name)s",
                "pk": "pk_%(table_name)s",
            }
        ),
        type_annotation_map={datetime: UtcDateTime, dict[str, Any]: JSON, list[Any]: JSON},
    )


def columns_of(model: type[Base]) -> Any:
    """Return the columns of a model's table: rows of them cost a third of what the same attributes of the model do."""
    return Base.metadata.tables[model.__tablename__].c


ID = String(16)


def _to_match() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["club_id", "match_id"], ["matches.club_id", "matches.id"])


def _to_player() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["club_id", "player_id"], ["players.club_id", "players.id"])


class Club(Base):
    """The people who play together."""

    __tablename__ = "clubs"
    __table_args__ = (Index("ix_clubs_ends_at", "ends_at"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    created_at: Mapped[datetime] = mapped_column(default=now)
    unrated_from: Mapped[str | None] = mapped_column(ID)
    """the match from which on ratings are to be worked out anew; None where they all stand"""
    unrated_turn: Mapped[int] = mapped_column(default=0, server_default="0")
    """grows with every change of a match that is over, and of ratings"""
    import_id: Mapped[str | None] = mapped_column(ID)
    """the import that goes on and for which the club is closed, a `ClubImport`"""
    language: Mapped[str] = mapped_column(String(8), default=lambda: language().code, server_default=ENGLISH)
    """of boards, pictures and public pages; at first that of who founds it"""
    time_zone: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """in which its days of play turn, such as ``Europe/Berlin``: that of the phone that founds it; empty for UTC"""
    ends_at: Mapped[datetime | None]
    """when a demo ends, with all that is in it; None for a club that stays"""
    deleted_at: Mapped[datetime | None]

    @property
    def has_ended(self) -> bool:
        """Return whether this was a demo whose time is up: nothing opens it any more, until it is swept away."""
        return self.ends_at is not None and self.ends_at <= now()


class KeyRole(StrEnum):
    """What the holder of a key may do."""

    SCOREKEEPER = "scorekeeper"
    """write and read"""
    SPECTATOR = "spectator"
    """read"""
    HAND = "hand"
    """tap in one player's leftover hand in one match"""
    TABLE = "table"
    """keep the score of one table of an evening, whichever match is played there, until the evening ends"""
    BOARD = "board"
    """see the live board, and nothing else"""
    PUBLIC = "public"
    """stands for a page that anyone with its address may see; nobody is let in by it"""


class Key(Base):
    """What lets a phone or script into a club; only the hash of its token is kept."""

    __tablename__ = "keys"
    __table_args__ = (_to_match(),)

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    role: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(40))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    match_id: Mapped[str | None] = mapped_column(ID)
    """the only match that this key opens; None: the whole club"""
    season_id: Mapped[str | None] = mapped_column(ID)
    """the only season that this key shows, one of the role `public`"""
    evening_id: Mapped[str | None] = mapped_column(ID)
    """the only evening that this key is for: one of a table, or of a screen that shows all of them"""
    table: Mapped[int | None]
    """the number of the only table there that a key of the role `table` opens"""
    seat: Mapped[int | None]
    """the only seat whose hand a key of the role `hand` may tap in"""
    created_at: Mapped[datetime] = mapped_column(default=now)
    opened_by: Mapped[str | None] = mapped_column(ID)
    """the key whose holder let this one in: by an invitation, a link, a recovery sheet, or by making it"""
    recovers: Mapped[bool] = mapped_column(default=False, server_default=false())
    """its token is printed on a recovery sheet"""
    imported: Mapped[bool] = mapped_column(default=False, server_default=false())
    """stands for a writer whom an import names; nobody knows a token of it"""
    revoked_at: Mapped[datetime | None]
    revoked_with: Mapped[str | None] = mapped_column(ID)
    """the key with which this one was locked out, since that one had opened it"""

    @property
    def opens_club(self) -> bool:
        """Return whether this key lets someone into the whole club, to write or to read; no link does."""
        return self.match_id is None and self.role in (KeyRole.SCOREKEEPER, KeyRole.SPECTATOR)


class Invitation(Base):
    """A one-time, short-lived link that becomes a key."""

    __tablename__ = "invitations"

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    role: Mapped[str] = mapped_column(String(16))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str | None] = mapped_column(ID)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by: Mapped[str | None] = mapped_column(ID)
    revoked_at: Mapped[datetime | None]
    revoked_with: Mapped[str | None] = mapped_column(ID)
    """the key with which this one was revoked, since it had made it"""


MARKER_COLORS = ("red", "blue", "green", "yellow")
MARKER_SHAPES = ("circle", "square", "triangle", "diamond")
MARKERS = tuple(
    f"{color}-{MARKER_SHAPES[(place + turn) % len(MARKER_SHAPES)]}"
    for turn in range(len(MARKER_SHAPES))
    for place, color in enumerate(MARKER_COLORS)
)
"""A color and a shape for each player, in the order in which they are dealt out: neighbors differ in both."""


class Player(Base):
    """A person of the club."""

    __tablename__ = "players"
    __table_args__ = (
        UniqueConstraint("club_id", "folded_name"),
        ForeignKeyConstraint(["club_id", "merged_into"], ["players.club_id", "players.id"]),
    )

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    folded_name: Mapped[str] = mapped_column(String(160))
    active: Mapped[bool] = mapped_column(default=True)
    merged_into: Mapped[str | None] = mapped_column(ID)
    """the player this one turned out to be; the old name stays on record and still leads there"""
    deleted_at: Mapped[datetime | None]
    """when the name was deleted; `name` is then one that says no more than that someone played"""
    deleted_name: Mapped[str | None] = mapped_column(String(40))
    """the name that was deleted, as long as it can be restored"""
    marker: Mapped[str] = mapped_column(String(16), default="", server_default="")
    """the one of `MARKERS` that the player chose; empty without a choice"""
    created_at: Mapped[datetime] = mapped_column(default=now)


class ClubImport(Base):
    """An import that goes on, and what is to be taken back should it be cut off."""

    __tablename__ = "club_imports"

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[str] = mapped_column(ID)
    at: Mapped[datetime]
    """when it last showed a sign of life"""
    made: Mapped[dict[str, Any]]
    """ids of what it makes: players, matches, keys, and digests of rulebooks"""
    founded: Mapped[bool] = mapped_column(default=False)
    """whether it made the club, too"""


class RulebookText(Base):
    """The whole text of a rulebook with its house rules, as it stood when a table agreed on it."""

    __tablename__ = "rulebook_texts"

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    document: Mapped[dict[str, Any]]


class OwnRulebookRow(Base):
    """A rulebook that a club made itself, as it now stands; a match holds the text of the version it was agreed on."""

    __tablename__ = "own_rulebooks"

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    version: Mapped[int] = mapped_column(default=1)
    """grows with every change"""
    nonce: Mapped[int] = mapped_column(default=new_nonce)
    """drawn anew with every version: after a restore versions come again, and these do not"""
    document: Mapped[dict[str, Any]]
    """what the table plays differently: `referee.rules.own.rulebook.OwnRulebook`"""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    changed_by: Mapped[str | None] = mapped_column(ID)
    deleted_at: Mapped[datetime | None]
    share_id: Mapped[str | None] = mapped_column(ID)
    """what the token of the link follows from by which others see it; None while there is no link"""
    share_digest: Mapped[str | None] = mapped_column(String(64), unique=True)
    shared_by: Mapped[str | None] = mapped_column(ID)
    """the key that made the link; the link dies with it"""

    @property
    def state(self) -> int:
        """Return the number of the present version, as `Match.state` does."""
        return state_of(self.version, self.nonce)


class MatchStatus(StrEnum):
    """Where a match stands."""

    IN_PROGRESS = "in-progress"
    FINISHED = "finished"
    ABANDONED = "abandoned"


class EndedBy(StrEnum):
    """What finished a match."""

    TARGET = "target"
    ROUNDS = "rounds"
    TIME_LIMIT = "time-limit"
    BY_HAND = "by-hand"


DETAILS: Mapping[str, int] = {"name": LONGEST_LINE, "location": LONGEST_LINE, "note": LONGEST_NOTE}
"""What a table writes about a match besides its rounds: columns of `Match`, each with the most characters it takes.

Whatever exports, checks, renames or changes a match reads this list.
"""


_DESCRIBED = " OR ".join(f"{name} <> ''" for name in DETAILS)


class _LastPart(FunctionElement[dict[str, Any]]):
    """The last part of a JSON list; the database takes it out, so that nobody reads the others."""

    type = JSON()
    inherit_cache = True


@compiles(_LastPart, "sqlite")
def _last_on_sqlite(part: _LastPart, compiler: SQLCompiler, **more: Any) -> str:
    return f"json_extract({compiler.process(part.clauses, **more)}, '$[#-1]')"


@compiles(_LastPart, "postgresql")
def _last_on_postgresql(part: _LastPart, compiler: SQLCompiler, **more: Any) -> str:
    return f"({compiler.process(part.clauses, **more)} -> -1)"


class Match(Base):
    """All rounds up to the target."""

    __tablename__ = "matches"
    __table_args__ = (
        Index("ix_matches_club_status", "club_id", "status", "id"),
        Index("ix_matches_club_rulebook", "club_id", "rulebook", "id"),
        Index(
            "ix_matches_deleted",
            *("club_id", "deleted_at", "id"),
            sqlite_where=text("deleted_at IS NOT NULL"),
            postgresql_where=text("deleted_at IS NOT NULL"),
        ),
        # the few that go on or are described, so that nobody looks through all matches of a club for them
        Index(
            "ix_matches_unsummed",
            *("club_id", "id"),
            sqlite_where=text("summed IS NOT revision"),
            postgresql_where=text("summed IS DISTINCT FROM revision"),
        ),
        Index(
            "ix_matches_described", *("club_id", "id"), sqlite_where=text(_DESCRIBED), postgresql_where=text(_DESCRIBED)
        ),
    )

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    status: Mapped[str] = mapped_column(String(16), default=MatchStatus.IN_PROGRESS)
    ended_by: Mapped[str | None] = mapped_column(String(16))
    rulebook: Mapped[str] = mapped_column(String(40))
    agreements: Mapped[list[Any]] = mapped_column(JSON)
    """`referee.records.match.agreements.Agreement` documents: the first, then each amendment, oldest first"""
    agreement_now: Mapped[dict[str, Any]] = column_property(_LastPart(agreements), deferred=True)
    """the last of them, loaded with a match in a list (`LISTED`): a hundred with all their words are megabytes"""
    dealer_seat: Mapped[int | None]
    """who deals, or drafts, the next round after the first `dealer_after` live ones; None when nobody said"""
    dealer_after: Mapped[int] = mapped_column(default=0)
    revision: Mapped[int] = mapped_column(default=1)
    """grows with every change that a reader of the match could see (`referee.records.match.tallies.advance`)"""
    nonce: Mapped[int] = mapped_column(default=new_nonce, server_default="0")
    """drawn anew with every revision: after a restore revisions come again, and these do not"""
    tally: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """`referee.records.match.tallies.Tally`: what the live rounds add up to, and the state that this is good for"""
    summed: Mapped[int | None]
    """the revision that `MatchSum` rows and `MatchResult.met` are good for; None where the match goes on"""
    name: Mapped[str] = mapped_column(String(80), default="")
    location: Mapped[str] = mapped_column(String(80), default="")
    note: Mapped[str] = mapped_column(Text, default="")
    rematch_of: Mapped[str | None] = mapped_column(ID)
    started_at: Mapped[datetime] = mapped_column(default=now)
    finished_at: Mapped[datetime | None]
    created_by: Mapped[str | None] = mapped_column(ID)
    deleted_at: Mapped[datetime | None]

    # every UPDATE compares the revision that was read, so that of two writers the second finds no row
    __mapper_args__ = {"version_id_col": revision, "version_id_generator": False}  # noqa: RUF012

    @property
    def state(self) -> int:
        """Return the number of the present state: no other one of the match has it, not even one lost by a restore."""
        return state_of(self.revision, self.nonce)


LISTED = (defer(Match.agreements), undefer(Match.agreement_now))
"""Options of a query for a list of matches."""


def state_of(revision: int, nonce: int) -> int:
    """Put a match's revision and nonce together into one number; the greater is the newer."""
    return revision << NONCE_BITS | nonce


class Scale(StrEnum):
    """What totals mean at a match, so that statistics never average what cannot be compared."""

    HIGHEST = "highest"
    """points, and the highest total is best"""
    LOWEST = "lowest"
    """points, and the lowest total is best"""
    ROUNDS = "rounds"
    """rounds won, not points"""


class Seat(Base):
    """A player's chair at a match."""

    __tablename__ = "seats"
    __table_args__ = (
        _to_match(),
        _to_player(),
        UniqueConstraint("club_id", "player_id", "match_id"),
    )

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    match_id: Mapped[str] = mapped_column(ID, primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    player_id: Mapped[str] = mapped_column(ID)
    name_then: Mapped[str] = mapped_column(String(40))
    """how the player was called when sitting down"""
    deleted_name: Mapped[str | None] = mapped_column(String(40))
    """that name where it was deleted, as long as it can be restored"""
    opening_total: Mapped[int] = mapped_column(default=0)
    stays: Mapped[list[Any]]
    """[first place, last place or None] of each time the player sat here"""


class Round(Base):
    """One round of a match; what was entered stands in its versions."""

    __tablename__ = "rounds"
    __table_args__ = (_to_match(), UniqueConstraint("club_id", "match_id", "place"))

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    match_id: Mapped[str] = mapped_column(ID)
    place: Mapped[int]
    version: Mapped[int] = mapped_column(default=1)
    """the version that counts"""
    struck: Mapped[bool] = mapped_column(default=False)


class RoundVersion(Base):
    """What a round was said to be, by whom and when; never changed once written.

    Striking and restoring are versions too, with the entry they found.
    """

    __tablename__ = "round_versions"
    __table_args__ = (ForeignKeyConstraint(["club_id", "round_id"], ["rounds.club_id", "rounds.id"]),)

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    round_id: Mapped[str] = mapped_column(ID, primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    struck: Mapped[bool] = mapped_column(default=False)
    entry: Mapped[dict[str, Any]]
    """what was entered, by seat"""
    score: Mapped[dict[str, Any]]
    """hands, points and who was credited, by seat"""
    entered_at: Mapped[datetime] = mapped_column(default=now)
    entered_by: Mapped[str | None] = mapped_column(ID)


class RoundScore(Base):
    """What one live round brought one player: the rows that totals and statistics add up.

    They are found by their match: an index by player too would be most of what a round writes. There are none for a
    struck round or one who sat out; they are written anew whenever a round is.
    """

    __tablename__ = "round_scores"
    __table_args__ = (
        _to_match(),
        _to_player(),
        {"sqlite_with_rowid": False},
    )

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    match_id: Mapped[str] = mapped_column(ID, primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    player_id: Mapped[str] = mapped_column(ID)
    points: Mapped[int]
    hand: Mapped[int | None]
    """what the leftover hand was worth; None when it was not entered, or its player was the last one left"""
    cards_left: Mapped[int | None]
    went_out: Mapped[bool] = mapped_column(default=False)
    last_card: Mapped[str | None] = mapped_column(String(32))
    catch: Mapped[int | None]
    """what the others still held when this player went out; None for those who did not, and when no hand was entered"""
    players: Mapped[int]
    """how many took part in the round"""
    scale: Mapped[str] = mapped_column(String(8))


class MatchSum(Base):
    """What a player's live rounds of one match add up to, those alike in scale and table size together.

    There are such rows for a match that is over, so that statistics add matches and not rounds
    (`referee.records.statistics.figures`).
    """

    __tablename__ = "match_sums"
    __table_args__ = (
        _to_match(),
        _to_player(),
        Index("ix_match_sums_match", "club_id", "match_id"),
        Index("ix_match_sums_catch", "club_id", "scale", "catch_max", "match_id"),  # the club's biggest catch
        {"sqlite_with_rowid": False},
    )

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    player_id: Mapped[str] = mapped_column(ID, primary_key=True)
    scale: Mapped[str] = mapped_column(String(8), primary_key=True)
    players: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    match_id: Mapped[str] = mapped_column(ID, primary_key=True)
    rounds: Mapped[int]
    went_out: Mapped[int]
    hands: Mapped[int]
    """rounds in which another went out and this player's hand is known"""
    hand_sum: Mapped[int]
    hand_max: Mapped[int]
    catches: Mapped[int]
    """rounds in which this player went out and the others' hands are known"""
    catch_sum: Mapped[int]
    catch_max: Mapped[int]
    last_cards: Mapped[str | None] = mapped_column(Text)
    """the cards gone out on and how often, in order, as ``red-7:2 wild:1``; None without any"""


class MatchResult(Base):
    """How a finished match ended for one player; there are none while it is not finished."""

    __tablename__ = "match_results"
    __table_args__ = (
        _to_match(),
        _to_player(),
        # holds all that a player's statistics say of matches: they read this index alone
        Index(
            "ix_match_results_player",
            "club_id", "player_id", "match_id", "scale", "players", "winners", "won", "rank", "total", "behind",
            "mu", "sigma", "met",
        ),
        {"sqlite_with_rowid": False},
    )  # fmt: skip

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    match_id: Mapped[str] = mapped_column(ID, primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    player_id: Mapped[str] = mapped_column(ID)
    total: Mapped[int]
    rank: Mapped[int | None]
    """1 is best, ties share it; None for one who left or where no text says which way wins"""
    won: Mapped[bool]
    players: Mapped[int]
    """how many sat at the match to the end"""
    winners: Mapped[int]
    """how many won it: several in a tie, none where no text says which way wins; a team is one"""
    behind: Mapped[int | None]
    """the most that this player's total ever trailed the best one, after any round; None for one who left"""
    scale: Mapped[str] = mapped_column(String(8))
    mu: Mapped[float | None]
    """the player's rating after this match (`referee.records.statistics.ratings`); None where the match rates nobody"""
    sigma: Mapped[float | None]
    """how uncertain that rating is"""
    team: Mapped[int | None]
    """which team of the match, counted from 0; None where there were none"""
    met: Mapped[str | None] = mapped_column(Text)
    """the others who stayed to the end, each id with a ``+`` behind it if this player came off better, ``-`` if worse,
    ``=`` if neither, in order; None where the match has no winner or the player left"""


class MatchEvent(Base):
    """Something that happened to a match besides its rounds: finished, reopened, joined, amended …"""

    __tablename__ = "match_events"
    __table_args__ = (_to_match(), Index("ix_match_events_match", "club_id", "match_id", "id"))

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    match_id: Mapped[str] = mapped_column(ID)
    kind: Mapped[str] = mapped_column(String(16))
    after_place: Mapped[int]
    details: Mapped[dict[str, Any]]
    at: Mapped[datetime] = mapped_column(default=now)
    by: Mapped[str | None] = mapped_column(ID)


class Ruling(Base):
    """A ruling given at a match, as it was said; never changed afterwards."""

    __tablename__ = "rulings"
    __table_args__ = (
        _to_match(),
        Index("ix_rulings_match", "club_id", "match_id", "id"),
        Index("ix_rulings_finding", "club_id", "finding", "match_id"),
        Index("ix_rulings_kept", "club_id", "kept", "id"),
    )

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    match_id: Mapped[str | None] = mapped_column(ID)
    """None for a precedent whose match was deleted for good, or that was made without one"""
    after_place: Mapped[int]
    dispute: Mapped[str] = mapped_column(String(40))
    rulebook_digest: Mapped[str] = mapped_column(String(64))
    seats: Mapped[dict[str, Any]]
    """role → seat of the players concerned"""
    facts: Mapped[dict[str, Any]]
    """what was answered; without the hand, unless the table wanted it kept"""
    ruling: Mapped[dict[str, Any]]
    """status, verdict, summary, outcome, orders, steps, as said; with `decided`, what follows from it `as_decided`"""
    finding: Mapped[str | None] = mapped_column(String(16))
    """what statistics count it as, a `referee.rules.disputes.Finding`; None for a ruling that they do not count"""
    accepted: Mapped[bool | None]
    table_decided: Mapped[str | None] = mapped_column(Text)
    kept: Mapped[bool] = mapped_column(default=False, server_default=false())
    """whether it is a precedent: what was decided counts from then on (`referee.records.club.precedents`)"""
    given_at: Mapped[datetime] = mapped_column(default=now)
    given_by: Mapped[str | None] = mapped_column(ID)


class OpenRound(Base):
    """A round that every player's phone may enter its own leftover hand into."""

    __tablename__ = "open_rounds"
    __table_args__ = (_to_match(),)

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    match_id: Mapped[str] = mapped_column(ID, primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    went_out_seat: Mapped[int | None]
    opened_at: Mapped[datetime] = mapped_column(default=now)
    opened_by: Mapped[str | None] = mapped_column(ID)
    closed_at: Mapped[datetime | None]


class OpenHand(Base):
    """One player's leftover hand, tapped in on that player's own phone."""

    __tablename__ = "open_hands"
    __table_args__ = (
        ForeignKeyConstraint(
            ["club_id", "match_id", "place"], ["open_rounds.club_id", "open_rounds.match_id", "open_rounds.place"]
        ),
    )

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    match_id: Mapped[str] = mapped_column(ID, primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    cards: Mapped[list[Any]]
    entered_at: Mapped[datetime] = mapped_column(default=now)
    entered_by: Mapped[str | None] = mapped_column(ID)


class Season(Base):
    """Who is ahead over many evenings: a view over the club's matches, which know nothing of it."""

    __tablename__ = "seasons"

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    first_day: Mapped[date]
    last_day: Mapped[date | None]
    """None while it has no end"""
    rules: Mapped[dict[str, Any]]
    """how it counts: `referee.records.season.seasons.Rules`"""
    people: Mapped[list[Any]]
    """ids of who belongs to it; without any, everyone who plays"""
    names_until: Mapped[date | None]
    """the day on which the names of its people are deleted, or of all who played; None where they stay"""
    names_deleted_on: Mapped[date | None]
    """the day on which that was last done"""
    version: Mapped[int] = mapped_column(default=1)
    """grows with every change"""
    nonce: Mapped[int] = mapped_column(default=new_nonce)
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str | None] = mapped_column(ID)
    deleted_at: Mapped[datetime | None]
    public_key_id: Mapped[str | None] = column_property(
        select(func.max(Key.id))
        .where(Key.club_id == club_id, Key.season_id == id, Key.role == KeyRole.PUBLIC, Key.revoked_at.is_(None))
        .correlate_except(Key)
        .scalar_subquery()
    )
    """that of its public page, while there is one"""

    @property
    def state(self) -> int:
        """Return the number of the present version, as `Match.state` does."""
        return state_of(self.version, self.nonce)


class EveningStatus(StrEnum):
    """Where an evening stands."""

    OPEN = "open"
    ENDED = "ended"


class Evening(Base):
    """Many tables on one evening: who is here, and what was drawn."""

    __tablename__ = "evenings"
    __table_args__ = (Index("ix_evenings_status", "club_id", "status", "id"),)

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(80), default="")
    status: Mapped[str] = mapped_column(String(16), default=EveningStatus.OPEN)
    plan: Mapped[dict[str, Any]]
    """how it is played: the size of its tables, and what each match is agreed on"""
    revision: Mapped[int] = mapped_column(default=1)
    """grows with every change of who is here and what is drawn"""
    nonce: Mapped[int] = mapped_column(default=new_nonce)
    started_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]
    created_by: Mapped[str | None] = mapped_column(ID)
    deleted_at: Mapped[datetime | None]

    @property
    def state(self) -> int:
        """Return the number of the present state, as `Match.state` does."""
        return state_of(self.revision, self.nonce)


def _to_evening() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["club_id", "evening_id"], ["evenings.club_id", "evenings.id"])


class EveningPlayer(Base):
    """Someone who came on an evening."""

    __tablename__ = "evening_players"
    __table_args__ = (_to_evening(), _to_player())

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    evening_id: Mapped[str] = mapped_column(ID, primary_key=True)
    player_id: Mapped[str] = mapped_column(ID, primary_key=True)
    from_draw: Mapped[int] = mapped_column(default=1)
    """the first draw that this player is in"""
    until_draw: Mapped[int | None]
    """the first draw that this player is no longer in; None for one who is still here"""
    guest: Mapped[bool] = mapped_column(default=False, server_default=false())
    """plays, and is in no table of the evening"""
    let_in_at: Mapped[datetime] = mapped_column(default=now)
    """one moment for all who were let in together, which can be undone"""


class DrawKind(StrEnum):
    """What is drawn."""

    ROUND = "round"
    """tables for everyone who is here"""
    FINAL = "final"
    """one table, of the best"""
    PLAY_OFF = "play-off"
    """one table, of those who are level where the best part"""


class EveningDraw(Base):
    """One draw of an evening: the number it follows from and what went into it, so that anyone can draw it again."""

    __tablename__ = "draws"
    __table_args__ = (_to_evening(),)

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    evening_id: Mapped[str] = mapped_column(ID, primary_key=True)
    draw: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """counted from 1"""
    kind: Mapped[str] = mapped_column(String(8), default=DrawKind.ROUND)
    number: Mapped[int]
    """from which it follows, and which is shown"""
    input: Mapped[dict[str, Any]]
    """version of the algorithm, players by id, size of the tables, who had met; what was swapped by hand"""
    drawn_at: Mapped[datetime] = mapped_column(default=now)
    drawn_by: Mapped[str | None] = mapped_column(ID)


class DrawTable(Base):
    """One table of a draw, and the match that is played there."""

    __tablename__ = "draw_tables"
    __table_args__ = (
        ForeignKeyConstraint(["club_id", "evening_id", "draw"], ["draws.club_id", "draws.evening_id", "draws.draw"]),
        _to_match(),
        UniqueConstraint("club_id", "match_id"),
    )

    club_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    evening_id: Mapped[str] = mapped_column(ID, primary_key=True)
    draw: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    table: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """counted from 1, as it is called at the tables"""
    match_id: Mapped[str] = mapped_column(ID)
    called_at: Mapped[datetime | None]
    """when someone there asked for a referee; None where nobody waits for one"""


class IdempotentAnswer(Base):
    """The answer once given to a request, so that sending it again writes nothing twice."""

    __tablename__ = "idempotent_answers"
    __table_args__ = (Index("ix_idempotent_answers_age", "club_id", "created_at"),)

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    request_digest: Mapped[str] = mapped_column(String(64))
    status: Mapped[int]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    """compressed by zlib"""
    created_at: Mapped[datetime] = mapped_column(default=now)


class DeletionKind(StrEnum):
    """What was deleted."""

    MATCH = "match"
    PLAYER = "player"
    """the name, not the sums"""
    CLUB = "club"
    SEASON = "season"
    EVENING = "evening"
    KEY = "key"
    """a key that went with its match or club"""


class Deletion(Base):
    """What is left of a deleted match or club that is gone for good: that it was there, and until when.

    It refers to no club, since it outlives it.
    """

    __tablename__ = "deletions"
    __table_args__ = (Index("ix_deletions_id", "id"),)

    club_id: Mapped[str] = mapped_column(ID, primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    """that of the match or club; of a key the first letters of its digest"""
    kind: Mapped[str] = mapped_column(String(8))
    with_id: Mapped[str | None] = mapped_column(ID)
    """of a key: the id of the match or club that it went with"""
    at: Mapped[datetime]
    """when it was deleted"""


class RemovedText(Base):
    """A text that was taken out of its place, with the name of someone who can still be restored.

    It returns when the last who waits for it is restored, and is deleted with the first whose name is purged.
    """

    __tablename__ = "removed_texts"
    __table_args__ = (_to_match(), Index("ix_removed_texts_match", "club_id", "match_id"))

    club_id: Mapped[str] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    place: Mapped[str] = mapped_column(String(200), primary_key=True)
    """where it stood: table, key, column and, in JSON, the path there, as ``matches/<id>/agreements/0/note``"""
    match_id: Mapped[str | None] = mapped_column(ID)
    """the match that it belongs to, and goes with"""
    words: Mapped[str] = mapped_column(Text)
    """the text as it was, letter by letter; JSON where a whole column was changed"""
    instead: Mapped[str] = mapped_column(Text)
    """what was put in its place; where anything else stands there by now, somebody wrote it, and it stays"""
    waits_for: Mapped[str] = mapped_column(Text)
    """ids of the players whose names are in it and were deleted, with a blank between them"""


DELETED_TOO: Mapping[str, Any] = {"deleted_too": True}
"""Execution option of a query that is to find deleted clubs and matches as well."""
_LIVE = [
    with_loader_criteria(Club, Club.deleted_at.is_(None), include_aliases=True, propagate_to_loaders=False),
    with_loader_criteria(Match, Match.deleted_at.is_(None), include_aliases=True, propagate_to_loaders=False),
]


# A statement that is put together once stays one with its criteria too: SQLAlchemy takes longer to recognize a new one
# among those it has compiled than SQLite takes to answer.
_OF_LIVE: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


@event.listens_for(Session, "do_orm_execute")
def _leave_out_deleted(asked: ORMExecuteState) -> None:
    if asked.is_select and not asked.is_column_load and "deleted_too" not in asked.execution_options:
        if asked.statement not in _OF_LIVE:
            _OF_LIVE[asked.statement] = asked.statement.options(*_LIVE)
        asked.statement = _OF_LIVE[asked.statement]


def of_live_match(match_id: Any) -> ColumnElement[bool]:
    """Return the condition for rows of matches that are not deleted, by their `match_id`.

    The statement's parameter `club_id` says whose: so they are listed once, and not looked for at each row.
    """
    table = columns_of(Match)
    deleted = select(table.id).where(table.club_id == bindparam("club_id"), table.deleted_at.is_not(None))
    live: ColumnElement[bool] = match_id.not_in(deleted)
    return live
