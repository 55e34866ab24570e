"""Keep score and settle disputes for people who play Uno with physical cards.

Three layers: ``referee.rules`` (standard library only), ``referee.records`` (SQLAlchemy), ``referee.web`` (Flask).
Importing this package, or ``referee.rules``, loads neither Flask nor SQLAlchemy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

__version__ = "1.0.0"


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """Make the application, with its database ready.

    ``config`` wins over ``REFEREE_*`` variables, these over ``config.toml`` in the instance folder, that over defaults.
    Tables are created in an empty database; an existing one is never changed here.

    Raises ``referee.web.server.settings.BrokenSettings``, naming every setting that is unknown or of the wrong type.
    """
    from referee.web.app import create_app as make_app  # here, since `import referee.rules` must not load Flask

    return make_app(config)
