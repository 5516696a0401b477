"""Minds that reason in steps keep the promises of a mind, whatever the model says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from otherminds import Mind, Scenario, SeatSpec
from otherminds.core.contracts import Probe
from otherminds.core.data import Game, Message, Question, Seat
from otherminds.core.model import Completion, Decoding, Model
from otherminds.core.scenario import scenario
from otherminds.minds.registry import make_mind, minds
from otherminds.testing import MindConformance, ScriptedMind
from otherminds.testing.partners import stage
from tests.minds.hypothetical import fakes

WINS = {("paper", "rock"), ("rock", "scissors"), ("scissors", "paper")}
RPS = Game(
    "rps",
    (fakes.BEHAVIOURS, fakes.BEHAVIOURS),
    tuple(
        tuple((float((i, j) in WINS) - float((j, i) in WINS),) * 2 for j in fakes.BEHAVIOURS)
        for i in fakes.BEHAVIOURS
    ),
)
ASKED = Question("next:partner_0", "ego", "before", "", fakes.BEHAVIOURS, 1 / 3, about="partner_0")


class Hashing(fakes.Model):
    """Words that follow from the prompt and the seed alone, and are of no use at times."""

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        draw = hashlib.sha256(f"{decoding.seed}{messages[-1].content}".encode()).digest()[0]
        behaviour = fakes.BEHAVIOURS[draw % 3].upper()
        keys = ("they_play", "i_play", "they_played")
        self.said = dict.fromkeys(keys, behaviour) | {
            "strategy": f"idea {draw % 7}",
            "my_strategy": f"way {draw % 5}",
        }
        self.raw = {"everything": "hm"} if draw % 11 == 0 else {}
        return await super().generate(messages, decoding)


class Reasoning(MindConformance):
    mind = ""
    manner = fakes.HIDDEN
    seeds = (0, 1)

    def make_mind(self) -> Mind:
        return make_mind(SeatSpec(self.mind, model="hashing"))

    def make_scenario(self) -> Scenario:
        return replace(
            stage(RPS, 6, lambda: ScriptedMind(["rock", "rock", "paper", "rock"])),
            verbalizer=lambda drawn, seat: fakes.only(fakes.Words(self.manner)),
            probes=(Probe(ASKED),),
        )

    def make_models(self) -> Mapping[Seat, Model]:
        return {"ego": Hashing()}


class TestFull(Reasoning):
    mind = "hm"


class TestFullWithChoiceApart(Reasoning):
    mind = "hm"
    manner = fakes.APART


class TestNamedScaffold(Reasoning):
    """The scaffold that it asks for by name is there, and the scenario's own is not."""

    mind = "hm"

    def make_mind(self) -> Mind:
        return make_mind(SeatSpec(self.mind, {"scaffold": "another"}, "hashing"))

    def make_scenario(self) -> Scenario:
        built = super().make_scenario()
        return replace(built, verbalizer=lambda drawn, seat: fakes.only(fakes.Words(self.manner), "another"))


@pytest.mark.slow
class TestAtOnce(Reasoning):
    mind = "vmp"


@pytest.mark.slow
class TestUntested(Reasoning):
    mind = "mmp"


@pytest.mark.slow
class TestUnrefined(Reasoning):
    mind = "mmp_he"
    manner = fakes.TOLD


class TestRewarded(Reasoning):
    mind = "he_hr"


class TestReAct(Reasoning):
    mind = "react"


class TestReflexion(Reasoning):
    mind = "reflexion_agent"


class TestPlanReAct(Reasoning):
    mind = "plan_react"


class TestPlans(Reasoning):
    """With skills, in a real world."""

    mind = "hm"
    seeds = (0,)

    def make_scenario(self) -> Scenario:
        built = scenario("rws-repeated-6-v1", {"steps": 60})
        # The whole map is not for this mind, but its skills look at it where it is granted.
        return replace(built, grants={name: value for name, value in built.grants.items() if name != "map"})


del Reasoning  # a base class is no test of its own


def test_every_mind_with_a_pipeline_is_tested() -> None:
    tested = {
        value.mind
        for value in globals().values()
        if isinstance(value, type) and issubclass(value, MindConformance) and value is not MindConformance
    }
    agents = "otherminds.minds.hypothetical.mind"
    assert tested == {name for name in minds if minds.get(name).__module__ == agents}
