"""Whatever a club was told is done stays done, whenever the server dies: imports, deletions, rulebooks, demos.

``REFEREE_KILLS=200`` kills it more often than the short form does; ``REFEREE_SEED`` repeats a run.
"""

import logging
import random
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from os import environ
from pathlib import Path
from typing import Any

import pytest

from referee.paths import CHECKOUT
from referee.records.ids import new_id
from tests.faults.evening import PATIENCE, SEED, ServerProcess
from tests.faults.test_crashes import KILLS, check, document_of

HOUSES = 6
LIVE, DELETED = "live", "deleted"
UNHEARD = (0, 502, 503)
"""Statuses of a deed of which nobody can say whether it was done; 0 where no answer came."""


@dataclass
class House:
    """A club, what its phone was told of each thing, and the one deed whose answer never came."""

    server: ServerProcess
    name: str
    document: dict[str, Any]
    chance: random.Random
    id: str = ""
    key: str = ""
    matches: dict[str, str] = field(default_factory=dict)
    """`LIVE` or `DELETED`, by id"""
    player: str = ""
    named: str = LIVE
    open: str = LIVE
    """whether the club itself is deleted"""
    rulebooks: dict[str, int] = field(default_factory=dict)
    """version by id"""
    unsure: frozenset[str] = frozenset()
    """ids of what the deed without an answer was about"""
    done: int = 0
    refused: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request with the club's key."""
        status, answer, _ = self.server.ask(method, f"/api/v1{path}", body, {"Authorization": f"Bearer {self.key}"})
        return status, answer

    def found(self) -> None:
        """Found the club, with a match that stays and its players."""
        club = self.server.ask("POST", "/api/v1/clubs", {"name": self.name})[1]
        self.id, self.key = club["id"], club["scorekeeper_key"]
        self.take_over()
        assert self.done == 1
        self.player = next(one["id"] for one in self.ask("GET", "/players")[1]["players"] if one["name"] == "Bo")

    def live_on(self, stop: threading.Event) -> None:
        """Do one thing after the other until told to stop, or until an answer fails to come."""
        deeds = (self.take_over, self.turn_match, self.turn_match, self.turn_player, self.turn_club, self.write_rules)
        while not stop.is_set() and not self.unsure:
            (self.turn_club if self.open == DELETED else self.chance.choice(deeds))()

    def take_over(self) -> None:
        """Import two matches that nobody has."""
        new = [one | {"id": new_id(_past(self.chance))} for one in self.document["matches"][:1] * 2]
        new = [one | {"rounds": [each | {"id": new_id(_past(self.chance))} for each in one["rounds"]]} for one in new]
        ids = [one["id"] for one in new]
        if self._do(ids, "POST", "/import", self.document | {"matches": new}):
            self.matches |= dict.fromkeys(ids, LIVE)

    def turn_match(self) -> None:
        """Delete a match, or bring it back."""
        match = self.chance.choice(list(self.matches))
        if self.matches[match] == LIVE:
            if len(self._live()) > 1 and self._do([match], "DELETE", f"/matches/{match}"):
                self.matches[match] = DELETED
        elif self._do([match], "POST", f"/matches/{match}/restore", gone=True):
            self.matches[match] = LIVE

    def turn_player(self) -> None:
        """Delete a player's name, or bring it back."""
        if self.named == LIVE:
            if self._do([self.player], "DELETE", f"/players/{self.player}"):
                self.named = DELETED
        elif self._do([self.player], "POST", f"/players/{self.player}/restore", gone=True):
            self.named = LIVE

    def turn_club(self) -> None:
        """Delete the whole club, or bring it back."""
        if self.open == LIVE:
            if self._do([self.id], "DELETE", f"/clubs/{self.id}"):
                self.open = DELETED
        elif self._do([self.id], "POST", f"/clubs/{self.id}/restore", gone=True):
            self.open = LIVE

    def write_rules(self) -> None:
        """Save a rulebook of the club's own."""
        rules = {"title": f"Ours {len(self.rulebooks)}", "base": "classic-500", "changes": {"target": {"target": 300}}}
        status, answer = self.ask("POST", f"/clubs/{self.id}/rulebooks", rules)
        if status == 201:
            self.done += 1
            self.rulebooks[answer["id"]] = answer["version"]
        elif status in UNHEARD:
            self.unsure = frozenset({"rulebook"})
        else:
            self.refused.append(f"{status} rulebook: {answer}")

    def prove(self, purged: bool) -> None:
        """Hold the club against what its phone was told; learn how the deed without an answer ended."""
        status, export = self.ask("GET", "/export")
        if self.id in self.unsure:
            self.open = LIVE if status == 200 else DELETED
        if self.open == DELETED:
            assert status == 410 or (purged and status == 401), status
            self.unsure = frozenset()
            return
        assert status == 200, export
        there = {one["id"]: one for one in export["matches"]}
        for match, state in list(self.matches.items()):
            if match in self.unsure:
                self.matches[match] = LIVE if match in there else DELETED
            else:
                assert (match in there) is (state == LIVE), f"{match} was told to be {state}"
        new = self.unsure - self.matches.keys()
        arrived = there.keys() - self.matches.keys()
        assert arrived <= new
        assert arrived in (set(), new) or new <= {self.id, self.player, "rulebook"}, "an import is whole or nothing"
        self.matches |= dict.fromkeys(arrived, LIVE)
        names = {one["name"] for one in export["players"]}
        if self.player in self.unsure:
            self.named = LIVE if "Bo" in names else DELETED
        assert ("Bo" in names) is (self.named == LIVE)
        kept = {one["id"]: one["version"] for one in self.ask("GET", f"/clubs/{self.id}/rulebooks")[1]["rulebooks"]}
        assert self.rulebooks.items() <= kept.items()
        assert len(kept) - len(self.rulebooks) <= ("rulebook" in self.unsure)
        self.rulebooks, self.unsure = kept, frozenset()
        for match in self._live():
            assert len(there[match]["rounds"]) == len(self.document["matches"][0]["rounds"])

    def _live(self) -> list[str]:
        return [match for match, state in self.matches.items() if state == LIVE]

    def _do(self, about: list[str], method: str, path: str, body: Any = None, *, gone: bool = False) -> bool:
        status, answer = self.ask(method, path, body)
        if status in UNHEARD:
            self.unsure = frozenset(about)
        elif status not in (200, 201) and not (gone and status in (401, 404, 410)):
            self.refused.append(f"{status} {method} {path}: {answer}")
        elif gone and status in (401, 404, 410):  # purged meanwhile, and said to be deleted all the time
            self.matches.pop(about[0], None)
        self.done += status in (200, 201)
        return status in (200, 201)


