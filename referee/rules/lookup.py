"""Find the clause that answers a question asked in players' words, or say that none does.

A query is matched to a *question a table asks* (``rulebooks/questions.toml``), and each rulebook then answers that
question with its clause, or is silent on it. `lookup_model` estimates from the query's words how likely each question
is meant; it was trained on the wordings in ``phrasings.toml``. Matters no rulebook covers, and queries that are not
about the rules, are targets like the questions: when one of them is likeliest, there is no answer.

Each language that has wordings has its own words and models. A query is read in the language that knows most of its
words, and answered in the one spoken.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from referee.rules import library
from referee.rules.boxes import Box, boxes, home_of, searched
from referee.rules.lookup_cards import (
    MOST_OTHER,
    CardAsked,
    box_titles,
    card_asked,
    card_names,
)
from referee.rules.lookup_model import MOST_UNHEARD, Model, learned, spoken
from referee.rules.lookup_words import (
    LONGEST_PREFIX,
    LONGEST_WORD,
    MOST_CORRECTED,
    MOST_STRANGERS,
    OUTWEIGHS,
    SENTENCE,
    SHORT,
    STRANGE,
    Heard,
    Vocabulary,
    foreign_words,
    language_asked,
    tokens,
    vocabulary,
)
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import Clause, Rulebook, TableQuestion
from referee.rules.words import languages, speaking

HERE = Path(__file__).parent
MOST_RESULTS = 20
LONGEST_QUERY = 500
MOST_DOUBT = 0.5
"""Above this likelihood of not being about the rules, beside the surest matter, a query gets no answer."""
LEAST_DOUBT = 0.065
"""Likewise where the query has as many words that no wording has as it has terms of the game."""
SILENT_ABOVE = 3.0
"""How many times likelier than any clause a matter must be that no clause settles, for silence to be claimed."""
OF_CARD = 0.7
"""How much what is asked of a named card weighs beside what all words of the query ask."""
SURE = 0.55
"""How likely something must be asked of a named card that no clause settles, for silence to be claimed."""
OWN_CARDS = 3.0
"""How many times likelier a clause on a card becomes where its own box is played."""
FAINT = 0.5
"""A query of everyday words alone needs a question at least this likely."""
OFF_THE_MATTER = 0.8
"""Above this one it gets no results either."""
CERTAIN = 0.4
"""Below this likelihood the first result is called the closest rule."""
WORTH_SHOWING = 0.06
"""The share of the best likelihood that a further result needs."""
NEAREST = 3
"""The least number of results, so that the one meant is among them."""
NOTHING = "nothing"
"""The target of what is not about the rules."""
BOX = "box-"
"""The prefix of the targets that are other boxes."""
FIRST_ASKED = ("stacking", "with-two", "draw-four", "skip-reverse")
"""Topics to suggest when a query gives no hint at all."""
MOST_TOPICS = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """One question near the query: what the leading rulebook says on it, then the others."""

    question: TableQuestion
    rulebook: str
    clause: Clause
    score: float
    others: tuple[tuple[str, Clause], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a look-up found; `asked` is the question as understood, also when no clause answers it.

    `box` is the other box that the query is about, `language` the code of the language it is in; None is another one.
    """

    query: str
    answered: bool
    silent: bool
    asked: TableQuestion | None
    hits: tuple[Hit, ...]
    suggested_topics: tuple[str, ...]
    corrected: Mapping[str, str]
    language: str | None
    box: Box | None = None

    @property
    def closest(self) -> bool:
        """Whether the clause shown is only the closest one: it may not be what was asked."""
        return self.answered and self.hits[0].score < CERTAIN


@cache
def model(language: str) -> Model:
    """Read the trained model of what is asked, once."""
    return Model.from_document(learned(language)["model"])


@cache
def _open_matters(language: str) -> Mapping[str, TableQuestion]:
    return {matter["id"]: TableQuestion(**matter) for matter in learned(language)["open"]}


