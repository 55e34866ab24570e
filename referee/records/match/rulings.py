"""Rulings given at a match: heard once more when they are written down, and never changed afterwards.

The table's own decision stands beside the ruling, not in its place. A hand that was shown is private:
it is kept only where the table asks for it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from referee.records.club.precedents import decisions_of, load_precedents, make_room, offered
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
from referee.rules.disputes.open_points import Decision, hear_again
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
    decided: Sequence[Decision] = ()
    """what the table decided where the rulebook is silent; one in words goes into `table_decided`"""
    keep: bool = False
    """whether that counts from now on"""


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


def write_ruling(session: Session, match: Match, given: Ruling, seen: str = "") -> None:
    """Write a ruling that was drafted; raises `Moved` when the match has changed since.

    One that is kept raises as `make_room`; `seen` is the newest precedent on its dispute that whoever decided has seen.
    """
    advance(session, match)
    if given.kept:
        make_room(session, match.club_id, given.dispute, seen)
    session.add(given)
    session.flush()


def draft_ruling(session: Session, match: Match, case: Case, by: Key) -> Ruling:
    """Decide a case and return the ruling to store, with the table's own decision; writes nothing.

    Raises `Impossible` also where one more fact matters, naming it.
    """
    dispute, result, roles, read = hear_at_match(session, match, case)
    rulebook, names = terms_at(session, match).rulebook, {role: seat.name for role, seat in roles.items()}
    problems: list[Problem] = []
    words = [one.text for one in case.decided if one.text] or [case.table_decided]
    said_in_words = attempt(problems, lambda: clean_text(words[0], "table_decided", LONGEST_DECISION))
    hear = partial(rule, dispute, facts=read, names=names)
    again = attempt(problems, lambda: hear_again(hear, rulebook, result, case.decided))
    if isinstance(again, Fact):
        problems.append(Problem(("facts", again.key), say("hearing.question", question=again.text)))
    if len(words) > 1:
        problems.append(Problem("decided", say("precedents.one-in-words")))
    if case.keep and not case.decided:
        problems.append(Problem("keep", say("precedents.nothing")))
    if problems or isinstance(result, Fact) or not isinstance(again, Heard):
        raise Impossible(problems)
    said = say_ruling(result, again, case.decided) | {"rulebook": result.rulebook, "language": language().code}
    law = load_precedents(session, match.club_id, dispute=dispute.id) if result.open else ()
    if known := offered(law, [point.clause for point in result.open]):
        said["precedents"] = [{"id": one.ruling.id, "clause": clause} for clause in known for one in known[clause]]
    kept = (key for key in case.facts if case.keep_hand or key not in PRIVATE)
    facts = {key: plain(read[key]) for key in kept}
    here = (Ruling.club_id == match.club_id, Ruling.match_id == match.id)
    count, latest = session.execute(select(func.count(), func.max(Ruling.id)).where(*here)).one()
    refuse_over(count + 1, MOST_RULINGS, "match", "rulings")
    _, place = count_rounds(session, match)
    return Ruling(
        club_id=match.club_id,
        id=id_after(latest),
        match_id=match.id,
        after_place=place,
        dispute=case.dispute,
        rulebook_digest=agreement_at(match).digest,
        seats={str(role): seat.seat for role, seat in roles.items()},
        facts=facts,
        ruling=said,
        finding=dispute.finds(facts, said["outcome"]),
        accepted=case.accepted,
        table_decided=said_in_words or None,
        kept=case.keep,
        given_by=by.id,
        given_at=now(),
    )


def say_ruling(result: Heard, again: Heard, decided: Sequence[Decision]) -> dict[str, Any]:
    """Return a ruling as it is stored, with what the table `decided` and the ruling that follows from it.

    Its words stand beside it, in `Ruling.table_decided`.
    """
    said = result.to_json()
    if result.open:
        said["open"] = [{"clause": point.clause, "keys": list(point.keys)} for point in result.open]
    if decided:
        said["decided"] = [{"clause": one.clause, "settings": dict(one.settings)} for one in decided]
        said["as_decided"] = again.to_json()
    return said


def hear_stored(
    ruling: Mapping[str, Any],
    dispute_id: str,
    rulebook: Rulebook,
    facts: Mapping[str, Any],
    roles: Mapping[Role, str],
    players: int,
) -> dict[str, Any]:
    """Return what the facts of a stored ruling are ruled now, as it is stored; empty where they lack one.

    `roles` have names, and `players` is how many play unless the facts say it. Raises `Impossible`.
    """
    read = read_facts(DISPUTES_BY_ID[dispute_id], rulebook, {PLAYERS.key: players, **facts})
    hear = partial(rule, DISPUTES_BY_ID[dispute_id], facts=read, names=roles)
    heard, decided = hear(rulebook=rulebook), decisions_of(ruling)
    again = hear_again(hear, rulebook, heard, [one for one in decided if one.settings])
    if isinstance(heard, Fact) or isinstance(again, Fact):
        return {}
    return dict(json.loads(json.dumps(say_ruling(heard, again, decided))))


def ruling_by_name(ruling: Ruling, names: Sequence[str]) -> dict[str, Any]:
    """Return a ruling as it was given, as JSON values: by the `names` of the seats, with what the table decided."""
    given = {key: value for key, value in ruling.ruling.items() if key not in ("lead", "as_decided")}  # for pages
    if decided := decisions_of(ruling.ruling, ruling.table_decided):
        given["decided"] = [one.to_json() for one in decided]
    if again := ruling.ruling.get("as_decided"):
        given |= {"decided_outcome": again["outcome"], "decided_orders": again["orders"]}
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
            **({"kept": True} if ruling.kept else {}),
            "given_at": ruling.given_at.isoformat(),
        }
    )


def language_of(document: Mapping[str, Any]) -> str:
    """Return the language a ruling was said in; English where it names none that there is."""
    code: str = document.get("language", "")
    return code if code in languages() else ENGLISH


def as_told(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a stored ruling says by what the table decided; without a decision as the rulebook has it."""
    return {**document, **document.get("as_decided", {})}


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
        again = hear_stored(stored, ruling.dispute, rulebook, ruling.facts, roles, players)
    except Impossible:
        return stored
    if again.get("outcome") != stored["outcome"]:
        return stored
    return again | {"rulebook": rulebook.id, "language": language().code}


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
