"""``gymnasium.make`` and ``gymnasium.make_vec`` by name, autoreset, and copies of what ``om.make`` returns."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, VectorEnv

import otherminds as om
import otherminds.api.gymnasium_ids
from tests.cases import for_each

SUBSTRATES = ("rws-repeated-v1", "rws-arena-v1", "pd-repeated-v1", "cooking-asymmetric-v1")
SORTS = ("symbolic", "codes", "rgb", "official")
SCENARIOS = {
    "rps-mixed-v1": {"rounds": 4},
    "rws-repeated-0-v1": {"steps": 12},
    "cooking-asymmetric-0-v1": {"steps": 12},
}
COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


def mixed(name: str) -> str:
    return name.replace("-v1", "-mixed-v1")


@for_each("name", SUBSTRATES)
@for_each("observe", SORTS)
def test_a_seat_of_a_substrate_is_an_environment_of_gymnasium(name: str, observe: str) -> None:
    env = gymnasium.make(f"otherminds/{name}", options={"observe": observe}, partners=mixed(name))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*maximum value is infinity.*")  # inventories have no bound
        check_env(env.unwrapped)
    beside = om.make(name, {"observe": observe}, partners=mixed(name))
    assert data_equivalence(env.reset(seed=4)[0], beside.reset(seed=4)[0]["ego"])
    for action in range(8):
        assert data_equivalence(env.step(action)[0], beside.step({"ego": action})[0]["ego"])


def test_a_substrate_without_partners_has_several_seats() -> None:
    with pytest.raises(om.StudyError, match=r"has 2 seats under test .* a substrate has one with partners"):
        gymnasium.make("otherminds/rws-repeated-v1")


@for_each("name", SUBSTRATES)
@for_each("partners", [True, False])
def test_a_substrate_is_a_vector_environment_by_its_name(name: str, partners: bool) -> None:
    scenario = mixed(name) if partners else None
    options = {"observe": "codes", "threads": 2}
    envs = gymnasium.make_vec(f"otherminds/{name}", num_envs=16, options=options, partners=scenario)
    beside = om.make(name, {"observe": "codes"}, partners=scenario, num_envs=16, autoreset_mode="NextStep")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.num_envs == 16
    assert data_equivalence(envs.reset(seed=3), beside.reset(seed=3))
    envs.action_space.seed(0)
    for _ in range(8):
        actions = envs.action_space.sample()
        assert data_equivalence(envs.step(actions), beside.step(actions))
        assert envs.observation_space.contains(envs.step(actions)[0])
        beside.step(actions)


@for_each("name", list(SCENARIOS))
@for_each("mode", ["SameStep", "NextStep"])
def test_copies_of_a_scenario_are_a_vector_environment_by_its_name(name: str, mode: str) -> None:
    envs = gymnasium.make_vec(f"otherminds/{name}", num_envs=3, options=SCENARIOS[name], autoreset_mode=mode)
    beside = om.make(name, SCENARIOS[name], num_envs=3, autoreset_mode=AutoresetMode(mode))
    assert envs.metadata["autoreset_mode"] is beside.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert data_equivalence(envs.reset(), beside.reset())
    ends = 0
    for _ in range(30):
        ours, theirs = envs.step(np.ones(3, int)), beside.step(np.ones(3, int))
        assert data_equivalence(ours[:4], theirs[:4])
        assert ("final_obs" in ours[4]) == (mode == "SameStep" and bool((ours[2] | ours[3]).any()))
        ends += int((ours[2] | ours[3]).sum())
    assert ends >= 6


def test_a_mode_of_autoreset_that_is_none_is_refused() -> None:
    for name in ("rps-mixed-v1", "rws-repeated-v1"):
        for mode in ("Disabled", AutoresetMode.DISABLED, "now"):
            with pytest.raises(om.StudyError, match="'SameStep' or 'NextStep'"):
                om.make(name, num_envs=2, autoreset_mode=mode)
        with pytest.raises(om.StudyError, match="give num_envs too"):
            om.make(name, autoreset_mode="NextStep")


def make_all() -> dict[str, Callable[[], Any]]:
    """Everything that ``om.make`` and Gymnasium make: of scenarios and of substrates, single and many."""
    made: dict[str, Callable[[], Any]] = {}
    for name, options in SCENARIOS.items():
        made[name] = lambda name=name, options=options: om.make(name, options)
        made[f"{name}, two"] = lambda name=name, options=options: om.make(name, options, num_envs=2)
        made[f"{name}, Gymnasium"] = lambda name=name, options=options: gymnasium.make(
            f"otherminds/{name}", options=options
        )
    made["household-remote_lights-v1"] = lambda: om.make("household-remote_lights-v1")
    for name in SUBSTRATES:
        for partners in (None, mixed(name)):
            made[f"{name}, {partners}"] = lambda name=name, who=partners: om.make(name, partners=who)
            made[f"{name}, {partners}, many"] = lambda name=name, who=partners: om.make(
                name, {"threads": 2}, partners=who, num_envs=16
            )
        made[f"{name}, Gymnasium"] = lambda name=name: gymnasium.make(
            f"otherminds/{name}", partners=mixed(name)
        )
    return made


def act(env: Any, number: int) -> Any:
    """One step by an action that is legal in all of them, or a reset where the episode is over."""
    if isinstance(env, VectorEnv):
        return env.step(np.full(env.num_envs, number))
    if isinstance(env, gymnasium.Env):
        ended = getattr(env.unwrapped.env, "agents", None) == []  # type: ignore[attr-defined] - the wrapped environment is ours
        return env.reset() if ended else env.step(number)
    if not env.agents:
        return env.reset()
    say = "wait()" if "agent_0" in env.agents else number
    return env.step(dict.fromkeys(env.agents, say))


@for_each("copy", list(COPIES))
@for_each("name", list(make_all()))
def test_a_copy_goes_on_from_the_same_state(name: str, copy: str) -> None:
    env = make_all()[name]()
    env.reset(seed=6)
    for number in (1, 2, 1):
        act(env, number)
    same = COPIES[copy](env)
    for number in (0, 1, 2) * 4:
        assert data_equivalence(act(same, number), act(env, number)), number


def test_a_policy_of_codes_plays_in_studies() -> None:
    env = gymnasium.make(
        "otherminds/rws-repeated-v1", options={"observe": "codes"}, partners="rws-repeated-0-v1"
    )
    seen: list[Any] = []
    policy = om.policy(lambda observation: seen.append(observation) or 1, env)
    om.play("rws-repeated-0-v1", policy, options={"steps": 5}, ask=False)
    assert env.observation_space.contains(seen[0])
