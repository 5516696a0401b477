"""A step's question to the model: the prompt, its bounded re-asks, and what is noted when they fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.data import Invalid, Message
from otherminds.core.model import ReplyRequest
from otherminds.core.thinking import UNUSABLE, Unusable
from otherminds.minds.hypothetical.forms import Form
from otherminds.minds.hypothetical.working import Working
from otherminds.minds.language.memory import one_line

MARGIN = 64
"""Tokens of the context kept free for what a chat template adds."""
LEAST = 32
"""Tokens that a reply may have in any case, however long the prompt is."""

Tell = Callable[[], list[str]]
"""What a prompt tells before it asks; called again when less of the past has room."""


class ModelQuestion(Struct, frozen=True):
    """A question to the model: its prompt, the form of the answer, and what is done without one."""

    purpose: str
    tell: Tell
    task: str
    form: Form
    kept: str


async def ask(
    work: Working, purpose: str, tell: Tell, task: str, form: Form, kept: str
) -> dict[str, Any] | None:
    """The model's answer in ``form``; see :func:`ask_each`.

    Raises:
        ProviderError: the model did not answer.
    """
    (said,) = await ask_each(work, [ModelQuestion(purpose, tell, task, form, kept)])
    return said


async def ask_each(work: Working, asked: Sequence[ModelQuestion]) -> list[dict[str, Any] | None]:
    """The model's answers to questions that are put side by side, in their order.

    Those without a usable reply are asked again together, each told why its reply before was of
    no use. After the last try an answer is ``None``, with a note of what is done instead. Prompts
    and notes do not depend on which reply comes first.

    Raises:
        ProviderError: the model did not answer.
    """
    answers: list[dict[str, Any] | None] = [None] * len(asked)
    why = [""] * len(asked)
    left = list(range(len(asked)))
    for attempt in range(work.settings.tries):
        requests = [_request(work, asked[i], why[i], attempt) for i in left]
        replies = await work.context.generate_each(requests)
        for i, reply in zip(left, replies, strict=True):
            said = asked[i].form.read(reply.text)
            if not isinstance(said, Invalid):
                answers[i], why[i] = said, ""
                continue
            why[i] = one_line(said.reason)
            work.context.note(UNUSABLE, msgspec.to_builtins(Unusable(asked[i].purpose, attempt, why[i])))
        left = [i for i in left if answers[i] is None]
        if not left:
            break
    for i in left:
        work.fall_back(asked[i].purpose, asked[i].kept)
    return answers


def _request(work: Working, asked: ModelQuestion, why: str, attempt: int) -> ReplyRequest:
    messages, room = _prompt(work, asked, why)
    decoding = work.settings.decoding
    decoding = msgspec.structs.replace(decoding, max_tokens=min(decoding.max_tokens, room))
    return ReplyRequest(messages, asked.purpose, decoding, attempt)


def _prompt(work: Working, question: ModelQuestion, why: str) -> tuple[list[Message], int]:
    """The prompt with as much of the past as has room, and the tokens left for a reply.

    Each kind of step keeps its own bound: a crowded scene takes no history from the others.
    """
    step, tell = question.purpose.partition(":")[0], question.tell
    model = work.context.model
    assert model is not None, "this mind begins with a model only"
    wanted = min(work.settings.decoding.max_tokens, model.context // 4)
    left = model.context - model.count(work.system) - MARGIN
    failed = [f"Your last reply could not be used: {why}"] if why else []
    form = f"Answer with one Python dictionary in this form: {question.form}"
    bound = work.bounds.get(step)
    while True:
        work.shown = bound
        # What changes most stands last, so that a cached prefix reaches far.
        user = "\n".join([*tell(), f"It is step {work.context.step}.", *failed, question.task, form])
        room = left - model.count(user)
        if room >= wanted or work.past <= 1 or bound == 1:
            break
        bound = max(1, min(work.past, bound or work.past) // 2)
    if bound is not None and bound != work.bounds.get(step):
        work.bounds[step] = bound
        work.context.note("context_folded", {"step": step, "shown": bound})
    return [Message("system", work.system), Message("user", user)], max(room, LEAST)
