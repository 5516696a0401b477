"""Whether tasks are fair and hard, by episodes that the simulator replays: known answers, and forged evidence."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest
from msgspec import structs

from otherminds.household.calibrate import turns_of
from otherminds.household.epistemic.certificate import TEAMS as CERTIFIED
from otherminds.household.epistemic.certificate import Certificate, Claim, TeamEpisode, decoded
from otherminds.household.epistemic.check import RejectedError
from otherminds.household.house import House
from otherminds.household.proofs.episodes import (
    MOST_SOLVERS,
    SEEDS,
    TEAMS,
    cheap_solvers,
    check_episodes,
    fair_verdicts,
    judge_hard,
    runs_solved,
    team_episodes,
)
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.matching import check_for
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.reference.roster import ROSTER
from otherminds.household.task import Binding, Calibration
from otherminds.household.tasks.load import playable, shipped_tasks
from otherminds.household.teams import PANEL
from tests.cases import depth, for_each
from tests.household.proofs.tasks import OPENED, bars, relay, told_house

PROVED, REFUTED, UNKNOWN = "proved and checked", "refuted", "unknown"
RUNS = len(SEEDS)
replace = structs.replace


@cache
def easy() -> House:
    return relay()


@cache
def hard() -> House:
    """Agent 0 has to pass the goal on to agent 2 through agent 1, whose only message others spend on something else."""
    return told_house(
        *bars(agent_0="store_1", agent_1="store_1"),
        Binding(
            "restricted_communication",
            allowed_targets={"agent_0": ("agent_1",), "agent_1": ("agent_2",), "agent_2": ()},
        ),
        Binding("limited_bandwidth", message_limits={"agent_1": 1}),
        goal=OPENED,
        knows={
            "agent_0": [f"(goal {OPENED})", "(is_restricted agent_0 store_1)"],
            "agent_1": [
                "(is_restricted agent_1 store_1)",
                "(can_communicate agent_1 agent_2)",
                "(message_limit agent_1 1)",
            ],
        },
        agents=3,
    )


@cache
def played(house: House) -> tuple[TeamEpisode, ...]:
    return team_episodes(house)


def of_team(house: House, team: str) -> TeamEpisode:
    (one,) = (one for one in played(house) if one.team == team)
    return one


def verdicts(house: House, episodes: tuple[TeamEpisode, ...] | None = None) -> dict[str, ProofVerdict]:
    episodes = played(house) if episodes is None else episodes
    found = {one.name: one for one in fair_verdicts(house, episodes)}
    if episodes:
        found["hard"], _ = judge_hard(house, episodes, found["fair"].proved)
    return found


def given(house: House, **fields: object) -> House:
    return House(replace(house.task, **fields), house.scene)


def in_turns(house: House, turns: int) -> House:
    """The task with another limit of turns."""
    return given(house, calibration=Calibration(turns // 2, 1, ()))


@for_each("name", shipped_tasks(), every=3)
def test_an_included_task_is_fair_and_its_levels_are_in_order(name: str) -> None:
    house = playable(name)
    episodes = team_episodes(house)
    found = verdicts(house, episodes)
    assert (found["fair"].status, found["levels in order"].status) == (PROVED, PROVED), found


@pytest.mark.parametrize("names", depth(("remote_lights",), shipped_tasks()))
def test_all_episodes_of_included_tasks_are_accepted(names: tuple[str, ...]) -> None:
    for name in names:
        house = playable(name)
        assert set(check_episodes(house, team_episodes(house)).values()) == {""}


def test_every_run_of_every_team_is_there() -> None:
    runs = [(one.team, seed) for one in played(easy()) for seed in one.seeds]
    assert sorted(runs) == sorted((team, seed) for team in TEAMS for seed in SEEDS)
    assert runs_solved(played(easy())).keys() == TEAMS.keys()


def test_a_run_of_a_team_that_draws_is_no_evidence_for_other_seeds() -> None:
    (first,) = (one for one in played(easy()) if one.team == "random" and 0 in one.seeds)
    (why,) = check_episodes(easy(), [replace(first, seeds=SEEDS)]).values()
    assert "the team has agent_" in why


def test_only_informed_is_given_the_secrets_of_others() -> None:
    granted = {team: ROSTER[one.mind](easy(), **one.params).grants for team, one in TEAMS.items()}
    assert granted.pop("informed") == {"secrets"}
    assert not any(granted.values())


def test_a_task_that_broadcast_solves_is_fair_and_not_hard() -> None:
    found = verdicts(easy())
    assert found["fair"].status == found["levels in order"].status == PROVED
    assert found["hard"].status == REFUTED
    assert found["hard"].says.startswith("solved by broadcast, ")
    assert not found["hard"].decisive


def test_a_task_that_only_relaying_solves_is_hard_if_cheap_teams_do_not() -> None:
    runs = runs_solved(played(hard()))
    assert {team for team, solved in runs.items() if solved} >= {"level 3", "informed"}
    found = resisting(0)
    assert {one.status for one in found.values()} == {PROVED}
    says = "3 of 3 runs by level 3, informed; 0 of 3 runs by random, no_message, broadcast, level 1, level 2"
    assert says in found["levels in order"].says
    assert f"resists {len(PANEL)} of {len(PANEL)} cheap teams" in found["hard"].says


@for_each(
    ("solvers", "status"),
    [(1, PROVED), (MOST_SOLVERS, PROVED), (MOST_SOLVERS + 1, REFUTED), (len(PANEL), REFUTED)],
)
def test_few_cheap_teams_may_solve_a_hard_task(solvers: int, status: str) -> None:
    assert resisting(solvers)["hard"].status == status


def test_cheap_teams_play_where_nobody_says_what_they_solve() -> None:
    """Whatever is known may be in one message here, which the team passes on in time."""
    found = verdicts(hard())["hard"]
    assert found.status == REFUTED
    assert found.says.startswith("solved by cheap teams: ")
    assert cheap_solvers(hard(), turns_of(hard()) // 2).keys() >= {*found.says.partition(": ")[2].split(", ")}


def resisting(solvers: int) -> dict[str, ProofVerdict]:
    """The verdicts if so many cheap teams solve the task."""
    cheap = dict.fromkeys([*PANEL][:solvers], (2,))
    found = {one.name: one for one in fair_verdicts(hard(), played(hard()))}
    found["hard"], _ = judge_hard(hard(), played(hard()), found["fair"].proved, cheap)
    return found


def test_whole_memories_count_against_hard_and_not_for_fair() -> None:
    def outcomes(**solved: bool) -> dict[str, ProofVerdict]:
        changed = {team.replace("_", " "): one for team, one in solved.items()}
        return verdicts(
            hard(), tuple(replace(one, solved=changed.get(one.team, one.solved)) for one in played(hard()))
        )

    assert outcomes(level_2_with_whole_memories=True)["hard"].says == "solved by level 2 with whole memories"
    assert outcomes(level_3_with_whole_memories=False)["fair"].status == PROVED


def test_a_level_that_solves_fewer_runs_than_a_lower_one_is_named() -> None:
    one = tuple(replace(one, solved=True) if one.team == "level 1" else one for one in played(hard()))
    found = verdicts(hard(), one)["levels in order"]
    assert found.status == REFUTED
    assert found.says.startswith(
        "level 2 solves fewer runs than level 1: 3 of 3 runs by level 1, level 3, informed; "
    )


def test_levels_that_solve_nothing_have_no_order() -> None:
    found = verdicts(in_turns(easy(), 1))["levels in order"]
    assert found.status == REFUTED
    assert found.says.startswith("no level solves a run, so that there is no order: 0 of 3 runs by random, ")


def test_the_teams_are_those_of_which_a_certificate_has_the_runs() -> None:
    assert tuple(TEAMS) == CERTIFIED


def test_a_limit_that_is_too_small_is_unfair_and_says_what_is_missing() -> None:
    house = in_turns(easy(), 2)
    one = verdicts(house)["fair"]
    assert one.status == REFUTED
    assert one.decisive
    assert f"level 3 solves 0 of {RUNS} runs in 2 turns" in one.says
    assert f"ends without {OPENED}" in one.says
    assert verdicts(house)["hard"].status == REFUTED


def test_secrets_in_prose_leave_a_failure_open() -> None:
    text = {"agent_0": ("Somebody ought to do something about the twelfth cabinet.",)}
    one = verdicts(given(easy(), agent_knows={}, agent_secrets=text))["fair"]
    assert one.status == UNKNOWN
    assert "secrets in prose may not be understood" in one.says


def test_a_goal_of_knowledge_alone_has_no_episodes() -> None:
    house = told_house(*bars(agent_0="store_1"), goal=f"(K agent_0 {OPENED})", knows={})
    assert played(house) == ()
    assert {name: one.status for name, one in verdicts(house, ()).items()} == {"fair": UNKNOWN}


def faults(house: House, *episodes: TeamEpisode) -> list[str]:
    return list(check_episodes(house, episodes).values())


def with_call(one: TeamEpisode, turn: int, agent: int, call: str) -> TeamEpisode:
    turns = [list(calls) for calls in one.turns]
    assert turns[turn][agent] != call
    turns[turn][agent] = call
    return replace(one, turns=tuple(map(tuple, turns)))


def forged() -> dict[str, tuple[TeamEpisode, str]]:
    """Forged episodes of ``hard``, and what the check says."""
    one = of_team(hard(), "level 3")
    last, (spoke, told) = (
        len(one.turns) - 1,
        next(
            (number, call)
            for number, calls in enumerate(one.turns)
            for call in calls[1:2]
            if call.startswith("Communicate")
        ),
    )
    opened = next(number for number, calls in enumerate(one.turns) if calls[2] == "Open[cabinet_12]")
    silent = of_team(hard(), "no_message")
    return {
        "an act that changes nothing": (with_call(one, last, 0, "Explore[hallway_1]"), f"turn {last}: the team has"),
        "the decisive act": (with_call(one, opened, 2, "Wait[]"), f"it ends without {OPENED}"),
        "a message": (with_call(one, spoke, 1, told.replace("open", "closed")), f"turn {spoke}: the team has"),
        "no call": (with_call(one, 0, 0, "?"), "turn 0: the team has"),
        "a call that is too long": (with_call(one, 0, 0, "?" * 5000), "turn 0: action"),
        "a call less": (replace(one, turns=(one.turns[0][:2], *one.turns[1:])), "turn 0 does not have a call"),
        "a turn less": (replace(one, turns=one.turns[:-1]), "an episode goes on"),
        "a turn more": (replace(one, turns=(*one.turns, one.turns[-1])), "an episode is over"),
        "the outcome": (replace(one, solved=False), "it solves the task"),
        "the other outcome": (replace(silent, solved=True), f"it ends without {OPENED}"),
        "another team": (replace(one, team="level 2"), "the team has"),
        "an unknown team": (replace(one, team="level 4"), "no such team"),
        "a seed that suits": (replace(one, seeds=(3,)), "the seeds of runs are 0, 1, 2"),
        "a seed twice": (replace(one, seeds=(0, 0, 1)), "a run is there twice"),
        "no run": (replace(one, seeds=()), "or there is none"),
    }  # fmt: skip


def test_a_forged_episode_is_rejected() -> None:
    for what, (episode, why) in forged().items():
        (fault,) = faults(hard(), episode)
        assert why in fault, what


def test_a_run_in_two_episodes_is_rejected() -> None:
    one = of_team(hard(), "level 3")
    assert faults(hard(), replace(one, seeds=(0,)), replace(one, seeds=(1, 2))) == ["", ""]
    assert "twice" in faults(hard(), one, replace(one, seeds=(2,)))[1]
    assert all("twice" in fault for fault in faults(hard(), one, one))


def test_episodes_of_another_task_are_rejected() -> None:
    for other in (in_turns(hard(), turns_of(hard()) // 2), given(hard(), agent_knows={"agent_0": ()})):
        assert any(check_episodes(other, played(hard())).values())
    assert all(check_episodes(easy(), played(hard())).values())


def written(house: House, *episodes: TeamEpisode) -> bytes:
    problem = exported(house)
    return msgspec.json.encode(Certificate(problem, problem.sha256(), {}, episodes))


def test_a_certificate_with_episodes_is_checked_without_a_planner() -> None:
    raw = written(easy(), *played(easy()))
    assert decoded(raw).episodes == played(easy())
    found = check_for(easy(), raw).claims
    assert found["level 3 solves the task with seeds 0, 1, 2"] == ""
    assert found["no_message does not solve the task with seeds 0, 1, 2"] == ""
    assert not any(found.values())
    lied = replace(of_team(easy(), "no_message"), solved=True)
    assert any(check_for(easy(), written(easy(), lied)).claims.values())


def test_a_certificate_with_episodes_of_another_task_is_rejected_as_a_whole() -> None:
    with pytest.raises(RejectedError, match="the problem is not that of task"):
        check_for(in_turns(easy(), 20), written(easy(), *played(easy())))


def test_a_claim_cannot_pass_for_an_episode() -> None:
    one = of_team(easy(), "level 3")
    whole = decoded(written(easy(), one))
    claimed = replace(whole, claims={str(one): Claim("open", "start", ())})
    with pytest.raises(RejectedError, match="a claim has the name of an episode"):
        check_for(easy(), msgspec.json.encode(claimed))
