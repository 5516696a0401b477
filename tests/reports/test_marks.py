"""Episodes with many fallbacks are marked in every table, in text, on the page and in JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy

import pytest
from msgspec.structs import replace

from otherminds import Record
from otherminds.core.record import Call, Note
from otherminds.measures.notes import MARK
from otherminds.reports.chapters import chapters
from otherminds.reports.findings import Findings, findings
from otherminds.reports.json_report import as_json
from otherminds.reports.page import as_html
from otherminds.reports.table import as_text

SHARE = {"few": 0.2, "many": 0.4}
"""The minds of the run, with the share of plans that end in a fallback."""


def resting(record: Record, share: float) -> Record:
    """``record`` with ten requests for plans, of which ``share`` ended in a fallback."""
    record = deepcopy(record)
    record.calls += tuple(Call("ego", step, "plan", 0, ()) for step in range(10))
    data = {"purpose": "plan", "kept": "rest for 10 steps"}
    record.notes += tuple(Note("ego", step, "fallback", data) for step in range(round(10 * share)))
    return record


@pytest.fixture(scope="module")
def marked(play, thinking) -> Findings:
    """Two minds in one scenario, three episodes each; of ``many`` one has no fallbacks at all.

    Costs are per step, as in gridworlds.
    """
    records: list[Record] = []
    for mind, share in SHARE.items():
        for seed in range(3):
            record = play("rps-single-v1", lambda h: 0, lambda h: 0, seed, label=mind, rounds=12)
            noted = thinking(record, [False, False, True, True])
            records.append(resting(noted, 0.0 if seed == 2 else share))
    found = findings({("rps-single-v1", mind): 3 for mind in SHARE}, records, {}, {}, curves=True)
    return replace(found, runs=tuple(replace(run, steps=12) for run in found.runs))


def names(rows: Sequence[tuple[tuple[str, ...], object]]) -> set[str]:
    return {text for texts, _ in rows for text in texts if text.startswith(tuple(SHARE))}


def test_every_sheet_with_a_mind_marks_the_one_with_many(marked: Findings) -> None:
    sheets = [sheet for chapter in chapters(marked) for sheet in (*chapter.sheets, *chapter.wide)]
    titles = {sheet.title for sheet in sheets if names(sheet.rows)}
    assert titles == {
        "returns",
        "where regret comes from",
        "hypotheses",
        "around the first validation",
        "cost against reward",
    }
    for sheet in sheets:
        if names(sheet.rows):
            assert names(sheet.rows) == {"few", f"many {MARK}"}, sheet.title
            assert any(note.startswith(MARK) for note in sheet.notes), sheet.title


def test_text_and_page_mark_every_table_and_say_how_many_episodes(marked: Findings) -> None:
    told = f"{MARK} many: in 2 of 3 episodes more than 20% of its requests"
    text = as_text(marked, "a run")
    assert told in " ".join(text.split())
    page = as_html(marked, [], {}, "a run", ["otherminds run"])
    assert told in page
    for cell in ("many", "few"):
        assert (f">{cell} {MARK}</td>" in page) == (cell == "many")
    assert ">many</td>" not in page


def test_json_has_the_caution_the_number_and_the_share(marked: Findings) -> None:
    few, many = json.loads(as_json(marked, ""))["cells"]
    assert (few.get("marked"), many["marked"]) == (None, 2)
    assert "cautions" not in few
    assert many["cautions"][0].startswith(f"{MARK} many: in 2 of 3 episodes")
    assert many["mind"] == "many"
    assert many["measures"]["fallback_share"]["mean"] == pytest.approx(0.8 / 3)


def test_without_fallbacks_nothing_is_marked(whole: Findings) -> None:
    assert MARK not in as_text(whole, "a run")
