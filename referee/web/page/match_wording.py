"""Word what the rules and records say of matches and rounds; nothing is decided here.

The rule card says what a table argues about most, settled on one screen before the first deal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flask import url_for

from referee.records.club.precedents import decisions_of
from referee.records.evening.evenings import Place
from referee.records.match.agreements import Agreement, agreement_at
from referee.records.match.history import Lead
from referee.records.match.rounds import RoundView
from referee.records.match.rulings import as_read, as_told, foreign_language
from referee.records.match.seating import Seated, Seating
from referee.records.match.sheets import Sheet, Story
from referee.records.models import EndedBy, Evening, Match, MatchStatus, Ruling
from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import HouseRule, Rulebook
from referee.rules.books.settings import STACKS_UPWARD
from referee.rules.cards.cards import side_name
from referee.rules.cards.decks import face_named, parse_card
from referee.rules.disputes import DISPUTES_BY_ID
from referee.rules.scoring.round_entry import LAST_ONE_LEFT
from referee.rules.scoring.scoring import Standing
from referee.rules.scoring.terms import Terms
from referee.rules.text.words import apart, cached_by_language, joined
from referee.web.server import local_time
from referee.web.words import number, say


def title_of(match: Match, players: Sequence[str]) -> str:
    """Return the name of a match, else the names of its players."""
    return match.name or joined(players)


def evening_title(evening: Evening | Place) -> str:
    """Return the name of an evening of many tables, else its day."""
    return apart(evening.name) or say("evening-table.of-day", day=local_time.day(evening.started_at))


def terms_parts(terms: Terms) -> list[str]:
    """Return what a match is played under, in short phrases."""
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
    """Return the same phrases in a line."""
    return " · ".join(terms_parts(terms))


def facts_line(sheet: Sheet, *, public: bool = False) -> str:
    """Return rounds, day and place: ``7 rounds · May 3, 2026 · at Bo's``; in `public` no place, and the day in UTC."""
    match = sheet.match
    moment = match.finished_at or match.started_at
    rounds = say("result.rounds", n=sheet.round_count)
    when_and_where = (local_time.written(moment),) if public else (local_time.day(moment), match.location)
    return " · ".join(filter(None, (rounds, *when_and_where)))


NEAR = 100
"""Points still missing from which on they are said."""


def needs(terms: Terms, standing: Standing) -> str:
    """Return the key of the sentence for what a player still needs, or has left; none in an open-ended match."""
    if standing.needs is None:
        return ""
    if terms.eliminates:
        return "standing.from-out"
    if terms.wins == "lowest":
        return "standing.from-losing" if standing.needs > 0 else "standing.lost"
    return "standing.needs" if standing.needs > 0 else ""


def round_title(place: int, terms: Terms) -> str:
    """Return the title of a round: its number, and of how many if that is agreed."""
    return say("round.title", round=round_number(place, terms.rounds_to_play))


def round_number(number: int, of: int | None) -> str:
    """Write the number of a round, and of how many it is where that is agreed: ``3 of 10``."""
    return say("round.number-of", round=number, of=of) if of and number <= of else str(number)


def signed(points: int) -> str:
    """Write points with their sign: ``+20``, ``−20``."""
    return f"{points:+}".replace("-", "−")


def stands(lead: Lead) -> str:
    """Return how far a match is, as in “Round 7, Bo leads with 40”; of more than two leaders, only how many."""
    number = round_number(lead.rounds + 1, lead.rounds_to_play)
    total = by_sides(lead.standings)[0].total if lead.standings else 0
    match lead.leaders:
        case ():
            return say("lead.nobody", round=number)
        case ((name,),):
            return say("lead.one", round=number, name=name, total=total)
        case ((*names, other),) | ((*names,), (other,)):
            return say("lead.two", round=number, name=joined(names), other=other, total=total)
        case several:
            return say("lead.several", round=number, n=len(several), total=total)


def is_tie(match: Match, winners: Sequence[str]) -> bool:
    """Return whether several won that are not one team."""
    if len(winners) < 2:
        return False
    teams = agreement_at(match).teams or ()
    return len(winners) > max(map(len, teams), default=1)


def ended(match: Match, winners: Sequence[str]) -> str:
    """Word in a list how a finished match ended, as in “Ada won”."""
    if not winners:
        return say("result.was-no-winner")
    return say("result.was-tie" if is_tie(match, winners) else "result.was-won", names=joined(winners), n=len(winners))


