"""Threads are used as long as they are faster, all jobs are done, and errors are raised."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from otherminds.gridworlds.grid.crew import PERIOD, TRIALS, Crew
from tests.cases import for_each


def play(threads: int, cost: Callable[[bool, int], float], calls: int) -> list[bool]:
    """Of each call of a crew, whether it used other threads, where one takes ``cost(used others, call)`` by its clock."""
    ways: list[bool] = []
    spent = [0.0]
    readings = 0

    def clock() -> float:
        """Read before and after a call that is timed."""
        nonlocal readings
        readings += 1
        if readings % 2 == 0:
            spent.append(spent[-1] + cost(len(used) > 1, len(ways)))
        return spent[-1]

    crew = Crew(threads, clock)
    for _ in range(calls):
        used: set[int] = set()
        done: list[int] = []

        def job(n: int, used: set[int] = used, done: list[int] = done) -> None:
            used.add(threading.get_ident())
            done.append(n)

        crew.run([lambda n=n, job=job: job(n) for n in range(threads)])
        assert sorted(done) == list(range(threads))
        assert threading.get_ident() in used
        ways.append(len(used) > 1)
    return ways


@for_each("threads", [2, 3])
@for_each("faster", [True, False])
def test_the_faster_way_is_used_but_in_trials(threads: int, faster: bool) -> None:
    ways = play(threads, lambda others, call: 1.0 if others == faster else 2.0, 100)
    assert ways[: 2 * TRIALS] == [True, False] * TRIALS
    assert set(ways[2 * TRIALS :]) == {faster}


def test_what_is_faster_is_tried_again() -> None:
    ways = play(2, lambda others, call: 1.0 if others == (call >= PERIOD) else 2.0, PERIOD + 100)
    assert set(ways[2 * TRIALS : PERIOD]) == {False}
    assert set(ways[PERIOD + 2 * TRIALS :]) == {True}


def test_one_slow_call_does_not_decide() -> None:
    ways = play(2, lambda others, call: 100.0 if call == 0 else 1.0 if others else 2.0, 100)
    assert set(ways[2 * TRIALS :]) == {True}


def test_what_a_job_raises_in_another_thread_is_raised_and_the_next_jobs_are_done() -> None:
    crew, done = Crew(2), list[int]()
    with pytest.raises(ZeroDivisionError):
        crew.run([lambda: done.append(1), lambda: 1 // 0])
    crew.run([lambda: done.append(2), lambda: done.append(2)])
    assert done == [1, 2, 2]


def test_threads_end_with_their_crew() -> None:
    before = set(threading.enumerate())
    crew = Crew(3)
    crew.run([lambda: None] * 3)
    ours = set(threading.enumerate()) - before
    assert len(ours) == 2
    del crew
    for thread in ours:
        thread.join(timeout=60)
        assert not thread.is_alive()
