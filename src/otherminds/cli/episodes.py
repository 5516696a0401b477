"""The command ``episodes``: which episodes a run has, with the number that ``replay`` takes."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import cast

import typer

from otherminds.core.errors import StudyError
from otherminds.core.record import OUTCOMES
from otherminds.measures.basis import accuracy, share
from otherminds.measures.registry import Unknown
from otherminds.reports.episodes import (
    DIGITS,
    ORDERS,
    EpisodeLine,
    Order,
    Wanted,
    as_json,
    as_text,
    line_of,
    ordered,
    substrate,
)
from otherminds.reports.table import printable
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.run_dir import results

MISSING = "missing"
NOT_SCORED = Unknown("the episode was not scored")


def show_episodes(folder: Path, wanted: Wanted, order: str, limit: int | None, *, json: bool) -> None:
    """Prints the episodes of a run that are ``wanted``, at most ``limit`` of them.

    Raises:
        StudyError: the folder holds no study, or there is no such outcome or order.
    """
    outcomes = (*OUTCOMES, MISSING)
    if wanted.outcome not in ("", *outcomes):
        raise StudyError(f"--outcome {wanted.outcome}: choose one of {', '.join(outcomes)}")
    if order not in ORDERS:
        raise StudyError(f"--sort {order}: choose one of {', '.join(ORDERS)}")
    lines = [line for line in listed(folder) if wanted.fits(line)]
    shown = ordered(lines, cast("Order", order))[:limit]
    typer.echo(as_json(shown) if json else "\n".join(map(printable, as_text(shown).splitlines())))
    if not json:
        typer.echo(
            f"{len(shown)} of {len(lines)} episodes; see one: otherminds replay {shlex.quote(str(folder))} NUMBER"
        )


def listed(folder: Path) -> list[EpisodeLine]:
    """Every planned episode of a run, in the order of the plan."""
    plan, records = results(folder)
    numbers = {spec.hash: number for number, spec in enumerate(plan.episodes)}
    found: dict[int, EpisodeLine] = {}
    for record in records:
        number, scored = numbers[record.spec.hash], record.outcome.status == "scored"
        won, told = (share(record), accuracy(record)) if scored else (NOT_SCORED, NOT_SCORED)
        found[number] = line_of(record, won, told, number)
    return [found.get(number) or _missing(plan, number) for number in range(len(plan.episodes))]


def _missing(plan: StudyPlan, number: int) -> EpisodeLine:
    spec = plan.episodes[number]
    world = substrate(spec.scenario)
    mind = ego(spec).title
    return EpisodeLine(number, spec.hash[:DIGITS], spec.title, world, mind, "", spec.seed, MISSING)
