"""Where the real Melting Pot is not installed, one line says so and nothing else changes."""

from __future__ import annotations

import pytest

from otherminds.core.errors import StudyError
from otherminds.core.scenario import scenario, scenarios
from otherminds.gridworlds import melting_pot, melting_pot_scenarios
from otherminds.gridworlds.melting_pot import RealCooking


@pytest.fixture(autouse=True)
def _missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(melting_pot, "find_spec", lambda name: None)


def test_a_real_world_without_the_engine_names_the_extra() -> None:
    with pytest.raises(StudyError, match="'meltingpot'") as caught:
        RealCooking()
    assert "\n" not in str(caught.value)


def test_an_official_bot_without_the_engine_names_the_extra() -> None:
    with pytest.raises(StudyError, match="'meltingpot'"):
        melting_pot_scenarios.official("rws-repeated-v1", "rock_0")


def test_no_real_scenario_is_known_without_the_engine() -> None:
    assert not any(name.startswith("real-") for name in scenarios)
    with pytest.raises(StudyError, match="no scenario is called"):
        scenario("real-rws-repeated-0-v1", {})
