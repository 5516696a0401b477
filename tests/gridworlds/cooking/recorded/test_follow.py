"""The plain rules of cooking explain every step that was recorded from the real substrate, and no other rules do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.melting_pot.kitchen.follow import KINDS, Follower, follow
from tools.melting_pot.kitchen.trace import ARRAYS, Trace, load, save

from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, EMPTY, Rules
from tests.gridworlds.cooking.plain import Container, Plain, Pot

DATA = Path(__file__).parents[3] / "data" / "melting_pot"


@cache
def recorded() -> list[Trace]:
    return load(DATA / "cooking-asymmetric-v1.xz")


def cut(trace: Trace, steps: int) -> Trace:
    """The beginning of a trace."""
    rows = {name: getattr(trace, name)[: steps + 1] for name in ARRAYS if name != "actions"}
    return replace(trace, actions=trace.actions[:steps], over=False, **rows)


def by_map() -> list[Trace]:
    """One episode for every map, cut short."""
    return [cut(trace, 400) for trace in {trace.drawing: trace for trace in recorded()}.values()]


def test_the_beginning_of_an_episode_of_cooking_on_every_map_is_explained() -> None:
    traces = by_map()
    assert len(traces) == 4
    for trace in traces:
        result = follow(trace, COOKING_ASYMMETRIC)
        assert result.mismatches == []
        assert result.steps == 400


def test_whole_recorded_episodes_of_cooking_are_explained_to_their_end() -> None:
    for trace in recorded()[:5]:
        result = follow(trace, COOKING_ASYMMETRIC)
        assert result.mismatches == []
        assert result.steps == 1000


@pytest.mark.slow
def test_every_recorded_step_of_cooking_is_explained_and_every_rule_is_met() -> None:
    results = [follow(trace, COOKING_ASYMMETRIC) for trace in recorded()]
    assert [fault for result in results for fault in result.mismatches] == []
    assert sum(result.steps for result in results) >= 20_000
    events = sum((result.events for result in results), Counter[str]())
    assert {kind: events[kind] for kind in KINDS if events[kind] < 30} == {}
    assert events.keys() == KINDS.keys()


def test_traces_of_cooking_have_the_official_map_with_two_players_among_others() -> None:
    official = [trace for trace in recorded() if trace.drawing == "\n".join(COOKING_ASYMMETRIC.drawn)]
    assert sum(trace.steps for trace in official) >= 20_000
    assert {trace.players for trace in official} == {2}
    assert {trace.steps for trace in recorded()} == {1000}
    assert max(trace.players for trace in recorded()) == 5


def test_chance_falls_in_the_recorded_kitchens_as_in_ours() -> None:
    """Rooms and orientations; every interval holds 99.9 of 100 samples."""
    official = [trace for trace in recorded() if trace.players == 2]
    left = sum(trace.avatars[0, 0, 0] == 2 for trace in official)
    assert 6 <= left <= 24
    assert {trace.avatars[0, 0, 0] for trace in official} == {2, 6}
    facing = Counter(int(way) for trace in recorded() for way in trace.avatars[0, :, 2])
    assert facing.keys() == {0, 1, 2, 3}
    assert min(facing.values()) >= sum(facing.values()) / 4 - 3.3 * (sum(facing.values()) * 3 / 16) ** 0.5


CHANGES: dict[str, dict[str, Any]] = {
    "cooking": {"cooking": 19},
    "capacity": {"capacity": 2},
    "pay": {"pay": 10.0},
    "cooldown": {"cooldown": 2},
    "maximum": {"maximum": 999},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_number_in_the_rules_of_cooking_is_noticed(change: str) -> None:
    assert noticed(replace(COOKING_ASYMMETRIC, **CHANGES[change]))


def noticed(rules: Rules) -> bool:
    small = [trace for trace in recorded() if trace.players == 4]
    return any(follow(trace, rules).mismatches for trace in [*recorded()[:3], *small])


def use_twice(plain: Callable[..., None], world: Plain, i: int, container: Container) -> None:
    """A container can be used by several in one step."""
    container.used = False
    plain(world, i, container)


def use_again_only_if_idle(plain: Callable[..., None], world: Plain, i: int, container: Container) -> None:
    """Only a use that changes something keeps others from a container."""
    held = world.avatars[i].held
    plain(world, i, container)
    container.used = container.used and held != world.avatars[i].held


def not_fresh(plain: Callable[..., None], world: Plain, i: int, pot: Pot) -> None:
    """A soup can be taken only in the step after it became ready."""
    pot.cooked, cooked = pot.cooked and not pot.fresh, pot.cooked
    plain(world, i, pot)
    pot.cooked = cooked and pot.inside > 0


def scoop(plain: Callable[..., None], world: Plain, i: int, pot: Pot) -> None:
    """An empty hand takes a tomato out again."""
    if world.avatars[i].held == EMPTY and 0 < pot.inside < world.rules.capacity:
        pot.inside -= 1
        world.avatars[i].held = 1
    else:
        plain(world, i, pot)


BENT = {
    "twice": ("_use", use_twice),
    "idle": ("_use", use_again_only_if_idle),
    "fresh": ("_tend", not_fresh),
    "scoop": ("_tend", scoop),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BENT)
def test_a_bent_rule_of_cooking_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    method, bend = BENT[name]
    plain = getattr(Plain, method)
    monkeypatch.setattr(Follower, method, lambda self, *args: bend(plain, self, *args), raising=False)
    assert noticed(COOKING_ASYMMETRIC)


def test_a_changed_observation_of_a_kitchen_is_a_mismatch_that_says_where() -> None:
    trace = cut(recorded()[0], 200)
    trace.items[150:, 0] = 3
    (fault,) = follow(trace, COOKING_ASYMMETRIC).mismatches
    assert fault == "step 150: items[0] 0 is 3"


def test_a_trace_of_cooking_survives_being_saved(tmp_path: Path) -> None:
    traces = by_map()
    save(traces, tmp_path / "trace.xz")
    for ours, theirs in zip(load(tmp_path / "trace.xz"), traces, strict=True):
        assert (ours.substrate, ours.drawing, ours.over) == (theirs.substrate, theirs.drawing, theirs.over)
        for array in ARRAYS:
            np.testing.assert_array_equal(getattr(ours, array), getattr(theirs, array), err_msg=array)
