"""One episode: ``play`` and ``aplay``, and a scenario as a PettingZoo parallel environment, ``make``."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import coroutine
from typing import Any, TypeAlias, TypeVar

from pettingzoo import ParallelEnv  # pyright: ignore[reportMissingTypeStubs]

from otherminds.api import public
from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, Seat
from otherminds.core.errors import InternalError, StudyError, WorldError
from otherminds.core.model import Model
from otherminds.core.record import Record, SeatSpec, Timing
from otherminds.core.registry import stamp_origin
from otherminds.core.scenario import Participant, Scenario, Setup, World
from otherminds.core.scenario import scenario as make_scenario
from otherminds.minds.registry import make_seated
from otherminds.models.registry import open_model
from otherminds.models.wrapper import close
from otherminds.models.wrappers import Retrying
from otherminds.play.loop import play as play_setup

T = TypeVar("T")
Player: TypeAlias = str | SeatSpec | Mind | Participant
"""A mind under test: a name (``"rmax"``, ``"qa@smollm2"``), a name with parameters, or a mind."""


@public
def play(
    scenario: str | Scenario,
    mind: Player | Mapping[Seat, Player],
    *,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    partners: Mapping[Seat, SeatSpec] | None = None,
    ask: bool = True,
) -> Record:
    """Plays one episode and returns its record.

    The same arguments give equal records, apart from replies of language models that are not reproducible. In
    a notebook, where an event loop runs already, the episode is played in a thread.

    Args:
        scenario: The name of a scenario (``otherminds.scenarios`` lists them), or a scenario.
        mind: The mind under test: the name of a mind, or ``MIND@MODEL`` for a strategy with a language
            model; a `SeatSpec` to give parameters; a mind or a `Participant`; or a
            mapping from seats to any of these. Without a mapping it plays in every seat under test.
        seed: Determines the partner and every random draw.
        options: Options of the scenario, by name, such as ``rounds``.
        partners: Members of the population by seat, in place of those that ``seed`` draws.
        ask: Whether the questions of the scenario are asked. Asking never changes acting.

    Returns:
        The record. Where a provider, a reply, the world or a task failed, its ``outcome`` says so.

    Raises:
        StudyError: a name, an option or a parameter is wrong, or the mind does not fit the scenario.
        ProviderError: the model cannot be opened.

    Examples:
        >>> import otherminds as om
        >>> om.play("ipd-tit_for_tat-v1", "nash", seed=0, options={"rounds": 10})
        <Record of ipd-tit_for_tat-v1, seed 0, 10 steps, scored: ego nash 55, partner_0 tit_for_tat 45>
    """
    return wait_for(aplay(scenario, mind, seed=seed, options=options, partners=partners, ask=ask))


@public
async def aplay(
    scenario: str | Scenario,
    mind: Player | Mapping[Seat, Player],
    *,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    partners: Mapping[Seat, SeatSpec] | None = None,
    ask: bool = True,
) -> Record:
    """As `play`, on the event loop that is running. Several may be awaited together."""
    built = build(scenario, options)
    models: dict[str, Model] = {}
    try:
        minds = {seat: make_participant(built, who, models) for seat, who in _seats(built, mind).items()}
        record, _ = await play_setup(Setup(built, minds, seed, partners=partners, ask=ask))
    finally:
        for model in models.values():
            await close(model)
    return record


def build(scenario: str | Scenario, options: Mapping[str, Any] | None) -> Scenario:
    """The scenario of that name under ``options``, or the one that was given.

    Raises:
        StudyError: no such scenario, a wrong option, or options for a scenario that is made already.
    """
    if isinstance(scenario, str):
        return make_scenario(scenario, dict(options or {}))
    if options:
        raise StudyError(f"scenario {scenario.id!r} is made already; give its options where it is made")
    return scenario


def wait_for(waiting: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, whether an event loop runs in this thread or not."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(waiting)
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def run() -> T:
        task = asyncio.ensure_future(waiting)
        begun.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, run())
        try:
            return future.result()
        except KeyboardInterrupt:
            for loop, task in begun:
                loop.call_soon_threadsafe(task.cancel)
            raise


def _seats(built: Scenario, mind: Player | Mapping[Seat, Player]) -> dict[Seat, Player]:
    if isinstance(mind, Mapping):
        return dict(mind)
    if len(built.focal) > 1 and not isinstance(mind, str | SeatSpec):
        raise StudyError(
            f"scenario {built.id!r} has {len(built.focal)} seats under test, and one mind cannot play in all of "
            f"them; give a mapping from {', '.join(built.focal)} to minds"
        )
    return dict.fromkeys(built.focal, mind)


def make_participant(built: Scenario, who: Player, models: dict[str, Model]) -> Participant:
    """The participant with its model; ``models`` has the open models by name."""
    if isinstance(who, Participant):
        return who
    if isinstance(who, str):
        name, _, model = who.partition("@")
        who = SeatSpec(name, {}, model)
    if not isinstance(who, SeatSpec):
        return Participant(who)
    mind = make_seated(built, who)
    if who.model and who.model not in models:
        models[who.model] = Retrying(open_model(who.model))
    return Participant(mind, models[who.model] if who.model else None, who.label)


@public
def make(scenario: str | Scenario, options: Mapping[str, Any] | None = None) -> ScenarioEnv:
    """A scenario as a PettingZoo parallel environment.

    Partners are part of a scenario: the agents of the environment are its seats under test
    (``ego``, or a whole team), and the partners that the population draws act inside it. A world
    with every seat open is ``scenario.world()``, also a parallel environment.

    Args:
        scenario: The name of a scenario, or a scenario.
        options: Options of the scenario, by name, such as ``rounds``.

    Raises:
        StudyError: no such scenario, or a wrong option.

    Examples:
        >>> import otherminds as om
        >>> env = om.make("rps-mixed-v1", {"rounds": 3})
        >>> observations, infos = env.reset(seed=0)
        >>> env.agents, env.action_space("ego")
        (['ego'], Discrete(3))
    """
    return ScenarioEnv(build(scenario, options))


class ScenarioEnv(ParallelEnv[Seat, Any, Action]):
    """The seats under test of a scenario; its partners act inside. See `make`.

    ``reset(seed=k)`` starts the episode that ``otherminds.play(..., seed=k)`` plays: the same partner, the
    same draws. Without a seed the next episode follows the last one, so that partners come in turn.
    Observations, rewards, terminations and truncations are those of the world; ``infos[agent]`` has the
    ``encounters`` that are finished and the messages ``told``. No questions are asked.

    Attributes:
        record: The record of the last episode, once it is over; ``None`` before.
    """

    def __init__(self, scenario: Scenario) -> None:
        world = scenario.world()
        self.metadata = {"name": scenario.id, "render_modes": []}
        self.render_mode = None
        self.possible_agents: list[Seat] = list(scenario.focal)
        self.agents: list[Seat] = []
        self.record: Record | None = None
        self._scenario = scenario
        self._spaces = {
            seat: (world.observation_space(seat), world.action_space(seat)) for seat in scenario.focal
        }
        self._episode: _SuspendedEpisode | None = None
        self._seed = -1

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        """Starts an episode. ``options`` is part of PettingZoo's interface and is not used."""
        self.close()
        self._seed = self._seed + 1 if seed is None else seed
        self.record = None
        self._episode = episode = _SuspendedEpisode(self._scenario, self._seed)
        self.agents = list(self.possible_agents)
        agents = episode.agents
        return {seat: agent.moment.observation for seat, agent in agents.items()}, _infos(agents)

    def step(
        self, actions: dict[Seat, Action]
    ) -> tuple[
        dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
    ]:
        """Plays one step of the world.

        Raises:
            WorldError: no episode is going on, an agent has no action, or the world refuses one.
        """
        episode = self._episode
        if episode is None or not self.agents:
            raise WorldError("no episode is going on; call reset() before step()")
        if missing := [seat for seat in self.agents if seat not in actions]:
            raise WorldError(f"no action is given for {', '.join(missing)}")
        seats = self.agents
        self.record = episode.step(actions)
        if self.record is not None:
            self.agents = []
            if self.record.outcome.status != "scored":
                raise WorldError(self.record.outcome.reason)
        agents = episode.agents
        terminated, truncated = episode.ended
        return (
            {seat: agent.moment.observation for seat, agent in agents.items()},
            {seat: agent.moment.reward for seat, agent in agents.items()},
            {seat: terminated[seat] for seat in seats},
            {seat: truncated[seat] for seat in seats},
            _infos(agents),
        )

    def observation_space(self, agent: Seat) -> Any:
        return self._spaces[agent][0]

    def action_space(self, agent: Seat) -> Any:
        return self._spaces[agent][1]

    def close(self) -> None:
        """Ends the episode that is going on."""
        if self._episode is not None:
            self._episode.playing.close()
        self.agents = []