def result(match: Match, winners: Sequence[str]) -> str:
    """Word how a match ended; empty while it is in progress."""
    key = result_key(match, winners)
    return say(key, name=joined(winners), names=joined(winners)) if key else ""


def result_key(match: Match, winners: Sequence[str]) -> str:
    """Return the key of the sentence for how a match ended; empty while it is in progress."""
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
    """Word what should be known beside the result: what ended the match early, what the rules make of a tie."""
    early = say("result.time-ran-out") if match.ended_by == EndedBy.TIME_LIMIT and winners else ""
    clause = terms.rulebook.clauses.get("tie")
    tie = clause.text if clause else say("result.tie-open", rulebook=terms.rulebook.title)
    return " ".join(filter(None, (early, tie if is_tie(match, winners) else "")))


def amendments(played: Sheet | Story, *, notes: bool = True) -> list[str]:
    """Word what a table changed on the way, and from which round on; with the `notes` of who changed it."""
    return [
        f"{_amendment(before, after, played.terms.rulebook)} {after.note if notes else ''}".strip()
        for before, after in pairwise(played.agreements)
    ]


def _amendment(before: Agreement, after: Agreement, rulebook: Rulebook) -> str:
    titles = {id: rule.title for id, rule in rulebook.house_rules.items()}
    added = [id for id in after.house_rules if id not in before.house_rules]
    removed = [id for id in before.house_rules if id not in after.house_rules]
    changes = [say("change.rule-added", rule=titles.get(id, id)) for id in added]
    changes += [say("change.rule-removed", rule=titles.get(id, id)) for id in removed]
    if after.target != before.target:
        changes.append(say("change.no-target" if after.target is None else "change.target", target=after.target))
    if after.rounds_to_play != before.rounds_to_play:
        rounds = after.rounds_to_play
        changes.append(say("change.no-rounds" if rounds is None else "change.rounds", n=rounds))
    new_worths = sorted({*(after.face_points or ())} - {*(before.face_points or ())})
    changes += [say("change.worth", card=face_named(face).label, points=points) for face, points in new_worths]
    changes += [say("change.custom-added", rule=rule) for rule in after.custom_rules if rule not in before.custom_rules]
    changes += [
        say("change.custom-removed", rule=rule) for rule in before.custom_rules if rule not in after.custom_rules
    ]
    return say("change.from-round", round=after.from_place, changes=joined(changes) or say("change.nothing"))


def how_it_ended(ended: str, winner: str | None) -> str:
    """Word how a round ended, as in “Ada went out.”; `winner` went out, or was the last one left."""
    last = ended == LAST_ONE_LEFT and winner is not None
    return say("played.last-left" if last else f"played.{ended}", name=winner)


def what_else(played: RoundView) -> list[str]:
    """Return sentences on what few rounds have: the side at the end, knock-outs, and corrections."""
    knocked = played.knocked_out
    return [
        *([say("played.side", side=side_name(played.side))] if played.side else ()),
        *([say("played.knocked-out", names=joined(knocked), n=len(knocked))] if knocked else ()),
        *(
            say("played.adjusted", name=each["player"], points=signed(each["points"]), reason=each["reason"])
            for each in played.adjustments
        ),
    ]


def round_played(played: RoundView) -> str:
    """Word a round in one breath, as in “Ada went out. Bo held 7, Skip and Wild. Cy held 35.”"""
    held = [(name, hand) for name, hand in played.hands.items() if isinstance(hand, int) or hand]
    return " ".join(
        [
            how_it_ended(played.ended, played.went_out),
            *(say("played.held", name=name, hand=_hand(hand)) for name, hand in held),
            *what_else(played),
        ]
    )


def _hand(hand: Sequence[str] | int) -> str:
    return number(hand, ",") if isinstance(hand, int) else joined([parse_card(text).label for text in hand])


def out_since(standing: Standing) -> str:
    """Word that a player is out of the match, and since which round; empty for one who plays."""
    if not standing.out:
        return ""
    since = standing.out_since
    return say("standing.out-since", round=since) if since else say("standing.out-of-match")


def head_to_head(sheet: Sheet) -> str:
    """Return that two of more players are left, who now play for the match; else empty."""
    if sheet.match.status != MatchStatus.IN_PROGRESS or not sheet.outs or len(sheet.playing) != 2:
        return ""
    name, other = (seat.name for seat in sheet.playing)
    return say("standing.head-to-head", name=name, other=other)


