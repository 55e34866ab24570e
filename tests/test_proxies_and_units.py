"""The files for proxies and systemd keep step with documentation and app, and are understood by those they are for."""

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from flask import Flask

from referee.paths import CHECKOUT
from referee.web.server.settings import SETTINGS

FILES = CHECKOUT / "docs" / "hosting"
PAGES = CHECKOUT / "docs" / "pages" / "host"
HOSTING = "\n".join(page.read_text("utf-8") for page in sorted(PAGES.glob("*.md")))
CADDY = (FILES / "Caddyfile").read_text("utf-8")
AT_HOME = (FILES / "Caddyfile.home").read_text("utf-8")
NGINX = (FILES / "nginx.conf").read_text("utf-8")
SERVERS = ("referee.service", "referee-gunicorn.service")
UNITS = sorted(file.name for file in FILES.iterdir() if file.suffix in (".service", ".timer"))
FORWARDED = {"For", "Proto", "Host"}
"""What the app believes of a proxy: the rest of these headers' names."""


def needs(program: str, package: str = "", *, by_ci: bool = True) -> str:
    """Find a program, or skip with the word that it is missing; what CI installs must be there in CI."""
    found = shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/bin")
    if found is None:
        missing = f"{program} is not installed, so what it would say is not known: apt-get install {package or program}"
        if by_ci and os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return found


def unit(name: str) -> dict[str, list[str]]:
    lines = [line.partition("=") for line in (FILES / name).read_text("utf-8").splitlines() if "=" in line[:40]]
    values: dict[str, list[str]] = {}
    for key, _, value in lines:
        values.setdefault(key, []).append(value)
    return values


def test_every_file_is_named_in_the_documentation() -> None:
    for file in filter(Path.is_file, FILES.rglob("*")):
        assert f"(../../hosting/{file.relative_to(FILES)})" in HOSTING, file.name


def test_the_units_start_what_the_documentation_starts() -> None:
    (gunicorn,) = re.findall(r'^(gunicorn ".*)$', HOSTING, re.MULTILINE)
    assert unit("referee-gunicorn.service")["ExecStart"] == [f"/opt/referee/current/bin/{gunicorn}"]
    assert unit("referee.service")["ExecStart"] == ["/opt/referee/current/bin/referee serve"]
    assert "/opt/referee/current/bin/pip install" in HOSTING
    for name in SERVERS:
        assert unit(name)["Environment"][0] == "REFEREE_INSTANCE=/var/lib/referee"
        assert unit(name)["StateDirectory"] == ["referee"]
    assert unit("referee-nightly.service")["Environment"][0] == "REFEREE_INSTANCE=/var/lib/referee"
    (settings,) = unit("referee-gunicorn.service")["EnvironmentFile"]
    assert settings == "-/etc/referee.env", "of version 1.0; where there is none, the unit starts all the same"
    assert settings.removeprefix("-") in HOSTING


def test_every_setting_of_several_machines_is_one() -> None:
    section = (PAGES / "several.md").read_text("utf-8").split("\n## ")[0]
    first, *_ = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    named = {name.upper() for name in tomllib.loads(first)}
    assert {"DATABASE_URL", "SECRET_KEY", "PROXIES"} <= named <= {setting.name for setting in SETTINGS}


def test_the_proxies_ask_for_addresses_that_there_are_and_keep_the_counters_to_the_house(app: Flask) -> None:
    paths = {rule.rule for rule in app.url_map.iter_rules()}
    (health,) = re.findall(r"health_uri (\S+)", CADDY)
    assert health in paths
    for text in (CADDY, NGINX):
        assert "/metrics" in text
        assert "server1:8000" in text
        assert "server2:8000" in text


def test_the_proxies_let_no_client_say_who_it_is() -> None:
    """Caddy sets For, Proto and Host itself; nginx has to be told each."""
    assert set(re.findall(r"proxy_set_header X-Forwarded-(\w+) ", NGINX)) == FORWARDED
    assert "$proxy_add_x_forwarded_for" not in NGINX, "that would keep what the client says"


