"""Every operator and function of the language: its arguments, its meaning, its rule; and the type checker."""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import floor
from typing import Any, TypeAlias

from otherminds.games.automata import Chances
from otherminds.games.expressions import parsing
from otherminds.games.expressions.parsing import (
    LONGEST_SPAN,
    THEIR,
    UNKNOWN,
    BehaviourNames,
    Expression,
    HistoryMemory,
    ParseError,
    Side,
    Takes,
    ValueKind,
)

LARGEST = 1e9
"""No number is larger, or smaller than its negative."""

Rule: TypeAlias = Callable[..., Any]
"""``rule(words, memory, *arguments)``; a lazy one takes its arguments as functions without arguments."""


@dataclass(frozen=True)
class Function:
    """One function. ``form`` and ``meaning`` are its line in the reference.

    ``payoffs`` marks those that need known payoffs, ``lazy`` those that evaluate only some of
    their arguments. :mod:`otherminds.games.expressions.program` has the history that each uses.
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


def look_back(memory: HistoryMemory, side: Side, back: int) -> int:
    """The behaviour of ``side`` ``back`` encounters ago."""
    recent = memory.recent[side]
    return recent[-back] if back <= len(recent) else UNKNOWN


def counts(words: BehaviourNames, memory: HistoryMemory, side: Side, span: int | None) -> Sequence[int]:
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
def _their(words: BehaviourNames, memory: HistoryMemory, back: int) -> int:
    return look_back(memory, THEIR, back)


@function("mine(k)", Takes((SPAN,)), BEHAVIOUR, "what I did k encounters ago")
def _mine(words: BehaviourNames, memory: HistoryMemory, back: int) -> int:
    return look_back(memory, parsing.MINE, back)


@function("round", Takes(), NUMBER, "the number of the encounter to predict; 1 is the first")
def _round(words: BehaviourNames, memory: HistoryMemory) -> float:
    return float(memory.round + 1)


@function(
    "count(their, X)",
    Takes((SIDE, BEHAVIOUR), (SPAN,)),
    NUMBER,
    "how often they did X so far; count(mine, X) of me; count(their, X, n) in the last n encounters",
)
def _count(
    words: BehaviourNames, memory: HistoryMemory, side: Side, behaviour: int, span: int | None = None
) -> float:
    return float(counts(words, memory, side, span)[behaviour]) if behaviour != UNKNOWN else 0.0


@function(
    "streak(their)",
    Takes((SIDE,), (BEHAVIOUR,)),
    NUMBER,
    "for how many encounters they have done the same without a break; streak(mine, X): how long I have done X",
)
def _streak(words: BehaviourNames, memory: HistoryMemory, side: Side, behaviour: int | None = None) -> float:
    last = look_back(memory, side, 1)
    return float(memory.runs[side]) if behaviour is None or behaviour == last != UNKNOWN else 0.0


@function(
    "most(their)",
    Takes((SIDE,), (SPAN,)),
    BEHAVIOUR,
    "what they did most often so far; most(mine, n): I in the last n encounters",
)
def _most(words: BehaviourNames, memory: HistoryMemory, side: Side, span: int | None = None) -> int:
    tally = list(counts(words, memory, side, span))
    return tally.index(max(tally)) if any(tally) else UNKNOWN


@function(
    "frequencies(their)",
    Takes((SIDE,), (SPAN,)),
    CHANCES,
    "each behaviour as likely as it was frequent so far, or in the last n: frequencies(their, n)",
)
def _frequencies(
    words: BehaviourNames, memory: HistoryMemory, side: Side, span: int | None = None
) -> Chances:
    return normal(counts(words, memory, side, span)[: len(words.theirs)], words)


@function(
    "their_payoff(k)", Takes((SPAN,)), NUMBER, "what the encounter k ago paid them; 0 if there was none", True
)
def _their_payoff(words: BehaviourNames, memory: HistoryMemory, back: int) -> float:
    return clip_number(words.payoffs[THEIR].get(_pair(memory, back), 0.0))


@function("my_payoff(k)", Takes((SPAN,)), NUMBER, "what it paid me", payoffs=True)
def _my_payoff(words: BehaviourNames, memory: HistoryMemory, back: int) -> float:
    return clip_number(words.payoffs[parsing.MINE].get(_pair(memory, back), 0.0))


@function("best_reply(X)", Takes((BEHAVIOUR,)), BEHAVIOUR, "their best reply to my X", payoffs=True)
def _best_reply(words: BehaviourNames, memory: HistoryMemory, behaviour: int) -> int:
    return words.theirs_replies[behaviour] if behaviour != UNKNOWN else UNKNOWN


@function("my_best_reply(X)", Takes((BEHAVIOUR,)), BEHAVIOUR, "my best reply to their X", payoffs=True)
def _my_best_reply(words: BehaviourNames, memory: HistoryMemory, behaviour: int) -> int:
    return words.own_replies[behaviour] if behaviour != UNKNOWN else UNKNOWN


@function(
    "next(X)",
    Takes((BEHAVIOUR,), (NUMBER,)),
    BEHAVIOUR,
    "the behaviour behind X in the list, the first behind the last; next(X, n) goes on by n",
)
def _next(words: BehaviourNames, memory: HistoryMemory, behaviour: int, by: float = 1.0) -> int:
    return (behaviour + floor(by)) % len(words.theirs) if 0 <= behaviour < len(words.theirs) else UNKNOWN


@function("play(X)", Takes((BEHAVIOUR,)), CHANCES, "X for sure; X alone means the same")
def _play(words: BehaviourNames, memory: HistoryMemory, behaviour: int) -> Chances:
    theirs = range(len(words.theirs))
    return tuple(float(i == behaviour) for i in theirs) if behaviour in theirs else uniform(words)


@function("uniform", Takes(), CHANCES, "every behaviour equally likely")
def _uniform(words: BehaviourNames, memory: HistoryMemory) -> Chances:
    return uniform(words)


@function("other(X)", Takes((BEHAVIOUR,)), CHANCES, "any but X, equally likely; of two the other one")
def _other(words: BehaviourNames, memory: HistoryMemory, behaviour: int) -> Chances:
    return normal([float(i != behaviour) for i in range(len(words.theirs))], words)


@function(
    "mix({'A': 0.7, their(1): 0.3})",
    Takes((CHANCES, NUMBER), repeats=True),
    CHANCES,
    "each of these with its weight; weights need not sum to 1",
)
def _mix(words: BehaviourNames, memory: HistoryMemory, *weighted: Any) -> Chances:
    chances: Sequence[Chances] = weighted[::2]
    weights: Sequence[float] = [max(weight, 0.0) for weight in weighted[1::2]]
    columns = zip(*chances, strict=True)
    return normal([sum(w * p for w, p in zip(weights, column, strict=True)) for column in columns], words)


@function("noisy(D, p)", Takes((CHANCES, NUMBER)), CHANCES, "D, but with probability p any behaviour")
def _noisy(words: BehaviourNames, memory: HistoryMemory, chances: Chances, noise: float) -> Chances:
    share = min(max(noise, 0.0), 1.0)
    return normal([(1 - share) * p + share / len(chances) for p in chances], words)


@function(
    "cycle('A', 'B', 'C')",
    Takes((CHANCES,), repeats=True),
    CHANCES,
    "these in turn, from the first encounter on, over and over",
    lazy=True,
)
def _cycle(words: BehaviourNames, memory: HistoryMemory, *outcomes: Callable[[], Chances]) -> Chances:
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
    memory: HistoryMemory,
    n: Callable[[], float],
    a: Callable[[], Chances],
    b: Callable[[], Chances],
) -> Chances:
    return a() if memory.round < n() else b()


@function("min(a, b)", Takes((NUMBER, NUMBER)), NUMBER, "the smaller number")
def _min(words: BehaviourNames, memory: HistoryMemory, a: float, b: float) -> float:
    return min(a, b)


@function("max(a, b)", Takes((NUMBER, NUMBER)), NUMBER, "the larger number")
def _max(words: BehaviourNames, memory: HistoryMemory, a: float, b: float) -> float:
    return max(a, b)


def _pair(memory: HistoryMemory, back: int) -> tuple[int, int]:
    return look_back(memory, THEIR, back), look_back(memory, parsing.MINE, back)


SIDES = ("their", "mine")
EXCERPT = 60
"""Characters of a part of the program that a message quotes."""


@dataclass(frozen=True)
class Operator:
    """An operator on ``takes``; ``None``: on two of one kind. A lazy one takes functions without arguments."""

    takes: tuple[ValueKind, ...] | None
    gives: ValueKind
    rule: Callable[..., Any]
    lazy: bool = False


def alike(a: int, b: int) -> bool:
    """``==`` between behaviours: whether both are known and the same."""
    return a == b != UNKNOWN


def _or(a: Callable[[], bool], b: Callable[[], bool]) -> bool:
    return a() or b()


def _and(a: Callable[[], bool], b: Callable[[], bool]) -> bool:
    return a() and b()


def _total(rule: Callable[[float, float], float]) -> Operator:
    def bound(a: float, b: float) -> float:
        try:
            return clip_number(rule(a, b))
        except ZeroDivisionError:
            return 0.0

    return Operator(TWO_NUMBERS, ValueKind.NUMBER, bound)


TWO_NUMBERS = (ValueKind.NUMBER, ValueKind.NUMBER)
TWO_TRUTHS = (ValueKind.TRUTH, ValueKind.TRUTH)
COMPARED = {ValueKind.NUMBER, ValueKind.BEHAVIOUR, ValueKind.TRUTH}
"""The kinds that ``==`` and ``!=`` compare."""

OPERATORS: dict[str, Operator] = {
    "or": Operator(TWO_TRUTHS, ValueKind.TRUTH, _or, lazy=True),
    "and": Operator(TWO_TRUTHS, ValueKind.TRUTH, _and, lazy=True),
    "not": Operator((ValueKind.TRUTH,), ValueKind.TRUTH, op.not_),
    "==": Operator(None, ValueKind.TRUTH, op.eq),
    "!=": Operator(None, ValueKind.TRUTH, op.ne),
    "<": Operator(TWO_NUMBERS, ValueKind.TRUTH, op.lt),
    "<=": Operator(TWO_NUMBERS, ValueKind.TRUTH, op.le),
    ">": Operator(TWO_NUMBERS, ValueKind.TRUTH, op.gt),
    ">=": Operator(TWO_NUMBERS, ValueKind.TRUTH, op.ge),
    "+": _total(lambda a, b: a + b),
    "-": _total(lambda a, b: a - b),
    "*": _total(lambda a, b: a * b),
    "/": _total(lambda a, b: a / b),
    "//": _total(lambda a, b: a // b),
    "%": _total(lambda a, b: a % b),
    parsing.NEGATIVE: Operator((ValueKind.NUMBER,), ValueKind.NUMBER, op.neg),
}


def check(expression: Expression, words: BehaviourNames) -> Expression:
    """``expression`` as a predictor: a distribution over the partner's behaviours.

    In the result every part has its kind, and behaviours used as distributions are inside ``play``.

    Raises:
        ParseError: a name is unknown, or a part has the wrong kind.
    """
    return _Checker(words).check_kind(expression, ValueKind.CHANCES, {})


Scope: TypeAlias = Mapping[str, ValueKind | None]
"""The kinds of the names that ``let`` has defined."""


class _Checker:
    def __init__(self, words: BehaviourNames) -> None:
        self.words = words

    def check_kind(self, part: Expression, kind: ValueKind | None, scope: Scope) -> Expression:
        """``part`` as a ``kind``, or as its own where that is ``None``; a behaviour is also a distribution."""
        if kind is ValueKind.SPAN:
            return self.check_span(part)
        if part.name == "let":
            return self.check_let(part, kind, scope)
        if part.name == "if":
            return self.check_if(part, kind, scope)
        checked = self.check_part(part, scope)
        if kind is ValueKind.CHANCES and checked.kind is ValueKind.BEHAVIOUR:
            checked = self.play(checked)
        if kind is not None and checked.kind is not kind:
            raise ParseError(
                f"{quote_part(part)} is {_say(checked)} where {kind.value} is wanted{_hint(kind)}"
            )
        return checked

    def check_let(self, let: Expression, kind: ValueKind | None, scope: Scope) -> Expression:
        name = str(let.value)
        if name in FUNCTIONS or name in SIDES:
            raise ParseError(
                f"`let` cannot name something `{_shorten_text(name)}`: that word has a meaning already"
            )
        value = self.check_kind(let.inside[0], None, scope)
        if value.kind is ValueKind.SIDE:
            raise ParseError(f"`let {_shorten_text(name)}` cannot stand for `their` or `mine`")
        body = self.check_kind(let.inside[1], kind, {**scope, name: value.kind})
        return replace(let, inside=(value, body), kind=body.kind)

    def check_if(self, part: Expression, kind: ValueKind | None, scope: Scope) -> Expression:
        condition = self.check_kind(part.inside[0], ValueKind.TRUTH, scope)
        then, otherwise = (self.check_kind(branch, kind, scope) for branch in part.inside[1:])
        if {then.kind, otherwise.kind} == {ValueKind.CHANCES, ValueKind.BEHAVIOUR}:
            then, otherwise = (self.check_kind(of, ValueKind.CHANCES, scope) for of in part.inside[1:])
        if then.kind is not otherwise.kind:
            raise ParseError(
                f"the branches of an `if` must be of one kind: {quote_part(part.inside[1])} is {_say(then)}, "
                f"{quote_part(part.inside[2])} is {_say(otherwise)}"
            )
        return replace(part, inside=(condition, then, otherwise), kind=then.kind)

    def check_part(self, part: Expression, scope: Scope) -> Expression:
        """A literal, word, call or operator with its own kind."""
        if not part.name:
            if part.kind is ValueKind.BEHAVIOUR and part.value not in self.words.names:
                raise ParseError(
                    f"no behaviour is called {_shorten_text(str(part.value))!a}; there are {_list_names(self.words.names)}"
                )
            return part
        if part.name in OPERATORS:
            return self.check_operator(part, scope)
        if not part.inside and part.name in scope:
            return replace(part, kind=scope[part.name])
        if not part.inside and part.name in SIDES:
            return replace(part, kind=ValueKind.SIDE)
        return self.check_call(part, scope)

    def check_operator(self, part: Expression, scope: Scope) -> Expression:
        operator = OPERATORS[part.name]
        takes = operator.takes or (None, None)
        inside = tuple(self.check_kind(of, kind, scope) for of, kind in zip(part.inside, takes, strict=True))
        kinds = {of.kind for of in inside}
        if operator.takes is None and (len(kinds) > 1 or not kinds <= COMPARED):
            first, second = map(_say, inside)
            raise ParseError(
                f"`{part.name}` compares two numbers or two behaviours; in {quote_part(part)} the left is "
                f"{first}, the right {second}"
            )
        return replace(part, inside=inside, kind=operator.gives)

    def check_call(self, part: Expression, scope: Scope) -> Expression:
        """A function with its arguments, which may be none."""
        name = part.name
        function = self.find_function(name, scope)
        kinds = function.takes.kinds(len(part.inside))
        if kinds is None and not part.inside:
            raise ParseError(f"`{name}` needs arguments: {function.form}, {function.meaning}")
        if function.payoffs and self.words.game is None:
            raise ParseError(f"`{name}` cannot be used here: nobody was told the payoffs")
        if kinds is None:
            raise ParseError(
                f"`{name}` does not take {len(part.inside)} arguments: {function.form}, {function.meaning}"
            )
        inside = tuple(self.check_kind(of, kind, scope) for of, kind in zip(part.inside, kinds, strict=True))
        return self.play(inside[0]) if name == "play" else replace(part, inside=inside, kind=function.gives)

    def find_function(self, name: str, scope: Scope) -> Function:
        if name in FUNCTIONS:
            return FUNCTIONS[name]
        if name in self.words.names:
            raise ParseError(f"the behaviour {name} is written as a string: {name!a}")
        close = get_close_matches(_shorten_text(name), [*scope, *FUNCTIONS, *SIDES], 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(FUNCTIONS)}"
        raise ParseError(f"`{_shorten_text(name)}` is no word of the language; {hint}")

    def play(self, behaviour: Expression) -> Expression:
        """A checked behaviour as a distribution with all mass on it."""
        if not behaviour.name and behaviour.value not in self.words.theirs:
            raise ParseError(
                f"they cannot do {behaviour.value!a}; they have {_list_names(self.words.theirs)}"
            )
        return Expression("play", (behaviour,), kind=ValueKind.CHANCES)

    def check_span(self, part: Expression) -> Expression:
        if part.kind is ValueKind.NUMBER and part.value in range(1, LONGEST_SPAN + 1):
            return replace(part, kind=ValueKind.SPAN)
        raise ParseError(f"{quote_part(part)} stands where {ValueKind.SPAN.value} is wanted")


def _say(checked: Expression) -> str:
    """The kind of a checked part, in words."""
    return checked.kind.value if checked.kind else ""


def quote_part(expression: Expression) -> str:
    """A part of a program in a message."""
    return f"`{ascii(_shorten_text(parsing.formatted(expression)))[1:-1]}`"


def _shorten_text(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}..."


def _hint(kind: ValueKind) -> str:
    if kind is ValueKind.CHANCES:
        return ": write play(X), uniform, mix({X: 0.7, Y: 0.3}), or a behaviour alone"
    return ": compare something, such as their(1) == mine(1)" if kind is ValueKind.TRUTH else ""


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(map(ascii, names))
