"""Small studies for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.record import EpisodeSpec, Outcome

SMALL = """
name = "small"
episodes = 6
rounds = 8
[[cells]]
scenarios = ["rps-single-v1", "ipd-mixed-v1"]
minds = ["rmax", "nash"]
"""


class Heard:
    """Remembers what a run said."""

    def __init__(self) -> None:
        self.planned = self.done = 0
        self.outcomes: list[Outcome] = []
        self.said: list[str] = []

    def start(self, planned: int, done: int, asked: int) -> None:
        self.planned, self.done = planned, done

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The file of a study with 24 short episodes."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path
