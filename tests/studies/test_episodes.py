"""Planned episodes in little memory are the episodes that were planned."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import StudyError
from otherminds.core.record import EpisodeSpec
from otherminds.studies.plan import PlannedEpisodes, StoredEpisodes, plan_file

SPECS = st.builds(
    EpisodeSpec,
    scenario=st.sampled_from(["rps", "ipd"]),
    seed=st.integers(0, 2**63 - 1) | st.integers(0, 3),
    seats=st.just({}),
)


@given(st.lists(SPECS))
def test_they_are_those_given_in_order_and_each_once(specs: list[EpisodeSpec]) -> None:
    episodes = PlannedEpisodes(specs)
    unique = list({spec.hash: spec for spec in specs}.values())
    assert list(episodes) == unique
    assert [episodes[i] for i in range(-len(unique), len(unique))] == unique * 2
    assert episodes[1:3] == tuple(unique[1:3])
    assert len(episodes) == len(unique)


@given(st.lists(SPECS))
def test_the_stored_form_is_them_again(specs: list[EpisodeSpec]) -> None:
    episodes = PlannedEpisodes(specs)
    stored = msgspec.json.decode(msgspec.json.encode(episodes.stored()), type=StoredEpisodes)
    assert PlannedEpisodes.of(stored) == episodes
    assert hash(PlannedEpisodes.of(stored)) == hash(episodes)


@pytest.mark.parametrize(
    "change", [{"variant": [0, 99]}, {"variant": [-1, 0]}, {"seeds": [2**64, 1]}, {"seeds": [1]}]
)
def test_a_stored_form_that_does_not_fit_together_is_refused(change: dict[str, list[int]]) -> None:
    stored = PlannedEpisodes([EpisodeSpec("rps", {}, 1), EpisodeSpec("ipd", {}, 2)]).stored()
    with pytest.raises(ValueError, match=r"do not fit together|too large"):
        PlannedEpisodes.of(msgspec.structs.replace(stored, **change))


def test_a_seed_that_has_no_room_is_refused() -> None:
    with pytest.raises(
        StudyError, match=r"a seed is a whole number from 0 to 2\*\*63 - 1, not 9223372036854775808$"
    ):
        PlannedEpisodes([EpisodeSpec("rps", {}, 2**63)])


def test_a_million_episodes_fit_into_12_mb(small: Path) -> None:
    (first, *_) = plan_file(small).episodes
    stored = PlannedEpisodes.of(StoredEpisodes((first,), [0] * 1_000_000, list(range(1_000_000))))
    held = sum(array.itemsize * len(array) for array in vars(stored).values() if hasattr(array, "itemsize"))
    assert held == 12_000_000
    assert stored[999_999] == msgspec.structs.replace(first, seed=999_999)
