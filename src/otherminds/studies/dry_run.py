"""What a dry run finds: faults that would stop the run, and the time that the models are expected to take."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Decoding, Model, Usage
from otherminds.core.record import EpisodeSpec, Timing
from otherminds.models.address import SERVICES
from otherminds.models.cached import check_replies
from otherminds.models.hosts import Hosts
from otherminds.models.metered import Budget
from otherminds.models.pull import KNOWN, place
from otherminds.models.registry import check_model, open_servers
from otherminds.studies.access import Limits
from otherminds.studies.estimate import CellUsage, Key
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.seating import models_of

EMBEDDED = ("gguf", "smollm2")
"""Kinds of models in this process, whose speed is measured."""
SERVED = (*SERVICES, "inspect")
"""Kinds of models on servers. A dry run asks them for no reply, so their speed is assumed."""
HERE = (*EMBEDDED, "scripted", "replay")
"""Kinds of models that are opened without a request to anybody."""


class Pace(Struct, frozen=True):
    """Tokens a second of one call, read (beyond a cached beginning) and written, and the calls at the same time."""

    read: float
    written: float
    concurrency: int
    source: str


ASSUMED = Pace(2000.0, 50.0, 16, "assumed, as no episode is recorded")
"""A usual speed of a served model of medium size."""
SLOW = Pace(
    80.0, 20.0, 1, "assumed for a model of 135 million parameters on a processor, as it is not downloaded yet"
)


class DryRunReport(Struct, frozen=True):
    """``problems`` would stop the run, ``warnings`` would not. ``paces`` are those of models that can be used.

    ``unasked`` are models that were not tried, since that would send something.
    """

    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    paces: dict[str, Pace]
    unasked: tuple[str, ...] = ()


class ModelTime(Struct, frozen=True):
    """Seconds that the episodes of a model still take, and where its pace is from."""

    seconds: float
    source: str


def check(
    plan: StudyPlan, out: Path, limits: Limits, cache: Path | None, hosts: Hosts, *, ask: bool = False
) -> DryRunReport:
    """Tries what the run of ``plan`` needs beside the study file: folders, prices and models. No model is asked.

    An embedded model is loaded and measured. Nothing is sent unless ``ask``: then each server is asked which models it
    has, unless one of them may not be asked. Nothing is left behind.
    """
    problems = unwritable(out, cache)
    warnings: list[str] = []
    paces: dict[str, Pace] = {}
    unasked: list[str] = []
    budget = Budget(limits.max_cost, limits.max_tokens, limits.prices)
    names = dict.fromkeys(name for spec in plan.episodes for name in models_of(spec))
    if ask:
        try:
            for name in names:
                hosts.check_model(plan.access.get(name, name))
        except StudyError:  # it is among the problems
            ask = False
    for name in names:
        try:
            budget.price(name)
        except StudyError as error:
            problems.append(str(error))
        spec = plan.access.get(name, name)
        kind, _, argument = spec.partition(":")
        if not ask and kind not in HERE:
            try:
                places = check_model(spec, hosts) if kind in SERVICES else ASSUMED.concurrency
            except StudyError as error:
                problems.append(str(error))
                continue
            paces[name] = replace(ASSUMED, concurrency=places)
            unasked.append(name)
            continue
        if kind in KNOWN and not place(kind).exists():
            warnings.append(f"model {kind}: the run downloads its weights ({KNOWN[kind].size / 1e6:.0f} MB)")
            paces[name] = SLOW
            continue
        try:
            servers = open_servers(spec, hosts)
            if kind == "openai" and (doubt := _warn_unlisted(argument, hosts)):
                warnings.append(doubt)
            if kind in EMBEDDED:
                paces[name] = asyncio.run(_measure_pace(servers[0]))
        except (StudyError, ProviderError) as error:
            problems.append(str(error))
            continue
        if kind in SERVED:
            places = sum(server.concurrency for server in servers)
            paces[name] = replace(ASSUMED, concurrency=places)
    return DryRunReport(tuple(problems), tuple(warnings), paces, tuple(unasked))


def unwritable(out: Path, cache: Path | None) -> list[str]:
    """Why a run could not write its output folder or its cache file."""
    problems = _not_writable(out, out, "choose another --out")
    if cache is None:
        return problems
    try:
        check_replies(cache)
    except StudyError as error:
        return [*problems, str(error)]
    return problems + _not_writable(cache, cache.parent, "choose another --cache")


def times(
    plan: StudyPlan, needs: Mapping[Key, CellUsage], paces: Mapping[str, Pace], timings: Mapping[str, Timing]
) -> dict[str, ModelTime]:
    """The time of each model's episodes that are not recorded, in those of ``paces``.

    From the ``timings`` of recorded episodes of the same cell where there are some (by the hash of the episode),
    else from the tokens that its episodes are expected to need.
    """
    seconds: dict[str, float] = {}
    sources: dict[str, set[str]] = {}
    cells: dict[Key, list[EpisodeSpec]] = {}
    for spec in plan.episodes:
        cells.setdefault((spec.title, ego(spec).title), []).append(spec)
    for key, specs in cells.items():
        names = models_of(specs[0])
        if key not in needs or not names or names[0] not in paces:
            continue
        pace = paces[names[0]]
        took = [timings[spec.hash].seconds for spec in specs if spec.hash in timings]
        if took:
            episode_seconds, source = (
                sum(took) / len(took) / min(pace.concurrency, len(took)),
                "from recorded episodes",
            )
        else:
            need = needs[key]
            episode_seconds = (
                (need.fresh / pace.read + need.written / pace.written) / pace.concurrency / len(specs)
            )
            source = f"{pace.read:,.0f} tokens read and {pace.written:,.0f} written a second: {pace.source}"
        seconds[names[0]] = seconds.get(names[0], 0.0) + episode_seconds * (len(specs) - len(took))
        sources.setdefault(names[0], set()).add(source)
    return {name: ModelTime(total, "; ".join(sorted(sources[name]))) for name, total in seconds.items()}


def over_budget(limits: Limits, tokens: int, dollars: float | None) -> list[str]:
    """Warnings about limits below what the study is expected to need."""
    warnings: list[str] = []
    if limits.max_cost is not None and dollars is not None and dollars > limits.max_cost:
        warnings.append(f"--max-cost {limits.max_cost:g} is less than the estimated {dollars:.2f} US dollars")
    if limits.max_tokens is not None and tokens > limits.max_tokens:
        warnings.append(f"--max-tokens {limits.max_tokens:,} is less than the estimated {tokens:,} tokens")
    return [f"{words}; the run would stop before its end" for words in warnings]


def _warn_unlisted(argument: str, hosts: Hosts) -> str:
    from otherminds.models.openai import warn_unlisted

    return warn_unlisted(argument, hosts)


def _not_writable(requested: Path, folder: Path, remedy: str) -> list[str]:
    """Tries to write in ``folder``, or in the nearest folder above that exists."""
    there = next((path for path in (folder, *folder.absolute().parents) if os.path.lexists(path)), folder)
    try:
        with tempfile.TemporaryDirectory(prefix=".otherminds-", dir=there):
            return []
    except OSError as error:
        return [f"{requested}: cannot be written ({error.strerror}); {remedy}"]


async def _measure_pace(model: Model) -> Pace:
    """The pace of an embedded model, from a prompt of some 200 tokens and a reply of at most 16 to a short one."""
    text = " ".join(f"In round {k} the other player chose option {k * k % 7}." for k in range(16))
    seconds: list[float] = []
    usages: list[Usage] = []
    for prompt, most in ((text, 1), ("Count from one to twenty in words.", 16)):
        began = perf_counter()
        reply = await model.generate([Message("user", prompt)], Decoding(max_tokens=most))
        seconds.append(perf_counter() - began)
        usages.append(reply.usage)
    read, written_tokens = (max(usage.prompt - usage.cached, 1) for usage in usages)
    writing = seconds[1] - written_tokens * seconds[0] / read
    return Pace(
        read / seconds[0],
        max(usages[1].completion, 1) / max(writing, seconds[1] / 10),
        model.concurrency,
        "measured here",
    )
