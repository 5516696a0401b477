"""How often LM prompting predicts a constant partner, as a question and as the continuation of the history.

Each model plays the same episodes in every form: the same partners, labels, orders of options and seeds. The
partner always chooses the same option. *question* is the prompt pack ``question``; *agent first* continues the
sentence of the round after the own choice, *partner first* before it. A share is over all rounds, beside it
the share over the second half of the rounds, in which the partner was seen at least ``rounds / 2`` times.

Models are spec strings, such as ``gguf:/models/some.gguf``. An episode of 10 rounds takes SmolLM2-135M some
4 seconds of one core.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from common import arguments, finish, show

import otherminds as om

SCENARIOS = ("rps-single-v1", "ibs-single-v1")
FORMS: dict[str, tuple[dict[str, str], str]] = {
    "question": ({"pack": "question"}, "after"),
    "agent first": ({}, "after"),
    "partner first": ({}, "before"),
}
"""The parameters of ``lm`` and the time of the literal question, by the name of the form."""


class Shares(NamedTuple):
    """What was right: of all predictions, of those in the second half, and of the own choices in the second half."""

    predicted: float
    predicted_late: float
    responded_late: float


def play_form(model: str, scenario: str, form: str, rounds: int, seeds: Sequence[int]) -> Shares:
    """Plays one episode a seed.

    Raises:
        SystemExit: an episode was not scored.
    """
    params, literal = FORMS[form]
    late = range(rounds // 2, rounds)
    right: list[bool] = []
    right_late: list[bool] = []
    best_late: list[bool] = []
    for seed in seeds:
        mind = om.SeatSpec("lm", dict(params), model)
        record = om.play(scenario, mind, seed=seed, options={"rounds": rounds, "literal": literal})
        if record.outcome.status != "scored":
            raise SystemExit(f"{model}, {scenario}, seed {seed}: {record.outcome.reason}")
        hits = [asked.answer == asked.truth for asked in record.asked]
        right += hits
        right_late += [hits[i] for i in late]
        best = max(sum(row) for row in record.rewards) if False else None
        best_late += []
    return Shares(_mean(right), _mean(right_late), _mean(best_late))
