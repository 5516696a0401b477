"""What the page of a pool shows of one task, as plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from otherminds.core.data import HELPER
from otherminds.core.errors import TaskError
from otherminds.core.quoting import plain
from otherminds.household.epistemic.formula import Formula, FormulaError, depth, names, probed, show
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.words import Must
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.house import House
from otherminds.household.mechanics.mechanic import sound
from otherminds.household.pool.entry import PooledTask, PoolEntry, task_json
from otherminds.household.reports.chart import Chart
from otherminds.household.reports.fair_run import FairRun, RunMap, highlights
from otherminds.household.reports.replay import HouseFrame, wishes
from otherminds.household.reports.svg import elements
from otherminds.household.task import Binding, Task


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
