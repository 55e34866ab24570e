"""Texts with a deleted name are taken out whole, return letter by letter, and go with the first name purged."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import JSON, Connection, String, Text, delete, select, update

from referee.records.deletion import of_player, purging
from referee.records.deletion.texts import TAKEN_OUT, NameFinder
from referee.records.models import Base, IdempotentAnswer, Key, OwnRulebookRow, Player, RemovedText, Ruling, Seat, now
from referee.web.server.database import db
from tests.ground.each import at_once
from tests.ground.house import House
from tests.ground.listening import counted, listening
from tests.ground.record import faults
from tests.web.test_deleting import age, call, rows

pytestmark = pytest.mark.usefixtures("database")

TAKEN = "(text with a deleted name)"
RENAMED: Mapping[str, str] = {
    "players.name": "the name itself, which becomes a stand-in",
    "players.folded_name": "follows the name",
    "players.deleted_name": "the name while it can be restored",
    "seats.name_then": "the name as it was then, which becomes the same stand-in",
    "seats.deleted_name": "that name while it can be restored",
    "rulings.ruling": "our sentences: heard again with the stand-in",
    "rulings.facts": "names as values of their own, as of who drew which card",
}
"""Names that are known by key, with what happens to them."""
UNTOUCHED: Mapping[str, str] = {
    "rulebook_texts.document": "known by its digest and played by: listed as what stays",
    "removed_texts.words": "texts that stand apart already; a deletion looks through them",
    "removed_texts.instead": "what stands in the place of such a text, and is looked through there",
    "idempotent_answers.body": "ids, in 0.1.0 whole answers: deleted with a name",
}
"""Columns in which no deletion changes anything though words are in them, with the reason."""
OURS: Mapping[str, str] = {
    "club_imports": "club_id id made",
    "clubs": "id unrated_from import_id language time_zone",
    "deletions": "club_id id kind with_id",
    "draw_tables": "club_id evening_id match_id",
    "draws": "club_id evening_id kind input drawn_by",
    "evening_players": "club_id evening_id player_id",
    "evenings": "club_id id status created_by",
    "idempotent_answers": "club_id key request_digest",
    "invitations": "club_id id role digest created_by used_by revoked_with",
    "keys": "club_id id role digest match_id season_id evening_id opened_by revoked_with",
    "match_events": "club_id id match_id kind by",
    "match_results": "club_id match_id player_id scale met",
    "match_sums": "club_id player_id scale match_id last_cards",
    "matches": "club_id id status ended_by rulebook tally rematch_of created_by",
    "open_hands": "club_id match_id cards entered_by",
    "open_rounds": "club_id match_id opened_by",
    "own_rulebooks": "club_id id changed_by share_id share_digest shared_by",
    "players": "club_id id merged_into marker",
    "removed_texts": "club_id place match_id waits_for",
    "round_scores": "club_id match_id player_id last_card scale",
    "round_versions": "club_id round_id entered_by score",
    "rounds": "club_id id match_id",
    "rulebook_texts": "club_id digest",
    "rulings": "club_id id match_id dispute rulebook_digest seats finding given_by",
    "seasons": "club_id id rules people created_by",
    "seats": "club_id match_id player_id stays",
}
"""Columns of ids, codes, cards and numbers, by table; with those above and `TAKEN_OUT` all of texts and JSON."""


def test_every_column_of_texts_says_what_a_deletion_does_with_it() -> None:
    columns = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.c
        if isinstance(column.type, String | Text | JSON)
    }
    ours = {f"{table}.{name}" for table, names in OURS.items() for name in names.split()}
    said = [*TAKEN_OUT, *RENAMED, *(name for name in UNTOUCHED if name != "idempotent_answers.body"), *ours]
    assert len(said) == len(set(said))
    assert columns - set(said) == set(), "say above, or in `TAKEN_OUT`, what a deletion does with these"
    assert set(said) - columns == set(), "no longer there"


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Quentin", "with quentin, at last", True),
        ("Quentin", "QUENTIN:deals", True),
        ("Quentin", "Quentinette", False),
        ("Quentin", "Bo deals", None),
        ("Straße", "STRASSE 5", True),
        ("Ada", "Ａｄａ won", True),
        ("Ada", "Adas turn", False),
        ("민수", "민수가 이겼다", False),
        ("أحمد", "وأحمد", False),
        ("أحمد", "فاز أحمد", True),
        ("Al", "Al deals", False),
        ("Ed", "Edda", False),
        ("e", "e", False),
        ("🙂🙂🙂", "🙂🙂🙂!", True),
        ("第1小明", "第1小明赢了", False),
        ("राम", "रामा", False),
        ("Zoe", "Zoe\N{COMBINING DIAERESIS} is another", None),
        ("…", "…", False),
        ("İpek", "ipek wins", True),
        ("Işıl", "ışıl loses", True),
        ("علی\u200cرضا", "علیرضا won", True),
        (".*+?", "Anyone .*+? anyone", True),
        ("aaab", "aaaaab aaab", True),
    ],
)
def test_a_name_is_found_in_any_case_and_ticked_where_it_stands_free(name: str, text: str, found: bool | None) -> None:
    assert NameFinder({name, "Nobody Else"}).find_in(text) is found


@pytest.mark.promise("deleting#letter-by-letter")
def test_a_text_is_taken_out_whole_and_returns(house: House) -> None:
    ids = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    assert call(house, "PATCH", f"/players/{ids['Bo']}", json={"name": "Quentin"}).status_code == 200
    written = {"name": "Quentin’s birthday", "note": "quentin sat\nbeside Di", "location": "Quentinette’s"}
    call(house, "PATCH", "/matches/<match_id>", json=written)
    call(house, "POST", "/matches/<match_id>/amendments", json={"custom_rules": ["No phones", "Quentin deals"]})
    ruling = {"dispute": "played-card-effect", "facts": {"played": "red-skip"}, "players": {"offender": "Quentin"}}
    call(house, "POST", "/matches/<match_id>/rulings", json=ruling)
    before = rows(house.app)
    assert call(house, "DELETE", f"/players/{ids['Bo']}").status_code == 200
    document: dict[str, Any] = call(house, "GET", "/matches/<match_id>").json
    assert (document["name"], document["note"], document["location"]) == (TAKEN, TAKEN, "Quentinette’s")
    assert document["custom_rules"] == ["No phones", TAKEN]
    assert document["removed_texts"] == ["/name", "/note", "/custom_rules/1", "/amendments/0/custom_rules/1"]
    assert document["rulings"][-1]["summary"].startswith("The player after Former player 1")
    with house.app.app_context():
        assert db.session.scalars(select(RemovedText)).all()
        db.session.rollback()
    assert call(house, "POST", f"/players/{ids['Bo']}/restore").status_code == 200
    assert rows(house.app) == before


def named(house: House, **called: str) -> dict[str, str]:
    """Give players of the house other names; return the ids of all by name."""
    ids = {one["name"]: one["id"] for one in call(house, "GET", "/players").json["players"]}
    for old, new in called.items():
        assert call(house, "PATCH", f"/players/{ids[old]}", json={"name": new}).status_code == 200
    return {called.get(name, name): id for name, id in ids.items()}


def texts_of(house: House, player: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call(house, "GET", f"/players/{player}/deletion").json["texts"]
    return found


def test_what_we_call_a_link_is_no_text_that_people_wrote(house: House) -> None:
    ids = named(house, Bo="Live")
    with house.app.app_context():
        assert "Live board" in set(db.session.scalars(select(Key.name)))
        db.session.rollback()
    assert [text["id"] for text in texts_of(house, ids["Live"]) if text["kind"] == "keys.name"] == []


@pytest.mark.promise("deleting#copies-return")
def test_copies_of_a_removed_text_return_with_it(house: House) -> None:
    """Its rule is amended around, its match played again, its round corrected: each copy waits as the text does."""
    ids = named(house, Bo="Quentin")
    call(house, "PATCH", "/matches/<match_id>", json={"name": "Quentin’s", "location": "Quentin’s kitchen"})
    call(house, "POST", "/matches/<match_id>/amendments", json={"custom_rules": ["Quentin deals", "No phones"]})
    entry = {"after": 1, "went_out": "Ada", "hands": {"Quentin": 5, "Cy": 3, "Di": 9}}
    entry["adjustments"] = [{"player": "Cy", "points": -5, "reason": "Quentin said so"}]
    added = call(house, "POST", "/matches/<match_id>/rounds", json=entry).json["round"]
    call(house, "DELETE", f"/players/{ids['Quentin']}")
    amended = {"custom_rules": ["No shoes", TAKEN], "target": 400}
    assert call(house, "POST", "/matches/<match_id>/amendments", json=amended).status_code == 201
    corrected: dict[str, Any] = {"went_out": "Ada", "hands": {"Former player 1": 6, "Cy": 3, "Di": 9}}
    corrected["adjustments"] = [{"player": "Cy", "points": -5, "reason": TAKEN}]
    assert call(house, "PUT", f"/matches/<match_id>/rounds/{added['id']}", json=corrected).status_code == 200
    assert call(house, "POST", "/matches/<match_id>/finish").status_code == 200
    following = call(house, "POST", "/matches/<match_id>/rematch")
    assert following.status_code == 201, following.text
    assert following.json["removed_texts"] == ["/name", "/location", "/custom_rules/1"]

    assert call(house, "POST", f"/players/{ids['Quentin']}/restore").status_code == 200
    first = call(house, "GET", "/matches/<match_id>").json
    second = call(house, "GET", f"/matches/{following.json['id']}").json
    assert first["custom_rules"] == second["custom_rules"] == ["No shoes", "Quentin deals"]
    assert (second["name"], second["location"]) == ("Quentin’s", "Quentin’s kitchen")
    assert first["rounds"][-1]["adjustments"][0]["reason"] == "Quentin said so"
    assert TAKEN not in call(house, "GET", "/export").text


@pytest.mark.promise("deleting#typed-since")
def test_what_was_typed_since_stays_and_the_words_of_its_place_go(house: House) -> None:
    ids = named(house, Bo="Quentin")
    call(house, "PATCH", "/matches/<match_id>", json={"name": "Quentin’s", "note": "with Quentin"})
    call(house, "DELETE", f"/players/{ids['Quentin']}")
    call(house, "PATCH", "/matches/<match_id>", json={"name": "Cy’s"})
    call(house, "POST", f"/players/{ids['Quentin']}/restore")
    document = call(house, "GET", "/matches/<match_id>").json
    assert (document["name"], document["note"]) == ("Cy’s", "with Quentin")
    with house.app.app_context():
        assert db.session.scalars(select(RemovedText)).all() == []


def test_the_host_chooses_texts_and_puts_other_words_in_their_place(house: House) -> None:
    ids = named(house, Bo="Al")
    call(house, "PATCH", "/matches/<match_id>", json={"name": "Al’s", "location": "At Almas", "note": "Al and Di"})
    listed = {text["words"]: text for text in texts_of(house, ids["Al"])}
    assert {words: text["ticked"] for words, text in listed.items()} == dict.fromkeys(listed, False), "too short a name"
    assert {"Al’s", "At Almas", "Al and Di"} <= set(listed)
    named_both = listed["Al and Di"]["id"]
    wrong = {"texts": [listed["Al’s"]["id"], "matches/x/note", named_both], "words": {named_both: "x" * 2001}}
    answer = call(house, "DELETE", f"/players/{ids['Al']}", json=wrong)
    assert answer.status_code == 422
    assert sorted(one["field"] for one in answer.json["errors"]) == ["texts[1]", "texts[2].words"]
    chosen = {"texts": [listed["Al’s"]["id"], named_both], "words": {named_both: "someone and Di"}}
    before = rows(house.app)
    assert call(house, "DELETE", f"/players/{ids['Al']}", json=chosen).status_code == 200
    document = call(house, "GET", "/matches/<match_id>").json
    assert (document["name"], document["location"], document["note"]) == (TAKEN, "At Almas", "someone and Di")
    assert call(house, "POST", f"/players/{ids['Al']}/restore").status_code == 200
    assert rows(house.app) == before


def test_other_words_choose_their_text_by_themselves(house: House) -> None:
    ids = named(house, Bo="Quentin")
    texts = {"name": "Quentin’s", "location": "At Quentin’s", "note": "Quentinette"}
    call(house, "PATCH", "/matches/<match_id>", json=texts)
    listed = {text["words"]: text["id"] for text in texts_of(house, ids["Quentin"])}
    words = {listed["At Quentin’s"]: "At home", listed["Quentinette"]: "A friend"}
    path = f"/players/{ids['Quentin']}"
    wrong = call(house, "DELETE", path, json={"texts": [], "words": words | {"matches/x/note": "At home"}})
    assert [one["field"] for one in wrong.json["errors"]] == ["texts[2]"]
    assert call(house, "DELETE", path, json={"words": words}).status_code == 200
    document = call(house, "GET", "/matches/<match_id>").json
    assert (document["name"], document["location"], document["note"]) == (TAKEN, "At home", "A friend")


@pytest.mark.promise("deleting#words-apart", "deleting#letter-by-letter")
def test_of_two_names_in_a_text_the_last_restored_brings_it_back_and_the_first_purged_takes_it(house: House) -> None:
    ids = named(house, Bo="Quentin", Di="Marigold")
    call(house, "PATCH", "/matches/<match_id>", json={"name": "Quentin & Marigold", "note": "Marigold won"})
    before = rows(house.app)
    for step in ("Quentin", "Marigold"):
        call(house, "DELETE", f"/players/{ids[step]}")
    for step in ("Quentin", "Marigold"):
        assert call(house, "GET", "/matches/<match_id>").json["name"] == TAKEN
        call(house, "POST", f"/players/{ids[step]}/restore")
    assert rows(house.app) == before
    for step in ("Quentin", "Marigold"):
        call(house, "DELETE", f"/players/{ids[step]}")
    age(house.app)
    with house.app.app_context():
        player = db.session.get_one(Player, (house.club_id, ids["Marigold"]))
        player.deleted_at = now()
        db.session.commit()
        assert purging.purge(db.engine).players == 1
        assert not [row.words for row in db.session.scalars(select(RemovedText)) if "Quentin" in row.words]
    assert faults(house.app) == []
    call(house, "POST", f"/players/{ids['Marigold']}/restore")
    document = call(house, "GET", "/matches/<match_id>").json
    assert (document["name"], document["note"]) == (TAKEN, "Marigold won")


def test_a_merged_players_name_is_deleted_with_whom_it_became(house: House) -> None:
    ids = named(house, Bo="Quentin")
    other = call(house, "POST", "/players", json={"name": "Quentin the Elder"}).json["id"]
    assert call(house, "POST", f"/players/{other}/merge", json={"into": ids["Quentin"]}).status_code == 200
    call(house, "PATCH", "/matches/<match_id>", json={"note": "quentin the elder sat here"})
    before = rows(house.app)
    lost = call(house, "DELETE", f"/players/{other}")
    assert (lost.status_code, lost.json["id"]) == (200, ids["Quentin"])
    assert call(house, "GET", "/matches/<match_id>").json["note"] == TAKEN
    assert faults(house.app) == []
    assert call(house, "POST", f"/players/{other}/restore").status_code == 200
    assert rows(house.app) == before


def test_a_name_goes_and_returns_in_as_many_statements_however_many_were_merged_into_it(house: House) -> None:
    ids = named(house, Bo="Quentin")
    asked = list[list[int]]()
    for name in ("Quentin the Elder", "Old Quentin"):
        other = call(house, "POST", "/players", json={"name": name}).json["id"]
        call(house, "POST", f"/players/{other}/merge", json={"into": ids["Quentin"]})
        asked.append([])
        for method, path in (("DELETE", ""), ("POST", "/restore")):
            with counted(house.app) as statements:
                assert call(house, method, f"/players/{ids['Quentin']}{path}").status_code == 200
            asked[-1].append(len(statements))
    assert asked[0] == asked[1]


def test_texts_written_while_they_are_looked_through_have_them_looked_through_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = named(house, Bo="Quentin")
    drafted = of_player.draft_removal
    looks = list[int]()

    def crossed(*arguments: Any) -> Any:
        found = drafted(*arguments)
        looks.append(1)
        if len(looks) < least:
            note = {"note": f"Quentin, {len(looks)} times"}
            at_once([lambda: call(house, "PATCH", "/matches/<match_id>", json=note)])
        return found

    monkeypatch.setattr(of_player, "draft_removal", crossed)
    least = 10
    answer = call(house, "DELETE", f"/players/{ids['Quentin']}")
    assert (answer.status_code, len(looks)) == (503, 3)
    assert "nothing was deleted" in answer.json["detail"]
    assert answer.headers["Retry-After"] == "60"
    assert answer.json["title"] == "One moment, please"
    looks.clear()
    least = 3
    assert call(house, "DELETE", f"/players/{ids['Quentin']}").status_code == 200
    assert call(house, "GET", "/matches/<match_id>").json["note"] == TAKEN


def test_two_names_deleted_at_once_get_two_stand_ins(house: House) -> None:
    ids = named(house)
    answers = list[Any]()
    at_once([partial(lambda id: answers.append(call(house, "DELETE", f"/players/{id}")), id) for id in ids.values()])
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert 200 in {answer.status_code for answer in answers}
    assert faults(house.app) == []


def test_the_check_finds_texts_apart_without_a_place_and_without_anyone(house: House) -> None:
    ids = named(house, Bo="Quentin")
    call(house, "PATCH", "/matches/<match_id>", json={"note": "Quentin won"})
    call(house, "DELETE", f"/players/{ids['Quentin']}")
    assert faults(house.app) == []
    with house.app.app_context():
        row = db.session.scalars(select(RemovedText).where(RemovedText.place.endswith("/note"))).one()
        same = {"club_id": house.club_id, "words": "x", "instead": TAKEN}
        db.session.add(RemovedText(**same, place="matches/0000000000000000/note", waits_for=row.waits_for))
        db.session.add(RemovedText(**same, place=f"{row.place}/", waits_for=""))
        db.session.commit()
    found = [("no place" in fault, "nobody" in fault) for fault in sorted(faults(house.app))]
    assert found == [(True, False), (True, False), (False, True)]


@pytest.mark.promise("deleting#rulebook-purged")
def test_a_deleted_rulebook_is_purged_with_the_texts_that_wait_for_it(house: House) -> None:
    ids = named(house, Bo="Quentin")
    clauses = ["Quentin deals", {"title": "Di", "text": "no"}]
    rules = {"title": "At Quentin’s", "base": "classic-500", "clauses": clauses}
    own = call(house, "POST", "/clubs/<club_id>/rulebooks", json=rules).json["id"]
    call(house, "DELETE", f"/players/{ids['Quentin']}")
    document = call(house, "GET", f"/clubs/<club_id>/rulebooks/{own}").json
    assert (document["title"], document["clauses"][0]) == (TAKEN, TAKEN), document
    assert call(house, "GET", "/rulebooks").status_code == 200
    assert call(house, "DELETE", f"/clubs/<club_id>/rulebooks/{own}").status_code == 204
    with house.app.app_context():
        deleted = update(OwnRulebookRow).where(OwnRulebookRow.id == own)
        db.session.execute(deleted.values(deleted_at=now() - timedelta(days=31)))
        db.session.commit()
        assert purging.find_due(db.engine).rulebooks == 1
        assert purging.purge(db.engine).rulebooks == 1
        assert purging.purge(db.engine).rulebooks == 0
        assert not [row for row in db.session.scalars(select(RemovedText)) if "own_rulebooks" in row.place]
    assert faults(house.app) == []


def test_the_night_of_a_rematch_is_drawn_anew(house: House) -> None:
    ids = named(house, Bo="Quentin")
    entry = {"after": 1, "went_out": "Quentin", "hands": {"Ada": 5, "Cy": 3, "Di": 9}}
    call(house, "POST", "/matches/<match_id>/rounds", json=entry)
    call(house, "POST", "/matches/<match_id>/finish")
    following = call(house, "POST", "/matches/<match_id>/rematch").json["id"]
    third = call(house, "POST", f"/matches/{following}/finish").status_code
    last = call(house, "POST", f"/matches/{following}/rematch").json["id"]
    with house.app.app_context():  # who won sits at the last one no more
        db.session.execute(delete(Seat).where(Seat.match_id == last, Seat.player_id == ids["Quentin"]))
        db.session.commit()
    assert third == 200
    before = call(house, "GET", f"/matches/{last}").headers["ETag"]
    call(house, "DELETE", f"/players/{ids['Quentin']}")
    assert call(house, "GET", f"/matches/{last}").headers["ETag"] != before


@pytest.mark.promise("deleting#rulings-heard-again")
def test_of_a_ruling_whose_hand_was_not_kept_the_sentences_go_and_what_it_ruled_stays(house: House) -> None:
    ids = named(house, Bo="Quentin")
    facts = {"challenged": True, "challenger": "target", "color_in_play": "red", "hand": ["blue-7", "wild"]}
    case = {"dispute": "draw-four-challenge", "facts": facts, "players": {"offender": "Quentin", "target": "Cy"}}
    told: dict[str, Any] = call(house, "POST", "/matches/<match_id>/rulings", json=case).json
    assert "hand" not in told["facts"]
    assert "Quentin" in f"{told['summary']} {told['steps']}"
    before = rows(house.app)
    assert call(house, "DELETE", f"/players/{ids['Quentin']}").status_code == 200
    left = call(house, "GET", "/matches/<match_id>").json["rulings"][-1]
    assert left["players"]["offender"] == "Former player 1"
    steps = [step | {"text": TAKEN} for step in told["steps"]]
    assert left == told | {"summary": TAKEN, "steps": steps, "players": left["players"]}
    with house.app.app_context():
        assert "lead" not in db.session.get_one(Ruling, (house.club_id, told["id"])).ruling
        db.session.rollback()
    assert call(house, "POST", f"/players/{ids['Quentin']}/restore").status_code == 200
    assert rows(house.app) == before


def test_stored_answers_of_matches_touched_go_in_the_transaction_in_which_the_name_goes(house: House) -> None:
    ids = named(house, Bo="Quentin")
    other = call(house, "POST", "/matches", json={"players": ["Ada", "Di"], "rulebook": "classic-500"}).json["id"]
    for match, after, hands in (("<match_id>", 1, {"Quentin": 5, "Cy": 3, "Di": 9}), (other, 0, {"Di": 9})):
        entry = {"after": after, "went_out": "Ada", "hands": hands}
        once = house.bearer("scorekeeper") | {"Idempotency-Key": f"with-{'-'.join(hands)}"}
        path = house.path(f"/api/v1/matches/{match}/rounds")
        house.app.test_client().post(path, json=entry, headers=once, status=201)
    commits = list[tuple[str | None, set[str]]]()

    def look(connection: Connection) -> None:
        keys = connection.scalars(select(IdempotentAnswer.key).where(IdempotentAnswer.key.startswith("with-")))
        commits.append((connection.scalar(select(Player.name).where(Player.id == ids["Quentin"])), set(keys)))

    with listening(house.app, "commit", look):
        assert call(house, "DELETE", f"/players/{ids['Quentin']}").status_code == 200
    changed = [state for place, state in enumerate(commits) if place == 0 or state != commits[place - 1]]
    both = {"with-Quentin-Cy-Di", "with-Di"}
    assert changed[-1] == ("Former player 1", {"with-Di"})
    assert changed[:-1] in ([], [("Quentin", both)])
