"""A new machine that goes through README and guide by the words that stand there.

It is a container of Debian with what the README asks for, Python and pip, and a copy of the checkout in the home of an
ordinary user. Each command of a page is held against what the page promises; one that nothing is known about fails.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import sqlite3
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.paths import CHECKOUT
from referee.records.transactions import HEAD
from tools.machines import pages, stand_ins
from tools.machines.engine import Failed, podman, say
from tools.machines.evening import check

NAME = "referee-fresh"
USER = "host"
HOUSE = f"/home/{USER}"
HOME = f"{HOUSE}/referee"
URL = "http://127.0.0.1:8000"
STICK = "/media/stick"
RELEASES = CHECKOUT / "tests" / "records" / "releases"
PATIENCE = 300
"""Seconds in which a first start has to be ready: it installs everything."""


class Machine:
    """A container to type commands into."""

    def do(self, line: str, user: str = USER, at: str = HOME) -> str:
        """Run a line of shell and return what it printed; raises Failed."""
        return podman("exec", "--user", user, "--workdir", at, NAME, "sh", "-c", f"({line}) 2>&1")

    @contextlib.contextmanager
    def running(self, line: str, url: str = URL) -> Iterator[str]:
        """Keep a line of shell running until it is interrupted as by Ctrl+C; give what it printed. Raises Failed."""
        start = f"echo $$ >/tmp/number; exec {line} >/tmp/said 2>&1"
        podman("exec", "--detach", "--user", USER, "--workdir", HOME, NAME, "sh", "-c", start)
        try:
            self.wait(url)
            yield self.said()
        finally:
            gone = "test -e /proc/$(cat /tmp/number) || exit 0"
            self.do(f"kill -INT $(cat /tmp/number); for i in $(seq 100); do {gone}; sleep 0.1; done; exit 1")

    def said(self) -> str:
        """Give what the running line has printed."""
        return self.do("cat /tmp/said")

    def wait(self, url: str = URL) -> None:
        """Wait until a server in the machine is ready; raises Failed with what it said."""
        until = time.monotonic() + PATIENCE
        ask = f"import urllib.request; urllib.request.urlopen('{url}/readyz', timeout=5)"
        while True:
            try:
                self.do(f'python3 -c "{ask}"')
            except Failed:
                if time.monotonic() > until:
                    raise Failed(self.do("tail -n 30 /tmp/said /run/referee.log; true")) from None
                time.sleep(0.3)
            else:
                return

    def play(self, url: str = URL) -> str:
        """Play two rounds in a new club, and give what has to be found again."""
        return self.do(f"python3 -m tools.machines.evening play {url}")

    def still(self, told: str, url: str = URL) -> None:
        """Look whether what was played is there; raises Failed."""
        write(told, "/tmp/told")
        self.do(f"python3 -m tools.machines.evening still {url} </tmp/told")


def write(text: str, path: str) -> None:
    """Write a file into the machine, for everybody to read."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_text(text)
        file.chmod(0o644)
        podman("cp", str(file), f"{NAME}:{path}")


@contextlib.contextmanager
def machine() -> Iterator[Machine]:
    """Set a machine up with what the README asks for, and take it away in the end."""
    stand_ins.have(stand_ins.DEBIAN)
    with contextlib.suppress(Failed):
        podman("rm", "--force", NAME)
    podman("run", "--detach", "--init", "--name", NAME, stand_ins.DEBIAN, "sleep", "infinity")
    try:
        new = Machine()
        needed = "python3 python3-pip ca-certificates"
        new.do(f"apt-get update && apt-get install --yes --no-install-recommends {needed}", "root", "/")
        new.do(f"useradd --create-home {USER}", "root", "/")
        with TemporaryDirectory() as folder:
            podman("cp", str(_copy(Path(folder))), f"{NAME}:{HOME}")
        new.do(f"chown --recursive {USER}:{USER} {HOME}", "root", "/")
        yield new
    finally:
        podman("rm", "--force", NAME)


