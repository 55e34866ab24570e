"""Find the clause that answers a question asked in players' words, or say that none does.

A query is matched to a *question a table asks* (``rulebooks/questions.toml``), and each rulebook then answers that
question by its clause, or is silent on it. How near a query is to a question is the mean of two measures, both between
0 and 1: the likeness to the nearest of the question's wordings (``phrasings.toml``, cosine of inverse document
frequencies), and what the clauses of all rulebooks have of the query's terms (BM25, Robertson and Zaragoza 2009).
Matters of which no rulebook speaks, and small talk, stand in the same index: when one of them is nearest,
or nothing is near enough, there is no answer.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import log, sqrt
from pathlib import Path
from typing import Any, Literal

from referee.rules import library
from referee.rules.lookup_words import Heard, Words
from referee.rules.problem import Impossible, Problem
from referee.rules.rulebook import Clause, Rulebook, TableQuestion

HERE = Path(__file__).parent
MOST_RESULTS = 20
LONGEST_QUERY = 200
NEAR_ENOUGH = 0.5
"""A question less near than this does not answer: better no answer than a false one."""
WORTH_SHOWING = 0.55
"""What a further result must have of the best one's nearness."""
NEAREST = 3
"""How many results a silent rulebook is given at least, to show what is near."""
SELDOM = 0.94
"""What is taken from variants and corner cases, so that the plain question comes first when both are near."""
AS_NEAR = 0.92
"""Of two questions so much alike in nearness, the one that the rulebook answers was meant."""
STRANGER = 4.5
"""What a word weighs of which nothing here speaks; the rarest of our own weigh about as much."""
DOUBT = 1.0
"""What is taken from a query of few and common words; long ones hardly feel it."""
WEAK = 0.5
"""What is left of the weight of a word that stands in nearly every question."""
UNKNOWN = 3.0
"""What a word weighs that is in no list: it may be off the matter, or a way of telling it."""
NUMBER = 1.0
"""What a number weighs that is in no list."""
K, B = 1.2, 0.5
"""BM25: how soon repetition stops to count, and how much a long text is held back."""
FIRST_ASKED = ("stacking", "with-two", "draw-four", "skip-reverse")
"""Topics to suggest when a query gives no hint at all."""

