"""What a batch notes of acts is what single worlds know of them, from the first step of an episode to its last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.core.data import Question
from otherminds.gridworlds.cooking import acts as labels
from otherminds.gridworlds.cooking import acts as single
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, KitchenAct
from otherminds.gridworlds.cooking.cooks import BatchedCooks
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SOUP, TOMATO
from otherminds.gridworlds.cooking.world import CookingWorld, make_substrate
from otherminds.gridworlds.grid.learner import hindsight
from otherminds.gridworlds.grid.rules import INTERACT, NOOP
from tests.cases import depth
from tests.gridworlds.cooking.kitchens import cook

PLAYERS = 2


def named(codes: np.ndarray) -> list[str | None]:
    return [None if code == labels.NO_ACT else BEHAVIOURS[code] for code in codes.tolist()]


def question(seat: str) -> Question:
    return Question("next", "ego", "before", "What is next?", BEHAVIOURS, 1 / len(BEHAVIOURS), about=seat)


@pytest.mark.parametrize("maximum", depth(240, 1000))
@pytest.mark.parametrize(
    ("cast", "seen"),
    [
        (("cook", "apprentice_0"), {single.TOOK_SOUP, single.DELIVERED, single.PUT_DISH}),
        (("chef_1", "noop_bot"), {single.TOOK_DISH, single.STOOD, single.DELIVERED}),
        ((None, "chef_1"), {single.TOOK_DISH, single.STOOD}),
    ],
)
def test_acts_and_next_acts_are_those_of_the_world_in_every_step(
    cast: tuple[str | None, ...], seen: set[str], maximum: int
) -> None:
    """The actions of a batch are played again in single worlds, one for each of its episodes."""
    rules, worlds, episodes = replace(COOKING_ASYMMETRIC, maximum=maximum), 3, 2
    batch = make_substrate(rules).batch(worlds)
    cooks = BatchedCooks(batch.shards[0], [cast] * worlds, noise=0.1)
    batch.reset(0)
    cooks.begin()
    rng = np.random.default_rng(1)
    seeds, actions, did, over = [], [], [], []
    for _ in range(episodes * maximum):
        made = cooks.act()
        made[:, [who is None for who in cast]] = rng.integers(8, size=(worlds, cast.count(None)))
        seeds.append(batch.seeds.copy())
        actions.append(made)
        batch.step(made)
        over.append(batch.truncations.copy())
        did.append(batch.did.copy())
    acts = labels.label_acts(np.array(did))
    targets = hindsight(acts, np.array(over), single.PATIENCE, len(BEHAVIOURS))
    assert set(named(np.unique(targets))) >= {single.TOOK_TOMATO, single.FILLED_POT, None, *seen}
    for b in range(worlds):
        for episode in range(episodes):
            first = episode * maximum
            world = CookingWorld(rules)
            world.reset(int(seeds[first][b]))
            for t in range(first, first + maximum):
                world.step(dict(zip(world.possible_agents, actions[t][b].tolist(), strict=True)))
            ours = [
                KitchenAct(t, i, BEHAVIOURS[acts[first + t, b, i]])
                for t in range(maximum)
                for i in range(PLAYERS)
                if acts[first + t, b, i] != labels.NO_ACT
            ]
            assert ours == world.acts
            for i, seat in enumerate(world.possible_agents):
                asked = question(seat)
                truths = [world.truth(asked, t) for t in range(maximum)]
                assert named(targets[first : first + maximum, b, i]) == truths


def test_pot_events_are_the_changes_of_pots() -> None:
    rules = replace(COOKING_ASYMMETRIC, maximum=2000)
    batch, rng = make_substrate(rules).batch(1), np.random.default_rng(0)
    batch.reset(1)
    total = 0.0
    for _ in range(1500):
        before = batch.shards[0].state.pots[0, :, columns.INSIDE].copy()
        batch.step(np.array([cook(rules, batch.shards[0].state, rng, 0.2)]))
        events = labels.pot_events(batch.did)
        assert events.shape == (1, PLAYERS)
        assert events.dtype == np.float32
        assert events.sum() == (batch.shards[0].state.pots[0, :, columns.INSIDE] != before).sum()
        total += events.sum()
    assert total > 40


def test_soup_from_a_counter_is_an_act_and_no_pot_event() -> None:
    batch = make_substrate(COOKING_ASYMMETRIC).batch(1)
    batch.reset(0)
    x, y = 0, 2  # A counter west of the floor
    batch.shards[0].state.avatars[0, 0, : columns.COOLDOWN] = x + 1, y, 3
    batch.shards[0].state.avatars[0, 0, columns.HELD] = SOUP
    seen = []
    for action in (INTERACT, NOOP, INTERACT):
        batch.step(np.array([[action, NOOP]]))
        seen.append((named(labels.label_acts(batch.did)[0])[0], labels.pot_events(batch.did)[0, 0]))
    assert seen == [(None, 0.0), (None, 0.0), (single.TOOK_SOUP, 0.0)]


def test_what_was_done_outlives_the_end_of_an_episode_and_not_a_reset() -> None:
    rules = replace(COOKING_ASYMMETRIC, maximum=1)
    batch = make_substrate(rules).batch(1)
    batch.reset(0)
    x, y = rules.containers[rules.stock.index(TOMATO)]
    batch.shards[0].state.avatars[0, 0, : columns.COOLDOWN] = x + 1, y, 3
    batch.step(np.array([[INTERACT, NOOP]]))
    assert batch.truncations.all()
    assert labels.label_acts(batch.did).tolist() == [[BEHAVIOURS.index(single.TOOK_TOMATO), labels.NO_ACT]]
    batch.reset(0)
    assert (labels.label_acts(batch.did) == labels.NO_ACT).all()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([-1] * 12 + [0, 3]), st.booleans()), min_size=1, max_size=200),
    st.integers(0, 100),
)
def test_next_acts_of_any_recording_are_found_episode_by_episode(
    recorded: list[tuple[int, bool]], silence: int
) -> None:
    rows = [*recorded, *[(-1, False)] * silence, (1, False)]
    done = np.array([act for act, _ in rows], np.int8).reshape(-1, 1, 1)
    over = np.array([end and k % 7 == 0 for k, (_, end) in enumerate(rows)]).reshape(-1, 1)
    found = named(hindsight(done, over, single.PATIENCE, len(BEHAVIOURS)).ravel())
    begun = 0
    for end in [*np.flatnonzero(over[:, 0]).tolist(), len(rows) - 1]:
        length = end + 1 - begun
        acts = [
            KitchenAct(t, 0, BEHAVIOURS[done[begun + t, 0, 0]])
            for t in range(length)
            if done[begun + t, 0, 0] >= 0
        ]
        assert found[begun : end + 1] == [single.next_act(acts, 0, t, length) for t in range(length)]
        begun = end + 1


def test_acts_whose_ends_are_of_other_worlds_are_refused() -> None:
    with pytest.raises(ValueError, match="ended bool"):
        hindsight(np.zeros((4, 2, 2), np.int8), np.zeros((4, 3), np.bool_), 0, 2)
