"""The pages of runs. A run is addressed by its number and an episode by its hash: no address has the path of a file in it."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import urlencode

from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from otherminds.core.errors import OtherMindsError
from otherminds.core.record import Record, prompts
from otherminds.core.text import shell_command
from otherminds.measures.basis import accuracy, share
from otherminds.measures.episode import Key
from otherminds.measures.registry import Unknown
from otherminds.reports.comparison import Comparison, compare_sides, tabulate_differences
from otherminds.reports.contenders import read_minds, read_runs
from otherminds.reports.episodes import DIGITS, line_of, row_of
from otherminds.reports.findings import Findings
from otherminds.reports.markup import render, text_of
from otherminds.reports.opening import open_report, with_meanings
from otherminds.reports.overview import cost_sheet
from otherminds.reports.replay.general import choose_page
from otherminds.reports.replay.replays import ended
from otherminds.reports.sections import accounting, foot, mind_notes, not_scored, sections
from otherminds.web.exported import EXPORTED, make_episodes_page, make_report
from otherminds.web.listing import NAMES, ORDERS, Criteria, read_criteria
from otherminds.web.long_work import Work
from otherminds.web.text_search import LONGEST, PARTS, search_run
from otherminds.web.transcripts import LINES, tell_episode
from otherminds.web.viewed_runs import ABOUT_AN_EPISODE, MEASURED_AT_ONCE, Gallery, RunProgress, ViewedRun

WAIT = 0.3
"""Seconds for which a page waits for work before it says that it is being done."""
AGAIN = 2
"""Seconds after which a page that waits looks again."""
TICK = 1.0
"""Seconds between two looks of a page that is kept up to date."""
EPISODE = re.compile(rf"[0-9a-f]{{{DIGITS},16}}")
NOT_SCORED = Unknown("the episode was not scored")


def make_app(gallery: Gallery) -> Starlette:
    """The application that shows the runs of ``gallery``."""
    pages = RunPages(gallery)
    routes: list[tuple[str, Callable[[Request], Any], str]] = [
        ("/", pages.list_runs, "GET"),
        ("/events", pages.tell_changes, "GET"),
        ("/compare", pages.compare_runs, "GET"),
        ("/look.css", pages.send_look, "GET"),
        ("/runs/{run:int}", pages.show_run, "GET"),
        ("/runs/{run:int}/events", pages.tell_changes, "GET"),
        ("/runs/{run:int}/measure", pages.measure, "POST"),
        ("/runs/{run:int}/compare", pages.compare_minds, "GET"),
        ("/runs/{run:int}/search", pages.search, "GET"),
        ("/runs/{run:int}/report.html", pages.show_report, "GET"),
        ("/runs/{run:int}/episodes.html", pages.show_report_episodes, "GET"),
        ("/runs/{run:int}/episodes", pages.list_episodes, "GET"),
        ("/runs/{run:int}/episodes/{episode}", pages.show_episode, "GET"),
        ("/runs/{run:int}/episodes/{episode}/calls/{call:int}", pages.show_call, "GET"),
        ("/runs/{run:int}/replays/{episode}.html", pages.show_replay, "GET"),
    ]
    return Starlette(
        routes=[
            *(Route(path, endpoint, methods=[method]) for path, endpoint, method in routes),
            Mount("/static", StaticFiles(packages=[("otherminds.web", "static")])),
        ],
        exception_handlers={HTTPException: tell_missing, OtherMindsError: tell_fault},
    )


def page(template: str, title: str, status: int = 200, /, **parts: object) -> HTMLResponse:
    """A page of the app."""
    text = render(f"otherminds.web:templates/{template}", {"title": title, "again": 0, "run": None, **parts})
    return HTMLResponse(text, status)


async def tell_missing(request: Request, error: Exception) -> Response:
    """The page at an address that has none."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    text = "There is no such page." if status == 404 else "This page cannot be asked for in this way."
    return page("view_fault.html", "No such page", status, fault=text)


