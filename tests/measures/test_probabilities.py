"""The Brier score, by hand, and of a language model that scores its options."""

from __future__ import annotations

from math import log

import pytest

import otherminds as om
from otherminds import SeatSpec
from otherminds.core.model import Model
from otherminds.core.record import Record
from otherminds.core.scenario import Participant
from otherminds.measures.literal import brier
from otherminds.measures.registry import Inapplicable
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import ScriptedModel


def scoring(chances: dict[str, float]) -> Model:
    """Gives each label its own probability, in any order and on any scale."""
    return ScriptedModel(
        lambda messages, decoding: "Answer: Option J",
        lambda prompt, continuations: [log(chances[text.strip()]) - 3 for text in continuations],
        "chances",
    )


@pytest.mark.parametrize("strategy", ["lm", "social_lm"])
def test_the_score_by_hand(strategy: str) -> None:
    chances = {"J": 0.7, "F": 0.2, "B": 0.1}
    model = scoring(chances)
    ego = Participant(make_mind(SeatSpec(strategy, model=model.spec)), model)
    for seed in range(3):
        record = om.play("rps-single-v1", ego, seed=seed, options={"rounds": 4})
        shown = record.drawn["names"][1][
            record.game.behaviours[1].index(record.met["ego"][0].did["partner_0"][0])
        ]
        expected = sum((chance - (label == shown)) ** 2 for label, chance in chances.items())
        assert brier(record) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["rps-single-v1", "ibs-single-v1"])
def test_equal_chances_score_one_less_the_share_of_an_option(name: str) -> None:
    record: Record = om.play(name, "lm@scripted:uniform", options={"rounds": 4})
    options = len(record.game.behaviours[1])
    even = scoring(dict.fromkeys("JFB", 0.2))
    played = om.play(
        name, Participant(make_mind(SeatSpec("lm", model=even.spec)), even), options={"rounds": 4}
    )
    assert brier(played) == pytest.approx((options - 1) / options)


def test_minds_without_probabilities_have_none() -> None:
    for mind in ("rmax", "qa@scripted:first"):
        assert isinstance(brier(om.play("rps-single-v1", mind, options={"rounds": 3})), Inapplicable)
