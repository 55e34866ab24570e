"""Access: clubs, their keys, and one-time invitations; and who is locked out.

A lost phone can let in another before anyone notices: by an invitation, a recovery sheet, or a link at the table. So
locking out a key locks out all that it opened, directly or not, unless some of it is spared. Those keys name it in
`revoked_with`, and come back with it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from sqlalchemy import ColumnElement, bindparam, exists, func, or_, select, update
from sqlalchemy.orm import Session

from referee.records.deletion.waiting import refuse_deleted_with
from referee.records.errors import MOST_INVITATIONS, MOST_KEYS, Conflict, Gone, NotFound, refuse_over
from referee.records.ids import digest_of, is_id, new_id, new_token, read_token
from referee.records.models import (
    DELETED_TOO,
    Club,
    DrawTable,
    Evening,
    Invitation,
    Key,
    KeyRole,
    Match,
    MatchStatus,
    OwnRulebookRow,
    Round,
    RoundVersion,
    now,
)
from referee.records.names import clean_name, fold_name
from referee.records.words import say
from referee.rules.text.problem import Impossible, Problem, attempt
from referee.rules.text.words import language, languages

INVITATION_LIFETIME = timedelta(minutes=15)
LATE = timedelta(days=1)
"""How long a table's rounds may come in after its evening has ended."""


def opens_something() -> ColumnElement[bool]:
    """Return the condition for keys of a whole club, and of matches that are not deleted, in a session's query."""
    own = (Match.club_id == Key.club_id, Match.id == Key.match_id)
    return or_(Key.match_id.is_(None), exists().where(*own))


_HELD = (
    select(Key, Club)
    .join(Club, Club.id == Key.club_id)
    .where(Key.digest == bindparam("digest"), Key.revoked_at.is_(None), opens_something())
)  # built once, since every request asks it: to build it takes longer than to run it


@dataclass(frozen=True)
class NewClub:
    """A new club, with the tokens of its first two keys, to be shown once."""

    club: Club
    scorekeeper: Key
    scorekeeper_token: str
    spectator: Key
    spectator_token: str


def create_club(
    session: Session,
    name: str,
    tokens: tuple[str, str] | None = None,
    *,
    id: str | None = None,
    code: str = "",
    time_zone: str = "",
) -> NewClub:
    """Create a club with one scorekeeper key and one spectator key; raises `Impossible` for a bad name.

    `tokens` make a repeated request lead to the same club; `id` is for callers who must know it beforehand.
    The club's language is that of `code` where there is one, else the one spoken now.
    """
    spoken = code if code in languages() else language().code
    club = Club(id=id or new_id(), name=clean_name(name), language=spoken, time_zone=time_zone)
    session.add(club)
    session.flush()
    tokens = tokens or (new_token(), new_token())
    scorekeeper = add_key(session, club.id, KeyRole.SCOREKEEPER, say("access.first-phone"), tokens[0])
    spectator = add_key(session, club.id, KeyRole.SPECTATOR, say("access.spectators"), tokens[1])
    return NewClub(club, scorekeeper, tokens[0], spectator, tokens[1])


def refuse_founded(session: Session, token: str) -> None:
    """Refuse to found a second club with a token that opens the first one no more.

    Raises `Deleted` where that club was deleted, for good too, and `Conflict` where the key was locked out.
    """
    refuse_deleted_with(session, token)
    if session.scalar(select(Key.id).where(Key.digest == digest_of(token))) is not None:
        raise Conflict(say("access.founded"))


def rename_club(session: Session, club: Club, name: str, language: str) -> None:
    """Change a club's name and language; raises `Impossible` for what neither can be."""
    if language not in languages():
        codes = ", ".join(languages())
        raise Impossible([Problem("language", say("access.no-language", language=language[:40], codes=codes))])
    club.name, club.language = clean_name(name), language
    session.flush()


def find_key(session: Session, token: str) -> tuple[Key, Club] | None:
    """Look up the live key of a token, with its club; None for a wrong or revoked one, and for a demo that ended."""
    plain = read_token(token)
    if plain is None:
        return None
    row = session.execute(_HELD, {"digest": digest_of(plain)}).one_or_none()
    if row is None or row.Club.has_ended:
        return None
    return row.Key, row.Club


