"""Executable programs: a checked text as a predictor, with its cost, its description length in bits, and a reference.

Only the part of the history that a program uses is kept, so that equal situations are one state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import ceil, floor, inf, lcm, log2
from typing import Any, TypeAlias, cast

from msgspec import Struct

from otherminds.games.automata import Chances, Predictor, State
from otherminds.games.expressions import parsing
from otherminds.games.expressions.functions import FUNCTIONS, OPERATORS, SIDES, alike, check
from otherminds.games.expressions.parsing import (
    MINE,
    THEIR,
    BehaviourNames,
    Expression,
    HistoryMemory,
    ParseError,
    Side,
    ValueKind,
    formatted,
    parse,
)

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LONGEST = 200
"""The longest period in encounters; beyond it, all encounters are counted."""


@dataclass(frozen=True)
class ProgramNeeds:
    """What a program keeps of the history.

    Rounds are counted up to ``rounds``, then modulo ``period``. ``depths`` are the last
    encounters kept by side, ``counts[side][i]`` the bound of the count of behaviour ``i``,
    ``runs`` the bound of repetitions. 0: not counted; infinite: without bound.
    """

    rounds: float = 0
    period: int = 1
    depths: tuple[int, int] = (0, 0)
    counts: tuple[tuple[float, ...], ...] = ()
    runs: tuple[float, float] = (0, 0)

    def __or__(self, other: ProgramNeeds) -> ProgramNeeds:
        period = lcm(self.period, other.period)
        rounds = max(self.rounds, other.rounds) if period <= LONGEST else inf
        counts = tuple(tuple(map(max, *pair)) for pair in zip(self.counts, other.counts, strict=False))
        return ProgramNeeds(
            rounds,
            period if rounds < inf else 1,
            (max(self.depths[0], other.depths[0]), max(self.depths[1], other.depths[1])),
            counts or self.counts or other.counts,
            (max(self.runs[0], other.runs[0]), max(self.runs[1], other.runs[1])),
        )

    def empty(self) -> HistoryMemory:
        """The memory before the first encounter."""
        return HistoryMemory(0, ((), ()), tuple((0,) * len(side) for side in self.counts), (0, 0))

    def after(self, memory: HistoryMemory, theirs: int, own: int) -> HistoryMemory:
        """The memory after an encounter with these behaviours."""
        their, mine = memory.recent
        return HistoryMemory(
            self._round(memory.round + 1),
            (_append_recent(their, theirs, self.depths[THEIR]), _append_recent(mine, own, self.depths[MINE])),
            tuple(map(_add_count, memory.counts, self.counts, (theirs, own))),
            (
                _run_length(memory.runs[THEIR], self.runs[THEIR], their[-1:] == (theirs,)),
                _run_length(memory.runs[MINE], self.runs[MINE], mine[-1:] == (own,)),
            ),
        )

    def _round(self, number: int) -> int:
        if number <= self.rounds:
            return number
        start = int(self.rounds)
        return start + (number - start) % self.period


def needs(part: Expression, words: BehaviourNames) -> ProgramNeeds:
    """The part of the history that ``part``, a checked one, uses."""
    match part.name, part.inside:
        case name, (left, right) if name in COMPARISONS:
            compared = _read_comparison(left, right, words) or _read_comparison(right, left, words)
            if compared is not None:
                return compared
        case "%", (left, right) if (period := _period(left, right)) is not None:
            return ProgramNeeds(period=period)
        case "first", (Expression(value=float(n)), *outcomes):
            return ProgramNeeds(rounds=ceil(n)) | _all(outcomes, words)
        case _:
            pass
    return _own(part, words) | _all(part.inside, words)


def _all(parts: Sequence[Expression], words: BehaviourNames) -> ProgramNeeds:
    result = ProgramNeeds()
    for part in parts:
        result |= needs(part, words)
    return result


def _read_comparison(part: Expression, number: Expression, words: BehaviourNames) -> ProgramNeeds | None:
    """The needs of ``part`` where it is a count that is compared with a literal; else ``None``."""
    if not isinstance(number.value, float):
        return None
    most = floor(number.value)
    if part.name == "round":
        return ProgramNeeds(rounds=most)  # one more than the encounters that have been
    if part.name in {"count", "streak"}:
        return _own(part, words, most + 1) | _all(part.inside, words)
    return None


def _own(part: Expression, words: BehaviourNames, cap: float = inf) -> ProgramNeeds:
    """The needs of ``part`` without its own parts; counts have the bound ``cap``."""
    spans = [int(of.value) for of in part.inside if of.kind is ValueKind.SPAN and isinstance(of.value, float)]
    match part.name:
        case "round" | "first":
            return ProgramNeeds(rounds=inf)
        case "cycle":
            return ProgramNeeds(period=len(part.inside))
        case "their" | "mine" if spans:
            return _deep(SIDES.index(part.name), spans[0])
        case "their_payoff" | "my_payoff":
            return ProgramNeeds(depths=(spans[0], spans[0]))
        case "count" | "most" | "frequencies" if spans:
            return _several(part, lambda side: _deep(side, spans[0]))
        case "count" | "most" | "frequencies":
            return _several(part, lambda side: _counts(part, side, words, cap))
        case "streak":
            return _several(part, lambda side: _deep(side, 1) | _runs(side, cap))
        case _:
            return ProgramNeeds()


def _several(part: Expression, of: Callable[[Side], ProgramNeeds]) -> ProgramNeeds:
    """The needs for the side that ``part`` names; for both where that is computed."""
    side = part.inside[0].name
    return of(SIDES.index(side)) if side in SIDES else of(THEIR) | of(MINE)


def _deep(side: Side, back: int) -> ProgramNeeds:
    return ProgramNeeds(depths=(back, 0) if side == THEIR else (0, back))


def _runs(side: Side, cap: float) -> ProgramNeeds:
    return ProgramNeeds(runs=(cap, 0) if side == THEIR else (0, cap))


def _counts(part: Expression, side: Side, words: BehaviourNames, cap: float) -> ProgramNeeds:
    """The count of a literal behaviour, else of every behaviour."""
    only = part.inside[1].value if len(part.inside) > 1 and not part.inside[1].name else None
    caps = tuple(cap if only in {None, name} else 0 for name in words.names)
    none = (0,) * len(words.names)
    return ProgramNeeds(counts=(caps, none) if side == THEIR else (none, caps))


def _period(dividend: Expression, divisor: Expression) -> int | None:
    """The period in rounds of the remainder ``dividend % divisor``; ``None`` if unknown."""
    unit, modulus = _unit(dividend), _whole(divisor)
    return unit * modulus if unit and modulus and unit * modulus <= LONGEST else None


def _unit(part: Expression) -> int | None:
    """The rounds in which ``part`` grows by 1: ``round``, and ``+ - //`` with literals; else ``None``."""
    if part.name == "round":
        return 1
    if part.name in {"+", "-", "//"} and (by := _whole(part.inside[1])) is not None:
        unit = _unit(part.inside[0])
        if part.name != "//":
            return unit
        return unit * by if unit and by else None
    return None


