"""What is wrong with the bindings of mechanics, alone and together."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from otherminds.core.errors import StudyError, TaskError
from otherminds.epistemic.states import TURNS
from otherminds.worlds.household.mechanics.allowances import reached
from otherminds.worlds.household.mechanics.folding import settled
from otherminds.worlds.household.mechanics.mechanic import STATES, Mechanic, mechanic
from otherminds.worlds.household.task import Binding, Task
from otherminds.worlds.household.tasks.account import Fault
from otherminds.worlds.household.tasks.bound import bound
from otherminds.worlds.household.tasks.named import wrong
from otherminds.worlds.household.tasks.states import ABLE, NEEDED, at_start
from otherminds.worlds.household.tasks.things import Things

BY = ("mechanic_bindings",)
"""What else a fault was judged by that speaks of bindings elsewhere."""


def binding_faults(task: Task, things: Things | None) -> Iterator[Fault]:
    """Every binding alone; then what the file says of them elsewhere, and what they do together."""
    for k, binding in enumerate(task.mechanic_bindings):
        place = f"mechanic_bindings[{k}]"
        try:
            made = mechanic(binding.mechanic_type)
        except StudyError as error:
            yield Fault(f"{place}.mechanic_type", str(error))
            continue
        found = [*_fields(place, made, binding), *_names(place, binding, task, things)]
        found += [Fault(place, text) for text in made.faults(binding)]
        if not found:
            found += _abilities(place, made, binding, things)
        yield from found
        if not found:
            yield from _alike(place, binding, task, things)
    yield from _listed(task)
    yield from _together(task, things)
    yield from _targets(task)


def _fields(place: str, made: Mechanic, binding: Binding) -> Iterator[Fault]:
    """Fields that a mechanic needs and lacks, or has no use for."""
    for name, value in structs.asdict(binding).items():
        if name == "mechanic_type":
            continue
        if name in made.fields and not value:
            yield Fault(f"{place}.{name}", f"missing; {binding.mechanic_type} needs it")
        if name not in (*made.fields, *made.optional) and value:
            needs = ", ".join((*made.fields, *made.optional))
            yield Fault(f"{place}.{name}", f"{binding.mechanic_type} has no such field; it takes {needs}")


def _names(place: str, binding: Binding, task: Task, things: Things | None) -> Iterator[Fault]:
    for k, room in enumerate(binding.restricted_rooms):
        yield from wrong(f"{place}.restricted_rooms[{k}]", "room", room, task, things)
    for k, agent in enumerate(binding.for_agents):
        yield from wrong(f"{place}.for_agents[{k}]", "agent", agent, task, things)
    for agent in binding.message_limits:
        yield from wrong(f"{place}.message_limits.{agent}", "agent", agent, task, things)
    for agent, targets in binding.allowed_targets.items():
        yield from wrong(f"{place}.allowed_targets.{agent}", "agent", agent, task, things)
        for k, target in enumerate(targets):
            yield from wrong(f"{place}.allowed_targets.{agent}[{k}]", "agent", target, task, things)
    for name in ("trigger_object", "target_object"):
        if getattr(binding, name):
            yield from wrong(f"{place}.{name}", "furniture", getattr(binding, name), task, things)


def _abilities(place: str, made: Mechanic, binding: Binding, things: Things | None) -> Iterator[Fault]:
    """Furniture that a mechanic binds must be able to be turned, and to what the mechanic turns it."""
    if things is None:
        return
    for name in ("trigger_object", "target_object"):
        thing = getattr(binding, name)
        fixed = thing and all(things.can(thing, flag) is False for flag in TURNS)
        # Whatever a hand can reach can be a switch in disguise.
        if fixed and (binding.mechanic_type, name) != ("remote_control", "trigger_object"):
            yield Fault(
                f"{place}.{name}", f"{thing} can neither be opened nor switched; bind other furniture"
            )
            return
    target = binding.target_object
    if "target_state" in made.fields:
        flag = NEEDED[STATES[binding.target_state]]
        if things.can(target, flag) is False:
            yield Fault(f"{place}.target_state", f"{target} {ABLE[flag]}; write a state that it can take")
    elif target and not any(
        things.can(binding.trigger_object, flag) is not False and things.can(target, flag) is not False
        for flag in TURNS
    ):
        yield Fault(place, f"{binding.trigger_object} and {target} have no state in common; bind two alike")


def _alike(place: str, binding: Binding, task: Task, things: Things | None) -> Iterator[Fault]:
    """Things in step start alike."""
    if binding.mechanic_type != "state_mirroring":
        return
    pair = (binding.trigger_object, binding.target_object)
    for flag, (state, _) in TURNS.items():
        if binding.target_state and STATES[binding.target_state] not in TURNS[flag]:
            continue
        turns = things is None or all(things.can(thing, flag) is not False for thing in pair)
        if turns and at_start(task, pair[0], state) != at_start(task, pair[1], state):
            shut, up = sorted(pair, key=lambda thing: at_start(task, thing, state))
            yield Fault(
                place,
                f"{up} starts with {state} and {shut} without; mend initial_states so that they start alike",
            )


def _listed(task: Task) -> Iterator[Fault]:
    """``active_mechanics`` are those that are bound."""
    types = dict.fromkeys(binding.mechanic_type for binding in task.mechanic_bindings)
    for k, name in enumerate(task.active_mechanics):
        if name not in types:
            text = f"{name} is bound by nothing; bind it or take it out"
            yield Fault(f"active_mechanics[{k}]", text, BY)
    for name in types:
        if name not in task.active_mechanics:
            yield Fault("active_mechanics", f"{name} is bound, but not listed here; add it", BY)


def _together(task: Task, things: Things | None) -> Iterator[Fault]:
    """The first way in which bindings would turn one thing two ways at once: others mostly come of the same."""
    whole = bound(task)
    for thing in dict.fromkeys(
        name for _, b in whole for name in (b.trigger_object, b.target_object) if name
    ):
        for flag, values in TURNS.items():
            if things is not None and things.can(thing, flag) is False:
                continue
            for value in values:
                try:
                    settled(whole, thing, value)
                except TaskError as error:
                    place, _, text = str(error).partition(": ")
                    yield Fault(place, text)
                    return


def _targets(task: Task) -> Iterator[Fault]:
    """``message_targets`` says the same as the bindings."""
    for agent, targets in task.message_targets.items():
        if agent not in task.agents:
            yield from wrong(f"message_targets.{agent}", "agent", agent, task, None)
        elif set(reached(bound(task), task.agents, agent)) != set(targets):
            mine, theirs = (
                ", ".join(names) or "nobody" for names in (targets, reached(bound(task), task.agents, agent))
            )
            text = f"{agent} may write to {mine} here, but by the bindings to {theirs}; make them agree"
            yield Fault(f"message_targets.{agent}", text, BY)
