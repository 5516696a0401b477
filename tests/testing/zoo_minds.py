"""Broken minds: each differs from a healthy one in one thing, and is caught by one check."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from itertools import count, cycle
from time import perf_counter_ns
from types import SimpleNamespace

from otherminds.core.data import SkillChoice
from otherminds.core.errors import ReplyError
from otherminds.core.model import Completion
from otherminds.testing import StageWorld
from tests.testing import toy_scenario as toys


class GlobalRandomness(toys.HealthyMind):
    caught_by, says = "test_global_randomness_is_left_alone", "drew from one of them"

    class Toy(toys.ToyMind):
        def choose(self):
            return random.randrange(2)


class ReadsGlobalRandomness(toys.HealthyMind):
    caught_by, says = "test_global_randomness_is_left_alone", "generators are not read"

    class Toy(toys.ToyMind):
        def learn(self, own, other, reward):
            self.context.note("state", random.getstate()[1][1])


class Clock(toys.HealthyMind):
    caught_by, says = "test_same_spec_same_record", "the same record twice"

    class Toy(toys.ToyMind):
        def learn(self, own, other, reward):
            self.context.note("now", perf_counter_ns())


class HashOrder(toys.HealthyMind):
    caught_by, says = "test_same_in_another_process", "their hashes"

    class Toy(toys.ToyMind):
        def learn(self, own, other, reward):
            self.context.note("names", list({"rose", "tulip", "lily", "iris", "aster"}))


class SharedState(toys.HealthyMind):
    caught_by, says = "test_interleaved_episodes", "while others are played"

    class Toy(toys.ToyMind):
        shared = SimpleNamespace()

        def start(self, own, others):
            self.shared.counts = [0] * others

        @property
        def counts(self):
            return self.shared.counts


class SharedTalk(toys.HealthyTalker):
    caught_by, says = "test_interleaved_episodes", "while others are played"

    class Toy(toys.TalkingMind):
        shared = SimpleNamespace()

        def begin(self, brief, context):
            super().begin(brief, context)
            self.shared.story = ""

        async def perceive(self, moment):
            self.moment = moment
            self.shared.story += self.context.verbalizer.tell(moment)
            self.story = self.shared.story


class Remembers(toys.HealthyMind):
    caught_by, says = "test_begin_forgets", "used again"

    class Toy(toys.ToyMind):
        counts = None

        def start(self, own, others):
            self.counts = self.counts or [0] * others


class NotesNoJson(toys.HealthyMind):
    caught_by, says = "test_records_survive_json", "JSON cannot give back"

    class Toy(toys.ToyMind):
        def learn(self, own, other, reward):
            self.context.note("seen", {own, other})


class LearnsInAnswer(toys.HealthyMind):
    caught_by, says = "test_asking_never_changes_acting", "with and without questions"

    class Toy(toys.ToyMind):
        def predict(self):
            self.counts[0] += 1
            return super().predict()


class DrawsInAnswer(toys.HealthyMind):
    caught_by, says = "test_asking_never_changes_acting", "with and without questions"

    class Toy(toys.ToyMind):
        def predict(self):
            return self.context.rng.randrange(2)


class Impatient(toys.HealthyMind):
    caught_by, says = "test_asking_never_changes_acting", "asked more often"

    class Toy(toys.ToyMind):
        """Loses its patience, and a draw, when it is asked for the third time in a step."""

        async def perceive(self, moment):
            await super().perceive(moment)
            self.asked = 0

        def predict(self):
            self.asked += 1
            if self.asked > 2:
                self.context.rng.random()
            return super().predict()


class ChangesItsAnswer(toys.HealthyMind):
    caught_by, says = "test_asking_never_changes_acting", "answers alike"

    class Toy(toys.ToyMind):
        def start(self, own, others):
            super().start(own, others)
            self.turns = cycle(range(others))

        def predict(self):
            return next(self.turns)


class CountingModel(toys.HealthyTalker):
    caught_by, says = "test_asking_never_changes_acting", "with and without questions"

    class Voice(toys.Parrot):
        def __init__(self):
            self.calls = count()

        async def generate(self, messages, decoding):
            return Completion(["I choose Cooperate.", "I choose Defect."][next(self.calls) // 3 % 2])


class NotesInAnswer(toys.HealthyMind):
    caught_by, says = "test_answers_write_nothing", "notes"

    class Toy(toys.ToyMind):
        def predict(self):
            self.context.note("asked", True)
            return super().predict()


class DrawsForNothing(toys.HealthyMind):
    caught_by, says = "test_answers_write_nothing", "rng"

    class Toy(toys.ToyMind):
        def choose(self):
            return 0

        def predict(self):
            return self.context.rng.randrange(2)


class KeepsItsAnswer(toys.HealthyMind):
    caught_by, says = "test_answers_write_nothing", r"\.said"

    class Toy(toys.ToyMind):
        def predict(self):
            self.said = super().predict()
            return self.said


class WritesDeepDown(toys.HealthyMind):
    caught_by, says = "test_answers_write_nothing", r"it changed \.beliefs\.partner\['asked'\]"

    class Toy(toys.ToyMind):
        def start(self, own, others):
            super().start(own, others)
            self.beliefs = SimpleNamespace(partner={"asked": 0})

        def predict(self):
            self.beliefs.partner["asked"] += 1
            return super().predict()


class WritesInAClosure(toys.HealthyMind):
    caught_by, says = "test_answers_write_nothing", "closure"

    class Toy(toys.ToyMind):
        def start(self, own, others):
            super().start(own, others)
            asked = []
            self.remember = lambda: asked.append(1)

        def predict(self):
            self.remember()
            return super().predict()


class WritesOnItsClass(toys.HealthyMind):
    caught_by, says = "test_answers_write_nothing", r"\.asked"

    class Toy(toys.ToyMind):
        asked = 0

        def predict(self):
            type(self).asked += 1
            return super().predict()


class NeverAsked(toys.HealthyMind):
    caught_by, says = "test_answers_write_nothing", "the check shows nothing"

    def make_scenario(self):
        return replace(super().make_scenario(), probes=())


class AnswersFreely(toys.HealthyMind):
    caught_by, says = "test_answers_are_options", "it was 'whatever I do'"

    class Toy(toys.ToyMind):
        async def answer(self, question):
            return "whatever I do"


class ActsIllegally(toys.HealthyMind):
    caught_by, says = "test_actions_are_legal", "made 2"

    class Toy(toys.ToyMind):
        async def act(self):
            return 2


class UsesNoSkill(toys.HealthyMind):
    caught_by, says = "test_actions_are_legal", "made SkillChoice"

    class Toy(toys.ToyMind):
        async def act(self):
            return SkillChoice("fly")


class GivesUp(toys.HealthyMind):
    caught_by, says = "test_actions_are_legal", "does not fail"

    class Toy(toys.ToyMind):
        async def act(self):
            raise ReplyError("nothing came to mind")


class TidiesEncounters(toys.HealthyMind):
    caught_by, says = "test_moments_are_left_alone", "became"

    class Toy(toys.ToyMind):
        async def perceive(self, moment):
            await super().perceive(moment)
            for encounter in moment.encounters:
                encounter.did.pop(self.seat)


class TidiesLater(toys.HealthyMind):
    caught_by, says = "test_moments_are_left_alone", "became"

    class Toy(toys.ToyMind):
        past = ()

        async def perceive(self, moment):
            for old in self.past:
                for encounter in old.encounters:
                    encounter.did.clear()
            await super().perceive(moment)
            self.past = (*self.past, moment)


class EditsBrief(toys.HealthyMind):
    caught_by, says = "test_moments_are_left_alone", "leaves its brief"

    class Toy(toys.ToyMind):
        def choose(self):
            self.brief.behaviours.clear()
            return super().choose()


class NeedsPayoffs(toys.HealthyMind):
    caught_by, says = "test_declared_grants_suffice", "'NoneType' object has no attribute"

    class Toy(toys.ToyMind):
        def choose(self):
            return 0 if self.brief.game.payoffs[0][0][0] > 1 else 1


class ToldTooMuch(toys.HealthyMind):
    caught_by, says = "test_declared_grants_suffice", "without the grant 'secrets'"

    class Gossip(StageWorld):
        def brief(self, seat):
            self._grants = {seat: {"secrets": ("the other cooperates",)}}
            return super().brief(seat)

    def make_scenario(self):
        return replace(super().make_scenario(), world=lambda: self.Gossip(toys.GAME, toys.ROUNDS))


class PeeksAtPayoffs(toys.HealthyMind):
    caught_by, says = "test_undeclared_grants_are_not_used", "grant 'payoffs'"

    class Toy(toys.ToyMind):
        def choose(self):
            return super().choose() if self.brief.game is None else 1


class PeeksAtPolicy(toys.HealthyMind):
    caught_by, says = "test_undeclared_grants_are_not_used", "grant 'family'"

    class Toy(toys.ToyMind):
        def predict(self):
            return super().predict() if not self.brief.partners else 1


class ReadsSecrets(toys.HealthyMind):
    caught_by, says = "test_undeclared_grants_are_not_used", "grant 'secrets'"

    class Toy(toys.ToyMind):
        def choose(self):
            return 1 if self.brief.secrets else super().choose()


class WaitsUnannounced(toys.HealthyMind):
    caught_by, says = "test_waits_only_if_it_says_so", "waited for something outside"

    class Toy(toys.ToyMind):
        async def perceive(self, moment):
            await asyncio.sleep(0)
            await super().perceive(moment)
