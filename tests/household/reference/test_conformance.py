"""What every mind promises, kept by the reference minds."""

from otherminds.core.contracts import Mind
from otherminds.core.scenario import Scenario, scenario
from otherminds.household.reference.roster import ROSTER
from otherminds.testing import MindConformance
from tests.household.reference import team

HOUSE = team.shipped("one_shot_relay")


class Sitting(MindConformance):
    """A reference mind in every seat of a task with relays."""

    seeds = (0, 1)
    told = frozenset({"secrets"})
    name: str

    def make_mind(self) -> Mind:
        return ROSTER[self.name](HOUSE)

    def make_scenario(self) -> Scenario:
        return scenario("household-one_shot_relay-v1", {"turns": 6})


class TestLevelThree(Sitting):
    name = "level_k"


class Here(Sitting):
    """In this process alone: others take long to start."""

    test_same_in_another_process = None


class TestInformed(Here):
    name = "informed"


class TestBroadcast(Here):
    name = "broadcast"


class TestRandom(Here):
    name = "random"


del Sitting, Here
