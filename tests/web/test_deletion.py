"""What was recorded of a person is deleted by its code: whole, once, also after a crash, and nothing of anybody else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import otherminds as om
from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock
from otherminds.models.wrappers import Replies
from otherminds.studies.store import Store, seal
from otherminds.web.deletion import delete_person, finish_deletions
from otherminds.web.links import make_deletion_code, read_links
from otherminds.web.stays import Journal
from tests.web.test_host import Participant, first, served

STUDY = """
name = "deleted"
episodes = 2
rounds = 2

[[cells]]
scenarios = ["rps-mixed-v1"]
minds = [{ mind = "chat", model = "person:ann" }, { mind = "chat", model = "person:ben" }, "uniform"]
"""
PROTOCOL = 'consent = "May we?"\n'


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder of a run that Ann and Ben have played, and the last page of each."""
    folder = tmp_path_factory.mktemp("deletion")
    (folder / "study.toml").write_text(STUDY, "utf-8")
    (folder / "protocol.toml").write_text(PROTOCOL, "utf-8")
    words = (
        "host",
        folder / "study.toml",
        "--out",
        folder / "run",
        "--port",
        "0",
        "--protocol",
        folder / "protocol.toml",
    )
    with served(*words) as (process, links), ThreadPoolExecutor() as pool:
        people = [Participant(links[label], first) for label in ("ann", "ben")]
        pages = [*pool.map(Participant.play, people)]
        process.wait(60)
    return folder / "run", dict(zip(("ann", "ben"), pages, strict=True))


@pytest.fixture
def run(finished: tuple[Path, dict[str, str]], tmp_path: Path) -> Path:
    """A copy of that run, and a kept reply of Ann as an episode that was cut off leaves it."""
    shutil.copytree(finished[0], tmp_path / "run")
    replies = Replies(tmp_path / "run" / "calls.sqlite")
    replies.put(
        next(record.spec.hash for record in om.records(finished[0]) if who(record) == "ann"),
        b"k",
        b"SECRETLY",
    )
    replies.close()
    return tmp_path / "run"


def who(record: om.Record) -> str:
    return record.spec.seats["ego"].model.removeprefix("person:")


def code_of(run: Path, label: str = "ann") -> str:
    return make_deletion_code(read_links(run, [label])[label])


