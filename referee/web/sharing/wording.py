"""Word what is shared of a match or a club: the result, the links to messengers, and the live board.

The server sends nothing itself: people tap a link and send. All ways are plain links, so they work over plain HTTP and
without a script; a button that needs a script stays hidden without one.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, urlsplit

import segno
from flask import url_for
from markupsafe import Markup, escape

from referee.records.match.agreements import scale_of
from referee.records.match.dealing import first_player
from referee.records.match.sheets import Sheet
from referee.records.models import EndedBy, MatchStatus, Scale
from referee.rules.text.words import joined
from referee.web.page import match_wording
from referee.web.page.match_wording import by_sides
from referee.web.score.wording import standing_lines, told, tonight, winner_of
from referee.web.words import number, say

HOME_NAMES = (".local", ".home", ".lan", ".internal", ".home.arpa")
"""Endings of names that only a home network resolves."""


@dataclass(frozen=True)
class SharedPage:
    """A page that people pass on, and what a messenger previews of it; Signal is reached by the phone's share sheet."""

    title: str
    text: str
    address: str
    """absolute; empty where only the preview is wanted"""
    picture: str
    """absolute address under which the picture is always the newest"""
    version: str = ""
    """query of the picture in previews, since messengers cache a picture by its address"""

    @property
    def whatsapp(self) -> str:
        """Return the address that opens WhatsApp with title and link."""
        return "https://wa.me/?text=" + quote(f"{self.title}\n{self.address}", safe="")

    @property
    def telegram(self) -> str:
        """Return the address that opens Telegram with title and link."""
        return f"https://t.me/share/url?url={quote(self.address, safe='')}&text={quote(self.title, safe='')}"

    @property
    def mail(self) -> str:
        """Return the address that opens a mail with text and link."""
        return mail_link(self.title, f"{self.text}\n\n{self.address}")

    @property
    def embed(self) -> str:
        """Return HTML for another site: the picture, linked to the page."""
        width, height = 600, 315  # half its own
        image = f'<img src="{escape(self.picture)}" alt="{escape(self.title)}" width="{width}" height="{height}">'
        return f'<a href="{escape(self.address)}">{image}</a>'

    @property
    def at_home(self) -> bool:
        """Return whether only phones on this network reach the address."""
        host = urlsplit(self.address).hostname or ""
        try:
            return not ip_address(host).is_global
        except ValueError:
            return "." not in host or host.endswith(HOME_NAMES)

    @property
    def here_only(self) -> bool:
        """Return whether no phone reaches the address."""
        return here_only(self.address)


def public_page(token: str | None, title: str, text: str) -> SharedPage | None:
    """Return the public page of a token as it is passed on; None without a token."""
    if token is None:
        return None
    picture = url_for("public.front_picture", public_token=token, _external=True)
    return SharedPage(title, text, url_for("public.front", public_token=token, _external=True), picture)


def mail_link(subject: str, text: str) -> str:
    """Return the address that opens a mail with this text (RFC 6068)."""
    return f"mailto:?subject={quote(subject, safe='')}&body={quote(text.replace(chr(10), chr(13) + chr(10)), safe='')}"


def here_only(address: str) -> bool:
    """Return whether an address leads a device to itself, so that it is no use to another one."""
    host = urlsplit(address).hostname or ""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def qr_code(text: str) -> Markup:
    """Return a QR code as SVG; empty for the address of this computer alone, which no phone could follow.

    It is black on white in every theme, since cameras read no other reliably.
    """
    if here_only(text):
        return Markup()
    return Markup(segno.make(text, micro=False).svg_inline(border=4, light="#fff", omitsize=True))


def result_text(sheet: Sheet, story: str) -> str:
    """Return a match in a few lines of plain text: who won and how, the standings, the rules, the day."""
    result = match_wording.result(sheet.match, sheet.winners) or say("result.after-rounds", n=sheet.round_count)
    lines = [match_wording.title_of(sheet.match, sheet.players), f"{result} {story}".strip(), "", *_ranked(sheet), ""]
    return "\n".join([*lines, match_wording.terms_line(sheet.terms), match_wording.facts_line(sheet)])