def _whole(part: Expression) -> int | None:
    """The whole number of a literal; ``None`` if it is none."""
    return int(part.value) if isinstance(part.value, float) and part.value.is_integer() else None


def _append_recent(recent: tuple[int, ...], behaviour: int, depth: int) -> tuple[int, ...]:
    return (*recent, behaviour)[-depth:] if depth else ()


def _add_count(counts: tuple[int, ...], caps: tuple[float, ...], behaviour: int) -> tuple[int, ...]:
    if counts[behaviour] >= caps[behaviour]:
        return counts
    return (*counts[:behaviour], counts[behaviour] + 1, *counts[behaviour + 1 :])


def _run_length(length: int, cap: float, again: bool) -> int:
    return int(min(length + 1 if again else 1, cap))


STEPS = 5_000
"""The most steps of one prediction: parts evaluated and encounters read."""
LITERAL = ""
USUAL = {
    ValueKind.NUMBER: (LITERAL, "round", "%"),
    ValueKind.TRUTH: ("==",),
    ValueKind.BEHAVIOUR: (LITERAL, "mine", "their"),
    ValueKind.CHANCES: ("play", "if"),
}
"""The most usual parts of each kind: the first takes one bit, the second two, and so on."""
ANYWHERE = 3
"""``if``, ``let`` and names of ``let`` can have every kind."""

Run: TypeAlias = Callable[[HistoryMemory, tuple[Any, ...]], Any]
"""Evaluates a part, given the memory and the values of ``let``, outermost first."""


