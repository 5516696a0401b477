"""The command ``episodes``: which episodes a run has, with the number that ``replay`` takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import typer

from otherminds.cli.commands import report_progress
from otherminds.cli.printing import follow_up
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
    line_of,
    substrate,
)
from otherminds.reports.listing import EpisodeList
from otherminds.reports.table import printable
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.run_dir import played

MISSING = "missing"
NOT_SCORED = Unknown("the episode was not scored")


def show_episodes(folder: Path, criteria: Wanted, order: str, limit: int | None, *, json: bool) -> None:
    """Prints the episodes of a run that meet ``criteria``, at most ``limit`` of them.

    Raises:
        StudyError: the folder holds no study, or there is no such outcome or order.
    """
    outcomes = (*OUTCOMES, MISSING)
    if criteria.outcome not in ("", *outcomes):
        raise StudyError(f"--outcome {criteria.outcome}: choose one of {', '.join(outcomes)}")
    if order not in ORDERS:
        raise StudyError(f"--sort {order}: choose one of {', '.join(ORDERS)}")
    listed = EpisodeList(filter(criteria.fits, lines_of(folder)), cast("Order", order), limit)
    try:
        for text in listed.json() if json else listed.text():
            typer.echo(text if json else "\n".join(map(printable, text.splitlines())), nl=not json)
    finally:
        listed.close()
    if not json:
        number = f"{listed.shown} of {listed.all} episodes"
        typer.echo(f"{number}; see one: {follow_up('replay', folder)} NUMBER")


def lines_of(folder: Path) -> Iterator[EpisodeLine]:
    """Every planned episode of a run: those that are recorded, then those that are missing.

    Raises:
        StudyError: the folder holds no study.
    """
    plan, episodes = played(folder)
    recorded = bytearray(len(plan.episodes))
    for number, record, _ in report_progress(episodes, len(plan.episodes)):
        recorded[number] = True
        scored = record.outcome.status == "scored"
        yield line_of(
            record,
            share(record) if scored else NOT_SCORED,
            accuracy(record) if scored else NOT_SCORED,
            number,
        )
    for number, is_recorded in enumerate(recorded):
        if not is_recorded:
            yield _missing(plan, number)


def _missing(plan: StudyPlan, number: int) -> EpisodeLine:
    spec = plan.episodes[number]
    world = substrate(spec.scenario)
    mind = ego(spec).title
    return EpisodeLine(number, spec.hash[:DIGITS], spec.title, world, mind, "", spec.seed, MISSING)
