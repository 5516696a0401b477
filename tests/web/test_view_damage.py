"""Runs that are damaged, half-written or a stranger's: each gives a clear line, and none an error of the software."""

from __future__ import annotations

import html
import json
import re
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otherminds.core.segments import START, read_line
from otherminds.studies.run_dir import CARD
from otherminds.studies.store import RECORDS, seal
from otherminds.web.long_work import UNEXPECTED, Workshop
from tests.cases import examples, for_each
from tests.strange_records import put, strange_records
from tests.web.viewing import RUN_PAGES, Viewer, ask_slowly, play_study, stored_lines, write_run


def damage(folder: Path, kind: str) -> None:
    """Damages the run in a folder."""
    segment = folder / RECORDS / "00000.jsonl"
    whole = segment.read_bytes()
    if kind == "a torn line":
        segment.write_bytes(whole[:-100])
    elif kind == "no json in the middle":
        segment.write_bytes(whole.replace(b'"spec":{', b'"spec":[', 1))
    elif kind == "a wrong hash":
        segment.write_bytes(whole.replace(b'"seed":1', b'"seed":7', 1))
    elif kind == "zeros":
        segment.write_bytes(b"\0" * 500)
    elif kind == "a cut frame":
        sealed = seal(segment)
        sealed.write_bytes(sealed.read_bytes()[:-40])
    elif kind == "no records":
        segment.unlink()
    elif kind == "a card that is no JSON":
        (folder / CARD).write_bytes(b"{")
    elif kind == "no card any more":
        (folder / CARD).unlink()
    elif kind == "records in a folder's place":
        segment.unlink()
        segment.mkdir()
    elif kind == "a status that is no JSON":
        (folder / "status.json").write_bytes(b"[1")


@for_each(
    "kind",
    [
        "a torn line",
        "no json in the middle",
        "a wrong hash",
        "zeros",
        "a cut frame",
        "no records",
        "a card that is no JSON",
        "no card any more",
        "records in a folder's place",
        "a status that is no JSON",
    ],
)
def test_a_damaged_run_gives_a_clear_line(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    run = write_run(folder / "run")
    viewer = Viewer(folder / "cache", run)
    viewer.read("/runs/1/episodes")
    for shown in (viewer, None):  # damaged while it is shown, and before
        if shown is None:
            shown = Viewer(
                folder / "new cache", *([run] if (run / CARD).exists() else [write_run(folder / "other")])
            )
        else:
            damage(run, kind)
        pages = [shown.send(path) for path in RUN_PAGES]
        names = [record.spec.hash for record in play_study()[1]]
        pages += [shown.send(f"/runs/1/episodes/{name}") for name in names[:3]]
        pages += [shown.send(f"/runs/1/replays/{names[0]}.html"), shown.send("/runs/1/report.html")]
        assert {page.status_code for page in pages} <= {200, 404, 422}, [page.text for page in pages]
        if kind not in ("a torn line", "no records", "no card any more"):
            texts = html.unescape(" ".join(page.text for page in pages))
            assert re.search(r"is damaged|cannot be read|is a folder and not a file", texts), texts


@settings(examples(0.4), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_strange_record_under_a_right_hash_is_shown_or_refused(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sound = [json.loads(read_line(line).body) for line in (stored_lines()[1], stored_lines()[-1])]
    folder = tmp_path_factory.mktemp("strange")
    forged = data.draw(strange_records(sound))
    put(folder / "run", forged)
    viewer = Viewer(folder / "cache", folder / "run")
    name = forged.line[len(START) :][:16].decode()
    episode = f"/runs/1/episodes/{name}"
    for path in (
        *RUN_PAGES,
        episode,
        f"{episode}/calls/0",
        f"/runs/1/replays/{name}.html",
        "/runs/1/report.html",
    ):
        assert ask_slowly(viewer, path, "GET", {}).status_code in (200, 404, 422), path
    assert UNEXPECTED not in viewer.send("/runs/1").text
    viewer.gallery.close()


def test_work_that_fails_unexpectedly_says_so_and_other_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: ended.set())
    workshop = Workshop()

    def fail(tell: object) -> None:
        raise ZeroDivisionError

    first = workshop.ask("first", 1, fail)
    while first.running:
        time.sleep(0.001)
    second = workshop.ask("second", 1, lambda tell: 7)
    while second.running:
        time.sleep(0.001)
    assert (first.result, first.fault, second.result, second.fault) == (None, UNEXPECTED, 7, "")
    assert ended.wait(10), "the error is told as that of a thread"
    workshop.close()
