"""Two servers behind HAProxy, on one PostgreSQL behind PgBouncer: by the files and the lines of the guide.

One machine stands for all. Everything listens on a port of its own; nothing else is other than the guide has it.
"""

import http.client
import re
import ssl
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from referee.paths import CHECKOUT
from tests.conftest import DATABASE
from tests.faults.cluster import Cluster
from tests.faults.evening import Evening, ServerProcess, wait_until
from tests.faults.recipes import haproxy_file, new_database, recipe
from tests.faults.test_crashes import check
from tests.faults.test_proxies import NAME, certificate, free_port, running
from tests.faults.test_several_processes import GUESSES, command, guess
from tests.ground.postgresql import _runner
from tests.test_proxies_and_units import needs

pytestmark = pytest.mark.skipif(DATABASE != "postgresql", reason="about PostgreSQL: REFEREE_TEST_DATABASE=postgresql")

GUIDE = (CHECKOUT / "docs" / "pages" / "host" / "cluster.md").read_text("utf-8")
PHONES = 8


@dataclass
class Named(ServerProcess):
    """A server that answers to the site's name alone, as the guide's settings have it."""

    careless: list[str] = field(default_factory=list)
    """refusals that didn't say when to try again"""

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] = {}) -> tuple[int, Any, Any]:
        """Send one request by that name, and look whether a refusal says when to try again."""
        status, answer, told = super().ask(method, path, body, {"Host": NAME, **headers})
        if status == 503 and not int(told["Retry-After"] or 0):
            self.careless.append(f"{method} {path}")
        return status, answer, told


class Site(Named):
    """What phones reach: the proxy, over HTTPS."""

    def connection(self) -> http.client.HTTPConnection:
        """Connect by HTTPS; nobody signed the certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=context)


@dataclass
class Two:
    """The whole of it."""

    folder: Path
    database: str
    servers: Mapping[str, ServerProcess]
    site: Site
    pool: ExitStack

    def at_the_proxy(self, act: str, server: str = "server1") -> str:
        """Run a line of the guide, and return what HAProxy says."""
        line, *_ = re.findall(rf"^echo .*{act}.*socat.*$", GUIDE, re.MULTILINE)
        line = line.replace("server1", server).replace("/run/haproxy", str(self.folder))
        return subprocess.run(("sh", "-c", line), capture_output=True, text=True, check=True).stdout.strip()

    def state(self, server: str) -> str:
        """Return what HAProxy knows of a server: its name, how many requests it is answering, how it is."""
        return next(line for line in self.at_the_proxy("show stat").splitlines() if line.startswith(server))


def start_pool(stack: ExitStack, cluster: Cluster, port: int, folder: Path) -> None:
    """Run PgBouncer by the guide's file; whoever runs PostgreSQL runs it."""
    places = {
        "127.0.0.1 port=5432": str(cluster.home), "listen_addr = *": "listen_addr = 127.0.0.1",
        "6432": str(port), "/etc/pgbouncer": str(cluster.home), "/var/log/postgresql": str(cluster.home),
        "/var/run/postgresql": str(cluster.home),
    }  # fmt: skip
    file = cluster.home / "pgbouncer.ini"
    file.write_text(recipe("pgbouncer.ini", places))
    (line,) = re.findall(r"echo '(.*)' >/etc/pgbouncer/userlist.txt", GUIDE)
    (cluster.home / "userlist.txt").write_text(line + "\n")
    as_other = ("-u", "postgres") if _runner() else ()
    stack.enter_context(running((needs("pgbouncer"), *as_other, str(file)), folder, port))


@contextmanager
def running_two(cluster: Cluster, folder: Path, given: Mapping[str, str]) -> Iterator[Two]:
    """Start it in the guide's order; `given` goes into the servers' environment."""
    needs("socat")
    with ExitStack() as stack:
        pool = stack.enter_context(ExitStack())
        new_database(f"host={cluster.home} user=postgres dbname=postgres")
        pooled, counted = free_port(), free_port()
        start_pool(pool, cluster, pooled, folder)
        places = {"0.0.0.0": "127.0.0.1", "6379": str(counted), "/var/lib/redis": str(folder)}
        (folder / "redis.conf").write_text(recipe("redis.conf", places))
        stack.enter_context(running((needs("redis-server"), str(folder / "redis.conf")), folder, counted))
        places = {"database:6432": f"127.0.0.1:{pooled}", "database:6379": f"127.0.0.1:{counted}"}
        settings = recipe("config.toml", places)
        database = tomllib.loads(settings)["database_url"]
        servers = {}
        for name in ("server1", "server2"):
            (folder / name / "instance").mkdir(parents=True)
            (folder / name / "instance" / "config.toml").write_text(settings)
            servers[name] = Named(database, folder / name, 0, given, command())
            stack.enter_context(servers[name])
        certificate(folder)
        site = Site(database, folder, free_port())
        file = haproxy_file(folder, site.port, {name: server.port for name, server in servers.items()}, folder)
        stack.enter_context(running((needs("haproxy"), "-f", str(file)), folder, site.port))
        wait_until(lambda: site.ask("GET", "/readyz")[0] == 200)
        yield Two(folder, database, servers, site, pool)


@pytest.fixture
def two(cluster: Cluster, tmp_path: Path) -> Iterator[Two]:
    """Both servers, on which guesses are counted: every phone here has one address."""
    with running_two(cluster, tmp_path, {"REFEREE_RATELIMIT_ENABLED": "true"}) as two:
        yield two


def upgrade(two: Two, name: str, evening: Evening) -> None:
    """Take a server out, let it stop and start, and take it in, while rounds are recorded."""
    assert two.at_the_proxy("state drain", name) == "", "HAProxy only speaks to object"
    wait_until(lambda: two.state(name) == f"{name},0,DRAIN")
    two.servers[name].stop()
    evening.go_on()
    two.servers[name].start()
    assert two.at_the_proxy("state ready", name) == ""
    wait_until(lambda: two.state(name).endswith(",UP"))
    evening.go_on()


@pytest.mark.promise("reliability#rolling-upgrade")
def test_two_servers_are_upgraded_one_after_the_other_and_no_phone_notices(two: Two) -> None:
    evening = Evening(two.site).begin(4)
    with evening.playing(PHONES):
        evening.go_on()
        for name in two.servers:
            upgrade(two, name, evening)
    assert evening.statuses <= {201, 409}
    assert [guess(two.site)[0] for _ in range(GUESSES + 2)] == [401] * GUESSES + [429] * 2, "counted over both"
    evening.prove()
    assert check(two.database, two.folder) == "No problems found.\n"


@pytest.mark.promise("reliability#server-of-two-killed")
def test_a_server_of_two_a_pool_or_all_may_die_and_phones_are_told_when_to_come_again(
    two: Two, cluster: Cluster
) -> None:
    evening = Evening(two.site).begin(4)
    with evening.playing(PHONES):
        evening.go_on()
        first, second = two.servers.values()
        first.kill()
        evening.go_on()
        first.start()
        evening.go_on()
        two.pool.close()
        wait_until(lambda: two.site.ask("GET", "/readyz")[0] == 503)
        start_pool(two.pool, cluster, make_url(two.database).port or 0, two.folder)
        evening.go_on()
        first.kill()
        second.kill()
        wait_until(lambda: two.site.ask("GET", "/rules")[0] == 503)
        first.start()
        second.start()
        evening.go_on()
    assert evening.statuses <= {0, 201, 409, 502, 503}  # 0: an answer broke off in the middle
    assert two.site.careless == []
    evening.settle_the_unknown()
    evening.prove()
    assert check(two.database, two.folder) == "No problems found.\n"