def _past(chance: random.Random) -> datetime:
    return datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=chance.randrange(10**8))


def open_demo(server: ServerProcess) -> int:
    """Ask for a demo as a browser does; return the status."""
    _, page, headers = server.ask("GET", "/")
    token = re.search(r'name="csrf-token" content="([^"]+)"', page or "")
    if token is None:
        return 0
    cookie = (headers["Set-Cookie"] or "").partition(";")[0]
    return server.ask("POST", "/demo", headers={"Cookie": cookie, "X-CSRFToken": token[1]})[0]


def purge(database: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start to remove for good what was deleted, in a process that can be killed."""
    given = {"REFEREE_INSTANCE": str(folder / "instance"), "DATABASE_URL": database}
    words = (sys.executable, "-m", "referee", "purge", "--at-once")
    return subprocess.Popen(words, cwd=CHECKOUT, env=environ | given, stdout=subprocess.DEVNULL)


@pytest.mark.promise("reliability#killed-server")
def test_a_server_killed_while_clubs_import_delete_restore_and_write_rules_keeps_its_word(
    server: ServerProcess, database: str, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    key = server.ask("POST", "/api/v1/clubs", {"name": "Pattern"})[1]["scorekeeper_key"]
    pattern = document_of(server, key, 1)
    houses = [House(server, f"House {at}", pattern, random.Random(f"{SEED}.{at}")) for at in range(HOUSES)]
    for house in houses:
        house.found()
    purged = False
    for kill in range(KILLS):
        stop = threading.Event()
        threads = [threading.Thread(target=house.live_on, args=(stop,), daemon=True) for house in houses]
        threads.append(threading.Thread(target=open_demo, args=(server,), daemon=True))
        for thread in threads:
            thread.start()
        stop.wait(chance.uniform(0.3, 1.5))
        purging = purge(database, tmp_path) if kill % 3 == 2 else None
        if purging is not None:
            purged = True
            time.sleep(chance.uniform(0.5, 3))
            purging.kill()
            purging.wait()
        server.kill()
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        server.start()
        for house in houses:
            house.prove(purged)
    logging.info("%d kills, %d deeds, each done once", KILLS, sum(house.done for house in houses))
    assert not [line for house in houses for line in house.refused]
    assert all(house.done > 1 for house in houses)
    assert check(database, tmp_path) == "No problems found.\n"
