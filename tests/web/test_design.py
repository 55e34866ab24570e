"""The gallery of components: only for who develops, and it leaves nothing behind."""

from __future__ import annotations

from sqlalchemy import func, select

from referee.records.models import Club
from referee.web.server.extensions import db
from tests.conftest import MakeApp
from tests.ground.client import Client


def test_the_gallery_shows_components_as_pages_draw_them_and_keeps_nothing(make_app: MakeApp) -> None:
    app = make_app(DEBUG=True)
    page = app.test_client().get("/design")
    assert page.status_code == 200
    for part in ('class="wordmark"', 'class="seal"', 'data-went-out="', 'aria-invalid="true"', "data-scene", "Rematch"):
        assert part in page.text, part
    assert 'class="laid"' in page.text.partition('class="hand-pad"')[2], "the pad lies open"
    with app.app_context():
        assert db.session.scalar(select(func.count()).select_from(Club)) == 0


def test_there_is_no_gallery_where_people_play(client: Client) -> None:
    assert client.get("/design").status_code == 404
