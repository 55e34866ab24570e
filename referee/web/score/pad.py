"""What the form of a round shows because of the terms alone: it is put together, and drawn, once for each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from flask import render_template
from markupsafe import Markup

from referee.records.cache import Cache
from referee.rules.cards import BLANK, Card, Color, Deck
from referee.rules.decks import CLASSIC, decks
from referee.rules.round_entry import DRAW_PILE_EMPTY, LAST_ONE_LEFT, TIME_LIMIT, WENT_OUT
from referee.rules.scoring import last_card_reminder
from referee.rules.settings import (
    DRAW_PILE_ENDS_ROUND,
    KNOCKED_OUT_AT,
    LAST_CARD_COUNTS,
    LAST_LEFT_WINS,
    TIME_LIMIT_WINNER,
)
from referee.rules.shares import shares
from referee.rules.terms import AGREED, Terms
from referee.web.score import wording
from referee.web.words import say


@dataclass(frozen=True)
class PadKey:
    """One key of the hand pad: what it lays, what that counts, how many the deck has."""

    face: str
    label: str
    short: str
    points: int
    most: int


@dataclass(frozen=True)
class Keys:
    """The keys of one side of a deck, or of the whole deck where it has no sides."""

    id: str
    colors: Sequence[Color]
    keys: Sequence[PadKey]
    wild: str
    """the picture of a Wild in these colors; empty for the usual one"""


@dataclass(frozen=True)
class Pad:
    """What is asked of a round, and the keys of the hand pad."""

    points: bool
    """points are kept, not rounds won"""
    endings: Sequence[tuple[str, str]]
    last_cards: Sequence[tuple[str, str]]
    last_card_hint: str
    asks_last_card: bool
    asks_card_counts: bool
    asks_credit: bool
    sides: Sequence[tuple[str, str]]
    """of which one showed at the end, where the deck has two"""
    knocks_out: bool
    last_one_left: bool
    shares: str
    """what a new round brings, as factors, so that a phone can add it up until the server has it"""
    keys: Markup


PADS: Cache[Pad] = Cache("pads", 1_000_000)
"""By the terms, the digest of a rulebook standing for its text."""


def pad_of(terms: Terms) -> Pad:
    """Return what these terms make matter, once for the same terms."""
    return PADS.get(terms_key(terms), lambda: _pad_of(terms))


def terms_key(terms: Terms) -> tuple[object, ...]:
    """Return the key of terms in a cache; the digest of a rulebook stands for its text."""
    return (terms.rulebook.digest, *(getattr(terms, name) for name in AGREED))


def _pad_of(terms: Terms) -> Pad:
    ways = [WENT_OUT]
    if terms.rulebook.value(DRAW_PILE_ENDS_ROUND, False):
        ways.append(DRAW_PILE_EMPTY)
    if terms.rulebook.find(TIME_LIMIT_WINNER):
        ways.append(TIME_LIMIT)
    if terms.rulebook.value(LAST_LEFT_WINS, False):
        ways.append(LAST_ONE_LEFT)
    last_cards = [("", say("pad.other-card"))]
    drawn = []
    for face in terms.box.faces if terms.rulebook.value(LAST_CARD_COUNTS, False) else ():
        if count := last_card_reminder(terms, Card(face)):
            last_cards.append((str(face), face.short))
            key = "pad.drawn-after" if isinstance(count, int) else "pad.drawn-after-until-color"
            drawn.append(say(key, n=count, card=face.label))
    return Pad(
        points=terms.count == "points",
        endings=[(way, say(f"pad.{way}")) for way in ways],
        last_cards=last_cards,
        last_card_hint=say("pad.drawn", cards=wording.joined(drawn)) if drawn else "",
        asks_last_card=bool(drawn),
        asks_card_counts=TIME_LIMIT in ways,
        asks_credit=DRAW_PILE_EMPTY in ways and terms.credits_one,
        sides=[(side, say("pad.side", side=side.capitalize())) for side in terms.box.sides],
        knocks_out=terms.rulebook.find(KNOCKED_OUT_AT) is not None,
        last_one_left=LAST_ONE_LEFT in ways,
        shares=json.dumps({ended: share.to_json() for ended, share in shares(terms).items()}),
        keys=Markup(render_template("score/_keys.html", sides=_sides(terms))),
    )


def _sides(terms: Terms) -> list[Keys]:
    """Return the keys of every side; a Wild is drawn in the side's own colors where they are not the usual ones."""
    found = []
    for id, box in terms.box.sides.items() or (("", terms.box),):
        foreign = {color.id for color in box.colors} - {color.id for color in decks()[CLASSIC].colors}
        found.append(Keys(id, box.colors, _keys(terms, box), f"face-wild-{id or terms.box.id}" if foreign else ""))
    return found


def _keys(terms: Terms, box: Deck) -> list[PadKey]:
    points = terms.card_points()
    return [
        PadKey(str(face), face.label, face.short, points.get(face, 0), box.face_count(face))
        for face in box.faces
        if face in points or face == BLANK
    ]
