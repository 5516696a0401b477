"""A session as a Gymnasium environment: its checker passes, and the episode is the session's."""

from __future__ import annotations

import pytest
from gymnasium.utils.env_checker import check_env

import otherminds as om
from otherminds.bridges.gymnasium_text import TextEnv
from tests.cases import for_each


def open_session(scenario: str = "rps-mixed-v1", rewards: str = "exact") -> om.Session:
    options = {"turns": 3} if scenario.startswith("household") else {"rounds": 4}
    return om.session(
        scenario, options=options, ask=False, rewards="world" if rewards == "world" else "exact"
    )


@for_each(
    "case", [("rps-mixed-v1", "exact"), ("ipd-grim-v1", "world"), ("household-remote_lights-v1", "world")]
)
def test_the_checker_of_gymnasium_passes(case: tuple[str, str]) -> None:
    env = TextEnv(open_session(*case))
    check_env(env, skip_render_check=True)
    env.close()


def test_an_episode_is_that_of_the_session() -> None:
    env, direct = TextEnv(open_session()), open_session()
    observation, info = env.reset(seed=5)
    turn = direct.reset(5)
    rewards: list[float] = []
    while isinstance(turn, om.Turn):
        assert observation.endswith(turn.observation)
        assert info["options"] == turn.options
        turn = direct.step(turn.options[-1])
        observation, reward, terminated, truncated, info = env.step(info["options"][-1])
        rewards.append(reward)
        assert terminated is isinstance(turn, om.Done)
        assert not truncated
    assert rewards == [0, 0, 0, direct.reward]
    assert info["turn_rewards"] == direct.turn_rewards
    assert info["outcome"] == "scored"


def test_a_reply_without_an_answer_ends_the_episode_with_the_least_return() -> None:
    env = TextEnv(open_session())
    env.reset(seed=1)
    terminated, reward = False, 0.0
    for _ in range(20):
        _, reward, terminated, _, info = env.step("no answer")
        if terminated:
            break
    assert terminated
    assert info["outcome"] == "invalid"
    assert reward == pytest.approx(-3), "the least payoff in every round"


def test_seeds_and_splits_choose_the_episode() -> None:
    splits = om.session({"a": "rps-mixed-v1", "b": "ibs-mixed-v1"}, options={"rounds": 2}, ask=False)
    env = TextEnv(splits)
    first = env.reset(seed=3)
    assert env.reset(seed=3) == first
    assert len(env.reset(seed=3, options={"split": "b"})[1]["options"]) == 2
    assert len({env.reset()[0] for _ in range(12)}) > 1, "episodes without a seed are drawn"
    env.close()
