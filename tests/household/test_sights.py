"""What agents see is what the sights say: a house without a sight shows less, and nothing else changes."""

from __future__ import annotations

import pytest

from otherminds.household import rules
from otherminds.household.commands import Command, parse
from otherminds.household.engine import HouseEngine
from tests.household import small_house as small

SHOWN = (
    "is_inside",
    "is_held_by",
    "is_open",
    "is_closed",
    "is_powered_off",
    "agent_in_room",
    "hand_empty",
)


CALLS = (
    ("Navigate[fridge_3]", "Wait[]", "Navigate[kitchen_1]"),
    ("Open[fridge_3]", "Wait[]", "Navigate[counter_0]"),
    ("Navigate[counter_0]", "Wait[]", "Pick[bowl_0]"),
)


def without(predicate: str, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rules, "SIGHTS", tuple(one for one in rules.SIGHTS if one.shows[0] != predicate))


def seen(engine: HouseEngine) -> set[tuple[str, ...]]:
    """All facts that agent 0 sees in the kitchen, where it opens the fridge and agent 2 takes a bowl."""
    found: set[tuple[str, ...]] = set()
    for calls in CALLS:
        commands = [command for call in calls if isinstance(command := parse(call), Command)]
        assert all(worked for worked, _ in engine.step(commands))
        found |= set(engine.house.facts.shown(engine.facts_in_view(0) & engine.state))
    return found


@pytest.mark.parametrize("predicate", SHOWN)
def test_a_house_without_a_sight_does_not_show_it(predicate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    every = seen(HouseEngine(small.house()))
    assert any(fact[0] == predicate for fact in every)
    without(predicate, monkeypatch)
    less = seen(HouseEngine(small.house()))
    assert less == {fact for fact in every if fact[0] != predicate}


def test_an_agent_cannot_take_what_it_does_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    without("is_on_top", monkeypatch)
    engine = HouseEngine(small.house())
    assert not any(fact[0] == "is_on_top" for fact in engine.house.facts.shown(engine.facts_in_view(2)))
    *_, last = [
        engine.step([command for call in calls if isinstance(command := parse(call), Command)])
        for calls in CALLS
    ]
    assert not last[2][0]
