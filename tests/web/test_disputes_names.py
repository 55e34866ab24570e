"""At a match the referee speaks of people by name: it asks who it is about, and from then on knows."""

import html
import re
from urllib.parse import unquote_plus, urlencode

import pytest

from referee import __version__
from referee.records.match.seating import Seated, Seating
from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID
from referee.rules.disputes.ruling import Ruling
from referee.web.disputes.forms import Context, DisputeState
from referee.web.disputes.questions import ask_cast
from tests.conftest import CAST, MakeApp
from tests.ground.client import Client, browser_of, find_in
from tests.web.test_disputes_pages import CASE, Match, _next, headline, options, orders

SPOKEN = re.compile(
    r'<h1 class="asked[^"]*">(.*?)</h1>|<p class="lead">(.*?)</p>|<span class="grow">(.*?)</span>', re.DOTALL
)
PART = re.compile(
    r"\bthe (?!(?:second )?player (?:after|before) (?:Ada|Bo|Cy|Di)\b)(?:\w+ )?(?:player|challenger|accuser)\b"
    r"|\bthe one who\b|\bthe hand (?:held|hold)",
    re.IGNORECASE,
)
SEATED = {"classic-500": 2, "two-player": 2, "duo-200": 2, "online-100-200": 3, "speluitslagen": 4, "official": 4}


def spoken(page: str) -> list[str]:
    """List all that a page asks, offers, was told and rules, tags aside; a club's law names nobody."""
    page = re.sub(r'<div class="law-lines">.*?</div>', "", page, flags=re.DOTALL)
    said = ["".join(found) for found in SPOKEN.findall(page)]
    said = [html.unescape(re.sub(r"<[^>]+>", "", text)) for text in said]
    return [*said, *options(page), *orders(page)]


@pytest.mark.parametrize("last", [False, True], ids=["first answers", "last answers"])
@pytest.mark.parametrize("rulebook", SEATED)
def test_nobody_named_is_called_by_a_part(client: Client, rulebook: str, last: bool) -> None:
    match = Match(client, players=["Ada", "Bo", "Cy", "Di"][: SEATED[rulebook]], rulebook=rulebook, target="200")
    for dispute in (each for each in DISPUTES if each.id != "who-starts"):  # there the table types the names itself
        address = f"{match.sheet}/disputes/{dispute.id}"
        for _ in range(12):
            answer = client.get(address, follow_redirects=True)
            assert answer.status_code == 200, address
            called = [text for text in spoken(answer.text) if PART.search(text) and " leaves this open: " not in text]
            assert called == [], address
            if headline(answer.text) or "Keep the screen to yourself" in answer.text:
                break
            address = _next(answer.text, answer.request.full_path, last=last)
        else:
            raise AssertionError(f"{dispute.id} comes to no end")


def test_nobody_is_asked_about_where_the_rulebook_doesnt_have_what_the_dispute_is_about(match: Match) -> None:
    assert '<p class="lead">Classic 500 has no draft: hands are dealt.</p>' in match.get(
        f"{match.sheet}/disputes/draft"
    )


def test_who_was_to_play_first_is_asked_where_nobody_said_who_deals() -> None:
    seats = (Seated(place, name, name, name, 0, ((0, None),)) for place, name in enumerate(("Ada", "Bo", "Cy", "Di")))
    case = DisputeState(Context(rulebooks()["official"], seating=Seating(tuple(seats))), DISPUTES_BY_ID["start-card"])
    wanted = case.needs_cast()
    assert wanted is not None
    asked = ask_cast(case, wanted)
    assert asked.text == "Who was supposed to play first?"
    bo = next(option.answers for row in asked.cast for option in row.options if option.label == "Bo")
    case = case.answered({**bo, "turned_card": "red-draw-two"})
    ruling = case.rule({**case.read(), "players": 4})
    assert isinstance(ruling, Ruling)
    assert ruling.summary == "Bo draws 2 cards and is skipped. Cy starts."


@pytest.fixture
def match(client: Client) -> Match:
    return Match(client)


def test_naming_others_keeps_what_was_answered(match: Match) -> None:
    page = match.get(f"{match.challenge}?as-offender=0&as-target=1&challenged=no")
    change = find_in(r'href="([^"]+)" aria-label="Change who is involved"', page)
    asked = match.get(html.unescape(change))
    assert "Who played the Wild Draw Four?" in asked
    assert orders(match.get(shown_players(asked)["Cy then Di"]))[0] == "Di draws 4"
    nameless = find_in(r'href="([^"]+)" data-swap>Skip names', asked)
    assert orders(match.get(html.unescape(nameless)))[0] == "The next player draws 4"


def shown_players(page: str) -> dict[str, str]:
    """Read whom the question who offers: what it says of each → address."""
    players = re.findall(r'<a class="button option" href="([^"]+)" data-goes="\w+">(.*?)</a>', page)
    return {html.unescape(re.sub(r"<[^>]+>", "", said)): html.unescape(address) for address, said in players}


def test_who_came_next_follows_from_the_direction_of_play(match: Match) -> None:
    clockwise = match.get(match.challenge)
    assert list(shown_players(clockwise)) == ["Ada then Bo", "Bo then Cy", "Cy then Di", "Di then Ada"]
    other = find_in(r'href="([^"]+)" data-goes="counterclockwise">', clockwise.partition('class="players"')[0])
    page = match.get(html.unescape(other))
    assert list(shown_players(page)) == ["Ada then Di", "Bo then Ada", "Cy then Bo", "Di then Cy"]
    assert re.search(r'data-goes="counterclockwise" aria-current="true"', page)
    assert orders(match.get(shown_players(page)["Cy then Bo"] + "&challenged=no"))[0] == "Bo draws 4"
    assert shown_players(match.get(f"{match.challenge}?direction=up")) == shown_players(clockwise)


def test_two_are_asked_for_no_direction(client: Client) -> None:
    match = Match(client, players=["Ada", "Bo"], rulebook="two-player", target="200")
    page = match.get(match.challenge)
    assert list(options(page)) == ["Ada", "Bo"]
    assert "Direction of play" not in page


@pytest.mark.parametrize(
    ("to", "begins"),
    [("us@example.org", "mailto:us@example.org?subject="), ("https://a.b/new", "https://a.b/new?title=")],
)
def test_a_report_has_the_case_and_the_version_but_no_name(make_app: MakeApp, to: str, begins: str) -> None:
    match = Match(browser_of(make_app(REPORT_TO=to)))
    wrong = re.compile(r'<a href="([^"]*)">This ruling is wrong</a>')
    (link,) = wrong.findall(match.get(f"{match.challenge}?{urlencode(CASE)}"))
    report = unquote_plus(html.unescape(link))
    assert report.startswith(begins)
    for told in ("rulebook: classic-500", "dispute: draw-four", "held_color: true", f"version: {__version__} ("):
        assert told in report
    drawn = urlencode({"drawn": "Ada:5,Bo:9,Cy:7,Di:3"})
    (other,) = wrong.findall(match.get(f"{match.sheet}/disputes/who-starts?{drawn}"))
    assert not [name for name in CAST if re.search(rf"\b{name}\b", report + unquote_plus(other))]
    assert wrong.search(match.get("/about"))


def test_without_an_address_nobody_is_offered_to_report(match: Match) -> None:
    assert "This ruling is wrong" not in match.get(f"{match.challenge}?{urlencode(CASE)}") + match.get("/about")
