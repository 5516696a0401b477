"""The checks on partners: a test is an expected trajectory."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from otherminds.core.contracts import Mind
from otherminds.core.data import Action, Automaton, Behaviour, Game, Invalid, Moment, SkillChoice
from otherminds.core.errors import WorldError
from otherminds.core.record import Record
from otherminds.core.setup import Setup
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
from otherminds.testing.episodes import played, same
from otherminds.testing.simple import RandomMind, ScriptedMind
from otherminds.testing.stage import EGO, PARTNER, stage

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
