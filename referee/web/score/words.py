"""How the Score room words what the rules and records say; nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from referee.records.agreements import Agreement
from referee.records.leads import Lead
from referee.records.models import EndedBy, Match, MatchStatus
from referee.records.seating import Seated
from referee.rules.decks import parse_card
from referee.rules.round_entry import DRAW_PILE_EMPTY, TIME_LIMIT, WENT_OUT
from referee.rules.rulebook import HouseRule, Rulebook
from referee.rules.standings import Standing
from referee.rules.terms import Terms

CARD_LINES = {
    "Points": ("who-scores",),
    "Draw Four": ("draw-four-when",),
    "Challenge won": ("challenge-guilty",),
    "Challenge lost": ("challenge-innocent",),
    "“Uno!”": ("uno-deadline", "uno-penalty"),
    "Stacking": ("stacking-draw-two",),
    "Last card": ("last-card-draws",),
}
"""What tables quarrel about most, in the order of the rule card, and the questions that settle it."""

@dataclass(frozen=True)
class Worth:
    """What a card counts."""

    label: str
    points: str


@dataclass(frozen=True)
class CardLine:
    """One line of the rule card."""

    title: str
    text: str


@dataclass(frozen=True)
class RuleCard:
    """What everybody agrees on before the first deal, on one screen."""

    title: str
    worths: Sequence[Worth]
    lines: Sequence[CardLine]
    house_rules: Sequence[HouseRule]
    custom_rules: Sequence[str]


TIES = MappingProxyType({3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight", 9: "Nine", 10: "Ten"})
"""How a tie of so many players begins."""


def joined(names: Sequence[str]) -> str:
    """Say several names: ``Ada, Bo and Cy``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def title_of(match: Match, players: Sequence[str]) -> str:
    """Call a match by its name, or by who plays."""
    return match.name or joined(players)


def terms_line(terms: Terms) -> str:
    """Say in a line what a match is played under."""
    parts = [terms.rulebook.title]
    if terms.target is None:
        parts.append("rounds won" if terms.count == "rounds" else "open-ended")
    elif terms.count == "rounds":
        parts.append(f"first to win {terms.target} rounds")
    elif terms.wins == "lowest":
        parts.append(f"to {terms.target}, lowest wins")
    else:
        parts.append(f"first to {terms.target}")
    if terms.rulebook.in_force:
        count = len(terms.rulebook.in_force)
        parts.append(f"{count} house rule{'s' if count > 1 else ''}")
    return " · ".join(parts)


def needs(terms: Terms, standing: Standing) -> str:
    """Name the sentence for what a player still needs, or has left; none in an open-ended match."""
    if standing.needs is None:
        return ""
    if terms.wins == "lowest":
        return "standing.from-losing" if standing.needs > 0 else "standing.out"
    return "standing.needs" if standing.needs > 0 else ""


def stands(lead: Lead) -> str:
    """Say how far a match is, as in “Round 7, Bo leads”; of more than two who share the lead, only how many."""
    match lead.leaders:
        case ():
            return "Round 1"
        case (one,):
            who = f"{one} leads"
        case (one, other):
            who = f"{one} and {other} lead"
        case several:
            who = f"{TIES.get(len(several), str(len(several)))}-way tie"
    return f"Round {lead.rounds + 1}, {who}"


def ended(winners: Sequence[str]) -> str:
    """Say in a list how a finished match ended, as in “Ada won”."""
    if not winners:
        return "No winner"
    return f"{joined(winners)} tied" if len(winners) > 1 else f"{winners[0]} won"


def result(match: Match, winners: Sequence[str]) -> str:
    """Say how a match ended; empty while it is in progress."""
    if match.status == MatchStatus.IN_PROGRESS:
        return ""
    if match.status == MatchStatus.ABANDONED:
        return "Abandoned."
    if not winners:
        return "The match is over. No winner."
    return f"{joined(winners)} tie." if len(winners) > 1 else f"{winners[0]} wins!"