def preview_text(sheet: Sheet) -> str:
    """Return the standings in a line: ``1. Ada: 538 · 2. Bo: 187``."""
    return " · ".join(_ranked(sheet))


def _ranked(sheet: Sheet) -> list[str]:
    sides = by_sides(sheet.standings)
    return [f"{side.rank}. {joined(side.names)}: {number(side.total)}" for side in sides]


def headline(sheet: Sheet) -> str:
    """Return how a match ended; while it is played, its title."""
    return match_wording.result(sheet.match, sheet.winners) or match_wording.title_of(sheet.match, sheet.players)


def board_view(sheet: Sheet) -> dict[str, Any]:
    """Return what ``sharing/_board.html`` shows; `gains` are what the last round brought each player alone."""
    last = sheet.last_round
    points = last.points if last else {}
    return {
        "title": match_wording.title_of(sheet.match, sheet.players),
        "named": bool(sheet.match.name),
        "terms": match_wording.terms_parts(sheet.terms),
        "tonight": tonight(sheet),
        "head_to_head": match_wording.head_to_head(sheet),
        "scene": winner_of(sheet),
        "lines": standing_lines(sheet),
        "gains": {name: match_wording.signed(gained) for name, gained in points.items() if gained},
        "last_title": match_wording.round_title(sheet.round_count, sheet.terms),
        "last": told(last) if last else "",
    }


LONGEST_LINK = 8000
"""Characters; the app refuses longer ones."""
MOST_IN_QR = 2300
"""Characters of a link that a phone still reads from a screen as a QR code (version 40 of level L holds 2,953)."""


def bg_stats_link(sheet: Sheet) -> str | None:
    """Return the link that opens the app with a match filled in; None where it goes on, or the link would be too long.

    The players are those who stayed to the end.
    """
    if sheet.match.status != MatchStatus.FINISHED or sheet.match.finished_at is None:
        return None
    for comment in (sheet.match.note[:500], ""):
        document = json.dumps(_linked(sheet, comment), ensure_ascii=False, separators=(",", ":"))
        address = "https://app.bgstatsapp.com/createPlay.html?data=" + quote(document, safe="")
        if len(address) < LONGEST_LINK:
            return address
    return None


def _linked(sheet: Sheet, comment: str) -> dict[str, Any]:
    match, scale = sheet.match, scale_of(sheet.terms)
    lines = {line.player: line for line in sheet.standings}
    first = first_player(match, sheet.seating, sheet.terms.rulebook)
    ended_at = match.finished_at or match.started_at
    minutes = round((ended_at - match.started_at).total_seconds() / 60)
    players = []
    for seat in sheet.seating.here:
        won = seat.name in sheet.winners
        rank = 1 if won else lines[seat.name].rank if sheet.terms.wins else None
        player = {
            "name": seat.name,
            "sourcePlayerId": seat.player_id,
            "startPlayer": seat is first,  # always there, as Android needs it: nobody began where nobody knows who
            "score": lines[seat.name].total,
            "winner": won,
            "role": "",
        }
        players.append(player | ({} if rank is None else {"rank": rank}))
    return {
        "sourceName": "Referee",
        "sourcePlayId": match.id,
        "playDate": f"{ended_at:%Y-%m-%d %H:%M:%S}",
        "game": {
            "name": "UNO",
            "sourceGameId": "uno",
            "bggId": 2223,  # Uno at boardgamegeek.com
            "highestWins": scale != Scale.LOWEST and match.ended_by != EndedBy.TIME_LIMIT,
            "noPoints": scale == Scale.ROUNDS,
        },
        "players": players,
        "location": match.location,
        "board": match_wording.terms_line(sheet.terms),
        "comments": comment,
        # a match that took longer was not played in one go, so nobody knows how long
    } | ({"durationMin": minutes} if 1 <= minutes <= 24 * 60 else {})
