"""Episodes to measure: scripted minds, played by the real loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from otherminds import Record
from otherminds.core.data import THINKING, Action, Answer, Invalid, Question, SkillChoice, Thinking, Thought
from otherminds.core.record import Call, Note
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.games.player import Player
from otherminds.play.loop import play_now

History = list[tuple[int, int]]
"""(own, other) of the rounds so far."""
Script = Callable[[History], int | Invalid]


class Scripted(Player):
    """Does what ``act`` and ``say`` make of the history."""

    def __init__(self, act: Script, say: Script) -> None:
        self._act = act
        self._say = say

    def start(self, own: int, others: int) -> None:
        self.history: History = []

    def learn(self, own: int, other: int, reward: float) -> None:
        self.history.append((own, other))

    async def act(self) -> Action | SkillChoice | Invalid:
        return self._act(self.history)

    async def answer(self, question: Question) -> Answer | Invalid:
        said = self._say(self.history)
        return said if isinstance(said, Invalid) else self._names[said]


def played(
    name: str,
    act: Script,
    say: Script,
    seed: int = 0,
    label: str = "scripted",
    **options: Any,
) -> Record:
    """One episode of scenario ``name`` against the partner that the schedule has for ``seed``."""
    ego = Participant(Scripted(act, say), label=label)
    return play_now(Setup(scenario(name, options), {"ego": ego}, seed))[0]


@pytest.fixture(scope="session")
def play() -> Callable[..., Record]:
    """:func:`played`, as a fixture."""
    return played


def thinking(record: Record, validated: Sequence[bool], calls: Sequence[int] = ()) -> Record:
    """``record`` with what its mind might have noted: ``validated[n]`` after n rounds, ``calls[n]`` made then.

    Hypothesis 0 says that the partner repeats the first behaviour, hypothesis 1 the second.
    """
    names = record.game.behaviours[1] if record.game else ("a", "b")
    for n, held in enumerate(validated):
        thoughts = tuple(
            Thought(i, f"They play {names[i]}.", 0.8 if held and i == 0 else 0.1 * n - 0.3 * i, names[i])
            for i in range(min(n, 2))
        )
        noted = Thinking(
            "partner_0",
            n,
            names[0] if n else None,
            thoughts,
            None,
            0 if held else None,
            names[1],
            threshold=0.7,
        )
        record.notes += (Note("ego", n, THINKING, msgspec.to_builtins(noted)),)
    record.calls += tuple(
        Call("ego", n, f"step {i}", 0, (), prompt_tokens=100, completion_tokens=10)
        for n, made in enumerate(calls)
        for i in range(made)
    )
    return record


@pytest.fixture(scope="session")
def think() -> Callable[..., Record]:
    """:func:`thinking`, as a fixture."""
    return thinking
