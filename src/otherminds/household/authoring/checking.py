"""The checks of an authored task that need no model: its form, its depth, its secrets, a plan, and the verifier's verdicts.

They come before the judges and are cheaper (Juneja et al. 2026, section 4.3): structure, names and bindings
(:mod:`~otherminds.household.tasks.check`), the depth that was asked for, the linter of secrets, and then what is proved. The
paper plays each candidate with all secrets shown to all agents, and rejects it if that fails. Here a central planner, which
knows everything, looks for the shortest plan; the simulator replays it, and an episode gets twice its turns. The standard
condition is played by the reference teams (:mod:`~otherminds.household.proofs.episodes`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.core.text import plain, quote_name
from otherminds.core.user_files import json_value
from otherminds.household.authoring.results import Assignment, CalibrationReport, CheckReport
from otherminds.household.authoring.secret_linter import secret_findings
from otherminds.household.calibrate import in_words
from otherminds.household.epistemic import words
from otherminds.household.epistemic.forms import canonical, forms, private_forms
from otherminds.household.epistemic.formula import FormulaError, depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.words.free.messages import told_freely
from otherminds.household.house import House
from otherminds.household.planning.planned import CalibrationResult, planned
from otherminds.household.pool.store import PATTERNS, Pattern, task_json
from otherminds.household.proofs.episodes import SEEDS
from otherminds.household.proofs.verdicts import verified
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Task
from otherminds.household.tasks.load import examined

SECONDS = 1.0
"""The longest processor time of a search of the planner; what needs more is not found."""


class CalibratedTask(NamedTuple):
    """A task with its plan, if there is one, and what is proved about it; ``certificate`` is JSON."""

    task: Task
    certificate: bytes
    verdicts: tuple[ProofVerdict, ...]
    report: CalibrationReport


def calibrate_task(task: Task) -> CalibratedTask:
    """The task in its shipped scene with the shortest plan that is found, and all verdicts.

    A calibration that the task has is replaced. Equal tasks are calibrated once while few others are.

    Raises:
        StudyError: the planner is not installed.
        TaskError: the scene is not shipped, or the goal has a literal that plans or proofs do not have.
    """
    return _calibrate_json(task_json(structs.replace(task, calibration=None)))


@lru_cache(maxsize=8)
def _calibrate_json(raw: bytes) -> CalibratedTask:
    task = msgspec.json.decode(raw, type=Task)
    house = House(task, load_scene(task.scene_id))
    planning = planned(house, SECONDS, quick=True)
    # As it is stored: the evidence may depend on the order of names, which is sorted there.
    task = msgspec.json.decode(task_json(structs.replace(task, calibration=planning.calibration)), type=Task)
    proved = verified(House(task, house.scene), SECONDS)
    says = tuple(_describe_calibration(planning, proved.levels))
    report = CalibrationReport(
        planning.calibration is not None,
        planning.calibration.turns if planning.calibration else 0,
        proved.levels,
        says,
    )
    return CalibratedTask(task, msgspec.json.encode(proved.certificate), proved.verdicts, report)


def _describe_calibration(planning: CalibrationResult, levels: dict[str, int]) -> Iterator[str]:
    plan = planning.calibration
    if plan is None:
        yield f"with all secrets public, no plan reaches the goal: {planning.why}"
    else:
        yield f"with all secrets public: {in_words(plan)}"
        yield from (f"turn {turn}: {'; '.join(calls)}" for turn, calls in enumerate(plan.plan, 1))
    yield from (
        f"{team}: solves {solved} of {len(SEEDS)} runs with private secrets"
        for team, solved in levels.items()
    )


FILE = "working_task.json"
LONGEST_NAME, LONGEST_TEXT = 120, 2000
"""Characters of an id or a title, and of a description or a secret; those of the generator have 27 and 138 at most."""
NAME = re.compile(r"\b(?!agent_)[a-z]\w*_\d+\b")
"""The name of a thing or a room."""


class CheckedTask(NamedTuple):
    """A task that was read, its house, and the report; neither task nor house if the report has faults."""

    task: Task | None
    house: House | None
    report: CheckReport


@lru_cache(maxsize=8)
def check_text(text: str, assignment: Assignment) -> CheckedTask:
    """The checks of a task file: all faults at once, or else the findings about its secrets and all verdicts.

    Secrets without formulas (``agent_knows``) get those that their sentences state, if every sentence is understood.
    Cached: the tools of an author check the same text again.

    Raises:
        StudyError: the planner is not installed.
    """
    try:
        examination = examined(json_value(text.encode("utf-8", "replace"), FILE, TaskError))
        faults = [
            *map(str, examination.account.faults),
            *_scene(examination.task, examination.account.missing),
            *_unread(examination.task),
            *_texts(examination.task),
        ]
        if faults:
            return _faulty(*faults)
        task, unread = with_formulas(examination.task)
        if faults := [
            *unread,
            *_words_and_formulas(task),
            *_find_unnamed(task),
            *_not_as_asked(task, assignment),
        ]:
            return _faulty(*faults)
        again = examined(msgspec.json.decode(task_json(task)))
        if again.account.faults or (house := again.house()) is None:
            return _faulty(*map(str, again.account.faults))
        verdicts = calibrate_task(task).verdicts
    except TaskError as error:
        return _faulty(str(error))
    return CheckedTask(task, house, CheckReport((), secret_findings(task), verdicts))


def with_formulas(task: Task) -> tuple[Task, tuple[str, ...]]:
    """``task`` with the formulas of its secrets, read from their words if it has none; and faults of unread secrets."""
    if task.verified:
        return task, ()
    faults: list[str] = []
    formulas_by_agent: dict[str, tuple[str, ...]] = {}
    for agent, secrets in task.agent_secrets.items():
        for k, secret in enumerate(secrets):
            if not (formulas := read_secret_formulas(secret, agent, task.agents)):
                text = "its words are not understood, and there is no agent_knows; write the formulas, or plainer words"
                faults.append(f"agent_secrets.{agent}[{k}]: {text}")
            formulas_by_agent[agent] = (*formulas_by_agent.get(agent, ()), *formulas)
    return structs.replace(task, agent_knows=formulas_by_agent), tuple(faults)


def read_secret_formulas(secret: str, agent: str, agents: tuple[str, ...]) -> tuple[str, ...]:
    """The formulas that a secret of ``agent`` states; none if its words are not understood as a whole.

    >>> read_secret_formulas("The kitchen_1 is closed to you.", "agent_0", ("agent_0", "agent_1"))
    ()
    >>> read_secret_formulas("You cannot enter kitchen_1.", "agent_0", ("agent_0", "agent_1"))
    ('(is_restricted agent_0 kitchen_1)',)
    """
    formulas: list[str] = []
    for statement in told_freely(secret, agent):
        formulas += (
            private_forms(statement.formula)
            if isinstance(statement, words.Private)
            else forms(statement, agents)
        )
    return tuple(formulas)


def _words_and_formulas(task: Task) -> Iterator[str]:
    """What understood secrets say that no formula of their agent says."""
    for agent, secrets in task.agent_secrets.items():
        formulas = {form for text in task.agent_knows.get(agent, ()) for form in canonical(text)}
        for k, secret in enumerate(secrets):
            for form in read_secret_formulas(secret, agent, task.agents):
                if form not in formulas:
                    yield f"agent_secrets.{agent}[{k}]: it says {form}, and agent_knows.{agent} does not; let both agree"


def _find_unnamed(task: Task) -> Iterator[str]:
    """Things and rooms in formulas of an agent that neither its understood secrets state nor its others name."""
    for agent, formulas in task.agent_knows.items():
        secrets = task.agent_secrets.get(agent, ())
        stated_forms = {
            form for secret in secrets for form in read_secret_formulas(secret, agent, task.agents)
        }
        secret_names = {name for secret in secrets for name in NAME.findall(secret)}
        for k, text in enumerate(formulas):
            forms_of = [form for form in canonical(text) if form not in stated_forms]
            for name in dict.fromkeys(name for form in forms_of for name in NAME.findall(form)):
                if name not in secret_names:
                    yield f"agent_knows.{agent}[{k}]: no secret of {agent} names {name}; name it there"


def _unread(task: Task) -> Iterator[str]:
    """Fields that no check and no judge reads, and that an author could fill with anything."""
    unread = ["golden_trajectory"] if task.golden_trajectory else []
    for place in (*unread, *task.release):
        yield f"{quote_name(place)}: an authored task has only the fields of template.json and agent_knows; take it out"


def _texts(task: Task) -> Iterator[str]:
    """Texts that are too long, or have characters that are not shown."""
    lines = {name: (getattr(task, name), LONGEST_NAME) for name in ("task_id", "title", "episode_id")}
    for agent, secrets in task.agent_secrets.items():
        lines |= {f"agent_secrets.{agent}[{k}]": (text, LONGEST_TEXT) for k, text in enumerate(secrets)}
    for place, (text, longest) in (lines | {"task": (task.task, LONGEST_TEXT)}).items():
        if len(text) > longest:
            yield f"{place}: it has {len(text)} characters; write {longest} at most"
        if plain(text) != text or (place in lines and len(text.splitlines()) > 1):
            yield f"{place}: it has characters that are not shown, or several lines; write plain text"


def _scene(task: Task, missing: tuple[str, ...]) -> Iterator[str]:
    if any(name.startswith("scene ") for name in missing):
        yield f"scene_id: no scene is called {quote_name(task.scene_id)}; keep the one of {FILE} or draw another with new_scene"


def _not_as_asked(task: Task, assignment: Assignment) -> Iterator[str]:
    if task.category != assignment.category:
        yield f"category: {assignment.category} is asked for, and it is {task.category}"
    if task.category == "mixed" and not task.private_goals:
        yield "private_goals: a mixed task has a private goal of at least one agent; write one"
    if (goal_depth := depth(goal_of(task.problem_pddl))) != assignment.depth:
        yield f"problem_pddl: a goal of depth {assignment.depth} is asked for, and this has depth {goal_depth}; nest K so deep"
    if task.pattern not in PATTERNS:
        yield f"pattern: it is {quote_name(task.pattern)}; name the functional pattern of the task: {', '.join(PATTERNS)}"


def _faulty(*faults: str) -> CheckedTask:
    return CheckedTask(None, None, CheckReport(faults))


PATTERN: Pattern = "gated"
"""Checks ask for a functional pattern, which a task that nobody was asked for need not have; no verdict depends on it."""


def checks_of(task: Task) -> CheckedTask:
    """The faults of a task, or else the findings about its secrets and all verdicts; about 0.2 s.

    The task is checked as it is, without an assignment: its own category and depth are what is asked for.

    Raises:
        StudyError: the planner is not installed.
    """
    try:
        deep = depth(goal_of(task.problem_pddl))
    except FormulaError:
        deep = 0  # the goal is a fault, and its depth is not looked at
    task_with_pattern = structs.replace(
        task, pattern=task.pattern or PATTERN, calibration=None, golden_trajectory=(), release={}
    )
    return check_text(task_json(task_with_pattern).decode(), Assignment(task.category, deep, 0))
