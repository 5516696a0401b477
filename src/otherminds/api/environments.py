"""Scenarios as environments of PettingZoo and Gymnasium: ``make``; and policies trained in them as minds: ``policy``."""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import coroutine
from typing import Any, TypeAlias, cast

import gymnasium
from gymnasium.spaces import Discrete, Space
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import iterate
from pettingzoo import ParallelEnv  # pyright: ignore[reportMissingTypeStubs]

from otherminds.api import gymnasium_ids, public
from otherminds.api.playing import build
from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, Seat
from otherminds.core.encoding import check_seed
from otherminds.core.errors import InternalError, StudyError, WorldError
from otherminds.core.record import Record, SeatSpec, Timing
from otherminds.core.registry import stamp_origin
from otherminds.core.scenario import Scenario, Setup, World, environments
from otherminds.minds.policies import Convert, Policy, PolicyMind
from otherminds.play.loop import play as play_setup

__all__ = ["gymnasium_ids", "make", "policy"]
Members: TypeAlias = Mapping[Seat, str | SeatSpec]
"""Members of a population by seat, as names or with parameters."""


@public
def make(
    scenario: str | Scenario,
    options: Mapping[str, Any] | None = None,
    *,
    render_mode: str | None = None,
    partners: Members | str | Scenario | None = None,
    num_envs: int | None = None,
    autoreset_mode: AutoresetMode | str | None = None,
) -> Any:
    """A scenario, or a substrate of a gridworld, as an environment for learning.

    A *scenario* (``"rps-mixed-v1"``) becomes a PettingZoo parallel environment, `ScenarioEnv`. Its agents are the seats
    under test (``ego``, or a whole team); the partners that the population draws act inside it. With
    ``num_envs`` it becomes a Gymnasium vector environment of that many copies; this needs a single seat under test. Copy i
    plays the episodes of seeds i, i + ``num_envs``, ..., so that no two copies play the same episode.

    A *substrate* (``"rws-repeated-v1"``) becomes an environment in which every seat is an agent, with the
    observations that learners use; with ``num_envs`` it becomes a vector environment of that many agents, which compiled
    code steps together. ``options`` are then ``observe`` (``symbolic``, ``codes``, ``rgb`` or ``official``) and ``threads``
    (with ``num_envs``).

    ``gymnasium.make("otherminds/NAME", options=..., partners=...)`` is a single seat of either, and
    ``gymnasium.make_vec("otherminds/NAME", num_envs=..., ...)`` the vector environment, with Gymnasium's own default of
    ``autoreset_mode``, ``NextStep``. All environments can be pickled and copied, and the copy goes on from the same state;
    that of a scenario plays the actions of its episode again for it.

    ``env.metadata["observations"]`` says what an agent observes; the docstring of the environment repeats it.

    Args:
        scenario: The name of a scenario or of a substrate, or a scenario.
        options: Options of the scenario by name, such as ``rounds``, or of the substrate.
        render_mode: ``"ansi"`` (text) or ``"rgb_array"``, where the world has it.
        partners: In a scenario, members of its population by seat, which play in place of those that the seed
            draws: ``{"partner_0": "tit_for_tat"}``. In a substrate, the scenario whose partners play in all
            seats but the first: ``"rws-repeated-mixed-v1"``.
        num_envs: The number of sub-environments of a vector environment.
        autoreset_mode: When a sub-environment of a vector environment begins its next episode: in the step that ends
            the last one, ``"SameStep"`` (the default), or in the next one, ``"NextStep"``, as most wrappers of Gymnasium ask.

    Returns:
        A ``pettingzoo.ParallelEnv``, or with ``num_envs`` a ``gymnasium.vector.VectorEnv``.

    Raises:
        StudyError: no such scenario, a wrong option or partner, no such ``render_mode`` or ``autoreset_mode``, or
            ``num_envs`` in a scenario with several seats under test.

    Examples:
        >>> import otherminds as om
        >>> env = om.make("rps-mixed-v1", {"rounds": 3})
        >>> observations, infos = env.reset(seed=0)
        >>> env.agents, env.action_space("ego")
        (['ego'], Discrete(3))
        >>> envs = om.make("rws-repeated-v1", num_envs=4)
        >>> envs.reset(seed=0)[0].shape
        (4, 529)
    """
    if num_envs is not None and (type(num_envs) is not int or num_envs < 1):
        raise StudyError(f"num_envs must be a whole number of at least 1, not {num_envs!r}")
    mode = None if autoreset_mode is None else _read_autoreset(autoreset_mode)
    if mode is not None and num_envs is None:
        raise StudyError("autoreset_mode is one of a vector environment; give num_envs too")
    if isinstance(scenario, str) and scenario in environments:
        keywords = {"render_mode": render_mode, "partners": partners, "num_envs": num_envs}
        keywords["autoreset_mode"] = mode
        chosen = {name: value for name, value in keywords.items() if value is not None}
        return environments.make(scenario, {**(options or {}), **chosen})
    members = _check_members(partners)
    built = build(scenario, options)
    if num_envs is None:
        return ScenarioEnv(built, render_mode, members)
    copies = [partial(SeatEnv, built, None, render_mode, members, i, num_envs) for i in range(num_envs)]
    return SeatEnvs(copies, autoreset_mode=mode or AutoresetMode.SAME_STEP)


