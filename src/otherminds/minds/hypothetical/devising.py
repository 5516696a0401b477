"""Own strategies in place of theory of mind: HE+HR (appendix F) and PlanReAct (appendix E.3)."""

from __future__ import annotations

from otherminds.minds.hypothetical import prompting as say
from otherminds.minds.hypothetical.hypotheses import Hypothesis
from otherminds.minds.hypothetical.prompting import ask
from otherminds.minds.hypothetical.theory_of_mind import KEPT, chosen, conditioning
from otherminds.minds.hypothetical.working import Acquaintance, EncounterTarget, Working


async def earn(work: Working, about: Acquaintance) -> None:
    """Moves values: by the reward for the strategy used, by the model's counterfactual for the others."""
    earned: list[tuple[Hypothesis, float]] = []
    for held in about.stream.hypotheses:
        if held.id not in about.considered:
            continue
        if held is about.used and work.source is about:
            earned.append((held, about.reward))
            continue
        said = await ask(
            work,
            work.purpose("counterfactual", about, held.id),
            lambda held=held: [
                *say.encounters(work, about),
                *say.considered(work, held.text, about.considered[held.id]),
            ],
            "Had you followed that strategy in the last encounter, and nothing else had been different: would your reward "
            "have been positive, neutral or negative? Think step by step.",
            work.forms.counterfactual(),
            "its value does not move",
        )
        if said is not None:
            earned.append((held, said["outcome"] * work.settings.credit.reward))
    about.stream.earn(earned)
    about.considered = {}


async def devise(work: Working, about: Acquaintance) -> None:
    """A new own strategy, or an older one again; none while one is validated."""
    if about.stream.validated is not None:
        return
    k = work.settings.top_k if work.settings.refines else 0
    task = (
        "What strategy will you follow from now on? If one of your earlier strategies (its value stands before it: about "
        "what it brings) does well, repeat it word for word; if one is nearly good, improve it; else find another. "
        if k and about.stream.top(k)
        else "What strategy will you follow from now on? "
    )
    said = await ask(
        work,
        work.purpose("devise", about),
        lambda: [
            *say.encounters(work, about),
            *say.earlier("Your earlier strategies:", about, k),
            *say.can_play(work),
        ],
        f"{task}Think step by step, then put it into a sentence or two.",
        work.forms.devise(),
        "no new strategy; the old ones stay",
    )
    if said is not None:
        made = about.stream.add(said["my_strategy"])
        about.considered[made.id] = said.get("i_play")


async def weigh(work: Working, about: Acquaintance) -> None:
    """Asks what each strategy means for the next encounter; the mind follows the validated one, else the newest."""
    stream = about.stream
    tested = stream.tested(work.settings.top_k)
    about.used = conditioning(work, about, tested)
    for held in tested:
        if work.manner.choice == "strategy":
            about.considered[held.id] = None
        elif held.id not in about.considered:
            said = await ask(
                work,
                work.purpose("play", about, held.id),
                lambda held=held: [
                    *say.encounters(work, about),
                    f"Your strategy: {held.text}",
                    *say.can_play(work),
                ],
                "What does this strategy mean for your next encounter? Think step by step.",
                work.forms.play(),
                KEPT if held is about.used else "it is not considered this time",
            )
            if said is not None:
                about.considered[held.id] = said["i_play"]
    if about.used is not None and about.used.id in about.considered:
        work.aim(EncounterTarget(about.considered[about.used.id], about.used.text), about)


async def strategise(work: Working, about: Acquaintance) -> None:
    """One strategy in words, and what it means for the next encounter; none is tested."""
    said = await ask(
        work,
        work.purpose("strategise", about),
        lambda: [*say.encounters(work, about), *say.can_play(work)],
        f"Think step by step about what {about.name} does and how to do best. Then put your strategy from now on into a "
        "sentence or two.",
        work.forms.devise(),
        KEPT,
    )
    if said is not None:
        work.aim(chosen(said), about)
