"""Train the look-up's model on all wordings and write ``lookup_weights.json``; run it after every change to them.

    python -m tools.lookup.training
    python -m tools.lookup.training de

for English, and for another language.

The model is a logistic regression (softmax over all targets, L2 penalty, solved by SciPy's L-BFGS) over binary
features: terms, words and the prefixes of words, each weighed by how much it tells (what its entropy over the targets
leaves), all scaled to length 1. Small weights are left out in a few rounds and the others learn to do without them, so
that the file is small. The clauses' own texts are taught too, and every few wordings once more within a frame of small
talk. Nothing here is random and one thread computes: the same wordings and the same SciPy give the same file. What a
word means that nobody taught is learned from those that stand in one wording only: that wording is taught a second
time without them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import LabelBinarizer, normalize
from threadpoolctl import threadpool_limits

from referee.rules.lookup.lookup import BOX, NOTHING
from referee.rules.lookup.model import FILE, ORIGIN, STEP, UNIT, Model, folder, with_unheard
from referee.rules.lookup.query import BOX as NAMED_BOX
from referee.rules.lookup.query import ELSEWHERE, Vocabulary
from referee.rules.text.words import ENGLISH
from tools.lookup.wordings import clause_texts, digest, grammar, learned_words, phrasings, wordings

INVERSE_L2_PENALTY = 40.0
"""The greater, the closer the model keeps to the wordings."""
TOLERANCE = 1e-6
"""The gradient at which L-BFGS stops: so near the one optimum that every machine rounds to the same weights, but for a
few; where it stops earlier, a wording more or less changes answers at random."""
STEPS = 1000
"""More iterations than it takes to get there."""
MOST_WEIGHTS = 30_000
"""So many weights are kept where a language names no number: they take a phone some 35 kB."""
ROUNDS = (3, 1)
"""Of which multiples of them are kept, round by round."""
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


def train(samples: Iterable[Sample], steps: int = STEPS, most: int = MOST_WEIGHTS) -> Model:
    """Train on samples, each the features of a wording and the id of its target."""
    taught = _without_rare_pieces([(features, target) for features, target in samples if features])
    taught += _with_rare_words_unheard(taught)
    times = Counter(target for _, target in taught)
    targets = sorted(times)
    counter = CountVectorizer(analyzer=_as_they_are, binary=True)
    with threadpool_limits(1):
        counts = counter.fit_transform([features for features, _ in taught])
        tells = np.maximum(np.rint(_tells(counts, [target for _, target in taught]) * UNIT), 1)
        importance = np.array([max(1.0, (USUAL_WORDINGS / times[target]) ** EVENNESS) for _, target in taught])
        wanted = np.array([targets.index(target) for _, target in taught])
        weights, kept = np.zeros((len(targets), counts.shape[1] + 1)), np.ones((len(targets), counts.shape[1]), bool)
        for number in (None, *ROUNDS):
            if number:
                kept = np.abs(weights[:, :-1]) >= np.sort(np.abs(weights[:, :-1]), axis=None)[-most * number :][0]
            weights = _fit(normalize(counts.multiply(tells)).tocsr(), wanted, importance, weights, kept, steps)
    written = np.rint(weights[:, :-1] * tells / STEP).astype(int)
    rows = [
        (str(feature), int(told), tuple((int(place), int(row[place])) for place in np.flatnonzero(row)))
        for feature, told, row in zip(counter.get_feature_names_out(), tells, written.T, strict=True)
    ]
    return Model(
        targets=tuple(targets),
        bias=tuple(int(bias) for bias in np.rint(weights[:, -1] * UNIT)),
        tells={feature: told for feature, told, _ in rows},
        weights={feature: row for feature, _, row in rows},
    )


def _fit(samples: Any, wanted: Any, importance: Any, start: Any, kept: Any, steps: int) -> Any:
    """Return the weights, the bias last, that are the likeliest for samples, all but those kept being 0."""
    free = np.flatnonzero(np.hstack([kept, np.ones((len(kept), 1), bool)]))
    places, turned = np.arange(len(wanted)), samples.T.tocsr()

    def whole(values: Any) -> Any:
        weights = np.zeros(start.size)
        weights[free] = values
        return weights.reshape(start.shape)

    def loss(values: Any) -> tuple[float, Any]:
        weights = whole(values)
        odds = samples @ weights[:, :-1].T + weights[:, -1]
        odds -= odds.max(axis=1, keepdims=True)
        shares = np.exp(odds)
        totals = shares.sum(axis=1, keepdims=True)
        shares /= totals
        missed = (importance * (np.log(totals[:, 0]) - odds[places, wanted])).sum()
        shares[places, wanted] -= 1
        shares *= importance[:, None]
        penalty = weights[:, :-1] / INVERSE_L2_PENALTY
        slope = np.hstack([(turned @ shares).T + penalty, shares.sum(axis=0)[:, None]])
        total = missed + (penalty * weights[:, :-1]).sum() / 2
        return total / importance.sum(), slope.ravel()[free] / importance.sum()

    options = {"maxiter": steps, "gtol": TOLERANCE, "ftol": 0}
    return whole(minimize(loss, start.ravel()[free], jac=True, method="L-BFGS-B", options=options).x)


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
    return {
        "learned_from": digest(language),
        "words": words,
        "open": [
            {"id": f"open-{place}", "topic": matter["topic"], "text": matter["text"]}
            for place, matter in enumerate(said["open"])
        ],
        "instead": said["instead"],
        "model": document(train(samples(wordings(language), vocabulary), most=grammar(language)["weights"])),
    }


def document(model: Model) -> dict[str, Any]:
    """Return a model as JSON values, as `Model.from_document` reads them."""
    rows = model.weights.values()
    steps = (np.diff([place for place, _ in row], prepend=0) for row in rows)
    columns = [_letters(row) for row in steps], [_letters(weight for _, weight in row) for row in rows]
    weights = [list(model.weights), list(model.tells.values()), *columns]
    head = {"unit": UNIT, "step": STEP, "origin": ORIGIN, "targets": list(model.targets), "bias": list(model.bias)}
    return head | {"weights": weights}


def _letters(numbers: Iterable[int]) -> str:
    return "".join(chr(max(number + ORIGIN, 0)) for number in numbers)


def main(language: str = ENGLISH) -> None:
    """Train on all wordings of a language and write what was learned."""
    rows = ",\n".join(
        f"{json.dumps(key)}:{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in learn(language).items()
    )
    (folder(language) / FILE).write_text("{" + rows + "}\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
