"""Harden keys and restores."""

from __future__ import annotations

from datetime import UTC, timedelta
from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0002_from_0001"
down_revision = "0001"
branch_labels = None
depends_on = None

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
AT_ONCE = timedelta(seconds=5)
"""A key's id is made at the moment that the key is; one that came in by an import has the id of long before."""

SUMS = ("rounds", "went_out", "hands", "hand_sum", "hand_max", "catches", "catch_sum", "catch_max")
"""What rounds add up to, a column each."""
BY_PLAYER = ["club_id", "player_id", "match_id"]
OF_RESULT = ["scale", "players", "winners", "won", "rank", "total", "behind", "mu", "sigma", "met"]
"""What a player's statistics say of matches, so that they read an index alone."""
BATCH = 200
"""Matches that are summed up at once."""


def upgrade() -> None:
    """Add what the second version of the tables has; programs of the first go on working on them."""
    op.add_column("keys", sa.Column("opened_by", sa.String(16)))
    op.add_column("keys", sa.Column("imported", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("keys", sa.Column("revoked_with", sa.String(16)))
    op.add_column("invitations", sa.Column("revoked_at", sa.DateTime()))
    op.add_column("invitations", sa.Column("revoked_with", sa.String(16)))
    op.add_column("matches", sa.Column("nonce", sa.Integer(), server_default="0", nullable=False))
    op.add_column("clubs", sa.Column("import_id", sa.String(16)))
    op.create_table(
        "club_imports",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("made", sa.JSON(), nullable=False),
        sa.Column("founded", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("club_id", name="pk_club_imports"),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_club_imports_club_id_id"),
    )
    op.create_table(
        "own_rulebooks",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.Integer(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=False),
        sa.Column("changed_by", sa.String(16)),
        sa.Column("deleted_at", sa.DateTime()),
        sa.Column("share_id", sa.String(16)),
        sa.Column("share_digest", sa.String(64)),
        sa.Column("shared_by", sa.String(16)),
        sa.PrimaryKeyConstraint("club_id", "id", name="pk_own_rulebooks"),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_own_rulebooks_club_id_id"),
        sa.UniqueConstraint("share_digest", name="uq_own_rulebooks_share_digest"),
    )
    _say_who_let_in()
    _mark_imported()
    op.add_column("matches", sa.Column("tally", sa.JSON(), nullable=True))
    op.add_column("match_results", sa.Column("team", sa.Integer()))
    op.add_column("clubs", sa.Column("unrated_from", sa.String(16)))
    op.add_column("clubs", sa.Column("unrated_turn", sa.Integer(), server_default="0", nullable=False))
    op.add_column("clubs", sa.Column("ends_at", sa.DateTime()))
    op.create_index("ix_clubs_ends_at", "clubs", ["ends_at"])
    op.drop_index("ix_round_scores_player", "round_scores")
    op.add_column("players", sa.Column("removed_at", sa.DateTime()))
    _make_deletions()
    op.add_column("matches", sa.Column("summed", sa.Integer()))
    op.add_column("match_results", sa.Column("met", sa.Text()))
    op.create_table(
        "match_sums",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("player_id", sa.String(16), nullable=False),
        sa.Column("scale", sa.String(8), nullable=False),
        sa.Column("players", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("match_id", sa.String(16), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in SUMS),
        sa.Column("last_cards", sa.Text()),
        sa.PrimaryKeyConstraint("club_id", "player_id", "scale", "players", "match_id", name="pk_match_sums"),
        sa.ForeignKeyConstraint(
            ["club_id", "match_id"], ["matches.club_id", "matches.id"], name="fk_match_sums_club_id_match_id"
        ),
        sa.ForeignKeyConstraint(
            ["club_id", "player_id"], ["players.club_id", "players.id"], name="fk_match_sums_club_id_player_id"
        ),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_match_sums_match", "match_sums", ["club_id", "match_id"])
    _sum_up_matches()
    op.drop_index("ix_match_results_player", "match_results")
    op.create_index("ix_match_results_player", "match_results", [*BY_PLAYER, *OF_RESULT])


def downgrade() -> None:
    """Take it away again."""
    op.drop_index("ix_match_results_player", "match_results")
    op.create_index("ix_match_results_player", "match_results", BY_PLAYER)
    op.drop_table("deletion_parts")
    op.drop_table("deletions")
    op.drop_table("match_sums")
    op.drop_index("ix_clubs_ends_at", "clubs")
    op.create_index(
        "ix_round_scores_player",
        "round_scores",
        ["club_id", "player_id", "scale", "players", "last_card", "match_id", "went_out", "hand", "catch"],
    )
    op.drop_table("own_rulebooks")
    op.drop_table("club_imports")
    for table, column in (
        ("players", "removed_at"),
        *(("clubs", "ends_at"), ("clubs", "unrated_turn"), ("clubs", "unrated_from")),
        *(("match_results", "met"), ("match_results", "team")),
        ("clubs", "import_id"),
        *(("matches", "summed"), ("matches", "tally"), ("matches", "nonce")),
        *(("invitations", "revoked_with"), ("invitations", "revoked_at")),
        *(("keys", "revoked_with"), ("keys", "imported"), ("keys", "opened_by")),
    ):
        op.drop_column(table, column)


def _make_deletions() -> None:
    op.create_table(
        "deletions",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("with_id", sa.String(16)),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("by", sa.String(16)),
        sa.Column("purged", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("club_id", "id", name="pk_deletions"),
    )
    op.create_index("ix_deletions_id", "deletions", ["id"])
    op.create_table(
        "deletion_parts",
        sa.Column("club_id", sa.String(16), nullable=False),
        sa.Column("deletion_id", sa.String(16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("club_id", "deletion_id", "number", name="pk_deletion_parts"),
        sa.ForeignKeyConstraint(
            ["club_id", "deletion_id"],
            ["deletions.club_id", "deletions.id"],
            name="fk_deletion_parts_club_id_club_id",
        ),
    )


def _say_who_let_in() -> None:
    """Name for each key the one that made the invitation it came in by."""
    op.execute(
        "UPDATE keys SET opened_by = (SELECT created_by FROM invitations"
        " WHERE invitations.club_id = keys.club_id AND invitations.used_by = keys.id)"
    )


def _mark_imported() -> None:
    names = ("club_id", "id", "imported")
    keys = sa.table("keys", *(sa.column(name) for name in names), sa.column("created_at", sa.DateTime))
    connection = op.get_bind()
    for club_id, id, created_at in connection.execute(sa.select(keys.c.club_id, keys.c.id, keys.c.created_at)).all():
        if _milliseconds(id) < (created_at - AT_ONCE).replace(tzinfo=UTC).timestamp() * 1000:
            own = (keys.c.club_id == club_id, keys.c.id == id)
            connection.execute(sa.update(keys).where(*own).values(imported=sa.true()))


def _milliseconds(id: str) -> int:
    number = 0
    for letter in id:
        number = number << 5 | max(0, ALPHABET.find(letter))
    return number >> 32


def _sum_up_matches() -> None:
    """Add up the rounds of each match that is over, and say in its results who met whom; some matches at a time."""
    connection = op.get_bind()
    matches = sa.table("matches", *map(sa.column, ("club_id", "id", "status", "revision", "summed")))
    head = sa.select(matches.c.club_id, matches.c.id).where(matches.c.status != "in-progress")
    in_order = head.order_by(matches.c.club_id, matches.c.id).limit(BATCH)
    last = ("", "")
    while batch := connection.execute(in_order.where(sa.tuple_(matches.c.club_id, matches.c.id) > last)).all():
        for club_id, ids in groupby(batch, key=lambda row: row.club_id):
            own = [row.id for row in ids]
            _add_sums(connection, club_id, own)
            _say_who_met(connection, club_id, own)
            here = (matches.c.club_id == club_id, matches.c.id.in_(own))
            connection.execute(sa.update(matches).where(*here).values(summed=matches.c.revision))
        last = tuple(batch[-1])


def _add_sums(connection: sa.Connection, club_id: str, ids: list[str]) -> None:
    alike = ("player_id", "scale", "players", "match_id")
    scores = sa.table("round_scores", *map(sa.column, ("club_id", *alike, "last_card", "hand", "catch", "went_out")))
    c, f = scores.c, sa.func
    out = sa.type_coerce(c.went_out, sa.Boolean)
    caught = f.coalesce(f.sum(c.hand).filter(~out), 0), f.coalesce(f.max(c.hand).filter(~out), 0)
    catches = f.count(c.catch), f.coalesce(f.sum(c.catch), 0), f.coalesce(f.max(c.catch), 0)
    sums = (f.count(), f.count().filter(out), f.count(c.hand).filter(~out), *caught, *catches)
    kinds = [c[name] for name in alike]
    asked = sa.select(*kinds, c.last_card, *sums).where(c.club_id == club_id, c.match_id.in_(ids))
    rows: dict[tuple[str, ...], dict[str, int]] = {}
    cards: dict[tuple[str, ...], dict[str, int]] = {}
    for *kind, card, rounds, went_out, hands, hand_sum, hand_max, caught_n, catch_sum, catch_max in connection.execute(
        asked.group_by(*kinds, c.last_card)
    ):
        key = tuple(kind)
        row = rows.setdefault(key, dict.fromkeys(SUMS, 0))
        added = {"rounds": rounds, "went_out": went_out, "hands": hands, "hand_sum": hand_sum, "catches": caught_n}
        for name, value in (added | {"catch_sum": catch_sum}).items():
            row[name] += int(value)
        row |= {"hand_max": max(row["hand_max"], hand_max), "catch_max": max(row["catch_max"], catch_max)}
        if card is not None:
            counts, face = cards.setdefault(key, {}), card.strip().lower()
            counts[face] = counts.get(face, 0) + went_out
    if rows:
        table = sa.table("match_sums", *map(sa.column, ("club_id", *alike, *SUMS, "last_cards")))
        connection.execute(
            sa.insert(table),
            [
                {"club_id": club_id, **dict(zip(alike, key, strict=True)), **row, "last_cards": _cards(cards.get(key))}
                for key, row in rows.items()
            ],
        )


def _cards(counts: dict[str, int] | None) -> str | None:
    return " ".join(f"{card}:{times}" for card, times in sorted(counts.items())) if counts else None


def _say_who_met(connection: sa.Connection, club_id: str, ids: list[str]) -> None:
    names = ("club_id", "match_id", "seat", "player_id", "won", "rank", "winners", "met")
    results = sa.table("match_results", *map(sa.column, names))
    c = results.c
    here = (c.club_id == club_id, c.match_id.in_(ids), c.winners > 0, c.rank.is_not(None))
    asked = sa.select(c.match_id, c.seat, c.player_id, c.won, c.rank).where(*here).order_by(c.match_id)
    changed = []
    for match_id, group in groupby(connection.execute(asked).all(), key=lambda row: row.match_id):
        places = {row.player_id: (row.seat, not row.won, row.rank) for row in group}
        for player, (seat, *place) in places.items():
            others = sorted((other, their) for other, (_, *their) in places.items() if other != player)
            signs = ("+" if place < their else "-" if place > their else "=" for _, their in others)
            met = " ".join(other + sign for (other, _), sign in zip(others, signs, strict=True))
            if met:
                changed.append({"at_match": match_id, "at_seat": seat, "met": met})
    if changed:
        own = (c.club_id == club_id, c.match_id == sa.bindparam("at_match"), c.seat == sa.bindparam("at_seat"))
        connection.execute(sa.update(results).where(*own).values(met=sa.bindparam("met")), changed)
