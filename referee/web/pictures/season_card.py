"""Draw a club's season: who won most matches, and how often the others did."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw

from referee.records.statistics.comparison import PlayerLine
from referee.web.pictures.lettering import drawable, fit, largest, length, write
from referee.web.pictures.result_card import (
    ACCENT,
    COLUMN,
    HEIGHT,
    INK,
    LINE,
    MARGIN,
    PAPER,
    QUIET,
    SPLIT,
    WIDTH,
    large,
)
from referee.web.pictures.shapes import draw_mark, smoothly
from referee.web.words import number, say

SHOWN = 7
"""Players on the picture, those who won most."""
ROW, BAR = 68, 10
"""Height of a player's line, and of the bar in it."""


def draw_season(club: str, year: int | None, lines: Sequence[PlayerLine], matches: int) -> bytes:
    """Return a PNG of the season of a year; `matches` is how many were played in it."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(picture)
    end = draw_mark(picture, MARGIN, MARGIN - 8, 36)
    title = drawable(club) or say("share.app")
    write(pen, (end + 8, MARGIN + 22), fit(title, 34, SPLIT - end - 8, display=True), 34, INK, display=True)
    ranked = sorted(lines, key=lambda line: (-line.won.part, -(line.won.percent or 0), -line.matches))[:SHOWN]
    if ranked and ranked[0].won.part:
        _leader(pen, ranked, year)
        _others(picture, pen, ranked)
    else:
        large(pen, say("public-page.card-nobody"), MARGIN + 220, INK)
    foot = say("public-page.card-foot", n=matches, year=year) if year else say("public-page.card-none")
    write(pen, (MARGIN, HEIGHT - MARGIN), foot, 26, QUIET)
    out = io.BytesIO()
    picture.quantize(256).save(out, "PNG", optimize=True)
    return out.getvalue()


def _leader(pen: ImageDraw.ImageDraw, ranked: Sequence[PlayerLine], year: int | None) -> None:
    first = ranked[0]
    level = [line for line in ranked if line.won.part == first.won.part]
    write(pen, (MARGIN, MARGIN + 108), say("public-page.card-most", year=year), 34, QUIET)
    said = _named(first) if len(level) == 1 else say("public-page.card-level", n=len(level))
    y = large(pen, said, MARGIN + 256, INK)
    base = y + 142
    x = write(pen, (MARGIN, base), number(first.won.part), 120, ACCENT, display=True)
    key = "public-page.card-each" if len(level) > 1 else "public-page.card-of"
    of = say(key, n=first.won.part, whole=first.won.whole)
    write(pen, (x + 16, base), of, 40, QUIET)
    for rule in (18, 26):
        pen.line((MARGIN, base + rule, max(x, MARGIN + 380), base + rule), fill=INK, width=3)


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
        box = (COLUMN, base + 14, right, base + 14 + BAR)
        share = line.won.part / most

        def bar(pen: ImageDraw.ImageDraw, finer: int, share: float = share, color: str = color) -> None:
            width, height = (right - COLUMN) * finer - 1, BAR * finer - 1
            pen.rounded_rectangle((0, 0, width, height), height // 2, fill=LINE)
            if share:
                pen.rounded_rectangle((0, 0, max(height, int(width * share)), height), height // 2, fill=color)

        smoothly(picture, box, bar)


def _named(line: PlayerLine) -> str:
    return drawable(line.name) or say("names.unknown")
