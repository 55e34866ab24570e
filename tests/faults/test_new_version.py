"""A new version with other tables comes without a pause: expand the tables, deploy, and only later contract.

The new version is this one with a column more, made in a folder of the test. While phones record rounds, its migration
runs, its server starts beside the old one, and the old one starts once more on tables it does not know.
"""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from referee.paths import PACKAGE, STATIC, TEMPLATES
from referee.records.transactions import HEAD, number_of
from tests.conftest import DATABASE
from tests.faults.evening import SEED, Evening, ServerProcess
from tests.faults.test_crashes import check

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


def referee(code: Path, database: str, folder: Path, *words: str) -> str:
    """Run a command of a version of the program and return what it prints."""
    environment = os.environ | {"REFEREE_INSTANCE": str(folder / "instance"), "DATABASE_URL": database}
    command = (sys.executable, "-m", "referee", *words)
    answer = subprocess.run(command, cwd=code, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@pytest.mark.promise("reliability#new-version")
def test_tables_grow_and_servers_change_while_rounds_are_recorded(
    database: str, tmp_path: Path, next_version: Path
) -> None:
    with ExitStack() as stack, ServerProcess(database, tmp_path) as old:
        evening = Evening(old, pause=PAUSE).begin(2)
        phones = stack.enter_context(ExitStack())
        phones.enter_context(evening.playing(PHONES))
        evening.go_on()

        referee(next_version, database, tmp_path, "db", "upgrade")
        engine = create_engine(database)
        assert "motto" in {column["name"] for column in inspect(engine).get_columns("clubs")}
        engine.dispose()
        evening.go_on()

        new = stack.enter_context(replace(old, code=next_version, port=0, process=None))
        beside = replace(evening, server=new, statuses=set(), recorded=0, unknown=[])
        phones.enter_context(beside.playing(PHONES, f"{SEED}, new"))
        again = stack.enter_context(replace(old, port=0, process=None))  # as after a crash: still the old version
        third = replace(evening, server=again, statuses=set(), recorded=0, unknown=[])
        phones.enter_context(third.playing(PHONES, f"{SEED}, again"))
        for one in (evening, beside, third):
            one.go_on()
        phones.close()

        for one in (evening, beside, third):
            assert one.statuses <= FINE, "no request failed"
            one.settle_the_unknown()
        for one in (evening, beside, third):
            one.prove()
    assert referee(next_version, database, tmp_path, "check") == "No problems found.\n"
    assert check(database, tmp_path) == "No problems found.\n"
    assert NEXT in referee(next_version, database, tmp_path, "db", "current")
    referee(next_version, database, tmp_path, "db", "check")
