"""Every official kitchen is the real engine's: states, rewards and pictures of recorded episodes, from the kitchen's file alone."""

from __future__ import annotations

from collections import Counter

import pytest
from tools.melting_pot.kitchen.follow import follow
from tools.melting_pot.kitchen.pictures import checksum, stage
from tools.melting_pot.kitchen.trace import Trace, load

from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SUBSTRATES
from otherminds.gridworlds.cooking.views import world
from otherminds.gridworlds.grid.rules import FORWARD
from tests.cases import for_each, thinned
from tests.gridworlds.cooking.plain import observe
from tests.gridworlds.cooking.recorded.test_follow import DATA, cut

RECORDED = (
    "cooking-circuit-v1",
    "cooking-cramped-v1",
    "cooking-crowded-v1",
    "cooking-figure-eight-v1",
    "cooking-forced-v1",
    "cooking-ring-v1",
)
"""The kitchens beside ``cooking-asymmetric-v1``, which has tests of its own."""
EXCERPT, CLOSER = 120, 12
"""How many steps of an episode are followed by default, and every which picture is looked at."""


def unequal_pictures(trace: Trace, every: int) -> list[int]:
    """The steps, of every so many, in which a picture of ours of what was recorded is none of the engine's."""
    rules = SUBSTRATES[trace.substrate]
    unequal: list[int] = []
    for t in range(0, trace.steps + 1, every):
        state = stage(rules, trace, t)
        seen = [world(rules, state, 0), *(observe(rules, state, 0, i) for i in range(rules.players))]
        if checksum(seen) != trace.pictures[t]:
            unequal.append(t)
    return unequal


@for_each("name", RECORDED)
def test_the_beginning_of_a_recorded_episode_is_explained_and_looks_the_same(name: str) -> None:
    trace = cut(load(DATA / f"{name}.xz")[0], EXCERPT)
    assert (trace.substrate, trace.drawing) == (name, "\n".join(SUBSTRATES[name].drawn))
    result = follow(trace)
    assert result.mismatches == []
    assert result.steps == EXCERPT
    assert unequal_pictures(trace, CLOSER) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_step_is_explained_and_looks_the_same(name: str) -> None:
    traces = load(DATA / f"{name}.xz")
    assert sum(trace.steps for trace in traces) >= 5_000
    events: Counter[str] = Counter()
    for trace in traces:
        result = follow(trace)
        assert result.mismatches == []
        assert result.steps == trace.steps
        assert unequal_pictures(trace, 1) == []
        events += result.events
    assert min(events[kind] for kind in ("dispensed", "put", "taken", "filled", "fired", "blocked")) >= 10


@pytest.mark.parametrize("name", thinned(RECORDED, 6))
def test_a_move_that_was_not_made_and_a_picture_that_was_not_seen_are_noticed(name: str) -> None:
    trace = cut(load(DATA / f"{name}.xz")[0], EXCERPT)
    trace.actions[:, 0] = FORWARD
    trace.pictures[60] += 1
    assert follow(trace).mismatches
    assert unequal_pictures(trace, CLOSER) == [60]


def test_all_seven_kitchens_have_a_recording() -> None:
    assert {*RECORDED, COOKING_ASYMMETRIC.name} <= {path.stem for path in DATA.glob("cooking-*.xz")}
