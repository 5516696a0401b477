"""A pytest plugin: a test that does not end fails alone, and every run ends with a line on its processor time.

The limit of a test is half of ``faulthandler_timeout``. It is a signal, so it reaches Python code and calls that
wait. Code that handles no signal, an endless loop of compiled code for one, is ended with its process by pytest's
``faulthandler_timeout``; xdist then reports this test as failed and starts another worker.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

SHOWN = 5
"""The number of files in the line."""

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Spent(NamedTuple):
    """Processor time in seconds, user and system together."""

    own: float
    children: float

    @classmethod
    def now(cls) -> Spent:
        """Of this process until now, and of its descendants; those that still run are known on Linux only."""
        times = os.times()
        running = _ticks(os.getpid()) / TICKS
        return cls(times.user + times.system, times.children_user + times.children_system + running)

    @property
    def total(self) -> float:
        return self.own + self.children


class Costs:
    """What a run costs: in this process, and in the workers of xdist that it has heard of."""

    def __init__(self) -> None:
        self.spent: list[Spent] = []
        self.files: Counter[str] = Counter()
        self._before = 0.0

    def pytest_collection_finish(self) -> None:
        self._before = Spent.now().total

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, Any, Any]:
        done = yield
        if nextitem is None or nextitem.path != item.path:
            now = Spent.now().total
            self.files[item.nodeid.partition("::")[0]] += now - self._before
            self._before = now
        return done

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        spent = Spent.now()
        workers_report = session.config.pluginmanager.hasplugin("dsession")
        self.spent.append(spent._replace(children=0.0) if workers_report else spent)
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["cost"] = [list(self.spent[0]), dict(self.files)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Adds what a worker reports; one that crashed reports nothing."""
        if cost := getattr(node, "workeroutput", {}).get("cost"):
            self.spent.append(Spent(*cost[0]))
            self.files.update(cost[1])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.write_line(str(self))

    def __str__(self) -> str:
        own, children = (sum(times) for times in zip(*self.spent, strict=True))
        slowest = ", ".join(f"{name} {spent:.0f} s" for name, spent in self.files.most_common(SHOWN))
        return f"processor time: {own + children:.0f} s (pytest {own:.0f} s, children {children:.0f} s), slowest files: {slowest}"


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs(), "costs")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    return (yield from _limited(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    return (yield from _limited(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    return (yield from _limited(item))


def _limited(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fails the phase of a test at its limit; again if it catches that, or waits for what still runs."""
    limit = float(item.config.getini("faulthandler_timeout") or 0) / 2
    if not (limit and hasattr(signal, "setitimer")):
        return (yield)

    def too_long(*_: object) -> None:
        pytest.fail(f"no end after {limit:g} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, limit, limit / 4)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ticks(ancestor: int) -> int:
    """The processor time of all descendants that run, with their children that have ended."""
    found = [str(ancestor)]
    ticks = 0
    for process in found:
        with suppress(OSError):  # it has just ended
            for children in Path("/proc", process, "task").glob("*/children"):
                found += children.read_text().split()
    for process in found[1:]:
        with suppress(OSError):
            fields = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks
