"""Find the clause that answers a question asked in players' words, or say that none does.

A query is matched to a *question a table asks* (``rulebooks/questions.toml``), and each rulebook then answers that
question with its clause, or is silent on it. `model` estimates from the query's words how likely each question
is meant; it was trained on the wordings in ``phrasings.toml``. Matters no rulebook covers, and queries that are not
about the rules, are targets like the questions: when one of them is likeliest, there is no answer.

Each language that has wordings has its own words and models. A query is read in the language that knows most of its
words, and answered in the one spoken.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from referee.rules.books import library
from referee.rules.books.library import Box, box_of_rulebook, boxes, searched
from referee.rules.books.rulebook import Clause, Rulebook, TableQuestion
from referee.rules.disputes.points import Point
from referee.rules.lookup import model as models
from referee.rules.lookup import query as reading
from referee.rules.lookup.cases import points_asked
from referee.rules.lookup.model import UNIT, UNSURE, Model, learned, spoken
from referee.rules.lookup.query import foreign_words, language_asked, tokens, vocabulary
from referee.rules.text.problem import Impossible, Problem
from referee.rules.text.words import cached_by_language, languages, speaking

MOST_RESULTS = 20
LONGEST_QUERY = 500
MOST_DOUBT = 0.35
"""Above this likelihood of not being about the rules, beside the surest matter, a query gets no answer.

