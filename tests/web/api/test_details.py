"""Every detail that a table writes about a match is read by all that has to know it, whatever details there are."""

import dataclasses
import json

from referee.records.models import DETAILS, Match
from referee.records.transfer.document import MatchPart
from referee.web.api.match_resource import MatchChange, MatchRequest
from referee.web.api.shapes import MatchDocument
from tests.web.api.conftest import ClubOfCast, NewClub


def test_no_reader_of_a_match_has_forgotten_a_detail(club: ClubOfCast, new_club: NewClub) -> None:
    for model in (MatchRequest, MatchChange, MatchDocument):
        assert DETAILS.keys() <= model.model_fields.keys()
    assert DETAILS.keys() <= {part.name for part in dataclasses.fields(MatchPart)} & set(Match.__table__.columns.keys())

    match = club.match()
    written = {name: f"The {name} of Ada" for name in DETAILS}
    assert club.write("PATCH", f"/matches/{match}", written).status_code == 200
    assert club.document(match).items() >= written.items()

    menu = club.write.app.test_client().get(
        f"/matches/{match}/menu", headers={"Authorization": f"Bearer {club.write.key}"}
    )
    assert [text for text in written.values() if text not in menu.text] == []

    other = new_club("Another")
    export = club.read("GET", "/export")
    assert other.write("POST", "/import", data=export.data, content_type="application/json").status_code == 200
    assert other.document(match).items() >= written.items()

    people = club.read("GET", "/players").get_json()["players"]
    bo, ada = (next(one["id"] for one in people if one["name"] == name) for name in ("Bo", "Ada"))
    (of_bo,) = json.loads(club.read("GET", f"/players/{bo}/export").data)["matches"]
    assert of_bo.items() >= written.items()

    assert club.write("DELETE", f"/players/{ada}").status_code in (200, 204)
    nameless = club.document(match)
    assert {name: nameless[name] for name in DETAILS} == dict.fromkeys(DETAILS, "(text with a deleted name)")
    assert {f"/{name}" for name in DETAILS} <= set(nameless["removed_texts"])
    assert club.write("POST", f"/players/{ada}/restore").status_code == 200
    assert club.document(match).items() >= written.items()
