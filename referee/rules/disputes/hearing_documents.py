"""A hearing as the JSON interface gives it: the next question, or the ruling and what other rulebooks say."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from referee.rules.books.library import every_question, get_rulebook, questions, rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes.base import Dispute, Facts, read_facts
from referee.rules.disputes.deciding import rule
from referee.rules.disputes.facts import PLAYERS, Fact, plain
from referee.rules.disputes.open_points import open_document
from referee.rules.disputes.ruling import Role
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import CATALOGUE


def answer(
    disputes: Mapping[str, Dispute],
    dispute_id: str,
    rulebook_id: str,
    house_rules: Sequence[str] = (),
    given: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Decide a dispute under a rulebook and return the result as JSON.

    The document has ``status`` ``question`` with the one fact still to be asked, or ``ruled`` or
    ``silent`` with the ruling and the `other_rulebooks`. Raises `Impossible` as `read_hearing`.
    """
    return document(*read_hearing(disputes, dispute_id, rulebook_id, house_rules, given))


def read_hearing(
    disputes: Mapping[str, Dispute],
    dispute_id: str,
    rulebook_id: str,
    house_rules: Sequence[str] = (),
    given: Mapping[str, object] | None = None,
    find: Callable[[str], Rulebook] = get_rulebook,
) -> tuple[Dispute, Rulebook, Facts]:
    """Find a dispute and a rulebook, its house rules in force, and read the facts; nothing is decided.

    `find` finds a rulebook by its id, where there are others than the published ones.

    Raises `Impossible` with every problem, of the dispute, the rulebook, the house rules and the facts at once.
    """
    problems: list[Problem] = []
    dispute = disputes.get(dispute_id)
    if dispute is None:
        problems.append(
            Problem.said("dispute", "dispute-unknown", dispute=dispute_id[:40], choices=", ".join(disputes))
        )
    applied: Rulebook | None = None
    facts: Facts = {}
    try:
        applied = find(rulebook_id)
        applied = applied.with_house_rules(house_rules)
    except Impossible as error:
        problems += error.problems
    try:
        if dispute is not None and applied is not None:
            facts = read_facts(dispute, applied, given or {})
    except Impossible as error:
        problems += error.problems
    if problems or dispute is None or applied is None:
        raise Impossible(problems)
    return dispute, applied, facts


def document(dispute: Dispute, rulebook: Rulebook, facts: Facts) -> dict[str, Any]:
    """Write the result of a hearing from facts already read."""
    result = rule(dispute, rulebook, facts)
    if isinstance(result, Fact):
        answered = {key: plain(value) for key, value in facts.items()}
        return {"status": "question", "question": result.to_json(), "answered": answered}
    said = result.to_json()
    del said["missing"], said["lead"]
    if result.open:
        said["open"] = open_document(partial(rule, dispute, facts=facts), rulebook, result)
    return said | {"other_rulebooks": list(other_rulebooks(dispute, rulebook, facts))}


def is_silent(ruling: Mapping[str, Any]) -> bool:
    """Return whether, in a ruling as it is written, the rulebook has no word on the point itself."""
    return bool(ruling["verdict"] == CATALOGUE.text("verdicts.silent"))


def unanswered(ruling: Mapping[str, Any]) -> str:
    """Return the question itself that a ruling leaves open; empty where it answers it."""
    asked = every_question().get(next(iter(ruling.get("missing", ())), ""))
    return asked.text if asked and is_silent(ruling) else ""


def left_open(ruling: Mapping[str, Any]) -> list[str]:
    """List the questions that a ruling leaves open besides the point itself, which its lead names."""
    known = questions()
    return [known[id].text for id in ruling.get("missing", [])[is_silent(ruling) :] if id in known]


def other_rulebooks(
    dispute: Dispute, rulebook: Rulebook, facts: Facts, *, names: Mapping[Role, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Return how the other rulebooks of this box rule on the same facts, where the players fit them.

    Where another text makes a further fact matter, its status is ``question`` and its summary names it.
    """
    only = rulebook.players[0] if len(rulebook.players) == 1 else None
    players = dispute.players(facts) or only
    for other in rulebooks().values():
        if (
            other.id == rulebook.id
            or other.deck.box != rulebook.deck.box
            or (players is not None and players not in other.players)
        ):
            continue
        known = facts if players is None else {**facts, PLAYERS.key: players}
        try:
            result = rule(dispute, other, known, names=names, brief=True)
        except Impossible as error:
            yield _depends(other, error.problems[0].message)
            continue
        if isinstance(result, Fact):
            yield _depends(other, result.text)
            continue
        yield {
            "rulebook": other.id,
            "status": result.status,
            "verdict": result.verdict,
            "summary": result.summary,
        }


def _depends(rulebook: Rulebook, asked: str) -> dict[str, Any]:
    """Return that it depends on what is asked yet."""
    summary = CATALOGUE.say("verdicts.depends-on", question=asked)
    verdict = CATALOGUE.text("verdicts.depends")
    return {"rulebook": rulebook.id, "status": "question", "verdict": verdict, "summary": summary}
