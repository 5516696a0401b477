"""The conformance kit, inherited by worlds that it was not written for."""

from collections.abc import Iterable, Sequence
from typing import Any

from otherminds.core.data import Question
from otherminds.core.scenario import Scenario, World
from otherminds.games.registry import games
from otherminds.testing import ScenarioConformance, Variant, WorldConformance
from tests.contracts import duel, house


class TestDuelWorld(WorldConformance):
    has_chance = True

    def make_world(self) -> World:
        return duel.DuelWorld(games.get("rps")(), duels=3, steps=40)

    def questions(self) -> Sequence[Question]:
        return [probe.question for probe in duel.scenario(games.get("rps")()).probes]

    def grants(self) -> dict[str, Any]:
        return {name: value for name, value in super().grants().items() if name in ("game", "partners")}


class TestHouseWorld(WorldConformance):
    def make_world(self) -> World:
        return house.HouseWorld()

    def questions(self) -> Sequence[Question]:
        return [house.where(seat) for seat in house.AGENTS]

    def grants(self) -> dict[str, Any]:
        return {"secrets": super().grants()["secrets"]}

    def private_variants(self) -> Iterable[Variant]:
        for seat in house.AGENTS:
            yield Variant("the goal", seat, house.HouseWorld("cupboard"), house.HouseWorld("table"), 5)


class TestDuelScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return duel.scenario(games.get("rps")(), duels=2, steps=40)


class TestHouseScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return house.scenario(turns=3)
