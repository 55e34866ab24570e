"""A club's own law: what it decided for good where its rulebooks are silent.

A precedent is a stored ruling that is `kept`: of each question of a dispute the newest counts, whichever rulebook is
silent on it. It says what was decided by role and setting, never by a name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import and_, delete, func, select, true, update
from sqlalchemy.orm import Session

from referee.records.club import own_rulebooks
from referee.records.club.access import lock_club
from referee.records.deletion.texts import is_removed
from referee.records.errors import MOST_PRECEDENTS, Conflict, NotFound, refuse_over
from referee.records.ids import id_after, is_id
from referee.records.match.agreements import freeze_rulebook
from referee.records.models import Club, Key, Match, OwnRulebookRow, RulebookText, Ruling, now
from referee.records.names import LONGEST_DECISION, clean_text
from referee.records.words import say
from referee.rules.books.library import every_question
from referee.rules.books.rulebook import Clause, Rulebook
from referee.rules.disputes import DISPUTES_BY_ID, rule
from referee.rules.disputes.open_points import Decision, hear_again
from referee.rules.disputes.tree import open_case
from referee.rules.own.rulebook import LONGEST_TITLE
from referee.rules.text.problem import Impossible, Problem, fold
from referee.rules.text.words import CATALOGUE

LAW = "law-"
"""Prefix of the clauses that have a club's law."""
MOST_LOOKED_UP = 50
OFFERED = 3
"""Decisions on one question that are offered together: the newest counts."""


@dataclass(frozen=True)
class Precedent:
    """What a club decided on a question of a dispute, by a ruling that may decide several."""

    ruling: Ruling
    decision: Decision
    match_id: str | None
    """None where the match is deleted, or there was none"""
    rulebook: str
    """title of the rulebook that was silent; empty where nothing is left of it"""

    @property
    def question(self) -> str:
        """Return the question that it answers."""
        return every_question()[self.decision.clause].text

    @property
    def dispute(self) -> str:
        """Return what the dispute is called."""
        return DISPUTES_BY_ID[self.ruling.dispute].title

    @property
    def rule_since(self) -> datetime | None:
        """Return when it became a rule of the club's own rulebook."""
        since = self.ruling.ruling.get("rule_since")
        return datetime.fromisoformat(since) if since else None

    def to_json(self) -> dict[str, Any]:
        """Return the precedent as the JSON interface has it."""
        at = {"decided_at": self.ruling.given_at.isoformat(), "match": self.match_id}
        since = {"rule_since": self.rule_since.isoformat()} if self.rule_since else {}
        return {"id": self.ruling.id, "dispute": self.ruling.dispute, **self.decision.to_json(), **at, **since}


def load_precedents(session: Session, club_id: str, *, dispute: str = "", q: str = "") -> Sequence[Precedent]:
    """Load a club's law, newest first: all, or on one dispute, and with these words in it.

    What was decided only in words that went with a deleted name is forgotten.
    """
    live = and_(Match.club_id == club_id, Match.id == Ruling.match_id)
    text = and_(RulebookText.club_id == club_id, RulebookText.digest == Ruling.rulebook_digest)
    chosen = (
        select(Ruling, Match.id, RulebookText.document["title"].as_string())
        .outerjoin(Match, live)
        .outerjoin(RulebookText, text)
        .where(Ruling.club_id == club_id, Ruling.kept, Ruling.dispute == dispute if dispute else true())
        .order_by(Ruling.id.desc())
    )
    found = [
        Precedent(ruling, decision, match_id, title or "")
        for ruling, match_id, title in session.execute(chosen)
        for decision in decisions_of(ruling.ruling, ruling.table_decided)
        if ruling.dispute in DISPUTES_BY_ID and decision.clause in every_question()
        if decision.settings or (decision.text and not is_removed(decision.text))
    ]
    wanted = fold(q).split()
    told = ((one, fold(f"{one.dispute} {one.question} {one.decision.say()}")) for one in found)
    return [one for one, text in told if all(word in text for word in wanted)] if wanted else found


def newest_of_each(law: Iterable[Precedent]) -> list[Precedent]:
    """Return what counts of the law, newest first: the newest decision on each question of a dispute."""
    found: dict[tuple[str, str], Precedent] = {}
    for one in law:
        found.setdefault((one.ruling.dispute, one.decision.clause), one)
    return list(found.values())


