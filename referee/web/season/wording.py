"""Word a season: how it counts, who is where, who met whom, and what is remembered of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile

from referee.records.match.sheets import to_csv
from referee.records.models import Player, Season
from referee.records.season.seasons import Rules
from referee.records.season.table import Pair, PlayedEvening, SeasonLine, SeasonRecord, SeasonTable
from referee.rules.text.words import joined, language
from referee.web.page.rulebooks import title_of
from referee.web.server import local_time
from referee.web.words import number, say

FORM = 5
"""Of the latest evenings, shown one by one."""
GRID = 12
"""Players in the table of who met whom, those with the most matches."""
MOST_NAMED = 4
"""Players named in a headline where several share the first place."""
MOST_EVENINGS = 60
"""Evenings in the list of a page, the latest ones."""


@dataclass(frozen=True)
class SeasonRow:
    """One line of the table as it is shown."""

    id: str
    name: str
    marker: str
    rank: int | None
    points: str
    evenings: int
    attended: str
    """the same, and of how many"""
    form: Sequence[tuple[str, bool]]
    """whole points of the latest evenings, oldest first, a dash for each that was missed; and whether it counts"""
    note: str
    """why there is no place yet"""
    dropped: int
    """evenings that don't count, the worst ones"""


@dataclass(frozen=True)
class SeasonView:
    """A season as pages, pictures and files show it."""

    name: str
    days: str
    over: bool
    figures: Sequence[str]
    counts: str
    """how it counts, in sentences"""
    rows: Sequence[SeasonRow]
    headline: str
    """who leads, or won; empty before the first match"""
    grid: Sequence[tuple[SeasonRow, Sequence[str]]]
    """each player, and of each other how often the one came off better, of how many meetings"""
    records: Sequence[tuple[str, str, str]]
    """title, value, and who and when"""
    evenings: Sequence[tuple[date, str, str]]
    """day, how many matches, and who was best; the latest first"""
    form_days: Sequence[str]
    """the days of the evenings in `SeasonRow.form`"""
    guests: str


def season_view(season: Season, table: SeasonTable, people: Mapping[str, Player], today: date) -> SeasonView:
    """Word a season as it stands on a day; `people` are the club's players by id."""
    rules = Rules.read(season.rules)
    latest = range(max(0, len(table.evenings) - FORM), len(table.evenings))
    rows = _by_name([_row(line, people, table, latest) for line in table.lines])
    over = season.last_day is not None and today > season.last_day
    played = {line.player_id: line.matches for line in table.lines}
    most = {row.id for row in sorted(rows, key=lambda row: -played[row.id])[:GRID]}
    shown = [row for row in rows if row.id in most]
    return SeasonView(
        name=season.name,
        days=days_of(season),
        over=over,
        figures=[say("season-page.evenings", n=len(table.evenings)), say("night.matches", n=table.matches)],
        counts=how_it_counts(rules),
        rows=rows,
        headline=_headline([row for row in rows if row.rank == 1], over),
        grid=[(row, [_met(table.meeting(row.id, other.id), row is other) for other in shown]) for row in shown],
        records=list(_records(table, people)),
        evenings=list(_evenings(table, people)),
        form_days=[short_day(table.evenings[at].day) for at in latest],
        guests=say("season-page.guests", n=table.guests) if table.guests else "",
    )


def weight(view: SeasonView) -> int:
    """Return about how many bytes a view takes."""
    return 2_000 + 1_500 * len(view.rows) + 100 * len(view.grid) ** 2 + 400 * len(view.evenings)


def days_of(season: Season) -> str:
    """Say from when to when a season goes."""
    first = local_time.written(season.first_day)
    if season.last_day is None:
        return say("season-page.since", first=first)
    return say("season-page.from-to", first=first, last=local_time.written(season.last_day))


def how_it_counts(rules: Rules) -> str:
    """Say how a season counts."""
    kept = "best" if rules.best else "all"
    from_on = "-from" if rules.least > 1 else ""
    said = [
        say(f"season-page.counts-{rules.count}"),
        say(f"season-page.counts-{kept}{from_on}", best=rules.best or 0, least=rules.least),
    ]
    if rules.rulebooks:
        titles = joined([title_of(id) for id in rules.rulebooks])
        said.append(say("season-page.counts-rulebooks", rulebooks=titles))
    return " ".join(said)


