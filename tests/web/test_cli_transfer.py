"""The host takes clubs out and brings them in, backs everything up and puts it back."""

import errno
import json
import os
import re
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import select

from referee.records.club import access
from referee.records.deletion import of_player
from referee.records.match.matches import start_match
from referee.records.match.plans import MatchPlan
from referee.records.match.rulings import Case, language_of
from referee.records.models import Club, Match, Player, Ruling, now
from referee.records.transactions import HEAD
from referee.rules.text.words import speaking
from referee.web.commands import backups
from referee.web.commands.main import main
from referee.web.server.database import db, hold
from tests.conftest import CAST, MakeApp, close
from tests.ground.rounds import give_ruling, record

pytestmark = pytest.mark.usefixtures("database")


class Run(Protocol):
    """Run a command of the host on the test's database; `answer` is typed in."""

    def __call__(self, *arguments: str, fails: bool = False, answer: str | None = None) -> Result: ...


@pytest.fixture
def run(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command of the host on the test's database."""
    monkeypatch.setenv("REFEREE_INSTANCE", str(tmp_path / "instance"))
    monkeypatch.setenv("DATABASE_URL", database)

    def run(*arguments: str, fails: bool = False, answer: str | None = None) -> Result:
        result = CliRunner().invoke(main, list(arguments), input=answer)
        assert (result.exit_code != 0) == fails, result.output
        assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


@pytest.fixture
def club(app: Flask) -> str:
    """A club with a match and a round; its name."""
    with app.app_context():
        new = access.create_club(db.session(), "Sunday table")
        match = start_match(db.session(), new.club, MatchPlan(CAST, "classic-500"), new.scorekeeper)
        said = {"went_out": "Ada", "hands": {"Bo": 20, "Cy": 20, "Di": 20}}
        record(db.session(), match, said, 0, new.scorekeeper)
        db.session.commit()
    return "Sunday table"


def matches(app: Flask) -> int:
    with app.app_context():
        return len(db.session.scalars(select(Match)).all())


def match_states(app: Flask) -> set[int]:
    with app.app_context():
        states = {match.state for match in db.session.scalars(select(Match))}
    close(app)
    return states


@pytest.mark.parametrize("words", [("export", "club.json"), ("export", "club.json", "--club", "Monday")], ids=str)
def test_without_the_club_there_is_nothing_to_export(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    command, file, *rest = words
    said = run(command, str(tmp_path / file), *rest, fails=True).output
    assert ("“Monday”" if rest else "There is no club yet") in said
    assert not (tmp_path / file).exists()


def test_long_work_shows_in_a_terminal_how_far_it_has_come(
    run: Run, app: Flask, club: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = run("check")
    assert quiet.stderr == ""
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, as far as the bar can tell
    file = str(tmp_path / "club.json")
    for command, label in ((["check"], "Checking"), (["export", file], "Exporting"), (["import", file], "Importing")):
        told = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", run(*command).stderr)
        assert label in told
        assert command[0] == "import" or "1/1" in told


@pytest.mark.promise("backup#one-club")
def test_a_club_goes_out_and_comes_back_as_a_new_one(run: Run, app: Flask, club: str, tmp_path: Path) -> None:
    file = tmp_path / "club.json"
    run("export", str(file))
    assert json.loads(file.read_text("utf-8"))["club"]["name"] == club
    assert "New matches: 1, rounds: 1, players: 4." in run("import", str(file), "--club", "new").output
    assert matches(app) == 2
    with app.app_context():
        ids = db.session.scalars(select(Club.id).order_by(Club.id)).all()
    second = tmp_path / "again.json"
    run("export", str(second), "--club", ids[1])
    assert second.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("code", ["de", "en"])
@pytest.mark.promise("backup#one-club")
def test_a_club_and_its_rulings_come_back_in_their_language(run: Run, app: Flask, tmp_path: Path, code: str) -> None:
    file = tmp_path / "club.json"
    with app.app_context(), speaking(code):
        new = access.create_club(db.session(), "Sunday table")
        match = start_match(db.session(), new.club, MatchPlan(CAST, "classic-500"), new.scorekeeper)
        case = Case("draw-four-challenge", {"challenged": False}, {"offender": "Ada", "target": "Bo"})
        give_ruling(db.session(), match, case, new.scorekeeper)
        db.session.commit()
    run("export", str(file))
    assert json.loads(file.read_text("utf-8"))["club"].get("language", "en") == code
    run("import", str(file), "--club", "new")
    with app.app_context():
        assert db.session.scalars(select(Club.language)).all() == [code, code]
        assert {language_of(ruling.ruling) for ruling in db.session.scalars(select(Ruling))} == {code}


@pytest.mark.parametrize(("zone", "told"), [("Asia/Atlantis", True), ("Asia/Tokyo", False)])
@pytest.mark.usefixtures("club")
def test_a_time_zone_that_is_unknown_here_is_told(run: Run, app: Flask, tmp_path: Path, zone: str, told: bool) -> None:
    file = tmp_path / "club.json"
    run("export", str(file))
    document = json.loads(file.read_text("utf-8"))
    document["club"]["time_zone"] = zone
    file.write_text(json.dumps(document), "utf-8")
    assert (f"doesn’t know the club’s time zone, {zone}." in run("import", str(file), "--club", "new").output) == told
    with app.app_context():
        assert zone in db.session.scalars(select(Club.time_zone)).all(), "another server may know it"


def test_the_same_file_twice_doubles_nothing(run: Run, app: Flask, club: str, tmp_path: Path) -> None:
    run("export", str(tmp_path / "club.json"))
    assert "already there" in run("import", str(tmp_path / "club.json")).output
    assert matches(app) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "referee-club", "version": 2}'])
def test_a_broken_file_is_told_and_nothing_comes_in(run: Run, app: Flask, tmp_path: Path, text: str) -> None:
    file = tmp_path / "broken.json"
    file.write_text(text)
    assert "Nothing was imported." in run("import", str(file), "--club", "new", fails=True).output
    with app.app_context():
        assert db.session.scalars(select(Club)).all() == []


def test_an_export_that_cannot_be_written_leaves_no_half_file(run: Run, club: str, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "club.json"
    assert "Can’t write" in run("export", str(target), fails=True).output
    assert not target.parent.exists()


@pytest.fixture
def file(database: str) -> Path:
    """The file of the database, for what only SQLite has."""
    if not database.startswith("sqlite"):
        pytest.skip("PostgreSQL has backups of its own")
    return Path(database.removeprefix("sqlite:///"))


@pytest.fixture
def copy(run: Run, file: Path, club: str, tmp_path: Path) -> str:
    """A backup of the club with its match."""
    copy = str(tmp_path / "backup.db")
    run("backup", copy)
    return copy


def go_on(app: Flask, name: str = "Later") -> None:
    """Found another club, and let go of the database."""
    with app.app_context():
        access.create_club(db.session(), name)
        db.session.commit()
    close(app)


def saved_before(file: Path) -> list[Path]:
    """Find the databases that restores replaced, the oldest first."""
    return sorted(file.parent.glob(f"{file.name}.before-*"))


def clubs_in(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as opened:
        return [name for (name,) in opened.execute("SELECT name FROM clubs ORDER BY id")]


@pytest.mark.promise("backup#asks-first", "backup#never-mistaken")
def test_a_backup_comes_back(run: Run, app: Flask, club: str, copy: str, file: Path) -> None:
    go_on(app)
    states = match_states(app)
    run("restore", copy, answer="y\n")
    assert match_states(app).isdisjoint(states), "every phone reads anew what came back"
    with app.app_context():
        assert db.session.scalars(select(Club.name)).all() == [club]
    (before,) = saved_before(file)
    assert clubs_in(before) == [club, "Later"]


@pytest.mark.promise("security#private-files")
def test_what_is_taken_out_is_for_its_owner_only(
    run: Run, app: Flask, club: str, database: str, tmp_path: Path
) -> None:
    before = os.umask(0)
    try:
        run("export", str(tmp_path / "club.json"), "--club", club)
        assert (tmp_path / "club.json").stat().st_mode & 0o777 == 0o600
        if database.startswith("sqlite"):
            file, copy = Path(database.removeprefix("sqlite:///")), tmp_path / "backup.db"
            run("backup", str(copy))
            close(app)
            run("restore", str(copy), "--yes")
            file.write_bytes(b"broken" * 1000)
            run("restore", str(copy), "--yes")
            befores = saved_before(file)
            assert len(befores) == 2, "also one kept as it lay"
            copies = [copy, file, file.with_name(f"{file.name}.lock"), *befores]
            assert {one.stat().st_mode & 0o777 for one in copies} == {0o600}
    finally:
        os.umask(before)


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\x00" + b"\x00" * 100])
@pytest.mark.promise("backup#checked-and-saved")
def test_what_is_no_backup_is_not_restored(
    run: Run, app: Flask, club: str, file: Path, tmp_path: Path, content: bytes
) -> None:
    strange = tmp_path / "strange.db"
    strange.write_bytes(content)
    assert "isn’t a backup of this app" in run("restore", str(strange), "--yes", fails=True).output
    assert matches(app) == 1


@pytest.mark.promise("backup#checked-and-saved")
def test_a_backup_damaged_in_its_middle_is_not_restored_and_says_so(run: Run, app: Flask, copy: str) -> None:
    with Path(copy).open("r+b") as opened:
        opened.seek(40_960)
        opened.write(b"\xff" * 20_000)
    close(app)
    told = run("restore", copy, "--yes", fails=True).output
    assert "damaged" in told, told
    assert matches(app) == 1


@pytest.mark.promise("backup#asks-first")
def test_no_means_no(run: Run, app: Flask, copy: str) -> None:
    run("restore", copy, answer="n\n", fails=True)
    assert matches(app) == 1


def fails_in_one_line(result: Result, said: str) -> None:
    """Fail unless a command ended with status 1 and one line that says why."""
    assert result.exit_code == 1
    assert said in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1, result.stderr


def earlier_program(file: Path) -> sqlite3.Connection:
    """Open a database as a server of 1.0.0 has it open: a connection in its pool, and no lock of ours."""
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("SELECT count(*) FROM clubs").fetchone()
    return connection


def by_a_link(file: Path) -> sqlite3.Connection:
    """Hold a database as a program does whose settings name a link to it."""
    link = file.with_name("link.db")
    link.symlink_to(file)
    held = hold(link)
    link.unlink()
    return held


@pytest.mark.parametrize("open_by", [hold, by_a_link, earlier_program])
@pytest.mark.promise("backup#alone")
def test_a_restore_is_refused_while_anyone_has_the_database_open(
    run: Run, app: Flask, club: str, copy: str, file: Path, open_by: Callable[[Path], sqlite3.Connection]
) -> None:
    go_on(app)
    with closing(open_by(file)):
        fails_in_one_line(run("restore", copy, "--yes", fails=True), "is in use. Stop Referee")
        assert clubs_in(file) == [club, "Later"]
        assert saved_before(file) == []
        assert not list(file.parent.glob(".*.new*"))
    run("restore", copy, "--yes")
    assert clubs_in(file) == [club]


@pytest.mark.promise("backup#alone")
def test_an_app_without_an_open_connection_still_has_the_database(
    run: Run, app: Flask, copy: str, make_app: MakeApp
) -> None:
    close(app)
    with make_app().app_context():
        db.session.remove()
        db.engine.pool.dispose()
    fails_in_one_line(run("restore", copy, "--yes", fails=True), "is in use")


EARLIER = """import sqlite3, sys
for name in sys.stdin:
    connection, answer = sqlite3.connect(sys.argv[1], timeout=0.1), "saved"
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        with connection:
            connection.execute("UPDATE clubs SET name = ?", (name.strip(),))
    except sqlite3.Error as error:
        answer = str(error)
    if "stays" not in sys.argv:
        connection.close()
    print(answer, flush=True)
"""


@contextmanager
def earlier_server(file: Path, *words: str) -> Iterator[Callable[[str], str]]:
    """Run a process that opens a database as 1.0.0 does, to call its club by each name it is asked to."""
    command = (sys.executable, "-c", EARLIER, str(file), *words)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:

        def ask(name: str) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{name}\n")
            return process.stdout.readline().strip()

        yield ask
        process.communicate()


@pytest.mark.promise("backup#opens-meanwhile", "reliability#restore-beside")
def test_an_earlier_server_with_an_empty_pool_writes_nothing_into_a_file_that_is_gone(
    run: Run, app: Flask, club: str, copy: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close(app)
    answers, put_in = list[str](), backups._put_in

    def meanwhile(*given: Any) -> None:
        answers.append(ask("During"))
        put_in(*given)

    with earlier_server(file) as ask:
        answers.append(ask("Before"))
        monkeypatch.setattr(backups, "_put_in", meanwhile)
        run("restore", copy, "--yes")
        assert clubs_in(file) == [club]
        answers.append(ask("Afterwards"))
    assert answers == ["saved", "database is locked", "saved"]
    assert clubs_in(saved_before(file)[0]) == ["Before"]
    assert clubs_in(file) == ["Afterwards"]


@pytest.mark.promise("backup#alone")
def test_a_damaged_database_that_an_earlier_server_has_open_is_in_use(
    run: Run, app: Flask, club: str, copy: str, file: Path
) -> None:
    close(app)
    with earlier_server(file, "stays") as ask:
        ask("Before")
        with file.open("r+b") as opened:
            opened.write(b"This is no database. " * 10)
        fails_in_one_line(run("restore", copy, "--yes", fails=True), "is in use. Stop Referee")
    run("restore", copy, "--yes")
    assert clubs_in(file) == [club]


@pytest.mark.parametrize("words", [("purge",), ("check",), ("db", "upgrade"), ("import", "club.json"), ("backup", "b")])
@pytest.mark.promise("backup#shared")
def test_other_commands_share_the_database_with_a_server(
    run: Run, club: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    run("export", "club.json")
    with closing(hold(file)):
        run(*words)


@pytest.mark.promise("backup#checked-and-saved")
def test_every_restore_saves_what_it_replaced_beside_the_earlier_ones(
    run: Run, app: Flask, club: str, copy: str, file: Path
) -> None:
    for name in ("Later", "Later still"):
        go_on(app, name)
        output = run("restore", copy, "--yes").output
        assert str(saved_before(file)[-1]) in output
    assert [clubs_in(each) for each in saved_before(file)] == [[club, "Later"], [club, "Later still"]]


@pytest.mark.parametrize("damage", ["no database", "the first page", "a page in the middle", "the end is missing"])
@pytest.mark.promise("backup#checked-and-saved")
def test_a_damaged_database_is_saved_as_it_lies_and_replaced(
    run: Run, app: Flask, club: str, copy: str, file: Path, damage: str
) -> None:
    close(app)
    whole = file.read_bytes()
    half = len(whole) // 2 // 4096 * 4096
    broken = {
        "no database": b"This is no database. " * 1000,
        "the first page": whole[:100] + b"\xff" * 3996 + whole[4096:],
        "a page in the middle": whole[:half] + b"\xff" * 4096 + whole[half + 4096 :],
        "the end is missing": whole[:half],
    }[damage]
    file.write_bytes(broken)
    run("restore", copy, "--yes")
    assert clubs_in(file) == [club]
    (before,) = saved_before(file)
    assert before.read_bytes()[100:] == broken[100:]
    assert run("check").output == "No problems found.\n"


@pytest.mark.promise("backup#starts-meanwhile")
def test_while_a_restore_has_the_file_nothing_starts_and_another_restore_is_refused(
    run: Run, app: Flask, copy: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.web.server.database.BUSY_TIMEOUT", 0)
    close(app)
    with closing(hold(file, alone=True)):
        fails_in_one_line(run("check", fails=True), "is being restored. Start again")
        fails_in_one_line(run("serve", "--port", "0", fails=True), "is being restored. Start again")
        fails_in_one_line(run("restore", copy, "--yes", fails=True), "is in use")
    run("check")


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Let no file grow beyond a size: to the kernel that is a write that fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.promise("backup#no-half-file")
def test_a_backup_that_cannot_be_written_is_one_line_and_leaves_no_half_file(
    run: Run, club: str, file: Path, tmp_path: Path
) -> None:
    missing = tmp_path / "missing" / "backup.db"
    fails_in_one_line(run("backup", str(missing), fails=True), f"Can’t write {missing}: No such file or directory.")
    (tmp_path / "file").touch()
    fails_in_one_line(run("backup", str(tmp_path / "file" / "backup.db"), fails=True), "Can’t write")
    run("backup", str(tmp_path / "backup.db"))
    earlier = (tmp_path / "backup.db").read_bytes()
    with full_disk(100_000):
        fails_in_one_line(run("backup", str(tmp_path / "backup.db"), fails=True), "Can’t write")
    assert (tmp_path / "backup.db").read_bytes() == earlier
    assert not list(tmp_path.glob(".*"))


def test_a_read_only_disk_is_one_line(
    run: Run, club: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlink = Path.unlink

    def refused(path: Path, *, missing_ok: bool = False) -> None:
        if path.parent == tmp_path:  # a disk says so before it looks whether there is such a file
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    backup = tmp_path / "backup.db"
    fails_in_one_line(run("backup", str(backup), fails=True), f"Can’t write {backup}: Read-only file system.")


def test_nothing_is_written_in_place_of_the_database_or_of_a_device(
    run: Run, app: Flask, club: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    linked, device = tmp_path / "linked.db", tmp_path / "device"
    linked.symlink_to(file)
    os.mkfifo(device)
    for target in (file, Path(file.name), linked, Path(f"{file}-wal"), device):
        for command in ("backup", "export"):
            said = f"{target} is part of the database, or not an ordinary file. Choose another name."
            fails_in_one_line(run(command, str(target), fails=True), said)
    for target in (file, linked):
        said = f"{target} is part of the database"
        fails_in_one_line(run("restore", str(target), "--yes", fails=True), said)
    assert clubs_in(file) == [club]
    assert device.is_fifo()


@pytest.mark.promise("backup#killed-restore")
def test_a_restore_that_the_disk_has_no_room_for_changes_nothing(
    run: Run, app: Flask, club: str, copy: str, file: Path
) -> None:
    go_on(app)
    with full_disk(100_000):
        fails_in_one_line(run("restore", copy, "--yes", fails=True), "Can’t write")
    assert clubs_in(file) == [club, "Later"]
    assert saved_before(file) == []
    assert not list(file.parent.glob(".*"))


@pytest.mark.parametrize("room", [40_000, 100_000], ids=["for the purge", "for rewriting"])
@pytest.mark.promise("deleting#purge-disk-full")
def test_a_purge_that_the_disk_has_no_room_for_is_one_line(
    run: Run, app: Flask, club: str, file: Path, room: int
) -> None:
    with app.app_context():
        db.session.scalars(select(Match)).one().deleted_at = now() - timedelta(days=31)
        db.session.commit()
    close(app)
    with full_disk(room):
        result = run("purge", fails=True)
    fails_in_one_line(result, "Purging stopped: disk I/O error; the disk may be full. Free")
    assert "Purged (matches: 1" in run("purge").output + result.stdout
    assert run("check").output == "No problems found.\n"


def test_an_upgrade_says_from_where_to_where_or_that_there_was_nothing_to_do(run: Run, club: str) -> None:
    earlier = "0004_from_0003"
    assert run("db", "upgrade").output == f"The tables have version {HEAD}. There was nothing to do.\n"
    assert run("db", "downgrade", earlier).output == f"The tables went from version {HEAD} to {earlier}.\n"
    assert run("db", "upgrade").output == f"The tables went from version {earlier} to {HEAD}.\n"


def test_an_upgrade_or_import_that_the_disk_has_no_room_for_is_one_line(
    run: Run, app: Flask, club: str, file: Path, tmp_path: Path
) -> None:
    run("export", str(tmp_path / "club.json"))
    close(app)
    run("db", "downgrade", "0004_from_0003")
    with full_disk(20_000):
        fails_in_one_line(run("db", "upgrade", fails=True), "disk I/O error; the disk may be full")
    run("db", "upgrade")
    with full_disk(20_000):
        imported = run("import", str(tmp_path / "club.json"), "--club", "new", fails=True)
    fails_in_one_line(imported, "disk I/O error; the disk may be full")
    assert clubs_in(file) == [club]


def test_a_downgrade_that_would_lose_what_waits_is_refused_in_one_line(run: Run, app: Flask, club: str) -> None:
    with app.app_context():
        db.session.scalars(select(Match)).one().deleted_at = now()
        db.session.commit()
    close(app)
    fails_in_one_line(run("db", "downgrade", "0002_from_0001", fails=True), "something deleted waits to be restored")
    assert run("db", "upgrade").output == f"The tables have version {HEAD}. There was nothing to do.\n"


@pytest.mark.promise("deleting#downgrade-refused")
def test_a_downgrade_that_would_lose_texts_with_a_deleted_name_names_their_places(
    run: Run, app: Flask, club: str
) -> None:
    earlier = "0007_from_0003"
    with app.app_context():
        session = db.session()
        match = session.scalars(select(Match)).one()
        match.note = "Cy won"
        session.flush()
        owner, player = session.get_one(Club, match.club_id), session.scalars(select(Player).filter_by(name="Cy")).one()
        chosen = {f"matches/{match.id}/note": None}
        of_player.write_names(session, owner.id, of_player.draft_removal(session, player, chosen))
        places = [f"{owner.id}: {place}" for place in (*chosen, f"players/{player.id}/name")]
        session.commit()
    close(app)
    fails_in_one_line(run("db", "downgrade", earlier, fails=True), f"then downgrade again: {', '.join(places)}")
    assert run("db", "upgrade").output == f"The tables have version {HEAD}. There was nothing to do.\n"
    run("purge", "--at-once")
    assert run("db", "downgrade", earlier).output == f"The tables went from version {HEAD} to {earlier}.\n"
    assert run("db", "upgrade").output == f"The tables went from version {earlier} to {HEAD}.\n"


@pytest.mark.promise("backup#postgresql-tools")
def test_on_postgresql_both_commands_name_its_own_tools(run: Run, club: str, database: str, tmp_path: Path) -> None:
    if database.startswith("sqlite"):
        pytest.skip("about PostgreSQL")
    (tmp_path / "backup.db").touch()
    for command in ("backup", "restore"):
        fails_in_one_line(run(command, str(tmp_path / "backup.db"), fails=True), "pg_dump and pg_restore")
