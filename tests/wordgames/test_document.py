"""The mind on the page about word games is all that a new one needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import otherminds as om
from otherminds.wordgames.exact import PartnerModels

PAGE = (Path(__file__).parents[2] / "docs" / "wordgames.md").read_text(encoding="utf-8")
OPTIONS = {"boards": 8}


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the example on the page defines."""
    found = re.search(r"```python\n(.*?)```", PAGE.split("### A mind of your own")[1], re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(found[1], names)
    return names


def test_the_mind_on_the_page_plays_and_answers_as_the_informed_one(names: dict[str, Any]) -> None:
    record = names["record"]
    assert record.actions == om.play("taboo-mixed-v1", "informed", seed=1, options=OPTIONS).actions
    assert record.total("ego") == 11
    assert record.asked
    assert all(answer.answer == answer.truth for answer in record.asked)
    assert "It earns 11 points and answers every question rightly" in PAGE


def test_with_what_the_page_says_of_inference_it_is_the_bayesian_one(names: dict[str, Any]) -> None:
    informed: Any = names["Informed"]

    class Learner(informed):
        grants = frozenset()

        def begin(self, brief: Any, context: Any) -> None:
            self.models = PartnerModels(names["tables"], names["tables"].weights)
            self.weights = self.models.weights

        async def perceive(self, moment: Any) -> None:
            view = names["form"].read(moment.observation)
            if moment.encounters:
                self.models.learn(view.past, view.past_moves)
                self.weights = self.models.weights
            await super().perceive(moment)

    for seed in range(3):
        played = om.play("taboo-mixed-v1", Learner(), seed=seed, options=OPTIONS)
        assert played.actions == om.play("taboo-mixed-v1", "bayes", seed=seed, options=OPTIONS).actions
