"""The version of all that a phone takes along, with which its addresses change."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from flask import url_for

from referee.paths import PACKAGE, TEMPLATES
from referee.records.match.seating import Seated
from referee.records.models import Match
from referee.rules.scoring.terms import Terms
from referee.rules.text.words import FOLDER, language

WEB = PACKAGE / "web"
SOURCES = (PACKAGE / "rules", FOLDER, TEMPLATES, WEB / "rules", WEB / "offline")
MADE_FROM = (".py", ".toml", ".json", ".html")
"""Endings of the files that documents are made from: those of the rules and templates, and what writes them."""


def digest_of(sources: Iterable[Path]) -> str:
    """Return the digest of files and folders; writing the documents themselves would take seconds."""
    digest = hashlib.sha256()
    for source in sources:
        for file in sorted(source.rglob("*")) if source.is_dir() else (source,):
            if file.suffix in MADE_FROM:
                digest.update(f"{file.name} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


DOCUMENTS = digest_of(SOURCES)
"""Digest of all documents, taken at the start: files that an update puts in their place belong to another program."""


def version() -> str:
    """Return what the documents' addresses change with: the files they are made from, and the language spoken."""
    return f"{DOCUMENTS}{language().code}"


def address_of_rules(match: Match, terms: Terms, seats: Sequence[Seated]) -> str:
    """Return the address of the rules of a match, for those who sit there."""
    return url_for("offline.match_rules", match_id=match.id, digest=digest_at_table(terms, seats))


def digest_at_table(terms: Terms, seats: Sequence[Seated]) -> str:
    """Return the digest of the hearings at one table: its rules and deck, the chairs taken, this version."""
    taken = hashlib.sha256(",".join([terms.deck, *(str(seat.seat) for seat in seats)]).encode()).hexdigest()
    return terms.rulebook.digest[:12] + taken[:8] + version()
