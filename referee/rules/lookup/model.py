"""How likely a query asks each question: a multinomial logistic regression over the query's features.

The likelihood of question *q* is proportional to the exponential of ``bias[q] + sum(weight[feature][q]) / length``,
with the sum over those of the query's features that are known. ``length`` is that of the vector of what each of them
tells: a word that is common in the wordings of all questions tells little, so that small talk carries nothing. A word
that no wording has is a feature too: "who starts the barbecue" is not "who starts". The weights are learned from all
wordings of ``boxes.toml`` and ``tools/lookup/<language>/phrasings.toml`` by ``python -m tools.lookup.training``, and
stored in ``lookup_weights.json``: that of English here, the others in ``translations/<language>``.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import exp, sqrt
from pathlib import Path
from types import MappingProxyType
from typing import Any

from referee.rules import RULES_FOLDER
from referee.rules.text.words import ENGLISH, FOLDER, language, languages

FILE = "lookup_weights.json"
UNIT = 5
"""The parts of a whole in which is written what a feature tells, and a bias."""
STEP = 3
"""How many of these are the steps of weights."""
ORIGIN = 77
"""The character that stands for 0 where numbers are written as letters, which takes a third less."""
UNHEARD = "unheard"
"""The prefix of the features that stand for words no wording has."""
UNSURE = 0.2
"""Below this likelihood the first clause is more often wrong than right (`python -m tools.lookup.measure`)."""


@dataclass(frozen=True, slots=True)
class Model:
    """What was learned: the targets by place, a bias for each; for each feature how much it tells, and its weights."""

    targets: tuple[str, ...]
    bias: tuple[int, ...]
    tells: Mapping[str, int]
    weights: Mapping[str, tuple[tuple[int, int], ...]]

    def likelihoods(self, features: Iterable[str]) -> dict[str, float]:
        """Return the likelihood (all together 1) of every target, likeliest first; none where no feature is known."""
        known = [feature for feature in with_unheard(features, self.weights) if feature in self.weights]
        if not known:
            return {}
        scale = UNIT * STEP / sqrt(sum(self.tells[feature] ** 2 for feature in known))
        sums = [0] * len(self.targets)
        for feature in known:
            for place, weight in self.weights[feature]:
                sums[place] += weight
        odds = [exp((bias + weight * scale) / UNIT) for bias, weight in zip(self.bias, sums, strict=True)]
        total = sum(odds)
        ranked = sorted(range(len(odds)), key=odds.__getitem__, reverse=True)
        return {self.targets[place]: odds[place] / total for place in ranked}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Model:
        """Read a model as training writes it: in columns, which compress better: features, tells, places, weights.

        The last two are texts, a letter a number; a place is written as how far it is from the one before.
        """
        features, tells, places, weights = document["weights"]
        rows = zip(features, places, weights, strict=True)
        return Model(
            targets=tuple(document["targets"]),
            bias=tuple(document["bias"]),
            tells=dict(zip(features, tells, strict=True)),
            weights={f: tuple(zip(accumulate(_numbers(at)), _numbers(row), strict=True)) for f, at, row in rows},
        )


def _numbers(letters: str) -> Iterator[int]:
    return (ord(letter) - ORIGIN for letter in letters)


def with_unheard(features: Iterable[str], heard: Container[str]) -> tuple[str, ...]:
    """Add a feature for each word that is not among those heard before."""
    features = tuple(features)
    words = sum(feature.removeprefix("=").isalpha() and feature not in heard for feature in features)
    return (*features, *(f"{UNHEARD}:{number}" for number in range(words)))


def folder(language: str) -> Path:
    """Return where the files of a language's look-up are."""
    return RULES_FOLDER if language == ENGLISH else FOLDER / language


@cache
def understood() -> tuple[str, ...]:
    """Return the codes of the languages that questions are understood in, English first."""
    return tuple(code for code in languages() if (folder(code) / FILE).is_file())


def spoken() -> str:
    """Return the code of the language spoken if questions are understood in it, else that of English."""
    return language().code if language().code in understood() else ENGLISH


@cache
def learned(language: str) -> Mapping[str, Any]:
    """Read what training wrote, once: the words, the models, and what else a look-up takes from the wordings."""
    return MappingProxyType(json.loads((folder(language) / FILE).read_text("utf-8")))
