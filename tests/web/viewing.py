"""A small run, some of it hostile, and the app that shows it, asked without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from msgspec.structs import replace

from otherminds.core.record import Outcome, Record, Timing
from otherminds.core.scenario import scenario
from otherminds.minds.registry import setup_of
from otherminds.models.scripted import scripted
from otherminds.play.loop import play_now
from otherminds.studies.file import check_study
from otherminds.studies.plan import StudyPlan, plan
from otherminds.studies.run_dir import claim
from otherminds.studies.store import Store, line_of
from otherminds.web.guard import Guard
from otherminds.web.view_pages import make_app
from otherminds.web.viewed_runs import Gallery

ORIGIN = "http://127.0.0.1:8000"
BREAKOUT = """"'></td><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}</main>"""
"""A name and a reply that would leave its place on a page."""
RUN_PAGES = ("/", "/runs/1", "/runs/1/episodes", "/runs/1/search", "/runs/1/search?text=option")
MODEL = "scripted:first"
STUDY = {
    "name": BREAKOUT,
    "episodes": 4,
    "rounds": 4,
    "cells": [
        {
            "scenarios": ["rps-mixed-v1", "ipd-mixed-v1"],
            "minds": ["rmax", {"mind": "chat", "model": MODEL, "label": BREAKOUT}],
        }
    ],
}


@cache
def play_study() -> tuple[StudyPlan, tuple[Record, ...]]:
    """The plan and its 16 records: those of the model reply with :data:`BREAKOUT` once, and one episode failed."""
    planned = plan(check_study(STUDY), Path())
    models = {MODEL: scripted("first")}
    records = [
        play_now(setup_of(spec, scenario(spec.scenario, spec.options), models))[0]
        for spec in planned.episodes
    ]
    records = [replace(record, spec=spec) for record, spec in zip(records, planned.episodes, strict=True)]
    for record in records:
        if record.calls:
            first = replace(record.calls[0], reply=BREAKOUT, reasoning=BREAKOUT)
            record.calls = (first, *record.calls[1:])
    records[0].outcome = Outcome("failed", "provider", BREAKOUT, 2)
    return planned, tuple(records)


def write_run(folder: Path, lines: Iterable[bytes] | None = None) -> Path:
    """A folder of that run, with the ``lines`` of all records by default."""
    planned, records = play_study()
    folder.mkdir(parents=True)
    claim(folder, planned)
    Store(folder).append([*(stored_lines() if lines is None else lines)])
    assert len(records) == len(planned.episodes)
    return folder


def stored_lines() -> list[bytes]:
    return [line_of(record, Timing(0.1)) for record in play_study()[1]]


class Viewer:
    """The app on the runs in some folders, up to date with them whenever it is asked."""

    def __init__(self, cache_folder: Path, *folders: Path) -> None:
        self.gallery = Gallery(folders, cache_folder)
        self.app = Guard(make_app(self.gallery), [ORIGIN])

    def send(self, path: str, method: str = "GET", **request: Any) -> httpx.Response:
        while self.gallery.follow():
            pass

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
                return await client.request(method, path, **request)

        return asyncio.run(send())

    def read(self, path: str) -> str:
        """The page at ``path``, once it waits for nothing."""
        for _ in range(100):
            answer = self.send(path)
            waits = ("This takes a while", "Measuring", "being measured", "is not measured yet")
            if not any(words in answer.text for words in waits):
                assert answer.status_code == 200, answer.text
                return answer.text
        raise AssertionError(f"{path} waits for ever")


def ask_slowly(viewer: Viewer, path: str, method: str, request: dict[str, Any]) -> httpx.Response:
    """An answer that is none of those to clients who ask too often."""
    answer = viewer.send(path, method, **request)
    while answer.status_code == 429:
        answer = viewer.send(path, method, **request)
    return answer
