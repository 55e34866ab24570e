"""Ids and tokens. Ids are short, unguessable in bulk, and sorted by the moment they were made.

An id is 16 characters of Crockford's base32 (https://www.crockford.com/base32.html): 48 bits of
milliseconds since 1970, then 32 random bits. Ids made by several servers need no common counter,
and sorting by id is sorting by time, which spares an index.

A token, of a key or an invitation, is 26 of those characters, 130 random bits. It is shown once; the database keeps
its SHA-256, which needs no salt since nobody can try that many. Looking a token up by its hash tells nothing by the
time it takes.
"""

import hashlib
import re
import secrets
from datetime import UTC, datetime

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH = 16
ID_PATTERN = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")


def _base32(number: int, length: int) -> str:
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(length)))


_DIGITS = str.maketrans(ALPHABET, "0123456789abcdefghijklmnopqrstuv")
"""Digits of base 32 as `int` reads them."""


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def new_id(moment: datetime | None = None) -> str:
    """Make an id for something that began at `moment` (now, when it is not given).

    Raises ValueError for a moment before 1970.
    """
    milliseconds = _milliseconds(moment or datetime.now(UTC))
    if milliseconds < 0:
        raise ValueError("ids start in 1970")
    return _base32(milliseconds << 32 | secrets.randbits(32), LENGTH)


def id_after(latest: str | None) -> str:
    """Make an id for something that happened after what `latest` names, even if the clock was set back in between."""
    fresh = new_id()
    if latest is None or latest < fresh:
        return fresh
    following = int(latest.translate(_DIGITS), 32) + 1 + secrets.randbits(20)
    return _base32(following, LENGTH) if following < 32**LENGTH else fresh


def id_of(moment: datetime, content: bytes) -> str:
    """Make the id of something that began at `moment`, always the same for the same content."""
    return _base32(_milliseconds(moment) << 32 | int.from_bytes(hashlib.sha256(content).digest()[:4]), LENGTH)


def first_id_of(moment: datetime) -> str:
    """Return the smallest id that something begun at `moment` or later can have."""
    return _base32(max(0, _milliseconds(moment)) << 32, LENGTH)


def moment_of(record_id: str) -> datetime:
    """Return when an id was made, in UTC."""
    milliseconds = int(record_id[:10].translate(_DIGITS), 32) >> 2  # ten digits are 50 bits
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def is_id(text: str) -> bool:
    """Return whether a text could be an id."""
    return ID_PATTERN.fullmatch(text) is not None


TOKEN_LENGTH = 26
_MISREAD = str.maketrans("oil", "011", "- \t\r\n.")
"""Letters that Crockford's alphabet leaves out because they look like digits, and what people put between groups."""


def new_token() -> str:
    """Make an unguessable token."""
    return "".join(secrets.choice(ALPHABET) for _ in range(TOKEN_LENGTH))


def read_token(text: str) -> str | None:
    """Read a token as scanned, pasted or typed from paper; None for anything else."""
    token = text.lower().translate(_MISREAD) if len(text) <= 200 else ""
    return token if len(token) == TOKEN_LENGTH and set(token) <= set(ALPHABET) else None


def token_in_words(token: str) -> str:
    """Write a token in groups of four or five that can be read from paper; `read_token` reads them back."""
    return " ".join(token[start : start + 5] for start in range(0, TOKEN_LENGTH - 1, 5)) + token[-1]


def digest_of(token: str) -> str:
    """Return the digest of a token, which is what the database stores."""
    return hashlib.sha256(token.encode()).hexdigest()
