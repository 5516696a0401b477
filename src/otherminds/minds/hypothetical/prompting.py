"""A step's question to the model: the blocks that prompts consist of, and bounded re-asks.

A block is a header that ends in a colon, then its lines. All text about the world itself
comes from its scaffold. The wording is our own; which step contains which block follows
Cross et al. 2025, appendices D and G.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.contracts import PlanningScaffold
from otherminds.core.data import UNUSABLE, Behaviour, Invalid, Message, Unusable
from otherminds.core.model import ReplyRequest
from otherminds.minds.hypothetical.forms import Form
from otherminds.minds.hypothetical.working import Acquaintance, Hypothesis, Row, RunningPlan, Working
from otherminds.minds.language.requests import one_line

MARGIN = 64
"""Tokens of the context kept free for the chat template."""
LEAST = 32
"""Tokens that every reply may have, however long the prompt is."""

Lines = list[str]
Tell = Callable[[], list[str]]
"""The blocks of a prompt; called again when less of the past fits."""


class ModelQuestion(Struct, frozen=True):
    """A question to the model: its prompt, the form of the answer, and what happens without one (``kept``)."""

    purpose: str
    tell: Tell
    task: str
    form: Form
    kept: str


async def ask(
    work: Working, purpose: str, tell: Tell, task: str, form: Form, fallback: str
) -> dict[str, Any] | None:
    """The model's answer in ``form``; see :func:`ask_each`.

    Raises:
        ProviderError: the model did not answer.
    """
    (answer,) = await ask_each(work, [ModelQuestion(purpose, tell, task, form, fallback)])
    return answer


async def ask_each(work: Working, questions: Sequence[ModelQuestion]) -> list[dict[str, Any] | None]:
    """The model's answers to concurrent questions, in the order of ``questions``.

    Questions without a usable reply are asked again together, with the reason. After the last try
    an answer is ``None``, and a note says what is done instead. Prompts and notes do not depend on
    the order of replies.

    Raises:
        ProviderError: the model did not answer.
    """
    answers: list[dict[str, Any] | None] = [None] * len(questions)
    why = [""] * len(questions)
    open_questions = list(range(len(questions)))
    for attempt in range(work.settings.how.tries):
        requests = [_request(work, questions[i], why[i], attempt) for i in open_questions]
        replies = await work.context.generate_each(requests)
        for i, reply in zip(open_questions, replies, strict=True):
            answer = questions[i].form.read(reply.text)
            if not isinstance(answer, Invalid):
                answers[i], why[i] = answer, ""
                continue
            why[i] = one_line(answer.reason)
            work.context.note(UNUSABLE, msgspec.to_builtins(Unusable(questions[i].purpose, attempt, why[i])))
        open_questions = [i for i in open_questions if answers[i] is None]
        if not open_questions:
            break
    for i in open_questions:
        work.fall_back(questions[i].purpose, questions[i].kept)
    return answers


def encounters(work: Working, about: Acquaintance) -> Lines:
    """The history with one partner, oldest first."""
    rows = about.rows if work.shown is None else about.rows[-work.shown :]
    return [f"Your encounters with {about.name}:", *(map(line, rows) if rows else ["- none so far"])]


def inference(about: Acquaintance) -> Lines:
    """The last encounter, without the other's part."""
    return [f"Your encounters with {about.name}:", _own(about.rows[-1])]


def line(row: Row) -> str:
    """One line of a history.

    >>> line(Row("round 5", "J", 3.0, "F"))
    "- round 5: you played 'J', your reward +3; they played 'F'"
    >>> line(Row("step 140", {"rock": 4, "paper": 1}, -1.25))
    "- step 140: you played {'rock': 4, 'paper': 1}, your reward -1.25; they played: unknown"
    """
    theirs = ": unknown" if row.theirs is None else f" {row.theirs!r}"
    return f"{_own(row)}; they played{theirs}"


def amount(reward: float) -> str:
    """A reward with its sign and at most three decimals.

    >>> amount(3.57142), amount(-1.2), amount(-0.0001), amount(20)
    ('+3.571', '-1.2', '0', '+20')
    """
    digits = f"{reward:+.3f}".rstrip("0").rstrip(".")
    return "0" if digits in ("+0", "-0") else digits


def earlier(header: str, about: Acquaintance, k: int) -> Lines:
    """The ``k`` best hypotheses or own strategies so far, of positive value (appendices D.3, step 3, and F)."""
    best = about.stream.top(k)
    return [header, *(f"- [{h.value:.2f}] {h.text}" for h in best)] if best else []


def hypothesis(about: Acquaintance, base: Hypothesis | None) -> Lines:
    """The hypothesis that an answer is based on."""
    return [f"The hypothesis about {about.name}:", base.text] if base is not None else []


