"""Hold the Flask extensions, made once and bound to an app by ``make_app``."""

from __future__ import annotations

import ipaddress

from flask import request
from flask_limiter import Limiter
from flask_sqlalchemy import SQLAlchemy
from flask_wtf import CSRFProtect

from referee.records.models import Base

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})
"""What a request has just written it need not read again to answer; the next request reads anew."""
csrf = CSRFProtect()


def asker() -> str:
    """Tell apart who asks: by address, and with IPv6 by its /64, since whoever has one address has all of those."""
    given = request.remote_addr or "nobody"
    try:
        address = ipaddress.ip_address(given)
    except ValueError:  # a proxy may write what it likes
        return given
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return given


limiter = Limiter(key_func=asker)
LOOKUPS = "240 per minute"
"""How often one address may look rules up: faster than anybody types, slower than a program that floods."""