async def tell_fault(request: Request, error: Exception) -> Response:
    """The page that says what is wrong with a run, and what to do."""
    return page("view_fault.html", "This cannot be shown", 422, fault=str(error))


class RunPages:
    """The pages of the runs in ``gallery``."""

    def __init__(self, gallery: Gallery) -> None:
        self._gallery = gallery

    def _find_run(self, request: Request) -> ViewedRun:
        run = self._gallery.find(request.path_params["run"])
        if run is None:
            raise HTTPException(404)
        return run

    async def list_runs(self, request: Request) -> Response:
        """The list of runs."""
        await asyncio.to_thread(self._gallery.look)
        rows = [
            (run, await asyncio.to_thread(run.read_progress), run.find_measures())
            for run in self._gallery.runs
        ]
        return page(
            "view_runs.html",
            "Runs",
            rows=[(run, progress, tell_headline(work, progress)) for run, progress, work in rows],
            events="/events",
            state=await asyncio.to_thread(self._describe_state, None),
        )

    async def show_run(self, request: Request) -> Response:
        """Verdicts, cells and costs of a run."""
        run = self._find_run(request)
        state = await asyncio.to_thread(self._describe_state, run)
        plan = await asyncio.to_thread(run.read_plan)
        progress = await asyncio.to_thread(run.read_progress)
        work = run.find_measures()
        findings: Findings | None = work.result
        measured: dict[str, object] = {"findings": None}
        if findings is not None:
            opening = open_report(findings)
            measured = {
                "findings": findings,
                "opening": opening,
                "words": with_meanings(opening.sentences, opening.terms),
                "accounting": accounting(findings.cells),
                "sections": sections(findings.cells),
                "foot": foot(findings.cells),
                "lacking": not_scored(findings.cells),
                "costs": cost_sheet(findings),
                "notes": mind_notes(findings.cells),
            }
        return page(
            "view_run.html",
            run.name,
            run=run,
            study=plan.name,
            progress=progress,
            faults=await asyncio.to_thread(run.index.list_faults),
            work=work,
            on_request=progress.recorded > MEASURED_AT_ONCE,
            minutes=max(1, round(progress.recorded * ABOUT_AN_EPISODE / 60)),
            command=shell_command("report", run.folder, "--page", encoding="utf-8"),
            minds=sorted(await asyncio.to_thread(lambda: run.listing.count_names()["mind"])),
            others=[other for other in self._gallery.runs if other is not run],
            linked=lambda key: link_cell(run, key),
            events=f"/runs/{run.number}/events",
            state=state,
            **measured,
        )

    async def measure(self, request: Request) -> Response:
        """Asks for the verdicts of a large run."""
        run = self._find_run(request)
        await asyncio.to_thread(run.measure)
        return RedirectResponse(f"/runs/{run.number}", 303)

    async def list_episodes(self, request: Request) -> Response:
        """A page of the list of episodes."""
        run = self._find_run(request)
        criteria = read_criteria(request.query_params)
        listed = await asyncio.to_thread(run.listing.select, criteria)
        criteria = replace(criteria, page=listed.page)

        def address(**changes: object) -> str:
            return f"/runs/{run.number}/episodes?{urlencode(criteria.words(**changes))}"

        return page(
            "view_episodes.html",
            f"{run.name}: episodes",
            run=run,
            listed=listed,
            criteria=criteria,
            names=NAMES,
            orders=ORDERS,
            address=address,
            progress=await asyncio.to_thread(run.read_progress),
        )

    async def show_episode(self, request: Request) -> Response:
        """The transcript and the replay of an episode."""
        run = self._find_run(request)
        record = await asyncio.to_thread(read_record, run, request.path_params["episode"])
        lines = await asyncio.to_thread(tell_episode, record)
        pages = max(1, -(-len(lines) // LINES))
        page_text = request.query_params.get("page", "")
        number = min(pages, max(1, int(page_text))) if re.fullmatch(r"[0-9]{1,9}", page_text) else 1
        scored = record.outcome.status == "scored"
        line = line_of(
            record, share(record) if scored else NOT_SCORED, accuracy(record) if scored else NOT_SCORED
        )
        before, after = await asyncio.to_thread(run.index.find_neighbours, record.spec.hash)
        return page(
            "view_episode.html",
            f"{record.spec.title}, seed {record.spec.seed}",
            run=run,
            record=record,
            ended=ended(record),
            scores=dict(zip(("reward", "F", "L"), row_of(line)[-3:], strict=True)),
            lines=lines[(number - 1) * LINES : number * LINES],
            number=number,
            pages=pages,
            before=before,
            after=after,
            command=shell_command("replay", run.folder, record.spec.hash[:DIGITS], encoding="utf-8"),
        )

    async def show_call(self, request: Request) -> Response:
        """A call of a model with its whole prompt."""
        run = self._find_run(request)
        record = await asyncio.to_thread(read_record, run, request.path_params["episode"])
        number = request.path_params["call"]
        if number >= len(record.calls):
            raise HTTPException(404)
        return page(
            "view_call.html",
            f"Call {number + 1}",
            run=run,
            record=record,
            call=record.calls[number],
            number=number,
            prompt=prompts(record.calls[: number + 1])[number],
        )

    async def show_replay(self, request: Request) -> Response:
        """The page that plays an episode again; it may do nothing but run its own script."""
        run = self._find_run(request)
        record = await asyncio.to_thread(read_record, run, request.path_params["episode"])
        text = await asyncio.to_thread(lambda: choose_page(record).play(record).page(None))
        return HTMLResponse(text, headers=EXPORTED)

    async def search(self, request: Request) -> Response:
        """A search in the replies or prompts of a run."""
        run = self._find_run(request)
        text = request.query_params.get("text", "")[:LONGEST]
        part = request.query_params.get("part", "")
        chosen = part if part in PARTS else PARTS[0]
        place = request.query_params.get("from", "")
        first = int(place) if re.fullmatch(r"[0-9]{1,12}", place) else 1
        result = await asyncio.to_thread(search_run, run.index, text, chosen, first) if text else None
        return page(
            "view_search.html",
            f"{run.name}: search",
            run=run,
            text=text,
            part=chosen,
            parts=PARTS,
            result=result,
            progress=await asyncio.to_thread(run.read_progress),
            following=urlencode({"text": text, "part": chosen, "from": result.following}) if result else "",
        )

    async def compare_runs(self, request: Request) -> Response:
        """Two runs compared."""
        numbers = [request.query_params.get(name, "") for name in ("first", "second")]
        chosen = [
            self._gallery.find(int(text)) if re.fullmatch(r"[0-9]{1,6}", text) else None for text in numbers
        ]
        first, second = chosen
        if first is None or second is None:
            raise HTTPException(404)
        state = await asyncio.to_thread(lambda: (first.index.read_state(), second.index.read_state()))
        work = first.work(
            ("compared", second.number),
            state,
            lambda _: compare_sides(read_runs((first.folder, second.folder))),
        )
        return await self._show_comparison(work, f"{first.name} and {second.name}", None)

    async def compare_minds(self, request: Request) -> Response:
        """Two minds of a run compared."""
        run = self._find_run(request)
        minds = await asyncio.to_thread(lambda: run.listing.count_names()["mind"])
        first, second = (request.query_params.get(name, "") for name in ("first", "second"))
        if first not in minds or second not in minds:
            raise HTTPException(404)
        work = run.work(
            ("compared", first, second),
            await asyncio.to_thread(run.index.read_state),
            lambda _: compare_sides(read_minds(run.folder, (first, second))),
        )
        return await self._show_comparison(work, f"{first} and {second}", run)

    async def _show_comparison(self, work: Work, title: str, run: ViewedRun | None) -> Response:
        if waits := await self._wait(work, f"Comparing {title}", run):
            return waits
        comparison: Comparison = work.result
        table = tabulate_differences(comparison)
        return page("view_compared.html", title, comparison=comparison, table=table, run=run)

    async def show_report(self, request: Request) -> Response:
        """The whole report, as ``otherminds report --page`` writes it."""
        run = self._find_run(request)
        work = run.find_measures()
        if work.result is None:
            return page(
                "view_wait.html", "The report", run=run, fault=work.fault or "The run is not measured yet."
            )
        findings = work.result
        drawing = run.work("report", work.state, lambda _: make_report(run, findings))
        return await self._wait(drawing, "Drawing the report", run) or HTMLResponse(
            drawing.result, headers=EXPORTED
        )

    async def show_report_episodes(self, request: Request) -> Response:
        """The list of episodes that belongs to the report."""
        run = self._find_run(request)
        work = run.find_measures()
        if work.result is None:
            return page(
                "view_wait.html", "The report", run=run, fault=work.fault or "The run is not measured yet."
            )
        findings = work.result
        return HTMLResponse(
            await asyncio.to_thread(lambda: make_episodes_page(run, findings)), headers=EXPORTED
        )

    async def _wait(self, work: Work, title: str, run: ViewedRun | None) -> Response | None:
        """A page that says that work is being done, or what is wrong with it; ``None`` if it is done."""
        for _ in range(10):
            if not work.running:
                break
            await asyncio.sleep(WAIT / 10)
        if work.running:
            return page("view_wait.html", title, run=run, fault="", again=AGAIN)
        if work.fault:
            return page("view_fault.html", "This cannot be shown", 422, fault=work.fault, run=run)
        return None

    async def tell_changes(self, request: Request) -> Response:
        """Events that tell a page when what it shows has changed."""
        run = self._find_run(request) if "run" in request.path_params else None
        events = follow_changes(lambda: self._describe_state(run), lambda: self._gallery.closed)
        return StreamingResponse(events, media_type="text/event-stream")

    def _describe_state(self, run: ViewedRun | None) -> str:
        """A short text that changes with what the page of a run, or the list of runs, shows."""
        runs = self._gallery.runs if run is None else [run]
        states = [(run.read_progress(), describe_work(run.find_measures())) for run in runs]
        return hashlib.sha256(repr(states).encode("utf-8", "backslashreplace")).hexdigest()[:16]

    async def send_look(self, request: Request) -> Response:
        """The look that the pages share with reports."""
        return Response(text_of("look.css") + text_of("report.css"), media_type="text/css")


async def follow_changes(describe: Callable[[], str], is_closed: Callable[[], bool]) -> AsyncIterator[str]:
    """The present state as an event, and again whenever it has changed, until the app ends."""
    last_state = ""
    while not is_closed():
        state = await asyncio.to_thread(describe)
        yield f"data: {state}\n\n" if state != last_state else ": still here\n\n"
        last_state = state
        await asyncio.sleep(TICK)


def read_record(run: ViewedRun, name: str) -> Record:
    """The record of the episode whose hash begins with ``name``.

    Raises:
        HTTPException: there is none.
        StudyError: its line is damaged.
    """
    place = run.index.find_place(name) if EPISODE.fullmatch(name) else None
    if place is None:
        raise HTTPException(404)
    episode, line = place
    return run.index.read_episode(line, episode).record()


def link_cell(run: ViewedRun, key: Key) -> str:
    """The address of the episodes of a cell, or of a mind where the scenario is empty."""
    scenario, mind = key
    return f"/runs/{run.number}/episodes?{urlencode(Criteria(scenario=scenario, mind=mind).words())}"


def tell_headline(work: Work, progress: RunProgress) -> str:
    """The verdicts of a run in a few words, or why there are none yet."""
    if isinstance(work.result, Findings):
        return " ".join(open_report(work.result).sentences)
    if work.fault:
        return work.fault
    if work.running:
        return f"being measured: {work.read:,} of {progress.recorded:,} episodes"
    return "not measured yet" if progress.recorded else ""


def describe_work(work: Work) -> tuple[object, ...]:
    """What a page shows of work, without the figures that change all the time."""
    return work.state, work.fault, work.running, work.read // 1000, work.ended
