"""The one dynamic programme against a plain search."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import WorldError
from otherminds.games.best_response import Branch, solve

Problem = tuple[tuple[Branch[int], ...], ...]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Up to four keys, two or three actions, up to three outcomes each."""
    keys, actions = draw(st.integers(1, 4)), draw(st.integers(2, 3))

    def branch() -> Branch[int]:
        to = draw(st.lists(st.integers(0, keys - 1), min_size=1, max_size=3, unique=True))
        parts = [draw(st.integers(1, 4)) for _ in to]
        leads = tuple((part / sum(parts), key) for part, key in zip(parts, to, strict=True))
        return float(draw(st.integers(-9, 9))), leads

    return tuple(tuple(branch() for _ in range(actions)) for _ in range(keys))


def search(problem: Problem, key: int, rounds: int) -> list[float]:
    """What each action is worth at ``key`` with so many rounds to go, by trying everything."""
    return [
        gain + (sum(p * max(search(problem, k, rounds - 1)) for p, k in leads) if rounds > 1 else 0.0)
        for gain, leads in problem[key]
    ]


@given(problem=problems(), rounds=st.integers(1, 4))
def test_values_and_actions_are_those_of_a_plain_search(problem: Problem, rounds: int) -> None:
    plan = solve(0, problem.__getitem__, rounds)
    assert plan.value == pytest.approx(max(search(problem, 0, rounds)))
    reachable = {0}
    for t in range(rounds):
        for key in reachable:
            worth = search(problem, key, rounds - t)
            assert plan.values[t, plan.number[key]] == pytest.approx(max(worth))
            best = next(a for a, w in enumerate(worth) if w >= max(worth) - 1e-9)
            assert plan.act(t, key) == best, "the lowest of the best"
        reachable = {k for key in reachable for _, leads in problem[key] for _, k in leads}


def test_the_last_action_wins_only_if_it_is_better() -> None:
    def level(key: int) -> Sequence[Branch[int]]:
        return [(1.0, ((1.0, 0),)), (1.0, ((1.0, 0),)), (1.0 + 1e-12, ((1.0, 0),))]

    assert [solve(0, level, 3).act(t, 0) for t in range(3)] == [0, 0, 0]


def test_too_large_a_problem_is_refused() -> None:
    def grow(key: int) -> Sequence[Branch[int]]:
        return [(0.0, ((1.0, 2 * key + 1),)), (0.0, ((1.0, 2 * key + 2),))]

    with pytest.raises(WorldError, match="more than 100 situations"):
        solve(0, grow, 20, limit=100)
    assert solve(0, grow, 5, limit=100).value == 0.0


def test_keys_may_be_anything_hashable() -> None:
    def walk(at: tuple[str, int]) -> Sequence[Branch[tuple[str, int]]]:
        word, n = at
        return [(float(n), ((1.0, (word, n)),)), (0.0, ((0.5, (word + "a", n + 2)), (0.5, (word, n))))]

    assert solve(("", 1), walk, 3).value == pytest.approx(4.0)
