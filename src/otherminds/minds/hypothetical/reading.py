"""A step's question to the model: the prompt, its bounded re-asks, and what is noted when they fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from otherminds.core.data import Invalid, Message
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


async def ask(
    work: Working, purpose: str, tell: Tell, task: str, form: Form, kept: str
) -> dict[str, Any] | None:
    """The model's answer in ``form``; ``None`` after the last try, with a note that ``kept`` is what is done.

    A re-ask says why the reply before it was of no use.

    Raises:
        ProviderError: the model did not answer.
    """
    why = ""
    for attempt in range(work.settings.tries):
        messages, room = _prompt(work, purpose.partition(":")[0], tell, task, form, why)
        decoding = msgspec.structs.replace(
            work.settings.decoding, max_tokens=min(work.settings.decoding.max_tokens, room)
        )
        reply = await work.bench.generate(messages, purpose, decoding, attempt)
        said = form.read(reply.text)
        if not isinstance(said, Invalid):
            return said
        why = one_line(said.reason)
        work.bench.note(UNUSABLE, msgspec.to_builtins(Unusable(purpose, attempt, why)))
    work.fall_back(purpose, kept)
    return None


def _prompt(
    work: Working, step: str, tell: Tell, task: str, form: Form, why: str
) -> tuple[list[Message], int]:
    """The prompt with as much of the past as has room, and the tokens left for a reply.

    Each kind of step keeps its own bound: a crowded scene takes no history from the others.
    """
    model = work.bench.model
    assert model is not None, "this mind begins with a model only"
    wanted = min(work.settings.decoding.max_tokens, model.context // 4)
    left = model.context - model.count(work.system) - MARGIN
    failed = [f"Your last reply could not be used: {why}"] if why else []
    asked = [*failed, task, f"Answer with one Python dictionary in this form: {form}"]
    bound = work.bounds.get(step)
    while True:
        work.shown = bound
        # What changes most stands last, so that a cached prefix reaches far.
        user = "\n".join([*tell(), f"It is step {work.bench.step}.", *asked])
        room = left - model.count(user)
        if room >= wanted or work.past <= 1 or bound == 1:
            break
        bound = max(1, min(work.past, bound or work.past) // 2)
    if bound is not None and bound != work.bounds.get(step):
        work.bounds[step] = bound
        work.bench.note("context_folded", {"step": step, "shown": bound})
    return [Message("system", work.system), Message("user", user)], max(room, LEAST)
