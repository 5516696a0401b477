"""The same minds in the native worlds and on the real Melting Pot: do they fare alike?

Both worlds are played with the same partners, minds and bots, for the same number
of steps; the dice are different ones. For each mind: the return and the encounters
(duels, deliveries) an episode, and the mean difference with its 95 % interval, over
pairs of episodes with the same partners (bootstrap over pairs).

Needs the extra ``meltingpot``: docs/melting_pot.md.
"""

from __future__ import annotations

import importlib
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from common import arguments, finish, show

from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now

MINDS = {
    "rws-repeated-mixed-v1": ("random", "informed", "blind", "flip_r2s_0"),
    "pd-repeated-mixed-v1": ("random", "informed", "blind", "puppet_tft_margin_0"),
    "rws-arena-mixed-v1": ("random", "informed", "rock_margin_0"),
    "cooking-asymmetric-mixed-v1": ("random", "informed", "chef_0"),
}
RESAMPLES = 10_000


def fare(name: str, mind: str, steps: int, seed: int) -> tuple[float, float]:
    """Return and encounters of ``mind`` in one episode of scenario ``name``."""
    built = scenario(name, {"steps": steps})
    made = built.minds[mind]() if mind in built.minds else make_mind(SeatSpec(mind))
    record, _ = play_now(Setup(built, {"ego": made}, seed, ask=False))
    if record.outcome.status != "scored":
        raise SystemExit(f"{name}, {mind}, seed {seed}: {record.outcome.reason}")
    return record.total("ego"), float(len(record.met["ego"]))


def both(name: str, mind: str, steps: int, seed: int) -> list[tuple[float, float]]:
    """One episode natively and one on the real engine, with the same partners."""
    importlib.import_module("otherminds.gridworlds.melting_pot_scenarios")
    return [fare(which, mind, steps, seed) for which in (name, f"real-{name}")]


def compare(pairs: np.ndarray, rng: np.random.Generator) -> dict[str, float]:
    """Both means and their standard errors; real − native with its 95 % interval."""
    differences = pairs[:, 1] - pairs[:, 0]
    drawn = differences[rng.integers(len(pairs), size=(RESAMPLES, len(pairs)))].mean(axis=1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    errors = pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs))
    return {
        "native": float(pairs[:, 0].mean()),
        "native_error": float(errors[0]),
        "real": float(pairs[:, 1].mean()),
        "real_error": float(errors[1]),
        "difference": float(differences.mean()),
        "low": float(low),
        "high": float(high),
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=30, help="pairs of episodes a mind (default 30)")
    parser.add_argument("--steps", type=int, default=1000, help="steps of an episode (default 1000)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--scenarios", nargs="*", default=list(MINDS), choices=list(MINDS))
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.episodes)
    rng = np.random.default_rng(options.seed)
    rows: list[list[Any]] = []
    figures: dict[str, Any] = {}
    outside = 0
    with ProcessPoolExecutor(options.workers) as pool:
        for name in options.scenarios:
            for mind in MINDS[name]:
                fared = np.array(list(pool.map(partial(both, name, mind, options.steps), seeds)))
                for k, what in enumerate(("return", "encounters")):
                    found = compare(fared[:, :, k], rng)
                    inside = found["low"] <= 0 <= found["high"]
                    outside += not inside
                    figures[f"{name} {mind} {what}"] = found
                    rows.append(
                        [
                            name.removesuffix("-mixed-v1"),
                            mind,
                            what,
                            f"{found['native']:.1f} ± {found['native_error']:.1f}",
                            f"{found['real']:.1f} ± {found['real_error']:.1f}",
                            f"{found['difference']:+.1f} ({found['low']:+.1f} to {found['high']:+.1f})",
                            "yes" if inside else "no",
                        ]
                    )
    show(
        f"{options.episodes} pairs of episodes of {options.steps} steps each, means ± standard errors",
        ("substrate", "mind", "an episode", "native", "real", "real − native, 95 %", "0 inside"),
        rows,
    )
    print(f"0 is outside {outside} of {len(rows)} intervals; by chance alone 1 in 20 would be")
    finish(options, figures, ("dmlab2d", "dm-meltingpot"))


if __name__ == "__main__":
    main()