@dataclass(frozen=True)
class Program:
    """A predictor as a program.

    ``bits`` is its description length, ``steps`` an upper bound of the cost of one prediction,
    ``needs`` the part of the history that it keeps.
    """

    expression: Expression
    words: BehaviourNames
    bits: float
    steps: int
    needs: ProgramNeeds
    run: Run

    @property
    def text(self) -> str:
        """The program in canonical form, which parses to the same program."""
        return parsing.formatted(self.expression)

    def chances(self, memory: HistoryMemory) -> Chances:
        """The distribution over the partner's next behaviour: finite, none below 0, sums to 1."""
        return self.run(memory, ())

    def predictor(self, sentence: str, name: str = "program") -> Predictor:
        """The program as a hypothesis that says ``sentence``. Its states are :class:`Memory`."""
        numbers = self.words.number_of_own

        def after(state: State, theirs: int, own: int) -> State:
            return self.needs.after(cast(HistoryMemory, state), theirs, numbers[own])

        output = cast("Callable[[State], Chances]", lru_cache(maxsize=4096)(self.chances))
        return Predictor(name, sentence, self.bits, self.needs.empty(), output, after)


def program(text: str, words: BehaviourNames) -> Program:
    """Parses and checks ``text`` for a seat that knows ``words``.

    Raises:
        ParseError: the text is no valid program; the message says how to correct it.
    """
    expression = parse(text)
    checked = check(expression, words)
    steps = cost(checked, len(words.theirs))
    if steps > STEPS:
        raise ParseError(
            f"a prediction may take {STEPS} steps, and this takes up to {steps}; look back less far, or say less"
        )
    return Program(
        expression, words, bits(checked, words), steps, needs(checked, words), _run(checked, words, ())
    )


def cost(part: Expression, behaviours: int) -> int:
    """An upper bound of the steps to evaluate ``part``, a checked one.

    One for the part itself, one for each encounter that it reads, one for each of the
    ``behaviours`` whose chances or counts it or its own parts give.
    """
    spans = (of.value for of in part.inside if of.kind is ValueKind.SPAN and isinstance(of.value, float))
    own = 1 + int(sum(spans)) + behaviours * (1 + len(part.inside))
    return own + sum(cost(of, behaviours) for of in part.inside)


def bits(part: Expression, words: BehaviourNames) -> float:
    """The description length of a checked program, or of a part of one, for ``words``, in bits."""
    return _own_bits(part, words) + sum(bits(of, words) for of in part.inside)


def _own_bits(part: Expression, words: BehaviourNames) -> float:
    """The bits of ``part`` without its own parts."""
    assert part.kind is not None, "bits are those of a checked program"
    if part.kind is ValueKind.SIDE:
        return 1.0
    match part.name, part.value:
        case "", float(value) if part.kind is ValueKind.SPAN:
            return _digits(value - 1)
        case "", float(value):
            extra = _digits(value)
        case "", str():
            extra = log2(len(words.names))
        case "", _:
            extra = 1
        case "==" | "!=", _:  # the kind that is compared: mostly behaviours
            extra = 1 if part.inside[0].kind is ValueKind.BEHAVIOUR else 2
        case name, _ if name in FUNCTIONS:
            takes = FUNCTIONS[name].takes
            extra = bool(takes.more) + (_digits(len(part.inside)) if takes.repeats else 0)
        case _:
            extra = 0
    return _choice_bits(part.kind, part.name) + extra


@lru_cache
def _choice_bits(kind: ValueKind, name: str) -> float:
    """The bits of naming one alternative of ``kind``: a function, an operator, a literal, ``if``, ``let``."""
    usual = USUAL[kind]
    if name in usual:
        return usual.index(name) + 1.0
    gives = Counter(function.gives for function in (*FUNCTIONS.values(), *OPERATORS.values()))
    literals = kind is not ValueKind.CHANCES
    return len(usual) + log2(gives[kind] + literals + ANYWHERE - len(usual))


def _digits(value: float) -> float:
    """The bits of a number: gamma code of the whole part, then the digits behind the point."""
    behind = f"{value:.9f}".rstrip("0").partition(".")[2]
    return 2 * log2(1 + int(value)) + 1 + len(behind) * log2(10)


