"""A drill: three machines with etcd, Patroni and PostgreSQL, whose leader dies, again and again, under sixteen tables.

Each machine is a network namespace with the address that the guide's files give it, so that it takes root, Debian's
packages and some minutes; nothing of it is left afterwards:

    REFEREE_FAILOVERS=20 python3 run test tests/faults/test_patroni.py --log-cli-level=INFO
"""

import json
import logging
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from referee.paths import CHECKOUT
from tests.faults.evening import PATIENCE, Evening, ServerProcess, wait_until
from tests.faults.recipes import new_database, recipe
from tests.faults.test_crashes import check
from tests.faults.test_failover import TABLES
from tests.faults.test_several_processes import command
from tests.test_proxies_and_units import needs

FAILOVERS = int(os.environ.get("REFEREE_FAILOVERS", "0"))
WHY = "a drill of minutes, as root: apt-get install patroni etcd-server postgresql, then REFEREE_FAILOVERS=5"
pytestmark = pytest.mark.skipif(not FAILOVERS or os.geteuid() != 0, reason=WHY)

GUIDE = (CHECKOUT / "docs" / "pages" / "host" / "failover.md").read_text("utf-8")
NODES = {"node1": "10.0.0.11", "node2": "10.0.0.12", "node3": "10.0.0.13"}
BRIDGE = "referee0"
ENOUGH = 50
"""Rounds after which the evening goes on as before."""


def ip(words: str) -> str:
    """Run ``ip``, and return what it prints."""
    return subprocess.run((needs("ip", "iproute2"), *words.split()), check=True, capture_output=True, text=True).stdout


class Node:
    """A machine: a namespace, and all that runs in it as the user postgres."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.address, self.folder = name, NODES[name], folder / name
        self.folder.mkdir(mode=0o755)
        places = {
            "@NAME@": name, "@ADDRESS@": self.address, "/var/lib/postgresql": str(self.folder),
            "/var/run/postgresql": str(self.folder),
        }  # fmt: skip
        (self.folder / "patroni.yml").write_text(recipe("patroni.yml", places))
        own = {"@NAME@": name, "@ADDRESS@": self.address, "/var/lib/etcd": str(self.folder)}
        self.etcd = dict(re.findall(r"^(\w+)=(.*)$", recipe("etcd", own), re.MULTILINE))
        subprocess.run(("chown", "-R", "postgres:postgres", str(self.folder)), check=True)
        ip(f"netns add {name}")
        ip(f"link add {name} type veth peer name eth0 netns {name}")
        ip(f"link set {name} master {BRIDGE} up")
        ip(f"-n {name} addr add {self.address}/24 dev eth0")
        ip(f"-n {name} link set eth0 up")
        ip(f"-n {name} link set lo up")
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start etcd and Patroni, as systemd does after the machine."""
        as_postgres = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
        inside = (needs("ip", "iproute2"), "netns", "exec", self.name, *as_postgres)
        patroni = (needs("patroni"), str(self.folder / "patroni.yml"))
        with (self.folder / "log").open("ab") as log:
            for words in ((needs("etcd", "etcd-server"),), patroni):
                environment = os.environ | self.etcd | {"HOME": str(self.folder)}
                self.processes.append(
                    subprocess.Popen((*inside, *words), cwd=self.folder, env=environment, stdout=log, stderr=log)
                )

    def kill(self) -> None:
        """Kill all that runs there at once, as a power cut does."""
        while numbers := ip(f"netns pids {self.name}").split():
            for number in numbers:
                with suppress(ProcessLookupError):
                    os.kill(int(number), signal.SIGKILL)
        for process in self.processes:
            process.wait(30)
        self.processes = []

    def kill_postgresql(self) -> None:
        """Kill the first process of PostgreSQL only; Patroni lives."""
        os.kill(int((self.folder / "15/referee/postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def remove(self) -> None:
        """Leave nothing of it."""
        self.kill()
        ip(f"link del {self.name}")  # at once; with the namespace it would go a while later
        ip(f"netns del {self.name}")


class Three:
    """The three of them."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        ip(f"link add {BRIDGE} type bridge")
        stack.callback(ip, f"link del {BRIDGE}")
        ip(f"addr add 10.0.0.1/24 dev {BRIDGE}")
        ip(f"link set {BRIDGE} up")
        self.nodes = {}
        for name in NODES:
            self.nodes[name] = Node(name, folder)
            stack.callback(self.nodes[name].remove)
        for node in self.nodes.values():
            node.start()
        self.roles: dict[str, str] = {}

    def views(self) -> list[dict[str, tuple[str, str]]]:
        """Ask Patroni on each machine that answers who does what and how: one that was cut off may not know better."""
        found = []
        for address in NODES.values():
            with suppress(OSError, ValueError), urlopen(f"http://{address}:8008/cluster", timeout=5) as answer:
                found.append({one["name"]: (one["role"], one["state"]) for one in json.load(answer)["members"]})
        return found

    def whole(self) -> bool:
        """Return whether all agree that one leads, one follows it before a round is acknowledged, and one after."""
        views = self.views()
        if len(views) < len(NODES) or any(view != views[0] for view in views):
            return False
        self.roles = {role: name for name, (role, _) in views[0].items()}
        states = {state for _, state in views[0].values()}
        return self.roles.keys() == {"leader", "replica", "sync_standby"} and states <= {"running", "streaming"}

    def leader(self) -> Node:
        """Return the machine that leads all; waits until it does."""
        wait_until(self.whole, every=0.5)
        return self.nodes[self.roles["leader"]]


@pytest.fixture
def three() -> Iterator[Three]:
    """Three machines on one bridge; all names and files are theirs alone."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-patroni-", dir="/var/tmp")))
        folder.chmod(0o755)
        three = Three(stack, folder)
        new_database(f"host={three.leader().address} user=postgres password=password dbname=postgres")
        yield three


def pause(evening: Evening, fault: Callable[[], object]) -> float:
    """Return the longest time in which no round was acknowledged, from a fault on until rounds come as before."""
    seen = evening.recorded
    wanted = seen + ENOUGH
    last, longest = time.monotonic(), 0.0
    fault()
    while seen < wanted:
        assert time.monotonic() - last < PATIENCE, "no round comes any more"
        if evening.recorded > seen:
            seen = evening.recorded
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        time.sleep(0.01)
    return longest


@pytest.mark.promise("reliability#leader-killed")
def test_whichever_machine_leads_may_die_and_nothing_acknowledged_is_lost(three: Three, tmp_path: Path) -> None:
    (address,) = re.findall(r'^database_url = "(.*)"$', GUIDE, re.MULTILINE)
    with ServerProcess(address, tmp_path, program=command()) as server:
        evening = Evening(server, pause=2).begin(TABLES)
        with evening.playing(TABLES):
            evening.go_on(ENOUGH)
            gaps = []
            for _ in range(FAILOVERS):
                leader = three.leader()
                gaps.append(pause(evening, leader.kill))
                leader.start()
                assert three.leader() is not leader
                logging.info("%s killed: %.1f s without a round", leader.name, gaps[-1])
            logging.info("%d kills: %.1f to %.1f s without a round", FAILOVERS, min(gaps), max(gaps))

            logging.info("PostgreSQL alone killed: %.1f s", pause(evening, three.leader().kill_postgresql))
            leader = three.leader()
            logging.info("cut from the network: %.1f s", pause(evening, lambda: ip(f"link set {leader.name} down")))
            ip(f"link set {leader.name} up")
            assert three.leader() is not leader
            logging.info("told to hand over: %.1f s", pause(evening, lambda: hand_over(three)))
            three.leader()
        evening.settle_the_unknown()
        evening.prove()
        assert evening.statuses <= {201, 409, 503}
        assert check(address, tmp_path) == "No problems found.\n"
        rounds = sum(map(len, evening.acknowledged.values()))
        logging.info("%d rounds acknowledged, each there once", rounds)


def hand_over(three: Three) -> None:
    """Have the leader hand over by the guide's line, as before an upgrade of its machine."""
    (line,) = re.findall(r"^patronictl .* switchover .*$", GUIDE, re.MULTILINE)
    file = str(three.leader().folder / "patroni.yml")
    subprocess.run(("sh", "-c", line.replace("/etc/patroni/config.yml", file)), check=True, capture_output=True)
