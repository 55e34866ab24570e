"""Write the pages of every setting and every command, from the tables and help texts that the app itself uses."""

from __future__ import annotations

import inspect
import json

import click

from referee.web.commands.main import main
from referee.web.server.settings import SETTINGS, Setting

SETTINGS_BEGIN = """# Every setting

Put settings in `config.toml` in the [instance folder](by-hand.md#where-your-data-is) (`threads = 8`) or in environment
variables (`REFEREE_THREADS=8`), which win. An unknown name or a wrong value stops the start and says why.

| setting | default | what it does |
| --- | --- | --- |
"""
SETTINGS_END = """
Settings of Flask and its extensions (`SQLALCHEMY_…`, `RATELIMIT_…`, `SESSION_…`, `WTF_…`) are passed through.

This page is written from the code by `python3 -m tools.documents`.
"""
COMMANDS_BEGIN = """# Every command

In a checkout use `python3 run …`, which sets everything up first; after `pip install .` it is `referee …`.
`python -m referee …` always works, and `--help` says the same as this page, which `python3 -m tools.documents` writes.
"""


def settings_page() -> str:
    """Write the page of settings: a table with a row for each."""
    rows = (f"| `{setting.name}` | {_default(setting)} | {setting.about} |\n" for setting in SETTINGS)
    return SETTINGS_BEGIN + "".join(rows) + SETTINGS_END


def _default(setting: Setting) -> str:
    return setting.unset or f"`{json.dumps(setting.default)}`"


def commands_page() -> str:
    """Write the page of commands: a section for each, with its help and its options."""
    context = click.Context(main)
    found = ((name, main.get_command(context, name)) for name in main.list_commands(context))
    return COMMANDS_BEGIN + "".join(_section(name, command) for name, command in found if command)


def _section(name: str, command: click.Command) -> str:
    named = (one for one in command.params if isinstance(one, click.Argument))
    arguments = [f" {one.make_metavar(click.Context(command))}" for one in named]
    rows = [_row(option) for option in command.params if isinstance(option, click.Option) and not option.hidden]
    table = "\n".join(("", "| option | default | what it does |", "| --- | --- | --- |", *rows, "")) if rows else ""
    told = inspect.cleandoc(command.help or "").replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n")
    return f"\n## referee {name}\n\n`referee {name}{''.join(arguments)}`\n\n{told}\n{table}"


def _row(option: click.Option) -> str:
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    value = "" if option.is_flag else " or ".join(map(str, choices)) or (option.name or "").upper()
    shown = f"`{option.default}`" if option.show_default else ""
    return f"| `{' '.join((option.opts[0], value)).strip()}` | {shown} | {option.help} |"
