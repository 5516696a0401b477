"""The reference minds by name, and the null minds among them.

A null mind knows nothing about others: no measure of theory of mind may give it more than 0. Null minds act as level 3
does (so that there is something to know), at random, or not at all; their answers do not depend on what any other agent
saw or was told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.core.seeds import derive
from otherminds.household.epistemic.formula import KnowledgeChain
from otherminds.household.epistemic.told import secrets
from otherminds.household.house import House
from otherminds.household.reference.central import InformedHousemate
from otherminds.household.reference.knowledge import ReceivedMessage
from otherminds.household.reference.levels import LEVELS, Broadcaster, LevelThree
from otherminds.household.reference.mind import Housemate, asked, reported
from otherminds.household.reference.planner import PlanningHousemate
from otherminds.household.teams.panel import PANEL, CheapTeam

HANDLED = ("Pick", "Clean", "Fill", "Pour", "PowerOn", "PowerOff")
TURNED = ("Open", "Close", "PowerOn", "PowerOff")
OPTIONS = ("holds", "fails", "unknown")
"""The options of a probe, in their order."""


class Egocentric(LevelThree):
    """Answers for others as if they had its own beliefs."""

    async def answer(self, question: Question) -> Answer | Invalid:
        chain = asked(question)
        return reported(self.knowledge, chain and KnowledgeChain((), chain.fact))


class ConstantAnswer(LevelThree):
    """Gives the same answer to each probe: ``option``, by its number."""

    def __init__(self, secret_statements: ReceivedMessage, option: int) -> None:
        super().__init__(secret_statements)
        self._option = option

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[self._option]


class SilentAndDone(Mind):
    """Is done at once, sends no messages, and answers that every fact holds."""

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._over = False

    async def perceive(self, moment: Moment) -> None:
        self._over = moment.step > 0

    async def act(self) -> Action | SkillChoice | Invalid:
        return "Wait[]" if self._over else "Done[]"

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[OPTIONS.index("holds")]


class Chance(Mind):
    """The mind ``random``: draws a tool, and then its arguments from the names in its own graph.

    It sends no messages, and answers at random.
    """

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        self._seed = context.rng.getrandbits(32)
        self._seen: dict[str, Any] = {}

    async def perceive(self, moment: Moment) -> None:
        self._seen = moment.observation

    async def act(self) -> Action | SkillChoice | Invalid:
        house, objects = self._seen["house"], sorted(self._seen["graph"]["objects"])
        rooms, furniture = list(house["rooms"]), list(house["furniture"])
        tools = ["Navigate", "Explore", "Turn", "Wait"] + (["Handle"] if objects else [])
        tool = self._rng.choice(tools + ["Place"] * bool(self._seen["holding"]))
        match tool:
            case "Navigate":
                return f"Navigate[{self._rng.choice(rooms + furniture + objects)}]"
            case "Explore":
                return f"Explore[{self._rng.choice(rooms)}]"
            case "Turn":
                return f"{self._rng.choice(TURNED)}[{self._rng.choice(furniture)}]"
            case "Handle":
                return f"{self._rng.choice(HANDLED)}[{self._rng.choice(objects)}]"
            case "Place":
                how = self._rng.choice(("on", "within"))
                return f"Place[{self._seen['holding'][0]}, {how}, {self._rng.choice(furniture)}]"
            case _:
                return "Wait[]"

    async def answer(self, question: Question) -> Answer | Invalid:
        # Each question has its own random stream, so that asking does not change later draws.
        return question.options[derive(self._seed, question.id) % len(question.options)]


def level_k(house: House, k: int = 3, whole_memory: bool = False) -> Mind:
    """The level-``k`` mind, k from 0 to 3; with ``whole_memory``, each message carries all that its sender knows.

    Raises:
        StudyError: there is no such level.
    """
    if isinstance(k, bool) or k not in LEVELS:
        raise StudyError(f"level_k: k must be one of {', '.join(map(str, LEVELS))}, not {k!r}")
    return LEVELS[k](told(house), whole_memory)


def broadcast(house: House, whole_memory: bool = False) -> Mind:
    """The mind that tells everything to all agents; with ``whole_memory``, also where things are and how."""
    return Broadcaster(told(house), whole_memory)


def planner(house: House) -> Mind:
    """The mind that carries out the plan of the task's calibration.

    Raises:
        StudyError: the task is not calibrated.
    """
    if house.task.calibration is None:
        raise StudyError(
            f"planner: task {house.task.task_id!r} has no plan; otherminds tasks calibrate --write adds one"
        )
    return PlanningHousemate(told(house), house.task.calibration.plan)


def told(house: House) -> ReceivedMessage:
    """The secrets of each agent, with its private goal; empty in a task without formulas, in which minds parse the prose."""
    if not house.task.verified:
        return {}
    return {seat: secrets(house.task.agent_knows.get(seat, ())) for seat in house.agents}


def _plain(mind_class: type[Mind]) -> Callable[[House], Mind]:
    def make(house: House) -> Mind:
        return mind_class(told(house)) if issubclass(mind_class, Housemate) else mind_class()

    return make


def _constant(option: int) -> Callable[[House], Mind]:
    return lambda house: ConstantAnswer(told(house), option)


def _cheap(team: CheapTeam) -> Callable[[House], Mind]:
    return lambda house: team.member(told(house))


NULL: Mapping[str, Callable[[House], Mind]] = MappingProxyType(
    {
        "egocentric": _plain(Egocentric),
        **{f"always_{answer}": _constant(option) for option, answer in enumerate(OPTIONS)},
        "silent_and_done": _plain(SilentAndDone),
    }
)
"""Every null mind of the household by its name."""
ROSTER: Mapping[str, Callable[..., Mind]] = MappingProxyType(
    {
        "random": _plain(Chance),
        "no_message": _plain(Housemate),
        "blind": _plain(Housemate),
        "broadcast": broadcast,
        "level_k": level_k,
        "informed": _plain(InformedHousemate),
        "planner": planner,
        **NULL,
        **{name: _cheap(team) for name, team in PANEL.items()},
    }
)
"""The factories of minds by their names in studies. ``blind`` is ``no_message``, the lower reference of F."""