def sides_of(match: Match, players: Sequence[str]) -> list[Sequence[str]]:
    """Return the names of each side: a team, or one player; players who left too."""
    teams = agreement_at(match).teams or ()
    seated = {seat: team for team in teams for seat in team}
    sides = [seated.get(seat, (seat,)) for seat in range(len(players))]
    return [[players[seat] for seat in side] for side in dict.fromkeys(map(tuple, sides))]


@dataclass(frozen=True)
class SideLine:
    """One line of a result: a player, or a team with what it has together."""

    rank: int
    names: Sequence[str]
    total: int


def by_sides(standings: Sequence[Standing]) -> list[SideLine]:
    """Return the standings with each team on one line."""
    lines: dict[object, SideLine] = {}
    for standing in standings:
        side = standing.player if standing.team is None else standing.team
        total = standing.total if standing.team_total is None else standing.team_total
        names = lines[side].names if side in lines else ()
        lines[side] = SideLine(standing.rank, (*names, standing.player), total)
    return list(lines.values())


MOST_GAINS, MOST_LEADERS = 4, 3
"""Names that one sentence bears."""


def announced(sheet: Sheet, newcomers: Sequence[Seated] = ()) -> str:
    """Word who gained how much in the last round, who leads or that the match is over, and which newcomers sat out."""
    over = sheet.match.status != MatchStatus.IN_PROGRESS
    return " ".join(
        [
            _gains(sheet),
            say("played.match-over") if over else _leaders([line for line in sheet.standings if line.rank == 1]),
            *(say("played.sat-out", name=seat.name) for seat in newcomers),
        ]
    )


def _gains(sheet: Sheet) -> str:
    played = sheet.last_round
    points = played.points if played else {}
    gains = [(seat.name, points[seat.name]) for seat in sheet.seating.seats if points.get(seat.name)]
    if not 0 < len(gains) <= MOST_GAINS:
        return say("played.saved", round=sheet.round_count)
    return say("played.gained", gains=joined([f"{name} {signed(gain)}" for name, gain in gains]))


def _leaders(first: Sequence[Standing]) -> str:
    names = [standing.player for standing in first]
    total = first[0].total if first[0].team_total is None else first[0].team_total
    if len(names) == 1:
        return say("announcement.leads", name=names[0], total=total)
    if len(names) <= MOST_LEADERS:
        return say("announcement.lead", names=joined(names), total=total)
    sides = len({standing.player if standing.team is None else standing.team for standing in first})
    return say("announcement.tie", n=sides, total=total)


@cached_by_language
def sentences_for_phones() -> Mapping[str, str]:
    """Return the sentences by which a phone announces a round, with places for what it adds up itself."""
    sentences = {
        "gained": say("played.gained", gains="{gains}"),
        "saved": say("played.saved", round="{n}"),
        "leads": say("announcement.leads", name="{name}", total="{total}"),
        "lead": say("announcement.lead", names="{names}", total="{total}"),
        "tie": say("announcement.tie", n="{n}", total="{total}"),
        "over": say("played.match-over"),
        "and": joined(["{names}", "{last}"]),
        "line": say("sheet.line", name="{name}", total="{total}"),
        "line-placed": say("sheet.line-placed", name="{name}", rank="{rank}", total="{total}"),
    }
    return {f"data-says-{name}": sentence for name, sentence in sentences.items()}


@dataclass(frozen=True)
class StoryLine:
    """A ruling as the sheet lists it: title, summary, what the table decided, and when."""

    title: str
    said: str
    decided: str
    when: str
    address: str
    lang: str
    """the language it was said in, where that is not the page's"""


def ruling_title(recorded: Ruling, rulebook: Rulebook | None) -> str:
    """Return what a ruling was about; its id where a later version of the app has dropped the dispute."""
    dispute = DISPUTES_BY_ID.get(recorded.dispute)
    return dispute.heading(rulebook).title if dispute else recorded.dispute