def otherminds(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "otherminds", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check_deleted(run: Path, before: list[om.Record]) -> None:
    """Nothing is left of Ann, and everything of the others."""
    after = [*om.records(run)]
    assert [record.spec.hash for record in after] == [record.spec.hash for record in before]
    for old, new in zip(before, after, strict=True):
        if who(old) == "ann":
            assert (new.outcome.status, new.outcome.blame) == ("failed", "withdrawn")
            assert not new.calls
            assert not new.actions
        else:
            assert new == old
    events = [json.loads(line) for line in (run / "people.jsonl").read_text("utf-8").splitlines()]
    assert [event["event"] for event in events if event["person"] == "ann"] == ["withdrawn"]
    assert any(event["event"] == "consent" for event in events if event["person"] == "ben")
    assert not [path.name for path in run.rglob("*") if path.is_file() and b"SECRETLY" in path.read_bytes()]


def test_the_code_on_the_last_page_deletes_its_person_and_reports_say_withdrawn(
    finished: tuple[Path, dict[str, str]], run: Path
) -> None:
    before = [*om.records(run)]
    code = re.search(r"[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}", finished[1]["ann"])
    assert code is not None
    done = otherminds("people", "delete", run, code[0].lower())
    assert done.stdout.startswith("ann: 2 records were withdrawn")
    check_deleted(run, before)
    report = otherminds("report", run)
    assert report.returncode == 0, report.stderr
    assert "withdrawn 2" in report.stdout
    assert "6 of 6 episodes recorded, 2 failed" in otherminds("status", run).stdout
    assert "code" in otherminds("people", "delete", run, code[0]).stderr  # it is spent
    exported = otherminds("people", "export", run, "--out", run.parent / "x.csv")
    assert exported.returncode == 0
    assert "ann" not in (run.parent / "x.csv").read_text("utf-8")


class PowerCutError(Exception):
    """The process was killed."""


def crash_at(steps: int) -> Callable[..., None]:
    """What raises :class:`PowerCutError` at its call number ``steps``."""
    left = [steps]

    def count(*given: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise PowerCutError

    return count


def test_a_deletion_that_is_cut_off_anywhere_is_finished_by_the_same_command_or_the_next_start(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each replaced, removed or appended file is a place where a power cut may fall."""
    before, code = [*om.records(run)], code_of(run)
    replace, unlink = Path.replace, Path.unlink
    for finish in ("command", "start"):
        for steps in range(30):
            copy = tmp_path / f"{finish}-{steps}"
            shutil.copytree(run, copy)
            crash = crash_at(steps)

            def replace_or_crash(self: Path, target: Path, crash: Callable[..., None] = crash) -> Path:
                crash()
                return replace(self, target)

            def unlink_or_crash(
                self: Path, missing_ok: bool = False, crash: Callable[..., None] = crash
            ) -> None:
                if self.exists():
                    crash()
                unlink(self, missing_ok)

            with monkeypatch.context() as patch:
                patch.setattr(Path, "replace", replace_or_crash)
                patch.setattr(Path, "unlink", unlink_or_crash)
                try:
                    delete_person(copy, code)
                    is_whole = True
                except PowerCutError:
                    is_whole = False
            if is_whole:
                assert steps > 2
                break
            if finish == "command":
                delete_person(copy, code)
            else:
                finish_deletions(copy)
            check_deleted(copy, before)
        else:
            raise AssertionError("the deletion did not end")


def test_sealed_records_are_withdrawn_too_and_what_sealing_left_is_removed(run: Path) -> None:
    before = [*om.records(run)]
    (segment,) = (run / "records").glob("*.jsonl")
    plain = segment.read_bytes()
    seal(segment)
    segment.write_bytes(plain)  # a crash between the sealed file and the removal of the plain one
    assert delete_person(run, code_of(run))[1] == 2
    assert not segment.exists()
    check_deleted(run, before)
    assert len([*Store(run).lines()]) == len(before)


def test_no_code_but_a_persons_own_deletes_anything(run: Path) -> None:
    records, own = (run / "records" / "00000.jsonl").read_bytes(), code_of(run)
    guesses = [
        "",
        "-",
        own[:-1],
        own + "A",
        own[::-1],
        "ann",
        "*",
        "\x00",
        "A" * 10_000,
        read_links(run, ["ann"])["ann"],
    ]
    for guess in guesses:
        with pytest.raises(StudyError, match="nobody of this study"):
            delete_person(run, guess)
    assert (run / "records" / "00000.jsonl").read_bytes() == records


def test_a_running_study_deletes_nothing(run: Path) -> None:
    lock = Lock(run)
    try:
        with pytest.raises(StudyError, match="another run is writing"):
            delete_person(run, code_of(run))
    finally:
        lock.release()
    assert Journal(run).read_events()["ann"][0].name == "consent"


def test_who_has_withdrawn_is_told_so_and_the_old_link_opens_no_seat(run: Path) -> None:
    old = read_links(run, ["ann"])["ann"]
    delete_person(run, code_of(run))
    folder = run.parent
    (folder / "study.toml").write_text(STUDY, "utf-8")
    (folder / "protocol.toml").write_text(PROTOCOL, "utf-8")
    words = (
        "host",
        folder / "study.toml",
        "--out",
        run,
        "--port",
        "0",
        "--protocol",
        folder / "protocol.toml",
    )
    with served(*words) as (_, links):
        assert "was deleted, as you asked" in Participant(links["ann"], first).look()
        assert (
            "not one of this study" in Participant(links["ann"].rpartition("/")[0] + f"/{old}", first).look()
        )
