"""A report of household records shows table 2, messages and failure patterns, in every form."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from msgspec.structs import replace

from otherminds import play
from otherminds.core.scenario import Setup, scenario, scenarios
from otherminds.household.epistemic.parse import parse
from otherminds.household.pool.store import load_split
from otherminds.household.probes import answer_of
from otherminds.household.reports.chapter import (
    class_sheet,
    left_out_sheet,
    message_sheet,
    open_with,
    paper_literal_sheet,
    pattern_sheet,
    private_sheet,
    split_sheet,
    team_sheet,
)
from otherminds.household.scenarios import ANY, named
from otherminds.measures.intervals import Estimate
from otherminds.play.loop import play_now
from otherminds.reports.chapters import chapters
from otherminds.reports.drawings import drawings
from otherminds.reports.findings import Findings, findings
from otherminds.reports.json_report import as_json
from otherminds.reports.opening import open_report
from otherminds.reports.page import as_html
from otherminds.reports.sheets import fixed, percent
from otherminds.reports.table import as_text
from tests.household.measures import conftest as errands


@pytest.fixture(scope="module")
def found() -> Findings:
    """One task, played three times: right and told, right and silent, wrong; a fourth run was planned."""
    errand = errands.errands(1)[0]
    knows = {"k_probe_0": answer_of(parse(errand.goal), True), "foils": False}
    scripts = (
        [*errand.told(), *errand.told(), *errand.fetch(), *errand.reported()],
        errand.fetch(),
        errand.fetch(errand.wrong),
    )
    records = [errands.play(errand, script, answers=knows) for script in scripts]
    for seed, record in enumerate(records):
        record.spec = type(record.spec)(record.spec.scenario, record.spec.seats, seed)
    return findings({(records[0].spec.title, "scripted"): 4}, records, {}, {}, curves=True)


def test_the_row_of_table_two(found) -> None:
    sheet = team_sheet(found.worlds["household"])
    ((names, pairs),) = sheet.rows
    assert names == ("scripted", "Overall")
    shown = [pair[0] for pair in pairs]
    assert shown[:4] == ["66.7°", "100.0", "0.0", "–"]
    assert shown[-1] == "3"
    assert pairs[0][1] == "[21, 94]"


def test_the_literal_columns_of_the_paper_are_a_table_of_their_own(found) -> None:
    ((names, pairs),) = paper_literal_sheet(found.worlds["household"]).rows
    assert names == ("scripted", "Overall")
    assert [pair[0] for pair in pairs] == ["66.7°", "100.0", "0.0", "0.0"]


def test_the_table_of_a_split_has_a_row_a_mind_with_its_verdict(found) -> None:
    (team,) = found.worlds["household"]
    sheet = split_sheet([team])
    ((names, pairs),) = sheet.rows
    assert names == ("scripted", "not measured")
    assert dict(zip(sheet.heads[2:], (pair[0] for pair in pairs), strict=True)) == {
        "goal met, %": "67",
        "Pass@3": "100",
        "Pass^3": "0",
        "L": fixed(team.others.score, 2) if (team.others.score or 0) >= -1 else "< -1",
        "floor, %": percent(team.others.floor, 0),
        "left out, %": percent(sum(team.left_out.values()), 0),
        "runs": "3",
    }
    named = [replace(team, mind=name, split="hard") for name in ("a", "b")]
    two = [*named, replace(team, mind="a", split="dev")]
    assert [texts[0] for texts, _ in split_sheet(two).rows] == ["a (hard)", "b (hard)", "a (dev)"]
    assert split_sheet(named).title == "split hard"


def test_depth_one_is_called_knowledge_and_every_class_has_its_floor(found) -> None:
    (team,) = found.worlds["household"]
    sheet = class_sheet([team])
    words = [texts[1] for texts, _ in sheet.rows]
    assert words[:2] == ["depth 1: own knowledge", "deeper: what others know"]
    assert len(words) == 2 + sum(one.literal.weighted > 0 for one in team.classes) > 2
    assert sheet.heads == ("mind", "questions", "right", "floor", "L", "asked", "weighted", "tasks")
    ((_, pairs),) = left_out_sheet([team]).rows
    assert len(pairs) == 3
    assert [pair[0] for pair in pairs] == [percent(share) for share in team.left_out.values()]


def test_messages_a_run(found) -> None:
    ((_, pairs),) = message_sheet(found.worlds["household"]).rows
    turns, used, blocked, repeated, known, wasted = (pair[0] for pair in pairs)
    assert (used, blocked, repeated, known, wasted) == ("1.0", "0.0", "0.3", "0.0", "33.3")
    assert turns == f"{(8 + 5 + 5) / 3:.1f}"


def test_patterns_in_the_papers_order(found) -> None:
    sheet = pattern_sheet(found.worlds["household"])
    assert sheet.heads == (
        "mind",
        "scope",
        "withheld",
        "chain",
        "private",
        "misallocated",
        "constraints",
        "runs",
    )
    ((_, pairs),) = sheet.rows
    assert pairs == (("1", "1 failed"), ("1", "0 failed"), ("0", ""), ("0", ""), ("0", ""), ("3", ""))


def test_a_task_has_f_and_no_l_and_no_verdict_of_its_own(found) -> None:
    (cell,) = found.cells
    assert cell.functional.mean == pytest.approx(2 / 3)
    assert cell.literal.mean is None
    assert (cell.verdict.kind, "split" in cell.verdict.reason) == ("not measured", True)
    (verdict,) = found.verdicts
    assert verdict == found.worlds["household"][0].verdict
    assert (verdict.place, verdict.scenarios) == ("1 task", (cell.scenario,))


def test_reference_teams_in_a_shipped_task_are_the_ends_of_f() -> None:
    name = next(name for name in scenarios if name.startswith("household-") and name != ANY)
    made = scenario(name, {})
    records = []
    for mind in ("informed", "no_message"):
        for seed in range(3):
            records.append(play_now(Setup(made, {seat: made.make(mind, {}) for seat in made.focal}, seed))[0])
    shown = findings({(name, "informed"): 3, (name, "no_message"): 3}, records, {}, {}, curves=False)
    informed, silent = shown.cells
    assert (informed.functional.mean, silent.functional.mean) == (1, 0)
    assert [row.functional.every for row in shown.worlds["household"] if row.scope == "Overall"] == [100, 0]


def test_every_form_has_it(found) -> None:
    assert [chapter.title for chapter in chapters(found)] == ["Returns", "Teams in the household"]
    text = as_text(found, "A study")
    assert max(map(len, text.splitlines())) <= 100
    page = as_html(found, drawings(found), {}, "A study", ())
    for words in ("household", "literal, by the paper", "messages", "failure patterns"):
        assert words in text.splitlines()
        assert f"{words}</h3>" in page
    assert ">Teams in the household</h2>" in page
    plain = json.loads(as_json(found, ""))
    (cell,), (team,) = plain["cells"], plain["worlds"]["household"]
    assert (team["scope"], team["functional"]["attempts"], team["patterns"]["chain"]) == (
        "Overall",
        3,
        [1, 0],
    )
    assert cell["measures"]["functional_pass"]["mean"] == pytest.approx(2 / 3)


def test_what_stands_in_a_table_is_in_no_note(found) -> None:
    assert "pattern_chain" not in as_text(found, "A study")
    assert "messages_used" not in as_text(found, "A study")


def test_heads_are_whole_under_long_names(found) -> None:
    named = tuple(replace(team, mind="an_agent@a_model(k=2345)") for team in found.worlds["household"])
    for width in (80, 100):
        text = as_text(replace(found, worlds={"household": named}), "A study", width)
        for head in (
            *("functional", "Pass@3", "Pass^3", "literal", "unknowing", "unread", "outdated", "unknowable"),
            *("weighted", "private", "misallocated", "constraints"),
        ):
            assert head in text


@pytest.mark.parametrize("width", [80, 100])
def test_no_column_is_one_syllable_wide(found, width: int) -> None:
    """Words of up to 14 letters are never broken, and no table is wider than the terminal."""
    (team,) = found.worlds["household"]
    kinds = "undecided", "plays better than it says", "no evidence"
    many = tuple(
        replace(team, mind=f"mind_{n}", verdict=replace(team.verdict, mind=f"mind_{n}", kind=kind))
        for n, kind in enumerate(kinds)
    )
    judged = tuple(one.verdict for one in many)
    text = as_text(replace(found, worlds={"household": many}, verdicts=judged), "A study", width)
    assert max(map(len, text.splitlines())) <= width
    words = set(re.findall(r"[a-z_0-9]+", text))
    for head in ("undecided", "evidence", "household", "verdict", "scope", "questions", "mind_0"):
        assert head in words
    assert text.count("runs\n") >= 3, "the last column of a table is not cut"


def test_mixed_tasks_show_success_with_and_without_private_goals(found) -> None:
    (team,) = found.worlds["household"]
    assert private_sheet([team]).rows == ()
    both = replace(team.functional, avg=20.0, some=40.0, every=10.0)
    mixed = replace(team, scope="Mixed", private=0.5, with_private=both)
    whole = replace(team, with_private=both, functional=replace(team.functional, avg=1.0))
    ((names, pairs),) = private_sheet([whole, mixed, replace(mixed, scope="depth 1")]).rows
    assert names == ("scripted",)
    assert [pair[0] for pair in pairs] == ["66.7°", "20.0°", "40.0", "10.0", "50.0"]


def test_three_runs_that_are_alike_have_no_interval_of_no_width() -> None:
    errand = errands.errands(1)[0]
    knows = {"k_probe_0": answer_of(parse(errand.goal), True), "foils": False}
    records = [errands.play(errand, errand.fetch(), answers=knows) for _ in range(3)]
    for seed, record in enumerate(records):
        record.spec = type(record.spec)(record.spec.scenario, record.spec.seats, seed)
    alike = findings({(records[0].spec.title, "scripted"): 3}, records, {}, {}, curves=True)
    text = as_text(alike, "A study")
    assert not re.search(r"±0\.0+\b", text)
    assert "100.0°" in text
    assert "[44, 100]" in text
    (cell,) = alike.cells
    passed = cell.more["functional_pass"]
    assert (passed.mean, round(passed.low, 3), passed.high) == (1.0, 0.439, 1.0)


def test_the_report_opens_with_what_the_team_did_and_its_verdict(found) -> None:
    opening = open_report(found)
    did, verdict = opening.sentences
    assert did == "“scripted” met the goal in 67 % [21, 94] of 3 runs."
    assert verdict.startswith("“scripted” in 1 task was not measured: ")
    assert [texts for texts, _ in opening.sheet.rows] == [("scripted", "not measured")]


def test_missing_runs_count_and_are_named(found) -> None:
    rows = [replace(team, runs=team.runs - 1) for team in found.worlds["household"]]
    sentence, _ = open_with(rows, ["scripted"]).sentences
    assert sentence.endswith("1 of the runs are missing and count as not passed.")


def test_many_minds_have_one_sentence_and_a_row_each_in_the_order_asked_for(found) -> None:
    names = ["d", "b", "c", "a"]
    rows = [replace(team, mind=name) for name in sorted(names) for team in found.worlds["household"]]
    opening = open_with(rows, names)
    sentence, verdicts = opening.sentences
    assert verdicts == "Not measured: “d”, “b”, “c”, “a”."
    assert [sentence.index(f"“{name}” 67 %") for name in names] == sorted(
        sentence.index(f"“{name}” 67 %") for name in names
    )
    assert [texts[0] for texts, _ in opening.sheet.rows] == names
    assert set(opening.meanings) <= set(opening.sheet.heads)


def test_l_of_a_team_is_explained_as_what_it_knows_of_others(found) -> None:
    (team,) = found.worlds["household"]
    judged = replace(team.verdict, kind="undecided", literal=Estimate(0.5, 0.4, 0.6), reason="")
    rows = (replace(team, verdict=judged),)
    page = as_html(replace(found, worlds={"household": rows}, verdicts=(judged,)), (), {}, "A study", ())
    start = page[page.index("<h1>") : page.index("</table>")]
    assert "what others know" in start
    for words in ("who knows the partner", "informative", "Riemer", "rounds"):
        assert words not in start
    low = replace(judged, kind="no evidence", literal=Estimate(-3.0, -4.0, -2.0))
    assert "L is below -1" in low.sentence


@pytest.mark.parametrize("form", [as_text, lambda whole, title: as_html(whole, (), {}, title, ())])
def test_no_term_of_matrix_games_and_no_accusation_opens_a_household_report(found, form) -> None:
    text = form(found, "A house")
    start = text[text.index("<h1>") if "<h1>" in text else 0 : text.index("Pass@3")]
    for term in ("unused share", "predicts as one who knows", "stage game", "No verdict", "does not use"):
        assert term not in start


@pytest.fixture(scope="module")
def split() -> Findings:
    """A team that sends nothing and a cheap one, in a task of each pattern of split dev."""
    tasks = {one.entry.pattern: named(name, "dev") for name, one in load_split("dev").items()}
    records = [
        play(task, mind, seed=seed)
        for task in tasks.values()
        for mind in ("no_message", "hold_the_last-hallway")
        for seed in range(3)
    ]
    planned = Counter((one.spec.title, one.spec.seats["agent_0"].title) for one in records)
    return findings(planned, records, {}, {}, curves=False)


def test_the_table_of_a_split_has_the_best_cheap_team_and_the_planner_below_its_minds(split) -> None:
    opening = open_report(split)
    names = [texts for texts, _ in opening.sheet.rows]
    assert [name for name, _ in names[:3]] == ["no_message", "hold_the_last-hallway", "level 1"]
    assert [name.partition(":")[0] for name, verdict in names if verdict == "reference"] == [
        *(f"level {level}" for level in (1, 2, 3)),
        "best cheap team",
        "planner",
    ]
    assert dict(opening.sheet.rows)[("planner", "reference")][0] == ("100", "")
    assert "teams without a language model" in opening.sentences[-1]
    page = as_html(split, (), {}, "A split", ())
    assert "best cheap team" in page
    assert not re.search(r"<a [^>]*>best cheap team", page), "it has no episodes to show"


@pytest.mark.parametrize("width", [80, 100, 132])
def test_no_line_is_too_wide_and_no_number_is_cut(split, width: int) -> None:
    text = as_text(split, "A split", width)
    assert max(map(len, text.splitlines())) <= width
    shown = (open_report(split).sheet, *(sheet for chapter in chapters(split) for sheet in chapter.sheets))
    for sheet in shown:
        for _, pairs in sheet.rows:
            for number in (part for pair in pairs for part in pair if part):
                assert re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", text), (sheet.title, number)
    for head in ("runs", "Pass@3", "Pass^3", "tasks", "unknowable", "unknowing"):
        assert re.search(rf"\b{re.escape(head)}(?!\w)", text), head
