"""Run Referee always on this machine, by ``sudo python3 run always``: install, upgrade, look, go back, remove.

Only the standard library, since root runs it by the system's Python. What is missing is one list: announcing it, doing
it, and finding nothing to do the second time are that list.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from tools.always import machine, program
from tools.always.machine import CURRENT, HOSTING, OPT, PYTHON, ROOT, USER, Refused, do, same, works

UNITS = Path("/etc/systemd/system")
SERVICES = ("referee.service", "referee-nightly.service", "referee-nightly.timer")
NIGHTS = UNITS / "referee-nightly.service.d" / "nights.conf"
"""After kept.conf in the alphabet, and so stronger."""
COMMAND = Path("/usr/local/bin/referee")
CADDYFILE = Path("/etc/caddy/Caddyfile")
CADDY_PART = Path("/etc/caddy/referee.caddy")
IMPORT = f"import {CADDY_PART}\n"
ADD_USER = ("useradd", "--system", "--home-dir", "/var/lib/referee", "--shell", "/usr/sbin/nologin", USER)
ROOM = 400_000_000
"""Bytes that a version takes, and then some."""
ON_ONE_DISK = "The backups in {} are on the database's own disk, and die with it: --backups DIR names another."


def main(words: list[str]) -> int:
    """Do what the words ask for and return the exit status."""
    parser = argparse.ArgumentParser(prog="sudo python3 run always", description="Run Referee always on this machine.")
    tasks = {"install": install, "upgrade": install, "status": status, "back": back, "remove": remove}
    parser.add_argument("task", nargs="?", choices=tasks, default="install", help="without one: install")
    parser.add_argument("--yes", action="store_true", help="do it without asking")
    parser.add_argument("--port", type=int, help="another port than 8000")
    parser.add_argument(
        "--backups", type=Path, metavar="DIR", help="where the nightly backups go, best on another disk"
    )
    parser.add_argument("--https", action="store_true", help="put Caddy in front, with certificates of its own")
    parser.add_argument("--data", action="store_true", help="with remove: matches and settings too; asks twice")
    asked = parser.parse_args(words)
    try:
        if os.geteuid():
            raise Refused("Only root can do this: sudo python3 run always")
        os.umask(0o022)
        os.chdir("/")
        return tasks[asked.task](asked)
    except Refused as error:
        print(error)
    except subprocess.CalledProcessError as error:
        said = f"{error.stdout or ''}{error.stderr or ''}".strip().splitlines()
        print(f"Failed: {shlex.join(map(str, error.cmd))}" + (f": {said[-1]}" if said else ""))
    except OSError as error:
        print(f"Failed: {error}")
    return 1


def agrees(question: str) -> bool:
    """Ask for yes or no."""
    with suppress(EOFError):
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    return False


def install(asked: argparse.Namespace) -> int:
    """Announce what is missing, ask, and do it, once or again; for an upgrade the same."""
    if asked.task == "upgrade" and not (CURRENT.exists() or machine.by_the_old_guide()):
        raise Refused("Nothing is installed here yet: sudo python3 run always")
    keep = asked.backups or machine.backups()
    look_first(asked, keep)
    if steps := list(missing(asked, keep)):
        print("This will:", *(f"  - {says}" for says, _ in steps), sep="\n")
        if machine.on_one_disk(keep):
            print(ON_ONE_DISK.format(keep))
        if not asked.yes and not agrees("Go on?"):
            return 1
        began = time.monotonic()
        for says, bring_about in steps:
            print(f"… {says}", flush=True)
            bring_about()
        print(f"Done in {time.monotonic() - began:.0f} seconds.")
    show(invites=asked.task == "install")
    return 0


def look_first(asked: argparse.Namespace, keep: Path) -> None:
    """Raise Refused for whatever would stop the work half way, before anything is made."""
    if not Path("/run/systemd/system").is_dir():
        raise Refused("This machine isn't run by systemd, which would start Referee; see docs/pages/host/by-hand.md.")
    if not Path(PYTHON).exists() or not works(PYTHON, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"):
        raise Refused(f"{PYTHON} must be 3.11 or newer: apt-get install --yes python3, on Debian 12 or Ubuntu 24.04")
    if not works(PYTHON, "-c", "import ensurepip, venv"):
        raise Refused("A part of Python is missing: apt-get install --yes python3-venv")
    file, instance = machine.database(), machine.instance()
    size = file.stat().st_size if file and file.exists() else 0
    for folder, needed in ((OPT, ROOM), (UNITS, 0), (instance, 50_000_000 + 3 * size), (keep, 2 * size)):
        there = machine.nearest(folder)
        if not os.access(there, os.W_OK):
            raise Refused(f"{there} is read-only.")
        free = shutil.disk_usage(there).free
        if free < needed:
            raise Refused(f"{there} is full: {free // 10**6} MB are free, {needed // 10**6} are needed.")
    if not re.match(r"/(?!home/|root/|tmp/|run/user/|usr/|etc/|boot/)\S+$", str(keep)):
        raise Refused(
            "Name a folder for backups from / without spaces, where the service may write: not in /home, /tmp."
        )
    if asked.https and not (shutil.which("caddy") and CADDYFILE.exists()):
        raise Refused("Caddy isn't installed: apt-get install --yes caddy")
    if asked.https and "proxies" in machine.settings() and not CADDY_PART.exists():
        raise Refused(f"{instance / 'config.toml'} already names a proxy of yours, which stays as it is.")
    wanted = asked.port or machine.port()
    if wanted != machine.port() or not works("systemctl", "is-active", "referee"):
        with closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("0.0.0.0", wanted))
            except OSError as error:
                raise Refused(f"Port {wanted} is in use; name another: --port {wanted + 1}") from error


def missing(asked: argparse.Namespace, keep: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """List what an installation lacks, in the order of doing: what it is, and how it comes about."""
    folder, new, file = machine.instance(), program.folder_of_checkout(), machine.database()
    old_guide, config = machine.by_the_old_guide(), folder / "config.toml"
    if not machine.exists(USER):
        yield f"add the user {USER}, who can't sign in", partial(do, *ADD_USER)
    if not folder.is_dir():
        yield f"make {folder} for the database", partial(machine.make_folder, folder)
    if not config.exists() and not old_guide:
        yield f"let the home network in ({config})", partial(configure, host='"0.0.0.0"')
    if asked.port and asked.port != machine.port():
        yield f"set port = {asked.port}", partial(configure, port=str(asked.port))
    if old_guide and not CURRENT.exists():
        say = f"take over the installation in {OPT}: its database, key and settings stay"
        yield say, partial(program.point, OPT)
    if not (new / "complete").exists():
        yield f"install version {machine.version()} in {new}, not touching {ROOT}", partial(program.make, new)
    stale = [name for name in SERVICES if not same(UNITS / name, shipped(name))]
    for name in stale:
        also = f", keeping what you changed as {name}.d/kept.conf" if kept(name) else ""
        yield f"write {UNITS / name}{also}", partial(write_unit, name)
    if is_ours(COMMAND) and not same(COMMAND, shipped("referee")):
        yield f"write the command {COMMAND}", partial(write, COMMAND, shipped("referee"), 0o755)
    nights = "[Service]\nExecStart=\nExecStart=/opt/referee/current/bin/referee purge\n"
    if file:
        nights = f"[Unit]\nRequiresMountsFor={keep}\n\n[Service]\nEnvironment=BACKUPS={keep}\n"
        if not keep.is_dir():
            yield f"make {keep} for the backups", partial(machine.make_folder, keep)
    if not same(NIGHTS, nights):
        say = f"back up every night at half past four into {keep}" if file else "purge every night; pg_dump backs up"
        yield say, partial(write, NIGHTS, nights)
    runs = works("systemctl", "is-active", "referee") and works("systemctl", "is-enabled", "referee")
    if stale or not runs or CURRENT.resolve() != new:
        say = f"run version {machine.version()} at every start"
        if file is None or file.exists():
            say = f"upgrade the tables and {say}"
        if file and file.exists():
            say = f"try it on a copy of the database at another port, then back up, {say}"
        yield say, partial(program.switch, new)
    if not works("systemctl", "is-enabled", "referee-nightly.timer") or (file and not any(keep.glob("*.db"))):
        yield "start the nights, with one backup and purge now", start_nights
    if asked.https and not (same(CADDY_PART, caddy_part()) and IMPORT in CADDYFILE.read_text()):
        yield (
            f"let Caddy answer by HTTPS ({CADDY_PART}, imported by {CADDYFILE}): EVERY PHONE must trust the certificate"
            " once, and sign in anew",
            write_caddy,
        )


# What is made


def shipped(name: str) -> str:
    """Return a file as this checkout has it."""
    return (HOSTING / name).read_text()


def write(file: Path, text: str, mode: int = 0o644) -> None:
    """Write a file that everyone may read, and tell systemd if it is one of its own."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    if UNITS in file.parents:
        do("systemctl", "daemon-reload")


