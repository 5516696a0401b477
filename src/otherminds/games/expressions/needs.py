"""Which part of the history a program uses. Only that is kept, so that equal situations are one state.

Planning enumerates the states of a predictor, so they should be few. Counts that are only compared with a
number stop at that number; rounds of which only a remainder matters are counted modulo a period.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, inf, lcm

from otherminds.games.expressions.checking import SIDES, Typed
from otherminds.games.expressions.tree import FunctionCall, Identifier, Named, NumberLiteral
from otherminds.games.expressions.values import MINE, THEIR, BehaviourNames, Memory, Side, ValueKind

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

    def empty(self) -> Memory:
        """The memory before the first encounter."""
        return Memory(0, ((), ()), tuple((0,) * len(side) for side in self.counts), (0, 0))

    def after(self, memory: Memory, theirs: int, own: int) -> Memory:
        """The memory after an encounter with these behaviours."""
        their, mine = memory.recent
        return Memory(
            self._round(memory.round + 1),
            (_kept(their, theirs, self.depths[THEIR]), _kept(mine, own, self.depths[MINE])),
            tuple(map(_counted, memory.counts, self.counts, (theirs, own))),
            (
                _run(memory.runs[THEIR], self.runs[THEIR], their[-1:] == (theirs,)),
                _run(memory.runs[MINE], self.runs[MINE], mine[-1:] == (own,)),
            ),
        )

    def _round(self, number: int) -> int:
        if number <= self.rounds:
            return number
        start = int(self.rounds)
        return start + (number - start) % self.period


def needs(part: Typed, words: BehaviourNames) -> ProgramNeeds:
    """The part of the history that ``part`` uses."""
    match part.expression:
        case FunctionCall(name) if name in COMPARISONS:
            compared = _compared(part, words)
            if compared is not None:
                return compared
        case FunctionCall("%") if (period := _period(part)) is not None:
            return ProgramNeeds(period=period)
        case FunctionCall("first"):
            n = part.inside[0].expression
            if isinstance(n, NumberLiteral):
                return ProgramNeeds(rounds=ceil(n.value)) | _all(part.inside[1:], words)
        case _:
            pass
    return _own(part, words) | _all(part.inside, words)


def _all(parts: tuple[Typed, ...], words: BehaviourNames) -> ProgramNeeds:
    found = ProgramNeeds()
    for part in parts:
        found |= needs(part, words)
    return found


def _compared(part: Typed, words: BehaviourNames) -> ProgramNeeds | None:
    """The needs of a comparison of a count with a literal; ``None`` if it is none."""
    for of, number in (part.inside, part.inside[::-1]):
        if not isinstance(number.expression, NumberLiteral):
            continue
        most = floor(number.expression.value)
        if isinstance(of.expression, Identifier) and of.expression.name == "round":
            return ProgramNeeds(rounds=most)  # one more than the encounters that have been
        if isinstance(of.expression, FunctionCall) and of.expression.name in {"count", "streak"}:
            return _own(of, words, most + 1) | _all(of.inside, words)
    return None


def _own(part: Typed, words: BehaviourNames, cap: float = inf) -> ProgramNeeds:
    """The needs of ``part`` without its own parts; counts have the bound ``cap``."""
    match part.expression:
        case Identifier("round") if part.kind is ValueKind.NUMBER:
            return ProgramNeeds(rounds=inf)
        case FunctionCall("first"):
            return ProgramNeeds(rounds=inf)
        case FunctionCall("cycle", outcomes):
            return ProgramNeeds(period=len(outcomes))
        case FunctionCall("their" | "mine" as name):
            return _deep(THEIR if name == "their" else MINE, _spans(part)[0])
        case FunctionCall("their_payoff" | "my_payoff"):
            back = _spans(part)[0]
            return ProgramNeeds(depths=(back, back))
        case FunctionCall("count" | "most" | "frequencies") if back := _spans(part):
            return _several(part, lambda side: _deep(side, back[0]))
        case FunctionCall("count" | "most" | "frequencies"):
            return _several(part, lambda side: _counts(part, side, words, cap))
        case FunctionCall("streak"):
            return _several(part, lambda side: _deep(side, 1) | _runs(side, cap))
        case _:
            return ProgramNeeds()


def _several(part: Typed, of: Callable[[Side], ProgramNeeds]) -> ProgramNeeds:
    """The needs for the side that ``part`` names; for both where that is computed."""
    side = part.inside[0].expression
    named = side.name if isinstance(side, Identifier) else ""
    if named in SIDES:
        return of(SIDES.index(named))
    return of(THEIR) | of(MINE)


def _deep(side: Side, back: int) -> ProgramNeeds:
    return ProgramNeeds(depths=(back, 0) if side == THEIR else (0, back))


def _runs(side: Side, cap: float) -> ProgramNeeds:
    return ProgramNeeds(runs=(cap, 0) if side == THEIR else (0, cap))


def _counts(part: Typed, side: Side, words: BehaviourNames, cap: float) -> ProgramNeeds:
    """The count of a literal behaviour, else of every behaviour."""
    of = part.inside[1].expression if len(part.inside) > 1 else None
    only = of.behaviour if isinstance(of, Named) else None
    caps = tuple(cap if only in {None, name} else 0 for name in words.names)
    none = (0,) * len(words.names)
    return ProgramNeeds(counts=(caps, none) if side == THEIR else (none, caps))


def _spans(part: Typed) -> list[int]:
    """The spans among the arguments of ``part``."""
    return [
        int(of.expression.value)
        for of in part.inside
        if of.kind is ValueKind.SPAN and isinstance(of.expression, NumberLiteral)
    ]


def _period(part: Typed) -> int | None:
    """The period in rounds of the remainder ``part``; ``None`` if unknown."""
    unit, rest = _unit(part.inside[0]), _whole(part.inside[1])
    return unit * rest if unit and rest and unit * rest <= LONGEST else None


def _unit(part: Typed) -> int | None:
    """The rounds in which ``part`` grows by 1: ``round``, and ``+ - //`` with literals; else ``None``."""
    match part.expression:
        case Identifier("round"):
            return 1
        case FunctionCall("+" | "-") if _whole(part.inside[1]) is not None:
            return _unit(part.inside[0])
        case FunctionCall("//") if by := _whole(part.inside[1]):
            unit = _unit(part.inside[0])
            return unit * by if unit else None
        case _:
            return None


def _whole(part: Typed) -> int | None:
    """The whole number of a literal; ``None`` if it is none."""
    value = part.expression.value if isinstance(part.expression, NumberLiteral) else 0.5
    return int(value) if value == floor(value) else None


def _kept(recent: tuple[int, ...], shown: int, depth: int) -> tuple[int, ...]:
    return (*recent, shown)[-depth:] if depth else ()


def _counted(counts: tuple[int, ...], caps: tuple[float, ...], shown: int) -> tuple[int, ...]:
    if counts[shown] >= caps[shown]:
        return counts
    return (*counts[:shown], counts[shown] + 1, *counts[shown + 1 :])


def _run(length: int, cap: float, again: bool) -> int:
    return int(min(length + 1 if again else 1, cap))
