"""The published rewards that a report shows beside a run in a gridworld."""

from __future__ import annotations

from otherminds.gridworlds.printed_rewards import METHODS, NOTE, lookup, published, select_row
from otherminds.reports.overview import print_published


def test_every_printed_scenario_has_all_methods_in_their_order() -> None:
    for substrate, number in {(row.substrate, row.scenario) for row in published()}:
        line, rows = select_row(f"{substrate}-{number}-v1"), lookup(substrate, number)
        assert [row.method for row in rows] == list(METHODS)
        assert [(entry.value, entry.half_width) for entry in line.entries] == [
            (row.mean, row.sem) for row in rows
        ]
        assert [entry.note for entry in line.entries] == [row.doubt and f"† {row.doubt}." for row in rows]
        assert [entry.mark for entry in line.entries] == ["†" if row.doubt else "" for row in rows]


def test_other_scenarios_have_none() -> None:
    names = (
        "rws-repeated-mixed-v1",
        "rws-repeated-9-v1",
        "rps-single-v1",
        "rps-mixed-v1 [neutral]",
        "mine",
    )
    assert {name: select_row(name) for name in names} == dict.fromkeys(names)


def test_published_rewards_are_set_apart_and_labelled() -> None:
    scenarios = ["rws-repeated-6-v1", "rws-repeated-mixed-v1", "cooking-asymmetric-0-v1", "rps-single-v1"]
    (sheet,) = print_published(scenarios)
    assert [name for (name, _), _ in sheet.rows] == scenarios[::2]
    assert sheet.heads == ("scenario", "there", *METHODS)
    assert (sheet.rows[0][0][1], sheet.rows[0][1][0]) == ("Rock", ("50.5", "±4.4"))
    assert sheet.notes[0] == NOTE
    assert all(note.startswith("† ") for note in sheet.notes[1:])
    assert sheet.meanings[0] == "±: the standard error of the mean, as printed."
    for part in ("over 5 seeds with GPT-4", "PPO was trained", "Melting Pot 2.0", "Not comparable"):
        assert part in NOTE
    assert print_published(["rps-single-v1"]) == []
