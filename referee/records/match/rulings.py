"""Rulings given at a match: heard once more when they are written down, and never changed afterwards.

The table's own decision stands beside the ruling, not in its place. A hand that was shown is private:
it is kept only where the table asks for it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from referee.records.errors import MOST_RULINGS, NotFound, refuse_over
from referee.records.ids import id_after, is_id
from referee.records.match.agreements import agreement_at, terms_at
from referee.records.match.dealing import current_outs, load_playing, next_opener
from referee.records.match.rounds import count_rounds
from referee.records.match.seating import Seated, Seating
from referee.records.match.tallies import advance
from referee.records.models import Club, Key, Match, Ruling, now, of_live_match
from referee.records.names import LONGEST_DECISION, clean_text
from referee.records.words import say
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes import DISPUTES_BY_ID, Dispute, read_facts, rule
from referee.rules.disputes.facts import PLAYERS, Fact, plain
from referee.rules.disputes.ruling import Role
from referee.rules.disputes.ruling import Ruling as Heard
from referee.rules.scoring.terms import Terms
from referee.rules.text.problem import Impossible, Problem, attempt
from referee.rules.text.words import ENGLISH, language, languages

PRIVATE = frozenset({"hand"})
"""Facts that only those at the table have seen, and that are not kept unless they wish so."""


@dataclass(frozen=True)
class Case:
    """What a table brings before the referee, and what it decides itself."""

    dispute: str
    facts: Mapping[str, object]
    players: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """role → name of the player who has it"""
    accepted: bool | None = None
    table_decided: str = ""
    keep_hand: bool = False


def hear_at_match(
    session: Session, match: Match, case: Case
) -> tuple[Dispute, Fact[Any] | Heard, Mapping[Role, Seated], Mapping[str, Any]]:
    """Decide a case under what the match agreed on; the number of players is known, and roles have names.

    Gives the fact still to be asked or the ruling, who has which role, and the facts as read. Raises `Impossible` with
    every problem of the case.
    """
    seating = load_playing(session, match)
    terms = terms_at(session, match)
    problems: list[Problem] = []
    dispute = DISPUTES_BY_ID.get(case.dispute)
    if dispute is None:
        choices = ", ".join(DISPUTES_BY_ID)
        problems.append(Problem("dispute", say("choose.dispute", dispute=case.dispute[:40], choices=choices)))
    facts = dict(case.facts)
    roles = _read_roles(case.players, seating, facts, problems)
    if facts.setdefault("players", len(seating.here)) not in (len(seating.here), str(len(seating.here))):
        problems.append(Problem(("facts", "players"), say("hearing.players", n=len(seating.here))))
        facts["players"] = len(seating.here)
    if dispute is not None and Role.FIRST_PLAYER in dispute.parts:
        roles = opening_roles(session, match, terms, seating) | roles
    names = {role: seat.name for role, seat in roles.items()}
    read: dict[str, Any] = {}
    result = None
    try:
        if dispute is not None:
            read = dict(read_facts(dispute, terms.rulebook, facts, terms.full_deck))
            result = rule(dispute, terms.rulebook, read, names=names)
    except Impossible as error:
        problems += error.problems
    if problems or dispute is None or result is None:
        raise Impossible(problems)
    return dispute, result, roles, read


def write_ruling(session: Session, match: Match, given: Ruling) -> None:
    """Write a ruling that was drafted; raises `Moved` when the match has changed since."""
    advance(session, match)
    session.add(given)
    session.flush()


def draft_ruling(session: Session, match: Match, case: Case, by: Key) -> Ruling:
    """Decide a case and return the ruling to store, with the table's own decision; writes nothing.

    Raises `Impossible` also where one more fact matters, naming it.
    """
    dispute, result, roles, read = hear_at_match(session, match, case)
    problems: list[Problem] = []
    if isinstance(result, Fact):
        problems.append(Problem(("facts", result.key), say("hearing.question", question=result.text)))
    decided = attempt(problems, lambda: clean_text(case.table_decided, "table_decided", LONGEST_DECISION))
    if problems or isinstance(result, Fact):
        raise Impossible(problems)
    kept = (key for key in case.facts if case.keep_hand or key not in PRIVATE)
    facts = {key: plain(read[key]) for key in kept}
    here = (Ruling.club_id == match.club_id, Ruling.match_id == match.id)
    count, latest = session.execute(select(func.count(), func.max(Ruling.id)).where(*here)).one()
    refuse_over(count + 1, MOST_RULINGS, "match", "rulings")
    _, place = count_rounds(session, match)
    document = result.to_json() | {"rulebook": result.rulebook, "language": language().code}
    return Ruling(
        club_id=match.club_id,
        id=id_after(latest),
        match_id=match.id,
        after_place=place,
        dispute=case.dispute,
        rulebook_digest=agreement_at(match).digest,
        seats={str(role): seat.seat for role, seat in roles.items()},
        facts=facts,
        ruling=document,
        finding=dispute.finds(facts, document["outcome"]),
        accepted=case.accepted,
        table_decided=decided or None,
        given_by=by.id,
        given_at=now(),
    )


def ruling_by_name(ruling: Ruling, names: Sequence[str]) -> dict[str, Any]:
    """Return a ruling as it was given, as JSON values: by the `names` of the seats, with what the table decided."""
    given = {key: value for key, value in ruling.ruling.items() if key != "lead"}  # a part of the summary, for pages
    return (
        {"language": ENGLISH}
        | given
        | {
            "id": ruling.id,
            "dispute": ruling.dispute,
            "facts": ruling.facts,
            "players": {role: names[seat] for role, seat in ruling.seats.items()},
            "rulebook_digest": ruling.rulebook_digest,
            "accepted": ruling.accepted,
            "table_decided": ruling.table_decided,
            "given_at": ruling.given_at.isoformat(),
        }
    )


def language_of(document: Mapping[str, Any]) -> str:
    """Return the language a ruling was said in; English where it names none that there is."""
    code: str = document.get("language", "")
    return code if code in languages() else ENGLISH


def foreign_language(document: Mapping[str, Any]) -> str:
    """Return the code of the language a ruling was said in where the reader speaks another; else an empty string."""
    code = language_of(document)
    return "" if code == language().code else code


def as_read(ruling: Ruling, rulebook: Rulebook, names: Sequence[str], players: int) -> Mapping[str, Any]:
    """Return a ruling as it was said; to a reader of another language, as the same facts are ruled in theirs.

    `names` are those of the seats. It stays as it was said where hearing it again might rule on something else: by
    other rules, without a hand that nobody kept, or with another outcome.
    """
    stored = ruling.ruling
    if (
        not foreign_language(stored)
        or ruling.dispute not in DISPUTES_BY_ID
        or rulebook.digest != ruling.rulebook_digest
    ):
        return stored
    roles = {Role(role): names[seat] for role, seat in ruling.seats.items()}
    try:
        again = hear_again(ruling.dispute, rulebook, ruling.facts, roles, players)
    except Impossible:
        return stored
    if again.get("outcome") != stored["outcome"]:
        return stored
    return again | {"rulebook": rulebook.id, "language": language().code}


def hear_again(
    dispute_id: str, rulebook: Rulebook, facts: Mapping[str, Any], roles: Mapping[Role, str], players: int
) -> dict[str, Any]:
    """Return what the same facts are ruled now, as a ruling is stored; empty where they lack one. Raises `Impossible`.

    `roles` have names, and `players` is how many play unless the facts say it.
    """
    dispute = DISPUTES_BY_ID[dispute_id]
    heard = rule(dispute, rulebook, read_facts(dispute, rulebook, {PLAYERS.key: players, **facts}), names=roles)
    return {} if isinstance(heard, Fact) else dict(json.loads(json.dumps(heard.to_json())))


def get_ruling(session: Session, match: Match, ruling_id: str) -> Ruling:
    """Look up a ruling of a match; raises `NotFound`."""
    ruling = session.get(Ruling, (match.club_id, ruling_id)) if is_id(ruling_id) else None
    if ruling is None or ruling.match_id != match.id:
        raise NotFound("ruling")
    return ruling


def load_latest_rulings(session: Session, club: Club, limit: int) -> Sequence[Ruling]:
    """Load the newest rulings of a club."""
    of_club = (Ruling.club_id == bindparam("club_id"), of_live_match(Ruling.match_id))
    newest = select(Ruling).where(*of_club).order_by(Ruling.id.desc()).limit(limit)
    return session.scalars(newest, {"club_id": club.id}).all()


def neighbours(seating: Seating, seat: Seated) -> tuple[Seated, ...]:
    """Return those who sit beside a player, the one clockwise first; with two players there is one."""
    here = seating.here
    at = here.index(seat)
    return tuple(dict.fromkeys((here[(at + 1) % len(here)], here[at - 1])))


def _read_roles(
    players: Mapping[str, str], seating: Seating, facts: Mapping[str, object], problems: list[Problem]
) -> dict[Role, Seated]:
    roles: dict[Role, Seated] = {}
    for given, name in players.items():
        seat = seating.by_name(name)
        if given not in set(Role) - {Role.NOBODY}:
            choices = ", ".join(sorted(set(Role) - {Role.NOBODY}))
            problems.append(Problem(("players", given[:40]), say("choose.role", role=given[:40], choices=choices)))
        elif seat is None or not seat.here:
            problems.append(Problem(("players", given), say("match.absent", name=name[:40])))
        else:
            roles[Role(given)] = seat
    for first, other in APART:
        if first in roles and roles.get(other) == roles[first]:
            both = say("hearing.two-roles", name=roles[first].name, role=first, other=other)
            problems.append(Problem(("players", other), both))
    return those_certain(roles, seating, facts)


APART = (
    (Role.OFFENDER, Role.TARGET),
    (Role.OFFENDER, Role.CHALLENGER),
    (Role.STACKER, Role.RESPONDER),
    (Role.RESPONDER, Role.NEXT_PLAYER),
    (Role.SAME_PLAYER, Role.NEXT_PLAYER),
    (Role.OFFENDER, Role.NEXT_PLAYER),
)
"""Roles that one player cannot have both."""
FOLLOWS = (
    (Role.OFFENDER, Role.TARGET),
    (Role.STACKER, Role.RESPONDER),
    (Role.RESPONDER, Role.NEXT_PLAYER),
    (Role.SAME_PLAYER, Role.NEXT_PLAYER),
    (Role.OFFENDER, Role.NEXT_PLAYER),
)
"""Roles of which the second sits next to the first, in the direction of play."""


def opening_roles(session: Session, match: Match, terms: Terms, seating: Seating) -> dict[Role, Seated]:
    """Return who opens the round in play: who deals or drafts, and who plays first; empty if nobody recorded it."""
    live, _ = count_rounds(session, match)
    outs = current_outs(session, match, seating)
    opener = next_opener(match, seating, live, outs)
    if opener is None:
        return {}
    playing = [seat for seat in seating.here if seat.seat not in outs]
    first = playing[(playing.index(opener) + 1) % len(playing)]
    return {Role.DRAFTER if terms.drafted else Role.DEALER: opener} | those_at_opening(first, seating)


def those_at_opening(first: Seated, seating: Seating) -> dict[Role, Seated]:
    """Return who sits beside whoever plays first, clockwise as every round begins; with two, the other one."""
    here = seating.here
    after, dealer = (here[(here.index(first) + step) % len(here)] for step in (1, -1))
    beside = {Role.OTHER_PLAYER: dealer, Role.DRAFTER: dealer} if len(here) == 2 else {}
    return {Role.FIRST_PLAYER: first, Role.PLAYER_AFTER_FIRST: after, Role.DEALER: dealer} | beside


def those_certain(roles: dict[Role, Seated], seating: Seating, facts: Mapping[str, object]) -> dict[Role, Seated]:
    """Return the roles with all that follow from them: two in a row show the direction, and facts may name one."""
    here = seating.here
    if Role.FIRST_PLAYER in roles:
        roles = those_at_opening(roles[Role.FIRST_PLAYER], seating) | roles
    if Role.OFFENDER in roles:
        roles.setdefault(Role.SAME_PLAYER, roles[Role.OFFENDER])
    for first, second in FOLLOWS:
        if len(here) == 2 and first in roles:
            roles.setdefault(second, neighbours(seating, roles[first])[0])
        if first not in roles or second not in roles or roles[second] not in neighbours(seating, roles[first]):
            continue
        at = here.index(roles[second])
        step = 1 if here[at - 1] == roles[first] else -1
        third = here[(at + step) % len(here)]
        if second is Role.RESPONDER:
            roles.setdefault(Role.NEXT_PLAYER, third)
            continue
        roles.setdefault(Role.NEXT_PLAYER, roles[second])
        roles.setdefault(Role.PLAYER_AFTER_NEXT, third)
        roles.setdefault(Role.PREVIOUS_PLAYER, here[(at - 2 * step) % len(here)])
    for role in Role:
        named = facts.get(role)
        if named is None and len(here) == 2 and role is Role.CHALLENGER:
            named = Role.TARGET
        if isinstance(named, str) and named in list(Role) and Role(named) in roles:
            roles.setdefault(role, roles[Role(named)])
    return roles