def short_day(day: date) -> str:
    """Write a day without its year."""
    return say("season-page.short-day", day=day.day, month=language().short_months[day.month - 1])


def points(value: float | None, precision: str = ".1f") -> str:
    """Write points as they are compared, to a tenth."""
    return "–" if value is None else number(value, precision)


def _row(line: SeasonLine, people: Mapping[str, Player], table: SeasonTable, latest: range) -> SeasonRow:
    player = people.get(line.player_id)
    return SeasonRow(
        id=line.player_id,
        name=player.name if player else say("names.unknown"),
        marker=player.marker if player else "",
        rank=line.rank,
        points=points(line.points),
        evenings=len(line.evenings),
        attended=say("season-page.attended", n=len(line.evenings), of=len(table.evenings)),
        form=[(points(line.evenings.get(at), ".0f"), at in line.counted) for at in latest],
        note=say("season-page.missing", n=line.missing) if line.missing and line.evenings else "",
        dropped=len(line.evenings) - len(line.counted),
    )


def _by_name(rows: Sequence[SeasonRow]) -> list[SeasonRow]:
    """Put those who share a place in the order of their names."""
    places = {row.id: place for place, row in enumerate(rows)}
    return sorted(rows, key=lambda row: (row.rank or len(rows) + 1, 0 if row.rank else places[row.id], row.name))


def _headline(champions: Sequence[SeasonRow], over: bool) -> str:
    if not champions:
        return ""
    names, many = joined([row.name for row in champions]), "-many" if len(champions) > MOST_NAMED else ""
    key = f"season-page.{'won' if over else 'leads'}{many}"
    return say(key, n=len(champions), names=names, points=champions[0].points)


def _met(pair: Pair | None, same: bool) -> str:
    if same:
        return ""
    return say("season-page.beat-of", beat=pair.beat, of=pair.together) if pair else "–"


def _records(table: SeasonTable, people: Mapping[str, Player]) -> Iterator[tuple[str, str, str]]:
    kinds = (
        ("best-evening", table.best_evening, points),
        ("longest-run", table.longest_run, number),
        ("most-challenges", table.most_challenges, number),
    )
    for key, record, write in kinds:
        if record is not None:
            yield say(f"season-page.{key}"), write(record.value), _holder(record, table.evenings, people)


def _holder(record: SeasonRecord, evenings: Sequence[PlayedEvening], people: Mapping[str, Player]) -> str:
    name = people[record.player_id].name if record.player_id in people else say("names.unknown")
    if record.evening is None:
        return name
    return say("season-page.on-day", name=name, day=local_time.written(evenings[record.evening].day))


def _evenings(table: SeasonTable, people: Mapping[str, Player]) -> Iterator[tuple[date, str, str]]:
    """Tell of the latest evenings, the latest first."""
    shown = range(len(table.evenings))[-MOST_EVENINGS:]
    best: dict[int, tuple[float, list[str]]] = {}
    for line in table.lines:
        for at in takewhile(shown.__contains__, reversed(line.evenings)):
            worth, (most, names) = line.evenings[at], best.get(at, (0.0, []))
            if worth >= most and line.player_id in people:
                best[at] = worth, [*(names if worth == most else ()), people[line.player_id].name]
    for at in reversed(shown):
        most, names = best.get(at, (0.0, []))
        said = say("season-page.best-of-evening", names=joined(names), points=points(most)) if names else ""
        yield table.evenings[at].day, say("night.matches", n=table.evenings[at].matches), said


def csv_of(table: SeasonTable, names: Mapping[str, str]) -> Iterator[str]:
    """Write the table as CSV: a row for each, and a column for each evening."""
    header = [*say("spreadsheet.season-columns").split(", "), *(one.day for one in table.evenings)]
    return to_csv([header, *(_csv_row(line, names, len(table.evenings)) for line in table.lines)])


def _csv_row(line: SeasonLine, names: Mapping[str, str], evenings: int) -> list[object]:
    told = [line.rank, names.get(line.player_id, ""), line.points, len(line.evenings), line.matches, line.won]
    return [*told, *(line.evenings.get(at) for at in range(evenings))]
