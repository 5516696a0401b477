"""The plain rules explain every step that was recorded from the real substrates, and no other rules do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.melting_pot.in_the_matrix.follow import Follower, follow
from tools.melting_pot.in_the_matrix.tally import KINDS
from tools.melting_pot.in_the_matrix.trace import ARRAYS, Trace, load, save

from otherminds.gridworlds.in_the_matrix.rules import RWS_REPEATED, SUBSTRATES, Rules
from tests.cases import for_each
from tests.gridworlds.in_the_matrix.plain import Avatar, Plain, Resource
from tests.gridworlds.in_the_matrix.substrates import FIRST

DATA = Path(__file__).parents[3] / "data" / "melting_pot"
NAMES = tuple(SUBSTRATES)
RARE = {"ended by chance": 5, "ended at the limit": 1, "zaps of the same role": 0}
"""Kinds that need not occur thirty times, and how often they must."""
NEVER = {"regrown", "refilled", "respawned", "under"}
"""Kinds that cannot occur where an episode ends with its first duel and nothing grows back."""
SOMETIMES = {"ended by chance", "under", "contested", "row won", "column won", "zaps of the same role"}
"""Kinds that short recordings may lack: the first by chance, the last ones in games of coordination or without roles."""


@cache
def recorded(name: str) -> list[Trace]:
    return load(DATA / f"{name}.xz")


def cut(trace: Trace, steps: int) -> Trace:
    """The beginning of a trace."""
    rows = {name: getattr(trace, name)[: steps + 1] for name in ARRAYS if name not in ("kinds", "actions")}
    over = trace.over and steps >= trace.steps
    return replace(trace, actions=trace.actions[:steps], over=over, **rows)


def by_map(name: str, steps: int) -> list[Trace]:
    """One episode for every map, the longest, cut short."""
    longest = {trace.drawing: trace for trace in sorted(recorded(name), key=lambda trace: trace.steps)}
    return [cut(trace, min(steps, trace.steps)) for trace in longest.values()]


@pytest.mark.parametrize("name", NAMES)
def test_the_beginning_of_an_episode_on_every_map_is_explained(name: str) -> None:
    for trace in by_map(name, 600 if name in FIRST else 120):
        result = follow(trace, SUBSTRATES[name])
        assert result.mismatches == []
        assert result.steps == trace.steps


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FIRST])
def test_every_step_of_a_short_recording_is_explained_and_almost_every_rule_is_met(name: str) -> None:
    rules = SUBSTRATES[name]
    results = [follow(trace, rules) for trace in recorded(name)]
    assert [fault for result in results for fault in result.mismatches] == []
    assert sum(result.steps for result in results) >= 5_000
    events = sum((result.events for result in results), Counter[str]())
    kinds = KINDS.keys() - SOMETIMES - (NEVER if rules.one_shot else set() if rules.refill else {"refilled"})
    assert {kind: events[kind] for kind in kinds if not events[kind]} == {}
    assert bool(events["zaps of the same role"]) == bool(rules.roles)
    assert (events["ended by chance"] >= 50) == rules.one_shot


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST)
def test_every_recorded_step_is_explained_and_every_rule_is_met(name: str) -> None:
    results = [follow(trace, SUBSTRATES[name]) for trace in recorded(name)]
    assert [fault for result in results for fault in result.mismatches] == []
    assert sum(result.steps for result in results) >= 20_000
    events = sum((result.events for result in results), Counter[str]())
    kinds = KINDS if SUBSTRATES[name].refill else KINDS.keys() - {"refilled"}
    assert {kind: events[kind] for kind in kinds if events[kind] < RARE.get(kind, 30)} == {}


@for_each("name", NAMES)
def test_traces_have_the_official_map_and_number_of_players_among_others(name: str) -> None:
    rules = SUBSTRATES[name]
    official = [trace for trace in recorded(name) if trace.drawing == "\n".join(rules.drawn)]
    assert sum(trace.steps for trace in official) >= (10_000 if name in FIRST else 600)
    assert {trace.players for trace in official} == {rules.players}
    assert max(trace.players for trace in recorded(name)) >= 7


CHANGES: dict[str, dict[str, Any]] = {
    "freeze": {"freeze": 15},
    "cooldown": {"cooldown": 1},
    "health": {"health": 2},
    "respawn": {"respawn": 6},
    "delay": {"delay": 16},
    "payoffs": {"row": RWS_REPEATED.column, "column": RWS_REPEATED.row},
    "limits of the result's colours": {"bounds": (-5.0, -2.5, 1.0, 5.0)},
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_number_in_the_rules_is_noticed(change: str) -> None:
    assert noticed(replace(RWS_REPEATED, **CHANGES[change]))


def noticed(rules: Rules) -> bool:
    return any(follow(trace, rules).mismatches for trace in recorded(RWS_REPEATED.name))


def hit_hides(plain: Callable[..., bool], world: Plain, *args: Any) -> bool:
    """A resource under an avatar is spared by the beam."""
    cell = args[1]
    under = world.growing.pop(cell, None) if cell in world.standing else None
    blocked = plain(world, *args)
    if under is not None:
        world.growing[cell] = under
    return blocked


def zap_again(plain: Callable[..., None], world: Plain, i: int, j: int) -> None:
    """Whoever was in a hit may be in another."""
    world.avatars[i].busy = world.avatars[j].busy = False
    plain(world, i, j)


def fires_from_ice(plain: Callable[..., bool], world: Plain, i: int, action: int) -> bool:
    """The beam cools while its avatar is frozen."""
    avatar: Avatar = world.avatars[i]
    if avatar.lock and avatar.cooldown:
        avatar.cooldown -= 1
    return plain(world, i, action)


def collect_heals(plain: Callable[..., None], world: Plain, i: int, resource: Resource, taken: Any) -> None:
    """What comes back is whole."""
    plain(world, i, resource, taken)
    resource.health = world.rules.health


BENT = {"_hit": hit_hides, "_zap": zap_again, "_fires": fires_from_ice, "_collect": collect_heals}


@pytest.mark.slow
@pytest.mark.parametrize("method", BENT)
def test_a_bent_rule_is_noticed(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = getattr(Plain, method)
    monkeypatch.setattr(Follower, method, lambda self, *args: BENT[method](plain, self, *args), raising=False)
    assert noticed(RWS_REPEATED)


def test_a_changed_observation_is_a_mismatch_that_says_where() -> None:
    trace = cut(recorded("rws-repeated-v1")[0], 200)
    trace.inventories[150, 1, 0] += 1
    (fault,) = follow(trace, RWS_REPEATED).mismatches
    assert fault.startswith("step 150: avatars[1]")


@pytest.mark.parametrize("name", FIRST)
def test_a_trace_survives_being_saved(name: str, tmp_path: Path) -> None:
    traces = by_map(name, 600 if name in FIRST else 120)
    save(traces, tmp_path / "trace.xz")
    for ours, theirs in zip(load(tmp_path / "trace.xz"), traces, strict=True):
        assert (ours.substrate, ours.drawing, ours.maximum, ours.over) == (
            theirs.substrate,
            theirs.drawing,
            theirs.maximum,
            theirs.over,
        )
        for array in ARRAYS:
            np.testing.assert_array_equal(getattr(ours, array), getattr(theirs, array), err_msg=array)