def hypotheses(work: Working) -> Lines:
    """The hypotheses about all partners, and their values (appendix G.1.1)."""
    followed = [(about, about.used) for about in work.others.values()]
    values = [f"{about.name} {base.value:.2f}" for about, base in followed if base is not None]
    worth = f"What these hypotheses are worth so far: {', '.join(values)}; above {work.settings.credit.threshold:g} one is validated."
    return [
        *(line for about, base in followed for line in hypothesis(about, base)),
        *([worth] if values else []),
    ]


def prediction(about: Acquaintance, predicted: Any) -> Lines:
    """A prediction of a partner, written."""
    return [] if predicted is None else [f"Your prediction of what {about.name} will do:", repr(predicted)]


def totals(work: Working) -> Lines:
    """The sum of all rewards, with ``manner.totals``."""
    return [f"Your rewards so far: {amount(work.total)}"] if work.manner.totals else []


def considered(work: Working, words: str, played: Behaviour | None) -> Lines:
    """An own strategy, and what it meant for the last encounter."""
    lines = [f"The strategy considered: {words}"]
    if played is not None:
        lines.append(f"The behaviour considered: {work.scaffold.written(played, work.brief.seat)!r}")
    return lines


def scene(work: Working, planning: PlanningScaffold) -> Lines:
    """What is in view, and what memory holds."""
    remembered = list(work.memory.values())
    latest = remembered[-work.shown :] if work.shown is not None else remembered
    return [*planning.scene(work.moment).splitlines(), *planning.recall(latest, work.moment).splitlines()]


def target(work: Working) -> Lines:
    """The target of a plan."""
    lines, goal = Lines(), work.target
    if goal.seek:
        lines.append(f"Players to seek: {[work.scaffold.name(seat) for seat in goal.seek]}")
    if goal.strategy:
        lines.append(f"Your strategy: {goal.strategy}")
    if goal.behaviour is not None:
        behaviour = goal.written
        behaviour = work.scaffold.written(goal.behaviour, work.brief.seat) if behaviour is None else behaviour
        lines.append(f"Your next behaviour: {behaviour!r}")
    return lines


def outcomes(plan: RunningPlan | None) -> Lines:
    """How the last plan went, by call."""
    return ["What came of your last plan:", *plan.outcomes()] if plan is not None and plan.begun else []


def feedback(work: Working) -> Lines:
    """The last feedback."""
    return ["Feedback on what you did last:", work.feedback] if work.feedback else []


def can_play(work: Working, about: Acquaintance | None = None) -> Lines:
    """The behaviours to choose from: the partner's, then the seat's own."""
    lines = []
    if about is not None and not work.manner.judged:
        lines.append(f"What they can play: {list(work.scaffold.choices(about.seat))!r}")
    if work.manner.choice == "behaviour":
        lines.append(f"What you can play: {list(work.scaffold.choices(work.brief.seat))!r}")
    return lines


def worked_examples(examples: Iterable[tuple[str, Any]]) -> Lines:
    """Worked examples: thoughts, then the answer in its form."""
    return [
        line
        for number, (thoughts, form) in enumerate(examples, 1)
        for line in (f"Example {number}:", thoughts, str(form))
    ]


def _request(work: Working, question: ModelQuestion, why: str, attempt: int) -> ReplyRequest:
    messages, room = _prompt(work, question, why)
    decoding = work.settings.how.decoding
    decoding = msgspec.structs.replace(decoding, max_tokens=min(decoding.max_tokens, room))
    return ReplyRequest(messages, question.purpose, decoding, attempt)


def _prompt(work: Working, question: ModelQuestion, why: str) -> tuple[list[Message], int]:
    """The prompt with as much of the past as fits, and the tokens left for a reply.

    Each kind of step keeps its own bound: a crowded scene does not shorten the others' history.
    """
    step, tell = question.purpose.partition(":")[0], question.tell
    model = work.context.model
    assert model is not None, "this mind begins with a model only"
    reply_tokens = min(work.settings.how.decoding.max_tokens, model.context // 4)
    free = model.context - model.count(work.system) - MARGIN
    failed = [f"Your last reply could not be used: {why}"] if why else []
    form = f"Answer with one Python dictionary in this form: {question.form}"
    bound = work.bounds.get(step)
    while True:
        work.shown = bound
        # What changes most comes last, for a long cached prefix.
        user = "\n".join([*tell(), f"It is step {work.context.step}.", *failed, question.task, form])
        room = free - model.count(user)
        if room >= reply_tokens or work.past <= 1 or bound == 1:
            break
        bound = max(1, min(work.past, bound or work.past) // 2)
    if bound is not None and bound != work.bounds.get(step):
        work.bounds[step] = bound
        work.context.note("context_folded", {"step": step, "shown": bound})
    return [Message("system", work.system), Message("user", user)], max(room, LEAST)


def _own(row: Row) -> str:
    return f"- {row.when}: you played {row.own!r}, your reward {amount(row.reward)}"
