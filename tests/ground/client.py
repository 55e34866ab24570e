"""A test client that can fill in a form as a browser does: with its CSRF token."""

import re
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from referee.web.server.guards import SESSION_KEYS

TOKEN = re.compile(r'<meta name="csrf-token" content="([^"]+)"')


class Client(FlaskClient):
    """Flask's client, and the token of its session."""

    def open(self, *args: Any, status: int | None = None, **options: Any) -> TestResponse:
        """Send a request; fail where the answer has another status than is said."""
        answer = super().open(*args, **options)
        assert status in (None, answer.status_code), f"{answer.status}: {answer.text[:2000]}"
        return answer

    def token(self, path: str = "/") -> str:
        """Read the CSRF token that the page at ``path`` carries."""
        return find_in(TOKEN, self.get(path).text)

    def submit(self, path: str, data: dict[str, Any], *, page: str = "/", **options: Any) -> TestResponse:
        """Post a form to ``path``, with the token that ``page`` carries."""
        return self.post(path, data=data | {"csrf_token": self.token(page)}, **options)


def browser_of(app: Flask, *keys: str) -> Client:
    """Open one more browser, without any cookie unless it holds keys of clubs."""
    client = app.test_client()
    assert isinstance(client, Client)
    if keys:
        with client.session_transaction() as session:
            session[SESSION_KEYS] = [*keys]
    return client


def find_in(pattern: str | re.Pattern[str], text: str, flags: int = 0) -> str:
    """Return what the group of a pattern first matches; fail where nothing does."""
    found = re.search(pattern, text, flags)
    assert found, f"{pattern} isn’t in {text[:2000]}"
    return found[1]
