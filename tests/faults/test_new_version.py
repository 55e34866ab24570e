"""A new version with other tables comes without a pause: expand the tables, deploy, and only later contract.

The new version is this one with a column more, made in a folder of the test. While phones record rounds, its migration
runs, its server starts beside the old one, and the old one starts once more on tables it does not know.
"""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from referee.paths import PACKAGE, STATIC, TEMPLATES
from referee.records.transactions import HEAD, number_of
from tests.conftest import DATABASE
from tests.faults.evening import PATIENCE, Evening, ServerProcess, end
from tests.faults.test_crashes import SEED, check

NEXT = f"{number_of(HEAD) + 1:04}_from_{number_of(HEAD):04}"
MIGRATION = f'''"""Give every club a motto."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{HEAD}"


def upgrade():
    with op.batch_alter_table("clubs") as clubs:
        clubs.add_column(sa.Column("motto", sa.String(80), server_default="Play on", nullable=False))


def downgrade():
    with op.batch_alter_table("clubs") as clubs:
        clubs.drop_column("motto")
'''
MODEL = """
Club.motto = mapped_column(String(80), server_default="Play on", nullable=False)
"""
ON_POSTGRESQL = DATABASE == "postgresql"
PHONES = 4 if ON_POSTGRESQL else 1
"""Phones to a server. SQLite takes one writer at a time, in no order: three servers are more than its host has."""
PAUSE = 0.05
"""Seconds between two rounds of a phone: without a pause one server keeps the others from SQLite for many seconds."""
FINE = {201, 409} if ON_POSTGRESQL else {201, 409, 503}
"""What a server may answer; with SQLite also that the database was locked for five seconds, and to try again."""
ENOUGH = 5
"""Rounds that come in by each server before and after each step."""


@pytest.fixture
def next_version(tmp_path: Path) -> Path:
    """A copy of the program whose tables have a column more."""
    code = tmp_path / "next"
    for folder in (PACKAGE, TEMPLATES, STATIC):
        shutil.copytree(folder, code / folder.name)
    records = code / "referee" / "records"
    (records / "migrations" / "versions" / f"{NEXT}_give_every_club_a_motto.py").write_text(MIGRATION)
    models = records / "models.py"
    models.write_text(models.read_text("utf-8") + MODEL, "utf-8")
    return code


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def start(server: ServerProcess, stack: ExitStack) -> ServerProcess:
    stack.callback(server.kill)
    server.start()
    return server


def referee(code: Path, database: str, folder: Path, *words: str) -> str:
    """Run a command of a version of the program and return what it prints."""
    environment = os.environ | {"REFEREE_INSTANCE": str(folder / "instance"), "DATABASE_URL": database}
    command = (sys.executable, "-m", "referee", *words)
    answer = subprocess.run(command, cwd=code, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def play_on(*evenings: Evening) -> None:
    """Wait until enough rounds more are recorded by each server."""
    wanted = [one.recorded + ENOUGH for one in evenings]
    deadline = time.monotonic() + PATIENCE
    while any(one.recorded < count for one, count in zip(evenings, wanted, strict=True)):
        assert time.monotonic() < deadline, [one.statuses for one in evenings]
        time.sleep(0.05)


@pytest.mark.promise("reliability#new-version")
def test_tables_grow_and_servers_change_while_rounds_are_recorded(
    database: str, tmp_path: Path, next_version: Path, stack: ExitStack
) -> None:
    old = start(ServerProcess(database, tmp_path), stack)
    evening = Evening(old, pause=PAUSE)
    evening.begin(2)
    stop = threading.Event()
    stack.callback(stop.set)
    phones = evening.play(PHONES, stop, SEED)
    play_on(evening)

    referee(next_version, database, tmp_path, "db", "upgrade")
    engine = create_engine(database)
    assert "motto" in {column["name"] for column in inspect(engine).get_columns("clubs")}
    engine.dispose()
    play_on(evening)

    new = start(replace(old, code=next_version, port=0, process=None), stack)
    beside = replace(evening, server=new, statuses=set(), recorded=0, unknown=[])
    phones += beside.play(PHONES, stop, f"{SEED}, new")
    again = start(replace(old, port=0, process=None), stack)  # as systemd does after a crash: still the old version
    third = replace(evening, server=again, statuses=set(), recorded=0, unknown=[])
    phones += third.play(PHONES, stop, f"{SEED}, again")
    play_on(evening, beside, third)

    end(phones, stop)
    for one in (evening, beside, third):
        assert one.statuses <= FINE, "no request failed"
        one.settle_the_unknown()
    for one in (evening, beside, third):
        one.prove()
    assert referee(next_version, database, tmp_path, "check") == "No problems found.\n"
    assert check(database, tmp_path) == "No problems found.\n"
    assert NEXT in referee(next_version, database, tmp_path, "db", "current")
    referee(next_version, database, tmp_path, "db", "check")
