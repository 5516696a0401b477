"""A study of 240 short episodes for tests of executors, and the records of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.studies.executor import open_executor
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.store import Store

STUDY = """
name = "spread"
episodes = 60
rounds = 8
plugins = ["plugin.py"]
[[cells]]
scenarios = ["rps-single-v1", "ipd-mixed-v1"]
minds = ["rmax", "nash"]
"""
EPISODES = 240
PLUGIN = """
import os
import signal
from pathlib import Path

died = Path(__file__).with_name("died")
if os.getpid() != {pid} and not died.exists():
    died.touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""
"""Kills the first other process that imports it."""


class Kills:
    """Receives the progress of a run, and calls ``kill`` after the first ``when`` episodes."""

    def __init__(self, kill: Callable[[], object] = lambda: None, when: int = 20) -> None:
        self.played = 0
        self._kill, self._when = kill, when

    def start(self, planned: int, done: int, asked: int) -> None:
        pass

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        self.played += 1
        if self.played == self._when:
            self._kill()

    def say(self, text: str) -> None:
        pass


def hashes(folder: Path) -> list[tuple[str, str]]:
    """Of each stored line, also where an episode has several."""
    return sorted((line.episode, line.hash) for line in Store(folder).lines())


def same_as_here(executor: str, folder: Path, progress: Kills) -> None:
    """Asserts that a run on ``executor``, where a worker dies, has the records of a run on processes of this machine."""
    study = folder / "study.toml"
    study.write_text(STUDY)
    (folder / "plugin.py").write_text(PLUGIN.format(pid=os.getpid()))
    plan = plan_file(study)
    with open_executor(executor, plan.plugins) as opened:
        counts = run(plan, folder / "there", progress, executor=opened)
    assert counts == run(plan, folder / "here", Kills()) == {"scored": EPISODES}
    assert hashes(folder / "there") == hashes(folder / "here")