def _copy(folder: Path) -> Path:
    """Copy what git knows of the checkout, as it is now."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=CHECKOUT, capture_output=True, check=True).stdout.decode().split("\0")
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in filter(None, names):
            if (CHECKOUT / name).exists():
                archive.add(CHECKOUT / name, name)
    packed.seek(0)
    with tarfile.open(fileobj=packed) as archive:
        archive.extractall(folder / "checkout", filter="tar")
    return folder / "checkout"


def try_it() -> None:
    """Go through README and guide; raises Failed."""
    with machine() as new:
        for page in (pages.README, pages.HOST / "evening.md"):
            new.do("find instance -mindepth 1 -maxdepth 1 ! -name README -exec rm -r {} +")
            for line in (line for _, lines in pages.sections(page) for line in lines):
                began = time.monotonic()
                promise = next((known for pattern, known in PROMISES.items() if re.fullmatch(pattern, line)), None)
                if promise is None:
                    raise Failed(f"{page.name}: what does “{line}” promise? tools/machines/fresh.py doesn't know")
                say(f"  {page.name}: {line}: {promise(new, line)}, {time.monotonic() - began:.0f} s")
        upgrade(new)
        install_for_good(new)
        keep_safe(new)
        install_wheel(new)


def _serves(new: Machine, line: str) -> str:
    with new.running(line):
        told = new.play()
    with new.running(line):
        new.still(told)
    return "ready, two rounds played, stopped, started anew, they are there"


def _serves_the_house(new: Machine, line: str) -> str:
    with new.running(line) as said:
        if "█" not in said and "▀" not in said:
            raise Failed(f"no QR code:\n{said}")
        links = set(re.findall(r"http://(?!127\.)[\d.]+:8000/join/\w+", said))
        if len(links) != 1:
            raise Failed(f"one link, not {links}:\n{said}")
        _open(new, *links)
    return "a QR code, and its link opens at the address of the house"


def _open(new: Machine, link: str) -> None:
    new.do(f"python3 -c \"import urllib.request; urllib.request.urlopen('{link}')\"")


def _lets_in(new: Machine, line: str) -> str:
    said = new.do(line)
    paths = set(re.findall(r"/join/\w+", said))
    if len(paths) != 1:
        raise Failed(f"one link, not {paths}:\n{said}")
    (path,) = paths
    with new.running("python3 run"):
        _open(new, URL + path)
    return "a link that opens it"


def _here_already(_new: Machine, _line: str) -> str:
    return "a copy of this checkout is there already"


def _left_to_ci(_new: Machine, _line: str) -> str:
    return "left to .ci/run, which takes minutes"


PROMISES: dict[str, Callable[[Machine, str], str]] = {
    r"git clone https://\S+ && cd referee": _here_already,
    r"python3 run": _serves,
    r"python3 run --lan": _serves_the_house,
    r"python3 run demo": _serves_the_house,
    r"python3 run invite": _lets_in,
    r"python3 run test": _left_to_ci,
}
"""What README and the page about one evening promise of each command."""


def upgrade(new: Machine) -> None:
    """Bring up a database of every release, as the page says; raises Failed."""
    pull, serve, bring_up = pages.commands(pages.HOST / "upgrade.md", "Upgrade")
    check(pull, "git pull")  # the new version is there already
    new.do("mv instance /tmp/before && mkdir instance")
    for file in sorted(RELEASES.glob("*.sql.gz")):
        release = file.name.removesuffix(".sql.gz")
        told = json.loads((RELEASES / f"{release}.json").read_text())
        outdated = _put(new, file)
        if outdated:
            said = new.do(f"! timeout 60 {serve}")
            if "db upgrade" not in said:
                raise Failed(f"it should say what to do:\n{said}")
            new.do(bring_up)
        with new.running(serve):
            for match, before in told["matches"].items():
                found = _asked(new, f"/api/v1/matches/{match}", told["spectator_key"])
                check([found["status"], found["winners"]], [before["status"], before["winners"]])
        way = "refused, brought up, " if outdated else ""
        say(f"  upgrade.md: the database of {release}: {way}every match as it was")
    new.do("rm -r instance && mv /tmp/before instance")


def _put(new: Machine, dump: Path) -> bool:
    """Give the machine the database of a release, and tell whether its tables are older than this version's."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "referee.db"
        with contextlib.closing(sqlite3.connect(file)) as made:
            made.executescript(gzip.decompress(dump.read_bytes()).decode())
            ((version,),) = made.execute("SELECT version_num FROM alembic_version").fetchall()
        podman("cp", str(file), f"{NAME}:/tmp/referee.db")
    new.do("rm -f instance/referee.db*", "root")
    new.do("chown host /tmp/referee.db && mv /tmp/referee.db instance/", "root")
    return str(version) != HEAD


