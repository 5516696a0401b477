"""What a dry run finds: faults that would stop the run, and the tokens and the time that the models are expected to take.

Tokens are estimated from recorded episodes, else by playing one of each cell without the model."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.data import Message, Seat
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding, Model, Scores, Usage
from otherminds.core.record import EpisodeSpec, Record, Timing
from otherminds.core.scenario import scenario
from otherminds.minds.registry import models_of, setup_of
from otherminds.models.files import KNOWN, place
from otherminds.models.hosts import SERVICES, Hosts
from otherminds.models.registry import check_model, open_servers
from otherminds.models.scripted import uniform
from otherminds.models.wrapper import LONGEST
from otherminds.models.wrappers import Budget, check_replies
from otherminds.play.loop import play
from otherminds.studies.access import Limits
from otherminds.studies.plan import StudyPlan, ego

CHARACTERS = 3.7
"""Characters per token, measured with SmolLM2 over 100 rounds of a matrix game."""
BRIEF = 32
"""Replies that may have more tokens than this contain reasoning or free text."""
FREELY = 0.5
"""The assumed length of a free reply, as a share of its maximal length."""
CONVERSATIONS = 8
"""Earlier prompts that a prompt is compared with: those of several conversations, which take turns."""

Key = tuple[str, str]


class CellUsage(Struct, frozen=True):
    """The tokens and calls of a cell; ``played`` is the number of recorded episodes used (0: estimated without any).

    ``fresh`` of the tokens ``read`` do not repeat the beginning of an earlier prompt of the episode; a server with a
    prefix cache evaluates only these. ``models`` has the tokens of each model.
    """

    read: int
    written: int
    played: int = 0
    calls: int = 0
    fresh: int = 0
    models: dict[str, Usage] = {}

    @property
    def usage(self) -> Usage:
        """The tokens as a :class:`Usage`."""
        return Usage(self.read, self.written)


class Rehearsal:
    """A model that answers at random, and counts the tokens that a real one would read and write."""

    spec = "rehearsal"
    context = 2**31
    concurrency = 1

    def __init__(self) -> None:
        self._stand_in = uniform()
        self._prompts: deque[str] = deque(maxlen=CONVERSATIONS)
        self.read = self.written = self.calls = self.fresh = 0

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        reply = await self._stand_in.generate(messages, decoding)
        text, free = reply.text, 0
        if decoding.max_tokens > BRIEF:
            free = round(FREELY * decoding.max_tokens)
            text = f"{_words(free)}\n{text}"
        self.calls += 1
        self.read += sum(self.count(message.content) for message in messages)
        self._reuse("\n".join(message.content for message in messages))
        self.written += max(self.count(text), free)
        return Completion(text)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        self.calls += 1
        self.read += self.count(prompt) + sum(self.count(text) for text in continuations)
        self._reuse(prompt)
        return await self._stand_in.score(prompt, continuations)

    def count(self, text: str) -> int:
        return round(len(text) / CHARACTERS) or 1

    def _reuse(self, prompt: str) -> None:
        """Counts what ``prompt`` has beyond the beginning that it shares with an earlier one."""
        shared = max((_count_shared(prompt, other) for other in self._prompts), default=0)
        self.fresh += self.count(prompt[shared:])
        self._prompts.append(prompt)


def estimate(plan: StudyPlan, played: Iterable[Record] = ()) -> dict[Key, CellUsage]:
    """Tokens read and written by each cell with a language model.

    ``played`` are records of this plan. A cell with scored ones is estimated from them, re-asks
    included; for the others one episode is played without the model, with no re-asks. Where several partners of a cell
    have models, this is done for each of them.
    """
    recorded: dict[_Group, Counter[_Count]] = {}
    played_episodes: Counter[_Group] = Counter()
    for record in played:
        if record.calls and record.outcome.status == "scored":
            played_episodes[group := _find_group(record.spec)] += 1
            counts = recorded.setdefault(group, Counter())
            for call in record.calls:
                model = record.spec.seats[call.seat].model
                counts["read", model] += call.usage.prompt
                counts["written", model] += call.usage.completion
                counts["calls", model] += 1
    planned: Counter[_Group] = Counter()
    first: dict[_Group, EpisodeSpec] = {}
    for spec in plan.episodes:
        if models_of(spec):
            planned[group := _find_group(spec)] += 1
            first.setdefault(group, spec)
    totals: dict[Key, Counter[_Count]] = {}
    used: Counter[Key] = Counter()
    for group, spec in first.items():
        cell, counts = group[:2], recorded.get(group) or _rehearse(spec)
        used[cell] += played_episodes[group]
        total = totals.setdefault(cell, Counter())
        for count, number in counts.items():
            total[count] += number * planned[group] // max(played_episodes[group], 1)
    return {cell: _summarise_counts(total, used[cell]) for cell, total in totals.items()}


_Group: TypeAlias = tuple[str, str, tuple[tuple[Seat, str, str], ...]]
"""Episodes of a cell that ask the same models: seat, mind and model of each."""
_Count: TypeAlias = tuple[str, str]
"""What is counted (``read``, ``written``, ``calls`` or ``fresh``), and of which model."""


def _find_group(spec: EpisodeSpec) -> _Group:
    asked = tuple((seat, who.mind, who.model) for seat, who in spec.seats.items() if who.model)
    return spec.title, ego(spec).title, asked


def _rehearse(spec: EpisodeSpec) -> Counter[_Count]:
    """The counts of one episode that is played without its models."""
    models = {name: Rehearsal() for name in models_of(spec)}
    asyncio.run(play(setup_of(spec, scenario(spec.scenario, spec.options), models)))
    names = ("read", "written", "calls", "fresh")
    return Counter({(name, model): getattr(models[model], name) for model in models for name in names})


def _summarise_counts(counts: Counter[_Count], played: int) -> CellUsage:
    names = dict.fromkeys(model for _, model in counts)
    models = {name: Usage(counts["read", name], counts["written", name]) for name in names}
    calls, fresh = (sum(counts[kind, name] for name in names) for kind in ("calls", "fresh"))
    total = sum(models.values(), Usage())
    return CellUsage(total.prompt, total.completion, played, calls, fresh, models)


def _count_shared(text: str, other: str) -> int:
    """The number of characters with which both texts begin.

    >>> _count_shared("round 1: rock", "round 1: paper"), _count_shared("a", "ab")
    (9, 1)
    """
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text[:middle] == other[:middle] else (low, middle - 1)
    return low


def _words(tokens: int) -> str:
    """Filler text of about ``tokens`` tokens; of a longer reply than the kept part, as long as that."""
    line = "the other player did the same as before, so that I think about it\n"
    length = min(round(tokens * CHARACTERS), LONGEST)
    return (line * (length // len(line) + 1))[:length]


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