def look_up(query: str, rulebook: Rulebook | None = None) -> Found:
    """Find what answers a query; the clauses of `rulebook`, with its house rules in force, lead where one is given.

    Raises `Impossible` on ``q`` when nothing is asked or it is too long.
    """
    check_query(query)
    said_in = language_asked(query)
    if said_in is None:
        return Found(query, False, False, None, (), FIRST_ASKED, {}, None)
    words = vocabulary(said_in)
    heard = words.hear(query)
    home = home_of(rulebook)
    at_home = home is not None and heard.box == home
    titled = _titles(rulebook, words).get(_plain(query, words)) if rulebook else None
    if titled and rulebook:
        question = library.every_question()[titled]
        hit = _hit(question, 1.0, rulebook)
        hits = (hit,) if hit else ()
        return Found(query, True, False, question, hits, (question.topic,), heard.corrected, said_in)
    if at_home and home:  # there its name tells nothing
        heard = words.hear(re.sub(re.escape(boxes()[home].title), "", query, flags=re.IGNORECASE))
    texts = learned(spoken())["asked_of_card"]
    card = card_asked(query, rulebook, words, heard.box in (None, home), texts) if rulebook else None
    likely = {} if heard.elsewhere and not at_home and not card else model(said_in).likelihoods(heard.features)
    of_boxes = {f"{BOX}{id}": likely.pop(f"{BOX}{id}", 0.0) for id in boxes()} | {f"{BOX}{home}": 0.0}
    likely = _at_home(likely, rulebook)
    no_rule = likely.pop(NOTHING, 1.0)
    topics = _topics(likely)
    if card and rulebook:
        return _found_of_card(query, card, likely, no_rule, rulebook, heard)
    nearest_box = max(of_boxes, key=of_boxes.__getitem__)
    box = heard.box
    if box is None and of_boxes[nearest_box] > no_rule and sum(of_boxes.values()) > max(likely.values(), default=0.0):
        box = nearest_box.removeprefix(BOX)
    if box is not None and not at_home:
        return Found(query, False, False, None, (), topics, heard.corrected, said_in, boxes()[box])
    speaking = _speaking(likely, rulebook, heard)
    first = next(iter(likely), None)
    surest = max(likely.values(), default=0.0)
    unheard = sum(term not in model(said_in).weights for term in heard.terms)
    most_doubt = LEAST_DOUBT if 0 < unheard >= len(words.concepts & {*heard.terms}) else MOST_DOUBT
    if not first or not speaking or no_rule > most_doubt * (no_rule + surest) or (not heard.terms and surest < FAINT):
        near = list(likely) if no_rule <= OFF_THE_MATTER and heard.terms else []
        return Found(query, False, False, None, _hits(near, likely, rulebook), topics, heard.corrected, said_in)
    instead = [id for id in (first, *learned(said_in)["instead"].get(first, ())) if id in speaking]
    best = [*instead, *speaking][0]
    silent = not instead and likely[best] * SILENT_ABOVE < surest
    asked = _matter(first if silent else best)
    near = list(dict.fromkeys([best, *speaking, *likely]))
    if silent:
        near = sorted(likely, key=lambda id: _matter(id).topic != asked.topic)
    return Found(query, not silent, silent, asked, _hits(near, likely, rulebook), topics, heard.corrected, said_in)


def _found_of_card(
    query: str, card: CardAsked, likely: Mapping[str, float], no_rule: float, rulebook: Rulebook, heard: Heard
) -> Found:
    """Return what the rulebook says of a card, or that it is silent; then only what the card does is shown."""
    total = sum(likely.values()) + no_rule
    score = {id: likely[id] / total * (1 - OF_CARD) for id in _speaking(likely, rulebook, heard)}
    unsaid = sum(share for id, share in likely.items() if id not in score) / total
    for id, share in card.clauses.items():
        score[id] = score.get(id, 0.0) + share * OF_CARD
    ranked = sorted(score, key=lambda id: -score[id])
    open_share = card.silent * OF_CARD + unsaid * (1 - OF_CARD)
    silent = not ranked or (card.silent > 0 and open_share > max(SURE, score[ranked[0]]))
    if silent:
        ranked, question = list(card.does), card.question
    else:
        question = card.question if card.question.id == ranked[0] else _matter(ranked[0])
    hits = _hits(ranked, {**dict.fromkeys(card.does, card.silent), **score}, rulebook)
    return Found(query, not silent, silent, question, hits, (question.topic,), heard.corrected, heard.language)


def _matter(id: str) -> TableQuestion:
    return library.every_question().get(id) or _open_matters(spoken())[id]


def _at_home(likely: Mapping[str, float], rulebook: Rulebook | None) -> dict[str, float]:
    """Leave out the cards that no rulebook here speaks of, and prefer those of a box that has its own."""
    spoken = {id for book in searched(rulebook).values() for id in book.clauses}
    more = OWN_CARDS if home_of(rulebook) else 1.0
    cards = library.card_questions()
    possible = {id: share for id, share in likely.items() if id in spoken or id not in cards}
    found = {id: share * (more if id in cards else 1) for id, share in possible.items()}
    scale = sum(possible.values()) / (sum(found.values()) or 1)
    return {id: share * scale for id, share in sorted(found.items(), key=lambda each: -each[1])}


def _plain(text: str, words: Vocabulary) -> str:
    """Return a text as titles are compared: stems, articles left out."""
    return " ".join(words.stems_of(tokens(text)))