Each word that no wording has counts it once more.
"""
OFF_THE_MATTER = 0.8
"""Above this one it gets no results either."""
SILENT_ABOVE = 3.0
"""How many times likelier than any clause a matter must be that no clause settles, for silence to be claimed."""
OWN_CARDS = 3.0
"""How many times likelier a clause on a card becomes where its own box is played."""
OWN_WORDS = 0.48
"""How much of what a query's words tell must stand in a rule of the table's own, for that to answer."""
WORTH_SHOWING = 0.06
"""The share of the best likelihood that a further result needs."""
NEAREST = 3
"""The least number of results, so that the one meant is among them."""
NOTHING = "nothing"
"""The target of what is not about the rules."""
FITS = "matching"
"""The question of what fits on the pile."""
BOX = "box-"
"""The prefix of the targets that are other boxes."""
FIRST_ASKED = ("stacking", "with-two", "draw-four", "skip-reverse")
"""Topics to suggest when a query gives no hint at all."""
MOST_TOPICS = 4
NUMBERS = (
    (sys.modules[__name__], "LONGEST_QUERY MOST_RESULTS MOST_DOUBT OFF_THE_MATTER SILENT_ABOVE OWN_CARDS OWN_WORDS"),
    (sys.modules[__name__], "WORTH_SHOWING NEAREST MOST_TOPICS"),
    (models, "UNSURE"),
    (reading, "MOST_CORRECTED LONGEST_WORD LONGEST_PREFIX SENTENCE STRANGE OUTWEIGHS"),
)
"""The numbers that decide, by the module that says why: a phone has them too."""


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
    Where it is `unsure`, the hits are only the nearest clauses. `points` are what hearings say of what is
    asked, under each rulebook searched, the leading one first.
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
    unsure: bool = False
    points: tuple[Point, ...] = ()


@cache
def model(language: str) -> Model:
    """Read the trained model of what is asked, once."""
    return Model.from_document(learned(language)["model"])


@cached_by_language
def _matters() -> Mapping[str, TableQuestion]:
    """Return every question known by its id, those too that no rulebook answers."""
    return {**library.every_question(), **{open["id"]: TableQuestion(**open) for open in learned(spoken())["open"]}}


def look_up(query: str, rulebook: Rulebook | None = None) -> Found:
    """Find what answers a query; the clauses of `rulebook`, with its house rules in force, lead where one is given.

    Of the rules in its table's own words the nearest leads where it is nearer than any other clause.
    Raises `Impossible` on ``q`` when nothing is asked or it is too long.
    """
    check_query(query)
    said_in, books = language_asked(query), searched(rulebook)
    reply = Found(query, False, False, None, (), FIRST_ASKED, {}, None)
    if said_in:
        reply = _found(query, rulebook, books, said_in)
        points = points_asked(query, rulebook, books.values(), vocabulary(said_in), model(said_in))
        reply = _heard(reply, points, books) if points else reply
    own = _own_hits(query, rulebook, said_in or spoken()) if rulebook else []
    if not own:
        return reply
    near = reply.hits if reply.answered else ()
    if near and near[0].score >= own[0].score:
        return replace(reply, hits=(near[0], *own, *near[1:])[:MOST_RESULTS])
    asked = own[0].question
    hits = (own[0], *near[:1], *own[1:], *near[1:])[:MOST_RESULTS]
    return Found(query, True, False, asked, hits, (asked.topic,), reply.corrected, said_in or spoken())


def _heard(reply: Found, points: Sequence[Point], books: Mapping[str, Rulebook]) -> Found:
    """Answer with what a hearing says under the leading rulebook: first the clauses that it read."""
    known, first = library.every_question(), points[0]
    if first.allowed is None and reply.answered and reply.asked == known[FITS]:
        return reply  # whether it fits at all is another question, which is answered
    read = [hit for clause in first.clauses if clause.id in known and (hit := _hit(known[clause.id], 1.0, books))]
    best = () if reply.silent or first.allowed is None else reply.hits[:1]
    hits = {hit.question.id: hit for hit in (*best, *read, *reply.hits)}
    return replace(
        reply,
        answered=first.allowed is not None,
        silent=first.allowed is None,
        unsure=False,
        box=None,
        asked=reply.asked if reply.silent else known[first.question],
        hits=tuple(hits.values())[:MOST_RESULTS],
        suggested_topics=(known[first.question].topic,),
        points=tuple(points),
    )


def _found(query: str, rulebook: Rulebook | None, books: Mapping[str, Rulebook], said_in: str) -> Found:
    """Find which of the questions known is asked, in a language that is understood, and what answers it."""
    home = box_of_rulebook(rulebook)
    here = phrases_of(rulebook, said_in) if rulebook else ()
    rest = re.sub(re.escape(boxes()[home].title), "", query, flags=re.IGNORECASE) if home else query  # tells nothing
    heard = vocabulary(said_in).hear(rest, here=here)
    likely = {} if heard.elsewhere else model(said_in).likelihoods(heard.features)
    of_boxes = {f"{BOX}{id}": likely.pop(f"{BOX}{id}", 0.0) * (home is None) for id in boxes()}
    likely = _at_home(likely, home, books)
    no_rule = likely.pop(NOTHING, 1.0)
    known = _matters()
    topics = tuple(dict.fromkeys(known[id].topic for id in likely))[:MOST_TOPICS] or FIRST_ASKED
    surest = max(likely.values(), default=0.0)
    nearest_box = max(of_boxes, key=of_boxes.__getitem__)
    box = heard.box
    if box is None and of_boxes[nearest_box] > no_rule and sum(of_boxes.values()) > surest:
        box = nearest_box.removeprefix(BOX)
    if box is not None:
        return Found(query, False, False, None, (), topics, heard.corrected, said_in, boxes()[box])
    leading = [rulebook] if rulebook else books.values()
    spoken_of = [id for id in likely if any(id in book.clauses for book in leading)]
    unheard = sum(term not in model(said_in).weights for term in heard.terms)
    if not spoken_of or no_rule * (1 + unheard) > MOST_DOUBT * (no_rule + surest):
        near = list(likely) if no_rule <= OFF_THE_MATTER and heard.terms else []
        return Found(query, False, False, None, _hits(near, likely, books), topics, heard.corrected, said_in)
    first = next(iter(likely))
    instead = [id for id in (first, *learned(said_in)["instead"].get(first, ())) if id in spoken_of]
    best = [*instead, *spoken_of][0]
    silent = not instead and likely[best] * SILENT_ABOVE < surest
    asked = known[first if silent else best]
    near = list(dict.fromkeys([best, *spoken_of, *likely]))
    if silent:
        near = sorted(likely, key=lambda id: known[id].topic != asked.topic)
    unsure = not silent and likely[first if instead else best] < UNSURE
    hits = _hits(near, likely, books)
    sure = not silent and not unsure
    return Found(query, sure, silent, asked, hits, topics, heard.corrected, said_in, unsure=unsure)


@lru_cache(maxsize=64)
def phrases_of(rulebook: Rulebook, language: str) -> frozenset[str]:
    """Return the phrases that name a box elsewhere, and this rulebook's own or something that it says here."""
    words, home = vocabulary(language), box_of_rulebook(rulebook)
    with speaking(language):
        book = library.rulebooks().get(rulebook.id, rulebook).with_house_rules(rulebook.in_force)
        texts = " ".join(f"{clause.title} {clause.text}" for clause in book.clauses.values())
    text = f" {' '.join(words.normalized(texts))} "
    return frozenset(phrase for phrase, box in words.of_boxes.items() if box == home or f" {phrase} " in text)


