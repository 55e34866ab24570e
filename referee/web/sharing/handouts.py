"""What leaves the app by hand: the result in words, for a messenger or a mail.

Nothing here is sent by the server; people tap and send.
"""

from __future__ import annotations

from referee.records.sheets import Sheet
from referee.web.score import summaries
from referee.web.score.sides import by_sides
from referee.web.server import local_time
from referee.web.words import number, say


def result_text(sheet: Sheet) -> str:
    """Tell a match in a few lines of plain text: who won, the standings, the rules, the day."""
    match = sheet.match
    lines = [summaries.title_of(match, sheet.players)]
    lines.append(summaries.result(match, sheet.winners) or say("result.after-rounds", n=sheet.round_count))
    lines.append("")
    lines += [*_ranked(sheet), ""]
    lines.append(summaries.terms_line(sheet.terms))
    lines.append(facts_line(sheet))
    return "\n".join(lines)


def preview_text(sheet: Sheet) -> str:
    """Tell the standings in a line: ``1. Ada: 538 · 2. Bo: 187``."""
    return " · ".join(_ranked(sheet))


def _ranked(sheet: Sheet) -> list[str]:
    sides = by_sides(sheet.standings)
    return [f"{side.rank}. {summaries.joined(side.names)}: {number(side.total)}" for side in sides]


def facts_line(sheet: Sheet, *, public: bool = False) -> str:
    """Say how many rounds, when and where: ``7 rounds · 3 May 2026 · at Bo's``; in `public` not where, and in UTC."""
    match = sheet.match
    moment = match.finished_at or match.started_at
    rounds = say("result.rounds", n=sheet.round_count)
    when_and_where = (local_time.written(moment),) if public else (local_time.day(moment), match.location)
    return " · ".join(filter(None, (rounds, *when_and_where)))