def write_unit(name: str) -> None:
    """Write a unit; what a host changed in it goes on as a drop-in, and the old file lies beside it."""
    file, changed = UNITS / name, kept(name)
    if changed:
        drop_in = UNITS / f"{name}.d" / "kept.conf"
        shutil.copy2(file, f"{file}.before")
        write(drop_in, (drop_in.read_text() if drop_in.exists() else "") + changed)
    write(file, shipped(name))


def kept(name: str) -> str:
    """Return the drop-in that says what a host changed in a unit, "" for nothing."""
    file, before = UNITS / name, CURRENT / "hosting" / name
    if not file.exists():
        return ""
    old, new = read_unit(before if before.exists() else HOSTING / name), read_unit(file)
    lines = []
    for section, key in dict.fromkeys((*old, *new)):
        was, values = old.get((section, key), []), new.get((section, key), [])
        if values != was:
            lines.append(f"[{section}]")
            if key.startswith(("Exec", "Environment", "OnCalendar", "RestrictAddressFamilies")):
                lines.append(f"{key}=")  # empties the list first
            off = "no" if was[:1] in (["true"], ["yes"], ["strict"], ["full"], ["always"]) else ""
            lines += [f"{key}={value}" for value in values or [off]]
    return "".join(f"{line}\n" for line in lines)


