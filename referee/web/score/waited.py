"""What was tapped on a phone without a connection and is sent later: counted once, and held against what was seen.

Such a form says what its writer had seen of the thing it changes, the ``version`` of a round or the number of rounds
there were (``after``), where another says which state of the whole sheet it was drawn from (``revision``): while it
waited the sheet went on.
"""

from __future__ import annotations

from flask import request

from referee.records.errors import Stale
from referee.records.idempotency import recall, remember
from referee.records.models import Match, Round
from referee.records.rounds import count_rounds
from referee.web.score.round_checks import digests_of_form
from referee.web.score.sheet import check_revision
from referee.web.server import guards
from referee.web.words import say

LONGEST_KEY = 100


def came_before() -> str:
    """Give what is noted of this very form, if it came before; who calls holds the match, or writes if it stays."""
    key = _key()
    found = recall(guards.records(), guards.get_club(write=True), key, digests_of_form()[0]) if key else None
    return found.body.decode() if found else ""


def note_it_came(what: str = "done") -> None:
    """Remember this form and what came of it, in the transaction that does what it asks, so that it does so once."""
    if key := _key():
        remember(guards.records(), guards.get_club(write=True), key, digests_of_form()[0], 303, what.encode())


def check_round_seen(match: Match, played: Round) -> None:
    """Raise `Stale` when somebody changed the round since the form was drawn, or the sheet if it names no version."""
    seen = request.form.get("version")
    if seen is None:
        check_revision(match)
    elif seen != str(played.version):
        raise Stale(say("round.changed-meanwhile"))


def check_rounds_seen(match: Match) -> None:
    """Raise `Stale` when there are more or fewer rounds than the form says, or the sheet changed if it doesn't."""
    seen = request.form.get("after")
    if seen is None:
        check_revision(match)
    elif seen != str(count_rounds(guards.records(), match)[0]):
        raise Stale(say("match.rounds-meanwhile"))


def _key() -> str:
    given = request.form.get("idempotency_key", "")[:LONGEST_KEY]
    return f"act:{given}" if given else ""
