"""Names in place of parts: once it is known who is who, no question and no ruling calls anyone by a part."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.books.rulebook import Rulebook
from referee.rules.disputes import DISPUTES, DISPUTES_BY_ID, rule
from referee.rules.disputes.base import Facts
from referee.rules.disputes.deciding import hear
from referee.rules.disputes.facts import Fact
from referee.rules.disputes.ruling import Role, Ruling, Voice, say_orders
from referee.rules.disputes.tree import samples_of

ALL = dict(zip(Role, ("Ada", "Bo", "Cy", "Di") * 5, strict=False))
PART = re.compile(
    r"\bthe (?:\w+ )?(?:player|challenger|accuser|drafter|dealer)\b|\bthe one who\b|\bthe hand (?:held|hold)|[{}]",
    re.IGNORECASE,
)
LONGEST_SENTENCE = 20


def heard(dispute_id: str, rulebook: Rulebook, names: Mapping[Role, str]) -> Iterator[Fact[Any] | Ruling]:
    """Give every question and every ruling that a dispute can come to, worded with these names."""
    dispute = DISPUTES_BY_ID[dispute_id]
    pending: list[Facts] = [{}]
    while pending:
        facts = pending.pop()
        found = rule(dispute, rulebook, facts, names=names)
        yield found
        if isinstance(found, Fact):
            samples = samples_of(dispute, rulebook, found, facts)
            pending += [{**facts, found.key: found.parse(sample.value)} for sample in samples]


def words_of(found: Fact[Any] | Ruling, say: Voice) -> list[str]:
    """List all that is said by a question or a ruling, apart from clauses and the questions a text leaves open."""
    if isinstance(found, Fact):
        return [found.text, *(label for _, label in found.choices)]
    steps = [step.text for step in found.steps if step.kind == "answer" and found.dispute != "who-starts"]
    orders = say_orders(found.orders, say, found.outcome.get("hand_shown_to"))
    summary = [] if found.verdict == "Silent" or found.dispute == "who-starts" else [found.summary]
    return [*summary, *orders, *steps]


@pytest.mark.parametrize("dispute", [dispute.id for dispute in DISPUTES])
def test_nobody_whose_name_is_known_is_called_by_a_part(dispute: str) -> None:
    say = DISPUTES_BY_ID[dispute].voice(ALL)
    for rulebook in rulebooks().values():
        for agreed in ((), *((id,) for id in rulebook.house_rules)):
            for found in heard(dispute, rulebook.with_house_rules(agreed), ALL):
                for text in words_of(found, say):
                    assert not PART.search(text), text
                    assert all(len(said.split()) <= LONGEST_SENTENCE for said in re.split(r"(?<=[.?!:;])\s", text))


@pytest.mark.parametrize("dispute", [dispute.id for dispute in DISPUTES])
def test_no_room_for_a_name_is_left_empty(dispute: str) -> None:
    known = DISPUTES_BY_ID[dispute]
    for fact in (*known.facts, *known.volunteered):
        worded = known.known_facts[fact.key]
        assert "{" not in worded.text + "".join(label for _, label in worded.choices)
    for rulebook in rulebooks().values():
        for found in heard(dispute, rulebook, {}):
            assert not [text for text in words_of(found, known.voice()) if "{" in text or "}" in text]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({Role.OFFENDER: "Ada"}, "Had the player after Ada started a turn by then?"),
        ({Role.OFFENDER: "Ada", Role.NEXT_PLAYER: "Bo"}, "Had Bo started a turn by then?"),
        ({Role.NEXT_PLAYER: "{offender}", Role.OFFENDER: "Ada"}, "Had {offender} started a turn by then?"),
        ({}, "Had the next player started a turn by then?"),
    ],
    ids=["beside someone named", "named", "a name like a placeholder", "nobody named"],
)
def test_whoever_sits_beside_somebody_named_is_called_so(names: dict[Role, str], said: str) -> None:
    assert DISPUTES_BY_ID["uno-call"].worded("next_turn_begun", names).text == said


@pytest.mark.parametrize(
    ("dispute", "facts", "names", "said"),
    [
        ("played-card-effect", {"played": "draw-two"}, {},
         "The other player draws 2 cards and is skipped. Whoever played it plays again."),
        ("played-card-effect", {"played": "draw-two"}, {Role.SAME_PLAYER: "Ada"},
         "The other player draws 2 cards and is skipped. Ada plays again."),
        ("played-card-effect", {"played": "draw-two"}, {Role.SAME_PLAYER: "Ada", Role.NEXT_PLAYER: "Bo"},
         "Bo draws 2 cards and is skipped. Ada plays again."),
        ("seven-zero", {"played": "red-7"}, {}, "Whoever played it can swap hands with the other player"),
    ],
    ids=["nobody named", "one named", "both named", "whom to swap with"],
)  # fmt: skip
def test_between_two_whoever_is_next_is_the_other_player(
    dispute: str, facts: dict[str, object], names: dict[Role, str], said: str
) -> None:
    rulebook = rulebooks()["classic-500"].with_house_rules(["seven-zero"])
    for players, holds in ((2, True), (3, False)):
        ruling = hear(DISPUTES_BY_ID[dispute], rulebook, {**facts, "players": players}, names=names)
        assert isinstance(ruling, Ruling)
        assert ruling.summary.startswith(said) is holds, ruling.summary


def test_a_rulebook_for_two_says_the_other_player_unasked() -> None:
    dispute = DISPUTES_BY_ID["uno-call"]
    rulebook = rulebooks()["duo-200"]
    for asked, facts in (("next_turn_begun", {}), ("next_turn_begun", {"players": 2})):
        assert "the other player" in dispute.worded(asked, {}, dispute.is_between_two(facts, rulebook)).text


def test_words_of_the_table_are_repeated_as_they_are() -> None:
    drawn = [{"player": "{dealer}", "card": "9"}, {"player": "Bo", "card": "3"}]
    dispute = DISPUTES_BY_ID["who-starts"]
    facts = {"drawn": dispute.known_facts["drawn"].parse(drawn)}
    ruling = rule(dispute, rulebooks()["official"], facts, names={Role.DEALER: "Ada"})
    assert isinstance(ruling, Ruling)
    assert "{dealer} drew a 9. Bo drew a 3." in [step.text for step in ruling.steps]
