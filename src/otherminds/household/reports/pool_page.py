"""Pools of household tasks as one HTML page: a table of all tasks, and each task with its map, secrets, proofs and a run.

The run shows that a task is fair: it is the episode of level 3 in the certificate, confirmed by the simulator, or else the team
plays again.

What the page shows travels as packed JSON and is shown as text. Only maps are markup, and they are made here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from otherminds.core.data import HELPER
from otherminds.core.errors import TaskError
from otherminds.core.text import plain, shell_command
from otherminds.household.epistemic.certificate import TeamEpisode, decoded
from otherminds.household.epistemic.check import RejectedError
from otherminds.household.epistemic.formula import Formula, FormulaError, depth, names, probed, show
from otherminds.household.epistemic.household_facts import Sent
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.words import Must
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.house import House
from otherminds.household.mechanics.mechanic import sound
from otherminds.household.pool.store import (
    PooledTask,
    PoolEntry,
    certificate_path,
    read_certificate,
    task_json,
    task_path,
)
from otherminds.household.proofs.episodes import LEVELS, SEEDS, TEAMS, team_episode, turn_by_turn
from otherminds.household.reports.chart import Chart
from otherminds.household.reports.map import ChartMoment, Named, elements, styles
from otherminds.household.reports.marks import AGENTS, DARK, LIGHT, Mark, Outline, Style, TextLine
from otherminds.household.reports.replay import HouseFrame, house_frame, wishes
from otherminds.household.reports.state import MapState
from otherminds.household.scenes.load import shipped_scenes
from otherminds.household.scenes.plane import bounds, footprint
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Binding, Task
from otherminds.household.tasks.load import examined
from otherminds.household.teams import PANEL
from otherminds.reports.markup import scripted

TEAM = LEVELS[-1]
"""The team whose run decides whether a task is fair."""
FOCUS = Style(size=15, bold=True)
"""The size of the names of furniture that a task is about."""


@dataclass(frozen=True)
class FairRun:
    """A run of T turns as T + 1 frames.

    ``certified`` says that its calls are those of an episode that was given, and ``fault`` is the simulator's reason to
    reject it.
    """

    frames: tuple[HouseFrame, ...]
    messages: tuple[Sent, ...]
    solved: bool
    certified: bool
    fault: str = ""


def fair_run(house: House, episodes: tuple[TeamEpisode, ...] = ()) -> FairRun:
    """The run of :data:`TEAM` among ``episodes``; without one, the team plays.

    Raises:
        InternalError: a mind of the team fails.
    """
    team_episodes = [episode for episode in episodes if episode.team == TEAM]
    goals, frames, fault = wishes(house), list[HouseFrame](), ""
    worlds = turn_by_turn(house, team_episodes[0] if team_episodes else team_episode(house, TEAM))
    world = next(worlds)
    frames.append(house_frame(world, goals, 0))
    try:
        for step, after in enumerate(worlds, 1):
            frames.append(house_frame(after, goals, step))
    except RejectedError as error:
        fault = str(error)
    happened = world.happened()
    return FairRun(tuple(frames), happened.messages, happened.solved, bool(team_episodes), fault)


class RunMap:
    """The map of a run: ``marks`` are SVG elements, and ``turns`` says which of them each frame shows, in order.

    It shows the agents, and of objects and states only those in ``named`` and those that change in the run.
    """

    def __init__(self, chart: Chart, frames: tuple[HouseFrame, ...], names: frozenset[str]) -> None:
        states = [frame.state for frame in frames]
        start = states[0]
        visible = names.union(
            *({o for o, place in state.objects.items() if place != start.objects[o]} for state in states),
            *({f for f, _ in state.turned.items() ^ start.turned.items()} for state in states),
        )
        labels: Named = {}
        numbers: dict[str, int] = {}
        self.turns: list[list[int]] = []
        for state in states:
            # The names are larger on this page than on other maps, and must not be covered.
            marks = sorted(
                ChartMoment(chart, _only(state, visible), labels).marks(),
                key=lambda mark: isinstance(mark, TextLine),
            )
            self.turns.append([numbers.setdefault(elements([mark]), len(numbers)) for mark in marks])
        self.marks = [*numbers]


def highlights(chart: Chart, goal_names: frozenset[str], bound: frozenset[str]) -> list[Mark]:
    """The outlines and names of furniture in the goal (``goal_names``) and, if not there, of furniture that mechanics bind."""
    kinds = {**dict.fromkeys(bound, "bound"), **dict.fromkeys(goal_names, "wanted")}
    words = {"bound": "bound by a mechanic", "wanted": "in the goal"}
    pieces = chart.scene.geometry.furniture
    outlines = {f: chart.view.outline(footprint(pieces[f].box)) for f in pieces if f in kinds}
    labels = chart.labels.copy()
    for outline in outlines.values():
        labels.block(bounds(outline))
    marks: list[Mark] = []
    for f, outline in outlines.items():
        marks.append(Outline(kinds[f], outline, title=f"{f}: {words[kinds[f]]}"))
        x0, y0, x1, y1 = bounds(outline)
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        place, _ = labels.place(f, FOCUS, middle, ((x1 - x0) / 2, (y1 - y0) / 2))
        marks.append(TextLine("focus-name", place, f))
    return marks


def _only(state: MapState, names: frozenset[str]) -> MapState:
    """A moment with these things alone, and agents without beliefs."""
    return MapState(
        {o: placement for o, placement in state.objects.items() if o in names},
        {entity: states for entity, states in state.turned.items() if entity in names},
        {
            agent: structs.replace(mind, objects={}, turned={}, others={})
            for agent, mind in state.agents.items()
        },
    )


def row(pooled: PooledTask) -> dict[str, Any]:
    """The columns of the table of tasks.

    ``depth`` is ``None`` if the goal cannot be read. ``cheap`` is the number of cheap teams that solve the task, ``None`` if
    they were not tried.
    """
    entry, task = pooled.entry, pooled.task
    best = task.calibration
    return {
        "id": entry.task_id,
        "title": task.title,
        "scene": task.scene_id,
        "pattern": entry.pattern,
        "category": task.category,
        "agents": task.num_agents,
        "depth": _depth(task),
        "mechanics": sorted({binding.mechanic_type for binding in task.mechanic_bindings}),
        "turns": best.turns if best else None,
        "shortest": best.proved if best else False,
        "hard": _hard(entry),
        "levels": entry.levels,
        "cheap": None if entry.cheap is None else len(entry.cheap),
    }


def about(pooled: PooledTask) -> dict[str, Any]:
    """What is known of a task without playing it; ``file`` is its file with unseen characters as JSON escapes them."""
    entry, text = pooled.entry, task_json(pooled.task)
    return {
        "seed": entry.seed,
        "structure": entry.structure,
        "sha256": entry.sha256,
        "certificate": entry.certificate,
        "verdicts": [
            [verdict.name, verdict.status, verdict.says, verdict.decisive] for verdict in entry.verdicts
        ],
        "bindings": [_binding(binding) for binding in pooled.task.mechanic_bindings],
        "task": msgspec.json.decode(text),
        "file": plain(msgspec.json.format(text, indent=2).decode()),
    }


def show_run(house: House, run: FairRun, chart: Chart) -> dict[str, Any]:
    """The goal in parts, and the run with its map: what each agent called, what was said, which parts held."""
    chains = {name: chain for name, chain in probed(house.goal).items() if not name.startswith(HELPER)}
    goals = wishes(house)
    parts = [
        *((seat, literal) for seat, literal in goals),
        *(("", chain.formula) for chain in chains.values()),
    ]
    # The shared goal comes first.
    order = sorted(range(len(parts)), key=lambda n: bool(parts[n][0]))
    bound_pairs = (
        (binding.trigger_object, binding.target_object) for binding in house.task.mechanic_bindings
    )
    bound = {name for pair in bound_pairs for name in pair}
    goal_names = {name for _, part in parts for name in names(part)}
    holdings = [[*frame.holding, *(frame.known[name] for name in chains)] for frame in run.frames]
    run_map = RunMap(chart, run.frames, _find_words(house.task) | bound)
    return {
        "goal": [[parts[n][0], _must(parts[n][1]), show(parts[n][1])] for n in order],
        "map": {
            "still": elements(highlights(chart, frozenset(goal_names), frozenset(bound))),
            "marks": run_map.marks,
            "turns": run_map.turns,
        },
        "run": {
            "certified": run.certified,
            "solved": run.solved,
            "fault": run.fault,
            "turns": [_turn(frame, house.agents) for frame in run.frames],
            "holding": [[holding[n] for n in order] for holding in holdings],
            "messages": [
                [
                    message.turn + 1,
                    house.agents.index(message.sender),
                    message.to,
                    message.text,
                    bool(message.delivered),
                    message.why,
                ]
                for message in run.messages
            ],
        },
    }


def _turn(frame: HouseFrame, agents: Sequence[str]) -> list[list[Any] | None]:
    """The call of each agent with its result; ``None`` for one that is done, and at the start."""
    acts = [frame.did.get(agent) for agent in agents]
    return [None if did is None else [did.call, did.ok, did.text] for did in acts]


def _must(formula: Formula) -> str:
    """A part of the goal as a sentence, or as a formula if it has no words."""
    try:
        return say(Must(formula))
    except FormulaError:
        return show(formula)


def _binding(binding: Binding) -> dict[str, Any]:
    """A binding in words and in the vocabulary of Juneja et al. 2026, appendix H; neither for one with a fault."""
    bound = sound([binding])
    try:
        words = [say(statement) for m, b in bound for statement in m.secrets(b)]
    except FormulaError:
        words = []
    return {
        "name": binding.mechanic_type,
        "words": words,
        "facts": [f"({' '.join(fact)})" for m, b in bound for fact in m.facts(b)],
    }


def _depth(task: Task) -> int | None:
    try:
        return depth(goal_of(task.problem_pddl))
    except TaskError:
        return None


def _hard(entry: PoolEntry) -> str:
    """``yes``, ``no``, or ``unknown``."""
    (verdict,) = [verdict for verdict in entry.verdicts if verdict.name == "hard"][:1] or (None,)
    if verdict is None or verdict.status == "unknown":
        return "unknown"
    return "yes" if verdict.proved else "no"


def _find_words(task: Task) -> frozenset[str]:
    """All words of the goals, the secrets and the start, among them the names of things."""
    secrets = [
        text for sentences in (*task.agent_secrets.values(), *task.agent_knows.values()) for text in sentences
    ]
    texts = (task.problem_pddl, *task.private_goals.values(), *secrets, *task.initial_states)
    return frozenset(re.findall(r"\w+", " ".join(texts)))


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
