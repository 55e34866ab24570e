"""The form of a match's next round: drawn once for a table, since from round to round only few values change."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from flask import render_template, request
from markupsafe import escape

from referee.records.cache import Cache
from referee.records.sheets import Sheet
from referee.web.offline.digests import address_of_rules
from referee.web.score.pad import terms_key
from referee.web.score.round_presenter import new_round_view, title_of_next
from referee.web.server.sessions import token

FORMS: Cache[str] = Cache("round forms", 800_000)
"""Empty forms, by the table: its match, its terms and who plays."""
TITLE, AFTER, REVISION, KEY, TOKEN = (f"{name}-{secrets.token_hex(8)}" for name in "tarkc")
"""Stand in a form for what changes from round to round; nobody can guess them and put them into a name."""


@dataclass(frozen=True)
class NextForm:
    """The empty form of the next round."""

    sheet: Sheet
    rules: str
    """where a phone finds the rules of the match to take along"""

    def drawn(self, idempotency_key: str) -> str:
        """Draw it, as `new_round_view` says what it shows."""
        sheet = self.sheet
        players = tuple((seat.player_id, seat.name) for seat in sheet.playing)
        state = (sheet.match.club_id, sheet.match.id, request.script_root, terms_key(sheet.terms), players)
        values = {
            TITLE: title_of_next(sheet),
            AFTER: str(sheet.round_count),
            REVISION: str(sheet.match.state),
            KEY: idempotency_key,
            TOKEN: token(),
        }
        html = FORMS.get(state, self._draw)
        for stand_in, value in values.items():
            html = html.replace(stand_in, str(escape(value)))
        return html

    def _draw(self) -> str:
        view = replace(new_round_view(self.sheet), title=TITLE, after=AFTER, revision=REVISION, idempotency_key=KEY)
        return render_template("score/_round_form.html", form_view=view).replace(token(), TOKEN)


def next_form(sheet: Sheet) -> NextForm:
    """Give the empty form of the next round of a match."""
    return NextForm(sheet, address_of_rules(sheet.match, sheet.terms, sheet.playing))