def was_of_table(session: Session, token: str) -> bool:
    """Return whether a token opened a table of an evening, and opens it no more."""
    plain = read_token(token)
    own = (Key.role == KeyRole.TABLE, Key.revoked_at.is_not(None))
    return plain is not None and session.scalar(select(Key.id).where(Key.digest == digest_of(plain), *own)) is not None


def find_late(session: Session, token: str, match_id: str) -> tuple[Key, Club] | None:
    """Look up a table's key that ended with its evening, for a day, for a match there that goes on or has since."""
    of_match = (Round.club_id == Match.club_id, Round.match_id == Match.id)
    since = (RoundVersion.club_id == Round.club_id, RoundVersion.round_id == Round.id)
    played_on = exists().where(*of_match, *since, RoundVersion.entered_at > Evening.ended_at)
    of_table = (DrawTable.club_id == Key.club_id) & (DrawTable.evening_id == Key.evening_id)
    late = (
        select(Key, Club)
        .join(Club, Club.id == Key.club_id)
        .join(Evening, (Evening.club_id == Key.club_id) & (Evening.id == Key.evening_id))
        .join(DrawTable, of_table & (DrawTable.table == Key.table))
        .join(Match, (Match.club_id == DrawTable.club_id) & (Match.id == DrawTable.match_id))
        .where(Key.digest == digest_of(read_token(token) or ""), Key.revoked_at >= Evening.ended_at)
        .where(Match.id == match_id, Evening.ended_at > now() - LATE, Evening.deleted_at.is_(None))
        .where((Match.status == MatchStatus.IN_PROGRESS) | played_on)
    )
    row = session.execute(late).one_or_none()
    return None if row is None or row.Club.has_ended else (row.Key, row.Club)


def opens_anything(session: Session, token: str) -> bool:
    """Return whether a token opens anything: a club, a link's page, a shared rulebook or an invitation."""
    plain = read_token(token)
    if plain is None:
        return False
    digest = digest_of(plain)
    elsewhere = or_(
        exists().where(Invitation.digest == digest, *_usable()),
        exists().where(OwnRulebookRow.share_digest == digest, OwnRulebookRow.deleted_at.is_(None)),
    )
    return find_key(session, plain) is not None or bool(session.scalar(select(elsewhere)))


def lock_club(session: Session, club_id: str) -> None:
    """Lock the club's players, keys and ratings until this transaction ends.

    SQLite needs no row locks: a writer locks the whole database.
    """
    if session.get_bind().dialect.name == "sqlite":
        return
    locked = select(Club.id).where(Club.id == club_id).with_for_update(key_share=True)
    session.execute(locked.execution_options(**DELETED_TOO))


def lock_for(session: Session, club: Club, by: Key | None) -> None:
    """Lock the club for a key that lets others in; raises `Conflict` if that key was just locked out."""
    lock_club(session, club.id)
    if by is None:
        return
    gone = select(Key.revoked_at).where(Key.club_id == club.id, Key.id == by.id)
    if session.scalar(gone) is not None:
        raise Conflict(say("access.locked-out"))


def list_keys(session: Session, club: Club) -> Sequence[Key]:
    """List the club's keys, revoked ones too, oldest first; those of deleted matches are left out."""
    return session.scalars(select(Key).where(Key.club_id == club.id, opens_something()).order_by(Key.id)).all()


def depends_on_one_phone(session: Session, club: Club) -> bool:
    """Return whether a club would be lost with a phone: no other keeps its score, and no recovery sheet opens it."""
    keys = [key for key in list_keys(session, club) if key.revoked_at is None and not key.imported]
    keepers = [key for key in keys if key.role == KeyRole.SCOREKEEPER and key.match_id is None]
    return len(keepers) < 2 and not any(key.recovers for key in keys)