def _own_hits(query: str, rulebook: Rulebook, language: str) -> list[Hit]:
    """Return the rules in a table's own words that a query is about, the nearest first.

    A rule is as near as its title and text have of what the query's words tell; a word that nobody taught tells most.
    """
    rules, written = _own_rules(rulebook, language)
    if not rules:
        return []
    tells = model(language).tells
    asked = {sign: tells.get(sign, UNIT) ** 2 for sign in vocabulary(language).hear(query, written).features}
    total = sum(asked.values())
    near = [(sum(told for sign, told in asked.items() if sign in signs), id) for id, signs in rules.items()]
    return [
        Hit(TableQuestion(id, clause.topic, clause.title), rulebook.id, clause, told / total, ())
        for told, id in sorted(near, key=lambda each: -each[0])
        if told > OWN_WORDS * total and (clause := rulebook.clauses[id])
    ][:NEAREST]


@lru_cache(maxsize=4)  # fifty long rules take some megabytes, and a tenth of a second
def _own_rules(rulebook: Rulebook, language: str) -> tuple[Mapping[str, frozenset[str]], frozenset[str]]:
    """Return the features of each rule that answers no question known, by its id, and the stems of all their words."""
    known, words = library.every_question(), vocabulary(language)
    texts = {id: f"{clause.title} {clause.text}" for id, clause in rulebook.clauses.items() if id not in known}
    written = frozenset(words.stems_of(tokens(" ".join(texts.values()))))
    return {id: frozenset(words.hear(text, written).features) for id, text in texts.items()}, written


def _at_home(likely: Mapping[str, float], home: str | None, books: Mapping[str, Rulebook]) -> dict[str, float]:
    """Leave out the cards that no rulebook here speaks of, and prefer those of a box that has its own."""
    spoken = {id for book in books.values() for id in book.clauses}
    more = OWN_CARDS if home else 1.0
    cards = library.card_questions()
    held = {id for id in cards if id.removeprefix("start-") in spoken}
    possible = {id: share for id, share in likely.items() if id in spoken or id in held or id not in cards}
    weighted = {id: share * (more if id in cards else 1) for id, share in possible.items()}
    scale = sum(possible.values()) / (sum(weighted.values()) or 1)
    return {id: share * scale for id, share in sorted(weighted.items(), key=lambda each: -each[1])}


def _hits(near: Iterable[str], likely: Mapping[str, float], books: Mapping[str, Rulebook]) -> tuple[Hit, ...]:
    """Gather the results: a few, and whatever else is likely enough."""
    least = WORTH_SHOWING * max(likely.values(), default=0.0)
    known = library.every_question()
    found = (hit for id in near if id in known and (hit := _hit(known[id], likely[id], books)))
    return tuple(hit for place, hit in enumerate(found) if place < NEAREST or hit.score >= least)[:MOST_RESULTS]


def check_query(query: str) -> None:
    """Refuse a query that asks nothing or is too long, as a problem of the field ``q``."""
    if len(query) > LONGEST_QUERY:
        raise Impossible([Problem.said("q", "query-long", length=len(query), most=LONGEST_QUERY)])
    if not any(character.isprintable() and not character.isspace() for character in query):
        raise Impossible([Problem.said("q", "query-empty")])


def _hit(question: TableQuestion, score: float, books: Mapping[str, Rulebook]) -> Hit | None:
    """Gather what rulebooks say on a question, the leading one first; None where all are silent."""
    rows = [(id, book.clauses[question.id]) for id, book in books.items() if question.id in book.clauses]
    return Hit(question, *rows[0], score, tuple(rows[1:])) if rows else None


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
        "language": languages()[code].name,
        "constants": {name.lower(): getattr(module, name) for module, names in NUMBERS for name in names.split()}
        | {"first_asked": list(FIRST_ASKED), "foreign_words": sorted(foreign_words())},
    }
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return document | {"digest": hashlib.sha256(canonical.encode()).hexdigest()}
