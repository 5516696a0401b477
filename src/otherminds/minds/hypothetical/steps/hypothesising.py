"""Theory of mind, steps 1 to 3: infer what the other did, evaluate hypotheses, generate or refine (appendix D.3)."""

from __future__ import annotations

from collections.abc import Callable

from otherminds.core.data import Answer
from otherminds.minds.hypothetical import prompting as say
from otherminds.minds.hypothetical.forms import WRITTEN
from otherminds.minds.hypothetical.reading import ask
from otherminds.minds.hypothetical.working import Acquaintance, Working

GENERAL = (
    "It may do the same every time, follow a fixed order, or answer what you did; it need not be clever. Say for each "
    "encounter what your idea explains, think step by step,"
)
"""What is said of strategies where a world has no hints of its own."""


async def infer(work: Working, about: Acquaintance) -> None:
    """What the partner did, from the own part and the reward; only where no encounter tells it."""
    if not work.manner.hidden:
        return
    task = (
        f"What did {about.name} play there? You were not shown it, but what you played and the reward that you got "
        "give it away. Think step by step, then write down what they most likely played."
    )
    said = await ask(
        work,
        work.purpose("infer", about),
        lambda: [
            *filter(None, [work.scaffold.clues()]),
            f"What they can play: {list(work.scaffold.choices(about.seat))!r}",
            *say.inference(about),
        ],
        task,
        work.forms.infer(about.seat),
        "what they did stays unknown; no value moves",
    )
    if said is not None:
        about.know(said["they_played"], said["they_played" + WRITTEN])


async def evaluate(work: Working, about: Acquaintance) -> None:
    """Scores each prediction made for this encounter, once; unknown behaviour scores none."""
    if work.manner.judged:
        verdicts = await _verdicts(work, about)
        about.stream.evaluate(verdicts.get)
    else:
        about.stream.evaluate(_came_true(about))


async def pass_over(work: Working, about: Acquaintance) -> None:
    """Counts the encounter, and scores nothing."""
    about.stream.evaluate(lambda said: None)


async def generate(work: Working, about: Acquaintance) -> None:
    """A new hypothesis from the whole history, or an older one again; none while one is validated."""
    if about.stream.validated is not None:
        return
    k = work.settings.top_k if work.settings.refines else 0
    if about.stream.top(k):
        task = (
            f"What is the strategy of {about.name}? If one of your earlier hypotheses (its value stands before it: the "
            "higher, the better it predicted) explains all encounters, repeat it word for word; if one is nearly right, "
            "improve it; else find another. "
        )
    else:
        task = f"What is the strategy of {about.name}? "
    hints = work.scaffold.hints("hypothesise")
    advice = f"{hints} Think step by step," if hints else GENERAL
    task += (
        f"{advice} then state the strategy in one sentence, such as: {' '.join(work.scaffold.strategies())}"
    )
    said = await ask(
        work,
        work.purpose("hypothesise", about),
        lambda: [*say.totals(work), *say.encounters(work, about), *say.earlier(about, k)],
        task,
        work.forms.hypothesise(),
        "no new hypothesis; the old ones stay",
    )
    if said is not None:
        about.stream.add(said["strategy"])


def _came_true(about: Acquaintance) -> Callable[[Answer], bool | None]:
    came = about.came
    return lambda said: None if came is None else said == came


async def _verdicts(work: Working, about: Acquaintance) -> dict[Answer, bool]:
    """Which predictions for this encounter came true, by the model's judgement; each is judged once."""
    stream = about.stream
    made = {
        h.predictions[stream.met]: h.id for h in reversed(stream.hypotheses) if stream.met in h.predictions
    }
    verdicts: dict[Answer, bool] = {}
    for prediction, which in made.items() if about.acts else ():
        said = await ask(
            work,
            work.purpose("judge", about, which),
            lambda prediction=prediction: [*say.prediction(about, prediction), *say.acts(work, about)],
            f"Did {about.name} do what you predicted? It is enough if what was predicted is among what they did.",
            work.forms.judge(),
            "the prediction is not scored",
        )
        if said is not None:
            verdicts[prediction] = said["match"]
    return verdicts
