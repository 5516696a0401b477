"""The folder of a run goes while the run plays: it stops paying, says why in one line, and the same command goes on."""

from __future__ import annotations

import asyncio
import os
import resource
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from otherminds.core import locks
from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.core.locks import RunStoppedError
from otherminds.core.model import Completion, Decoding
from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.studies import status
from otherminds.studies.access import CALLS, SpentTokens
from otherminds.studies.chunks import Chunks
from otherminds.studies.outside import call_session, judge
from otherminds.studies.plan import plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run
from otherminds.studies.run_dir import digest_of, results
from otherminds.studies.sharding import Shard
from tests.cases import for_each, thinned
from tests.studies.leaving import PLACES, WAYS, Mend, deleted, harms, nothing, renamed
from tests.studies.storage import (
    MODEL,
    NOBODY,
    ROUNDS,
    STUDY,
    Ran,
    Service,
    command,
    recorded,
    recorded_run,
    served,
)

Harm = Callable[[], Mend]
STARTS = tuple(place for place in PLACES if not place.startswith("records"))
"""What a run has before its first record."""
TWENTY = 20
"""A call by which two of four episodes are recorded."""


class Harmed(Service):
    """Does harm amid its call number ``at``, and counts the calls that begin afterwards. ``silent``: it then says nothing."""

    def __init__(self, at: int, harm: Harm, silent: bool = False) -> None:
        super().__init__()
        self.begun = self.after = 0
        self.mend: Mend = nothing
        self._at, self._harm, self._silent = at, harm, silent

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        self.begun += 1
        self.after += self.begun > self._at
        reply = await super().generate(messages, decoding)
        if self.begun >= self._at and self._harm is not nothing:
            harm, self._harm = self._harm, nothing  # type: ignore[assignment]  # once
            self.after, self.mend = 0, harm()
            if self._silent:
                await asyncio.sleep(3600)
        return reply


