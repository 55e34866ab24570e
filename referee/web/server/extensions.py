"""Hold the Flask extensions, made once and bound to an app by ``make_app``."""

from __future__ import annotations

import ipaddress
import re

from flask import request
from flask_limiter import Limiter
from flask_sqlalchemy import SQLAlchemy
from flask_wtf import CSRFProtect

from referee.records.models import Base

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})
"""What a request has just written it need not read again to answer; the next request reads anew."""
csrf = CSRFProtect()

NOBODY = "nobody"
_WITHOUT_PORT = re.compile(r"\A(?:\[([0-9a-f:.]+)\]|([\d.]+))(?::\d+)?\Z", re.IGNORECASE)
"""An address with a port, as some proxies write it."""


def asker() -> str:
    """Tell apart who asks: by address, and with IPv6 by its /64, since whoever has one address has all of those.

    Whatever is no address counts as one: a visitor could make up any number of such words for a proxy to pass on.
    """
    given = request.remote_addr or ""
    try:
        address = ipaddress.ip_address(_WITHOUT_PORT.sub(r"\1\2", given))
    except ValueError:
        return NOBODY
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(address), 64), strict=False))
        address = address.ipv4_mapped
    return str(address)


limiter = Limiter(key_func=asker)
