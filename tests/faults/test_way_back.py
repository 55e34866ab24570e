"""Restoring after a loss, with the commands that docs/pages/host/backup.md gives to the host."""

import os
import random
import re
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from referee.paths import CHECKOUT
from referee.web.server.database import hold
from tests.conftest import DATABASE
from tests.faults.evening import SEED, Evening, ServerProcess
from tests.faults.test_crashes import KILLS, check
from tests.faults.test_several_processes import command
from tests.ground.postgresql import programs

only_sqlite = pytest.mark.skipif(DATABASE != "sqlite", reason="about SQLite")

BACKUP = (CHECKOUT / "docs" / "pages" / "host" / "backup.md").read_text("utf-8")


def written(first: str) -> list[str]:
    """Find the block of commands in the section on restoring whose first line begins so."""
    section = BACKUP.split("## Practice restoring")[1].split("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.+?)^```$", section, re.MULTILINE | re.DOTALL)
    (block,) = [block for block in blocks if block.strip().startswith(first)]
    return [line.strip() for line in block.splitlines()]


def play(server: ServerProcess, evening: Evening, rounds: int) -> None:
    for _ in range(rounds):
        (match,) = evening.matches
        hands = {"Bo": ["7"], "Cy": ["3"], "Di": ["9"]}
        body = {"after": len(evening.acknowledged[match]), "went_out": "Ada", "hands": hands}
        status, answer, _ = evening.ask("POST", f"/matches/{match}/rounds", body)
        assert status == 201, answer
        evening.acknowledged[match].append(answer["round"]["id"])


