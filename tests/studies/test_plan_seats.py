"""Who cannot sit down is found before anything is played, and its place in the file is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.studies.plan import plan_file

STUDY = """
name = "seats"
episodes = 1
[[cells]]
scenarios = ["{scenario}"]
minds = ["random", {mind}]
"""


@pytest.mark.parametrize(
    ("scenario", "mind", "text"),
    [
        (
            "rws-repeated-0-v1",
            '{ mind = "constant", params = { behaviour = "stone" } }',
            "cannot show 'stone'",
        ),
        ("rws-arena-0-v1", '"fictitious_play"', "plays with one partner"),
        ("cooking-asymmetric-0-v1", '"nash"', "payoffs"),
        ("pd-repeated-mixed-v1", '"bayes"', "an exact plan would visit more than"),
        (
            "pd-repeated-0-v1",
            '"rock_margin_0"',
            "pd-repeated-0-v1 has its own .bayesian, noop, puppet_cooperator_margin_0",
        ),
        ("rws-repeated-0-v1", '{ mind = "rock_margin_0", params = { pace = 2 } }', "has no parameter 'pace'"),
    ],
)
def test_a_mind_that_cannot_play_there_is_named_with_its_place(
    tmp_path: Path, scenario: str, mind: str, text: str
) -> None:
    file = tmp_path / "study.toml"
    file.write_text(STUDY.format(scenario=scenario, mind=mind))
    with pytest.raises(StudyError, match=rf"cells\[0\].minds\[1\].*{text}"):
        plan_file(file)


def test_bots_are_granted_what_their_world_says_they_need(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(STUDY.format(scenario="rws-arena-2-v1", mind='"informed"'))
    spec = plan_file(file).episodes[-1]
    assert spec.grants["ego"] == ("payoffs", "policy")
    assert spec.grants["partner_6"] == ("inventories",)


def test_options_of_scenarios_reach_them_and_their_labels(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    text = STUDY.format(scenario="rws-repeated-0-v1", mind='"noop"')
    file.write_text(text + "options = { noise = 0.1, steps = 50 }\n")
    spec = plan_file(file).episodes[0]
    assert spec.title == "rws-repeated-0-v1 [noise=0.1, steps=50]"
    assert spec.options == {"noise": 0.1, "steps": 50}
    assert spec.seats["partner_0"].params == {"noise": 0.1}
    file.write_text(text + "options = { pace = 2 }\n")
    with pytest.raises(StudyError, match=r"cells\[0\].scenarios\[0\]: .*has no parameter 'pace'"):
        plan_file(file)
