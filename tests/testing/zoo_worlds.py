"""Broken worlds: each differs from the healthy toy in one thing, and is caught by one check.

``caught_by`` names the check, ``says`` what its message must contain.
"""

from __future__ import annotations

import random
from random import Random
from time import perf_counter_ns
from types import SimpleNamespace

import numpy as np
from gymnasium.spaces import Discrete

from otherminds.core.data import Encounter, ReceivedMessage
from otherminds.core.errors import WorldError
from otherminds.testing import Variant
from tests.testing import toys

SEATS, MOVES, EGO, PARTNER = toys.SEATS, toys.MOVES, toys.EGO, toys.PARTNER


class GlobalRandomness(toys.HealthyWorld):
    caught_by, says = "test_global_randomness_is_left_alone", "drew from one of them"

    class Toy(toys.ToyWorld):
        def reward(self, seat, luck):
            return super().reward(seat, random.randrange(2))


class SeedsGlobalRandomness(toys.HealthyWorld):
    caught_by, says = "test_global_randomness_is_left_alone", "or seeded it"

    class Toy(toys.ToyWorld):
        def reset(self, seed=None, options=None):
            np.random.seed(seed)
            return super().reset(seed, options)


class IgnoresSeed(toys.HealthyWorld):
    caught_by, says = "test_same_seed_same_episode", "in a fresh world"

    class Toy(toys.ToyWorld):
        def reset(self, seed=None, options=None):
            return super().reset(None, options)


class FixedSeed(toys.HealthyWorld):
    caught_by, says = "test_seeds_matter", "one and the same episode"

    class Toy(toys.ToyWorld):
        def reset(self, seed=None, options=None):
            return super().reset(7, options)


class CarriesOver(toys.HealthyWorld):
    caught_by, says = "test_same_seed_same_episode", "played before"

    class Toy(toys.ToyWorld):
        played = 0

        def reset(self, seed=None, options=None):
            self.played += 1
            return super().reset(seed, options)

        def reward(self, seat, luck):
            return min(2.0, super().reward(seat, luck) + (self.played - 1))


class HashOrder(toys.HealthyWorld):
    caught_by, says = "test_same_in_another_process", "their hashes"

    class Toy(toys.ToyWorld):
        def told(self, seat):
            return tuple(
                ReceivedMessage(seat, word) for word in list({"one", "two", "three", "four", "five"})
            )


class SharedState(toys.HealthyWorld):
    caught_by, says = "test_interleaved_episodes", "while others are played"

    class Toy(toys.ToyWorld):
        shared = SimpleNamespace()

        def reset(self, seed=None, options=None):
            self.shared.steps = 0
            return super().reset(seed, options)

        def told(self, seat):
            self.shared.steps += 1
            return (ReceivedMessage(seat, f"moment {self.shared.steps}"),)


class MinesTypes(toys.HealthyWorld):
    caught_by, says = "test_recorded_actions_replay", "recorded actions lead"

    class Toy(toys.ToyWorld):
        def step(self, actions):
            self.kind = type(actions[EGO]).__name__
            return super().step(actions)

        def told(self, seat):
            return (ReceivedMessage(seat, self.kind),)


class ShowsColour(toys.HealthyWorld):
    caught_by, says = "test_private_state_is_not_heard", "notice the other's colour"

    class Toy(toys.ToyWorld):
        def observe(self, seat):
            seen = super().observe(seat)
            seen[2] = max(seen[2], self.colours[toys.other(seat)])
            return seen


class ShowsAction(toys.HealthyWorld):
    caught_by, says = "test_private_state_is_not_heard", "behind the curtain"

    class Toy(toys.ToyWorld):
        def hidden(self):
            return not self.history


class NamesAction(toys.HealthyWorld):
    caught_by, says = "test_private_state_is_not_heard", "behind the curtain"

    class Toy(toys.ToyWorld):
        def encounters(self, seat, reward):
            did = {name: (MOVES[self.history[-1][name]],) for name in SEATS}
            return (Encounter(len(self.history) - 1, did, reward),)


class PaysForTheOther(toys.HealthyWorld):
    caught_by, says = "test_private_state_is_not_heard", "behind the curtain"

    class Toy(toys.ToyWorld):
        def reward(self, seat, luck):
            return float(self.history[-1][seat] == self.history[-1][toys.other(seat)])


class TellsSecretInBrief(toys.HealthyWorld):
    caught_by, says = "test_private_state_is_not_heard", "notice the other's colour"

    class Toy(toys.ToyWorld):
        def grants(self, seat):
            return {"secrets": (f"colours {sorted(self.colours.items())}",), **super().grants(seat)}


class EmptyVariants(toys.HealthyWorld):
    caught_by, says = "test_private_state_is_not_heard", "the check shows nothing"

    def private_variants(self):
        yield Variant("nothing", EGO, self.Toy(), self.Toy(), 3)


