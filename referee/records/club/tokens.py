"""Tokens of keys and invitations.

A token is 26 characters of Crockford's base32, 130 random bits. It is shown once; the database keeps
its SHA-256, which needs no salt since nobody can try that many. Looking a token up by its hash
tells nothing by the time it takes.
"""

from __future__ import annotations

import hashlib
import secrets

from referee.records.ids import ALPHABET

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
