"""Train the look-up's model on all wordings and write ``lookup_weights.json``; run it after every change to them.

    python -m tools.lookup.training
    python -m tools.lookup.training de

for English, and for another language.

The model is scikit-learn's `LogisticRegression` (softmax over all targets, L2 penalty, solved by L-BFGS) over binary
features: terms, words and the prefixes of words, each weighed by how much it tells (what its entropy over the targets
leaves), all scaled to length 1. Small weights are left out, the others are written in fifths, so that the file is
small. The clauses' own texts are taught too, and every few wordings once more within a frame of small talk. Nothing
here is random and one thread computes: the same wordings and the same scikit-learn give the same file. What a word
means that nobody taught is learned from those that stand in one wording only: that wording is taught a second time
without them.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import LabelBinarizer, normalize
from threadpoolctl import threadpool_limits

from referee.rules.lookup.lookup import BOX, NOTHING
from referee.rules.lookup.model import FILE, UNIT, Model, folder, with_unheard
from referee.rules.lookup.query import BOX as NAMED_BOX
from referee.rules.lookup.query import ELSEWHERE, Vocabulary
from referee.rules.text.words import ENGLISH
from tools.lookup.wordings import clause_texts, digest, grammar, learned_words, phrasings, wordings

INVERSE_L2_PENALTY = 20.0
"""scikit-learn's ``C``: the greater, the closer the model keeps to the wordings."""
TOLERANCE = 1e-7
"""The gradient at which L-BFGS stops: so near the one optimum that every machine rounds to the same weights, but for a
few; where it stops earlier, a wording more or less changes answers at random."""
STEPS = 2000
"""More iterations than it takes to get there."""
SMALLEST_WEIGHT = 0.8
"""Weights below it are left out: one in a hundred answers changes, and the file is half as large."""
SMALLEST_WITH_PIECES = 1.3
"""Likewise where words are told by their pieces, which are many."""
RAREST_PIECE = 8
"""Pieces that fewer wordings have are left out."""
LEAST_TOLD = 0.1
"""What a feature tells that stands in the wordings of all targets alike."""
EVENNESS = 0.3
"""How far a target of few wordings is made up for: 0 not at all, 1 fully."""
USUAL_WORDINGS = 40
NAMED_EVERY = 3
"""Of so many wordings one is also taught with the game's name, which means the call only in questions about it."""

FRAMED_EVERY = 3
"""Of so many one is also taught within small talk."""

Sample = tuple[tuple[str, ...], str]


def train(samples: Iterable[Sample], steps: int = STEPS, smallest: float = SMALLEST_WEIGHT) -> Model:
    """Train on samples, each the features of a wording and the id of its target."""
    taught = _without_rare_pieces([(features, target) for features, target in samples if features])
    taught += _with_rare_words_unheard(taught)
    times = Counter(target for _, target in taught)
    counter = CountVectorizer(analyzer=_as_they_are, binary=True)
    classifier = LogisticRegression(C=INVERSE_L2_PENALTY, tol=TOLERANCE, max_iter=steps)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the steps end it early, on purpose
        counts = counter.fit_transform([features for features, _ in taught])
        tells = np.maximum(np.rint(_tells(counts, [target for _, target in taught]) * UNIT), 1)
        importance = [max(1.0, (USUAL_WORDINGS / times[target]) ** EVENNESS) for _, target in taught]
        classifier.fit(normalize(counts.multiply(tells)), [target for _, target in taught], importance)
    weights = np.where(np.abs(classifier.coef_) < smallest, 0, np.rint(classifier.coef_ * tells)).astype(int)
    rows = [
        (str(feature), int(told), tuple((int(place), int(row[place])) for place in np.flatnonzero(row)))
        for feature, told, row in zip(counter.get_feature_names_out(), tells, weights.T, strict=True)
    ]
    return Model(
        targets=tuple(str(target) for target in classifier.classes_),
        bias=tuple(int(bias) for bias in np.rint(classifier.intercept_ * UNIT)),
        tells={feature: told for feature, told, _ in rows},
        weights={feature: row for feature, _, row in rows},
    )


