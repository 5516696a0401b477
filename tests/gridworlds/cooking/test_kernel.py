"""The compiled kernel is the plain rules of cooking, bit for bit: every array, every step, every window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otherminds.gridworlds.cooking import _kernel
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking._kernel import tables
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SUBSTRATES, Rules, State, empty
from otherminds.gridworlds.cooking.world import engine
from otherminds.gridworlds.grid.rules import FORWARD, TURN_LEFT, View
from otherminds.gridworlds.grid.world import GridEngine, KernelEngine
from tests.cases import examples, for_each
from tests.gridworlds.cooking import kitchens
from tests.gridworlds.cooking.plain import plain_engine
from tests.gridworlds.grid.arrays import same

SEEDS = 1000
SAMPLE = range(0, SEEDS, 40)
Policy = Callable[[Rules, State, np.random.Generator], list[int]]


def wander(rules: Rules, state: State, rng: np.random.Generator) -> list[int]:
    """Any action of everybody."""
    return rng.integers(8, size=rules.players).tolist()


def equal(ours: GridEngine, plain: GridEngine, when: object) -> None:
    for name, x, y in zip(State._fields, ours.state, plain.state, strict=True):
        if x.tobytes() != y.tobytes():
            np.testing.assert_array_equal(x, y, err_msg=f"{name}, {when}")
            raise AssertionError(f"{name}, {when}: equal numbers of different bits")


def compare(rules: Rules, seed: int, policy: Policy, steps: int, every: int) -> Counter[str]:
    """Plays both to the end or for ``steps``; windows are compared every so many steps. Counts what happened."""
    ours, plain = engine(rules), plain_engine(rules)
    assert isinstance(ours, KernelEngine)
    rng = np.random.default_rng(seed)
    ours.reset(seed)
    plain.reset(seed)
    happened: Counter[str] = Counter()
    for t in range(steps + 1):
        equal(ours, plain, (rules.name, seed, t))
        if t % every == 0:
            same(ours.observe().windows, plain.observe().windows, f"seed {seed}, step {t}")
        if plain.state.clock[0, columns.OVER]:
            happened["over"] += 1
            assert t == rules.maximum
            break
        actions = policy(rules, plain.state, rng)
        ours.step(actions)
        plain.step(actions)
        happened.update(event.kind for event in plain.plain.events)
    return happened


def test_kernel_and_plain_cooking_agree_on_a_sample_of_seeds() -> None:
    found: Counter[str] = Counter()
    for n, seed in enumerate(SAMPLE):
        found += compare(COOKING_ASYMMETRIC, seed, kitchens.cook if n % 2 else wander, 500, 50)
    assert {"filled", "served", "fresh", "delivered", "put", "taken", "refused", "blocked"} <= found.keys()


def test_kernel_and_plain_cooking_agree_in_a_crowd() -> None:
    found: Counter[str] = Counter()
    for seed in range(60):
        found += compare(kitchens.CROWD, seed, kitchens.cook if seed % 2 else wander, 100, 1)
    assert {
        "busy",
        "shared",
        "occupied",
        "idle",
        "declined",
        "unwanted",
        "missed",
        "delivered",
    } <= found.keys()
    assert found["over"] == 60


@for_each("rules", SUBSTRATES.values())
def test_kernel_and_plain_cooking_agree_in_every_kitchen(rules: Rules) -> None:
    for policy in (kitchens.cook, wander):
        compare(rules, 0, policy, 100, 25)


@pytest.mark.slow
def test_kernel_and_plain_cooking_agree_on_whole_episodes_of_a_thousand_seeds() -> None:
    found: Counter[str] = Counter()
    for seed in range(SEEDS):
        found += compare(COOKING_ASYMMETRIC, seed, kitchens.cook if seed % 2 else wander, 1000, 100)
    assert found["over"] == SEEDS
    assert found["delivered"] > SEEDS


@st.composite
def substrates(draw: st.DrawFn) -> Rules:
    """Small kitchens of all sorts: maps, players, times."""
    players = draw(st.integers(1, 5))
    width, height = draw(st.integers(3, 8)), draw(st.integers(2, 5))
    inside = draw(st.lists(st.sampled_from("    #ODTC"), min_size=40, max_size=40))[: width * height]
    for i in range(players):
        inside[i * len(inside) // players] = "P"
    rim = draw(st.text("#ODTC", min_size=width + 2, max_size=width + 2))
    lines = [rim[0] + "".join(inside[i * width : (i + 1) * width]) + rim[1] for i in range(height)]
    reach = st.integers(0, 3)
    return Rules(
        name="any",
        drawing="\n".join([rim, *lines, rim]),
        players=players,
        view=View(draw(reach), draw(reach), draw(reach), draw(reach)),
        cooking=draw(st.integers(1, 12)),
        capacity=draw(st.integers(1, 3)),
        pay=draw(st.floats(-5, 50)),
        cooldown=draw(reach),
        maximum=draw(st.integers(20, 70)),
    )


@settings(examples(1.5), suppress_health_check=[HealthCheck.too_slow])
@given(substrates(), st.integers(0, 2**64 - 1), st.booleans())
def test_kernel_and_plain_cooking_agree_under_any_rules(rules: Rules, seed: int, busy: bool) -> None:
    compare(rules, seed, kitchens.cook if busy else wander, 60, 1)


def test_a_kitchen_among_many_goes_as_it_does_alone() -> None:
    crowd = kitchens.CROWD
    several = empty(crowd, 5)
    seen = np.zeros((5, crowd.players, 25, 6), np.uint8)
    _kernel.reset_all(tables(crowd), several, np.arange(5, dtype=np.uint64))
    alone = [engine(crowd) for _ in range(5)]
    for seed, one in enumerate(alone):
        one.reset(seed)
    rng = np.random.default_rng(0)
    for _ in range(80):
        actions = rng.integers(8, size=(5, crowd.players))
        _kernel.step_all(tables(crowd), several, actions)
        _kernel.look_all(tables(crowd), several, seen)
        for b, one in enumerate(alone):
            one.step(actions[b].tolist())
            for x, y in zip(several, one.state, strict=True):
                assert x[b].tobytes() == y[0].tobytes()
            assert seen[b].tobytes() == one.observe().windows.tobytes()


def test_windows_of_a_kitchen_are_new_arrays_that_later_steps_leave_alone() -> None:
    ours = engine(COOKING_ASYMMETRIC)
    ours.reset(3)
    first = ours.observe().windows
    kept = first.copy()
    for _ in range(5):
        ours.step([FORWARD, TURN_LEFT])
        assert ours.observe().windows is not first
    same(first, kept)


def test_tables_refuse_a_kitchen_that_could_be_left() -> None:
    with pytest.raises(ValueError, match=r"not enclosed: \(2, 4\)"):
        tables(replace(kitchens.CROWD, drawing=kitchens.CROWDED.replace("##DTO", "## TO")))


def test_tables_refuse_a_kitchen_with_fewer_spawn_points_than_avatars() -> None:
    with pytest.raises(ValueError, match="3 avatars and 2 spawn points"):
        tables(replace(COOKING_ASYMMETRIC, players=3))
