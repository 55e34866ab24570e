"""Why something on record cannot be had or changed; what is impossible is `referee.rules.problem.Impossible`."""

from __future__ import annotations

from referee.records.words import say


class NotFound(LookupError):
    """Nothing of that kind in this club; another club's things are not found either."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(say(f"not-found.{kind.replace(' ', '-')}"))


class Conflict(Exception):
    """Somebody else was first; the message says what is there already."""


class Stale(Exception):
    """The one who writes has not seen the newest state."""


class Gone(Exception):
    """An invitation that was used before or has run out."""


class Moved(Exception):
    """What was to be written was worked out from a state that another writer has changed since: work it out again."""


class Busy(Exception):
    """A club takes in a file and is closed for a moment; the message says so."""
