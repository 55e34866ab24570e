"""Check a club's document before anything of it is written: every id, date, name, seat and card.

Its shape was checked before (see `referee.records.club_document`). What is wrong is said by field, as in
``matches[3].rounds[0].versions[0].entry.hands.1[2]``; at most `MOST_PROBLEMS` at once.
"""

from __future__ import annotations

from dataclasses import asdict

from referee.records.club_document import FORMAT, VERSION, ClubDocument, Head, RulebookTextPart
from referee.records.club_findings import MOST_PROBLEMS, TooManyProblems
from referee.records.match_findings import MatchFindings
from referee.records.names import fold_name
from referee.rules import settings as registry
from referee.rules.library import rulebooks
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import Rulebook

MOST_PLAYERS = 10_000


def check_head(head: Head) -> None:
    """Refuse what this program cannot read at all; raises `Impossible`."""
    if head.format != FORMAT:
        raise Impossible([Problem("format", f"This is no club of this app; its format is called “{FORMAT}”.")])
    if head.version > VERSION:
        later = f"This is of version {head.version}, and here up to {VERSION} is read. Update the app."
        raise Impossible([Problem("version", later)])
    if head.version < 1:
        raise Impossible([Problem("version", "The first version is 1.")])


def check_document(document: ClubDocument) -> None:
    """Raise `Impossible` with what is wrong in a document; it says nothing about what the club has already."""
    checker = _Checker(document)
    try:
        checker.check()
    except TooManyProblems:
        checker.problems[-1] = Problem("body", f"More is wrong; these are the first {MOST_PROBLEMS - 1}.")
    if checker.problems:
        raise Impossible(checker.problems)


def read_rulebook(text: RulebookTextPart) -> Rulebook:
    """Read a frozen rulebook; raises ValueError with what is wrong."""
    rulebook = Rulebook.from_document(asdict(text.document))
    if rulebook.digest != text.digest:
        raise ValueError("The fingerprint is not that of the text.")
    if rulebook.id not in rulebooks():
        raise ValueError(f"“{rulebook.id[:40]}” is no rulebook here; there are {', '.join(rulebooks())}.")
    declared = registry.declared()
    for clause in rulebook.clauses.values():
        for name, value in clause.settings.items():
            if name in declared:
                declared[name].parse(value)
    return rulebook


class _Checker(MatchFindings):
    def __init__(self, document: ClubDocument) -> None:
        super().__init__({writer.id for writer in document.writers}, {player.id for player in document.players})
        self.document = document

    def check(self) -> None:
        document = self.document
        check_head(Head(document.format, document.version))
        self.name(document.club.name, "club.name")
        if len(document.players) > MOST_PLAYERS:
            raise Impossible(
                [Problem("players", f"{len(document.players):,} players; at most {MOST_PLAYERS:,} are taken.")]
            )
        found: dict[str, Rulebook] = {}
        self.rulebooks = found
        for place, text in enumerate(document.rulebooks):
            self.rulebook(text, found, f"rulebooks[{place}]")
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

    def rulebook(self, text: RulebookTextPart, found: dict[str, Rulebook], field: str) -> None:
        for clause in (*text.document.clauses, *(one for rule in text.document.house_rules for one in rule.clauses)):
            self.plain(clause.settings, f"{field}.document.clauses.{clause.id[:40]}.settings")
        try:
            found[text.digest] = read_rulebook(text)
        except Impossible as error:
            self.say(f"{field}.document.in_force", error.problems[0].message)
        except ValueError as error:
            self.say(field, str(error))

    def people(self) -> None:
        players = self.document.players
        self.ids([player.id for player in players], "players")
        names: set[str] = set()
        merged = {player.id for player in players if player.merged_into is not None}
        for place, player in enumerate(players):
            field = f"players[{place}]"
            self.name(player.name, f"{field}.name")
            folded = fold_name(player.name)
            self.need(folded not in names, f"{field}.name", f"“{player.name[:40]}” stands here twice.")
            names.add(folded)
            self.moment(player.created_at, f"{field}.created_at")
            into = player.merged_into
            known = into is None or (into in self.players and into not in merged)
            self.need(known, f"{field}.merged_into", "Leads to no player.")

    def rematches(self) -> None:
        known = {match.id for match in self.document.matches}
        for place, match in enumerate(self.document.matches):
            first = match.rematch_of
            self.need(first is None or first in known, f"matches[{place}].rematch_of", "Is no match of this document.")
