"""Validate a club's document before anything of it is written: every id, date, name, seat and card.

Its types are checked before (see `referee.records.transfer.document`). Each problem names its field, as in
``matches[3].rounds[0].versions[0].entry.hands.1[2]``; there are at most `MOST_PROBLEMS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from referee.records.ids import is_id
from referee.records.limits import MOST_OWN_RULEBOOKS, MOST_PLAYERS
from referee.records.names import fold_name
from referee.records.own_rulebooks import read_document
from referee.records.transfer.document import (
    FORMAT,
    VERSION,
    ClubDocument,
    Head,
    OwnRulebookPart,
    RulebookTextPart,
)
from referee.records.transfer.faults import MOST_PROBLEMS, TooManyProblems
from referee.records.transfer.match_checks import MatchFindings
from referee.records.transfer.reckoning import AgreedTerms, Result
from referee.records.words import say
from referee.rules import settings as registry
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import Rulebook
from referee.rules.totals import HIGHEST_TOTAL

MOST_WRITERS = 10_000
MOST_RULEBOOKS = 1_000
MOST_TIMES_CHANGED = 1_000_000
"""Versions of a rulebook that a club made itself."""
MOST_BOXES = 10
"""Decks shuffled together, as a rulebook's text may say; no table has so many."""


@dataclass(frozen=True)
class Checked:
    """What the validation of a document has computed."""

    results: Mapping[str, Result]
    """how the finished matches ended, by id"""
    terms: AgreedTerms


def check_head(head: Head) -> None:
    """Refuse formats that this program can't read; raises `Impossible`."""
    if head.format != FORMAT:
        raise Impossible([Problem("format", say("import.format", format=FORMAT))])
    if head.version > VERSION:
        raise Impossible([Problem("version", say("import.newer", version=head.version, most=VERSION))])
    if head.version < 1:
        raise Impossible([Problem("version", say("import.version"))])


def check_document(document: ClubDocument, rest: Callable[[], object] = lambda: None) -> Checked:
    """Validate a document by itself, not against the club, and give what was computed on the way.

    `rest` is called after each round. Raises `Impossible` with the problems.
    """
    checker = _Checker(document, rest)
    try:
        checker.check()
    except TooManyProblems:
        checker.problems[-1] = Problem("body", say("import.more", n=MOST_PROBLEMS - 1))
    if checker.problems:
        raise Impossible(checker.problems)
    return Checked(checker.results, checker.terms)


def read_rulebook(text: RulebookTextPart) -> Rulebook:
    """Read a frozen rulebook; raises ValueError with what is wrong."""
    rulebook = Rulebook.from_document(asdict(text.document))
    if rulebook.digest != text.digest:
        raise ValueError(say("import.digest-differs"))
    if (rulebook.base or rulebook.id) not in rulebooks() or (rulebook.base and not is_id(rulebook.id)):
        raise ValueError(say("choose.rulebook", rulebook=rulebook.id[:40], choices=", ".join(rulebooks())))
    declared = registry.declared()
    for clause in rulebook.clauses.values():
        for name, value in clause.settings.items():
            if name in declared:
                worth = declared[name].parse(value)
                most = MOST_BOXES if name == registry.BOXES.name else HIGHEST_TOTAL
                if isinstance(worth, int) and worth > most:
                    raise ValueError(say("import.setting", name=name, value=worth, most=most))
    return rulebook


class _Checker(MatchFindings):
    def __init__(self, document: ClubDocument, rest: Callable[[], object]) -> None:
        names = {player.id: player.name for player in document.players}
        super().__init__({writer.id for writer in document.writers}, names, rest)
        self.document = document

    def check(self) -> None:
        document = self.document
        check_head(Head(document.format, document.version))
        self.name(document.club.name, "club.name")
        for things, most, field in (
            (document.players, MOST_PLAYERS, "players"),
            (document.writers, MOST_WRITERS, "writers"),
            (document.rulebooks, MOST_RULEBOOKS, "rulebooks"),
            (document.own_rulebooks, MOST_OWN_RULEBOOKS, "own_rulebooks"),
        ):
            self.few(len(things), most, field)
        if self.problems:
            return
        for place, text in enumerate(document.rulebooks):
            self.rulebook(text, self.terms.rulebooks, f"rulebooks[{place}]")
        self.ids([own.id for own in document.own_rulebooks], "own_rulebooks")
        for place, own in enumerate(document.own_rulebooks):
            self.own_rulebook(own, f"own_rulebooks[{place}]")
        for place, writer in enumerate(document.writers):
            self.name(writer.name, f"writers[{place}].name")
        self.ids([writer.id for writer in document.writers], "writers")
        self.people()
        self.ids([match.id for match in document.matches], "matches")
        self.rematches()
        for kind in ("rounds", "events", "rulings"):
            seen: set[str] = set()
            for place, match in enumerate(document.matches):
                self.ids([part.id for part in getattr(match, kind)], f"matches[{place}].{kind}", seen)
        for place, match in enumerate(document.matches):
            self.match(match, f"matches[{place}]")
            self.rest()

    def rulebook(self, text: RulebookTextPart, found: dict[str, Rulebook], field: str) -> None:
        for clause in (*text.document.clauses, *(one for rule in text.document.house_rules for one in rule.clauses)):
            self.plain(clause.settings, f"{field}.document.clauses.{clause.id[:40]}.settings")
        try:
            found[text.digest] = read_rulebook(text)
        except Impossible as error:
            self.fail(f"{field}.document.in_force", error.problems[0].message)
        except ValueError as error:
            self.fail(field, str(error))

    def own_rulebook(self, own: OwnRulebookPart, field: str) -> None:
        self.need(
            1 <= own.version <= MOST_TIMES_CHANGED, f"{field}.version", "import.own-version", most=MOST_TIMES_CHANGED
        )
        self.moment(own.created_at, f"{field}.created_at")
        self.moment(own.changed_at, f"{field}.changed_at")
        try:
            read_document(own.document)
        except Impossible as error:
            self.fail(f"{field}.document.{error.problems[0].field}", error.problems[0].message)

    def people(self) -> None:
        players = self.document.players
        self.ids([player.id for player in players], "players")
        names: set[str] = set()
        merged = {player.id for player in players if player.merged_into is not None}
        for place, player in enumerate(players):
            field = f"players[{place}]"
            self.name(player.name, f"{field}.name")
            folded = fold_name(player.name)
            self.need(folded not in names, f"{field}.name", "import.twice", name=player.name[:40])
            names.add(folded)
            self.moment(player.created_at, f"{field}.created_at")
            if player.removed_at is not None:
                self.moment(player.removed_at, f"{field}.removed_at")
            into = player.merged_into
            known = into is None or (into in self.players and into not in merged)
            self.need(known, f"{field}.merged_into", "import.player")

    def rematches(self) -> None:
        known = {match.id for match in self.document.matches}
        for place, match in enumerate(self.document.matches):
            first = match.rematch_of
            self.need(first is None or first in known, f"matches[{place}].rematch_of", "import.match")
