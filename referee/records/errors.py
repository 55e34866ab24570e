"""Why something can't be read or changed; wrong values raise `referee.rules.text.problem.Impossible` instead.

One match and one club may hold far more than people play, and little enough to stay fast. Whatever a page, a document
or a sum reads whole has a limit here. Matches have none: they are read page by page.
"""

from datetime import datetime

from referee.records.models import DeletionKind
from referee.records.words import say
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import language


class NotFound(LookupError):
    """There is nothing of that kind in this club, though there may be in another."""

    def __init__(self, kind: str) -> None:
        super().__init__(say(f"not-found.{kind.replace(' ', '-')}"))


class Conflict(Exception):
    """Someone else saved first; the message says what is there now."""


class Stale(Exception):
    """The writer has not seen the newest state of what they change."""


class Gone(Exception):
    """An invitation that was used, was revoked or has expired."""


class Deleted(Gone):
    """Something was deleted: when, and until when it can be restored; `until` is None where that is over."""

    def __init__(self, kind: DeletionKind, id: str, at: datetime, until: datetime | None) -> None:
        self.kind, self.id, self.at, self.until = kind, id, at, until
        state = "waits" if until else "gone"
        super().__init__(say(f"deleted.{kind}-{state}", at=language().date(at), until=language().date(until or at)))


class Moved(Exception):
    """A draft is out of date because another writer changed the state: compute it again."""


class Repeated(Exception):
    """The same request came before; `made` is the id of what the first one made, empty where it made nothing."""

    def __init__(self, made: str) -> None:
        super().__init__(made)
        self.made = made


class Busy(Exception):
    """A club is closed for a moment because a file is being imported."""


MOST_PLAYERS = 2_000
"""Names in a club, those merged into another included."""
MOST_ROUNDS = 2_000
"""Rounds of a match, struck ones included: a week at the table."""
MOST_VERSIONS = 100
"""Versions of a round: the first entry, corrections, strikes and restores."""
MOST_AMENDMENTS = 100
"""Changes of rules in one match."""
MOST_RULINGS = 500
"""Rulings saved in one match."""
MOST_EVENTS = 1_000
"""Times that players joined or left a match, or that it was finished, abandoned, reopened or amended."""

MOST_OWN_RULEBOOKS = 50
"""Rulebooks that a club made itself; as many deleted ones can be restored."""
MOST_SEASONS = 100
"""Seasons of a club; as many deleted ones can be restored."""
MOST_PRECEDENTS = 500
"""Rulings that a club keeps as its law."""
MOST_PEOPLE = 200
"""People of an evening, those who left included."""
MOST_EVENINGS = 5_000
"""Evenings of a club: one a day for longer than anyone has played."""
MOST_CHANGES = 500
"""Changes by hand of one draw, of each kind."""
MOST_KEYS = 200
"""Working keys of a whole club: phones, scripts, its recovery sheet."""
MOST_INVITATIONS = 50
"""Invitations of a club that are open at a time."""


def refuse_over(count: int, most: int, field: str, what: str) -> None:
    """Raise `Impossible` if adding one more `what` exceeds its limit; `count` is how many there would be."""
    if count > most:
        raise Impossible([too_many(what, most, field)])


def too_many(what: str, most: int, field: str) -> Problem:
    """Return the problem that there is no room for more."""
    return Problem(field, say(f"limits.{what}", most=most))