def make_vector(
    scenario: str,
    num_envs: int,
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
    partners: Members | str | Scenario | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
) -> Any:
    """The vector environment of ``gymnasium.make_vec``: see `make`."""
    return make(
        scenario,
        options,
        render_mode=render_mode,
        partners=partners,
        num_envs=num_envs,
        autoreset_mode=autoreset_mode,
    )


def _check_members(partners: Members | str | Scenario | None) -> Members | None:
    if isinstance(partners, str | Scenario):
        raise StudyError(
            f"partners of a scenario are given by seat, such as {{'partner_0': 'tit_for_tat'}}, not {partners!r}"
        )
    return partners


def _read_autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    for known in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP):
        if mode in {known, known.value}:
            return known
    raise StudyError(f"autoreset_mode is 'SameStep' or 'NextStep', not {mode!r}")


class ScenarioEnv(ParallelEnv[Seat, Any, Action]):
    """The seats under test of a scenario; its partners act inside. See `make`.

    ``reset(seed=k)`` starts the episode that ``otherminds.play(..., seed=k)`` plays: the same partner, the
    same draws. Without a seed the next episode follows the last one, so that partners come in turn.
    Observations, rewards, terminations and truncations are those of the world; ``infos[agent]`` has the
    ``encounters`` that are finished and the messages ``told``. No questions are asked.

    An action outside the action space raises an error and is not played; the episode goes on. It is an error and no
    penalty, since a learner can only choose it by a mistake of its code, which a penalty would hide. A text that is
    no valid call of a tool in the household is inside its action space: it costs the turn, as the rules say.

    A copy, by pickle or ``copy``, goes on from the same state: it plays the actions of the episode again, at the cost
    of their time and of what partners ask of language models. A scenario that is not registered cannot be pickled.

    Attributes:
        record: The record of the last episode, once it is over; ``None`` before.
    """

    def __init__(
        self,
        scenario: Scenario,
        render_mode: str | None = None,
        partners: Members | None = None,
        first: int = 0,
        stride: int = 1,
    ) -> None:
        world = scenario.world()
        modes: list[str] = world.metadata.get("render_modes", [])
        if render_mode not in (None, *modes):
            raise StudyError(
                f"{scenario.id} has no render_mode {render_mode!r}; it has {', '.join(modes) or 'none'}"
            )
        self.possible_agents: list[Seat] = list(scenario.focal)
        self._spaces = {
            seat: (world.observation_space(seat), world.action_space(seat)) for seat in scenario.focal
        }
        about = world.metadata.get("observations") or str(world.observation_space(scenario.focal[0]))
        self.metadata = {"name": scenario.id, "render_modes": modes, "render_fps": 8, "observations": about}
        self.__doc__ = f"{type(self).__doc__}\n\n    Observations of {scenario.id}:\n\n{_list_parts(about)}"
        self.render_mode = render_mode
        self.agents: list[Seat] = []
        self.record: Record | None = None
        self._scenario = scenario
        self._partners: dict[Seat, SeatSpec] | None = None
        if partners is not None:
            specs = {seat: SeatSpec(who) if isinstance(who, str) else who for seat, who in partners.items()}
            # Partners that cannot play are refused here, and not by the first reset.
            _ = Setup(scenario, {seat: Agent() for seat in scenario.focal}, 0, specs).spec
            self._partners = specs
        self._episode: _SuspendedEpisode | None = None
        self._played: list[dict[Seat, Action]] = []
        self._seed, self._stride = first - stride, stride

    def __reduce__(self) -> tuple[type[ScenarioEnv], tuple[Any, ...], dict[str, Any]]:
        made_with = (self._scenario, self.render_mode, self._partners, 0, self._stride)
        state = {"seed": self._seed, "begun": self._episode is not None, "played": self._played}
        return type(self), made_with, state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["begun"]:
            self.reset(state["seed"])
            for actions in state["played"]:
                self.step(actions)
        else:
            self._seed = state["seed"]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        """Starts an episode. ``options`` is part of PettingZoo's interface and is not used.

        Raises:
            StudyError: ``seed`` is no whole number from 0 to 2**63 - 1. The episode is where it was.
        """
        seed = None if seed is None else check_seed(seed)
        self.close()
        self._seed = self._seed + self._stride if seed is None else seed
        self.record = None
        self._played = []
        self._episode = episode = _SuspendedEpisode(
            self._scenario, self._seed, self._partners, self.render_mode
        )
        self.agents = list(self.possible_agents)
        agents = episode.agents
        return {seat: agent.moment.observation for seat, agent in agents.items()}, _make_infos(agents)

    def step(
        self, actions: dict[Seat, Action]
    ) -> tuple[
        dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
    ]:
        """Plays one step of the world.

        Raises:
            WorldError: no episode is going on, an agent has no action, or one that is not in its action space.
                The episode is where it was.
        """
        episode = self._episode
        if episode is None or not self.agents:
            raise WorldError("no episode is going on; call reset() before step()")
        if not isinstance(actions, Mapping):
            raise WorldError(
                f"actions are given by agent, {{{self.agents[0]!r}: action}}, not {str(actions)[:60]!r}"
            )
        if missing := [seat for seat in self.agents if seat not in actions]:
            raise WorldError(f"no action is given for {', '.join(missing)}")
        seats = self.agents
        chosen = {seat: self.read_action(seat, actions[seat]) for seat in seats}
        self.record = episode.step(chosen)
        self._played.append(chosen)
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
            _make_infos(agents),
        )

    def render(self) -> Any:
        """The state of the world: a text (``ansi``) or uint8[height, width, 3] (``rgb_array``).

        Raises:
            WorldError: the environment was made without a ``render_mode``, or was not reset yet.
        """
        if self.render_mode is None or self._episode is None:
            raise WorldError("give make() a render_mode, and call reset() before render()")
        return self._episode.world.render()

    def observation_space(self, agent: Seat) -> Any:
        return self._spaces[agent][0]

    def action_space(self, agent: Seat) -> Any:
        return self._spaces[agent][1]

    def close(self) -> None:
        """Ends the episode that is going on."""
        if self._episode is not None:
            self._episode.playing.close()
        self.agents = []

    def read_action(self, seat: Seat, action: Action) -> Action:
        """``action`` as records have it.

        Raises:
            WorldError: it is not in the action space of ``seat``.
        """
        space = self._spaces[seat][1]
        try:
            legal = bool(space.contains(action))
        except (TypeError, ValueError, AttributeError):  # spaces raise these for objects of other types
            legal = False
        if not legal:
            raise WorldError(
                f"action {str(action)[:60]!r} of seat {seat!r} is not in its action space {space}; it was not "
                "played, and the episode goes on"
            )
        return int(action) if isinstance(space, Discrete) else action


