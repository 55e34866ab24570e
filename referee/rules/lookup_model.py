"""How likely a query asks each question: a multinomial logistic regression over the signs that the query gives.

The likelihood of question *q* is proportional to the exponential of ``bias[q] + sum(weight[sign][q]) / sqrt(n)``, with
the sum over those of the query's signs that are known, and *n* their number. A word that no wording has is a sign too:
"who starts the barbecue" is not "who starts". The weights are learned from all wordings
of ``phrasings.toml`` and ``boxes.toml`` by ``python -m tests.rules.lookup_training`` and kept in
``lookup_weights.json``, in tenths.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from math import exp, sqrt
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "lookup_weights.json"
UNIT = 10
"""The parts of a whole in which weights are written."""
UNHEARD = "unheard"
"""The prefix of the signs that stand for words no wording has."""
MOST_UNHEARD = 3
"""Unheard words that are counted; more of them say nothing more."""


@dataclass(frozen=True, slots=True)
class Model:
    """What was learned: the targets by place, a bias for each, and of each sign its weights by the target's place."""

    learned_from: str
    targets: tuple[str, ...]
    bias: tuple[int, ...]
    weights: Mapping[str, tuple[tuple[int, int], ...]]

    def likelihoods(self, signs: Iterable[str]) -> dict[str, float]:
        """Give the likelihood (all together 1) of every target, the likeliest first; none where no sign is known."""
        known = [self.weights[sign] for sign in with_unheard(signs, self.weights) if sign in self.weights]
        if not known:
            return {}
        scale = 1 / sqrt(len(known))
        sums = [0] * len(self.targets)
        for row in known:
            for place, weight in row:
                sums[place] += weight
        odds = [exp((bias + weight * scale) / UNIT) for bias, weight in zip(self.bias, sums, strict=True)]
        total = sum(odds)
        ranked = sorted(range(len(odds)), key=odds.__getitem__, reverse=True)
        return {self.targets[place]: odds[place] / total for place in ranked}

    def to_document(self) -> dict[str, Any]:
        """Write the model as JSON values; a sign's weights are a flat list: place, weight, place, weight …"""
        return {
            "learned_from": self.learned_from,
            "unit": UNIT,
            "targets": list(self.targets),
            "bias": list(self.bias),
            "weights": {sign: [number for pair in row for number in pair] for sign, row in self.weights.items()},
        }

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Model:
        """Read a model back."""
        return Model(
            learned_from=document["learned_from"],
            targets=tuple(document["targets"]),
            bias=tuple(document["bias"]),
            weights={
                sign: tuple(zip(flat[::2], flat[1::2], strict=True)) for sign, flat in document["weights"].items()
            },
        )


def with_unheard(signs: Iterable[str], heard: Container[str]) -> tuple[str, ...]:
    """Add a sign for each word (``=`` and letters) that is not among those heard before."""
    signs = tuple(signs)
    words = sum(sign.startswith("=") and sign[1:].isalpha() and sign not in heard for sign in signs)
    return (*signs, *(f"{UNHEARD}:{number}" for number in range(min(words, MOST_UNHEARD))))


def read_model() -> Model:
    """Read the model that is shipped."""
    return Model.from_document(json.loads(FILE.read_text("utf-8")))
