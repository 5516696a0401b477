"""Do studies that stop as soon as their verdict is known decide as those of full size, and how many episodes do they save?

``--studies N`` of each mind of known nature (``tests/measures/known_minds.py``) in each scenario. Each study is played whole. It is looked at
after every round of all partners, at the levels of :mod:`otherminds.measures.looks`, and stops at the first look that decides; the verdict and the bounds there are
compared with those of the whole study at 5 %, and with the truth: a mind that knows nothing has L 0, and one that acts on its word with probability q
leaves 1 − q unused. Printed: the episodes that are played, the verdicts, wrong claims, and how often a bound holds.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from common import arguments, finish, show

from otherminds.core.scenario import scenario
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.intervals import Estimate
from otherminds.measures.looks import Look, plan_looks
from otherminds.measures.registry import Unknown
from otherminds.measures.scenario_evidence import ScenarioEvidence, gather_evidence
from otherminds.measures.verdict import KNOWLEDGE, Kind, judge, list_decided

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the minds of known nature, which the tests have too

from tests.measures import known_minds
from tests.measures.known_minds import Nature, play_study

ROUNDS = 20
WORLDS = {"rps-single-v1": 8, "rps-mixed-v1": 6, "ibs-mixed-v1": 8}
"""Episodes a partner."""


class Truth(NamedTuple):
    """What is true of a mind: the verdicts that are right, its L and its unused share, where they are known exactly."""

    right: frozenset[Kind]
    literal: float | None = None
    unused: float | None = None


NOTHING = frozenset[Kind]({"no evidence", "not measured", "plays better than it says"})
IN_PART: frozenset[Kind] = frozenset({"uses in part", "undecided"})
MINDS: dict[str, tuple[Nature, Truth]] = {
    **{name: (nature, Truth(NOTHING)) for name, nature in (known_minds.IGNORANT | known_minds.PLAYS).items()},
    "uniform": (known_minds.IGNORANT["uniform"], Truth(NOTHING, literal=0.0)),
    **{
        name: (nature, Truth(frozenset({"uses", "undecided"}), unused=0.0))
        for name, nature in known_minds.USERS.items()
    },
    **{
        f"{share:.0%} used": (
            known_minds.replies(known_minds.often, share),
            Truth(IN_PART | ({"does not use"} if share <= 0.5 else set()), unused=1 - share),
        )
        for share in (0.8, 0.7, 0.5)
    },
    "plays at random": (
        known_minds.replies(known_minds.often, 0.0),
        Truth(frozenset({"does not use", "uses in part"}), unused=1.0),
    ),
    "truth, stuck": (known_minds.IDLE["truth, stuck"], Truth(frozenset({"does not use", "uses in part"}))),
}


class Tally(NamedTuple):
    """Of the studies of one mind: ``used`` share of episodes, verdicts with and without early stopping, and counts."""

    used: list[float]
    stopped: Counter[Kind]
    whole: Counter[Kind]
    same: list[bool]
    wrong: list[bool]
    holds: dict[str, list[bool]]


def main() -> None:
    """Prints a row for each mind and scenario, and the sums."""
    parser = arguments(__doc__)
    parser.add_argument("--studies", type=int, default=18, help="studies of each mind and world (default 18)")
    parser.add_argument("--world", action="append", choices=[*WORLDS], help="(default: all)")
    options = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    tallies: list[Tally] = []
    for world in options.world or WORLDS:
        looks = plan_looks([(n + 1) / WORLDS[world] for n in range(WORLDS[world])])
        for name, (nature, truth) in MINDS.items():
            first = options.seed * options.studies
            tally = Tally([], Counter(), Counter(), [], [], {"L": [], "unused": []})
            for number in range(first, first + options.studies):
                try_study(world, nature, truth, number, looks, tally)
            tallies.append(tally)
            rows.append(
                (world, name, mean(tally.used), mean(tally.same), mean(tally.wrong), kinds(tally.stopped))
            )
            print(*rows[-1], file=sys.stderr, flush=True)
    show(
        f"{options.studies} studies each",
        ("scenario", "mind", "episodes played", "as the whole study", "wrong claims", "verdicts"),
        rows,
    )
    figures = {
        "studies": sum(len(tally.used) for tally in tallies),
        "share of episodes played": average([x for tally in tallies for x in tally.used]),
        "verdict of the whole study": average([x for tally in tallies for x in tally.same]),
        "wrong claims": average([x for tally in tallies for x in tally.wrong]),
        **{
            f"bounds of {name} hold": average([x for tally in tallies for x in tally.holds[name]])
            for name in ("L", "unused")
        },
    }
    show("all studies", ("", ""), [(name, f"{value:.3f}") for name, value in figures.items()])
    finish(options, figures)
    sys.exit(figures["wrong claims"] > 0.05)


def try_study(
    world: str, nature: Nature, truth: Truth, number: int, looks: Sequence[Look], tally: Tally
) -> None:
    """Plays one study whole, and finds where it would have stopped."""
    built, count = scenario(world, {"rounds": ROUNDS, "names": "varied"}), len(looks)
    played = [episode_evidence(record) for record in play_study(built, nature, number, count, count, ROUNDS)]
    whole = judge({"m": [gather(world, played, count, count)]})["m"]
    for n, look in enumerate(looks, 1):
        evidence = {"m": [gather(world, played, n, count)]}
        if list_decided(evidence, look) or n == count:
            verdict = judge(evidence, {"m": look.tail})["m"]
            tally.used.append(n / count)
            break
    else:
        raise AssertionError("the last look ends a study")
    tally.stopped[verdict.kind] += 1
    tally.whole[whole.kind] += 1
    tally.same.append(verdict.kind == whole.kind)
    claims = verdict.kind in KNOWLEDGE or verdict.kind == "plays better than it says"
    tally.wrong.append(claims and verdict.kind not in truth.right)
    for name, value, estimate in (
        ("L", truth.literal, verdict.literal),
        ("unused", truth.unused, verdict.unused),
    ):
        if value is not None:
            tally.holds[name].extend(check_bounds(value, estimate))


def gather(
    world: str, played: Sequence[EpisodeEvidence | Unknown], first: int, count: int
) -> ScenarioEvidence:
    """The evidence of the ``first`` of ``count`` episodes with each partner."""
    part = [episode for n, episode in enumerate(played) if n % count < first]
    return gather_evidence(world, False, len(part), part)


def check_bounds(value: float, estimate: Estimate) -> list[bool]:
    """Whether ``value`` is within each of the two one-sided bounds."""
    if estimate.low is None or estimate.high is None:
        return []
    return [estimate.low <= value + 1e-9, value <= estimate.high + 1e-9]


def average(values: Sequence[float]) -> float:
    """The mean of the values; that of no value is 0."""
    return sum(values) / len(values) if values else 0.0


def mean(values: Sequence[float]) -> str:
    """The mean in per cent."""
    return f"{100 * average(values):.0f} %"


def kinds(counts: Counter[Kind]) -> str:
    """Verdicts with their shares, the most frequent first."""
    total = sum(counts.values())
    return ", ".join(f"{kind} {100 * n / total:.0f} %" for kind, n in counts.most_common())


if __name__ == "__main__":
    main()
