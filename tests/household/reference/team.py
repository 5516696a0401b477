"""A team of minds in a task, played turn by turn, without the loop of episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import Mind
from otherminds.core.data import HELPER, Brief, Moment
from otherminds.core.encoding import derive
from otherminds.household.epistemic.formula import KnowledgeChain, probed
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.probes import answer_of, question_of
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding
from otherminds.household.tasks.load import load_task
from otherminds.household.world import HouseholdWorld
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from tests.household import small_house as small


@dataclass
class Played:
    """An episode: its world, what was done, and each mind's answers by the name of the goal's chain.

    Truths are the paper's: the world, or what the next agent answered.
    """

    world: HouseholdWorld
    minds: Mapping[str, Mind]
    answers: dict[str, Any]
    truths: dict[str, Any]

    @property
    def solved(self) -> bool:
        return self.world.solved()

    def calls(self, seat: str) -> list[str]:
        """What a seat did, without the turns in which it waited."""
        return [e.call for e in self.world.log if e.seat == seat and e.call != "Wait[]"]

    @property
    def said(self) -> list[tuple[str, str, str]]:
        """Every message: who, to whom, what."""
        return [(m.sender, m.to, m.text) for m in self.world.messages]

    @property
    def failures(self) -> list[str]:
        """The texts of all calls that did not work."""
        return [entry.text for entry in self.world.log if not entry.ok]

    @property
    def right(self) -> list[bool]:
        """Whether each literal probe that counts was answered with the truth."""
        return [
            self.answers[name] == truth for name, truth in self.truths.items() if not name.startswith(HELPER)
        ]


def play(house: House, minds: Mapping[str, Mind], turns: int, seed: int = 0) -> Played:
    """One episode; a mind is granted what it needs."""
    world = HouseholdWorld(house, turns)
    grants = {
        seat: {"secrets": others_secrets(house, seat)}
        for seat, mind in minds.items()
        if "secrets" in mind.grants
    }
    observations, infos = world.reset(seed, {"grants": grants})
    now = Now()
    for seat, mind in minds.items():
        mind.begin(world.brief(seat), SeatContext(seat, derive(seed, seat), now))
    while True:
        now.step = world.turn
        for seat, mind in minds.items():
            told = infos[seat]["told"]
            finish(mind.perceive(Moment(world.turn, observations[seat], told=told, last=not world.agents)))
        if not world.agents:
            break
        actions = {seat: finish(mind.act()) for seat, mind in minds.items()}
        observations, _, _, _, infos = world.step(actions)
    chains = probed(house.goal)
    questions = [question_of(name, chain) for name, chain in chains.items()]
    answers = {q.id: finish(minds[q.seat].answer(q)) for q in questions}
    return Played(world, minds, answers, {q.id: _truth(world, chains, q.id, answers) for q in questions})


def _truth(
    world: HouseholdWorld, chains: Mapping[str, KnowledgeChain], name: str, answers: Mapping[str, Any]
) -> Any:
    fact, others = chains[name].fact, chains[name].agents[1:]
    if not others:
        return answer_of(fact, holds(world.engine, fact))
    return next(answers[other] for other, chain in chains.items() if chain == KnowledgeChain(others, fact))


def others_secrets(house: House, seat: str) -> tuple[str, ...]:
    """The grant of who knows everything."""
    given = house.task.agent_secrets
    return tuple(
        f"{other} was told: {text}"
        for other in house.agents
        if other != seat
        for text in given.get(other, ())
    )


def shipped(task_id: str) -> House:
    """A task of the project, compiled."""
    task = load_task(task_id)
    return House(task, load_scene(task.scene_id))


def house(*bindings: Binding, goal: str, secrets: Mapping[str, Sequence[str]], **fields: Any) -> House:
    """A task in the small house, in which agents are told ``secrets``."""
    given = {seat: tuple(texts) for seat, texts in secrets.items()}
    return small.house(*bindings, goal=goal, agent_secrets=given, **fields)


def barred(agent: str, *rooms: str) -> Binding:
    """Keeps one agent out of rooms."""
    return Binding("room_restriction", restricted_rooms=rooms, for_agents=(agent,))


def brief(seat: str = "agent_0", secrets: Sequence[str] = (), agents: int = 3) -> Brief:
    """What a seat is told at the start of a task in the small house."""
    made = small.world(agents=agents).brief(seat)
    return Brief(
        seat, made.others, made.action_space, made.behaviours, made.reward_range, 40, secrets=tuple(secrets)
    )


def plan() -> dict[str, Any]:
    """The floor plan of the small house, as every observation holds it."""
    return small.world().reset()[0]["agent_0"]["house"]
