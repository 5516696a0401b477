"""The published rewards that a report shows beside a run in a gridworld."""

from __future__ import annotations

from otherminds.gridworlds.grid.published import METHODS, published
from otherminds.gridworlds.printed_rewards import NOTE, select_rewards
from otherminds.reports.overview import DOUBTFUL, printed


def test_every_printed_scenario_has_all_methods_in_their_order() -> None:
    scenarios = {(row.substrate, row.scenario) for row in published()}
    for substrate, number in scenarios:
        assert tuple(select_rewards(f"{substrate}-{number}-v1")) == METHODS


def test_other_scenarios_have_none() -> None:
    for name in (
        "rws-repeated-mixture-v1",
        "rws-repeated-9-v1",
        "rps-single-v1",
        "rps-mixed-v1 [neutral]",
        "mine",
    ):
        assert select_rewards(name) == {}


def test_published_rewards_are_set_apart_and_labelled() -> None:
    (sheet,) = printed(
        ["rws-repeated-6-v1", "rws-repeated-mixture-v1", "cooking-asymmetric-0-v1", "rps-single-v1"]
    )
    assert [texts for texts, _ in sheet.rows] == [
        ("rws-repeated-6-v1", "Rock"),
        ("cooking-asymmetric-0-v1", sheet.rows[1][0][1]),
    ]
    assert sheet.heads == ("scenario", "there", *METHODS)
    assert sheet.rows[0][1][0] == ("50.5", "±4.4")
    assert sheet.notes[0] == NOTE
    assert any(note.startswith(DOUBTFUL) for note in sheet.notes[1:])
    assert sheet.meanings[0] == "±: the standard error of the mean, as printed."
    assert printed(["rps-single-v1"]) == []


def test_published_numbers_are_said_to_be_of_three_kinds() -> None:
    for part in ("over 5 seeds with GPT-4", "PPO was trained", "Melting Pot 2.0", "Not comparable"):
        assert part in NOTE