class LeaksGrants(toys.HealthyWorld):
    caught_by, says = "test_grants_stay_with_their_seat", "a grant to"

    class Toy(toys.ToyWorld):
        def grants(self, seat):
            return {name: value for given in self.granted.values() for name, value in given.items()}


class WhispersGrants(toys.HealthyWorld):
    caught_by, says = "test_grants_stay_with_their_seat", "a grant to"

    class Toy(toys.ToyWorld):
        def told(self, seat):
            return tuple(
                ReceivedMessage(name, "I know more") for name, given in self.granted.items() if given
            )


class WithholdsGrants(toys.HealthyWorld):
    caught_by, says = "test_grants_reach_their_seat", "with the grant 'game'"

    class Toy(toys.ToyWorld):
        def grants(self, seat):
            return {}


class GivesUnasked(toys.HealthyWorld):
    caught_by, says = "test_grants_reach_their_seat", "without the grant 'secrets'"

    class Toy(toys.ToyWorld):
        def grants(self, seat):
            return {"secrets": ("the first round does not count",), **super().grants(seat)}


class ObservationOutOfSpace(toys.HealthyWorld):
    caught_by, says = "test_observations_are_in_their_space", "it was given"

    class Toy(toys.ToyWorld):
        def observe(self, seat):
            return super().observe(seat) + 2


class NewSpaces(toys.HealthyWorld):
    caught_by, says = "test_spaces_are_the_same_objects", "two calls gave two objects"

    class Toy(toys.ToyWorld):
        def action_space(self, agent):
            return Discrete(2)


class OtherActionSpace(toys.HealthyWorld):
    caught_by, says = "test_spaces_are_the_same_objects", "holds its action space"

    class Toy(toys.ToyWorld):
        def action_space(self, agent):
            self.larger = getattr(self, "larger", Discrete(3))
            return self.larger


class NamesWrongSeat(toys.HealthyWorld):
    caught_by, says = "test_briefs_fit_their_seats", "names it and the others"

    class Toy(toys.ToyWorld):
        def brief(self, seat):
            return super().brief(EGO)


class RewardOutOfRange(toys.HealthyWorld):
    caught_by, says = "test_rewards_are_in_range", "between 0.0 and 2.0"

    class Toy(toys.ToyWorld):
        def reward(self, seat, luck):
            return super().reward(seat, luck) - 1


class RewardWithoutEnd(toys.HealthyWorld):
    caught_by, says = "test_rewards_are_in_range", "finite"

    class Toy(toys.ToyWorld):
        def reward(self, seat, luck):
            return float("inf")


class PlaysAnything(toys.HealthyWorld):
    caught_by, says = "test_illegal_actions_are_refused", "it was played"

    class Toy(toys.ToyWorld):
        def step(self, actions):
            legal = {seat: a if self.actions[seat].contains(a) else 0 for seat, a in actions.items()}
            return super().step(legal)


class WrapsNegative(toys.HealthyWorld):
    caught_by, says = "test_illegal_actions_are_refused", "action -1 of"

    class Toy(toys.ToyWorld):
        def check(self, actions):
            super().check({seat: a % 2 if isinstance(a, int) and a < 0 else a for seat, a in actions.items()})


class WrongError(toys.HealthyWorld):
    caught_by, says = "test_illegal_actions_are_refused", "raised ValueError"

    class Toy(toys.ToyWorld):
        def check(self, actions):
            try:
                super().check(actions)
            except WorldError as error:
                raise ValueError(str(error)) from error


class DrawsBeforeRefusing(toys.HealthyWorld):
    caught_by, says = "test_illegal_actions_change_nothing", "leaves the world as it was"

    class Toy(toys.ToyWorld):
        def check(self, actions):
            self.rng.random()
            super().check(actions)


class MovesHalfway(toys.HealthyWorld):
    caught_by, says = "test_illegal_actions_change_nothing", "leaves the world as it was"

    class Toy(toys.ToyWorld):
        def check(self, actions):
            for seat in SEATS:
                super().check({seat: actions[seat]})
                self.colours[seat] = (self.colours[seat] + actions[seat]) % 3


class FallbackOutOfSpace(toys.HealthyWorld):
    caught_by, says = "test_fallback_is_an_action", "it is 2"

    class Toy(toys.ToyWorld):
        def fallback(self, seat):
            return 2


class DropsFinishedSeat(toys.HealthyWorld):
    caught_by, says = "test_episodes_end_for_all_at_once", "keeps its place"

    class Toy(toys.ToyWorld):
        def step(self, actions):
            out = super().step(actions)
            if len(self.history) == 3:
                self.agents = [EGO]
            return out


class ForgetsFinishedSeat(toys.HealthyWorld):
    caught_by, says = "test_episodes_end_for_all_at_once", "is given an observation"

    class Toy(toys.ToyWorld):
        def step(self, actions):
            observations, *rest = super().step(actions)
            if len(self.history) == 3:
                del observations[PARTNER]
            return observations, *rest