def result_note(match: Match, terms: Terms, winners: Sequence[str]) -> str:
    """Say what should be known beside the result: what ended the match early, what the rules make of a tie."""
    early = "Time ran out; the fewest cards won." if match.ended_by == EndedBy.TIME_LIMIT and winners else ""
    return " ".join(filter(None, (early, _tie_note(terms) if len(winners) > 1 else "")))


def _tie_note(terms: Terms) -> str:
    clause = terms.rulebook.clauses.get("tie")
    silent = f"{terms.rulebook.title} doesn’t say how to break a tie. You can play one more round."
    return clause.text if clause else silent


def amendment(before: Agreement, after: Agreement, rulebook: Rulebook) -> str:
    """Say what a table changed on the way, and from which round on."""
    titles = {id: rule.title for id, rule in rulebook.house_rules.items()}
    changes = [f"“{titles.get(id, id)}” added" for id in after.house_rules if id not in before.house_rules]
    changes += [f"“{titles.get(id, id)}” removed" for id in before.house_rules if id not in after.house_rules]
    if after.target != before.target:
        changes.append("target removed" if after.target is None else f"target {after.target}")
    changes += [f"custom rule “{rule}” added" for rule in after.custom_rules if rule not in before.custom_rules]
    changes += [f"custom rule “{rule}” removed" for rule in before.custom_rules if rule not in after.custom_rules]
    what = joined(changes) or "no rule"
    return f"From round {after.from_place}: {what}. {after.note}".strip()


def rule_card(terms: Terms) -> RuleCard:
    """Put the rule card together from the clauses in force and what the table added."""
    clauses = terms.rulebook.clauses
    lines = [
        CardLine(title, " ".join(clauses[id].text for id in found))
        for title, questions in CARD_LINES.items()
        if (found := [id for id in questions if id in clauses])
    ]
    deck = terms.box.title + (f". Blank cards: {terms.blank_effect}" if terms.blank_effect else "")
    return RuleCard(
        title=terms_line(terms),
        worths=_worths(terms),
        lines=[*lines, CardLine("Deck", deck)],
        house_rules=[terms.rulebook.house_rules[id] for id in terms.rulebook.in_force],
        custom_rules=terms.custom_rules,
    )


def _worths(terms: Terms) -> list[Worth]:
    """Say what cards count, faces of the same worth together."""
    if terms.count == "rounds":
        return [Worth("Each round won", "1")]
    points = terms.card_points()
    groups: dict[int, list[str]] = {}
    for face, worth in points.items():
        if face.number is None:
            groups.setdefault(worth, []).append(face.label)
    found = [Worth("Numbers", "as printed")] if any(face.number is not None for face in points) else []
    return found + [Worth(joined(labels), str(worth)) for worth, labels in groups.items()]


def round_played(ended: str, out: str | None, hands: Mapping[str, Sequence[str] | int]) -> str:
    """Tell a round in one breath, as in “Ada went out. Bo held 7, Skip and Wild; Cy held 35.”"""
    ends = {WENT_OUT: f"{out} went out.", DRAW_PILE_EMPTY: "The draw pile ran out.", TIME_LIMIT: "Time ran out."}
    held = "; ".join(f"{name} held {_hand(hand)}" for name, hand in hands.items() if isinstance(hand, int) or hand)
    return f"{ends[ended]} {held}.".removesuffix(" .")


def _hand(hand: Sequence[str] | int) -> str:
    return f"{hand:,}" if isinstance(hand, int) else joined([parse_card(text).label for text in hand])


def saved(match: Match, number: int, newcomers: Sequence[Seated]) -> str:
    """Say that a round is saved, which newcomers sat it out, and whether the match is over with it."""
    said = [f"Round {number} saved.", *(f"{seat.name} sat out." for seat in newcomers)]
    return " ".join([*said, "The match is over."] if match.status == MatchStatus.FINISHED else said)
