"""The paper's tables: every printed row and column in its order, and a run in the same columns."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.core.data import Invalid
from otherminds.core.record import Outcome
from otherminds.matrix.layouts import HEADS, fill_table
from otherminds.matrix.published import published
from otherminds.reports.papers import Layout
from tests.cases import for_each

METRICS = ("Δ_Functional/T", "Δ_ToM/T", "ToM %")
GAMES = ("RPS", "IBS", "IPD")


def label(strategy: str, model: str = "m") -> SeatSpec:
    return SeatSpec("qa", model=model, label=f"{strategy}@{model}")


def run_rows(found: Layout) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The names of each run's row, and those of the printed row above it."""
    rows: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    above: tuple[str, ...] = ()
    for line in found.lines:
        if line.cells:
            rows.append((line.names, above))
        else:
            above = line.names
    return rows


@for_each(
    ("table", "heads", "columns", "rows", "first", "last"),
    [
        (1, ("Model",), METRICS, 9, ("Tabular",), ("Mixtral 8x7B Instruct v1",)),
        (2, ("Prompting", "Game"), METRICS, 21, ("LM", "RPS"), ("Social LM", "IPD")),
        (3, ("Prompting",), GAMES, 14, ("Tabular",), ("Oracle + Max - Payoffs",)),
        (
            4,
            ("Model", "Game", "Partner"),
            METRICS,
            12,
            ("Tabular", "RPS", "Single Action"),
            ("DeepSeek-R1 Distilled 32B", "IPD", "Tit-For-Tat"),
        ),
        (
            8,
            ("Model", "Prompting", "Game"),
            METRICS,
            36,
            ("LLAMA-2 70B Chat", "LM", "RPS"),
            ("LLAMA-3 70B Instruct", "Reflexion", "IPD"),
        ),
        (
            9,
            ("Model", "Prompting", "Game"),
            METRICS,
            15,
            ("Mistral Large 2", "QA", "RPS"),
            ("Mistral Large 2", "Reflexion", "IPD"),
        ),
        (
            10,
            ("Model", "Prompting"),
            GAMES,
            28,
            ("Tabular", "N/A"),
            ("LLAMA-3 70B Instruct", "Reflexion 3"),
        ),
    ],
)
def test_the_printed_table_is_whole(
    table: int,
    heads: tuple[str, ...],
    columns: tuple[str, ...],
    rows: int,
    first: tuple[str, ...],
    last: tuple[str, ...],
) -> None:
    found = fill_table(table, [])
    assert (found.heads, found.columns, len(found.lines), found.others) == (heads, columns, rows, ())
    assert (found.lines[0].names, found.lines[-1].names) == (first, last)
    assert all(len(line.entries) == len(columns) for line in found.lines)
    printed = [(row.value, row.half_width) for row in published() if row.table == table]
    shown = [(entry.value, entry.half_width) for line in found.lines for entry in line.entries]
    assert shown == printed, "row by row, as the data has them"


@for_each(
    ("table", "names", "numbers"),
    [
        (1, ("Falcon 40B",), [(0.973, 0.040), (0.056, 0.005), (96.2, 0.3)]),
        (2, ("QA", "IBS"), [(2.518, 0.422), (1.818, 0.259), (75.9, 4.0)]),
        (3, ("Oracle + Max - History",), [(1.275, 0.152), (2.060, 0.079), (0.206, 0.018)]),
        (4, ("Tabular", "IBS", "Tit-For-Tat"), [(0.468, 0.031), (0.162, 0.005), (98.1, 0.1)]),
        (8, ("LLAMA-2 70B Chat", "CoT", "IPD"), [(1.839, 0.289), (1.393, 0.166), (63.8, 1.6)]),
        (9, ("Mistral Large 2", "S2A + CoT", "IPD"), [(0.385, 0.037), (0.255, 0.027), (91.1, 1.1)]),
        (10, ("Mistral Large 2", "CoT + 3-Shot"), [(0.999, 0.016), (0.032, 0.023), (0.417, 0.154)]),
    ],
)
def test_rows_read_off_the_paper(
    table: int, names: tuple[str, ...], numbers: list[tuple[float, float]]
) -> None:
    (line,) = [line for line in fill_table(table, []).lines if line.names == names]
    assert [(entry.value, entry.half_width) for entry in line.entries] == numbers


@for_each(
    ("table", "words"),
    [
        (1, ": LM, RPS, Single Action"),
        (2, ": Mixtral 8x7B Instruct v1, Single Action"),
        (3, ": Δ_Functional/T, LLAMA-3 70B Instruct, Single Action"),
        (4, ""),
        (8, ": Single Action"),
        (9, ": Single Action"),
        (10, ": Δ_Functional/T, Tit-For-Tat"),
    ],
)
def test_captions_say_what_no_column_does(table: int, words: str) -> None:
    assert fill_table(table, []).caption == f"Table {table} of the paper{words}"


