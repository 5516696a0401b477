"""Minds whose knowledge of others is known, as rules that answer the questions of a run, and runs to answer them in.

Asking never changes acting: whatever answers, the runs of an acting rule are the same. So every null mind is tried in the
runs of every acting rule without playing them again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.scenario import Setup, scenario
from otherminds.household.measures.attempts import Attempt, attempt
from otherminds.household.measures.literal_scores import PLACES, are_about_others, find_terms, tally_items
from otherminds.household.measures.questions import FAILS, HOLDS, UNKNOWN, Item, Role
from otherminds.household.pool.store import load_split
from otherminds.household.scenarios import named
from otherminds.play.loop import play_now

Chances = Mapping[int, float]
"""The probability of each answer; of those that are missing it is 0."""
Answers = Callable[[Item], Chances]
ALL: Chances = dict.fromkeys((HOLDS, FAILS, UNKNOWN), 1 / 3)
COINS = {
    "coin: holds or not": (HOLDS, FAILS),
    "coin: holds or unknown": (HOLDS, UNKNOWN),
    "coin: does not hold or unknown": (FAILS, UNKNOWN),
    "three-sided coin": (HOLDS, FAILS, UNKNOWN),
}
CONSTANTS = {"always holds": HOLDS, "always does not hold": FAILS, "always unknown": UNKNOWN}
CAME_TRUE: dict[Role, int] = {"probe": HOLDS, "agent": HOLDS, "contrary": FAILS, "other": UNKNOWN}
"""The answers of who takes the goals to have come true, and their contraries not."""


def _toss(sides: Sequence[int]) -> Answers:
    return lambda item: dict.fromkeys(sides, 1 / len(sides))


def _say_own(item: Item) -> Chances:
    return ALL if item.own is None else {item.own: 1.0}


def _say_goals_came_true(item: Item) -> Chances:
    return {CAME_TRUE[item.form[2]]: 1.0}


def _mix(one: Answers, other: Answers) -> Answers:
    def say(item: Item) -> Chances:
        first, second = one(item), other(item)
        return {answer: (first.get(answer, 0.0) + second.get(answer, 0.0)) / 2 for answer in ALL}

    return say


NULL_MINDS: dict[str, Answers] = {
    **{name: _toss((answer,)) for name, answer in CONSTANTS.items()},
    **{name: _toss(sides) for name, sides in COINS.items()},
    "the goals came true": _say_goals_came_true,
    "own belief for everybody": _say_own,
    "the last message is true": lambda item: {item.last: 1.0},
    "the last message received is true": lambda item: {item.received: 1.0},
    "the members of the goal's chain know": lambda item: {
        HOLDS
        if item.form[2] == "probe" or (item.form[2] == "agent" and "-" not in item.form[3])
        else UNKNOWN: 1.0
    },
    "the first of the goal's chain knows of the others": lambda item: {
        HOLDS if item.form[2] == "probe" or item.form[3].startswith("0") else UNKNOWN: 1.0
    },
    "three times of four: holds, else unknown": lambda item: {HOLDS: 0.75, UNKNOWN: 0.25},
    "own belief, every other time a coin": _mix(_say_own, _toss((HOLDS, FAILS, UNKNOWN))),
    "last message, every other time own belief": _mix(lambda item: {item.last: 1.0}, _say_own),
}
"""Answers that owe nothing to who saw or heard what. The last three are in no panel."""
ACTING: dict[str, tuple[str, dict[str, int]]] = {
    "no_message": ("no_message", {}),
    "broadcast": ("broadcast", {}),
    **{f"level {k}": ("level_k", {"k": k}) for k in range(1, 4)},
}
"""Acting rules of null minds: a mind of the roster with its parameters."""
KNOWN_TEAMS = {**ACTING, "level 0": ("level_k", {"k": 0}), "informed": ("informed", {})}
"""Teams of known knowledge: told nothing, told everything, and all levels."""


class Bank(Struct, frozen=True):
    """The runs of an acting rule in a split, with the answers that its own minds gave."""

    split: str
    acting: str
    attempts: tuple[Attempt, ...]

    @property
    def planned(self) -> dict[tuple[str, str], int]:
        """The episodes of each scenario and mind."""
        return Counter((run.scenario, run.mind) for run in self.attempts)


@cache
def play_bank(split: str, acting: str, tasks: int | None = None, runs: int = 3) -> Bank:
    """The first tasks of a split (all without ``tasks``), each played ``runs`` times by a team of one acting rule."""
    mind, params = KNOWN_TEAMS[acting]
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

    def answer(item: Item) -> int:
        chances = answers(item)
        return rng.choices(list(chances), list(chances.values()))[0]

    return [
        replace(run, items=tuple(replace(item, answer=answer(item)) for item in run.items))
        for run in bank.attempts
    ]


def score_policies(items: Sequence[tuple[str, Item]]) -> dict[str, float]:
    """The accuracy of each policy of the panel over questions about others, by name, the best mixture last.

    ``items`` are the questions of a split, each with the name of its task. Empty where no question has weight.
    """
    tally = tally_items(items)
    terms, inside = find_terms(tally), are_about_others(tally)
    total = float(terms.asked[inside].sum())
    if not total:
        return {}
    entries = dict.fromkeys((task, item.form, item.truth) for task, item in items)
    weights = dict(zip(entries, terms.weights, strict=True))
    came_true = sum(
        weights[task, item.form, item.truth] * _say_goals_came_true(item).get(item.truth, 0.0)
        for task, item in items
        if item.depth > 1
    )
    return {
        **{name: float(terms.weights[inside] @ tally.plans[inside, n]) / total for name, n in PLACES.items()},
        "the goals came true": float(came_true) / total,
        "best mixture": float(terms.floor[inside].sum()) / total,
    }
