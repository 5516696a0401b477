"""Checks of a scenario as a training environment: all that the RFC names, from records, and each can fail."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace as change
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import otherminds as om
from otherminds.api import validation
from otherminds.api.validation import check_records, play_episodes
from otherminds.cli import commands
from otherminds.core.data import Message
from otherminds.core.record import Record
from otherminds.core.scenario import Meeting, Population, Scenario, scenario, scenarios
from otherminds.measures.literal import member
from otherminds.studies.store import Store
from tests.cases import for_each, thinned
from tests.cli.running import otherminds

LEVELS = {
    *("semantic.oracle_max", "semantic.floor_gap", "semantic.canary_floor", "semantic.no_solution_leakage"),
    *("semantic.verifier_determinism", "semantic.verifier_portability", "semantic.resource_envelope"),
    *("semantic.replayability", "statistical.reward_reachability", "statistical.difficulty_separation"),
    *("statistical.headroom", "statistical.variance_bound", "statistical.training_signal"),
    *("statistical.adversarial_floor", "statistical.gameability_gap"),
}
"""The ids of RFC 008, levels 3 and 4 (severity policy v2 of openenv 0.10.0)."""

ROUNDS = 40
"""Of the episodes that most tests check; with 12, the noise of a coin leaves a check open."""


def by_id(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {result["check_id"]: result for result in found["results"]}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    play_episodes(scenario("rps-mixed-v1", {"rounds": ROUNDS}), 24, folder)
    return folder


@pytest.fixture(scope="module")
def checked(kept: Path) -> dict[str, Any]:
    return check_records(kept)


def test_every_check_of_both_levels_is_there_and_passes(checked: dict[str, Any]) -> None:
    results = by_id(checked)
    assert results.keys() == LEVELS | {"runtime.seed_control", "runtime.episode_determinism"}
    assert {name for name, result in results.items() if result["status"] != "pass"} == set()
    assert checked["verdict"] == "pass"


def test_the_checks_are_functions_of_the_records(kept: Path, checked: dict[str, Any]) -> None:
    assert check_records(kept) == checked


def test_means_are_those_of_another_computation(kept: Path, checked: dict[str, Any]) -> None:
    """(E − B) / (I − B) by walking the partner's automaton, averaged with the population's weights."""
    returns: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in (line.record() for line in Store(kept).lines()):
        spec = record.spec.seats["ego"]
        returns[spec.model or spec.called][member(record)].append(walk(record, ROUNDS))
    weights = {"tit_for_tat": 1 / 2}
    means = {
        player: sum(weights.get(name, 1 / 6) * np.mean(values) for name, values in of.items())
        for player, of in returns.items()
        if len(of) == 4
    }
    results = by_id(checked)
    measured = results["semantic.floor_gap"]["measured"]
    expected = {"oracle": means["informed"], "floor": means["blind"], "do_nothing": means["absent"]}
    assert {name: measured[name] for name in expected} == pytest.approx(expected)
    for check_id in ("semantic.canary_floor", "statistical.adversarial_floor"):
        shown = results[check_id]["measured"]["mean_low_high"].copy()
        shown.pop("reads_start", None)  # no player, but the choice of one by episode
        assert {name: row[0] for name, row in shown.items()} == pytest.approx({n: means[n] for n in shown})
    assert results["statistical.difficulty_separation"]["measured"]["tiers"] == pytest.approx(
        {name: means[name] for name in ("uniform", "factored_rmax", "bayes", "informed")}
    )


def walk(record: Record, rounds: int) -> float:
    """The exact return; rounds that lack cost the least payoff, which is −1 in this game."""
    assert record.game is not None
    assert record.bounds is not None
    policy = record.partners["partner_0"].automaton
    assert policy is not None
    expected, state = float(len(record.actions) - rounds), policy.start
    for own, other in record.actions:
        chances = zip(policy.output[state], record.game.payoffs[int(own)], strict=True)
        expected += sum(chance * cell[0] for chance, cell in chances)
        state = policy.next[state][int(other)][int(own)]
    blind, best = record.bounds.blind, record.bounds.best
    assert blind is not None
    assert best is not None
    return (expected - blind) / (best - blind)


def test_a_scenario_without_anything_to_learn_fails(tmp_path: Path) -> None:
    """Grim trigger alone: a plan fixed in advance does as well as one who knows it."""
    play_episodes(scenario("rps-grim-v1", {"rounds": 6}), 4, tmp_path)
    checked = check_records(tmp_path)
    assert checked["verdict"] == "fail"
    results = by_id(checked)
    assert results["semantic.floor_gap"]["status"] == "fail"
    assert results["statistical.reward_reachability"]["status"] == "fail"
    assert results["semantic.no_solution_leakage"]["status"] == "skip", "there is one partner"


SCORED = ("verifier_determinism", "verifier_portability", "oracle_max")
DRAWN = random.Random(0)
DEFECTS = {
    "rewards are drawn": (
        {*SCORED, "variance_bound", "gameability_gap"},
        lambda record, rounds: DRAWN.random(),
    ),
    "every reward is 1": (
        {"floor_gap", "reward_reachability", "difficulty_separation", "variance_bound", "training_signal"},
        lambda record, rounds: 1.0,
    ),
    "stopping pays": (
        {"floor_gap", "canary_floor"},
        lambda record, rounds: float(len(record.rewards) < rounds),
    ),
    "a text without an answer is paid": (
        {"canary_floor"},
        lambda record, rounds: float(record.outcome.status == "invalid"),
    ),
    "one option is paid": (
        {"adversarial_floor", "oracle_max"},
        lambda record, rounds: float(all(row[0] == 0 for row in record.actions)),
    ),
}
"""Wrong rewards of an episode, and the checks that are to fail."""


@for_each("defect", sorted(DEFECTS), every=3)
def test_a_reward_with_a_defect_fails(kept: Path, monkeypatch: pytest.MonkeyPatch, defect: str) -> None:
    wanted, reward = DEFECTS[defect]
    monkeypatch.setattr(validation, "turn_rewards", lambda record, rounds: np.array([reward(record, rounds)]))
    checked = check_records(kept)
    failed = {result["check_id"].split(".")[1] for result in checked["results"] if result["status"] == "fail"}
    assert wanted <= failed
    assert checked["verdict"] == "fail"


class Numbered(Population):
    """A population in which ``before`` reveals the partner: its thousands are the partner's number."""

    def meeting(self, seed: int) -> Meeting:
        partners = [specs for _, specs in self.members]
        meeting = super().meeting(seed)
        return meeting._replace(before=1000 * partners.index(self.met(seed)) + meeting.before)