class SeatEnv(gymnasium.Env[Any, Action]):
    """The one seat under test of a scenario, or the first of a substrate with partners: ``gymnasium.make("otherminds/NAME")``.

    Episodes, observations and illegal actions are as in `ScenarioEnv` or in the substrate's own environment. Without a
    seed, episodes of a scenario have the seeds ``first``, ``first`` + ``stride``, ...

    Raises:
        StudyError: as for `make`, or there are several seats.
    """

    def __init__(
        self,
        scenario: str | Scenario,
        options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        partners: Members | str | Scenario | None = None,
        first: int = 0,
        stride: int = 1,
    ) -> None:
        if isinstance(scenario, str) and scenario in environments:
            self.env = make(scenario, options, render_mode=render_mode, partners=partners)
        else:
            members = _check_members(partners)
            self.env = ScenarioEnv(build(scenario, options), render_mode, members, first, stride)
        seats = self.env.possible_agents
        if len(seats) != 1:
            raise StudyError(
                f"{self.env.metadata['name']} has {len(seats)} seats under test ({', '.join(seats)}), and a Gymnasium "
                "environment has one; otherminds.make without num_envs has them all, and a substrate has one with partners"
            )
        (self._seat,) = seats
        self.render_mode = render_mode
        self.metadata = self.env.metadata
        self.__doc__ = self.env.__doc__
        self.convert_observation = getattr(self.env, "convert_observation", None)
        self.observation_space = self.env.observation_space(self._seat)
        self.action_space = self.env.action_space(self._seat)

    @property
    def record(self) -> Record | None:
        """The record of the last episode, once it is over; ``None`` before, and in a substrate."""
        return self.env.record if isinstance(self.env, ScenarioEnv) else None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts an episode. ``options`` is part of Gymnasium's interface and is not used."""
        observations, infos = self.env.reset(seed)
        super().reset(seed=None if seed is None else int(seed))
        return observations[self._seat], infos[self._seat]

    def step(self, action: Action) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays one step; see `ScenarioEnv.step`."""
        seat = self._seat
        observations, rewards, terminated, truncated, infos = self.env.step({seat: action})
        return observations[seat], rewards[seat], terminated[seat], truncated[seat], infos[seat]

    def render(self) -> Any:
        return self.env.render()

    def close(self) -> None:
        self.env.close()


class SeatEnvs(SyncVectorEnv):
    """Copies of a `SeatEnv`, of which none is stepped unless the actions of all are legal."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode in each copy: of the seeds ``seed``, ``seed`` + 1, ..., or of those in a list."""
        several = isinstance(seed, Iterable) and not isinstance(seed, str | bytes)
        seeds = [None if each is None else check_seed(each) for each in (seed if several else [seed])]
        if not several and seeds[0] is not None:
            check_seed(seeds[0] + self.num_envs - 1)
        return super().reset(seed=seeds if several else seeds[0], options=options)

    def step(self, actions: Any) -> Any:
        """Plays one step in each copy.

        Raises:
            WorldError: an action is missing, or not in its action space. All copies are where they were.
        """
        try:
            by_copy = list(iterate(self.action_space, actions))
        except (TypeError, ValueError):  # what has no parts
            by_copy = []
        if len(by_copy) != self.num_envs:
            raise WorldError(f"{self.num_envs} copies need as many actions, not {str(actions)[:60]!r}")
        for copy, action in zip(self.envs, by_copy, strict=True):
            scenario_env = cast("SeatEnv", copy.unwrapped).env
            scenario_env.read_action(scenario_env.possible_agents[0], action)
        return super().step(actions)


