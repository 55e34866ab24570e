"""Draw a season, or an evening of many tables, for messengers: who won it, or leads."""

from collections.abc import Sequence

from PIL import Image, ImageDraw

from referee.web.pictures.cards import ACCENT, INK, MARGIN, PAPER, QUIET, SPACING, in_lines, png
from referee.web.pictures.drawing import draw_mark, draw_marker, drawable, fit, largest, length, write
from referee.web.words import number, say

SIZE = (1080, 1080)
ROWS = 7
"""Players below the headline, the first by their place."""


Row = tuple[int | None, str, str, str]
"""A line below the headline: rank, name, marker and points."""


def draw_standings(name: str, headline: str, rows: Sequence[Row], foot: Sequence[str], club: str) -> bytes:
    """Return a PNG of a season or an evening: who won or leads, as large as it fits, and the table below."""
    width, height = SIZE
    room = width - 2 * MARGIN
    picture = Image.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(picture)
    end = draw_mark(picture, MARGIN, MARGIN - 4, 44)
    write(pen, (end + 10, MARGIN + 36), fit(drawable(club), 40, width - MARGIN - end - 10), 40, QUIET)
    base = MARGIN + 150.0
    title = drawable(name) or say("share.app")
    size = largest(title, 64, 40, room)
    write(pen, (MARGIN, base), fit(title, size, room, display=True), size, QUIET, display=True)
    base += 24
    for text, size in in_lines(drawable(headline), range(112, 55, -4), room, 330, display=True, cut=True):
        base += size * SPACING
        write(pen, (MARGIN, base), text, size, ACCENT, display=True)
    top, bottom = base + 40, height - MARGIN - 60
    rows = rows[:ROWS]
    step = min(92.0, (bottom - top) / max(1, len(rows)))
    size = int(step * 0.6)
    for place, (rank, player, marker, points) in enumerate(rows, 1):
        base = top + step * place - step * 0.28
        color = ACCENT if rank == 1 else INK
        wide = length(points, size, display=True)
        write(pen, (MARGIN, base), number(rank) if rank else "–", size, QUIET, display=True)
        left = MARGIN + size * 1.6
        if marker:
            draw_marker(picture, int(left), int(base - size * 0.75), int(size * 0.75), marker)
            left += size
        named = fit(drawable(player) or say("names.unknown"), size, width - MARGIN - wide - left - 24, display=True)
        write(pen, (left, base), named, size, color, display=True)
        write(pen, (width - MARGIN - wide, base), points, size, color, display=True)
    write(pen, (MARGIN, height - MARGIN), fit(" · ".join(foot), 32, room), 32, QUIET)
    return png(picture)
