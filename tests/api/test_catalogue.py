"""What has a name is listed, described and found."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import otherminds as om
from otherminds.core.scenario import scenarios
from otherminds.games.registry import partners
from otherminds.household.scenarios import SplitScenario
from otherminds.minds.registry import minds

CATALOGUES = ("games", "minds", "models", "partners", "scenarios", "strategies")


@pytest.mark.parametrize("name", CATALOGUES)
def test_a_catalogue_is_a_mapping_that_can_be_read(name: str) -> None:
    catalogue = getattr(om, name)
    assert isinstance(catalogue, Mapping)
    assert len(catalogue) == len(list(catalogue)) > 0
    lines = repr(catalogue).splitlines()
    for line, key in zip(lines[1:], catalogue, strict=True):
        shown, about = line.split(maxsplit=1)
        assert shown == key
        assert about
        assert key in catalogue
    assert 3 not in catalogue


def test_an_entry_says_what_its_code_declares() -> None:
    rmax = om.minds["rmax"]
    assert rmax.registered is minds.get("rmax")
    assert rmax.description.startswith("RMax (Brafman & Tennenholtz 2002)")
    assert rmax.traits["suspends"] is False
    assert om.minds["informed"].traits["grants"] == tuple(sorted(minds.get("informed").grants))
    grim = om.partners["grim"]
    assert grim.traits["parameters"] == {"strikes": 1}
    assert "Friedman 1971" in grim.source
    assert "Riemer et al. 2025, table 5" in om.games["rps"].source
    assert om.games["rps"].traits["behaviours"][0] == ("rock", "paper", "scissors")
    assert "strikes" in grim._repr_html_()
    assert "<td>grim</td>" in om.partners._repr_html_()


def test_a_scenario_says_who_plays() -> None:
    mixed = om.scenarios["rps-mixed-v1"]
    assert mixed.traits["under_test"] == ("ego",)
    assert mixed.traits["population"]["tit_for_tat"] == 0.5
    assert mixed.traits["parameters"]["rounds"] == 100
    unmade = om.scenarios["bimatrix-mixed-v1"]
    assert unmade.traits["needs"] == ("game",)


def test_a_list_makes_no_house_of_the_tasks_of_a_split(monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(name for name in om.scenarios if isinstance(scenarios.get(name), SplitScenario))
    described = om.scenarios[name].description

    def made(self: SplitScenario) -> om.Scenario:
        raise AssertionError(f"{self.task_id} is made")

    monkeypatch.setattr(SplitScenario, "__call__", made)
    assert f"{name} {described}" in " ".join(repr(om.scenarios).split())


def test_a_missing_name_is_a_key_error_that_names_near_ones() -> None:
    with pytest.raises(KeyError) as raised:
        om.minds["rmx"]
    assert isinstance(raised.value, om.StudyError)
    assert str(raised.value) == "no mind is called 'rmx'; did you mean rmax?"
    assert om.minds.get("rmx") is None


def test_what_is_registered_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partners, "_known", dict(partners._known))

    @om.partners.register("always_last")
    def always_last(game: om.Game, rounds: int) -> om.Automaton:
        """Plays its last behaviour for ever."""
        return partners.get("single")(game, rounds, len(game.behaviours[1]) - 1)

    assert om.partners["always_last"].description == "Plays its last behaviour for ever."
    assert om.play("ipd-always_last-v1", "nash", options={"rounds": 2}).total("ego") == 10
