"""Every function of the language: its arguments, its meaning, its rule.

Each is total. Numbers stay between ±:data:`LARGEST`; division by 0 gives 0. The behaviour of an encounter
that has not happened is unknown: it equals nothing, not even itself, and as a distribution it is uniform.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any, TypeAlias

from otherminds.games.expressions import values
from otherminds.games.expressions.values import THEIR, UNKNOWN, BehaviourNames, Memory, Side, Takes, ValueKind
from otherminds.games.predictor import Chances

LARGEST = 1e9
"""No number is larger, or smaller than its negative."""

Rule: TypeAlias = Callable[..., Any]
"""``rule(words, memory, *arguments)``; a lazy one takes its arguments as functions without arguments."""


@dataclass(frozen=True)
class Function:
    """One function. ``form`` and ``meaning`` are its line in the reference.

    ``payoffs`` marks those that need known payoffs, ``lazy`` those that evaluate only some of
    their arguments. :mod:`otherminds.games.expressions.needs` has the history that each uses.
    """

    name: str
    takes: Takes
    gives: ValueKind
    form: str
    meaning: str
    rule: Rule
    payoffs: bool = False
    lazy: bool = False


FUNCTIONS: dict[str, Function] = {}


def function(
    form: str, takes: Takes, gives: ValueKind, meaning: str, payoffs: bool = False, lazy: bool = False
) -> Callable[[Rule], Rule]:
    """Registers a rule as a function; ``form`` begins with its name."""
    name = form.partition("(")[0]

    def register(rule: Rule) -> Rule:
        FUNCTIONS[name] = Function(name, takes, gives, form, meaning, rule, payoffs, lazy)
        return rule

    return register


def clip_number(number: float) -> float:
    """``number`` within ±:data:`LARGEST`."""
    return min(max(number, -LARGEST), LARGEST)


def uniform(words: BehaviourNames) -> Chances:
    """Every behaviour of the partner equally likely."""
    return (1 / len(words.theirs),) * len(words.theirs)


def normal(weights: Sequence[float], words: BehaviourNames) -> Chances:
    """Weights of at least 0 as a distribution; uniform if all are 0."""
    total = sum(weights)
    return tuple(weight / total for weight in weights) if total > 0 else uniform(words)


def look_back(memory: Memory, side: Side, back: int) -> int:
    """The behaviour of ``side`` ``back`` encounters ago."""
    recent = memory.recent[side]
    return recent[-back] if back <= len(recent) else UNKNOWN


def counts(words: BehaviourNames, memory: Memory, side: Side, span: int | None) -> Sequence[int]:
    """How often ``side`` showed each behaviour, by its number, in the last ``span`` encounters or in all."""
    if span is None:
        return memory.counts[side]
    tally = [0] * len(words.names)
    for behaviour in memory.recent[side][-span:]:
        tally[behaviour] += 1
    return tally


NUMBER, BEHAVIOUR, CHANCES = ValueKind.NUMBER, ValueKind.BEHAVIOUR, ValueKind.CHANCES
SIDE, SPAN = ValueKind.SIDE, ValueKind.SPAN


@function("their(k)", Takes((SPAN,)), BEHAVIOUR, "what they did k encounters ago; their(1) is the last one")
def _their(words: BehaviourNames, memory: Memory, back: int) -> int:
    return look_back(memory, THEIR, back)


@function("mine(k)", Takes((SPAN,)), BEHAVIOUR, "what I did k encounters ago")
def _mine(words: BehaviourNames, memory: Memory, back: int) -> int:
    return look_back(memory, values.MINE, back)


@function("round", Takes(), NUMBER, "the number of the encounter to predict; 1 is the first")
def _round(words: BehaviourNames, memory: Memory) -> float:
    return float(memory.round + 1)


@function(
    "count(their, X)",
    Takes((SIDE, BEHAVIOUR), (SPAN,)),
    NUMBER,
    "how often they did X so far; count(mine, X) of me; count(their, X, n) in the last n encounters",
)
def _count(
    words: BehaviourNames, memory: Memory, side: Side, behaviour: int, span: int | None = None
) -> float:
    return float(counts(words, memory, side, span)[behaviour]) if behaviour != UNKNOWN else 0.0


@function(
    "streak(their)",
    Takes((SIDE,), (BEHAVIOUR,)),
    NUMBER,
    "for how many encounters they have done the same without a break; streak(mine, X): how long I have done X",
)
def _streak(words: BehaviourNames, memory: Memory, side: Side, behaviour: int | None = None) -> float:
    last = look_back(memory, side, 1)
    return float(memory.runs[side]) if behaviour is None or behaviour == last != UNKNOWN else 0.0


@function(
    "most(their)",
    Takes((SIDE,), (SPAN,)),
    BEHAVIOUR,
    "what they did most often so far; most(mine, n): I in the last n encounters",
)
def _most(words: BehaviourNames, memory: Memory, side: Side, span: int | None = None) -> int:
    tally = list(counts(words, memory, side, span))
    return tally.index(max(tally)) if any(tally) else UNKNOWN


@function(
    "frequencies(their)",
    Takes((SIDE,), (SPAN,)),
    CHANCES,
    "each behaviour as likely as it was frequent so far, or in the last n: frequencies(their, n)",
)
def _frequencies(words: BehaviourNames, memory: Memory, side: Side, span: int | None = None) -> Chances:
    return normal(counts(words, memory, side, span)[: len(words.theirs)], words)


@function(
    "their_payoff(k)", Takes((SPAN,)), NUMBER, "what the encounter k ago paid them; 0 if there was none", True
)
def _their_payoff(words: BehaviourNames, memory: Memory, back: int) -> float:
    return clip_number(words.payoffs[THEIR].get(_pair(memory, back), 0.0))


@function("my_payoff(k)", Takes((SPAN,)), NUMBER, "what it paid me", payoffs=True)
def _my_payoff(words: BehaviourNames, memory: Memory, back: int) -> float:
    return clip_number(words.payoffs[values.MINE].get(_pair(memory, back), 0.0))


@function("best_reply(X)", Takes((BEHAVIOUR,)), BEHAVIOUR, "their best reply to my X", payoffs=True)
def _best_reply(words: BehaviourNames, memory: Memory, behaviour: int) -> int:
    return words.theirs_replies[behaviour] if behaviour != UNKNOWN else UNKNOWN


@function("my_best_reply(X)", Takes((BEHAVIOUR,)), BEHAVIOUR, "my best reply to their X", payoffs=True)
def _my_best_reply(words: BehaviourNames, memory: Memory, behaviour: int) -> int:
    return words.own_replies[behaviour] if behaviour != UNKNOWN else UNKNOWN


@function(
    "next(X)",
    Takes((BEHAVIOUR,), (NUMBER,)),
    BEHAVIOUR,
    "the behaviour behind X in the list, the first behind the last; next(X, n) goes on by n",
)
def _next(words: BehaviourNames, memory: Memory, behaviour: int, by: float = 1.0) -> int:
    return (behaviour + floor(by)) % len(words.theirs) if 0 <= behaviour < len(words.theirs) else UNKNOWN


@function("play(X)", Takes((BEHAVIOUR,)), CHANCES, "X for sure; X alone means the same")
def _play(words: BehaviourNames, memory: Memory, behaviour: int) -> Chances:
    theirs = range(len(words.theirs))
    return tuple(float(i == behaviour) for i in theirs) if behaviour in theirs else uniform(words)


@function("uniform", Takes(), CHANCES, "every behaviour equally likely")
def _uniform(words: BehaviourNames, memory: Memory) -> Chances:
    return uniform(words)


@function("other(X)", Takes((BEHAVIOUR,)), CHANCES, "any but X, equally likely; of two the other one")
def _other(words: BehaviourNames, memory: Memory, behaviour: int) -> Chances:
    return normal([float(i != behaviour) for i in range(len(words.theirs))], words)


@function(
    "mix({'A': 0.7, their(1): 0.3})",
    Takes((CHANCES, NUMBER), repeats=True),
    CHANCES,
    "each of these with its weight; weights need not sum to 1",
)
def _mix(words: BehaviourNames, memory: Memory, *weighted: Any) -> Chances:
    chances: Sequence[Chances] = weighted[::2]
    weights: Sequence[float] = [max(weight, 0.0) for weight in weighted[1::2]]
    columns = zip(*chances, strict=True)
    return normal([sum(w * p for w, p in zip(weights, column, strict=True)) for column in columns], words)


@function("noisy(D, p)", Takes((CHANCES, NUMBER)), CHANCES, "D, but with probability p any behaviour")
def _noisy(words: BehaviourNames, memory: Memory, chances: Chances, noise: float) -> Chances:
    share = min(max(noise, 0.0), 1.0)
    return normal([(1 - share) * p + share / len(chances) for p in chances], words)


@function(
    "cycle('A', 'B', 'C')",
    Takes((CHANCES,), repeats=True),
    CHANCES,
    "these in turn, from the first encounter on, over and over",
    lazy=True,
)
def _cycle(words: BehaviourNames, memory: Memory, *outcomes: Callable[[], Chances]) -> Chances:
    return outcomes[memory.round % len(outcomes)]()


@function(
    "first(n, A, B)",
    Takes((NUMBER, CHANCES, CHANCES)),
    CHANCES,
    "A in the first n encounters, then B",
    lazy=True,
)
def _first(
    words: BehaviourNames,
    memory: Memory,
    n: Callable[[], float],
    a: Callable[[], Chances],
    b: Callable[[], Chances],
) -> Chances:
    return a() if memory.round < n() else b()


@function("min(a, b)", Takes((NUMBER, NUMBER)), NUMBER, "the smaller number")
def _min(words: BehaviourNames, memory: Memory, a: float, b: float) -> float:
    return min(a, b)


@function("max(a, b)", Takes((NUMBER, NUMBER)), NUMBER, "the larger number")
def _max(words: BehaviourNames, memory: Memory, a: float, b: float) -> float:
    return max(a, b)


def _pair(memory: Memory, back: int) -> tuple[int, int]:
    return look_back(memory, THEIR, back), look_back(memory, values.MINE, back)