class Progress:
    """Does harm when ``at`` episodes are recorded."""

    def __init__(self, at: int, harm: Harm) -> None:
        self.mend: Mend = nothing
        self.said: list[str] = []
        self._left, self._harm = at, harm

    def start(self, planned: int, done: int, asked: int) -> None:
        if not self._left:
            self.mend = self._harm()

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        self._left -= 1
        if not self._left:
            self.mend = self._harm()

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The file of a study with a model, and the records of an undisturbed run."""
    with served():
        study, out = recorded_run(tmp_path_factory.mktemp("whole"))
    return study, recorded(out)


def harmed(study: Path, out: Path, at: int, harm: Harm, *more: object) -> tuple[Ran, Harmed]:
    """A run of the study that is harmed amid a call."""
    with served(Harmed(at, harm)) as service:
        done = command("run", study, "--out", out, *more)
    assert isinstance(service, Harmed)
    return done, service


def goes_on(study: Path, out: Path, records: dict[str, str], first: Service) -> None:
    """The same command ends with the same records; what is there is kept, and nothing that is kept is paid again."""
    before = recorded(out)
    kept = spent_in(out)
    with served() as service:
        done = command("run", study, "--out", out)
    assert done.code == 0, done.shown
    assert before.items() <= recorded(out).items()
    assert recorded(out) == records
    made = {c.config["seed"] for r in results(out)[1] for c in r.calls if r.spec.hash in before}
    assert not made & service.asked.keys(), "calls of episodes that are recorded"
    assert spent_in(out) == kept + 24 * len(service.asked), "money that was spent stays counted"
    if kept and before:
        assert len(first.asked.keys() & service.asked.keys()) <= service.concurrency, "only those in flight"


def spent_in(out: Path) -> int:
    """The tokens that a folder counts."""
    if not (out / CALLS).is_file():
        return 0
    spent = SpentTokens(out / CALLS)
    tokens = sum(usage.prompt + usage.completion for _, usage in spent.totals())
    spent.close()
    return tokens


def ends(done: Ran, *words: object) -> None:
    """One line, exit code 1, and the cause."""
    assert done.stopped, (done.code, done.shown)
    assert all(str(word) in done.said[0] for word in words), done.said


@pytest.mark.parametrize("at", [1, TWENTY])
@pytest.mark.parametrize("way", thinned(WAYS, 4))
def test_a_run_with_a_model_stops_before_its_next_call(
    way: str, at: int, whole: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    study, records = whole
    for number, place in enumerate(STARTS if at == 1 else PLACES):
        out = tmp_path / str(number)
        done, service = harmed(study, out, at, lambda out=out, place=place: WAYS[way](out / place))
        ends(done, out / place, "the same command goes on")
        assert service.after == 0, f"{place}: calls after it went"
        lost = place == "." and way in {"deleted", "made_again"}
        assert ("tokens spent so far are not counted" in done.said[0]) >= lost
        assert out.exists() or way in {"deleted", "renamed", "renamed_for_good", "linked_to_nothing"}
        service.mend()
        goes_on(study, out, records, service)


@pytest.mark.parametrize("at", [0, 5])
@pytest.mark.parametrize("way", thinned([*WAYS][::-1], 4))
def test_a_run_without_a_model_stops_at_its_next_record(
    way: str, at: int, small: Path, tmp_path: Path
) -> None:
    plan = plan_file(small)
    places = [place for place in (PLACES if at else STARTS) if not place.startswith("calls")]
    with ThreadPoolExecutor(1) as pool:
        run(plan, tmp_path / "whole", Progress(-1, lambda: nothing), executor=Chunks(pool))
        for number, place in enumerate(places):
            out = tmp_path / str(number)
            progress = Progress(at, lambda out=out, place=place: WAYS[way](out / place))
            with pytest.raises(RunStoppedError, match="goes on"):
                run(plan, out, progress, executor=Chunks(pool, room=1, size=1))
            progress.mend()
            kept = recorded(out)
            run(plan, out, Progress(-1, lambda: nothing), executor=Chunks(pool))
            assert kept.items() <= recorded(out).items()
            assert digest_of(out) == digest_of(tmp_path / "whole")


@pytest.mark.parametrize("way", ["deleted", "copied"])
def test_so_does_one_on_processes(
    way: str, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, seen, advance = tmp_path / "out", [], ShownProgress.advance

    def harming(self: ShownProgress, spec: EpisodeSpec, outcome: Outcome) -> None:
        if not seen:
            WAYS[way](out)
        seen.append(spec)
        advance(self, spec, outcome)

    monkeypatch.setattr(ShownProgress, "advance", harming)
    words = ("run", small, "--out", out, "--executor", "processes:1")
    ends(command(*words), out)
    assert len(seen) < 24
    monkeypatch.setattr(ShownProgress, "advance", advance)
    assert command(*words).code == 0
    assert len(recorded(out)) == 24


class NeverDone:
    """A pool whose workers never answer; the first call does harm."""

    def __init__(self, harm: Harm) -> None:
        self._harm = harm

    def submit(self, function: object, argument: object) -> Future[Any]:
        self._harm()
        return Future()


@pytest.mark.parametrize("way", thinned(WAYS, 4))
def test_a_run_that_waits_notices_too(
    way: str,
    whole: tuple[Path, dict[str, str]],
    small: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For a reply that never comes, and for a chunk that never ends. The limit of a command's time ends one that does not."""
    monkeypatch.setattr(locks, "EVERY", 0.02)
    study, records = whole
    for number, place in enumerate(STARTS):
        out = tmp_path / str(number)
        with served(Harmed(1, lambda out=out, place=place: WAYS[way](out / place), silent=True)) as service:
            ends(command("run", study, "--out", out), out / place)
        assert isinstance(service, Harmed)
        assert service.after <= service.concurrency - 1, "before the first look"
        service.mend()
        goes_on(study, out, records, service)
        out = tmp_path / f"plain {number}"
        pool = NeverDone(lambda out=out, place=place: WAYS[way](out / place))
        if not place.startswith("calls"):
            with pytest.raises(RunStoppedError):
                run(plan_file(small), out, Progress(-1, lambda: nothing), executor=Chunks(pool, room=1))


def test_a_look_is_taken_at_least_every_two_seconds() -> None:
    assert locks.EVERY <= 2