def reveal(where: Callable[[int], tuple[int, int]]) -> Scenario:
    """Single moves of rock, paper, scissors; ``where(cycle)`` has the label and the place of the move that beats the partner."""

    def arrange(meeting: Meeting) -> dict[str, Any]:
        wins, (label, place) = meeting.before // 1000 + 1, where(meeting.cycle)
        names = ["JFB"[(move - wins + label) % 3] for move in range(3)]
        return {"names": [names, names], "order": [(row + wins - place) % 3 for row in range(3)]}

    base = scenario("rps-single-v1", {"rounds": 6})
    return change(base, arrange=arrange, population=Numbered(base.population.members))


def shift_floor(by: float) -> Scenario:
    base = scenario("rps-mixed-v1", {"rounds": 6})
    ends = base.bounds
    assert ends is not None
    return change(base, bounds=lambda met: replace(ends(met), blind=(ends(met).blind or 0.0) + by))


BROKEN: dict[str, tuple[Callable[[], Scenario], str, str]] = {
    "a label wins": (lambda: reveal(lambda cycle: (0, cycle)), "canary_floor", "label_3"),
    "a place wins": (lambda: reveal(lambda cycle: (cycle, 0)), "canary_floor", "place_1"),
    "a last place wins": (lambda: reveal(lambda cycle: (cycle, 2)), "canary_floor", "place_3"),
    "the first prompt says what wins": (
        lambda: reveal(lambda cycle: (cycle, -cycle)),
        "canary_floor",
        "reads_start",
    ),
    "a floor too low": (lambda: shift_floor(-5), "floor_gap", ""),
    "a floor too high": (lambda: shift_floor(1), "floor_gap", ""),
}
"""Scenarios with a defect, the check that fails, and the client that it names."""


