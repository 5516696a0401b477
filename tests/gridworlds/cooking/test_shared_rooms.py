"""Scripted cooks get on in every kitchen: where they share rooms they get past each other, where rooms lack things they hand over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import otherminds as om
from otherminds.gridworlds.cooking.cooks import BatchedCooks
from otherminds.gridworlds.cooking.form import ROLES
from otherminds.gridworlds.cooking.rules import SUBSTRATES, Rules
from otherminds.gridworlds.cooking.world import make_substrate
from tests.cases import for_each, thinned

WORLDS, STEPS = 8, 1000
NAMES = sorted(SUBSTRATES)
MEASURED = [name for name in NAMES if SUBSTRATES[name].best]
"""The kitchens whose files say which roles are best beside whom."""
LEAST = {"cooking-crowded-v1": 1, "cooking-figure-eight-v1": 8}
"""Soups in an episode of 1,000 steps; elsewhere ten."""


def soups(rules: Rules, cook: str, partner: str | None, seed: int = 0) -> np.ndarray:
    """The soups of whole episodes in which ``cook`` sits in the first seat and ``partner``, or nobody who acts, in all others."""
    rules = replace(rules, maximum=STEPS)
    batch = make_substrate(rules).batch(WORLDS)
    cooks = BatchedCooks(batch.shards[0], [(cook, *[partner] * (rules.players - 1))] * WORLDS)
    batch.reset(seed)
    cooks.begin()
    for _ in range(STEPS):
        batch.step(cooks.act())
    return batch.returns[:, 0] / rules.pay


@for_each("name", NAMES)
def test_competent_cooks_deliver_in_every_episode_so_that_nobody_blocks_another_for_ever(name: str) -> None:
    assert soups(SUBSTRATES[name], "alone", "alone").min() >= LEAST.get(name, 10)


@for_each("name", ["cooking-forced-0-v1", "cooking-crowded-mixed-v1", "cooking-ring-0-v1"])
def test_hypothetical_minds_plans_in_rooms_that_lack_things_or_are_shared(name: str) -> None:
    mind = om.SeatSpec("hm", {}, "competent:accuracy=.9&rationality=.9&insight=.9&seed=3")
    record = om.play(name, mind, seed=1, options={"steps": 60})
    assert record.outcome.status == "scored"
    assert any(act["seat"] == "ego" for act in record.facts["acts"])


@for_each("name", ["cooking-cramped-v1", "cooking-circuit-v1"])
def test_who_stands_still_for_ever_is_gone_around(name: str) -> None:
    assert soups(SUBSTRATES[name], "alone", "noop_bot").min() >= 5


@pytest.mark.parametrize("name", thinned([name for name in MEASURED if name != "cooking-asymmetric-v1"], 4))
def test_no_role_is_better_beside_a_stand_in_than_the_one_that_the_kitchens_file_calls_best(
    name: str,
) -> None:
    """By more than chance: a soup and a half of the mean of eight episodes in each seat."""
    rules = SUBSTRATES[name]
    for partner, _ in rules.cooks:
        means = {
            role: np.concatenate([soups(rules, role, partner), soups(rules, partner, role, 100)]).mean()
            for role in ROLES
        }
        assert means[dict(rules.best)[partner].supplying] >= max(means.values()) - 1.5


@for_each("name", ["cooking-forced-v1", "overcooked-forced-coordination-v1"])
def test_rooms_without_a_pot_hand_over_what_the_other_room_lacks(name: str) -> None:
    """Nobody delivers anything alone; two cooks of any kind do."""
    assert soups(SUBSTRATES[name], "cook", None).max() == 0
    for partner in ("chef_0", "chef_1", "apprentice_0", "apprentice_1"):
        assert soups(SUBSTRATES[name], "cook", partner).min() >= 10
