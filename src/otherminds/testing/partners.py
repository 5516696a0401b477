"""What every partner keeps: its test is an expected trajectory."""

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
from otherminds.testing.compare import difference, form, global_randomness, leaves_randomness_alone, promise
from otherminds.testing.episodes import body, played
from otherminds.testing.simple import RandomMind, ScriptedMind
from otherminds.testing.stage import EGO, PARTNER, stage

SEEDS = range(10)


class PartnerConformance:
    """Inherit this in a test class; write :meth:`make_automaton` and ``trajectory``.

    ``trajectory`` lists for each round the behaviour of the other seat and then
    the partner's own; ``seed`` is the episode in which it is expected, for
    partners that draw.
    """

    trajectory: Sequence[tuple[Behaviour, Behaviour]] = ()
    seed: int = 0

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        """The game (the partner sits in its column seat), the automaton, and for how many rounds it is."""
        raise NotImplementedError(f"{type(self).__name__} must write make_automaton()")

    def make_partner(self) -> Mind:
        """The mind that plays it."""
        return AutomatonPlayer(self.make_automaton()[1])

    def test_automaton_is_well_formed(self) -> None:
        """Its tables fit the game, every state has a distribution, and JSON gives it back."""
        game, automaton, _ = self.make_automaton()
        try:
            check(automaton, game)
        except WorldError as error:
            raise AssertionError(
                f"promised: an automaton for the column seat of {game.name!r}; happened: {error}"
            ) from error
        back = msgspec.json.decode(form(automaton), type=Automaton)
        promise(
            back == automaton, "an automaton comes back from JSON as it was", f"{back} is not {automaton}"
        )

    def test_trajectory(self) -> None:
        """Played through the one loop against a script, it does what is expected in every round."""
        expected = [own for _, own in self.trajectory]
        shown = _shown(self._meet(self._scripted(), self.seed))
        promise(
            shown == expected,
            f"against {[other for other, _ in self.trajectory]} it plays {expected}",
            f"it played {shown}: {difference(expected, shown)}",
        )

    def test_same_seed_same_play(self) -> None:
        """The seed decides what it draws: two fresh partners play alike, and so does one used again."""
        used = self.make_partner()
        for seed in SEEDS:
            once, again = self._meet(RandomMind(), seed), self._meet(RandomMind(), seed)
            reused = self._meet(RandomMind(), seed, used)
            for other in (again, reused):
                promise(
                    body(once) == body(other),
                    f"under seed {seed} the partner plays the same again",
                    f"it differs {difference(body(once), body(other))}",
                )

    def test_draws_do_not_hang_on_ego(self) -> None:
        """Another ego that shows the same behaviours, but draws a lot, leaves its draws as they were."""
        for seed in SEEDS:
            calm = self._meet(self._scripted(), seed)
            with global_randomness(seed):
                gambled = self._meet(_Gambler(self._scripted().script), seed)
            promise(
                _shown(calm) == _shown(gambled),
                f"under seed {seed} the partner's draws hang on its own path",
                f"with another ego it plays differently {difference(_shown(calm), _shown(gambled))}",
            )

    def test_global_randomness_is_left_alone(self) -> None:
        """It neither reads nor moves the global generators."""
        one, other = leaves_randomness_alone(
            lambda: _shown(self._meet(self._scripted(), self.seed)), "the partner"
        )
        promise(
            one == other,
            "the global generators are not read",
            f"they decide what the partner plays {difference(one, other)}",
        )

    def _scripted(self) -> ScriptedMind:
        return ScriptedMind([other for other, _ in self.trajectory])

    def _meet(self, ego: Mind, seed: int, partner: Mind | None = None) -> Record:
        """An episode as long as the trajectory; the partner meets ``ego``."""
        game, _, rounds = self.make_automaton()
        promise(
            0 < len(self.trajectory) <= rounds,
            f"a trajectory of 1 to {rounds} rounds, for which the automaton is made",
            f"it has {len(self.trajectory)}",
        )
        scenario = stage(game, len(self.trajectory), lambda: partner or self.make_partner())
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


def _shown(record: Record) -> list[Behaviour]:
    """What the partner did, round by round."""
    return [encounter.did[PARTNER][0] for encounter in record.met[PARTNER]]
