"""Clients that are generated from the description play an evening: nobody has to write one by hand."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.paths import CHECKOUT
from tests.conftest import MakeApp
from tests.ground.server import Server, running_server

PYTHON_TOOLS = ("openapi-python-client==0.29.1", "openapi-spec-validator==0.9.0", "ruff")
NPM_TOOLS = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0")
GUIDE = CHECKOUT / "docs" / "pages" / "program" / "index.md"
SCRIPTS = CHECKOUT / "tests" / "scripts" / "package.json"

IN_PYTHON = """
import sys
from table import AuthenticatedClient, Client
from table.api.clubs import clubs_create_club
from table.api.matches import matches_show_match, matches_start_match
from table.api.rounds import rounds_record_round
from table.api.rulings import rulings_give
from table.api.transfer import transfer_export, transfer_import_document, transfer_match_table
from table.models import (
    ClubRequest, MatchRequest, RoundRequest, RoundRequestHands, RulingDocument, RulingRequest, RulingRequestFacts,
    RulingRequestPlayers, TransferImportDocumentJsonBody,
)

base = sys.argv[1] + "/api/v1"

def found(name):
    club = clubs_create_club.sync(client=Client(base_url=base), body=ClubRequest(name=name))
    return AuthenticatedClient(base_url=base, token=club.scorekeeper_key)

us = found("Sunday table")
match = matches_start_match.sync(client=us, body=MatchRequest(players=["Ada", "Bo", "Cy"], rulebook="classic-500"))
for after in range(5):
    hands = RoundRequestHands.from_dict({"Bo": ["7", "skip"], "Cy": ["3"]})
    body = RoundRequest(after=after, went_out="Ada", hands=hands)
    recorded = rounds_record_round.sync(match_id=match.id, client=us, body=body)
facts = RulingRequestFacts.from_dict({"challenged": True, "challenger": "target", "held_color": True})
players = RulingRequestPlayers.from_dict({"offender": "Ada", "target": "Bo"})
body = RulingRequest(dispute="draw-four-challenge", facts=facts, players=players, accepted=True)
ruling = rulings_give.sync(match_id=match.id, client=us, body=body)
shown = matches_show_match.sync(match_id=match.id, client=us)
assert [type(one) for one in shown.rulings] == [RulingDocument], shown.rulings
assert shown.rulings[0].verdict == ruling.verdict
assert len(shown.rounds) == 5
exported = transfer_export.sync(client=us)
taken = TransferImportDocumentJsonBody.from_dict(exported.to_dict())
report = transfer_import_document.sync(client=found("Their table"), body=taken)
assert (report.matches, report.rounds, report.rulings) == (1, 5, 1), report
assert "Ada" in transfer_match_table.sync(match_id=match.id, client=us)
"""

IN_TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { components, paths } from "./table.js";

const baseUrl = `${process.argv[2]}/api/v1`;

async function found(name: string) {
  const { data } = await createClient<paths>({ baseUrl }).POST("/clubs", { body: { name } });
  if (!data) throw new Error("no club");
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${data.scorekeeper_key}` } });
}

const us = await found("Sunday table");
const body = { players: ["Ada", "Bo", "Cy"], rulebook: "classic-500" };
const { data: match } = await us.POST("/matches", { body });
if (!match) throw new Error("no match");
const params = { path: { match_id: match.id } };
for (let after = 0; after < 5; after += 1) {
  const hands = { Bo: ["7", "skip"], Cy: ["3"] };
  const { error } = await us.POST("/matches/{match_id}/rounds", { params, body: { after, went_out: "Ada", hands } });
  if (error) throw new Error(error.title);
}
const { data: ruling } = await us.POST("/matches/{match_id}/rulings", {
  params,
  body: {
    dispute: "draw-four-challenge",
    facts: { challenged: true, challenger: "target", held_color: true },
    players: { offender: "Ada", target: "Bo" },
    accepted: true,
  },
});
const { data: shown } = await us.GET("/matches/{match_id}", { params });
const kept: components["schemas"]["RulingDocument"] | undefined = shown?.rulings[0];
if (!kept || kept.verdict !== ruling?.verdict) throw new Error("no ruling");
const { data: exported } = await us.GET("/export");
if (!exported) throw new Error("no export");
const { data: report } = await (await found("Their table")).POST("/import", { body: exported });
if (report?.matches !== 1 || report.rounds !== 5 || report.rulings !== 1) throw new Error(JSON.stringify(report));
const { data: table } = await us.GET("/matches/{match_id}.csv", { params, parseAs: "text" });
if (!table?.includes("Ada")) throw new Error("no table");
"""


@pytest.fixture
def server(make_app: MakeApp) -> Iterator[Server]:
    """A server that counts no requests."""
    with running_server(make_app(RATELIMIT_ENABLED=False)) as running:
        yield running


@pytest.fixture
def description(server: Server, tmp_path: Path) -> Path:
    """The file that clients are generated from."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(server.app.test_client().get("/api/v1/openapi.json").get_json()), "utf-8")
    return file


def call(folder: Path, *command: object) -> None:
    words = [str(word) for word in command]
    search = os.pathsep.join((str(folder / "tools" / "bin"), os.environ["PATH"]))  # the generator calls ruff
    done = subprocess.run(words, cwd=folder, env={**os.environ, "PATH": search}, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout[-3000:], done.stderr[-3000:])


def fetch(folder: Path, *command: object) -> None:
    """Install what generates clients, for this test alone: it wants other versions of what we stand on."""
    try:
        call(folder, *command)
    except AssertionError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"not to be fetched: {error}"[:200])


def documented(generator: str, url: str) -> list[str]:
    """Return what the documentation has people call to generate a client, after the generator's own name."""
    (command,) = re.findall(rf"^(?:npx )?{generator} (.+)$", GUIDE.read_text("utf-8"), re.MULTILINE)
    return str(command).replace("http://127.0.0.1:8000", url).split()


def test_python_plays_an_evening(server: Server, description: Path, tmp_path: Path) -> None:
    call(tmp_path, sys.executable, "-m", "venv", "tools")
    tools = tmp_path / "tools" / "bin"
    fetch(tmp_path, tools / "python", "-m", "pip", "install", "--quiet", *PYTHON_TOOLS)
    call(tmp_path, tools / "openapi-spec-validator", description)
    call(tmp_path, tools / "openapi-python-client", *documented("openapi-python-client", server.url))
    (tmp_path / "evening.py").write_text(IN_PYTHON, "utf-8")
    call(tmp_path, tools / "python", "evening.py", server.url)


def test_typescript_plays_an_evening(server: Server, tmp_path: Path) -> None:
    if not shutil.which("npm"):
        pytest.fail("no npm") if os.environ.get("CI") else pytest.skip("no npm")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    compiler = json.loads(SCRIPTS.read_text("utf-8"))["devDependencies"]["typescript"]
    fetch(tmp_path, "npm", "install", "--no-audit", "--no-fund", *NPM_TOOLS, f"typescript@{compiler}")
    call(tmp_path, "node_modules/.bin/openapi-typescript", *documented("openapi-typescript", server.url))
    (tmp_path / "evening.ts").write_text(IN_TYPESCRIPT, "utf-8")
    options = ("--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext")
    (tmp_path / "globals.d.ts").write_text("declare const process: { argv: string[] };", "utf-8")
    call(tmp_path, "node_modules/.bin/tsc", *options, "--lib", "es2022,dom,dom.iterable", "evening.ts", "globals.d.ts")
    call(tmp_path, "node", "evening.js", server.url)
