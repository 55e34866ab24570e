"""How the Score room words what the rules and records say; nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.records.agreements import Agreement, agreements_of
from referee.records.leads import Lead
from referee.records.models import EndedBy, Match, MatchStatus
from referee.rules.decks import face_named, parse_card
from referee.rules.round_entry import LAST_ONE_LEFT
from referee.rules.rulebook import Rulebook
from referee.rules.standings import Standing
from referee.rules.terms import Terms
from referee.web.words import say


def joined(names: Sequence[str]) -> str:
    """Say several names: ``Ada, Bo and Cy``."""
    if len(names) < 2:
        return "".join(names)
    return say("names.and", names=", ".join(names[:-1]), last=names[-1])


def title_of(match: Match, players: Sequence[str]) -> str:
    """Call a match by its name, or by who plays."""
    return match.name or joined(players)


def terms_parts(terms: Terms) -> list[str]:
    """Say what a match is played under, in short phrases."""
    parts = [terms.rulebook.title]
    if terms.target is not None and terms.eliminates:
        parts.append(say("terms.out-at", target=terms.target))
    elif terms.target is None and not terms.rounds_to_play:
        parts.append(say("terms.rounds-won" if terms.count == "rounds" else "terms.open-ended"))
    elif terms.target is not None and terms.count == "rounds":
        parts.append(say("terms.first-to-win", n=terms.target))
    elif terms.target is not None:
        parts.append(say("terms.lowest-wins" if terms.wins == "lowest" else "terms.first-to", target=terms.target))
    if terms.rounds_to_play:
        lowest = terms.target is None and terms.wins == "lowest"
        parts.append(say("terms.rounds-lowest" if lowest else "terms.rounds-to-play", n=terms.rounds_to_play))
    if terms.rulebook.in_force:
        parts.append(say("terms.house-rules", n=len(terms.rulebook.in_force)))
    return parts


def terms_line(terms: Terms) -> str:
    """Say the same in a line."""
    return " · ".join(terms_parts(terms))


def needs(terms: Terms, standing: Standing) -> str:
    """Name the sentence for what a player still needs, or has left; none in an open-ended match."""
    if standing.needs is None:
        return ""
    if terms.eliminates:
        return "standing.from-out"
    if terms.wins == "lowest":
        return "standing.from-losing" if standing.needs > 0 else "standing.out"
    return "standing.needs" if standing.needs > 0 else ""


def round_title(number: int, terms: Terms) -> str:
    """Call a round by its number, and say of how many it is where that is agreed."""
    return say("round.title", round=round_number(number, terms.rounds_to_play))


def round_number(number: int, of: int | None) -> str:
    """Write the number of a round, and of how many it is where that is agreed: ``3 of 10``."""
    return say("round.number-of", round=number, of=of) if of and number <= of else str(number)


def signed(points: int) -> str:
    """Write points with their sign: ``+20``, ``−20``."""
    return f"{points:+}".replace("-", "−")


def stands(lead: Lead) -> str:
    """Say how far a match is, as in “Round 7, Bo leads”; of more than two who share the lead, only how many."""
    number = round_number(lead.rounds + 1, lead.rounds_to_play)
    match lead.leaders:
        case ():
            return say("lead.nobody", round=number)
        case ((name,),):
            return say("lead.one", round=number, name=name)
        case ((*names, other),) | ((*names,), (other,)):
            return say("lead.two", round=number, name=joined(names), other=other)
        case several:
            return say("lead.several", round=number, n=len(several))


def is_tie(match: Match, winners: Sequence[str]) -> bool:
    """Tell whether several won that are not one team."""
    if len(winners) < 2:
        return False
    teams = agreements_of(match)[-1].teams or ()
    return len(winners) > max(map(len, teams), default=1)


def ended(match: Match, winners: Sequence[str]) -> str:
    """Say in a list how a finished match ended, as in “Ada won”."""
    if not winners:
        return say("result.was-no-winner")
    return say("result.was-tie" if is_tie(match, winners) else "result.was-won", names=joined(winners))


def result(match: Match, winners: Sequence[str]) -> str:
    """Say how a match ended; empty while it is in progress."""
    key = result_key(match, winners)
    return say(key, name=joined(winners), names=joined(winners)) if key else ""


def result_key(match: Match, winners: Sequence[str]) -> str:
    """Name the sentence for how a match ended; empty while it is in progress."""
    if match.status == MatchStatus.IN_PROGRESS:
        return ""
    if match.status == MatchStatus.ABANDONED:
        return "result.abandoned"
    if not winners:
        return "result.no-winner"
    if is_tie(match, winners):
        return "result.tie"
    return "result.winner" if len(winners) == 1 else "result.team"


def result_note(match: Match, terms: Terms, winners: Sequence[str]) -> str:
    """Say what should be known beside the result: what ended the match early, what the rules make of a tie."""
    early = say("result.time-ran-out") if match.ended_by == EndedBy.TIME_LIMIT and winners else ""
    return " ".join(filter(None, (early, _tie_note(terms) if is_tie(match, winners) else "")))


def _tie_note(terms: Terms) -> str:
    clause = terms.rulebook.clauses.get("tie")
    return clause.text if clause else say("result.tie-open", rulebook=terms.rulebook.title)


def amendment(before: Agreement, after: Agreement, rulebook: Rulebook) -> str:
    """Say what a table changed on the way, and from which round on."""
    titles = {id: rule.title for id, rule in rulebook.house_rules.items()}
    changes = [
        *(("rule-added", titles.get(id, id)) for id in after.house_rules if id not in before.house_rules),
        *(("rule-removed", titles.get(id, id)) for id in before.house_rules if id not in after.house_rules),
    ]
    if after.target != before.target:
        changes.append(("no-target" if after.target is None else "target", str(after.target)))
    if after.rounds_to_play != before.rounds_to_play:
        changes.append(("no-rounds" if after.rounds_to_play is None else "rounds", str(after.rounds_to_play)))
    new_worths = sorted({*(after.face_points or ())} - {*(before.face_points or ())})
    changes += [("worth", f"{face_named(face).label} {points}") for face, points in new_worths]
    changes += [("custom-added", rule) for rule in after.custom_rules if rule not in before.custom_rules]
    changes += [("custom-removed", rule) for rule in before.custom_rules if rule not in after.custom_rules]
    said = joined([say(f"change.{key}", rule=what, target=what) for key, what in changes])
    whole = say("change.from-round", round=after.from_place, changes=said or say("change.nothing"))
    return f"{whole} {after.note}".strip()


def how_it_ended(ended: str, winner: str | None) -> str:
    """Say how a round ended, as in “Ada went out.”; `winner` went out, or was the last one left."""
    last = ended == LAST_ONE_LEFT and winner is not None
    return say("played.last-left" if last else f"played.{ended}", name=winner)


def what_else(entry: Mapping[str, Any]) -> list[str]:
    """Tell what few rounds have: the side at the end, who was knocked out, and what the table corrected."""
    side, knocked = entry.get("side"), entry.get("knocked_out")
    return [
        *([say("played.side", side=side)] if side else ()),
        *([say("played.knocked-out", names=joined(knocked), n=len(knocked))] if knocked else ()),
        *(
            say("played.adjusted", name=each["player"], points=signed(each["points"]), reason=each["reason"])
            for each in entry.get("adjustments") or ()
        ),
    ]


def round_played(entry: Mapping[str, Any]) -> str:
    """Tell a round in one breath, as in “Ada went out. Bo held 7, Skip and Wild. Cy held 35.”"""
    hands: Mapping[str, Sequence[str] | int] = entry["hands"]
    held = [(name, hand) for name, hand in hands.items() if isinstance(hand, int) or hand]
    return " ".join(
        [
            how_it_ended(entry["ended"], entry["went_out"]),
            *(say("played.held", name=name, hand=_hand(hand)) for name, hand in held),
            *what_else(entry),
        ]
    )


def _hand(hand: Sequence[str] | int) -> str:
    return f"{hand:,}" if isinstance(hand, int) else joined([parse_card(text).label for text in hand])


def version_title(struck: bool, before: bool | None) -> str:
    """Say what a version of a round is, by whether it and the one before it are struck; None for no one before it."""
    if before is None:
        return say("played.recorded")
    if struck == before:
        return say("played.corrected")
    return say("played.struck" if struck else "played.restored")