class Agent(Mind):
    """The mind in an agent's seat: it waits for the next action that ``step`` is given."""

    answers = False

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._seat = brief.seat
        self.moment = Moment(0, None)

    async def perceive(self, moment: Moment) -> None:
        self.moment = moment

    async def act(self) -> Action:
        return await _action_of(self._seat)

    async def answer(self, question: Question) -> Answer | Invalid:
        raise InternalError("an agent of an environment is asked no questions")


@coroutine
def _action_of(seat: Seat) -> Generator[Seat, Action, Action]:
    """Suspends the episode until the action of ``seat`` is sent."""
    return (yield seat)


class _SuspendedEpisode:
    """One episode of the loop that all minds play in, suspended whenever an agent has to act."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self.ended: tuple[dict[Seat, bool], dict[Seat, bool]] = ({}, {})
        self.agents = {seat: Agent() for seat in scenario.focal}
        watched = replace(scenario, world=lambda: self._watch(scenario.world()))
        if scenario.origin is not None:
            stamp_origin(watched, scenario.origin.maker, scenario.origin.name, scenario.origin.params)
        self.playing: Coroutine[Any, Action, tuple[Record, Timing]] = play_setup(
            Setup(watched, self.agents, seed, ask=False)
        )
        self._turn = self.playing.send(None)  # plays until the first agent has to act

    def step(self, actions: Mapping[Seat, Action]) -> Record | None:
        """Plays until the first agent has to act again; gives the record when the episode is over."""
        try:
            for _ in self.agents:
                self._turn = self.playing.send(actions[self._turn])
        except StopIteration as done:
            return done.value[0]
        return None

    def _watch(self, world: World) -> World:
        """``world``, with the ends of its last step kept: the loop itself has no use for them."""
        step = world.step

        def step_and_note(actions: dict[Seat, Action]) -> Any:
            result = step(actions)
            self.ended = (result[2], result[3])
            return result

        world.step = step_and_note
        return world


def _infos(agents: Mapping[Seat, Agent]) -> dict[Seat, dict[str, Any]]:
    moments = {seat: agent.moment for seat, agent in agents.items()}
    return {seat: {"encounters": moment.encounters, "told": moment.told} for seat, moment in moments.items()}
