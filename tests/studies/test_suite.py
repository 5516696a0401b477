"""Shipped suites: what they promise, and how a size becomes a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import lcm
from pathlib import Path

import pytest

from otherminds import Record, StudyError, play
from otherminds.core.encoding import encode
from otherminds.core.scenario import Participant, Population, Setup, scenario
from otherminds.core.user_files import read_toml
from otherminds.household.measures.attempts import Attempt, attempt
from otherminds.household.measures.passes import teams
from otherminds.measures.cells import tabulate, verdicts
from otherminds.measures.verdict import KNOWLEDGE, Verdict
from otherminds.play.loop import play_now
from otherminds.studies.evaluation import LEAST, Suite, suite, suites
from otherminds.studies.file import StudyFile, shipped_studies, validate_data
from otherminds.studies.plan import StudyPlan, ego, plan
from otherminds.studies.run_overrides import RunOverrides, entry_of, fill
from tests.cases import for_each
from tests.household.measures.literal_minds import NULL_MINDS, Bank, answer_bank
from tests.measures.known_minds import IDLE, IGNORANT, USERS, KnownMind

MODEL = "scripted:first"
NATURES = {**IGNORANT, **USERS, **IDLE}


@cache
def plan_size(name: str, size: str) -> StudyPlan:
    """The plan of a size of a suite."""
    chosen = suite(name)
    return plan(fill(chosen.study(chosen.size(size)), RunOverrides((MODEL,))), Path())


@for_each("name", suites())
def test_every_size_of_every_suite_is_a_study_with_enough_episodes(name: str) -> None:
    chosen = suite(name)
    assert chosen.name == name
    for size in chosen.sizes:
        planned = plan_size(name, size.name)
        assert planned.name == f"{name}-{chosen.version}"
        asked = {key: n for key, n in planned.cells().items() if key[1].endswith(MODEL)}
        assert len(asked) == len({spec.scenario + spec.label for spec in planned.episodes})
        by_mind = Counter[str]()
        for (_, mind), episodes in asked.items():
            by_mind[mind] += episodes
        assert min(by_mind.values()) >= LEAST


def test_a_size_with_too_few_episodes_is_refused() -> None:
    plain = suite("house").model_dump(mode="json")
    plain["cells"] = [{**plain["cells"][0], "scenarios": plain["cells"][0]["scenarios"][: LEAST - 1]}]
    with pytest.raises(
        StudyError, match=rf"size 'quick' has {LEAST - 1} episodes of a mind, and needs {LEAST}"
    ):
        validate_data(Suite, plain)


HOUSES = [
    name for name, file in {**suites(), **shipped_studies()}.items() if "household-" in file.read_text()
]


@for_each("name", HOUSES, every=4)
def test_every_study_of_the_household_has_the_teams_at_which_f_is_1_and_0(name: str) -> None:
    """In each of its tasks the team ``planner`` has F = 1, and the team ``no_message`` F = 0."""
    file = {**suites(), **shipped_studies()}[name]
    cells = validate_data(Suite if name in suites() else StudyFile, read_toml(file)).cells
    for cell in cells:
        assert {"planner", "no_message"} <= {entry_of(one).mind for one in cell.minds}
    ends = {"planner": 1.0, "no_message": 0.0}
    tasks = {one for cell in cells for one in cell.scenarios}
    records = [play(task, mind) for task in tasks for mind in ends]
    keys = Counter((record.spec.title, ego(record.spec).title) for record in records)
    assert len(keys) == 2 * len(tasks) >= 24
    assert all(cell.functional.mean == ends[cell.mind] for cell in tabulate(keys, records))


@for_each("name", ["core", "matrix"])
def test_matrix_games_meet_every_partner_with_its_share(name: str) -> None:
    for size in suite(name).sizes:
        planned = plan_size(name, size.name)
        for one in {spec.scenario for spec in planned.episodes}:
            built = scenario(one, {})
            assert isinstance(built.population, Population)
            assert size.episodes % lcm(*(weight.denominator for weight, _ in built.population.members)) == 0


@for_each("name", suites())
def test_a_larger_size_has_every_episode_of_a_smaller_one(name: str) -> None:
    chosen = suite(name)
    plans = [plan_size(name, size.name) for size in chosen.sizes]
    hashes = [{spec.hash for spec in one.episodes} for one in plans]
    for smaller, larger in pairwise(hashes):
        assert smaller < larger


@for_each("name", ["core", "matrix"])
def test_every_size_has_enough_distinct_episodes_for_a_verdict(name: str) -> None:
    """An episode's labels and order are its design: at least six, and twelve with each partner in the largest size."""
    chosen = suite(name)
    for size in chosen.sizes:
        planned = plan_size(name, size.name)
        designs: dict[str, dict[bytes, set[bytes]]] = {}
        for spec in planned.episodes:
            built = scenario(spec.scenario, spec.options)
            partner = encode(spec.seats["partner_0"])
            designs.setdefault(spec.title, {}).setdefault(partner, set()).add(encode(built.drawn(spec.seed)))
        for found in designs.values():
            assert sum(map(len, found.values())) >= 6
            assert size is not chosen.sizes[-1] or min(map(len, found.values())) >= 12


