"""Which rows of the paper stand beside a run."""

from __future__ import annotations

from otherminds.matrix.reports.paper import beside


def test_the_yardstick_then_the_best_and_the_worst() -> None:
    lines = beside("rps", "single")
    assert [(line.label, line.source) for line in lines] == [
        ("Tabular", "paper, tables 1, 3, 4"),
        ("DeepSeek-R1 Distilled 32B", "paper, table 4"),
        ("LLAMA-3 70B Instruct, CoT + 3-Shot", "paper, tables 3, 8"),
        ("LLAMA-2 70B Chat, QA", "paper, table 8"),
    ]


def test_a_repeated_row_fills_in_what_the_first_lacks() -> None:
    shot = beside("rps", "single")[2]
    assert {metric: row.value for metric, row in shot.numbers.items()} == {
        "delta_functional": 0.121,
        "delta_tom": 0.747,
        "tom_percent": 50.2,
    }


def test_two_tables_that_disagree_are_both_shown() -> None:
    tabular = [line for line in beside("rps", "tit_for_tat") if line.label == "Tabular"]
    assert [line.numbers["delta_functional"].value for line in tabular] == [0.224, 0.211]
    assert all(line.numbers["delta_functional"].misprint for line in tabular)


def test_oracles_and_impossible_numbers_are_left_out() -> None:
    for game in ("rps", "ibs", "ipd"):
        for partner in ("single", "tit_for_tat"):
            lines = beside(game, partner)
            assert not any("Oracle" in line.label for line in lines)
            assert all(line.numbers["delta_functional"].value != 4.789 for line in lines)
            regrets = [line.numbers["delta_functional"].value for line in lines if line.label != "Tabular"]
            assert regrets == sorted(regrets)


def test_no_rows_for_what_the_paper_does_not_have() -> None:
    assert beside("rps", "grim") == ()
    assert beside("chicken", "single") == ()
