"""What keeps strangers out beyond keys: nobody is sent elsewhere, floods are slowed down, mistakes tell nothing."""

from __future__ import annotations

import pytest

from tests.conftest import MakeApp
from tests.web.test_routes import CALLERS, TABLE, House, house  # noqa: F401 - a fixture

ELSEWHERE = "https://evil.example/"


def test_no_address_sends_anybody_to_another_site(house: House) -> None:  # noqa: F811
    sent = []
    for route in TABLE:
        method, rule = route.split()
        if rule.startswith("/api/"):
            continue
        browser = house.browser(CALLERS[-1])
        data = dict.fromkeys(("next", "url", "back", "return_to"), ELSEWHERE)
        token = {"csrf_token": browser.token("/rules")} if method == "POST" else {}
        answer = browser.open(
            house.path(rule), method=method, query_string=data, data=data | token, headers={"Referer": ELSEWHERE}
        )
        where = answer.headers.get("Location", "/")
        if not where.startswith("/") or where.startswith(("//", "/\\")):
            sent.append(f"{route} → {where}")
    assert not sent, sent


@pytest.mark.parametrize("path", ["/rules?q=reverse", "/api/v1/rules?q=reverse"])
def test_a_flood_of_look_ups_is_slowed_down_in_clear_words(make_app: MakeApp, path: str) -> None:
    client = make_app(RATELIMIT_ENABLED=True).test_client()
    answers = [client.get(path) for _ in range(245)]
    assert {answer.status_code for answer in answers[:200]} == {200}
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert "Wait a moment" in answers[-1].text
    assert client.get("/rules").status_code == 200, "reading goes on"
