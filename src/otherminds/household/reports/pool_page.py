"""Pools of household tasks as one HTML page: a table of all tasks, and each task with its map, secrets, proofs and a run.

What the page shows travels as packed JSON and is shown as text. Only maps are markup, and they are made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.core.quoting import shell_command
from otherminds.household.epistemic.certificate import TeamEpisode, decoded
from otherminds.household.pool.entry import PooledTask
from otherminds.household.pool.store import certificate_path, read_certificate, task_path
from otherminds.household.proofs.fairness import SEEDS, TEAMS
from otherminds.household.reports.chart import Chart
from otherminds.household.reports.fair_run import TEAM, fair_run
from otherminds.household.reports.marks import AGENTS, DARK, LIGHT
from otherminds.household.reports.pool_task import about, row, show_run
from otherminds.household.reports.svg import elements, styles
from otherminds.household.scenes.load import shipped_scenes
from otherminds.household.scenes.scene import Scene
from otherminds.household.tasks.load import examined
from otherminds.household.teams.panel import PANEL
from otherminds.reports.replay.standalone import scripted

SPEED, SPEEDS = 1, (0.5, 1, 2, 5)
"""Turns a second: at the start, and the choices."""
SCRIPT = (
    "replay/script/page.js",
    "otherminds.household.reports:script/pool.js",
    "replay/script/moving.js",
    "replay/script/stops.js",
    "otherminds.household.reports:script/pool_table.js",
    "otherminds.household.reports:script/pool_task.js",
)


class BrowsedPool(Struct, frozen=True):
    """A pool to be shown: its name, its tasks, and its folder; ``None`` if it is packed, and so has no certificates."""

    name: str
    tasks: tuple[PooledTask, ...]
    folder: Path | None = None


class _Proof(Struct, frozen=True):
    """The episodes of a certificate; a ``fault`` if it cannot be used; and the ``command`` that checks it."""

    episodes: tuple[TeamEpisode, ...] = ()
    fault: str = ""
    command: str = ""


def as_pool_page(pools: Sequence[BrowsedPool]) -> str:
    """The page of one or more pools.

    Raises:
        InternalError: a mind of a reference team fails.
    """
    scenes = _SceneMaps()
    tasks = [_task(pool, pooled, scenes) for pool in pools for pooled in pool.tasks]
    agents = max((task["agents"] for task in tasks if not task["fault"]), default=0)
    story = {
        "pools": [pool.name for pool in pools],
        "colours": AGENTS,
        "teams": [*TEAMS],
        "runs": len(SEEDS),
        "cheap": len(PANEL),
        "speed": SPEED,
        "scenes": scenes.shown,
        "tasks": tasks,
    }
    dark = f"@media (prefers-color-scheme: dark){{{styles(DARK, agents, '.map')}}}"
    names = ", ".join(pool.name for pool in pools)
    count = f"{len(tasks)} task{'' if len(tasks) == 1 else 's'}"
    parts = {
        "title": f"Household tasks: {names}",
        "about": f"{count}, each with its secrets, its proofs, and a run of the team {TEAM}",
        "unit": "turn",
        "stop": "message",
        "speeds": SPEEDS,
        "speed": SPEED,
        "marks": styles(LIGHT, agents, ".map") + dark,
    }
    return scripted("otherminds.household.reports:pool.html", parts, SCRIPT, {"story": story})


class _SceneMaps:
    """The still part of each map, made once a scene. ``shown`` has them by the scene's key."""

    def __init__(self) -> None:
        self.shown: dict[str, dict[str, Any]] = {}
        self._charts: dict[str, Chart] = {}

    def chart(self, key: str, scene: Scene) -> Chart:
        if key not in self._charts:
            chart = self._charts[key] = Chart(scene)
            self.shown[key] = {
                "size": chart.view.size,
                "floors": elements(chart.floors),
                "still": elements(chart.still),
            }
        return self._charts[key]


def _task(pool: BrowsedPool, pooled: PooledTask, scenes: _SceneMaps) -> dict[str, Any]:
    """All that the page shows of a task; ``fault`` says why one cannot be played, which then has no map and no run."""
    proof = _proof(pool.folder, pooled)
    fields: dict[str, Any] = {
        "pool": pool.name,
        **row(pooled),
        **about(pooled),
        "proof": [proof.fault, proof.command],
        "fault": "",
    }
    file = task_path(pool.folder, pooled.entry.task_id) if pool.folder else None
    try:
        task_file = examined(fields["task"], None, file)
        house = task_file.house()
        if house is None:
            why = "; ".join(map(str, task_file.account.faults)) or "; ".join(task_file.account.missing)
            return {**fields, "fault": f"cannot be played: {why}"}
        scene = house.scene.scene_id
        key = scene if scene in shipped_scenes() else f"{pool.name}/{scene}"
        run = fair_run(house, proof.episodes)
        return {**fields, "map_of": key, **show_run(house, run, scenes.chart(key, house.scene))}
    except TaskError as error:
        return {**fields, "fault": str(error)}


def _proof(folder: Path | None, pooled: PooledTask) -> _Proof:
    entry = pooled.entry
    if folder is None:
        return _Proof(fault="a packed pool has no certificates; verify the task file below to make one anew")
    task, file = task_path(folder, entry.task_id), certificate_path(folder, entry.task_id)
    try:
        episodes = decoded(read_certificate(folder, entry)).episodes
    except (TaskError, ValueError) as error:
        return _Proof(fault=str(error))
    return _Proof(episodes, command=shell_command("tasks", "verify", task, "--check", file, encoding="utf-8"))
