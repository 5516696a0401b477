"""What hypotheses and predictions are worth to Hypothetical Minds: true, wrong and none.

The model is ``competent`` (accuracy 1), whose replies are changed before the mind reads them, in one of four ways:
hypotheses are another partner's strategy; there are none; predictions are another option than the reply has, with the choice as
it was; or nothing is changed. All arms play the same seeds. Beside the reward: the value of the hypothesis in use, how often one is
validated, and how many predictions are right.
"""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
from common import arguments, finish, show
from msgspec.structs import replace

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Model
from otherminds.core.record import Record
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.measures.notes import hypothesis_tracks, thoughts
from otherminds.minds.registry import minds
from otherminds.models.registry import open_model
from otherminds.play.loop import play

IDLE = "stood around"
"""What the cook of scenario 0 never does for long."""
WRONG = {
    "rws-repeated-1-v1": "They always play rock.",
    "rws-repeated-6-v1": "They always play paper.",
    "pd-repeated-5-v1": "They always play defect.",
    "cooking-asymmetric-0-v1": f"They always play {IDLE}.",
}
"""By scenario, a strategy that its partner does not have."""
OPTIONS = re.compile(r"^What they can play: (\[.+\])$", re.MULTILINE)
FORM = "in this form:"
Reply = dict[str, Any]
Change = Callable[[Reply, list[str]], Reply | None]
"""Takes a reply and the partner's options; ``None`` is a reply that nobody can read."""


class Changed(Model):
    """A model some of whose replies are changed: those with ``key`` alone, or with ``key`` and a choice."""

    spec = "changed"
    concurrency = 1

    def __init__(self, model: Model, key: str, change: Change) -> None:
        self.model, self.key, self.change = model, key, change
        self.context = model.context

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        completion = await self.model.generate(messages, decoding)
        prompt = messages[-1].content
        if f"'{self.key}'" not in prompt.rpartition(FORM)[2]:
            return completion
        text, _, written = completion.text.rpartition("```python\n")
        options = OPTIONS.findall(prompt)
        listed = ast.literal_eval(options[-1]) if options else []
        changed = self.change(ast.literal_eval(written.removesuffix("```").strip()), listed)
        return replace(completion, text="I do not know." if changed is None else f"{text}\n{changed!r}")

    def count(self, text: str) -> int:
        return self.model.count(text)


def predict_another(reply: Reply, options: list[str]) -> Reply:
    """``reply`` with the next of the ``options`` predicted, in the form that it has."""
    prediction = reply["they_play"]
    if isinstance(prediction, dict):
        kinds = list(prediction)
        most = max(kinds, key=lambda kind: prediction[kind])
        following = kinds[(kinds.index(most) + 1) % len(kinds)]
        swapped = prediction | {most: prediction[following], following: prediction[most]}
        return reply | {"they_play": swapped}
    if prediction not in options:  # in the kitchen predictions are free text
        return reply | {"they_play": IDLE}
    return reply | {"they_play": options[(options.index(prediction) + 1) % len(options)]}


def change_model(arm: str, scenario_id: str) -> Model:
    """The model of an arm."""
    competent = open_model("competent")
    if arm == "wrong hypotheses":
        return Changed(competent, "strategy", lambda reply, options: {"strategy": WRONG[scenario_id]})
    if arm == "no hypotheses":
        return Changed(competent, "strategy", lambda reply, options: None)
    if arm == "wrong predictions":
        return Changed(competent, "they_play", predict_another)
    return competent


ARMS = ("as they are", "wrong hypotheses", "no hypotheses", "wrong predictions")


def play_episode(steps: int, arm: str, scenario_id: str, seed: int) -> tuple[float, float, float, float]:
    """Reward per 1,200 steps, mean value of the hypothesis in use, share validated, share of predictions right."""
    built = scenario(scenario_id, {"steps": steps})
    seat = Participant(minds.make("hm", {}), change_model(arm, scenario_id))
    record: Record
    record, _ = asyncio.run(play(Setup(built, {"ego": seat}, seed)))
    if record.outcome.status != "scored":
        raise SystemExit(f"{scenario_id}, {arm}, seed {seed}: {record.outcome.reason}")
    values = [
        thought.value
        for note in thoughts(record, "ego")
        for thought in note.thinking.thoughts
        if thought.id == note.thinking.used
    ]
    validated = [valid for track in hypothesis_tracks(record) for valid in track.validated]
    right = [asked.answer == asked.truth for asked in record.asked if asked.truth is not None]
    return (
        record.total("ego") * 1200 / steps,
        fmean(values) if values else np.nan,
        fmean(validated) if validated else 0.0,
        fmean(right) if right else np.nan,
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=10, help="episodes an arm and scenario (default 10)")
    parser.add_argument("--steps", type=int, default=1000, help="steps of an episode (default 1000)")
    parser.add_argument("--scenarios", nargs="*", default=list(WRONG), choices=list(WRONG))
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.episodes)
    rows: list[Sequence[str]] = []
    figures: dict[str, float] = {}
    with ProcessPoolExecutor(options.workers) as pool:
        for scenario_id, arm in product(options.scenarios, ARMS):
            episodes = np.array([*pool.map(partial(play_episode, options.steps, arm, scenario_id), seeds)])
            reward, value, validated, right = np.nanmean(episodes, axis=0)
            half = 2.262 * episodes[:, 0].std(ddof=1) / np.sqrt(len(episodes))
            rows.append(
                (
                    scenario_id,
                    arm,
                    f"{reward:.1f} ± {half:.1f}",
                    f"{value:.2f}",
                    f"{validated:.0%}",
                    f"{right:.0%}",
                )
            )
            figures[f"{scenario_id}.{arm}"] = float(reward)
    heads = (
        "scenario",
        "hypotheses and predictions",
        "reward per 1,200 steps",
        "value in use",
        "validated",
        "right",
    )
    show(f"{options.episodes} episodes of {options.steps} steps", heads, rows)
    finish(options, figures)


if __name__ == "__main__":
    main()
