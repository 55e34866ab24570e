"""Two servers of two processes each keep one club: what one was told the other knows, and no count is kept twice.

They are started by the command that docs/pages/host/several.md gives, on two ports, as on two machines.
"""

import http.cookiejar
import re
import shlex
import signal
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from referee.paths import CHECKOUT
from tests.faults.evening import Evening, ServerProcess
from tests.ground.client import TOKEN, find_in
from tests.ground.redis import NoRedis, running_redis

GUESSES = 30
"""Wrong keys that one address may try in a minute."""
OFTEN = 6
"""How often a server is asked, so that each of its processes has its turn."""

Servers = tuple[ServerProcess, ServerProcess]


def command() -> tuple[str, ...]:
    """Read from the documentation how the app is started on several machines."""
    page = CHECKOUT / "docs" / "pages" / "host" / "several.md"
    (line,) = re.findall(r'^gunicorn "referee:create_app\(\)".*$', page.read_text("utf-8"), re.MULTILINE)
    words = shlex.split(line)
    assert int(words[words.index("--workers") + 1]) > 1
    return tuple(word.replace("0.0.0.0:8000", "127.0.0.1:{port}") for word in words)


@contextmanager
def two_servers(database: str, folder: Path, **settings: str) -> Iterator[Servers]:
    """Run two servers on one database, with the settings that several servers share."""
    given = {f"REFEREE_{name}": value for name, value in settings.items()}
    given |= {"REFEREE_SECRET_KEY": "the same everywhere"}
    servers = ServerProcess(database, folder, 0, given, command()), ServerProcess(database, folder, 0, given, command())
    with ExitStack() as stack:
        for server in servers:
            stack.enter_context(server)
        yield servers


@pytest.fixture(scope="module")
def servers(
    new_database: Callable[[ExitStack, Path], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Servers]:
    """Two servers, started once: each test has a club of its own."""
    folder = tmp_path_factory.mktemp("servers")
    with ExitStack() as stack:
        yield stack.enter_context(two_servers(new_database(stack, folder), folder))


def round_after(seen: int) -> dict[str, Any]:
    return {"after": seen, "went_out": "Ada", "hands": {"Bo": ["7"], "Cy": ["3"], "Di": ["9"]}}


@pytest.mark.promise("reliability#two-servers")
def test_what_one_server_was_told_every_process_of_the_other_knows_at_once(servers: Servers) -> None:
    assert [len(server.workers()) for server in servers] == [2, 2]
    evening = Evening(servers[0]).begin(1)
    (match,) = evening.matches
    key = {"Authorization": f"Bearer {evening.key}"}
    for seen in range(6):
        here, there = servers[seen % 2], servers[1 - seen % 2]
        answer = here.ask("POST", f"/api/v1/matches/{match}/rounds", round_after(seen), key)
        assert answer[0] == 201, answer
        for _ in range(OFTEN):
            status, document, _ = there.ask("GET", f"/api/v1/matches/{match}", headers=key)
            assert (status, len(document["rounds"])) == (200, seen + 1)


@pytest.mark.promise("reliability#two-servers")
def test_a_round_sent_to_both_under_one_key_is_recorded_once(servers: Servers) -> None:
    evening = Evening(servers[0]).begin(1)
    (match,) = evening.matches
    with ThreadPoolExecutor(8) as pool:
        for seen in range(6):
            headers = {"Authorization": f"Bearer {evening.key}", "Idempotency-Key": uuid.uuid4().hex}
            sent = [
                pool.submit(server.ask, "POST", f"/api/v1/matches/{match}/rounds", round_after(seen), headers)
                for server in servers * 4
            ]
            answers = [one.result() for one in sent]
            assert {status for status, _, _ in answers} == {201}
            assert len({document["round"]["id"] for _, document, _ in answers}) == 1
            evening.acknowledged[match].append(answers[0][1]["round"]["id"])
    evening.prove()


@pytest.mark.promise("reliability#new-version")
def test_a_server_takes_up_a_new_program_while_phones_record(servers: Servers) -> None:
    evening = Evening(servers[0]).begin(2)
    with evening.playing(4):
        evening.go_on()
        before = servers[0].workers()
        assert servers[0].process is not None
        servers[0].process.send_signal(signal.SIGHUP)  # what `systemctl reload` sends
        while len(servers[0].workers() - before) < 2 or servers[0].workers() & before:
            evening.go_on()
        evening.go_on()
    assert evening.statuses <= {0, 201, 409}  # a connection not yet read from may be dropped; the phone sends again
    evening.settle_the_unknown()
    evening.prove()


class Browser:
    """Cookies, and pages of either server: to the cookies they are one, as behind a proxy."""

    def __init__(self) -> None:
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def ask(self, server: ServerProcess, path: str, fields: dict[str, str] | None = None, **headers: str) -> Any:
        """Open a page, or send a form; return status, text and address at the end, also of an answer like 304."""
        data = None if fields is None else urllib.parse.urlencode(fields).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", data, named)
        try:
            with self.opener.open(request, timeout=60) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers


def test_a_session_of_one_server_is_good_at_the_other_and_so_is_its_board(servers: Servers) -> None:
    one, other = servers
    evening = Evening(one).begin(1)
    (match,) = evening.matches
    _, invitation, _ = evening.ask("POST", "/invitations", {"role": "scorekeeper"})
    path = urllib.parse.urlsplit(invitation["link"]).path
    phone = Browser()

    def token(server: ServerProcess, page: str) -> dict[str, str]:
        return {"csrf_token": find_in(TOKEN, phone.ask(server, page)[1])}

    assert phone.ask(other, path, token(one, path) | {"name": "Bo's phone"})[0] == 200
    assert "Ada" in phone.ask(one, f"/matches/{match}")[1]
    made = phone.ask(one, f"/matches/{match}/board", token(other, f"/matches/{match}/share"))[1]
    (board,) = set(re.findall(r"/live/[\w-]+", made))
    told = [phone.ask(server, f"{board}/now") for server in servers]
    assert told[0][1] == told[1][1]
    state = told[0][2]["ETag"]
    for server in servers * OFTEN:
        assert phone.ask(server, f"{board}/now", If_None_Match=state)[0] == 304
    assert evening.ask("POST", f"/matches/{match}/rounds", round_after(0))[0] == 201
    for server in servers[::-1] * OFTEN:
        status, drawn, _ = phone.ask(server, f"{board}/now", If_None_Match=state)
        assert status == 200
        assert "+19" in drawn


def guess(server: ServerProcess) -> tuple[int, str | None]:
    status, _, headers = server.ask("GET", "/api/v1/players", headers={"Authorization": "Bearer wrong"})
    return status, headers and headers["Retry-After"]


@pytest.mark.promise("reliability#two-servers")
def test_guesses_are_counted_over_all_processes_and_for_each_alone_while_the_count_is_away(
    database: str, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        counts = ExitStack()
        stack.enter_context(counts)
        try:
            address = counts.enter_context(running_redis())
        except NoRedis as error:
            pytest.skip(f"no Redis: {error}")
        settings = {"RATELIMIT_ENABLED": "true", "RATELIMIT_STORAGE_URI": address}
        servers = stack.enter_context(two_servers(database, tmp_path, **settings))
        told = [guess(server) for server in servers * GUESSES]
        assert [status for status, _ in told] == [401] * GUESSES + [429] * GUESSES
        assert all(wait and 0 < int(wait) <= 60 for _, wait in told[GUESSES:])
        counts.close()
        assert {guess(server)[0] for server in servers * OFTEN} <= {401, 429}, "the app goes on without Redis"
        assert servers[0].ask("GET", "/readyz")[0] == 200
