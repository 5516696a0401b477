"""Substrates for learning libraries: the flat view of a seat, PettingZoo's test, copies; SuperSuit and SB3 if installed."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Dict
from pettingzoo.test import parallel_api_test, parallel_seed_test

from otherminds.core.errors import WorldError
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.cooking.world import make_substrate as kitchen
from otherminds.gridworlds.grid.flat_env import FlatEnv
from otherminds.gridworlds.grid.learner import Substrate
from otherminds.gridworlds.grid.observing import Sort
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.gridworlds.in_the_matrix.world import make_substrate as duels
from tests.gridworlds.grid.arrays import same
from tests.gridworlds.grid.test_vector_env import Mimic

RULES: dict[str, Any] = {
    "rws": replace(RWS_REPEATED, minimum=20, interval=5, maximum=60),
    "pd": replace(PD_REPEATED, minimum=20, interval=5, maximum=60),
    "arena": replace(RWS_ARENA, minimum=20, interval=5, maximum=40),
    "cooking": replace(COOKING_ASYMMETRIC, maximum=50),
}
SORTS: tuple[Sort, ...] = ("symbolic", "codes", "rgb", "official")


def made(name: str) -> Substrate:
    return kitchen(RULES[name]) if name == "cooking" else duels(RULES[name])


def world(name: str) -> InTheMatrixWorld | CookingWorld:
    kind = CookingWorld if name == "cooking" else InTheMatrixWorld
    return kind(RULES[name], rgb=True)


def flat(observation: dict[str, Any], codes: tuple[int, ...]) -> list[float]:
    """What the flat view is to be, cell by cell."""
    found: list[float] = []
    for cell in observation["WINDOW"].reshape(-1, len(codes)).tolist():
        for code, of in zip(cell, codes, strict=True):
            found += [float(code == n) for n in range(of)]
    for name in ("INVENTORY", "READY_TO_SHOOT"):
        if name in observation:
            found += np.ravel(observation[name]).tolist()
    return found


@pytest.mark.parametrize("name", RULES)
def test_a_flat_view_is_the_window_one_hot_and_the_vector_to_the_end_of_each_episode(name: str) -> None:
    of, alone = made(name), world(name)
    env = FlatEnv(of)
    rng = np.random.default_rng(0)
    seats = env.possible_agents
    assert seats == alone.possible_agents
    ours, theirs = env.reset(5)[0], alone.reset(5)[0]
    ends = 0
    for _ in range(90):
        for seat in seats:
            same(ours[seat], np.array(flat(theirs[seat], of.codes), np.float32), seat)
        if not env.agents:
            assert not alone.agents
            ours, theirs, ends = env.reset()[0], alone.reset()[0], ends + 1
            continue
        actions = dict(zip(seats, rng.integers(8, size=len(seats)).tolist(), strict=True))
        found, wanted = env.step(actions), alone.step(actions)
        ours, theirs = found[0], wanted[0]
        assert found[1] == {seat: np.float32(reward) for seat, reward in wanted[1].items()}
        assert found[2:4] == wanted[2:4]
    assert ends


@pytest.mark.parametrize("name", RULES)
def test_pictures_and_the_official_set_are_those_of_the_world(name: str) -> None:
    pictures, official, alone = FlatEnv(made(name), "rgb"), FlatEnv(made(name), "official"), world(name)
    rng = np.random.default_rng(0)
    seats = alone.possible_agents
    found = [env.reset(3)[0] for env in (pictures, official, alone)]
    for _ in range(20):
        for seat in seats:
            painted, parts, whole = (one[seat] for one in found)
            same(painted, whole["RGB"])
            same(parts["RGB"], whole["RGB"])
            assert parts.keys() == {"RGB", "INVENTORY", "READY_TO_SHOOT"} & whole.keys()
            for part in parts.keys() - {"RGB"}:
                same(parts[part], np.atleast_1d(whole[part]).astype(np.float32), part)
        actions = dict(zip(seats, rng.integers(8, size=len(seats)).tolist(), strict=True))
        found = [env.step(actions)[0] for env in (pictures, official, alone)]


def test_the_official_windows_have_melting_pots_sizes_and_no_set_has_positions() -> None:
    for name, side in (("rws", 40), ("arena", 88), ("pd", 40), ("cooking", 40)):
        space = FlatEnv(made(name), "official").observation_space("ego")
        assert isinstance(space, Dict)
        assert space["RGB"].shape == (side, side, 3)
        vectors = set() if name == "cooking" else {"INVENTORY", "READY_TO_SHOOT"}
        assert set(space.spaces) == {"RGB"} | vectors


@pytest.mark.parametrize("observe", SORTS)
@pytest.mark.parametrize("name", RULES)
def test_pettingzoos_own_tests_pass(name: str, observe: Sort) -> None:
    parallel_api_test(FlatEnv(made(name), observe), num_cycles=150)
    parallel_seed_test(lambda: FlatEnv(made(name), observe), num_cycles=30)


def test_with_others_the_only_agent_is_ego() -> None:
    env = FlatEnv(made("arena"), others=Mimic)
    parallel_api_test(env, num_cycles=100)
    assert env.possible_agents == ["ego"]
    observations, _ = env.reset(1)
    found = env.step({"ego": 3})
    assert all(part.keys() == {"ego"} for part in (observations, *found))


def test_a_copy_of_an_environment_goes_on_from_the_same_state() -> None:
    env = FlatEnv(made("pd"), "official", Mimic)
    fresh = deepcopy(env)
    assert not fresh.agents
    env.reset(1)
    for _ in range(3):
        env.step({"ego": 6})
    copies = [deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(70):
        ours, *others = (each.step({"ego": 3}) if each.agents else each.reset() for each in (env, *copies))
        for other in others:
            same(other[0]["ego"]["RGB"], ours[0]["ego"]["RGB"])
            assert other[1:] == ours[1:]


def test_a_copy_of_a_world_goes_its_own_way() -> None:
    for name in ("pd", "cooking"):
        still = dict.fromkeys(world(name).possible_agents, 6)
        for make_copy in (deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
            one = world(name)
            one.reset(1)
            copy = make_copy(one)
            first = copy.step(still)
            same(one.step(still)[0]["ego"]["WINDOW"], first[0]["ego"]["WINDOW"])
            copy.step(still)
            assert one.engine.state.clock[0, 0] == 1
            assert copy.engine.state.clock[0, 0] == 2


def test_a_copy_of_a_batch_goes_on_from_the_same_state() -> None:
    for name in RULES:
        batch = made(name).batch(3, threads=2, rgb=True)
        batch.reset(4)
        rng = np.random.default_rng(0)
        for _ in range(5):
            batch.step(rng.integers(8, size=(3, batch.players)))
        copies = [deepcopy(batch), pickle.loads(pickle.dumps(batch))]
        actions = rng.integers(8, size=(70, 3, batch.players))
        for row in actions:
            for each in (batch, *copies):
                each.step(row)
            for copy in copies:
                for part in ("windows", "vectors", "rgb", "rewards", "seeds", "final_windows", "lengths"):
                    same(getattr(copy, part), getattr(batch, part), part)


def test_what_does_not_fit_is_named() -> None:
    env = FlatEnv(made("pd"))
    with pytest.raises(WorldError, match="call reset before step"):
        env.step({"ego": 0, "partner_0": 0})
    env.reset(0)
    with pytest.raises(WorldError, match="no action for partner_0"):
        env.step({"ego": 0})
    with pytest.raises(WorldError, match="0 to 7"):
        env.step({"ego": 0, "partner_0": 8})


@pytest.mark.parametrize("observe", ["symbolic", "rgb"])
@pytest.mark.parametrize("others", [None, Mimic], ids=["self-play", "others"])
@pytest.mark.filterwarnings("ignore")
def test_supersuit_and_stable_baselines_take_it_as_it_is(observe: Sort, others: Any) -> None:
    """Skipped unless both are installed. Two short updates of PPO."""
    supersuit = pytest.importorskip("supersuit")
    sb3 = pytest.importorskip("stable_baselines3")
    players = 1 if others else 2
    vector = supersuit.pettingzoo_env_to_vec_env_v1(FlatEnv(made("pd"), observe, others))
    envs = supersuit.concat_vec_envs_v1(vector, 3, base_class="stable_baselines3")
    assert envs.num_envs == 3 * players
    policy = "MlpPolicy" if observe == "symbolic" else "CnnPolicy"
    envs.venv.reset(seed=0)  # SuperSuit's environments take no seed from SB3; later episodes follow this one
    learner = sb3.PPO(policy, envs, n_steps=64, batch_size=64, n_epochs=1, device="cpu")
    before = [weights.clone() for weights in learner.policy.parameters()]
    learner.learn(2 * 64 * envs.num_envs)
    assert learner.num_timesteps == 2 * 64 * envs.num_envs
    changed = [bool((old != new).any()) for old, new in zip(before, learner.policy.parameters(), strict=True)]
    assert any(changed)
