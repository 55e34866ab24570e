"""Questions that nothing was tuned on, under every rulebook: its clause answers, or nothing does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.rules.books.library import get_rulebook, rulebooks
from referee.rules.lookup.lookup import LONGEST_QUERY, look_up
from referee.rules.text.toml_files import read_toml
from tools.lookup.wordings import ANY, told


@dataclass(frozen=True)
class Measured:
    """How questions of a file were answered: how many have an answer and how many none, and those that went wrong."""

    answerable: int
    others: int
    missed: Sequence[tuple[object, ...]]
    falsely: Sequence[tuple[object, ...]]


def measured(file: str) -> Measured:
    """Ask all questions of a file; one is answered if a clause that it names is among the first three."""
    sets: dict[str, dict[str, str]] = read_toml(Path(__file__).with_name(f"{file}.toml"))
    missed: list[tuple[object, ...]] = []
    falsely: list[tuple[object, ...]] = []
    answerable = others = 0
    for box, asked in sets.items():
        rulebook = get_rulebook(box)
        for query, ids in asked.items():
            wanted = {id for id in ids.split("|") if id in rulebook.clauses}
            found = look_up(query, rulebook)
            answerable, others = answerable + bool(wanted), others + (not wanted)
            shown = {hit.question.id for hit in found.hits[:3]}
            if wanted and not (found.answered and wanted & shown):
                missed.append((box, query, ids, found.answered, shown))
            elif not wanted and found.answered:
                falsely.append((box, query, ids, shown))
    print(f"{answerable - len(missed)} of {answerable} answered, {others - len(falsely)} of {others} refused")  # noqa: T201
    return Measured(answerable, others, missed, falsely)


@pytest.mark.parametrize(
    ("file", "answered", "refused"),
    [
        ("lookup_fresh", 0.85, 0.8),  # 0.88 of its second set when first asked; 0.95 and 0.9 are wanted
        ("lookup_fresh_blind", 0.92, 0.73),  # 0.95 and 23 of 30 when first asked
        ("lookup_fresh_boxes", 0.92, 0.6),  # 0.91 and 5 of 8 when first asked, 0.95 and 5 of 8 after more wordings
    ],
)
def test_fresh_questions_are_answered_by_their_clause_or_not_at_all(file: str, answered: float, refused: float) -> None:
    asked = measured(file)
    assert asked.answerable >= 55
    assert 1 - len(asked.missed) / asked.answerable >= answered, asked.missed
    assert 1 - len(asked.falsely) / asked.others >= refused, asked.falsely


def test_what_people_tell_is_answered_by_its_clause_though_nobody_taught_it() -> None:
    held_out = [each for each in told() if each.held_out]
    missed = []
    asked = 0
    for each in held_out:
        books = rulebooks().values() if each.rulebook == ANY else [get_rulebook(each.rulebook)]
        rulebook = next((book for book in books if each.target in book.clauses), None)
        if rulebook:
            asked += 1
            found = look_up(each.wording, rulebook)
            if not found.answered or each.target not in [hit.question.id for hit in found.hits[:3]]:
                missed.append((rulebook.id, each.target, each.wording))
    print(f"{asked - len(missed)} of {asked} told at length")  # noqa: T201
    assert asked >= 300
    assert 1 - len(missed) / asked >= 0.82, missed


QUARRELS = {
    ("official", "challenge-guilty"): "Okay so we're having a real fight here. My brother Jonas played a plus four on "
    "me and named yellow, and I was sure he still had a green because he had just been drawing cards, and green was "
    "the color on the pile. So I said I challenge you, show me your hand. He didn't want to, but in the end he showed "
    "me and there was a green 3 in it. He says I still have to draw the four because the card is on the table. I say "
    "he has to take them. Who draws now?",
    ("official", "uno-deadline"): "Grandma had two cards and put one down without saying uno. Nobody noticed, then my "
    "cousin drew a card and played it, and only after that my dad shouted that grandma had not said uno. Grandma says "
    "it's too late because the next person has already played, dad says it counts as long as she still has one card. "
    "Until when can somebody be caught?",
    ("classic-500", "stacking-draw-two"): "My sister put a +2 on me. I have a +2 as well, so I put mine on top and "
    "told Leo to take four cards. Leo got really mad and said that this isn't in the rules at all and that I have to "
    "take my two cards. At our other cousins' house we always do it like that though, you just pass it on until "
    "somebody can't. Is it allowed to stack a +2 on a +2 or not?",
    ("two-player", "reverse-two|two-player-rest"): "It's only me and my wife playing tonight. She played a reverse "
    "and then straight away another card, and I said hey, it's my turn, because reverse only changes the direction. "
    "She says with two people a reverse means that she plays again. We've been arguing for ten minutes now and the "
    "kids have gone to bed. Who is right, does she go again after a reverse?",
    ("official", "drawn-card|after-drawing"): "I couldn't play anything, so I drew a card from the pile, and it was a "
    "blue 5 which fits exactly on the blue 9. I put it down immediately. Now my aunt says that my turn was over the "
    "moment I drew a card, and that I have to keep it until my next turn. Am I allowed to play the card I just drew?",
    ("no-mercy", "mercy-rule"): "So Ben was already holding about twenty cards because he had to draw and draw. Then "
    "Lea played a +6 on him and he couldn't answer it, so he took the six cards and now he has twenty six cards in "
    "his hand. Lea says he is out of the round now because he has too many cards, Ben says he can keep playing. Is he "
    "knocked out?",
    ("flip", "challenge-innocent|card-wild-draw-two"): "We're on the light side. My mum played the Wild Draw Two on my "
    "brother and said red. He didn't believe that she had no green and challenged her. She showed him her hand and "
    "there really was no green in it at all, so his challenge was wrong. How many cards does he have to draw now, the "
    "two or more than that?",
    ("attack", "drawn-card|after-drawing"): "I had nothing that fits so I pressed the button on the launcher once and "
    "three cards came flying out. One of them was a red 7 and there is a red card on the pile. I wanted to play it "
    "straight away but the others say that whatever comes out of the machine goes into my hand and the turn is over. "
    "Can I play one of the cards that came out?",
    ("dare", "card-dare"): "My little cousin played a Dare card on me and picked number four from the list, which says "
    "that I have to sing a song. I started to sing but then I had to laugh and stopped, and everybody says I failed "
    "the dare. Do I have to draw cards now, and how many, or does it count because I tried?",
    ("official", "last-card-draws"): "Papa had one card left, said uno, and on his next turn he went out with a draw "
    "two. I'm the next player. He says I have to draw the two cards first and they count for his points. I say the "
    "round is over the moment he has no cards, so I don't have to draw anything any more. Do I still have to draw the "
    "two cards?",
}  # fmt: skip
"""Whole quarrels as people tell them: the rulebook, the clauses that settle them, the words."""


def test_a_quarrel_told_at_length_is_settled_by_one_of_the_two_clauses_shown_first() -> None:
    missed = []
    for (box, ids), query in QUARRELS.items():
        assert 200 <= len(query) <= LONGEST_QUERY
        found = look_up(query, get_rulebook(box))
        if not found.answered or set(ids.split("|")).isdisjoint(hit.question.id for hit in found.hits[:2]):
            missed.append((box, ids, found.answered, [hit.question.id for hit in found.hits[:3]]))
    print(f"{len(QUARRELS) - len(missed)} of {len(QUARRELS)} quarrels settled")  # noqa: T201
    assert len(missed) <= 1, missed
