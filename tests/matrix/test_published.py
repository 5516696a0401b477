"""The shipped tables: complete, as printed, flagged, and consistent with each other."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from otherminds.core import wording
from otherminds.core.errors import InternalError
from otherminds.matrix.published import TABULAR, PublishedRow, lookup, published
from otherminds.matrix.words import SETS
from tests.cases import for_each

METRICS = ("delta_functional", "delta_tom", "tom_percent")


def test_every_number_of_every_table() -> None:
    # Rows × columns as printed; tables 3 and 10 have a regret for each of three games.
    assert Counter(row.table for row in published()) == {
        1: 9 * 3,
        2: 21 * 3,
        3: 14 * 3,
        4: 12 * 3,
        8: 36 * 3,
        9: 15 * 3,
        10: 28 * 3,
    }
    keys = [(r.table, r.model, r.strategy, r.game, r.partner, r.metric) for r in published()]
    assert len(set(keys)) == len(keys)


def test_fields_hold_what_they_may() -> None:
    for row in published():
        assert row.game in SETS["neutral"]
        assert row.partner in ("single", "tit_for_tat")
        assert row.game in SETS[row.names]
        assert row.metric in METRICS
        assert 0 <= row.value <= (100 if row.metric == "tom_percent" else 10)
        assert 0 <= row.half_width < 10


@for_each(
    ("table", "model", "strategy", "game", "metric", "value", "half_width"),
    [
        (1, "LLAMA-2 13B", "LM", "rps", "delta_functional", 1.015, 0.044),
        (1, "Falcon 40B", "LM", "rps", "tom_percent", 96.2, 0.3),
        (2, "Mixtral 8x7B Instruct v1", "Social LM", "ipd", "delta_tom", 0.110, 0.037),
        (2, "Mixtral 8x7B Instruct v1", "QA", "ibs", "delta_functional", 2.518, 0.422),
        (3, "LLAMA-3 70B Instruct", "Oracle + Max - History", "ibs", "delta_functional", 2.060, 0.079),
        (3, "LLAMA-3 70B Instruct", "CoT + 3-Shot", "ipd", "delta_functional", 2.773, 0.730),
        (4, "DeepSeek-R1 Distilled 32B", "", "ibs", "delta_tom", 0.233, 0.078),
        (8, "LLAMA-2 70B Chat", "CoT", "ibs", "delta_functional", 3.367, 0.149),
        (8, "LLAMA-3 70B Instruct", "S2A + CoT", "ipd", "tom_percent", 83.1, 1.4),
        (9, "Mistral Large 2", "Social QA", "ibs", "delta_tom", 0.42, 0.036),
        (10, "Mixtral 8x7B Instruct v1", "Reflexion 1", "rps", "delta_functional", 1.03, 0.023),
        (10, "LLAMA-3 70B Instruct", "Plans + Insights", "ipd", "delta_functional", 2.547, 0.056),
    ],
)
def test_numbers_read_off_the_paper(
    table: int, model: str, strategy: str, game: str, metric: str, value: float, half_width: float
) -> None:
    partner = "tit_for_tat" if table == 10 else "single"
    sought = table, strategy, model, metric
    found = [r for r in lookup(game, partner) if (r.table, r.strategy, r.model, r.metric) == sought]
    assert [(row.value, row.half_width) for row in found] == [(value, half_width)]


def test_misprints_are_flagged() -> None:
    flagged = {(r.table, r.model, r.game, r.metric, r.value) for r in published() if r.misprint}
    deepseek = "DeepSeek-R1 Distilled 32B"
    assert flagged == {
        (4, TABULAR, "rps", "delta_functional", 0.224),
        (10, TABULAR, "rps", "delta_functional", 0.211),
        (4, deepseek, "ipd", "delta_functional", 4.789),
        (4, deepseek, "ipd", "delta_tom", 0.945),
    }


def test_repeats_are_copies_and_every_copy_is_flagged() -> None:
    first: dict[tuple[str, ...], PublishedRow] = {}
    for row in published():
        key = (row.model, row.strategy, row.game, row.partner, row.metric)
        if key not in first:
            assert not row.repeats
            first[key] = row
        elif row.repeats:
            source = first[key]
            assert row.repeats == f"table {source.table}"
            assert (row.value, row.half_width) == (source.value, source.half_width)
        else:
            assert row.misprint  # the tabular tit-for-tat row of RPS: two tables, two numbers
    assert Counter((row.table, row.repeats) for row in published() if row.repeats) == {
        (2, "table 1"): 3,  # Mixtral, LM, RPS
        (3, "table 1"): 1,  # the tabular learner from here on
        (4, "table 1"): 3,
        (4, "table 3"): 2,
        (10, "table 4"): 2,
        (8, "table 1"): 3,  # LLAMA-2, LM, RPS
        (8, "table 3"): 27,  # LLAMA-3, nine strategies in three games
    }


def test_tom_regret_and_accuracy_fit_the_printed_convention() -> None:
    """Δ_ToM/T is the share of wrong predictions × c, within rounding: 1.5 in RPS, between two costs else."""
    rows: dict[tuple[object, ...], dict[str, PublishedRow]] = defaultdict(dict)
    for row in published():
        rows[row.table, row.model, row.strategy, row.game, row.partner][row.metric] = row
    checked = 0
    for key, row in rows.items():
        if len(row) < 3 or row["delta_tom"].misprint:
            continue
        low, high = {"rps": (1.5, 1.5), "ibs": (7, 10), "ipd": (2, 5)}[str(key[3])]
        wrong = 100 - row["tom_percent"].value
        slack = 0.006 if key[:3] == (8, "LLAMA-3 70B Instruct", "Social LM") else 0.0005
        assert low * (wrong - 0.06) / 100 - slack <= row["delta_tom"].value, key
        assert row["delta_tom"].value <= high * (wrong + 0.06) / 100 + slack, key
        checked += 1
    assert checked == 92


def test_lookup_narrows() -> None:
    assert len(lookup("rps", "tit_for_tat")) == 28 + 2 * 3
    assert {row.table for row in lookup("rps", "tit_for_tat") if row.model == TABULAR} == {4, 10}
    assert lookup("rps", "grim") == ()


def test_a_damaged_file_names_the_line(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    header = "table,model,strategy,game,partner,names,metric,value,half_width,misprint,repeats"
    line = "1,Tabular,,rps,single,letters,tom_percent,97.4,0.4,,"
    (tmp_path / "published.csv").write_text(f"{header}\n{line}\n{line.replace('97.4', 'x')}\n")
    monkeypatch.setattr(wording, "files", lambda package: tmp_path)
    published.cache_clear()
    with pytest.raises(InternalError, match="line 3"):
        published()
    published.cache_clear()