def walk(commands: list[str], folder: Path, database: str) -> str:
    """Run commands as a host does, in one shell that stops at the first that fails; return what they print."""
    home = folder / "bin"
    home.mkdir(exist_ok=True)
    (home / "referee").write_text(f'#!/bin/sh\ncd "{CHECKOUT}" && exec "{sys.executable}" -m referee "$@"\n')
    (home / "referee").chmod(0o755)
    path = [str(home), *([str(programs())] if DATABASE == "postgresql" else []), os.environ["PATH"]]
    given = {"PATH": os.pathsep.join(path), "REFEREE_INSTANCE": str(folder / "instance"), "DATABASE_URL": database}
    shell = ("sh", "-euc", "\n".join(commands))
    answer = subprocess.run(shell, cwd=folder, env=os.environ | given, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@only_sqlite
@pytest.mark.promise("backup#practice", "reliability#way-back")
def test_the_way_back_on_sqlite_as_it_is_written(tmp_path: Path) -> None:
    instance, stick, drill = tmp_path / "instance", tmp_path / "stick", tmp_path / "drill"
    stick.mkdir()
    commands = written("referee backup")
    moved = [line.replace("/media/stick", str(stick)).replace("/srv/drill", str(drill)) for line in commands]
    server = ServerProcess(f"sqlite:///{instance / 'referee.db'}", tmp_path)
    server.start()
    evening = Evening(server).begin(1)
    play(server, evening, 3)

    backup, *rest = moved
    walk([backup], tmp_path, server.database)
    told = walk([f"unset DATABASE_URL; {line}" for line in rest], tmp_path, server.database)
    assert "No problems found." in told
    assert check(f"sqlite:///{drill / 'referee.db'}", tmp_path) == "No problems found.\n"

    (match,) = evening.matches
    saved = list(evening.acknowledged[match])
    play(server, evening, 1)  # after the backup: this one will be lost
    server.stop()
    for file in instance.glob("referee.db*"):
        file.unlink()
    (instance / "referee.db").write_bytes(b"This is no database. " * 1000)
    walk([line.replace(f"REFEREE_INSTANCE={drill} ", "") for line in rest], tmp_path, server.database)
    assert list(instance.glob("referee.db.before-*"))
    server.start()
    evening.acknowledged[match] = saved
    evening.prove()
    server.kill()


def restoring(server: ServerProcess, backup: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a host does."""
    given = {"REFEREE_INSTANCE": str(server.folder / "instance"), "DATABASE_URL": server.database}
    words = (sys.executable, "-m", "referee", "restore", str(backup), "--yes")
    return subprocess.run(words, cwd=CHECKOUT, env=os.environ | given, capture_output=True, text=True, check=False)


def back_up(server: ServerProcess, folder: Path) -> tuple[Evening, Path]:
    """Play three rounds of a match on a server, and make a backup of them."""
    evening = Evening(server).begin(1)
    play(server, evening, 3)
    walk([f"referee backup {folder / 'backup.db'}"], folder, server.database)
    return evening, folder / "backup.db"


@only_sqlite
@pytest.mark.parametrize("program", [ServerProcess.program, command()], ids=["waitress", "gunicorn"])
@pytest.mark.promise("backup#alone", "reliability#restore-beside")
def test_a_restore_beside_a_running_server_is_refused_and_nothing_acknowledged_is_lost(
    database: str, tmp_path: Path, program: tuple[str, ...]
) -> None:
    with ServerProcess(database, tmp_path, program=program) as server:
        evening, backup = back_up(server, tmp_path)
        play(server, evening, 1)
        for _ in range(2):
            refused = restoring(server, backup)
            assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr
            assert "is in use. Stop Referee" in refused.stderr
            play(server, evening, 1)
        evening.prove()
    with server:
        evening.prove()
    assert restoring(server, backup).returncode == 0
    with server:
        (match,) = evening.matches
        evening.acknowledged[match] = evening.acknowledged[match][:3]
        evening.prove()


@only_sqlite
@pytest.mark.promise("backup#lock-ends")
def test_a_server_that_was_killed_holds_nothing(server: ServerProcess, tmp_path: Path) -> None:
    evening, backup = back_up(server, tmp_path)
    server.kill()
    assert restoring(server, backup).returncode == 0
    server.start()
    evening.prove()


@only_sqlite
@pytest.mark.promise("backup#starts-meanwhile", "reliability#restore-beside")
def test_a_server_that_starts_during_a_restore_waits_for_it_or_says_so(server: ServerProcess, tmp_path: Path) -> None:
    evening, _ = back_up(server, tmp_path)
    server.stop()
    file = Path(server.database.removeprefix("sqlite:///"))
    with closing(hold(file, alone=True)):
        with pytest.raises(RuntimeError, match=r"Error: .* is being restored\. Start again when that’s done\.\n$"):
            server.start()
        starting = threading.Thread(target=server.start)
        starting.start()
        time.sleep(1)
        assert server.ask("GET", "/healthz")[0] == 0
    starting.join()
    evening.prove()


@only_sqlite
@pytest.mark.promise("backup#killed-restore", "reliability#restore-beside")
def test_a_restore_that_is_killed_leaves_the_old_database_or_the_new_one(server: ServerProcess, tmp_path: Path) -> None:
    evening, backup = back_up(server, tmp_path)
    play(server, evening, 1)
    server.stop()
    (match,) = evening.matches
    rounds = evening.acknowledged[match]
    chance = random.Random(SEED)
    given = {"REFEREE_INSTANCE": str(server.folder / "instance"), "DATABASE_URL": server.database}
    program = "from referee.web.commands.main import main; print(flush=True); main()"
    words = (sys.executable, "-c", program, "restore", str(backup), "--yes")
    for _ in range(KILLS):
        with subprocess.Popen(words, cwd=CHECKOUT, env=os.environ | given, stdout=subprocess.PIPE) as killed:
            assert killed.stdout is not None
            killed.stdout.readline()  # all is imported, and the restore begins
            time.sleep(chance.uniform(0, 1))
            killed.kill()
        assert check(server.database, tmp_path) == "No problems found.\n"
    server.start()
    found = server.ask("GET", f"/api/v1/matches/{match}", None, {"Authorization": f"Bearer {evening.key}"})[1]
    evening.acknowledged[match] = rounds[: len(found["rounds"])]
    assert len(found["rounds"]) in (3, 4)
    evening.prove()


@pytest.mark.skipif(DATABASE != "postgresql", reason="about PostgreSQL")
@pytest.mark.promise("backup#postgresql-tools", "reliability#way-back")
def test_the_way_back_on_postgresql_as_it_is_written(tmp_path: Path, database: str) -> None:
    with ServerProcess(database, tmp_path) as server:
        evening = Evening(server).begin(1)
        play(server, evening, 3)
        live = make_url(database)
        drill = live.set(database=f"{live.database}_drill")
        text = "\n".join(written("LIVE="))
        for name, url in (("LIVE", live), ("DRILL", drill)):
            address = url.set(drivername="postgresql").render_as_string(hide_password=False)
            text, found = re.subn(rf"^{name}=.*$", f"{name}='{address}'", text, flags=re.MULTILINE)
            assert found == 1
        commands = text.replace("DATABASE drill", f"DATABASE {drill.database}").splitlines()
        *steps, last = commands
        assert re.match(r"psql .*DROP DATABASE", last)
        assert "No problems found." in walk(steps, tmp_path, database)
        play(server, evening, 2)  # the drill is no danger to what goes on
        with ServerProcess(drill.render_as_string(hide_password=False), tmp_path) as restored:
            assert restored.port != server.port
            (match,) = evening.matches
            beside = Evening(restored, evening.key, [match], {match: evening.acknowledged[match][:3]})
            beside.prove()
        evening.prove()
        walk([*[line for line in steps if "=" in line.split()[0]], last], tmp_path, database)
        engine = create_engine(drill)
        with pytest.raises(Exception, match="does not exist"):
            engine.connect()
        engine.dispose()