Kind = Literal["question", "open", "nothing"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One question near the query: what the leading rulebook says on it, then the others, and who is silent."""

    question: TableQuestion
    rulebook: str
    clause: Clause
    score: float
    others: tuple[tuple[str, Clause], ...]
    silent_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a look-up found; `asked` is the question as understood, also when no clause answers it."""

    query: str
    answered: bool
    silent: bool
    asked: TableQuestion | None
    hits: tuple[Hit, ...]
    suggested_topics: tuple[str, ...]
    corrected: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Target:
    """What a query can be about: a question of the rulebooks, a matter they all leave open, or nothing of theirs."""

    kind: Kind
    question: TableQuestion
    prior: float = 1.0


class Index:
    """All wordings of all questions, by term, ready to be searched; holds for every choice of rulebooks."""

    def __init__(
        self, targets: Mapping[Target, Iterable[str]], texts: Mapping[str, Iterable[str]], synonyms: Mapping[str, Any]
    ) -> None:
        """Index the wordings of each target, and the texts of clauses by question id."""
        self.words = Words(synonyms, [text for group in (*targets.values(), *texts.values()) for text in group])
        self.targets = tuple(targets)
        wordings = [list(dict.fromkeys(filter(None, map(self._bag, group)))) for group in targets.values()]
        documents = [
            Counter(term for wording in group for term in wording)
            + Counter(term for text in texts.get(target.question.id, ()) for term in set(self.words.terms(text)))
            for target, group in zip(self.targets, wordings, strict=True)
        ]
        frequency = Counter(term for document in documents for term in document)
        weak = {term for word in synonyms["weak"] for term in (word, *self.words.terms(word))}
        self.idf = {
            term: log(1 + len(documents) / number) * (WEAK if term in weak else 1) for term, number in frequency.items()
        }
        self._wordings: dict[str, list[int]] = defaultdict(list)
        self._of: list[tuple[int, float]] = []
        for place, group in enumerate(wordings):
            for wording in group:
                for term in wording:
                    self._wordings[term].append(len(self._of))
                self._of.append((place, 1 / sqrt(sum(self.idf[term] ** 2 for term in wording))))
        self._documents: dict[str, list[tuple[int, float]]] = defaultdict(list)
        mean = sum(document.total() for document in documents) / len(documents)
        for place, document in enumerate(documents):
            patience = K * (1 - B + B * document.total() / mean)
            for term, times in document.items():
                self._documents[term].append((place, times / (times + patience)))

    def _bag(self, wording: str) -> tuple[str, ...]:
        return tuple(sorted(set(self.words.terms(wording))))

    def search(self, heard: Heard) -> list[tuple[float, Target]]:
        """Rank all targets that share a term with the query by their nearness (0 to 1), best first."""
        alike: dict[int, float] = defaultdict(float)
        shared: dict[int, float] = defaultdict(float)
        sum_of_squares = DOUBT + heard.strangers * STRANGER**2
        weight = DOUBT + heard.strangers * STRANGER
        for term in heard.terms:
            idf = self.idf.get(term)
            if idf is None:
                unknown = NUMBER if term.isdigit() else UNKNOWN
                sum_of_squares += unknown**2
                weight += unknown
                continue
            sum_of_squares += idf**2
            weight += idf
            for wording in self._wordings.get(term, ()):
                alike[wording] += idf**2
            for place, part in self._documents[term]:
                shared[place] += idf * part
        best: dict[int, float] = defaultdict(float)
        for wording, product in alike.items():
            place, norm = self._of[wording]
            likeness = product * norm
            if likeness > best[place]:
                best[place] = likeness
        length = sqrt(sum_of_squares)
        ranked = [
            ((best[place] / length + part / weight) / 2 * self.targets[place].prior, -place)
            for place, part in shared.items()
        ]
        ranked.sort(reverse=True)
        return [(score, self.targets[-place]) for score, place in ranked]


@cache
def index() -> Index:
    """Build the index of the six rulebooks, once."""
    phrasings = _phrasings()
    targets: dict[Target, list[str]] = {}
    for question in _questions().values():
        prior = SELDOM if question.id in phrasings["seldom"] else 1.0
        targets[Target("question", question, prior)] = [question.text, *phrasings["asked"][question.id]]
    for place, matter in enumerate(phrasings["open"]):
        open_question = TableQuestion(f"open-{place}", matter["topic"], matter["text"])
        targets[Target("open", open_question, SELDOM)] = [matter["text"], *matter["asked"]]
    for name, wordings in phrasings["nothing"].items():
        targets[Target("nothing", TableQuestion(name, "", ""))] = wordings
    texts: dict[str, list[str]] = defaultdict(list)
    for rulebook in library.rulebooks().values():
        for clause in rulebook.clauses.values():
            texts[clause.id] += [clause.title, clause.text]
    return Index(targets, texts, _read("synonyms.toml"))


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text("utf-8"))


@cache
def _questions() -> Mapping[str, TableQuestion]:
    return {**library.questions(), **library.further_questions()}


@cache
def _phrasings() -> dict[str, Any]:
    return _read("phrasings.toml")


def look_up(query: str, rulebook: Rulebook | None = None) -> Found:
    """Find what answers a query of at most 200 characters; the clauses of `rulebook` lead, where one is given.

    House rules in force in `rulebook` speak through its clauses. Raises `Impossible` on ``q`` when nothing is asked or
    the query is too long.
    """
    check_query(query)
    heard = index().words.hear(query)
    ranked = [] if heard.elsewhere else index().search(heard)
    near = [(score, target) for score, target in ranked if score >= NEAR_ENOUGH]
    if not near or near[0][1].kind == "nothing":
        return Found(query, False, False, None, (), _topics(ranked), heard.corrected)
    target = near[0][1]
    asked = target.question
    if target.kind == "question" and not _speaks(asked, rulebook, heard):
        asked = _meant_instead(asked, rulebook, heard, near)
    answered = target.kind == "question" and _speaks(asked, rulebook, heard)
    hits = _hits(asked, answered, ranked, rulebook)
    return Found(query, answered, not answered, asked, hits, _topics(ranked), heard.corrected)