def ruling_line(recorded: Ruling, rulebook: Rulebook | None, when: str, seating: Seating | None = None) -> StoryLine:
    """Word a saved ruling for a list; in the reader's language where it's known who sat where."""
    read: Mapping[str, Any] = recorded.ruling
    if rulebook is not None and seating is not None:
        read = as_read(recorded, rulebook, seating.names, len(seating.here))
    return StoryLine(
        title=ruling_title(recorded, rulebook),
        said=as_told(read)["summary"],
        lang=foreign_language(read),
        decided=" ".join(one.say() for one in decisions_of(recorded.ruling, recorded.table_decided))
        or recorded.table_decided
        or "",
        when=when,
        address=url_for("disputes.show_ruling", match_id=recorded.match_id, ruling_id=recorded.id),
    )


def rulings_told(sheet: Sheet) -> Sequence[StoryLine]:
    """Word the rulings of a match, newest first, each with the round it was given in where that is on the sheet."""
    lines = []
    for recorded in reversed(sheet.rulings):
        before = [view.number for view in sheet.rounds if view.number and view.place <= recorded.after_place]
        when = say("played.in-round", round=max(before, default=0) + 1)
        known = before or not recorded.after_place
        lines.append(ruling_line(recorded, sheet.terms.rulebook, when if known else "", sheet.seating))
    return lines


CARD_LINES = {
    "rule-card.points": ("who-scores",),
    "rule-card.draw-four": ("draw-four-when",),
    "rule-card.challenge-won": ("challenge-guilty",),
    "rule-card.challenge-lost": ("challenge-innocent",),
    "rule-card.uno": ("uno-deadline", "uno-penalty"),
    "rule-card.stacking": ("stacking-draw-two",),
    "rule-card.knock-out": ("mercy-rule",),
    "rule-card.last-card": ("last-card-draws",),
}
"""What tables argue about most, in the order of the rule card, and the questions that settle it."""


@dataclass(frozen=True)
class RuleCard:
    """What everybody agrees on before the first deal, on one screen."""

    title: Sequence[str]
    worths: Sequence[tuple[str, str]]
    """what cards count, and the points"""
    lines: Sequence[tuple[str, str]]
    """each with its title"""
    house_rules: Sequence[HouseRule]
    custom_rules: Sequence[str]


def rule_card(terms: Terms) -> RuleCard:
    """Put the rule card together from the clauses in force and what the table added."""
    clauses = terms.rulebook.clauses
    settled = {**CARD_LINES}
    if terms.rulebook.value(STACKS_UPWARD, False):  # one clause then speaks of all draw cards
        settled["rule-card.stacking"] = (STACKS_UPWARD.question,)
    lines = [
        (say(title), " ".join(clauses[id].text for id in answered))
        for title, questions in settled.items()
        if (answered := [id for id in questions if id in clauses])
    ]
    deck, effect = terms.full_deck.name, terms.blank_effect
    return RuleCard(
        title=terms_parts(terms),
        worths=_worths(terms),
        lines=[*lines, (say("rule-card.deck"), say("rule-card.blanks", deck=deck, effect=effect) if effect else deck)],
        house_rules=[terms.rulebook.house_rules[id] for id in terms.rulebook.in_force],
        custom_rules=(*_own_rules(terms.rulebook), *terms.custom_rules),
    )


def _own_rules(rulebook: Rulebook) -> list[str]:
    """List what a table's own rulebook changes, as far as the rule card doesn't say it elsewhere."""
    base = rulebooks().get(rulebook.base)
    elsewhere = {id for questions in CARD_LINES.values() for id in questions}
    changed = (
        clause
        for clause in rulebook.clauses.values()
        if base and not clause.house_rule and (clause.replaces or clause.id not in base.clauses)
    )
    return [clause.text for clause in changed if clause.id not in elsewhere and not clause.id.startswith("points-")]


def _worths(terms: Terms) -> list[tuple[str, str]]:
    """Return what cards count, the least first, faces of the same worth together."""
    if terms.count == "rounds":
        return [(say("rule-card.each-round"), "1")]
    points = terms.card_points
    numbers = {face: worth for face, worth in points.items() if face.number is not None}
    lines = []
    if numbers and all(worth == face.number for face, worth in numbers.items()):
        lines, numbers = [(say("rule-card.numbers"), say("rule-card.as-printed"))], {}
    elif len(numbers) > 1 and len(set(numbers.values())) == 1:
        lines, numbers = [(say("rule-card.numbers"), str(next(iter(numbers.values()))))], {}
    groups: dict[int, list[str]] = {}
    for face, worth in points.items():
        if face.number is None or face in numbers:
            groups.setdefault(worth, []).append(face.label)
    return lines + [(joined(labels), str(worth)) for worth, labels in sorted(groups.items())]
