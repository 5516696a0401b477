"""Two minds compared on the same partners and seeds: the difference is named where there is one, and only there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from msgspec.structs import replace

from otherminds import play
from otherminds.core.record import Outcome
from otherminds.core.scenario import scenario
from otherminds.household.tasks.load import shipped_tasks
from otherminds.measures.comparing import Contrast, Difference, compare
from otherminds.measures.episode import Episode, Key, summarise
from otherminds.measures.intervals import Estimate, holm, together
from otherminds.measures.registry import Unknown
from tests.cases import for_each
from tests.measures.known_minds import HALF, IDLE, IGNORANT, PARTLY, PLAYS, USERS, play_study

DESIGNS = 8
"""Label designs, and episodes, a partner."""
NATURES = {**IGNORANT, **PLAYS, **USERS, **PARTLY, **HALF, **IDLE}
SCENARIO = "rps-single-v1"
KEY: Key = (SCENARIO, "mind")
UNKNOWN = Unknown("no policy is recorded")
INVALID = Outcome("invalid", "reply", "", 0)


@cache
def episodes(nature: str, study: int = 0, name: str = SCENARIO) -> tuple[Episode, ...]:
    """Episodes of a mind of known nature, ``DESIGNS`` with each partner."""
    built = scenario(name, {"rounds": 20, "names": "varied"})
    return tuple(map(summarise, play_study(built, NATURES[nature], study, DESIGNS, DESIGNS, 20)))


def contrast(first: Sequence[Episode], second: Sequence[Episode]) -> Contrast:
    return compare({KEY: first}, {KEY: second})


def by_score(found: Sequence[Difference]) -> dict[str, Difference]:
    return {one.score: one for one in found}


def named(found: Contrast) -> dict[str, bool]:
    """The scores that differ, and whether the first mind has more."""
    return {one.score: (one.by.mean or 0.0) > 0 for one in found.pooled if one.differs}


@for_each(
    "first, second, due",
    [
        ("bayes", "truth, plays at random", {"unused": False, "functional": True}),
        ("truth, stuck", "best reply to frequency", {"unused": True, "functional": False}),
        ("bayes", "uniform", {"literal": True, "functional": True}),
        ("hash", "counts, plays at random", {"literal": False}),
        ("bayes", "half used", {"unused": False, "functional": True}),
    ],
)
@for_each("name", [SCENARIO, "ibs-single-v1"])
def test_what_one_knows_uses_or_earns_more_is_named(
    name: str, first: str, second: str, due: dict[str, bool]
) -> None:
    found = contrast(episodes(first, 0, name), episodes(second, 1, name))
    assert named(found).items() >= due.items()
    turned = contrast(episodes(second, 1, name), episodes(first, 0, name))
    assert named(turned) == {score: not more for score, more in named(found).items()}


@for_each(
    "nature",
    ["uniform", "hash", "stuck", "own constant", "quitter", "bayes", "half used", "truth, stuck"],
    every=3,
)
def test_two_minds_of_one_nature_do_not_differ(nature: str) -> None:
    """Over ten studies: a level of 5 % allows about one."""
    told = [named(contrast(episodes(nature, 2 * n), episodes(nature, 2 * n + 1))) for n in range(10)]
    assert sum(map(bool, told)) <= 2


@for_each("nature", ["uniform", "bayes", "quitter"])
def test_a_mind_does_not_differ_from_itself(nature: str) -> None:
    some = episodes(nature)
    assert not named(contrast(some, some))
    assert {one.by.mean for one in contrast(some, some).pooled} <= {0.0, None}


def test_what_is_unused_is_compared_between_minds_that_know_only() -> None:
    """The unused share of a mind without knowledge is chance, however large its difference."""
    assert "unused" not in by_score(contrast(episodes("uniform"), episodes("bayes")).pooled)
    found = contrast(episodes("truth, stuck"), episodes("bayes"))
    assert [one.kind for one in found.verdicts] == ["does not use", "uses"]
    shares = [one.unused.mean or 0.0 for one in found.verdicts]
    assert by_score(found.pooled)["unused"].by.mean == pytest.approx(shares[0] - shares[1])


def test_the_differences_are_those_of_the_verdicts() -> None:
    found = contrast(episodes("half used"), episodes("80 % used"))
    for score in ("literal", "unused", "functional"):
        first, second = (getattr(one, score).mean for one in found.verdicts)
        assert by_score(found.pooled)[score].by.mean == pytest.approx(first - second, abs=1e-9)


def test_copies_of_an_episode_are_one() -> None:
    """Two minds with one design a partner, each copied eight times: three distinct pairs, and nothing is told."""
    copies = [
        [
            replace(one, cluster=(one.cluster[0], 100 * n + one.cluster[1]))
            for one in some[::DESIGNS]
            for n in range(8)
        ]
        for some in (episodes("bayes"), episodes("uniform"))
    ]
    found = contrast(*copies)
    assert found.pairs == 24
    assert {one.clusters for one in found.pooled} == {3}
    assert not any(one.tested for one in found.pooled)


def test_an_episode_that_is_lost_counts_against_the_one_that_gains_by_it() -> None:
    """A mind that knows in half of its episodes, and loses some of the others, does not know more by that."""
    knows, guesses = episodes("truth, stuck"), episodes("stuck")
    half = [one if n % 2 else other for n, (one, other) in enumerate(zip(knows, guesses, strict=True))]
    whole = by_score(contrast(half, guesses).pooled)["literal"]
    lossy = [
        replace(one, outcome=INVALID, evidence=replace(one.evidence, lost=True, literal=-0.5))
        if n in (0, 2, 6, 8)
        else one
        for n, one in enumerate(half)
    ]
    found = contrast(lossy, guesses)
    assert found.lost == (4, 0)
    assert by_score(found.pooled)["literal"].by.mean > whole.by.mean, "the survivors alone look better"
    assert by_score(found.pooled)["literal"].doubt >= whole.doubt


@for_each("share, told", [(0.1, True), (0.3, False)])
def test_too_many_losses_leave_nothing_to_tell(share: float, told: bool) -> None:
    knows = list(episodes("bayes"))
    for n in range(0, len(knows), round(1 / share)):
        knows[n] = replace(knows[n], outcome=INVALID, evidence=replace(knows[n].evidence, lost=True))
    found = contrast(knows, episodes("uniform"))
    assert bool(found.reason) != told
    assert bool(named(found)) == told
    assert told or "lost" in found.reason


def test_failed_episodes_are_in_no_pair() -> None:
    some = [
        replace(one, outcome=Outcome("failed", "provider", "", 0)) if n < 6 else one
        for n, one in enumerate(episodes("bayes"))
    ]
    found = contrast(some, episodes("uniform"))
    assert (found.pairs, found.lost) == (3 * DESIGNS - 6, (0, 0))


def test_only_common_cells_are_compared_and_scenarios_have_equal_weights() -> None:
    other: Key = ("ibs-single-v1", "mind")
    ours = {KEY: episodes("bayes"), other: episodes("bayes", 0, other[0])}
    theirs = {KEY: episodes("uniform", 1)[: 3 * DESIGNS], other: episodes("uniform", 1, other[0])}
    assert {one.scenario for one in compare(ours, {KEY: theirs[KEY]}).rows} == {SCENARIO}
    nothing = compare(ours, {("ipd-mixed-v1", "mind"): theirs[KEY]})
    assert (nothing.pooled, nothing.rows, nothing.pairs) == ((), (), 0)
    found = compare(ours, theirs)
    rows = [one.by.mean for one in found.rows if one.score == "literal"]
    assert by_score(found.pooled)["literal"].by.mean == pytest.approx(sum(rows) / 2)


def test_an_interval_excludes_0_where_a_difference_is_named() -> None:
    for first, second in (("bayes", "uniform"), ("half used", "80 % used"), ("bayes", "truth, stuck")):
        for one in contrast(episodes(first), episodes(second, 1)).pooled:
            assert one.tested
            assert one.differs == (not one.by.low <= 0 <= one.by.high)


def test_the_reward_stands_alone_where_there_is_no_evidence() -> None:
    bare = [[replace(one, evidence=UNKNOWN) for one in episodes(nature)] for nature in ("bayes", "uniform")]
    found = contrast(*bare)
    assert found.pooled == ()
    assert found.verdicts == ()
    assert [one.score for one in found.rows if one.differs] == ["reward"]
    lossy = [replace(bare[0][0], outcome=INVALID), *bare[0][1:]]
    assert not any(one.differs for one in contrast(lossy, bare[1]).rows), (
        "what a lost one could earn is not known"
    )


def test_holm_rejects_from_the_smallest_on_until_one_fails() -> None:
    assert holm([], 0.05) == 0
    assert holm([0.012, 0.04, 0.012, 0.04], 0.05) == 2
    assert holm([0.013, 0.0001, 0.013, 0.04], 0.05) == 4
    assert holm([0.02, 0.02, 0.02], 0.05) == 0


def test_the_mean_of_independent_estimates() -> None:
    one = Estimate(1.0, 0.0, 2.0, "", 0.3, 10.0)
    both = together([one, replace(one, mean=3.0), Estimate(None, reason="none")])
    assert both.mean == 2.0
    assert both.error == pytest.approx((0.3**2 / 4 * 2) ** 0.5)
    assert both.freedom == pytest.approx(20.0)
    assert both.high - both.mean == pytest.approx(2.0859634 * both.error)
    assert together([Estimate(None, reason="none")]) == Estimate(None, reason="none")
    assert together([one, Estimate(2.0, reason="one episode")]) == Estimate(1.5, reason="one episode")


def test_two_sided_p_values_and_units() -> None:
    one = Estimate(-2.0, -4.0, 0.0, "", 1.0, 10.0)
    assert one.difference == pytest.approx(0.07338803)
    assert Estimate(2.0, 0.0, 4.0, "", 1.0, 10.0).difference == pytest.approx(one.difference)
    assert Estimate(1.0).difference == 1.0
    assert Estimate(0.0, 0.0, 0.0, "", 0.0, 5.0).difference == 1.0
    assert one.per(4.0) == Estimate(-0.5, -1.0, 0.0, "", 0.25, 10.0)
    assert Estimate(None, reason="x").per(2.0) == Estimate(None, reason="x")


@cache
def team(mind: str, tasks: int) -> dict[Key, list[Episode]]:
    """Three runs of a reference team in each of the first included household tasks."""
    names = [f"household-{task}-v1" for task in shipped_tasks()[:tasks]]
    return {(name, "team"): [summarise(play(name, mind, seed=seed)) for seed in range(3)] for name in names}


def lose(runs: dict[Key, list[Episode]]) -> dict[Key, list[Episode]]:
    return {key: [replace(one, outcome=INVALID, values={}) for one in some] for key, some in runs.items()}


def test_teams_are_compared_by_the_goals_that_they_meet_over_all_tasks_together() -> None:
    found = compare(team("planner", 7), team("no_message", 7))
    (goals,) = found.pooled
    assert (goals.score, goals.scenario, goals.by.mean, goals.differs) == ("goals", "", 1.0, True)
    assert (goals.pairs, goals.clusters) == (21, 7)
    assert not found.rows
    assert not compare(team("planner", 7), team("planner", 7)).pooled[0].differs


def test_runs_of_a_task_are_one_case_and_few_tasks_tell_nothing() -> None:
    (goals,) = compare(team("planner", 5), team("no_message", 5)).pooled
    assert (goals.clusters, goals.tested, goals.differs) == (5, False, False)
    assert goals.by.reason == "5 tasks, and a test needs 6"
    alone = compare(team("planner", 1), team("no_message", 1)).pooled[0]
    assert alone.by.reason == "1 task, and a test needs 6"


@for_each("first, second", [("planner", "no_message"), ("no_message", "planner")])
def test_lost_runs_of_a_team_win_nothing_and_lose_nothing(first: str, second: str) -> None:
    """A team that lost half of its runs could have met these goals, and could have missed them."""
    ours, theirs = team(first, 8), team(second, 8)
    for pair in ((lose(ours), theirs), (ours, lose(theirs)), (lose(ours), lose(theirs))):
        assert not any(one.differs for one in compare(*pair).pooled)
    half = dict(list(lose(ours).items())[:1]) | dict(list(ours.items())[1:])
    (goals,) = compare(half, theirs).pooled
    (whole,) = compare(ours, theirs).pooled
    assert goals.doubt >= whole.doubt
