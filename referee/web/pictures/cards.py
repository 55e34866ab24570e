"""Draw the result of a match, a club's year and a ruling, for messengers and link previews.

A name without a single letter that a font has becomes the player's number.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image, ImageDraw

from referee.records.match.sheets import Sheet
from referee.records.statistics.decided import NameCourse
from referee.records.statistics.definitions import PlayerLine, by_wins
from referee.rules.disputes.ruling import ROLE, ROLE_END
from referee.rules.text.words import joined
from referee.web.disputes.wording import RulingView
from referee.web.history.wording import Night, RoundCard
from referee.web.page import match_wording
from referee.web.page.charts import BOTTOM, TOP, course_chart
from referee.web.page.match_wording import by_sides, facts_line
from referee.web.pictures.drawing import (
    ELLIPSIS,
    OWN,
    Area,
    draw_course,
    draw_mark,
    draw_marker,
    draw_shape,
    draw_stamp,
    drawable,
    fit,
    halves,
    largest,
    length,
    rise,
    smoothly,
    wrapped,
    write,
)
from referee.web.players.wording import YearCard
from referee.web.score.wording import HYPHEN, hyphened, story_of
from referee.web.words import number, say

WIDTH, HEIGHT = 1200, 630
"""What previews of links show whole."""
MARGIN = 56
SPLIT = 660
"""Where the left column of a year ends. Beside it stand all players."""
COLUMN = 716
PAPER, INK, QUIET, LINE, ACCENT = "#faf6ee", "#231d14", "#665c4c", "#e2dacb", "#5f2a86"
CARD_PAPER, CARD_EDGE = "#fffefb", "#b9ae9a"
FOOT = 40
LARGEST_NAME, VERB, GAP = 230, 48, 24
"""Of the headline of a result: its name and total at most, what stands between them, and the room around that."""
LOWEST_NAME, NAMES = MARGIN + 212, range(64, 39, -4)
"""Where the headline of a result ends at most, and the sizes of a name that leaves no room for a larger one."""
LABELS = 330
"""Width of the names and totals at the ends of lines."""
PLACE = "\0"
"""Marks the place in a sentence whose text is written in larger type."""


def draw_card(sheet: Sheet, course: NameCourse, *, tonight: str = "", public: bool = False) -> bytes:
    """Return a PNG of a match: who won or leads, with what, and the course with a name and total at each line's end.

    `tonight` says who won how many matches of the night. In `public` the picture doesn't say where people played, and
    is the same for whoever asks.
    """
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(picture)
    end = draw_mark(picture, MARGIN, MARGIN - 16, 36)
    title = " · ".join(filter(None, map(drawable, (sheet.match.name, tonight)))) or say("share.app")
    size = largest(title, 34, 22, WIDTH - MARGIN - end - 8)
    write(
        pen, (end + 8, MARGIN + 14), fit(title, size, WIDTH - MARGIN - end - 8, display=True), size, INK, display=True
    )
    top = _headline(picture, pen, sheet)
    story = story_of(sheet, course)
    if story and all(drawable(name) for name in sheet.players if name in story):
        (told,) = _named_all([Paragraph(story, 32, INK, display=True)], sheet.players)
        size = largest(told.text, 32, 24, WIDTH - 2 * MARGIN)
        write(pen, (MARGIN, top + 34), fit(told.text, size, WIDTH - 2 * MARGIN, display=True), size, INK, display=True)
        top += 44
    if sheet.round_count and len(by_sides(sheet.standings)) > MOST_COURSES:
        _standings(picture, pen, (MARGIN, top + 40, WIDTH - MARGIN, HEIGHT - MARGIN - FOOT), sheet)
    elif sheet.round_count:
        _course(picture, pen, (MARGIN, top + 24, WIDTH - MARGIN, HEIGHT - MARGIN - FOOT), sheet, course)
    line = f"{match_wording.terms_line(sheet.terms)} · {facts_line(sheet, public=public)}"
    write(pen, (MARGIN, HEIGHT - MARGIN + 12), fit(drawable(line), 26, WIDTH - 2 * MARGIN), 26, QUIET)
    return png(picture)


def _headline(picture: Image.Image, pen: ImageDraw.ImageDraw, sheet: Sheet) -> int:
    """Write who won or leads, and with what, as large as they fit over the whole width; return where it ends."""
    key = match_wording.result_key(sheet.match, sheet.winners)
    names = [name for line in by_sides(sheet.standings) if line.rank == 1 for name in line.names]
    names = list(sheet.winners) or ([] if key else list(dict.fromkeys(names)))
    base, right = LOWEST_NAME, WIDTH - MARGIN
    if not sheet.round_count and not key:
        step = min(110, (HEIGHT - 3 * MARGIN - FOOT) // len(sheet.players))
        for place, (name, marker) in enumerate(sheet.seating.markers.items()):
            base = 2 * MARGIN + step * place + int(step * 0.7)
            _side(picture, pen, (MARGIN, base, right), int(step * 0.72), marker, name, "", INK)
        return base
    if not names:
        for line, size in in_lines(say(key), range(120, 43, -4), right - MARGIN, 200, display=True, cut=True):
            write(pen, (MARGIN, base - 60), line, size, INK, display=True)
            base += size
        return base - 90
    said = say(key, name=PLACE, names=PLACE) if key else say("result.leading", n=len(names), names=PLACE)
    verb = " ".join(part.strip(" :.") for part in said.split(PLACE)).strip()
    shown = joined([drawable(name) for name in names if drawable(name)])
    total = number(next(line for line in by_sides(sheet.standings) if line.names[0] in names).total)
    beside = length(verb, VERB, display=True) + 2 * GAP
    size = largest(shown + total, LARGEST_NAME, 64, right - MARGIN - beside) if shown else LARGEST_NAME
    wide = length(total, size, display=True)
    if shown:
        sizes = NAMES if size == NAMES[0] else (size,)
        room, most = int(right - MARGIN - beside - wide) + 4, max(150, size * SPACING)
        lines = in_lines(shown, sizes, room, most, display=True, cut=True, hyphens=True)
        high = lines[0][1]
        base = min(base, MARGIN + 50 + int(high * len(lines)))
        base = max(base, MARGIN + 44 + int(rise(lines[0][0], high)) + int(high * 1.1) * (len(lines) - 1))
        for place, (line, _) in enumerate(lines, 1 - len(lines)):
            x = write(pen, (MARGIN, base + place * high * 1.1), line, high, INK, display=True)
    else:  # of emoji alone, which no font here has
        mark = size * 7 // 10
        draw_marker(picture, MARGIN, base - mark, mark, sheet.seating.markers[names[0]])
        x = MARGIN + mark
    write(pen, (x + GAP, base), verb, VERB, QUIET, display=True)
    write(pen, (right - wide, base), total, size, ACCENT, display=True)
    return base + 14


MOST_COURSES = 6
"""Sides whose course can be told apart in a chat; more are listed."""


def _standings(picture: Image.Image, pen: ImageDraw.ImageDraw, area: tuple[int, int, int, int], sheet: Sheet) -> None:
    """List the sides with their totals in two columns, as large as they fit."""
    left, top, right, bottom = area
    sides, room = by_sides(sheet.standings), (right - left) // 2 - 24
    rows = -(-len(sides) // 2)
    step = (bottom - top) // rows
    for place, side in enumerate(sides):
        column, row = divmod(place, rows)
        x, base = left + column * (room + 48), top + row * step + step * 3 // 4
        size, marker = min(48, step * 3 // 4), sheet.seating.markers[side.names[0]]
        color = ACCENT if side.rank == 1 else INK
        _side(picture, pen, (x, base, x + room), size, marker, joined(side.names), number(side.total), color)


def _course(
    picture: Image.Image, pen: ImageDraw.ImageDraw, area: tuple[int, int, int, int], sheet: Sheet, course: NameCourse
) -> None:
    """Draw the course of a match over the whole width, with mark, name and total of each side at its line's end."""
    left, top, right, bottom = area
    chart = course_chart(sheet, course)
    draw_course(picture, (left, top, right - LABELS, bottom), chart, LINE)
    lines = sorted(chart.lines, key=lambda line: line.end_y)
    step = min(44, (bottom - top) // len(lines))
    size, scale = int(step * 0.8), (bottom - top) / (BOTTOM - TOP)
    ys = [top + (line.end_y - TOP) * scale for line in lines]
    for place in range(1, len(ys)):
        ys[place] = max(ys[place], ys[place - 1] + step)
    for place, y in enumerate(reversed(ys)):
        ys[-1 - place] = min(y, bottom - place * step)
    for line, y in zip(lines, ys, strict=True):
        color = ACCENT if line.strong else INK
        at = (right - LABELS + 16, int(y + size * 0.36), right)
        _side(picture, pen, at, size, line.marker, line.name, line.value, color)


def _side(
    picture: Image.Image, pen: ImageDraw.ImageDraw, at: tuple[int, int, int], size: int, marker: str, name: str,
    total: str, color: str,
) -> None:  # fmt: skip
    """Draw a side in a line, `at` its left end, its baseline and its right end: its mark, name and total."""
    (x, base, right), mark, wide = at, int(size * 0.7), length(total, size, display=True)
    draw_marker(picture, x, base - mark, mark, marker)
    shown = fit(drawable(name), size, right - wide - 12 - (x + mark + size // 3), display=True)
    write(pen, (x + mark + size // 3, base), shown, size, color, display=True)
    write(pen, (right - wide, base), total, size, color, display=True)


def png(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    # by an octree, since the median of few pixels turns a yellow mark red
    picture.quantize(256, method=Image.Quantize.FASTOCTREE).save(out, "PNG", optimize=True)
    return out.getvalue()


SHOWN = 7
"""Players on the picture, those who won most."""
ROW, BAR = 68, 10
"""Height of a player's line, and of the bar in it."""


def draw_club(club: str, year: int | None, lines: Sequence[PlayerLine], matches: int) -> bytes:
    """Return a PNG of a club's year; `matches` is how many were played in it."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(picture)
    end = draw_mark(picture, MARGIN, MARGIN - 8, 36)
    title = drawable(club) or say("share.app")
    write(pen, (end + 8, MARGIN + 22), fit(title, 34, SPLIT - end - 8, display=True), 34, INK, display=True)
    ranked = by_wins(lines)[:SHOWN]
    if ranked and ranked[0].won.part:
        _leader(pen, ranked, year)
        _others(picture, pen, ranked)
    else:
        large(pen, say("public-page.card-nobody"), MARGIN + 220, INK)
    foot = say("public-page.card-foot", n=matches, year=year) if year else say("public-page.card-none")
    write(pen, (MARGIN, HEIGHT - MARGIN), foot, 26, QUIET)
    return png(picture)


def large(pen: ImageDraw.ImageDraw, text: str, y: int, color: str) -> int:
    """Write the largest text, in one line or two; return the baseline of the last."""
    width = SPLIT - MARGIN
    size = largest(text, 150, 44, width)
    lines = halves(text) if size < 84 else (text,)
    if len(lines) == 2:
        size = min(largest(line, 84, 44, width) for line in lines)
        y -= size * 3 // 4
    for place, line in enumerate(lines):
        write(pen, (MARGIN, y + place * size), fit(line, size, width, display=True), size, color, display=True)
    return y + (len(lines) - 1) * size


def _underlined(pen: ImageDraw.ImageDraw, base: int, before: str, figure: int, after: str, gap: int) -> None:
    """Write a figure in large type, as under a sum."""
    x = write(pen, (MARGIN, base), before, 40, QUIET)
    x = write(pen, (x, base), number(figure), 120, ACCENT, display=True)
    x = write(pen, (x + gap, base), after, 40, QUIET)
    for rule in (18, 26):
        pen.line((MARGIN, base + rule, max(x, MARGIN + 380), base + rule), fill=INK, width=3)


def _leader(pen: ImageDraw.ImageDraw, ranked: Sequence[PlayerLine], year: int | None) -> None:
    first = ranked[0]
    level = [line for line in ranked if line.won.part == first.won.part]
    write(pen, (MARGIN, MARGIN + 108), say("public-page.card-most", year=year), 34, QUIET)
    headline = _named(first) if len(level) == 1 else say("public-page.card-level", n=len(level))
    y = large(pen, headline, MARGIN + 256, INK)
    key = "public-page.card-each" if len(level) > 1 else "public-page.card-of"
    of = say(key, n=first.won.part, whole=first.won.whole)
    _underlined(pen, y + 142, "", first.won.part, of, 16)


def _others(picture: Image.Image, pen: ImageDraw.ImageDraw, ranked: Sequence[PlayerLine]) -> None:
    right, most = WIDTH - MARGIN, max(line.won.part for line in ranked)
    for place, line in enumerate(ranked):
        base = MARGIN + 24 + place * ROW
        color = ACCENT if line.won.part == most else INK
        total = number(line.won.part)
        wide = length(total, 36, display=True)
        room = right - wide - 20 - COLUMN
        name = _named(line)
        size = largest(name, 32, 20, room)
        write(pen, (COLUMN, base), fit(name, size, room, display=True), size, color, display=True)
        write(pen, (right - wide, base), total, 36, color, display=True)
        area = (COLUMN, base + 14, right, base + 14 + BAR)
        share = line.won.part / most

        def bar(pen: ImageDraw.ImageDraw, finer: int, share: float = share, color: str = color) -> None:
            width, height = (right - COLUMN) * finer - 1, BAR * finer - 1
            pen.rounded_rectangle((0, 0, width, height), height // 2, fill=LINE)
            if share:
                pen.rounded_rectangle((0, 0, max(height, int(width * share)), height), height // 2, fill=color)

        smoothly(picture, area, bar)


def _named(line: PlayerLine) -> str:
    return drawable(line.name) or say("names.unknown")


YEAR_SIZE, YEAR_EDGE, YEAR_CORNER = (810, 1010), 28, 96
"""A card of a year: its picture, the paper around it, and the size of a corner's sign."""
YEAR_LINES = 3
"""Lines that a name or a sentence may take on it."""
YEAR_MARKERS = ("red-circle", "yellow-diamond", "green-triangle", "blue-square", "purple-circle")


def draw_year(card: YearCard, place: int, foot: str) -> bytes:
    """Return a PNG of one card of a year, which is the `place`-th from 0; `foot` says whose year it is."""
    width, height = YEAR_SIZE
    picture = Image.new("RGB", YEAR_SIZE, PAPER)
    pen = ImageDraw.Draw(picture)
    marker, inside, bottom = YEAR_MARKERS[place], YEAR_EDGE + 36, height - YEAR_EDGE - FOOT - 12
    frame = (YEAR_EDGE, YEAR_EDGE, width - YEAR_EDGE, bottom)
    pen.rounded_rectangle(frame, 44, fill=CARD_PAPER, outline=CARD_EDGE, width=3)
    for x, y in ((inside, inside), (width - inside - YEAR_CORNER, bottom - 36 - YEAR_CORNER)):
        draw_marker(picture, x, y, YEAR_CORNER, marker)
    color, room = OWN[marker.partition("-")[0]], width - 2 * inside - 20
    lines = []
    for text, most, least, display, ink in (
        (card.title, 44, 44, False, QUIET),
        (card.name, 84, 56, True, INK),
        (card.figure, 210, 84, True, color),
        (card.unit, 46, 46, True, QUIET),
        (card.note, 36, 36, False, QUIET),
    ):
        size = largest(drawable(text), most, least, room)
        broken = [line for line in wrapped(drawable(text), size, room, display=display) if line]
        if len(broken) > YEAR_LINES:
            broken[YEAR_LINES - 1] = fit(f"{broken[YEAR_LINES - 1]} {ELLIPSIS}", size, room, display=display)
        lines += [(line, size, display, ink) for line in broken[:YEAR_LINES]]
    top = (YEAR_EDGE + bottom - sum(size * SPACING for _, size, _, _ in lines)) / 2
    for line, size, display, ink in lines:
        top += size * SPACING
        left = (width - length(line, size, display=display)) / 2
        write(pen, (left, top - size * 0.2), line, size, ink, display=display)
    write(pen, (inside, height - YEAR_EDGE), fit(drawable(foot), 28, room), 28, QUIET)
    out = io.BytesIO()
    # few, and found fast: a page asks for five such pictures at once
    picture.quantize(64, method=Image.Quantize.FASTOCTREE).save(out, "PNG")
    return out.getvalue()


NIGHT_SIZE, NIGHT_ROWS, NIGHT_CARDS, NIGHT_GAP = (1080, 1920), 6, range(3, 11), 12
"""A night as messengers show a story: its size, the names in one column, the cards in a row, the room between them."""
PLAIN = "#5a5348"
"""Of a round that nobody won."""


def draw_night(night: Night, club: str) -> bytes:
    """Return a PNG of a night: who won, the line to remember, and a card a round in the color of who won it."""
    width, height = NIGHT_SIZE
    room = width - 2 * MARGIN
    picture = Image.new("RGB", NIGHT_SIZE, PAPER)
    pen = ImageDraw.Draw(picture)
    end = draw_mark(picture, MARGIN, MARGIN + 24, 44)
    write(pen, (end + 10, MARGIN + 64), fit(drawable(club), 44, width - MARGIN - end - 10), 44, QUIET)
    top = MARGIN + 210
    size = largest(night.title, 150, 64, room)
    write(pen, (MARGIN, top), fit(night.title, size, room, display=True), size, ACCENT, display=True)
    write(pen, (MARGIN, top + 74), " · ".join(night.figures), 40, QUIET)
    if night.winners:
        over = say("night.winners")
        write(pen, (width - MARGIN - length(over, 34), top + 74), over, 34, QUIET)
    top += 100
    columns = 1 if len(night.winners) <= NIGHT_ROWS else 2
    rows = -(-len(night.winners) // columns)
    for place, (name, marker, n) in enumerate(night.winners):
        column, row = divmod(place, rows)
        left, base = MARGIN + column * (room + 40) // columns, top + 72 + row * 84
        right = left + (room - 40 * (columns - 1)) // columns
        figure = number(n)
        wide = length(figure, 72, display=True)
        draw_marker(picture, left, base - 46, 46, marker)
        shown = fit(drawable(name) or say("names.unknown"), 60, right - left - wide - 90, display=True)
        write(pen, (left + 66, base), shown, 60, INK, display=True)
        write(pen, (right - wide, base), figure, 72, OWN[marker.partition("-")[0]], display=True)
    top += 84 * rows + 48
    wins = in_lines(night.wins_said(), range(40, 29, -2), room, 110, cut=True) if night.wins else ()
    bottom = height - MARGIN - int(sum(size * LOOSE for _, size in wins))
    y = float(bottom)
    for text, size in wins:
        y += size * LOOSE
        write(pen, (MARGIN, y - size * 0.3), text, size, QUIET)
    if line := drawable(night.line):
        size = largest(line, 84, 56, room)
        lines = wrapped(line, size, room, display=True)[:3]
        bottom -= int(len(lines) * size * SPACING) + 24
        for place, text in enumerate(lines, 1):
            write(pen, (MARGIN, bottom + place * size * SPACING), text, size, INK, display=True)
    write(pen, (MARGIN, top + 24), say("night.points"), 34, QUIET)
    top += 44
    _strip(
        picture, pen, (MARGIN, top, width - MARGIN, bottom), [card for match in night.matches for card in match.rounds]
    )
    return png(picture)


def _strip(picture: Image.Image, pen: ImageDraw.ImageDraw, area: Area, rounds: Sequence[RoundCard]) -> None:
    """Draw a card a round, as large as all fit."""
    left, top, right, bottom = area
    for columns in NIGHT_CARDS:
        wide = (right - left + NIGHT_GAP) // columns - NIGHT_GAP
        high = min(wide * 5 // 4, (bottom - top) // max(1, -(-len(rounds) // columns)) - NIGHT_GAP)
        if high == wide * 5 // 4:
            break
    high, mark = min(wide * 3 // 2, (bottom - top) // max(1, -(-len(rounds) // columns)) - NIGHT_GAP), wide // 4
    for place, played in enumerate(rounds):
        row, column = divmod(place, columns)
        x, y = left + column * (wide + NIGHT_GAP), top + row * (high + NIGHT_GAP)
        color, _, shape = played.marker.partition("-")
        pen.rounded_rectangle((x, y, x + wide, y + high), wide // 8, fill=OWN.get(color, PLAIN))
        if shape:
            draw_shape(picture, (x + wide // 2 - mark // 2, y + high // 8), mark, shape, PAPER)
        size = largest(played.gain, wide // 2, 16, wide - 16)
        middle = x + (wide - length(played.gain, size, display=True)) / 2
        write(pen, (middle, y + high * 7 // 8), played.gain, size, PAPER, display=True)


@dataclass(frozen=True)
class Paragraph:
    """A text to wrap, in a size that shrinks with the others of its column; `above` is the space before it."""

    text: str
    size: int
    color: str
    display: bool = False
    above: int = 0


SPACING, LOOSE = 1.16, 1.3
"""Heights of a line in the display face, and in the other."""
SQUARE, EDGE = 1080, 72
"""A ruling is as wide as it is high: so a chat shows it whole, and large."""
HEADLINE, RULE = range(120, 63, -4), range(40, 31, -2)
"""Sizes at which a ruling's headline and the rule that decides it are tried."""
RULE_LINES = 3
STAMPS = {"yes": "#23702f", "no": "#a3231b", "open": QUIET, "law": ACCENT, "": INK}


def draw_ruling(ruling: RulingView, people: Sequence[str], under: Sequence[str], decided: str = "") -> bytes:
    """Return a PNG of a ruling: its stamp, what is ordered or decided, the rule that says so, and the rulebook.

    `people` are those who may be named in it, in the order of their seats; `decided` is what the table decided instead.
    What doesn't fit in its least size is left out: the rule, then what stands `under` it besides the rulebook.
    """
    picture = Image.new("RGB", (SQUARE, SQUARE), PAPER)
    pen, width = ImageDraw.Draw(picture), SQUARE - 2 * EDGE
    end = draw_mark(picture, EDGE, EDGE - 6, 44)
    says = fit(say("stamp.says"), 44, SQUARE - EDGE - end - 12, display=True)
    write(pen, (end + 12, EDGE + 32), says, 44, INK, display=True)
    announced, bottom = ruling.announced, SQUARE - EDGE
    parts = [under[0], ruling.title, *under[1:]]
    while len(parts) > 1 and length(drawable(" · ".join(parts)), 32) > width:
        parts.pop()
    write(pen, (EDGE, bottom), fit(drawable(" · ".join(parts)), 32, width), 32, QUIET)
    sign = "law" if decided else announced.sign
    words = "" if decided else announced.verdict
    stamp = draw_stamp(words or say(f"stamp.{sign}"), sign, STAMPS[sign], width) if words or sign else None
    high = stamp.height + 20 if stamp else 0
    (headline,) = _named_all([Paragraph(decided or without_marks(announced.headline), HEADLINE[0], INK)], people)
    rules = [] if decided else _named_all((Paragraph(_rule(each), RULE[0], INK) for each in ruling.reasons), people)
    rule = next(filter(None, (in_lines(each.text, RULE, width, RULE_LINES * RULE[0] * LOOSE) for each in rules)), ())
    top, foot = EDGE + 90, bottom - 32 - 44
    over = foot - sum(size * LOOSE for _, size in rule) - 40 * bool(rule)
    lines = in_lines(headline.text, HEADLINE, width, over - top - high, display=True) if rule else ()
    if not lines:
        rule, over = (), foot
        lines = in_lines(headline.text, HEADLINE, width, over - top - high, display=True, cut=True)
    y = top + (over - top - high - sum(size * SPACING for _, size in lines)) * 0.4
    if stamp:
        picture.paste(stamp, (EDGE - 6, int(y)), stamp)
    y += high
    for line, size in lines:
        y += size * SPACING
        write(pen, (EDGE, y - size * 0.2), line, size, INK, display=True)
    if rule:
        pen.line((EDGE, over + 14, SQUARE - EDGE, over + 14), fill=LINE, width=3)
        y = over + 30
    for line, size in rule:
        y += size * LOOSE
        write(pen, (EDGE, y - size * 0.3), line, size, INK)
    return png(picture)


def _rule(reason: Mapping[str, Any]) -> str:
    """Return the rule as we say it; where its source speaks another language, marked as ours."""
    text = str(reason["text"])
    return say("stamp.translated", text=text) if reason.get("quote_translation") else text


def without_marks(text: str) -> str:
    """Return a sentence without the marks around a role in it."""
    return text.replace(ROLE, "").replace(ROLE_END, "")


def in_lines(
    text: str,
    sizes: Sequence[int],
    width: int,
    height: float,
    *,
    display: bool = False,
    cut: bool = False,
    hyphens: bool = False,
) -> Sequence[tuple[str, int]]:
    """Return a text in lines, each with its size: the largest that fits; nothing where none does, or what is `cut`."""
    text = drawable(text)
    parts = (hyphened(text).replace(HYPHEN, "- ") if hyphens else text).split()
    for size in sizes:
        lines, spacing = wrapped(text, size, width, display=display), size * (SPACING if display else LOOSE)
        widest = max((length(part, size, display=display) for part in parts), default=0)
        if (widest <= width or size == sizes[-1]) and len(lines) * spacing <= height:
            while (
                widest <= (width := width - size // 2)
                and len(even := wrapped(text, size, width, display=display)) == len(lines) > 1
            ):
                lines = even  # no word is left alone in the last one
            return [(line, size) for line in lines]
    if not cut:
        return ()
    *lines, last = lines[: max(1, int(height / spacing))]
    return [(line, size) for line in (*lines, fit(f"{last} {ELLIPSIS}", size, width, display=display))]


def _named_all(paragraphs: Iterable[Paragraph], people: Sequence[str]) -> list[Paragraph]:
    """Return what can be drawn of each paragraph; a name without a letter that a font has is the player's number."""
    unnamed = [(name, say("names.unnamed", n=n)) for n, name in enumerate(people, 1) if not drawable(name)]
    shown = []
    for paragraph in paragraphs:
        text = paragraph.text
        for name, numbered in unnamed:
            text = text.replace(name, numbered)
        if text := drawable(text):
            shown.append(replace(paragraph, text=text))
    return shown