def _hits(
    asked: TableQuestion, answered: bool, ranked: list[tuple[float, Target]], rulebook: Rulebook | None
) -> tuple[Hit, ...]:
    """Gather the results: the question that is answered, then what is nearest; where it is not, its topic first."""
    best = ranked[0][0]
    scores = {target.question.id: score for score, target in ranked if target.kind == "question"}
    if answered:
        scores = {asked.id: best} | {id: score for id, score in scores.items() if id != asked.id}
    else:
        by_topic = sorted(scores, key=lambda id: _questions()[id].topic != asked.topic)
        scores = {id: scores[id] for id in by_topic}
    hits: list[Hit] = []
    for id, score in scores.items():
        shown = score >= best * WORTH_SHOWING or (not answered and len(hits) < NEAREST)
        if shown and (hit := _hit(_questions()[id], score, rulebook)):
            hits.append(hit)
    return tuple(hits[:MOST_RESULTS])


def _meant_instead(
    asked: TableQuestion, rulebook: Rulebook | None, heard: Heard, near: Iterable[tuple[float, Target]]
) -> TableQuestion:
    """Find what was meant where nothing speaks on the nearest question: its neighbor, or one as near; else itself."""
    instead = (_questions()[id] for id in _phrasings()["instead"].get(asked.id, ()))
    near = list(near)
    alike = (target.question for score, target in near if score >= near[0][0] * AS_NEAR and target.kind == "question")
    return next((question for question in (*instead, *alike) if _speaks(question, rulebook, heard)), asked)


def check_query(query: str) -> None:
    """Refuse a query that asks nothing or is too long, as a problem of the field ``q``."""
    if len(query) > LONGEST_QUERY:
        raise Impossible([Problem("q", f"This is {len(query)} characters long; ask in at most {LONGEST_QUERY}.")])
    if not any(character.isprintable() and not character.isspace() for character in query):
        raise Impossible([Problem("q", "Nothing is asked. Type a few words, such as “stack +2”.")])


def _speaks(question: TableQuestion, rulebook: Rulebook | None, heard: Heard) -> bool:
    """Tell whether the rulebook (or any) has a clause on the question, and on the very part of it that is asked."""
    books = library.rulebooks().values() if rulebook is None else (rulebook,)
    clauses = [book.clauses[question.id] for book in books if question.id in book.clauses]
    needed = [
        part["setting"]
        for part in _phrasings()["parts"]
        if part["question"] == question.id and not set(part["terms"]).isdisjoint(heard.terms)
    ]
    return any(all(setting in clause.settings for setting in needed) for clause in clauses)


def _hit(question: TableQuestion, score: float, rulebook: Rulebook | None) -> Hit | None:
    """Gather what the rulebooks say on a question, the leading one first; None where all are silent."""
    books = dict(library.rulebooks())
    if rulebook is not None:
        books = {rulebook.id: rulebook, **{id: book for id, book in books.items() if id != rulebook.id}}
    said = [(id, book.clauses[question.id]) for id, book in books.items() if question.id in book.clauses]
    if not said:
        return None
    silent = tuple(id for id, book in books.items() if question.id not in book.clauses)
    return Hit(question, *said[0], score, tuple(said[1:]), silent)


def _topics(ranked: Iterable[tuple[float, Target]]) -> tuple[str, ...]:
    """Name the topics nearest to a query, at most four; the most asked ones where there is no hint."""
    near = dict.fromkeys(target.question.topic for _, target in ranked if target.kind != "nothing")
    return tuple(near)[:4] or FIRST_ASKED


def index_document() -> dict[str, Any]:
    """Write what a phone needs to look rules up by itself, as JSON values, with a digest of the content."""
    phrasings = _phrasings()
    document = {
        "synonyms": _read("synonyms.toml"),
        "questions": [{"id": q.id, "topic": q.topic, "text": q.text} for q in _questions().values()],
        "phrasings": phrasings,
        "constants": {"k": K, "b": B, "near_enough": NEAR_ENOUGH, "worth_showing": WORTH_SHOWING, "stranger": STRANGER},
    }
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return document | {"digest": hashlib.sha256(canonical.encode()).hexdigest()}