def _asked(new: Machine, path: str, key: str) -> dict[str, Any]:
    asked = f"Request('{URL}{path}', headers=dict(Authorization='Bearer {key}'))"
    said = new.do(f'python3 -c "from urllib.request import *; print(urlopen({asked}).read().decode())"')
    return dict(json.loads(said))


def install_for_good(new: Machine) -> None:
    """Install the service as root, as the page says; raises Failed."""
    began = time.monotonic()
    podman("cp", str(stand_ins.HERE / "systemctl"), f"{NAME}:/usr/local/bin/systemctl")
    new.do("mkdir --parents /etc/systemd/system", "root")
    for line in pages.commands(pages.HOST / "by-hand.md", "Install"):
        new.do(line, "root")
    new.wait()
    owner = new.do("stat -c %U /proc/$(cat /run/referee.pid)", "root")
    check(owner.strip(), "referee")
    check(new.do("stat -c '%a %U' /var/lib/referee/referee.db", "root").split(), ["600", "referee"])
    (invite,) = pages.commands(pages.HOST / "by-hand.md", "Let the first phone in")
    links = set(re.findall(r"http://(?!127\.)[\d.]+:8000/join/\w+", new.do(invite, "root")))
    check(len(links), 1)
    _open(new, *links)
    took = time.monotonic() - began
    say(f"  by-hand.md: installed by hash, the first phone let in from the network, {took:.0f} s (systemd: a stand-in)")


def keep_safe(new: Machine) -> None:
    """Back up at night and by hand, practice restoring, and restore in earnest, as the page says; raises Failed."""
    new.do(f"install -d -o referee {STICK} /srv/drill", "root")
    page = pages.HOST / "backup.md"
    for line in pages.commands(page, "Every night"):
        said = new.do(line, "root")
    check(len(re.findall(r"\b\w+\.db$", said, re.MULTILINE)), 1)
    new.do("apt-get install --yes --no-install-recommends systemd", "root")
    units = "/etc/systemd/system/referee*"
    check(new.do(f"systemd-analyze verify --man=no {units}", "root"), "")  # what the stand-in does not know of them
    told = new.play()
    for line in pages.commands(page, "By hand"):
        new.do(line, "root")
    check(new.do(f"stat -c %a {STICK}/referee.db", "root").strip(), "600")
    practice = pages.commands(page, "Practice restoring")
    for line in practice[: next(place for place, line in enumerate(practice) if line.startswith("LIVE="))]:
        said = new.do(line, "root")
    if "No problems found." not in said:
        raise Failed(said)
    new.play()
    for line in pages.commands(page, "After a loss"):
        new.do(line, "root")
    new.wait()
    new.still(told)
    new.do("ls /var/lib/referee/referee.db.before-*", "root")
    (purge,) = pages.commands(pages.HOST / "deleting.md", "What is deleted")
    check("Nothing to purge." in new.do(purge, "root"), True)
    say("  backup.md: backed up by the timer's service and by hand, restored elsewhere, and restored in earnest")


def install_wheel(new: Machine) -> None:
    """Install the wheel into an empty environment by the words of its own description; raises Failed."""
    new.do("systemctl stop referee", "root")
    new.do(f".venv/bin/python -m hatchling build -t wheel -d {HOUSE}/wheel")
    *lines, serve = pages.commands(CHECKOUT / "docs" / "package.md", "Referee")
    for line in lines:
        new.do(line, at=f"{HOUSE}/wheel")
    with new.running(f"{HOUSE}/wheel/{serve}"):
        told = new.play()
    with new.running(f"{HOUSE}/wheel/{serve}"):
        new.still(told)
    new.do(f"test -e {HOUSE}/.local/share/referee/referee.db")
    say("  package.md: the wheel in an empty environment, served, played, stopped, started anew")
