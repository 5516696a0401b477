"""Substrates as vector environments: spaces, seeds, final observations, the seats of others."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import vector
from numpy.typing import NDArray
from packaging.version import Version

from otherminds.core.errors import WorldError
from otherminds.gridworlds.cooking import world as cooking
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.grid.flat_env import FlatEnv
from otherminds.gridworlds.grid.learner import GridBatch, Substrate
from otherminds.gridworlds.grid.observing import Sort
from otherminds.gridworlds.grid.vector_env import GridVectorEnv
from otherminds.gridworlds.in_the_matrix import world as in_the_matrix
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA
from tests.cases import for_each
from tests.gridworlds.grid.arrays import same

SHORT = {
    "pd": in_the_matrix.make_substrate(
        replace(PD_REPEATED, minimum=4, interval=3, ending=0.5, maximum=12, freeze=2, respawn=1)
    ),
    "arena": in_the_matrix.make_substrate(replace(RWS_ARENA, minimum=4, interval=3, ending=0.5, maximum=9)),
    "cooking": cooking.make_substrate(replace(COOKING_ASYMMETRIC, maximum=7)),
}
SORTS: tuple[Sort, ...] = ("symbolic", "codes", "rgb", "official")
MODES = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)


class Mimic:
    """Plays for every other seat what its window, its seed and the step say."""

    def __init__(self, shard: GridBatch) -> None:
        self.shard = shard
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1

    def act(self) -> NDArray[np.int64]:
        seen = self.shard.windows.reshape(self.shard.worlds, self.shard.players, -1).astype(np.int64)
        seeds = (self.shard.seeds % np.uint64(5)).astype(np.int64)
        actions = (seen * np.arange(seen.shape[-1])).sum(-1) + seeds[:, None] + 3 * self.begun
        return actions % 8


class Alone(gymnasium.Env):
    """The first player of a :class:`FlatEnv` as a single-agent environment of Gymnasium."""

    def __init__(self, of: Substrate, observe: Sort) -> None:
        self.flat = FlatEnv(of, observe, Mimic)
        self.observation_space = self.flat.observation_space("ego")
        self.action_space = self.flat.action_space("ego")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observations, _ = self.flat.reset(seed)
        self.flat._seats._others[0].begun = 1
        return observations["ego"], {}

    def step(self, action: Any) -> Any:
        return *(part["ego"] for part in self.flat.step({"ego": action})[:4]), {}


def equal(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            same(one[name], other[name], name)
    else:
        same(one, other)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("observe", SORTS)
@pytest.mark.parametrize("name", SHORT)
def test_it_is_gymnasiums_own_vector_of_single_environments(
    name: str, observe: Sort, mode: AutoresetMode
) -> None:
    """The same observations, rewards, ends and final observations, step by step, in the same form."""
    ours = GridVectorEnv(SHORT[name], 3, observe, Mimic, threads=2, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: Alone(SHORT[name], observe)] * 3, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is mode
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    equal(ours.reset(seed=4)[0], theirs.reset(seed=4)[0])
    ours.action_space.seed(0)
    ends = 0
    for _ in range(30):
        actions = ours.action_space.sample()
        found, wanted = ours.step(actions), theirs.step(actions)
        equal(found[0], wanted[0])
        assert ours.observation_space.contains(found[0])
        for mine, other in zip(found[1:4], wanted[1:4], strict=True):
            same(mine, other)
        infos, expected = found[4], wanted[4]
        ends += int((found[2] | found[3]).sum())
        assert infos.keys() == expected.keys() - {"final_info", "_final_info"}
        if infos:
            same(infos["_final_obs"], expected["_final_obs"])
            for n in np.flatnonzero(infos["_final_obs"]):
                equal(infos["final_obs"][n], expected["final_obs"][n])
            assert all(infos["final_obs"][n] is None for n in np.flatnonzero(~infos["_final_obs"]))
    assert ends > 3


@pytest.mark.parametrize("name", SHORT)
def test_without_others_every_seat_is_a_sub_environment(name: str) -> None:
    made = SHORT[name]
    envs, batch = GridVectorEnv(made, 3), made.batch(3)
    assert envs.num_envs == 3 * made.players
    observations, _ = envs.reset(seed=[5, 9, 2])
    batch.reset([5, 9, 2])
    rng = np.random.default_rng(0)
    for _ in range(15):
        actions = rng.integers(8, size=(3, made.players))
        observations, rewards, terminations, truncations, _ = envs.step(actions.ravel())
        batch.step(actions)
        same(rewards, batch.rewards.ravel())
        same(terminations, batch.terminations.repeat(made.players))
        same(truncations, batch.truncations.repeat(made.players))
        size = batch.vectors.shape[-1]
        assert isinstance(observations, np.ndarray)
        same(observations[:, observations.shape[1] - size :], batch.vectors.reshape(envs.num_envs, size))


def test_what_was_returned_does_not_change() -> None:
    for observe in SORTS:
        envs = GridVectorEnv(SHORT["pd"], 2, observe)
        observations, _ = envs.reset(seed=0)
        found = [observations, *envs.step(np.full(4, 1))[:4]]
        parts = [part for one in found for part in (one.values() if isinstance(one, dict) else [one])]
        kept = [part.copy() for part in parts]
        for _ in range(10):
            envs.step(np.full(4, 6))
        for part, was in zip(parts, kept, strict=True):
            same(part, was)


def rolled(envs: VectorEnv, seed: Any, steps: int = 12) -> list[bytes]:
    rng = np.random.default_rng(1)
    seen = [envs.reset(seed=seed)[0].tobytes()]
    return seen + [envs.step(rng.integers(8, size=envs.num_envs))[0].tobytes() for _ in range(steps)]


def test_seeds_decide_everything_and_resets_without_one_follow() -> None:
    envs = GridVectorEnv(SHORT["pd"], 2)
    runs = [[rolled(envs, 3), rolled(envs, None)] for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    assert rolled(GridVectorEnv(SHORT["pd"], 2, threads=2), [3, 4]) == runs[0][0]
    unseeded = [rolled(GridVectorEnv(SHORT["pd"], 2), None) for _ in range(2)]
    assert unseeded[0] != unseeded[1]


def test_a_world_without_a_seed_of_its_own_goes_on_as_it_would_have() -> None:
    envs, whole = GridVectorEnv(SHORT["pd"], 2), GridVectorEnv(SHORT["pd"], 2)
    for each in (envs, whole):
        each.reset(seed=[3, 4])
    followed = whole.reset()[0]
    observations = envs.reset(seed=[8, None])[0]
    same(observations[2:], followed[2:])  # type: ignore[index] - a Dict of arrays or an array, by what is observed
    same(observations[:2], GridVectorEnv(SHORT["pd"], 1).reset(seed=8)[0])  # type: ignore[index] - a Dict of arrays or an array, by what is observed


def scripted(name: str) -> Any:
    """Partners of a substrate in all seats but the first."""
    source = SHORT[name]
    partner = "chef_0" if name == "cooking" else "rock_margin_0" if name == "arena" else "puppet_tft_margin_0"

    def make(shard: GridBatch) -> Any:
        assert source.partners is not None
        return source.partners(shard, [dict.fromkeys(range(1, source.players), partner)] * shard.worlds)

    return make


@pytest.mark.parametrize("name", SHORT)
def test_partners_meet_the_same_episodes_with_both_modes_of_autoreset(name: str) -> None:
    """What the learner observes and is paid, without the steps that ``NEXT_STEP`` puts between episodes."""
    episodes: list[list[list[bytes]]] = []
    for mode in MODES:
        envs = GridVectorEnv(SHORT[name], 3, "codes", scripted(name), autoreset_mode=mode)
        envs.reset(seed=0)
        steps: list[list[bytes]] = [[] for _ in range(3)]
        waits = np.zeros(3, bool)
        for _ in range(40):
            observations, rewards, terminations, truncations, infos = envs.step(np.full(3, 7))
            for n in np.flatnonzero(~waits):
                last = infos["final_obs"][n] if infos and infos["_final_obs"][n] else None
                window = observations["WINDOW"][n] if last is None else last["WINDOW"]  # type: ignore[index] - a Dict of arrays or an array, by what is observed
                steps[n].append(window.tobytes() + rewards[n].tobytes())
            waits = (terminations | truncations) & (mode is AutoresetMode.NEXT_STEP)
        episodes.append(steps)
    for each, other in zip(*episodes, strict=True):
        assert len(other) < len(each) == 40
        assert each[: len(other)] == other


def test_partners_of_each_shard_play_as_those_of_one() -> None:
    for name, source in SHORT.items():
        one, two = (GridVectorEnv(source, 5, "codes", scripted(name), threads=n) for n in (1, 3))
        equal(one.reset(seed=2)[0], two.reset(seed=2)[0])
        one.action_space.seed(0)
        for _ in range(30):
            actions = one.action_space.sample()
            ours, theirs = one.step(actions), two.step(actions)
            equal(ours[0], theirs[0])
            for part, wanted in zip(ours[1:4], theirs[1:4], strict=True):
                same(part, wanted)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", SHORT)
def test_a_copy_goes_on_from_the_same_state(name: str, threads: int, mode: AutoresetMode) -> None:
    envs = GridVectorEnv(SHORT[name], 3, "official", scripted(name), threads, mode)
    fresh = deepcopy(envs)
    rng = np.random.default_rng(0)
    envs.reset(seed=5)
    for _ in range(11):
        envs.step(rng.integers(8, size=3))
    copies = [deepcopy(envs), pickle.loads(pickle.dumps(envs))]
    actions = rng.integers(8, size=(20, 3))
    steps = [[each.step(row)[:4] for row in actions] for each in (envs, *copies)]
    for ours, *others in zip(*steps, strict=True):
        for other in others:
            equal(other[0], ours[0])
            for part, wanted in zip(other[1:], ours[1:], strict=True):
                same(part, wanted)
    equal(fresh.reset(seed=1)[0], envs.reset(seed=1)[0])


WRAPPERS = {
    "NormalizeObservation": vector.NormalizeObservation,
    "FlattenObservation": vector.FlattenObservation,
    "DtypeObservation": partial(vector.DtypeObservation, dtype=np.float64),
}


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # In Gymnasium's Box of other types
@for_each("wrapper", list(WRAPPERS))
@for_each("name", list(SHORT))
def test_wrappers_that_refuse_the_same_step_take_the_next_one(name: str, wrapper: str) -> None:
    sort: Sort = "codes" if wrapper == "FlattenObservation" else "symbolic"
    wrapped = WRAPPERS[wrapper](GridVectorEnv(SHORT[name], 2, sort, autoreset_mode=AutoresetMode.NEXT_STEP))
    observations, _ = wrapped.reset(seed=0)
    wrapped.action_space.seed(0)
    for _ in range(25):
        assert observations.shape == wrapped.observation_space.shape
        observations = wrapped.step(wrapped.action_space.sample())[0]


@pytest.mark.parametrize("mode", MODES)
def test_gymnasiums_statistics_are_those_of_the_batch(mode: AutoresetMode) -> None:
    if mode is AutoresetMode.SAME_STEP and Version(gymnasium.__version__) < Version("1.4"):
        pytest.skip("Gymnasium before 1.4 counts one step too few in each episode but the first")
    envs = vector.RecordEpisodeStatistics(GridVectorEnv(SHORT["cooking"], 4, autoreset_mode=mode))
    envs.reset(seed=0)
    ends = 0
    for _ in range(16):
        *_, infos = envs.step(np.full(8, 7))
        if "episode" in infos:
            ends += int(infos["_episode"].sum())
            assert set(infos["episode"]["l"][infos["_episode"]].tolist()) == {7}
    assert ends == 16


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(WorldError, match="observations 'pixels' are none of symbolic, codes, rgb, official"):
        GridVectorEnv(SHORT["pd"], 2, "pixels")  # type: ignore[arg-type]
    with pytest.raises(WorldError, match="SAME_STEP or NEXT_STEP"):
        GridVectorEnv(SHORT["pd"], 2, autoreset_mode=AutoresetMode.DISABLED)
    envs = GridVectorEnv(SHORT["pd"], 2)
    with pytest.raises(WorldError, match="call reset before step"):
        envs.step(np.zeros(4, int))
    with pytest.raises(WorldError, match="3 seeds for 2 worlds"):
        envs.reset(seed=[1, 2, 3])


@for_each(
    ("actions", "reason"),
    [
        (np.zeros(3, int), r"int\[4\], not int64\[3\]"),
        (np.zeros((2, 2), int), r"int\[4\], not int64\[2, 2\]"),
        (np.zeros(4), r"not float64\[4\]"),
        (np.full(4, 8), "0 to 7"),
    ],
)
def test_actions_that_are_none_are_refused(actions: NDArray[Any], reason: str) -> None:
    envs = GridVectorEnv(SHORT["pd"], 2)
    envs.reset(seed=0)
    with pytest.raises(WorldError, match=reason):
        envs.step(actions)
