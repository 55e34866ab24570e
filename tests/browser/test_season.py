"""A season on a phone and on paper: what is counted is there at once, and its sheet is one page."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import NewPhone
from tests.ground.server import Server


def test_a_season_of_forty_five_hangs_on_a_door_on_one_page(server: Server, new_phone: NewPhone) -> None:
    programs = server.app.test_client()
    club = programs.post("/api/v1/clubs", json={"name": "Youth center"}).get_json()
    headers = {"Authorization": f"Bearer {club['scorekeeper_key']}"}
    everyone = [f"Child {number:02}" for number in range(45)]
    for first in range(0, 45, 5):
        players = everyone[first : first + 5]
        body = {"players": players, "rulebook": "classic-500", "rounds_to_play": 1}
        match = programs.post("/api/v1/matches", json=body, headers=headers).get_json()["id"]
        hands = {name: [str(card)] for card, name in enumerate(players[1:], 1)}
        entry = {"after": 0, "went_out": players[0], "hands": hands}
        assert programs.post(f"/api/v1/matches/{match}/rounds", json=entry, headers=headers).status_code == 201
    invitation = programs.post("/api/v1/invitations", json={"role": "scorekeeper"}, headers=headers).get_json()
    page = new_phone().new_page()
    page.goto(invitation["link"].replace("http://localhost", server.url))
    page.click("main button.primary")
    page.goto("/seasons/new")
    page.click("button.primary")
    expect(page.locator("h1")).to_have_text(re.compile("Season 20"))
    expect(page.locator(".season-table tbody tr")).to_have_count(45)
    page.click("summary:has-text('Who met whom')")
    assert page.locator(".versus thead tr").evaluate("row => row.offsetHeight") < 60, "names stand in one line"
    page.click("text=Sheet for the door")
    expect(page.locator(".door tbody tr")).to_have_count(40)
    paper = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_hides_people_until_only_some_belong(server: Server, new_phone: NewPhone, scheme: str) -> None:
    programs = server.app.test_client()
    club = programs.post("/api/v1/clubs", json={"name": "Ours"}).get_json()
    headers = {"Authorization": f"Bearer {club['scorekeeper_key']}"}
    programs.post("/api/v1/players", json={"name": "Ada"}, headers=headers)
    invitation = programs.post("/api/v1/invitations", json={"role": "scorekeeper"}, headers=headers).get_json()
    page = new_phone(color_scheme=scheme).new_page()
    page.goto(invitation["link"].replace("http://localhost", server.url))
    page.click("main button.primary")
    page.goto("/seasons/new")
    expect(page.get_by_label("Ada")).to_be_hidden()
    page.get_by_label("Only some").check()
    page.get_by_label("Ada").check()
    page.click("button.primary")
    expect(page.locator(".season-table tbody tr")).to_have_count(1)
