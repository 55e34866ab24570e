"""What a table is shown first of a ruling: the order, else the verdict, else what the rules leave open."""

import re
from typing import Any

import pytest

from referee.rules.books.library import rulebooks
from referee.rules.disputes import DISPUTES_BY_ID, hear
from referee.rules.disputes.announcing import Announcement, announce
from referee.rules.disputes.hearing_documents import is_silent
from referee.rules.disputes.ruling import ROLE, ROLE_END, Role, Ruling, Voice
from referee.rules.disputes.tree import every_hearing
from referee.rules.text.words import speaking

ADA, BO, CY = {Role.OFFENDER: "Ada"}, {Role.TARGET: "Bo"}, {Role.PLAYER_AFTER_NEXT: "Cy"}


def announced(dispute: str, facts: dict[str, Any], rulebook: str = "classic-500") -> Announcement:
    """Hear a dispute of Ada, Bo and Cy and announce its ruling."""
    names = ADA | BO | CY
    ruling = hear(DISPUTES_BY_ID[dispute], rulebooks()[rulebook], facts, names=names)
    assert isinstance(ruling, Ruling)
    return announce(ruling.to_json(), DISPUTES_BY_ID[dispute].voice(names | {Role.CHALLENGER: "Bo"}))


def test_the_headline_is_who_draws_whatever_comes_before() -> None:
    challenged = {"challenged": True, "challenger": "target", "players": 4}
    won = announced("draw-four-challenge", challenged | {"held_color": True})
    assert (won.sign, won.kind, won.headline, won.verdict) == ("no", "order", "Ada draws 4", "")
    assert (won.before, won.orders) == (("Ada shows Bo the cards in hand.",), ())
    lost = announced("draw-four-challenge", challenged | {"held_color": False})
    assert (lost.sign, lost.headline, lost.verdict) == ("yes", "Bo draws 6", "")
    assert (lost.before, lost.orders) == (("Ada shows Bo the cards in hand.",), ("Bo is skipped.", "Cy plays next."))


def test_a_verdict_that_an_order_says_is_not_said_twice() -> None:
    facts = {"cards_left": 1, "said": "never", "caught": True, "next_turn_begun": False}
    missed = announced("uno-call", facts)
    assert (missed.headline, missed.verdict, missed.lead) == ("Ada draws 2", "", "The “Uno” call was missed.")


@pytest.mark.parametrize("rulebook", ["classic-500", "two-player", "duo-200", "speluitslagen", "flip"])
def test_the_badge_of_a_challenge_has_the_number_whoever_loses_it(rulebook: str) -> None:
    facts = {"challenged": True, "challenger": "target", "players": 2}
    facts["played"] = "wild-draw-two" if rulebook == "flip" else None
    for guilty in (True, False):
        held = {"held_color": guilty, "held_number_or_symbol": guilty, "held_wild": guilty}
        told = {key: value for key, value in (facts | held).items() if value is not None}
        ruling = hear(DISPUTES_BY_ID["draw-four-challenge"], rulebooks()[rulebook], told)
        assert isinstance(ruling, Ruling)
        number_is_open = rulebook == "two-player" and not guilty
        assert re.fullmatch("Challenge fails" if number_is_open else r"Draw [2468]", ruling.verdict), ruling.summary


def test_where_the_sign_says_the_verdict_the_headline_is_the_reason() -> None:
    allowed = announced("can-i-play", {"card": "red-7", "top_card": "red-3"})
    assert (allowed.sign, allowed.kind, allowed.verdict, allowed.lead) == ("yes", "open", "", "")
    assert allowed.headline == "You can play the red 7 now."
    unfit = announced("can-i-play", {"card": "blue-7", "top_card": "red-3"})
    assert (unfit.sign, unfit.headline.partition(".")[0]) == ("no", "You can’t play the blue 7 now")


def test_where_the_rules_are_silent_the_headline_is_what_they_leave_open_what_they_decide_first() -> None:
    wrong = announced("jump-in", {"top_card": "red-7", "played": "red-7"}, "duo-200")
    assert (wrong.sign, wrong.kind, wrong.verdict, wrong.lead) == ("open", "open", "", "")
    assert wrong.headline == "Can you jump in out of turn with the same card?"
    several = announced("deal", {"players": 4}, "classic-500")
    assert (several.headline, several.lead) == ("How many people can play?", "7 cards each. The deck has 108 cards.")