def law_of_match(session: Session, match: Match) -> list[Precedent]:
    """Load what counts of the club's law at a match; at one that is over, what counted when it ended."""
    law, ended = load_precedents(session, match.club_id), match.finished_at
    return newest_of_each(one for one in law if ended is None or one.ruling.given_at <= ended)


def own_on_base(session: Session, club_id: str, base: str, first: str = "") -> list[OwnRulebookRow]:
    """List the club's own rulebooks on a base, the one with the id `first` first."""
    rows = own_rulebooks.list_rows(session, club_id)
    return sorted((row for row in rows if row.document["base"] == base), key=lambda row: row.id != first)


def made_rules(session: Session, club_id: str, rulebook: Rulebook, law: Iterable[Precedent]) -> OwnRulebookRow | None:
    """Return the club's own rulebook on the same base whose rules it made of its law; None for that very rulebook."""
    made = {one.decision.clause for one in law if one.rule_since}
    rows = own_on_base(session, club_id, rulebook.base or rulebook.id) if made else ()
    found = next((row for row in rows if made & row.document.get("changes", {}).keys()), None)
    return None if found is None or found.id == rulebook.id else found


def with_law(session: Session, club_id: str, rulebook: Rulebook) -> Rulebook:
    """Return a rulebook with its club's law beside it, to be looked up there: the newest of it."""
    clauses = dict(rulebook.clauses)
    for place, one in enumerate(newest_of_each(load_precedents(session, club_id))[:MOST_LOOKED_UP], 1):
        topic, cite = every_question()[one.decision.clause].topic, CATALOGUE.text("decisions.cite")
        text = one.decision.say()
        clauses[f"{LAW}{place}"] = Clause(f"{LAW}{place}", topic, one.question, text, cite=cite, decided=True)
    return replace(rulebook, clauses=clauses)


def decisions_of(ruling: Mapping[str, Any], words: str | None = None) -> list[Decision]:
    """Return what a table decided with a stored ruling; `words` are its `table_decided`."""
    found = ((one["clause"], one["settings"]) for one in ruling.get("decided", ()))
    return [Decision(clause, settings, "" if settings else words or "") for clause, settings in found]


def offered(law: Sequence[Precedent], clauses: Iterable[str]) -> dict[str, list[Precedent]]:
    """Return what of the law on a dispute answers these questions, by clause, the newest first and few of each."""
    found = {clause: [one for one in law if one.decision.clause == clause][:OFFERED] for clause in clauses}
    return {clause: of_clause for clause, of_clause in found.items() if of_clause}


def newest_precedent(session: Session, club_id: str, dispute: str) -> str:
    """Return the id of the newest precedent of a dispute; empty without one."""
    return next((one.ruling.id for one in load_precedents(session, club_id, dispute=dispute)), "")


def make_room(session: Session, club_id: str, dispute: str, seen: str) -> None:
    """Lock the club, and check that it may keep one more ruling on a dispute whose newest precedent was `seen`.

    Raises `Conflict` where someone else decided meanwhile, and `Impossible` when there is no room.
    """
    lock_club(session, club_id)
    if newest_precedent(session, club_id, dispute) != seen:
        raise Conflict(say("precedents.decided-meanwhile"))
    kept = session.scalar(select(func.count()).where(Ruling.club_id == club_id, Ruling.kept)) or 0
    refuse_over(kept + 1, MOST_PRECEDENTS, "keep", "precedents")


def draft_rule_of_ours(session: Session, rulebook: Rulebook, dispute_id: str, decision: Decision, by: Key) -> Ruling:
    """Return what a club decides without a match on a question that a rulebook leaves open; writes nothing.

    Raises `Impossible` where it isn't open, or can't be decided so.
    """
    facts, ruling = open_case(rulebook, dispute_id, decision.clause)
    decision = replace(decision, text=clean_text(decision.text, "text", LONGEST_DECISION))
    hear = partial(rule, DISPUTES_BY_ID[dispute_id], facts=facts, asking=True)
    try:
        hear_again(hear, rulebook, ruling, [decision])
    except Impossible as error:  # of the one decision
        raise Impossible(Problem(problem.path[2:], problem.message) for problem in error.problems) from None
    return Ruling(
        **without_match({"ruling": {"decided": [{"clause": decision.clause, "settings": dict(decision.settings)}]}}),
        club_id=by.club_id,
        id=id_after(newest_precedent(session, by.club_id, dispute_id)),
        dispute=dispute_id,
        table_decided=decision.text or None,
        kept=True,
        given_by=by.id,
        given_at=now(),
    )


