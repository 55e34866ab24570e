"""Ways to pass a public page on: messengers, mail, the phone's own share sheet, and a picture to embed.

All are plain links, so they work over plain http and without a script; what needs one is hidden until there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from markupsafe import escape

WHATSAPP = "https://wa.me/?text="
TELEGRAM = "https://t.me/share/url?url="
EMBEDDED = (600, 315)
"""Width and height of an embedded picture, half its own."""
HOME_NAMES = (".local", ".home", ".lan", ".internal", ".home.arpa")
"""What names end with that only a home network knows."""


@dataclass(frozen=True)
class Preview:
    """What a messenger shows of a link that is sent; `picture` and `address` are whole addresses."""

    title: str
    text: str
    picture: str
    address: str = ""


@dataclass(frozen=True)
class Ways:
    """Everything by which a page is passed on; Signal has no address for this, so it comes by the share sheet."""

    title: str
    text: str
    address: str
    whatsapp: str
    telegram: str
    mail: str
    picture: str
    embed: str
    """HTML for another site: the picture, which follows, and a link to the page"""
    at_home: bool
    """only phones on this network reach the address"""


def ways_of(preview: Preview, picture: str) -> Ways:
    """Write out the ways to pass a page on; `picture` is the address at which its picture always is the newest."""
    title, text, address = preview.title, preview.text, preview.address
    width, height = EMBEDDED
    image = f'<img src="{escape(picture)}" alt="{escape(title)}" width="{width}" height="{height}">'
    return Ways(
        title=title,
        text=text,
        address=address,
        whatsapp=WHATSAPP + quote(f"{title}\n{address}", safe=""),
        telegram=f"{TELEGRAM}{quote(address, safe='')}&text={quote(title, safe='')}",
        mail=mail_link(title, f"{text}\n\n{address}"),
        picture=picture,
        embed=f'<a href="{escape(address)}">{image}</a>',
        at_home=_is_at_home(address),
    )


def mail_link(subject: str, text: str) -> str:
    """Make the address that opens a mail with this text (RFC 6068)."""
    return f"mailto:?subject={quote(subject, safe='')}&body={quote(text.replace(chr(10), chr(13) + chr(10)), safe='')}"


def _is_at_home(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(HOME_NAMES)
