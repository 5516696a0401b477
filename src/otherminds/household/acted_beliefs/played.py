"""A context as it is played in the household engine: the calls of three agents, and what each of them sees and hears.

The thing is a mug in a kitchen, and the places are its counters and its table. Ego waits in the hallway while it is away, the
partner in the dining room. What ego missed is told to it by the third hand at the end, so that ego knows who saw and heard
what. The partner is not told that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from msgspec import Struct

from otherminds.core.data import ReceivedMessage
from otherminds.household.acted_beliefs.contexts import AGENTS, EGO, PARTNER, THIRD, Context, Event
from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.house import House
from otherminds.household.scenes.load import load_scene
from otherminds.household.scenes.scene import Spawn
from otherminds.household.shared import house_of
from otherminds.household.task import Task
from otherminds.household.words import Observed
from otherminds.household.world import WAIT, HouseholdWorld

SCENE = "inventory_beechwood_0"
KITCHEN = "kitchen_1"
THING = "mug_0"
PLACES = ("counter_2", "counter_3", "counter_4", "table_5")
"""The places; a scenario has the first three, or all."""
WAITING = {EGO: "hallway_1", PARTNER: "dining_room_1", THIRD: "hallway_1"}
MOST_TURNS = 40


class HouseTurn(Struct, frozen=True):
    """One turn of the house, by agent: the call, what it observes afterwards, and the messages that it then receives.

    ``thing`` is the place of the thing, empty while it is carried; ``beliefs`` where each agent believes it to be, as the engine tracks
    what it saw.
    """

    calls: dict[str, str]
    observed: dict[str, Observed]
    messages: dict[str, tuple[ReceivedMessage, ...]]
    rooms: dict[str, str]
    thing: str
    beliefs: dict[str, str]


class PlayedHouse:
    """A house at the start of ``context``, in which agents are led by calls. ``turn`` is the last one."""

    def __init__(self, context: Context) -> None:
        self._world = HouseholdWorld(build_house(PLACES[context.start]), MOST_TURNS)
        observed, infos = self._world.reset()
        self.turn = _read_turn(self._world, dict.fromkeys(AGENTS, ""), observed, infos)

    @property
    def engine(self) -> HouseEngine:
        """The state after the last turn."""
        return self._world.engine

    def play(self, calls: Mapping[str, Command]) -> HouseTurn:
        """The next turn; who has no call waits."""
        actions = {agent: str(calls.get(agent, WAIT)) for agent in AGENTS}
        observed, _, _, _, infos = self._world.step(actions)
        self.turn = _read_turn(self._world, actions, observed, infos)
        return self.turn


@lru_cache(maxsize=4096)
def play_context(context: Context) -> tuple[HouseTurn, ...]:
    """The turns of ``context``, the first one before anything is done."""
    house = PlayedHouse(context)
    return (house.turn, *map(house.play, _list_calls(context)))


@cache
def build_house(start: str) -> House:
    """The house with the thing on ``start`` and all agents in the kitchen."""
    scene = load_scene(SCENE)
    corners = scene.geometry.rooms[KITCHEN].polygon
    x, z = (sum(corner[axis] for corner in corners) / len(corners) for axis in range(2))
    task = Task(
        task_id="encounters",
        task=f"{THING} is in {KITCHEN}.",
        scene_id=SCENE,
        num_agents=len(AGENTS),
        agent_spawns={agent: Spawn((x, 0.0, z), KITCHEN) for agent in AGENTS},
        initial_states={THING: {"is_on_top": start}},
        problem_pddl=f"(is_in_room {THING} {KITCHEN})",
    )
    return house_of(task, scene)


def _list_calls(context: Context) -> Iterator[dict[str, Command]]:
    """The calls of each turn."""
    for event in context.events:
        yield from call_event(event)
    if account := account_for(context):
        yield call_message(THIRD, EGO, account)


def call_event(event: Event) -> Iterator[dict[str, Command]]:
    """The calls of each turn of an event; none where the thing is put at its first place."""
    match event.kind:
        case "put":
            return
        case "leave":
            yield {event.agent: Command("Navigate", (WAITING[event.agent],))}
        case "enter":
            yield {event.agent: Command("Navigate", (KITCHEN,))}
        case "move":
            place = PLACES[event.place]
            for call in (
                Command("Navigate", (THING,)),
                Command("Pick", (THING,)),
                Command("Navigate", (place,)),
                Command("Place", (THING, "on", place)),
            ):
                yield {event.agent: call}
        case "say":
            assert event.saying is not None, "a message has its text"
            saying = event.saying
            yield call_message(saying.sender, saying.hearer, write_saying(saying.place, saying.about))


def call_message(sender: str, hearer: str, text: str) -> dict[str, Command]:
    """The call that sends a message."""
    return {sender: Command("Communicate", (hearer, text))}


def write_saying(place: int, about: str) -> str:
    """A message that the thing is at ``place``, or that ``about`` thinks so."""
    return (
        f"{about} thinks that {THING} is on {PLACES[place]}." if about else f"{THING} is on {PLACES[place]}."
    )


def account_for(context: Context) -> str:
    """What the third hand tells ego: what it did not see, and what the third hand told the partner."""
    inside = {EGO, PARTNER}
    missed: list[str] = []
    for event in context.events:
        if event.kind == "leave":
            inside.discard(event.agent)
        elif event.kind == "enter":
            inside.add(event.agent)
        missed += _account_for_event(event, inside)
    return " ".join(missed)


def _account_for_event(event: Event, inside: set[str]) -> list[str]:
    """The sentences on one event; ``inside`` is who was in the kitchen after it."""
    saying = event.saying
    if saying is not None and saying.sender == THIRD and saying.hearer == PARTNER:
        when = f"Before {PARTNER} came in, " if saying.early else ""
        return [f"{when}I told {PARTNER}: {write_saying(saying.place, saying.about)}"]
    if EGO in inside or event.agent == EGO:
        return []
    if event.kind == "move":
        saw = "saw it" if PARTNER in inside else "did not see it"
        return [f"While you were away, I moved {THING} to {PLACES[event.place]}, and {PARTNER} {saw}."]
    if event.kind == "enter":
        return [f"While you were away, {PARTNER} came in and saw {THING}."]
    return []


def _read_turn(
    world: HouseholdWorld,
    calls: dict[str, str],
    observed: dict[str, Observed],
    infos: dict[str, dict[str, tuple[ReceivedMessage, ...]]],
) -> HouseTurn:
    """The turn that has just been played."""
    engine, house = world.engine, world.house
    relation, place = engine.current.place_of(THING)
    return HouseTurn(
        calls=calls,
        observed=observed,
        messages={agent: infos[agent]["told"] for agent in AGENTS},
        rooms={
            agent: house.spot_room[spot]
            for agent, spot in zip(world.possible_agents, engine.spot, strict=True)
        },
        thing="" if relation == "is_held_by" else place,
        beliefs={agent: observed[agent]["graph"]["objects"].get(THING, ("", ""))[-1] for agent in AGENTS},
    )