def test_the_headline_is_one_sentence_and_no_name_is_cut() -> None:
    facts = {"challenged": True, "held_color": False, "challenger": "target"}
    least = announced("draw-four-challenge", facts, "online-100-200")
    assert (least.kind, least.headline) == ("open", "Bo draws at least 4 cards.")
    assert least.lead.startswith("The rules don’t say whether the Wild Draw Four can be challenged, or whether")
    ruling = hear(DISPUTES_BY_ID["draw-four-challenge"], rulebooks()["online-100-200"], facts)
    assert isinstance(ruling, Ruling)
    dotted = announce(ruling.to_json(), Voice(names={Role.TARGET: "Bob Jr. II"}))
    assert (dotted.headline, dotted.lead) == (ruling.lead, "")


@pytest.mark.parametrize(
    ("dispute", "rulebook", "facts", "shown"),
    [
        (
            "decline-to-play", "classic-500", {"holds_playable": False, "just_drawn": False},
            ["Ada draws 1", "Nothing fits."],
        ),
        (
            "decline-to-play", "classic-500", {"holds_playable": False, "just_drawn": True},
            ["Nothing fits, so the turn passes."],
        ),
        ("mercy-rule", "no-mercy", {"cards_held": 6, "still_due": 1}, ["Ada draws 1", "Ada is still in."]),
        ("deal", "partners", {"players": 7}, ["Not for 7 players"]),
        ("deal", "official", {"players": 4}, ["7 cards each", "The deck has 108 cards."]),
        ("start-card", "classic-500", {"turned_card": "red-5", "players": 4}, ["The player left of the dealer starts"]),
        ("played-card-effect", "classic-500", {"played": "red-5", "players": 4}, ["The player after Ada plays next"]),
    ],
)  # fmt: skip
def test_what_the_headline_says_is_not_said_again(
    dispute: str, rulebook: str, facts: dict[str, Any], shown: list[str]
) -> None:
    told = announced(dispute, facts, rulebook)
    said = [told.headline, *told.before, *told.orders, told.verdict, told.lead]
    assert [text for text in said if text] == shown


def test_every_ruling_has_a_headline_and_says_nothing_twice() -> None:
    heard = 0
    for book in (rulebooks()[id] for id in ("official", "two-player", "flip", "attack")):
        for dispute in DISPUTES_BY_ID.values():
            for leaf in every_hearing(dispute, book):
                ruling, silent = leaf.ruling, is_silent(leaf.ruling.to_json())
                told = announce(ruling.to_json(), dispute.voice(None, dispute.is_between_two(leaf.given, book)))
                said = [told.headline, *told.before, *told.orders, told.verdict, told.lead]
                assert told.headline
                assert told.kind == (
                    "order"
                    if ruling.orders
                    else "open"
                    if silent or ruling.lead.startswith(told.headline)
                    else "verdict"
                )
                assert (told.sign == "open") == (silent and not ruling.orders)
                assert all(
                    sentence.count(ROLE) == sentence.count(ROLE_END) and not sentence.strip(ROLE)[0].islower()
                    for sentence in (told.headline, *told.before, *told.orders)
                )
                assert len(told.before) + len(told.orders) == max(0, len(ruling.orders) - 1)
                spoken = [text for text in said if text]
                assert len(spoken) == len(set(spoken)), leaf.given
                assert not [order for order in (*told.before, *told.orders) if order in told.lead], leaf.given
                verdict = told.verdict or (told.headline if told.kind == "verdict" else "")
                assert not verdict or not re.search(rf"\b{re.escape(verdict)}\b", told.lead, re.IGNORECASE), leaf.given
                heard += 1
    assert heard > 500


SILENCE = {"en": "rules don’t say", "de": "in den regeln steh", "nl": "in de regels staat", "es": "las reglas no dicen"}


@pytest.mark.parametrize("code", SILENCE)
def test_no_ruling_says_twice_that_the_rules_do_not_say(code: str) -> None:
    said_so = 0
    with speaking(code):
        for book in rulebooks().values():
            for dispute in DISPUTES_BY_ID.values():
                for leaf in every_hearing(dispute, book):
                    told = announce(leaf.ruling.to_json(), Voice(two=dispute.is_between_two(leaf.given, book)))
                    texts = (told.headline, *told.before, *told.orders, told.verdict, told.lead)
                    said = (told.sign == "open") + " ".join(texts).lower().count(SILENCE[code])
                    assert said <= 1, (book.id, dispute.id, leaf.given, told)
                    said_so += said
    assert said_so > 800


def test_a_case_of_german_has_its_article() -> None:
    with speaking("de"):
        ruling = hear(DISPUTES_BY_ID["going-out"], rulebooks()["classic-500"], {"last_card": "red-draw-two"})
        assert isinstance(ruling, Ruling)
        assert [step.text for step in ruling.steps] == ["Die Person hat zuletzt eine rote +2 gelegt."]