@lru_cache(maxsize=64)
def _titles(rulebook: Rulebook, words: Vocabulary) -> Mapping[str, str]:
    """Return the questions of a rulebook by the titles of its clauses, those aside that are the name of a card."""
    known = library.every_question()
    with speaking(words.language):
        book = library.rulebooks().get(rulebook.id, rulebook).with_house_rules(rulebook.in_force)
        clauses = reversed([*book.clauses.items()])
        titles = {_plain(clause.title, words): id for id, clause in clauses if id in known}
    names = {"", *(_plain(name, words) for name in card_names(rulebook, words))}
    return {title: id for title, id in titles.items() if title not in names}


def _hits(near: Iterable[str], likely: Mapping[str, float], rulebook: Rulebook | None) -> tuple[Hit, ...]:
    """Gather the results: a few, and whatever else is likely enough."""
    least = WORTH_SHOWING * max(likely.values(), default=0.0)
    questions = library.every_question()
    hits: list[Hit] = []
    for id in near:
        if (len(hits) < NEAREST or likely[id] >= least) and id in questions:
            hit = _hit(questions[id], likely[id], rulebook)
            hits += [hit] if hit else []
    return tuple(hits[:MOST_RESULTS])


def check_query(query: str) -> None:
    """Refuse a query that asks nothing or is too long, as a problem of the field ``q``."""
    if len(query) > LONGEST_QUERY:
        raise Impossible([Problem.said("q", "query-long", length=len(query), most=LONGEST_QUERY)])
    if not any(character.isprintable() and not character.isspace() for character in query):
        raise Impossible([Problem.said("q", "query-empty")])


def _speaking(likely: Iterable[str], rulebook: Rulebook | None, heard: Heard) -> list[str]:
    """Return the questions on which the rulebook (or any) has a clause that settles the very part that is asked."""
    books = searched(None).values() if rulebook is None else (rulebook,)
    needed: dict[str, list[str]] = {}
    for part in learned(heard.language)["parts"]:
        if not set(part["terms"]).isdisjoint(heard.terms):
            needed.setdefault(part["question"], []).append(part["setting"])
    spoken: set[str] = set()
    for book in books:
        asked = {id: wanted for id, wanted in needed.items() if id in book.clauses}
        unsaid = {id for id, wanted in asked.items() if not set(wanted) <= set(book.clauses[id].settings)}
        spoken |= set(book.clauses) - unsaid
    return [id for id in likely if id in spoken]


def _hit(question: TableQuestion, score: float, rulebook: Rulebook | None) -> Hit | None:
    """Gather what the rulebooks say on a question, the leading one first; None where all are silent."""
    said = [(id, book.clauses[question.id]) for id, book in searched(rulebook).items() if question.id in book.clauses]
    if not said:
        return None
    return Hit(question, *said[0], score, tuple(said[1:]))


def _topics(likely: Iterable[str]) -> tuple[str, ...]:
    """Return the topics nearest to a query; the most asked ones where there is no hint."""
    nearest: dict[str, None] = {}
    for id in likely:
        nearest[_matter(id).topic] = None
        if len(nearest) == MOST_TOPICS:
            break
    return tuple(nearest) or FIRST_ASKED


def index_document() -> dict[str, Any]:
    """Return what a phone needs to look rules up by itself, as JSON values, with a digest of the content.

    It is what training wrote of the language spoken, with the questions, the other boxes, and the numbers that decide.
    """
    known = library.every_question()
    code = spoken()
    document: dict[str, Any] = {
        **learned(code),
        "questions": [
            {"id": q.id, "topic": q.topic, "text": q.text} for id in model(code).targets if (q := known.get(id))
        ],
        "boxes": [
            {"id": box.id, "title": box.title, "notice": box.notice, "about": box.about, "known": box.known}
            for box in boxes().values()
        ],
        "titles": box_titles(code),
        "language": languages()[code].name,
        "constants": {
            "longest_query": LONGEST_QUERY,
            "most_results": MOST_RESULTS,
            "most_doubt": MOST_DOUBT,
            "least_doubt": LEAST_DOUBT,
            "faint": FAINT,
            "off_the_matter": OFF_THE_MATTER,
            "worth_showing": WORTH_SHOWING,
            "nearest": NEAREST,
            "most_other": MOST_OTHER,
            "silent_above": SILENT_ABOVE,
            "sure": SURE,
            "of_card": OF_CARD,
            "certain": CERTAIN,
            "own_cards": OWN_CARDS,
            "most_corrected": MOST_CORRECTED,
            "most_strangers": MOST_STRANGERS,
            "most_unheard": MOST_UNHEARD,
            "longest_word": LONGEST_WORD,
            "longest_prefix": LONGEST_PREFIX,
            "first_asked": list(FIRST_ASKED),
            "most_topics": MOST_TOPICS,
            "short": SHORT,
            "sentence": SENTENCE,
            "strange": STRANGE,
            "outweighs": OUTWEIGHS,
            "foreign_words": sorted(foreign_words()),
        },
    }
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return document | {"digest": hashlib.sha256(canonical.encode()).hexdigest()}
