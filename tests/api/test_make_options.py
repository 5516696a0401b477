"""``om.make`` with its options, and the ids of Gymnasium: every family of scenarios and of substrates."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Dict
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import VectorEnv
from pettingzoo.test import parallel_api_test, parallel_seed_test

import otherminds as om
from otherminds.api.environments import SeatEnv
from otherminds.core.scenario import environments, scenarios
from tests.cases import for_each

ONE_SEAT = {
    "matrix": ("rps-mixed-v1", {"rounds": 8}),
    "uneven": (
        "bimatrix-single-v1",
        {
            "rounds": 8,
            "game": {"name": "g", "behaviours": [["a"], ["x", "y"]], "payoffs": [[[1, 2], [3, 4]]]},
        },
    ),
    "axelrod": ("axelrod-ipd-automata-v1", {"rounds": 8}),
    "in_the_matrix": ("rws-repeated-0-v1", {"steps": 40}),
    "arena": ("rws-arena-0-v1", {"steps": 40}),
    "cooking": ("cooking-asymmetric-0-v1", {"steps": 40}),
}
TEAMS = ("household-remote_lights-v1", "household-hard-relay_1053466522134-v1")
SUBSTRATES = ("rws-repeated-v1", "rws-arena-v1", "pd-repeated-v1", "cooking-asymmetric-v1")


@for_each("family", list(ONE_SEAT))
def test_one_seat_is_an_environment_of_gymnasium(family: str) -> None:
    name, options = ONE_SEAT[family]
    env = gymnasium.make(f"otherminds/{name}", options=options)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*maximum value is infinity.*")  # inventories have no bound
        warnings.filterwarnings("ignore", ".*render_mode=.* not in the possible render_modes.*")
        check_env(env.unwrapped)
    env.close()


@for_each("name", [name for name, _ in ONE_SEAT.values() if not name.startswith("bimatrix")] + list(TEAMS))
def test_every_family_passes_the_tests_of_pettingzoo(name: str) -> None:
    options = next((options for other, options in ONE_SEAT.values() if other == name), {"turns": 10})
    parallel_api_test(om.make(name, options), num_cycles=30)


@for_each("name", SUBSTRATES)
@for_each("observe", ["symbolic", "codes", "rgb", "official"])
def test_every_substrate_passes_the_tests_of_pettingzoo(name: str, observe: str) -> None:
    parallel_api_test(om.make(name, {"observe": observe}), num_cycles=20)


def test_a_seed_determines_an_environment() -> None:
    parallel_seed_test(lambda: om.make("rws-repeated-0-v1", {"steps": 20}))


def test_a_gymnasium_environment_plays_the_episode_of_its_seed() -> None:
    played = om.play("rps-mixed-v1", "rmax", seed=5, options={"rounds": 6}, ask=False)
    env = gymnasium.make("otherminds/rps-mixed-v1", options={"rounds": 6})
    env.reset(seed=5)
    paid = [env.step(row[0])[1] for row in played.actions]
    assert paid == [row[0] for row in played.rewards]
    record = env.unwrapped.record
    assert record.actions == played.actions
    assert record.spec.scenario == "rps-mixed-v1"


def test_ids_are_the_scenarios_with_one_seat_that_need_no_further_package() -> None:
    code = "from otherminds.core.scenario import scenarios; print(*scenarios)"  # without what other tests registered
    listed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    extras = ("household-", "real-", "axelrod-ipd-v1", "hide_and_seek")
    ids = {spec.removeprefix("otherminds/") for spec in gymnasium.registry if spec.startswith("otherminds/")}
    needing = {
        name for name in listed if name.startswith("bimatrix-")
    }  # a game, without which they are not made
    single = {
        name
        for name in {*listed} - needing
        if not name.startswith(extras) and len(scenarios.make(name, {}).focal) == 1
    }
    assert ids == single | needing | {*environments}


@for_each(
    "code",
    [
        "import gymnasium, otherminds",
        "import otherminds, gymnasium; otherminds.make('rps-mixed-v1')",
        "import gymnasium; import otherminds.api.gymnasium_ids",
    ],
)
def test_ids_are_there_after_an_import(code: str) -> None:
    said = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(gymnasium.make('otherminds/rps-mixed-v1').unwrapped)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "SeatEnv" in said.stdout
    module_form = "import gymnasium; gymnasium.make('otherminds.api.gymnasium_ids:otherminds/ipd-grim-v1')"
    subprocess.run([sys.executable, "-c", module_form], check=True)


@for_each("name", [*(name for name, _ in ONE_SEAT.values() if not name.startswith("bimatrix")), *TEAMS])
def test_what_is_observed_is_documented(name: str) -> None:
    env = om.make(name)
    about = env.metadata["observations"]
    observations, _ = env.reset(seed=0)
    for seat, observation in observations.items():
        if isinstance(observation, dict):
            assert list(observation) == list(about) == [*env.observation_space(seat).keys()] or (
                set(observation) == set(about) == set(env.observation_space(seat).keys())
            )
    for text in about.values() if isinstance(about, dict) else [about]:
        assert len(text) > 10
        assert text in (env.__doc__ or "")


@for_each("name", SUBSTRATES)
@for_each("observe", ["symbolic", "codes", "rgb", "official"])
def test_what_substrates_observe_is_documented(name: str, observe: str) -> None:
    env, envs = (
        om.make(name, {"observe": observe}),
        om.make(name, {"observe": observe}, num_envs=om.make(name).max_num_agents),
    )
    assert env.metadata["observations"] == envs.metadata["observations"]
    space, about = env.observation_space("ego"), env.metadata["observations"]
    shapes = dict(space.items()) if isinstance(space, Dict) else {"": space}
    texts = about if isinstance(about, dict) else {"": about}
    assert shapes.keys() == texts.keys()
    for key, part in shapes.items():
        assert texts[key].startswith(f"{part.dtype}[{', '.join(map(str, part.shape))}]")


def test_render_modes_are_those_of_the_world() -> None:
    env = om.make("rps-single-v1", {"rounds": 3}, render_mode="ansi")
    env.reset(seed=0)
    env.step({"ego": 1})
    assert env.render().startswith("1: paper ")
    grid = om.make("rws-repeated-0-v1", {"steps": 5}, render_mode="rgb_array")
    grid.reset(seed=0)
    assert grid.render().dtype == np.uint8
    assert grid.render().ndim == 3
    for name, mode in (("rps-single-v1", "rgb_array"), ("rps-single-v1", "human"), (TEAMS[0], "rgb_array")):
        with pytest.raises(om.StudyError, match=f"no render_mode '{mode}'; it has ansi"):
            om.make(name, render_mode=mode)
    with pytest.raises(om.StudyError, match="no parameter 'render_mode'"):
        om.make("rws-repeated-v1", render_mode="ansi")
    plain = om.make("rps-single-v1")
    plain.reset(seed=0)
    with pytest.raises(om.WorldError, match="render_mode"):
        plain.render()


def test_partners_play_in_place_of_those_that_are_drawn() -> None:
    for who in ("grim", om.SeatSpec("grim")):
        env = om.make("ipd-mixed-v1", {"rounds": 2}, partners={"partner_0": who})
        for seed in range(4):
            env.reset(seed=seed)
            while env.agents:
                env.step({"ego": 0})
            assert env.record.spec.seats["partner_0"] == om.SeatSpec("grim")
    chosen = {"partner_0": om.SeatSpec("single", {"behaviour": 1})}
    env.reset(seed=0)
    same = om.play("ipd-mixed-v1", "rmax", options={"rounds": 2}, partners=chosen, ask=False)
    again = om.make("ipd-mixed-v1", {"rounds": 2}, partners=chosen)
    again.reset(seed=0)
    for row in same.actions:
        again.step({"ego": row[0]})
    assert again.record.rewards == same.rewards


@for_each(
    ("name", "partners", "says"),
    [
        ("rps-mixed-v1", {"partner_0": "nobody"}, "no partner is called 'nobody'"),
        ("rps-mixed-v1", {"partner_1": "grim"}, "no seat 'partner_1'"),
        ("rps-mixed-v1", {}, "has no mind"),
        ("rps-mixed-v1", {"ego": "grim", "partner_0": "grim"}, "two minds"),
        ("rps-mixed-v1", "rps-single-v1", "by seat"),
        ("rws-repeated-0-v1", {"partner_0": "chef_0"}, "chef_0"),
        ("rws-repeated-v1", {"partner_0": "rock_0"}, "named by a scenario"),
        ("rws-repeated-v1", "rws-arena-0-v1", "no partners that can play"),
        ("rws-repeated-v1", "household-remote_lights-v1", "no partners that can play"),
    ],
)
def test_partners_that_cannot_play_are_refused(name: str, partners: Any, says: str) -> None:
    with pytest.raises(om.StudyError, match=says):
        om.make(name, partners=partners)


def test_num_envs_makes_a_vector_environment_whose_copies_play_different_episodes() -> None:
    envs = om.make("rps-mixed-v1", {"rounds": 2}, num_envs=3)
    assert isinstance(envs, VectorEnv)
    assert envs.num_envs == 3
    for seed, first in ((None, 0), (10, 10)):
        envs.reset(seed=seed)
        seeds: list[int] = []
        for _ in range(3):
            for _ in range(2):
                *_, infos = envs.step(np.zeros(3, int))
            assert infos["_final_obs"].all()
            seeds += [env.unwrapped.env._seed - 3 for env in envs.envs]
        assert len(set(seeds)) == 9
        if seed is not None:
            assert seeds == list(range(first, first + 9))


def test_copies_step_as_the_single_environment_does() -> None:
    envs, env = (
        om.make("rws-repeated-0-v1", {"steps": 10}, num_envs=2),
        om.make("rws-repeated-0-v1", {"steps": 10}),
    )
    many, _ = envs.reset(seed=4)
    one, _ = env.reset(seed=5)
    for action in range(8):
        assert all(np.array_equal(many[key][1], one["ego"][key]) for key in one["ego"])
        many, *_ = envs.step(np.array([0, action]))
        one, *_ = env.step({"ego": action})


@for_each(
    ("name", "num_envs", "says"),
    [
        ("rps-mixed-v1", 0, "whole number"),
        ("rps-mixed-v1", True, "whole number"),
        ("rps-mixed-v1", 2.0, "whole number"),
        (TEAMS[0], 2, "3 seats under test"),
        ("rws-repeated-v1", 3, "multiple of 2"),
        ("rws-arena-v1", 2, "multiple of 8"),
    ],
)
def test_a_number_of_copies_that_cannot_be_is_refused(name: str, num_envs: Any, says: str) -> None:
    with pytest.raises(om.StudyError, match=says):
        om.make(name, num_envs=num_envs)


@for_each("name", SUBSTRATES)
def test_substrates_are_made_with_and_without_partners(name: str) -> None:
    players = len(om.make(name).possible_agents)
    assert om.make(name, num_envs=2 * players).num_envs == 2 * players
    mixture = name.replace("-v1", "-mixed-v1")
    env, envs = om.make(name, partners=mixture), om.make(name, partners=mixture, num_envs=3)
    assert env.possible_agents == ["ego"]
    assert envs.num_envs == 3
    alone, _ = env.reset(seed=7)
    many, _ = envs.reset(seed=7)
    for _ in range(30):
        assert np.array_equal(alone["ego"], many[0])
        alone, *_ = env.step({"ego": 1})
        many, *_ = envs.step(np.ones(3, int))
    assert set(SUBSTRATES) <= set(environments)


ILLEGAL = (
    -1,
    99,
    1.0,
    0.5,
    float("nan"),
    None,
    "rock",
    "1",
    [1],
    np.array([1]),
    np.array([[1]]),
    (1,),
    object(),
    {},
)


@for_each("name", ["ipd-single-v1", "rws-repeated-0-v1", "cooking-asymmetric-0-v1", "rws-arena-0-v1"])
@pytest.mark.parametrize(
    "action", ILLEGAL, ids=[f"{type(action).__name__}-{i}" for i, action in enumerate(ILLEGAL)]
)
def test_an_illegal_action_is_an_error_and_the_episode_goes_on(name: str, action: Any) -> None:
    env = om.make(name)
    env.reset(seed=1)
    with pytest.raises(om.WorldError, match="it was not played, and the episode goes on"):
        env.step({"ego": action})
    assert env.agents == ["ego"]
    assert env.record is None
    after = env.step({"ego": 1})
    fresh = om.make(name)
    fresh.reset(seed=1)
    assert after[1] == fresh.step({"ego": 1})[1]


def test_choices_of_minds_are_no_actions_of_an_environment() -> None:
    from otherminds.core.data import Invalid, SkillChoice

    env = om.make("rws-repeated-0-v1")
    env.reset(seed=1)
    for action in (SkillChoice("anything"), Invalid("no")):
        with pytest.raises(om.WorldError, match="the episode goes on"):
            env.step({"ego": action})
    assert env.agents == ["ego"]


def test_integers_of_numpy_are_recorded_as_integers() -> None:
    env = om.make("ipd-single-v1", {"rounds": 3})
    env.reset(seed=0)
    for action in (np.int64(1), np.array(1), np.uint8(1)):
        env.step({"ego": action})
    assert [type(row[0]) for row in env.record.actions] == [int] * 3


@for_each("action", [-1, 8, 0.5])
def test_vector_environments_refuse_illegal_actions_and_go_on(action: Any) -> None:
    for envs in (om.make("rws-repeated-v1", num_envs=2), om.make("ipd-single-v1", num_envs=2)):
        envs.reset(seed=0)
        with pytest.raises(om.WorldError):
            envs.step(np.array([0, action]))
        envs.step(np.array([0, 0]))


@for_each("actions", [0, None, "ego", [0], np.zeros(1), {"ego"}])
def test_actions_are_given_by_agent(actions: Any) -> None:
    env = om.make("rps-mixed-v1")
    env.reset(seed=0)
    with pytest.raises(om.WorldError, match=r"^actions are given by agent, \{'ego': action\}, not [^\n]*$"):
        env.step(actions)
    env.step({"ego": 0})


@for_each(
    "actions", [[0, 0, 0, 9, 0], [0, 0, 0, 0, -1], [0] * 4, [0] * 6, 0, None, [0, 0, 0, 0, 0.5], [None] * 5]
)
def test_no_copy_is_stepped_unless_all_actions_are_legal(actions: Any) -> None:
    envs, fresh = (om.make("rps-mixed-v1", {"rounds": 3}, num_envs=5) for _ in range(2))
    envs.reset(seed=0)
    fresh.reset(seed=0)
    for given in (actions, actions if actions is None else np.array(actions)):
        with pytest.raises(om.WorldError):
            envs.step(given)
    for _ in range(3):
        (a, *some), (b, *others) = envs.step(np.zeros(5, int)), fresh.step(np.zeros(5, int))
        assert (a == b).all()
        assert all((x == y).all() for x, y in zip(some[:3], others[:3], strict=True))
    assert some[1].all(), "the third step is the last one of every copy"


def test_in_the_household_a_malformed_call_costs_the_turn() -> None:
    env = om.make(TEAMS[0])
    env.reset(seed=0)
    waits = dict.fromkeys(env.agents, "Wait[]")
    observations, *_ = env.step(waits | {"agent_0": "dance wildly"})
    assert observations["agent_0"]["turn"] == 1
    assert not observations["agent_0"]["worked"]
    with pytest.raises(om.WorldError, match="the episode goes on"):
        env.step(waits | {"agent_0": 3})
    assert env.agents


@for_each("name", TEAMS)
def test_the_household_declares_what_it_observes(name: str) -> None:
    env = om.make(name, {"turns": 12})
    observations, _ = env.reset(seed=0)
    spaces = {seat: env.observation_space(seat) for seat in env.agents}
    for i, seat in enumerate(env.agents):
        env.action_space(seat).seed(i)
    while True:
        for seat, observation in observations.items():
            assert spaces[seat].contains(observation)
            assert spaces[seat].contains(spaces[seat].sample())
            for key in observation:
                assert not spaces[seat].contains({**observation, key: 7.5})
                assert not spaces[seat].contains({k: v for k, v in observation.items() if k != key})
        if not env.agents:
            break
        observations, *_ = env.step({seat: env.action_space(seat).sample() for seat in env.agents})
    one, other = (om.make(name).observation_space("agent_0") for _ in range(2))
    assert one == other


def test_the_space_of_the_household_names_no_object() -> None:
    env = om.make(TEAMS[0])
    env.reset(seed=0)
    task_objects = env._scenario.world().house.objects
    assert task_objects
    assert not any(f"'{name}'" in str(env.observation_space("agent_0")) for name in task_objects)


def test_a_scenario_with_several_seats_is_no_gymnasium_environment() -> None:
    with pytest.raises(om.StudyError, match="3 seats under test"):
        SeatEnv(TEAMS[0])