def read_unit(file: Path) -> dict[tuple[str, str], list[str]]:
    """Return the values of a unit by section and key."""
    found: dict[tuple[str, str], list[str]] = {}
    section = ""
    text = file.read_text("utf-8").replace("/opt/referee/bin/", "/opt/referee/current/bin/").replace("\\\n", " ")
    for line in text.splitlines():
        key, sign, value = line.partition("=")
        if line.startswith("["):
            section = line.strip("[] ")
        elif sign and not line.startswith(("#", ";")) and section != "Install":
            found.setdefault((section, key.strip()), []).append(value.strip())
    return found


def configure(**lines: str | None) -> None:
    """Set or, by None, take out lines of config.toml; the others stay as the host wrote them."""
    file = machine.instance() / "config.toml"
    old = file.read_text("utf-8").splitlines() if file.exists() else []
    stays = [line for line in old if line.split("=")[0].strip() not in lines]
    file.write_text("\n".join([f"{key} = {value}" for key, value in lines.items() if value] + stays) + "\n", "utf-8")
    shutil.chown(file, USER, USER)
    file.chmod(0o600)
    works("systemctl", "try-restart", "referee")


def is_ours(command: Path) -> bool:
    """Tell whether a command is missing or was written by us or the guide, so that it may be replaced."""
    return not command.exists() or "Every command of Referee" in command.read_text(errors="replace")


def start_nights() -> None:
    """Start the timer, and its first night now."""
    do("systemctl", "enable", "--now", "referee-nightly.timer")
    do("systemctl", "start", "referee-nightly.service")


def caddy_part() -> str:
    """Return the part of Caddy's settings that is ours, from the file of the guide."""
    text = re.sub(r"(?ms)^\{\n.*?^\}\n", "", shipped("Caddyfile.home")).replace(":8000", f":{machine.port()}")
    for scheme in ("http", "https"):
        every = ", ".join(f"{scheme}://{name}" for name in machine.names())
        text = re.sub(rf"(?m)^{scheme}://\{{\$ADDRESS:.*?\}}", every, text)
    return text


def write_caddy() -> None:
    """Give Caddy its part, ask whether it understands it, and let only Caddy reach Referee; else all is as before."""
    before = CADDYFILE.read_text()
    CADDY_PART.write_text(caddy_part())
    if IMPORT not in before:
        CADDYFILE.write_text(f"{before.rstrip()}\n\n{IMPORT}")
    try:
        do("caddy", "validate", "--adapter", "caddyfile", "--config", CADDYFILE)
    except subprocess.CalledProcessError:
        CADDYFILE.write_text(before)
        CADDY_PART.unlink()
        raise
    configure(host=None, proxies="1", trusted_hosts=json.dumps([*reversed(machine.names()), "127.0.0.1"]))
    do("systemctl", "restart", "caddy")


# What is said, and the end


