"""Broken partners: each differs from tit-for-tat in one thing, and is caught by one check."""

from __future__ import annotations

import random
from random import Random
from time import perf_counter_ns

from otherminds.core.data import Automaton
from otherminds.games.partners.tit_for_tat import noisy_tit_for_tat, tit_for_tat
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import ipd
from otherminds.testing import PartnerConformance

C, D = "cooperate", "defect"
EVEN = Automaton(0, ((0.5, 0.5),), (((0, 0), (0, 0)),))


class HealthyPartner(PartnerConformance):
    """Tit-for-tat, until a specimen says otherwise."""

    trajectory = ((C, C), (D, C), (D, D), (C, D), (C, C))

    def make_automaton(self):
        return ipd(), tit_for_tat(ipd(), 8), 8


class HealthyNoisyPartner(HealthyPartner):
    """One that draws: 0.53, 0.71, 0.15, 0.14 and 0.21, of which two slip."""

    trajectory = ((C, C), (D, C), (D, C), (C, C), (C, C))

    def make_automaton(self):
        return ipd(), noisy_tit_for_tat(ipd(), 8, 0.25), 8


class Even(HealthyPartner):
    """Plays either behaviour as it likes; specimens say where they draw."""

    trajectory = ((C, D), (C, D), (C, C), (C, C), (C, C))

    class Player(AutomatonPlayer):
        def drawn(self) -> float:
            return self.context.rng.random()

        def choose(self):
            return int(self.drawn() >= 0.5)

    def make_automaton(self):
        return ipd(), EVEN, 8

    def make_partner(self):
        return self.Player(EVEN)


class NoDistribution(HealthyPartner):
    caught_by, says = "test_automaton_is_well_formed", "does not give a distribution"

    def make_automaton(self):
        return ipd(), Automaton(0, ((0.5, 0.4),), (((0, 0), (0, 0)),)), 8


class LeadsNowhere(HealthyPartner):
    caught_by, says = "test_automaton_is_well_formed", "transitions"

    def make_automaton(self):
        return ipd(), Automaton(0, ((1.0, 0.0),), (((0, 1), (0, 0)),)), 8


class StartsNowhere(HealthyPartner):
    caught_by, says = "test_automaton_is_well_formed", "starts in 1"

    def make_automaton(self):
        return ipd(), Automaton(1, ((1.0, 0.0),), (((0, 0), (0, 0)),)), 8


class NotNumbers(HealthyPartner):
    caught_by, says = "test_automaton_is_well_formed", "comes back from JSON as it was"

    def make_automaton(self):
        return ipd(), Automaton(0, ([1.0, 0.0],), (((0, 0), (0, 0)),)), 8


class WrongTrajectory(HealthyPartner):
    caught_by, says = "test_trajectory", "at 2: 'defect' against 'cooperate'"

    def make_automaton(self):
        always = Automaton(0, ((1.0, 0.0),), (((0, 0), (0, 0)),))
        return ipd(), always, 8


class NoTrajectory(HealthyPartner):
    caught_by, says = "test_trajectory", "it has 0"

    trajectory = ()


class TooShort(HealthyPartner):
    caught_by, says = "test_trajectory", "a trajectory of 1 to 4 rounds"

    def make_automaton(self):
        return ipd(), tit_for_tat(ipd(), 4), 4


class OwnClock(Even):
    caught_by, says = "test_same_seed_same_play", "plays the same again"

    class Player(Even.Player):
        def drawn(self):
            return perf_counter_ns() // 100 % 2


class Unseeded(Even):
    caught_by, says = "test_same_seed_same_play", "plays the same again"

    class Player(Even.Player):
        def begin(self, brief, context):
            super().begin(brief, context)
            self.own = Random()

        def drawn(self):
            return self.own.random()


class NeverForgets(HealthyPartner):
    caught_by, says = "test_same_seed_same_play", "plays the same again"

    class Player(AutomatonPlayer):
        def start(self, own, others):
            self.state = getattr(self, "state", self.automaton.start)

    def make_partner(self):
        return self.Player(self.make_automaton()[1])


class GlobalDraws(Even):
    caught_by, says = "test_global_randomness_is_left_alone", "drew from one of them"

    class Player(Even.Player):
        def drawn(self):
            return random.random()


class GlobalState(Even):
    caught_by, says = "test_global_randomness_is_left_alone", "decide what the partner plays"

    class Player(Even.Player):
        def drawn(self):
            return random.getstate()[1][1] % 2


class SharesEgosDice(Even):
    caught_by, says = "test_draws_do_not_depend_on_ego", "with another ego it plays differently"

    class Player(Even.Player):
        """Seeds the global generator, so that it plays alike twice, until somebody else draws."""

        def begin(self, brief, context):
            super().begin(brief, context)
            random.seed(context.rng.random())

        def drawn(self):
            return random.random()