@public
def policy(
    fn: Policy,
    env: ParallelEnv[Seat, Any, Action] | gymnasium.Env[Any, Any] | VectorEnv[Any, Any, Any],
    *,
    sample: bool = False,
) -> PolicyMind:
    """A policy that was trained in an environment of `make`, as a mind for `play`, studies and scores.

    The mind observes what the policy observed in training: the observations of ``env`` with its Gymnasium
    wrappers of observations and actions. It answers no questions, so it has F and no L. Records name it ``module:name``,
    and, where that does not import ``fn``, add a digest of its code and what it holds, so that different ones do not
    pool. To play in a study file, name the mind or a function: ``{ mind = "policy", params = { function = "module:name" } }``.

    Args:
        fn: One of these:

            - a function of one observation (NumPy) that returns an action: a whole number, an array with one whole
              number, or, where actions are ``Discrete(n)``, n preferences (floats: logits, probabilities or
              values), of which the largest is played. Arrays may be of NumPy, JAX or PyTorch;
            - a ``torch.nn.Module``, called without gradients on a tensor whose first axis is a batch of one;
            - an object with the ``predict`` of Stable-Baselines3, called with ``deterministic=True``. The state
              of a recurrent one is kept within an episode.
        env: The environment that it was trained in, also a vector environment.
        sample: Draw the action from the softmax of the preferences, by the random stream of the episode's seed, in
            place of the largest. With or without it an episode is determined by its seed, if ``fn`` is a function of
            its observations.

    Raises:
        StudyError: ``env`` is no environment, or a wrapper of it that changes observations or actions is no
            ``ObservationWrapper`` or ``ActionWrapper``. In play: the seat has other actions or observations than ``env``, ``fn`` fails, or
            returns something else.

    Examples:
        >>> import otherminds as om
        >>> env = om.make("ipd-tit_for_tat-v1", {"rounds": 10})
        >>> always_cooperate = om.policy(lambda observation: 0, env)
        >>> om.play("ipd-tit_for_tat-v1", always_cooperate, options={"rounds": 10}).total("ego")
        80.0
    """
    if not isinstance(env, ParallelEnv | gymnasium.Env | VectorEnv):
        raise StudyError(f"a policy needs the environment that it was trained in, not {str(env)[:60]!r}")
    outer: Any = getattr(env.unwrapped, "envs", (env,))[0] if isinstance(env, VectorEnv) else env
    base, observe, act = outer, list[Convert](), list[Convert]()
    while isinstance(base, gymnasium.Wrapper):
        if isinstance(base, gymnasium.ObservationWrapper):
            observe.insert(0, base.observation)
        elif isinstance(base, gymnasium.ActionWrapper):
            act.append(base.action)
        elif _read_spaces(base) != _read_spaces(base.env):
            raise StudyError(
                f"the wrapper {type(base).__name__} changes observations or actions, and is no ObservationWrapper or "
                "ActionWrapper; do the same in the function, and give the environment without it"
            )
        base = base.env
    if (convert := getattr(base, "convert_observation", None)) is not None:
        observe.insert(0, convert)
    return PolicyMind(
        fn, *_read_spaces(outer), _read_spaces(base)[1], tuple(observe), tuple(act), sample=sample
    )


