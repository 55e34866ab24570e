"""What docs/hosting/cluster configures, as it stands there but for addresses, ports, folders and certificates."""

import re
from collections.abc import Mapping
from pathlib import Path

import psycopg

from referee.paths import CHECKOUT

FOLDER = CHECKOUT / "docs" / "hosting" / "cluster"


def recipe(name: str, places: Mapping[str, str]) -> str:
    """Read a file of the guide, and put other places into it; fails where it doesn't name one of them."""
    text = (FOLDER / name).read_text("utf-8")
    for place, here in places.items():
        assert place in text, f"{name} has changed: no {place}"
        text = text.replace(place, here)
    return text


def new_database(address: str) -> None:
    """Make the guide's role and database, as the superuser of a PostgreSQL."""
    with psycopg.connect(address, autocommit=True) as connection:
        for line in re.findall(r"^CREATE .*;$", recipe("database.sql", {}), re.MULTILINE):
            connection.execute(line.encode())


def haproxy_file(folder: Path, port: int, servers: Mapping[str, int], certificate: Path) -> Path:
    """Write the guide's file for HAProxy, for these of its servers and one port, and its certificate from a folder."""
    pem = "".join((certificate / part).read_text() for part in ("fullchain.pem", "privkey.pem"))
    (folder / "uno.example.org.pem").write_text(pem)
    places = {
        "\tlog /dev/log local0\n\tuser haproxy\n\tgroup haproxy\n": "",
        "/run/haproxy/admin.sock": f"{folder}/admin.sock",
        "\tbind :80\n": "",
        "bind :443": f"bind 127.0.0.1:{port}",
        "/etc/haproxy/uno.example.org.pem": f"{folder}/uno.example.org.pem",
    }
    for server in ("server1", "server2"):
        line = f"\tserver {server} {server}:8000\n"
        places[line] = f"\tserver {server} 127.0.0.1:{servers[server]}\n" if server in servers else ""
    file = folder / "haproxy.cfg"
    file.write_text(recipe("haproxy.cfg", places))
    return file
