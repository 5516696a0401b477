"""Do interventions recover what is known of simulated minds?

``heeds`` = q is the probability that a mind best-responds to what it is shown; else it does what it does without. Each study
has 36 episodes an arm. Printed are the mean of the estimated use over studies, its standard deviation, and the share of
studies whose 95 % interval holds q. The draws of a mind are the same in all arms (``same``), or those of the arm without an intervention are
others (``other``), as those of a language model are whose prompt differs. Then: in how many studies of minds that ignore what they are shown
0 is in the interval of the share of the loss that is removed, and how many episodes a reminder changes of tabular minds, which use all that they know.
"""

from __future__ import annotations

import sys
from functools import partial
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from cells import workers
from common import arguments, finish, show
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.core.encoding import encode
from otherminds.core.scenario import Setup, scenario
from otherminds.measures.interventions import ArmRow, EpisodeConduct, arm_rows, episode_conduct
from otherminds.minds.registry import make_mind
from otherminds.play.interventions import NONE, OWN, PREDICTION, REMIND
from otherminds.play.loop import play_now

EPISODES = 36
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
ARMS = (PREDICTION, REMIND, OWN)
"""To a simulated mind the other arms show the same as one of these."""
LUCK = ("same", "other")
LATER = 1_728_000
"""Seeds that differ by this have the same partner, labels and order of options in every scenario here."""
MINDS = {
    "knows half, uses half": {"accuracy": 0.5, "rationality": 0.5},
    "knows, plays at random": {"accuracy": 1.0, "rationality": 1 / 3},
}
WORLDS: dict[str, tuple[str, dict[str, Any], int]] = {
    "rps": ("rps-mixed-v1", {"rounds": 20}, 1),
    "ibs": ("ibs-mixed-v1", {"rounds": 20, "names": "varied"}, 1),
    "duels": ("rws-repeated-0-v1", {"steps": 600}, 5),
}
"""The scenario, its options, and what its number of studies is divided by."""
TABULAR = ("bayes", "fictitious_play", "level_k", "nash", "rmax", "factored_rmax")


class Study(NamedTuple):
    """One study: the key of its world and of its mind, its share q, and its first seed."""

    world: str
    mind: str
    heeds: float
    first: int


def run_study(study: Study) -> dict[str, list[ArmRow]]:
    """The rows of all arms, with the same draws in the arm none and with others."""
    name, options, _ = WORLDS[study.world]
    built = scenario(name, options)
    spec = SeatSpec("simulated", {**MINDS[study.mind], "heeds": study.heeds})

    def play(arm: str, later: int = 0) -> list[EpisodeConduct]:
        seeds = range(study.first, study.first + EPISODES)
        setups = (Setup(built, {"ego": make_mind(spec)}, seed + later, intervention=arm) for seed in seeds)
        conducts = (episode_conduct(play_now(setup)[0]) for setup in setups)
        return [replace(conduct, seed=conduct.seed - later) for conduct in conducts if conduct is not None]

    shown = [conduct for arm in ARMS for conduct in play(arm)]
    return {luck: arm_rows({}, [*shown, *play(NONE, LATER * k)]) for k, luck in enumerate(LUCK)}


def count_changed(world: str, first: int, mind: str) -> int:
    """The episodes in which a reminder changes an action, a reward, an answer or an encounter."""
    name, options, _ = WORLDS[world]
    built, changed = scenario(name, options), 0
    for seed in range(first, first + EPISODES):
        plain, reminded = (
            play_now(Setup(built, {"ego": make_mind(SeatSpec(mind))}, seed, intervention=arm))[0]
            for arm in (NONE, REMIND)
        )
        parts = ("actions", "rewards", "met", "asked", "outcome")
        changed += any(encode(getattr(plain, part)) != encode(getattr(reminded, part)) for part in parts)
    return changed


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--studies", type=int, default=20, help="studies of 36 episodes a cell (default 20)")
    parser.add_argument("--worlds", nargs="+", default=[*WORLDS], choices=[*WORLDS])
    parser.add_argument("--shares", nargs="+", type=float, default=SHARES, help="the values of q")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    worst, ignoring, within = 0.0, 0, 0
    with workers() as pool:
        for world in options.worlds:
            name, _, fewer = WORLDS[world]
            firsts = [options.seed + EPISODES * k for k in range(max(2, options.studies // fewer))]
            for mind in MINDS if world != "duels" else list(MINDS)[:1]:
                rows: list[list[str]] = []
                for heeds in options.shares:
                    studies = list(
                        pool.map(run_study, [Study(world, mind, heeds, first) for first in firsts])
                    )
                    for i, arm in enumerate(ARMS):
                        cells = [f"{heeds:g}", arm]
                        for luck in LUCK:
                            uses = [study[luck][i].use for study in studies]
                            means = [use.mean for use in uses if use.mean is not None]
                            held = fmean((use.low or 0) <= heeds <= (use.high or 0) for use in uses)
                            worst = max(worst, abs(fmean(means) - heeds))
                            cells.append(f"{fmean(means):.3f} ± {pstdev(means):.3f} ({held:.0%})")
                            figures[f"{world}, {mind}, q={heeds:g}, {arm}, {luck}"] = {
                                "mean": fmean(means),
                                "deviation": pstdev(means),
                                "held": held,
                            }
                            if heeds == 0:
                                removed = [study[luck][i].removed for study in studies]
                                ignoring += len(removed)
                                within += sum((r.low or 0) <= 0 <= (r.high or 0) for r in removed)
                        rows.append(cells)
                title = (
                    f"{name}: a mind that {mind}; use, {len(firsts)} studies of {EPISODES} episodes an arm"
                )
                show(title, ("q", "arm", *(f"{luck} draws" for luck in LUCK)), rows)
        print(f"largest distance of a mean from q: {worst:.3f}")
        print(
            f"minds that ignore what they are shown: 0 within the interval of the share removed in {within} of {ignoring} studies"
        )
        for world in options.worlds:
            able = [mind for mind in TABULAR if world != "duels" or mind != "bayes"]
            changed = list(pool.map(partial(count_changed, world, options.seed), able))
            pairs = ", ".join(f"{mind} {n} of {EPISODES}" for mind, n in zip(able, changed, strict=True))
            print(f"{world}: episodes that a reminder changes: {pairs}")
            figures[f"{world}, reminded"] = dict(zip(able, changed, strict=True))
            worst = max(worst, float(any(changed)))
    finish(options, {"cells": figures, "worst": worst, "ignoring": ignoring, "within": within})
    sys.exit(worst > 0.05)


if __name__ == "__main__":
    main()
