"""The mechanics: both states stay within reach, and any two of them compose as was written down beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import pytest

from otherminds.core.errors import StudyError, TaskError
from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.mechanics.mechanic import mechanic, mechanics
from tests.cases import for_each
from tests.household import mechanic_pairs as pairs
from tests.household import small_house as small

inverse, mirror, remote, limit, only = pairs.inverse, pairs.mirror, pairs.remote, pairs.limit, pairs.only
PAIRS = pairs.PAIRS

States = tuple[str, ...]
WAIT = Command("Wait")


def turned(engine: HouseEngine, things: tuple[str, ...]) -> States:
    return tuple(fact[0] for thing in things for fact in sorted(small.facts(engine)) if fact[1:] == (thing,))


def reachable(
    engine: HouseEngine, things: tuple[str, ...], acting: tuple[str, ...]
) -> dict[States, set[States]]:
    """All states of ``things`` that one agent comes to by turning those of ``acting``, each with the next ones."""
    found: dict[States, set[States]] = {}
    waiting = [small.saved(engine)]
    while waiting:
        state = waiting.pop()
        small.restore(engine, state)
        here = turned(engine, things)
        if here in found:
            continue
        found[here] = set()
        for tool, thing in product(("Open", "Close", "PowerOn", "PowerOff"), acting):
            small.restore(engine, state)
            engine.step([Command("Navigate", (thing,))])
            engine.step([Command(tool, (thing,))])
            found[here].add(turned(engine, things))
            waiting.append(small.saved(engine))
    return found


def beyond(found: dict[States, set[States]], start: States) -> set[States]:
    """All states that ``start`` leads to, itself among them."""
    seen, edge = {start}, [start]
    while edge:
        for after in found[edge.pop()] - seen:
            seen.add(after)
            edge.append(after)
    return seen


def everywhere(found: dict[States, set[States]]) -> bool:
    """Whether every state leads to every other."""
    return all(beyond(found, start) == set(found) for start in found)


def starts(*things: str) -> Iterator[dict[str, dict[str, bool]]]:
    """Every way in which things can be turned at the start."""
    kind = {
        thing: "is_powered_on" if thing in ("stove_4", "tv_7", "heater_13") else "is_open" for thing in things
    }
    for values in product((False, True), repeat=len(things)):
        yield {thing: {kind[thing]: value} for thing, value in zip(things, values, strict=True)}


@pytest.mark.parametrize("thing", ["cabinet_2", "stove_4"])
def test_a_reversed_thing_can_be_turned_both_ways_however_it_starts(thing: str) -> None:
    for start in starts(thing):
        engine = HouseEngine(small.house(inverse(thing), agents=1, initial_states=start))
        found = reachable(engine, (thing,), (thing,))
        assert len(found) == 2
        assert everywhere(found)


@for_each("pair", [("cabinet_2", "cabinet_12"), ("stove_4", "heater_13")])
@for_each("acting", [0, 1])
@for_each("reverse", [False, True])
def test_mirrored_things_go_both_ways_from_either_of_them(
    pair: tuple[str, str], acting: int, reverse: bool
) -> None:
    bindings = (mirror(*pair), *((inverse(pair[acting]),) if reverse else ()))
    for start in starts(*pair):
        if len({str(value) for value in start.values()}) > 1:
            continue
        engine = HouseEngine(small.house(*bindings, agents=1, initial_states=start))
        found = reachable(engine, pair, (pair[acting],))
        assert len(found) == 2
        assert all(one == other for one, other in found)
        assert everywhere(found)


@pytest.mark.parametrize(
    ("trigger", "target", "states"),
    [
        ("cabinet_2", "cabinet_12", ("open", "closed")),
        ("stove_4", "cabinet_12", ("open", "closed")),
        ("cabinet_2", "tv_7", ("on", "off")),
        ("heater_13", "stove_4", ("is_powered_on", "is_powered_off")),
    ],
)
@pytest.mark.parametrize("reverse", [False, True])
def test_a_remote_target_goes_both_ways_by_its_trigger_and_by_hand(
    trigger: str, target: str, states: tuple[str, str], reverse: bool
) -> None:
    for state, start in product(states, starts(trigger, target)):
        bindings = (remote(trigger, target, state), *((inverse(trigger), inverse(target)) if reverse else ()))
        house = small.house(*bindings, agents=1, initial_states=start)
        by_trigger = reachable(HouseEngine(house), (trigger, target), (trigger,))
        assert all(len({then[1] for then in beyond(by_trigger, now)}) == 2 for now in by_trigger)
        by_both = reachable(HouseEngine(house), (trigger, target), (trigger, target))
        assert len(by_both) == 4
        assert everywhere(by_both)


def test_a_chain_of_mechanics_leaves_every_state_within_reach_of_every_other() -> None:
    things = ("cabinet_2", "cabinet_6", "cabinet_12", "stove_4")
    bindings = (
        remote("cabinet_2", "cabinet_6", "closed"),
        mirror("cabinet_6", "cabinet_12"),
        inverse("cabinet_12"),
        remote("cabinet_12", "stove_4", "on"),
    )
    found = reachable(HouseEngine(small.house(*bindings, agents=1)), things, things)
    assert {state[1] for state in found} == {"is_open", "is_closed"}
    assert all(state[1] == state[2] for state in found)
    assert len(found) == 8
    assert everywhere(found)


def test_every_pair_of_mechanics_is_in_the_table() -> None:
    wanted = {frozenset(pair) for pair in combinations_with_replacement(mechanics, 2)}
    assert {frozenset(pair) for pair in PAIRS} == wanted
    assert all(
        {binding.mechanic_type for binding in case.bindings} == set(pair) for pair, case in PAIRS.items()
    )


@for_each("backwards", [False, True])
@for_each("pair", PAIRS, ids="-".join)
def test_two_mechanics_compose_as_expected_in_whatever_order_they_are_bound(
    pair: tuple[str, str], backwards: bool
) -> None:
    case = PAIRS[pair]
    engine = HouseEngine(small.house(*case.bindings[:: -1 if backwards else 1], initial_states=case.starts))
    for seat, call, told in case.calls:
        tool, _, args = call.rstrip("]").partition("[")
        command = Command(tool, tuple(part.strip('" ') for part in args.split(",")))
        results = engine.step([command if agent == seat else WAIT for agent in engine.agents])
        assert results[engine.agents.index(seat)] == (told.startswith("Successful"), told)
    facts = small.facts(engine)
    assert not [fact for fact in case.ends if tuple(fact.split()) not in facts]
    for seat, thing, state in case.sees:
        assert engine.sight.graph(engine.agents.index(seat))["states"].get(thing, [""]) == [state]


KNOCKS = ("Open", "Open", "Close", "Close", "PowerOn", "PowerOn", "PowerOff", "PowerOff")
HIDDEN = {
    "a mirrored cabinet": ("cabinet_2", (mirror("cabinet_2", "cabinet_12"),)),
    "a mirrored stove": ("stove_4", (mirror("stove_4", "heater_13"),)),
    "a trigger": ("cabinet_2", (remote("cabinet_2", "cabinet_12", "closed"),)),
    "a target": ("cabinet_2", (remote("cabinet_12", "cabinet_2"),)),
    "a trigger that is a target": (
        "oven_17",
        (remote("oven_17", "cabinet_12"), remote("heater_13", "oven_17", "on")),
    ),
}


@for_each("name", HIDDEN)
def test_a_bound_thing_answers_as_an_unbound_one_while_its_effects_are_out_of_sight(name: str) -> None:
    thing, bindings = HIDDEN[name]
    told = []
    for house in (small.house(*bindings), small.house()):
        engine = HouseEngine(house)
        engine.step([Command("Navigate", (thing,)), WAIT, WAIT])
        told.append([engine.step([Command(tool, (thing,)), WAIT, WAIT])[0] for tool in KNOCKS])
    assert told[0] == told[1]


def test_the_last_of_two_triggers_wins() -> None:
    engine = HouseEngine(
        small.house(remote("cabinet_2", "cabinet_6"), remote("fridge_3", "cabinet_6", "closed"), agents=1)
    )
    for trigger, state in (("cabinet_2", "is_open"), ("fridge_3", "is_closed")):
        engine.step([Command("Open", (trigger,))])
        assert (state, "cabinet_6") in small.facts(engine)


def test_what_only_opens_stays_in_step_with_an_oven_and_is_not_switched_on_with_it() -> None:
    engine = HouseEngine(
        small.house(mirror("oven_17", "cabinet_2"), mirror("cabinet_2", "stove_4"), agents=1)
    )
    engine.step([Command("PowerOn", ("oven_17",))])
    assert ("is_powered_on", "oven_17") in small.facts(engine)
    assert not [fact for fact in small.facts(engine) if fact == ("is_powered_on", "cabinet_2")]
    assert ("is_powered_off", "stove_4") in small.facts(engine)
    engine.step([Command("Open", ("oven_17",))])
    assert ("is_open", "cabinet_2") in small.facts(engine)


CONTRADICTIONS = {
    "one trigger, two states": (remote("cabinet_2", "cabinet_6"), remote("cabinet_2", "cabinet_6", "closed")),
    "in step, and set apart": (mirror("cabinet_2", "cabinet_6"), remote("cabinet_2", "cabinet_6", "closed")),
    "two triggers that set each other against each other": (
        remote("cabinet_2", "cabinet_6", "closed"),
        remote("cabinet_6", "cabinet_2"),
    ),
    "by two ways": (
        remote("cabinet_2", "cabinet_6"),
        remote("cabinet_2", "cabinet_10", "closed"),
        mirror("cabinet_6", "cabinet_10"),
    ),
    "switched on and off": (remote("stove_4", "tv_7", "on"), remote("stove_4", "tv_7", "off")),
}


@for_each("name", CONTRADICTIONS)
def test_bindings_that_contradict_each_other_are_refused_with_the_things_named(name: str) -> None:
    bindings = CONTRADICTIONS[name]
    target = bindings[-1].target_object
    with pytest.raises(
        TaskError, match=r"mechanic_bindings: when .* would have to be both .*take one of the bind"
    ) as error:
        small.house(*bindings)
    assert target in str(error.value)


def test_bindings_that_only_say_the_same_twice_are_no_contradiction() -> None:
    small.house(remote("cabinet_2", "cabinet_6"), remote("cabinet_2", "cabinet_6", "is_open"))
    small.house(
        mirror("cabinet_2", "cabinet_6"), mirror("cabinet_6", "cabinet_2"), remote("cabinet_2", "cabinet_6")
    )


def test_what_is_wrong_with_one_binding_is_said() -> None:
    faults = {
        "a thing cannot control itself": remote("cabinet_2", "cabinet_2"),
        "target_state 'ajar' is none of open": remote("cabinet_2", "cabinet_6", "ajar"),
        "a thing cannot mirror itself": mirror("cabinet_2", "cabinet_2"),
        "agent_0 has -1 messages": limit("agent_0", -1),
        "agent_0 cannot write to itself": only("agent_0", "agent_0"),
    }
    for text, binding in faults.items():
        (fault,) = mechanic(binding.mechanic_type).faults(binding)
        assert fault.removeprefix("message_limits: ").removeprefix("allowed_targets: ").startswith(text)


def test_there_are_six_mechanics_and_a_seventh_is_refused() -> None:
    assert {name for pair in PAIRS for name in pair} == set(mechanics)
    with pytest.raises(StudyError, match="state_mirroring"):
        mechanic("state_miroring")
