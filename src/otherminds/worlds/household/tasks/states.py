"""What is wrong with who starts where, and with how things are at the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from otherminds.epistemic.predicates import OPPOSITES
from otherminds.epistemic.states import TURNS
from otherminds.worlds.household.mechanics.allowances import barred
from otherminds.worlds.household.scenes.plane import inside
from otherminds.worlds.household.scenes.scene import floor_of
from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks.account import Fault, near, quoted
from otherminds.worlds.household.tasks.bound import bound
from otherminds.worlds.household.tasks.named import unknown, wrong
from otherminds.worlds.household.tasks.things import FLOOR, Things

PLACES = {"is_on_top": "top", "is_inside": "interior", "lies_on": FLOOR}
"""How an object can rest at the start, and what its furniture must have for that."""
CANNOT = {"top": "has no top", "interior": "has no interior", FLOOR: "is no floor"}
STATES = {active: flag for flag, (active, _) in TURNS.items()} | {
    "is_clean": "dirtyable",
    "is_filled": "fillable",
}
NEEDED: Mapping[str, str] = STATES | {OPPOSITES[state]: flag for state, flag in STATES.items()}
"""What a thing must be for a predicate to be true or false of it."""
ABLE = {
    "articulated": "cannot be opened or closed",
    "switch": "cannot be switched on or off",
    "dirtyable": "cannot be cleaned",
    "fillable": "cannot be filled",
}


def spawn_faults(task: Task, things: Things | None) -> Iterator[Fault]:
    """Spawns: of agents of the task, in rooms of the scene that they may enter, at a position inside."""
    for agent, spawn in task.agent_spawns.items():
        place = f"agent_spawns.{agent}"
        yield from wrong(place, "agent", agent, task, things)
        lost = list(wrong(f"{place}.room", "room", spawn.room, task, things))
        yield from lost
        if not lost and things and things.scene:
            x, _, z = spawn.position
            if not inside((x, z), things.scene.geometry.rooms[spawn.room].polygon):
                yield Fault(
                    f"{place}.position", f"[{x}, {z}] in (x, z) is not in {spawn.room}; move it there"
                )
        if spawn.room in barred(bound(task), agent):
            yield Fault(f"{place}.room", f"{agent} may not enter {spawn.room}; let it start elsewhere")
    if not things or not things.scene:
        return
    for agent in task.agents:
        own = things.scene.agent_spawns.get(agent)
        if agent in task.agent_spawns:
            continue
        if own is None:
            yield Fault("agent_spawns", f"none for {agent}, and {things.called} has none either; give it one")
        elif own.room in barred(bound(task), agent):
            yield Fault(
                "agent_spawns",
                f"none for {agent}, whom the scene puts into {own.room}, which it may not enter",
            )


def state_faults(task: Task, things: Things | None) -> Iterator[Fault]:
    """Initial states: of things of the scene, that those things can be in, and not two that exclude each other."""
    for thing, given in task.initial_states.items():
        place = f"initial_states.{thing}"
        is_object = things is not None and thing in things.objects
        if things and not is_object and thing not in things.furniture:
            names = (*things.objects, *things.furniture)
            hint = near(thing, names) or "; name furniture or an object"
            yield Fault(place, f"nothing is called {quoted(thing)} in {things.called}{hint}")
            continue
        for predicate, value in given.items():
            yield from _state(f"{place}.{predicate}", thing, predicate, value, task, things)
        resting = [predicate for predicate, value in given.items() if isinstance(value, str)]
        if len(resting) > 1:
            yield Fault(place, f"{thing} cannot be in {len(resting)} places; keep one")
        for state in STATES:
            both = (state, OPPOSITES[state])
            if all(one in given for one in both) and given[both[0]] == given[both[1]]:
                yield Fault(
                    place, f"{' and '.join(both)} cannot both be {str(given[state]).lower()}; keep one"
                )


def _state(
    place: str, thing: str, predicate: str, value: bool | str, task: Task, things: Things | None
) -> Iterator[Fault]:
    if predicate in PLACES:
        if not isinstance(value, str):
            yield Fault(place, "it wants the name of furniture; write where the object is")
            return
        on_floor = predicate == "is_on_top" and things is not None and value in map(floor_of, things.rooms)
        flag = FLOOR if on_floor else PLACES[predicate]
        text = unknown("object", thing, task, things) or unknown("furniture", value, task, things)
        if text:
            yield Fault(place, text)
        elif things and things.can(value, flag) is False:
            yield Fault(place, f"{value} {CANNOT[flag]}; choose other furniture or another predicate")
    elif predicate in NEEDED:
        if isinstance(value, str):
            yield Fault(place, f"it is true or false of a thing, not {quoted(value)}; write true or false")
        if things and things.can(thing, NEEDED[predicate]) is False:
            yield Fault(place, f"{thing} {ABLE[NEEDED[predicate]]}; take it out")
    else:
        hint = near(predicate, (*PLACES, *NEEDED)) or f"; write one of {', '.join((*PLACES, *NEEDED))}"
        yield Fault(place, f"no initial state is called {quoted(predicate)}{hint}")


def at_start(task: Task, thing: str, state: str) -> bool:
    """Whether ``state`` (``is_open`` or ``is_powered_on``) holds of ``thing`` at the start: shut and off, unless said."""
    given = task.initial_states.get(thing, {})
    if state in given:
        return given[state] is True
    return OPPOSITES[state] in given and given[OPPOSITES[state]] is not True
