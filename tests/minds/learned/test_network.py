"""The network in numpy computes what the format describes."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from otherminds.core.errors import StudyError
from otherminds.minds.learned.policy import ROWS, Network, Playing, draw_index, policy_of
from tests.minds.learned.making import SUBSTRATES, description, file_of, observation, tensors
from tests.minds.learned.slow import Slow

TOLERANCE = 1e-5
SMALL = (3, 7, 5)


def playing(about: dict[str, Any], given: dict[str, Any]) -> Playing:
    return Playing(Network(policy_of(file_of(given, about), "random", "random")))


def both(
    about: dict[str, Any], seed: int, steps: int = 8, sizes: tuple[int, ...] = SMALL
) -> tuple[Slow, Playing]:
    """Both forward passes after ``steps`` equal steps, compared at each."""
    given = tensors(about, seed, sizes)
    slow, fast = Slow(given, about), playing(about, given)
    rng = random.Random(seed)
    action: int | None = None
    for _ in range(steps):
        seen, reward = observation(about, rng), rng.uniform(-10, 10)
        slow.see(seen, reward, action)
        fast.see(seen, reward, action)
        np.testing.assert_allclose(fast.chances(), slow.chances(), rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(fast.foreseen(), slow.foreseen(), rtol=0, atol=TOLERANCE)
        action = rng.randrange(8)
    return slow, fast


@pytest.mark.parametrize("algorithm", ["ppo", "opre"])
@pytest.mark.parametrize("substrate", SUBSTRATES)
def test_it_equals_the_plain_forward_pass(substrate: str, algorithm: str) -> None:
    for seed in range(3):
        both(description(substrate, algorithm), seed)


def test_it_equals_the_plain_forward_pass_in_the_shipped_sizes() -> None:
    both(description("rws-repeated", "opre"), 0, steps=3, sizes=(8, 64, 64))


def test_layers_with_many_combinations_have_several_tables() -> None:
    about = description("pd-repeated", window=(5, 5, 6), codes=[9, 4, 11, 5, 11, 10], vector=[], scale=[])
    _, fast = both(about, 1)
    assert len(fast.network.tables) > 1
    assert all(len(table) <= ROWS for *_, table in fast.network.tables)


def test_a_table_may_have_one_layer_only() -> None:
    about = description("pd-repeated", window=(2, 2, 3), codes=[256, 256, 256])
    _, fast = both(about, 2)
    assert [last - first for first, last, *_ in fast.network.tables] == [1, 1, 1]


@pytest.mark.parametrize("algorithm", ["ppo", "opre"])
def test_actions_are_drawn_from_the_distribution(algorithm: str) -> None:
    """Of 20,000 draws, the share of each action is within four standard errors of its probability."""
    _, fast = both(description("rws-repeated", algorithm), 5)
    rng, draws = random.Random(0), 20_000
    chances = fast.chances()
    counts = Counter(fast.action(rng) for _ in range(draws))
    for action, chance in enumerate(chances.tolist()):
        assert counts[action] / draws == pytest.approx(chance, abs=4 * (chance * (1 - chance) / draws) ** 0.5)


class Edge(random.Random):
    """Always draws the same number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


def test_draws_at_the_edges() -> None:
    logits = [0.0, 0.0, -1000.0]
    assert [draw_index(logits, Edge(luck)) for luck in (0.0, 0.49, 0.5, 0.99, 1.0)] == [0, 0, 1, 1, 0]
    assert draw_index([-1e30, 3e30], Edge(0.0)) == 1, "an action of probability 0 is never drawn"


def test_the_greatest_weights_overflow_nothing() -> None:
    about = description("rws-repeated", "opre", scale=[1e6] * 4, reward_scale=1e6)
    given = {name: np.sign(value) * np.float32(1e6) for name, value in tensors(about, 0, (8, 64, 64)).items()}
    fast = playing(about, given)
    with np.errstate(all="raise", under="ignore"):
        for step in range(5):
            fast.see(observation(about, random.Random(step)), 1e3, step)
            assert fast.chances().sum() == pytest.approx(1)


def test_a_world_of_another_kind_is_refused_in_one_line() -> None:
    about = description("rws-repeated")
    seen = observation(about, random.Random(0))
    unknown = seen["WINDOW"].copy()
    unknown[2, 3, 1] = 3
    wrong = {
        "window is": {**seen, "WINDOW": seen["WINDOW"][:4]},
        "a code of the window": {**seen, "WINDOW": unknown},
        "INVENTORY has 3 numbers": {**seen, "INVENTORY": np.zeros(2)},
        "it observes WINDOW, INVENTORY, READY_TO_SHOOT": {"WINDOW": seen["WINDOW"]},
        "which this world lacks": {"INVENTORY": np.zeros(3)},
    }
    for words, observed in wrong.items():
        with pytest.raises(StudyError, match=words) as caught:
            playing(about, tensors(about, 0)).see(observed, 0.0, None)
        assert "\n" not in str(caught.value)
    with pytest.raises(StudyError, match="which this world lacks"):
        playing(about, tensors(about, 0)).see(3, 0.0, None)  # type: ignore[arg-type]
