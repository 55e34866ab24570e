"""How the database finds what an address asks for: by its match or player, and never by walking through a whole club.

Plans are held and not times: a plan is the same on every machine, and of few rows as of a million.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection, String, Table, cast, func, insert, literal, select, text, true

from referee.records.models import Base
from referee.web.server.database import db
from tests.ground.house import House
from tests.ground.listening import listening

OFTEN = (
    "GET /", "GET /club", "GET /hand", "GET /history/", "GET /history/?search=nobody",
    "GET /history/?player=<player_id>", "GET /history/matches/<match_id>", "GET /history/players",
    "GET /history/players/<player_id>", "GET /live/<board_token>", "GET /live/<board_token>/now",
    "GET /matches/<match_id>", "GET /matches/<match_id>/now", "GET /matches/<match_id>/menu",
    "GET /matches/<match_id>/disputes", "GET /matches/<match_id>/rounds/<round_id>", "GET /matches/new",
    "GET /public/<public_token>/matches/<match_id>", "GET /api/v1/matches", "GET /api/v1/matches/<match_id>",
    "POST /api/v1/matches/<match_id>/rounds", "POST /api/v1/matches/<match_id>/rulings",
    "POST /api/v1/matches/<match_id>/finish",
)  # fmt: skip
"""What an evening asks for, again and again; pages of statistics as they are seen a second time."""
GROWING = (
    "matches", "seats", "rounds", "round_versions", "round_scores", "match_results", "match_sums", "match_events",
    "rulings",
)  # fmt: skip
"""Tables of which a club has the more rows the longer it plays."""
SEARCHED = re.compile(rf"(?:SCAN|SEARCH) ({'|'.join(GROWING)})(?:_\d+)?\b(?:.* \((.*)\))?")
FEW = ("ix_matches_deleted", "ix_matches_described", "ix_matches_unsummed")
"""Indexes of a few matches only."""
MATCHES = 2_000
"""Matches of the club; in one so large no planner takes a walk for the shorter way."""


@pytest.fixture(params=["never analyzed", "analyzed"])
def grown(house: House, request: pytest.FixtureRequest) -> House:
    """Let the club have played its match two thousand times; it goes on at the first."""
    match = "/api/v1/matches/<match_id>"
    assert house.call("scorekeeper", "POST", f"{match}/finish").status_code == 200
    with house.app.app_context():
        with db.engine.begin() as connection:
            for name in GROWING:
                repeat(connection, Base.metadata.tables[name], house)
        if db.engine.dialect.name != "sqlite" and request.param == "never analyzed":
            pytest.skip("PostgreSQL analyzes tables by itself")
        db.session.remove()
        db.engine.dispose()  # a connection of SQLite reads once what was counted, and counts a sample when it is closed
        if db.engine.dialect.name == "sqlite":
            with closing(sqlite3.connect(str(db.engine.url.database), isolation_level=None)) as counting:
                counting.execute("ANALYZE")  # every row: what a sample guesses is another thing on each machine
                if request.param == "never analyzed":
                    counting.execute("DELETE FROM sqlite_stat1")
        else:
            with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("ANALYZE"))
    assert house.call("scorekeeper", "POST", f"{match}/reopen").status_code == 200
    return house


def repeat(connection: Connection, table: Table, house: House) -> None:
    """Copy each row of a table under ids of other endings."""
    numbers = select(literal(1).label("n")).cte("numbers", recursive=True)
    numbers = numbers.union_all(select(numbers.c.n + 1).where(numbers.c.n < MATCHES))
    ending = func.substr(cast(1_000_000 + numbers.c.n, String), 2)
    ids = ("id", "match_id", "round_id")
    own = [table.c.club_id == house.club_id]
    values = [func.substr(one, 1, 10).concat(ending) if one.name in ids else one for one in table.c]
    copies = select(*values).select_from(table.join(numbers, true())).where(*own)
    connection.execute(insert(table).from_select(list(table.c), copies))


def test_what_is_asked_often_walks_through_no_club(grown: House) -> None:
    asked: dict[str, tuple[str, Any]] = {}
    door = ""

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, *_rest: Any) -> None:
        if statement.startswith(("SELECT", "WITH")):
            asked.setdefault(statement, (door, values))

    for door in OFTEN:
        method, rule = door.split()
        caller = "phone" if rule == "/hand" else "scorekeeper"
        if "players" in rule or rule == "/":  # which says who leads the year
            assert grown.call(caller, method, rule).status_code == 200  # drawn, and from now on kept
        with listening(grown.app, "before_cursor_execute", note):
            assert grown.call(caller, method, rule).status_code in (200, 201, 409), door
    assert len(asked) > len(OFTEN)
    with grown.app.app_context(), db.engine.connect() as connection:
        if connection.dialect.name == "postgresql":  # guesses that someone is so called, and walks from the newest on
            asked = {said: one for said, one in asked.items() if "search" not in one[0]}
        walks = [
            f"{door}: {step}\n  {' '.join(statement.split())}"
            for statement, (door, values) in asked.items()
            for step in walked(connection, statement, values)
        ]
    assert not walks, "\n".join(walks)


def test_matches_of_a_player_come_in_the_order_that_their_index_has(house: House) -> None:
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        asked.extend([statement] if "JOIN seats" in statement and "LIMIT" in statement else [])

    with listening(house.app, "before_cursor_execute", note):
        assert house.call("scorekeeper", "GET", "/history/?player=<player_id>").status_code == 200
    assert ["ORDER BY seats.match_id DESC" in statement for statement in asked] == [True]


def walked(connection: Connection, statement: str, values: Any) -> Iterator[str]:
    """Name the steps that read all that a club has in a table which grows."""
    if connection.dialect.name == "sqlite":
        steps = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]
        in_order = not any("FOR ORDER BY" in step for step in steps)
        found = [(step, *match.groups()) for step in steps if (match := SEARCHED.match(step))]
        conditions = [(step, table, (narrowed or "").split(" AND ")) for step, table, narrowed in found]
    else:
        connection.exec_driver_sql("SET enable_seqscan = off")  # of two thousand matches, a page is a part worth a walk
        explained = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", values).scalar()
        plan = explained if isinstance(explained, list) else json.loads(explained or "[]")
        nodes = [node for node in nodes_of(plan[0]["Plan"]) if node.get("Relation Name") in GROWING]
        nodes = [node for node in nodes if node["Node Type"] != "ModifyTable"]  # its rows are found below
        in_order = not any(node["Node Type"] == "Sort" for node in nodes_of(plan[0]["Plan"]))
        conditions = [
            (f"{node['Node Type']} {node.get('Index Name')}", node["Relation Name"], _narrowed(node)) for node in nodes
        ]
    first_only = in_order and any(word in statement for word in ("LIMIT", "min(", "max("))
    for step, table, narrowed in conditions:
        stops_early = first_only and table in ("matches", "rulings")
        if len(narrowed) < 2 and not stops_early and not any(index in step for index in FEW):
            yield step


def _narrowed(node: dict[str, Any]) -> list[str]:
    return str(node.get("Index Cond") or node.get("Recheck Cond") or "").split(" AND ")


def nodes_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Walk through a plan of PostgreSQL."""
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes_of(part)