def make_key(
    session: Session, club: Club, role: str, name: str, match: Match | None = None, by: Key | None = None
) -> tuple[Key, str]:
    """Make a key and its token, for the whole club or for one match only; raises `Impossible`.

    Locking out `by`, the key that opens this one, locks this one out too; raises `Conflict` if that just happened.
    """
    problems: list[Problem] = []
    if role not in (set(KeyRole) if match is not None else GIVEN_OUT):
        problems.append(_unknown_role(role, GIVEN_OUT))
    name = attempt(problems, partial(clean_name, name)) or name
    if fold_name(name) == fold_name(RECOVERY_SHEET):  # else the next sheet would lock out that phone
        problems.append(Problem("name", say("access.reserved", name=RECOVERY_SHEET)))
    if problems:
        raise Impossible(problems)
    lock_for(session, club, by)
    if match is None:
        whole = (Key.club_id == club.id, Key.match_id.is_(None), Key.evening_id.is_(None), Key.revoked_at.is_(None))
        refuse_over(1 + (session.scalar(select(func.count()).where(*whole)) or 0), MOST_KEYS, "name", "keys")
    token = new_token()
    return add_key(session, club.id, KeyRole(role), name, token, match, by.id if by else None), token


def get_key(session: Session, club: Club, key_id: str) -> Key:
    """Look up one of the club's keys; raises `NotFound`."""
    own = (Key.club_id == club.id, Key.id == key_id, opens_something())
    key = session.scalar(select(Key).where(*own)) if is_id(key_id) else None
    if key is None:
        raise NotFound("key")
    return key


def rename_key(key: Key, name: str) -> None:
    """Rename a key; raises `Impossible`, also for the printed key and its name."""
    name = clean_name(name)
    if key.recovers or fold_name(name) == fold_name(RECOVERY_SHEET):
        raise Impossible([Problem("name", say("access.reserved", name=RECOVERY_SHEET))])
    key.name = name


GIVEN_OUT = (KeyRole.SCOREKEEPER, KeyRole.SPECTATOR, KeyRole.BOARD)
"""What a key of the whole club may be for."""
RECOVERY_SHEET = "Recovery sheet"
"""The name of a club's printed key, and of no other key."""


def make_recovery_key(session: Session, club: Club, by: Key | None = None) -> str:
    """Make the scorekeeper key for a recovery sheet, and lock out that of an older sheet."""
    lock_for(session, club, by)
    for old in list_keys(session, club):
        if old.recovers and old.revoked_at is None:
            old.revoked_at = now()
    token = new_token()
    add_key(session, club.id, KeyRole.SCOREKEEPER, RECOVERY_SHEET, token, by=by.id if by else None).recovers = True
    return token


def recover(session: Session, words: str) -> str | None:
    """Return the token that lets a phone back into its club; None for unknown words.

    A sheet gives the phone a key of its own, so that a newer sheet, which replaces this one, leaves the phone in.
    """
    token = read_token(words)
    holder = find_key(session, token) if token else None
    if holder is None or not holder[0].opens_club:
        return None
    key, club = holder
    return make_key(session, club, key.role, say("access.recovered-phone"), by=key)[1] if key.recovers else token


def invite(
    session: Session, club: Club, role: str, by: Key | None = None, lifetime: timedelta = INVITATION_LIFETIME
) -> str:
    """Make a token that becomes a key once, within `lifetime`; raises `Impossible` for an unknown role.

    Locking out `by`, the inviting key, revokes its invitations too; raises `Conflict` if that just happened.
    """
    allowed = (KeyRole.SCOREKEEPER, KeyRole.SPECTATOR)
    if role not in allowed:
        raise Impossible([_unknown_role(role, allowed)])
    lock_for(session, club, by)
    refuse_over(len(list_invitations(session, club)) + 1, MOST_INVITATIONS, "role", "invitations")
    token = new_token()
    invitation = Invitation(club_id=club.id, id=new_id(), role=role, digest=digest_of(token))
    invitation.created_by, invitation.expires_at = by.id if by else None, now() + lifetime
    session.add(invitation)
    session.flush()
    return token


def list_invitations(session: Session, club: Club) -> Sequence[Invitation]:
    """List the invitations that can still be used, oldest first."""
    return session.scalars(
        select(Invitation).where(Invitation.club_id == club.id, *_usable()).order_by(Invitation.id)
    ).all()


