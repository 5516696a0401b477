"""Whether what is chance in recorded episodes has the distribution that the rules say.

Following a trace takes every outcome of chance as it comes; this looks at how often
each came. Worked out from the recordings alone, not from our rules' code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from tools.melting_pot.in_the_matrix.trace import Trace

from otherminds.gridworlds.grid.rules import DX, DY, HEADING
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, Rules


@dataclass(frozen=True)
class Chance:
    """One check: what was drawn, how often, what came of it, and how many standard errors off that is."""

    what: str
    draws: int
    seen: str
    expected: str
    z: float


def checks(traces: Sequence[Trace]) -> list[Chance]:
    """All checks for the episodes of one substrate."""
    rules = SUBSTRATES[traces[0].substrate]
    official = [trace for trace in traces if trace.drawing == "\n".join(rules.drawn)]
    growths = [_regrowth(trace, rules) for trace in traces]
    found = [
        _share("regrowth a step", [growth["free"] for growth in growths], rules.regrowth),
        _never("regrowth in the last step of the delay", [growth["early"] for growth in growths]),
        _never("regrowth where somebody stood", [growth["stood"] for growth in growths]),
        *(() if rules.one_shot else _ends(traces, rules)),
        _share("lower index wins a cell", [_contests(trace) for trace in traces], 0.5),
    ]
    classes = sum((_classes(trace, rules) for trace in traces), Counter[int]())
    found.append(_even("classes left to chance", classes, len(rules.classes)))
    facing = sum((_appeared(trace, 2) for trace in traces), Counter[tuple[int, ...]]())
    found.append(_even("orientation on appearing", facing, 4))
    places = sum((_appeared(trace, 0) for trace in official), Counter[tuple[int, ...]]())
    found.append(_even("spawn point", places, len(rules.spawns)))
    return found


def _ends(traces: Sequence[Trace], rules: Rules) -> list[Chance]:
    return [
        _share("end at a check", [_endings(trace, rules) for trace in traces], rules.ending),
        _never("end at a check before the minimum", [_short(trace, rules) for trace in traces]),
    ]


def _share(what: str, parts: Sequence[tuple[int, int]], expected: float) -> Chance:
    hits, draws = (sum(column) for column in zip(*parts, strict=True))
    if not draws or not expected:
        return _never(what, parts)
    z = (hits - draws * expected) / sqrt(draws * expected * (1 - expected))
    return Chance(what, draws, f"{hits / draws:.4f}", f"{expected:.4f}", z)


def _never(what: str, parts: Sequence[tuple[int, int]]) -> Chance:
    hits, draws = (sum(column) for column in zip(*parts, strict=True))
    return Chance(what, draws, str(hits), "never", 0.0 if hits == 0 else inf)


def _even(what: str, counts: Counter[int] | Counter[tuple[int, ...]], kinds: int) -> Chance:
    values = [*counts.values(), *[0] * (kinds - len(counts))]
    total, freedom = sum(values), kinds - 1
    squares = sum((value - total / kinds) ** 2 for value in values) * kinds / total
    # Wilson and Hilferty 1931: the cube root of chi-square is nearly normal.
    z = ((squares / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) / sqrt(2 / (9 * freedom))
    return Chance(what, total, f"{min(values)} to {max(values)}", f"{total / kinds:.1f} each", z)


def _regrowth(trace: Trace, rules: Rules) -> dict[str, tuple[int, int]]:
    """Resources that came back, and chances for it, while somebody was alive.

    ``free``: beyond the delay and nobody standing there before the step; ``early``:
    one step sooner; ``stood``: beyond the delay, under an avatar.
    """
    places = {cell: n for n, cell in enumerate(_places(trace, rules))}
    gone = np.full(len(places), 10**6)
    hits, draws = Counter[str](), Counter[str]()
    for t in range(1, trace.steps + 1):
        before, after = trace.shown[t - 1].astype(bool), trace.shown[t].astype(bool)
        pairs = zip(trace.poses[t - 1].tolist(), trace.alive[t - 1], strict=True)
        stood = np.zeros(len(places), bool)
        stood[[places[x, y] for (x, y, _), on in pairs if on and (x, y) in places]] = True
        came = after & ~before
        under = np.zeros(len(places), bool)
        for i in np.flatnonzero(trace.collected[t].sum(axis=1)):
            n = places[trace.poses[t, i, 0], trace.poses[t, i, 1]]
            under[n] = not before[n]
        late = ~before & (t > gone + rules.delay)
        cases = {
            "free": late & ~stood,
            "early": ~before & (t == gone + rules.delay) & ~stood,
            "stood": late & stood,
        }
        if trace.alive[t - 1].any() or not rules.refill:
            for case, which in cases.items():
                draws[case] += int(which.sum())
                hits[case] += int(((came | under) & which).sum())
        gone[(before & ~after) | under] = t
    return {case: (hits[case], draws[case]) for case in ("free", "early", "stood")}


def _places(trace: Trace, rules: Rules) -> list[tuple[int, int]]:
    lines = trace.drawing.split("\n")
    return [
        (x, y) for y, line in enumerate(lines) for x, char in enumerate(line) if char in rules.kinds + "a"
    ]


def _endings(trace: Trace, rules: Rules) -> tuple[int, int]:
    """Episodes ended at a check, and checks met, from the minimum on."""
    met = [t for t in range(rules.minimum, trace.steps + 1) if (t + 1) % rules.interval == 0]
    return int(trace.over and trace.steps < trace.maximum), len(met)


def _short(trace: Trace, rules: Rules) -> tuple[int, int]:
    """Episodes ended by chance before the minimum, and steps before it that a check could be at."""
    met = [t for t in range(1, min(trace.steps + 1, rules.minimum)) if (t + 1) % rules.interval == 0]
    return int(trace.over and trace.steps < min(rules.minimum, trace.maximum)), len(met)


def _contests(trace: Trace) -> tuple[int, int]:
    """Of two avatars that went for one free cell and of which one got it: the lower index did."""
    hits = draws = 0
    for t in range(1, trace.steps + 1):
        wanting: dict[tuple[int, int], list[int]] = {}
        stood = {tuple(pose[:2]) for pose in trace.poses[t - 1].tolist()}
        for i, action in enumerate(trace.actions[t - 1].tolist()):
            x, y, facing = trace.poses[t - 1, i].tolist()
            if HEADING[action] >= 0 and trace.alive[t - 1, i]:
                way = (facing + HEADING[action]) % 4
                wanting.setdefault((x + DX[way], y + DY[way]), []).append(i)
        for cell, who in wanting.items():
            if len(who) != 2 or cell in stood:
                continue
            now = [tuple(trace.poses[t, i, :2].tolist()) == cell for i in who]
            # A frozen avatar does not take part; whether it is frozen shows in its mark.
            if any(now) and (trace.marks[t - 1, who] < 2).all() and (trace.met[t - 1, who] <= 0).all():
                draws += 1
                hits += now[0]
    return hits, draws


def _classes(trace: Trace, rules: Rules) -> Counter[int]:
    drawn = [trace.drawing.split("\n")[y][x] for x, y in _places(trace, rules)]
    return Counter(kind for kind, char in zip(trace.kinds.tolist(), drawn, strict=True) if char == "a")


def _appeared(trace: Trace, first: int) -> Counter[tuple[int, ...]]:
    """Where (``first`` 0) or how turned (2) avatars appeared, at the reset and on respawning."""
    before = np.concatenate([np.zeros_like(trace.alive[:1]), trace.alive[:-1]])
    rows, who = np.nonzero((trace.alive == 1) & (before == 0))
    span = slice(0, 2) if first == 0 else slice(2, 3)
    return Counter(tuple(pose[span]) for pose in trace.poses[rows, who].tolist())