def keep_only_here(monkeypatch: pytest.MonkeyPatch, target: Scenario) -> Scenario:
    """``target``, made again under a name that this process alone knows."""
    monkeypatch.setitem(scenarios._known, "only-here-v1", lambda: change(target))
    return scenario("only-here-v1", {})


@pytest.mark.parametrize("defect", thinned(sorted(BROKEN, reverse=True), 3))
def test_a_scenario_with_a_defect_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, defect: str) -> None:
    make, check, player = BROKEN[defect]
    play_episodes(keep_only_here(monkeypatch, make()), 24, tmp_path)
    checked = check_records(tmp_path)
    result = by_id(checked)[f"semantic.{check}"]
    assert (result["status"], checked["verdict"]) == ("fail", "fail")
    assert not player or player in result["measured"]["above_floor"]


def test_a_scenario_of_this_process_alone_skips_the_other_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_episodes(keep_only_here(monkeypatch, scenario("rps-mixed-v1", {"rounds": 3})), 6, tmp_path)
    results = by_id(check_records(tmp_path))
    portability = results["semantic.verifier_portability"]
    assert (portability["status"], len(portability["evidence"])) == ("skip", 1)
    assert "entry point" in portability["evidence"][0]
    assert results["semantic.verifier_determinism"]["status"] == "pass"


def test_a_scenario_made_by_hand_is_refused(tmp_path: Path) -> None:
    with pytest.raises(om.StudyError, match="made by hand"):
        play_episodes(change(scenario("rps-mixed-v1", {})), 2, tmp_path)


@for_each("asked, played", [(1, 6), (6, 6), (7, 12)], every=2)
def test_episodes_are_whole_cycles_and_few_never_pass(
    tmp_path_factory: pytest.TempPathFactory, asked: int, played: int
) -> None:
    folder = tmp_path_factory.mktemp("few")
    play_episodes(scenario("rps-mixed-v1", {"rounds": 3}), asked, folder)
    checked = check_records(folder)
    results = by_id(checked)
    assert results["runtime.seed_control"]["measured"]["seeds"] == played
    sampled = [name for name in results if name.startswith("statistical.")]
    for name in (*sampled, "semantic.oracle_max", "semantic.floor_gap", "semantic.canary_floor"):
        assert results[name]["status"] != "pass"
        assert results[name]["evidence"] or results[name]["status"] == "fail"
    assert checked["verdict"] != "pass"


@for_each("noise, status", [(0.2, "pass"), (0.5, "skip"), (2.0, "fail"), (0.0, "pass")], every=2)
def test_the_noise_counts_with_its_uncertainty(
    kept: Path, monkeypatch: pytest.MonkeyPatch, noise: float, status: str
) -> None:
    """The coin's rewards have the standard deviation ``noise``, and the oracle is 1 above the floor."""
    rng = np.random.default_rng(0)
    exact = validation.turn_rewards

    def reward(record: Record, rounds: int) -> Any:
        drawn = record.spec.seats["ego"].model == "coin"
        return np.array([rng.normal(0, noise)]) if drawn else exact(record, rounds)

    monkeypatch.setattr(validation, "turn_rewards", reward)
    assert by_id(check_records(kept))["statistical.variance_bound"]["status"] == status


def test_a_prompt_that_names_the_partner_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play = validation.play_client

    def leak(played: om.Scenario, name: str, seed: int, client: Any, met: Any = None) -> Record:
        record = play(played, name, seed, client, met)
        if not record.calls or name != validation.PROBE:
            return record
        first, *rest = record.calls
        named = replace(first, added=(*first.added, Message("user", f"You meet {member(record)}.")))
        return replace(record, calls=[named, *rest])

    monkeypatch.setattr(validation, "play_client", leak)
    play_episodes(scenario("rps-mixed-v1", {"rounds": 3}), 2, tmp_path)
    result = by_id(check_records(tmp_path))["semantic.no_solution_leakage"]
    assert (result["status"], result["measured"]["steps_with_a_leak"]) == ("fail", [0])