def _usable() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for invitations that can still be used."""
    return Invitation.used_at.is_(None), Invitation.revoked_at.is_(None), Invitation.expires_at > now()


def revoke_invitation(session: Session, club: Club, invitation_id: str) -> None:
    """Revoke an invitation; raises `NotFound`, and `Conflict` if a phone has already joined with it."""
    lock_club(session, club.id)
    invitation = session.get(Invitation, (club.id, invitation_id)) if is_id(invitation_id) else None
    if invitation is None:
        raise NotFound("invitation")
    if invitation.used_at is not None:
        raise Conflict(say("access.joined"))
    if invitation.revoked_at is None:
        invitation.revoked_at = now()
    session.flush()


def open_invitation(session: Session, token: str) -> tuple[Invitation, Club]:
    """Look at an invitation without using it up; raises `NotFound` and `Gone`."""
    plain = read_token(token)
    row = (
        plain
        and session.execute(
            select(Invitation, Club)
            .join(Club, Club.id == Invitation.club_id)
            .where(Invitation.digest == digest_of(plain))
            .execution_options(**DELETED_TOO)
        ).one_or_none()
    )
    if not row:
        raise NotFound("invitation")
    if row[0].used_at is not None:
        raise Gone(say("access.used"))
    if row[0].revoked_at is not None or row[1].deleted_at is not None:
        raise Gone(say("access.revoked"))
    if row[0].expires_at < now() or row[1].has_ended:
        raise Gone(say("access.expired"))
    return row[0], row[1]


def accept(session: Session, token: str, name: str = "") -> tuple[Key, str]:
    """Turn an invitation into a key, named after who accepted; raises `NotFound`, `Gone` or `Impossible`."""
    invitation, club = open_invitation(session, token)
    lock_club(session, club.id)
    key, key_token = make_key(session, club, invitation.role, name.strip() or say("access.invited-phone"))
    key.opened_by = invitation.created_by
    still = (Invitation.used_at.is_(None), Invitation.revoked_at.is_(None))
    used = session.execute(
        update(Invitation)
        .where(Invitation.club_id == club.id, Invitation.id == invitation.id, *still)
        .values(used_at=now(), used_by=key.id)
    )
    if used.rowcount != 1:  # type: ignore[attr-defined]  # while this phone came, another did, or it was revoked
        session.refresh(invitation)
        raise Gone(say("access.used" if invitation.used_at else "access.revoked"))
    return key, key_token


def _unknown_role(role: str, known: Sequence[str]) -> Problem:
    return Problem("role", say("choose.role", role=role[:40], choices=", ".join(known)))


def add_key(
    session: Session,
    club_id: str,
    role: KeyRole,
    name: str,
    token: str,
    match: Match | None = None,
    by: str | None = None,
) -> Key:
    """Add a key of this token; `by` is the id of the one that opens it."""
    key = Key(club_id=club_id, id=new_id(), digest=digest_of(token), role=role, name=name, opened_by=by)
    key.match_id = match.id if match else None
    session.add(key)
    session.flush()
    return key


Openings = Mapping[str, Sequence[Key]]


@dataclass(frozen=True)
class Voided:
    """The keys and invitations that were locked out with a key, or came back with it."""

    keys: Sequence[Key] = ()
    invitations: int = 0


def is_working(key: Key) -> bool:
    """Return whether this key can keep the club's score: it is live, and someone holds its token."""
    whole_club = key.role == KeyRole.SCOREKEEPER and key.match_id is None
    return whole_club and key.revoked_at is None and not key.imported


def is_last(keys: Sequence[Key], key: Key) -> bool:
    """Return whether this is the last of a club's keys that can keep score."""
    return is_working(key) and not any(is_working(other) for other in keys if other is not key)


def openings(keys: Sequence[Key]) -> Openings:
    """Sort a club's keys by the id of the key that opened them."""
    sorted_: dict[str, list[Key]] = {}
    for key in keys:
        if key.opened_by is not None:
            sorted_.setdefault(key.opened_by, []).append(key)
    return sorted_


