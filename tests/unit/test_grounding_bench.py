"""The bench of sentences: from a seed, in five languages, sixteen kinds of falsification."""

from __future__ import annotations

import random

import pytest

from bench import grounding_words as words
from bench.grounding import (
    FALSIFICATIONS,
    LANGUAGES,
    MOST_TRUE_REFUSED,
    WANTED_REFUSED,
    falsified,
    measure,
    true_sentences,
    worlds,
)


def test_a_small_run_keeps_what_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    share, true_share, count = measure(seed=11, count=1, frames=words.TUNED, show=0)
    assert count > 1000
    assert share >= WANTED_REFUSED
    assert true_share <= MOST_TRUE_REFUSED
    assert "another row's value" in capsys.readouterr().out


def test_every_kind_and_language_is_made_and_the_same_seed_makes_the_same() -> None:
    def texts(seed: int) -> list[tuple[str, str, str]]:
        chance = random.Random(seed)
        return [
            (made.kind, made.world.language, made.text)
            for world in worlds(chance, 1)
            for true in true_sentences(world, words.TUNED)
            for made in (true, *falsified(true, chance))
        ]

    found = texts(3)
    assert {kind for kind, _, _ in found} == {"true", *FALSIFICATIONS}
    assert {language for _, language, _ in found} == set(LANGUAGES)
    assert found == texts(3) != texts(4)
    assert len(FALSIFICATIONS) == 16
