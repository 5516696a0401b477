"""Scripted episodes of the household: errands in shipped scenes, played by the real loop.

An *errand*: an object of one room is to end on a piece of furniture in another, which one agent
(the holder) was told and may not enter. Errands differ in scene, things and who is who.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import permutations
from types import MappingProxyType
from typing import Any

import pytest
from msgspec import Struct

from otherminds import Record
from otherminds.core.contracts import Mind
from otherminds.core.data import UNKNOWN, Action, Invalid, Moment, Question
from otherminds.core.record import Bounds
from otherminds.core.scenario import Participant, Population, Scenario, Setup
from otherminds.household.probes import TaskProbes, answer_of
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene, Spawn
from otherminds.household.shared import house_of, shared_of
from otherminds.household.task import Binding, Task
from otherminds.household.world import HouseholdWorld
from otherminds.play.loop import play_now
from tests.measures.conftest import played

SEATS = ("agent_0", "agent_1", "agent_2")
ORDERS = tuple(permutations(SEATS))
Script = list[tuple[str, str]]
"""Calls in their order, one a turn: who makes it, and what; everybody else waits."""


class Scripted(Mind):
    """Makes the calls of its seat, and gives the answers it was told, else that it does not know."""

    def __init__(self, calls: Mapping[int, str], answers: Mapping[str, Any]) -> None:
        self._calls, self._answers, self._step = calls, answers, -1

    def begin(self, brief: object, context: object) -> None:
        self._step = -1

    async def perceive(self, moment: Moment) -> None:
        self._step = moment.step

    async def act(self) -> Action | Invalid:
        return self._calls.get(self._step, "Wait[]")

    async def answer(self, question: Question) -> Any:
        return self._answers.get(question.id, UNKNOWN)


class Errand(Struct, frozen=True):
    """What is to go where, and who is who: the doer may go everywhere, as may the third."""

    scene: Scene
    thing: str
    start: str
    target: str
    wrong: str
    room: str
    door: str
    holder: str
    doer: str
    third: str
    delay: int

    @property
    def goal(self) -> str:
        return f"(is_on_top {self.thing} {self.target})"

    @property
    def whole(self) -> str:
        return f"(and {self.goal} (K {self.holder} {self.goal}))"

    @property
    def secret(self) -> str:
        return f"{self.thing} must end on {self.target}."

    def wait(self) -> Script:
        return [(self.doer, "Wait[]")] * self.delay

    def fetch(self, where: str = "") -> Script:
        """The doer takes the thing and puts it on its target, or elsewhere."""
        where = where or self.target
        calls = (
            f"Navigate[{self.start}]",
            f"Pick[{self.thing}]",
            f"Navigate[{where}]",
            f"Place[{self.thing}, on, {where}]",
        )
        return [(self.doer, call) for call in calls]

    def says(self, who: str, to: str, text: str) -> Script:
        return [(who, f'Communicate[{to}, "{text}"]')]

    def told(self) -> Script:
        return self.says(self.holder, self.doer, self.secret)

    def reported(self) -> Script:
        return self.says(self.doer, self.holder, f"{self.thing} is on {self.target}.")


class Setting(Struct, frozen=True):
    """How a task binds its agents, beside the holder's bar; by role or seat."""

    goal: str = ""
    secrets: dict[str, tuple[str, ...]] = {}
    barred: dict[str, tuple[str, ...]] = {}
    talk: dict[str, tuple[str, ...]] = {}
    limits: dict[str, int] = {}
    private: dict[str, str] = {}
    states: dict[str, dict[str, bool | str]] = {}
    bindings: tuple[Binding, ...] = ()


PLAIN = Setting()