def _read_spaces(env: Any) -> tuple[Space[Any], Space[Any]]:
    """The observation space and the action space of one agent of ``env``."""
    if isinstance(env, ParallelEnv):
        seat = env.possible_agents[0]
        return env.observation_space(seat), env.action_space(seat)
    if isinstance(env, VectorEnv):
        return env.single_observation_space, env.single_action_space
    return env.observation_space, env.action_space


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

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        partners: Mapping[Seat, SeatSpec] | None,
        render_mode: str | None,
    ) -> None:
        self.world: World
        self._render_mode = render_mode
        self.ended: tuple[dict[Seat, bool], dict[Seat, bool]] = ({}, {})
        self.agents = {seat: Agent() for seat in scenario.focal}
        watched = replace(scenario, world=lambda: self._watch(scenario.world()))
        if scenario.origin is not None:
            stamp_origin(watched, scenario.origin.maker, scenario.origin.name, scenario.origin.params)
        self.playing: Coroutine[Any, Action, tuple[Record, Timing]] = play_setup(
            Setup(watched, self.agents, seed, partners, ask=False)
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
        """``world``, kept to be rendered, with the ends of its last step: the loop has no use for either."""
        self.world, world.render_mode = world, self._render_mode
        step = world.step

        def step_and_note(actions: dict[Seat, Action]) -> Any:
            result = step(actions)
            self.ended = (result[2], result[3])
            return result

        world.step = step_and_note
        return world


def _make_infos(agents: Mapping[Seat, Agent]) -> dict[Seat, dict[str, Any]]:
    moments = {seat: agent.moment for seat, agent in agents.items()}
    return {seat: {"encounters": moment.encounters, "told": moment.told} for seat, moment in moments.items()}


def _list_parts(about: str | Mapping[str, str]) -> str:
    """What is observed, as lines of a docstring."""
    parts = about.items() if isinstance(about, Mapping) else [("", about)]
    return "\n".join(f"    - {f'{name}: ' if name else ''}{text}" for name, text in parts)
