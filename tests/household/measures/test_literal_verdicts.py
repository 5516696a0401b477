"""Verdicts of the household: about a split and never about a task, of knowledge for who knows and never for who guesses."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from otherminds.household.measures.attempts import Attempt
from otherminds.household.measures.passes import Team, teams
from otherminds.household.measures.questions import HOLDS, INVALID, UNKNOWN, Item
from otherminds.measures.verdict import KNOWLEDGE, Verdict
from tests.cases import depth, for_each
from tests.household.measures.literal_minds import (
    ACTING,
    KNOWN_TEAMS,
    NULL_MINDS,
    Bank,
    answer_bank,
    play_bank,
)
from tests.household.measures.test_passes import run

TASKS = 24
"""Tasks of a split that are played here, once each; the benchmark plays all three times."""
SPLITS = "hard", "standard"


def judged(attempts: list[Attempt] | tuple[Attempt, ...], planned: int = 3) -> list[Verdict]:
    cells = dict.fromkeys(((one.scenario, one.mind) for one in attempts), planned)
    return [row.verdict for row in teams(cells, attempts) if row.verdict]


def play_once(split: str, acting: str) -> Bank:
    return play_bank(split, acting, TASKS, runs=1)


def verdict_of(attempts: list[Attempt] | tuple[Attempt, ...], planned: int = 3) -> Verdict:
    (found,) = judged(attempts, planned)
    return found


def overall(bank: Bank) -> Team:
    return next(row for row in teams(bank.planned, bank.attempts) if row.scope == "Overall")


def question(truth: int, answer: int, own: int = UNKNOWN) -> Item:
    return Item("agent_0", (2, "is_open", "agent", "1,0"), 1.0, answer, truth, own, own, UNKNOWN, own)


def study(
    right: float, tasks: int = 40, mind: str = "m", *, seed: int = 0, scored: bool = True, **more
) -> list[Attempt]:
    """Three runs of each task with two questions that nothing but knowledge answers; ``right`` of the answers are."""
    rng = random.Random(seed)
    found: list[Attempt] = []
    for n in range(tasks):
        for k in range(3):
            truths = rng.sample((HOLDS, UNKNOWN), 2)
            items = tuple(
                question(truth, truth if rng.random() < right else HOLDS + UNKNOWN - truth)
                for truth in truths
            )
            made = run(f"t{n}", k, items=items, gain=0.0, split="hard", **more)
            found.append(replace(made, mind=mind, scored=scored))
    return found


class TestKnownMinds:
    @for_each("acting", [name for name in ACTING if name not in ("no_message", "level 1")])
    @for_each("split", SPLITS, every=2)
    def test_a_team_that_tracks_what_others_know_knows(self, split: str, acting: str) -> None:
        """Levels 2 and 3 answer from what the others saw and were told; broadcasters have too little to answer."""
        bank = play_once(split, acting)
        verdict = verdict_of(bank.attempts, planned=1)
        if acting == "broadcast":
            assert verdict.kind == "not measured", "it wastes its messages, so that few are told anything"
            return
        assert verdict.kind in KNOWLEDGE
        assert verdict.literal.mean > 0.9
        assert overall(bank).others.accuracy > 0.98

    @for_each("acting", KNOWN_TEAMS)
    @for_each("split", SPLITS, every=2)
    def test_who_answers_what_the_log_entitles_it_to_is_right_everywhere(
        self, split: str, acting: str
    ) -> None:
        """No task is left out because the right team is right: L is 1 wherever it is defined."""
        bank = play_once(split, acting)
        for row in teams(bank.planned, answer_bank(bank, lambda item: {item.truth: 1.0})):
            assert row.others.score is None or row.others.score == pytest.approx(1.0)

    @for_each("acting", ["no_message", "level 0", "informed"])
    @for_each("split", SPLITS, every=2)
    def test_of_a_team_that_tells_nothing_nothing_is_said_to_be_known(self, split: str, acting: str) -> None:
        """Nobody was told anything, so that too few questions tell who knows from who says "unknown" to all."""
        assert verdict_of(play_once(split, acting).attempts, planned=1).kind == "not measured"

    @for_each("right", [0.95, 1.0])
    def test_mostly_right_is_enough(self, right: float) -> None:
        assert verdict_of(study(right)).kind == "undecided"

    def test_whether_it_uses_what_it_knows_is_left_to_interventions(self) -> None:
        verdict = verdict_of(study(1.0))
        assert "interventions" in verdict.sentence
        assert verdict.unused.mean is None


class TestNullMinds:
    @for_each("acting", ACTING)
    @for_each("null", NULL_MINDS)
    @for_each("split", SPLITS, every=2)
    @pytest.mark.parametrize("seeds", depth(1, 2))
    def test_no_null_mind_knows_whatever_it_does(
        self, split: str, null: str, acting: str, seeds: int
    ) -> None:
        for seed in range(seeds):
            answered = answer_bank(play_once(split, acting), NULL_MINDS[null], seed)
            assert verdict_of(answered, planned=1).kind not in KNOWLEDGE

    @pytest.mark.parametrize("studies", depth(50, 400))
    def test_a_coin_seldom_knows(self, studies: int) -> None:
        """Where nothing but knowledge tells: at most 5 % of the studies, plus 4 standard errors."""
        found = [verdict_of(study(0.5, tasks=12, seed=seed)).kind in KNOWLEDGE for seed in range(studies)]
        assert sum(found) / len(found) <= 0.05 + 4 * (0.05 * 0.95 / len(found)) ** 0.5

    @for_each("tasks", [1, 2, 3, 5])
    def test_three_equal_runs_of_few_tasks_are_no_sample(self, tasks: int) -> None:
        """A coin in one task, three runs alike: it used to have p = 0."""
        lucky = [replace(one, seed=k) for one in study(1.0, tasks)[::3] for k in range(3)]
        verdict = verdict_of(lucky)
        assert verdict.kind == "not measured"
        assert f"came up in {tasks} of {tasks} tasks" in verdict.reason

    def test_copies_of_runs_add_nothing(self) -> None:
        """Runs of one task are one cluster: tripled, they leave the bounds as they are."""
        once = study(0.9, tasks=20)[::3]
        thrice = [replace(one, seed=k) for one in once for k in range(3)]
        assert verdict_of(once, 1).literal.low == pytest.approx(verdict_of(thrice).literal.low, abs=1e-6)

    def test_where_one_answer_is_always_true_nothing_is_known(self) -> None:
        always = [replace(one, items=(question(UNKNOWN, UNKNOWN),) * 3) for one in study(1.0)]
        verdict = verdict_of(always)
        assert verdict.kind == "not measured"
        assert verdict.literal.mean is None


class TestInference:
    def test_there_is_one_verdict_a_split_and_mind_and_none_a_task(self) -> None:
        both = [*study(1.0), *study(0.5, mind="n")]
        dev = [replace(one, split="dev", scenario=f"d{one.scenario}") for one in study(1.0)]
        found = judged([*both, *dev])
        assert {(one.mind, one.place) for one in found} == {
            ("m", "split hard (40 tasks)"),
            ("m", "split dev (40 tasks)"),
            ("n", "split hard (40 tasks)"),
        }
        assert len(found) == 3

    def test_claims_about_language_models_are_corrected_for_their_number(self) -> None:
        """Who knows among twenty others knows alone, and not the other way round; yardsticks are tested by themselves."""

        def knows(seed: int, others: int, *, model: bool) -> bool:
            played = [*study(0.68, tasks=10, seed=seed), *(one for other in crowd[:others] for one in other)]
            found = [replace(one, model=model) for one in played]
            return next(one for one in judged(found) if one.mind == "m").kind in KNOWLEDGE

        crowd = [study(0.5, tasks=10, seed=n, mind=f"o{n}") for n in range(20)]
        alone = [knows(seed, 0, model=True) for seed in range(6)]
        corrected = [knows(seed, 20, model=True) for seed in range(6)]
        assert all(one or not other for one, other in zip(alone, corrected, strict=True))
        assert sum(corrected) < sum(alone)
        assert [knows(seed, 20, model=False) for seed in range(6)] == alone

    def test_lost_runs_count_as_wrong(self) -> None:
        kept = study(1.0)
        some = [replace(one, scored=one.seed > 0, items=one.items if one.seed else ()) for one in kept]
        verdict, whole = verdict_of(some), verdict_of(kept)
        assert (verdict.lost, verdict.episodes) == (40, 120)
        assert verdict.literal.mean < whole.literal.mean - 0.3
        most = [replace(one, scored=one.seed > 1, items=one.items if one.seed > 1 else ()) for one in kept]
        assert "were lost" in verdict_of(most).reason

    def test_answers_that_cannot_be_read_are_no_verdict(self) -> None:
        mumbled = [
            replace(one, items=(*one.items, question(HOLDS, INVALID))) if one.seed == 0 else one
            for one in study(1.0)
        ]
        verdict = verdict_of(mumbled)
        assert verdict.kind == "not measured"
        assert "40 of 280 answers could not be read" in verdict.reason

    def test_who_meets_goals_and_knows_nothing_plays_better_than_it_says(self) -> None:
        found = [replace(one, gain=1.0) for one in study(0.5)]
        verdict = verdict_of(found)
        assert verdict.kind == "plays better than it says"
        assert "a silent team does not" in verdict.sentence
        assert verdict_of(study(0.5)).kind == "no evidence"

    def test_depth_one_has_no_part_in_a_verdict(self) -> None:
        shallow = [
            replace(one, items=tuple(replace(item, form=(1, "is_open", "probe", "")) for item in one.items))
            for one in study(1.0)
        ]
        verdict = verdict_of(shallow)
        assert (verdict.kind, verdict.literal.mean) == ("not measured", None)
        (row,) = {
            row.mind: row for row in teams(dict.fromkeys(((f"t{n}", "m") for n in range(40)), 3), shallow)
        }.values()
        assert row.knowledge.score == pytest.approx(1.0)

    @pytest.mark.parametrize("studies", depth(30, 200))
    def test_bounds_cover_the_truth(self, studies: int) -> None:
        """Nine of ten right where half is the floor: L is 0.8, above its lower and below its upper bound in 95 % each."""
        found = [verdict_of(study(0.9, tasks=30, seed=seed)).literal for seed in range(studies)]
        true = 0.8
        for outside in (sum(one.low > true for one in found), sum(one.high < true for one in found)):
            assert outside / len(found) <= 0.05 + 4 * (0.05 * 0.95 / len(found)) ** 0.5
