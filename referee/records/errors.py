"""Why something can't be read or changed; wrong values raise `referee.rules.text.problem.Impossible` instead."""

from __future__ import annotations

from datetime import datetime

from referee.records.models import DeletionKind
from referee.records.words import say
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
