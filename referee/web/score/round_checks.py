"""What is looked at before a round that was typed is scored."""

from __future__ import annotations

import hashlib

from flask import request

from referee.records.seating import Seating
from referee.rules.problem import At, Impossible, Problem
from referee.web.forms.round import RoundForm
from referee.web.words import say


def check(form: RoundForm) -> None:
    """Raise `Impossible` with what cannot be read."""
    if not form.validate():
        problems = [
            Problem(form.path_of(name), str(message))
            for name, messages in form.errors.items()
            for message in messages
            if name is not None
        ]
        raise Impossible(problems)


def check_leavers(form: RoundForm, seating: Seating) -> None:
    """Raise `Impossible` where a hand was entered for somebody who left after the form was drawn; it would be lost."""
    problems = [
        Problem(("hands", At(seat.seat, seat.name)), say("round.left-table", name=seat.name))
        for seat in seating.seats
        if not seat.here
        and (form.went_out.data == seat.player_id or request.form.get(f"hand-{seat.player_id}", "").strip())
    ]
    if problems:
        raise Impossible(problems)


def digests_of_form() -> tuple[str, str]:
    """Digest what was typed: cards in whatever order, and as releases before 0.2.0 did, whose digests are kept."""
    said = sorted(
        (name, value)
        for name, value in request.form.items(multi=True)
        if name not in ("csrf_token", "revision") and value
    )
    in_order = [(name, " ".join(sorted(text.split())) if name.startswith("hand-") else text) for name, text in said]
    digests = [hashlib.sha256(repr(one).encode()).hexdigest() for one in (in_order, said)]
    return digests[0], digests[1]
