"""A test client that can fill in a form as a browser does: with its CSRF token."""

from __future__ import annotations

import re
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

TOKEN = re.compile(r'<meta name="csrf-token" content="([^"]+)"')


class Client(FlaskClient):
    """Flask's client, and the token of its session."""

    def token(self, path: str = "/") -> str:
        """Read the CSRF token that the page at ``path`` carries."""
        found = TOKEN.search(self.get(path).get_data(as_text=True))
        assert found, f"{path} carries no CSRF token"
        return found[1]

    def submit(self, path: str, data: dict[str, Any], *, page: str = "/", **options: Any) -> TestResponse:
        """Post a form to ``path``, with the token that ``page`` carries."""
        return self.post(path, data=data | {"csrf_token": self.token(page)}, **options)
