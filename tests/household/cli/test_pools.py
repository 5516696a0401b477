"""``otherminds pools generate``, ``stats``, ``pack`` and ``list --split``, and the playing of splits."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from otherminds.core.scenario import Scenario, scenario, scenarios
from otherminds.household.cli import filling
from otherminds.household.generating.properties import Candidate, TaskProperties
from otherminds.household.pool import store
from otherminds.household.pool.store import LEDGER, pack, read_pool
from otherminds.household.scenarios import named
from otherminds.studies.run_dir import results
from tests.cases import for_each
from tests.cli.running import otherminds
from tests.household.pool.pooled import candidate, contents, never, pooled

CANDIDATE = "otherminds.household.generating.candidate"


@pytest.fixture
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    made = ModuleType(CANDIDATE)
    made.candidate = candidate
    monkeypatch.setitem(sys.modules, CANDIDATE, made)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two splits of shipped tasks."""
    folder = tmp_path / "shipped"
    pack([pooled(seed) for seed in range(5)], folder / "dev.jsonl.gz")
    pack([pooled(seed) for seed in (15, 27)], folder / "hard.jsonl.gz")
    monkeypatch.setattr(store, "SHIPPED", folder)
    return folder


@pytest.mark.usefixtures("_fast")
def test_a_pool_is_generated_and_resumed(tmp_path: Path) -> None:
    out = tmp_path / "pool"
    done = otherminds("pools", "generate", "--out", out, "--n", 4, "--seed", 7, "--processes", 1)
    assert done.returncode == 0, done.stderr
    assert [one.entry.seed for one in read_pool(out)] == [7, 9, 10, 12]
    words = " ".join(done.stdout.split())
    for row in ("kept 4 66.7", "fair 1 16.7", "guess-proof 1 16.7", "duplicate 0 0.0", "all 6"):
        assert row in words
    for row in ("proofs 9.0 85.7", "draft 1.5 14.3", "a kept task 2.6"):
        assert row in words
    assert "0/4 tasks; 0 candidates" in done.stderr
    otherminds("pools", "generate", "--out", out, "--n", 6, "--seed", 7, "--processes", 2)
    assert otherminds(
        "pools", "generate", "--out", tmp_path / "one", "--n", 6, "--seed", 7, "--processes", 1
    ).stderr
    assert contents(out) == contents(tmp_path / "one")


