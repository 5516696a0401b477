"""The compiled kernel is the plain rules, bit for bit: every array, every step, every window."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.gridworlds.grid.rules import DX, DY, FORWARD, INTERACT, TURN_LEFT, TURN_RIGHT, View
from otherminds.gridworlds.grid.world import GridEngine, KernelEngine
from otherminds.gridworlds.in_the_matrix import _kernel
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.rules import (
    PD_REPEATED,
    RWS_ARENA,
    RWS_REPEATED,
    Rules,
    State,
    empty,
)
from otherminds.gridworlds.in_the_matrix.tables import tables
from otherminds.gridworlds.in_the_matrix.world import engine
from tests.gridworlds.grid.arrays import same
from tests.gridworlds.in_the_matrix.plain import Plain, plain_engine
from tests.gridworlds.in_the_matrix.substrates import RULES

SEEDS = 1000
SAMPLE = range(0, SEEDS, 66)
Policy = Callable[[Rules, State, np.random.Generator], list[int]]

CROWD = replace(
    RWS_ARENA,
    name="crowd",
    drawing="WWWWWWW\nWP1a2PW\nW aa3 W\nWPa1WPW\nWWWWWWW",
    players=4,
    view=View(1, 2, 3, 0),
    regrowth=0.3,
    delay=1,
    respawn=2,
    freeze=3,
    minimum=20,
    interval=7,
    maximum=60,
)
PAIR = replace(
    PD_REPEATED,
    name="pair",
    drawing="WWWWW\nWn1aW\nW2 1W\nWa nW\nWWWWW",
    regrowth=0.05,
    delay=2,
    respawn=1,
    freeze=1,
    minimum=30,
    interval=5,
    maximum=45,
)
FINITE = replace(RWS_REPEATED, name="finite", minimum=40, interval=10, maximum=70)


def wander(rules: Rules, state: State, rng: np.random.Generator) -> list[int]:
    """Any action of everybody."""
    return rng.integers(8, size=rules.players).tolist()


def hunt(rules: Rules, state: State, rng: np.random.Generator) -> list[int]:
    """Who has nothing goes for the nearest resource, who has something for the nearest other, and fires there."""
    return [
        int(rng.integers(8)) if rng.random() < 0.2 else _pursue(rules, state, i) for i in range(rules.players)
    ]


def _pursue(rules: Rules, state: State, i: int) -> int:
    avatars = state.avatars[0].tolist()
    x, y, facing = avatars[i][: columns.ALIVE]
    if avatars[i][columns.READY]:
        goals = [a[: columns.FACING] for j, a in enumerate(avatars) if j != i and a[columns.ALIVE]]
    else:
        shown = state.resources[0, :, columns.SHOWN].tolist()
        goals = [place for place, there in zip(rules.places, shown, strict=True) if there]
    if not goals:
        return FORWARD
    gx, gy = min(goals, key=lambda goal: abs(goal[0] - x) + abs(goal[1] - y))
    ahead = (gx - x) * DX[facing] + (gy - y) * DY[facing]
    aside = (gx - x) * DX[(facing + 1) % 4] + (gy - y) * DY[(facing + 1) % 4]
    if avatars[i][columns.READY] and 0 <= ahead <= 3 and abs(aside) <= 1:
        return INTERACT
    if ahead > 0:
        return FORWARD
    return TURN_RIGHT if aside > 0 else TURN_LEFT


def equal(ours: GridEngine, plain: GridEngine, when: object) -> None:
    for name, x, y in zip(State._fields, ours.state, plain.state, strict=True):
        if x.tobytes() != y.tobytes():
            np.testing.assert_array_equal(x, y, err_msg=f"{name}, {when}")
            raise AssertionError(f"{name}, {when}: equal numbers of different bits")


def compare(rules: Rules, seed: int, policy: Policy, steps: int, every: int) -> dict[str, int]:
    """Plays both to the end or for ``steps``; windows are compared every so many steps. Counts what happened."""
    ours, plain = engine(rules), plain_engine(rules)
    assert isinstance(ours, KernelEngine)
    assert isinstance(plain.plain, Plain)
    rng = np.random.default_rng(seed)
    ours.reset(seed)
    plain.reset(seed)
    happened: dict[str, int] = {}
    for t in range(steps):
        equal(ours, plain, (rules.name, seed, t))
        if t % every == 0:
            same(ours.observe().windows, plain.observe().windows, f"seed {seed}, step {t}")
        over = int(plain.state.clock[0, columns.OVER])
        if over:
            happened["by chance" if over == 1 else "at length"] = t
            break
        actions = policy(rules, plain.state, rng)
        ours.step(actions)
        plain.step(actions)
        for event in plain.plain.events:
            kind = str(event.what) if event.kind == "zapped" else event.kind
            happened[kind] = happened.get(kind, 0) + 1
    return happened


def total(found: list[dict[str, int]]) -> dict[str, int]:
    """The sum of what happened."""
    return {kind: sum(one.get(kind, 0) for one in found) for one in found for kind in one}


@pytest.mark.parametrize("rules", RULES)
def test_kernel_and_plain_rules_agree_on_a_sample_of_seeds(rules):
    steps = 250 if rules.players > 2 else 500
    found = total(
        [compare(rules, seed, hunt if n % 2 else wander, steps, 50) for n, seed in enumerate(SAMPLE)]
    )
    assert {"duel", "paid", "respawned", "destroyed"} <= found.keys()


@pytest.mark.parametrize("rules", [CROWD, PAIR, FINITE], ids=lambda rules: rules.name)
def test_kernel_and_plain_rules_agree_where_much_happens_at_once(rules):
    found = total([compare(rules, seed, hunt if seed % 2 else wander, 100, 1) for seed in range(40)])
    wanted = {"collected", "duel", "tie", "unready", "paid", "respawned", "regrown", "blocked"}
    if rules is CROWD:
        wanted |= {"busy", "frozen", "scratched", "destroyed", "under"}
    assert wanted <= found.keys()
    assert "by chance" in found
    assert "at length" in found


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_kernel_and_plain_rules_agree_on_whole_episodes_of_a_thousand_seeds(rules):
    for seed in range(SEEDS):
        found = compare(rules, seed, hunt if seed % 2 else wander, rules.maximum + 1, 250)
        assert found.keys() & {"by chance", "at length"}


def payoffs(kinds: int) -> st.SearchStrategy[tuple[tuple[float, ...], ...]]:
    row = st.tuples(*[st.integers(-10, 10) | st.floats(-5, 5)] * kinds)
    return st.tuples(*[row] * kinds)


@st.composite
def substrates(draw: st.DrawFn) -> Rules:
    """Small substrates of all sorts: maps, players, classes, payoffs, times."""
    players, kinds = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    width, height = draw(st.integers(3, 8)), draw(st.integers(2, 5))
    inside = draw(st.lists(st.sampled_from("W   aaP" + "123"[:kinds] * 2), min_size=40, max_size=40))
    inside = inside[: width * height]
    for i in range(players):
        inside[i * len(inside) // players] = "P"
    lines = ["W" * (width + 2)]
    lines += ["W" + "".join(inside[i * width : (i + 1) * width]) + "W" for i in range(height)]
    reach = st.integers(0, 3)
    roles = tuple(draw(st.sampled_from(("row", "column"))) for _ in range(players))
    roles = roles if draw(st.booleans()) else ()
    return Rules(
        name="any",
        drawing="\n".join([*lines, lines[0]]),
        spawn="P",
        kinds="123"[:kinds],
        classes=("rock", "paper", "scissors")[:kinds],
        colours=("yellow", "purple", "blue")[:kinds],
        row=draw(payoffs(kinds)),
        column=draw(payoffs(kinds)),
        players=players,
        view=View(draw(reach), draw(reach), draw(reach), draw(reach)),
        regrowth=draw(st.floats(0, 1)),
        delay=draw(reach),
        respawn=draw(reach),
        refill=draw(st.booleans()),
        ending=draw(st.floats(0, 1)),
        bounds=(-2.5, 0.0, 1.0, 5.0),
        looks="roles" if roles else draw(st.sampled_from(("alike", "readable"))),
        roles=roles,
        random_ties=draw(st.booleans()),
        one_shot=draw(st.booleans()),
        minimum=draw(st.integers(1, 30)),
        interval=draw(st.integers(1, 9)),
        maximum=draw(st.integers(20, 50)),
        freeze=draw(reach),
        cooldown=draw(st.integers(0, 3)),
        health=draw(st.integers(1, 3)),
    )


@given(substrates(), st.integers(0, 2**64 - 1), st.booleans())
def test_kernel_and_plain_rules_agree_under_any_rules(rules, seed, duels):
    compare(rules, seed, hunt if duels else wander, 60, 1)


def test_an_avatar_without_a_free_spawn_point_waits():
    """Cannot happen where there is a spawn point for each: here all but one are gone after the reset."""
    fewer = replace(CROWD, drawing=CROWD.drawing.replace("P1a2P", "P1a2 ").replace("WPa1WP", "W a1W "))
    table = tables(CROWD)._replace(spawns=tables(CROWD).spawns[:1])
    ours, plain = engine(CROWD), plain_engine(CROWD)
    assert isinstance(ours, KernelEngine)
    assert isinstance(plain.plain, Plain)
    waited = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        ours.reset(seed)
        plain.plain.rules = CROWD
        plain.reset(seed)
        plain.plain.rules = fewer
        for t in range(60):
            actions = hunt(CROWD, plain.state, rng)
            plain.step(actions)
            _kernel.step_all(table, ours.state, np.array([actions]))
            equal(ours, plain, (seed, t))
            gone = plain.state.avatars[0][plain.state.avatars[0, :, columns.ALIVE] == 0]
            waited += int((gone[:, columns.SINCE] + CROWD.respawn + 1 < plain.state.clock[0, 0]).sum())
    assert waited


def test_a_world_among_many_goes_as_it_does_alone():
    """Worlds of one state share nothing."""
    several = empty(CROWD, 5)
    seen = np.zeros((5, CROWD.players, CROWD.view.shape[0] * CROWD.view.shape[1]), np.uint32)
    _kernel.reset_all(tables(CROWD), several, np.arange(5, dtype=np.uint64))
    alone = [engine(CROWD) for _ in range(5)]
    for seed, one in enumerate(alone):
        one.reset(seed)
    rng = np.random.default_rng(0)
    for _ in range(100):
        actions = rng.integers(8, size=(5, CROWD.players))
        _kernel.step_all(tables(CROWD), several, actions)
        _kernel.look_all(tables(CROWD), several, seen)
        for b, one in enumerate(alone):
            one.step(actions[b].tolist())
            for x, y in zip(several, one.state, strict=True):
                assert x[b].tobytes() == y[0].tobytes()
            assert seen[b].tobytes() == one.observe().windows.tobytes()


@pytest.mark.parametrize("rules", [CROWD, PAIR], ids=lambda rules: rules.name)
def test_a_reset_leaves_nothing_of_the_episode_before(rules):
    ours, fresh = engine(rules), engine(rules)
    rng = np.random.default_rng(0)
    ours.reset(1)
    paid = False
    for seed in range(60):
        used = deepcopy(ours.state)
        paid = paid or bool(used.rewards.any())
        fresh.reset(seed)
        _kernel.reset_all(tables(rules), used, np.array([seed], np.uint64))
        for x, y in zip(used, fresh.state, strict=True):
            assert x.tobytes() == y.tobytes()
        ours.step(hunt(rules, ours.state, rng))
    assert paid


def test_windows_are_new_arrays_that_later_steps_leave_alone():
    ours = engine(RWS_REPEATED)
    ours.reset(3)
    first = ours.observe().windows
    kept = first.copy()
    for _ in range(5):
        ours.step([FORWARD, TURN_LEFT])
        assert ours.observe().windows is not first
    same(first, kept)


def test_tables_refuse_a_map_that_could_be_left():
    with pytest.raises(ValueError, match=r"not enclosed: \(3, 0\)"):
        tables(replace(PAIR, drawing=PAIR.drawing.replace("WWWWW", "WWW W", 1)))


def test_tables_refuse_fewer_spawn_points_than_avatars():
    with pytest.raises(ValueError, match="5 avatars and 4 spawn points"):
        tables(replace(CROWD, players=5))