def test_nginx_takes_as_much_as_the_app_and_writes_no_address_down() -> None:
    (largest,) = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    (limit,) = [setting.default for setting in SETTINGS if setting.name == "MAX_IMPORT_LENGTH"]
    assert int(largest) * 1024 * 1024 >= limit
    assert "access_log off;" in NGINX


@pytest.mark.parametrize("name", ["Caddyfile", "Caddyfile.home"])
def test_caddy_understands_its_files(name: str) -> None:
    command = (needs("caddy"), "validate", "--adapter", "caddyfile", "--config", str(FILES / name))
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def test_nginx_understands_its_file(tmp_path: Path) -> None:
    program = needs("nginx")
    openssl = (needs("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=x")
    certificate, key = tmp_path / "fullchain.pem", tmp_path / "privkey.pem"
    subprocess.run((*openssl, "-keyout", str(key), "-out", str(certificate)), check=True, capture_output=True)
    text = re.sub(r"/etc/letsencrypt/live/[^/]+", str(tmp_path), NGINX).replace("server1", "127.0.0.1")
    text = text.replace("server2", "127.0.0.2")
    around = f"pid {tmp_path / 'pid'};\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{text}\n}}\n"
    (tmp_path / "nginx.conf").write_text(around)
    command = (program, "-t", "-q", "-c", str(tmp_path / "nginx.conf"))
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def test_the_service_is_reached_by_the_phones_of_a_home() -> None:
    """By the setting alone: an option in the unit would win over what the page on HTTPS says."""
    (line,) = re.findall(r"^echo '(.+)' >/var/lib/referee/config\.toml$", HOSTING, re.MULTILINE)
    assert tomllib.loads(line) == {"host": "0.0.0.0"}
    assert [setting.types for setting in SETTINGS if setting.name == "HOST"] == [(str,)]


@pytest.mark.promise("backup#nightly")
def test_every_night_there_is_a_backup_and_a_purge(tmp_path: Path) -> None:
    """By the very lines of the unit, with a program that notes what it is asked for."""
    nightly = unit("referee-nightly.service")
    asked = tmp_path / "asked"
    program = tmp_path / "referee"
    program.write_text(f'#!/bin/sh\necho "$@" >>{asked}\n')
    program.chmod(0o755)
    (folder,) = [value.removeprefix("BACKUPS=") for value in nightly["Environment"] if value.startswith("BACKUPS=")]
    assert f" {folder}\n" in HOSTING, "the page makes it"
    for line in nightly["ExecStart"]:
        shown = line.replace("$$", "$").replace("%%", "%").replace("/opt/referee/current/bin/referee", str(program))
        subprocess.run(shlex.split(shown), env=os.environ | {"BACKUPS": folder, "LC_ALL": "C"}, check=True)
    backup, purge = asked.read_text().splitlines()
    assert re.fullmatch(rf"backup {folder}/(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.db", backup)
    assert purge == "purge"


def test_the_timer_rings_at_night() -> None:
    (when,) = unit("referee-nightly.timer")["OnCalendar"]
    told = subprocess.run(
        (needs("systemd-analyze", "systemd", by_ci=False), "calendar", when), capture_output=True, text=True
    )
    assert "04:30:00" in told.stdout, told.stderr


@pytest.mark.parametrize("name", UNITS)
def test_systemd_understands_the_units(tmp_path: Path, name: str) -> None:
    """With a program that is there: systemd would say of any other that it is missing."""
    program = needs("systemd-analyze", "systemd", by_ci=False)
    there = re.sub(r"/opt/referee/current/bin/\w+", "/bin/true", (FILES / name).read_text("utf-8"))
    (tmp_path / name).write_text(there)
    if name.endswith(".timer"):
        (tmp_path / name).with_suffix(".service").write_text("[Service]\nType=oneshot\nExecStart=/bin/true\n")
    answer = subprocess.run((program, "verify", "--man=no", str(tmp_path / name)), capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert name not in answer.stderr