def errands(number: int) -> list[Errand]:
    """So many errands, no two alike."""
    found: list[Errand] = []
    houses = [load_scene(name) for name in list(shipped_scenes())[-4:]]
    walks = [list(_ways(scene)) for scene in houses]
    for k in range(number):
        scene, ways = houses[k % len(houses)], walks[k % len(houses)]
        thing, start, target, wrong, room, door = ways[(k * 7 // len(houses)) % len(ways)]
        found.append(Errand(scene, thing, start, target, wrong, room, door, *ORDERS[k % len(ORDERS)], k % 4))
    return found


def _ways(scene: Scene) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Objects on furniture, and two places in another room that they can go to; a thing that opens beside."""
    pieces = scene.geometry.furniture
    shut = [f for f in scene.articulated_furniture if pieces[f].articulated]
    home = {f: room for room, inside in scene.furniture_in_rooms.items() for f in inside}
    for start, things in scene.objects_on_furniture.items():
        things = [o for o in things if scene.geometry.objects[o].relation == "on" and pieces[start].top]
        for thing in things[:1]:
            for room, inside in scene.furniture_in_rooms.items():
                tops = [f for f in inside if pieces[f].top]
                door = next((f for f in shut if home[f] != room), "")
                if room != home[start] and len(tops) > 1 and door:
                    yield thing, start, tops[0], tops[1], room, door


def play(
    errand: Errand,
    script: Script,
    setting: Setting = PLAIN,
    answers: Mapping[str, Any] | None = None,
    beside: Mapping[int, tuple[str, str]] = MappingProxyType({}),
) -> Record:
    """The episode: the script's calls, and those ``beside`` them by turns, then everybody is done."""
    scene = errand.scene
    homes = [room for room in scene.rooms if room != errand.room]
    barred = {errand.holder: (errand.room,)} | setting.barred
    bound = [
        Binding("room_restriction", restricted_rooms=rooms, for_agents=(seat,))
        for seat, rooms in barred.items()
        if rooms
    ]
    bound += [Binding("restricted_communication", allowed_targets=setting.talk)] if setting.talk else []
    bound += [Binding("limited_bandwidth", message_limits=setting.limits)] if setting.limits else []
    bound += setting.bindings
    task = Task(
        task_id="errand",
        category="mixed" if setting.private else "cooperative",
        task="Put the house in order.",
        scene_id=scene.scene_id,
        num_agents=len(SEATS),
        agent_spawns={
            seat: Spawn((0.0, 0.0, 0.0), next(room for room in homes if room not in barred.get(seat, ())))
            for seat in SEATS
        },
        initial_states=setting.states,
        mechanic_bindings=tuple(bound),
        agent_secrets=setting.secrets or {errand.holder: (errand.secret, f"You cannot enter {errand.room}.")},
        problem_pddl=setting.goal or errand.whole,
        private_goals=setting.private,
    )
    house = house_of(task, scene)
    calls: dict[str, dict[int, str]] = {seat: {len(script): "Done[]"} for seat in SEATS}
    for turn, (seat, call) in (*enumerate(script), *beside.items()):
        calls[seat][turn] = call
    probes = shared_of(house).probed
    made = Scenario(
        id="household-errand-v1",
        world=partial(HouseholdWorld, house, len(script) + 2),
        population=Population(((Fraction(1), ()),)),
        partner=lambda spec, seat: pytest.fail(f"{seat} is under test"),
        focal=SEATS,
        probes=probes.probes(),
        bounds=lambda met: Bounds(1.0, 1.0, 0.0, "scripted"),
    )
    given = _by_question(probes, answers or {})
    minds = {seat: Participant(Scripted(calls[seat], given), label="scripted") for seat in SEATS}
    return play_now(Setup(made, minds, errand.delay))[0]


def _by_question(probes: TaskProbes, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Answers by the ids of questions.

    ``answers`` go by the name of the goal's chain, ``helper`` is what is reported to the paper's question, and ``foils``
    whether each foil is said to hold.
    """
    given: dict[str, Any] = {}
    for name, test in probes.tests.items():
        if name in answers:
            given[test.probe] = answers[name]
        if "helper" in answers:
            given[test.helper] = answers["helper"]
        for foil in test.foils if "foils" in answers else ():
            given[foil] = answer_of(probes.chains[foil].fact, answers["foils"])
    return given


@pytest.fixture(scope="session")
def household() -> Callable[..., Record]:
    """:func:`play`, as a fixture."""
    return play


@pytest.fixture(scope="session", name="play")
def play_matrix_games() -> Callable[..., Record]:
    """Episodes of another world."""
    return played


@pytest.fixture(scope="session")
def setting() -> type[Setting]:
    return Setting


@pytest.fixture(scope="session")
def many() -> list[Errand]:
    """Twenty-four errands."""
    return errands(24)


@pytest.fixture(scope="session")
def errand(many: list[Errand]) -> Errand:
    return many[0]
