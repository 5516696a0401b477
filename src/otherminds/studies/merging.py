"""Merges runs of one study, such as shards that hosts without a common disk have played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from msgspec import Struct, structs

from otherminds.core.disk import resolve_path
from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock, is_locked
from otherminds.core.segments import StoredLine
from otherminds.models.wrappers import Replies
from otherminds.studies.access import CALLS, SpentTokens, keep_prices, kept_prices
from otherminds.studies.plan import PlannedEpisodes, StudyPlan
from otherminds.studies.run_dir import (
    claim,
    difference,
    digest_of,
    holds_run,
    is_owned,
    keep_weights,
    kept_weights,
    make_folder,
    plan_in,
)
from otherminds.studies.sharding import homes
from otherminds.studies.store import Store

SHOWN = 5
"""Contradictions that an error names; the others are counted."""
BATCH = 1000
"""Lines that are written at a time."""


class MergeResult(Struct, frozen=True):
    """``added`` episodes were new; all ``recorded`` ones have the ``digest`` (:func:`~otherminds.studies.run_dir.digest_of`)."""

    added: int
    recorded: int
    planned: int
    digest: str


class ContradictionError(StudyError):
    """Two records of one episode differ."""


def merge(folders: Sequence[Path], out: Path, say: Callable[[str], None]) -> MergeResult:
    """Adds what the runs in ``folders`` and their shards have recorded to the run in ``out``, which is made if necessary.

    Nothing that is there is changed, and a second call adds nothing. An episode that failed is added if no other
    record of it exists. Replies of unfinished episodes and what was spent come along, so that a run in ``out``
    goes on without asking again.

    Raises:
        ContradictionError: records of an episode differ; nothing was written.
        StudyError: a folder holds no run, one of another study, or one that is being played; ``out`` is one of
            them or cannot be written.
    """
    if resolve_path(out) in map(resolve_path, folders):
        raise StudyError(f"{out}: is one of the folders to merge; choose another --out")
    plan = _common([*folders, *([out] if holds_run(out) else [])])
    is_owned(out, plan)
    sources = [home for folder in dict.fromkeys(map(Path.resolve, folders)) for home in homes(folder)]
    for home in sources:
        if is_locked(home):
            raise StudyError(f"{home}: is being played; wait for the run or end it")
    entries = _agreeing(plan, {}, _list_records(sources))
    make_folder(out)
    with ExitStack() as resources:
        resources.callback(Lock(out).release)
        there = {entry.episode: entry for entry in _list_records(homes(out))}
        _agreeing(plan, there, entries.values())
        claim(out, plan)
        for folder in folders:
            keep_weights(out, kept_weights(folder))
        store = Store(out)
        if torn := store.repair():
            say(torn)
        added = _add(store, sources, there, entries)
        for folder in folders:
            if not kept_prices(out):
                keep_prices(out, kept_prices(folder))
        finished = {episode for episode, line in {**there, **entries}.items() if line.hash}
        for home in sources:
            _take_calls(home, out, finished)
    return MergeResult(added, len(there.keys() | entries.keys()), len(plan.episodes), digest_of(out))


class RecordEntry(Struct, frozen=True):
    """A record that was seen: ``hash`` is empty if the episode failed, ``place`` is its file and line."""

    episode: str
    hash: str
    place: str


def _common(folders: Sequence[Path]) -> StudyPlan:
    """The one plan of several folders, with the episodes of all.

    Raises:
        StudyError: they hold different studies.
    """
    plans = [plan_in(folder) for folder in folders]
    for folder, plan in zip(folders, plans, strict=True):
        if plan.identity != plans[0].identity:
            raise StudyError(f"{folder}: {difference(plan, plans[0])}")
    if len(plans) == 1 or all(plan.episodes == plans[0].episodes for plan in plans[1:]):
        return plans[0]
    return structs.replace(
        plans[0], episodes=PlannedEpisodes(chain.from_iterable(plan.episodes for plan in plans))
    )


def _lines(sources: Sequence[Path]) -> Iterator[StoredLine]:
    return chain.from_iterable(Store(home).lines() for home in sources)


def _list_records(sources: Sequence[Path]) -> list[RecordEntry]:
    """The records of ``sources`` in brief, those that failed before all others."""
    entries = [
        RecordEntry(line.episode, "" if line.outcome().status == "failed" else line.hash, line.place)
        for line in _lines(sources)
    ]
    return sorted(entries, key=lambda entry: bool(entry.hash))


def _agreeing(
    plan: StudyPlan, there: Mapping[str, RecordEntry], entries: Iterable[RecordEntry]
) -> dict[str, RecordEntry]:
    """The planned episodes of ``entries``: of each the last record, which agrees with those before and ``there``.

    Raises:
        ContradictionError: two records of an episode differ.
    """
    planned = {spec.hash: spec for spec in plan.episodes}
    agreed: dict[str, RecordEntry] = {}
    contrary: dict[str, tuple[RecordEntry, RecordEntry]] = {}
    for entry in entries:
        if entry.episode not in planned:
            continue
        for other in (there.get(entry.episode), agreed.get(entry.episode)):
            if entry.hash and other is not None and other.hash not in ("", entry.hash):
                contrary.setdefault(entry.episode, (other, entry))
        agreed[entry.episode] = entry
    if contrary:
        pairs = [
            f"\n  {planned[episode].title}, seed {planned[episode].seed}, episode {episode}: {entry.place} and {other.place}"
            for episode, (entry, other) in list(contrary.items())[:SHOWN]
        ]
        ending = f"\n  and {len(contrary) - SHOWN} more" if len(contrary) > SHOWN else ""
        raise ContradictionError(
            f"{len(contrary)} episodes have two records that differ, and nothing was merged; "
            f"remove one of each:{''.join(pairs)}{ending}"
        )
    return agreed


def _add(
    store: Store, sources: Sequence[Path], there: dict[str, RecordEntry], entries: dict[str, RecordEntry]
) -> int:
    """Writes the lines of ``entries`` that are not ``there``, each once."""
    missing = {
        entry.place: episode
        for episode, entry in entries.items()
        if episode not in there or (entry.hash and not there[episode].hash)
    }
    batch: list[bytes] = []
    for line in _lines(sources):
        if line.place in missing:
            batch.append(line.raw())
            if len(batch) == BATCH:
                store.append(batch)
                batch.clear()
    if batch:
        store.append(batch)
    return len(missing)


def _take_calls(home: Path, out: Path, finished: set[str]) -> None:
    """Adds the kept replies of episodes that are not ``finished``, and what was spent, to those of ``out``."""
    if not (home / CALLS).is_file():
        return
    with ExitStack() as resources:
        spent, total = SpentTokens(home / CALLS), SpentTokens(out / CALLS)
        resources.callback(spent.close)
        resources.callback(total.close)
        total.take(str(resolve_path(home)), spent.totals())
        ours, theirs = Replies(out / CALLS), Replies(home / CALLS)
        resources.callback(ours.close)
        resources.callback(theirs.close)
        for owner, call, answer in theirs.all():
            if owner not in finished:
                ours.put(owner, call, answer)