@for_each(
    "place",
    [
        ".",
        "shards",
        "shards/1-of-1",
        "study.json",
        *(f"shards/1-of-1/{p}" for p in PLACES[1:] if p != "study.json"),
    ],
    every=4,
)
def test_so_does_a_shard(place: str, whole: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    study, records = whole
    for way in sorted(WAYS if place != "study.json" else WAYS.keys() - {"copied", "linked"}):
        out = tmp_path / f"{place.replace('/', ' ')} {way}"
        done, service = harmed(study, out, TWENTY, lambda out=out: WAYS[way](out / place), "--shard", "1/1")  # noqa: B023 - called at once
        ends(done)
        assert service.after == 0
        service.mend()
        with served():
            again = command("run", study, "--out", out, "--shard", "1/1")
        assert again.code == 0, (way, again.shown)
        assert recorded(out / "shards/1-of-1") == records


def test_a_shard_that_starts_beside_it_may_write_the_study_anew(
    whole: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    study, records = whole
    out = tmp_path / "out"

    def written_anew() -> Mend:
        (out / "new").write_bytes((out / "study.json").read_bytes())
        (out / "new").rename(out / "study.json")
        return nothing

    done, _ = harmed(study, out, 5, written_anew, "--shard", "1/1")
    assert done.code == 0, done.shown
    assert recorded(out / "shards/1-of-1") == records


@for_each("way", WAYS, every=3)
def test_the_file_of_a_cache_may_go_too(way: str, whole: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    study, records = whole
    cache, out = tmp_path / f"{way}.sqlite", tmp_path / way
    done, service = harmed(study, out, TWENTY, lambda: WAYS[way](cache), "--cache", cache)
    ends(done, cache)
    assert service.after == 0
    service.mend()
    with served():
        assert command("run", study, "--out", out, "--cache", cache).code == 0
    assert recorded(out) == records


@for_each(
    ("place", "way"), harms((".", "lock.sqlite", "calls.sqlite", "calls.sqlite-wal", "records")), every=3
)
def test_so_do_calls_outside_of_studies(place: str, way: str, tmp_path: Path) -> None:
    """Those of authors and judges."""
    out = tmp_path / f"{place} {way}"

    async def judged(role: str) -> None:
        async with call_session(role, MODEL, out, say=print) as session:
            await judge(session, [str(n) for n in range(9)], "is a number")

    with served():
        asyncio.run(judged("first"))
    with served(Harmed(2, lambda: WAYS[way](out / place))) as service:
        with pytest.raises(RunStoppedError, match="goes on"):
            asyncio.run(judged("second"))
        assert isinstance(service, Harmed)
        assert service.after == 0
        service.mend()
        asyncio.run(judged("second"))


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Without the rights of root, to whom nothing is read-only."""
    root = os.geteuid() == 0
    if root:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, -1)
    try:
        if root:
            os.seteuid(NOBODY)
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("place", [".", "records/00000.jsonl"])
def test_a_folder_that_becomes_read_only_stops_the_run(
    place: str, whole: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    study, records = whole
    out = tmp_path / "out"
    for part in (tmp_path, *list(tmp_path.parents)[:3]):  # down from the folder of this user
        part.chmod(0o755)
    before: list[int] = []

    def read_only() -> Mend:
        before.append((out / place).stat().st_mode)
        rights = as_nobody(out)
        rights.__enter__()
        (out / place).chmod(0o555)

        def mend() -> None:
            rights.__exit__(None, None, None)
            (out / place).chmod(before[0])

        return mend

    done, service = harmed(study, out, TWENTY, read_only)
    service.mend()
    ends(done, out if place == "." else out / "records")
    assert service.after <= (0 if place == "." else 2 * ROUNDS * service.concurrency), (
        "those of episodes in play"
    )
    goes_on(study, out, records, service)


@pytest.mark.parametrize("at", [1, TWENTY])
def test_a_disk_that_becomes_full_stops_the_run(
    at: int, whole: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    study, records = whole
    out = tmp_path / "out"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def full() -> Mend:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    done, service = harmed(study, out, at, full)
    service.mend()
    ends(done, out)
    assert service.after <= service.concurrency - 1
    goes_on(study, out, records, service)


def test_a_run_that_lost_its_count_says_so(
    whole: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "EVERY", 0.0)
    study, _ = whole
    out = tmp_path / "out"
    done, service = harmed(study, out, TWENTY, lambda: deleted(out / CALLS))
    ends(done, CALLS, "tokens spent so far are not counted there any more")
    with served():
        again = command("run", study, "--out", out)
    assert "counts 0 tokens, but " in again.shown
    assert "limits do not count them" in again.shown
    out = tmp_path / "other"
    done, service = harmed(study, out, TWENTY, lambda: renamed(out))
    service.mend()
    with served():
        assert "are forgotten" not in command("run", study, "--out", out).shown


def test_a_folder_without_its_study_is_taken_for_no_other(
    whole: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """One whose records are of another study, or that has files of the user and no record."""
    study, _ = whole
    with served():
        command("run", study, "--out", tmp_path / "out")
        (tmp_path / "out/study.json").unlink()
        other = tmp_path / "other.toml"
        other.write_text(STUDY.replace("ipd-tit_for_tat", "ipd-grim"))
        assert "holds no study" in command("run", other, "--out", tmp_path / "out").shown
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine/notes.txt").touch()
        assert "holds no study" in command("run", study, "--out", tmp_path / "mine").shown
        assert command("run", study, "--out", tmp_path / "out").code == 0


def test_the_error_is_not_one_of_arguments() -> None:
    assert not issubclass(RunStoppedError, StudyError)


@pytest.mark.parametrize("index", [1])
def test_shard_runs_in_python_raise_it(index: int, small: Path, tmp_path: Path) -> None:
    progress = Progress(2, lambda: deleted(tmp_path / "out"))
    with ThreadPoolExecutor(1) as pool, pytest.raises(RunStoppedError):
        run(
            plan_file(small),
            tmp_path / "out",
            progress,
            executor=Chunks(pool, room=1, size=1),
            shard=Shard(index, 1),
        )
