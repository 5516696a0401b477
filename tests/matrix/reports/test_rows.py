"""Which rows of the paper stand beside a run."""

from __future__ import annotations

from otherminds.matrix.published import select_rows
from otherminds.reports.papers import explain_marks


def test_the_yardstick_then_the_best_and_the_worst() -> None:
    rows = select_rows("rps", "single")
    assert [line.names for line in rows] == [
        ("Tabular", "paper, tables 1, 3, 4"),
        ("DeepSeek-R1 Distilled 32B", "paper, table 4"),
        ("LLAMA-3 70B Instruct, CoT + 3-Shot", "paper, tables 3, 8"),
        ("LLAMA-2 70B Chat, QA", "paper, table 8"),
    ]
    assert explain_marks(rows) == []


def test_a_repeated_row_fills_in_what_the_first_lacks() -> None:
    shot = select_rows("rps", "single")[2]
    assert [entry.value for entry in shot.entries] == [0.121, 0.747, 50.2]
    assert [number for number, _ in shot.pairs] == ["0.121", "0.747", "50.2"]


def test_two_tables_that_disagree_are_both_shown_with_a_note() -> None:
    rows = select_rows("rps", "tit_for_tat")
    tabular = [line for line in rows if line.names[0] == "Tabular"]
    assert [line.entries[0].value for line in tabular] == [0.224, 0.211]
    assert all(line.pairs[0][0].startswith("†") for line in tabular)
    assert tabular[1].pairs[1:] == (("", ""), ("", "")), "table 10 has the regret only"
    assert explain_marks(rows) == ["† misprint in the paper: 0.224 in table 4 and 0.211 in table 10."]


def test_oracles_and_impossible_numbers_are_left_out() -> None:
    for game in ("rps", "ibs", "ipd"):
        for partner in ("single", "tit_for_tat"):
            lines = select_rows(game, partner)
            assert not any("Oracle" in line.names[0] for line in lines)
            assert all(line.entries[0].value != 4.789 for line in lines)
            regrets = [line.entries[0].value for line in lines if line.names[0] != "Tabular"]
            assert regrets == sorted(regrets)


def test_no_rows_for_what_the_paper_does_not_have() -> None:
    assert select_rows("rps", "grim") == ()
    assert select_rows("chicken", "single") == ()
