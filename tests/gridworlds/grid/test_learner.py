"""The batched interface for learning: its arrays, final observations, threads, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from otherminds.core.errors import StudyError, UnknownNameError, WorldError
from otherminds.gridworlds.cooking import world as cooking
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.grid.learner import LearnerBatch, Substrate, substrate, substrates
from otherminds.gridworlds.in_the_matrix import world as in_the_matrix
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA
from tests.cases import for_each
from tests.gridworlds.grid.arrays import same

NAMES = ("cooking-asymmetric-v1", "pd-repeated-v1", "rws-arena-v1", "rws-repeated-v1")
SHORT = {
    "pd": in_the_matrix.make_substrate(
        replace(PD_REPEATED, minimum=4, interval=3, ending=0.5, maximum=12, freeze=2, respawn=1)
    ),
    "arena": in_the_matrix.make_substrate(replace(RWS_ARENA, minimum=4, interval=3, ending=0.5, maximum=12)),
    "cooking": cooking.make_substrate(replace(COOKING_ASYMMETRIC, maximum=7)),
}
FINAL = ("windows", "vectors", "rgb")
ARRAYS = (
    *FINAL,
    *(f"final_{name}" for name in FINAL),
    "rewards",
    "terminations",
    "truncations",
    "returns",
    "lengths",
    "seeds",
)


@pytest.fixture(params=SHORT)
def short(request: pytest.FixtureRequest) -> Substrate:
    return SHORT[request.param]


def arrays(batch: LearnerBatch) -> dict[str, NDArray[np.generic]]:
    return {name: array for name in ARRAYS if (array := getattr(batch, name)) is not None}


def played(batch: LearnerBatch, steps: int, seed: int = 0) -> Iterator[NDArray[np.int64]]:
    """Resets to ``seed``, steps by random actions, and gives those of each step after it."""
    batch.reset(seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        actions = rng.integers(8, size=(batch.worlds, batch.players))
        batch.step(actions)
        yield actions


def test_substrates_are_found_by_name() -> None:
    assert {*NAMES} < {*substrates}
    assert [substrate(name).name for name in NAMES] == [*NAMES]
    with pytest.raises(UnknownNameError, match="no substrate is called 'rws-repeated'"):
        substrate("rws-repeated")


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_made_once_contiguous_and_of_the_types_that_learners_take(name: str) -> None:
    made = substrate(name)
    batch = made.batch(3, rgb=True)
    before = arrays(batch)
    rows, columns = made.rules.view.shape
    size = sum(part for _, part in made.vector)
    most = {
        "windows": (np.uint8, (rows, columns, len(made.codes))),
        "vectors": (np.float32, (size,)),
        "rgb": (np.uint8, (rows * 8, columns * 8, 3)),
    }
    for part, (dtype, shape) in most.items():
        for array in (before[part], before[f"final_{part}"]):
            assert (array.dtype, array.shape) == (dtype, (3, made.players, *shape))
    assert before["rewards"].dtype == np.float32
    assert before["terminations"].dtype == before["truncations"].dtype == np.bool_
    assert all(array.flags.c_contiguous for array in before.values())
    for _ in played(batch, 3):
        pass
    for part, array in arrays(batch).items():
        assert array is before[part], part
    assert not batch.seeds.flags.writeable
    assert made.batch(1).rgb is None


def test_codes_of_windows_stay_below_their_numbers(short: Substrate) -> None:
    batch = short.batch(8)
    for _ in played(batch, 60):
        assert (batch.windows.reshape(-1, len(short.codes)).max(0) < short.codes).all()


@given(st.integers(1, 40))
def test_a_bar_of_a_pot_stays_below_its_codes_however_long_soup_cooks(cooking_time: int) -> None:
    made = cooking.make_substrate(replace(COOKING_ASYMMETRIC, cooking=cooking_time))
    batch = made.batch(1)
    batch.reset(0)
    batch.shards[0].state.pots[0, :, 0] = COOKING_ASYMMETRIC.capacity
    fullest = 0
    for _ in range(cooking_time + 3):
        batch.step(np.zeros((1, 2), int))
        fullest = max(fullest, int(batch.shards[0].state.pots[0, :, 3].max()))
    assert fullest == made.codes[4] - 1


def test_a_final_observation_is_the_last_one_of_the_same_episode_played_alone(short: Substrate) -> None:
    batch, alone = short.batch(3, rgb=True), short.batch(1, rgb=True)
    seeds = [11, 12, 13]
    done: list[list[NDArray[np.int64]]] = [[], [], []]
    ends = 0
    for actions in played(batch, 30, seed=11):
        for b in range(3):
            done[b].append(actions[b : b + 1])
            if not (batch.terminations[b] or batch.truncations[b]):
                continue
            alone.reset(seeds[b])
            for made in done[b]:
                alone.step(made)
            assert alone.terminations[0] == batch.terminations[b]
            for name in ("final_windows", "final_vectors", "final_rgb", "returns", "lengths"):
                same(getattr(alone, name)[0], getattr(batch, name)[b], name)
            for name in FINAL:  # What follows is the start of the next episode
                same(getattr(alone, name)[0], getattr(batch, name)[b], name)
            done[b], seeds[b], ends = [], int(batch.seeds[b]), ends + 1
    assert ends > 5


def test_a_final_picture_is_not_that_of_the_start(short: Substrate) -> None:
    batch = short.batch(4, rgb=True)
    assert batch.rgb is not None
    assert batch.final_rgb is not None
    differ = 0
    for _ in played(batch, 13):
        over = batch.terminations | batch.truncations
        differ += int((batch.rgb[over] != batch.final_rgb[over]).any())
    assert differ


def test_any_number_of_threads_gives_the_same_bytes(short: Substrate) -> None:
    batches = [short.batch(7, threads, rgb=True) for threads in (1, 2, 3, 7)]
    assert [len(batch.shards) for batch in batches] == [1, 2, 3, 7]
    assert [shard.worlds for shard in batches[2].shards] == [2, 2, 3]
    for _ in zip(*(played(batch, 40) for batch in batches), strict=True):
        first, *others = map(arrays, batches)
        for name, array in first.items():
            assert all(array.tobytes() == other[name].tobytes() for other in others), name


def test_writing_into_observations_does_not_change_a_game(short: Substrate) -> None:
    batch, other = short.batch(2), short.batch(2)
    for _ in zip(played(batch, 20), played(other, 20), strict=True):
        for name, array in arrays(batch).items():
            same(array, getattr(other, name), name)
            if array.flags.writeable and name not in {"returns", "lengths"} and "final" not in name:
                array[...] = 1
    same(batch.shards[0].state.avatars, other.shards[0].state.avatars)


def test_a_reset_forgets_what_was_before(short: Substrate) -> None:
    batch = short.batch(2)
    runs = [
        [{name: array.tobytes() for name, array in arrays(batch).items() if "final" not in name} for _ in run]
        for run in (played(batch, 25, 9), played(batch, 25, 9))
    ]
    assert runs[0] == runs[1]


@for_each(
    ("actions", "reason"),
    [
        (np.full((2, 2), 8), "0 to 7"),
        (np.full((2, 2), -1), "0 to 7"),
        (np.full((2, 2), 2**64 - 1, np.uint64), "0 to 7"),
        (np.full((2, 2), 2**63, np.uint64), "0 to 7"),
        (np.array([[0, 0], [0, -8]], np.int8), "not -8 to 0"),
        (np.zeros((2, 3), int), r"int\[2, 2\]"),
        (np.zeros((2, 2)), r"not float64\[2, 2\]"),
    ],
)
def test_a_batch_refuses_actions_that_are_none(actions: np.ndarray, reason: str) -> None:
    batch = SHORT["pd"].batch(2)
    batch.reset(0)
    with pytest.raises(WorldError, match=reason):
        batch.step(actions)


def test_a_batch_takes_one_seed_a_world() -> None:
    batch = SHORT["pd"].batch(2)
    with pytest.raises(WorldError, match="3 seeds for 2 worlds"):
        batch.reset([1, 2, 3])
    batch.reset(np.int64(3))
    assert batch.seeds.tolist() == [3, 4]


@for_each("seeds", [[1], [-1, 0], [0, 1 << 64]])
def test_bad_seeds_are_named(seeds: list[int]) -> None:
    with pytest.raises((WorldError, StudyError), match="seed"):
        SHORT["cooking"].batch(2).reset(seeds)


def test_a_step_before_the_reset_an_empty_batch_and_idle_threads_are_refused() -> None:
    made = SHORT["cooking"]
    with pytest.raises(WorldError, match="call reset before step"):
        made.batch(1).step(np.zeros((1, 2), int))
    with pytest.raises(WorldError, match="at least 1 world, not 0"):
        made.batch(0)
    for threads in (0, 3):
        with pytest.raises(WorldError, match=f"2 worlds are stepped by 1 to 2 threads, not {threads}"):
            made.batch(2, threads)
