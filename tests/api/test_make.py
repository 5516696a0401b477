"""A scenario as a PettingZoo environment."""

from __future__ import annotations

import pytest
from pettingzoo.test import parallel_api_test

import otherminds as om


@pytest.mark.parametrize(
    ("scenario", "agents"),
    [
        ("rps-mixed-v1", ["ego"]),
        ("rws-arena-0-v1", ["ego"]),
        ("cooking-asymmetric-0-v1", ["ego"]),
        ("household-remote_lights-v1", ["agent_0", "agent_1", "agent_2"]),
    ],
)
def test_it_is_a_parallel_environment(scenario: str, agents: list[str]) -> None:
    env = om.make(scenario)
    assert env.possible_agents == agents
    parallel_api_test(env, num_cycles=60)
    env.close()


def test_it_plays_the_episode_of_its_seed() -> None:
    played = om.play("rps-mixed-v1", "rmax", seed=3, options={"rounds": 12}, ask=False)
    env = om.make("rps-mixed-v1", {"rounds": 12})
    env.reset(seed=3)
    rewards, ended = 0.0, []
    for row in played.actions:
        _, paid, terminated, truncated, infos = env.step({"ego": row[0]})
        rewards += paid["ego"]
        ended.append(terminated["ego"] or truncated["ego"])
        assert len(infos["ego"]["encounters"]) == 1
    assert ended == [False] * 11 + [True]
    assert env.agents == []
    assert env.record is not None
    assert env.record.actions == played.actions
    assert env.record.rewards == played.rewards
    assert env.record.partners == played.partners
    assert env.record.spec.scenario == "rps-mixed-v1"
    assert rewards == played.total("ego") == om.score(env.record).returns


def test_partners_come_in_turn_and_a_learner_has_a_score() -> None:
    env = om.make("rps-mixed-v1", {"rounds": 4})
    records = []
    for _ in range(12):
        env.reset()
        while env.agents:
            env.step({"ego": 1})
        assert env.record is not None
        records.append(env.record)
    assert [record.spec.seed for record in records] == list(range(12))
    assert om.score(records)["functional"].mean is not None


def test_what_cannot_be_played_is_refused() -> None:
    env = om.make("ipd-single-v1", {"rounds": 2})
    with pytest.raises(om.WorldError, match=r"call reset\(\) before step\(\)"):
        env.step({"ego": 0})
    env.reset()
    with pytest.raises(om.WorldError, match="no action is given for ego"):
        env.step({})
    with pytest.raises(om.StudyError, match="did you mean ipd-single-v1"):
        om.make("ipd-singl-v1")
