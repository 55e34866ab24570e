"""Train the look-up's model on all wordings and write ``lookup_weights.json``; run it after every change to them.

    python -m tests.rules.lookup_training

The model is scikit-learn's `LogisticRegression` (softmax over all targets, L2 penalty, solved by L-BFGS) over binary
features scaled to length 1: terms, words and the prefixes of words. Small weights are left out, the others
are written in tenths, so that the file is small. Nothing here is random and one thread computes: the same wordings and
the same scikit-learn give the same file. What a word means that nobody taught is learned from those that stand in one
wording only: that wording is taught a second time without them.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from referee.rules.lookup import digest_of_wordings, vocabulary, wordings
from referee.rules.lookup_model import FILE, UNIT, Model, with_unheard
from referee.rules.lookup_words import BOX, ELSEWHERE

INVERSE_L2_PENALTY = 20.0
"""scikit-learn's ``C``: the greater, the closer the model keeps to the wordings."""
STEPS = 80
"""L-BFGS iterations; more of them change no answer."""
SMALLEST_WEIGHT = 0.4
"""Weights below it are left out: cross-validated accuracy stays the same, and the file is a third as large."""
EVENNESS = 0.3
"""How far a target of few wordings is made up for: 0 not at all, 1 fully."""
USUAL_WORDINGS = 40
NAMED_EVERY = 3
"""Of so many wordings one is also taught with the game's name, which means the call only in questions about it."""

Sample = tuple[tuple[str, ...], str]


def train(samples: Iterable[Sample], learned_from: str, steps: int = STEPS) -> Model:
    """Train on samples, each the features of a wording and the id of its target."""
    taught = [(features, target) for features, target in samples if features]
    taught += _with_rare_words_unheard(taught)
    times = Counter(target for _, target in taught)
    vectorizer = TfidfVectorizer(analyzer=_as_they_are, binary=True, use_idf=False, norm="l2")
    classifier = LogisticRegression(C=INVERSE_L2_PENALTY, max_iter=steps)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the steps end it early, on purpose
        matrix = vectorizer.fit_transform([features for features, _ in taught])
        importance = [max(1.0, (USUAL_WORDINGS / times[target]) ** EVENNESS) for _, target in taught]
        classifier.fit(matrix, [target for _, target in taught], importance)
    weights = np.where(np.abs(classifier.coef_) < SMALLEST_WEIGHT, 0, np.rint(classifier.coef_ * UNIT)).astype(int)
    rows = zip(vectorizer.get_feature_names_out(), weights.T, strict=True)
    return Model(
        learned_from=learned_from,
        targets=tuple(str(target) for target in classifier.classes_),
        bias=tuple(int(bias) for bias in np.rint(classifier.intercept_ * UNIT)),
        weights={
            str(feature): tuple((int(place), int(row[place])) for place in np.flatnonzero(row)) for feature, row in rows
        },
    )


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


def samples(of: Mapping[str, Iterable[str]]) -> Iterable[Sample]:
    """Give the features of every wording, once for each target, with the target's id.

    A word of another game or box decides by itself, before the model is asked; it is no feature.
    """
    words = vocabulary()
    for target, group in of.items():
        named = () if target.startswith("uno-") else [f"{wording} in uno" for wording in tuple(group)[::NAMED_EVERY]]
        heard = (words.hear(wording).features for wording in (*group, *named))
        told = (tuple(s for s in signs if s != ELSEWHERE and not s.startswith(f"{BOX}:")) for signs in heard)
        for features in dict.fromkeys(told):
            yield features, target


def main() -> None:
    """Train on all wordings and write the model."""
    model = train(samples(wordings()), digest_of_wordings())
    rows = ",\n".join(
        f"{json.dumps(key, ensure_ascii=False)}:{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in model.to_document().items()
    )
    FILE.write_text("{" + rows + "}\n", "utf-8")


if __name__ == "__main__":
    main()
