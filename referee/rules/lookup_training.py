"""Learn which signs speak for which question, from the wordings; run it after every change to them.

    python -m referee.rules.lookup_training

The method is follow-the-regularized-leader with a proximal term, per coordinate (McMahan et al., "Ad click prediction:
a view from the trenches", 2013), for a softmax over all targets: it leaves most weights at zero, so that the model is
small. The wordings are taken in a shuffled order of a fixed seed: the same wordings give the same model. What a word
means that nobody taught is learned from those that stand in one wording only: it is taught a second time without them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, pow, sqrt
from random import Random

from referee.rules.lookup import digest_of_wordings, vocabulary, wordings
from referee.rules.lookup_model import FILE, UNIT, Model, with_unheard

ROUNDS = 16
"""How often all wordings are gone through."""
PACE = 1.0
CAUTION = 1.0
THRIFT = 0.4
"""How much a sign must speak for or against a target before it gets any weight (the L1 penalty)."""
MODESTY = 0.02
"""How strongly weights are drawn to zero (the L2 penalty)."""
EVENNESS = 0.3
"""How far a question of few wordings is made up for: 0 not at all, 1 fully."""
USUAL_WORDINGS = 40
NEGLIGIBLE = 0.002
"""A target less likely than this, and wrong, teaches nothing."""
SEED = 1


class _Learner:
    """The state of the training: of every sign and target, the sums of gradients and of their squares, the weight."""

    def __init__(self, signs: int, targets: int) -> None:
        self.targets = targets
        self.bias = signs
        self.sums = [[0.0] * targets for _ in range(signs + 1)]
        self.squares = [[0.0] * targets for _ in range(signs + 1)]
        self.weights = [[0.0] * targets for _ in range(signs + 1)]

    def learn(self, signs: Sequence[int], target: int, importance: float) -> None:
        """Shift the weights so that the signs speak more for the target, and less for what was thought likely."""
        scale = 1 / sqrt(len(signs))
        rows = [self.weights[sign] for sign in signs]
        scores = [
            bias + scale * sum(column)
            for bias, column in zip(self.weights[self.bias], zip(*rows, strict=True), strict=True)
        ]
        highest = max(scores)
        odds = [exp(score - highest) for score in scores]
        total = sum(odds)
        errors = [(place, (odd / total - (place == target)) * importance) for place, odd in enumerate(odds)]
        errors = [(place, error) for place, error in errors if abs(error) > NEGLIGIBLE]
        for sign in signs:
            self._shift(sign, errors, scale, THRIFT)
        self._shift(self.bias, errors, 1.0, 0.0)

    def _shift(self, sign: int, errors: Iterable[tuple[int, float]], scale: float, thrift: float) -> None:
        sums, squares, weights = self.sums[sign], self.squares[sign], self.weights[sign]
        for place, error in errors:
            gradient = error * scale
            before = sqrt(squares[place])
            squares[place] += gradient**2
            after = sqrt(squares[place])
            sums[place] += gradient - (after - before) / PACE * weights[place]
            beyond = max(0.0, abs(sums[place]) - thrift)
            size = beyond / ((CAUTION + after) / PACE + MODESTY)
            weights[place] = -size if sums[place] > 0 else size


def train(samples: Iterable[tuple[tuple[str, ...], str]], learned_from: str) -> Model:
    """Learn from samples, each the signs of a wording and the id of its target."""
    samples = [(signs, target) for signs, target in samples if signs]
    samples += _with_rare_words_unheard(samples)
    targets = sorted({target for _, target in samples})
    names = sorted({sign for signs, _ in samples for sign in signs})
    place_of_sign = {sign: place for place, sign in enumerate(names)}
    times = Counter(target for _, target in samples)
    learner = _Learner(len(names), len(targets))
    lessons = [
        ([place_of_sign[sign] for sign in signs], targets.index(target), _importance(target, times))
        for signs, target in samples
    ]
    random = Random(SEED)
    for _ in range(ROUNDS):
        random.shuffle(lessons)
        for lesson in lessons:
            learner.learn(*lesson)
    written = [[round(weight * UNIT) for weight in row] for row in learner.weights]
    weights = {
        sign: tuple((place, weight) for place, weight in enumerate(row) if weight)
        for sign, row in zip(names, written, strict=False)
    }
    return Model(learned_from, tuple(targets), tuple(written[learner.bias]), weights)


def _with_rare_words_unheard(samples: Sequence[tuple[tuple[str, ...], str]]) -> list[tuple[tuple[str, ...], str]]:
    times = Counter(sign for signs, _ in samples for sign in signs)
    usual = {sign for sign, number in times.items() if number > 1}
    marked = [(with_unheard(signs, usual), signs, target) for signs, target in samples]
    return [
        (tuple(sign for sign in all_signs if sign in usual or sign not in times), target)
        for all_signs, signs, target in marked
        if all_signs != signs
    ]


def _importance(target: str, times: Mapping[str, int]) -> float:
    """Make up for few wordings; those of which there are many count fully."""
    return max(1.0, pow(USUAL_WORDINGS / times[target], EVENNESS))


def samples(of: Mapping[str, Iterable[str]]) -> Iterable[tuple[tuple[str, ...], str]]:
    """Give the signs of every wording, once for each target, with the target's id."""
    words = vocabulary()
    for target, group in of.items():
        for signs in dict.fromkeys(words.hear(wording).signs for wording in group):
            yield signs, target


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
