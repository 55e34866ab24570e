"""What the guide watches can be seen: every query is answered, and the rules wake for what they are there for."""

import json
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import psycopg
import pytest

from referee.paths import CHECKOUT
from tests.conftest import DATABASE
from tests.faults.cluster import Cluster
from tests.faults.evening import PATIENCE, Evening, ServerProcess, wait_until
from tests.faults.recipes import FOLDER, new_database, recipe
from tests.faults.test_proxies import free_port, running
from tests.faults.test_several_processes import OFTEN, command
from tests.test_proxies_and_units import needs

GUIDE = (CHECKOUT / "docs" / "pages" / "host" / "watching.md").read_text("utf-8")
RULES = re.findall(r"alert: (\w+)\n +expr: (.*) (?:==|<|>) [\d.]+$", recipe("rules.yml", {}), re.MULTILINE)
"""Each alert, and the figure that it compares."""


def queries() -> Iterator[str]:
    """Yield every query that the guide has."""
    yield from re.findall(r"^\| .* \| `(.*)` \|$", GUIDE, re.MULTILINE)
    yield from (figure for _, figure in RULES)
    for panel in json.loads(recipe("grafana.json", {}))["panels"]:
        yield from (target["expr"] for target in panel["targets"])


def test_the_rules_wake_for_nothing_when_all_is_well_and_for_everything_when_nothing_is() -> None:
    promtool = needs("promtool", "prometheus")
    for words in (
        ("check", "config", FOLDER / "prometheus.yml"),
        ("test", "rules", CHECKOUT / "tests/faults/rules_test.yml"),
    ):
        answer = subprocess.run((promtool, *words), capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stdout + answer.stderr
    assert [name for name, _ in RULES] == re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE)
    assert len(RULES) == 8


def with_metrics(database: str, folder: Path) -> ServerProcess:
    """Make a server that counts, as the unit and the guide's settings have it."""
    given = {"REFEREE_METRICS": "true", "PROMETHEUS_MULTIPROC_DIR": str(folder / "run")}
    return ServerProcess(database, folder, 0, given, command())


def test_all_processes_of_a_server_count_together(database: str, tmp_path: Path) -> None:
    with with_metrics(database, tmp_path) as server:
        for _ in range(4 * OFTEN):
            assert server.ask("GET", "/rules/classic-500")[0] == 200
        assert len(server.workers()) == 2
        wanted = f'method="GET",route="/rules/<rulebook_id>",status="200"}} {4.0 * OFTEN}\n'
        for _ in range(OFTEN):  # whichever process answers
            assert wanted in server.ask("GET", "/metrics")[1]


@pytest.mark.skipif(DATABASE != "postgresql", reason="about PostgreSQL: REFEREE_TEST_DATABASE=postgresql")
def test_prometheus_answers_every_query_of_the_guide_and_sees_a_server_die(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = f"host={cluster.home} user=postgres dbname=postgres"
    new_database(admin)
    with psycopg.connect(admin, autocommit=True) as connection:
        (line,) = re.findall(r"^sudo -u postgres psql (.*)$", GUIDE, re.MULTILINE)
        for word in shlex.split(line):
            connection.execute(word.removeprefix("--command=").encode())
    (source,) = re.findall(r"DATA_SOURCE_NAME='(.*)'", GUIDE)
    postgres, node, port = free_port(), free_port(), free_port()
    with ExitStack() as stack:
        address = f"postgresql+psycopg://postgres@/referee?host={cluster.home}"
        server = stack.enter_context(with_metrics(address, tmp_path))
        monkeypatch.setenv("DATA_SOURCE_NAME", source.replace("/run/postgresql", str(cluster.home)))
        for program, at in (("postgres", postgres), ("node", node)):
            name = f"prometheus-{program}-exporter"
            stack.enter_context(running((needs(name), f"--web.listen-address=127.0.0.1:{at}"), tmp_path, at))
        places = {
            '"server1:8000", "server2:8000"': f'"127.0.0.1:{server.port}"', "database:9187": f"127.0.0.1:{postgres}",
            '"server1:9100", "server2:9100", "database:9100", "proxy:9100"': f'"127.0.0.1:{node}"', "15s": "2s",
        }  # fmt: skip
        (tmp_path / "prometheus.yml").write_text(recipe("prometheus.yml", places))
        (tmp_path / "rules.yml").write_text(recipe("rules.yml", {}))
        words = ("--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address=127.0.0.1:{port}")
        stack.enter_context(running((needs("prometheus"), *words), tmp_path, port))

        def ask(path: str, **words: str) -> Any:
            with urlopen(f"http://127.0.0.1:{port}/api/v1/{path}?{urlencode(words)}", timeout=PATIENCE) as answer:
                return json.load(answer)["data"]

        evening = Evening(server, pause=0.2).begin(2)
        bearer = {"Authorization": f"Bearer {evening.key}"}
        unanswered = [*queries()]
        assert len(unanswered) > 25
        deadline = time.monotonic() + PATIENCE
        with evening.playing(2):  # all the while: a rate is one of counters that grow
            while unanswered:
                assert time.monotonic() < deadline, unanswered
                server.ask("GET", f"/matches/{evening.matches[0]}/now", headers=bearer)
                unanswered = [query for query in unanswered if not ask("query", query=query)["result"]]
                time.sleep(0.2)
        server.stop()
        wait_until(lambda: "ServerAway" in [one["labels"]["alertname"] for one in ask("alerts")["alerts"]])