def test_misprints_keep_their_dagger() -> None:
    flagged = {
        (table, line.names, entry.value)
        for table in HEADS
        for line in fill_table(table, []).lines
        for entry in line.entries
        if entry.mark
    }
    deepseek = ("DeepSeek-R1 Distilled 32B", "IPD", "Tit-For-Tat")
    assert flagged == {
        (4, ("Tabular", "RPS", "Tit-For-Tat"), 0.224),
        (4, deepseek, 4.789),
        (4, deepseek, 0.945),
        (10, ("Tabular", "N/A"), 0.211),
    }
    assert {entry.mark for line in fill_table(4, []).lines for entry in line.entries} == {"", "†"}


def test_minds_stand_under_the_row_of_their_strategy(tabled, seated) -> None:
    cells = tabled(
        seated("rps-single-v1", SeatSpec("rmax", label="Tabular")),
        seated("rps-single-v1", label("oracle+max (history)")),
        seated("rps-single-v1", label("CoT 3-Shot")),
        seated("rps-single-v1", SeatSpec("nash")),
    )
    found = fill_table(3, cells)
    assert run_rows(found) == [
        (("Tabular",), ("Tabular",)),
        (("CoT 3-Shot@m",), ("CoT + 3-Shot",)),
        (("oracle+max (history)@m",), ("Oracle + Max - History",)),
    ]
    assert [line.names for line in found.others] == [("nash",)]
    assert len(found.lines) == 14 + 3


def test_of_several_rows_of_a_strategy_the_last_is_taken_or_that_of_the_model(tabled, seated) -> None:
    cells = tabled(
        seated("ibs-tit_for_tat-v1", label("QA", "other")),
        seated("ibs-tit_for_tat-v1", label("QA", "mistral-large 2")),
        seated("ibs-tit_for_tat-v1", label("QA", "another")),
        seated("ibs-tit_for_tat-v1", SeatSpec("rmax")),
    )
    assert run_rows(fill_table(10, cells)) == [
        (("rmax", "N/A"), ("Tabular", "N/A")),
        (("mistral-large 2", "QA"), ("Mistral Large 2", "QA")),
        (("other", "QA"), ("LLAMA-3 70B Instruct", "QA")),
        (("another", "QA"), ("LLAMA-3 70B Instruct", "QA")),
    ]


def test_a_row_without_a_strategy_is_that_of_its_model(tabled, seated) -> None:
    cells = tabled(
        seated("ipd-single-v1", label("QA", "DeepSeek-R1-distilled-32B"), "canonical"),
        seated("ipd-single-v1", label("QA"), "canonical"),
    )
    found = fill_table(4, cells)
    deepseek = ("DeepSeek-R1 Distilled 32B", "IPD", "Single Action")
    assert run_rows(found) == [(("QA@DeepSeek-R1-distilled-32B", "IPD", "Single Action"), deepseek)]
    assert [line.names for line in found.others] == [("QA@m", "IPD", "Single Action")]


def test_the_run_stands_in_the_columns_of_its_games_in_the_paper_s_convention(tabled, seated) -> None:
    """Against tit-for-tat in the Prisoner's Dilemma the paper counts 8 a round, not the optimum's 802 / 100."""
    mind = label("CoT")
    cells = tabled(seated("ipd-tit_for_tat-v1", mind, own=0), seated("rps-tit_for_tat-v1", mind, own=0))
    found = fill_table(10, cells)
    (line,) = [line for line in found.lines if line.cells]
    rps, ibs, ipd = line.entries
    assert ibs is None
    assert ipd.value == 0.0  # always cooperating
    assert cells[0].delta_functional.mean == pytest.approx(0.2)
    assert rps.value == pytest.approx(cells[1].paper_delta_functional.mean)
    assert rps.half_width == pytest.approx(
        (cells[1].paper_delta_functional.high - cells[1].paper_delta_functional.low) / 2
    )


def test_each_metric_stands_in_its_column(tabled, seated) -> None:
    (cell,) = cells = tabled(seated("ipd-single-v1", label("QA"), said=1))
    (line,) = [line for line in fill_table(2, cells).lines if line.cells]
    assert line.names == ("QA@m", "IPD")
    assert cell.paper_delta_tom.mean > cell.delta_tom.mean == 0, "printed by another convention"
    assert [entry.value for entry in line.entries] == [
        cell.paper_delta_functional.mean,
        cell.paper_delta_tom.mean,
        cell.tom_percent.mean,
    ]
    assert [entry.digits for entry in line.entries] == [3, 3, 1]


def test_other_games_and_partners_have_no_place(tabled, seated) -> None:
    cells = tabled(
        seated("rps-mixed-v1", label("QA")),
        seated("rps-tit_for_tat-v1", label("QA")),
        seated("ipd-grim-v1", label("QA")),
    )
    found = fill_table(3, cells)
    assert found.cells == []
    assert found.about(cells) == []
    assert found.lines == fill_table(3, []).lines