@for_each("name", ["core", "matrix"])
def test_knowledge_and_its_use_can_be_told_in_the_smallest_size_and_every_larger_one(name: str) -> None:
    """Those who play as the words "optimal" and "at random" say get these verdicts by the plan of each size."""
    chosen = suite(name)
    for size in chosen.sizes[:2]:
        planned = plan_size(name, size.name)
        kinds = {
            nature: verdict_of(planned, nature).kind
            for nature in ("bayes", "truth, plays at random", "uniform")
        }
        assert kinds["truth, plays at random"] == "does not use"
        assert kinds["uniform"] == "no evidence"
        assert kinds["bayes"] in ({"uses", "undecided"} if size is chosen.sizes[0] else {"uses"})


def test_knowledge_can_be_told_in_the_smallest_size_of_the_household() -> None:
    """A team that tracks what others know gets a verdict of knowledge, and a coin none; larger sizes add to this one."""
    chosen = suite("house")
    size = chosen.sizes[0]
    planned = plan_size(chosen.name, size.name)
    runs: list[Attempt] = []
    for spec in planned.episodes:
        if ego(spec).model:
            built = scenario(spec.scenario, spec.options)
            players = {seat: built.make("level_k", {"k": 3}) for seat in built.focal}
            run = attempt(play_now(Setup(built, players, spec.seed))[0])
            assert run is not None
            runs.append(run)
    assert judge_runs(runs, size.episodes).kind in KNOWLEDGE
    guesses = answer_bank(Bank("", "", tuple(runs)), NULL_MINDS["three-sided coin"])
    assert judge_runs(guesses, size.episodes).kind == "plays better than it says"


def judge_runs(runs: Sequence[Attempt], episodes: int) -> Verdict:
    """The verdict over the runs of a mind, so many a task."""
    planned = dict.fromkeys(((run.scenario, run.mind) for run in runs), episodes)
    (verdict,) = [team.verdict for team in teams(planned, runs) if team.verdict is not None]
    return verdict


def verdict_of(planned: StudyPlan, nature: str) -> Verdict:
    """The verdict about a mind of known nature in the place of the language minds of a plan."""
    records: list[Record] = []
    counts: Counter[tuple[str, str]] = Counter()
    for spec in planned.episodes:
        if not ego(spec).model:
            continue
        built = scenario(spec.scenario, spec.options)
        met = [members for _, members in built.population.members].index((spec.seats["partner_0"],))
        mind = KnownMind(NATURES[nature], built, met, spec.options["rounds"], 0, spec.seed, spec.seed)
        players = {"ego": Participant(mind, label=nature)}
        records.append(play_now(Setup(built, players, spec.seed, label=spec.title))[0])
        counts[spec.title, nature] += 1
    (verdict,) = verdicts(tabulate(counts, records))
    return verdict


def test_sizes_that_are_not_nested_are_refused() -> None:
    core = suite("core")
    plain = core.model_dump(mode="json")
    plain["sizes"] = plain["sizes"][::-1]
    with pytest.raises(StudyError, match=r"size 'standard' lacks episodes of 'full'"):
        validate_data(Suite, plain)


def test_another_mind_takes_the_place_of_the_suites_with_its_own_defaults() -> None:
    core = suite("core")
    (first,) = {ego(spec).called for spec in planned(core, "") if ego(spec).model}
    (other,) = {ego(spec).called for spec in planned(core, "cot") if ego(spec).model}
    assert (first, other) == ("qa@scripted:first(tries=10)", "cot@scripted:first")
    assert {ego(spec).title for spec in planned(core, "cot")} == {"cot@scripted:first", "rmax", "uniform"}


def planned(chosen: Suite, mind: str):
    return plan(fill(chosen.study(chosen.sizes[0], mind), RunOverrides((MODEL,))), Path()).episodes


def test_names_that_do_not_exist() -> None:
    with pytest.raises(StudyError, match=r"no suite 'cores'; did you mean core"):
        suite("cores")
    with pytest.raises(
        StudyError, match=r"core-2 has no size .huge.; there are glance, quick, standard, full"
    ):
        suite("core").size("huge")