def _tells(counts: Any, targets: Sequence[str]) -> Any:
    """Return how much each feature tells of the target, from `LEAST_TOLD` to 1: the root of what its entropy leaves."""
    size = Counter(targets)
    by_target = LabelBinarizer(sparse_output=True).fit_transform(targets)
    evened = by_target.multiply([size[target] ** -0.5 for target in sorted(size)])
    share = (evened.T.tocsr() @ counts).toarray()
    share /= share.sum(axis=0)
    entropy = -(share * np.log(share, where=share > 0, out=np.zeros_like(share))).sum(axis=0) / np.log(len(size))
    return np.sqrt(np.maximum(LEAST_TOLD, 1 - entropy))


def _without_rare_pieces(samples: Sequence[Sample]) -> list[Sample]:
    """Leave out of samples with pieces of words, which begin with ``~^``, those that hardly any wording has."""
    times = Counter(feature for features, _ in samples for feature in features if feature.startswith("~"))
    rare = {piece for piece, number in times.items() if number < RAREST_PIECE}
    if not any(piece.startswith("~^") for piece in times):  # prefixes
        return list(samples)
    return [(tuple(feature for feature in features if feature not in rare), target) for features, target in samples]


def _as_they_are(features: Sequence[str]) -> Sequence[str]:
    return features


def _with_rare_words_unheard(samples: Sequence[Sample]) -> list[Sample]:
    times = Counter(feature for features, _ in samples for feature in features)
    usual = {feature for feature, number in times.items() if number > 1}
    marked = [(with_unheard(features, usual), features, target) for features, target in samples]
    return [
        (tuple(feature for feature in all_features if feature in usual or feature not in times), target)
        for all_features, features, target in marked
        if all_features != features
    ]


def samples(of: Mapping[str, Iterable[str]], words: Vocabulary) -> Iterable[Sample]:
    """Give the features of every wording, once for each target, with the target's id.

    A word of another game or box decides by itself, before the model is asked; it is no feature. Only in a question
    that rulebooks answer it is, since there the box may be the one played.
    """
    told = grammar(words.language)
    clauses = clause_texts(words.language)
    number = 0
    for target, group in of.items():
        wordings = list(group)
        if not target.startswith("uno-"):
            wordings += [told["named"].format(wording) for wording in wordings[::NAMED_EVERY]]
        wordings += sorted({text for text, question in clauses if question == target})
        for wording in tuple(group)[::FRAMED_EVERY]:
            wordings.append(told["frames"][number % len(told["frames"])].format(wording))
            number += 1
        here = () if target == NOTHING or target.startswith(BOX) else words.of_boxes
        heard = (words.hear(wording, here=here).features for wording in wordings)
        kept = (tuple(s for s in signs if s != ELSEWHERE and not s.startswith(f"{NAMED_BOX}:")) for signs in heard)
        for features in dict.fromkeys(kept):
            yield features, target


def learn(language: str) -> dict[str, Any]:
    """Learn from all wordings of a language what the look-up reads."""
    words = learned_words(language)
    vocabulary = Vocabulary(words)
    said = phrasings(language)
    smallest = SMALLEST_WITH_PIECES if grammar(language)["pieces"] else SMALLEST_WEIGHT
    return {
        "learned_from": digest(language),
        "words": words,
        "open": [
            {"id": f"open-{place}", "topic": matter["topic"], "text": matter["text"]}
            for place, matter in enumerate(said["open"])
        ],
        "instead": said["instead"],
        "model": document(train(samples(wordings(language), vocabulary), smallest=smallest)),
    }


def document(model: Model) -> dict[str, Any]:
    """Return a model as JSON values, as `Model.from_document` reads them."""
    rows = model.weights.values()
    columns = [[place for place, _ in row] for row in rows], [[weight for _, weight in row] for row in rows]
    weights = [list(model.weights), list(model.tells.values()), *columns]
    return {"unit": UNIT, "targets": list(model.targets), "bias": list(model.bias), "weights": weights}


def main(language: str = ENGLISH) -> None:
    """Train on all wordings of a language and write what was learned."""
    rows = ",\n".join(
        f"{json.dumps(key)}:{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in learn(language).items()
    )
    (folder(language) / FILE).write_text("{" + rows + "}\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