def opened_by(openings: Openings, key: Key, spared: Collection[str] = (), most: int | None = None) -> list[Key]:
    """List the live keys that a key opened, itself or through others, but none through the ids in `spared`.

    Looks at no more than `most` keys, if given.
    """
    met, waiting, opened = {key.id, *spared}, [key.id], []
    last = len(met) + most if most is not None else None
    while waiting and (last is None or len(met) < last):
        for child in openings.get(waiting.pop(), ()):
            if child.id not in met:
                met.add(child.id)
                waiting.append(child.id)
                if child.revoked_at is None:
                    opened.append(child)
    return sorted(opened, key=lambda opened_key: opened_key.id)


def lock_out(
    session: Session,
    club: Club,
    key: Key,
    by: Key | None = None,
    spared: Collection[str] = (),
    chosen: Collection[str] = (),
) -> Voided:
    """Lock a key out at once, with the invitations, links, sheets and keys that it opened.

    `by` stays, and so do the `spared` ids with what those opened, except for the `chosen`. Locking out one's own
    key means leaving: only its open invitations go with it. Raises `Impossible` for the last key that can keep score,
    and `Conflict` where `by` was just locked out, so that of two who lock each other out one stays.
    """
    keys = _lock_and_list(session, club, by)
    if key.revoked_at is not None:
        return Voided()
    if is_last(keys, key):
        raise Impossible([Problem("id", say("access.last"))])
    leaves = by is not None and by.id == key.id
    tree, stays = openings(keys), {by.id} if by is not None else set()
    going = {*chosen, *(other.id for other in opened_by(tree, key, {*spared, *stays}))}
    gone = [] if leaves else [other for other in opened_by(tree, key, stays) if other.id in going]
    moment = now()
    key.revoked_at = moment
    for other in gone:
        other.revoked_at, other.revoked_with = moment, key.id
    session.flush()
    voided = session.execute(
        update(Invitation)
        .where(
            Invitation.club_id == club.id,
            Invitation.created_by.in_([key.id, *(other.id for other in gone if other.match_id is None)]),
            Invitation.used_at.is_(None),
            Invitation.revoked_at.is_(None),
            Invitation.expires_at > moment,
        )
        .values(revoked_at=moment, revoked_with=key.id)
    )
    return Voided(gone, voided.rowcount)  # type: ignore[attr-defined]


def let_in_again(session: Session, club: Club, key: Key, by: Key | None = None) -> Voided:
    """Let a key in again that was locked out by mistake, with exactly what went with it.

    Not let in: a recovery sheet that a newer one replaced, and a phone whose seat another phone has taken. Raises
    `Impossible` for a recovery sheet itself, and for a name that came with an import; `Conflict` where `by` was just
    locked out.
    """
    keys = _lock_and_list(session, club, by)
    if key.imported:
        raise Impossible([Problem("id", say("access.imported"))])
    if key.recovers:
        raise Impossible([Problem("id", say("access.old-sheet"))])
    seats = {(other.match_id, other.seat) for other in keys if other.seat is not None and other.revoked_at is None}
    sheets = [other.id for other in keys if other.recovers]
    back = [
        other
        for other in keys
        if other.revoked_with == key.id
        and (other.seat is None or (other.match_id, other.seat) not in seats)
        and (not other.recovers or other.id == sheets[-1])
    ]
    for other in (key, *back):
        other.revoked_at = other.revoked_with = None
    session.flush()
    invited = session.execute(
        update(Invitation)
        .where(Invitation.club_id == club.id, Invitation.revoked_with == key.id)
        .values(revoked_at=None, revoked_with=None)
    )
    return Voided(back, invited.rowcount)  # type: ignore[attr-defined]


def _lock_and_list(session: Session, club: Club, by: Key | None) -> Sequence[Key]:
    """Lock the club and list its keys, oldest first.

    Phones replaced by another at their seat are left out: they opened nothing, and don't come back.
    """
    lock_for(session, club, by)
    matters = or_(Key.seat.is_(None), Key.revoked_at.is_(None), Key.revoked_with.is_not(None))
    keys = select(Key).where(Key.club_id == club.id, matters).order_by(Key.id)
    return session.scalars(keys.execution_options(populate_existing=True)).all()
