"""What episodes share: a house serves several at once, and what one of them does changes nothing for another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import msgspec
import pytest

from otherminds.household import rules, shared
from otherminds.household.commands import parse
from otherminds.household.engine import HouseEngine
from otherminds.household.house import House
from otherminds.household.seeing import BeliefGraph, shown_of
from otherminds.household.shared import house_of
from otherminds.household.world import HouseholdWorld
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.choosing import Chooser

TURNS = 25
GOAL = (
    "(and (is_next_to bowl_0 cup_0) (K agent_0 (K agent_1 (is_open cabinet_2))) "
    "(K agent_2 (not (is_on_top bowl_0 counter_0))))"
)
SAID = ("cabinet_2 is open.", "bowl_0 is on counter_0.", "Hello.")


def house() -> House:
    return small.house(*small.ALL_SIX, goal=GOAL)


def episode(made: House, seed: int) -> Iterator[bytes]:
    """All that seats and record receive in an episode of random calls, turn by turn."""
    world = HouseholdWorld(made, TURNS)
    chooser = Chooser(world.engine, seed)
    yield msgspec.json.encode(world.reset())
    while world.agents:
        calls = {seat: str(chooser.choose(i)) for i, seat in enumerate(made.agents)}
        said = f'Communicate[all, "{chooser.draw.choice(SAID)}"]'
        yield msgspec.json.encode(world.step(calls | {chooser.draw.choice(made.agents): said}))
    yield msgspec.json.encode(world.facts())


def whole(made: House, seed: int) -> list[bytes]:
    return list(episode(made, seed))


def alone(seed: int) -> list[bytes]:
    """An episode in a house of its own."""
    return whole(house(), seed)


def test_episodes_in_turns_are_as_if_each_had_its_own_house() -> None:
    made = house()
    both = [list(pair) for pair in zip(episode(made, 1), episode(made, 2), strict=True)]
    assert [one for one, _ in both] == alone(1)
    assert [other for _, other in both] == alone(2)


def test_episodes_in_threads_are_as_if_each_had_its_own_house() -> None:
    made = house()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda seed: whole(made, seed), range(8)))
    assert found == [alone(seed) for seed in range(8)]


def test_episodes_in_other_processes_are_the_same() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(alone, range(2))) == [whole(house(), seed) for seed in range(2)]


def test_a_full_cache_of_rules_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, made = alone(3), house()
    monkeypatch.setattr(rules, "MOST", 3)
    assert whole(made, 3) == expected
    assert len(made.ground) <= 3


def results(made: House, turns: Sequence[tuple[str, ...]]) -> list[list[tuple[bool, str]]]:
    """The results of an episode; an agent without a call waits."""
    engine = HouseEngine(made)
    return [engine.step([parse(text) for text in (*calls, *["Wait[]"] * 3)[:3]]) for calls in turns]


TO_COUNTER, TO_KITCHEN = ("Navigate[counter_0]",), ("Navigate[kitchen_1]",)
LOSES_CUP = (
    ("Navigate[cabinet_2]",),
    ("Open[cabinet_2]",),
    ("Navigate[study_1]", "Navigate[cabinet_2]"),
    ("Wait[]", "Navigate[cup_0]"),
    ("Wait[]", "Pick[cup_0]"),
    ("Wait[]", "Navigate[bedroom_1]"),
    TO_KITCHEN,
)
BESIDE = ("Place[bowl_0, on, counter_0, next_to, plate_0]",)
MOVES_PLATE = (("Pick[plate_0]",), ("Navigate[stove_4]",), ("Place[plate_0, on, stove_4]",))
TAKES_CUP = (("Navigate[cabinet_2]",), ("Open[cabinet_2]",), ("Pick[cup_0]",))
TWO_WAYS = {
    "beside what is elsewhere": (
        (TO_COUNTER, ("Pick[bowl_0]",), BESIDE),
        (TO_COUNTER, *MOVES_PLATE, TO_COUNTER, ("Pick[bowl_0]",), BESIDE),
    ),
    "poured from another": (
        (TO_COUNTER, ("Pick[kettle_0]",), TO_COUNTER, ("Pour[bowl_0]",)),
        (*TAKES_CUP, TO_COUNTER, ("Pour[bowl_0]",)),
    ),
    "filled, but not known": ((*LOSES_CUP, ("Fill[cup_0]",)), (TO_KITCHEN, ("Fill[cup_0]",))),
    "placed, but not known": (
        (*LOSES_CUP, ("Place[cup_0, on, counter_0]",)),
        (TO_KITCHEN, ("Place[cup_0, on, counter_0]",)),
    ),
}
"""Two episodes that end with the same call at the same spot, which means something else in each."""


@for_each("case", TWO_WAYS)
def test_a_call_means_what_it_means_in_its_own_episode(case: str) -> None:
    made = small.house()
    ends = [results(made, turns)[-1][0] for turns in TWO_WAYS[case]]
    assert ends == [results(small.house(), turns)[-1][0] for turns in TWO_WAYS[case]]
    assert ends[0] != ends[1]


def test_episodes_number_no_facts() -> None:
    made = house()
    facts = tuple(made.facts.named)
    for seed in range(10):
        whole(made, seed)
    assert tuple(made.facts.named) == facts


def test_a_graph_that_was_shown_stays_as_it_was() -> None:
    world = HouseholdWorld(house(), TURNS)
    chooser = Chooser(world.engine, 4)
    observed = [world.reset()[0]]
    kept = [msgspec.json.encode(observed[-1])]
    while world.agents:
        calls = {seat: str(chooser.choose(i)) for i, seat in enumerate(world.possible_agents)}
        observed.append(world.step(calls)[0])
        kept.append(msgspec.json.encode(observed[-1]))
    assert [msgspec.json.encode(one) for one in observed] == kept


def test_a_graph_by_what_changed_is_the_whole_graph() -> None:
    engine = HouseEngine(house())
    chooser = Chooser(engine, 5)
    for _ in range(60):
        engine.step([chooser.choose(i) for i in range(3)])
        for i in range(3):
            anew = BeliefGraph(shown_of(engine.house), engine.agents[i])
            anew.update(engine.sight.believed[i], engine.sight.known[i])
            assert msgspec.json.encode(engine.sight.graph(i)) == msgspec.json.encode(anew.graph)


class TestHouses:
    def test_equal_tasks_have_one_house(self) -> None:
        scene = small.scene()
        assert house_of(small.task(), scene) is house_of(small.task(), scene)
        assert house_of(small.task(), scene) is not house_of(small.task(agents=2), scene)
        assert house_of(small.task(), scene) is not house_of(small.task(), msgspec.structs.replace(scene))

    def test_few_are_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shared, "HOUSES", 2)
        scene = small.scene()
        first = house_of(small.task(title="0"), scene)
        house_of(small.task(title="1"), scene)
        assert house_of(small.task(title="0"), scene) is first
        house_of(small.task(title="2"), scene)
        assert house_of(small.task(title="0"), scene) is first
        house_of(small.task(title="3"), scene)
        house_of(small.task(title="4"), scene)
        assert house_of(small.task(title="0"), scene) is not first
