"""An author without a language model: it imitates the form of the tasks it is shown, and writes drafts of the generator.

It speaks the turn format of :mod:`otherminds.household.authoring.turns` and knows only what its conversation says: it reads the seed
tasks, writes a draft with their traits (:mod:`.traits`), has it judged and tested, and begins anew with another draft
whenever a tool rejects it. It does not look at what became of the seed tasks. With a rate of faults, that part of its drafts
has one of the faults of :mod:`otherminds.household.authoring.planted`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from otherminds.core.data import Message
from otherminds.core.model import Decoding
from otherminds.core.seeds import derive, stream
from otherminds.household.authoring.planted.registry import plant
from otherminds.household.authoring.results import Assignment
from otherminds.household.authoring.scripted import read_rate
from otherminds.household.authoring.scripted.traits import Traits, recombine_traits, traits_of
from otherminds.household.authoring.workspace import seed_file
from otherminds.household.generating.candidate import draft_task
from otherminds.household.pool.entry import task_json
from otherminds.household.task import Task
from otherminds.models.scripted import ScriptedModel

ASKED = re.compile(r"Write a (?P<category>\w+) task whose goal has K nested to depth (?P<depth>\d+)")
SHOWN = re.compile(r"sampled_tasks/: (?P<tasks>\d+) tasks")
DRAFTS = 200
"""Seeds of the generator that are tried for one draft."""
NEXT = {"write": "judge[]", "judge": "test_task[]", "test_task": "submit_task[]"}
"""What follows a tool that did not reject the task."""


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
