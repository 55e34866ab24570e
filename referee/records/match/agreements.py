"""What a table agreed on: frozen into the match, and amended only from the next round on.

The whole text of the rulebook, house rules in force, is kept once a club under its digest, so that a
later edit of a rulebook file changes no old match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from referee.records.cache import Cache
from referee.records.models import Key, Match, RulebookText, Scale, now
from referee.rules.books.agreeing import Agreed
from referee.rules.books.rulebook import Rulebook
from referee.rules.own.rulebook import as_read
from referee.rules.scoring.terms import Terms, agreed

FURTHER = ("rounds_to_play", "teams", "face_points")
"""What few matches agree on; it is written only where they do."""


@dataclass(frozen=True)
class Agreement(Agreed):
    """One agreement of a table, in force from the round of `from_place` on."""

    from_place: int
    rulebook: str
    digest: str
    house_rules: tuple[str, ...]
    deck: str
    note: str
    at: str
    by: str | None

    def to_document(self) -> dict[str, Any]:
        """Return the agreement as JSON values; rare parts only where they were agreed on."""
        document = asdict(self)
        if self.face_points is not None:
            document["face_points"] = dict(self.face_points)
        return {name: value for name, value in document.items() if value is not None or name not in FURTHER}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Agreement:
        """Read an agreement back."""
        return cls(
            **{
                **document,
                "house_rules": tuple(document["house_rules"]),
                "custom_rules": tuple(document["custom_rules"]),
                "teams": None if document.get("teams") is None else tuple(map(tuple, document["teams"])),
                "face_points": tuple(sorted((document.get("face_points") or {}).items())) or None,
            }
        )


def agreements_of(match: Match) -> tuple[Agreement, ...]:
    """Return what was agreed before the first deal, then each amendment, oldest first."""
    return tuple(Agreement.from_document(document) for document in match.agreements)


def agreement_at(match: Match, place: int | None = None) -> Agreement:
    """Return the agreement that the round of this place was played under; without one the latest."""
    if place is None:
        loaded = vars(match)  # a match in a list has only the latest
        listed = "agreements" not in loaded and "agreement_now" in loaded
        return Agreement.from_document(match.agreement_now if listed else match.agreements[-1])
    first, *later = match.agreements
    return Agreement.from_document([first, *(change for change in later if change["from_place"] <= place)][-1])


def freeze_rulebook(session: Session, club_id: str, rulebook: Rulebook) -> str:
    """Store the text of a rulebook with its house rules, unless the club has it; return its digest."""
    digest = rulebook.digest
    if session.get(RulebookText, (club_id, digest)) is None:
        session.add(RulebookText(club_id=club_id, digest=digest, document=rulebook.to_document()))
        session.flush()
    return digest


def frozen_rulebook(session: Session, club_id: str, digest: str) -> Rulebook:
    """Return a rulebook as it stood when it was agreed on, in the language spoken."""
    return as_read(Rulebook.from_document(session.get_one(RulebookText, (club_id, digest)).document))


def terms_of(session: Session, match: Match, agreement: Agreement) -> Terms:
    """Return an agreement as scoring wants it, with the rulebook as it was frozen."""
    values = agreed(agreement)

    def read() -> Terms:
        return Terms(rulebook=frozen_rulebook(session, match.club_id, agreement.digest), **values)

    return TERMS.get((agreement.digest, *values.values()), read)


def terms_at(session: Session, match: Match, place: int | None = None) -> Terms:
    """Return the terms that the round of this place was played under; without one those in force now."""
    return terms_of(session, match, agreement_at(match, place))


TERMS: Cache[Terms] = Cache("terms", 4_000_000, lambda terms: 20_000 + 1_500 * len(terms.rulebook.clauses))
"""Terms by what was agreed, with their rulebook, which its digest stands for: most matches agree on the same."""


def scale_of(terms: Terms) -> Scale:
    """Return what totals mean under these terms."""
    return Scale.ROUNDS if terms.count == "rounds" else Scale(terms.leads)


def new_agreement(session: Session, club_id: str, terms: Terms, from_place: int, note: str, by: Key) -> dict[str, Any]:
    """Freeze terms into the document that a match keeps, in force from the round of `from_place` on."""
    return Agreement(
        from_place=from_place,
        rulebook=terms.rulebook.id,
        digest=freeze_rulebook(session, club_id, terms.rulebook),
        house_rules=terms.rulebook.in_force,
        note=note,
        at=now().isoformat(),
        by=by.id,
        **agreed(terms),
    ).to_document()
