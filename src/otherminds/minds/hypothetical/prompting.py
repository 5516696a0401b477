"""The blocks that prompts are made of: a header that ends in a colon, then its lines.

Every step of the pipeline tells with these what it needs told; all that is said of the
world itself comes from its scaffold. The wording is our own; what is told to which step
follows Cross et al. 2025, appendices D and G.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from otherminds.core.data import Behaviour
from otherminds.minds.hypothetical.hypotheses import Hypothesis
from otherminds.minds.hypothetical.working import Acquaintance, EncounterTarget, Row, RunningPlan, Working

Lines = list[str]


def encounters(work: Working, about: Acquaintance, newest: int | None = None) -> Lines:
    """The history with one partner, oldest first: the ``newest`` ones, all where room is."""
    bounds = [bound for bound in (newest, work.shown) if bound is not None]
    rows = about.rows[-min(bounds) :] if bounds else about.rows
    return [f"Your encounters with {about.name}:", *(map(told, rows) if rows else ["- none so far"])]


def inference(about: Acquaintance) -> Lines:
    """The encounter that is to be understood: its line ends where the other's part would stand."""
    row = about.rows[-1]
    return [f"Your encounters with {about.name}:", _own(row)]


def told(row: Row) -> str:
    """One line of a history.

    >>> told(Row("round 5", "J", 3.0, "F"))
    "- round 5: you played 'J', your reward +3; they played 'F'"
    >>> told(Row("step 140", {"rock": 4, "paper": 1}, -1.25))
    "- step 140: you played {'rock': 4, 'paper': 1}, your reward -1.25; they played: unknown"
    """
    theirs = ": unknown" if row.theirs is None else f" {row.theirs!r}"
    return f"{_own(row)}; they played{theirs}"


def amount(reward: float) -> str:
    """A reward with its sign and at most three decimals.

    >>> amount(3.57142), amount(-1.2), amount(-0.0001), amount(20)
    ('+3.571', '-1.2', '0', '+20')
    """
    shown = f"{reward:+.3f}".rstrip("0").rstrip(".")
    return "0" if shown in ("+0", "-0") else shown


def earlier(about: Acquaintance, k: int) -> Lines:
    """The ``k`` best hypotheses so far, those of positive value (appendix D.3, step 3)."""
    return _valued(f"Your earlier hypotheses about {about.name}:", about.stream.top(k))


def earlier_own(about: Acquaintance, k: int) -> Lines:
    """The ``k`` best own strategies so far, those of positive value (appendix F)."""
    return _valued("Your earlier strategies:", about.stream.top(k))


def hypothesis(about: Acquaintance, held: Hypothesis | None) -> Lines:
    """The hypothesis that an answer is to go by."""
    return [f"The hypothesis about {about.name}:", held.text] if held is not None else []


def hypotheses(work: Working) -> Lines:
    """What is thought of everyone who was met, and what that is worth so far (appendix G.1.1)."""
    held = [(about, about.used) for about in work.others.values()]
    values = [f"{about.name} {used.value:.2f}" for about, used in held if used is not None]
    worth = f"What these hypotheses are worth so far: {', '.join(values)}; above {work.settings.credit.threshold:g} one is validated."
    return [*(line for about, used in held for line in hypothesis(about, used)), *([worth] if values else [])]


def prediction(about: Acquaintance, said: Any) -> Lines:
    """What a partner is, or was, taken to do next, as it is written."""
    return [] if said is None else [f"Your prediction of what {about.name} will do:", repr(said)]


def totals(work: Working) -> Lines:
    """The sum of all rewards, where a world tells it."""
    return [f"Your rewards so far: {amount(work.total)}"] if work.manner.totals else []


def acts(work: Working, about: Acquaintance) -> Lines:
    """What a partner was seen to do in the last encounter."""
    written = [work.scaffold.written(act, about.seat) for act in about.acts]
    return [f"What {about.name} did in the last encounter:", repr(written)]


def considered(work: Working, words: str, played: Behaviour | None) -> Lines:
    """An own strategy, and the behaviour that it meant for the last encounter."""
    lines = [f"The strategy considered: {words}"]
    if played is not None:
        lines.append(f"The behaviour considered: {work.scaffold.written(played, work.brief.seat)!r}")
    return lines


def scene(work: Working) -> Lines:
    """What is seen now, and what was seen earlier."""
    seen = list(work.memory.values())
    kept = seen[-work.shown :] if work.shown is not None else seen
    return [
        *work.scaffold.scene(work.moment).splitlines(),
        *work.scaffold.recall(kept, work.moment).splitlines(),
    ]


def target(work: Working, wanted: EncounterTarget) -> Lines:
    """What a plan is for."""
    lines: Lines = []
    if wanted.seek:
        lines.append(f"Players to seek: {[work.scaffold.name(seat) for seat in wanted.seek]}")
    if wanted.strategy:
        lines.append(f"Your strategy: {wanted.strategy}")
    if wanted.behaviour is not None:
        written = wanted.written
        if written is None:
            written = work.scaffold.written(wanted.behaviour, work.brief.seat)
        lines.append(f"Your next behaviour: {written!r}")
    return lines


def outcomes(plan: RunningPlan | None) -> Lines:
    """How the last plan went, call by call."""
    if plan is None or not plan.begun:
        return []
    return ["What came of your last plan:", *plan.outcomes()]


def change(work: Working, plan: RunningPlan) -> Lines:
    """What an evaluator compares (appendix E.2): the own state before and after a plan, and the reward."""
    return [
        f"Before the plan: {plan.before}",
        f"After the plan: {work.scaffold.state(work.moment)}",
        f"Reward during the plan: {amount(plan.reward)}",
    ]


def feedback(work: Working) -> Lines:
    """What the evaluator said last."""
    return ["Feedback on what you did last:", work.feedback] if work.feedback else []


def can_play(work: Working, about: Acquaintance | None = None) -> Lines:
    """The behaviours to choose from: the partner's, then the own ones."""
    lines = []
    if about is not None and not work.manner.judged:
        lines.append(f"What they can play: {list(work.scaffold.choices(about.seat))!r}")
    if work.manner.choice == "behaviour":
        lines.append(f"What you can play: {list(work.scaffold.choices(work.brief.seat))!r}")
    return lines


def worked(examples: Iterable[tuple[str, Any]]) -> Lines:
    """Worked examples: thoughts, then the answer in its form."""
    return [
        line
        for number, (thoughts, form) in enumerate(examples, 1)
        for line in (f"Example {number}:", thoughts, str(form))
    ]


def _own(row: Row) -> str:
    return f"- {row.when}: you played {row.own!r}, your reward {amount(row.reward)}"


def _valued(header: str, held: Sequence[Hypothesis]) -> Lines:
    return [header, *(f"- [{h.value:.2f}] {h.text}" for h in held)] if held else []
