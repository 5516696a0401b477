"""The checks on partners: a test is an expected trajectory, in a minimal world that repeats a stage game."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
from gymnasium.spaces import Discrete, Space
from msgspec.structs import replace

from otherminds.core.contracts import Mind
from otherminds.core.data import (
    Action,
    Answer,
    Automaton,
    Behaviour,
    Brief,
    Encounter,
    Game,
    Invalid,
    Moment,
    Partner,
    Question,
    Seat,
    SkillChoice,
)
from otherminds.core.errors import WorldError
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Population, Scenario, Setup, World
from otherminds.games.automata import check
from otherminds.games.player import AutomatonPlayer
from otherminds.testing.compare import (
    alike,
    form,
    global_randomness,
    keeping,
    leaves_randomness_alone,
    promise,
)
from otherminds.testing.episodes import RandomMind, ScriptedMind, played, same

EGO, PARTNER = "ego", "partner_0"


class StageWorld(World):
    """``game`` for ``rounds`` rounds: ``ego`` in the row seat, ``partner_0`` in the column seat.

    Actions are indices of behaviours. A seat observes the number of finished rounds, and receives
    the behaviours as encounters. There is no fallback.
    """

    metadata: dict[str, Any] = {"name": "stage_v1", "render_modes": []}  # noqa: RUF012 - Gymnasium's form

    def __init__(self, game: Game, rounds: int) -> None:
        self.game = game
        self.rounds = rounds
        self.render_mode = None
        self.possible_agents = [EGO, PARTNER]
        self.agents: list[Seat] = []
        self.history: list[dict[Seat, tuple[str, ...]]] = []
        self._views = {EGO: game, PARTNER: game.flipped()}
        self._actions = {seat: Discrete(len(view.behaviours[0])) for seat, view in self._views.items()}
        self._observations = {seat: Discrete(rounds + 1) for seat in self._views}
        self._grants: dict[Seat, dict[str, Any]] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        self.agents = list(self.possible_agents)
        self.history = []
        self._grants = (options or {}).get("grants", {})
        return {seat: np.int64(0) for seat in self.agents}, {seat: {} for seat in self.agents}

    def step(
        self, actions: dict[Seat, Action]
    ) -> tuple[
        dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
    ]:
        seats = self.possible_agents
        for seat in seats:
            if not self._actions[seat].contains(actions[seat]):
                raise WorldError(f"action {actions[seat]!r} of seat {seat!r} is not the index of a behaviour")
        row, column = (int(actions[seat]) for seat in seats)
        rewards = dict(zip(seats, self.game.payoffs[row][column], strict=True))
        did = {EGO: (self.game.behaviours[0][row],), PARTNER: (self.game.behaviours[1][column],)}
        step = len(self.history)
        self.history.append(did)
        if over := step + 1 == self.rounds:
            self.agents = []
        return (
            {seat: np.int64(step + 1) for seat in seats},
            rewards,
            dict.fromkeys(seats, over),
            dict.fromkeys(seats, False),
            {seat: {"encounters": (Encounter(step, dict(did), rewards[seat]),)} for seat in seats},
        )

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self._observations[agent]

    def action_space(self, agent: Seat) -> Space[Any]:
        return self._actions[agent]

    def brief(self, seat: Seat) -> Brief:
        view = self._views[seat]
        other = PARTNER if seat == EGO else EGO
        pays = [own for row in view.payoffs for own, _ in row]
        behaviours = {seat: view.behaviours[0], other: view.behaviours[1]}
        brief = Brief(seat, (other,), self._actions[seat], behaviours, (min(pays), max(pays)), self.rounds)
        return replace(brief, **self._grants.get(seat, {}))

    def fallback(self, seat: Seat) -> Action | None:
        return None

    def truth(self, question: Question, step: int) -> Answer | None:
        return self.history[step][question.about][0] if step < len(self.history) else None


def stage(game: Game, rounds: int, partner: Callable[[], Mind]) -> Scenario:
    """A scenario in the :class:`StageWorld` in which ``ego`` meets what ``partner()`` makes."""
    return Scenario(
        id=f"{game.name}-stage-v1",
        world=lambda: StageWorld(game, rounds),
        population=Population(((Fraction(1), (SeatSpec("partner"),)),)),
        partner=lambda spec, seat: (partner(), Partner(spec.mind)),
        game=game,
    )


SEEDS = range(10)


class PartnerConformance:
    """Inherit this in a test class; write :meth:`make_automaton` and ``trajectory``.

    ``trajectory`` lists for each round the behaviour of the other seat and the partner's own;
    ``seed`` is that of its episode, for partners that play at random.
    """

    trajectory: Sequence[tuple[Behaviour, Behaviour]] = ()
    seed: int = 0

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        """The game (the partner has its column seat), the automaton, and the number of rounds that it is for."""
        raise NotImplementedError(f"{type(self).__name__} must write make_automaton()")

    def make_partner(self) -> Mind:
        """The mind that plays it."""
        return AutomatonPlayer(self.make_automaton()[1])

    def test_automaton_is_well_formed(self) -> None:
        """Its tables fit the game, every state has a distribution, and it round-trips through JSON."""
        game, automaton, _ = self.make_automaton()
        with keeping(f"an automaton for the column seat of {game.name!r}", WorldError):
            check(automaton, game)
        back = msgspec.json.decode(form(automaton), type=Automaton)
        changed = f"{back} is not {automaton}"
        promise(back == automaton, "an automaton comes back from JSON as it was", changed)

    def test_trajectory(self) -> None:
        """Against a script, it plays the expected behaviour in every round."""
        expected = [own for _, own in self.trajectory]
        behaviours = _list_behaviours(self._meet(self._make_script(), self.seed))
        promised = f"against {[other for other, _ in self.trajectory]} it plays {expected}"
        alike(expected, behaviours, promised, f"it played {behaviours}:")

    def test_same_seed_same_play(self) -> None:
        """The seed determines its play: for two fresh partners, and for one that is used again."""
        partner = self.make_partner()
        for seed in SEEDS:
            once, again = self._meet(RandomMind(), seed), self._meet(RandomMind(), seed)
            reused = self._meet(RandomMind(), seed, partner)
            for other in (again, reused):
                same(once, other, f"under seed {seed} the partner plays the same again")

    def test_draws_do_not_depend_on_ego(self) -> None:
        """Random draws of ego do not change its play."""
        for seed in SEEDS:
            calm = _list_behaviours(self._meet(self._make_script(), seed))
            with global_randomness(seed):
                gambled = _list_behaviours(self._meet(_Gambler(self._make_script().script), seed))
            promised = f"under seed {seed} the partner's draws depend on its own path only"
            alike(calm, gambled, promised, "with another ego it plays differently")

    def test_global_randomness_is_left_alone(self) -> None:
        """It neither reads nor changes the global generators."""

        def play() -> list[Behaviour]:
            return _list_behaviours(self._meet(self._make_script(), self.seed))

        first, other = leaves_randomness_alone(play, "the partner")
        alike(first, other, "the global generators are not read", "they decide what the partner plays")

    def _make_script(self) -> ScriptedMind:
        return ScriptedMind([other for other, _ in self.trajectory])

    def _meet(self, ego: Mind, seed: int, partner: Mind | None = None) -> Record:
        """An episode as long as the trajectory; the partner meets ``ego``."""
        game, _, rounds = self.make_automaton()
        length = len(self.trajectory)
        promised = f"a trajectory of 1 to {rounds} rounds, for which the automaton is made"
        promise(0 < length <= rounds, promised, f"it has {length}")
        scenario = stage(game, length, lambda: partner or self.make_partner())
        return played(Setup(scenario, {EGO: ego}, seed))


class _Gambler(ScriptedMind):
    """Plays its script, and draws from its context and the global generator at every step."""

    async def perceive(self, moment: Moment) -> None:
        random.random()
        self.context.rng.random()

    async def act(self) -> Action | SkillChoice | Invalid:
        self.context.rng.shuffle([1, 2, 3])
        random.getrandbits(64)
        return await super().act()


def _list_behaviours(record: Record) -> list[Behaviour]:
    """What the partner did, round by round."""
    return [encounter.did[PARTNER][0] for encounter in record.met[PARTNER]]