def _run(part: Expression, words: BehaviourNames, scope: tuple[str, ...]) -> Run:
    """``part`` as a function; ``scope`` are the names of ``let``, outermost first."""
    name, value = part.name, part.value
    if name == "let":
        of = _run(part.inside[0], words, scope)
        body = _run(part.inside[1], words, (*scope, str(value)))
        return lambda memory, bindings: body(memory, (*bindings, of(memory, bindings)))
    if part.kind is ValueKind.SIDE and name in SIDES:
        return _constant(SIDES.index(name))
    if not part.inside and name in scope:
        place = len(scope) - 1 - scope[::-1].index(name)
        return lambda memory, bindings: bindings[place]
    if part.kind is ValueKind.SPAN and isinstance(value, float):
        return _constant(int(value))
    if not name:
        return _constant(words.names.index(value) if isinstance(value, str) else value)
    inside = [_run(of, words, scope) for of in part.inside]
    if name == "if":
        condition, then, otherwise = inside
        return lambda memory, bindings: (then if condition(memory, bindings) else otherwise)(memory, bindings)
    if name in OPERATORS:
        return _operation(part, inside)
    function = FUNCTIONS[name]
    arguments = _lazy(inside) if function.lazy else _eager(inside)
    return lambda memory, bindings: function.rule(words, memory, *arguments(memory, bindings))


def _constant(value: Any) -> Run:
    return lambda memory, bindings: value


def _operation(part: Expression, inside: Sequence[Run]) -> Run:
    operator = OPERATORS[part.name]
    if part.inside[0].kind is ValueKind.BEHAVIOUR:
        a, b = inside
        same = part.name == "=="
        return lambda memory, bindings: alike(a(memory, bindings), b(memory, bindings)) is same
    arguments = _lazy(inside) if operator.lazy else _eager(inside)
    return lambda memory, bindings: operator.rule(*arguments(memory, bindings))


def _lazy(inside: Sequence[Run]) -> Run:
    return lambda memory, bindings: (partial(of, memory, bindings) for of in inside)


def _eager(inside: Sequence[Run]) -> Run:
    return lambda memory, bindings: (of(memory, bindings) for of in inside)


GRAMMAR = (
    "A program is one expression that says what they do next, as a behaviour or as a distribution. "
    "There are no loops, no assignments and no functions of your own.",
    "Behaviours are strings. Of what has not happened yet every comparison is false, and as a prediction "
    "it means any behaviour.",
    "if CONDITION then A else B: A and B may be programs themselves.",
    "let x = VALUE in EXPRESSION: gives a value a name.",
    "== != < <= > >= and or not + - * / // %: // rounds down, % is the rest.",
)


class ProgramExample(Struct, frozen=True):
    """A strategy in a sentence, and the program that says the same."""

    sentence: str
    text: str


def reference(words: BehaviourNames) -> str:
    """The language on one page: a line for each rule and each function available with ``words``."""
    functions = [f for f in FUNCTIONS.values() if words.game is not None or not f.payoffs]
    return "\n".join([*GRAMMAR, *(f"{function.form}: {function.meaning}" for function in functions)])


def examples(words: BehaviourNames) -> tuple[ProgramExample, ...]:
    """Worked examples: programs with the names of ``words`` that need no payoffs."""
    first, last = _string(words.theirs[0]), _string(words.theirs[-1])
    own = _string(words.own[-1])
    return (
        ProgramExample(
            f"They play {first} seven times of ten, else {last}.", f"mix({{{first}: 0.7, {last}: 0.3}})"
        ),
        ProgramExample(
            f"They begin with {first}, then repeat what I did in the last encounter.",
            f"if round == 1 then {first} else mine(1)",
        ),
        ProgramExample(
            f"They play {first} until I have played {own} twice, then always {last}.",
            f"if count(mine, {own}) >= 2 then {last} else {first}",
        ),
        ProgramExample(
            "They repeat their last behaviour if we both did the same, else they change it; one time in ten they err.",
            "noisy(if their(1) == mine(1) then their(1) else other(their(1)), 0.1)",
        ),
        ProgramExample(
            f"They play {first} in five encounters, then {last} in five, and so on.",
            f"if (round - 1) // 5 % 2 == 0 then {first} else {last}",
        ),
    )


def _string(name: str) -> str:
    return formatted(Expression("", value=name))