def test_a_household_is_checked_by_its_cheap_teams(tmp_path: Path) -> None:
    play_episodes(scenario("household-dev-gated_1065061126924-v1", {}), 1, tmp_path)
    results = by_id(check_records(tmp_path))
    assert results["semantic.oracle_max"]["measured"]["oracle"] == 1
    assert results["semantic.floor_gap"]["measured"]["floor"] == 0
    assert results["semantic.replayability"]["status"] == "pass"
    assert len(results["statistical.adversarial_floor"]["measured"]["mean_low_high"]) > 20
    assert results["statistical.gameability_gap"]["status"] == "skip"


@for_each("name", ["axelrod-ipd-automata-v1", "rws-repeated-0-v1"])
def test_worlds_whose_returns_have_no_known_ends_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(om.StudyError, match="no exact rewards"):
        play_episodes(scenario(name, {}), 1, tmp_path)
    assert not [*tmp_path.iterdir()], "nothing is kept of it"


def test_the_command_writes_all_checks_and_keeps_the_records(tmp_path: Path) -> None:
    out = tmp_path / "validation.json"
    words = (
        "validate-env",
        "rps-mixed-v1",
        "rps-grim-v1",
        "--rounds",
        "6",
        "--episodes",
        "4",
        "--out",
        str(out),
    )
    done = otherminds(*words)
    assert done.returncode == 1, "one of them fails"
    assert "fail semantic.floor_gap" in done.stdout
    written = json.loads(out.read_text())
    assert [one["target"] for one in written] == ["rps-mixed-v1", "rps-grim-v1"]
    for one in written:
        assert json.loads(json.dumps(check_records(Path(one["records"])))) == one
        few = [
            result["evidence"] for result in one["results"] if result["check_id"].startswith("statistical.")
        ]
        assert any("a pass needs 24" in reason for reasons in few for reason in reasons)
    again = otherminds(*words)
    assert again.returncode == 2
    assert "has records already" in again.stderr


@for_each(
    ("last", "reason"),
    [
        ("no-such-scenario-v1", "no scenario"),
        ("axelrod-ipd-automata-v1", "no exact rewards"),
        ("rps-mixed-v1", "once"),
        ("rps-single-v1", "has records already"),
    ],
)
def test_nothing_is_played_where_a_later_scenario_cannot_be(
    tmp_path_factory: pytest.TempPathFactory, last: str, reason: str
) -> None:
    out = tmp_path_factory.mktemp("refused") / "validation.json"
    play_episodes(
        scenario("rps-single-v1", {"rounds": 1}),
        1,
        out.with_name("validation.json.records") / "rps-single-v1",
    )
    done = otherminds("validate-env", "rps-mixed-v1", last, "--out", str(out))
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert not out.exists()
    assert not [*Store(out.with_name("validation.json.records") / "rps-mixed-v1").lines()]


def test_a_folder_as_output_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    done = otherminds("validate-env", "rps-mixed-v1", "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert "not a file" in done.stderr
    assert not [*Store(tmp_path / "out.records" / "rps-mixed-v1").lines()]


def test_results_are_written_as_each_scenario_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, play = tmp_path / "validation.json", commands.play_episodes

    def stop_at_second(target: Scenario, episodes: int, folder: Path) -> None:
        if target.id == "rps-single-v1":
            raise KeyboardInterrupt
        play(target, episodes, folder)

    monkeypatch.setattr(commands, "play_episodes", stop_at_second)
    with pytest.raises(KeyboardInterrupt):
        commands.show_validation(["rps-mixed-v1", "rps-single-v1"], out, 2, {"rounds": 2})
    assert [one["target"] for one in json.loads(out.read_text())] == ["rps-mixed-v1"]
