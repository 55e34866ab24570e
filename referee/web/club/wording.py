"""The phones of a club as its page lists them, with who let them in and what is locked out with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.records.access import RECOVERY_SHEET
from referee.records.lockout import Voided, opened_by, openings
from referee.records.models import Invitation, Key, KeyRole
from referee.records.words import say as say_of_records
from referee.web.score.wording import joined
from referee.web.server import local_time
from referee.web.words import say

INVITES = {KeyRole.SCOREKEEPER: "invitation.to-keep-score", KeyRole.SPECTATOR: "invitation.to-watch"}
MOST_SHOWN = 50
"""Keys of one kind listed on the page: locked out, of single matches, or opened by another."""
MOST_NAMED = 3
"""Phones named in one message; of more, only the number."""


@dataclass(frozen=True)
class Opened:
    """A phone that another one let in."""

    id: str
    name: str
    line: str


@dataclass(frozen=True)
class KeyLine:
    """A key on the club's page; `imported` is why it can let nobody in, `opened` are those it let in."""

    id: str
    name: str
    line: str
    revoked: bool
    mine: bool
    printed: bool
    imported: str
    opened: Sequence[Opened]
    match_id: str = ""
    """the id of the one match it opens; empty for a phone of the club"""


@dataclass(frozen=True)
class InvitationLine:
    """An open invitation; `by` is empty where the server's host made it."""

    id: str
    title: str
    by: str
    until: str


def key_lines(keys: Sequence[Key], own: str) -> list[KeyLine]:
    """Return the keys to list: all live ones, then the newest of those locked out or of single matches."""
    names, tree = {key.id: key.name for key in keys}, openings(keys)
    keys = [key for key in keys if key.role != KeyRole.PUBLIC]  # a page is no phone; it has a switch of its own
    of_club = [key for key in keys if key.match_id is None]
    shown = [key for key in of_club if key.revoked_at is None]
    shown += [key for key in of_club if key.revoked_at is not None][-MOST_SHOWN:]
    shown += [key for key in keys if key.match_id is not None][-MOST_SHOWN:]

    def opened(key: Key) -> list[Opened]:
        if key.revoked_at is not None or key.id == own:
            return []
        found = opened_by(tree, key, (own,), MOST_SHOWN)
        return [Opened(one.id, one.name, _line(one, names)) for one in found if one.match_id is None]

    return [
        KeyLine(
            id=key.id,
            name=key.name,
            line=_line(key, names),
            revoked=key.revoked_at is not None,
            mine=key.id == own,
            printed=key.name == RECOVERY_SHEET,
            imported=say_of_records("access.imported") if key.imported else "",
            opened=opened(key),
            match_id=key.match_id or "",
        )
        for key in shown
    ]


def _line(key: Key, names: Mapping[str, str]) -> str:
    if key.imported:
        return say("phone.imported")
    said = [say(f"phone.{key.role}", day=local_time.day(key.created_at))]
    if opener := names.get(key.opened_by or ""):
        said.append(say("phone.opened-by", name=opener))
    if key.revoked_at is not None:
        other = names.get(key.revoked_with or "")
        said.append(say("phone.locked-out-with", name=other) if other else say("phone.locked-out"))
    return " · ".join(said)


def invitation_lines(keys: Sequence[Key], invitations: Sequence[Invitation]) -> list[InvitationLine]:
    """Return the open invitations, each with who made it and until when it works."""
    names = {key.id: key.name for key in keys}
    return [
        InvitationLine(
            id=one.id,
            title=say(INVITES[KeyRole(one.role)]),
            by=names.get(one.created_by or "", ""),
            until=local_time.minute(one.expires_at),
        )
        for one in invitations
    ]


def locked_out_words(key: Key, voided: Voided) -> str:
    """Return the message that a phone is locked out, and what with it."""
    said = _with_others("phone.is-locked-out", key, voided)
    if any(one.name == RECOVERY_SHEET for one in (key, *voided.keys)):
        said += f" {say('phone.new-sheet')}"
    return said


def back_words(key: Key, back: Voided) -> str:
    """Return the message that a phone is in again, and what with it."""
    return _with_others("phone.is-back", key, back)


def _with_others(sentence: str, key: Key, voided: Voided) -> str:
    """Return a sentence that names the phones that went with a key, or their number if they are many."""
    phones = [key.name for key in voided.keys if key.match_id is None]
    links = len(voided.keys) - len(phones)
    others = phones if len(phones) <= MOST_NAMED else [say("phone.phones", n=len(phones))]
    if links:
        others.append(say("phone.match-links", n=links))
    if voided.invitations:
        others.append(say("phone.invitations", n=voided.invitations))
    return say(f"{sentence}-with", name=key.name, others=joined(others)) if others else say(sentence, name=key.name)
