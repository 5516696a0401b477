"""Which part of the history a program uses. Only that is kept, so that equal situations are one state.

Planning enumerates the states of a predictor, so they should be few. Counts that are only compared with a
number stop at that number; rounds of which only a remainder matters are counted modulo a period.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, lcm

from otherminds.games.expressions.checking import SIDES
from otherminds.games.expressions.tree import Expression
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
            (_append_recent(their, theirs, self.depths[THEIR]), _append_recent(mine, own, self.depths[MINE])),
            tuple(map(_add_count, memory.counts, self.counts, (theirs, own))),
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


def _run(length: int, cap: float, again: bool) -> int:
    return int(min(length + 1 if again else 1, cap))
