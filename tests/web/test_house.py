"""The house answers: errors, headers, static files, settings."""

from __future__ import annotations

from tests.ground.client import Client
from tests.ground.server import Server


def test_an_unknown_address_is_a_page_that_says_so(client: Client) -> None:
    answer = client.get("/nowhere")
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert "Nothing here" in answer.get_data(as_text=True)


def test_the_server_answers(server: Server, page) -> None:
    page.goto("/nowhere")
    assert page.title()