@pytest.mark.usefixtures("_fast")
def test_a_pool_is_kept_apart_from_others(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    otherminds("pools", "generate", "--out", first, "--n", 6, "--processes", 1)
    words = ("pools", "generate", "--out", second, "--n", 9, "--seed", 49, "--processes", 1)
    done = otherminds(*words, "--apart", first)
    assert "duplicate 2" in " ".join(done.stdout.split())
    structures = [{one.entry.structure for one in read_pool(folder)} for folder in (first, second)]
    assert not structures[0] & structures[1]
    without = otherminds(*words)
    assert (without.returncode, "holds a pool made with apart" in without.stderr) == (2, True)
    wrong = otherminds(*words, "--apart", tmp_path / "none")
    assert (wrong.returncode, "neither a split nor a pool" in wrong.stderr) == (2, True)


@pytest.mark.usefixtures("_fast")
def test_a_split_is_generated_with_its_composition(tmp_path: Path) -> None:
    done = otherminds(
        "pools", "generate", "--out", tmp_path / "pool", "--split", "hard", "--n", 10, "--processes", 1
    )
    assert done.returncode == 0, done.stderr
    patterns = [one.entry.pattern for one in read_pool(tmp_path / "pool")]
    assert patterns.count("mixed") == 5
    again = otherminds("pools", "generate", "--out", tmp_path / "pool", "--split", "dev", "--n", 10)
    assert again.returncode == 2
    assert "holds a pool made with split hard, not with split dev" in again.stderr


def test_tasks_that_cannot_be_made_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ModuleType(CANDIDATE)
    made.candidate = never
    monkeypatch.setitem(sys.modules, CANDIDATE, made)
    words = (
        "pools",
        "generate",
        "--out",
        tmp_path / "pool",
        "--split",
        "dev",
        "--n",
        3,
        "--attempts",
        2,
        "--processes",
        1,
    )
    done = otherminds(*words)
    assert done.returncode == 1
    assert "of the split (pattern " in done.stderr
    assert "depth 3, agents 3" in done.stderr
    assert "given up after 2 seeds in a row that were rejected; raise --attempts" in done.stderr


def test_ctrl_c_keeps_what_was_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(seed: int, wanted: TaskProperties) -> Candidate:
        if seed == 9:
            raise KeyboardInterrupt
        return candidate(seed, wanted)

    made = ModuleType(CANDIDATE)
    made.candidate = interrupted
    monkeypatch.setitem(sys.modules, CANDIDATE, made)
    done = otherminds(
        "pools", "generate", "--out", tmp_path / "pool", "--n", 4, "--seed", 7, "--processes", 1
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        "stopped; the same command goes on from here",
    )
    assert [one.entry.seed for one in read_pool(tmp_path / "pool")] == [7]
    made.candidate = candidate
    assert (
        otherminds("pools", "generate", "--out", tmp_path / "pool", "--n", 4, "--seed", 7, "--processes", 1)[
            0
        ]
        == 0
    )
    assert len(read_pool(tmp_path / "pool")) == 4


@pytest.mark.usefixtures("_fast")
@for_each(
    ("words", "text"),
    [
        (("--mechanics", "remote_contrl"), "did you mean remote_control?"),
        (("--depth", 3, "--agents", 2), "depth 3 is not proved with 2 agents"),
        (("--split", "dev", "--depth", 2), "--split has a composition of its own"),
        (("--seed", -1), "--seed"),
        (("--seed", 2**63), "--seed"),
        (("--depth", 5), "--depth"),
        (("--split", "easy"), "--split"),
    ],
)
def test_wrong_options_leave_no_folder(words: tuple[object, ...], text: str, tmp_path: Path) -> None:
    done = otherminds("pools", "generate", "--out", tmp_path / "pool", *words)
    assert done.returncode == 2
    assert text in done.stderr
    assert not (tmp_path / "pool").exists()


def test_stats_have_the_shares_of_the_paper(shipped: Path) -> None:
    done = otherminds("pools", "stats", "dev")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    found = {(row[0], row[1]): row[2:] for row in rows if len(row) >= 4}
    tasks = [one.task for one in read_pool(shipped / "dev.jsonl.gz")]
    for agents, share in (("2", "26"), ("3", "73"), ("4", "1")):
        number = sum(task.num_agents == int(agents) for task in tasks)
        assert found["agents", agents] == [str(number), f"{20 * number:.1f}", share]
    assert found["pattern", "relay"] == ["1", "20.0"]
    barred = sum(any(b.mechanic_type == "room_restriction" for b in task.mechanic_bindings) for task in tasks)
    assert found["mechanic", "room_restriction"] == [str(barred), f"{20 * barred:.1f}", "100"]
    assert ["structures", "5", "100.0"] in rows


def test_a_pool_is_packed_once(shipped: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine.jsonl.gz"
    assert "5 tasks" in otherminds("pools", "pack", shipped / "dev.jsonl.gz", "--out", target).stdout
    assert target.read_bytes() == (shipped / "dev.jsonl.gz").read_bytes()
    again = otherminds("pools", "pack", "dev", "--out", target)
    assert (again.returncode, "there is such a file already" in again.stderr) == (2, True)


def test_list_shows_a_split(shipped: Path) -> None:
    lines = otherminds("tasks", "list", "--split", "hard").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["delegation_15", "relay_27"]
    assert "(relay), depth" in lines[1]
    wrong = otherminds("tasks", "list", "--split", "hrad")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "otherminds: 'hrad': neither a split nor a pool; did you mean hard?\n",
    )


def test_tasks_of_a_split_are_scenarios_that_are_listed_without_making_them(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert named("relay_27", "hard") in set(scenarios)
    built = scenario(named("relay_27", "hard"), {"turns": 2})
    assert isinstance(built, Scenario)

    def made(self: object, turns: int | None = None) -> Scenario:
        raise AssertionError("a list makes no scenario")

    monkeypatch.setattr("otherminds.household.scenarios.SplitScenario.__call__", made)
    lines = otherminds("list", "scenarios").stdout.splitlines()
    assert sum(line.startswith(("household-dev-", "household-hard-")) for line in lines) == 7
    assert f"{named('relay_27', 'hard'):<36} {built.description}" in lines


def test_a_split_is_played_and_reported_by_pattern_and_split(shipped: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    model = ("--mind", "cot", "--model", "scripted:first")  # played in this process, which has the splits
    otherminds("run", "household", "--split", "hard", "--split", "dev", *model, "--out", out)
    plan, records = results(out)
    assert plan.name == "household hard dev"
    assert len(plan.episodes) == 3 * 7
    facts = {record.spec.scenario: record.facts["task"] for record in records}
    about = facts[named("relay_27", "hard")]
    assert (about["pattern"], about["split"]) == ("relay", "hard")
    teams = json.loads(otherminds("report", out, "--json").stdout)["worlds"]["household"]
    tasks = {team["scope"]: team["tasks"] for team in teams}
    patterns = {f"pattern {name}": 1 for name in ("sequencing", "gated", "mixed")}
    assert tasks.items() >= {"Overall": 7, "split dev": 5, "split hard": 2, **patterns}.items()
    assert (tasks["pattern delegation"], tasks["pattern relay"]) == (2, 2)


def test_a_strategy_takes_the_model_of_the_run(shipped: Path, tmp_path: Path) -> None:
    base = ("run", "household", "--split", "hard", "--out", tmp_path / "run", "--dry-run")
    done = otherminds(*base, "--mind", "cot", "--mind", "informed", "--model", "scripted:first")
    assert done.returncode == 0, done.stderr
    assert "cot@scripted:first" in done.stdout


@for_each(
    ("words", "text"),
    [
        (("household", "--split", "easy"), "there is no split 'easy'"),
        (("demo", "--split", "dev"), "--split replaces the tasks of a shipped study of the household"),
        (("household", "--mind", "informed"), "--mind is for task files and splits"),
    ],
)
def test_a_wrong_split_is_refused(words: tuple[str, ...], text: str, shipped: Path, tmp_path: Path) -> None:
    done = otherminds("run", *words, "--out", tmp_path / "run")
    assert done.returncode == 2
    assert text in done.stderr


@pytest.mark.usefixtures("_fast")
def test_a_pool_of_ones_own_is_played_as_a_folder_and_packed(tmp_path: Path) -> None:
    folder, packed = tmp_path / "mine", tmp_path / "mine.jsonl.gz"
    otherminds("pools", "generate", "--out", folder, "--n", 2, "--seed", 4, "--processes", 1)
    otherminds("pools", "pack", folder, "--out", packed)
    plans = []
    for path in (folder, packed):
        done = otherminds("run", path, "--mind", "random", "--out", tmp_path / f"run {path.name}")
        assert done.returncode == 0, done.stderr
        plans.append(results(tmp_path / f"run {path.name}")[0])
    assert [spec.hash for spec in plans[0].episodes] == [spec.hash for spec in plans[1].episodes]
    assert len(plans[0].episodes) == 6
    ledger = folder / LEDGER
    ledger.write_bytes(ledger.read_bytes().replace(b'"sha256":"', b'"sha256":"0', 1))
    refused = otherminds("run", folder, "--mind", "random", "--out", tmp_path / "other")
    assert (refused.returncode, "ledger.jsonl, line 1" in refused.stderr) == (2, True)


def test_progress_is_one_line() -> None:
    tally = filling.SeedTally(10)
    for verdict in ("", "fair", "fair", "duplicate"):
        tally.add(verdict)
    assert filling.in_words(tally) == "1/10 tasks; 4 candidates; rejected: fair 2, duplicate 1"
    tally.new = 1
    assert " s a kept task; about " in filling.in_words(tally)