class TerminatedAndTruncated(toys.HealthyWorld):
    caught_by, says = "test_episodes_end_for_all_at_once", "never both"

    class Toy(toys.ToyWorld):
        def ends(self, over):
            return dict.fromkeys(SEATS, over), dict.fromkeys(SEATS, over)


class EndsWithoutSaying(toys.HealthyWorld):
    caught_by, says = "test_episodes_end_for_all_at_once", "when the episode ends"

    class Toy(toys.ToyWorld):
        def ends(self, over):
            return dict.fromkeys(SEATS, False), dict.fromkeys(SEATS, False)


class NeverEnds(toys.HealthyWorld):
    caught_by, says = "test_episodes_end_for_all_at_once", "within its horizon of 5"

    class Toy(toys.ToyWorld):
        def step(self, actions):
            out = super().step(actions)
            self.agents = list(SEATS)
            return out


class EmptyEncounter(toys.HealthyWorld):
    caught_by, says = "test_encounters_name_known_behaviours", "never none"

    class Toy(toys.ToyWorld):
        def encounters(self, seat, reward):
            did = {seat: (MOVES[self.history[-1][seat]],), toys.other(seat): ()}
            return (Encounter(len(self.history) - 1, did, reward),)


class UnknownBehaviour(toys.HealthyWorld):
    caught_by, says = "test_encounters_name_known_behaviours", "known behaviours"

    class Toy(toys.ToyWorld):
        def encounters(self, seat, reward):
            return (Encounter(len(self.history) - 1, {seat: ("jump",)}, reward),)


class EncounterFromTheFuture(toys.HealthyWorld):
    caught_by, says = "test_encounters_name_known_behaviours", "after the step in which it finished"

    class Toy(toys.ToyWorld):
        def encounters(self, seat, reward):
            return (Encounter(len(self.history), {seat: (MOVES[0],)}, reward),)


class NoJson(toys.HealthyWorld):
    caught_by, says = "test_moments_survive_json", "data with a JSON form"

    class Toy(toys.ToyWorld):
        def observe(self, seat):
            return SimpleNamespace(seen=super().observe(seat))


class NotTheSameJson(toys.HealthyWorld):
    caught_by, says = "test_moments_survive_json", "JSON cannot give back"

    class Toy(toys.ToyWorld):
        def observe(self, seat):
            return set(super().observe(seat).tolist())


class NaN(toys.HealthyWorld):
    caught_by, says = "test_moments_survive_json", "JSON cannot give back"

    class Toy(toys.ToyWorld):
        def observe(self, seat):
            return super().observe(seat) * float("nan")


class ReusesObservation(toys.HealthyWorld):
    caught_by, says = "test_moments_stay_as_they_were", "stays as 'ego' heard it"

    class Toy(toys.ToyWorld):
        def observe(self, seat):
            self.buffers = getattr(self, "buffers", {})
            buffer = self.buffers.setdefault(seat, np.zeros(3, int))
            buffer[:] = super().observe(seat)
            return buffer


class ChangingTruth(toys.HealthyWorld):
    caught_by, says = "test_truths_are_told_at_the_end", "is one; happened"

    class Toy(toys.ToyWorld):
        read = 0

        def truth(self, question, step):
            self.read += 1
            return MOVES[self.read // 4 % 2]


class TruthIsNoOption(toys.HealthyWorld):
    caught_by, says = "test_truths_are_told_at_the_end", "or None"

    class Toy(toys.ToyWorld):
        def truth(self, question, step):
            return self.colours[question.about]


class NoTruth(toys.HealthyWorld):
    caught_by, says = "test_truths_are_told_at_the_end", "all were None"

    class Toy(toys.ToyWorld):
        def truth(self, question, step):
            return None


class NoOptions(toys.HealthyWorld):
    caught_by, says = "test_pettingzoo_parallel_api", "unexpected keyword argument"

    class Toy(toys.ToyWorld):
        def reset(self, seed=None):
            return super().reset(seed)


class NoRewardAtTheEnd(toys.HealthyWorld):
    caught_by, says = "test_pettingzoo_parallel_api", "Live agent was not given rew"

    class Toy(toys.ToyWorld):
        def step(self, actions):
            observations, rewards, *rest = super().step(actions)
            return observations, rewards if self.agents else {}, *rest


class WrongDtype(toys.HealthyWorld):
    caught_by, says = "test_pettingzoo_api", "dtype"

    class Toy(toys.ToyWorld):
        def observe(self, seat):
            return super().observe(seat).astype(np.int8)


class Clock(toys.HealthyWorld):
    caught_by, says = "test_pettingzoo_seed", "Incorrect"

    class Toy(toys.ToyWorld):
        rounds = 60  # sixty draws never come out alike by chance

        def reset(self, seed=None, options=None):
            out = super().reset(seed, options)
            self.rng = Random(perf_counter_ns())
            return out
