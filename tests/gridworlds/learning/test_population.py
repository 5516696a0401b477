"""Who plays which seat."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from otherminds.gridworlds.learning.population import (
    NOBODY,
    Players,
    RandomOthers,
    one_seat,
    own_population,
    simulator,
)


@pytest.mark.parametrize(("members", "players"), [(2, 2), (3, 2), (4, 2), (4, 8), (8, 8)])
def test_members_play_equally_often_with_each_other(members: int, players: int) -> None:
    worlds = members * (members - 1)
    roles = own_population(members, worlds, players)
    pairs: Counter[tuple[int, int]] = Counter()
    for world in roles.tolist():
        if players <= members:
            assert len(set(world)) == players, "no member meets itself"
        pairs.update((world[0], other) for other in world[1:])
    assert len({pairs[a, b] for a in range(members) for b in range(members) if a != b}) == 1
    for seat in range(players):
        assert set(np.bincount(roles[:, seat], minlength=members).tolist()) == {worlds // members}


@pytest.mark.parametrize("players", [2, 8])
def test_alone_among_others_each_member_plays_every_seat(players: int) -> None:
    roles = one_seat(2, 2 * players, players)
    assert ((roles != NOBODY).sum(1) == 1).all()
    for member in range(2):
        assert sorted(np.nonzero(roles == member)[1].tolist()) == list(range(players))


def test_seats_without_a_player_are_refused() -> None:
    made = simulator("pd-repeated-v1", 4)
    with pytest.raises(ValueError, match="need other players"):
        Players(made, one_seat(2, 4, 2), lambda *given: given)


def test_members_and_others_get_their_own_seats() -> None:
    """Members turn left and others stand still: each avatar's orientation says who moved it."""
    from otherminds.gridworlds.grid.rules import NOOP, TURN_LEFT
    from otherminds.gridworlds.in_the_matrix import rules as columns

    class Still(RandomOthers):
        def act(self) -> np.ndarray:
            return np.full((4, 2), NOOP)

    made, roles = simulator("pd-repeated-v1", 4), one_seat(2, 4, 2)

    def act(
        parameters: object, seen: object, h: np.ndarray, luck: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        return np.full(h.shape[:2], TURN_LEFT, np.int32), h

    players = Players(made, roles, act, Still(made.batch))
    players.begin(np.arange(4, dtype=np.uint64))
    before = made.state.avatars[..., columns.FACING].copy()
    players.step(None, players.observed(), np.zeros((2, 2), np.float32))
    turned = (made.state.avatars[..., columns.FACING] - before) % 4
    assert (turned == np.where(roles == NOBODY, 0, 3)).all()
    assert (players.action == np.where(roles == NOBODY, NOOP, TURN_LEFT)).all()


def test_what_seats_observe_is_what_the_worlds_show() -> None:
    made = simulator("cooking-asymmetric-v1", 2)
    players = Players(made, own_population(2, 2, 2), lambda *given: given)
    players.begin(np.array([3, 4], np.uint64))
    seen = players.observed().of(players.seats)
    for member in range(2):
        for n, seat in enumerate(players.seats[member]):
            np.testing.assert_array_equal(seen.window[member, n], made.batch.windows[seat // 2, seat % 2])
    assert seen.vector.shape == (2, 2, 0)
    assert seen.first.all()
    assert (seen.action == -1).all()
