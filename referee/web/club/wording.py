"""The phones of a club as its page lists them, with who let them in and what is locked out with them."""

from collections.abc import Mapping, Sequence

from referee.records.club.access import Voided
from referee.records.models import Key, KeyRole
from referee.rules.text.words import joined
from referee.web.server import local_time
from referee.web.words import say

INVITES = {KeyRole.SCOREKEEPER: "invitation.to-keep-score", KeyRole.SPECTATOR: "invitation.to-watch"}
MOST_SHOWN = 50
"""Keys of one kind listed on the page: locked out, of single matches, or opened by another."""
MOST_NAMED = 3
"""Phones named in one message; of more, only the number."""


def keys_to_list(keys: Sequence[Key]) -> list[Key]:
    """Return all live keys, then the newest of those locked out or of single matches."""
    keys = [key for key in keys if key.role != KeyRole.PUBLIC]  # a page is no phone; it has a switch of its own
    of_club = [key for key in keys if key.match_id is None]
    shown = [key for key in of_club if key.revoked_at is None]
    shown += [key for key in of_club if key.revoked_at is not None][-MOST_SHOWN:]
    return shown + [key for key in keys if key.match_id is not None][-MOST_SHOWN:]


def key_line(key: Key, names: Mapping[str, str]) -> str:
    """Return a line on a phone: what it does since when, who let it in; `names` are the keys' names by id."""
    if key.imported:
        return say("phone.imported")
    parts = [say(f"phone.{key.role}", day=local_time.day(key.created_at))]
    if opener := names.get(key.opened_by or ""):
        parts.append(say("phone.opened-by", name=opener))
    if key.revoked_at is not None:
        other = names.get(key.revoked_with or "")
        parts.append(say("phone.locked-out-with", name=other) if other else say("phone.locked-out"))
    return " · ".join(parts)


def locked_out_words(key: Key, voided: Voided) -> str:
    """Return the message that a phone is locked out, and what with it."""
    message = _with_others("phone.is-locked-out", key, voided)
    if any(voided_key.recovers for voided_key in (key, *voided.keys)):
        message += f" {say('phone.new-sheet')}"
    return message


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
