"""Does evolution make tasks that its targets fail? A scripted author, scripted judges and reference teams as targets.

For each rho and each seed, a pool that starts with a shipped split is evolved, and the pass rate of the targets is shown by
generation. With ``--ablations``, each gate is left out in turn (Juneja et al. 2026, appendix M and table 9). Pools are kept in
``--out``, and the command goes on where it was stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from common import arguments, finish
from tables import table

from otherminds.household.authoring.accounts import acceptance, overall, unsound
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.evolution import Evolution, Generation, evolve
from otherminds.household.authoring.results import Gates
from otherminds.household.authoring.secret_linter import secret_findings
from otherminds.household.proofs.episodes import EASY
from otherminds.measures.intervals import Estimate
from otherminds.studies.access import Limits
from otherminds.studies.progress import ShownProgress

FAULTS = "scripted_author:0.5"
"""The author of the ablations: half of its drafts have a fault."""
JUDGES = ("scripted_judge", "scripted_judge:0.05")
LAST = 3
"""Generations at the end of an evolution that are compared with its start."""
ABLATIONS = {
    "full pipeline": Gates(),
    "without calibration": Gates(calibration=False),
    "without examples": Gates(examples=False),
    "without council": Gates(council=False),
    "without secret check": Gates(secrets=False),
    "without secret check and council": Gates(secrets=False, council=False),
    "without verifier": Gates(verifier=False),
    "without verifier and calibration": Gates(verifier=False, calibration=False),
    "without verifier, calibration and council": Gates(verifier=False, calibration=False, council=False),
}
PAPER = {
    "full pipeline": "– / 26.7 %",
    "without calibration": "51 % / –",
    "without examples": "50 % / –",
    "without council": "50 to 90 % / –",
    "without secret check": "– / 43.5 %",
}
"""Failure rate and average pass rate in table 9, and the range that appendix M gives for the council."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rho", type=float, nargs="+", default=[0.9, 0.0], help="(default 0.9 and 0)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102], help="(default 101 and 102)")
    parser.add_argument("--n", type=int, default=30, help="tasks of a generation (default 30)")
    parser.add_argument("--generations", type=int, default=10, help="(default 10)")
    parser.add_argument("--targets", nargs="+", default=list(EASY), help="(default: the teams below level 3)")
    parser.add_argument("--start", default="dev", help="the split that pools start with (default dev)")
    parser.add_argument("--ablations", action="store_true", help="leave out each gate in turn instead")
    parser.add_argument("--out", type=Path, default=Path("runs/evolution"), help="(default runs/evolution)")
    options = parser.parse_args()
    figures = ablations(options) if options.ablations else evolutions(options)
    finish(options, figures)


def evolutions(options: Any) -> dict[str, Any]:
    """The pass rates by generation of each pool, and the differences between its end and its start."""
    rows: list[list[str]] = []
    figures: dict[str, Any] = {}
    ends: list[list[str]] = []
    for rho in options.rho:
        for seed in options.seeds:
            pool = made(options, f"rho{rho:g}-seed{seed}", rho, seed, Gates(), "scripted_author")
            rates = by_generation(pool)
            rows.append([f"{rho:g}", str(seed), *map(percent, rates)])
            written = [one.stage for one in pool.attempts()]
            first, last = rates[0], rate_of(pool, range(len(rates) - LAST, len(rates)))
            low, high = between(first, last)
            ends.append(
                [
                    f"{rho:g}",
                    str(seed),
                    f"{written.count('kept')} of {len(written)}",
                    interval(first),
                    interval(last),
                    f"{100 * ((last.mean or 0) - (first.mean or 0)):+.0f} [{100 * low:+.0f}, {100 * high:+.0f}]",
                ]
            )
            figures[f"{rho:g} {seed}"] = [one.mean for one in rates]
    print(
        f"Pass rate of {', '.join(options.targets)} by generation, %; generation 0 is the split {options.start}.\n"
    )
    print(table(["rho", "seed", *map(str, range(options.generations + 1))], rows))
    print(
        table(
            ["rho", "seed", "kept of attempts", "start", f"last {LAST} generations", "difference, points"],
            ends,
        )
    )
    return figures


