"""The players of a club, and their statistics."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field
from werkzeug.wrappers import Response

from referee.records.club import players
from referee.records.club.players import call_players, get_player
from referee.records.match.sheets import to_csv
from referee.records.models import Player
from referee.records.statistics.definitions import STATISTICS, by_table_size, statistics_rows, to_json
from referee.records.statistics.figures import LATEST, Figures, Filter, load_figures
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import ENGLISH, speaking
from referee.web.api.endpoint import Answer, Request, Resource
from referee.web.api.shapes import Name, Number
from referee.web.server import guards
from referee.web.server.database import save
from referee.web.server.long_work import reading_all_of, save_as
from referee.web.transfer.views import player_file
from referee.web.words import say

resource = Resource("players")
statistics = Resource("statistics")


class PlayerRequest(Request):
    """A person to add to the club."""

    name: Name


class PlayerChange(Request):
    """What to change about a player."""

    name: Name | None = None
    active: bool | None = None
    marker: str | None = Field(None, max_length=16, description="color and shape, as `red-circle`; empty for none")


class MergeRequest(Request):
    """The player to merge into, by id or name."""

    into: Name


class PlayerDocument(Answer):
    """A person of the club."""

    id: str
    name: str
    active: bool
    marker: str = Field("", description="the color and shape that the player chose; left out without a choice")


class PlayersDocument(Answer):
    """The club's players."""

    players: list[PlayerDocument]


class StatisticsQuery(Request):
    """Which matches to count: those under a rulebook, begun in a year (UTC), with a number of players."""

    rulebook: str | None = Field(None, max_length=40)
    year: Number | None = None
    players: Number | None = None


class FractionDocument(Answer):
    """A part of a whole."""

    part: int
    whole: int


class TableSizeDocument(Answer):
    """How a player does at tables of one size."""

    players: int
    matches: int
    won: FractionDocument
    shared: int
    rounds_won: FractionDocument


class MeetingDocument(Answer):
    """All decided matches of two players: how often the first finished ahead, the other did, or they were level."""

    player: str = Field(validation_alias="opponent")
    name: str
    together: int
    beat: int
    beaten: int
    level: int


class RatingDocument(Answer):
    """A rating by Weng and Lin after a match; the true strength is within two sigma of mu in 95 of 100 cases."""

    match: str = Field(validation_alias="match_id")
    mu: float
    sigma: float


class PlayerStatisticsDocument(Answer):
    """The statistics of one player; points are separate by scale: `highest` wins, `lowest` wins, or `rounds` count."""

    id: str
    name: str
    statistics: dict[str, Any]
    by_table_size: list[TableSizeDocument]
    head_to_head: list[MeetingDocument]
    ratings: list[RatingDocument]
    earlier_ratings: bool = Field(
        False, description=f"whether only those of the latest {LATEST:,} matches are listed; the player’s own have all"
    )


class StatisticsDocument(Answer):
    """The statistics of all players who ever played, by name."""

    players: list[PlayerStatisticsDocument]


@resource.endpoint("GET", "/players", answer=PlayersDocument)
def list_players() -> Mapping[str, Any]:
    """List the club's players by name."""
    return {"players": players.list_players(guards.records(), guards.get_club())}


@resource.endpoint("POST", "/players", body=PlayerRequest, answer=PlayerDocument, status=201)
def add_player(body: PlayerRequest) -> Player:
    """Add a player to the club."""
    return save(lambda: players.add_player(guards.records(), guards.get_club(write=True), body.name))


@resource.endpoint("PATCH", "/players/<player_id>", body=PlayerChange, answer=PlayerDocument)
def change_player(player_id: str, body: PlayerChange) -> Player:
    """Rename a player, or set whether they are active, or their color and shape."""

    def change() -> Player:
        player = guards.get_player(player_id, write=True)
        players.change_player(guards.records(), guards.get_club(write=True), player, **body.model_dump())
        return player

    return save(change)


@resource.endpoint("POST", "/players/<player_id>/merge", body=MergeRequest, answer=PlayerDocument)
def merge_players(player_id: str, body: MergeRequest) -> Player:
    """Merge this player into another; answers with the other."""

    def merge() -> Player:
        player = guards.get_player(player_id, write=True)
        into = players.find_player(guards.records(), player.club_id, body.into, "into")
        if into is None:
            raise Impossible([Problem("into", say("request.merge-into"))])
        players.merge_players(guards.records(), guards.get_club(write=True), player, into)
        return into

    return save(merge)


@resource.endpoint("GET", "/players/<player_id>/export", file="application/json")
def export_player(player_id: str) -> Response:
    """Return everything about a player as one document: names, phones, matches with rounds, results and rulings."""
    return player_file(guards.get_player(player_id))


@statistics.endpoint("GET", "/players/<player_id>/statistics", query=StatisticsQuery, answer=PlayerStatisticsDocument)
def player_statistics(player_id: str, query: StatisticsQuery) -> Mapping[str, Any]:
    """Return the statistics of one player, or of the player they were merged into."""
    player = guards.get_player(player_id)
    if player.merged_into is not None:
        player = get_player(guards.records(), player.club_id, player.merged_into)
    with reading_all_of(player.club_id):
        figures = load_figures(guards.records(), player.club_id, Filter(**query.model_dump()), player.id)
    names, _ = call_players(guards.records(), guards.get_club())
    return _document(figures.get(player.id, Figures(player.id)), names)


@statistics.endpoint("GET", "/statistics", query=StatisticsQuery, answer=StatisticsDocument)
def club_statistics(query: StatisticsQuery) -> Mapping[str, Any]:
    """Return the statistics of all the club's players."""
    names, figures = _everyone(query)
    return {"players": [_document(own, names) for own in figures.values()]}


@statistics.endpoint("GET", "/statistics.csv", query=StatisticsQuery, file="text/csv")
def statistics_table(query: StatisticsQuery) -> Response:
    """Return the statistics of all the club's players as CSV, one line for each player."""
    names, figures = _everyone(query)
    with speaking(ENGLISH):
        return save_as(f"statistics-{guards.get_club().id}.csv", "text/csv", to_csv(statistics_rows(figures, names)))


def _everyone(query: StatisticsQuery) -> tuple[dict[str, str], dict[str, Figures]]:
    """Return the names of all who ever played, and the figures of those whose name isn't deleted, both by id."""
    club = guards.get_club()
    names, stand_ins = call_players(guards.records(), club)
    with reading_all_of(club.id):
        figures = load_figures(guards.records(), club.id, Filter(**query.model_dump()))
    return names, {id: figures[id] for id in names if id in figures and id not in stand_ins}


def _document(figures: Figures, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": figures.player_id,
        "name": names[figures.player_id],
        "statistics": {statistic.id: to_json(statistic.of(figures)) for statistic in STATISTICS},
        "by_table_size": by_table_size(figures),
        "head_to_head": [
            meeting._asdict() | {"name": names[meeting.opponent], "level": meeting.level}
            for meeting in sorted(figures.meetings, key=lambda met: (-met.together, names[met.opponent]))
        ],
        "ratings": figures.ratings,
        "earlier_ratings": len(figures.results) < len(figures.endings),
    }
