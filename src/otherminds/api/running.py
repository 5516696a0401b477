"""Many episodes: ``run`` and ``arun``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from otherminds.api import public
from otherminds.api.playing import wait_for
from otherminds.api.scoring import Report, report
from otherminds.models.hosts import Hosts, allowed_hosts
from otherminds.studies.access import Limits
from otherminds.studies.file import check_study
from otherminds.studies.plan import StudyPlan, plan, plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run as run_plan
from otherminds.studies.run_overrides import RunOverrides, fill
from otherminds.studies.shipped import find_study

R = TypeVar("R")
Study: TypeAlias = str | os.PathLike[str] | dict[str, Any] | Sequence[Mapping[str, Any]]
"""The name of a shipped study, the path of a study file or of tasks, a whole study, or its cells."""
AnyPath: TypeAlias = str | os.PathLike[str]


@public
def run(
    study: Study,
    out: AnyPath,
    *,
    models: str | Iterable[str] = (),
    episodes: int | None = None,
    rounds: int | None = None,
    retry_failed: bool = False,
    limits: Limits | None = None,
    cache: AnyPath | None = None,
    allow_hosts: Iterable[str] = (),
) -> Report:
    """Runs a study, or goes on with one that was stopped, and reports on it.

    Episodes that are recorded in ``out`` are not played again: the same call resumes a run, and
    so does ``otherminds run``. A progress bar is shown in a terminal and in a notebook. Minds
    without a model play in worker processes, which import the main module: a script keeps this
    call below ``if __name__ == "__main__":``.

    Args:
        study: The name of a shipped study, the path of a study file (TOML), or the path of tasks;
            or the cells of a study as mappings, with the keys that a study file has:
            ``[{"scenarios": ["rps-mixed-v1"], "minds": ["rmax"], "episodes": 30}]``.
        out: The output folder.
        models: The language models for a study that leaves its model open (``MODEL``).
        episodes: Episodes of every cell, whatever the study says.
        rounds: Rounds of every episode, whatever the study says.
        retry_failed: Play failed episodes again.
        limits: What the run may spend.
        cache: A file of model answers that several runs share.
        allow_hosts: Servers of others that the models of the study may be asked at, as for ``--allow-host``. Those in
            ``models`` are allowed. A study names servers, and cannot allow them.

    Returns:
        The report of all records in ``out``, as from `report`.

    Raises:
        StudyError: a name or value in the study is wrong (the text names the place), or ``out``
            belongs to another study.
        ProviderError: a model's service or files do not answer.
        BudgetSpentError: a limit is reached. What was played is recorded.
    """
    hosts = allowed_hosts(allow_hosts, _list_models(models))
    play = partial(_play, _plan(study, models, episodes, rounds), out, retry_failed, limits, cache, hosts)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return play(ShownProgress())
    return wait_for(in_thread(play))


@public
async def arun(
    study: Study,
    out: AnyPath,
    *,
    models: str | Iterable[str] = (),
    episodes: int | None = None,
    rounds: int | None = None,
    retry_failed: bool = False,
    limits: Limits | None = None,
    cache: AnyPath | None = None,
    allow_hosts: Iterable[str] = (),
) -> Report:
    """As `run`, in a thread of its own. When cancelled it stops after the next episode."""
    hosts = allowed_hosts(allow_hosts, _list_models(models))
    planned = await asyncio.to_thread(_plan, study, models, episodes, rounds)
    return await in_thread(partial(_play, planned, out, retry_failed, limits, cache, hosts))


def _play(
    planned: StudyPlan,
    out: AnyPath,
    retry: bool,
    limits: Limits | None,
    cache: AnyPath | None,
    hosts: Hosts,
    progress: ShownProgress,
) -> Report:
    try:
        run_plan(planned, Path(out), progress, retry, limits, Path(cache) if cache else None, hosts=hosts)
    finally:
        progress.close()
    return report(out)


def _plan(study: Study, models: str | Iterable[str], episodes: int | None, rounds: int | None) -> StudyPlan:
    overrides = RunOverrides(_list_models(models), rounds, episodes)
    if isinstance(study, str | os.PathLike):
        return plan_file(find_study(Path(study)), overrides)
    contents = study if isinstance(study, dict) else {"name": "cells", "cells": list(study)}
    return plan(fill(check_study(contents), overrides), Path())


def _list_models(models: str | Iterable[str]) -> tuple[str, ...]:
    return (models,) if isinstance(models, str) else tuple(models)


async def in_thread(play: Callable[[ShownProgress], R]) -> R:
    """What ``play`` returns, run in a thread; when cancelled it stops after the next episode."""
    progress = ShownProgress()
    try:
        return await asyncio.to_thread(play, progress)
    finally:
        progress.stopped = True