def ablations(options: Any) -> dict[str, Any]:
    """Table 9: what is kept without each gate."""
    rows: list[list[str]] = []
    figures: dict[str, Any] = {}
    rho, seed = options.rho[0], options.seeds[0]
    for name, gates in ABLATIONS.items():
        pool = made(options, name.replace(" ", "_").replace(",", ""), rho, seed, gates, FAULTS)
        origins = pool.provenance()
        written = [one for one in pool.tasks() if origins[one.entry.task_id].attempt]
        failing = sum(unsound(one.entry, origins[one.entry.task_id]) for one in written)
        told = sum(bool(secret_findings(one.task)) for one in written)
        unsolvable = sum(one.task.calibration is None for one in written)
        passed = overall(pool.results(), [one.entry.task_id for one in written])
        attempts = acceptance(pool.attempts())
        count = len(written)
        rows.append(
            [
                name,
                f"{attempts['kept']} of {attempts['attempts']}",
                f"{sum(line.turns for line in pool.attempts()) / max(count, 1):.1f}",
                f"{100 * unsolvable / count:.0f} %",
                f"{100 * failing / count:.0f} %",
                f"{100 * told / count:.0f} %",
                interval(passed),
                PAPER.get(name, "–"),
            ]
        )
        figures[name] = {
            "kept": count,
            "unsolvable": unsolvable,
            "unsound": failing,
            "secrets": told,
            "passed": passed.mean,
        }
    print(
        table(
            [
                "ablation",
                "kept of attempts",
                "turns a kept task",
                "unsolvable",
                "a verdict not proved",
                "strategy or leak",
                "pass rate of targets, %",
                "paper: failures / pass rate",
            ],
            rows,
        )
    )
    return figures


def made(options: Any, name: str, rho: float, seed: int, gates: Gates, author: str) -> AuthoredPool:
    """The evolved pool in the folder ``name``."""
    evolution = Evolution(
        author=author,
        judges=JUDGES if gates.council else (),
        targets=tuple(options.targets),
        rho=rho,
        n=options.n,
        generations=options.generations,
        seed=seed,
        gates=gates,
    )
    pool = AuthoredPool.create(options.out / name, options.start)

    def watch(one: Generation) -> None:
        if one.kept == one.wanted:
            print(f"{name}: generation {one.number}, {one.seconds:.0f} s, {one.stages}", file=sys.stderr)

    for given_up in evolve(pool, evolution, 1, Limits(), ShownProgress(), watch):
        print(f"{name}: {given_up}", file=sys.stderr)
    return pool


def by_generation(pool: AuthoredPool) -> list[Estimate]:
    """The pass rate of all targets together on the tasks of each generation."""
    last = max(one.generation for one in pool.provenance().values())
    return [rate_of(pool, [generation]) for generation in range(last + 1)]


def rate_of(pool: AuthoredPool, generations: Iterable[int]) -> Estimate:
    """The pass rate of all targets together on the tasks of some generations."""
    wanted = {*generations}
    return overall(
        pool.results(), [name for name, one in pool.provenance().items() if one.generation in wanted]
    )


def between(first: Estimate, last: Estimate) -> tuple[float, float]:
    """The 95 % interval of the difference of two shares (Newcombe 1998, method 10), from their score intervals."""
    ends = (first.mean, first.low, first.high, last.mean, last.low, last.high)
    a, a_low, a_high, b, b_low, b_high = (one or 0.0 for one in ends)
    return (
        b - a - ((b - b_low) ** 2 + (a_high - a) ** 2) ** 0.5,
        b - a + ((b_high - b) ** 2 + (a - a_low) ** 2) ** 0.5,
    )


def percent(one: Estimate) -> str:
    return "–" if one.mean is None else f"{100 * one.mean:.0f}"


def interval(one: Estimate) -> str:
    ends: Sequence[float] = [100 * (end or 0.0) for end in (one.mean, one.low, one.high)]
    return "–" if one.mean is None else f"{ends[0]:.0f} [{ends[1]:.0f}, {ends[2]:.0f}]"


if __name__ == "__main__":
    main()
