"""Say how each operation of the JSON interface is called, with curl and with Python; a test runs both."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

SERVER = "https://uno.example.org"
"""What stands for the server; KEY, MATCH_ID and the like stand for what the caller holds."""
HANDS: Mapping[str, Any] = {"after": 1, "went_out": "Ada", "hands": {"Bo": ["7", "skip"], "Cy": ["wild"]}}
OWN = {"title": "Sunday rules", "base": "classic-500", "changes": {"points-wild": {"wild_points": 40}}}
BODIES: Mapping[str, Any] = {
    "POST /clubs": {"name": "Sunday table"},
    "POST /keys": {"role": "scorekeeper", "name": "A script"},
    "POST /invitations": {"role": "spectator"},
    "POST /seasons": {"name": "Winter", "first_day": "2026-11-01", "best": 5, "least": 3},
    "PUT /seasons/{season_id}": {"name": "Winter", "first_day": "2026-11-01", "last_day": "2027-02-28"},
    "POST /evenings": {"rulebook": "classic-500", "target": 200, "names": ["Ada", "Bo", "Cy", "Di"]},
    "POST /evenings/{evening_id}/people": {"names": ["Gus"], "guest": True},
    "POST /evenings/{evening_id}/draws": {"after": 0},
    "POST /evenings/{evening_id}/end": {"unfinished": {"1": "counted"}},
    "POST /players": {"name": "Eve"},
    "PATCH /players/{player_id}": {"name": "Ada L."},
    "POST /players/{player_id}/merge": {"into": "OTHER_ID"},
    "DELETE /players/{player_id}": {"texts": []},
    "POST /matches": {"players": ["Ada", "Bo", "Cy"], "rulebook": "classic-500"},
    "PATCH /matches/{match_id}": {"name": "Christmas at Bo’s"},
    "POST /matches/{match_id}/players": {"player": "Eve", "total": 40},
    "POST /matches/{match_id}/amendments": {"house_rules": ["jump-in"]},
    "POST /matches/{match_id}/rounds": dict(HANDS),
    "PUT /matches/{match_id}/rounds/{round_id}": {name: HANDS[name] for name in ("went_out", "hands")},
    "POST /matches/{match_id}/rulings": {"dispute": "deal", "facts": {"players": 3}, "accepted": True},
    "POST /clubs/{club_id}/rulebooks": OWN,
    "PUT /clubs/{club_id}/rulebooks/{own_id}": {**OWN, "title": "Sunday rules, milder"},
    "POST /rulebooks/check": OWN,
    "POST /score": {"rulebook": "classic-500", "went_out": "Ada", "hands": HANDS["hands"]},
    "POST /hearings": {"dispute": "draw-four-challenge", "rulebook": "classic-500", "facts": {"challenged": True}},
    "POST /precedents": {
        "dispute": "wild-with-match",
        "rulebook": "classic-500",
        "clause": "wild-same-color",
        "settings": {"may_keep_color": True},
    },
}
"""By method and path; an operation that takes a body has its own here."""
QUERIES: Mapping[str, str] = {"GET /rules": "?q=stack+%2B2"}
FILES: Mapping[str, str] = {"POST /import": "club.json"}
"""Bodies that are files."""


def address(name: str) -> str:
    """Write the address of an operation, with words in capitals for what the caller fills in."""
    path = re.sub(r"\{(\w+)\}", lambda found: found[1].upper(), name.partition(" ")[2])
    return f"{SERVER}/api/v1{path}{QUERIES.get(name, '')}"


def headers(name: str, operation: Mapping[str, Any]) -> dict[str, str]:
    """List the headers that an operation needs."""
    needed = {"Authorization": "Bearer KEY"} if operation.get("security") else {}
    if name in BODIES or name in FILES:
        needed["Content-Type"] = "application/json"
    if any(one["name"] == "If-Match" for one in operation.get("parameters", ())):
        needed["If-Match"] = "ETAG"
    return needed


def with_curl(name: str, operation: Mapping[str, Any]) -> str:
    """Write the call for a shell."""
    method = name.partition(" ")[0]
    words = [f"curl {address(name)!r}" if method in ("GET", "POST") else f"curl -X {method} {address(name)!r}"]
    words += [f"-H '{header}: {value}'" for header, value in headers(name, operation).items()]
    if name in FILES:
        words.append(f"--data-binary @{FILES[name]}")
    elif name in BODIES:
        words.append(f"-d '{json.dumps(BODIES[name], ensure_ascii=False)}'")
    elif method == "POST":
        words.append("-d ''")
    return " \\\n  ".join(words)


def with_python(name: str, operation: Mapping[str, Any]) -> str:
    """Write the call for Python, with nothing but its standard library."""
    method = name.partition(" ")[0]
    lines = ["import json"] if name in BODIES else []
    lines += ["from pathlib import Path"] if name in FILES else []
    lines += ["from urllib.request import Request, urlopen", "", "request = Request(", f'    "{address(name)}",']
    lines += [f'    method="{method}",'] if method != "GET" else []
    needed = headers(name, operation)
    lines += [f"    headers={json.dumps(needed)},"] if needed else []
    if name in FILES:
        lines.append(f'    data=Path("{FILES[name]}").read_bytes(),')
    elif name in BODIES:
        lines.append(f"    data=json.dumps({_python(BODIES[name])}).encode(),")
    lines += [")", "with urlopen(request) as answer:", "    print(answer.status, answer.read().decode())"]
    return "\n".join(lines)


def _python(value: Any) -> str:
    return re.sub(r"\btrue\b", "True", json.dumps(value, ensure_ascii=False))