def test_of_cells_that_differ_in_names_the_paper_s_stand_there(tabled, seated) -> None:
    mind = label("LM")
    cells = tabled(*(seated("rps-single-v1", mind, names) for names in (None, "canonical", "letters")))
    assert [cell.scenario for cell in fill_table(1, cells).cells] == ["rps-single-v1 [letters]"]
    assert [cell.scenario for cell in fill_table(4, cells).cells] == ["rps-single-v1 [canonical]"]
    assert [cell.scenario for cell in fill_table(9, cells).cells] == ["rps-single-v1"]
    assert [cell.scenario for cell in fill_table(9, cells[1:]).cells] == ["rps-single-v1 [canonical]"]


def test_reflexion_is_the_best_of_its_memory_sizes_in_each_game(tabled, seated) -> None:
    """Reflexion 1 is best in IBS (it plays 0 against half zeros), 3 in the Prisoner's Dilemma (it defects)."""
    lists = [
        seated(f"{game}-single-v1", label(f"Reflexion {memory}"), own=own)
        for memory, plays in ((1, (0, 0)), (2, (1, 0)), (3, (1, 1)))
        for game, own in zip(("ibs", "ipd"), plays, strict=True)
    ]
    cells = tabled(*lists)
    found = fill_table(3, cells)
    ((names, above),) = run_rows(found)
    assert (names, above) == (("Reflexion@m",), ("Reflexion",))
    (line,) = [line for line in found.lines if line.cells]
    assert line.entries[0] is None
    assert [(entry.memory, entry.value) for entry in line.entries[1:]] == [("1", 3.5), ("3", 0.0)]
    assert found.others == ()

    by_metric = fill_table(2, cells)
    assert [names for names, _ in run_rows(by_metric)] == [
        ("Reflexion@m (1)", "IBS"),
        ("Reflexion@m (3)", "IPD"),
    ]
    assert all(entry.memory == "" for line in by_metric.lines for entry in line.entries)
    assert run_rows(fill_table(9, cells))[0] == (
        ("m", "Reflexion (1)", "IBS"),
        ("Mistral Large 2", "Reflexion", "IBS"),
    )


def test_a_size_without_a_scored_episode_is_never_the_best(tabled, seated) -> None:
    failed = seated("ibs-single-v1", label("Reflexion 1"))
    for record in failed:
        record.outcome = Outcome("failed", "provider", "no answer", 3)
    found = fill_table(3, tabled(failed, seated("ibs-single-v1", label("Reflexion 2"), own=1)))
    assert [names for names, _ in run_rows(found)] == [("Reflexion@m (2)",)]


def test_sizes_of_different_models_are_not_mixed(tabled, seated) -> None:
    lists = [
        seated("ibs-single-v1", label(f"Reflexion {memory}", model), own=own)
        for model, memory, own in (("a", 1, 0), ("a", 2, 1), ("b", 3, 1))
    ]
    rows = run_rows(fill_table(3, tabled(*lists)))
    assert [names for names, _ in rows] == [("Reflexion@a (1)",), ("Reflexion 3@b",)]


def test_table_10_has_its_own_rows_for_memory_sizes(tabled, seated) -> None:
    cells = tabled(*(seated("ibs-tit_for_tat-v1", label(f"Reflexion {n}")) for n in (1, 2, 3)))
    found = fill_table(10, cells)
    assert [(names[1], above[1]) for names, above in run_rows(found)] == [
        ("Reflexion 1", "Reflexion 1"),
        ("Reflexion 3", "Reflexion 3"),
    ]
    assert [line.names for line in found.others] == [("m", "Reflexion 2")]


def test_cells_that_are_not_wholly_scored_are_marked(tabled, seated) -> None:
    cells = tabled(seated("ibs-single-v1", label("QA"))) + tabled(
        seated("rps-single-v1", label("QA")), extra=2
    )
    (line,) = [line for line in fill_table(3, cells).lines if line.cells]
    assert [entry and entry.mark for entry in line.entries] == ["‡", "", None]


def test_a_cell_without_a_scored_episode_stands_there_without_a_number(tabled, play) -> None:
    record = play("rps-single-v1", lambda h: Invalid("?"), lambda h: 0, label="QA", rounds=5)
    (line,) = [line for line in fill_table(3, tabled([record])).lines if line.cells]
    entry = line.entries[0]
    assert (entry.value, entry.half_width, entry.mark) == (None, None, "‡")
    assert entry.reason == "no episode was scored"


def test_cells_without_a_record_are_left_out(tabled, seated) -> None:
    (cell,) = tabled(seated("rps-single-v1", label("QA")))
    unseen = replace(cell, about=type(cell.about)(), mind="CoT@m")
    assert fill_table(3, [unseen]).lines == fill_table(3, []).lines