def show(*, invites: bool) -> None:
    """Print where Referee is, a code that lets a phone in if one `invites`, and what a firewall needs."""
    behind, port, settings = CADDY_PART.exists(), machine.port(), machine.settings()
    base = [f"https://{name}" if behind else f"http://{name}:{port}" for name in machine.names()]
    print("Referee is always on:", *base)
    if not (behind or "host" in settings or re.search(r"--(host|bind)", machine.shown("referee", "ExecStart"))):
        config = machine.instance() / "config.toml"
        print(f'Only this machine opens it, for your proxy; without one: host = "0.0.0.0" in {config}.')
    if invites:
        address = () if "proxies" in settings else ("--address", base[-1])
        try:
            print(program.run(CURRENT, "referee", "invite", *address))
        except subprocess.CalledProcessError:  # there are several clubs
            print("Let a phone in: sudo referee invite --club NAME")
    if not is_ours(COMMAND):
        print(f"{COMMAND} is not Referee's and stays; type {CURRENT}/hosting/referee instead.")
    if shutil.which("ufw") and "Status: active" in do("ufw", "status"):
        print(f"Open the firewall for phones: sudo ufw allow {'80,443' if behind else port}/tcp")


def status(_asked: argparse.Namespace) -> int:
    """Say what runs, and whether its last backup is whole; 1 where something is wrong."""
    if not CURRENT.exists():
        raise Refused("Nothing is installed here yet: sudo python3 run always")
    told = do(CURRENT / "bin" / "python", "-c", "import referee; print(referee.__version__)").strip()
    runs, folder = works("systemctl", "is-active", "referee"), machine.backups()
    says = "runs" if runs else "DOES NOT RUN: journalctl -u referee"
    print(f"Referee {told} {says}:", *machine.names(), f"port {machine.port()}")
    if machine.database() is None:
        print("The database is PostgreSQL's: pg_dump backs up.")
        return 0 if runs else 1
    if machine.on_one_disk(folder):
        print(ON_ONE_DISK.format(folder))
    if not (last := max(folder.glob("*.db"), key=lambda each: each.stat().st_mtime, default=None)):
        print(f"NO BACKUP in {folder}.")
        return 1
    hours = (time.time() - last.stat().st_mtime) / 3600
    try:
        with closing(sqlite3.connect(f"file:{last}?mode=ro&immutable=1", uri=True)) as opened:
            found = opened.execute("PRAGMA quick_check").fetchone()[0]
            (matches,) = opened.execute("SELECT count(*) FROM matches").fetchone()
    except sqlite3.Error as error:
        found = str(error)
    proof = f"opened and checked: whole, {matches} matches" if found == "ok" else f"DAMAGED: {found}"
    print(f"Last backup: {last}, {hours:.0f} hours ago, {proof}.")
    return 0 if runs and found == "ok" and hours < 50 else 1


def back(_asked: argparse.Namespace) -> int:
    """Go back to the program of before."""
    print(program.go_back())
    return 0


def remove(asked: argparse.Namespace) -> int:
    """Take program, units and command away; data and user stay, unless asked for twice."""
    folder, saved = machine.instance(), machine.backups()
    if not asked.yes and not agrees(f"Remove Referee from this machine? {folder} and {saved} stay."):
        return 1
    works("systemctl", "disable", "--now", "--quiet", "referee.service", "referee-nightly.timer")
    for name in SERVICES:
        drop_ins = UNITS / f"{name}.d"
        for file in (UNITS / name, drop_ins / "kept.conf", drop_ins / NIGHTS.name):
            file.unlink(missing_ok=True)
        with suppress(OSError):
            drop_ins.rmdir()
    if CADDY_PART.exists():
        CADDYFILE.write_text(CADDYFILE.read_text().replace(IMPORT, ""))
        CADDY_PART.unlink()
        configure(host='"0.0.0.0"', proxies=None, trusted_hosts=None)
        works("systemctl", "reload", "caddy")
    if is_ours(COMMAND):
        COMMAND.unlink(missing_ok=True)
    shutil.rmtree(OPT, ignore_errors=True)
    do("systemctl", "daemon-reload")
    if asked.data and agrees(f"Delete every match in {folder}?") and agrees("Really? Only a backup brings them back."):
        shutil.rmtree(folder)
        do("userdel", USER)
        print(f"{folder} and the user {USER} are gone. Backups stay in {saved}.")
    else:
        print(f"Removed. Matches and settings stay in {folder}, backups in {saved}, and so does the user {USER}.")
    return 0
