"""An author and a judge without a language model.

The author imitates the form of the tasks it is shown, and writes drafts of the generator. It speaks the turn format of
:mod:`~otherminds.household.authoring.conversation` and knows only what its conversation says: it reads the seed tasks, writes
a draft with their traits, has it judged and tested, and begins anew with another draft whenever a tool rejects it. It does not
look at what became of the seed tasks. With a rate of faults, that part of its drafts has one of the faults of
:mod:`~otherminds.household.authoring.planted`.

The judge reads the task out of its prompt and scores it by linter and verdicts. Each criterion is turned into its opposite
with a stated probability, by the seed of the call, so that two judges err independently of each other. Where no check says
anything about a criterion, the judge is content."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from otherminds.core.data import Message
from otherminds.core.encoding import derive, stream
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding, Model
from otherminds.household.authoring.checking import checks_of
from otherminds.household.authoring.findings import Evidence, evidence
from otherminds.household.authoring.judge_prompt import TASK, block_of, rubrics
from otherminds.household.authoring.planted import plant
from otherminds.household.authoring.results import Assignment
from otherminds.household.authoring.workspace import seed_file
from otherminds.household.generating.candidate import draft_task
from otherminds.household.generating.properties import HIDDEN, HIDING, LINKS, PAIR, TaskProperties, fits
from otherminds.household.pool.store import PATTERNS, Pattern, task_json
from otherminds.household.task import Task
from otherminds.models.scripted import ScriptedModel

T = TypeVar("T")
MUTATION = 0.15
"""The probability that a trait is drawn at random and not taken from a task that was shown."""
AGENTS = (PAIR, PAIR + 1)


class Traits(Struct, frozen=True):
    """The form of a task.

    ``bottleneck``: an agent that is told no goal of the team, and has one message, is between two agents of which the
    first cannot message the second.
    """

    pattern: Pattern
    agents: int
    links: bool
    hidden: str
    bottleneck: bool


def traits_of(task: Task) -> Traits | None:
    """The traits of a task; ``None`` if it does not say which pattern it has."""
    if task.pattern not in PATTERNS:
        return None
    pattern = PATTERNS[PATTERNS.index(task.pattern)]
    links = LINKS in task.active_mechanics
    hidden = next((mechanic for mechanic in HIDDEN if mechanic in task.active_mechanics), "")
    return Traits(pattern, task.num_agents, links, hidden, _bottleneck(task))


def _bottleneck(task: Task) -> bool:
    limits = {
        agent: limit for binding in task.mechanic_bindings for agent, limit in binding.message_limits.items()
    }
    links = {agent: to for binding in task.mechanic_bindings for agent, to in binding.allowed_targets.items()}
    aware = [text for texts in task.agent_knows.values() for text in texts if text.startswith("(K ")]
    for between, (receiver, *further) in links.items():
        goals = [text for text in task.agent_knows.get(between, ()) if text.startswith("(goal (is_")]
        # A goal whose actor is said to know it takes no message.
        idle = all(any(text.endswith(f" {goal})") for text in aware) for goal in goals)
        senders = [sender for sender, to in links.items() if between in to and receiver not in (sender, *to)]
        if limits.get(between) == 1 and idle and senders and not further:
            return True
    return False


def recombine_traits(
    draw: random.Random, examples: Sequence[Traits], assignment: Assignment
) -> TaskProperties:
    """What to write: each trait is that of one of ``examples``, or with :data:`MUTATION` drawn at random.

    Without tasks to imitate, what is not assigned is left to the generator.
    """
    mixed = assignment.category == "mixed"
    patterns: list[Pattern] = (
        ["mixed"] if mixed else [pattern_name for pattern_name in PATTERNS if pattern_name != "mixed"]
    )
    properties = TaskProperties(
        pattern="mixed" if mixed else None, category=assignment.category, depth=assignment.depth
    )
    if not examples:
        return properties
    imitated: list[Pattern] = [traits.pattern for traits in examples if traits.pattern in patterns]
    pattern: Pattern = _one(draw, imitated, patterns)
    agents = max(_one(draw, [traits.agents for traits in examples], list(AGENTS)), assignment.depth)
    if not fits(pattern, agents, assignment.depth):
        agents = PAIR + 1
    if not fits(pattern, agents, assignment.depth):
        pattern = draw.choice(
            [pattern_name for pattern_name in patterns if fits(pattern_name, agents, assignment.depth)]
        )
    several = agents > PAIR
    bottleneck = several and _one(draw, [traits.bottleneck for traits in examples], [False, True])
    links = several and (bottleneck or _one(draw, [traits.links for traits in examples], [False, True]))
    hidden = _one(draw, [traits.hidden for traits in examples], ["", *HIDDEN]) if pattern in HIDING else ""
    mechanics = tuple(sorted({hidden, LINKS if links else ""} - {""}))
    return TaskProperties(
        pattern, assignment.category, assignment.depth, agents, mechanics, bottleneck or None
    )


def _one(draw: random.Random, examples: Sequence[T], free: Sequence[T]) -> T:
    return draw.choice(free if not examples or draw.random() < MUTATION else examples)


ASKED = re.compile(r"Write a (?P<category>\w+) task whose goal has K nested to depth (?P<depth>\d+)")
SHOWN = re.compile(r"sampled_tasks/: (?P<tasks>\d+) tasks")
DRAFTS = 200
"""Seeds of the generator that are tried for one draft."""
NEXT = {"write": "judge[]", "judge": "test_task[]", "test_task": "submit_task[]"}
"""What follows a tool that did not reject the task."""


def read_rate(spec: str, argument: str) -> float:
    """The rate in ``argument`` of the model ``spec``; 0 for an empty one.

    Raises:
        StudyError: it is no number between 0 and 1.
    """
    try:
        rate = float(argument or 0)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise StudyError(f"{spec}:{argument}: the rate of faults is a number from 0 to 1")
    return rate


def open_author(argument: str) -> ScriptedModel:
    """``scripted_author`` or ``scripted_author:RATE``; ``RATE`` is the part of drafts with a fault, 0 by default.

    Raises:
        StudyError: the rate is no number between 0 and 1.
    """
    rate = read_rate("scripted_author", argument)

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        return _Author(messages, decoding.seed, rate).reply()

    return ScriptedModel(reply, spec=f"scripted_author:{argument}" if argument else "scripted_author")


class _Author:
    """One reply in a conversation."""

    def __init__(self, messages: Sequence[Message], seed: int, rate: float) -> None:
        self._first = next(message.content for message in messages if message.role == "user")
        texts = [message.content for message in messages[2:]]
        self._turns = list(zip(texts[::2], texts[1::2], strict=True))
        self._seed, self._rate = seed, rate

    def reply(self) -> str:
        """A thought and an action."""
        announcement = SHOWN.search(self._first)
        seeds = int(announcement["tasks"]) if announcement else 0
        if len(self._turns) < seeds:
            return _turn("I look at what others wrote.", f"read[{seed_file(len(self._turns) + 1)}]")
        last, answer = self._turns[-1] if self._turns else ("", "")
        tool = last.rpartition("Action: ")[2].partition("[")[0]
        if tool in NEXT and "not passed" not in answer.partition("\n")[0]:
            return _turn("Nothing was rejected; the next check.", NEXT[tool])
        task = self._draft([traits for _, text in self._turns[:seeds] if (traits := _traits(text))])
        if task is None:
            return _turn("No house fits; I try once more.", "read[working_task.json]")
        return _turn("I write a task of this form.", f"write[{task_json(task).decode()}]")

    def _draft(self, examples: Sequence[Traits]) -> Task | None:
        """A draft of what is assigned, in the form of the tasks shown; ``None`` if no seed gives one."""
        request = ASKED.search(self._first)
        assert request, "the first message has the assignment"
        assignment = msgspec.convert(
            {"category": request["category"], "depth": int(request["depth"]), "seed": self._seed}, Assignment
        )
        draw = stream(self._seed, "scripted author")
        for number in range(DRAFTS):
            task = draft_task(
                derive(self._seed, "draft", number), recombine_traits(draw, examples, assignment)
            )
            if task is not None:
                return (plant(task, draw) or task) if draw.random() < self._rate else task
        return None


def _traits(text: str) -> Traits | None:
    """The traits of the task in a file of the workspace; ``None`` if it was cut or has no pattern."""
    try:
        return traits_of(msgspec.convert(msgspec.json.decode(text)["task"], Task))
    except (msgspec.MsgspecError, KeyError, TypeError):
        return None


def _turn(thought: str, action: str) -> str:
    return f"Thought: {thought}\nAction: {action}"


GOOD, BAD = 0.9, 0.2
"""The scores that it gives."""
WORDS = 14
"""Words of a reasoning: fewer than 15, as the prompt asks."""


def open_judge(argument: str) -> Model:
    """The judge ``scripted_judge:RATE``; the rate is 0 without one.

    >>> open_judge("0.1").spec
    'scripted_judge:0.1'

    Raises:
        StudyError: ``argument`` is not a number from 0 to 1.
    """
    rate = read_rate("scripted_judge", argument)

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        data = block_of(TASK, messages[-1].content)
        if data is None:
            return "There is no task to judge."
        return _judge_task(msgspec.convert(data, Task), rate, decoding.seed)

    return ScriptedModel(reply, spec=f"scripted_judge:{argument}" if argument else "scripted_judge")


def _judge_task(task: Task, rate: float, seed: int) -> str:
    evidence_by_criterion = evidence(checks_of(task).report, task.category)
    scores: dict[str, object] = {}
    for rubric in rubrics(task.category):
        beside = evidence_by_criterion[rubric.criterion]
        wrong = stream(seed, "judge", rubric.criterion).random() < rate
        good = beside.holds != wrong
        scores[rubric.criterion] = {
            "score": GOOD if good else BAD,
            "reasoning": _reason(beside, good),
            "quote": _line(task, rubric.places),
        }
    fixes = [text for proof in evidence_by_criterion.values() for text in proof.against]
    overall = "The checks find nothing." if not fixes else "The checks contradict it."
    return json.dumps({**scores, "overall_reasoning": overall, "required_fixes": fixes})


def _reason(beside: Evidence, good: bool) -> str:
    if good == beside.holds:
        text = "; ".join(beside.against) or "no check contradicts it"
    else:
        text = "it seems to be met" if good else "it does not seem to be met"
    return " ".join(text.split()[:WORDS])


def _line(task: Task, places: tuple[str, ...]) -> str:
    """A text of the task for a criterion about ``places``: a secret, the description, or the formal goal."""
    secrets = [text for texts in task.agent_secrets.values() for text in texts]
    if "agent_secrets" in places and secrets:
        return secrets[0]
    return task.task if "task" in places else task.problem_pddl
