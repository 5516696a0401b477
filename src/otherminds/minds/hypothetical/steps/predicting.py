"""Theory of mind, steps 4 and 5: predict what the other does next, choose what to do (appendix D.3)."""

from __future__ import annotations

from typing import Any

from otherminds.core.scaffold import Step
from otherminds.minds.hypothetical import prompting as say
from otherminds.minds.hypothetical.forms import WRITTEN
from otherminds.minds.hypothetical.hypotheses import Hypothesis
from otherminds.minds.hypothetical.reading import ModelQuestion, ask, ask_each
from otherminds.minds.hypothetical.working import Acquaintance, EncounterTarget, Working

KEPT = "the last target stays"


async def open_blind(work: Working, about: Acquaintance) -> None:
    """The first choice: nobody was met yet, so there is a prediction without a hypothesis."""
    said = await ask(
        work,
        work.purpose("open"),
        lambda: [*say.encounters(work, about), *say.can_play(work, about)],
        "Nothing is known of the others yet. Think step by step about what they may do first, and what is best for you "
        "then.",
        work.forms.opening(about.seat),
        "no target yet",
    )
    if said is not None:
        for other in work.others.values():
            other.said, other.foretold = said["they_play"], told(said)
        work.aim(chosen(said), None)


async def predict(work: Working, about: Acquaintance) -> None:
    """Predictions by the validated hypothesis alone, or by the newest and the best others, side by side.

    That of the hypothesis which conditions the choice makes the choice too, where the
    world joins them.
    """
    stream = about.stream
    tested = stream.tested(work.settings.top_k)
    about.used, about.said, about.foretold = _conditioning(work, about, tested), None, None
    joint = " Then choose what is best for you against that." if work.manner.joint else ""
    hints = _hints(work, "predict")
    task = f"Take the hypothesis for true. What will {about.name} do in your next encounter?{joint} {hints}Think step by step."
    questions = [
        ModelQuestion(
            work.purpose("predict", about, held.id),
            lambda held=held: [
                *say.encounters(work, about),
                *say.hypothesis(about, held),
                *say.can_play(work, about),
            ],
            task,
            work.forms.predict(about.seat),
            KEPT if held is about.used and work.manner.joint else "it predicts nothing this time",
        )
        for held in tested
    ]
    for held, said in zip(tested, await ask_each(work, questions), strict=True):
        if said is None:
            continue
        held.predictions[stream.met] = said["they_play"]
        if held is about.used:
            about.said, about.foretold = said["they_play"], told(said)
            if work.manner.joint:
                work.aim(chosen(said), about)


async def choose(work: Working, about: Acquaintance) -> None:
    """The own choice in a call of its own, shown the prediction; among several others, whom to seek."""
    if work.manner.joint:
        return
    said = await ask(
        work,
        work.purpose("choose", about),
        lambda: [*_known(work, about), *say.can_play(work, about)],
        _hints(work, "choose") + _choice(work, about),
        work.forms.choose(),
        KEPT,
    )
    if said is None:
        return
    for seat in said.get("seek", ()):
        work.others[seat].said, work.others[seat].foretold = said["they_play"], told(said)
    work.aim(chosen(said), about)


async def at_once(work: Working, about: Acquaintance) -> None:
    """Every step in a single call: inference, hypothesis, prediction, choice (section 4.5, VMP)."""
    inferring = "what they played in the last encounter, " if work.manner.hidden else ""
    task = (
        f"Work out {inferring}what the strategy of {about.name} is, what they will do in your next encounter, and what "
        f"is best for you then. {work.scaffold.clues()} {_hints(work, 'hypothesise')}State their strategy in one sentence, such as: "
        f"{' '.join(work.scaffold.strategies())} Think step by step."
    )
    about.used, about.said, about.foretold = None, None, None
    said = await ask(
        work,
        work.purpose("think", about),
        lambda: [*say.encounters(work, about), *say.can_play(work, about)],
        task,
        work.forms.at_once(about.seat),
        f"no hypothesis; {KEPT}",
    )
    if said is None:
        return
    if "they_played" in said:
        about.know(said["they_played"], said["they_played" + WRITTEN])
    about.used = about.stream.add(said["strategy"])
    about.said = about.used.predictions[about.stream.met] = said["they_play"]
    about.foretold = told(said)
    work.aim(chosen(said), about)


def chosen(said: dict[str, Any]) -> EncounterTarget:
    """The target in an answer."""
    written = said.get("i_play" + WRITTEN)
    return EncounterTarget(said.get("i_play"), said.get("my_strategy", ""), said.get("seek", ()), written)


def told(said: dict[str, Any]) -> Any:
    """The prediction in an answer, as later prompts tell it."""
    return said.get("they_play" + WRITTEN, said["they_play"])


def _hints(work: Working, step: Step) -> str:
    found = work.scaffold.hints(step)
    return f"{found} " if found else ""


def _conditioning(work: Working, about: Acquaintance, tested: list[Hypothesis]) -> Hypothesis | None:
    """The validated hypothesis; else the newest, or by a switch the best (section 3.2)."""
    stream = about.stream
    held = stream.validated or (stream.best if work.settings.condition == "best" else stream.newest)
    return held if held in tested else stream.newest


def _known(work: Working, about: Acquaintance) -> list[str]:
    """The partner just met, or where there are several all who were met."""
    met = [other for other in work.others.values() if other.rows] if work.several else [about]
    return [
        line
        for other in met
        for line in (
            *say.encounters(work, other),
            *say.hypothesis(other, other.used),
            *say.prediction(other, other.foretold),
        )
    ]


def _choice(work: Working, about: Acquaintance) -> str:
    if work.several:
        return (
            "Whom of the others will you seek next? Prefer those whose strategy you know and can exploit, and name more "
            "than one if you can, since one may be hard to find. What will they play, and what is best for you against "
            "that? Think step by step."
        )
    if work.manner.choice == "strategy":
        return (
            f"How do you want to go on, given what {about.name} does and will do? Think step by step, then put your "
            "strategy into a sentence or two: it will be shown to you when you plan what to do."
        )
    return f"What is best for you in your next encounter with {about.name}, and for all that come later? Think step by step."
