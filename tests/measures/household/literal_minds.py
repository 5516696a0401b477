"""Minds whose knowledge of others is known, as rules that answer the questions of a run, and runs to answer them in.

Asking never changes acting: whatever answers, the runs of an acting rule are the same. So every null mind is tried in the
runs of every acting rule without playing them again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.setup import Setup
from otherminds.measures.household.attempts import Attempt, attempt
from otherminds.measures.household.floors import GOALS_CAME_TRUE
from otherminds.measures.household.questions import FAILS, HOLDS, UNKNOWN, Item
from otherminds.play.loop import play_now
from otherminds.worlds.household.pool.splits import load_split
from otherminds.worlds.household.scenarios import named
from otherminds.worlds.registry import scenario

Answers = Callable[[Item, random.Random], int]
COINS = {
    "coin: holds or not": (HOLDS, FAILS),
    "coin: holds or unknown": (HOLDS, UNKNOWN),
    "coin: does not hold or unknown": (FAILS, UNKNOWN),
    "three-sided coin": (HOLDS, FAILS, UNKNOWN),
}
CONSTANTS = {"always holds": HOLDS, "always does not hold": FAILS, "always unknown": UNKNOWN}
WORDS = CONSTANTS


def _coin(sides: Sequence[int]) -> Answers:
    return lambda item, rng: rng.choice(sides)


def _constant(answer: int) -> Answers:
    return lambda item, rng: answer


def _own(item: Item, rng: random.Random) -> int:
    return rng.choice((HOLDS, FAILS, UNKNOWN)) if item.own is None else item.own


def _goals_came_true(item: Item, rng: random.Random) -> int:
    return WORDS[GOALS_CAME_TRUE[item.form[2]]]


NULL_MINDS: dict[str, Answers] = {
    **{name: _constant(answer) for name, answer in CONSTANTS.items()},
    **{name: _coin(sides) for name, sides in COINS.items()},
    "the goals came true": _goals_came_true,
    "own belief for everybody": _own,
    "the last message is true": lambda item, rng: item.last,
    "the last message received is true": lambda item, rng: item.received,
    "goals by a biased coin": lambda item, rng: rng.choice((HOLDS, HOLDS, HOLDS, UNKNOWN)),
    "own belief or a coin": lambda item, rng: (
        _own(item, rng) if rng.random() < 0.5 else rng.choice((0, 1, 2))
    ),
}
"""Answers that owe nothing to who saw or heard what. The last two are in no panel."""
ACTING: dict[str, tuple[str, dict[str, int]]] = {
    "no_message": ("no_message", {}),
    "broadcast": ("broadcast", {}),
    **{f"level {k}": ("level_k", {"k": k}) for k in range(1, 4)},
}
"""Acting rules: a mind of the roster with its parameters."""


class Bank(Struct, frozen=True):
    """The runs of an acting rule in a split, with the answers that its own minds gave."""

    split: str
    acting: str
    attempts: tuple[Attempt, ...]

    @property
    def planned(self) -> dict[tuple[str, str], int]:
        """The episodes of each scenario and mind."""
        return dict.fromkeys(((one.scenario, one.mind) for one in self.attempts), 3)


@cache
def play_bank(split: str, acting: str, tasks: int | None = None, runs: int = 3) -> Bank:
    """The first tasks of a split (all without ``tasks``), each played ``runs`` times by a team of one acting rule."""
    mind, params = ACTING[acting]
    found: list[Attempt] = []
    for task in list(load_split(split))[:tasks]:
        made = scenario(named(task, split), {})
        for seed in range(runs):
            setup = Setup(made, {seat: made.make(mind, params) for seat in made.focal}, seed)
            run = attempt(play_now(setup)[0])
            assert run is not None, "it is of the household"
            found.append(run)
    return Bank(split, acting, tuple(found))


def answer_bank(bank: Bank, answers: Answers, seed: int = 0) -> list[Attempt]:
    """The runs as if another mind had answered."""
    rng = random.Random(seed)
    return [
        replace(run, items=tuple(replace(item, answer=answers(item, rng)) for item in run.items))
        for run in bank.attempts
    ]
