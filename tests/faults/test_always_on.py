"""``sudo python3 run always`` on a Debian of its own, under its own systemd, with its own network."""

import gzip
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from referee.paths import CHECKOUT

RELEASED = "1ca5a133"
"""Where the history has 1.0.0."""
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PACKAGES = "systemd,systemd-sysv,dbus,python3,python3-venv,ca-certificates,iproute2"
ENTER = ("-m", "-p", "-u", "-n", "-i", "--", "env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
OLD_GUIDE = """
python3 -m venv /opt/referee
/opt/referee/bin/pip install --quiet --require-hashes -r /src/docs/hosting/requirements.lock
/opt/referee/bin/pip install --quiet --no-deps --no-build-isolation /old
useradd --system referee
sed 's/referee serve/referee serve --host 0.0.0.0 --port 8080/' /old/docs/hosting/referee.service \
    >/etc/systemd/system/referee.service
echo 'echo mine' >/usr/local/bin/referee
install -d -o referee -m 700 /var/lib/referee
install -o referee -m 600 /old/referee.db /var/lib/referee/referee.db
systemctl enable --now referee
"""

pytestmark = [pytest.mark.extended, pytest.mark.xdist_group("always")]


class Machine:
    """A Debian that runs until it is closed."""

    def __init__(self, root: Path, wheels: Path) -> None:
        (root / "wheels").mkdir()
        (root / "etc" / "pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n")
        boot = ("--boot", "--private-network", "--register=no", "--keep-unit", f"--bind-ro={wheels}:/wheels")
        self.root = root
        self.outer = subprocess.Popen(
            ("systemd-nspawn", "--quiet", f"--directory={root}", *boot),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def boot(self) -> bool:
        """Wait until it has started."""
        until = time.monotonic() + 60
        while time.monotonic() < until and self.outer.poll() is None:
            if self.leader and re.search("running|degraded", self.try_it("systemctl is-system-running")[1]):
                self.do("ip addr add 192.168.7.2/24 dev lo; ip route add default dev lo")
                return True
            time.sleep(0.3)
        return False

    @property
    def leader(self) -> str:
        children = Path(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children").read_text().split()
        return children[0] if children else ""

    def try_it(self, line: str, typed: str = "") -> tuple[int, str]:
        command = ("nsenter", "-t", self.leader, *ENTER, "sh", "-c", f"cd /; {line}")
        done = subprocess.run(command, input=typed, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def do(self, line: str, typed: str = "") -> str:
        status, said = self.try_it(line, typed)
        assert status == 0, said
        return said

    def asked(self, path: str, port: int = 8000) -> str:
        address = f"http://127.0.0.1:{port}{path}"
        return self.do(f"python3 -c \"from urllib.request import *; print(urlopen('{address}').read().decode())\"")

    def bring(self, version: str) -> None:
        """Copy the checkout, of a host's own, as another version."""
        copy = self.root / "src"
        shutil.rmtree(copy, ignore_errors=True)
        left = shutil.ignore_patterns(".*", "tests", "build", "instance", "node_modules", "__pycache__")
        shutil.copytree(CHECKOUT, copy, ignore=left, symlinks=True)
        file = copy / "referee" / "__init__.py"
        file.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', file.read_text()))
        refs = copy / ".git" / "refs" / "heads"
        refs.mkdir(parents=True)
        (refs / "main").write_text(f"{COMMIT}\n")
        (copy / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.do("chown -R 1000:1000 /src")

    def close(self) -> None:
        if self.leader:
            os.kill(int(self.leader), 9)
        self.outer.terminate()
        self.outer.wait(20)


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Make the files of Debian 12, and fetch what the lock names for it."""
    missing = [program for program in ("systemd-nspawn", "mmdebstrap", "nsenter") if not shutil.which(program)]
    if os.geteuid() or missing:
        pytest.skip("booting a machine needs root, and apt-get install mmdebstrap systemd-container")
    folder = tmp_path_factory.mktemp("debian")
    archive, wheels = folder / "debian.tar", folder / "wheels"
    made = subprocess.run(
        ("mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(archive)),
        capture_output=True,
        text=True,
    )
    if made.returncode:
        pytest.skip(f"mmdebstrap: {made.stderr[-300:]}")
    lock = CHECKOUT / "docs" / "hosting" / "requirements.lock"
    only = ("--python-version", "3.11.2", "--only-binary", ":all:", "--require-hashes", "-r", str(lock))
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "-d", str(wheels))
    subprocess.run((*pip, *only), check=True)
    # pip asks the markers of this Python, and Debian's is older than 3.11.3
    older = re.findall(r"^(\S+==\S+) ; python_full_version < '3\.11\.3'", lock.read_text(), re.MULTILINE)
    subprocess.run((*pip, "--no-deps", *older), check=True)
    return archive, wheels


@pytest.fixture
def machine(debian: tuple[Path, Path], tmp_path: Path) -> Iterator[Machine]:
    archive, wheels = debian
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(("tar", "xf", str(archive), "-C", str(root)), check=True)
    made = Machine(root, wheels)
    try:
        if not made.boot():
            pytest.skip("systemd-nspawn can't boot here")
        yield made
    finally:
        made.close()
        shutil.rmtree(root, ignore_errors=True)


def test_a_machine_is_always_on_goes_forth_and_back_and_is_cleared(machine: Machine) -> None:
    machine.bring("7.0.0")
    before = machine.do("ls -laR /src | sha256sum")
    always = "subprocess.run(['python3', '/src/run', 'always', '--yes'])"
    taken = f"import socket, subprocess; taken = socket.create_server(('0.0.0.0', 8000)); {always}"
    (refused,) = machine.do(f'python3 -c "{taken}"').splitlines()
    assert refused == "Port 8000 is in use; name another: --port 8001"
    assert machine.try_it("python3 /src/run always", "n\n")[0] == 1
    assert machine.do("ls /opt; id referee 2>/dev/null || true").strip() == "", "nothing is made before a yes"

    said = machine.do("python3 /src/run always", "y\n")
    assert "can't be had" not in said, "the lock fits"
    assert "http://192.168.7.2:8000" in said
    assert "█" in said
    assert machine.do("ls -laR /src | sha256sum") == before, "root leaves nothing in the checkout"
    assert f"7.0.0, commit {COMMIT[:12]}" in machine.asked("/healthz")
    assert "This will" not in machine.do("python3 /src/run always"), "the second time there is nothing to do"
    status = machine.do("python3 /src/run always status")
    assert "whole" in status
    assert "own disk" in status

    machine.bring("7.0.1")
    machine.do("python3 /src/run always upgrade --yes")
    assert "7.0.1" in machine.asked("/healthz")
    assert "nothing is lost" in machine.do("python3 /src/run always back")
    assert "7.0.0" in machine.asked("/healthz")

    broken = machine.root / "src" / "referee" / "web" / "app.py"
    broken.write_text(broken.read_text() + "\nraise SystemExit('broken')\n")
    assert machine.try_it("python3 /src/run always upgrade --yes")[0] == 1
    assert "7.0.0" in machine.asked("/healthz"), "what doesn't answer on a copy never runs"

    machine.do("python3 /src/run always remove --yes")
    assert machine.do("ls /var/lib/referee/referee.db; id -u referee")
    assert machine.try_it("ls /opt/referee /usr/local/bin/referee /etc/systemd/system/referee.service")[0]
    machine.do("python3 /src/run always remove --yes --data", "y\ny\n")
    assert machine.try_it("ls /var/lib/referee")[0]


def test_an_installation_of_1_0_by_the_old_guide_is_taken_over(machine: Machine) -> None:
    packed = subprocess.run(("git", "archive", RELEASED), cwd=CHECKOUT, capture_output=True)
    if packed.returncode:
        pytest.skip("this checkout has no history")
    (machine.root / "old").mkdir()
    subprocess.run(("tar", "x", "-C", str(machine.root / "old")), input=packed.stdout, check=True)
    dump = CHECKOUT / "tests" / "records" / "releases" / "1.0.0.sql.gz"
    with closing(sqlite3.connect(machine.root / "old" / "referee.db")) as made:
        made.executescript(gzip.decompress(dump.read_bytes()).decode())
    machine.bring("7.0.0")
    machine.do(f"set -e\n{OLD_GUIDE}\nmkdir /etc/caddy; echo '# mine' >/etc/caddy/Caddyfile; sleep 5")
    key = machine.do("cat /var/lib/referee/secret_key")

    said = machine.do("python3 /src/run always --yes")
    assert "The tables went from version 0002_from_0001" in said
    assert "7.0.0" in machine.asked("/healthz", 8080), "at the port that the host's own unit names"
    assert "11 matches" in machine.do("python3 /src/run always status")
    assert machine.do("cat /var/lib/referee/secret_key") == key
    assert machine.do("cat /usr/local/bin/referee /etc/caddy/Caddyfile") == "echo mine\n# mine\n"
    assert "--port 8080" in machine.do("cat /etc/systemd/system/referee.service.d/kept.conf")

    assert "nothing had been saved" in machine.do("python3 /src/run always back")
    assert "1.0.0" in machine.asked("/healthz", 8080)
    machine.do("python3 /src/run always upgrade --yes")
    with closing(sqlite3.connect(machine.root / "var" / "lib" / "referee" / "referee.db")) as live:
        live.execute("UPDATE clubs SET name = name || '!'")
        live.commit()
    status, refused = machine.try_it("python3 /src/run always back")
    assert status == 1
    assert "something was saved since" in refused
    assert "7.0.0" in machine.asked("/healthz", 8080), "nothing acknowledged is lost"
