"""Minds against Axelrod-Python's length-blind strategies in the iterated Prisoner's Dilemma.

Nobody here wrote these partners, and no mind was made for them. Every mind meets every
strategy under the same seeds. For each mind: its mean score a round, how far ``bayesian``
is above it, with 95 % intervals (bootstrap over strategies), and against how many
strategies it is ahead and behind. Then the strategies against which ``bayesian`` falls
furthest behind tit-for-tat.

Needs the extra ``axelrod``: docs/axelrod.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from common import arguments, finish, show
from numpy.typing import NDArray

from otherminds.core.contracts import Mind
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton, ipd
from otherminds.measures.intervals import Estimate, Strata
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now

PARTNERS = ("tit_for_tat", "win_stay_lose_shift", "grim")
"""Partner families that sit in the seat under test."""
MINDS: dict[str, SeatSpec] = {
    "bayesian": SeatSpec("bayesian"),
    "bayes, mixed prior": SeatSpec("bayes", {"prior": "mixed"}),
    "factored_rmax": SeatSpec("factored_rmax"),
    "rmax": SeatSpec("rmax"),
    "fictitious_play": SeatSpec("fictitious_play"),
    "always cooperate": SeatSpec("constant", {"behaviour": "cooperate"}),
    "always defect": SeatSpec("constant", {"behaviour": "defect"}),
    "uniform": SeatSpec("uniform"),
}
TO_BEAT = ("rmax", "tit_for_tat", "win_stay_lose_shift")
WORST = 5
SAME = 1e-9


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="rounds of an episode (default 100)")
    parser.add_argument("--seeds", type=int, default=2, help="episodes a strategy (default 2)")
    parser.add_argument("--minds", nargs="*", default=[*MINDS, *PARTNERS], choices=[*MINDS, *PARTNERS])
    options = parser.parse_args()
    built = scenario("axelrod-ipd-v1", {"rounds": options.rounds})
    met = [members[0] for _, members in built.population.members]
    seeds = range(options.seed, options.seed + options.seeds)
    scores: dict[str, NDArray[np.float64]] = {}
    seconds: dict[str, float] = {}
    for name in options.minds:
        started = perf_counter()
        make = maker(name, options.rounds)
        scores[name] = np.array([[score(built, make(), other, seed) for seed in seeds] for other in met])
        seconds[name] = perf_counter() - started
    names = [other.mind for other in met]
    means = estimates(scores, names)
    order = sorted(scores, key=lambda name: -scores[name].mean())
    rows = [
        (
            name,
            written(means[name]),
            written(means.get(f"above {name}")),
            ahead_and_behind(scores, name),
            f"{seconds[name]:.0f}",
        )
        for name in order
    ]
    show(
        f"{len(met)} strategies, {options.seeds} episodes each, {options.rounds} rounds",
        ("mind", "score a round (95 %)", "bayesian is above it by (95 %)", "ahead : behind", "seconds"),
        rows,
    )
    behind = worst(scores, names)
    if behind:
        show(
            "where bayesian falls furthest behind tit_for_tat, score a round",
            ("strategy", "bayesian", "tit_for_tat", "difference"),
            [(who, f"{ours:.2f}", f"{theirs:.2f}", f"{ours - theirs:+.2f}") for who, ours, theirs in behind],
        )
    figures = {
        name: {"mean": found.mean, "low": found.low, "high": found.high} for name, found in means.items()
    }
    beaten = [other for other in TO_BEAT if "bayesian" in scores and other in scores]
    lost = [other for other in beaten if scores["bayesian"].mean() <= scores[other].mean()]
    print(f"bayesian is above {len(beaten) - len(lost)} of {len(beaten)} ({', '.join(TO_BEAT)})")
    finish(options, {"scores": figures, "seconds": seconds, "behind": behind}, ("Axelrod",))
    sys.exit(bool(lost))


def maker(name: str, rounds: int) -> Callable[[], Mind]:
    """Makes the mind ``name``; a partner family plays the row seat as it does the column seat."""
    if name in MINDS:
        return lambda: make_mind(MINDS[name])
    played = automaton(name, ipd().flipped(), rounds, {})
    return lambda: AutomatonPlayer(played)


def score(built: Scenario, mind: Mind, other: SeatSpec, seed: int) -> float:
    """What ``mind`` gets a round in one episode with ``other``."""
    record, _ = play_now(Setup(built, {"ego": mind}, seed, {"partner_0": other}, ask=False))
    if record.outcome.status != "scored":
        raise SystemExit(f"{other.title}, seed {seed}: {record.outcome.reason}")
    return record.total("ego") / len(record.rewards)


def estimates(scores: dict[str, NDArray[np.float64]], names: Sequence[str]) -> dict[str, Estimate]:
    """Each mind's mean score, and as ``above NAME`` how far bayesian is above it."""
    columns = {name: table.mean(axis=1) for name, table in scores.items()}
    columns |= {
        f"above {name}": columns["bayesian"] - column
        for name, column in columns.items()
        if "bayesian" in scores and name != "bayesian"
    }
    strategies = Strata([""] * len(names))
    return {name: strategies.estimate(column) for name, column in columns.items()}


def ahead_and_behind(scores: dict[str, NDArray[np.float64]], name: str) -> str:
    """How many strategies bayesian gets more from than ``name`` does, and how many it gets less from."""
    if name == "bayesian" or "bayesian" not in scores:
        return ""
    above = scores["bayesian"].mean(axis=1) - scores[name].mean(axis=1)
    return f"{(above > SAME).sum()} : {(above < -SAME).sum()}"


def worst(scores: dict[str, NDArray[np.float64]], names: Sequence[str]) -> list[tuple[str, float, float]]:
    """The strategies, with bayesian's and tit-for-tat's scores, where bayesian is furthest behind."""
    if not {"bayesian", "tit_for_tat"} <= scores.keys():
        return []
    ours, theirs = (scores[name].mean(axis=1) for name in ("bayesian", "tit_for_tat"))
    return [(names[i], float(ours[i]), float(theirs[i])) for i in np.argsort(ours - theirs)[:WORST]]


def written(found: Any) -> str:
    """An estimate with its interval; empty where there is none."""
    return f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f})" if found else ""


if __name__ == "__main__":
    main()
