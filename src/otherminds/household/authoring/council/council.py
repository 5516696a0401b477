"""The council: judges, two or more as a rule, which judge a task independently of one another."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.core.seat_context import side_by_side
from otherminds.household.authoring.council.prompt import judge_prompt, reply_schema
from otherminds.household.authoring.council.reading import read_judgement
from otherminds.household.authoring.council.rules import Rule
from otherminds.household.authoring.results import CouncilReport, Judgement
from otherminds.household.house import House
from otherminds.household.task import Task
from otherminds.studies.outside import CallSession

ATTEMPTS = 3
"""Replies of a judge about one task before its judgement is invalid."""
MAX_TOKENS, MIN_TOKENS = 2048, 768
"""The longest reply, in tokens, and the room that a reply needs at least in a model's context."""
LEAST = 2
"""The judges that a council has at least."""
PURPOSE = "judgement"


class Council:
    """The judges, each a session with a model, and the name of the rule by which they accept.

    Raises:
        StudyError: there are fewer than two judges, or there is no such rule.
    """

    def __init__(self, judges: Sequence[CallSession], rule: str = "paper") -> None:
        if len(judges) < LEAST:
            raise StudyError(
                f"a council has at least {LEAST} judges, and this has {len(judges)}; name another"
            )
        self.judges, self.rule = tuple(judges), Rule(rule)

    async def judged(self, task: Task, house: House | None, item: int) -> CouncilReport:
        """The judgements of ``task``, and whether the rule accepts it.

        ``item`` is the number of the judgement, from 0: the key of its calls. ``house`` is ``None`` for a task with faults.

        Raises:
            ProviderError: the service of a judge does not answer.
            BudgetSpentError: a limit is reached.
        """
        found = await side_by_side(judgement(judge, task, house, item) for judge in self.judges)
        return self.rule.decide(found, task)


async def judgement(judge: CallSession, task: Task, house: House | None, item: int) -> Judgement:
    """The judgement of one judge; ``invalid`` after :data:`ATTEMPTS` replies that cannot be read.

    Raises:
        ProviderError: the judge's service does not answer.
        BudgetSpentError: a limit is reached.
    """
    schema = reply_schema(task.category)
    name, why = judge.model.spec, ""
    for attempt in range(ATTEMPTS):
        prompt = judge_prompt(task, house, why)
        size = judge.model.count(prompt)
        if (room := judge.model.context - size) < MIN_TOKENS:
            why = f"a prompt of {size} tokens and its reply do not fit into {judge.model.context} tokens of context"
            return Judgement(name, invalid=why)
        decoding = Decoding(max_tokens=min(MAX_TOKENS, room), schema=schema)
        reply = await judge.context(item).generate((Message("user", prompt),), PURPOSE, decoding, attempt)
        found = read_judgement(reply.text, task.category, name)
        if isinstance(found, Judgement):
            return found
        why = found.reason
    return Judgement(name, invalid=f"{ATTEMPTS} replies could not be read; the last: {why}")
