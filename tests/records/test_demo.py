"""The demo: made up, and yet what the app's own rules make of it; and gone when its day is over."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from referee.records.club import access
from referee.records.demo import sample as demos
from referee.records.demo.sample import SEED, play_sample, sample_plan
from referee.records.errors import Conflict
from referee.records.match.matches import start_match
from referee.records.match.plans import MatchPlan
from referee.records.models import Base, Club, ClubImport, MatchStatus, now
from referee.records.soundness import faults_of_club, find_faults
from referee.records.transfer.checking import check_document
from referee.records.transfer.exporting import export_club
from referee.web.server.database import db
from referee.web.transfer.forms import read_club

pytestmark = pytest.mark.usefixtures("database")

UNTIL = datetime(2026, 5, 2, 21, tzinfo=UTC)
MATCHES = sample_plan().matches


def rows_of(session: Session, club_id: str) -> dict[str, int]:
    """Count what is there of a club, by table."""
    counts = {}
    for table in Base.metadata.sorted_tables:
        own = table.c.id if table.name == Club.__tablename__ else table.c.club_id
        counts[table.name] = session.scalar(select(func.count()).select_from(table).where(own == club_id)) or 0
    return {name: count for name, count in counts.items() if count}


def test_a_seed_gives_the_same_season_and_another_one_another() -> None:
    season = play_sample(UNTIL, 7, "a club")
    again = play_sample(UNTIL, 7, "a club")
    assert (again.players, again.matches, again.results) == (season.players, season.matches, season.results)
    assert play_sample(UNTIL, 8, "a club").matches != season.matches
    assert not {match.id for match in play_sample(UNTIL, 7, "another").matches} & {match.id for match in season.matches}


@pytest.mark.parametrize("seed", range(3))
def test_a_season_has_a_bit_of_everything(seed: int) -> None:
    season = play_sample(UNTIL, SEED + seed)
    statuses = Counter(match.status for match in season.matches)
    assert statuses == {MatchStatus.FINISHED: len(MATCHES) - 2, MatchStatus.IN_PROGRESS: 1, MatchStatus.ABANDONED: 1}
    *_, last = season.matches
    assert last.status == MatchStatus.IN_PROGRESS
    assert len(last.rounds) > 1
    assert len({match.agreements[0].rulebook for match in season.matches}) >= 7
    assert any(match.agreements[0].rulebook == "challenge-500" for match in season.matches), "one with eliminations"
    assert sum(len(match.rulings) for match in season.matches) >= 8
    assert any(len(played.versions) > 1 for match in season.matches for played in match.rounds)
    winners = Counter(line["player_id"] for result in season.results.values() for line in result.lines if line["won"])
    assert len(winners) >= 4
    assert max(winners.values()) < len(MATCHES) * 0.6
    assert max(match.started_at for match in season.matches) < UNTIL


def test_a_demo_is_sound_and_taken_back_by_an_import(app: Flask) -> None:
    with app.app_context():
        demo = demos.found_demo(db.engine, until=UNTIL)
        session = db.session()
        found = access.find_key(session, demo.token)
        assert found is not None
        assert found[1].ends_at == demo.ends_at
        assert list(find_faults(session)) == []
        document = read_club("".join(export_club(session, found[1])).encode(), None)
    assert len(check_document(document).results) == len(MATCHES) - 2
    assert len(document.matches) == len(MATCHES)


def test_a_demo_opens_no_more_after_a_day_and_is_removed_whole(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    with app.app_context():
        session = db.session()
        ours = access.create_club(session, "Ours")
        session.commit()
        kept = demos.found_demo(db.engine, until=UNTIL, lasts=None)
        demo = demos.found_demo(db.engine, until=UNTIL)
        assert demo.ends_at is not None
        before = rows_of(session, kept.club_id)
        assert before == rows_of(session, demo.club_id)
        session.rollback()
        later = demo.ends_at + timedelta(seconds=1)
        for module in ("models", "transactions"):
            monkeypatch.setattr(f"referee.records.{module}.now", lambda: later)
        assert access.find_key(session, demo.token) is None
        start_match(session, ours.club, MatchPlan(("Ada", "Bo"), "classic-500"), ours.scorekeeper)
        session.commit()
        assert rows_of(session, demo.club_id) == {}
        assert rows_of(session, kept.club_id) == before
        assert access.find_key(session, kept.token)


def test_a_demo_that_was_never_founded_whole_counts_for_none_and_is_removed(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with app.app_context():
        session = db.session()
        halves = [demos.found_demo(db.engine, until=UNTIL).club_id for _ in range(2)]
        for minutes, club_id in zip((11, 1), halves, strict=True):
            at = now() - timedelta(minutes=minutes)
            session.add(ClubImport(club_id=club_id, id=club_id, at=at, made={}, founded=True))
            session.get_one(Club, club_id).import_id = club_id
        session.commit()
        monkeypatch.setattr(demos, "MOST", 1)
        whole = demos.found_demo(db.engine, until=UNTIL)
        session.rollback()
        assert [bool(rows_of(session, club_id)) for club_id in halves] == [False, True]
        assert not list(faults_of_club(session, session.get_one(Club, whole.club_id)))


def test_there_are_only_so_many_demos(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demos, "MOST", 1)
    with app.app_context():
        demos.found_demo(db.engine, until=UNTIL)
        with pytest.raises(Conflict, match="Too many demos"):
            demos.found_demo(db.engine, until=UNTIL)
        assert db.session.scalar(select(func.count()).select_from(Club)) == 1
