"""What an agent can see, reckoned a second time: from the scene's tables and all that holds, without the engine's masks."""

from __future__ import annotations

from collections.abc import Iterable

from otherminds.household.engine import Act, HouseEngine

RESTS = ("is_on_top", "lies_on")
WALKS = ("Navigate", "Explore")


def in_sight(engine: HouseEngine, i: int) -> frozenset[tuple[str, ...]]:
    """Everything that agent ``i`` sees now from where it stands, as facts."""
    house, tables = engine.house, engine.house.scene.tables
    here = house.spots[engine.spot[i]]
    met = {
        agent
        for agent, spot in zip(house.agents, engine.spot, strict=True)
        if house.spots[spot] in tables.meets[here]
    }
    return _visible(engine, set(tables.sees[here]), met)


def in_room(engine: HouseEngine, room: str) -> frozenset[tuple[str, ...]]:
    """Everything that somebody who walks through the whole of ``room`` sees."""
    house = engine.house
    met = {
        agent for agent, spot in zip(house.agents, engine.spot, strict=True) if house.spot_room[spot] == room
    }
    return _visible(engine, {f for f, where in house.room_of.items() if where == room}, met)


def _visible(engine: HouseEngine, furniture: set[str], met: set[str]) -> frozenset[tuple[str, ...]]:
    facts = set(engine.house.facts.shown(engine.state))
    opened = {fact[1] for fact in facts if fact[0] == "is_open"}
    found: set[tuple[str, ...]] = {fact for fact in facts if fact[0] == "agent_in_room" and fact[1] in met}
    found |= {fact for fact in facts if fact[0] in RESTS and fact[2] in furniture}
    found |= {fact for fact in facts if fact[0] == "is_inside" and fact[2] in furniture & opened}
    found |= {fact for fact in facts if fact[0] == "is_held_by" and fact[2] in met}
    things = furniture | {fact[1] for fact in found if fact[0] != "agent_in_room"}
    return frozenset(
        found | {fact for fact in facts if len(fact) == 2 and fact[1] in things and fact[0] != "hand_empty"}
    )


def witnessed(engine: HouseEngine, i: int) -> tuple[tuple[str, ...], ...]:
    """What agent ``i`` saw the others do in the last turn, in order. To walk to where one is shows nothing."""
    tables = engine.house.scene.tables
    return tuple(
        told
        for act in engine.acts
        if act[0] != i and (told := _told(engine, act, tables.meets[engine.house.spots[act[4][i]]]))
    )


def done_in(engine: HouseEngine, room: str) -> tuple[tuple[str, ...], ...]:
    """What was done in ``room`` in the last turn, by whomever."""
    inside = [
        spot for spot, where in zip(engine.house.spots, engine.house.spot_room, strict=True) if where == room
    ]
    return tuple(told for act in engine.acts if (told := _told(engine, act, inside)))


def _told(engine: HouseEngine, act: Act, seen: Iterable[str]) -> tuple[str, ...]:
    actor, command, before, after, _ = act
    name = engine.agents[actor]
    start, end = (engine.house.spots[spot] for spot in (before, after))
    if start != end:
        where = (
            end
            if end in seen and start in seen
            else "came"
            if end in seen
            else "left"
            if start in seen
            else ""
        )
        return (name, where) if where else ()
    return (name, str(command)) if start in seen and command.tool != "Navigate" else ()