def keep_rule_of_ours(session: Session, given: Ruling, rulebook: Rulebook, seen: str) -> None:
    """Write a decision that was drafted, with the rulebook that is silent; raises as `make_room`."""
    make_room(session, given.club_id, given.dispute, seen)
    given.rulebook_digest = freeze_rulebook(session, given.club_id, rulebook)
    session.add(given)
    session.flush()


def forget_or_restore(session: Session, club_id: str, id: str, *, kept: bool) -> Ruling:
    """Forget a precedent, or take that back; raises `NotFound`.

    One without a match stays until another is forgotten.
    """
    lock_club(session, club_id)
    row = _find(session, club_id, id, kept=not kept)
    if not kept:
        session.execute(delete(Ruling).where(Ruling.club_id == club_id, ~Ruling.kept, Ruling.match_id.is_(None)))
    row.kept = kept
    session.flush()
    return row


def _find(session: Session, club_id: str, id: str, *, kept: bool) -> Ruling:
    row = session.get(Ruling, (club_id, id)) if is_id(id) else None
    if row is None or not row.ruling.get("decided") or row.kept != kept:
        raise NotFound("precedent")
    return row


def make_rule(session: Session, club: Club, id: str, by: Key) -> OwnRulebookRow:
    """Make a precedent a change of the club's own rulebook on the rules that were silent.

    The rulebook is made if there is none; words become a clause of it. It counts for matches agreed on from now on, and
    the precedent says since when. Raises `NotFound`, and `Impossible` where there is no room.
    """
    lock_club(session, club.id)
    ruling = _find(session, club.id, id, kept=True)
    text = session.get(RulebookText, (club.id, ruling.rulebook_digest))
    if text is None:
        raise NotFound("rulebook")
    decided = decisions_of(ruling.ruling, ruling.table_decided)
    if any(is_removed(decision.text) for decision in decided):
        raise NotFound("precedent")
    base = text.document.get("base") or text.document["id"]
    found = own_on_base(session, club.id, base, text.document["id"])
    title = say("precedents.own-rulebook", rulebook=text.document["title"])
    document: dict[str, Any] = dict(found[0].document) if found else {"title": title[:LONGEST_TITLE], "base": base}
    changes, clauses = dict(document.get("changes", {})), list(document.get("clauses", ()))
    for decision in decided:
        if decision.settings:
            changes[decision.clause] = {**changes.get(decision.clause, {}), **decision.settings}
        else:
            clauses.append({"text": decision.text, "topic": every_question()[decision.clause].topic})
    own = own_rulebooks.read_document({**document, "changes": changes, "clauses": clauses})
    if found:
        own_rulebooks.change(session, found[0], own, by)
    row = found[0] if found else own_rulebooks.create(session, club, own, by)
    ruling.ruling = {**ruling.ruling, "rule_since": now().isoformat()}
    session.flush()
    return row


def keep_without_match(session: Session, club_id: str, match_id: str) -> None:
    """Leave the precedents of a match that is purged without it: what was decided stays, and nothing that names anyone.

    One that was only words that a deleted name took away goes.
    """
    own = (Ruling.club_id == club_id, Ruling.match_id == match_id, Ruling.kept)
    for row in session.scalars(select(Ruling).where(*own)):
        decided = row.ruling.get("decided", ())
        if is_removed(row.table_decided) and not any(one["settings"] for one in decided):
            continue
        bare = without_match({"ruling": row.ruling}) | {"match_id": None}
        session.execute(update(Ruling).where(Ruling.club_id == club_id, Ruling.id == row.id).values(**bare))


def without_match(ruling: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a precedent as they stand without its match: no seat, no fact, no name."""
    said = {"status": "silent", "verdict": "", "summary": "", "outcome": {}, "orders": [], "steps": []}
    said |= {part: ruling["ruling"][part] for part in ("decided", "rule_since") if part in ruling["ruling"]}
    return {**ruling, "seats": {}, "facts": {}, "ruling": said, "after_place": 0}
