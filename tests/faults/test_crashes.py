"""What was acknowledged is there, exactly once, whenever the server dies, and however many write at once.

``REFEREE_KILLS=200`` kills it more often than the short form does; ``REFEREE_SEED`` repeats a run, and
``--log-cli-level=INFO`` tells what came of it.
"""

from __future__ import annotations

import logging
import os
import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.web.commands.main import main
from tests.conftest import DATABASE
from tests.faults.evening import Evening, ServerProcess

KILLS = int(os.environ.get("REFEREE_KILLS", "3"))
SEED = os.environ.get("REFEREE_SEED", "Ada, Bo, Cy, Di")
CLIENTS = 16
NEW_MATCHES = 10
"""Kills after which new matches are begun: else, after hundreds, reading the long ones would be all that is done."""


@pytest.fixture
def server(database: str, tmp_path: Path) -> Iterator[ServerProcess]:
    """A server in a process of its own."""
    server = ServerProcess(database, tmp_path)
    server.start()
    yield server
    server.kill()


def referee(database: str, folder: Path, *words: str) -> str:
    """Run a command of the host, in this process, and return what it says; whatever serves is another."""
    environment = {"REFEREE_INSTANCE": str(folder / "instance"), "DATABASE_URL": database}
    return CliRunner().invoke(main, words, env=environment).output


def check(database: str, folder: Path) -> str:
    """Run ``referee check`` on the database and return what it says."""
    return referee(database, folder, "check")


def test_a_server_killed_while_sixteen_write_loses_nothing_and_doubles_nothing(
    server: ServerProcess, database: str, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    evening = Evening(server)
    unanswered = sent_again = 0
    for kill in range(KILLS):
        if kill % NEW_MATCHES == 0:
            evening.begin(4)
        stop = threading.Event()
        phones = evening.play(CLIENTS, stop, f"{SEED}.{kill}")
        stop.wait(chance.uniform(0.05, 1.5))
        server.kill()
        stop.set()
        for phone in phones:
            phone.join(60)
            assert not phone.is_alive()
        server.start()
        unanswered += evening.unanswered()
        sent_again += evening.settle_the_unknown()
        evening.prove()
    evening.prove(evening.acknowledged)
    rounds = sum(map(len, evening.acknowledged.values()))
    logging.info("%d kills, %d rounds, each on record once", KILLS, rounds)
    logging.info("%d posts had no answer and were sent again; %d of them were in already", sent_again, unanswered)
    assert rounds > 0
    assert unanswered <= sent_again
    assert evening.statuses <= {0, 201, 409}
    assert check(database, tmp_path) == "No problems found.\n"


def test_forty_rounds_posted_by_eight_at_once_are_numbered_without_gap_or_double(server: ServerProcess) -> None:
    evening = Evening(server)
    evening.begin(1)
    for phone in evening.play(8, threading.Event(), SEED, rounds=5):
        phone.join(120)
        assert not phone.is_alive()
    assert len(evening.acknowledged[evening.matches[0]]) == 40
    assert evening.statuses <= {201, 409}
    evening.prove()


@pytest.mark.skipif(DATABASE != "sqlite", reason="PostgreSQL brings its own backup")
def test_a_backup_made_while_phones_write_is_one_consistent_state(
    server: ServerProcess, database: str, tmp_path: Path
) -> None:
    evening = Evening(server)
    evening.begin(4)
    stop = threading.Event()
    phones = evening.play(8, stop, SEED)
    copies: dict[Path, set[str]] = {}
    for number in range(2):
        stop.wait(0.5)
        file = tmp_path / f"backup-{number}.db"
        copies[file] = {id for ids in evening.acknowledged.values() for id in list(ids)}
        assert str(file) in referee(database, tmp_path, "backup", str(file))
    stop.set()
    for phone in phones:
        phone.join(60)
    for file, acknowledged in copies.items():
        assert check(f"sqlite:///{file}", tmp_path) == "No problems found.\n"
        with closing(sqlite3.connect(file)) as kept:
            found = {row[0] for row in kept.execute("SELECT id FROM rounds")}
        assert acknowledged <= found, "what was acknowledged before the copy began is in it"
    assert all(copies.values())
