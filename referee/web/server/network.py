"""Find the address under which phones on the home network reach this machine."""

from __future__ import annotations

import socket

ANYWHERE = ("192.0.2.1", 9)
"""A documentation address (RFC 5737). Connecting a UDP socket sends nothing; it only makes the system pick a route."""


def home_address() -> str | None:
    """Return this machine's IPv4 address on the home network, or None when it is on none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ANYWHERE)
        except OSError:
            return _address_of_hostname()
        address: str = probe.getsockname()[0]
    return address


def _address_of_hostname() -> str | None:
    try:
        addresses = socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:
        return None
    return next((address for address in addresses if not address.startswith("127.")), None)
