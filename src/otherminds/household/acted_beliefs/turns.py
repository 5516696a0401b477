"""The turns of an encounter on the map: its context, ego's first choice, and the walk of ego and its partner to their places.

All of it is played in the household engine, as the context is that ego is told of. What the partner thinks that ego thinks is
computed from the same events (:func:`~otherminds.household.acted_beliefs.contexts.follow_beliefs`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from otherminds.household.acted_beliefs.contexts import (
    AGENTS,
    EGO,
    PARTNER,
    THIRD,
    PartnerView,
    follow_beliefs,
)
from otherminds.household.acted_beliefs.played import (
    PLACES,
    THING,
    PlayedHouse,
    account_for,
    call_event,
    call_message,
)
from otherminds.household.acted_beliefs.replayed import ShownEncounter
from otherminds.household.acted_beliefs.stage_games import TellGame
from otherminds.household.acted_beliefs.words import NOBODY, shorten_event
from otherminds.household.commands import Command
from otherminds.household.reports.state import MapState, Rest, taken


class Scene(Struct, frozen=True):
    """A part of an encounter: what happens, the calls of its turns, and what the partner has seen and heard after it.

    ``step`` is the step of the encounter that it comes before, or the number of steps for the walk to the places ``goes``.
    """

    text: str
    calls: tuple[dict[str, Command], ...]
    view: PartnerView
    step: int = 0
    goes: dict[str, str] = {}


def list_scenes(encounter: ShownEncounter) -> Iterator[Scene]:
    """What is played on the map. The first scene, in which the thing is put at its place, has no turn."""
    rules, events = encounter.rules, [*encounter.context.events]
    for number, event in enumerate(events, 1):
        yield Scene(shorten_event(event), tuple(call_event(event)), follow_beliefs(iter(events[:number])))
    view = encounter.context.view
    if account := account_for(encounter.context):
        yield Scene(f"{THIRD} tells {EGO}: {account}", (call_message(THIRD, EGO, account),), view)
    if encounter.plan and rules.stage.steps > 1:
        text, first = encounter.describe_first_choice(), encounter.list_first_events()
        if not first:
            yield Scene(text, ({},), view, step=1)
        for number, event in enumerate(first, 1):
            view = follow_beliefs(iter([*events, *first[:number]]))
            yield Scene(f"{text} {shorten_event(event)}", tuple(call_event(event)), view, step=1)
    if encounter.place is not None:
        goes = {PARTNER: rules.names[encounter.place]}
        if not isinstance(rules.stage, TellGame) and encounter.chosen[-1] != NOBODY:
            goes = {EGO: encounter.chosen[-1], **goes}
        text = f"{', '.join(f'{agent} goes to {place}' for agent, place in goes.items())}. {EGO} earns {encounter.earned:g}."
        calls = {agent: Command("Navigate", (place,)) for agent, place in goes.items()}
        yield Scene(text, (calls,), view, rules.stage.steps, goes)


class EncounterFrame(Struct, frozen=True):
    """One turn on the map. ``agents`` is a card for each agent, see :func:`_card`."""

    encounter: int
    step: int
    text: str
    state: MapState
    agents: tuple[dict[str, Any], ...]


def play_frames(encounter: ShownEncounter) -> Iterator[EncounterFrame]:
    """The turns of an encounter, really played in a house."""
    house = PlayedHouse(encounter.context)
    view = follow_beliefs(iter([next(encounter.context.events)]))
    received: dict[str, list[str]] = {agent: [] for agent in AGENTS}
    cards: tuple[dict[str, Any], ...] = ()
    for scene in list_scenes(encounter):
        for number, calls in enumerate(scene.calls or (None,), 1):
            if calls is not None:
                for agent, messages in house.play(calls).messages.items():
                    received[agent] += [f"{message.sender}: {message.text}" for message in messages]
            view = scene.view if number >= len(scene.calls) else view
            seen = taken(house.engine)
            state = _draw_beliefs(seen, PLACES[encounter.find_belief(view)])
            if scene.goes:
                cards = tuple(
                    {**card, "room": state.agents[agent].room, "goes": scene.goes.get(agent, "")}
                    for agent, card in zip(AGENTS, cards, strict=True)
                )
            else:
                cards = tuple(_card(agent, seen, state, view, received[agent]) for agent in AGENTS)
            yield EncounterFrame(encounter.number, scene.step, scene.text, state, cards)


def _draw_beliefs(state: MapState, place: str) -> MapState:
    """The thing and what each agent believes of it, without all else; the partner, which is also told things: ``place``."""
    agents = {
        agent: replace(mind, objects={THING: mind.objects.get(THING)}, turned={}, others={})
        for agent, mind in state.agents.items()
    }
    saw = agents[PARTNER].objects[THING]
    if saw is None or saw.how != "held":
        agents[PARTNER] = replace(agents[PARTNER], objects={THING: Rest("on", place)})
    return MapState({THING: state.objects[THING]}, {}, agents)


def _card(
    agent: str, seen: MapState, state: MapState, view: PartnerView, received: Sequence[str]
) -> dict[str, Any]:
    """What an agent saw, was told and believes, in words, each belief with whether it is true.

    ``seen`` has what it saw of the thing, ``state`` what it believes. ``of_ego`` is where the partner thinks that ego thinks it is.
    """
    true, believed = state.objects[THING].rest, state.agents[agent].objects[THING]
    of_ego = None
    if agent == PARTNER:
        ego = state.agents[EGO].objects[THING]
        both = believed if believed and believed.how == "held" and believed == ego else None
        thought = both or Rest("on", PLACES[view.thinks[1]])
        of_ego = [str(thought), thought == ego]
    return {
        "room": state.agents[agent].room,
        "saw": str(seen.agents[agent].objects.get(THING) or "nothing of it"),
        "told": [*received],
        "believes": [str(believed or "unknown"), believed == true],
        "of_ego": of_ego,
        "goes": "",
    }
